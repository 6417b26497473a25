//! What hooks of a system's own files read, as data: a row for each key of an event.
#![expect(clippy::unnecessary_wraps, reason = "all rows have one type")]

use hooks_core::agent::AgentEvent;
use serde_json::{Value, json};

use super::Ask;
use super::input::{of_output, of_tool, or, response};
use crate::events;

/// What stands under a key; nothing, if the event has no such thing. The text is the system's name of the event.
pub(crate) type Get = fn(&Ask<'_>, &'static str) -> Option<Value>;
/// A key, and what stands there.
pub(crate) type Row = (&'static str, Get);

/// What the agent says of itself under this key, or null.
fn of_the_agent(ask: &Ask<'_>, key: &str) -> Value {
    ask.cx.extra.get(key).cloned().unwrap_or_default()
}

macro_rules! gets {
    ($($(#[$doc:meta])* $name:ident = |$ask:pat_param| $value:expr;)*) => {
        $(
            $(#[$doc])*
            pub(crate) fn $name($ask: &Ask<'_>, _: &'static str) -> Option<Value> {
                $value
            }
        )*
    };
}

gets! {
    session = |ask| Some(json!(ask.cx.session_id));
    turn = |ask| Some(json!(format!("{}:{}", ask.cx.session_id, ask.cx.turn)));
    cwd = |ask| Some(json!(ask.cx.cwd));
    /// The folders that the agent works in.
    roots = |ask| Some(json!([ask.cx.cwd]));
    time = |_| Some(json!(jiff::Timestamp::now().to_string()));
    millis = |_| Some(json!(jiff::Timestamp::now().as_millisecond()));
    transcript = |ask| Some(of_the_agent(ask, "transcript_path"));
    mode = |ask| Some(ask.cx.extra.get("permission_mode").cloned().unwrap_or(json!("default")));
    model = |ask| Some(of_the_agent(ask, "model"));
    tool = |ask| Some(json!(of_tool(ask)?.0));
    args = |ask| Some(of_tool(ask)?.1.clone());
    /// JSON in a text.
    args_text = |ask| Some(json!(of_tool(ask)?.1.to_string()));
    command = |ask| Some(of_tool(ask)?.1["command"].clone());
    path = |ask| Some(json!(super::path_of(of_tool(ask)?.1)));
    call_id = |ask| Some(json!(events::call_id(&ask.event)));
    /// The output, with the keys of Claude Code's own tools.
    shaped = |ask| {
        let (tool, args) = of_tool(ask)?;
        Some(response(tool, args, of_output(&ask.event)?.0))
    };
    /// The output, as Gemini CLI and its heirs write it.
    shown = |ask| {
        let output = of_output(&ask.event)?.0;
        let shown = output.for_user.as_ref().unwrap_or(&output.content);
        Some(json!({ "llmContent": output.content, "returnDisplay": shown }))
    };
    output = |ask| Some(json!(of_output(&ask.event)?.0.content));
    output_text = |ask| Some(json!(json!(of_output(&ask.event)?.0.content).to_string()));
    duration = |ask| Some(json!(of_output(&ask.event)?.1));
    no = |_| Some(json!(false));
    none = |_| Some(json!([]));
    null = |_| Some(Value::Null);
    text = |ask| Some(json!(match ask.event {
        AgentEvent::MessageReceived(message) => &*message.content,
        AgentEvent::MessageSending(message) => &*message.content,
        AgentEvent::Notification(notification) => notification.message,
        AgentEvent::BeforeStop(stop) => &*stop.response,
        AgentEvent::ToolCallSkipped(call) => call.reason,
        AgentEvent::AgentError(error) => error.message,
        _ => return None,
    }));
    /// Whether the agent has been told to go on before.
    again = |ask| match ask.event {
        AgentEvent::BeforeStop(stop) => Some(json!(stop.attempt > 0)),
        _ => None,
    };
    attempt = |ask| match ask.event {
        AgentEvent::BeforeStop(stop) => Some(json!(stop.attempt)),
        _ => None,
    };
    /// Why it happens: how a session began or ended, what compacts the conversation, what kind of notification it is.
    why = |ask| Some(json!(match ask.event {
        AgentEvent::SessionStart(start) => or(&start.source, "startup"),
        AgentEvent::SessionEnd(end) => or(end.reason, "other"),
        AgentEvent::BeforeCompact(compact) => or(&compact.trigger, "auto"),
        AgentEvent::AfterCompact(compact) => or(compact.trigger, "auto"),
        AgentEvent::Notification(notification) => notification.kind,
        _ => return None,
    }));
    title = |ask| match ask.event {
        AgentEvent::Notification(notification) => Some(json!(notification.title)),
        _ => None,
    };
    instructions = |ask| match ask.event {
        AgentEvent::BeforeCompact(compact) => Some(json!(compact.instructions)),
        _ => None,
    };
    agent_id = |ask| match ask.event {
        AgentEvent::SubagentStart(start) => Some(json!(start.id)),
        _ => (ask.cx.depth > 0).then(|| json!(ask.cx.agent_id)),
    };
    agent_type = |ask| match ask.event {
        AgentEvent::SubagentStart(start) => Some(json!(start.agent)),
        _ => (ask.cx.depth > 0).then(|| json!(ask.cx.agent_type)),
    };
    task = |ask| match ask.event {
        AgentEvent::SubagentStart(start) => Some(json!(start.prompt)),
        _ => None,
    };
}

/// The system's name of the event.
pub(crate) fn named(_: &Ask<'_>, named: &'static str) -> Option<Value> {
    Some(json!(named))
}

/// Rows that many systems share, with Claude Code's keys.
pub(crate) const TOOL: &[Row] = &[
    ("tool_name", tool),
    ("tool_input", args),
    ("tool_use_id", call_id),
];
pub(crate) const PROMPT: &[Row] = &[("prompt", text)];
pub(crate) const SOURCE: &[Row] = &[("source", why)];
pub(crate) const REASON: &[Row] = &[("reason", why)];
pub(crate) const COMPACT: &[Row] = &[("trigger", why), ("custom_instructions", instructions)];
pub(crate) const NOTE: &[Row] = &[
    ("message", text),
    ("notification_type", why),
    ("title", title),
];
pub(crate) const SUBAGENT: &[Row] = &[("agent_id", agent_id), ("agent_type", agent_type)];
pub(crate) const STOP: &[Row] = &[
    ("stop_hook_active", again),
    ("last_assistant_message", text),
];
