//! What the expressions of a hook read: the event's fields by their names, `cx`, and `raw`.

use std::cell::OnceCell;
use std::sync::Arc;

use hooks_compiled::variables::walk;
use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::cel::{self, Cel, Failed, Known, Mistake, Type};
use serde_json::Value;

use super::spent;
use crate::fault::HandlerFault;
use crate::system::raw::Raw;

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

impl From<Failed> for HandlerFault {
    fn from(failed: Failed) -> Self {
        HandlerFault::filter(failed)
    }
}

/// What an expression sees: the event's fields by their names, `cx`, and `raw`, which is what the agent has said.
pub(crate) struct EventVariables<'a> {
    fields: hooks_compiled::variables::FieldVariables<'a>,
    /// Further names, such as `tool_name` of a dialect, which count first.
    more: &'a [(&'static str, Value)],
    raw: OnceCell<Option<Arc<Raw>>>,
}

impl<'a> EventVariables<'a> {
    /// The variables of an event, and further ones, which count first.
    pub(crate) fn with(
        cx: &'a AgentContext,
        event: AgentEvent<'a>,
        more: &'a [(&'static str, Value)],
    ) -> Self {
        EventVariables {
            fields: hooks_compiled::variables::FieldVariables::new(cx, event),
            more,
            raw: OnceCell::new(),
        }
    }
}

impl cel::Variables for EventVariables<'_> {
    #[inline]
    fn read(&self, variable: &str, keys: &[String]) -> Result<cel::Value<'_>, cel::Fault> {
        if variable == "raw"
            && let Some(raw) = self.raw.get_or_init(Raw::current)
        {
            self.fields.may_read(variable)?;
            return walk(&raw.value, variable, keys);
        }
        self.fields.read(self.more, variable, keys)
    }

    #[inline]
    fn spend(&self, bytes: usize) -> usize {
        spent::add(bytes)
    }
}

#[cfg(test)]
mod tests {
    use hooks_rules::events::CONTEXT;

    use super::*;

    #[test]
    fn expressions_may_name_the_fields_of_the_context() {
        let context = serde_json::to_value(AgentContext::default()).unwrap();
        let fields = context.as_object().into_iter().flatten();
        let typed = fields.map(|(name, value)| match cel::Value::from(value).kind() {
            Type::Null => (name.as_str(), Type::Any),
            kind => (name.as_str(), kind),
        });
        assert_eq!(typed.collect::<Vec<_>>(), CONTEXT);
    }
}
