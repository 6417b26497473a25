//! What every hook of the standard vocabulary may read besides the event.

use alloc::string::String;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where in an agent's life an event happens.
///
/// Text is empty if the agent has no value for it. Missing JSON keys take the default.
///
/// ```
/// use hooks_core::agent::AgentContext;
///
/// let cx = AgentContext::new("session 1").with_agent_id("coder").with_cwd("/work").with_turn(3);
/// assert_eq!((cx.session_id.as_str(), cx.turn, cx.depth), ("session 1", 3, 0));
/// assert_eq!(cx.tenant_id, None);
///
/// let cx: AgentContext = serde_json::from_str(r#"{ "session_id": "s1" }"#).unwrap();
/// assert_eq!(cx, AgentContext::new("s1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentContext {
    /// The session: one conversation, with all its turns.
    pub session_id: String,
    /// The agent; empty if there is only one.
    pub agent_id: String,
    /// The kind of the agent, such as `coder` or `reviewer`; empty if there is only one.
    pub agent_type: String,
    /// The tenant, if there are several: GoClaw's `tenant_id`.
    pub tenant_id: Option<String>,
    /// The run: one piece of work of one agent, from its prompt to its answer. A subagent has a run of its own.
    pub run_id: String,
    /// The run that started this one, if another agent did.
    pub parent_run_id: Option<String>,
    /// The directory that the agent works in; empty if it has none.
    pub cwd: String,
    /// The project's directory, which contains `cwd` or equals it; empty if there is none.
    pub project_dir: String,
    /// The number of earlier turns in the session: 0 in the first turn.
    ///
    /// A turn is one prompt that the agent works on, from [`AgentStart`](super::AgentStart) to
    /// [`AgentEnd`](super::AgentEnd). It is *not* one model call: a turn with three tool calls in a row calls the
    /// model four times, and this number stays the same. rig counts differently: its `turn` is the model call within
    /// a prompt, and starts at 1.
    pub turn: u32,
    /// How deep the agent is nested: 0 for an agent that no other agent started.
    pub depth: u32,
    /// The channel of the prompt, such as `cli` or `slack`; empty if it has no name.
    pub channel: String,
    /// The chat or thread in the channel; empty if there is none.
    pub chat_id: String,
    /// Who sent the prompt, if that is known.
    pub sender: Option<String>,
    /// The trace that the turn belongs to, as tracing systems such as OpenTelemetry name it.
    pub trace_id: Option<String>,
    /// Data of your own agent, such as a user's rights.
    pub extra: Map<String, Value>,
}

impl AgentContext {
    /// The context of a session's first turn.
    ///
    /// ```
    /// use hooks_core::agent::AgentContext;
    /// assert_eq!(AgentContext::new("s1").turn, 0);
    /// ```
    #[must_use]
    pub fn new(session_id: impl Into<String>) -> Self {
        AgentContext {
            session_id: session_id.into(),
            ..AgentContext::default()
        }
    }

    /// Sets the agent.
    #[must_use]
    pub fn with_agent_id(mut self, agent_id: impl Into<String>) -> Self {
        self.agent_id = agent_id.into();
        self
    }

    /// Sets the kind of the agent.
    #[must_use]
    pub fn with_agent_type(mut self, agent_type: impl Into<String>) -> Self {
        self.agent_type = agent_type.into();
        self
    }

    /// Sets the tenant.
    #[must_use]
    pub fn with_tenant_id(mut self, tenant_id: impl Into<String>) -> Self {
        self.tenant_id = Some(tenant_id.into());
        self
    }

    /// Sets the run.
    #[must_use]
    pub fn with_run_id(mut self, run_id: impl Into<String>) -> Self {
        self.run_id = run_id.into();
        self
    }

    /// Sets the run that started this one.
    #[must_use]
    pub fn with_parent_run_id(mut self, parent_run_id: impl Into<String>) -> Self {
        self.parent_run_id = Some(parent_run_id.into());
        self
    }

    /// Sets the directory that the agent works in.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets the directory of the project.
    #[must_use]
    pub fn with_project_dir(mut self, project_dir: impl Into<String>) -> Self {
        self.project_dir = project_dir.into();
        self
    }

    /// Sets the number of earlier turns in the session.
    #[must_use]
    pub fn with_turn(mut self, turn: u32) -> Self {
        self.turn = turn;
        self
    }

    /// Sets how deep the agent is nested.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }

    /// Sets the channel.
    #[must_use]
    pub fn with_channel(mut self, channel: impl Into<String>) -> Self {
        self.channel = channel.into();
        self
    }

    /// Sets the chat or thread in the channel.
    #[must_use]
    pub fn with_chat_id(mut self, chat_id: impl Into<String>) -> Self {
        self.chat_id = chat_id.into();
        self
    }

    /// Sets who sent the prompt.
    #[must_use]
    pub fn with_sender(mut self, sender: impl Into<String>) -> Self {
        self.sender = Some(sender.into());
        self
    }

    /// Sets the trace that the turn belongs to.
    #[must_use]
    pub fn with_trace_id(mut self, trace_id: impl Into<String>) -> Self {
        self.trace_id = Some(trace_id.into());
        self
    }

    /// Adds your own value to [`extra`](Self::extra), and replaces one with the same key.
    ///
    /// ```
    /// use hooks_core::agent::AgentContext;
    ///
    /// let cx = AgentContext::new("s1").with_extra("roles", ["admin"].as_slice());
    /// assert_eq!(cx.extra["roles"][0], "admin");
    /// ```
    #[must_use]
    pub fn with_extra(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(key.into(), value.into());
        self
    }
}
