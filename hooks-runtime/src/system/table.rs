//! How the systems differ, as data.
//!
//! Everything that reads a file, writes an event or reads an answer looks here. Each system fills in a [`System`] in its
//! own folder.

use std::time::Duration;

use hooks_builtin::Profile;
use hooks_core::agent::{AgentContext, AgentEvent};
use serde_json::Value;

use super::reads::Row;
use super::says::{Place, Says};
use super::tools::{self, Class};
use crate::entry::OnFault;
use crate::events::EventInfo;

/// The key of [`AgentContext::extra`] that is `false` if an agent has an event of its own for a request for permission,
/// and this is not one.
pub(crate) const REQUESTED: &str = "permission_requested";

/// A condition on one of our events, if a system's event is only some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    #[default]
    Always,
    /// The tool has succeeded.
    Succeeded,
    /// The tool has failed.
    Failed,
    /// The agent is nobody's subagent.
    Top,
    /// The agent is a subagent.
    Nested,
    /// The tool is of this class.
    Tool(Class),
    /// The tool is one of an MCP server.
    Mcp,
    /// The user is about to be asked.
    Requested,
}

impl When {
    /// Whether an event fulfils the condition.
    pub(crate) fn holds(self, cx: &AgentContext, event: &AgentEvent<'_>) -> bool {
        match self {
            When::Always => true,
            When::Succeeded | When::Failed => {
                let is_error = match event {
                    AgentEvent::AfterToolCall(done) => done.output.is_error,
                    AgentEvent::ToolCallEnd(done) => done.output.is_error,
                    _ => false,
                };
                is_error == (self == When::Failed)
            }
            When::Top => cx.depth == 0,
            When::Nested => cx.depth > 0,
            When::Requested => cx.extra.get(REQUESTED) != Some(&Value::Bool(false)),
            When::Tool(class) => crate::events::subject(event)
                .is_some_and(|tool| tools::class_of(tool) == Some(class)),
            When::Mcp => crate::events::subject(event)
                .is_some_and(|tool| tool.to_lowercase().starts_with("mcp")),
        }
    }

    /// The condition in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            When::Always => "every event of its kind",
            When::Succeeded => "tools that have succeeded",
            When::Failed => "tools that have failed",
            When::Top => "agents that no other agent has started",
            When::Nested => "subagents",
            When::Tool(Class::Shell) => "tools that run commands",
            When::Tool(Class::Read) => "tools that read files",
            When::Tool(_) => "tools that change files",
            When::Mcp => "tools of MCP servers",
            When::Requested => "calls for which the user is about to be asked",
        }
    }
}

/// What a matcher is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Nothing, so a matcher is ignored.
    #[default]
    None,
    /// The name of the tool.
    Tool,
    /// The tool's command line.
    Command,
    /// The path that the tool was given.
    Path,
    /// How the session began, or why the conversation is compacted.
    Reason,
    /// The kind of the subagent, or of the notification.
    Kind,
    /// An empty text.
    Empty,
}

/// The effect of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The event is blocked.
    #[default]
    Blocks,
    /// The model reads the reason.
    Tells,
    /// The user reads the reason.
    Shows,
    /// The model reads the reason in place of the tool's output.
    Replaces,
}

