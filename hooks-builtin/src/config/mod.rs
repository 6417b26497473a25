//! The configuration that turns hooks on.
//!
//! One file says which hooks an agent has. Reading it checks its keys, and each value by itself. Building the hooks
//! checks combinations of values, the entries of a chain, and whether folders exist, before any hook creates a file.
//! Every mistake is one [`ConfigError`], which shows where it is and what to write instead.
//!
//! ```
//! use hooks_builtin::config::HooksConfig;
//!
//! let config = HooksConfig::from_toml(r#"
//!     [hooks]
//!     enabled = true
//!
//!     [hooks.builtin]
//!     command_logger = true
//!
//!     [hooks.builtin.block_tools]
//!     tools = ["deploy", "mcp__*"]
//! "#)?;
//! assert!(config.builtin.block_tools.as_on().is_some() && config.builtin.redact.as_on().is_none());
//!
//! let error = HooksConfig::from_toml("[hooks.builtin.block_tools]\ntool = ['deploy']").unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "2:1: unknown key `tool` in `hooks.builtin.block_tools`\n  \
//!      |\n\
//!      2 | tool = ['deploy']\n  \
//!      | ^^^^\n  \
//!      = help: did you mean `tools`? the keys here are `tools`, `reason`, `enabled`",
//! );
//! # Ok::<(), hooks_builtin::config::ConfigError>(())
//! ```
//!
//! [`HooksConfig::hooks`] creates all hooks of a file, or none of them. Three tables of a file create hooks:
//!
//! | table | hooks |
//! | --- | --- |
//! | `[hooks.builtin]` | hooks of this crate, static, each at its own priority |
//! | `[[hooks.chain]]` | hooks that factories create, in the order of the file: ClawSeed's form |
//! | `[hooks.builtins]` | the same, by their names, in PicoClaw's form |
//!
//! A hook is never left out silently: a hook that only `hooks-runtime` runs is an error.
//!
//! # Other systems' files
//!
//! The keys are those of ZeroClaw, ClawSeed and PicoClaw. Four of them have another meaning there:
//!
//! | written | there | here |
//! | --- | --- | --- |
//! | a hook's table without `enabled` | off (ZeroClaw, PicoClaw) | on: a guard in a file is meant to run |
//! | `hooks` without `enabled` | off (PicoClaw) | on |
//! | `webhook_audit` without `tool_patterns` | no tools (ZeroClaw) | all tools |
//! | `webhook_audit` with `tool_patterns = []` | no tools (ZeroClaw) | an error, if the hook is on |
//!
//! # Editors
//!
//! The schema is in the project's `docs/hooks.schema.json`. In a TOML file, name it
//! in a comment in the first line, `#:schema docs/hooks.schema.json`. In a JSON file, use a key, `"$schema":
//! "docs/hooks.schema.json"`.

mod factory;
mod file_hooks;
mod foreign;
mod supervision;
mod table;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use hooks_config::{At, Origin};
pub use hooks_config::{ConfigError, Document, Mistake, Segment, Switch, read};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::factory::{FactoryError, HookFactory, HookFactoryRegistry};
pub use self::file_hooks::FileHooks;
pub use self::foreign::{ChainEntry, DefaultsConfig, NamedEntry};
pub use self::table::{BuiltinConfig, BuiltinHooks, Reach};

