//! The differences between the systems, as data: one table for each system.
//!
//! All code that reads a file, writes an event or reads an answer uses these tables. A new system needs only a new
//! table.

use std::time::Duration;

use hooks_builtin::config::OnFault;
use hooks_core::agent::{AgentContext, AgentEvent};

use super::Dialect;
use super::tools::{self, Class};
use crate::events::EventInfo;
use crate::unit::Order;

/// Which of our events of a kind a system's event covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    #[default]
    Always,
    /// The tool has succeeded.
    Succeeded,
    /// The tool has failed.
    Failed,
    /// The agent is not a subagent.
    Top,
    /// The agent is a subagent.
    Nested,
    /// The tool is of this class.
    Tool(Class),
}

impl When {
    /// Whether it covers an event.
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
            When::Tool(class) => crate::events::subject(event)
                .is_some_and(|tool| tools::class_of(tool) == Some(class)),
        }
    }

    /// Returns the condition in words.
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
        }
    }
}

/// What a matcher is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Nothing: a matcher is ignored.
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
    /// An empty string.
    Empty,
}

/// The effect of a hook's refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The event is blocked.
    #[default]
    Blocks,
    /// The model reads the reason.
    Tells,
    /// The user sees the reason.
    Shows,
    /// The model reads the reason instead of the tool's output.
    Replaces,
}

/// An event of a system, and the event of ours that corresponds to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) named: &'static str,
    pub(crate) ours: &'static str,
    pub(crate) when: When,
    pub(crate) subject: Subject,
    pub(crate) refusal: Refusal,
    /// Whether `continue: false` ends the turn there.
    pub(crate) stops: bool,
    /// Whether text that is not JSON is for the model.
    pub(crate) text: bool,
    /// The default timeout of a hook on this event, if it differs from the system's.
    pub(crate) timeout: Option<Duration>,
}

const fn event(named: &'static str, ours: &'static str) -> Event {
    Event {
        named,
        ours,
        when: When::Always,
        subject: Subject::None,
        refusal: Refusal::Blocks,
        stops: true,
        text: false,
        timeout: None,
    }
}

impl Event {
    const fn of(self, subject: Subject) -> Self {
        Event { subject, ..self }
    }

    const fn when(self, when: When) -> Self {
        Event { when, ..self }
    }

    const fn refusal(self, refusal: Refusal) -> Self {
        Event { refusal, ..self }
    }

    const fn with_text(self) -> Self {
        Event { text: true, ..self }
    }

    const fn never_stops(self) -> Self {
        Event {
            stops: false,
            ..self
        }
    }

    const fn within(self, timeout: Duration) -> Self {
        Event {
            timeout: Some(timeout),
            ..self
        }
    }

    /// Returns which events of its kind it covers, if not all.
    pub(crate) fn whens(&self) -> Vec<(&'static str, When)> {
        match self.when {
            When::Always => Vec::new(),
            when => vec![(self.ours, when)],
        }
    }

    /// Returns our event.
    pub(crate) fn info(&self) -> Option<&'static EventInfo> {
        EventInfo::named(self.ours)
    }
}

/// When two definitions of a file count as the same, so that only one of them runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twins {
    /// Never.
    No,
    /// If they run the same thing in the same way.
    Whole,
    /// If they have the same name and the same command.
    NameAndCommand,
}

/// The meaning of exit codes, and the place of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exits {
    /// 2 blocks. A JSON answer counts with any other code.
    Claude,
    /// 2 blocks, if standard error is not empty. JSON counts with 0.
    Codex,
    /// All codes but 0 and 1 block. JSON counts with any code, also on standard error.
    Gemini,
    /// 2 blocks, and so does a JSON answer with any code. Only 0 lets the event continue.
    Goose,
    /// 2 blocks. JSON counts with 0.
    Goclaw,
    /// All codes but 0 block. There is no JSON.
    Flat,
}

/// The names of the keys.
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
    /// `SessionID`, `ToolName`, and their values again as `sessionId`, `toolName`.
    Goclaw,
}

