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
//! [`HooksConfig::build`] builds all hooks of a file, in one pipeline. Three tables of a file create hooks:
//!
//! | table | hooks | built by |
//! | --- | --- | --- |
//! | `[hooks.builtin]` | hooks of this crate, static, each at its own priority | [`HooksConfig::build`], or, if there are no others, [`builtins`] |
//! | `[[hooks.chain]]` | hooks that factories create, in the order of the file | [`HooksConfig::build`], or, if there are no others, [`HookFactoryRegistry::build`] |
//! | `[hooks.builtins]` | the same, by their names, in PicoClaw's form | as the chain |
//!
//! If one of these functions does not create a hook of the file, that is an error. A hook is never left out silently.
//! [`HooksConfig::parts`] creates all of them for a pipeline with hooks of your own in between.
//!
//! # Other systems' files
//!
//! The keys are those of ZeroClaw, ClawSeed and PicoClaw. Four of them have another meaning there:
//!
//! | written | there | here |
//! | --- | --- | --- |
//! | a hook's table without `enabled` | off (ZeroClaw, PicoClaw) | on: whoever writes a guard down wants it |
//! | `hooks` without `enabled` | off (PicoClaw) | on |
//! | `webhook_audit` without `tool_patterns` | no tools (ZeroClaw) | all tools |
//! | `webhook_audit` with `tool_patterns = []` | no tools (ZeroClaw) | an error, if the hook is on |
//!
//! # Editors
//!
//! The [schema](HooksConfig::json_schema_of_file) is in the project's `docs/hooks.schema.json`. In a TOML file, name it
//! in a comment in the first line, `#:schema docs/hooks.schema.json`. In a JSON file, use a key, `"$schema":
//! "docs/hooks.schema.json"`.

mod all;
mod builtins;
mod document;
mod error;
mod factory;
mod on;
mod process;
mod read;
mod source;
mod strict;
mod supervision;
mod switch;

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use hooks_core::Timeouts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::all::{AllHooks, FileHooks};
pub use self::builtins::{BuiltinHooks, Builtins, builtins};
pub use self::document::Document;
use self::error::{At, Names, Wrong};
pub use self::error::{ConfigError, Segment};
pub use self::factory::{FactoryError, HookFactory, HookFactoryRegistry};
pub use self::on::{
    BreakerConfig, CommandEntry, EnvEntry, HttpEntry, ImportEntry, LimitsConfig, Mode, OnEntry,
    OnFault, OneOrMany, PromptEntry, SandboxEntry, Scopes, ServerEntry,
};
pub use self::process::{ProcessEntry, Transport};
pub use self::read::read;
use self::source::{Origin, Source, Text};
pub use self::switch::Switch;
use crate::{
    ApprovalConfig, BlockToolsConfig, CommandLoggerConfig, EventLogConfig, JsonlLogConfig,
    PathPrefixConfig, RateLimitConfig, RedactConfig, SecurityPolicyConfig, ShellHookConfig,
    ToolCacheConfig, WebhookAuditConfig,
};

/// The hooks of an agent: the table `hooks` of a configuration.
///
/// Load it from a file of its own with [`load`](Self::load), or embed it in the configuration of an agent, as a field
/// `hooks: HooksConfig`. [`build`](Self::build) builds all its hooks.
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
    /// Hooks in processes of their own, in PicoClaw's form. The crate `hooks-runtime` runs them. `HooksConfig::build`
    /// does not, so it returns an error for each one that is enabled. If your agent runs them itself, take them out
    /// first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub processes: BTreeMap<String, ProcessEntry>,
    /// Hooks in the file itself: `[[hooks.on]]`. This crate reads them, and the crate `hooks-runtime` runs them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on: Vec<OnEntry>,
    /// Other files to import: `[[hooks.import]]`. This crate reads the entries, and the crate `hooks-runtime` runs the
    /// hooks of the files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub import: Vec<ImportEntry>,
    /// Limits for all hooks that `hooks-runtime` runs.
    #[serde(skip_serializing_if = "LimitsConfig::is_default")]
    pub limits: LimitsConfig,
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
            processes: BTreeMap::new(),
            on: Vec::new(),
            import: Vec::new(),
            limits: LimitsConfig::default(),
            origin: Origin::default(),
        }
    }
}

