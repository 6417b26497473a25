//! Parses messages from JSON and writes them again.
//!
//! Parsing *takes* out of the JSON what a field holds. The rest is a template, which writing fills in again. The
//! template of a message is its `extra`, that of a text is its `Span`, that of an image is the `extra` of its
//! `Media`. So unknown keys need no code, and a changed field is written where it was read.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use serde_json::{Map, Value};

use super::part::cut;
use super::{ChatMessage, Media, Part, Role, Span};
use crate::agent::ToolCall;

type Object = Map<String, Value>;

/// In a message's `extra`, under `content`: the key was missing. `extra` cannot hold any other text under this key,
/// since a text would be in the field `content`.
const NO_CONTENT: &str = "none";

/// Parses a message.
pub(super) fn read(mut wire: Object) -> ChatMessage {
    let role = match wire.get("role") {
        Some(Value::String(role)) if !role.is_empty() => Role::from(role.as_str()),
        _ => Role::Other(String::new()),
    };
    if !role.as_str().is_empty() {
        wire.remove("role");
    }
    let mut message = ChatMessage {
        role,
        name: take_text(&mut wire, "name"),
        tool_call_id: take_text(&mut wire, "tool_call_id"),
        ..ChatMessage::default()
    };
    read_content(&mut message, &mut wire, false);
    read_calls(&mut message, &mut wire);
    if message.reasoning.is_none() {
        // An empty text as placeholder records which of the two keys was used.
        message.reasoning = take_text(&mut wire, "reasoning_content");
        if message.reasoning.is_some() {
            wire.insert("reasoning_content".into(), "".into());
        } else {
            message.reasoning = take_text(&mut wire, "reasoning");
        }
    }
    message.extra = wire;
    message
}

/// Writes a message.
pub(super) fn write(message: &ChatMessage) -> Object {
    let mut wire = message.extra.clone();
    let mut set = |key: &str, text: Option<&str>| {
        if let Some(text) = text {
            wire.insert(key.into(), text.into());
        }
    };
    set(
        "role",
        Some(message.role.as_str()).filter(|role| !role.is_empty()),
    );
    set("name", message.name.as_deref());
    set("tool_call_id", message.tool_call_id.as_deref());

    let mut calls: Vec<_> = message.tool_calls.iter().map(Some).collect();
    let mut blocks = write_parts(message, &mut calls);
    write_calls(message, &mut wire, &mut calls, &mut blocks);
    write_content(message, blocks, &mut wire);

    if !message.parts.iter().any(Part::is_reasoning) {
        let was_content = wire.get("reasoning_content").is_some_and(Value::is_string);
        match (&message.reasoning, was_content) {
            (Some(text), true) => wire.insert("reasoning_content".into(), text.as_str().into()),
            (Some(text), false) => wire.insert("reasoning".into(), text.as_str().into()),
            (None, true) => wire.remove("reasoning_content"),
            (None, false) => None,
        };
    }
    wire
}

/// Parses `content`, of a message or, if `nested`, of a tool result in it.
fn read_content(message: &mut ChatMessage, wire: &mut Object, nested: bool) {
    match wire.remove("content") {
        None => _ = wire.insert("content".into(), NO_CONTENT.into()),
        Some(Value::String(text)) => message.content = text,
        Some(Value::Array(blocks)) if !blocks.is_empty() => {
            for block in blocks {
                match block {
                    Value::Object(block) => read_block(message, block, nested),
                    other => message.parts.push(Part::Other(other)),
                }
            }
        }
        Some(other) => _ = wire.insert("content".into(), other),
    }
}

fn write_content(message: &ChatMessage, blocks: Vec<Value>, wire: &mut Object) {
    if !blocks.is_empty() {
        wire.insert("content".into(), blocks.into());
        return;
    }
    match wire.get("content") {
        Some(Value::String(_)) if message.content.is_empty() => _ = wire.remove("content"),
        Some(_) if message.content.is_empty() => {}
        _ => _ = wire.insert("content".into(), message.content.as_str().into()),
    }
}

fn read_block(message: &mut ChatMessage, mut block: Object, nested: bool) {
    let kind = match block.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        _ => String::new(),
    };
    match kind.as_str() {
        // OpenAI's Responses API has two more names for a text.
        "text" | "input_text" | "output_text" if is(&block, "text") => {
            let text = take_text(&mut block, "text").unwrap_or_default();
            take_type(&mut block, "text");
            message.push_text(&text, block);
        }
        "thinking" if !nested && is(&block, "thinking") => {
            let text = take_text(&mut block, "thinking").unwrap_or_default();
            take_type(&mut block, "thinking");
            message.push_reasoning(&text, block);
        }
        "tool_use"
            if !nested && is(&block, "id") && is(&block, "name") && block.contains_key("input") =>
        {
            let id = take_text(&mut block, "id").unwrap_or_default();
            let name = take_text(&mut block, "name").unwrap_or_default();
            let args = block.remove("input").unwrap_or_default();
            take_type(&mut block, "tool_use");
            message.parts.push(Part::ToolCall {
                id: id.clone(),
                extra: block,
            });
            message.tool_calls.push(ToolCall { id, name, args });
        }
        "tool_result" if !nested && is(&block, "tool_use_id") => {
            let mut result = ChatMessage {
                role: Role::Tool,
                tool_call_id: take_text(&mut block, "tool_use_id"),
                ..ChatMessage::default()
            };
            take_type(&mut block, "tool_result");
            read_content(&mut result, &mut block, true);
            result.extra = block;
            message.parts.push(Part::ToolResult(Box::new(result)));
        }
        _ => message.parts.push(match Media::read(block) {
            Ok(media) => Part::Media(media),
            Err(block) => Part::Other(Value::Object(block)),
        }),
    }
}

