//! The subject of an event: the tool's name, or the kind of a custom event.

use hooks_core::Subject;
use hooks_core::agent::AgentEvent;

/// Returns the tool of an event on a tool call, or the kind of a custom event.
pub(crate) fn subject(event: AgentEvent<'_>) -> Option<&str> {
    match event {
        AgentEvent::InvalidToolCall(call) => Some(call.subject()),
        AgentEvent::BeforeToolCall(call) => Some(call.subject()),
        AgentEvent::ApproveToolCall(call) => Some(call.subject()),
        AgentEvent::AfterToolCall(call) => Some(call.subject()),
        AgentEvent::ToolCallStart(call) => Some(call.subject()),
        AgentEvent::ToolCallEnd(call) => Some(call.subject()),
        AgentEvent::ToolCallSkipped(call) => Some(call.subject()),
        AgentEvent::Custom(event) => Some(event.subject()),
        _ => None,
    }
}
