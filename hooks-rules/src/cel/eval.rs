//! Evaluates expressions, with a budget.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::OnceLock;

use regex::Regex;
use serde_json::Value as Json;

use super::functions::Function;
use super::parse::{Expr, Kind, Loop};
use super::value::{Type, Value};
use super::{Fault, Variables};
use crate::pattern;

/// The maximum size of all values that an expression reads, if a loop reads the same values repeatedly.
pub(super) const MOST_SEEN: usize = 32 * 1024 * 1024;
/// What a regular expression costs that is known only now: as much as to read so many bytes.
const PATTERN: usize = 16 * 1024;

type Evaluated<'v> = Result<Value<'v>, Fault>;

/// An evaluation.
pub(super) struct Evaluation<'v> {
    pub(super) variables: &'v dyn Variables,
    /// The size of what it has read.
    pub(super) seen: Cell<usize>,
}

/// The value that a loop gives a name. Loops are not nested, so there is one at most.
type Local<'l, 'v> = Option<&'l Value<'v>>;

impl<'v> Evaluation<'v> {
    /// Returns the value of a part. It calls itself for parts of parts, so each kind has its own function: what only one
    /// of them needs takes no room on the stack of the others.
    pub(super) fn value(&self, expr: &'v Expr, local: Local<'_, 'v>) -> Evaluated<'v> {
        match &expr.kind {
            Kind::Literal(value) => Ok(value.lent()),
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
            _ => match self.value(expr, local)? {
                Value::Bool(value) => Ok(value),
                other => Err(Fault::NotBool(other.kind())),
            },
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
        let missing =
            |found: usize| Fault::NoKey(keys.get(found).map_or(variable, |key| key).into());
        let value = self.variables.read(variable, keys).map_err(missing)?;
        self.spend(match &value {
            Value::Text(text) => text.len() + 2,
            Value::Json(json) => size_of(json, MOST_SEEN),
            _ => 8,
        })?;
        Ok(value)
    }

    fn map(&self, written: &'v [(Expr, Expr)], local: Local<'_, 'v>) -> Evaluated<'v> {
        let mut entries = Vec::<(Value<'v>, Value<'v>)>::new();
        for (key, value) in written {
            let key = self.value(key, local)?;
            if !is_key(key.kind()) || key.kind() == Type::Double {
                return Err(Fault::types("a key", &[key.kind()]));
            }
            if entries.iter().any(|(known, _)| known.equals(&key)) {
                return Err(Fault::RepeatedKey(key.to_string()));
            }
            entries.push((key, self.value(value, local)?));
        }
        Ok(Value::Map(entries.into()))
    }

    fn each(&self, each: &'v Loop, local: Local<'_, 'v>) -> Evaluated<'v> {
        let range = self.value(&each.range, local)?;
        let Some(items) = range.items() else {
            return Err(Fault::types("a loop", &[range.kind()]));
        };
        let holds = |item: &Value<'v>| self.is_true(&each.body, Some(item));
        Ok(match each.does {
            "all" => Value::Bool(decided(&items, false, holds)?),
            "exists" => Value::Bool(decided(&items, true, holds)?),
            "exists_one" => {
                let mut count = 0;
                for item in &items {
                    count += usize::from(holds(item)?);
                }
                Value::Bool(count == 1)
            }
            _ => {
                let mut made = Vec::new();
                for item in items {
                    let only = match (&each.only, each.does) {
                        (Some(only), _) => self.is_true(only, Some(&item))?,
                        (None, "filter") => holds(&item)?,
                        (None, _) => true,
                    };
                    match each.does {
                        _ if !only => {}
                        "filter" => made.push(item),
                        _ => made.push(self.value(&each.body, Some(&item))?),
                    }
                }
                Value::list(made)
            }
        })
    }
}

/// Evaluates parts until one decides: `false` decides `&&`, and `true` decides `||`, whatever else fails. Otherwise, the
/// first fault counts.
fn decided<'p, P>(
    parts: &'p [P],
    decides: bool,
    mut is_true: impl FnMut(&'p P) -> Result<bool, Fault>,
) -> Result<bool, Fault> {
    let mut fault = None;
    for part in parts {
        match is_true(part) {
            Ok(value) if value == decides => return Ok(decides),
            Ok(_) => {}
            Err(first) => fault = fault.or(Some(first)),
        }
    }
    fault.map_or(Ok(!decides), Err)
}

fn negative<'v>(of: &Value<'v>) -> Evaluated<'v> {
    match of {
        Value::Int(number) => number
            .checked_neg()
            .map(Value::Int)
            .ok_or(Fault::Overflow("-")),
        Value::Double(number) => Ok(Value::Double(-number)),
        other => Err(Fault::types("-", &[other.kind()])),
    }
}

fn has(of: &Value<'_>, key: &str) -> Result<bool, Fault> {
    match of.kind() {
        Type::Map => Ok(of.get(&Value::Text(key.into())).is_some()),
        other => Err(Fault::types("has", &[other])),
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

fn is_key(kind: Type) -> bool {
    matches!(
        kind,
        Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Text
    )
}

/// Returns the value of a key of a map, or at a place in a list.
fn at<'v>(of: &Value<'v>, key: &Value<'_>, what: &'static str) -> Evaluated<'v> {
    let wrong = || Fault::types(what, &[of.kind(), key.kind()]);
    match of.kind() {
        Type::Map if is_key(key.kind()) => of.get(key).ok_or_else(|| Fault::NoKey(key.to_string())),
        Type::List => {
            #[expect(clippy::cast_possible_truncation, reason = "a fraction has no place")]
            let place = match key {
                Value::Double(number) if number.fract() == 0.0 => *number as i64,
                Value::Int(number) => *number,
                Value::Uint(number) => i64::try_from(*number).unwrap_or(i64::MAX),
                _ => return Err(wrong()),
            };
            let value = usize::try_from(place).ok().and_then(|place| of.nth(place));
            value.ok_or(Fault::OutOfRange)
        }
        _ => Err(wrong()),
    }
}

fn binary<'v>(operator: &'static str, one: &Value<'v>, other: &Value<'v>) -> Evaluated<'v> {
    let wrong = || Fault::types(operator, &[one.kind(), other.kind()]);
    // What is not a number is neither less nor greater.
    let ordered = |holds: fn(Ordering) -> bool| {
        let order = one.order(other, operator)?;
        Ok(Value::Bool(order.is_some_and(holds)))
    };
    match operator {
        "==" => Ok(Value::Bool(one.equals(other))),
        "!=" => Ok(Value::Bool(!one.equals(other))),
        "<" => ordered(Ordering::is_lt),
        "<=" => ordered(Ordering::is_le),
        ">" => ordered(Ordering::is_gt),
        ">=" => ordered(Ordering::is_ge),
        "in" => match other.kind() {
            Type::Map if is_key(one.kind()) => Ok(Value::Bool(other.get(one).is_some())),
            Type::List => {
                let items = other.items().unwrap_or_default();
                Ok(Value::Bool(items.iter().any(|item| item.equals(one))))
            }
            _ => Err(wrong()),
        },
        _ => calculated(operator, one, other),
    }
}