/// The built-in hooks: `[hooks.builtin]`. Each is off by default. `true` turns it on with its defaults, and a table
/// turns it on with settings. `enabled = false` in the table turns it off. In ZeroClaw, a table without `enabled` is
/// off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BuiltinConfig {
    /// Blocks what an agent may not do.
    pub security_policy: Switch<SecurityPolicyConfig>,
    /// Blocks calls of certain tools.
    pub block_tools: Switch<BlockToolsConfig>,
    /// Asks somebody before a tool runs.
    pub approval: Switch<ApprovalConfig>,
    /// Limits how often tools may be called.
    pub rate_limit: Switch<RateLimitConfig>,
    /// Makes relative paths of file tools absolute under a root, and keeps all paths inside it.
    pub path_prefix: Switch<PathPrefixConfig>,
    /// Runs a command before or after tool calls.
    pub shell_hook: Switch<ShellHookConfig>,
    /// Answers repeated calls from memory.
    pub tool_cache: Switch<ToolCacheConfig>,
    /// Rewrites secrets and personal data.
    pub redact: Switch<RedactConfig>,
    /// Logs one line per tool call, for people.
    pub command_logger: Switch<CommandLoggerConfig>,
    /// Keeps every event in memory, in order.
    pub event_log: Switch<EventLogConfig>,
    /// Writes every event as a line of JSON to a file.
    pub jsonl_log: Switch<JsonlLogConfig>,
    /// Posts an audit event for every tool call.
    pub webhook_audit: Switch<WebhookAuditConfig>,
}

/// How long each hook that factories create may take: `[hooks.defaults]`, in PicoClaw's form. By default, there is no
/// limit.
///
/// A hook that takes longer is dropped. Then an event that can be blocked is blocked, and any other event continues.
///
/// ```
/// use std::time::Duration;
/// use hooks_builtin::config::HooksConfig;
/// use hooks_core::Timeouts;
///
/// let config = HooksConfig::from_json(r#"{ "hooks": { "defaults": { "observer_timeout_ms": 500 } } }"#)?;
/// assert_eq!(Timeouts::from(config.defaults).observe, Some(Duration::from_millis(500)));
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DefaultsConfig {
    /// The limit on an event that is only observed, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observer_timeout_ms: Option<NonZeroU64>,
    /// The limit on an event that hooks decide about, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interceptor_timeout_ms: Option<NonZeroU64>,
    /// The limit on the approval of a tool call, in milliseconds. A hook may have to ask a person there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_timeout_ms: Option<NonZeroU64>,
}

impl DefaultsConfig {
    fn is_empty(&self) -> bool {
        *self == DefaultsConfig::default()
    }
}

impl From<DefaultsConfig> for Timeouts {
    fn from(defaults: DefaultsConfig) -> Self {
        let duration = |ms: Option<NonZeroU64>| ms.map(|ms| Duration::from_millis(ms.get()));
        Timeouts {
            observe: duration(defaults.observer_timeout_ms),
            intercept: duration(defaults.interceptor_timeout_ms),
            approve: duration(defaults.approval_timeout_ms),
        }
    }
}

/// A hook of a chain: `[[hooks.chain]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainEntry {
    /// The type of the hook: the name of its factory.
    #[serde(rename = "type")]
    pub hook_type: String,
    /// Whether it is on; by default it is.
    #[serde(default = "on")]
    pub enabled: bool,
    /// Its settings, as its factory reads them.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub config: Value,
}

/// A hook by the name of its type: `hooks.builtins.<name>`, in PicoClaw's form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NamedEntry {
    /// Whether the hook is on. The default is `true`; in PicoClaw, it is `false`.
    #[serde(default = "on")]
    pub enabled: bool,
    /// The order among these hooks: lower numbers run first, as in PicoClaw. Everywhere else here, higher numbers run
    /// first. The default is 0.
    #[serde(default)]
    pub priority: i32,
    /// Its settings, as its factory reads them.
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub config: Value,
}

fn on() -> bool {
    true
}

fn nothing() -> Value {
    Value::Object(serde_json::Map::new())
}

fn is_nothing(config: &Value) -> bool {
    config.as_object().is_some_and(serde_json::Map::is_empty)
}

/// A configuration file. It has one table, `hooks`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    hooks: HooksConfig,
    /// The path or URL of the JSON Schema of this file. Only editors read it.
    #[serde(rename = "$schema", default)]
    #[expect(dead_code, reason = "editors read it")]
    schema: Option<String>,
}

