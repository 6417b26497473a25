//! An agent as a table, as `hooks-runtime/agents/NAME.toml` has it, and as `[[agents]]` names one.
//!
//! A table is read both ways: an agent calls us, and we ask the agent's own hooks. So a row says what an event and a
//! decision look like there, and four interpreters use it: [`read`](super::read) and [`tell`](super::tell) for an agent
//! that calls, [`write`](super::write) and [`hear`](super::hear) for its hooks. What a path cannot say is one of the
//! [shapes](super::shapes).

use std::fmt;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::time::Duration;

use hooks_builtin::Profile;
use hooks_config::{ConfigError, Document, Mistake, Segment};
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::tools::{self, Aliases, Class};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::init::Init;
use super::shapes::Shape;
use super::{like, names};
use crate::entry::OnFault;
use crate::events::EventInfo;

/// The key of [`AgentContext::extra`] that is `false` if an agent has an event of its own for a request for permission,
/// and this is not one.
pub(crate) const REQUESTED: &str = "permission_requested";

/// A map in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Pairs<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Pairs(Vec::new())
    }
}

impl<T> Pairs<T> {
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        let mut pairs = self.0.iter();
        pairs
            .find(|(known, _)| known == key)
            .map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Of<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Of<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Of(PhantomData))
    }
}

/// A condition on one of our events, if a system's event is only some of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventCondition {
    #[default]
    Always,
    /// The tool has succeeded.
    Succeeded,
    /// The tool has failed.
    Failed,
    /// No other agent has started the agent.
    Top,
    /// The agent is a subagent.
    Nested,
    /// The tool runs commands.
    Shell,
    /// The tool reads files.
    Read,
    /// The tool changes files.
    Edit,
    /// The tool is one of an MCP server.
    Mcp,
    /// The user is about to be asked.
    Asked,
}

impl EventCondition {
    /// Whether an event fulfils the condition.
    pub(crate) fn holds(self, cx: &AgentContext, event: &AgentEvent<'_>) -> bool {
        let subject = || crate::events::subject(event);
        let is_of = |class| subject().is_some_and(|tool| tools::class_of(tool) == Some(class));
        match self {
            EventCondition::Always => true,
            EventCondition::Succeeded | EventCondition::Failed => {
                let is_error = match event {
                    AgentEvent::AfterToolCall(done) => done.output.is_error,
                    AgentEvent::ToolCallEnd(done) => done.output.is_error,
                    _ => false,
                };
                is_error == (self == EventCondition::Failed)
            }
            EventCondition::Top => cx.depth == 0,
            EventCondition::Nested => cx.depth > 0,
            EventCondition::Asked => cx.extra.get(REQUESTED) != Some(&Value::Bool(false)),
            EventCondition::Shell => is_of(Class::Shell),
            EventCondition::Read => is_of(Class::Read),
            EventCondition::Edit => is_of(Class::Edit),
            EventCondition::Mcp => {
                subject().is_some_and(|tool| tool.to_lowercase().starts_with("mcp"))
            }
        }
    }

    /// The condition in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            EventCondition::Always => "every event of its kind",
            EventCondition::Succeeded => "tools that have succeeded",
            EventCondition::Failed => "tools that have failed",
            EventCondition::Top => "agents that no other agent has started",
            EventCondition::Nested => "subagents",
            EventCondition::Shell => "tools that run commands",
            EventCondition::Read => "tools that read files",
            EventCondition::Edit => "tools that change files",
            EventCondition::Mcp => "tools of MCP servers",
            EventCondition::Asked => "calls for which the user is about to be asked",
        }
    }
}

/// What a matcher is compared with.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(
    rename_all = "snake_case",
    expecting = "write `none`, `tool`, `command`, `path`, `reason`, `kind`, `empty`, or a list of words"
)]
pub(crate) enum EventSubject {
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
    /// These words, whatever the event is.
    #[serde(untagged)]
    Words(Vec<String>),
}

/// The effect of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// What plain text on standard output means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutputMeaning {
    /// Nothing.
    #[default]
    Ignored,
    /// It is for the model.
    Context,
    /// It is for the user.
    Message,
    /// The hook has failed.
    Fail,
}

/// What an exit code means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Means {
    /// Success: the output is the answer.
    Answer,
    /// The output is the answer if it is JSON; otherwise the hook has failed.
    Json,
    /// The event is refused.
    Refuse,
    /// The hook has failed, unless its answer refuses.
    No,
    /// Success, whatever the output is.
    Quiet,
    /// The hook has failed.
    #[default]
    Fail,
}

/// What exit codes mean in most systems.
const USUAL_EXIT: [(&str, Means); 3] = [
    ("0", Means::Answer),
    ("2", Means::Refuse),
    ("other", Means::No),
];

/// When a hook has to say something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Must {
    #[default]
    Never,
    /// If it prints something, this decides.
    IfPrinted,
    Always,
}

/// What hooks say about an event, in the order in which it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    /// The turn ends.
    Stop,
    /// The event is blocked.
    Deny,
    /// The user decides.
    Ask,
    /// The decision is made later, elsewhere.
    Defer,
    /// The event is approved, and the user is not asked.
    Allow,
    /// The tool gets other arguments.
    Input,
    /// The model reads another output of the tool.
    Output,
    /// A message has another text.
    Text,
    /// The model gets another request.
    Request,
    /// A hook answers in the model's place.
    Response,
    /// The model reads more.
    Context,
    /// Nothing.
    Quiet,
}