/// Where the data of a tool stands in an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The tool has a name and arguments.
    #[default]
    Usual,
    /// A command, without a tool: this is its name.
    Command(&'static str),
    /// A tool of an MCP server.
    Mcp,
    /// A path that is read, without a tool: this is its name.
    Path(&'static str),
    /// A path that is written, and edits, without a tool: this is its name.
    Edit(&'static str),
}

/// A system's event, and our event for it. It goes both ways: hooks of the system's files run on our event, and our
/// hooks run when the system calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) named: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) when: When,
    pub(crate) shape: Shape,
    /// What the system can be told when it calls; none if it does not call, or calls with another event as well.
    pub(crate) says: Option<&'static [Says]>,
    pub(crate) subject: Subject,
    pub(crate) refusal: Refusal,
    /// Whether `continue: false` ends the turn there.
    pub(crate) stops: bool,
    /// Whether text other than JSON is for the model.
    pub(crate) text: bool,
    /// How long a hook on this event may take, if this differs from other events.
    pub(crate) timeout: Option<Duration>,
    /// What a hook of the system's file reads, after the [rows of all events](System::reads).
    pub(crate) reads: &'static [Row],
    /// If a hook that fails blocks the event: what happens when it takes too long.
    pub(crate) closed: Option<OnFault>,
}

/// A system's event that is one of ours.
pub(crate) const fn event(named: &'static str, ours: &'static str) -> Event {
    Event {
        named,
        ours,
        when: When::Always,
        shape: Shape::Usual,
        says: None,
        subject: Subject::None,
        refusal: Refusal::Blocks,
        stops: true,
        text: false,
        timeout: None,
        reads: &[],
        closed: None,
    }
}

impl Event {
    pub(crate) const fn of(self, subject: Subject) -> Self {
        Event { subject, ..self }
    }

    pub(crate) const fn when(self, when: When) -> Self {
        Event { when, ..self }
    }

    pub(crate) const fn refusal(self, refusal: Refusal) -> Self {
        Event { refusal, ..self }
    }

    pub(crate) const fn with_text(self) -> Self {
        Event { text: true, ..self }
    }

    pub(crate) const fn never_stops(self) -> Self {
        Event {
            stops: false,
            ..self
        }
    }

    pub(crate) const fn within(self, timeout: Duration) -> Self {
        Event {
            timeout: Some(timeout),
            ..self
        }
    }

    pub(crate) const fn reads(self, reads: &'static [Row]) -> Self {
        Event { reads, ..self }
    }

    pub(crate) const fn closed(self, when_late: OnFault) -> Self {
        Event {
            closed: Some(when_late),
            ..self
        }
    }

    pub(crate) const fn shape(self, shape: Shape) -> Self {
        Event { shape, ..self }
    }

    /// The system calls with this event, and can be told this.
    pub(crate) const fn says(self, says: &'static [Says]) -> Self {
        Event {
            says: Some(says),
            ..self
        }
    }

    /// The condition on our event, if there is one.
    pub(crate) fn whens(&self) -> Vec<(&'static str, When)> {
        match self.when {
            When::Always => Vec::new(),
            when => vec![(self.ours, when)],
        }
    }

    /// Our event.
    pub(crate) fn info(&self) -> Option<&'static EventInfo> {
        EventInfo::named(self.ours)
    }
}

/// How the definitions of a unit run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// All at once, each to its end. Then the strictest answer applies.
    #[default]
    AtOnce,
    /// One after the other, until one stops the event. Each sees the event as the ones before left it.
    InTurn,
}

/// When two definitions of a file count as equal, so that only one of them runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twins {
    /// Never.
    No,
    /// If their handlers have the same type and run the same.
    Whole,
    /// If they have the same name and the same command.
    NameAndCommand,
}

/// Where the events stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Under the key `hooks`.
    Hooks,
    /// Under the key `hooks`, or at the top.
    Top,
    /// In sets, each with a name: `{"name": {"enabled": true, "PreToolUse": […]}}`.
    Sets,
}

/// The meaning of exit codes, and the place of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exits {
    /// 2 blocks. A JSON answer counts with any other code.
    Claude,
    /// 2 blocks. JSON counts with 0, and a refusal in it with any other code.
    Codex,
    /// As Codex's. What the system [cannot be told](Event::says) has no effect, unless it refuses.
    Told,
    /// As the one before. The answer has the places in which the system [is told](Event::says).
    Placed,
    /// All but 0 and 1 block. JSON counts with any code, also on standard error.
    Gemini,
    /// 2 blocks, and so does a JSON answer with any code. Only 0 lets the event go on.
    Goose,
    /// 2 blocks. JSON counts with 0.
    Goclaw,
    /// All but 0 block. There is no JSON.
    Flat,
}

