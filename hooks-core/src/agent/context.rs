//! What every hook of the standard vocabulary may read beside the event.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// Where in an agent's life an event happens.
///
/// ```
/// use hooks_core::agent::AgentContext;
///
/// let cx = AgentContext::new("session 1").with_agent_id("coder").with_cwd("/work").with_turn(3);
/// assert_eq!((cx.session_id.as_str(), cx.turn, cx.depth), ("session 1", 3, 0));
/// assert_eq!(cx.tenant_id, None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentContext {
    /// The session.
    pub session_id: String,
    /// The agent; empty where there is only one.
    pub agent_id: String,
    /// The tenant, where there are several: GoClaw's `tenant_id`.
    pub tenant_id: Option<String>,
    /// The directory that the agent works in; empty if it has none.
    pub cwd: String,
    /// How many turns the session has had before this one.
    pub turn: u32,
    /// How deep the agent is nested in others: 0 for one that no other agent started.
    pub depth: u32,
}

impl AgentContext {
    /// The context of a session's first turn.
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

    /// Sets the tenant.
    #[must_use]
    pub fn with_tenant_id(mut self, tenant_id: impl Into<String>) -> Self {
        self.tenant_id = Some(tenant_id.into());
        self
    }

    /// Sets the directory that the agent works in.
    #[must_use]
    pub fn with_cwd(mut self, cwd: impl Into<String>) -> Self {
        self.cwd = cwd.into();
        self
    }

    /// Sets how many turns the session has had before this one.
    #[must_use]
    pub fn with_turn(mut self, turn: u32) -> Self {
        self.turn = turn;
        self
    }

    /// Sets how deep the agent is nested in others.
    #[must_use]
    pub fn with_depth(mut self, depth: u32) -> Self {
        self.depth = depth;
        self
    }
}
