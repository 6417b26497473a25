//! The formats of other systems: what a hook reads of an event, and what its answer means.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};

use hooks_config::{ConfigError, Document};
use hooks_core::agent::{AgentContext, AgentEvent};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use crate::answer::HandlerAnswer;
use crate::events::EventInfo;
use crate::fault::HandlerFault;

mod goclaw;
mod hear;
mod init;
mod like;
pub(crate) mod names;
mod own;
pub(crate) mod raw;
mod registered;
pub(crate) mod shapes;
pub(crate) mod table;
pub(crate) mod tools;
mod write;

pub use self::init::{Init, Registration, Settings};
pub use self::registered::{HooksCall, Registered};
use self::table::System;

/// Makes the enum of all systems: each has a table of its name.
macro_rules! dialects {
    ($($(#[$doc:meta])* $variant:ident = $module:ident $(, $files:literal)?;)*) => {
        /// The system whose file contains a definition, and whose protocol its handler speaks; or the system that calls
        /// our program as its hook.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Dialect {
            $($(#[$doc])* $variant,)*
            /// An agent of your own, whose table a file names: see [`Dialect::own`].
            Own(OwnAgent),
        }

        impl Dialect {
            /// All dialects whose tables are compiled with this crate.
            pub const ALL: &[Dialect] = &[$(Dialect::$variant),*];

            /// Returns what is known about the system.
            pub(crate) fn system(self) -> &'static System {
                match self {
                    $(Dialect::$variant => {
                        static SYSTEM: LazyLock<System> = LazyLock::new(|| {
                            System::compiled(compiled(stringify!($module)).unwrap_or_default())
                        });
                        &SYSTEM
                    })*
                    Dialect::Own(OwnAgent(system)) => system,
                }
            }

            /// Returns the table of a system as people read it, with what it says in its file; nothing for an agent of
            /// your own.
            ///
            /// ```
            /// let table = hooks_runtime::Dialect::Kiro.table().expect("the table is compiled with this crate");
            /// assert!(table.contains("[event.PreToolUse]"));
            /// ```
            #[must_use]
            pub fn table(self) -> Option<&'static str> {
                match self {
                    $(Dialect::$variant => {
                        Some(include_str!(concat!("../../agents/", stringify!($module), ".toml")))
                    })*
                    Dialect::Own(_) => None,
                }
            }
        }

        /// Returns a table as the build has left it, by its name.
        fn compiled(name: &str) -> Option<&'static str> {
            match name {
                $(stringify!($module) => {
                    Some(include_str!(concat!(env!("OUT_DIR"), "/", stringify!($module), ".json")))
                })*
                _ => None,
            }
        }
    };
}

crate::entry::systems!(dialects);

/// The events that an agent in Rust raises after others, and for which other agents have no event.
pub(crate) const NEXT: &[(&str, &str)] = &[
    ("BeforeToolCall", "ApproveToolCall"),
    ("AfterToolCall", "ToolCallEnd"),
    ("MessageReceived", "AgentStart"),
    ("BeforeStop", "AgentEnd"),
];