/// The hooks of an agent: the table `hooks` of a configuration.
///
/// Load it from a file of its own with [`load`](Self::load), or embed it in the configuration of an agent, as a field
/// `hooks: HooksConfig`. [`hooks`](Self::hooks) creates all its hooks.
///
/// The keys are those of ZeroClaw (`[hooks.builtin]`), ClawSeed (`[[hooks.chain]]`) and PicoClaw (`hooks.builtins`).
///
/// ```
/// use hooks_builtin::config::HooksConfig;
/// use serde::Deserialize;
///
/// #[derive(Deserialize)]
/// struct Agent { name: String, hooks: HooksConfig }
///
/// let agent: Agent = toml::from_str("name = 'coder'\n[hooks.builtin]\nevent_log = true").unwrap();
/// assert!(agent.hooks.builtin.event_log.as_on().is_some());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HooksConfig {
    /// Whether the hooks run. The default is `true`; in PicoClaw, it is `false`.
    pub enabled: bool,
    /// The built-in hooks, each on or off.
    pub builtin: BuiltinConfig,
    /// Hooks that factories create. They run in this order.
    pub chain: Vec<ChainEntry>,
    /// Settings for all hooks that factories create, in PicoClaw's form.
    #[serde(skip_serializing_if = "DefaultsConfig::is_empty")]
    pub defaults: DefaultsConfig,
    /// Hooks that factories create, by the names of their types, in PicoClaw's form.
    pub builtins: BTreeMap<String, NamedEntry>,
    /// Hooks in processes of their own, in PicoClaw's form. The crate `hooks-runtime` runs them.
    #[serde(skip_serializing_if = "Unread::is_empty")]
    pub processes: Unread,
    /// Hooks in the file itself: `[[hooks.on]]`. The crate `hooks-runtime` runs them.
    #[serde(skip_serializing_if = "Unread::is_empty")]
    pub on: Unread,
    /// Other files to import: `[[hooks.import]]`. The crate `hooks-runtime` runs their hooks.
    #[serde(skip_serializing_if = "Unread::is_empty")]
    pub import: Unread,
    /// Limits for all hooks that `hooks-runtime` runs.
    #[serde(skip_serializing_if = "Unread::is_empty")]
    pub limits: Unread,
    /// Tests of the hooks: `[[hooks.test]]`. The program `hooks` runs them.
    #[serde(skip_serializing_if = "Unread::is_empty")]
    pub test: Unread,
    /// Where the configuration was read from.
    #[serde(skip)]
    #[schemars(skip)]
    pub(crate) origin: Origin,
}

impl Default for HooksConfig {
    fn default() -> Self {
        HooksConfig {
            enabled: true,
            builtin: BuiltinConfig::default(),
            chain: Vec::new(),
            defaults: DefaultsConfig::default(),
            builtins: BTreeMap::new(),
            processes: Unread::default(),
            on: Unread::default(),
            import: Unread::default(),
            limits: Unread::default(),
            test: Unread::default(),
            origin: Origin::default(),
        }
    }
}

/// A part of a file that only `hooks-runtime` reads. `Debug` shows nothing of it, because it may hold secrets.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Unread(Value);

impl Unread {
    fn is_empty(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the keys of the hooks that are on.
    fn hooks(&self) -> Vec<Segment> {
        match &self.0 {
            Value::Array(entries) => (0..entries.len()).map(Segment::Index).collect(),
            Value::Object(entries) => {
                let on = entries
                    .iter()
                    .filter(|(_, entry)| entry["enabled"] != false);
                on.map(|(name, _)| Segment::key(name)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl fmt::Debug for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Unread")
    }
}

/// A configuration file. It has one table, `hooks`, and perhaps agents of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    hooks: HooksConfig,
    /// Agents of your own: `hooks-runtime` reads their tables.
    #[serde(default)]
    #[expect(dead_code, reason = "the runtime reads them")]
    agents: Vec<AgentEntry>,
    /// The path or URL of the JSON Schema of this file. Only editors read it.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "editors read it")]
    schema: Option<String>,
}

/// An agent of your own, in a table of its own file: `[[agents]]`.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// The file of the table. A relative path is seen from the folder of this file. `hooks agents check FILE` says what is
    /// wrong with it.
    pub file: std::path::PathBuf,
}

impl HooksConfig {
    /// Reads a file whose name ends with `.toml` or `.json`. It has the one table `hooks`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or contains a mistake.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        HooksConfig::of(&Document::load(path)?)
    }

    /// Reads the text of a file that you have read already. The file's name ends with `.toml` or `.json`.
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    ///
    /// let config = HooksConfig::of_file("hooks.toml", "[hooks.builtin]\nredact = true")?;
    /// assert!(config.file().is_some());
    /// # Ok::<(), hooks_builtin::config::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn of_file(path: impl AsRef<Path>, text: impl Into<String>) -> Result<Self, ConfigError> {
        HooksConfig::of(&Document::of_file(path, text)?)
    }