impl What {
    /// The word of a row, such as `deny-tool`: the part after a hyphen tells it from others.
    fn of(row: &str) -> Option<Self> {
        let word = row.split('-').next()?;
        serde_json::from_value(word.into()).ok()
    }

    /// What a hook wanted, for people.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            What::Stop => "to end the turn",
            What::Deny => "to block it",
            What::Ask => "to ask the user",
            What::Defer => "to leave the decision to a person",
            What::Allow => "to approve it",
            What::Input => "to change the arguments",
            What::Output => "to change the output",
            What::Text => "to change the text",
            What::Request => "to change the request",
            What::Response => "to answer in the model's place",
            What::Context => "to add context",
            What::Quiet => "nothing",
        }
    }

    /// Whether it changes what happens, so that a denial leaves nothing of it.
    pub(crate) fn is_change(self) -> bool {
        matches!(
            self,
            What::Input | What::Output | What::Text | What::Request | What::Response
        )
    }
}

/// One of our fields under a key: `PATH[!] [as SHAPE] [in] [if nested] [or DEFAULT]`, or a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct PayloadField {
    /// Where it is in our event, or in the context after `cx.`; empty for a constant.
    pub(crate) path: String,
    pub(crate) shape: Option<Shape>,
    /// What is written if there is nothing; a text that begins with `$` is a path.
    pub(crate) or: Option<Value>,
    /// Whether the event cannot be judged without it.
    pub(crate) is_required: bool,
    /// Whether it is only read.
    pub(crate) only_in: bool,
    /// Whether it is written only for subagents.
    pub(crate) if_nested: bool,
}

impl PayloadField {
    /// Whether the key does not stand in this event, although it does in others.
    fn is_gone(&self) -> bool {
        self.path.is_empty() && self.or.is_none()
    }

    /// Whether it says where an event happened, and not what.
    pub(crate) fn is_of_context(&self) -> bool {
        matches!(self.path.as_str(), "" | "event" | "now" | "now_ms" | "turn")
            || self.path.starts_with("cx.")
    }

    /// Whether the path leads to a part of an event with these fields, or is the same in every event.
    fn is_in<'f>(&self, mut fields: impl Iterator<Item = &'f &'static str>) -> bool {
        let first = self.path.split('.').next().unwrap_or_default();
        self.is_of_context() || fields.any(|field| *field == first)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut field = PayloadField::default();
        let (text, or) = match text.strip_prefix("or ") {
            Some(or) => ("", Some(or)),
            None => text
                .split_once(" or ")
                .map_or((text, None), |(text, or)| (text, Some(or))),
        };
        field.or = or.map(|or| serde_json::from_str(or).unwrap_or_else(|_| or.into()));
        let mut words = text.split_whitespace();
        let path = words.next().unwrap_or_default();
        field.is_required = path.ends_with('!');
        path.trim_end_matches('!').clone_into(&mut field.path);
        while let Some(word) = words.next() {
            match word {
                "in" => field.only_in = true,
                "if" if words.next() == Some("nested") => field.if_nested = true,
                "as" => {
                    let shape = words.next().unwrap_or_default();
                    field.is_required |= shape.ends_with('!');
                    let shape = shape.trim_end_matches('!');
                    let known = serde_json::from_value(shape.into());
                    field.shape = Some(known.map_err(|_| format!("`{shape}` is not a shape"))?);
                }
                other => {
                    return Err(format!(
                        "`{other}` means nothing here: write `PATH [as SHAPE] [in] [or DEFAULT]`"
                    ));
                }
            }
        }
        Ok(field)
    }
}

/// What is under a key: one thing of ours, or several.
#[derive(Clone, Debug, Default)]
struct Fields(Vec<PayloadField>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let fields = match Value::deserialize(deserializer)? {
            Value::String(text) => vec![PayloadField::parse(&text)],
            Value::Array(texts) if !texts.is_empty() => {
                let texts = texts.iter().map(|text| text.as_str().unwrap_or_default());
                texts.map(PayloadField::parse).collect()
            }
            constant => vec![Ok(PayloadField {
                or: Some(constant),
                ..PayloadField::default()
            })],
        };
        let fields: Result<_, _> = fields.into_iter().collect();
        fields.map(Fields).map_err(de::Error::custom)
    }
}

/// What is at a place of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Put {
    /// This word.
    Is(String),
    Bool(bool),
    /// The name of the event.
    Event,
    /// The reason.
    Reason,
    /// The text of what is said.
    Text,
    /// What is said, as it is.
    Value,
    /// The output, in the shape of the tool's own answer.
    Shaped,
    /// A request to a model, in Gemini CLI's form.
    GeminiRequest,
    /// A model's answer, in Gemini CLI's form.
    GeminiAnswer,
}

/// How many keys a path may have.
const DEEPEST: usize = 32;

/// How many events a table of a user may have.
const MOST_EVENTS: usize = 500;

/// The longest time in a table, in seconds.
const LONGEST: f64 = 1e7;

/// How one decision is said: its places, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecisionForm {
    pub(crate) places: Vec<(String, Put)>,
    /// Whether the exit code is 2, and the reason is on standard error.
    pub(crate) exits: bool,
    /// Whether it is possible only for tools of MCP servers.
    pub(crate) only_mcp: bool,
}

