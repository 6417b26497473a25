//! What a file says about the hooks that this crate runs.
//!
//! A file has one table `hooks`. `hooks-builtin` reads the part that turns on its hooks; the entries here are the other
//! part. [`FileConfig`] has both, so that one file has one schema and one list of mistakes.

mod expect;
mod handler;
mod import;
mod process;
mod systems;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use hooks_builtin::config::{AgentEntry, HooksConfig, Unread};
use hooks_config::{ConfigError, Document, Segment};
use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::expect::{Expect, TestEntry};
pub use self::handler::{CommandEntry, EnvEntry, HttpEntry, PromptEntry, ServerEntry};
pub use self::import::ImportEntry;
pub use self::process::{ProcessEntry, Transport};
pub(crate) use self::systems::systems;
pub use hooks_rules::entry::{BreakerConfig, LimitsConfig, Mode, OnFault, OneOrMany, Scopes};

/// A hook in the file itself: `[[hooks.on]]`, with any handler.
pub type OnEntry = hooks_rules::entry::OnEntry<CommandEntry, HttpEntry, PromptEntry, ServerEntry>;

/// A file of hooks, read as a whole.
///
/// ```
/// use hooks_config::Document;
/// use hooks_runtime::entry::FileConfig;
///
/// let config = FileConfig::of(&Document::toml(r#"
///     [hooks.builtin]
///     redact = true
///
///     [[hooks.on]]
///     event = "BeforeToolCall"
///     tools = ["deploy"]
///     block = "not today"
/// "#)?)?;
/// assert!(config.hooks.builtin.redact.as_on().is_some());
/// assert_eq!(config.entries.on[0].block.as_deref(), Some("not today"));
/// # Ok::<(), hooks_config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FileConfig {
    /// The part of `hooks-builtin`.
    pub hooks: HooksConfig,
    /// The part of this crate.
    pub entries: Entries,
    /// Agents of your own: `[[agents]]`.
    pub agents: Vec<AgentEntry>,
    /// The hooks of `hooks-builtin` that the file turns off: the path and the name of each.
    pub(crate) off: Vec<(Vec<Segment>, String)>,
}

/// The tables of a file that this crate reads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entries {
    /// Hooks in the file itself: `[[hooks.on]]`.
    pub on: Vec<OnEntry>,
    /// Other files: `[[hooks.import]]`.
    pub import: Vec<ImportEntry>,
    /// Hooks in processes of their own, in PicoClaw's form: `[hooks.processes]`.
    pub processes: BTreeMap<String, ProcessEntry>,
    /// Limits for all hooks: `[hooks.limits]`.
    pub limits: LimitsConfig,
    /// Tests of the hooks: `[[hooks.test]]`. They are not part of a revision.
    #[serde(skip_serializing)]
    pub test: Vec<TestEntry>,
}

impl FileConfig {
    /// Reads a document with one table, `hooks`.
    ///
    /// # Errors
    ///
    /// If it contains a mistake. The error contains every mistake, in the order of the file.
    pub fn of(document: &Document) -> Result<Self, ConfigError> {
        let hooks = document.value().get("hooks");
        let mut config = FileConfig::join(document, HooksConfig::of(document), hooks)?;
        if let Some(agents) = document.value().get("agents") {
            config.agents = document.read(agents, &["agents".into()])?;
        }
        Ok(config)
    }

    /// Reads a table `hooks` among tables of others.
    pub(crate) fn part(document: &Document, hooks: &Value) -> Result<Self, ConfigError> {
        let config = document.read::<HooksConfig>(hooks, &["hooks".into()]);
        FileConfig::join(document, config, Some(hooks))
    }

    fn join(
        document: &Document,
        hooks: Result<HooksConfig, ConfigError>,
        table: Option<&Value>,
    ) -> Result<Self, ConfigError> {
        let mut part = Map::new();
        for key in ["on", "import", "processes", "limits", "test"] {
            if let Some(entries) = table.and_then(|table| table.get(key)) {
                part.insert(key.to_owned(), entries.clone());
            }
        }
        let entries = document.read::<Entries>(&Value::Object(part), &["hooks".into()]);
        match (hooks, entries) {
            (Ok(mut hooks), Ok(entries)) => {
                for unread in [&mut hooks.on, &mut hooks.import, &mut hooks.processes] {
                    *unread = Unread::default();
                }
                (hooks.limits, hooks.test) = (Unread::default(), Unread::default());
                let off = table.map(off).unwrap_or_default();
                Ok(FileConfig {
                    hooks,
                    entries,
                    agents: Vec::new(),
                    off,
                })
            }
            (hooks, entries) => {
                let errors = [hooks.err(), entries.err()];
                // What cannot be a setting at all, such as a date, is a mistake for both.
                let mut paths = HashSet::new();
                let mistakes = errors.iter().flatten().flat_map(ConfigError::mistakes);
                let mistakes = mistakes
                    .filter(|mistake| paths.insert(mistake.path()))
                    .map(ConfigError::alone);
                let all = ConfigError::all(mistakes.collect());
                Err(all.err().unwrap_or_else(|| {
                    document.mistake(&["hooks".into()], "the table cannot be read", None)
                }))
            }
        }
    }

    /// Creates an error for a mistake in this configuration, shown at its place in the file.
    #[must_use]
    pub fn mistake(
        &self,
        path: &[Segment],
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ConfigError {
        self.hooks.mistake(path, message, help)
    }

    /// Returns the line of a key, from 1, if the text is known.
    #[must_use]
    pub fn line(&self, path: &[Segment]) -> Option<usize> {
        self.hooks.line(path)
    }

    /// Returns the file, if the configuration was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.hooks.file()
    }
}

/// Returns the built-in hooks, and those of factories, that are written down and off.
fn off(table: &Value) -> Vec<(Vec<Segment>, String)> {
    let mut off = Vec::new();
    for key in ["builtin", "builtins"] {
        for (name, entry) in table[key].as_object().into_iter().flatten() {
            if *entry == Value::Bool(false) || entry["enabled"] == Value::Bool(false) {
                let path = vec!["hooks".into(), key.into(), name.as_str().into()];
                off.push((path, name.clone()));
            }
        }
    }
    for (index, entry) in table["chain"].as_array().into_iter().flatten().enumerate() {
        if entry["enabled"] == Value::Bool(false) {
            let path = vec!["hooks".into(), "chain".into(), index.into()];
            off.push((path, entry["type"].as_str().unwrap_or_default().to_owned()));
        }
    }
    off
}

/// Returns the JSON Schema of a file, for editors.
///
/// ```
/// let schema = hooks_runtime::entry::json_schema_of_file();
/// assert_eq!(schema.get("required"), Some(&serde_json::json!(["hooks"])));
/// ```
#[must_use]
pub fn json_schema_of_file() -> Schema {
    let mut generator = SchemaGenerator::default();
    let entries = [
        ("on", generator.subschema_for::<Vec<OnEntry>>()),
        ("import", generator.subschema_for::<Vec<ImportEntry>>()),
        (
            "processes",
            generator.subschema_for::<BTreeMap<String, ProcessEntry>>(),
        ),
        ("limits", generator.subschema_for::<LimitsConfig>()),
        ("test", generator.subschema_for::<Vec<TestEntry>>()),
    ];
    let mut schema = HooksConfig::json_schema_with(generator);
    for (key, entry) in entries {
        if let Some(Value::Object(known)) =
            schema.pointer_mut(&format!("/$defs/HooksConfig/properties/{key}"))
            && let Value::Object(entry) = entry.to_value()
        {
            known.extend(entry);
        }
    }
    schema
}