/// One system.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "systems differ in many small things"
)]
pub(crate) struct Rules {
    pub(crate) events: &'static [Event],
    /// Its events that are never raised here.
    pub(crate) never: &'static [&'static str],
    pub(crate) words: Words,
    pub(crate) exits: Exits,
    /// The unit of `timeout = 1`.
    pub(crate) unit: Duration,
    /// Whether a timeout is so large or so small that it probably has another unit.
    pub(crate) odd_timeouts: fn(f64) -> bool,
    /// The default timeout of a command.
    pub(crate) timeout: Duration,
    /// The default timeout of a prompt.
    pub(crate) prompt_timeout: Duration,
    /// The types of handlers that run here. Others become notices.
    pub(crate) kinds: &'static [&'static str],
    /// The characters of a matcher that is a name, or a list of names.
    pub(crate) of_names: fn(char) -> bool,
    /// Whether an invalid regular expression is taken literally.
    pub(crate) is_lenient: bool,
    pub(crate) order: Order,
    pub(crate) twins: Twins,
    /// The key with which a hook sets what happens when it fails.
    pub(crate) on_failure: Option<&'static str>,
    /// What happens when it fails, by default.
    pub(crate) fault: OnFault,
    /// Whether an answer with unknown keys is invalid.
    pub(crate) is_strict: bool,
    /// Whether an answer must name its event.
    pub(crate) names_event: bool,
    /// Whether a tool's new input is merged key by key, instead of replaced.
    pub(crate) merges_input: bool,
    /// The files that the system finds by itself, relative to the user's folder or the project's.
    pub(crate) files: &'static [(Whose, &'static str)],
}

/// The owner of a file that a system finds by itself. Later ones have precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    User,
    Project,
    Managed,
}

const SECOND: Duration = Duration::from_secs(1);

fn word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn list_of_words(c: char) -> bool {
    word(c) || c == '|'
}

fn list_of_names(c: char) -> bool {
    word(c) || matches!(c, '-' | ' ' | ',' | '|')
}

fn nothing(_: char) -> bool {
    false
}

const OF_PROMPT: Duration = Duration::from_secs(30);
const LAST: Duration = Duration::from_millis(1500);

const CLAUDE: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PermissionRequest", "ApproveToolCall").of(Subject::Tool),
        event("PermissionDenied", "ToolCallSkipped").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("UserPromptSubmit", "MessageReceived")
            .with_text()
            .within(OF_PROMPT),
        event("Stop", "BeforeStop").when(When::Top),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind),
        event("StopFailure", "AgentError").refusal(Refusal::Shows),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops()
            .within(LAST),
        event("PreCompact", "BeforeCompact")
            .of(Subject::Reason)
            .never_stops(),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .never_stops(),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .never_stops(),
        event("MessageDisplay", "MessageSending")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(10)),
    ],
    never: &[
        "PostToolBatch",
        "UserPromptExpansion",
        "Setup",
        "InstructionsLoaded",
        "ConfigChange",
        "CwdChanged",
        "DirectoryAdded",
        "FileChanged",
        "WorktreeCreate",
        "WorktreeRemove",
        "TaskCreated",
        "TaskCompleted",
        "TeammateIdle",
        "PreModelSwitch",
        "PostModelSwitch",
        "Elicitation",
        "ElicitationResult",
    ],
    words: Words::Claude,
    exits: Exits::Claude,
    unit: SECOND,
    odd_timeouts: |timeout| timeout >= 1000.0,
    timeout: Duration::from_mins(10),
    prompt_timeout: OF_PROMPT,
    kinds: &["command", "http", "prompt"],
    of_names: list_of_names,
    is_lenient: false,
    order: Order::AtOnce,
    twins: Twins::Whole,
    on_failure: Some("onFailure"),
    fault: OnFault::Skip,
    is_strict: false,
    names_event: true,
    merges_input: false,
    files: &[
        (Whose::User, ".claude/settings.json"),
        (Whose::Project, ".claude/settings.json"),
        (Whose::Project, ".claude/settings.local.json"),
        (Whose::Managed, "managed-settings.json"),
        (Whose::Managed, "managed-settings.d"),
    ],
};

const CODEX: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PermissionRequest", "ApproveToolCall").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Tells),
        event("UserPromptSubmit", "MessageReceived").with_text(),
        event("Stop", "BeforeStop").when(When::Top),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text(),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)),
        event("Interrupt", "Interrupt")
            .refusal(Refusal::Shows)
            .within(Duration::from_secs(3)),
        event("PreCompact", "BeforeCompact").of(Subject::Reason),
        event("PostCompact", "AfterCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
    ],
    never: &["PreModelRequest", "PostModelRequest"],
    words: Words::Codex,
    exits: Exits::Codex,
    kinds: &["command"],
    of_names: list_of_words,
    twins: Twins::No,
    on_failure: None,
    is_strict: true,
    files: &[
        (Whose::User, ".codex/hooks.json"),
        (Whose::Project, ".codex/hooks.json"),
    ],
    ..CLAUDE
};