impl DecisionForm {
    fn add(&mut self, path: &str, value: &Value) -> Result<(), String> {
        if path.matches('.').count() > DEEPEST {
            return Err(format!("a path has more than {DEEPEST} keys"));
        }
        let inner = |key: &str| match path {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        };
        let put = match value {
            Value::Object(keys) => {
                return keys
                    .iter()
                    .try_for_each(|(key, value)| self.add(&inner(key), value));
            }
            Value::Array(values) => {
                let mut values = values.iter().enumerate();
                return values
                    .try_for_each(|(nth, value)| self.add(&inner(&nth.to_string()), value));
            }
            Value::Bool(is) => Put::Bool(*is),
            Value::String(word) => match word.as_str() {
                "$event" => Put::Event,
                "$reason" => Put::Reason,
                "$text" => Put::Text,
                "$value" => Put::Value,
                "$shaped" => Put::Shaped,
                "$gemini_request" => Put::GeminiRequest,
                "$gemini_answer" => Put::GeminiAnswer,
                // A word would stand alone, and not in an answer.
                _ if path.is_empty() => return Err("write the keys of an answer".to_owned()),
                "mcp" if path == "$only" => {
                    self.only_mcp = true;
                    return Ok(());
                }
                other if other.starts_with('$') => return Err(format!("`{other}` is not known")),
                word => Put::Is(word.to_owned()),
            },
            Value::Number(code) if path == "$exit" && code.as_u64() == Some(2) => {
                self.exits = true;
                return Ok(());
            }
            other => return Err(format!("`{path}` cannot be {other}")),
        };
        // Plain text on standard output.
        if path.is_empty() || path.starts_with('$') && path != "$stdout" {
            return Err(format!(
                "`{path}` cannot be {value}: the keys with `$` are `$exit = 2` and `$only = \"mcp\"`"
            ));
        }
        self.places.push((path.to_owned(), put));
        Ok(())
    }

    /// The word that makes it this decision; none if its data does.
    pub(crate) fn word(&self) -> Option<&(String, Put)> {
        let mut places = self.places.iter();
        let word = places.find(|(_, put)| matches!(put, Put::Is(_) | Put::Bool(_)));
        word.filter(|_| self.data().is_none())
    }

    /// The place of its data.
    pub(crate) fn data(&self) -> Option<&Put> {
        let mut puts = self.places.iter().map(|(_, put)| put);
        puts.find(|put| !matches!(put, Put::Is(_) | Put::Bool(_) | Put::Event | Put::Reason))
    }
}

impl<'de> Deserialize<'de> for DecisionForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut says = DecisionForm::default();
        let value = Value::deserialize(deserializer)?;
        says.add("", &value).map_err(de::Error::custom)?;
        if says.places.is_empty() && !says.exits {
            return Err(de::Error::custom("the row says nothing"));
        }
        Ok(says)
    }
}

/// How the definitions of a unit run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UnitOrder {
    /// All at once, each to its end. Then the strictest answer applies.
    #[default]
    AtOnce,
    /// One after the other, until one stops the event. Each sees the event as the ones before left it.
    InTurn,
}

/// When two definitions of a file count as equal, so that only one of them runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Twins {
    /// Never.
    #[default]
    No,
    /// If their handlers have the same type and run the same.
    Whole,
    /// If they have the same name and the same command.
    NameAndCommand,
}

/// Where the events stand in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Root {
    /// Under the key `hooks`.
    #[default]
    Hooks,
    /// Under the key `hooks`, or at the top.
    Top,
    /// In sets, each with a name: `{"name": {"enabled": true, "PreToolUse": […]}}`.
    Sets,
}

/// When a matcher is a name or a list of names, and what it is otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Matcher {
    /// A text of names, blanks, hyphens, `|` and `,` is a list; another is a regular expression.
    List,
    /// A text of names and `|`.
    #[default]
    Words,
    /// A text of one name.
    Word,
    /// It is always a regular expression.
    Regex,
    /// A regular expression that has to match the whole subject.
    Whole,
    /// A regular expression; a wrong one is taken literally.
    Lenient,
}

impl Matcher {
    /// Whether a text of this character may be a list of names.
    pub(crate) fn is_of_names(self, c: char) -> bool {
        let is_word = c.is_ascii_alphanumeric() || c == '_';
        match self {
            Matcher::List => is_word || matches!(c, '|' | ',' | ' ' | '-'),
            Matcher::Words => is_word || c == '|',
            Matcher::Word => is_word,
            Matcher::Regex | Matcher::Whole | Matcher::Lenient => false,
        }
    }
}

/// The unit of a timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub(crate) enum TimeUnit {
    #[default]
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "ms")]
    Millis,
    /// Small numbers are seconds: files from before count in milliseconds.
    #[serde(rename = "s or ms")]
    Either,
}

/// The timeouts in a file.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TimeoutKeys {
    pub(crate) keys: Vec<String>,
    pub(crate) unit: TimeUnit,
    /// How long a command may take, in seconds.
    pub(crate) default: f64,
    /// How long a model may take, in seconds.
    pub(crate) prompt: f64,
}

impl Default for TimeoutKeys {
    fn default() -> Self {
        TimeoutKeys {
            keys: vec!["timeout".into()],
            unit: TimeUnit::Seconds,
            default: 60.0,
            prompt: 30.0,
        }
    }
}

impl TimeoutKeys {
    /// The unit of a number.
    pub(crate) fn unit(&self, number: f64) -> Duration {
        match self.unit {
            TimeUnit::Millis => Duration::from_millis(1),
            TimeUnit::Either if number >= 1000.0 => Duration::from_millis(1),
            TimeUnit::Seconds | TimeUnit::Either => Duration::from_secs(1),
        }
    }

