//! What the expressions of a hook read: the event's fields by their names, and `cx`.

use std::cell::OnceCell;
use std::sync::LazyLock;

use hooks_core::agent::{AgentContext, AgentEvent, ToolAnnotations};
use hooks_rules::cel::{Value as Cel, field, size_of};
use hooks_rules::tools;
use serde_json::{Map, Value};

use crate::event;

/// What is known about a tool of which nothing is known, so that `annotations.destructive == true` is false for it.
static UNKNOWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(ToolAnnotations::default()).unwrap_or_default());

/// What an agent has said that says nothing in words of its own: one that is written in Rust.
pub static NOTHING: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

/// What an expression sees: the event's fields by their names, and `cx`.
#[derive(Debug)]
pub struct Variables<'a> {
    cx: &'a AgentContext,
    event: AgentEvent<'a>,
    /// Further names, such as `tool_name` of a dialect.
    more: &'a [(&'static str, Value)],
    payload: OnceCell<Value>,
    context: OnceCell<Value>,
}

impl<'a> Variables<'a> {
    /// The variables of an event, and further ones, which count first.
    #[must_use]
    pub fn with(
        cx: &'a AgentContext,
        event: AgentEvent<'a>,
        more: &'a [(&'static str, Value)],
    ) -> Self {
        Variables {
            cx,
            event,
            more,
            payload: OnceCell::new(),
            context: OnceCell::new(),
        }
    }

    fn payload(&self) -> &Value {
        self.payload
            .get_or_init(|| serde_json::to_value(self.event).unwrap_or_default())
    }

    /// Returns the value of a variable.
    #[inline]
    fn variable(&self, name: &str) -> Option<&Value> {
        if let Some((_, value)) = self.more.iter().find(|(known, _)| *known == name) {
            return Some(value);
        }
        match name {
            "cx" => {
                let context = || serde_json::to_value(self.cx).unwrap_or_default();
                Some(self.context.get_or_init(context))
            }
            "args" => event::args(&self.event),
            "raw" => Some(&NOTHING),
            // A field that the JSON leaves out is empty.
            _ if event::info(&self.event).fields.contains(&name) => {
                let empty = || match name {
                    "annotations" => &*UNKNOWN,
                    _ => &Value::Null,
                };
                Some(self.payload().get(name).unwrap_or_else(empty))
            }
            _ => None,
        }
    }

    /// Returns the value at a path, which is a variable and keys.
    ///
    /// # Errors
    ///
    /// If there is none: how many of the keys there are.
    #[inline]
    pub fn read(&self, variable: &str, keys: &[impl AsRef<str>]) -> Result<Cel<'_>, usize> {
        if keys.is_empty()
            && variable == "name"
            && let Some(subject) = event::subject(&self.event)
        {
            return Ok(Cel::Text(subject.into()));
        }
        walk(self.variable(variable).ok_or(0_usize)?, variable, keys)
    }

    /// Returns the size of the event, in bytes of JSON, approximately. Counting stops beyond `most`.
    #[inline]
    #[must_use]
    pub fn size(&self, most: usize) -> usize {
        match event::args(&self.event) {
            Some(args) => event::size_of_call(&self.event, args, most),
            None => size_of(self.payload(), most),
        }
    }
}

/// Returns the value at a path in a variable. A command has several names, and may be a list of words: an expression sees
/// its text.
///
/// # Errors
///
/// If there is none: how many of the keys there are.
#[inline]
pub fn walk<'v>(
    mut value: &'v Value,
    variable: &str,
    keys: &[impl AsRef<str>],
) -> Result<Cel<'v>, usize> {
    for (nth, key) in keys.iter().map(AsRef::as_ref).enumerate() {
        let of = |name: &str| value.as_object().and_then(|fields| field(fields, name));
        let is_command = variable == "args" && key == "command";
        let found = of(key).or_else(|| {
            let mut others = tools::other_names(key).iter().filter(|_| is_command);
            others.find_map(|other| of(other))
        });
        value = found.ok_or(nth)?;
        if is_command
            && value.is_array()
            && let Some(text) = tools::text_of(value)
        {
            return Ok(Cel::Text(text));
        }
    }
    Ok(value.into())
}
