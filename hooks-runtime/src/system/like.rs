//! A table that says in what it differs from another.

use serde_json::{Map, Value};

/// The parts that are taken over, and which of their keys; all, if none are named. The events are taken over as a whole.
const PARTS: &[(&str, &[&str])] = &[
    ("fields", &[]),
    ("sets", &[]),
    ("says", &[]),
    ("call", &["event", "project", "message"]),
    ("hooks", &["exit", "names_event", "hears"]),
];

/// The name of the other table.
pub(crate) fn of(table: &Value) -> Option<&str> {
    table.get("like")?.as_str()
}

/// Adds what the other table alone has. Its keys stay in their order, before new ones.
pub(crate) fn lay(table: &mut Value, mut other: Value) {
    for (part, keys) in PARTS {
        let own = table.get_mut(*part).map(Value::take);
        // An agent that does not call does not begin to.
        if own.is_none() && *part == "call" {
            continue;
        }
        let mut all = match other.get_mut(*part).map(Value::take) {
            Some(Value::Object(all)) => all,
            _ => Map::new(),
        };
        all.retain(|key, _| keys.is_empty() || keys.contains(&key.as_str()));
        if let Some(Value::Object(own)) = own {
            all.extend(own);
        }
        table[*part] = Value::Object(all);
    }
    if table.get("event").is_none() {
        table["event"] = other["event"].take();
    }
}