    /// Whether a number of seconds is taken for one of milliseconds.
    pub(crate) fn is_odd_as_seconds(&self, seconds: u64) -> bool {
        self.unit == TimeUnit::Either && seconds >= 1000
    }

    /// Whether a number is probably in another unit.
    pub(crate) fn is_odd(&self, number: f64) -> bool {
        match self.unit {
            TimeUnit::Seconds => number >= 1000.0,
            TimeUnit::Millis => number < 1000.0,
            TimeUnit::Either => false,
        }
    }
}

/// The owner of a file that a system finds by itself. Later ones take precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileOwner {
    User,
    Project,
    Managed,
}

/// Where an agent finds its hooks, and what such a file looks like.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "agents differ in many small things"
)]
pub(crate) struct SettingsPaths {
    user: Vec<String>,
    project: Vec<String>,
    managed: Vec<String>,
    pub(crate) root: Root,
    /// Whether a hook may stand in the list of an event, without a group.
    pub(crate) flat: bool,
    /// The types of handlers that are run. Others are notices.
    pub(crate) kinds: Vec<String>,
    /// The keys of a hook's command beside `command`, before it: the first one that is there counts.
    commands: Vec<String>,
    /// Whether the arguments of a command stand in `args`, so that it runs without a shell.
    pub(crate) args: bool,
    /// Whether a command of these characters is the path of a program, from the folder of its file, and runs without a
    /// shell.
    program: Option<String>,
    /// Whether commands run in the folder of their file.
    pub(crate) runs_at_file: bool,
    /// The keys of a command for Windows only.
    pub(crate) windows: Vec<String>,
    pub(crate) timeout: TimeoutKeys,
    pub(crate) matcher: Matcher,
    /// Whether a regular expression may begin with `^(?!…)`, as those of JavaScript.
    pub(crate) look_ahead: bool,
    /// Whether a file may have comments.
    pub(crate) comments: bool,
    /// Whether hooks of the user run in the folder of their file.
    pub(crate) user_runs_at_file: bool,
    /// The names of its tools, if they are not in the table of names.
    pub(crate) profile: Option<Profile>,
    /// Tools with several names there: Claude Code's name, and the one that hooks read.
    pub(crate) renamed: Pairs<String>,
    /// Whether a matcher may also use Claude Code's names of tools.
    pub(crate) claudes_tools: bool,
    /// The keys of a group that have no effect here.
    pub(crate) ignored: Vec<String>,
    pub(crate) order: UnitOrder,
    pub(crate) twins: Twins,
    /// The key by which a hook says what happens when it fails.
    pub(crate) closed: Option<String>,
    /// What happens when a hook without this key fails.
    fault: Option<OnFault>,
    /// Whether what the agent would reject is a mistake.
    pub(crate) strict: bool,
}

impl SettingsPaths {
    /// The keys of a hook's command.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().map(String::as_str).chain(["command"])
    }

    /// Whether a command is the path of a program.
    pub(crate) fn is_program(&self, command: &str) -> bool {
        let others = self.program.as_deref();
        others.is_some_and(|others| {
            command
                .chars()
                .all(|c| c.is_alphanumeric() || others.contains(c))
        })
    }

    /// What happens when a hook fails that does not say it.
    pub(crate) fn fault(&self) -> OnFault {
        self.fault.unwrap_or(OnFault::Skip)
    }

    /// The files that the agent finds by itself: below the user's folder and below the project's.
    pub(crate) fn found(&self) -> impl Iterator<Item = (FileOwner, &str)> {
        let all = [
            (FileOwner::User, &self.user),
            (FileOwner::Project, &self.project),
            (FileOwner::Managed, &self.managed),
        ];
        all.into_iter()
            .flat_map(|(whose, names)| names.iter().map(move |name| (whose, name.as_str())))
    }
}

/// The places of an agent's own permission rules, in the settings that it finds by itself.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Permissions {
    pub(crate) deny: String,
    pub(crate) ask: String,
    pub(crate) allow: String,
}

/// How an agent calls a program as its hook.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProgramStart {
    /// The keys that name the event. If there are none, the command line names it.
    pub(crate) event: Vec<String>,
    /// The variables that name the project's folder.
    pub(crate) project: Vec<String>,
    /// The key of a message for the user. Without one it is printed on standard error.
    pub(crate) message: Option<String>,
    /// Why commands run as they are written, without a sandbox; none if the agent takes another command than it asks about.
    pub(crate) as_written: Option<String>,
    /// Whether an answer without anything is `{}`.
    pub(crate) always: bool,
    /// Whether the new input of a tool is set key by key, and not as a whole.
    pub(crate) merges: bool,
    /// The answer if an event cannot be judged, beside the exit code 2 and standard error.
    pub(crate) refusal: Option<DecisionForm>,
    /// What an input of this agent has, each of these alone: a key, or a variable of the environment, and what it is.
    pub(crate) is: Vec<Pairs<String>>,
    /// What an event has that is raised a second time, so that no hook runs on it.
    pub(crate) skip: Pairs<Pairs<String>>,
}

