//! Events in PicoClaw's format.
//!
//! `meta` and the payloads of observed events have keys in PascalCase and durations in nanoseconds, as PicoClaw's code
//! writes them. Messages and tools have OpenAI's shapes, with arguments as strings.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hooks_core::agent::{
    AgentContext, AgentEvent, ChatMessage, DeltaKind, LlmResponse, StopReason, ToolCall,
    ToolDefinition, ToolOutput,
};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::events::EventInfo;
use crate::system::HandlerQuestion;

/// The message that is sent about an event.
pub(super) enum ProcessMessage {
    Request(ProcessRequest),
    Event(Value),
}

/// A request, and the data with which its answer is compared.
pub(super) struct ProcessRequest {
    pub(super) method: &'static str,
    pub(super) params: Value,
    /// For `hook.after_llm`, the response in our form; for `hook.approve_tool`, whether a hook wants to ask a person.
    pub(super) ours: Value,
}

/// Returns the mode to which PicoClaw assigns an event.
pub(crate) fn mode_of(event: &EventInfo) -> &'static str {
    match event.name {
        "BeforeLlmCall" | "AfterLlmCall" => "llm",
        "InvalidToolCall" | "BeforeToolCall" | "AfterToolCall" => "tool",
        "ApproveToolCall" => "approve",
        _ => "observe",
    }
}

/// Returns the message that is sent about an event.
pub(super) fn message(ask: &HandlerQuestion<'_>) -> ProcessMessage {
    let cx = ask.cx;
    let request = |method, fields: Value, ours| {
        let mut params = Map::new();
        params.insert("meta".into(), meta(cx));
        params.insert("context".into(), context(cx));
        if let Value::Object(fields) = fields {
            params.extend(fields);
        }
        ProcessMessage::Request(ProcessRequest {
            method,
            params: Value::Object(params),
            ours,
        })
    };
    let before_tool = |tool: &str, arguments: &Value| {
        request(
            "hook.before_tool",
            json!({
                "tool": tool, "arguments": arguments, "channel": cx.channel, "chat_id": cx.chat_id,
            }),
            Value::Null,
        )
    };
    match ask.event {
        AgentEvent::BeforeToolCall(call) => before_tool(&call.name, &call.args),
        // A process may stand for a tool that the agent does not have.
        AgentEvent::InvalidToolCall(call) => before_tool(&call.name, &call.args),
        AgentEvent::AfterToolCall(done) => request(
            "hook.after_tool",
            json!({
                "tool": done.name,
                "arguments": done.args,
                "result": result_of(&done.output),
                "duration": nanoseconds(done.duration),
                "channel": cx.channel,
                "chat_id": cx.chat_id,
            }),
            json!(done.output),
        ),
        AgentEvent::ApproveToolCall(call) => request(
            "hook.approve_tool",
            json!({ "tool": call.name, "arguments": call.args }),
            json!(call.approval.is_wanted()),
        ),
        AgentEvent::BeforeLlmCall(call) => request(
            "hook.before_llm",
            json!({
                "model": call.model,
                "messages": call.messages.iter().map(message_of).collect::<Vec<_>>(),
                "tools": call.tools.iter().map(tool_of).collect::<Vec<_>>(),
                "options": call.options,
            }),
            Value::Null,
        ),
        AgentEvent::AfterLlmCall(call) => request(
            "hook.after_llm",
            json!({ "model": call.model, "response": response_of(&call.response) }),
            json!(call.response),
        ),
        event => {
            let (kind, payload) = observed(cx, event, ask.info);
            let params = runtime_event(cx, &kind, payload);
            ProcessMessage::Event(params)
        }
    }
}

fn turn_id(cx: &AgentContext) -> String {
    format!("{}:{}", cx.session_id, cx.turn)
}

fn meta(cx: &AgentContext) -> Value {
    json!({
        "AgentID": cx.agent_id,
        "TurnID": turn_id(cx),
        "ParentTurnID": "",
        "SessionKey": cx.session_id,
        "Iteration": cx.turn,
        "TracePath": cx.trace_id.as_deref().unwrap_or_default(),
        "Source": "",
    })
}

fn context(cx: &AgentContext) -> Value {
    json!({
        "inbound": {
            "channel": cx.channel,
            "chat_id": cx.chat_id,
            "sender_id": cx.sender.as_deref().unwrap_or_default(),
        },
    })
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn result_of(output: &ToolOutput) -> Value {
    let mut result = json!({
        "for_llm": output.content,
        "for_user": output.for_user.as_deref().unwrap_or_default(),
        "silent": output.silent,
        "is_error": output.is_error,
        "async": false,
    });
    if output.response_handled {
        result["response_handled"] = true.into();
    }
    let addresses = output.media.iter().filter_map(|one| one.url.as_ref());
    let addresses: Vec<_> = addresses.collect();
    if !addresses.is_empty() && addresses.len() == output.media.len() {
        result["media"] = json!(addresses);
    }
    result
}

fn call_of(call: &ToolCall) -> Value {
    json!({
        "id": call.id,
        "type": "function",
        "function": { "name": call.name, "arguments": call.args.to_string() },
    })
}

fn message_of(message: &ChatMessage) -> Value {
    let mut written = json!(message);
    if !message.tool_calls.is_empty() {
        written["tool_calls"] = message.tool_calls.iter().map(call_of).collect();
    }
    written
}

fn tool_of(tool: &ToolDefinition) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": tool.name, "description": tool.description, "parameters": tool.parameters,
        },
    })
}

