//! Hooks in processes of their own, as PicoClaw configures them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::handler::HiddenTable;

/// A hook in a process of its own: `hooks.processes.<name>`, in PicoClaw's form.
///
/// The names in `observe` and `intercept` are PicoClaw's. Any other name is an error.
///
/// ```
/// use hooks_config::Document;
/// use hooks_runtime::entry::FileConfig;
///
/// let of = |name: &str| FileConfig::of(&Document::json(&format!(
///     r#"{{ "hooks": {{ "processes": {{ "review": {{ "command": ["review"], "intercept": ["{name}"] }} }} }} }}"#
/// )).unwrap());
/// assert!(of("before_tool").is_ok());
/// assert_eq!(of("befor_tool").unwrap_err().path(), "hooks.processes.review.intercept[0]");
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessEntry {
    /// Whether the hook is on. The default is `true`.
    #[serde(default = "on")]
    pub enabled: bool,
    /// The order among these hooks: lower numbers run first. The default is 0.
    #[serde(default)]
    pub priority: i32,
    /// How the agent talks to the process. `stdio` is the default, and the only transport.
    #[serde(default)]
    pub transport: Transport,
    /// The program, and its arguments.
    pub command: Vec<String>,
    /// The working directory. The default is the current directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
    /// Environment variables of the process, in addition to the agent's. The default is none.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The runtime events that the process receives, such as `agent.tool.exec_start`. `*` is all of them. PicoClaw's
    /// older names are read as their current names. The default is none.
    #[serde(default, deserialize_with = "observed")]
    pub observe: Vec<String>,
    /// The events that the process decides about, such as `before_tool`. The default is none.
    #[serde(default, deserialize_with = "intercepted")]
    pub intercept: Vec<String>,
}

/// Hides the values of the environment variables.
impl fmt::Debug for ProcessEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessEntry")
            .field("enabled", &self.enabled)
            .field("priority", &self.priority)
            .field("transport", &self.transport)
            .field("command", &self.command)
            .field("dir", &self.dir)
            .field("env", &HiddenTable(&self.env))
            .field("observe", &self.observe)
            .field("intercept", &self.intercept)
            .finish()
    }
}

/// How the agent talks to a hook in a process of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// JSON-RPC over standard input and output, one message per line.
    #[default]
    Stdio,
}

fn on() -> bool {
    true
}

const INTERCEPTED: &[&str] = &[
    "before_llm",
    "after_llm",
    "before_tool",
    "after_tool",
    "approve_tool",
];

/// PicoClaw's runtime events. Those of agents also have an older name: `tool_exec_start` is `agent.tool.exec_start`.
const OBSERVED: &[&str] = &[
    "*",
    "agent.turn.start",
    "agent.turn.end",
    "agent.llm.request",
    "agent.llm.delta",
    "agent.llm.response",
    "agent.llm.retry",
    "agent.context.compress",
    "agent.session.summarize",
    "agent.tool.exec_start",
    "agent.tool.exec_end",
    "agent.tool.exec_skipped",
    "agent.steering.injected",
    "agent.follow_up.queued",
    "agent.interrupt.received",
    "agent.subturn.spawn",
    "agent.subturn.end",
    "agent.subturn.result_delivered",
    "agent.subturn.orphan",
    "agent.error",
    "channel.lifecycle.started",
    "channel.lifecycle.initialized",
    "channel.lifecycle.start_failed",
    "channel.lifecycle.stopped",
    "channel.webhook.registered",
    "channel.webhook.unregistered",
    "channel.message.outbound_queued",
    "channel.message.outbound_sent",
    "channel.message.outbound_failed",
    "channel.rate_limited",
    "bus.publish.failed",
    "bus.close.started",
    "bus.close.completed",
    "bus.close.drained",
    "gateway.start",
    "gateway.ready",
    "gateway.shutdown",
    "gateway.reload.started",
    "gateway.reload.completed",
    "gateway.reload.failed",
    "mcp.server.connected",
    "mcp.server.connecting",
    "mcp.server.failed",
    "mcp.tool.discovered",
    "mcp.tool.call.start",
    "mcp.tool.call.end",
];

/// A name of one of the lists, in its current form. An error points at the name, not at its list.
struct ProcessEventName<const OBSERVES: bool>(&'static str);

impl<'de, const OBSERVES: bool> Deserialize<'de> for ProcessEventName<OBSERVES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = if OBSERVES { OBSERVED } else { INTERCEPTED };
        let is_old = |known: &str| {
            let new = known.strip_prefix("agent.");
            new.is_some_and(|new| new.replace('.', "_") == name)
        };
        // PicoClaw also accepts these two for `*`.
        let is_all = OBSERVES && matches!(&*name, "" | "all");
        let is_meant = |known: &str| known == name || is_old(known) || (is_all && known == "*");
        let found = known.iter().find(|known| is_meant(known));
        found
            .map(|known| ProcessEventName(known))
            .ok_or_else(|| D::Error::unknown_variant(&name, known))
    }
}

fn observed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<ProcessEventName<true>>::deserialize(deserializer)?;
    Ok(names
        .iter()
        .map(|ProcessEventName(name)| (*name).to_owned())
        .collect())
}

fn intercepted<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<ProcessEventName<false>>::deserialize(deserializer)?;
    Ok(names
        .iter()
        .map(|ProcessEventName(name)| (*name).to_owned())
        .collect())
}