/// What the output of the agent's own hooks means.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "agents differ in many small things"
)]
pub(crate) struct Hooks {
    /// What each exit code means; `other` for all others.
    pub(crate) exit: Pairs<Means>,
    /// Whether standard error counts where standard output is empty.
    pub(crate) stderr: bool,
    /// Whether JSON in a string is JSON.
    pub(crate) twice: bool,
    pub(crate) text: OutputMeaning,
    /// The keys that an answer may have beside its decisions. Another makes it invalid.
    pub(crate) strict: Option<Vec<String>>,
    /// Whether output that is not an answer is a failure where a hook must fail closed.
    pub(crate) noise: bool,
    /// Where an answer names its event. About another event, it can only refuse.
    pub(crate) names_event: Option<String>,
    /// Whether an answer has to name its event.
    pub(crate) event_required: bool,
    /// What is understood on every event.
    hears: Vec<String>,
    must: Must,
    /// Whether a word that the table does not have is a failure.
    pub(crate) exact: bool,
}

/// An event, as the file has it.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct EventRow {
    is: String,
    when: EventCondition,
    matches: EventSubject,
    with: Vec<String>,
    fields: Pairs<Fields>,
    given: Pairs<String>,
    says: Option<Vec<String>>,
    tells: Vec<String>,
    hears: Vec<String>,
    rejects: Vec<String>,
    refusal: Refusal,
    text: Option<OutputMeaning>,
    stops: Option<bool>,
    timeout: Option<f64>,
    seldom: bool,
    closed: bool,
    late: Option<OnFault>,
    must: Option<Must>,
    exit: Pairs<Means>,
    init: Value,
}

/// A table, as the file has it.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    name: String,
    title: String,
    like: Option<String>,
    own: bool,
    files: SettingsPaths,
    init: Option<Init>,
    call: Option<ProgramStart>,
    permissions: Option<Permissions>,
    hooks: Hooks,
    fields: Pairs<Fields>,
    sets: Pairs<Pairs<Fields>>,
    says: Pairs<DecisionForm>,
    event: Pairs<EventRow>,
    other: EventRow,
    none: Vec<String>,
    tools: Pairs<Vec<String>>,
}

/// How an agent's settings name the event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventListing {
    #[default]
    Always,
    /// Always, and so that the event is blocked if our program cannot be run.
    Closed,
    /// If the file has hooks for it: most have none.
    IfNeeded,
}

/// A system's event, and our event for it. It goes both ways: hooks of the system's files run on our event, and our
/// hooks run when the system calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct SystemEvent {
    pub(crate) named: String,
    pub(crate) ours: &'static str,
    pub(crate) when: EventCondition,
    pub(crate) subject: EventSubject,
    pub(crate) refusal: Refusal,
    pub(crate) text: OutputMeaning,
    /// Whether `continue: false` ends the turn there.
    pub(crate) stops: bool,
    /// How long a hook on this event may take, if this differs from other events.
    pub(crate) timeout: Option<Duration>,
    /// If a hook that fails blocks the event: what happens when it takes too long.
    pub(crate) closed: Option<OnFault>,
    /// Whether the system calls with it. It does not if it calls with another event as well.
    pub(crate) calls: bool,
    /// What the system can be told when it calls.
    pub(crate) tells: Vec<(What, DecisionForm)>,
    /// What its hooks can say.
    pub(crate) hears: Vec<(What, DecisionForm)>,
    /// What makes an answer invalid.
    pub(crate) rejects: Vec<String>,
    pub(crate) must: Must,
    pub(crate) listing: EventListing,
    /// What is added to its entry in the agent's settings.
    pub(crate) init: Value,
    /// What an exit code means here, before the common meaning.
    pub(crate) exit: Pairs<Means>,
    /// What is read: a key may say several things.
    pub(crate) reads: Vec<(String, PayloadField)>,
    /// What is written, once for each key.
    pub(crate) writes: Vec<(String, PayloadField)>,
    /// What is so by the name of the event alone.
    pub(crate) given: Vec<(String, String)>,
}

impl SystemEvent {
    /// The condition on our event, if there is one.
    pub(crate) fn whens(&self) -> Vec<(&'static str, EventCondition)> {
        match self.when {
            EventCondition::Always => Vec::new(),
            when => vec![(self.ours, when)],
        }
    }

    /// Our event.
    pub(crate) fn info(&self) -> Option<&'static EventInfo> {
        EventInfo::named(self.ours)
    }

    /// How a decision reaches the system.
    pub(crate) fn tells(&self, what: What) -> impl Iterator<Item = &DecisionForm> {
        let rows = self.tells.iter().filter(move |(known, _)| *known == what);
        rows.map(|(_, says)| says)
    }
}

/// One system: an agent, or our own format.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The name in files and on the command line.
    pub(crate) name: String,
    /// The name for people.
    pub(crate) title: String,
    /// Its events are ours; its rows only say how they are written and heard.
    pub(crate) is_own: bool,
    pub(crate) files: SettingsPaths,
    /// What its settings get, so that it calls `hooks run`.
    pub(crate) init: Option<Init>,
    /// How it calls a program, if it does.
    pub(crate) call: Option<ProgramStart>,
    /// Where its own permission rules are in its settings, if it applies them to what a hook has made of a command.
    pub(crate) permissions: Option<Permissions>,
    pub(crate) hooks: Hooks,
    rows: Vec<SystemEvent>,
    /// How an event is written and heard that the system does not have.
    pub(crate) other: SystemEvent,
    /// Its events in files that are none of ours.
    pub(crate) never: Vec<String>,
    /// Tools with several names there: older ones, and those that are shown.
    pub(crate) tools: Pairs<Vec<String>>,
    /// The names for well-known tools, made at the first use.
    pub(crate) aliases: OnceLock<Aliases>,
    /// Every place of every decision, for answers that may have no others.
    places: Vec<String>,
}