    /// Reads the text of a TOML file.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        HooksConfig::of(&Document::toml(text)?)
    }

    /// Reads the text of a JSON file.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        HooksConfig::of(&Document::json(text)?)
    }

    /// Reads a document that you have parsed already.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn of(document: &Document) -> Result<Self, ConfigError> {
        let mut hooks = document.settings::<File>()?.hooks;
        hooks.origin = document.clone().into();
        Ok(hooks)
    }

    /// Returns an error for each hook that only `hooks-runtime` runs: a hook that is on must not be left out silently.
    fn for_the_runtime(&self) -> impl Iterator<Item = ConfigError> {
        let tables = [
            ("on", &self.on),
            ("import", &self.import),
            ("processes", &self.processes),
        ];
        let hooks = tables.into_iter().flat_map(|(table, entries)| {
            let hooks = entries.hooks().into_iter();
            hooks.map(move |hook| (table, hook))
        });
        hooks.map(|(table, hook)| {
            let path = [Segment::key("hooks"), Segment::key(table), hook];
            let message = format!("`hooks-builtin` does not run the hooks of `hooks.{table}`");
            let help = "load the file with `hooks_runtime::Runtime::load`, which runs all of it";
            self.origin
                .show(Mistake::new(path, message).with_help(help).at(At::Key))
        })
    }

    /// Creates an error for a mistake in this configuration, shown at its place in the file. It is for crates that read
    /// a part of the configuration themselves.
    ///
    /// ```
    /// use hooks_builtin::config::{HooksConfig, Segment};
    ///
    /// let config = HooksConfig::from_toml("[[hooks.on]]\nevent = 'BeforeTool'\nblock = 'no'")?;
    /// let path = [Segment::from("hooks"), "on".into(), 0.into(), "event".into()];
    /// let error = config.mistake(&path, "`BeforeTool` is not an event", Some("write `BeforeToolCall`"));
    /// assert_eq!((error.line(), error.column()), (Some(2), Some(9)));
    /// # Ok::<(), hooks_builtin::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn mistake(
        &self,
        path: &[Segment],
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ConfigError {
        let mut mistake = Mistake::new(path, message);
        mistake.help = help.map(str::to_owned);
        self.show(mistake)
    }

    /// Creates an error for a mistake in this configuration, which says what part of the text it is about.
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    /// use hooks_config::{At, Mistake};
    ///
    /// let config = HooksConfig::from_toml("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no {x}'")?;
    /// let mistake = Mistake::new(["hooks".into(), "on".into(), 0.into(), "block".into()], "`x` is not known");
    /// let error = config.show(mistake.at(At::Part { start: 4, end: 5 }));
    /// assert_eq!((error.line(), error.column()), (Some(3), Some(14)));
    /// # Ok::<(), hooks_builtin::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn show(&self, mistake: Mistake) -> ConfigError {
        self.origin.show(mistake)
    }

    /// Returns where the configuration was read from.
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    ///
    /// assert!(HooksConfig::default().origin().document().is_none());
    /// ```
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the line of a key, from 1, if the text is known.
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    ///
    /// let config = HooksConfig::from_toml("[hooks.builtin]\nredact = true\n")?;
    /// assert_eq!(config.line(&["hooks".into(), "builtin".into(), "redact".into()]), Some(2));
    /// assert_eq!(HooksConfig::default().line(&[]), None);
    /// # Ok::<(), hooks_builtin::config::ConfigError>(())
    /// ```
    #[must_use]
    pub fn line(&self, path: &[Segment]) -> Option<usize> {
        Some(self.origin.document()?.line(path))
    }

    /// Returns the file, if the configuration was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.origin.document()?.file()
    }

    /// Returns the JSON Schema of a file, without the parts that are [`Unread`] here. The crate `hooks-runtime` has the
    /// schema of all of it, which is `docs/hooks.schema.json`.
    #[must_use]
    pub fn json_schema_with(generator: SchemaGenerator) -> Schema {
        generator.into_root_schema_for::<File>()
    }
}