fn response_of(response: &LlmResponse) -> Value {
    let usage = &response.usage;
    let reasoning = response.reasoning.as_deref().unwrap_or_default();
    let stop = response.stop_reason.as_ref();
    json!({
        "content": response.content,
        "reasoning_content": reasoning,
        "tool_calls": response.tool_calls.iter().map(call_of).collect::<Vec<_>>(),
        "finish_reason": stop.map(StopReason::as_str).unwrap_or_default(),
        "usage": {
            "prompt_tokens": usage.input_tokens,
            "completion_tokens": usage.output_tokens,
            "total_tokens": usage.input_tokens.saturating_add(usage.output_tokens),
        },
        "reasoning": reasoning,
        "reasoning_details": null,
    })
}

/// Returns PicoClaw's kind of the event, and its payload. An event that PicoClaw does not have gets our name and our
/// payload.
fn observed(cx: &AgentContext, event: AgentEvent<'_>, info: &EventInfo) -> (String, Value) {
    let (kind, payload) = match event {
        AgentEvent::AgentStart(start) => (
            "agent.turn.start",
            json!({ "UserMessage": start.prompt, "MediaCount": 0 }),
        ),
        AgentEvent::AgentEnd(end) => (
            "agent.turn.end",
            json!({
                "Status": end.status,
                "Iterations": cx.turn,
                "Duration": nanoseconds(end.duration),
                "FinalContentLen": end.response.len(),
                "FinalContent": end.response,
            }),
        ),
        AgentEvent::LlmInput(input) => (
            "agent.llm.request",
            json!({ "Model": input.model, "MessagesCount": input.messages.len() }),
        ),
        AgentEvent::LlmOutput(output) => (
            "agent.llm.response",
            json!({
                "ContentLen": output.response.content.len(),
                "ToolCalls": output.response.tool_calls.len(),
                "HasReasoning": output.response.reasoning.is_some(),
            }),
        ),
        AgentEvent::LlmDelta(delta) => {
            let is_reasoning = delta.kind == DeltaKind::Reasoning;
            let length = delta.text.len();
            let (content, reasoning) = if is_reasoning {
                (0, length)
            } else {
                (length, 0)
            };
            (
                "agent.llm.delta",
                json!({ "ContentDeltaLen": content, "ReasoningDeltaLen": reasoning }),
            )
        }
        AgentEvent::LlmFailed(failed) => (
            "agent.llm.retry",
            json!({ "Attempt": failed.attempt, "Error": failed.error }),
        ),
        AgentEvent::ToolCallStart(call) => (
            "agent.tool.exec_start",
            json!({ "Tool": call.name, "Arguments": call.args }),
        ),
        AgentEvent::ToolCallEnd(done) => (
            "agent.tool.exec_end",
            json!({
                "Tool": done.name,
                "Duration": nanoseconds(done.duration),
                "ForLLMLen": done.output.content.len(),
                "ForUserLen": done.output.for_user.as_ref().map_or(0, String::len),
                "IsError": done.output.is_error,
                "Async": false,
            }),
        ),
        AgentEvent::ToolCallSkipped(call) => (
            "agent.tool.exec_skipped",
            json!({ "Tool": call.name, "Reason": call.reason }),
        ),
        AgentEvent::SubagentStart(start) => (
            "agent.subturn.spawn",
            json!({ "AgentID": start.agent, "Label": start.id, "ParentTurnID": turn_id(cx) }),
        ),
        AgentEvent::SubagentStop(stop) => (
            "agent.subturn.end",
            json!({ "AgentID": stop.agent, "Status": stop.status }),
        ),
        AgentEvent::AfterCompact(compact) => (
            "agent.context.compress",
            json!({ "Reason": compact.trigger }),
        ),
        AgentEvent::AgentError(error) => (
            "agent.error",
            json!({ "Stage": error.stage, "Message": error.message }),
        ),
        AgentEvent::Interrupt(interrupt) => (
            "agent.interrupt.received",
            json!({ "Kind": interrupt.kind, "Message": interrupt.message }),
        ),
        AgentEvent::MessageSending(_) => ("channel.message.outbound_queued", json!(event)),
        AgentEvent::MessageSent(_) => ("channel.message.outbound_sent", json!(event)),
        AgentEvent::MessageFailed(_) => ("channel.message.outbound_failed", json!(event)),
        AgentEvent::GatewayStart(_) => ("gateway.start", json!(event)),
        AgentEvent::GatewayStop(_) => ("gateway.shutdown", Value::Null),
        _ => return (format!("hooks.{}", info.name), json!(event)),
    };
    (kind.to_owned(), payload)
}

fn runtime_event(cx: &AgentContext, kind: &str, payload: Value) -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let severity = match kind {
        "agent.error" | "channel.message.outbound_failed" => "error",
        "agent.llm.retry" => "warn",
        _ => "info",
    };
    json!({
        "id": format!("evt-{number}"),
        "kind": kind,
        "time": Timestamp::now().to_string(),
        "source": { "component": "agent", "name": cx.agent_id },
        "scope": {
            "agent_id": cx.agent_id,
            "session_key": cx.session_id,
            "turn_id": turn_id(cx),
            "channel": cx.channel,
            "chat_id": cx.chat_id,
            "sender_id": cx.sender.as_deref().unwrap_or_default(),
        },
        "correlation": { "trace_id": cx.trace_id.as_deref().unwrap_or_default() },
        "severity": severity,
        "payload": payload,
    })
}
