//! Converts an agent's JSON to one of our events.

use std::time::Duration;

use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, BeforeCompact, BeforeLlmCall, BeforeStop,
    BeforeToolCall, ChatMessage, LlmResponse, MessageReceived, MessageSending, Role, SessionStart,
    SubagentStart, ToolOutput,
};
use serde_json::{Map, Value, json};

use super::tables::Kind;
use super::{Client, Incoming};
use crate::{EventError, OwnedEvent};

impl Client {
    /// Reads what an agent passes to its hooks.
    ///
    /// `project_dir` is the root of the project, if the agent names it outside of the input.
    ///
    /// # Errors
    ///
    /// If the input is not a JSON object, the agent has no event with that name, or data is missing that a hook must
    /// judge.
    ///
    /// ```
    /// use hooks_runtime::bridge::Client;
    ///
    /// let input = br#"{ "session_id": "s1", "cwd": "/work", "hook_event_name": "BeforeTool",
    ///                   "tool_name": "run_shell_command", "tool_input": { "command": "ls" } }"#;
    /// let incoming = Client::Gemini.read(input, None)?;
    /// assert_eq!(incoming.event.as_ref().map(|event| event.name()), Some("BeforeToolCall"));
    /// assert_eq!((&*incoming.cx.session_id, &*incoming.named), ("s1", "BeforeTool"));
    /// # Ok::<(), hooks_runtime::EventError>(())
    /// ```
    pub fn read(self, input: &[u8], project_dir: Option<&str>) -> Result<Incoming, EventError> {
        let text = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
        let input: Value = serde_json::from_slice(text)
            .map_err(|error| EventError::new(format!("the event is not JSON: {error}")))?;
        if !input.is_object() {
            return Err(EventError::new("the event is not a JSON object"));
        }
        let named = match self {
            Client::Goose => input.get("event").or_else(|| input.get("hook_event_name")),
            _ => input.get("hook_event_name"),
        };
        let Some(named) = named.and_then(Value::as_str).map(str::to_owned) else {
            return Err(EventError::new(format!(
                "the event has no name: `{}` is missing",
                if self == Client::Goose {
                    "event"
                } else {
                    "hook_event_name"
                }
            )));
        };
        let Some(kind) = self.kind(&named) else {
            return Err(EventError::new(format!(
                "`{named}` is not an event of `{self}`"
            )));
        };
        let reading = Reading(&input);
        let cx = reading.context(self, kind, project_dir);
        let event = reading.event(self, kind, &cx)?;
        Ok(Incoming {
            event,
            cx,
            named,
            kind,
            input,
        })
    }
}

struct Reading<'a>(&'a Value);

