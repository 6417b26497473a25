//! What the tests share.

use hooks_rules::cel::{Cel, Fault, Known, Type, Value, Variables};
use serde_json::Value as Json;

/// Variables that are the fields of an object.
pub(crate) struct Fields(pub(crate) Json);

impl Variables for Fields {
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, Fault> {
        let mut value = &self.0;
        for key in std::iter::once(variable).chain(keys.iter().map(String::as_str)) {
            value = value.get(key).ok_or_else(|| Fault::NoKey(key.into()))?;
        }
        Ok(value.into())
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
