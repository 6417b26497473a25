//! What a path cannot say: a closed set of shapes, each with its two directions.

use hooks_core::agent::ToolOutput;
use hooks_rules::tools::{self, Class, path_of};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Dialect;
use super::tools::aliases_of;

/// The form of a value of ours in an agent's event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shape {
    /// A list, of which ours is the first.
    List,
    /// JSON in a text.
    Json,
    /// A duration in milliseconds.
    Millis,
    /// Whether a count is not zero.
    Flag,
    /// A text, or an object with a message.
    Error,
    /// An object with the message of a failure; `null` after a success.
    Failure,
    /// The output of a call, if it has failed.
    FailureText,
    /// Whether a call has succeeded.
    Ok,
    /// The tool's own answer, for an output with a text, a failure and data.
    Result,
    /// The same, as JSON in a text.
    ResultJson,
    /// The name of a tool of an MCP server, without the server: `MCP:NAME`.
    McpName,
    /// The server and the tool, for `mcp__SERVER__TOOL`.
    McpPair,
    /// Whether the tool is one of an MCP server.
    IsMcp,
    /// Claude Code's name of the tool.
    ClaudeName,
    /// Edits of a file, for the arguments of a tool.
    Edits,
    /// `snake_case`.
    Snake,
    /// Messages, in Gemini CLI's form.
    GeminiMessages,
    /// A model's answer, in Gemini CLI's form.
    GeminiAnswer,
}

impl Shape {
    /// What a value of an agent is here; none if it says nothing.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(crate) fn read(self, theirs: &Value) -> Result<Option<Value>, String> {
        Ok(Some(match self {
            Shape::List => return Ok(theirs.get(0).cloned()),
            Shape::Json => match theirs {
                Value::String(text) => crate::json::from_slice(text.as_bytes())
                    .map_err(|error| format!("is not JSON: {error}"))?,
                other => other.clone(),
            },
            Shape::Millis => {
                let millis = theirs.as_f64().unwrap_or_default() / 1000.0;
                let duration = std::time::Duration::try_from_secs_f64(millis).unwrap_or_default();
                json!(duration)
            }
            Shape::Flag => u32::from(theirs == &Value::Bool(true)).into(),
            Shape::Error | Shape::Failure => words(theirs).into(),
            Shape::FailureText => match words(theirs) {
                text if text.is_empty() => return Ok(None),
                text => json!({ "content": text, "is_error": true }),
            },
            Shape::Result | Shape::ResultJson => json!(output(theirs)),
            Shape::McpName => {
                let name = theirs.as_str().unwrap_or_default();
                format!("MCP:{}", name.strip_prefix("MCP:").unwrap_or(name)).into()
            }
            Shape::McpPair => {
                let part = |key: &str| theirs[key].as_str().unwrap_or_default();
                format!(
                    "mcp__{}__{}",
                    part("mcp_server_name"),
                    part("mcp_tool_name")
                )
                .into()
            }
            Shape::ClaudeName | Shape::Snake => theirs.clone(),
            Shape::IsMcp | Shape::Ok => return Ok(None),
            Shape::Edits => json!({ "edits": theirs }),
            Shape::GeminiMessages => messages(theirs, |role| match role {
                "model" | "assistant" => "assistant",
                "system" => "system",
                _ => "user",
            }),
            Shape::GeminiAnswer => {
                let usage = &theirs["usageMetadata"];
                json!({ "content": gemini_text(theirs).unwrap_or_default(), "usage": {
                    "input_tokens": usage["promptTokenCount"].as_u64().unwrap_or(0),
                    "output_tokens": usage["candidatesTokenCount"].as_u64().unwrap_or(0),
                } })
            }
        }))
    }

    /// What a value of ours is for an agent, in an event with these fields.
    pub(crate) fn write(self, ours: &Value, fields: &Value) -> Option<Value> {
        Some(match self {
            Shape::List => json!([ours]),
            Shape::Json => ours.to_string().into(),
            Shape::Millis => {
                let (secs, nanos) = (ours["secs"].as_u64()?, ours["nanos"].as_u64()?);
                (secs * 1000 + nanos / 1_000_000).into()
            }
            Shape::Flag => (ours.as_u64().unwrap_or_default() > 0).into(),
            Shape::Error | Shape::McpName => ours.clone(),
            Shape::Failure if ours["is_error"] == true => json!({ "message": ours["content"] }),
            Shape::Failure => Value::Null,
            Shape::FailureText => {
                return Some(ours["content"].clone()).filter(|_| ours["is_error"] == true);
            }
            Shape::Ok => (ours["is_error"] != true).into(),
            Shape::Result => result(ours, fields),
            Shape::ResultJson => ours["content"].to_string().into(),
            Shape::McpPair => {
                let (server, tool) = ours.as_str()?.strip_prefix("mcp__")?.split_once("__")?;
                json!({ "mcp_server_name": server, "mcp_tool_name": tool })
            }
            Shape::IsMcp => ours.as_str()?.starts_with("mcp").into(),
            Shape::ClaudeName => {
                let names = aliases_of(Dialect::Claude);
                names
                    .theirs(ours.as_str()?, None::<fn(&str) -> bool>)
                    .into()
            }
            Shape::Edits => {
                let text = |key: &str| ours[key].as_str();
                let new = text("new_string").or(text("content")).unwrap_or_default();
                json!([{ "old_string": text("old_string").unwrap_or_default(), "new_string": new }])
            }
            Shape::Snake => {
                let mut snake = String::new();
                for (at, letter) in ours.as_str()?.char_indices() {
                    if letter.is_ascii_uppercase() && at > 0 {
                        snake.push('_');
                    }
                    snake.push(letter.to_ascii_lowercase());
                }
                snake.into()
            }
            Shape::GeminiMessages => messages(ours, to_gemini),
            Shape::GeminiAnswer => {
                let usage = |key: &str| ours["usage"][key].as_u64().unwrap_or(0);
                let (read, written) = (usage("input_tokens"), usage("output_tokens"));
                let mut answer = gemini_answer(ours);
                answer["text"] = ours["content"].clone();
                answer["usageMetadata"] = json!({ "promptTokenCount": read,
                    "candidatesTokenCount": written, "totalTokenCount": read + written });
                answer
            }
        })
    }
}