impl System {
    /// Reads a table that is compiled with this crate.
    ///
    /// # Panics
    ///
    /// If the table is wrong; a test reads them all.
    pub(super) fn compiled(json: &str) -> Self {
        let system = serde_json::from_str::<Table>(json).map_err(|error| error.to_string());
        system
            .and_then(|table| {
                System::new(table).map_err(|wrong| format!("{:?}: {}", wrong.path, wrong.message))
            })
            .unwrap_or_else(|why| panic!("{why}"))
    }

    /// Reads a table of the user's.
    ///
    /// # Errors
    ///
    /// If it is wrong. The error has every key that is unknown or has another type, or the first that means nothing.
    pub(super) fn of_user(document: &Document) -> Result<(Value, Self), ConfigError> {
        let mut own = document.value().clone();
        document.read::<Table>(&own, &[])?;
        let wrong = |path: &[Segment], message: String| document.mistake(path, message, None);
        if let Some(other) = like::of(&own) {
            let json = super::compiled(other).ok_or_else(|| {
                wrong(
                    &["like".into()],
                    format!("there is no table `{other}`: `hooks agents list` names them"),
                )
            })?;
            let other = serde_json::from_str(json).unwrap_or_default();
            // What calls as another does calls.
            if own.get("call").is_none() {
                own["call"] = Map::new().into();
            }
            like::lay(&mut own, other);
        }
        let mut table: Table =
            serde_json::from_value(own.clone()).map_err(|error| wrong(&[], error.to_string()))?;
        let is_odd = table.name.starts_with('-') || table.title.contains(char::is_control);
        if is_odd {
            let message = "a name begins with a letter, and a title is one line";
            return Err(wrong(&["name".into()], message.to_owned()));
        }
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_".contains(c);
        if table.name.is_empty() || !table.name.chars().all(is_plain) {
            let message = "a table has a `name` of letters in lower case, digits, `-` and `_`";
            return Err(wrong(&["name".into()], message.to_owned()));
        }
        if super::compiled(&table.name).is_some() {
            let message = format!(
                "`{}` is an agent that is known already: choose another name",
                table.name
            );
            return Err(wrong(&["name".into()], message));
        }
        if table.own || table.event.0.is_empty() {
            let message = "a table has rows `[event.NAME]`: the agent's events, and ours for each";
            return Err(wrong(&["event".into()], message.to_owned()));
        }
        if table.event.0.len() > MOST_EVENTS {
            let message = format!("a table has at most {MOST_EVENTS} events");
            return Err(wrong(&["event".into()], message));
        }
        let TimeoutKeys {
            default, prompt, ..
        } = &table.files.timeout;
        if [default, prompt]
            .iter()
            .any(|time| !(0.0..LONGEST).contains(*time))
        {
            let message = format!("a time is a number of seconds, up to {LONGEST}");
            return Err(wrong(&["files".into(), "timeout".into()], message));
        }
        if let Some(call) = &table.call {
            for (key, all) in call
                .is
                .iter()
                .map(|all| ("is", all))
                .chain(call.skip.0.iter().map(|(_, all)| ("skip", all)))
            {
                let word = all
                    .0
                    .iter()
                    .find(|(path, word)| !path.starts_with('$') && !is_test(word));
                if all.0.is_empty() || word.is_some() {
                    let message = format!(
                        "a test is one of `{}`, `=WORD` or `~PART`",
                        TESTS.join("`, `")
                    );
                    return Err(wrong(&["call".into(), key.into()], message));
                }
            }
        }
        if let Some(init) = &table.init {
            init.check().map_err(|(key, message)| {
                wrong(&["init".into(), key.into()], message.to_owned())
            })?;
        }
        if table.init.as_ref().is_some_and(Init::is_script) {
            let message = "only tables that are compiled with this program have a script";
            return Err(wrong(&["init".into(), "script".into()], message.to_owned()));
        }
        if table.title.is_empty() {
            table.title.clone_from(&table.name);
        }
        // An agent that says how something reaches it calls.
        if table.event.0.iter().any(|(_, row)| row.says.is_some()) {
            table.call.get_or_insert_default();
        }
        // Where it names the event, its hooks read the name.
        let key = table.call.as_ref().and_then(|call| call.event.first());
        if let Some(key) = key.filter(|key| table.fields.get(key).is_none()) {
            let name = PayloadField {
                path: "event".into(),
                ..PayloadField::default()
            };
            table.fields.0.push((key.clone(), Fields(vec![name])));
        }
        let system = System::new(table).map_err(|mistake| document.show(mistake))?;
        Ok((own, system))
    }

