//! Reads what an agent passes to its hooks, by the rows of its table.

use std::sync::Arc;

use hooks_core::agent::AgentContext;
use serde_json::{Map, Value, json};

use super::{Call, Incoming};
use crate::owned::{EventError, OwnedEvent};
use crate::system::Dialect;
use crate::system::raw::Raw;
use crate::system::shapes::{self, Shape};
use crate::system::table::{self, EventCondition, Pairs, PayloadField, System, SystemEvent, at};

/// Why an event cannot be judged, and the system that reads it.
type ReadFailure = (Dialect, EventError);

/// Reads an event.
pub(super) fn read(call: Call<'_>) -> Result<Incoming, ReadFailure> {
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
    let table = system.system();
    let Some(calls) = &table.call else {
        return Err(of(EventError::new(format!(
            "`{system}` calls no program as its hook"
        ))));
    };
    let named = calls.event.iter().find_map(|key| input[key].as_str());
    let Some(named) = named.or(call.event) else {
        return Err(of(EventError::new(match calls.event.first() {
            None => "the event has no name: write `--event NAME` into the command".to_owned(),
            Some(key) => format!("the event has no name: `{key}` is missing"),
        })));
    };
    let row = table.called(named);
    let mut note = None;
    if row.is_none() && !table.never.iter().any(|never| never == named) {
        // What has a tool in it may be a call that waits for a decision. An agent of the user's own may name its tools by
        // any key, and its table has every event on which it calls.
        let is_own = matches!(system, Dialect::Own(_));
        let mut tools = table.names_of_tools().chain(["tool_name"]);
        if is_own || tools.any(|key| value(&input, key).is_some()) {
            return Err(of(EventError::new(format!(
                "`{named}` is not an event of `{system}`"
            ))));
        }
        note = Some(format!(
            "no hook has run: `{named}` is not a known event of {}",
            system.title()
        ));
    }
    let reading = Reading {
        table,
        row,
        input: &input,
    };
    let (mut cx, mut fields) = reading.parts().map_err(of)?;
    reading.place(&mut cx, call.project_dir);
    cx.tenant_id = call.tenant.map(str::to_owned);
    if let Some(agent) = call.agent {
        agent.clone_into(&mut cx.agent_id);
    }
    if row.is_some_and(|row| row.ours == "BeforeStop")
        && let Some(stops) = call.stops
    {
        let said = fields["attempt"].as_u64().unwrap_or_default();
        let counted = stops.count(&call.key(&cx, &[]));
        fields["attempt"] = said.max(counted.into()).into();
    }
    let is_again = calls.skip.get(named);
    let event = match row {
        _ if is_again.is_some_and(|all| holds(all, &input, call.is_set)) => None,
        Some(row) if table.calls(row) => Some(reading.event(row, &cx, fields).map_err(of)?),
        Some(_) => None,
        None => Some(
            OwnedEvent::from_json("Custom", json!({ "kind": named, "payload": &input }))
                .map_err(of)?,
        ),
    };
    let tool = event.as_ref().filter(|_| row.is_some());
    let (named, response) = (named.to_owned(), reading.response());
    let raw = event.as_ref().map(|event| {
        Arc::new(Raw {
            system,
            named: named.clone(),
            row,
            within: String::new(),
            text: String::from_utf8_lossy(text).into_owned(),
            before: event.to_json(),
            value: input,
        })
    });
    Ok(Incoming {
        raw,
        tool: tool
            .and_then(OwnedEvent::subject)
            .unwrap_or_default()
            .to_owned(),
        response,
        named,
        system,
        event,
        cx,
        row,
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
    // No other agent reads the settings of an agent of the user's own.
    if let Dialect::Own(_) = call.system {
        return call.system;
    }
    let is = |system: Dialect| {
        let calls = system.system().call.iter();
        let mut any = calls.flat_map(|calls| &calls.is);
        any.any(|all| holds(all, input, call.is_set))
    };
    if is(call.system) {
        return call.system;
    }
    Dialect::callers()
        .find(|system| is(*system))
        .unwrap_or(call.system)
}

/// Whether an input, or the environment after `$`, is as all of these say.
fn holds(all: &Pairs<String>, input: &Value, is_set: &dyn Fn(&str) -> bool) -> bool {
    all.0.iter().all(|(path, is)| {
        if let Some(variable) = path.strip_prefix('$') {
            return is_set(variable);
        }
        let value = at(input, path).unwrap_or(&Value::Null);
        let text = value.as_str();
        match is.as_str() {
            "string" => value.is_string(),
            "number" => value.is_number(),
            "some" => !value.is_null(),
            "none" => value.is_null(),
            "list" => value.is_array(),
            "bool" => value.is_boolean(),
            "Upper" => text.is_some_and(|text| text.starts_with(char::is_uppercase)),
            word => match word.strip_prefix('~') {
                Some(part) => text.is_some_and(|text| text.contains(part)),
                None => text.is_some() && text == word.strip_prefix('='),
            },
        }
    })
}

/// The value of a key, in the spelling `tool_name` or `toolName`: agents change it from one version to the next.
fn value<'v>(input: &'v Value, key: &str) -> Option<&'v Value> {
    at(input, key).or_else(|| at(input, &other_spelling(key)))
}

fn other_spelling(key: &str) -> String {
    let mut other = String::with_capacity(key.len() + 2);
    let mut letters = key.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '_' => other.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            letter if letter.is_ascii_uppercase() => {
                other.push('_');
                other.push(letter.to_ascii_lowercase());
            }
            letter => other.push(letter),
        }
    }
    other
}