/// An agent of your own: a table that a file names.
///
/// Two are equal if their tables are, so a file that is read again names the same agent.
#[derive(Clone, Copy)]
pub struct OwnAgent(&'static System);

impl OwnAgent {
    fn key(self) -> (&'static str, *const System) {
        (&self.0.name, self.0)
    }
}

impl PartialEq for OwnAgent {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for OwnAgent {}

impl PartialOrd for OwnAgent {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OwnAgent {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for OwnAgent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for OwnAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnAgent").field(&self.0.name).finish()
    }
}

/// The agents of users, by their tables. Each is read once and kept as long as the process runs, because a dialect is
/// copied into every definition. A process reads few tables: each is a file that a user has written.
static OWN: Mutex<Vec<(String, &'static System)>> = Mutex::new(Vec::new());

impl Dialect {
    /// Reads the table of an agent of your own, as `[[agents]]` in a file of hooks names it.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let table = r#"
    ///     name = "robot"
    ///     [call]
    ///     event = ["event"]
    ///     [says]
    ///     deny = { stop = true, why = "$reason" }
    ///     [event.tool]
    ///     is      = "BeforeToolCall"
    ///     matches = "tool"
    ///     fields  = { tool = "name!", input = "args" }
    ///     says    = ["deny"]
    /// "#;
    /// let robot = Dialect::own("robot.toml", table)?;
    /// assert_eq!(robot.as_str(), "robot");
    /// assert!(robot.raises().contains("BeforeToolCall"));
    ///
    /// let wrong = Dialect::own("robot.toml", table.replace("BeforeToolCall", "BeforeTool")).unwrap_err();
    /// assert!(wrong.to_string().contains("`BeforeTool` is not an event"));
    /// # Ok::<(), hooks_runtime::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text cannot be parsed, or the table says something that has no meaning.
    pub fn own(path: impl AsRef<Path>, text: impl Into<String>) -> Result<Self, ConfigError> {
        let document = Document::of_file(path, text)?;
        let (table, system) = System::of_user(&document)?;
        // As a text, because the order of keys counts.
        let table = table.to_string();
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        let known = own.iter().find(|(known, _)| *known == table);
        let system = known.map_or_else(|| &*Box::leak(Box::new(system)), |(_, system)| system);
        if known.is_none() {
            own.push((table, system));
        }
        Ok(Dialect::Own(OwnAgent(system)))
    }

    /// Returns the name, as in a file, and as in `hooks run --as`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        &self.system().name
    }

    /// Returns the system's name for people.
    ///
    /// ```
    /// assert_eq!(hooks_runtime::Dialect::Claude.title(), "Claude Code");
    /// ```
    #[must_use]
    pub fn title(self) -> &'static str {
        &self.system().title
    }

    /// Returns the systems that call a program as their hook: those of `hooks run --as`.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert!(Dialect::callers().any(|system| system == Dialect::Codex));
    /// assert!(!Dialect::callers().any(|system| system == Dialect::Goclaw));
    /// ```
    pub fn callers() -> impl Iterator<Item = Self> {
        let all = Dialect::ALL.iter().copied();
        all.filter(|dialect| dialect.system().call.is_some())
    }

    /// Returns the names of the system's events on which our hooks run when it calls.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert!(Dialect::Cursor.calls().any(|event| event == "beforeShellExecution"));
    /// assert!(!Dialect::Goclaw.calls().any(|_| true));
    /// ```
    pub fn calls(self) -> impl Iterator<Item = &'static str> {
        let events = self.system().events().iter();
        let called = events.filter(|event| event.calls);
        called.map(|event| event.named.as_str())
    }

    /// Returns the folder of the project, if the system names it in a variable when it calls.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// let of = |name: &str| (name == "CLAUDE_PROJECT_DIR").then(|| "/work/shop".to_owned());
    /// assert_eq!(Dialect::Claude.project_dir(of).as_deref(), Some("/work/shop"));
    /// assert_eq!(Dialect::Codex.project_dir(of), None);
    /// ```
    pub fn project_dir(self, variable: impl Fn(&str) -> Option<String>) -> Option<String> {
        let calls = self.system().call.as_ref()?;
        let mut values = calls.project.iter().filter_map(|name| variable(name));
        values.find(|folder| !folder.is_empty())
    }

    /// Returns the dialect of a file by its name, if it is the name of a system's own file, such as
    /// `.claude/settings.json`.
    ///
    /// ```
    /// use hooks_runtime::Dialect;
    ///
    /// assert_eq!(Dialect::of_path("shop/.codex/hooks.json".as_ref()), Some(Dialect::Codex));
    /// assert_eq!(Dialect::of_path("shop/settings.json".as_ref()), None);
    /// ```
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        Dialect::ALL.iter().copied().find(|dialect| {
            let mut files = dialect.system().files.found();
            files.any(|(_, name)| {
                // A name without an ending is that of a folder with files.
                let is_folder = Path::new(name).extension().is_none();
                let is_json = path.extension().is_some_and(|ending| ending == "json");
                let folder = path.parent().filter(|_| is_folder && is_json);
                path.ends_with(name) || folder.is_some_and(|folder| folder.ends_with(name))
            })
        })
    }

    /// Returns the system of a name: one of a file's own, or one of all.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) fn named(name: &str, own: &[Self]) -> Result<Self, String> {
        let mut all = own.iter().chain(Dialect::ALL);
        let found = all.find(|dialect| dialect.as_str() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<_> = own
                .iter()
                .chain(Dialect::ALL)
                .map(|all| all.as_str())
                .collect();
            let names = names.join("`, `");
            format!("unknown system `{name}`: write one of `{names}`")
        })
    }

    /// The system's events on which hooks for one of ours run, which a file calls so.
    pub(crate) fn events_for(self, ours: &str, named: &str) -> Vec<String> {
        let system = self.system();
        let first = NEXT
            .iter()
            .find(|(_, next)| *next == ours)
            .map(|(first, _)| *first);
        let events = system.events().iter().filter(|event| event.calls);
        let called = events.filter(|event| event.ours == ours || Some(event.ours) == first);
        let own = system
            .never
            .iter()
            .filter(|never| ours == "Custom" && *never == named);
        called
            .map(|event| event.named.clone())
            .chain(own.cloned())
            .collect()
    }

    /// Whether hooks that are written for the system run here.
    pub(crate) fn runs_hooks(self) -> bool {
        self.system().runs_hooks()
    }

    /// Returns the system, if hooks that are written for it run here.
    ///
    /// # Errors
    ///
    /// If they do not.
    pub(crate) fn with_hooks(self) -> Result<Self, String> {
        if self.runs_hooks() {
            return Ok(self);
        }
        Err(format!(
            "hooks that are written for {} do not run here; `hooks run --as {self}` runs ours there",
            self.title()
        ))
    }

    /// Reads a file of the system, in which comments are blanks if the system takes them.
    ///
    /// # Errors
    ///
    /// If it cannot be parsed.
    pub(crate) fn document(self, path: &Path, mut text: String) -> Result<Document, ConfigError> {
        if self.system().files.comments {
            text = without_comments(&text);
        }
        Document::of_file(path, text)
    }

    /// Returns the system with these names of events: the first one that knows all of them, or otherwise the one that
    /// knows most.
    pub(crate) fn of_events<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<Self> {
        let known = |dialect: &Dialect| {
            let is_known = |name: &&str| {
                dialect
                    .system()
                    .events()
                    .iter()
                    .any(|event| event.named == *name)
            };
            names.clone().filter(is_known).count()
        };
        // The first of several that know the same number.
        let with_files = Dialect::ALL.iter().copied().rev();
        let most = with_files
            .filter(|dialect| dialect.runs_hooks())
            .max_by_key(known)?;
        (known(&most) > 0).then_some(most)
    }

    /// An event as this dialect writes it: what a command reads on its standard input, and an endpoint as its body.
    ///
    /// # Errors
    ///
    /// If the event is not JSON.
    pub(crate) fn input(self, ask: &HandlerQuestion<'_>) -> serde_json::Result<Vec<u8>> {
        write::input(self, ask)
    }

    /// The same without what only the agent knows.
    pub(crate) fn keys(self, ask: &HandlerQuestion<'_>) -> Map<String, Value> {
        write::keys(self, ask)
    }

    /// Interprets the result of a command.
    ///
    /// # Errors
    ///
    /// If the command has failed by the rules of the dialect, or its answer is invalid.
    pub(crate) fn of_command(
        self,
        on: &QuestionEvent,
        exit: &Exit,
    ) -> Result<HandlerAnswer, HandlerFault> {
        hear::of_command(self, on, exit)
    }

    /// Interprets the response of an endpoint.
    ///
    /// # Errors
    ///
    /// If the endpoint has failed by the rules of the dialect, or its answer is invalid.
    pub(crate) fn of_http(
        self,
        on: &QuestionEvent,
        status: u16,
        body: &[u8],
    ) -> Result<HandlerAnswer, HandlerFault> {
        hear::of_http(self, on, status, body)
    }
}