impl HooksConfig {
    /// Reads a file whose name ends with `.toml` or `.json`. It has the one table `hooks`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or contains a mistake.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        HooksConfig::of(Source::load(path.as_ref())?)
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
        HooksConfig::of(Source::parse(path.as_ref(), text.into())?)
    }

    /// Reads the text of a TOML file.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn from_toml(text: &str) -> Result<Self, ConfigError> {
        HooksConfig::of(Source::toml(None, text.to_owned())?)
    }

    /// Reads the text of a JSON file.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn from_json(text: &str) -> Result<Self, ConfigError> {
        HooksConfig::of(Source::json(None, text.to_owned())?)
    }

    fn of(text: Text) -> Result<Self, ConfigError> {
        let Text {
            source,
            value,
            wrong,
        } = text;
        match read::whole::<File>(value, wrong) {
            Ok(mut file) => {
                file.hooks.origin = Origin::of(source);
                Ok(file.hooks)
            }
            Err(wrong) => {
                let shown = wrong
                    .into_iter()
                    .map(|wrong| ConfigError::new(wrong, Some(&source)));
                ConfigError::all(shown.collect()).map(|()| HooksConfig::default())
            }
        }
    }

    /// Returns an error for each hook that only `hooks-runtime` runs: a hook that is on must not be left out silently.
    fn for_the_runtime(&self) -> Vec<ConfigError> {
        let of = |table: &'static str, entries: usize| {
            (0..entries).map(move |index| {
                let path = vec![
                    Segment::key("hooks"),
                    Segment::key(table),
                    Segment::Index(index),
                ];
                let wrong = Wrong {
                    message: format!("a hook of `[[hooks.{table}]]` is not run from here"),
                    names: Names::Nothing,
                    help: Some(
                        "load the file with `hooks_runtime::Runtime::load`, which runs all of it"
                            .into(),
                    ),
                    at: At::Key,
                    path,
                };
                ConfigError::new(wrong, self.origin.source())
            })
        };
        let entries = of("on", self.on.len()).chain(of("import", self.import.len()));
        entries.chain(self.enabled_processes()).collect()
    }

    /// Creates an error for a mistake in this configuration, shown at its place in the file. It is for crates that read
    /// a part of the configuration themselves.
    ///
    /// ```
    /// use hooks_builtin::config::{HooksConfig, Segment};
    ///
    /// let config = HooksConfig::from_toml("[[hooks.on]]\nevent = 'BeforeTool'\nblock = 'no'")?;
    /// let path = [Segment::from("hooks"), "on".into(), 0.into(), "event".into()];
    /// let error = config.mistake(&path, "`BeforeTool` is no event", Some("write `BeforeToolCall`"));
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
        ConfigError::new(
            document::wrong_at(path, message.into(), help),
            self.origin.source(),
        )
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
        let source = self.origin.source()?;
        let at = source.locate(&document::wrong_at(path, String::new(), None));
        Some(source.line(at.start))
    }

    /// Returns the file, if the configuration was read from one.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.origin.source()?.file.as_deref()
    }

    /// Returns an error for each enabled hook in `processes`.
    fn enabled_processes(&self) -> Vec<ConfigError> {
        let enabled = self.processes.iter().filter(|(_, entry)| entry.enabled);
        let mistake = |name: &String| {
            let path = ["hooks", "processes", name.as_str()].map(Segment::key);
            let wrong = Wrong {
                message: format!(
                    "the process `{name}` is enabled, and no hooks in processes are run from here"
                ),
                names: Names::Nothing,
                help: Some(
                    "write `enabled = false`; `[hooks.builtin.shell_hook]` runs a command for each call; an agent that \
                     runs the processes itself takes them out of its `HooksConfig` first"
                        .into(),
                ),
                at: At::Key,
                path: path.to_vec(),
            };
            ConfigError::new(wrong, self.origin.source())
        };
        enabled.map(|(name, _)| mistake(name)).collect()
    }

    /// Returns the JSON Schema of a file, for editors.
    ///
    /// ```
    /// let schema = hooks_builtin::config::HooksConfig::json_schema_of_file();
    /// assert_eq!(schema.get("required"), Some(&serde_json::json!(["hooks"])));
    /// ```
    #[must_use]
    pub fn json_schema_of_file() -> schemars::Schema {
        schemars::schema_for!(File)
    }
}
