//! What every event has: its row in the table of events, and the tool that it is about.

use hooks_core::agent::AgentEvent;
use hooks_rules::cel::size_of;
use hooks_rules::events::{EVENTS, EventInfo};
use serde_json::Value;

/// Returns the row of an event.
#[inline]
#[must_use]
pub fn info(event: &AgentEvent<'_>) -> &'static EventInfo {
    &EVENTS[event.info().index as usize]
}

/// Returns the arguments of the tool, for events about one.
#[inline]
#[must_use]
pub fn args<'a>(event: &AgentEvent<'a>) -> Option<&'a Value> {
    match *event {
        AgentEvent::InvalidToolCall(call) => Some(&call.args),
        AgentEvent::BeforeToolCall(call) => Some(&call.args),
        AgentEvent::ApproveToolCall(call) => Some(call.args),
        AgentEvent::ToolCallStart(call) => Some(call.args),
        AgentEvent::AfterToolCall(call) => Some(&call.args),
        AgentEvent::ToolCallEnd(call) => Some(call.args),
        AgentEvent::ToolCallSkipped(call) => Some(call.args),
        _ => None,
    }
}

/// Returns the subject of an event: the name of the tool, or the kind of a custom event.
#[inline]
#[must_use]
pub fn subject<'a>(event: &AgentEvent<'a>) -> Option<&'a str> {
    Some(match *event {
        AgentEvent::InvalidToolCall(call) => &call.name,
        AgentEvent::BeforeToolCall(call) => &call.name,
        AgentEvent::ApproveToolCall(call) => call.name,
        AgentEvent::ToolCallStart(call) => call.name,
        AgentEvent::AfterToolCall(call) => &call.name,
        AgentEvent::ToolCallEnd(call) => call.name,
        AgentEvent::ToolCallSkipped(call) => call.name,
        AgentEvent::Custom(event) => event.kind,
        _ => return None,
    })
}

/// Returns the id and the tool of a tool call, which its arguments do not have; two empty texts for other events.
#[inline]
#[must_use]
pub fn call<'a>(event: &AgentEvent<'a>) -> (&'a str, &'a str) {
    match *event {
        AgentEvent::InvalidToolCall(call) => (&call.id, &call.name),
        AgentEvent::BeforeToolCall(call) => (&call.id, &call.name),
        AgentEvent::ApproveToolCall(call) => (call.id, call.name),
        AgentEvent::ToolCallStart(call) => (call.id, call.name),
        AgentEvent::AfterToolCall(call) => (&call.id, &call.name),
        AgentEvent::ToolCallEnd(call) => (call.id, call.name),
        AgentEvent::ToolCallSkipped(call) => (call.id, call.name),
        _ => ("", ""),
    }
}

/// Returns the size of a tool call, in bytes of JSON, approximately. Counting stops beyond `most`.
#[inline]
#[must_use]
pub fn size_of_call(event: &AgentEvent<'_>, args: &Value, most: usize) -> usize {
    let (id, name) = call(event);
    size_of(args, most) + id.len() + name.len()
}
