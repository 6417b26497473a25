//! The forms in which other systems name hooks that factories create: ClawSeed's `[[hooks.chain]]`, and PicoClaw's
//! `[hooks.builtins]` and `[hooks.defaults]`.
//!
//! All of them are lowered to one list of [`FactoryEntry`], in the order in which the hooks run.

use std::num::NonZeroU64;
use std::time::Duration;

use hooks_core::Timeouts;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HooksConfig, Segment};

/// A hook that a factory creates.
pub(super) struct FactoryEntry<'a> {
    pub(super) is_enabled: bool,
    pub(super) hook_type: &'a str,
    pub(super) settings: &'a Value,
    /// The path of the entry, and of the name of its type.
    pub(super) path: Vec<Segment>,
    pub(super) type_path: Vec<Segment>,
}

/// Returns the entries of all forms, in the order in which the hooks run.
pub(super) fn entries(config: &HooksConfig) -> impl Iterator<Item = FactoryEntry<'_>> {
    let key = Segment::key;
    let chain = config.chain.iter().enumerate().map(move |(index, entry)| {
        let path = vec![key("hooks"), key("chain"), Segment::Index(index)];
        FactoryEntry {
            is_enabled: entry.enabled,
            hook_type: &entry.hook_type,
            settings: &entry.config,
            type_path: [path.clone(), vec![key("type")]].concat(),
            path,
        }
    });
    let mut builtins: Vec<_> = config.builtins.iter().collect();
    // In this table, lower priorities run first, and equal ones in the order of their names, which is the map's order.
    builtins.sort_by_key(|(_, entry)| entry.priority);
    let builtins = builtins.into_iter().map(move |(hook_type, entry)| {
        let path = vec![key("hooks"), key("builtins"), key(hook_type)];
        FactoryEntry {
            is_enabled: entry.enabled,
            hook_type,
            settings: &entry.config,
            type_path: path.clone(),
            path,
        }
    });
    chain.chain(builtins)
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
    pub(super) fn is_empty(&self) -> bool {
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

pub(super) fn is_nothing(config: &Value) -> bool {
    config.as_object().is_some_and(serde_json::Map::is_empty)
}
