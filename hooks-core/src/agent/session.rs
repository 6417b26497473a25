//! Gateways, sessions, prompts, and agents within agents.

use alloc::string::String;

use serde::{Deserialize, Serialize};

/// The gateway has started to listen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayStart<'a> {
    /// The host that it listens on.
    pub host: &'a str,
    /// The port.
    pub port: u16,
}

/// The gateway has stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayStop;

/// The heartbeat worker has ticked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeartbeatTick;

/// A session has started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStart<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The channel that it came by, such as `cli` or `slack`.
    pub channel: &'a str,
}

/// A session has ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEnd<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The channel that it came by.
    pub channel: &'a str,
}

/// The agent starts to work on a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentStart<'a> {
    /// What it was asked.
    pub prompt: &'a str,
}

/// The agent has finished with a prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentEnd<'a> {
    /// What it answered.
    pub response: &'a str,
}

/// Before a subagent starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubagentStart {
    /// The kind or the name of the subagent.
    pub agent: String,
    /// What it is asked.
    pub prompt: String,
}

/// A subagent has finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubagentStop<'a> {
    /// The kind or the name of the subagent.
    pub agent: &'a str,
    /// What it answered.
    pub response: &'a str,
}

/// Before the agent stops working on a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforeStop {
    /// What it is about to answer.
    pub response: String,
}

/// Before the conversation is compacted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforeCompact {
    /// Why, such as `auto` or `manual`.
    pub trigger: String,
    /// What the summary should keep.
    pub instructions: String,
}