/// The names of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// `session_id`, `hook_event_name`, `tool_name`.
    Claude,
    /// Also `turn_id` and `model`.
    Codex,
    /// Claude's, with Gemini's shapes of model calls and of results.
    Gemini,
    /// `event`, `tool_call_id`, `tool_output`, `working_dir`.
    Goose,
    /// `SessionID`, `ToolName`, and the same as `sessionId`, `toolName`.
    Goclaw,
}

/// One system.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "systems differ in many small things"
)]
pub(crate) struct System {
    /// The name in files and on the command line.
    pub(crate) name: &'static str,
    /// The name for people.
    pub(crate) title: &'static str,
    pub(crate) events: &'static [Event],
    /// Its events in files that are none of ours.
    pub(crate) never: &'static [&'static str],
    /// How it calls a program, if it does.
    pub(crate) calls: Option<Calls>,
    pub(crate) words: Words,
    /// What hooks read on every event, if these are not the `words`.
    pub(crate) reads: &'static [Row],
    pub(crate) exits: Exits,
    /// Where the events stand in a file.
    pub(crate) root: Root,
    /// Whether a hook may stand in the list of an event, without a group.
    pub(crate) is_flat: bool,
    /// The keys of a hook's command: the first one that is there counts.
    pub(crate) commands: &'static [&'static str],
    /// Whether the arguments of a command stand in `args`, so that it runs without a shell.
    pub(crate) takes_args: bool,
    /// Whether a command is the path of a program, from the folder of its file, that runs without a shell.
    pub(crate) is_path: fn(&str) -> bool,
    /// Whether commands run in the folder of their file.
    pub(crate) runs_at_file: bool,
    /// The keys of a command for Windows only.
    pub(crate) windows: &'static [&'static str],
    /// The keys of a hook's timeout.
    pub(crate) timeouts: &'static [&'static str],
    /// The unit of a timeout of this number.
    pub(crate) unit: fn(f64) -> Duration,
    /// A timeout from which on, or below which, it is probably in another unit.
    pub(crate) odd_timeouts: fn(f64) -> bool,
    /// How long a command may take.
    pub(crate) timeout: Duration,
    /// How long a model may take.
    pub(crate) prompt_timeout: Duration,
    /// The types of handlers that are run. Others are notices.
    pub(crate) kinds: &'static [&'static str],
    /// The characters of a matcher that is a name, or a list of names.
    pub(crate) of_names: fn(char) -> bool,
    /// Whether a regular expression that is wrong is taken literally.
    pub(crate) is_lenient: bool,
    /// Whether a regular expression has to match the whole subject.
    pub(crate) is_whole: bool,
    /// The names of its tools, if they are not in the table of names.
    pub(crate) tools: Option<Profile>,
    /// Tools with several names there: Claude Code's name, and the one that hooks read.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    /// Whether a matcher may also use Claude Code's names of tools.
    pub(crate) takes_claudes_tools: bool,
    /// The keys of a group that have no effect here.
    pub(crate) ignored: &'static [&'static str],
    pub(crate) order: Order,
    pub(crate) twins: Twins,
    /// The key by which a hook says what happens when it fails.
    pub(crate) on_failure: Option<&'static str>,
    /// What happens when a hook without this key fails.
    pub(crate) fault: OnFault,
    /// Whether an unknown key makes an answer invalid.
    pub(crate) is_strict: bool,
    /// Whether an answer has to name its event.
    pub(crate) names_event: bool,
    /// Whether the new input of a tool is set key by key, and not as a whole.
    pub(crate) merges_input: bool,
    /// The files that the system finds by itself: below the user's folder and below the project's.
    pub(crate) files: &'static [(Whose, &'static str)],
}

/// Whether a variable of the environment is set.
pub(crate) type IsSet<'a> = &'a dyn Fn(&str) -> bool;

