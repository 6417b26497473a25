//! Reads what an agent passes to its hooks.
//!
//! Systems name the same things in a few ways: `tool_name`, `toolName`, `name` in an object `toolCall`. Each thing is
//! looked for under all of its names, so a system's table only says where its objects are.

use std::time::Duration;

use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, BeforeCompact, BeforeLlmCall, BeforeStop,
    BeforeToolCall, ChatMessage, LlmResponse, MessageReceived, MessageSending, Role, SessionStart,
    SubagentStart, ToolOutput,
};
use serde_json::{Map, Value, json};

use super::{Call, Incoming};
use crate::owned::{EventError, OwnedEvent};
use crate::system::Dialect;
use crate::system::OF_THE_AGENT;
use crate::system::table::{Calls, Event, Shape, When};

/// Why an event cannot be judged, and the system that is told.
type Refused = (Dialect, EventError);

/// Reads an event.
pub(super) fn read(call: Call<'_>) -> Result<Incoming, Refused> {
    let text = call
        .input
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(call.input);
    let wrong = |why: String| (call.system, EventError::new(why));
    let input: Value = crate::json::from_slice(text)
        .map_err(|error| wrong(format!("the event is not JSON: {error}")))?;
    if !input.is_object() {
        return Err(wrong("the event is not a JSON object".into()));
    }
    let system = caller(&call, &input);
    let of = |why: EventError| (system, why);
    let Some(calls) = system.system().calls else {
        return Err(of(EventError::new(format!(
            "`{system}` calls no program as its hook"
        ))));
    };
    let reading = Reading::new(&input, calls);
    let named = calls.named.iter().find_map(|key| input[*key].as_str());
    let Some(named) = named.or(call.event) else {
        return Err(of(EventError::new(match calls.named.first() {
            None => "the event has no name: write `--event NAME` into the command".to_owned(),
            Some(key) => format!("the event has no name: `{key}` is missing"),
        })));
    };
    let row = system.system().called(named);
    let mut note = None;
    if row.is_none() && !system.system().never.contains(&named) {
        // What has a tool in it may be a call that waits for a decision.
        if reading.get("tool_name").is_some() {
            return Err(of(EventError::new(format!(
                "`{named}` is not an event of `{system}`"
            ))));
        }
        note = Some(format!(
            "no hook has run: `{named}` is not a known event of {}",
            system.title()
        ));
    }
    let mut cx = reading.context(system, row, call.project_dir);
    cx.tenant_id = call.tenant.map(str::to_owned);
    if let Some(agent) = call.agent {
        agent.clone_into(&mut cx.agent_id);
    }
    let skips = (calls.skips)(named, &input);
    let mut tool = String::new();
    let event = match row.filter(|row| row.says.is_some() && !skips) {
        Some(row) => {
            let event = reading.event(system, row, &mut cx).map_err(of)?;
            tool = reading.name(row.shape).unwrap_or_default();
            Some(event)
        }
        None if row.is_none() && !skips => Some(
            OwnedEvent::from_json("Custom", json!({ "kind": named, "payload": &input }))
                .map_err(of)?,
        ),
        None => None,
    };
    Ok(Incoming {
        system,
        event,
        cx,
        named: named.to_owned(),
        row,
        tool,
        response: reading.response(),
        note,
    })
}

/// Reads an event as any of the known agents passes it to its hooks, for programs that try hooks.
///
/// # Errors
///
/// If no agent raises such an event.
///
/// ```
/// let input = br#"{ "session_id": "s1", "cwd": "/work", "hook_event_name": "BeforeTool",
///                   "tool_name": "run_shell_command", "tool_input": { "command": "ls" } }"#;
/// let (cx, event) = hooks_runtime::bridge::event_of(input)?;
/// assert_eq!((event.name(), &*cx.session_id), ("BeforeToolCall", "s1"));
/// # Ok::<(), hooks_runtime::EventError>(())
/// ```
pub fn event_of(input: &[u8]) -> Result<(AgentContext, OwnedEvent), EventError> {
    let read = |system| read(Call::new(system, input)).map_err(|(_, why)| why);
    let known = Dialect::callers().find_map(|system| {
        let incoming = read(system).ok()?;
        incoming.row?;
        Some((incoming.cx, incoming.event?))
    });
    if let Some(event) = known {
        return Ok(event);
    }
    let incoming = read(Dialect::Claude)?;
    Err(EventError::new(format!(
        "`hooks` has no event for `{}`",
        incoming.named
    )))
}

