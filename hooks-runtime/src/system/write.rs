//! Our event, as hooks that are written for an agent read it.

use hooks_core::agent::AgentEvent;
use serde_json::{Map, Value, json};

use super::Dialect;
use super::HandlerQuestion;
use super::goclaw;
use super::raw::Raw;
use super::table::{PayloadField, SystemEvent, at, put};

/// Returns an event in the format of a dialect: what the agent has said, or otherwise what its table says.
pub(super) fn input(dialect: Dialect, ask: &HandlerQuestion<'_>) -> serde_json::Result<Vec<u8>> {
    let raw = Raw::current().filter(|raw| raw.system == dialect);
    match raw.and_then(|raw| raw.laid(ask, event(dialect, ask))) {
        Some(text) => Ok(text.into_bytes()),
        None => serde_json::to_vec(&keys(dialect, ask)),
    }
}

/// The row of an event.
fn event(dialect: Dialect, ask: &HandlerQuestion<'_>) -> Option<&'static SystemEvent> {
    let happened = Some((ask.cx, &ask.event));
    dialect.system().event(ask.info, ask.named, happened)
}

/// An event as its row says.
pub(super) fn keys(dialect: Dialect, ask: &HandlerQuestion<'_>) -> Map<String, Value> {
    if dialect == Dialect::Goclaw {
        return goclaw::input(ask);
    }
    let (table, event) = (dialect.system(), event(dialect, ask));
    // An event that the system does not have is named as the file names it.
    let named = event
        .filter(|_| !table.is_own)
        .map_or(ask.named, |event| &event.named);
    let mut fields = serde_json::to_value(ask.event).unwrap_or_default();
    if let Some(tool) = ask.tool {
        fields["name"] = tool.into();
    }
    if let Some(args) = ask.args {
        fields["args"] = args.clone();
    }
    let writing = Writing {
        ask,
        named,
        fields: &fields,
    };
    let mut input = Map::new();
    // What is known of events that the system does not have is about tools.
    let is_known = event.is_some() || fields["args"].is_object();
    let rows = event.unwrap_or(&table.other).writes.iter();
    for (key, field) in rows.filter(|(_, field)| is_known || field.is_of_context()) {
        if let Some(value) = writing.value(field) {
            put(&mut input, key, value);
        }
    }
    match ask.event {
        // The system's own event, which is none of ours.
        AgentEvent::Custom(event) if event.kind == named => {
            input.extend(event.payload.as_object().cloned().unwrap_or_default());
        }
        _ if table.is_own => {
            input.insert("event".to_owned(), json!(ask.event));
        }
        _ => {}
    }
    input
}

/// An event that is being written.
pub(super) struct Writing<'a> {
    pub(super) ask: &'a HandlerQuestion<'a>,
    pub(super) named: &'a str,
    pub(super) fields: &'a Value,
}

impl Writing<'_> {
    /// What is under a key; none if nothing is.
    pub(super) fn value(&self, field: &PayloadField) -> Option<Value> {
        if field.if_nested && self.ask.cx.depth == 0 {
            return None;
        }
        let ours = self.at(&field.path);
        let ours = ours.filter(|ours| field.or.is_none() || *ours != "");
        let theirs = ours.and_then(|ours| match field.shape {
            Some(shape) => shape.write(&ours, self.fields),
            None => Some(ours),
        });
        theirs.or_else(|| match &field.or {
            Some(Value::String(path)) if path.starts_with('$') => self.at(&path[1..]),
            or => or.clone(),
        })
    }

    /// What is at a path of ours.
    fn at(&self, path: &str) -> Option<Value> {
        let cx = self.ask.cx;
        let Some(path) = path.strip_prefix("cx.") else {
            return match path {
                "" => None,
                "event" => Some(self.named.into()),
                "now" => Some(jiff::Timestamp::now().to_string().into()),
                "now_ms" => Some(jiff::Timestamp::now().as_millisecond().into()),
                "turn" => Some(format!("{}:{}", cx.session_id, cx.turn).into()),
                path => at(self.fields, path).cloned(),
            };
        };
        Some(match path {
            "session_id" => cx.session_id.as_str().into(),
            "cwd" | "project_dir" => cx.cwd.as_str().into(),
            "agent_id" => cx.agent_id.as_str().into(),
            "agent_type" => cx.agent_type.as_str().into(),
            "turn" => cx.turn.into(),
            path => return cx.extra.get(path.strip_prefix("extra.")?).cloned(),
        })
    }
}