impl Reading<'_> {
    /// Returns the string of the first of these keys that has one; otherwise an empty string.
    fn text(&self, keys: &[&str]) -> &str {
        keys.iter()
            .find_map(|key| self.0.get(key).and_then(Value::as_str))
            .unwrap_or_default()
    }

    /// Returns a string without which the event cannot be judged.
    fn required(&self, keys: &[&str]) -> Result<&str, EventError> {
        keys.iter()
            .find_map(|key| self.0.get(key).and_then(Value::as_str))
            .ok_or_else(|| EventError::new(format!("`{}` is missing, or not a string", keys[0])))
    }

    fn context(&self, client: Client, kind: Kind, project_dir: Option<&str>) -> AgentContext {
        let root = self.0["workspace_roots"][0].as_str().unwrap_or_default();
        let cwd = match self.text(&["cwd", "working_dir"]) {
            "" => root,
            cwd => cwd,
        };
        let mut cx = AgentContext::new(self.text(&["session_id", "conversation_id"])).with_cwd(cwd);
        project_dir.unwrap_or(root).clone_into(&mut cx.project_dir);
        client.as_str().clone_into(&mut cx.channel);
        self.text(&["agent_id", "subagent_id"])
            .clone_into(&mut cx.agent_id);
        self.text(&["agent_type", "subagent_type"])
            .clone_into(&mut cx.agent_type);
        // The agent that starts a subagent raises the event of the start.
        let is_inside = !cx.agent_id.is_empty() && kind != Kind::SubagentStart;
        cx.depth = u32::from(is_inside || kind == Kind::SubagentStop);
        cx
    }

    /// Returns the arguments of a tool: an object, or a string with one.
    fn args(&self) -> Result<Value, EventError> {
        let args = match self.0.get("tool_input") {
            None | Some(Value::Null) => return Ok(json!({})),
            Some(Value::String(text)) => serde_json::from_str(text)
                .map_err(|error| EventError::new(format!("`tool_input` is not JSON: {error}")))?,
            Some(other) => other.clone(),
        };
        if !args.is_object() {
            return Err(EventError::new("`tool_input` is not an object"));
        }
        Ok(args)
    }

    fn id(&self) -> &str {
        self.text(&["tool_use_id", "tool_call_id"])
    }

    fn millis(&self) -> Duration {
        let millis = ["duration_ms", "duration"]
            .iter()
            .find_map(|key| self.0.get(key).and_then(Value::as_f64));
        millis
            .and_then(|millis| Duration::try_from_secs_f64(millis / 1000.0).ok())
            .unwrap_or_default()
    }

    /// Returns the tool call that an event is about.
    fn call(&self, kind: Kind) -> Result<BeforeToolCall, EventError> {
        let (name, args) = match kind {
            Kind::Shell | Kind::ShellDone => {
                let mut args = json!({ "command": self.required(&["command"])? });
                let cwd = self.text(&["cwd"]);
                if !cwd.is_empty() {
                    args["working_directory"] = cwd.into();
                }
                ("Shell".to_owned(), args)
            }
            Kind::Mcp | Kind::McpDone => {
                let name = self.required(&["tool_name"])?;
                let name = name.strip_prefix("MCP:").unwrap_or(name);
                (format!("MCP:{name}"), self.args()?)
            }
            Kind::ReadFile => {
                let path = self.required(&["file_path"])?;
                ("Read".to_owned(), json!({ "file_path": path }))
            }
            Kind::EditDone => {
                let path = self.required(&["file_path"])?;
                (
                    "Write".to_owned(),
                    json!({ "file_path": path, "edits": self.0["edits"] }),
                )
            }
            _ => (self.required(&["tool_name"])?.to_owned(), self.args()?),
        };
        Ok(BeforeToolCall::new(self.id(), name, args))
    }

    /// Returns the output of a tool.
    fn output(&self, kind: Kind) -> ToolOutput {
        match kind {
            Kind::ToolFailed => ToolOutput::error(self.text(&["error", "error_message"])),
            Kind::ShellDone => ToolOutput::new(self.text(&["output"])),
            Kind::McpDone => of_json_text(self.text(&["result_json"])),
            Kind::EditDone => ToolOutput::default(),
            _ => match self
                .0
                .get("tool_response")
                .or_else(|| self.0.get("tool_output"))
            {
                None => ToolOutput::default(),
                // Cursor sends JSON in a string.
                Some(Value::String(text)) if self.0.get("tool_response").is_none() => {
                    of_json_text(text)
                }
                Some(response) => output_of(response),
            },
        }
    }

    fn messages(&self) -> Vec<ChatMessage> {
        let messages = self.0["llm_request"]["messages"].as_array();
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

    fn event(
        &self,
        client: Client,
        kind: Kind,
        cx: &AgentContext,
    ) -> Result<Option<OwnedEvent>, EventError> {
        let session = &cx.session_id;
        let raised = |name: &str, fields: Value| OwnedEvent::from_json(name, fields);
        Ok(Some(match kind {
            Kind::NotOurs => return Ok(None),
            Kind::SessionStart => {
                let mut start = SessionStart::new(session, client.as_str());
                self.text(&["source", "composer_mode"])
                    .clone_into(&mut start.source);
                start.model = Some(self.text(&["model"]))
                    .filter(|model| !model.is_empty())
                    .map(str::to_owned);
                start.into()
            }
            Kind::SessionEnd => raised(
                "SessionEnd",
                json!({ "session_id": session, "channel": client.as_str(), "reason": self.text(&["reason"]) }),
            )?,
            Kind::Prompt => {
                let prompt = self.required(&["prompt", "message"])?;
                MessageReceived::new(client.as_str(), self.text(&["user_email"]), prompt).into()
            }
            Kind::Tool | Kind::Shell | Kind::Mcp | Kind::ReadFile => self.call(kind)?.into(),
            Kind::Permission => {
                let call = self.call(kind)?;
                raised(
                    "ApproveToolCall",
                    json!({ "id": call.id, "name": call.name, "args": call.args }),
                )?
            }
            Kind::Denied => {
                let call = self.call(kind)?;
                raised(
                    "ToolCallSkipped",
                    json!({ "id": call.id, "name": call.name, "args": call.args, "by": client.as_str(),
                            "reason": self.text(&["reason"]) }),
                )?
            }
            Kind::ToolDone
            | Kind::ToolFailed
            | Kind::ShellDone
            | Kind::McpDone
            | Kind::EditDone => {
                AfterToolCall::of(self.call(kind)?, self.output(kind), self.millis()).into()
            }
            Kind::Stop | Kind::SubagentStop => {
                let keys = [
                    "last_assistant_message",
                    "prompt_response",
                    "summary",
                    "message",
                ];
                let loops = self.0["loop_count"].as_u64().unwrap_or_default();
                let attempt = u32::try_from(loops)
                    .unwrap_or(u32::MAX)
                    .max(u32::from(self.0["stop_hook_active"] == true));
                BeforeStop::new(self.text(&keys), attempt).into()
            }
            Kind::SubagentStart => {
                SubagentStart::new(&cx.agent_id, &cx.agent_type, self.text(&["task", "prompt"]))
                    .into()
            }
            Kind::Compact => {
                let mut compact = BeforeCompact::new(self.text(&["trigger"]));
                self.text(&["custom_instructions"])
                    .clone_into(&mut compact.instructions);
                compact.into()
            }
            Kind::Compacted => raised(
                "AfterCompact",
                json!({ "trigger": self.text(&["trigger"]), "summary": self.text(&["compact_summary"]) }),
            )?,
            Kind::Notification => raised(
                "Notification",
                json!({ "kind": self.text(&["notification_type"]), "title": self.text(&["title"]),
                        "message": self.text(&["message"]) }),
            )?,
            Kind::Display | Kind::Displayed => {
                MessageSending::new(client.as_str(), "", self.text(&["delta", "text"])).into()
            }
            Kind::Failure => raised(
                "AgentError",
                json!({ "stage": "model", "message": self.text(&["error", "error_details"]) }),
            )?,
            Kind::Interrupt => raised(
                "Interrupt",
                json!({ "kind": "stop", "message": self.text(&["message"]) }),
            )?,
            Kind::Model | Kind::ModelDone => self.of_model(client, kind),
        }))
    }

    /// Converts a call of the model, or its answer.
    fn of_model(&self, client: Client, kind: Kind) -> OwnedEvent {
        if kind == Kind::ModelDone {
            return AfterLlmCall {
                model: self.0["llm_request"]["model"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                response: LlmResponse::new(parts(&self.0["llm_response"])),
                ..AfterLlmCall::default()
            }
            .into();
        }

        let request = &self.0["llm_request"];
        let model = request["model"].as_str().unwrap_or_default();
        let mut call = BeforeLlmCall::new(client.as_str(), model, self.messages());
        if let Some(config @ Value::Object(_)) = request.get("config") {
            call.options = config.clone();
        }
        call.into()
    }
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

fn of_json_text(text: &str) -> ToolOutput {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => output_of(&value),
        _ => ToolOutput::new(text),
    }
}

/// Returns the key of a tool's own answer that contains its text, if there is one.
pub(super) fn text_key(response: &Map<String, Value>) -> Option<&'static str> {
    ["stdout", "content", "llmContent", "output", "result"]
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