/// A text in JSON with blanks for its comments, so that every other character has its place.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '"' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|letter| {
                    let ends = letter == '"' && !is_escaped;
                    is_escaped = letter == '\\' && !is_escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            letter => letter.len_utf8(),
        };
        let (part, others) = rest.split_at(length);
        if part.starts_with("//") || part.starts_with("/*") {
            plain.extend(part.chars().map(|c| if c == '\n' { c } else { ' ' }));
        } else {
            plain.push_str(part);
        }
        rest = others;
    }
    plain
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for Dialect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// The dialects of [`Dialect::ALL`], by their names.
impl<'de> Deserialize<'de> for Dialect {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

/// The dialects of [`Dialect::ALL`], by their names. A runtime knows those of its file, too:
/// [`Runtime::dialect`](crate::Runtime::dialect).
impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Dialect::named(name, &[])
    }
}

/// One event, and the definition whose handler is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HandlerQuestion<'a> {
    pub(crate) cx: &'a AgentContext,
    pub(crate) event: AgentEvent<'a>,
    pub(crate) info: &'static EventInfo,
    /// The definition's name.
    pub(crate) hook: &'a str,
    /// The event's name in the definition's dialect, if the definition uses that name.
    pub(crate) named: &'a str,
    /// The tool's name in the terms of the definition's file, if it differs from the agent's.
    pub(crate) tool: Option<&'a str>,
    /// The tool's arguments, with the names that go with that name, if they differ from the agent's.
    pub(crate) args: Option<&'a Value>,
    /// Whether the event is blocked if the hook fails.
    pub(crate) is_closed: bool,
}

/// The event that an answer is about: the parts of a [`HandlerQuestion`] that do not borrow from the agent.
#[derive(Clone, Debug)]
pub(crate) struct QuestionEvent {
    pub(crate) info: &'static EventInfo,
    /// The event's name in the dialect.
    pub(crate) named: String,
    /// The definition.
    pub(crate) hook: String,
    /// The output of the tool, on events about it.
    pub(crate) output: Option<String>,
    /// Whether the event is blocked if the hook fails.
    pub(crate) is_closed: bool,
}

impl QuestionEvent {
    pub(crate) fn of(ask: &HandlerQuestion<'_>) -> Self {
        QuestionEvent {
            info: ask.info,
            named: ask.named.to_owned(),
            hook: ask.hook.to_owned(),
            output: match ask.event {
                AgentEvent::AfterToolCall(done) => Some(done.output.content.clone()),
                _ => None,
            },
            is_closed: ask.is_closed,
        }
    }
}

/// The exit status of a command, and its output.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exit {
    /// The exit code; none if a signal ended the command.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether standard output was longer than what was kept.
    pub(crate) is_cut: bool,
}

#[cfg(test)]
mod page;