/// Writes the parts, and takes the calls that are positioned among them.
fn write_parts(message: &ChatMessage, calls: &mut [Option<&ToolCall>]) -> Vec<Value> {
    let parts = &message.parts;
    let mut texts = Stretches::of(&message.content, parts, Part::as_text);
    let reasoning = message.reasoning.as_deref().unwrap_or_default();
    let mut thoughts = Stretches::of(reasoning, parts, Part::as_reasoning);

    let mut blocks: Vec<_> = parts
        .iter()
        .filter_map(|part| {
            Some(match part {
                Part::Text(span) => texts.next(span, "text", "text")?,
                Part::Reasoning(_) if message.reasoning.is_none() => return None,
                Part::Reasoning(span) => thoughts.next(span, "thinking", "thinking")?,
                Part::ToolCall { id, extra } => tool_use(take_call(calls, id)?, extra.clone()),
                Part::ToolResult(result) => tool_result(result),
                Part::Media(media) => media.write(),
                Part::Other(value) => value.clone(),
            })
        })
        .collect();
    if !parts.is_empty() && !parts.iter().any(Part::is_text) && !message.content.is_empty() {
        let text = block_of("text", "text", message.content.as_str(), Object::new());
        // Reasoning comes first.
        let is_thought = |block: &&Value| {
            block["type"]
                .as_str()
                .is_some_and(|kind| kind.ends_with("thinking"))
        };
        let place = blocks.iter().take_while(is_thought).count();
        blocks.insert(place, text);
    }
    blocks
}

/// Hands out a text to its parts.
struct Stretches<'a> {
    /// One piece per part; if the lengths no longer fit, one piece for the first part.
    pieces: vec::IntoIter<&'a str>,
    /// The JSON of the stretches that no longer exist.
    rest: Object,
}

impl<'a> Stretches<'a> {
    fn of(text: &'a str, parts: &[Part], span_of: fn(&Part) -> Option<&Span>) -> Self {
        let spans = || parts.iter().filter_map(span_of);
        let mut rest = Object::new();
        let pieces = cut(text, spans().map(|span| span.len)).unwrap_or_else(|| {
            for span in spans().skip(1) {
                for (key, value) in &span.extra {
                    rest.entry(key.as_str()).or_insert_with(|| value.clone());
                }
            }
            // Providers reject empty text blocks.
            if text.is_empty() {
                Vec::new()
            } else {
                vec![text]
            }
        });
        Stretches {
            pieces: pieces.into_iter(),
            rest,
        }
    }

    fn next(&mut self, span: &Span, kind: &str, key: &str) -> Option<Value> {
        let text = self.pieces.next()?;
        let mut extra = span.extra.clone();
        for (key, value) in mem::take(&mut self.rest) {
            extra.entry(key).or_insert(value);
        }
        Some(block_of(kind, key, text, extra))
    }
}

fn tool_use(call: &ToolCall, extra: Object) -> Value {
    let mut block = block_of("tool_use", "id", call.id.as_str(), extra);
    block["name"] = call.name.as_str().into();
    block["input"] = call.args.clone();
    block
}

fn tool_result(result: &ChatMessage) -> Value {
    let mut block = result.extra.clone();
    write_content(result, write_parts(result, &mut []), &mut block);
    let id = result.tool_call_id.as_deref().unwrap_or_default();
    block_of("tool_result", "tool_use_id", id, block)
}

/// A block with a text under `key`; `kind` is its type, unless it has one.
fn block_of(kind: &str, key: &str, text: &str, mut block: Object) -> Value {
    block.entry("type").or_insert_with(|| kind.into());
    block.insert(key.into(), text.into());
    Value::Object(block)
}

/// Parses `tool_calls`, in the structure of OpenAI, of Ollama or of [`ToolCall`].
fn read_calls(message: &mut ChatMessage, wire: &mut Object) {
    match wire.get("tool_calls") {
        Some(Value::Array(calls)) if !calls.is_empty() => {}
        _ => return,
    }
    let Some(Value::Array(calls)) = wire.remove("tool_calls") else {
        return;
    };
    let mut plain = !message.parts.iter().any(is_call);
    let mut templates = Vec::with_capacity(calls.len());
    for call in calls {
        match read_call(call) {
            Ok((call, template)) => {
                plain &= template.len() == 1 && template.contains_key("id");
                message.tool_calls.push(call);
                templates.push(Value::Object(template));
            }
            Err(unknown) => {
                plain = false;
                templates.push(Value::Array(vec![unknown]));
            }
        }
    }
    // A plain `ToolCall` needs no template.
    if !plain {
        wire.insert("tool_calls".into(), templates.into());
    }
}

