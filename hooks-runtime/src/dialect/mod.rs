//! Whose words a hook speaks: what it reads of an event, and what its answer means.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::events::EventInfo;
use crate::fault::Fault;
use crate::handler::Ask;

mod input;
pub(crate) mod names;
mod said;
pub(crate) mod table;
pub(crate) mod tools;
#[cfg(test)]
mod wire;

pub(crate) use self::input::path_of;

/// Whose file a definition is from, and whose words its handler speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// Ours: Claude Code's names of fields, and the whole payload under `event`. An answer may also have the keys of a rule:
    /// `block`, `abort_turn`, `abort_run`, `ask`, `approve`, `context`, `respond` and `modify`.
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

    /// Its name, as in a file.
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

    /// The dialect of a file that has the name of one of a system's own files, such as `.claude/settings.json`.
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

    /// The system whose events these are: the first one that knows all of the names, or else the one that knows most.
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
    pub(crate) fn input(self, ask: &Ask<'_>) -> Value {
        input::input(self, ask)
    }

    /// What a command has said.
    ///
    /// # Errors
    ///
    /// If it has failed by the rules of the dialect, or its answer makes no sense.
    pub(crate) fn of_command(self, on: &On, exit: &Exit) -> Result<Answer, Fault> {
        said::of_command(self, on, exit)
    }

    /// What an endpoint has said.
    ///
    /// # Errors
    ///
    /// If it has failed by the rules of the dialect, or its answer makes no sense.
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
                format!("`{name}` is no dialect: write one of `{names}`")
            })
    }
}

/// The event that an answer is about: what remains of an [`Ask`] when the agent's own data is gone.
#[derive(Clone, Debug)]
pub(crate) struct On {
    pub(crate) info: &'static EventInfo,
    /// The event's name in the dialect.
    pub(crate) named: String,
    /// The definition.
    pub(crate) hook: String,
}

impl On {
    pub(crate) fn of(ask: &Ask<'_>) -> Self {
        On {
            info: ask.info,
            named: ask.named.to_owned(),
            hook: ask.hook.to_owned(),
        }
    }
}

/// How a command has ended, and what it has written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exit {
    /// Its exit code; none if a signal has ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether more was written to standard output than was kept.
    pub(crate) is_cut: bool,
}