/// How a system calls a program as its hook.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    /// The keys that name the event. If there are none, the command line names it.
    pub(crate) named: &'static [&'static str],
    /// The objects in the input that hold more keys, as JSON pointers.
    pub(crate) inside: &'static [&'static str],
    /// The variables that name the project's folder.
    pub(crate) project: &'static [&'static str],
    /// The key of a message for the user. Without one it is printed on standard error.
    pub(crate) message: Option<&'static str>,
    /// Whether an answer without anything is `{}`.
    pub(crate) always_answers: bool,
    /// The answer if an event cannot be judged, beside the exit code 2 and standard error.
    pub(crate) refusal: &'static [Place],
    /// Whether an event is raised a second time, so that no hook runs on it.
    pub(crate) skips: fn(&str, &Value) -> bool,
    /// Whether an event comes from this system, by its keys and by the variables of the process. A system that reads
    /// another's file calls the program as if it were the other.
    pub(crate) is_caller: fn(&Value, IsSet<'_>) -> bool,
}

/// Calls as Claude Code makes them.
pub(crate) const CALLS: Calls = Calls {
    named: &["hook_event_name", "hookEventName"],
    inside: &[],
    project: &["CLAUDE_PROJECT_DIR"],
    message: None,
    always_answers: false,
    refusal: &[],
    skips: |_, _| false,
    is_caller: |_, _| false,
};

/// The owner of a file that a system finds by itself. Later ones take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    User,
    Project,
    Managed,
}

impl System {
    /// Returns the event with the system's name.
    pub(crate) fn named(&self, name: &str) -> Option<&'static Event>
    where
        Self: 'static,
    {
        self.events.iter().find(|event| event.named == name)
    }

    /// Returns the event with which the system calls. Systems spell their events in several ways, such as `PreToolUse`,
    /// `preToolUse` and `pre_tool_use`.
    pub(crate) fn called(&self, name: &str) -> Option<&'static Event>
    where
        Self: 'static,
    {
        let plain = |name: &str| name.replace('_', "").to_ascii_lowercase();
        let name = plain(name);
        self.events.iter().find(|event| plain(event.named) == name)
    }

    /// Returns what the system can be told on an event, by this name of it or another.
    pub(crate) fn says(&self, event: &Event) -> &'static [Says] {
        let mut same = self.events.iter().filter(|other| other.ours == event.ours);
        let says = event.says.or_else(|| same.find_map(|other| other.says));
        says.unwrap_or_default()
    }

    /// Returns the system's event for one of ours: by the name in the definition, or by what happened.
    pub(crate) fn event(
        &self,
        info: &EventInfo,
        named: &str,
        happened: Option<(&AgentContext, &AgentEvent<'_>)>,
    ) -> Option<&'static Event> {
        let ours = || self.events.iter().filter(|event| event.ours == info.name);
        let by_name = ours().find(|event| event.named == named);
        let by_what =
            happened.and_then(|(cx, happened)| ours().find(|event| event.when.holds(cx, happened)));
        by_name.or(by_what).or_else(|| ours().next())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::ImportEntry;
    use crate::system::Dialect;

    #[test]
    fn every_event_is_one_of_ours() {
        for dialect in Dialect::ALL {
            for event in dialect.system().events {
                assert!(event.info().is_some(), "{dialect}: {}", event.named);
                if !dialect.runs_hooks() {
                    continue;
                }
                let is_tool = matches!(
                    event.subject,
                    Subject::Tool | Subject::Command | Subject::Path
                );
                let has_subject = event.info().unwrap().has_subject;
                assert_eq!(is_tool, has_subject, "{dialect}: {}", event.named);
            }
        }
    }

    #[test]
    fn every_system_with_files_is_a_key_of_an_import() {
        for dialect in Dialect::ALL {
            let is_key = ImportEntry::KEYS.contains(&dialect.as_str());
            let has_files = dialect.runs_hooks() && *dialect != Dialect::Flat;
            assert_eq!(is_key, has_files, "{dialect}");
        }
    }

    #[test]
    fn all_events_of_claude_code_are_known() {
        let rules = Dialect::Claude.system();
        assert_eq!(rules.events.len() + rules.never.len(), 33);
    }
}
