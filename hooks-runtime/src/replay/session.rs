//! Reads the files in which Claude Code, Codex and Gemini CLI keep their sessions.
//!
//! Each tool call and each prompt becomes the event that the agent would have handed to its hooks, and is read by the
//! [bridge](crate::bridge) like one. The result of a call says whether it ran. What is not understood is skipped, because
//! these files have many kinds of lines, and new versions add more.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use serde_json::{Value, json};

use super::past::{Fate, Past};
use crate::bridge;
use crate::record::RecordOutcome;

/// Reads a file, and hands out its events.
///
/// # Errors
///
/// If the file is not a session of one of these agents.
pub(super) fn each(path: &Path, each: &mut dyn FnMut(Past)) -> Result<(), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let mut lines = BufReader::new(file);
    let mut session = Session {
        id: String::new(),
        cwd: String::new(),
        waiting: HashMap::new(),
        told: HashSet::new(),
        last_prompt: None,
        is_known: false,
        each,
    };
    let mut first = String::new();
    lines
        .read_line(&mut first)
        .map_err(|error| error.to_string())?;
    if serde_json::from_str::<Value>(&first).is_err() {
        // Not a value for each line, but one for all.
        lines
            .read_to_string(&mut first)
            .map_err(|error| error.to_string())?;
    }
    let mut text = first;
    while !text.is_empty() {
        // The last line may be unfinished.
        if let Ok(line) = serde_json::from_str::<Value>(&text) {
            session.line(&line);
        }
        text.clear();
        lines
            .read_line(&mut text)
            .map_err(|error| error.to_string())?;
    }
    // Calls without a result were not decided by anybody.
    if session.is_known {
        return Ok(());
    }
    Err("the file has neither records nor a session of Claude Code, Codex or Gemini CLI".to_owned())
}

/// A session that is being read.
struct Session<'a> {
    id: String,
    cwd: String,
    /// The calls whose results have not come yet, by their ids.
    waiting: HashMap<String, Past>,
    /// The messages and calls of Gemini CLI that were handed out, by their ids: a later line repeats them with more.
    told: HashSet<String>,
    /// The prompt that Codex has written last. It writes each in two ways, in this order or the other.
    last_prompt: Option<String>,
    /// Whether a line was understood.
    is_known: bool,
    each: &'a mut dyn FnMut(Past),
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

/// The texts of a message that has several parts.
fn texts(parts: &Value) -> String {
    let parts = parts.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect()
}

