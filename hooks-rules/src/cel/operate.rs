//! Applies the operators of CEL to values.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value as Json;

use super::fault::{Fault, MOST_SEEN};
use super::literal::Type;
use super::value::Value;

/// A value, or why there is none.
pub type Evaluated<'v> = Result<Value<'v>, Fault>;

/// Evaluates parts until one decides: `false` decides `&&`, and `true` decides `||`, whatever else fails. Otherwise, the
/// first fault counts.
///
/// # Errors
///
/// The first fault, if nothing decides.
pub(super) fn decided<'p, P>(
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

/// Whether two values are the same. Numbers of two types are, if they are the same number.
#[must_use]
pub fn equals(one: &Value<'_>, other: &Value<'_>) -> bool {
    one.equals(other)
}

/// Whether a value is true.
///
/// # Errors
///
/// If it is neither true nor false.
pub fn is_true(value: &Value<'_>) -> Result<bool, Fault> {
    match value {
        Value::Bool(value) => Ok(*value),
        other => Err(Fault::NotBool(other.kind())),
    }
}

/// Runs a loop over the values of a list, or the keys of a map.
///
/// # Errors
///
/// If its body or its condition has no value, or if it loops over something else.
pub fn each<'v>(
    does: &str,
    range: &Value<'v>,
    mut only: Option<&mut dyn FnMut(&Value<'v>) -> Evaluated<'v>>,
    body: &mut dyn FnMut(&Value<'v>) -> Evaluated<'v>,
) -> Evaluated<'v> {
    let Some(items) = range.items() else {
        return Err(Fault::types("a loop", &[range.kind()]));
    };
    let mut holds = |item: &Value<'v>| is_true(&body(item)?);
    Ok(match does {
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
                let only = match &mut only {
                    Some(only) => is_true(&only(&item)?)?,
                    None => does != "filter" || is_true(&body(&item)?)?,
                };
                match does {
                    _ if !only => {}
                    "filter" => made.push(item),
                    _ => made.push(body(&item)?),
                }
            }
            Value::list(made)
        }
    })
}

/// Begins an entry of a map that is written down.
///
/// # Errors
///
/// If the value cannot be a key, or is one already.
pub fn key(of: &[(Value<'_>, Value<'_>)], key: &Value<'_>) -> Result<(), Fault> {
    if !is_key(key.kind()) || key.kind() == Type::Double {
        return Err(Fault::types("a key", &[key.kind()]));
    }
    if of.iter().any(|(known, _)| known.equals(key)) {
        return Err(Fault::RepeatedKey(key.to_string()));
    }
    Ok(())
}

/// Returns `-value`.
///
/// # Errors
///
/// If it is not a number that has one.
pub fn negative<'v>(of: &Value<'v>) -> Evaluated<'v> {
    match of {
        Value::Int(number) => number
            .checked_neg()
            .map(Value::Int)
            .ok_or(Fault::Overflow("-")),
        Value::Double(number) => Ok(Value::Double(-number)),
        other => Err(Fault::types("-", &[other.kind()])),
    }
}

/// Whether a map has a key.
///
/// # Errors
///
/// If it is not a map.
pub fn has(of: &Value<'_>, key: &str) -> Result<bool, Fault> {
    match of.kind() {
        Type::Map => Ok(of.get(&Value::Text(key.into())).is_some()),
        other => Err(Fault::types("has", &[other])),
    }
}

fn is_key(kind: Type) -> bool {
    matches!(
        kind,
        Type::Bool | Type::Int | Type::Uint | Type::Double | Type::Text
    )
}

/// Returns the value of a key of a map, or at a place in a list.
///
/// # Errors
///
/// If it is neither, or has no such value.
pub fn at<'v>(of: &Value<'v>, key: &Value<'_>, what: &'static str) -> Evaluated<'v> {
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

/// Returns what an operator makes of two values.
///
/// # Errors
///
/// If it does not take them, or makes nothing of them.
pub fn binary<'v>(operator: &'static str, one: &Value<'v>, other: &Value<'v>) -> Evaluated<'v> {
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

/// Returns how many bytes an expression reads with a value of a variable.
#[inline]
#[must_use]
pub fn read_size(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len() + 2,
        Value::Json(json) => size_of(json, MOST_SEEN),
        _ => 8,
    }
}

/// Returns the approximate size of a value as JSON. Counting stops beyond `most`.
#[inline]
#[must_use]
pub fn size_of(value: &Json, most: usize) -> usize {
    let mut sum = 2;
    match value {
        Json::Null | Json::Bool(_) | Json::Number(_) => return 8,
        Json::String(text) => return text.len() + 2,
        Json::Array(values) => {
            for value in values {
                if sum > most {
                    break;
                }
                sum += size_of(value, most) + 1;
            }
        }
        Json::Object(fields) => {
            for (key, value) in fields {
                if sum > most {
                    break;
                }
                sum += key.len() + 4;
                sum += match value {
                    Json::String(text) => text.len() + 2,
                    other => size_of(other, most),
                };
            }
        }
    }
    sum
}
