//! Converts PicoClaw's requests to our events.

use std::time::Duration;

use hooks_core::agent::{AgentContext, Approval};
use hooks_runtime::OwnedEvent;
use serde_json::{Map, Value, json};

/// Our events that PicoClaw's requests and events become.
pub(crate) const RAISED: &[&str] = &[
    "BeforeToolCall",
    "ApproveToolCall",
    "AfterToolCall",
    "BeforeLlmCall",
    "AfterLlmCall",
    "AgentStart",
    "AgentEnd",
    "AgentError",
    "LlmInput",
    "LlmOutput",
    "LlmDelta",
    "ToolCallStart",
    "ToolCallEnd",
    "ToolCallSkipped",
    "AfterCompact",
    "SubagentStop",
    "Interrupt",
    "MessageSent",
    "MessageFailed",
    "GatewayStart",
    "GatewayStop",
];

fn made(name: &str, fields: Value) -> Result<OwnedEvent, String> {
    debug_assert!(
        RAISED.contains(&name),
        "`hooks check` does not know of {name}"
    );
    OwnedEvent::from_json(name, fields).map_err(|error| error.to_string())
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// Returns the context of a request.
pub(super) fn context(params: &Value) -> AgentContext {
    let meta = &params["meta"];
    let inbound = &params["context"]["inbound"];
    let either = |key: &str| match text(params, key) {
        "" => text(inbound, key).to_owned(),
        said => said.to_owned(),
    };
    let mut cx = AgentContext::new(text(meta, "SessionKey"));
    text(meta, "AgentID").clone_into(&mut cx.agent_id);
    text(meta, "TurnID").clone_into(&mut cx.run_id);
    let parent = text(meta, "ParentTurnID");
    cx.parent_run_id = (!parent.is_empty()).then(|| parent.to_owned());
    cx.depth = u32::from(!parent.is_empty());
    cx.channel = either("channel");
    cx.chat_id = either("chat_id");
    let sender = text(inbound, "sender_id");
    cx.sender = (!sender.is_empty()).then(|| sender.to_owned());
    if let Ok(folder) = std::env::current_dir() {
        cx.cwd = folder.to_string_lossy().into_owned();
    }
    cx
}

/// Returns the context of a runtime event.
pub(super) fn context_of_event(event: &Value) -> AgentContext {
    let scope = &event["scope"];
    let mut cx = AgentContext::new(text(scope, "session_key"));
    text(scope, "agent_id").clone_into(&mut cx.agent_id);
    text(scope, "turn_id").clone_into(&mut cx.run_id);
    text(scope, "channel").clone_into(&mut cx.channel);
    text(scope, "chat_id").clone_into(&mut cx.chat_id);
    let trace = text(&event["correlation"], "trace_id");
    cx.trace_id = (!trace.is_empty()).then(|| trace.to_owned());
    cx
}

/// Returns the arguments of a call, which may be missing. Conditions find nothing in a list or a text, so no rule
/// would match them.
fn args(params: &Value) -> Result<Value, String> {
    match &params["arguments"] {
        Value::Null => Ok(json!({})),
        args @ Value::Object(_) => Ok(args.clone()),
        _ => Err("`arguments` must be an object".to_owned()),
    }
}

fn tool(params: &Value) -> Result<&str, String> {
    params["tool"]
        .as_str()
        .ok_or_else(|| "`tool` is missing".to_owned())
}

pub(super) fn before_tool(params: &Value) -> Result<OwnedEvent, String> {
    made(
        "BeforeToolCall",
        json!({ "name": tool(params)?, "args": args(params)? }),
    )
}

pub(super) fn approve_tool(params: &Value, approval: &Approval) -> Result<OwnedEvent, String> {
    made(
        "ApproveToolCall",
        json!({ "name": tool(params)?, "args": args(params)?, "approval": approval }),
    )
}

pub(super) fn after_tool(params: &Value, context: Vec<String>) -> Result<OwnedEvent, String> {
    let result = &params["result"];
    let mut output = json!({
        "content": text(result, "for_llm"),
        "is_error": result["is_error"] == true,
        "silent": result["silent"] == true,
    });
    if let Some(for_user) = result["for_user"].as_str() {
        output["for_user"] = for_user.into();
    }
    let duration = Duration::from_nanos(params["duration"].as_u64().unwrap_or_default());
    made(
        "AfterToolCall",
        json!({ "name": tool(params)?, "args": args(params)?, "output": output, "duration": duration,
                "context": context }),
    )
}

/// Returns a tool's definition, which is under `function` in OpenAI's shape.
fn definition(tool: &Value) -> Value {
    let function = tool.get("function").unwrap_or(tool);
    let parameters = function.get("parameters").cloned();
    json!({
        "name": text(function, "name"),
        "description": text(function, "description"),
        "parameters": parameters.unwrap_or_else(|| json!({})),
    })
}

pub(super) fn before_llm(params: &Value) -> Result<OwnedEvent, String> {
    let tools = params["tools"].as_array().into_iter().flatten();
    let tools: Vec<Value> = tools.map(definition).collect();
    let options = match &params["options"] {
        options @ Value::Object(_) => options.clone(),
        _ => json!({}),
    };
    let messages = match &params["messages"] {
        Value::Null => json!([]),
        messages => messages.clone(),
    };
    made(
        "BeforeLlmCall",
        json!({ "model": text(params, "model"), "messages": messages, "tools": tools, "options": options }),
    )
}

pub(super) fn after_llm(params: &Value) -> Result<OwnedEvent, String> {
    let response = &params["response"];
    let calls = response["tool_calls"].as_array().into_iter().flatten();
    let calls: Vec<Value> = calls
        .map(|call| {
            let function = &call["function"];
            let arguments = text(function, "arguments");
            let args: Value = serde_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            json!({ "id": text(call, "id"), "name": text(function, "name"), "args": args })
        })
        .collect();
    let mut ours = json!({ "content": text(response, "content"), "tool_calls": calls });
    let reasoning = text(response, "reasoning_content");
    if !reasoning.is_empty() {
        ours["reasoning"] = reasoning.into();
    }
    made(
        "AfterLlmCall",
        json!({ "model": text(params, "model"), "response": ours }),
    )
}

/// Returns our event for a runtime event, if there is one.
pub(super) fn runtime_event(event: &Value) -> Option<OwnedEvent> {
    let payload = &event["payload"];
    let of = |key: &str| text(payload, key);
    let nanos = Duration::from_nanos(payload["Duration"].as_u64().unwrap_or_default());
    let args = match &payload["Arguments"] {
        Value::Object(args) => args.clone(),
        _ => Map::new(),
    };
    let (name, fields) = match event["kind"].as_str()? {
        "agent.turn.start" | "turn_start" => ("AgentStart", json!({ "prompt": of("UserMessage") })),
        "agent.turn.end" | "turn_end" => (
            "AgentEnd",
            json!({
                "response": of("FinalContent"),
                "status": match of("Status") {
                    "error" | "failed" => "failed",
                    "aborted" | "interrupted" => "aborted",
                    _ => "completed",
                },
                "duration": nanos,
            }),
        ),
        "agent.llm.request" | "llm_request" => ("LlmInput", json!({ "model": of("Model") })),
        "agent.llm.response" | "llm_response" => ("LlmOutput", json!({ "model": of("Model") })),
        "agent.llm.delta" | "llm_delta" => ("LlmDelta", json!({})),
        "agent.tool.exec_start" | "tool_exec_start" => {
            ("ToolCallStart", json!({ "name": of("Tool"), "args": args }))
        }
        "agent.tool.exec_end" | "tool_exec_end" => (
            "ToolCallEnd",
            json!({ "name": of("Tool"), "args": args, "duration": nanos,
                    "output": { "content": "", "is_error": payload["IsError"] == true } }),
        ),
        "agent.tool.exec_skipped" | "tool_exec_skipped" => (
            "ToolCallSkipped",
            json!({ "name": of("Tool"), "args": args, "by": "picoclaw", "reason": of("Reason") }),
        ),
        "agent.context.compress" | "context_compress" => {
            ("AfterCompact", json!({ "trigger": of("Reason") }))
        }
        "agent.subturn.end" | "subturn_end" => ("SubagentStop", json!({ "agent": of("AgentID") })),
        "agent.interrupt.received" | "interrupt_received" => {
            ("Interrupt", json!({ "kind": "stop" }))
        }
        "agent.error" | "error" => (
            "AgentError",
            json!({ "stage": of("Stage"), "message": of("Message") }),
        ),
        "channel.message.outbound_sent" => (
            "MessageSent",
            json!({ "channel": event["scope"]["channel"].as_str().unwrap_or_default() }),
        ),
        "channel.message.outbound_failed" => (
            "MessageFailed",
            json!({ "channel": event["scope"]["channel"].as_str().unwrap_or_default(), "error": of("Error") }),
        ),
        "gateway.start" => ("GatewayStart", json!({})),
        "gateway.shutdown" => ("GatewayStop", json!({})),
        _ => return None,
    };
    made(name, fields).ok()
}
