//! Translates the decisions of hooks into an agent's own answers.

use hooks_core::agent::ToolOutput;
use serde_json::{Map, Value, json};

use super::read::text_key;
use super::tables::Kind;
use super::{Client, Incoming, Reply, Said};

impl Client {
    /// Returns the agent's name for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Client::Claude => "Claude Code",
            Client::Codex => "Codex",
            Client::Gemini => "Gemini CLI",
            Client::Goose => "goose",
            Client::Cursor => "Cursor",
        }
    }

    /// Returns the reply to the agent.
    #[must_use]
    pub fn answer(self, incoming: &Incoming, said: Said) -> Reply {
        let said = self.within_its_means(incoming, said);
        match self {
            Client::Claude => claude(incoming, said),
            Client::Codex => codex(incoming, said),
            Client::Gemini => gemini(incoming, said),
            Client::Goose => goose(incoming, said),
            Client::Cursor => cursor(incoming, said),
        }
    }

    /// Denies a tool call if the agent cannot be told the hooks' decision. For other events, records what is lost.
    fn within_its_means(self, incoming: &Incoming, mut said: Said) -> Said {
        let kind = incoming.kind;
        if kind.is_tool_call() {
            let asks = match self {
                Client::Claude => true,
                Client::Cursor => matches!(kind, Kind::Shell | Kind::Mcp),
                Client::Codex | Client::Gemini | Client::Goose => false,
            };
            if !asks && let Some(reason) = said.ask.take() {
                said.deny.get_or_insert(format!(
                    "the call needs approval, but a hook cannot make {} ask for it: {reason}",
                    self.title()
                ));
            }
            let changes = match self {
                Client::Claude | Client::Codex => true,
                // It merges the arguments: hooks can set keys, but not remove them.
                Client::Gemini => said
                    .input
                    .as_ref()
                    .is_none_or(|input| keeps_keys(&said.input_before, input)),
                Client::Cursor => kind == Kind::Tool,
                Client::Goose => false,
            };
            if !changes && said.input.take().is_some() {
                said.deny.get_or_insert(format!(
                    "a hook changed the arguments, which {} does not support here",
                    self.title()
                ));
            }
        } else if matches!(
            kind,
            Kind::Prompt | Kind::SubagentStart | Kind::Compact | Kind::Displayed
        ) && said.text.take().is_some()
        {
            said.lost.push("to change the text".into());
        }
        let can_deny = match kind {
            Kind::SubagentStart => self == Client::Cursor,
            Kind::Compact => matches!(self, Client::Claude | Client::Codex),
            Kind::Display | Kind::Displayed => false,
            Kind::Prompt => self != Client::Goose,
            _ => true,
        };
        if !can_deny && said.deny.take().is_some() {
            said.lost.push("to block it".into());
        }
        said
    }

    fn losses(self, said: &Said) -> Option<String> {
        (!said.lost.is_empty()).then(|| {
            format!(
                "a hook wanted {}, which {} does not support here",
                said.lost.join(", and "),
                self.title()
            )
        })
    }
}

fn keeps_keys(before: &Value, after: &Value) -> bool {
    let keys = before.as_object().into_iter().flat_map(Map::keys);
    keys.into_iter().all(|key| after.get(key).is_some())
}

/// An answer that is being built.
#[derive(Default)]
struct Answer(Map<String, Value>);