/// An error in words: a text, or an object with a message.
pub(crate) fn words(error: &Value) -> String {
    let text = error.as_str().or(error["message"].as_str());
    text.map_or_else(|| error.to_string(), str::to_owned)
}

fn to_gemini(role: &str) -> &str {
    if role == "assistant" { "model" } else { role }
}

fn messages(list: &Value, role: impl Fn(&str) -> &str) -> Value {
    let list = list.as_array().into_iter().flatten();
    let messages = list.map(|message| {
        let text = |key: &str| message[key].as_str().unwrap_or_default();
        json!({ "role": role(text("role")), "content": text("content") })
    });
    messages.collect()
}

/// A request to a model, in Gemini CLI's form.
pub(crate) fn gemini_request(request: &Value) -> Value {
    json!({ "model": request["model"], "messages": messages(&request["messages"], to_gemini),
            "config": request["options"] })
}

/// The keys of ours that such a request sets.
pub(super) fn request_of(request: &Value) -> Map<String, Value> {
    let mut set = Map::new();
    if let model @ Value::String(_) = &request["model"] {
        set.insert("model".to_owned(), model.clone());
    }
    if let list @ Value::Array(_) = &request["messages"] {
        let list = messages(list, |role| match role {
            "model" | "" => "assistant",
            role => role,
        });
        set.insert("messages".to_owned(), list);
    }
    set
}

/// A model's answer in Gemini CLI's form, from its text or from ours.
pub(crate) fn gemini_answer(said: &Value) -> Value {
    let text = said
        .as_str()
        .or(said["content"].as_str())
        .unwrap_or_default();
    json!({ "candidates": [{ "content": { "role": "model", "parts": [text] }, "finishReason": "STOP" }] })
}

/// The text of such an answer.
pub(super) fn gemini_text(response: &Value) -> Option<String> {
    let parts = response["candidates"][0]["content"]["parts"].as_array();
    let texts = parts.map(|parts| {
        let texts = parts
            .iter()
            .filter_map(|part| part.as_str().or(part["text"].as_str()));
        texts.collect()
    });
    texts.or_else(|| response["text"].as_str().map(str::to_owned))
}

