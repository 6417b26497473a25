//! What an agent has said, as the text that came.
//!
//! A hook in the agent's own format reads exactly that, so nothing of it is lost, and nothing is made up. What other hooks
//! have changed is laid over it: a place changes only if it would be written otherwise, and every other byte stays.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use hooks_core::agent::AgentEvent;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::shapes::{self, Shape};
use super::table::{SystemEvent, at};
use super::write::Writing;
use super::{Dialect, HandlerQuestion};

/// The variable of the environment that names the calls within which a command hook runs.
pub const WITHIN: &str = "HOOKS_WITHIN";

tokio::task_local! {
    /// The input of the call that this task judges.
    static RAW: Arc<Raw>;
}

/// An input, and the event that it was.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) system: Dialect,
    /// The agent's name for the event.
    pub(crate) named: String,
    pub(crate) row: Option<&'static SystemEvent>,
    pub(crate) text: String,
    pub(crate) value: Value,
    /// Our event, before hooks have changed it.
    pub(crate) before: Value,
    /// The calls within which its hooks run, this one included.
    pub(crate) within: String,
}

impl Raw {
    /// The input from which the event of this task comes.
    pub(crate) fn current() -> Option<Arc<Raw>> {
        RAW.try_with(Arc::clone).ok()
    }

    /// Runs hooks on the event that the input is.
    pub(crate) async fn scope<T>(self: Arc<Self>, hooks: impl Future<Output = T>) -> T {
        RAW.scope(self, hooks).await
    }

    /// The input with what hooks have changed, if a hook of this event's name reads it so.
    pub(super) fn laid(
        &self,
        ask: &HandlerQuestion<'_>,
        event: Option<&SystemEvent>,
    ) -> Option<String> {
        let is_same = match (event, self.row) {
            (Some(event), Some(row)) => std::ptr::eq(event, row),
            (None, None) => {
                matches!(ask.event, AgentEvent::Custom(custom) if custom.kind == self.named)
            }
            _ => false,
        };
        if !is_same {
            return None;
        }
        let after = serde_json::to_value(ask.event).unwrap_or_default();
        if after["event"] != self.before["event"] {
            return None;
        }
        let mut text = self.text.clone();
        let rows = event.filter(|_| after != self.before).into_iter();
        let rows = rows.flat_map(|event| &event.reads);
        for (key, field) in rows.filter(|(_, field)| !field.is_of_context()) {
            let is_answer = matches!(field.shape, Some(Shape::Result | Shape::ResultJson));
            match at(&self.value, key) {
                // A tool's own answer keeps its shape, and its place.
                Some(response) if is_answer && after["output"] != self.before["output"] => {
                    let shaped = shapes::shaped(&shapes::response(response), &after["output"]);
                    lay(&mut text, key, Some(response), &shaped);
                }
                _ if field.only_in || is_answer => {}
                _ => {
                    let write = |fields| {
                        let named = &self.named;
                        Writing { ask, named, fields }.value(field)
                    };
                    if let Some(new) = write(&after) {
                        lay(&mut text, key, write(&self.before).as_ref(), &new);
                    }
                }
            }
        }
        Some(text)
    }
}

/// Sets what differs between two values of a path.
fn lay(text: &mut String, path: &str, old: Option<&Value>, new: &Value) {
    match (old, new) {
        _ if old == Some(new) => {}
        (Some(Value::Object(old)), Value::Object(new))
            if old.keys().all(|key| new.contains_key(key))
                && new.keys().all(|key| !key.contains('.')) =>
        {
            for (key, value) in new {
                lay(text, &format!("{path}.{key}"), old.get(key), value);
            }
        }
        _ => splice(text, path, new),
    }
}

/// The keys of an object, each with its text.
#[derive(Deserialize)]
struct RawKeys<'a>(#[serde(borrow)] HashMap<Cow<'a, str>, &'a RawValue>);

/// Sets the value at a path in the text of an object.
fn splice(text: &mut String, path: &str, value: &Value) {
    // Where the part begins in which the rest of the path is.
    let (mut from, mut rest) = (0, path);
    loop {
        let part = &text[from..];
        let Ok(RawKeys(keys)) = serde_json::Deserializer::from_str(part)
            .into_iter()
            .next()
            .unwrap_or(Ok(RawKeys(HashMap::new())))
        else {
            return;
        };
        let (key, inner) = rest
            .split_once('.')
            .map_or((rest, None), |(key, inner)| (key, Some(inner)));
        let Some(raw) = keys.get(key) else {
            let missing = rest.rsplit('.').fold(value.to_string(), |inner, key| {
                format!("{{{}:{inner}}}", Value::from(key))
            });
            let comma = if keys.is_empty() { "" } else { "," };
            let at = from + part.find('{').map_or(0, |at| at + 1);
            text.insert_str(at, &format!("{}{comma}", &missing[1..missing.len() - 1]));
            return;
        };
        let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
        match inner {
            Some(inner) if raw.get().starts_with('{') => (from, rest) = (start, inner),
            // In a text of another kind, the whole of it is another.
            _ => {
                let end = start + raw.get().len();
                text.replace_range(start..end, &value.to_string());
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_other_byte_stays() {
        let spliced = |text: &str, path: &str, value: Value| {
            let mut text = text.to_owned();
            splice(&mut text, path, &value);
            text
        };
        let text = r#" { "a" : 1e3, "b": {"c":"x\/y", "d":12345678901234567890123 } } "#;
        assert_eq!(
            spliced(text, "b.c", json!("z")),
            r#" { "a" : 1e3, "b": {"c":"z", "d":12345678901234567890123 } } "#
        );
        assert_eq!(
            spliced(text, "b.e.f", json!(2)),
            r#" { "a" : 1e3, "b": {"e":{"f":2},"c":"x\/y", "d":12345678901234567890123 } } "#
        );
        assert_eq!(spliced("{}", "a.b", json!([1])), r#"{"a":{"b":[1]}}"#);
        assert_eq!(spliced(r#"{"a":"text"}"#, "a.b", json!(1)), r#"{"a":1}"#);
    }
}