impl Session<'_> {
    fn line(&mut self, line: &Value) {
        match text(line, "type") {
            "session_meta" | "turn_context" | "response_item" | "event_msg" => self.codex(line),
            "user" | "assistant" if line.get("message").is_some() => self.claude(line),
            // A line or the whole file of Gemini CLI.
            _ if line["messages"].is_array() || line.get("projectHash").is_some() => {
                self.gemini_session(line);
            }
            "user" | "gemini" => self.gemini(line),
            "summary" | "system" | "file-history-snapshot" => self.is_known = true,
            _ => {}
        }
    }

    fn claude(&mut self, line: &Value) {
        self.is_known = true;
        text(line, "sessionId").clone_into(&mut self.id);
        text(line, "cwd").clone_into(&mut self.cwd);
        let content = &line["message"]["content"];
        let is_prompt =
            line["type"] == "user" && line["isMeta"] != true && line["isSidechain"] != true;
        if let (Some(prompt), true) = (content.as_str(), is_prompt) {
            self.prompt("UserPromptSubmit", prompt, line);
        }
        for part in content.as_array().into_iter().flatten() {
            match text(part, "type") {
                "tool_use" => {
                    let event = json!({ "hook_event_name": "PreToolUse", "tool_name": part["name"],
                                        "tool_input": part["input"], "tool_use_id": part["id"] });
                    self.call(text(part, "id"), event, line);
                }
                "tool_result" => {
                    let said = part["content"].to_string();
                    let has_failed = part["is_error"] == true;
                    self.result(text(part, "tool_use_id"), has_failed, &said);
                }
                _ => {}
            }
        }
    }

    fn codex(&mut self, line: &Value) {
        self.is_known = true;
        let payload = &line["payload"];
        match text(payload, "type") {
            "user_message" => self.codex_prompt(text(payload, "message"), line),
            "message" if payload["role"] == "user" => {
                let prompt = texts(&payload["content"]);
                // Codex says what it knows of the place as if the user had.
                let is_of_codex = ["<", "# AGENTS.md"]
                    .iter()
                    .any(|mark| prompt.starts_with(mark));
                if !prompt.is_empty() && !is_of_codex {
                    self.codex_prompt(&prompt, line);
                }
            }
            // It comes between a call and its output, and knows the server.
            "mcp_tool_call_begin" | "mcp_tool_call_end" => {
                let (id, call) = (text(payload, "call_id"), &payload["invocation"]);
                if self.waiting.contains_key(id) {
                    let tool = format!("mcp__{}__{}", text(call, "server"), text(call, "tool"));
                    let event = codex_event(id, &tool, &call["arguments"]);
                    self.call(id, event, line);
                }
            }
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                let (tool, args) = codex_call(payload);
                let id = text(payload, "call_id");
                self.call(id, codex_event(id, &tool, &args), line);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let said = payload["output"].to_string();
                self.result(
                    text(payload, "call_id"),
                    has_failed(&payload["output"]),
                    &said,
                );
            }
            // Other lines have ids of their own.
            _ if matches!(text(line, "type"), "session_meta" | "turn_context") => {
                for (key, value) in [("id", &mut self.id), ("cwd", &mut self.cwd)] {
                    if let Some(new) = payload[key].as_str() {
                        new.clone_into(value);
                    }
                }
            }
            _ => {}
        }
    }

    fn codex_prompt(&mut self, prompt: &str, line: &Value) {
        if self.last_prompt.take().is_some_and(|last| last == prompt) {
            return;
        }
        self.last_prompt = Some(prompt.to_owned());
        self.prompt("UserPromptSubmit", prompt, line);
    }

    /// Whether something has no id, or an id that was not there yet.
    fn is_new(&mut self, id: &str) -> bool {
        id.is_empty() || self.told.insert(id.to_owned())
    }

    fn gemini_session(&mut self, session: &Value) {
        self.is_known = true;
        text(session, "sessionId").clone_into(&mut self.id);
        for message in session["messages"].as_array().into_iter().flatten() {
            self.gemini(message);
        }
    }

    fn gemini(&mut self, message: &Value) {
        if message["type"] == "user" {
            let content = &message["content"];
            let prompt = content
                .as_str()
                .map_or_else(|| texts(content), str::to_owned);
            // The answers of tools are messages of the user without a text, or with the id of the prompt as one.
            let is_id = prompt.contains("########") && !prompt.contains(char::is_whitespace);
            if !prompt.is_empty() && !is_id && self.is_new(text(message, "id")) {
                self.prompt("BeforeAgent", &prompt, message);
            }
        }
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            let is_over = ["success", "error", "cancelled"]
                .iter()
                .any(|end| call["status"] == *end);
            if !is_over || !self.is_new(text(call, "id")) {
                continue;
            }
            let event = json!({ "hook_event_name": "BeforeTool", "timestamp": message["timestamp"],
                                "tool_name": call["name"], "tool_input": call["args"] });
            self.call(text(call, "id"), event, message);
            let has_failed = call["status"] != "success";
            self.result(text(call, "id"), has_failed, &call["result"].to_string());
        }
    }

    fn prompt(&mut self, named: &str, prompt: &str, line: &Value) {
        let event = json!({ "hook_event_name": named, "prompt": prompt });
        if let Some(past) = self.past(event, line) {
            (self.each)(past);
        }
    }

    fn call(&mut self, id: &str, event: Value, line: &Value) {
        if let Some(past) = self.past(event, line) {
            self.waiting.insert(id.to_owned(), past);
        }
    }

    /// The result of a call has come. A call that the user has refused, hooks have let pass.
    fn result(&mut self, id: &str, has_failed: bool, said: &str) {
        if let Some(mut past) = self.waiting.remove(id) {
            past.fate = match has_failed {
                true if is_refused(said) => {
                    past.outcome = RecordOutcome::Block;
                    Fate::NotRun
                }
                true if is_refused_by_user(said) => Fate::NotRun,
                true => Fate::Failed,
                false => Fate::Ran,
            };
            (self.each)(past);
        }
    }

    fn past(&self, mut event: Value, line: &Value) -> Option<Past> {
        event["session_id"] = (&*self.id).into();
        event["cwd"] = (&*self.cwd).into();
        let (cx, event) = bridge::event_of(event.to_string().as_bytes()).ok()?;
        Some(Past {
            cx,
            event,
            at: text(line, "timestamp").parse().ok(),
            outcome: RecordOutcome::Continue,
            fate: Fate::NotRun,
            hook: None,
            is_elsewhere: false,
            number: None,
            known: Vec::new(),
        })
    }
}

