//! A file to import: `[[hooks.import]]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Mode, is_default};

/// A file to import: `[[hooks.import]]`. Exactly one of the keys `claude`, `codex`, `gemini`, `goose`, `picoclaw`,
/// `goclaw` and `hooks` names it. Another system's file stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ImportEntry {
    /// A `settings.json` of Claude Code, or of an agent that reads its format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claude: Option<PathBuf>,
    /// A `hooks.json` of Codex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub codex: Option<PathBuf>,
    /// A `settings.json` of Gemini CLI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gemini: Option<PathBuf>,
    /// A `hooks.json` of goose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goose: Option<PathBuf>,
    /// A configuration of PicoClaw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picoclaw: Option<PathBuf>,
    /// A hook of GoClaw, or a list of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goclaw: Option<PathBuf>,
    /// Another file of this format. All its hooks are imported, but not its limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<PathBuf>,
    /// The priority of all hooks of the file: higher numbers run first. The default is 0. In a file of this format, it
    /// is added to each hook's own priority, except the built-in ones.
    #[serde(skip_serializing_if = "is_default")]
    pub priority: i32,
    /// Whether the hooks of the file run, and whether their answers take effect. The default is `enforce`. `shadow` is
    /// an error if a file of this format has built-in hooks.
    #[serde(skip_serializing_if = "is_default")]
    pub mode: Mode,
    /// Each tool's name in the file, with its name in this agent: `{ Bash = "shell" }`. It is not allowed for a file of
    /// this format.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, String>,
    /// Whether a failure of a hook blocks every event that can be blocked. The default is `false`: the rule of the
    /// file's system applies.
    #[serde(skip_serializing_if = "is_default")]
    pub strict: bool,
}

impl ImportEntry {
    /// Returns the files, each with the key that names its system.
    #[must_use]
    pub fn files(&self) -> Vec<(&'static str, &PathBuf)> {
        let files = [
            ("claude", &self.claude),
            ("codex", &self.codex),
            ("gemini", &self.gemini),
            ("goose", &self.goose),
            ("picoclaw", &self.picoclaw),
            ("goclaw", &self.goclaw),
            ("hooks", &self.hooks),
        ];
        let files = files.into_iter();
        files
            .filter_map(|(key, file)| Some((key, file.as_ref()?)))
            .collect()
    }
}
