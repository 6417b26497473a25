//! What the expressions of a hook read: the event's fields by their names, `cx`, and `raw`.

use std::cell::OnceCell;
use std::sync::{Arc, LazyLock};

use hooks_core::agent::{AgentContext, AgentEvent, ToolAnnotations};
use hooks_rules::cel::{self, Cel, Failed, Known, Mistake, Type, field, size_of};
use hooks_rules::tools;
use serde_json::{Map, Value};

use super::spent;
use crate::fault::Fault;
use crate::system::raw::Raw;

/// The fields of `cx`, with their types.
static CONTEXT: LazyLock<Vec<(String, Type)>> = LazyLock::new(|| {
    let context = serde_json::to_value(AgentContext::default()).unwrap_or_default();
    let fields = context.as_object().into_iter().flatten();
    let typed = fields.map(|(name, value)| match cel::Value::from(value).kind() {
        // It may be there as well.
        Type::Null => (name.clone(), Type::Any),
        kind => (name.clone(), kind),
    });
    typed.collect()
});

/// Calls a function with the fields of `cx`, and their types.
pub(crate) fn with_context<T>(then: impl FnOnce(&[(&str, Type)]) -> T) -> T {
    let context = CONTEXT.iter().map(|(name, kind)| (&**name, *kind));
    then(&context.collect::<Vec<_>>())
}

/// Compiles an expression that may name these variables, which are all there are.
///
/// # Errors
///
/// The first mistake in it.
pub(crate) fn compile(text: &str, names: &[&str]) -> Result<Cel, Mistake> {
    let variables: Vec<_> = names.iter().map(|name| (*name, Type::Any)).collect();
    let known = Known {
        variables: &variables,
        context: &[],
    };
    Cel::compile(text, &known)
}

impl From<Failed> for Fault {
    fn from(failed: Failed) -> Self {
        Fault::filter(failed)
    }
}

/// What is known about a tool of which nothing is known, so that `annotations.destructive == true` is false for it.
static UNKNOWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(ToolAnnotations::default()).unwrap_or_default());

/// What an agent has said that says nothing in words of its own: one that is written in Rust.
static NOTHING: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

/// What an expression sees: the event's fields by their names, `cx`, and `raw`, which is what the agent has said.
pub(crate) struct Variables<'a> {
    cx: &'a AgentContext,
    event: AgentEvent<'a>,
    /// Further names, such as `tool_name` of a dialect.
    more: &'a [(&'static str, Value)],
    payload: OnceCell<Value>,
    context: OnceCell<Value>,
    raw: OnceCell<Option<Arc<Raw>>>,
    /// The text of a command that is a list of words.
    command: OnceCell<String>,
}

impl<'a> Variables<'a> {
    /// The variables of an event, and further ones, which count first.
    pub(crate) fn with(
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
            raw: OnceCell::new(),
            command: OnceCell::new(),
        }
    }

    /// Returns the arguments of a tool call, the only part that is read without a copy.
    fn args(&self) -> Option<&'a Value> {
        crate::events::args(&self.event)
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
            "args" => self.args(),
            "raw" => {
                let raw = self.raw.get_or_init(Raw::current).as_ref();
                Some(raw.map_or(&*NOTHING, |raw| &raw.value))
            }
            // A field that the JSON leaves out is empty.
            _ if crate::events::info(&self.event).fields.contains(&name) => {
                let empty = || match name {
                    "annotations" => &*UNKNOWN,
                    _ => &Value::Null,
                };
                Some(self.payload().get(name).unwrap_or_else(empty))
            }
            _ => None,
        }
    }
}

impl cel::Variables for Variables<'_> {
    #[inline]
    fn read(&self, variable: &str, keys: &[String]) -> Result<cel::Value<'_>, usize> {
        if keys.is_empty()
            && variable == "name"
            && let Some(subject) = crate::events::subject(&self.event)
        {
            return Ok(cel::Value::Text(subject.into()));
        }
        let mut value = self.variable(variable).ok_or(0_usize)?;
        for (nth, key) in keys.iter().enumerate() {
            let of = |name: &str| value.as_object().and_then(|fields| field(fields, name));
            // A command has several names, and may be a list of words. A condition sees its text.
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
                let text = self.command.get_or_init(|| text.into_owned());
                return Ok(cel::Value::Text(text.as_str().into()));
            }
        }
        Ok(value.into())
    }

    #[inline]
    fn size(&self, most: usize) -> usize {
        size_of(self.args().unwrap_or_else(|| self.payload()), most)
    }

    #[inline]
    fn spend(&self, bytes: usize) -> usize {
        spent::add(bytes)
    }
}
