//! GoClaw's format, which is not a table: its ids are hashes, and its raw input is another thing on each event.

use hooks_core::agent::AgentEvent;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value, json};

use super::{Dialect, HandlerQuestion};
use crate::events;

/// The keys that its program sends, and those that its documentation names.
pub(super) fn input(ask: &HandlerQuestion<'_>) -> Map<String, Value> {
    let cx = ask.cx;
    let tool = ask.tool.or_else(|| events::subject(&ask.event));
    let args = ask.args.or_else(|| events::args(&ask.event));
    let tool = tool.filter(|_| args.is_some()).unwrap_or_default();
    let raw = match ask.event {
        AgentEvent::MessageReceived(message) => message.content.clone(),
        AgentEvent::SubagentStart(start) => start.prompt.clone(),
        AgentEvent::SubagentStop(stop) => stop.response.to_owned(),
        AgentEvent::BeforeStop(stop) => stop.response.clone(),
        AgentEvent::AgentEnd(end) => end.response.to_owned(),
        AgentEvent::ToolCallEnd(done) => done.output.content.clone(),
        _ => args.map(Value::to_string).unwrap_or_default(),
    };
    // A turn may have several messages, and all hooks on one of them get the same id.
    let of_message = || {
        let own = match ask.event {
            AgentEvent::MessageReceived(message) => message.id.as_deref(),
            _ => None,
        };
        let text = own.unwrap_or_default().to_owned() + &raw;
        let hash = digest(&SHA256, text.as_bytes());
        let hash = hex::encode(&hash.as_ref()[..8]);
        match text.as_str() {
            "" => ask.named.to_owned(),
            _ => format!("{}:{hash}", ask.named),
        }
    };
    let id = events::call_id(&ask.event).filter(|id| !id.is_empty());
    let id = id.map_or_else(of_message, str::to_owned);
    let event = Dialect::Goclaw
        .system()
        .event(ask.info, ask.named, Some((cx, &ask.event)));
    let fields = [
        (
            "EventID",
            "eventId",
            json!(format!("{}:{}:{id}", cx.session_id, cx.turn)),
        ),
        ("SessionID", "sessionId", json!(cx.session_id)),
        (
            "TenantID",
            "tenantId",
            json!(cx.tenant_id.as_deref().unwrap_or_default()),
        ),
        ("AgentID", "agentId", json!(cx.agent_id)),
        ("ToolName", "toolName", json!(tool)),
        ("ToolInput", "toolInput", json!(args)),
        ("RawInput", "rawInput", json!(raw)),
        ("Depth", "depth", json!(cx.depth)),
        (
            "HookEvent",
            "hookEvent",
            json!(event.map_or(ask.named, |event| &event.named)),
        ),
    ];
    let first = fields
        .iter()
        .map(|(key, _, value)| ((*key).to_owned(), value.clone()));
    let second = fields
        .iter()
        .map(|(_, key, value)| ((*key).to_owned(), value.clone()));
    first.chain(second).collect()
}