/// A call of Codex as it hands one to its hooks.
fn codex_event(id: &str, tool: &str, args: &Value) -> Value {
    json!({ "hook_event_name": "PreToolUse", "turn_id": "", "model": "", "tool_name": tool, "tool_input": args,
            "tool_use_id": id })
}

/// Whether the output of a call says that a hook has refused it.
fn is_refused(said: &str) -> bool {
    // Gemini CLI does not say who.
    if said.contains("Tool execution blocked: ") || said.contains("execution stopped by hook") {
        return true;
    }
    ["PreToolUse", "BeforeTool", "hook"]
        .iter()
        .any(|word| said.contains(word))
        && ["hook error", "denied this tool", "blocked by", "Blocked by"]
            .iter()
            .any(|words| said.contains(words))
}

/// Whether the output of a call says that its user has refused it.
fn is_refused_by_user(said: &str) -> bool {
    [
        "doesn't want to",
        "interrupted by user",
        "rejected by user",
        "aborted by user",
    ]
    .iter()
    .any(|words| said.contains(words))
}

/// Whether the output of a call of Codex says that it has failed. It is a text, or JSON in a text.
fn has_failed(output: &Value) -> bool {
    let said = output.as_str().unwrap_or_default();
    let value: Value = serde_json::from_str(said).unwrap_or_default();
    let code = value["metadata"]["exit_code"].as_i64();
    let line = |line: &str| {
        let code = line.strip_prefix("Exit code: ");
        code.or_else(|| line.strip_prefix("Process exited with code "))?
            .trim()
            .parse()
            .ok()
    };
    let code = code.or_else(|| said.lines().find_map(line));
    code.is_some_and(|code| code != 0) || is_refused(said) || is_refused_by_user(said)
}

/// Returns the tool of a call and its arguments, with the names that Codex gives its hooks.
fn codex_call(payload: &Value) -> (String, Value) {
    let args = match &payload["arguments"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
        _ => payload["action"].clone(),
    };
    let script = match (&args["command"], &args["cmd"]) {
        (Value::Array(words), _) => {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, "-lc" | "-c", script] if shell.ends_with("sh") => {
                    Some((*script).to_owned())
                }
                words => shlex::try_join(words.iter().copied()).ok(),
            }
        }
        (Value::String(script), _) | (_, Value::String(script)) => Some(script.clone()),
        _ => None,
    };
    if let Some(script) = script {
        return ("Bash".to_owned(), json!({ "command": script }));
    }
    let name = text(payload, "name");
    // A tool of a server has a name within it, and hooks see both.
    let name = match payload["namespace"].as_str() {
        Some(server) if !name.starts_with("mcp__") => {
            format!("{}__{name}", server.trim_end_matches('_'))
        }
        _ => name.to_owned(),
    };
    match &payload["input"] {
        Value::String(input) => (name, json!({ "command": input })),
        _ => (name, args),
    }
}