/// The system that calls: the one on the command line, unless the input is another's.
fn caller(call: &Call<'_>, input: &Value) -> Dialect {
    let is = |system: Dialect| {
        let calls = system.system().calls;
        calls.is_some_and(|calls| (calls.is_caller)(input, call.is_set))
    };
    if is(call.system) {
        return call.system;
    }
    Dialect::callers()
        .find(|system| is(*system))
        .unwrap_or(call.system)
}

/// The input, and the objects in it that hold keys.
struct Reading<'a>(Vec<&'a Value>);

impl<'a> Reading<'a> {
    fn new(input: &'a Value, calls: Calls) -> Self {
        let inside = calls.inside.iter().filter_map(|path| input.pointer(path));
        Reading(inside.chain([input]).collect())
    }

    /// Returns the value of a key, in the spelling `tool_name` or `toolName`.
    fn get(&self, key: &str) -> Option<&'a Value> {
        let camel = || {
            let mut words = key.split('_');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |mut name, word| {
                let (start, rest) = word.split_at(1.min(word.len()));
                name.push_str(&start.to_ascii_uppercase());
                name.push_str(rest);
                name
            })
        };
        let mut objects = self.0.iter();
        let found = objects.find_map(|object| object.get(key));
        let found = found.or_else(|| {
            let camel = camel();
            self.0.iter().find_map(|object| object.get(&camel))
        });
        found.filter(|value| !value.is_null())
    }

    fn first(&self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// Returns the string of the first of these keys that has one; otherwise an empty string.
    fn text(&self, keys: &[&str]) -> &'a str {
        let mut texts = keys.iter().filter_map(|key| self.get(key)?.as_str());
        texts.next().unwrap_or_default()
    }

    /// Returns a string without which the event cannot be judged.
    fn required(&self, keys: &[&str]) -> Result<&'a str, EventError> {
        let mut texts = keys.iter().filter_map(|key| self.get(key)?.as_str());
        texts
            .next()
            .ok_or_else(|| EventError::new(format!("`{}` is missing, or not a string", keys[0])))
    }

    fn context(
        &self,
        system: Dialect,
        row: Option<&Event>,
        project_dir: Option<&str>,
    ) -> AgentContext {
        let roots = self.first(&["workspace_roots", "workspace_paths"]);
        let root = roots.and_then(|roots| roots[0].as_str());
        let root = root.unwrap_or(self.text(&["workspace_root", "directory"]));
        let project = project_dir.filter(|folder| !folder.is_empty());
        let cwd = match self.text(&["cwd", "working_dir"]) {
            "" => project.unwrap_or(root),
            cwd => cwd,
        };
        let session = [
            "session_id",
            "conversation_id",
            "trajectory_id",
            "task_id",
            "root_session_id",
            "sessionID",
        ];
        let mut cx = AgentContext::new(self.text(&session)).with_cwd(cwd);
        // An agent that names no project works in it.
        let root = if root.is_empty() { cwd } else { root };
        project.unwrap_or(root).clone_into(&mut cx.project_dir);
        system.as_str().clone_into(&mut cx.channel);
        self.text(&["agent_id", "subagent_id"])
            .clone_into(&mut cx.agent_id);
        self.text(&["agent_type", "subagent_type", "agent_name"])
            .clone_into(&mut cx.agent_type);
        // The agent that starts a subagent raises the event of the start.
        let starts = row.is_some_and(|row| row.ours == "SubagentStart");
        let is_nested = row.is_some_and(|row| row.when == When::Nested);
        cx.depth = u32::from(!cx.agent_id.is_empty() && !starts || is_nested);
        for key in OF_THE_AGENT {
            if let Some(value) = self.get(key) {
                cx.extra.insert((*key).to_owned(), value.clone());
            }
        }
        cx
    }

    /// Returns the arguments of a tool: an object, or a string with one.
    fn args(&self) -> Result<Value, EventError> {
        let keys = [
            "tool_input",
            "tool_args",
            "mcp_tool_arguments",
            "parameters",
            "args",
            "input",
        ];
        let args = match self.first(&keys) {
            None => return Ok(json!({})),
            Some(Value::String(text)) => crate::json::from_slice(text.as_bytes())
                .map_err(|error| EventError::new(format!("`tool_input` is not JSON: {error}")))?,
            Some(other) => other.clone(),
        };
        if !args.is_object() {
            return Err(EventError::new("`tool_input` is not an object"));
        }
        Ok(args)
    }

    fn id(&self) -> &'a str {
        self.text(&["tool_use_id", "tool_call_id", "callID"])
    }

    fn millis(&self) -> Duration {
        let millis = self.first(&["duration_ms", "duration", "execution_time_ms"]);
        millis
            .and_then(Value::as_f64)
            .and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
            .unwrap_or_default()
    }

    /// Returns the name of the tool.
    fn name(&self, shape: Shape) -> Result<String, EventError> {
        Ok(match shape {
            Shape::Usual => self.required(&["tool_name", "tool", "name"])?.to_owned(),
            Shape::Command(name) | Shape::Path(name) | Shape::Edit(name) => name.to_owned(),
            Shape::Mcp => match self.text(&["mcp_server_name"]) {
                "" => {
                    let name = self.required(&["tool_name"])?;
                    format!("MCP:{}", name.strip_prefix("MCP:").unwrap_or(name))
                }
                server => format!("mcp__{server}__{}", self.required(&["mcp_tool_name"])?),
            },
        })
    }

    /// Returns the tool call that an event is about.
    fn call(&self, shape: Shape) -> Result<BeforeToolCall, EventError> {
        let args = match shape {
            Shape::Usual | Shape::Mcp => self.args()?,
            Shape::Command(_) => {
                let mut args = json!({ "command": self.required(&["command", "command_line"])? });
                let cwd = self.text(&["cwd"]);
                if !cwd.is_empty() {
                    args["working_directory"] = cwd.into();
                }
                args
            }
            Shape::Path(_) => json!({ "file_path": self.required(&["file_path"])? }),
            Shape::Edit(_) => {
                json!({ "file_path": self.required(&["file_path"])?, "edits": self.get("edits") })
            }
        };
        Ok(BeforeToolCall::new(self.id(), self.name(shape)?, args))
    }

    /// The tool's own answer.
    fn response(&self) -> Value {
        let keys = [
            "tool_response",
            "tool_result",
            "tool_output",
            "mcp_result",
            "result_json",
            "result",
            "output",
        ];
        match self.first(&keys) {
            None => Value::Null,
            // Some send JSON in a string.
            Some(Value::String(text)) => match serde_json::from_str::<Value>(text) {
                Ok(value @ (Value::Object(_) | Value::Array(_))) => value,
                _ => text.as_str().into(),
            },
            Some(other) => other.clone(),
        }
    }

    /// Returns the output of a tool.
    fn output(&self, row: &Event) -> ToolOutput {
        let response = self.response();
        if row.when == When::Failed || response.is_null() && self.get("error").is_some() {
            let error = self.first(&["error", "error_message"]);
            return ToolOutput::error(error.map(words).unwrap_or_default());
        }
        if response.is_null() {
            return ToolOutput::default();
        }
        output_of(&response)
    }

    fn messages(&self) -> Vec<ChatMessage> {
        let request = self.get("llm_request");
        let messages = request.and_then(|request| request["messages"].as_array());
        let messages = messages.into_iter().flatten().map(|message| {
            let content = message["content"].as_str().unwrap_or_default();
            let role = match message["role"].as_str() {
                Some("model" | "assistant") => Role::Assistant,
                Some("system") => Role::System,
                _ => Role::User,
            };
            ChatMessage::new(role, content)
        });
        messages.collect()
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each event")]
    fn event(
        &self,
        system: Dialect,
        row: &'static Event,
        cx: &mut AgentContext,
    ) -> Result<OwnedEvent, EventError> {
        let session = &cx.session_id;
        let raised = |fields: Value| OwnedEvent::from_json(row.ours, fields);
        let of_call =
            |call: BeforeToolCall| json!({ "id": call.id, "name": call.name, "args": call.args });
        let answer = [
            "last_assistant_message",
            "prompt_response",
            "final_model_output",
            "response",
            "summary",
            "message",
        ];
        Ok(match row.ours {
            "SessionStart" => {
                let mut start = SessionStart::new(session, system.as_str());
                self.text(&["source", "composer_mode"])
                    .clone_into(&mut start.source);
                start.model = Some(self.text(&["model", "model_id", "model_name"]))
                    .filter(|model| !model.is_empty())
                    .map(str::to_owned);
                start.into()
            }
            "SessionEnd" => raised(
                json!({ "session_id": session, "channel": system.as_str(), "reason": self.text(&["reason"]) }),
            )?,
            "MessageReceived" => {
                let prompt = self.required(&["prompt", "user_prompt", "message", "text"])?;
                MessageReceived::new(system.as_str(), self.text(&["user_email"]), prompt).into()
            }
            "BeforeToolCall" => self.call(row.shape)?.into(),
            "ApproveToolCall" => raised(of_call(self.call(row.shape)?))?,
            "ToolCallSkipped" => {
                let mut fields = of_call(self.call(row.shape)?);
                fields["by"] = system.as_str().into();
                fields["reason"] = self.text(&["reason"]).into();
                raised(fields)?
            }
            "AfterToolCall" => {
                AfterToolCall::of(self.call(row.shape)?, self.output(row), self.millis()).into()
            }
            "ToolCallEnd" => {
                let done =
                    AfterToolCall::of(self.call(row.shape)?, self.output(row), self.millis());
                ended(&serde_json::to_value(&done).unwrap_or_default())?
            }
            "BeforeStop" => {
                let loops = self.get("loop_count").and_then(Value::as_u64);
                let attempt = u32::try_from(loops.unwrap_or_default())
                    .unwrap_or(u32::MAX)
                    .max(u32::from(
                        self.get("stop_hook_active") == Some(&Value::Bool(true)),
                    ));
                BeforeStop::new(self.text(&answer), attempt).into()
            }
            "AgentStart" => raised(json!({ "prompt": self.text(&["prompt"]) }))?,
            "AgentEnd" => raised(json!({ "response": self.text(&answer) }))?,
            "SubagentStart" => SubagentStart::new(
                &cx.agent_id,
                &cx.agent_type,
                self.text(&["task", "prompt", "description"]),
            )
            .into(),
            "BeforeCompact" => {
                let mut compact = BeforeCompact::new(self.text(&["trigger"]));
                self.text(&["custom_instructions"])
                    .clone_into(&mut compact.instructions);
                compact.into()
            }
            "AfterCompact" => raised(
                json!({ "trigger": self.text(&["trigger"]), "summary": self.text(&["compact_summary"]) }),
            )?,
            "Notification" => raised(
                json!({ "kind": self.text(&["notification_type"]), "title": self.text(&["title"]),
                        "message": self.text(&["message"]) }),
            )?,
            "MessageSending" => MessageSending::new(
                system.as_str(),
                "",
                self.text(&["delta", "text", "displayed_text"]),
            )
            .into(),
            "AgentError" => {
                let error = self.first(&["error", "error_details", "message"]);
                raised(
                    json!({ "stage": "model", "message": error.map(words).unwrap_or_default() }),
                )?
            }
            "Interrupt" => {
                raised(json!({ "kind": "stop", "message": self.text(&["message", "reason"]) }))?
            }
            "BeforeLlmCall" => {
                let request = self.get("llm_request");
                let model = request.and_then(|request| request["model"].as_str());
                let model = model.unwrap_or(self.text(&["model_name"]));
                let mut call = BeforeLlmCall::new(system.as_str(), model, self.messages());
                if let Some(config @ Value::Object(_)) =
                    request.and_then(|request| request.get("config"))
                {
                    call.options = config.clone();
                }
                call.into()
            }
            "AfterLlmCall" => AfterLlmCall {
                model: self
                    .get("llm_request")
                    .and_then(|request| request["model"].as_str())
                    .unwrap_or_default()
                    .to_owned(),
                response: LlmResponse::new(self.get("llm_response").map(parts).unwrap_or_default()),
                ..AfterLlmCall::default()
            }
            .into(),
            "LlmOutput" => raised(
                json!({ "provider": system.as_str(), "model": self.text(&["model_name"]),
                        "response": { "content": self.text(&["model_output"]) } }),
            )?,
            other => {
                return Err(EventError::new(format!(
                    "`{}` is `{other}` here, which no agent raises in this way",
                    row.named
                )));
            }
        })
    }
}

