//! Evaluates expressions, with a budget.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::pattern::Regex;

use super::expression::Variables;
use super::fault::{Fault, MOST_SEEN, PATTERN};
use super::functions::Function;
use super::operate::{self, Evaluated, at, binary, decided, has, is_true, negative};
use super::parse::{Expr, Kind, Loop};
use super::value::Value;
use crate::pattern;

/// An evaluation.
pub(super) struct CelEvaluation<'v> {
    pub(super) variables: &'v dyn Variables,
    /// The size of what it has read.
    pub(super) seen: Cell<usize>,
}

/// The value that a loop gives a name. Loops are not nested, so there is one at most.
type Local<'l, 'v> = Option<&'l Value<'v>>;

impl<'v> CelEvaluation<'v> {
    /// Returns the value of a part. It calls itself for parts of parts, so each kind has its own function: what only one
    /// of them needs takes no room on the stack of the others.
    pub(super) fn value(&self, expr: &'v Expr, local: Local<'_, 'v>) -> Evaluated<'v> {
        match &expr.kind {
            Kind::Literal(value) => Ok(value.into()),
            Kind::Local => Ok(local.cloned().unwrap_or(Value::Null)),
            Kind::Path(variable, keys) => self.read(variable, keys),
            Kind::Field(of, key) => self.field(of, key, local),
            Kind::Index(both) => at(
                &self.value(&both[0], local)?,
                &self.value(&both[1], local)?,
                "[…]",
            ),
            Kind::If(three) => {
                let nth = if self.is_true(&three[0], local)? {
                    1
                } else {
                    2
                };
                self.value(&three[nth], local)
            }
            Kind::Negative(of) => negative(&self.value(of, local)?),
            Kind::Binary(operator, both) => self.binary(operator, both, local),
            Kind::Call(function, args) => self.call(function, args, local),
            Kind::List(items) => self.values(items, local).map(Value::list),
            Kind::Map(entries) => self.map(entries, local),
            Kind::Loop(each) => self.each(each, local),
            Kind::Has(..) | Kind::Not(_) | Kind::And(_) | Kind::Or(_) | Kind::Matches(..) => {
                self.is_true(expr, local).map(Value::Bool)
            }
            // The checker has left none.
            Kind::Unchecked { .. } => Ok(Value::Null),
        }
    }

    /// Whether a part is true.
    pub(super) fn is_true(&self, expr: &'v Expr, local: Local<'_, 'v>) -> Result<bool, Fault> {
        match &expr.kind {
            Kind::And(parts) => decided(parts, false, |part| self.is_true(part, local)),
            Kind::Or(parts) => decided(parts, true, |part| self.is_true(part, local)),
            Kind::Not(of) => Ok(!self.is_true(of, local)?),
            Kind::Has(of, key) => has(&self.value(of, local)?, key),
            Kind::Matches(of, compiled) => matches(&self.value(of, local)?, compiled),
            _ => is_true(&self.value(expr, local)?),
        }
    }

    fn values(&self, parts: &'v [Expr], local: Local<'_, 'v>) -> Result<Vec<Value<'v>>, Fault> {
        let mut values = Vec::with_capacity(parts.len());
        for part in parts {
            values.push(self.value(part, local)?);
        }
        Ok(values)
    }

    fn field(&self, of: &'v Expr, key: &'v str, local: Local<'_, 'v>) -> Evaluated<'v> {
        at(&self.value(of, local)?, &Value::Text(key.into()), "a field")
    }

    fn binary(
        &self,
        operator: &'static str,
        both: &'v [Expr; 2],
        local: Local<'_, 'v>,
    ) -> Evaluated<'v> {
        let one = self.value(&both[0], local)?;
        if let ("in", Kind::List(items)) = (operator, &both[1].kind) {
            // A list that is written down need not be made.
            let mut is_in = false;
            for item in items {
                is_in |= self.value(item, local)?.equals(&one);
            }
            return Ok(Value::Bool(is_in));
        }
        binary(operator, &one, &self.value(&both[1], local)?)
    }

    fn call(&self, function: &Function, args: &'v [Expr], local: Local<'_, 'v>) -> Evaluated<'v> {
        if function.0 == "matches" {
            self.spend(PATTERN)?;
        }
        function.call(&self.values(args, local)?)
    }

    fn spend(&self, bytes: usize) -> Result<(), Fault> {
        self.seen.set(self.seen.get().saturating_add(bytes));
        self.variables.spend(bytes);
        match self.seen.get() {
            seen if seen > MOST_SEEN => Err(Fault::TooMuch),
            _ => Ok(()),
        }
    }

    fn read(&self, variable: &str, keys: &[String]) -> Evaluated<'v> {
        let value = self.variables.read(variable, keys)?;
        self.spend(operate::read_size(&value))?;
        Ok(value)
    }

    fn map(&self, written: &'v [(Expr, Expr)], local: Local<'_, 'v>) -> Evaluated<'v> {
        let mut entries = Vec::<(Value<'v>, Value<'v>)>::new();
        for (key, value) in written {
            let key = self.value(key, local)?;
            operate::key(&entries, &key)?;
            entries.push((key, self.value(value, local)?));
        }
        Ok(Value::Map(entries.into()))
    }

    fn each(&self, each: &'v Loop, local: Local<'_, 'v>) -> Evaluated<'v> {
        let range = self.value(&each.range, local)?;
        let mut body = |item: &Value<'v>| self.value(&each.body, Some(item));
        match &each.only {
            Some(only) => {
                let mut only = |item: &Value<'v>| self.value(only, Some(item));
                operate::each(each.does, &range, Some(&mut only), &mut body)
            }
            None => operate::each(each.does, &range, None, &mut body),
        }
    }
}

fn matches(of: &Value<'_>, compiled: &(String, OnceLock<Option<Regex>>)) -> Result<bool, Fault> {
    let Value::Text(of) = of else {
        return Err(Fault::types("matches", &[of.kind()]));
    };
    let (text, regex) = compiled;
    let regex = regex.get_or_init(|| pattern::compiled(text).ok());
    let regex = regex.as_ref().ok_or_else(|| Fault::Pattern(text.clone()))?;
    Ok(regex.is_match(of))
}
