//! The formats of other systems: what a hook reads of an event, and what its answer means.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use hooks_core::agent::AgentEvent;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::events::EventInfo;
use crate::fault::Fault;
use crate::handler::Ask;

mod input;
pub(crate) mod names;
mod said;
pub(crate) mod table;
pub(crate) mod tools;

pub(crate) use self::input::path_of;

/// The system whose file contains a definition, and whose protocol its handler speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Our own: Claude Code's field names, with the whole payload under `event`. An answer may also have the keys of a
    /// rule: `block`, `abort_turn`, `abort_run`, `ask`, `approve`, `context`, `respond` and `modify`.
    #[default]
    Hooks,
    /// Claude Code's.
    Claude,
    /// Codex's.
    Codex,
    /// Gemini CLI's.
    Gemini,
    /// Goose's.
    Goose,
    /// PicoClaw's.
    Picoclaw,
    /// GoClaw's.
    Goclaw,
    /// The form of mini-claw-code, in which each entry is a command with a glob: `{"matcher": "bash", "command": "…"}`.
    Flat,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 8] = [
        Dialect::Hooks,
        Dialect::Claude,
        Dialect::Codex,
        Dialect::Gemini,
        Dialect::Goose,
        Dialect::Picoclaw,
        Dialect::Goclaw,
        Dialect::Flat,
    ];

    /// Returns the name, as in a file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Dialect::Hooks => "hooks",
            Dialect::Claude => "claude",
            Dialect::Codex => "codex",
            Dialect::Gemini => "gemini",
            Dialect::Goose => "goose",
            Dialect::Picoclaw => "picoclaw",
            Dialect::Goclaw => "goclaw",
            Dialect::Flat => "flat",
        }
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
        Dialect::ALL.into_iter().find(|dialect| {
            let mut files = dialect.rules().files.iter();
            files.any(|(_, name)| path.ends_with(name))
        })
    }

    /// Returns the system with these names of events: the first one that knows all of them, or otherwise the one that
    /// knows most.
    pub(crate) fn of_events<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Option<Self> {
        let known = |dialect: &Dialect| {
            let is_known = |name: &&str| {
                dialect
                    .rules()
                    .events
                    .iter()
                    .any(|event| event.named == *name)
            };
            names.clone().filter(is_known).count()
        };
        // The first of several that know the same number.
        let most = Dialect::ALL.into_iter().rev().max_by_key(known)?;
        (known(&most) > 0).then_some(most)
    }

    /// An event as this dialect writes it: what a command reads on its standard input, and an endpoint as its body.
    pub(crate) fn input<'a>(self, ask: &Ask<'a>) -> input::Input<'a> {
        input::input(self, ask)
    }

    /// Interprets the result of a command.
    ///
    /// # Errors
    ///
    /// If the command has failed by the rules of the dialect, or its answer is invalid.
    pub(crate) fn of_command(self, on: &On, exit: &Exit) -> Result<Answer, Fault> {
        said::of_command(self, on, exit)
    }

    /// Interprets the response of an endpoint.
    ///
    /// # Errors
    ///
    /// If the endpoint has failed by the rules of the dialect, or its answer is invalid.
    pub(crate) fn of_http(self, on: &On, status: u16, body: &[u8]) -> Result<Answer, Fault> {
        said::of_http(self, on, status, body)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Dialect::ALL
            .into_iter()
            .find(|dialect| dialect.as_str() == name)
            .ok_or_else(|| {
                let names = Dialect::ALL.map(Dialect::as_str).join("`, `");
                format!("`{name}` is not a dialect: write one of `{names}`")
            })
    }
}

/// The event that an answer is about: the parts of an [`Ask`] that do not borrow from the agent.
#[derive(Clone, Debug)]
pub(crate) struct On {
    pub(crate) info: &'static EventInfo,
    /// The event's name in the dialect.
    pub(crate) named: String,
    /// The definition.
    pub(crate) hook: String,
    /// The output of the tool, on events about it.
    pub(crate) output: Option<String>,
}

impl On {
    pub(crate) fn of(ask: &Ask<'_>) -> Self {
        On {
            info: ask.info,
            named: ask.named.to_owned(),
            hook: ask.hook.to_owned(),
            output: match ask.event {
                AgentEvent::AfterToolCall(done) => Some(done.output.content.clone()),
                _ => None,
            },
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
