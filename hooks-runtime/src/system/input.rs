//! An event in the format of a system, as its hooks read it.

use hooks_core::agent::{AgentEvent, ChatMessage, LlmResponse, Role, ToolOutput};
use ring::digest::{SHA256, digest};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::Dialect;
use super::table::{System, Words};
use super::tools::{self, Class};
use crate::events;
use crate::system::Ask;

/// The keys of [`AgentContext::extra`](hooks_core::agent::AgentContext) that hooks get unchanged, if the agent has set
/// them.
pub(crate) const OF_THE_AGENT: &[&str] = &[
    "transcript_path",
    "permission_mode",
    "prompt_id",
    "model",
    "effort",
    "scratchpad_dir",
    "agent_transcript_path",
];

/// Returns an event in the format of a dialect.
pub(super) fn input<'a>(dialect: Dialect, ask: &Ask<'a>) -> Input<'a> {
    let rules = dialect.system();
    if !rules.reads.is_empty() {
        return by_rows(rules, ask);
    }
    let mut input = match rules.words {
        Words::Goclaw => goclaw(ask),
        Words::Goose => goose(ask),
        words => claude(dialect, words, ask),
    };
    if dialect == Dialect::Hooks {
        input.put("event", Field::Event(ask.event));
    }
    input
}

/// The format of a system whose keys are rows of its table.
fn by_rows<'a>(rules: &'static System, ask: &Ask<'a>) -> Input<'a> {
    let mut input = Input::default();
    let event = rules.event(ask.info, ask.named, Some((ask.cx, &ask.event)));
    // An event that the system does not have is named as it is here.
    let named = event.map_or(ask.info.name, |event| event.named);
    let own = event.map_or(&[][..], |event| event.reads);
    for (key, get) in rules.reads.iter().chain(own) {
        if let Some(value) = get(ask, named) {
            input.put(key, value);
        }
    }
    input
}

/// The fields of an input, in order. They borrow from the event what is large, because they are written once.
#[derive(Default)]
pub(crate) struct Input<'a>(Vec<(&'a str, Field<'a>)>);

/// A value of an input.
#[derive(Serialize)]
#[serde(untagged)]
enum Field<'a> {
    Text(&'a str),
    Value(&'a Value),
    Made(Value),
    Event(AgentEvent<'a>),
}

impl<'a> From<&'a str> for Field<'a> {
    fn from(text: &'a str) -> Self {
        Field::Text(text)
    }
}

impl<'a> From<&'a Value> for Field<'a> {
    fn from(value: &'a Value) -> Self {
        Field::Value(value)
    }
}

impl From<Value> for Field<'_> {
    fn from(value: Value) -> Self {
        Field::Made(value)
    }
}

impl<'a> Input<'a> {
    /// Sets a field, in the place that it has if it is there.
    fn put(&mut self, key: &'a str, value: impl Into<Field<'a>>) {
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, field)) => *field = value,
            None => self.0.push((key, value)),
        }
    }

    /// Returns it as text in JSON.
    ///
    /// # Errors
    ///
    /// If the event is no JSON.
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        let mut text = Vec::with_capacity(1024);
        serde_json::to_writer(&mut text, self)?;
        Ok(text)
    }
}

impl Serialize for Input<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, field)| (key, field)))
    }
}

/// Returns the dialect's name for the event.
fn named<'a>(dialect: Dialect, ask: &Ask<'a>) -> &'a str {
    let happened = Some((ask.cx, &ask.event));
    match dialect.system().event(ask.info, ask.named, happened) {
        Some(event) => event.named,
        None => ask.named,
    }
}

/// Returns the tool's name and arguments in the terms of the file, for events about a tool.
pub(super) fn of_tool<'a>(ask: &Ask<'a>) -> Option<(&'a str, &'a Value)> {
    let args = ask.args.or_else(|| events::args(&ask.event))?;
    let own = events::subject(&ask.event)?;
    Some((ask.tool.unwrap_or(own), args))
}

/// Returns the output of a tool, and how long the tool took.
pub(super) fn of_output<'a>(event: &AgentEvent<'a>) -> Option<(&'a ToolOutput, u64)> {
    let (output, duration) = match *event {
        AgentEvent::AfterToolCall(done) => (&done.output, done.duration),
        AgentEvent::ToolCallEnd(done) => (done.output, done.duration),
        _ => return None,
    };
    let duration = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Some((output, duration))
}

pub(super) fn or<'a>(text: &'a str, default: &'a str) -> &'a str {
    if text.is_empty() { default } else { text }
}

