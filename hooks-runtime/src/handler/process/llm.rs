//! Converts model calls and responses that a process has changed.

use hooks_core::agent::ChatMessage;
use serde_json::{Map, Value, json};

use crate::answer::{Change, HandlerAnswer};

/// Converts a response to our form. It keeps what the process does not know.
pub(super) fn response_of(response: &Value, ours: &Value) -> Value {
    let mut written = ours.clone();
    // The calls have the same shape as in messages.
    let mut message = response.clone();
    message["role"] = "assistant".into();
    if let Ok(message) = serde_json::from_value::<ChatMessage>(message) {
        written["content"] = message.content.into();
        written["tool_calls"] = json!(message.tool_calls);
        if let Some(reasoning) = message.reasoning.filter(|reasoning| !reasoning.is_empty()) {
            written["reasoning"] = reasoning.into();
        }
    }
    written
}

/// Reads what a process wants to change in a model call.
pub(super) fn before(asked: &Value, request: &Value, answer: &mut HandlerAnswer) {
    let Value::Object(request) = request else {
        return;
    };
    let mut keys = Map::new();
    for key in ["model", "options"] {
        if let Some(value) = request.get(key)
            && *value != asked[key]
            && !value.is_null()
            && *value != ""
        {
            keys.insert(key.to_owned(), value.clone());
        }
    }
    if let Some(tools) = request.get("tools")
        && *tools != asked["tools"]
        && !tools.is_null()
    {
        answer
            .warnings
            .push("a process cannot change the tools of a call: they stay".into());
    }
    if let Some(messages @ Value::Array(new)) = request.get("messages")
        && *messages != asked["messages"]
    {
        let none = Vec::new();
        let old = asked["messages"].as_array().unwrap_or(&none);
        let (instructions, are_kept) = instructions(old, new);
        if !are_kept {
            answer
                .warnings
                .push("a process cannot change system messages: they stay".into());
        }
        let mut messages: Vec<_> = if are_kept {
            new.clone()
        } else {
            new.iter()
                .filter(|message| !is_instruction(message))
                .cloned()
                .collect()
        };
        if !are_kept {
            for (at, message) in instructions {
                messages.insert(at.min(messages.len()), message);
            }
        }
        if messages != *old {
            keys.insert("messages".into(), Value::Array(messages));
        }
    }
    answer.change = (!keys.is_empty()).then_some(Change::Merge(keys));
}

fn is_instruction(message: &Value) -> bool {
    matches!(message["role"].as_str(), Some("system" | "developer"))
}

/// Returns the system messages with their positions, and whether the new messages have the same ones.
fn instructions(old: &[Value], new: &[Value]) -> (Vec<(usize, Value)>, bool) {
    let of = |messages: &[Value]| -> Vec<(usize, Value)> {
        let messages = messages.iter().enumerate();
        messages
            .filter(|(_, message)| is_instruction(message))
            .map(|(at, message)| (at, message.clone()))
            .collect()
    };
    let (old, new) = (of(old), of(new));
    let same = old
        .iter()
        .map(|(_, message)| message)
        .eq(new.iter().map(|(_, message)| message));
    (old, same)
}