/// The key of a tool's own answer that contains its text.
fn text_key(response: &Map<String, Value>) -> Option<&'static str> {
    let keys = [
        "stdout",
        "content",
        "llmContent",
        "textResultForLlm",
        "text_result_for_llm",
        "output",
        "result",
    ];
    keys.into_iter()
        .find(|key| response.get(*key).is_some_and(Value::is_string))
}

/// The tool's own answer: some send it as JSON in a text.
pub(crate) fn response(theirs: &Value) -> Value {
    let parsed = theirs
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    let parsed = parsed.filter(|value: &Value| value.is_object() || value.is_array());
    parsed.unwrap_or_else(|| theirs.clone())
}

/// The output of a tool: the text of its answer for the model, and the whole answer for programs.
fn output(theirs: &Value) -> ToolOutput {
    let response = response(theirs);
    let mut output = ToolOutput::default();
    match &response {
        Value::String(text) => {
            output.content.clone_from(text);
            return output;
        }
        Value::Object(fields) => {
            output.content = match text_key(fields) {
                Some(key) => fields[key].as_str().unwrap_or_default().to_owned(),
                None => response.to_string(),
            };
            let errors = fields.get("stderr").and_then(Value::as_str);
            if let Some(errors) = errors.filter(|errors| !errors.is_empty()) {
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
    output.data = Some(response);
    output
}

/// A tool's output as scripts expect it: the tool's data for programs, with the keys of Claude Code's own tools.
fn result(output: &Value, event: &Value) -> Value {
    let mut response = output["data"].as_object().cloned().unwrap_or_default();
    let mut put = |key: &str, value: Value| {
        response.entry(key).or_insert(value);
    };
    let is_error = output["is_error"] == true;
    put("content", output["content"].clone());
    put("is_error", is_error.into());
    if output["for_user"].is_string() {
        put("for_user", output["for_user"].clone());
    }
    match tools::class_of(event["name"].as_str().unwrap_or_default()) {
        Some(Class::Shell) => {
            put("stdout", output["content"].clone());
            put("stderr", "".into());
            put("interrupted", false.into());
        }
        Some(Class::Edit) => {
            if let Some(path) = path_of(&event["args"]) {
                put("filePath", path.into());
            }
            put("success", (!is_error).into());
        }
        _ => {}
    }
    Value::Object(response)
}

/// Returns a tool's new output in the shape of the tool's own answer, because agents check the shape.
pub(crate) fn shaped(response: &Value, output: &Value) -> Value {
    let data = output.get("data").filter(|data| !data.is_null());
    if let Some(data) = data.filter(|data| *data != response && !response.is_string()) {
        return data.clone();
    }
    let content = output["content"].as_str().unwrap_or_default();
    let Value::Object(fields) = response else {
        return content.into();
    };
    let Some(key) = text_key(fields) else {
        return content.into();
    };
    let mut fields = fields.clone();
    fields.insert(key.to_owned(), content.into());
    // The text for the model contains both.
    if fields.get("stderr").is_some_and(Value::is_string) {
        fields.insert("stderr".to_owned(), "".into());
    }
    Value::Object(fields)
}

/// A tool's new output: the keys of ours that are set.
///
/// Hooks read the text under several keys. Many return everything that they read, with one key changed. The changed key
/// applies.
pub(super) fn output_of(output: &Value, before: Option<&str>) -> Map<String, Value> {
    let texts = |parts: &[Value]| {
        let texts: Vec<_> = parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    };
    let mut set = Map::new();
    let text = match output {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            set.insert("data".to_owned(), output.clone());
            let mut found = ["content", "stdout"]
                .iter()
                .filter_map(|key| fields.get(*key));
            let is_changed = |text: &&Value| text.as_str() != before;
            match found.clone().find(is_changed).or_else(|| found.next()) {
                Some(Value::String(text)) => text.clone(),
                // The parts of an MCP result.
                Some(Value::Array(parts)) => texts(parts).unwrap_or_default(),
                _ => output.to_string(),
            }
        }
        Value::Array(parts) => texts(parts).unwrap_or_else(|| output.to_string()),
        other => other.to_string(),
    };
    set.insert("content".to_owned(), text.into());
    set.insert("for_user".to_owned(), Value::Null);
    for key in ["is_error", "isError"] {
        if let Some(Value::Bool(is_error)) = output.get(key) {
            set.insert("is_error".to_owned(), (*is_error).into());
        }
    }
    set
}