/// Claude Code's keys, which most systems have adopted.
#[expect(clippy::too_many_lines, reason = "an arm for each event")]
fn claude<'a>(dialect: Dialect, words: Words, ask: &Ask<'a>) -> Input<'a> {
    let cx = ask.cx;
    let mut input = Input::default();
    let named = named(dialect, ask);
    input.put("session_id", &*cx.session_id);
    input.put("transcript_path", Value::Null);
    input.put("cwd", json!(cx.cwd));
    input.put("hook_event_name", named);
    match words {
        Words::Gemini => {
            input.put("timestamp", json!(jiff::Timestamp::now().to_string()));
        }
        Words::Codex => {
            input.put("permission_mode", json!("default"));
            input.put("model", Value::Null);
            if !matches!(named, "SessionStart" | "SessionEnd") {
                input.put("turn_id", json!(format!("{}:{}", cx.session_id, cx.turn)));
            }
        }
        _ => {
            input.put("permission_mode", json!("default"));
        }
    }
    for key in OF_THE_AGENT {
        if let Some(known) = cx.extra.get(*key) {
            input.put(key, known);
        }
    }
    if cx.depth > 0 && words != Words::Gemini {
        input.put("agent_id", json!(cx.agent_id));
        input.put("agent_type", json!(cx.agent_type));
    }
    if let Some((tool, args)) = of_tool(ask) {
        input.put("tool_name", tool);
        input.put("tool_input", args);
        if named != "PermissionRequest" && words != Words::Gemini {
            input.put("tool_use_id", json!(events::call_id(&ask.event)));
        }
        if let Some((output, duration)) = of_output(&ask.event) {
            match words {
                Words::Gemini => {
                    let error = output
                        .is_error
                        .then(|| json!({ "message": output.content }));
                    let shown = output.for_user.as_ref().unwrap_or(&output.content);
                    let response = json!({ "llmContent": output.content, "returnDisplay": shown, "error": error });
                    input.put("tool_response", response);
                }
                _ if named == "PostToolUseFailure" => {
                    input.put("error", json!(output.content));
                    input.put("is_interrupt", json!(false));
                    input.put("duration_ms", json!(duration));
                }
                _ => {
                    input.put("tool_response", response(tool, args, output));
                    input.put("duration_ms", json!(duration));
                }
            }
        }
    }
    match ask.event {
        // The system's own event, which is none of ours.
        AgentEvent::Custom(event) if event.kind == named => {
            for (key, value) in event.payload.as_object().into_iter().flatten() {
                input.put(key, value);
            }
        }
        AgentEvent::MessageReceived(message) => {
            input.put("prompt", &*message.content);
        }
        AgentEvent::InvalidToolCall(call) => {
            input.put("error", json!(call.error));
        }
        AgentEvent::ToolCallSkipped(call) => {
            input.put("reason", json!(call.reason));
        }
        AgentEvent::BeforeStop(stop) if words == Words::Gemini => {
            input.put("prompt", json!(""));
            input.put("prompt_response", json!(stop.response));
            input.put("stop_hook_active", json!(stop.attempt > 0));
        }
        AgentEvent::BeforeStop(stop) => {
            input.put("stop_hook_active", json!(stop.attempt > 0));
            input.put("last_assistant_message", json!(stop.response));
            if words == Words::Claude && dialect != Dialect::Hooks {
                input.put("background_tasks", json!([]));
                input.put("session_crons", json!([]));
            }
        }
        AgentEvent::AgentError(error) => {
            input.put("error", json!(or(error.stage, "unknown")));
            input.put("error_details", json!(error.message));
        }
        AgentEvent::SubagentStart(start) => {
            input.put("agent_id", json!(start.id));
            input.put("agent_type", json!(start.agent));
        }
        AgentEvent::SessionStart(start) => {
            input.put("source", json!(or(&start.source, "startup")));
            if let Some(model) = &start.model {
                input.put("model", json!(model));
            }
        }
        AgentEvent::SessionEnd(end) => {
            input.put("reason", json!(or(end.reason, "other")));
        }
        AgentEvent::Notification(notification) => {
            input.put("message", json!(notification.message));
            if words == Words::Gemini {
                input.put("details", json!({ "title": notification.title }));
            } else if !notification.title.is_empty() {
                input.put("title", json!(notification.title));
            }
            input.put("notification_type", json!(notification.kind));
        }
        AgentEvent::BeforeCompact(compact) => {
            input.put("trigger", json!(or(&compact.trigger, "auto")));
            if words != Words::Gemini {
                let instructions = Some(&compact.instructions).filter(|text| !text.is_empty());
                input.put("custom_instructions", json!(instructions));
            }
        }
        AgentEvent::AfterCompact(compact) => {
            input.put("trigger", json!(or(compact.trigger, "auto")));
            input.put("compact_summary", json!(compact.summary));
        }
        AgentEvent::MessageSending(message) => {
            // The whole message at once, as without a terminal.
            input.put("turn_id", json!(format!("{}:{}", cx.session_id, cx.turn)));
            input.put("message_id", Value::Null);
            input.put("index", json!(0));
            input.put("final", json!(true));
            input.put("delta", json!(message.content));
        }
        AgentEvent::BeforeLlmCall(call) if words == Words::Gemini => {
            input.put("llm_request", request(&call.model, &call.messages));
        }
        AgentEvent::AfterLlmCall(call) if words == Words::Gemini => {
            input.put("llm_request", request(&call.model, &[]));
            input.put("llm_response", answer(&call.response));
        }
        _ => {}
    }
    input
}