/// The event of a call that has ended, from the event before its output is final.
pub(super) fn ended(done: &Value) -> Result<OwnedEvent, EventError> {
    OwnedEvent::from_json(
        "ToolCallEnd",
        json!({ "id": done["id"], "name": done["name"], "args": done["args"], "output": done["output"],
                "duration": done["duration"] }),
    )
}

/// An error in words: a text, or an object with a message.
fn words(error: &Value) -> String {
    let text = error.as_str().or(error["message"].as_str());
    text.map_or_else(|| error.to_string(), str::to_owned)
}

/// Returns the text of a model's answer in Gemini CLI's format.
fn parts(response: &Value) -> String {
    let parts = response["candidates"][0]["content"]["parts"].as_array();
    parts
        .into_iter()
        .flatten()
        .filter_map(|part| part.as_str().or_else(|| part["text"].as_str()))
        .collect()
}

/// Returns the key of a tool's own answer that contains its text, if there is one.
pub(super) fn text_key(response: &Map<String, Value>) -> Option<&'static str> {
    [
        "stdout",
        "content",
        "llmContent",
        "textResultForLlm",
        "text_result_for_llm",
        "output",
        "result",
    ]
    .into_iter()
    .find(|key| response.get(*key).is_some_and(Value::is_string))
}

/// Returns the output of a tool: the text of its answer for the model, and the whole answer for programs.
fn output_of(response: &Value) -> ToolOutput {
    let mut output = ToolOutput {
        data: Some(response.clone()),
        ..ToolOutput::default()
    };
    match response {
        Value::String(text) => {
            output.content.clone_from(text);
            output.data = None;
        }
        Value::Object(fields) => {
            output.content = match text_key(fields) {
                Some(key) => fields[key].as_str().unwrap_or_default().to_owned(),
                None => response.to_string(),
            };
            if let Some(errors) = fields.get("stderr").and_then(Value::as_str)
                && !errors.is_empty()
            {
                if !output.content.is_empty() {
                    output.content.push('\n');
                }
                output.content.push_str(errors);
            }
            output.is_error = fields.get("is_error") == Some(&Value::Bool(true))
                || fields.get("error").is_some_and(|error| !error.is_null());
        }
        other => output.content = other.to_string(),
    }
    output
}