    fn new(mut table: Table) -> Result<Self, Mistake> {
        if table.hooks.exit.0.is_empty() {
            table.hooks.exit = Pairs(
                USUAL_EXIT
                    .map(|(code, means)| (code.to_owned(), means))
                    .into(),
            );
        }
        let names: Vec<_> = table.event.0.iter().map(|(_, row)| row).collect();
        // By another name of the same event, a hook says the same.
        let says_of = |row: &EventRow| {
            let mut same = names.iter().filter(|other| other.is == row.is);
            let says = row
                .says
                .clone()
                .or_else(|| same.find_map(|other| other.says.clone()));
            says.unwrap_or_default()
        };
        let rows: Result<Vec<_>, _> = table
            .event
            .0
            .iter()
            .map(|(named, row)| table.event(named, row, &says_of(row)))
            .collect();
        let other = table.event(
            "",
            &table.other,
            table.other.says.as_deref().unwrap_or_default(),
        )?;
        let places = table.says.0.iter().flat_map(|(_, says)| &says.places);
        Ok(System {
            places: places.map(|(path, _)| path.clone()).collect(),
            rows: rows?,
            aliases: OnceLock::new(),
            other,
            never: table.none,
            tools: table.tools,
            name: table.name,
            title: table.title,
            is_own: table.own,
            files: table.files,
            init: table.init.map(|mut init| {
                init.as_written = table.call.as_ref().and_then(|call| call.as_written.clone());
                init
            }),
            call: table.call,
            permissions: table.permissions,
            hooks: table.hooks,
        })
    }

    /// Its events that are ours.
    pub(crate) fn events(&self) -> &[SystemEvent] {
        if self.is_own { &[] } else { &self.rows }
    }

    /// Whether hooks that are written for the system run here.
    pub(crate) fn runs_hooks(&self) -> bool {
        !self.files.kinds.is_empty()
    }

    /// Returns the event with the system's name.
    pub(crate) fn named(&self, name: &str) -> Option<&SystemEvent> {
        self.events().iter().find(|event| event.named == name)
    }

    /// Returns the event with which the system calls. Systems spell their events in several ways, such as `PreToolUse`,
    /// `preToolUse` and `pre_tool_use`.
    pub(crate) fn called(&self, name: &str) -> Option<&SystemEvent> {
        let wanted = plain(name);
        let exact = self.named(name);
        exact.or_else(|| {
            self.events()
                .iter()
                .find(|event| plain(&event.named) == wanted)
        })
    }

    /// Whether the system calls with an event, in this spelling or another.
    pub(crate) fn calls(&self, event: &SystemEvent) -> bool {
        let mut others = self.events().iter().filter(|other| other.calls);
        let name = plain(&event.named);
        event.calls || others.any(|other| plain(&other.named) == name)
    }