impl Answer {
    fn put(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    /// Adds an object, if it contains more than the name of the event.
    fn put_specific(&mut self, named: &str, specific: Answer) {
        if !specific.0.is_empty() {
            let mut all = Answer::default();
            all.put("hookEventName", named);
            all.0.extend(specific.0);
            self.put("hookSpecificOutput", Value::Object(all.0));
        }
    }

    fn into_reply(self) -> Reply {
        let stdout = if self.0.is_empty() {
            String::new()
        } else {
            format!("{}\n", Value::Object(self.0))
        };
        Reply {
            stdout,
            ..Reply::default()
        }
    }
}

/// Returns a tool's new output in the shape of the tool's own answer, because agents check the shape.
fn in_its_shape(response: &Value, output: &ToolOutput) -> Value {
    if let Some(data) = &output.data
        && data != response
        && !response.is_string()
    {
        return data.clone();
    }
    match response {
        Value::Object(fields) => match text_key(fields) {
            Some(key) => {
                let mut fields = fields.clone();
                fields.insert(key.to_owned(), output.content.clone().into());
                // The text for the model contains both.
                if fields.get("stderr").is_some_and(Value::is_string) {
                    fields.insert("stderr".into(), "".into());
                }
                Value::Object(fields)
            }
            None => output.content.clone().into(),
        },
        _ => output.content.clone().into(),
    }
}

fn claude(incoming: &Incoming, said: Said) -> Reply {
    let mut answer = Answer::default();
    let mut specific = Answer::default();
    if let Some(losses) = Client::Claude.losses(&said) {
        answer.put("systemMessage", losses);
    }
    let context = said.context();
    let denied = said.deny.as_ref().or(said.stop.as_ref());
    if let Some(stop) = &said.stop
        && incoming.kind != Kind::Permission
    {
        answer.put("continue", false);
        answer.put("stopReason", stop.as_str());
    }
    match incoming.kind {
        Kind::Tool => {
            let decided = denied
                .map(|reason| ("deny", reason))
                .or(said.ask.as_ref().map(|reason| ("ask", reason)))
                .or(said.allow.as_ref().map(|reason| ("allow", reason)));
            if let Some((decision, reason)) = decided {
                specific.put("permissionDecision", decision);
                specific.put("permissionDecisionReason", reason.as_str());
            }
            if denied.is_none()
                && let Some(input) = said.input
            {
                specific.put("updatedInput", input);
            }
        }
        Kind::Permission => {
            if let Some(reason) = denied {
                let mut decision = json!({ "behavior": "deny", "message": reason });
                if said.stop.is_some() {
                    decision["interrupt"] = true.into();
                }
                specific.put("decision", decision);
            } else if said.allow.is_some() {
                specific.put("decision", json!({ "behavior": "allow" }));
            }
        }
        Kind::Prompt | Kind::Stop | Kind::SubagentStop | Kind::Compact => {
            if let Some(reason) = &said.deny {
                answer.put("decision", "block");
                answer.put("reason", reason.as_str());
            }
        }
        Kind::ToolDone => {
            if let Some(output) = &said.output {
                let response = &incoming.input["tool_response"];
                specific.put("updatedToolOutput", in_its_shape(response, output));
            }
        }
        Kind::Display => {
            if let Some(text) = said.text {
                specific.put("displayContent", text);
            }
        }
        _ => {}
    }
    if let Some(context) = context
        && matches!(
            incoming.kind,
            Kind::Tool
                | Kind::Prompt
                | Kind::ToolDone
                | Kind::ToolFailed
                | Kind::SessionStart
                | Kind::SubagentStart
        )
    {
        specific.put("additionalContext", context);
    }
    answer.put_specific(&incoming.named, specific);
    answer.into_reply()
}

/// Codex rejects fields that it does not know, and treats a rejected answer as no answer. So a block is an exit code,
/// and an answer contains no more than necessary.
fn codex(incoming: &Incoming, said: Said) -> Reply {
    let denied = said.deny.as_ref().or(said.stop.as_ref());
    if let Some(reason) = denied
        && incoming.kind == Kind::Permission
    {
        let mut specific = Answer::default();
        specific.put("decision", json!({ "behavior": "deny", "message": reason }));
        let mut answer = Answer::default();
        answer.put_specific(&incoming.named, specific);
        return answer.into_reply();
    }
    if let Some(reason) = denied
        && matches!(
            incoming.kind,
            Kind::Tool | Kind::Prompt | Kind::Stop | Kind::SubagentStop | Kind::Compact
        )
        // A hook that only ends the turn must not refuse the end of a turn: the agent would then continue.
        && !(said.deny.is_none() && matches!(incoming.kind, Kind::Stop | Kind::SubagentStop))
    {
        return Reply::refused(reason);
    }
    let mut answer = Answer::default();
    let mut specific = Answer::default();
    if let Some(losses) = Client::Codex.losses(&said) {
        answer.put("systemMessage", losses);
    }
    if let Some(stop) = &said.stop {
        answer.put("continue", false);
        answer.put("stopReason", stop.as_str());
    }
    match incoming.kind {
        Kind::Tool if said.input.is_some() => {
            specific.put("permissionDecision", "allow");
            specific.put("updatedInput", said.input.clone());
        }
        Kind::Permission if said.allow.is_some() => {
            specific.put("decision", json!({ "behavior": "allow" }));
        }
        Kind::ToolDone if said.output.is_some() => {
            answer.put("decision", "block");
            answer.put(
                "reason",
                said.output.as_ref().map(|output| output.content.as_str()),
            );
        }
        _ => {}
    }
    if let Some(context) = said.context()
        && matches!(
            incoming.kind,
            Kind::Tool | Kind::Prompt | Kind::ToolDone | Kind::SessionStart | Kind::SubagentStart
        )
    {
        specific.put("additionalContext", context);
    }
    answer.put_specific(&incoming.named, specific);
    answer.into_reply()
}

fn gemini(incoming: &Incoming, said: Said) -> Reply {
    let mut answer = Answer::default();
    let mut specific = Answer::default();
    if let Some(losses) = Client::Gemini.losses(&said) {
        answer.put("systemMessage", losses);
    }
    let decides = matches!(
        incoming.kind,
        Kind::Tool | Kind::ToolDone | Kind::Prompt | Kind::Stop | Kind::Model | Kind::ModelDone
    );
    if decides && let Some(stop) = &said.stop {
        answer.put("continue", false);
        answer.put("stopReason", stop.as_str());
    }
    let context = said.context();
    if let Some(reason) = said.deny.as_ref().filter(|_| decides) {
        answer.put("decision", "deny");
        answer.put("reason", reason.as_str());
    } else {
        match incoming.kind {
            Kind::Tool => {
                if let Some(input) = said.input {
                    specific.put("tool_input", input);
                }
            }
            Kind::ToolDone => {
                if let Some(output) = &said.output {
                    answer.put("decision", "deny");
                    answer.put("reason", output.content.as_str());
                }
            }
            Kind::Model => {
                if let Some(response) = &said.response {
                    let text = response["content"].as_str().unwrap_or_default();
                    specific.put("llm_response", model_says(text));
                } else if let Some(request) = &said.request {
                    specific.put("llm_request", model_asked(request));
                }
            }
            Kind::ModelDone => {
                if let Some(text) = &said.text {
                    specific.put("llm_response", model_says(text));
                }
            }
            _ => {}
        }
    }
    if let Some(context) = context
        && matches!(
            incoming.kind,
            Kind::ToolDone | Kind::Prompt | Kind::SessionStart
        )
    {
        specific.put("additionalContext", context);
    }
    answer.put_specific(&incoming.named, specific);
    answer.into_reply()
}

/// Returns a model's answer in Gemini CLI's format.
fn model_says(text: &str) -> Value {
    json!({ "candidates": [{ "content": { "role": "model", "parts": [text] }, "finishReason": "STOP" }] })
}

/// Returns a request to a model in Gemini CLI's format.
fn model_asked(request: &Value) -> Value {
    let messages = request["messages"].as_array();
    let messages = messages.into_iter().flatten().map(|message| {
        let role = match message["role"].as_str() {
            Some("assistant") => "model",
            Some("system") => "system",
            _ => "user",
        };
        json!({ "role": role, "content": message["content"] })
    });
    json!({
        "model": request["model"],
        "messages": messages.collect::<Vec<_>>(),
        "config": request["options"],
    })
}

fn goose(incoming: &Incoming, said: Said) -> Reply {
    let denied = said.deny.as_ref().or(said.stop.as_ref());
    if let Some(reason) = denied
        && matches!(incoming.kind, Kind::Tool | Kind::Stop)
    {
        let mut answer = Answer::default();
        answer.put("decision", "block");
        answer.put("reason", reason.as_str());
        return Reply {
            exit_code: 2,
            stderr: format!("{reason}\n"),
            ..answer.into_reply()
        };
    }
    let mut said = said;
    if denied_elsewhere(&said) {
        said.lost.push("to block it".into());
    }
    if said.output.is_some() {
        said.lost.push("to change the output".into());
    }
    if !said.context.is_empty() {
        said.lost.push("to add context".into());
    }
    Reply {
        stderr: lines(Client::Goose.losses(&said)),
        ..Reply::default()
    }
}

fn denied_elsewhere(said: &Said) -> bool {
    said.deny.is_some() || said.stop.is_some()
}

fn lines(text: Option<String>) -> String {
    text.map(|text| text + "\n").unwrap_or_default()
}

fn cursor(incoming: &Incoming, mut said: Said) -> Reply {
    let mut answer = Answer::default();
    let denied = said.deny.clone().or(said.stop.clone());
    match incoming.kind {
        Kind::Tool | Kind::Shell | Kind::Mcp | Kind::ReadFile => {
            if let Some(reason) = &denied {
                answer.put("permission", "deny");
                answer.put("user_message", reason.as_str());
                answer.put("agent_message", reason.as_str());
            } else if let Some(reason) = &said.ask {
                answer.put("permission", "ask");
                answer.put("user_message", reason.as_str());
            } else if let Some(input) = said.input.take() {
                answer.put("permission", "allow");
                answer.put("updated_input", input);
            } else if said.allow.is_some() {
                answer.put("permission", "allow");
            }
        }
        Kind::SubagentStart => {
            if let Some(reason) = &denied {
                answer.put("permission", "deny");
                answer.put("user_message", reason.as_str());
            }
        }
        Kind::Prompt => {
            if let Some(reason) = &denied {
                answer.put("continue", false);
                answer.put("user_message", reason.as_str());
            }
        }
        Kind::Stop | Kind::SubagentStop => {
            if let Some(reason) = &said.deny {
                answer.put("followup_message", reason.as_str());
            }
        }
        Kind::SessionStart | Kind::ToolDone => {
            if let Some(context) = said.context() {
                answer.put("additional_context", context);
            }
            said.context.clear();
            let is_mcp = incoming.input["tool_name"]
                .as_str()
                .is_some_and(|name| name.starts_with("MCP:"));
            if is_mcp && let Some(output) = said.output.take() {
                let text = incoming.input["tool_output"].as_str().unwrap_or_default();
                let response = serde_json::from_str(text).unwrap_or_else(|_| text.into());
                answer.put("updated_mcp_tool_output", in_its_shape(&response, &output));
            }
        }
        _ => {}
    }
    if said.output.is_some() {
        said.lost.push("to change the output".into());
    }
    if !said.context.is_empty() {
        said.lost.push("to add context".into());
    }
    // An empty output would not be JSON.
    let mut reply = answer.into_reply();
    if reply.stdout.is_empty() {
        reply.stdout = "{}\n".into();
    }
    reply.stderr = lines(Client::Cursor.losses(&said));
    reply
}
