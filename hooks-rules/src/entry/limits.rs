//! Limits for all hooks: `[hooks.limits]`.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::OnEntry;

/// Limits for all hooks that `hooks-runtime` runs: `[hooks.limits]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// How long all hooks of one event may take together. By default, hooks of our own files have "10s", and so have
    /// GoClaw's. Hooks of other systems' files then only have the timeouts of their system.
    #[serde(with = "super::some_duration", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub chain: Option<Duration>,
    /// How deep subagents may be nested for handlers to run. The default is 3. In a deeper subagent, rules still run,
    /// but a handler fails without being asked, and its `on_failure` applies.
    pub depth: u32,
    /// When a hook that fails repeatedly is skipped for a while.
    pub breaker: BreakerConfig,
    /// How many handlers (commands, processes, requests and model calls) may run at once on events that hooks decide
    /// about. As many again may run on observed events. The default is 64.
    pub concurrency: NonZeroU32,
    /// How many observed events may wait for their hooks. Further events are dropped and counted. The default is 1024.
    pub background: NonZeroU32,
    /// How many times per turn hooks may prevent an agent from stopping. After that, they are no longer asked. The
    /// default is 8.
    pub stops: u32,
    /// The longest time that a hook of another system's file may take, even if the file allows more. By default, the
    /// file decides.
    #[serde(with = "super::some_duration", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub timeout: Option<Duration>,
    /// The kinds of handlers that do not run in this file, its imports and its built-in hooks: the keys of handlers in
    /// `[[hooks.on]]`, such as `command`, `http` and `process`, and `file`, for imports and for logs in files. A hook of
    /// such a kind blocks where it could block, and is off elsewhere. By default, all run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub refuse: BTreeSet<String>,
}

impl LimitsConfig {
    /// The default of [`chain`](Self::chain), for hooks that have one.
    pub const CHAIN: Duration = Duration::from_secs(10);

    /// The kind in [`refuse`](Self::refuse) of what reads or writes files: imports and `jsonl_log`.
    pub const FILE: &str = "file";

    /// Returns the kinds that [`refuse`](Self::refuse) can have.
    #[must_use]
    pub fn kinds() -> Vec<&'static str> {
        let handlers = <OnEntry>::HANDLERS.into_iter();
        handlers.chain([LimitsConfig::FILE]).collect()
    }
}

impl Default for LimitsConfig {
    fn default() -> Self {
        LimitsConfig {
            chain: None,
            depth: 3,
            breaker: BreakerConfig::default(),
            concurrency: const { NonZeroU32::new(64).unwrap() },
            background: const { NonZeroU32::new(1024).unwrap() },
            stops: 8,
            timeout: None,
            refuse: BTreeSet::new(),
        }
    }
}

/// A circuit breaker: after `faults` failures within the time `within`, the hook is not asked for the time
/// `retry_after`, and its `on_failure` applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BreakerConfig {
    /// The number of failures. The default is 5.
    pub faults: NonZeroU32,
    /// The time within which the failures are counted. The default is "1m".
    #[serde(with = "hooks_config::duration")]
    #[schemars(with = "String")]
    pub within: Duration,
    /// How long the hook is not asked. Then one event tries it again. The default is "30s".
    #[serde(with = "hooks_config::duration")]
    #[schemars(with = "String")]
    pub retry_after: Duration,
}

impl Default for BreakerConfig {
    fn default() -> Self {
        BreakerConfig {
            faults: const { NonZeroU32::new(5).unwrap() },
            within: Duration::from_mins(1),
            retry_after: Duration::from_secs(30),
        }
    }
}
