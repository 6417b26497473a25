//! Gateways, sessions, prompts, and agents within agents.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::Usage;

/// The gateway listens. ZeroClaw's `on_gateway_start`.
///
/// ```
/// use hooks_core::agent::GatewayStart;
/// let start = GatewayStart { host: "127.0.0.1", port: 8080 };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayStart<'a> {
    /// The host that it listens on.
    pub host: &'a str,
    /// The port.
    pub port: u16,
}

/// The gateway has stopped. ZeroClaw's `on_gateway_stop`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayStop;

/// The heartbeat worker has ticked. ZeroClaw's `on_heartbeat_tick`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeartbeatTick;

/// A session has started. ZeroClaw's `on_session_start`, GoClaw's `session_start`.
///
/// Hooks cannot block it. The model reads what they add to `context` together with the session's first prompt.
///
/// ```
/// use hooks_core::agent::{AgentContext, SessionStart};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn house_rules(session: &mut SessionStart) {
///     session.context.push("Tests come first.".into());
/// }
///
/// let mut session = SessionStart::new("s1", "cli");
/// assert!(hooks![house_rules].intercept_now(&AgentContext::new("s1"), &mut session).is_continue());
/// assert_eq!(session.context, ["Tests come first."]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionStart {
    /// The session.
    pub session_id: String,
    /// The channel of the session, such as `cli` or `slack`.
    pub channel: String,
    /// How it started, such as `startup`, `resume` or `clear`; empty by default.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The model that it starts with, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Text that hooks add for the model to read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl SessionStart {
    /// A session that has started.
    #[must_use]
    pub fn new(session_id: impl Into<String>, channel: impl Into<String>) -> Self {
        SessionStart {
            session_id: session_id.into(),
            channel: channel.into(),
            ..SessionStart::default()
        }
    }
}

/// A session has ended. ZeroClaw's `on_session_end`.
///
/// ```
/// use hooks_core::agent::SessionEnd;
/// let end = SessionEnd { session_id: "s1", channel: "cli", reason: "logout" };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEnd<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The channel of the session.
    pub channel: &'a str,
    /// Why, such as `logout` or `timeout`; empty by default.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub reason: &'a str,
}

/// The agent starts to work on a prompt. mini-claw-code's `AgentStart`.
///
/// ```
/// use hooks_core::agent::AgentStart;
/// let start = AgentStart { prompt: "Tidy up." };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStart<'a> {
    /// The prompt.
    pub prompt: &'a str,
}

/// How an agent's work on a prompt ended.
///
/// ```
/// use hooks_core::agent::AgentStatus;
/// assert_eq!(AgentStatus::default(), AgentStatus::Completed);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentStatus {
    /// The agent answered. The default.
    #[default]
    Completed,
    /// An error ended it.
    Failed,
    /// A hook or a user ended it.
    Aborted,
}

/// The agent has finished with a prompt. mini-claw-code's `AgentEnd`, GoClaw's `stop`.
///
/// ```
/// use hooks_core::agent::{AgentEnd, AgentStatus};
///
/// let end = AgentEnd { response: "Done.", ..Default::default() };
/// assert_eq!((end.status, end.usage.total()), (AgentStatus::Completed, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentEnd<'a> {
    /// The answer; empty if there is none.
    pub response: &'a str,
    /// How it ended.
    #[serde(default)]
    pub status: AgentStatus,
    /// What all model calls of the turn used together.
    #[serde(default)]
    pub usage: Usage,
    /// How long the turn took.
    #[serde(default)]
    pub duration: Duration,
}

/// An error stopped the agent, or part of its work. PicoClaw's `agent.error`.
///
/// These failures are reported elsewhere: a failed model call as [`LlmFailed`](super::LlmFailed), an unsent message
/// as [`MessageFailed`](super::MessageFailed), a failed tool as an output with `is_error`.
///
/// ```
/// use hooks_core::agent::AgentError;
/// let error = AgentError { stage: "compact", message: "the summary is empty" };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentError<'a> {
    /// What the agent was doing, such as `model`, `tools` or `compact`.
    pub stage: &'a str,
    /// What went wrong.
    pub message: &'a str,
}

/// Before a subagent starts. GoClaw's `subagent_start`.
///
/// ```
/// use hooks_core::agent::{AgentContext, SubagentStart};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn not_too_deep(cx: &AgentContext, _: &SubagentStart) -> HookAction<SubagentStart> {
///     if cx.depth >= 3 { HookAction::block("agents nest three deep at most") } else { HookAction::Continue }
/// }
///
/// let cx = AgentContext::new("s1").with_depth(3);
/// let mut start = SubagentStart::new("1", "reviewer", "Review it.");
/// assert!(!hooks![not_too_deep].intercept_now(&cx, &mut start).is_continue());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SubagentStart {
    /// Identifies the subagent, here and in [`SubagentStop`].
    pub id: String,
    /// The subagent's kind or name.
    pub agent: String,
    /// Its prompt.
    pub prompt: String,
    /// Text that hooks add for the subagent's model to read besides the prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl SubagentStart {
    /// A subagent that is about to start.
    #[must_use]
    pub fn new(id: impl Into<String>, agent: impl Into<String>, prompt: impl Into<String>) -> Self {
        SubagentStart {
            id: id.into(),
            agent: agent.into(),
            prompt: prompt.into(),
            context: Vec::new(),
        }
    }
}

/// A subagent has finished. GoClaw's `subagent_stop`.
///
/// ```
/// use hooks_core::agent::SubagentStop;
/// let stop = SubagentStop { id: "1", agent: "reviewer", response: "Fine.", ..Default::default() };
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubagentStop<'a> {
    /// Identifies the subagent.
    #[serde(default)]
    pub id: &'a str,
    /// The subagent's kind or name.
    pub agent: &'a str,
    /// Its answer.
    pub response: &'a str,
    /// How it ended.
    #[serde(default)]
    pub status: AgentStatus,
}

/// Before the agent stops working on a prompt. To block it is to make the agent continue, with the reason as
/// feedback.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeStop};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn test_first(stop: &BeforeStop) -> HookAction<BeforeStop> {
///     // A hook that never gave up would keep the agent going for ever.
///     if stop.attempt < 3 && !stop.response.contains("tests pass") {
///         return HookAction::block("run the tests first");
///     }
///     HookAction::Continue
/// }
///
/// let hooks = hooks![test_first];
/// let cx = AgentContext::new("s1");
/// assert!(!hooks.intercept_now(&cx, &mut BeforeStop::new("Done.", 0)).is_continue());
/// assert!(hooks.intercept_now(&cx, &mut BeforeStop::new("Done.", 3)).is_continue());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeStop {
    /// The answer that the agent is about to give.
    pub response: String,
    /// How many times a hook has made the agent continue in this turn: 0 the first time. Claude Code's
    /// `stop_hook_active` is `attempt > 0`.
    pub attempt: u32,
}

impl BeforeStop {
    /// An agent that is about to stop.
    #[must_use]
    pub fn new(response: impl Into<String>, attempt: u32) -> Self {
        BeforeStop {
            response: response.into(),
            attempt,
        }
    }
}