/// Parses a call. Returns it with the rest of its JSON.
fn read_call(call: Value) -> Result<(ToolCall, Object), Value> {
    let Value::Object(mut template) = call else {
        return Err(call);
    };
    let id = match template.get("id") {
        None => String::new(),
        Some(Value::String(id)) => id.clone(),
        Some(_) => return Err(Value::Object(template)),
    };
    if let Some(function) = object(&mut template, "function") {
        if !is(function, "name") || !function.contains_key("arguments") {
            return Err(Value::Object(template));
        }
        let name = take_text(function, "name").unwrap_or_default();
        let args = match function.remove("arguments").unwrap_or_default() {
            Value::String(text) => match serde_json::from_str(&text) {
                // Keep a string as it is, so that invalid JSON survives.
                Ok(Value::String(_)) | Err(_) => Value::String(text),
                Ok(args) => args,
            },
            // Ollama's arguments are not a string.
            args => {
                function.insert("arguments".into(), Value::Null);
                args
            }
        };
        return Ok((ToolCall { id, name, args }, template));
    }
    let Some(name) = take_text(&mut template, "name") else {
        return Err(Value::Object(template));
    };
    let args = template.remove("args").unwrap_or_else(|| {
        template.insert("args".into(), Value::Null);
        Value::Object(Object::new())
    });
    Ok((ToolCall { id, name, args }, template))
}

/// Writes the calls that have no position among the parts.
fn write_calls(
    message: &ChatMessage,
    wire: &mut Object,
    calls: &mut [Option<&ToolCall>],
    blocks: &mut Vec<Value>,
) {
    let templates = match wire.get("tool_calls") {
        Some(Value::Array(templates)) if !templates.is_empty() => templates.clone(),
        _ => Vec::new(),
    };
    let as_function = templates
        .iter()
        .any(|template| template["function"].is_object());
    let mut written: Vec<_> = templates
        .into_iter()
        .filter_map(|template| match template {
            Value::Array(mut unknown) => unknown.pop(),
            Value::Object(template) => {
                let id = template.get("id").and_then(Value::as_str);
                let call = take_call(calls, id.unwrap_or_default())?;
                Some(write_call(call, template))
            }
            other => Some(other),
        })
        .collect();
    // A call that a hook has added gets the structure of the others.
    for call in calls.iter_mut().filter_map(Option::take) {
        if message.parts.iter().any(is_call) {
            blocks.push(tool_use(call, Object::new()));
            continue;
        }
        let mut template = Object::new();
        template.insert("id".into(), Value::Null);
        if as_function {
            template.insert("type".into(), "function".into());
            template.insert("function".into(), Value::Object(Object::new()));
        }
        written.push(write_call(call, template));
    }
    if !written.is_empty() {
        wire.insert("tool_calls".into(), written.into());
    } else if wire
        .get("tool_calls")
        .and_then(Value::as_array)
        .is_some_and(|had| !had.is_empty())
    {
        wire.remove("tool_calls");
    }
}

fn write_call(call: &ToolCall, mut template: Object) -> Value {
    if template.contains_key("id") || !call.id.is_empty() {
        template.insert("id".into(), call.id.as_str().into());
    }
    let name = Value::from(call.name.as_str());
    if let Some(function) = object(&mut template, "function") {
        function.insert("name".into(), name);
        let args = match &call.args {
            args if function.contains_key("arguments") => args.clone(),
            Value::String(text) => text.as_str().into(),
            args => args.to_string().into(),
        };
        function.insert("arguments".into(), args);
    } else {
        template.insert("name".into(), name);
        let was_absent = template.remove("args").is_some();
        if !was_absent || call.args != Value::Object(Object::new()) {
            template.insert("args".into(), call.args.clone());
        }
    }
    Value::Object(template)
}

/// Takes the first call with this id.
fn take_call<'a>(calls: &mut [Option<&'a ToolCall>], id: &str) -> Option<&'a ToolCall> {
    let of_id = |call: &&mut Option<&ToolCall>| call.is_some_and(|call| call.id == id);
    calls.iter_mut().find(of_id)?.take()
}

fn is_call(part: &Part) -> bool {
    matches!(part, Part::ToolCall { .. })
}

/// Whether the key holds a string.
pub(super) fn is(object: &Object, key: &str) -> bool {
    object.get(key).is_some_and(Value::is_string)
}

/// Takes the string under a key; leaves any other value.
pub(super) fn take_text(object: &mut Object, key: &str) -> Option<String> {
    if !is(object, key) {
        return None;
    }
    match object.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}

/// Takes the type, if writing adds the same type again.
fn take_type(block: &mut Object, kind: &str) {
    if block.get("type").is_some_and(|is| is == kind) {
        block.remove("type");
    }
}

/// The object under a key.
pub(super) fn object<'a>(object: &'a mut Object, key: &str) -> Option<&'a mut Object> {
    object.get_mut(key)?.as_object_mut()
}
