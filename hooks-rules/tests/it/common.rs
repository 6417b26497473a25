//! What the tests share.

use std::collections::HashMap;

use hooks_rules::cel::{Cel, Known, Type, Value, Variables, size_of};
use hooks_rules::tools::{Aliases, known};
use serde_json::Value as Json;

/// Variables that are the fields of an object.
pub(crate) struct Fields(pub(crate) Json);

impl Variables for Fields {
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, usize> {
        let mut value = self.0.get(variable).ok_or(0_usize)?;
        for (found, key) in keys.iter().enumerate() {
            value = value.get(key).ok_or(found)?;
        }
        Ok(value.into())
    }

    fn size(&self, most: usize) -> usize {
        size_of(&self.0, most)
    }

    fn spend(&self, _: usize) -> usize {
        0
    }
}

/// Compiles an expression over these fields, and evaluates it. A mistake or a fault is its text.
pub(crate) fn evaluated(expression: &str, fields: &Fields) -> Result<Json, String> {
    compiled(expression, fields)?
        .evaluate(fields)
        .map_err(|failed| failed.fault.to_string())
}

pub(crate) fn compiled(expression: &str, fields: &Fields) -> Result<Cel, String> {
    let names = fields.0.as_object().unwrap().keys();
    let variables: Vec<_> = names.map(|name| (name.as_str(), Type::Any)).collect();
    let known = Known {
        variables: &variables,
        context: &[("depth", Type::Int)],
    };
    Cel::compile(expression, &known).map_err(|mistake| mistake.to_string())
}

/// Claude Code's names of well-known tools.
pub(crate) fn claudes() -> Aliases {
    let tools = known().iter();
    let theirs = tools.flat_map(|tool| {
        let claudes = tool.names[0].to_owned();
        tool.names()
            .map(move |name| (name.to_owned(), vec![claudes.clone()]))
    });
    Aliases::new(theirs.collect::<HashMap<_, _>>(), &[], true, false)
}