/// An input, and the event that it is.
struct Reading<'a> {
    table: &'a System,
    row: Option<&'a SystemEvent>,
    input: &'a Value,
}

impl Reading<'_> {
    fn fields(&self) -> impl Iterator<Item = &(String, PayloadField)> {
        // Of an unknown event, only the context is known.
        let is_known = self.row.is_some();
        let all = self.row.unwrap_or(&self.table.other).reads.iter();
        all.filter(move |(_, field)| is_known || field.is_of_context())
    }

    /// The context, and the fields of our event.
    fn parts(&self) -> Result<(AgentContext, Value), EventError> {
        let mut cx = AgentContext::new("");
        let mut all = Value::Object(Map::new());
        for (key, field) in self.fields() {
            let missing = || EventError::new(format!("`{key}` is missing, or not a string"));
            let Some(theirs) = value(self.input, key) else {
                if field.is_required {
                    return Err(missing());
                }
                continue;
            };
            let ours = match field.shape {
                Some(shape) => shape
                    .read(theirs)
                    .map_err(|why| EventError::new(format!("`{key}` {why}")))?,
                None => Some(theirs.clone()),
            };
            let Some(ours) = ours else { continue };
            if let Some(path) = field.path.strip_prefix("cx.") {
                set_context(&mut cx, path, &ours);
                continue;
            }
            match (field.path.as_str(), ours) {
                ("event" | "now" | "now_ms" | "turn", _) => {}
                ("args", ours) => {
                    let args = arguments(ours)?;
                    let own = all["args"].as_object().cloned();
                    all["args"] = own.into_iter().flatten().chain(args).collect();
                }
                ("attempt", ours) => {
                    let count = ours.as_u64().unwrap_or_default().min(u32::MAX.into());
                    let before = all["attempt"].as_u64().unwrap_or_default();
                    all["attempt"] = count.max(before).into();
                }
                ("options", ours @ Value::Object(_)) => all["options"] = ours,
                ("name", Value::String(name)) if field.is_required && name.is_empty() => {
                    return Err(missing());
                }
                (path, ours) if field.shape.is_some() || ours.is_string() => {
                    table::set(&mut all, path, ours);
                }
                _ if field.is_required => return Err(missing()),
                _ => {}
            }
        }
        Ok((cx, all))
    }

    /// Where the agent works.
    fn place(&self, cx: &mut AgentContext, project: Option<&str>) {
        let project = project.filter(|folder| !folder.is_empty());
        let root = std::mem::take(&mut cx.project_dir);
        if cx.cwd.is_empty() {
            project.unwrap_or(&root).clone_into(&mut cx.cwd);
        }
        // An agent that names no project works in it.
        let root = if root.is_empty() {
            cx.cwd.clone()
        } else {
            root
        };
        cx.project_dir = project.map_or(root, str::to_owned);
        cx.channel.clone_from(&self.table.name);
        // The agent that starts a subagent raises the event of the start.
        let starts = self.row.is_some_and(|row| row.ours == "SubagentStart");
        let is_nested = self
            .row
            .is_some_and(|row| row.when == EventCondition::Nested);
        cx.depth = u32::from(!cx.agent_id.is_empty() && !starts || is_nested);
    }

    /// Our event.
    fn event(
        &self,
        row: &SystemEvent,
        cx: &AgentContext,
        mut fields: Value,
    ) -> Result<OwnedEvent, EventError> {
        for (path, word) in &row.given {
            table::set(&mut fields, path, word.as_str().into());
        }
        if row.when == EventCondition::Failed {
            table::set(&mut fields, "output.is_error", true.into());
        }
        let known = row.info().map_or(&[][..], |info| info.fields);
        for key in known {
            let name = self.table.name.as_str();
            let value = match (*key, row.ours) {
                _ if fields.get(key).is_some() => continue,
                ("session_id", _) => &*cx.session_id,
                ("channel" | "provider" | "by", _) => name,
                ("stage", "AgentError") => "model",
                ("kind", "Interrupt") => "stop",
                _ => continue,
            };
            fields[*key] = value.into();
        }
        OwnedEvent::from_json(row.ours, fields)
    }

    /// The tool's own answer.
    fn response(&self) -> Value {
        let mut fields = self.fields();
        let field = fields.find_map(|(key, field)| {
            let is_answer = matches!(field.shape, Some(Shape::Result | Shape::ResultJson));
            value(self.input, key).filter(|_| is_answer)
        });
        field.map(shapes::response).unwrap_or_default()
    }
}

/// Sets a value of the context. One that is not a text says nothing.
fn set_context(cx: &mut AgentContext, path: &str, value: &Value) {
    if let Some(key) = path.strip_prefix("extra.") {
        cx.extra.insert(key.to_owned(), value.clone());
        return;
    }
    let Some(text) = value.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    match path {
        "session_id" => text.clone_into(&mut cx.session_id),
        "cwd" => text.clone_into(&mut cx.cwd),
        "project_dir" => text.clone_into(&mut cx.project_dir),
        "agent_id" => text.clone_into(&mut cx.agent_id),
        "agent_type" => text.clone_into(&mut cx.agent_type),
        _ => {}
    }
}

/// The arguments of a tool: an object, or a text with one.
fn arguments(args: Value) -> Result<Map<String, Value>, EventError> {
    let args = match args {
        Value::String(text) => crate::json::from_slice(text.as_bytes())
            .map_err(|error| EventError::new(format!("`tool_input` is not JSON: {error}")))?,
        other => other,
    };
    match args {
        Value::Object(args) => Ok(args),
        _ => Err(EventError::new("`tool_input` is not an object")),
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