const GEMINI: Rules = Rules {
    events: &[
        event("BeforeTool", "BeforeToolCall").of(Subject::Tool),
        event("AfterTool", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Replaces),
        event("BeforeAgent", "MessageReceived"),
        event("AfterAgent", "BeforeStop"),
        event("BeforeModel", "BeforeLlmCall"),
        event("AfterModel", "AfterLlmCall"),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("PreCompress", "BeforeCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows),
    ],
    never: &["BeforeToolSelection"],
    words: Words::Gemini,
    exits: Exits::Gemini,
    unit: Duration::from_millis(1),
    odd_timeouts: |timeout| timeout < 1000.0,
    timeout: Duration::from_mins(1),
    kinds: &["command"],
    of_names: nothing,
    is_lenient: true,
    twins: Twins::NameAndCommand,
    on_failure: None,
    names_event: false,
    merges_input: true,
    files: &[
        (Whose::User, ".gemini/settings.json"),
        (Whose::Project, ".gemini/settings.json"),
    ],
    ..CLAUDE
};

const GOOSE: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows),
        event("BeforeReadFile", "BeforeToolCall")
            .when(When::Tool(Class::Read))
            .of(Subject::Path),
        event("BeforeShellExecution", "BeforeToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command),
        event("AfterShellExecution", "AfterToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command)
            .refusal(Refusal::Shows),
        event("AfterFileEdit", "AfterToolCall")
            .when(When::Tool(Class::Edit))
            .of(Subject::Path)
            .refusal(Refusal::Shows),
        event("UserPromptSubmit", "MessageReceived"),
        event("Stop", "BeforeStop"),
        event("SessionStart", "SessionStart").refusal(Refusal::Shows),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows),
    ],
    never: &["PreToolUseResult"],
    words: Words::Goose,
    exits: Exits::Goose,
    timeout: Duration::from_secs(30),
    kinds: &["command"],
    of_names: nothing,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: Some("on_failure"),
    names_event: false,
    files: &[],
    ..CLAUDE
};

const GOCLAW: Rules = Rules {
    events: &[
        event("session_start", "SessionStart")
            .of(Subject::Empty)
            .refusal(Refusal::Shows),
        event("user_prompt_submit", "MessageReceived").of(Subject::Empty),
        event("pre_tool_use", "BeforeToolCall").of(Subject::Tool),
        event("post_tool_use", "ToolCallEnd").of(Subject::Tool),
        event("stop", "AgentEnd").of(Subject::Empty),
        event("subagent_start", "SubagentStart").of(Subject::Empty),
        event("subagent_stop", "SubagentStop").of(Subject::Empty),
        // The successor of the quality gates: see `load::goclaw`.
        event("delegation.completed", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Empty),
    ],
    never: &[],
    words: Words::Goclaw,
    exits: Exits::Goclaw,
    unit: Duration::from_millis(1),
    odd_timeouts: |_| false,
    timeout: Duration::from_secs(5),
    prompt_timeout: Duration::from_secs(5),
    kinds: &["command", "http", "prompt"],
    of_names: nothing,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    ..CLAUDE
};

const FLAT: Rules = Rules {
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PreToolCall", "BeforeToolCall").of(Subject::Tool),
        event("PostToolUse", "ToolCallEnd").of(Subject::Tool),
        event("PostToolCall", "ToolCallEnd").of(Subject::Tool),
    ],
    never: &["AgentStart", "AgentEnd"],
    exits: Exits::Flat,
    kinds: &["command"],
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    files: &[],
    ..CLAUDE
};

/// Our own: Claude Code's keys for all of our events.
const HOOKS: Rules = Rules {
    events: &[],
    never: &[],
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    ..CLAUDE
};

impl Dialect {
    /// Returns the rules of the dialect.
    pub(crate) fn rules(self) -> &'static Rules {
        const { &[HOOKS, CLAUDE, CODEX, GEMINI, GOOSE, GOCLAW, FLAT] }
            .get(match self {
                Dialect::Hooks | Dialect::Picoclaw => 0,
                Dialect::Claude => 1,
                Dialect::Codex => 2,
                Dialect::Gemini => 3,
                Dialect::Goose => 4,
                Dialect::Goclaw => 5,
                Dialect::Flat => 6,
            })
            .unwrap_or(&HOOKS)
    }
}

impl Rules {
    /// Returns the event with this name of the system.
    pub(crate) fn named(&self, name: &str) -> Option<&'static Event>
    where
        Self: 'static,
    {
        self.events.iter().find(|event| event.named == name)
    }

    /// Returns the system's event for one of ours: by the name in the definition, or by what has happened.
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

    #[test]
    fn every_event_is_one_of_ours() {
        for dialect in Dialect::ALL {
            for event in dialect.rules().events {
                assert!(event.info().is_some(), "{dialect}: {}", event.named);
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
    fn all_events_of_claude_code_are_known() {
        let rules = Dialect::Claude.rules();
        assert_eq!(rules.events.len() + rules.never.len(), 33);
    }
}