    /// Returns the system's event for one of ours: by the name in the definition, or by what happened.
    pub(crate) fn event(
        &self,
        info: &EventInfo,
        named: &str,
        happened: Option<(&AgentContext, &AgentEvent<'_>)>,
    ) -> Option<&SystemEvent> {
        let ours = || self.rows.iter().filter(|event| event.ours == info.name);
        let by_name = ours().find(|event| event.named == named);
        let by_what =
            happened.and_then(|(cx, happened)| ours().find(|event| event.when.holds(cx, happened)));
        by_name.or(by_what).or_else(|| ours().next())
    }

    /// Whether a name is one of the system's names of our event.
    pub(crate) fn is_name_of(&self, info: &EventInfo, name: &str) -> bool {
        let mut rows = self.rows.iter();
        name == info.name || rows.any(|event| event.ours == info.name && event.named == name)
    }

    /// The keys under which its events have the name of a tool.
    pub(crate) fn names_of_tools(&self) -> impl Iterator<Item = &str> {
        let fields = self.rows.iter().flat_map(|row| &row.reads);
        let names = fields.filter(|(_, field)| field.path == "name");
        names.map(|(key, _)| key.as_str())
    }

    /// Whether a decision is at this path, or within it.
    pub(crate) fn has_place(&self, path: &str) -> bool {
        let mut places = self
            .places
            .iter()
            .filter_map(|place| place.strip_prefix(path));
        places.any(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl Table {
    /// An event with what other parts of the table say about it.
    fn event(&self, named: &str, row: &EventRow, says: &[String]) -> Result<SystemEvent, Mistake> {
        let wrong = |key: &str, what: String| {
            let at = [
                Segment::key("event"),
                Segment::key(named),
                Segment::key(key),
            ];
            Mistake::new(at, what)
        };
        let info = EventInfo::named(&row.is);
        let ours = match info {
            Some(info) => info.name,
            None if named.is_empty() => "",
            None => {
                let mistake = wrong("is", format!("`{}` is not an event", row.is));
                return Err(mistake.with_help(names::suggestion(&row.is)));
            }
        };
        let rows = |names: &[String]| -> Result<Vec<(What, DecisionForm)>, Mistake> {
            let rows = names.iter().map(|name| {
                let says = self.says.get(name);
                let says =
                    says.ok_or_else(|| wrong("says", format!("`[says]` has no `{name}`")))?;
                let what = What::of(name)
                    .ok_or_else(|| wrong("says", format!("`{name}` is not a decision")))?;
                Ok((what, says.clone()))
            });
            rows.collect()
        };
        let mut parts = vec![&self.fields];
        for set in &row.with {
            let set = self
                .sets
                .get(set)
                .ok_or_else(|| wrong("with", format!("`[sets]` has no `{set}`")))?;
            parts.push(set);
        }
        if let Some((key, message)) = info.and_then(|info| unknown_field(row, info)) {
            let mut mistake = wrong("fields", message);
            mistake.path.push(Segment::key(key));
            return Err(mistake);
        }
        parts.push(&row.fields);
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        for (key, fields) in parts.iter().flat_map(|part| &part.0) {
            for field in &fields.0 {
                add(&mut reads, &mut writes, key, field);
            }
        }
        let told: Vec<_> = says.iter().chain(&row.tells).cloned().collect();
        let heard: Vec<_> = says
            .iter()
            .chain(&row.hears)
            .chain(&self.hooks.hears)
            .cloned()
            .collect();
        if row
            .timeout
            .is_some_and(|time| !(0.0..LONGEST).contains(&time))
        {
            return Err(wrong(
                "timeout",
                format!("a time is a number of seconds, up to {LONGEST}"),
            ));
        }
        let tells = rows(&told)?;
        if is_gate(ours) && row.says.is_some() {
            check_gate(row, &reads, &tells)
                .map_err(|(key, message)| wrong(key, message.to_owned()))?;
        }
        Ok(SystemEvent {
            named: named.to_owned(),
            ours,
            when: row.when,
            subject: row.matches.clone(),
            refusal: row.refusal,
            text: row.text.unwrap_or(self.hooks.text),
            stops: row.stops.unwrap_or(true),
            timeout: row.timeout.map(Duration::from_secs_f64),
            closed: row.late,
            calls: row.says.is_some(),
            tells,
            hears: rows(&heard)?,
            rejects: row.rejects.clone(),
            must: row.must.unwrap_or(self.hooks.must),
            listing: match (row.seldom, row.closed) {
                (true, _) => EventListing::IfNeeded,
                (_, true) => EventListing::Closed,
                _ => EventListing::Always,
            },
            init: row.init.clone(),
            exit: row.exit.clone(),
            reads,
            writes,
            given: row.given.0.clone(),
        })
    }
}

/// The key of a field that the event does not have, and what is wrong with it.
fn unknown_field<'r>(row: &'r EventRow, info: &EventInfo) -> Option<(&'r str, String)> {
    row.fields.0.iter().find_map(|(key, fields)| {
        let field = fields
            .0
            .iter()
            .find(|field| !field.is_in(info.fields.iter()))?;
        let fields = info.fields.join("`, `");
        let message = format!("`{}` has no `{}`: it has `{fields}`", info.name, field.path);
        Some((key.as_str(), message))
    })
}

/// Whether a tool waits for the decision about our event.
pub(crate) fn is_gate(ours: &str) -> bool {
    matches!(ours, "BeforeToolCall" | "ApproveToolCall")
}

/// A tool waits for the decision: it must be known which one, and there must be a word that refuses it.
fn check_gate(
    row: &EventRow,
    reads: &[(String, PayloadField)],
    tells: &[(What, DecisionForm)],
) -> Result<(), (&'static str, &'static str)> {
    let is_name = |field: &PayloadField| field.path == "name" && field.is_required;
    let is_named = reads.iter().any(|(_, field)| is_name(field));
    if !is_named && row.given.get("name").is_none() {
        return Err((
            "fields",
            "no field says which tool it is: write `KEY = \"name!\"`",
        ));
    }
    let refuses = |(what, says): &(What, DecisionForm)| {
        matches!(what, What::Deny | What::Stop) && !says.only_mcp
    };
    if !tells.iter().any(refuses) {
        return Err(("says", "no row refuses the tool: add `deny`"));
    }
    Ok(())
}

/// What a part of an input is, beside `=WORD` and `~PART`.
const TESTS: [&str; 7] = ["string", "number", "some", "none", "list", "bool", "Upper"];

fn is_test(word: &str) -> bool {
    TESTS.contains(&word) || word.starts_with(['=', '~'])
}

/// Adds a field of a key. What is later in a table counts when it is written, and each is read.
fn add(
    reads: &mut Vec<(String, PayloadField)>,
    writes: &mut Vec<(String, PayloadField)>,
    key: &str,
    field: &PayloadField,
) {
    if field.is_gone() {
        reads.retain(|(known, _)| known != key);
    } else if !field.path.is_empty() {
        reads.push((key.to_owned(), field.clone()));
    }
    if field.only_in {
        return;
    }
    let there = writes.iter().position(|(known, _)| known == key);
    match there {
        Some(at) if field.is_gone() => drop(writes.remove(at)),
        Some(at) => writes[at].1 = field.clone(),
        None if field.is_gone() => {}
        None => writes.push((key.to_owned(), field.clone())),
    }
}

/// A name without what spellings differ in.
fn plain(name: &str) -> String {
    name.replace('_', "").to_ascii_lowercase()
}

/// What is at a path.
pub(crate) fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    let found = path.split('.').try_fold(value, |value, key| match value {
        Value::Array(values) => values.get(key.parse::<usize>().ok()?),
        other => other.get(key),
    });
    found.filter(|value| !value.is_null())
}

/// Sets a value at a path, unless something is there: what is written first counts.
pub(crate) fn put(into: &mut Map<String, Value>, path: &str, value: Value) {
    match path.split_once('.') {
        None => {
            into.entry(path).or_insert(value);
        }
        // A list has one thing in it.
        Some((key, rest)) if rest.starts_with("0.") || rest == "0" => {
            let mut inner = Map::new();
            put(&mut inner, rest, value);
            let list = inner.into_iter().map(|(_, value)| value).collect();
            into.entry(key).or_insert(Value::Array(list));
        }
        Some((key, rest)) => {
            let inner = into.entry(key).or_insert_with(|| Map::new().into());
            if let Value::Object(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// Sets a value at a path, also over another.
pub(crate) fn set(into: &mut Value, path: &str, value: Value) {
    let mut at = into;
    for key in path.split('.') {
        if !at.is_object() {
            *at = Map::new().into();
        }
        at = &mut at[key];
    }
    *at = value;
}
