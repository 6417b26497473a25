//! Claude Code's words, which most other systems have taken over: JSON on standard input, exit codes, and a JSON answer.

use hooks_core::agent::AgentEvent;
use serde_json::{Map, Value, json};

use super::{Dialect, Exit, On};
use crate::answer::{Answer, Change, Verdict};
use crate::fault::Fault;
use crate::handler::Ask;

/// An event as JSON with Claude Code's names.
pub(super) fn input(dialect: Dialect, ask: &Ask<'_>) -> Value {
    let cx = ask.cx;
    let payload = serde_json::to_value(ask.event).unwrap_or_default();
    let mut input = Map::new();
    let mut put = |key: &str, value: Value| input.insert(key.to_owned(), value);
    put("session_id", json!(cx.session_id));
    put("transcript_path", Value::Null);
    put("cwd", json!(cx.cwd));
    put("permission_mode", json!("default"));
    put("hook_event_name", json!(ask.named));
    if cx.depth > 0 {
        put("agent_id", json!(cx.agent_id));
        put("agent_type", json!(cx.agent_type));
    }
    let field = |name: &str| payload.get(name).cloned().unwrap_or_default();
    if ask.info.has_subject && ask.info.name != "Custom" {
        put("tool_name", field("name"));
        put("tool_input", field("args"));
        put("tool_use_id", field("id"));
    }
    match ask.event {
        AgentEvent::MessageReceived(message) => {
            put("prompt", json!(message.content));
        }
        AgentEvent::AfterToolCall(done) => {
            put("tool_response", json!(done.output));
            put(
                "duration_ms",
                json!(u64::try_from(done.duration.as_millis()).unwrap_or(u64::MAX)),
            );
            if done.output.is_error {
                put("error", json!(done.output.content));
            }
        }
        AgentEvent::ToolCallEnd(done) => {
            put("tool_response", json!(done.output));
            put(
                "duration_ms",
                json!(u64::try_from(done.duration.as_millis()).unwrap_or(u64::MAX)),
            );
        }
        AgentEvent::BeforeStop(stop) => {
            put("stop_hook_active", json!(stop.attempt > 0));
            put("last_assistant_message", json!(stop.response));
        }
        AgentEvent::SessionStart(start) => {
            let source = if start.source.is_empty() {
                "startup"
            } else {
                &start.source
            };
            put("source", json!(source));
            if let Some(model) = &start.model {
                put("model", json!(model));
            }
        }
        AgentEvent::SessionEnd(end) => {
            let reason = if end.reason.is_empty() {
                "other"
            } else {
                end.reason
            };
            put("reason", json!(reason));
        }
        AgentEvent::Notification(notification) => {
            put("message", json!(notification.message));
            put("title", json!(notification.title));
            put("notification_type", json!(notification.kind));
        }
        AgentEvent::BeforeCompact(compact) => {
            put("trigger", json!(compact.trigger));
            let instructions = Some(&compact.instructions).filter(|text| !text.is_empty());
            put("custom_instructions", json!(instructions));
        }
        _ => {}
    }
    if dialect == Dialect::Hooks {
        put("event", payload);
    }
    Value::Object(input)
}

/// What a command says by its exit code and its output.
pub(super) fn of_command(_: Dialect, on: &On, exit: &Exit) -> Result<Answer, Fault> {
    let said = text_of(&exit.stdout);
    let errors = text_of(&exit.stderr);
    let json = if said.starts_with('{') {
        match serde_json::from_str::<Value>(&said) {
            Ok(value) => Some(value),
            Err(error) if exit.code == Some(2) => {
                let mut answer = Answer::block(reason_of(&errors, on));
                answer
                    .warnings
                    .push(format!("its standard output is no JSON: {error}"));
                return Ok(answer);
            }
            Err(error) => {
                return Err(Fault::nonsense(format!(
                    "its standard output is no JSON: {error}"
                )));
            }
        }
    } else {
        None
    };
    match (exit.code, json) {
        (Some(2), json) => {
            let mut answer = json.map_or_else(Answer::default, |json| of_json(on, &json));
            if answer.verdict.rank() < Answer::block("").verdict.rank() {
                let reason = answer.verdict.reason().map(str::to_owned);
                answer.verdict = Verdict::Block {
                    reason: reason.unwrap_or_else(|| reason_of(&errors, on)),
                };
            }
            Ok(answer)
        }
        (Some(0), Some(json)) => Ok(of_json(on, &json)),
        (Some(0), None) => Ok(of_text(on, &said)),
        (code, _) => {
            let code =
                code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
            let first = errors.lines().next().unwrap_or_default();
            let said = if first.is_empty() {
                String::new()
            } else {
                format!(": {first}")
            };
            Err(Fault::failed(format!("it ended with {code}{said}")))
        }
    }
}

/// What an endpoint says.
pub(super) fn of_http(_: Dialect, on: &On, status: u16, body: &[u8]) -> Result<Answer, Fault> {
    if !(200..300).contains(&status) {
        return Err(Fault::failed(format!(
            "the endpoint answered with the status {status}"
        )));
    }
    let text = text_of(body);
    if text.is_empty() {
        return Ok(Answer::default());
    }
    match serde_json::from_str::<Value>(&text) {
        Ok(json @ Value::Object(_)) => Ok(of_json(on, &json)),
        _ => Err(Fault::nonsense("the endpoint's answer is no JSON object")),
    }
}

/// Text without a mark of byte order, and without blanks around it.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_start_matches('\u{feff}').trim().to_owned()
}

fn reason_of(errors: &str, on: &On) -> String {
    if errors.is_empty() {
        format!("the hook `{}` blocks it", on.hook)
    } else {
        errors.to_owned()
    }
}

/// Plain text is for the model where the event takes any.
fn of_text(on: &On, text: &str) -> Answer {
    let mut answer = Answer::default();
    if !text.is_empty() && matches!(on.info.name, "SessionStart" | "MessageReceived") {
        answer.context.push(text.to_owned());
    }
    answer
}

/// What a JSON answer says.
fn of_json(on: &On, json: &Value) -> Answer {
    let mut answer = Answer::default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let of_hook =
        |what: Option<String>| what.unwrap_or_else(|| format!("the hook `{}` blocks it", on.hook));
    let specific = &json["hookSpecificOutput"];
    if let Some(message) = text(&json["systemMessage"]) {
        answer.messages.push(message);
    }
    if let Some(context) = text(&specific["additionalContext"]) {
        answer.context.push(context);
    }
    if let Some(input) = specific.get("updatedInput") {
        answer.change = Some(Change::Replace(input.clone()));
    }
    if let Some(output) = specific.get("updatedToolOutput") {
        answer.change = Some(Change::Replace(output.clone()));
    }
    let decision = specific["permissionDecision"]
        .as_str()
        .or(json["decision"].as_str());
    let reason = text(&specific["permissionDecisionReason"]).or(text(&json["reason"]));
    match decision {
        Some("deny" | "block" | "reject" | "blocked" | "defer") => {
            answer.verdict = Verdict::Block {
                reason: of_hook(reason),
            };
        }
        Some("ask") => {
            answer.verdict = Verdict::Ask {
                reason: reason.unwrap_or_default(),
            }
        }
        Some("allow" | "approve") => {
            answer.verdict = Verdict::Approve {
                by: Some(on.hook.clone()),
            }
        }
        Some(other) => answer
            .warnings
            .push(format!("`{other}` is no decision, and was ignored")),
        None => {}
    }
    if json["continue"] == Value::Bool(false) {
        answer.verdict = Verdict::AbortTurn {
            reason: of_hook(text(&json["stopReason"])),
        };
    }
    answer
}