/// Returns a tool's output as scripts expect it: the tool's data for programs, with the keys of Claude Code's own
/// tools.
pub(super) fn response(tool: &str, args: &Value, output: &ToolOutput) -> Value {
    let mut response = match &output.data {
        Some(Value::Object(data)) => data.clone(),
        _ => Map::new(),
    };
    let mut put = |key: &str, value: Value| {
        if !response.contains_key(key) {
            response.insert(key.to_owned(), value);
        }
    };
    put("content", json!(output.content));
    put("is_error", json!(output.is_error));
    if let Some(for_user) = &output.for_user {
        put("for_user", json!(for_user));
    }
    match tools::class_of(tool) {
        Some(Class::Shell) => {
            put("stdout", json!(output.content));
            put("stderr", json!(""));
            put("interrupted", json!(false));
        }
        Some(Class::Edit) => {
            if let Some(path) = path_of(args) {
                put("filePath", json!(path));
            }
            put("success", json!(!output.is_error));
        }
        _ => {}
    }
    Value::Object(response)
}

/// Returns the path in a tool's arguments.
pub(crate) fn path_of(args: &Value) -> Option<&str> {
    let keys = ["file_path", "path", "notebook_path", "filename", "file"];
    keys.iter().find_map(|key| args[*key].as_str())
}

/// Returns a call of a model in Gemini CLI's format.
fn request(model: &str, messages: &[ChatMessage]) -> Value {
    let messages = messages.iter().map(|message| {
        let role = match message.role {
            Role::Assistant => json!("model"),
            ref other => json!(other),
        };
        json!({ "role": role, "content": message.content })
    });
    json!({ "model": model, "messages": messages.collect::<Vec<_>>(), "config": {} })
}

/// Returns the answer of a model in Gemini CLI's format.
fn answer(response: &LlmResponse) -> Value {
    let usage = &response.usage;
    json!({
        "text": response.content,
        "candidates": [{
            "content": { "role": "model", "parts": [response.content] },
            "finishReason": "STOP",
        }],
        "usageMetadata": {
            "promptTokenCount": usage.input_tokens,
            "candidatesTokenCount": usage.output_tokens,
            "totalTokenCount": usage.input_tokens + usage.output_tokens,
        },
    })
}

/// goose's format.
fn goose<'a>(ask: &Ask<'a>) -> Input<'a> {
    let cx = ask.cx;
    let mut input = Input::default();
    input.put("event", json!(named(Dialect::Goose, ask)));
    input.put("session_id", json!(cx.session_id));
    input.put("working_dir", json!(cx.cwd));
    let mut context = None;
    if let Some((tool, args)) = of_tool(ask) {
        input.put("tool_name", tool);
        input.put("tool_input", args);
        input.put("tool_call_id", json!(events::call_id(&ask.event)));
        context = Some(match named(Dialect::Goose, ask) {
            "BeforeShellExecution" | "AfterShellExecution" => {
                args["command"].as_str().unwrap_or(tool)
            }
            "BeforeReadFile" | "AfterFileEdit" => path_of(args).unwrap_or(tool),
            _ => tool,
        });
    }
    input.put("matcher_context", json!(context));
    if let Some((output, _)) = of_output(&ask.event) {
        input.put("tool_output", json!(output.content));
    }
    match ask.event {
        AgentEvent::MessageReceived(message) => {
            input.put("message", json!(message.content));
        }
        AgentEvent::BeforeStop(stop) => {
            input.put("message", json!(stop.response));
        }
        _ => {}
    }
    input
}

/// GoClaw's format: the keys that its program sends, and those that its documentation names.
fn goclaw<'a>(ask: &Ask<'a>) -> Input<'a> {
    let cx = ask.cx;
    let (tool, args) = of_tool(ask).map_or(("", None), |(tool, args)| (tool, Some(args)));
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
    let id = format!("{}:{}:{id}", cx.session_id, cx.turn);
    let fields = [
        ("EventID", "eventId", json!(id)),
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
        ("HookEvent", "hookEvent", json!(named(Dialect::Goclaw, ask))),
    ];
    let mut input = Input::default();
    for (key, _, value) in &fields {
        input.put(key, value.clone());
    }
    for (_, key, value) in fields {
        input.put(key, value);
    }
    input
}
