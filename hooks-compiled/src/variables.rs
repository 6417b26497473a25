//! What the expressions of a hook read: the event's fields by their names, and `cx`.

use std::cell::{Cell, OnceCell};
use std::sync::LazyLock;

use hooks_core::agent::{AgentContext, AgentEvent, ToolAnnotations};
use hooks_rules::cel::compiled::MOST_INPUT;
use hooks_rules::cel::{Fault, Value as Cel, field, size_of};
use hooks_rules::tools::{self, ambiguous, class_of};
use serde_json::{Map, Value};

use crate::event;

/// What is known about a tool of which nothing is known, so that `annotations.destructive == true` is false for it.
static UNKNOWN: LazyLock<Value> =
    LazyLock::new(|| serde_json::to_value(ToolAnnotations::default()).unwrap_or_default());

/// What an agent has said that says nothing in words of its own: one that is written in Rust.
pub static NOTHING: LazyLock<Value> = LazyLock::new(|| Value::Object(Map::new()));

/// What an expression sees: the event's fields by their names, and `cx`.
///
/// What is asked of the whole event is asked once, and only for an expression that reads more of it than its name: whether
/// it is small enough, and, for its arguments, whether two of them mean the same and differ.
#[derive(Debug)]
pub struct FieldVariables<'a> {
    cx: &'a AgentContext,
    event: AgentEvent<'a>,
    // Most conditions need neither, so they take little room.
    payload: OnceCell<Box<Value>>,
    context: OnceCell<Box<Value>>,
    is_small: Cell<bool>,
    has_no_twins: Cell<bool>,
}

impl<'a> FieldVariables<'a> {
    /// The variables of an event that no expression has read yet.
    #[inline]
    #[must_use]
    pub fn new(cx: &'a AgentContext, event: AgentEvent<'a>) -> Self {
        FieldVariables {
            cx,
            event,
            payload: OnceCell::new(),
            context: OnceCell::new(),
            is_small: Cell::new(false),
            has_no_twins: Cell::new(false),
        }
    }

    /// The arguments of the tool.
    #[inline]
    #[must_use]
    pub fn args(&self) -> Option<&'a Value> {
        event::args(&self.event)
    }

    fn payload(&self) -> &Value {
        self.payload
            .get_or_init(|| Box::new(serde_json::to_value(self.event).unwrap_or_default()))
    }

    /// Returns the value of a variable.
    #[inline]
    fn variable(&self, name: &str) -> Option<&Value> {
        match name {
            "cx" => {
                let context = || Box::new(serde_json::to_value(self.cx).unwrap_or_default());
                Some(self.context.get_or_init(context))
            }
            "args" => self.args(),
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

    /// Returns the value at a path, which is a variable and keys. There may be further variables, which count first.
    ///
    /// # Errors
    ///
    /// Why there is none.
    #[inline]
    pub fn read<'v>(
        &'v self,
        more: &'v [(&'static str, Value)],
        variable: &str,
        keys: &[impl AsRef<str>],
    ) -> Result<Cel<'v>, Fault> {
        if keys.is_empty()
            && variable == "name"
            && let Some(subject) = event::subject(&self.event)
        {
            return Ok(Cel::Text(subject.into()));
        }
        self.may_read(variable)?;
        let known = more.iter().find(|(known, _)| *known == variable);
        match known
            .map(|(_, value)| value)
            .or_else(|| self.variable(variable))
        {
            Some(value) => walk(value, variable, keys),
            None => Err(Fault::NoKey(variable.into())),
        }
    }

    /// Whether an expression may read a variable.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub fn may_read(&self, variable: &str) -> Result<(), Fault> {
        match variable {
            "cx" | "name" | "id" => Ok(()),
            "args" => self.may_read_args(),
            _ => self.is_small(),
        }
    }

    /// Whether an expression may read the arguments of the tool.
    ///
    /// # Errors
    ///
    /// Why not.
    #[inline]
    pub fn may_read_args(&self) -> Result<(), Fault> {
        self.is_small()?;
        if !self.has_no_twins.get() {
            if let Some((one, other)) = self.args().and_then(ambiguous)
                && class_of(event::subject(&self.event).unwrap_or_default()).is_some()
            {
                return Err(Fault::Twins(one, other));
            }
            self.has_no_twins.set(true);
        }
        Ok(())
    }

    #[inline]
    fn is_small(&self) -> Result<(), Fault> {
        if !self.is_small.get() {
            let size = match self.args() {
                Some(args) => event::size_of_call(&self.event, args, MOST_INPUT),
                None => size_of(self.payload(), MOST_INPUT),
            };
            if size > MOST_INPUT {
                return Err(Fault::TooLarge);
            }
            self.is_small.set(true);
        }
        Ok(())
    }
}

/// Returns the value at a path in a variable. A command has several names, and may be a list of words: an expression sees
/// its text.
///
/// # Errors
///
/// If there is none: the key that does not exist.
#[inline]
pub fn walk<'v>(
    mut value: &'v Value,
    variable: &str,
    keys: &[impl AsRef<str>],
) -> Result<Cel<'v>, Fault> {
    for key in keys.iter().map(AsRef::as_ref) {
        let of = |name: &str| value.as_object().and_then(|fields| field(fields, name));
        let is_command = variable == "args" && key == "command";
        let found = of(key).or_else(|| {
            let mut others = tools::other_names(key).iter().filter(|_| is_command);
            others.find_map(|other| of(other))
        });
        value = found.ok_or_else(|| Fault::NoKey(key.into()))?;
        if is_command
            && value.is_array()
            && let Some(text) = tools::text_of(value)
        {
            return Ok(Cel::Text(text));
        }
    }
    Ok(value.into())
}