fn calculated<'v>(operator: &'static str, one: &Value<'v>, other: &Value<'v>) -> Evaluated<'v> {
    let whole = |result: Option<Value<'v>>, divisor_is_zero: bool| match operator {
        "/" | "%" if divisor_is_zero => Err(Fault::DivisionByZero),
        _ => result.ok_or(Fault::Overflow(operator)),
    };
    macro_rules! whole {
        ($kind:ident, $one:ident, $other:ident) => {{
            let result = match operator {
                "+" => $one.checked_add(*$other),
                "-" => $one.checked_sub(*$other),
                "*" => $one.checked_mul(*$other),
                "/" => $one.checked_div(*$other),
                _ => $one.checked_rem(*$other),
            };
            whole(result.map(Value::$kind), *$other == 0)
        }};
    }
    match (one, other, operator) {
        (Value::Int(one), Value::Int(other), _) => whole!(Int, one, other),
        (Value::Uint(one), Value::Uint(other), _) => whole!(Uint, one, other),
        (Value::Double(one), Value::Double(other), "+") => Ok(Value::Double(one + other)),
        (Value::Double(one), Value::Double(other), "-") => Ok(Value::Double(one - other)),
        (Value::Double(one), Value::Double(other), "*") => Ok(Value::Double(one * other)),
        (Value::Double(one), Value::Double(other), "/") => Ok(Value::Double(one / other)),
        (Value::Text(one), Value::Text(other), "+") => Ok(Value::text([&**one, other].concat())),
        (Value::Bytes(one), Value::Bytes(other), "+") => {
            Ok(Value::Bytes(Cow::Owned([&**one, other].concat())))
        }
        _ if operator == "+" && one.kind() == Type::List && other.kind() == Type::List => {
            let both = [one, other].into_iter().filter_map(Value::items);
            Ok(Value::list(both.flatten()))
        }
        _ => Err(Fault::types(operator, &[one.kind(), other.kind()])),
    }
}

/// Returns the approximate size of a value as JSON. Counting stops beyond `most`.
#[inline]
#[must_use]
pub fn size_of(value: &Json, most: usize) -> usize {
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => 8,
        Json::String(text) => text.len() + 2,
        Json::Array(values) => sum(values.iter().map(|value| size_of(value, most) + 1), most),
        Json::Object(fields) => {
            let sizes = fields
                .iter()
                .map(|(key, value)| key.len() + 4 + size_of(value, most));
            sum(sizes, most)
        }
    }
}

/// Adds sizes up to the first sum beyond `most`.
fn sum(mut sizes: impl Iterator<Item = usize>, most: usize) -> usize {
    let add = |sum: usize, size: usize| if sum > most { Err(sum) } else { Ok(sum + size) };
    sizes.try_fold(2, add).unwrap_or_else(|sum| sum)
}
