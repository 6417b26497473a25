//! Applies the functions of CEL to values.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::fault::Fault;
use super::functions::{FUNCTIONS, Function};
use super::literal::Type;
use super::value::Value;

use Type::{Bool, Bytes, Double, Int, List, Text, Uint};

/// Calls the function of this name.
///
/// # Errors
///
/// If it does not take the arguments.
pub fn call<'v>(name: &str, args: &[Value<'v>]) -> Result<Value<'v>, Fault> {
    let function = FUNCTIONS.iter().find(|function| function.0 == name);
    function.map_or(Ok(Value::Null), |function| function.call(args))
}

impl Function {
    /// Returns what it makes of the arguments.
    pub(super) fn call<'v>(&self, args: &[Value<'v>]) -> Result<Value<'v>, Fault> {
        if !self.takes(args.iter().map(Value::kind)) {
            let given: Vec<_> = args.iter().map(Value::kind).collect();
            return Err(Fault::types(self.0, &given));
        }
        let text = |nth: usize| text(args, nth);
        Ok(match self.0 {
            "contains" => Value::Bool(text(0).contains(text(1))),
            "startsWith" => Value::Bool(text(0).starts_with(text(1))),
            "endsWith" => Value::Bool(text(0).ends_with(text(1))),
            // With a literal, the checker takes its place.
            #[cfg(feature = "regex")]
            "matches" => {
                let regex = crate::pattern::compiled(text(1)).map_err(Fault::Pattern)?;
                Value::Bool(regex.is_match(text(0)))
            }
            "size" => match args[0].len() {
                Some(len) => int(len),
                None => return Err(Fault::types("size", &[args[0].kind()])),
            },
            "indexOf" => {
                let from = offset(args)?.unwrap_or(0);
                let rest = &text(0)[byte(text(0), from)..];
                let before = text(0).chars().count() - rest.chars().count();
                let found = rest.find(text(1));
                found.map_or(
                    Value::Int(-1),
                    |at| int(before + rest[..at].chars().count()),
                )
            }
            "lastIndexOf" => {
                let end = offset(args)?.map(|from| from + text(1).chars().count());
                let until = end.map_or(text(0).len(), |end| byte(text(0), end));
                let found = text(0)[..until].rfind(text(1));
                found.map_or(Value::Int(-1), |at| int(text(0)[..at].chars().count()))
            }
            "charAt" => {
                let place = place(args, 1)?;
                Value::text(text(0).chars().skip(place).take(1).collect::<String>())
            }
            "substring" => {
                let start = byte(text(0), place(args, 1)?);
                let end = if args.len() > 2 {
                    byte(text(0), place(args, 2)?)
                } else {
                    text(0).len()
                };
                Value::text(text(0).get(start..end).ok_or(Fault::OutOfRange)?)
            }
            "lowerAscii" => Value::text(text(0).to_ascii_lowercase()),
            "upperAscii" => Value::text(text(0).to_ascii_uppercase()),
            "trim" => Value::text(text(0).trim()),
            "reverse" => Value::text(text(0).chars().rev().collect::<String>()),
            "replace" => Value::text(match count(args, 3) {
                Some(count) => text(0).replacen(text(1), text(2), count),
                None => text(0).replace(text(1), text(2)),
            }),
            "split" => split(text(0), text(1), count(args, 2).unwrap_or(usize::MAX)),
            "join" => join(&args[0], text(1))?,
            "max" => most("max", args, Ordering::is_ge)?,
            "min" => most("min", args, Ordering::is_le)?,
            "dyn" => args[0].clone(),
            "type" => Value::Type(args[0].kind()),
            _ => converted(&args[0], self.4)?,
        })
    }
}

/// Returns an argument whose type is checked; nothing for one that is not given.
fn text<'a>(args: &'a [Value<'_>], nth: usize) -> &'a str {
    match args.get(nth) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

/// Returns how often something is done; none if it is done as often as possible.
fn count(args: &[Value<'_>], nth: usize) -> Option<usize> {
    match args.get(nth) {
        Some(Value::Int(count)) => usize::try_from(*count).ok(),
        _ => None,
    }
}

/// Returns a place in the text, in characters.
fn place(args: &[Value<'_>], nth: usize) -> Result<usize, Fault> {
    let len = text(args, 0).chars().count();
    count(args, nth)
        .filter(|place| *place <= len)
        .ok_or(Fault::OutOfRange)
}

/// Returns where a search begins, in characters, if an argument says so.
fn offset(args: &[Value<'_>]) -> Result<Option<usize>, Fault> {
    let is_in = |from: &usize| text(args, 1).is_empty() || *from < text(args, 0).chars().count();
    match args.get(2) {
        None => Ok(None),
        Some(_) => count(args, 2)
            .filter(is_in)
            .map(Some)
            .ok_or(Fault::OutOfRange),
    }
}

fn split<'v>(text: &str, between: &str, count: usize) -> Value<'v> {
    let parts: Vec<_> = match (count, between) {
        (0, _) => Vec::new(),
        (_, "") => {
            let ends = text.char_indices().map(|(at, _)| at).skip(1);
            let ends: Vec<_> = ends.take(count - 1).chain([text.len()]).collect();
            let starts = [0].into_iter().chain(ends.iter().copied());
            let parts = starts.zip(&ends).map(|(start, end)| &text[start..*end]);
            parts.filter(|part| !part.is_empty()).collect()
        }
        _ => text.splitn(count, between).collect(),
    };
    Value::list(parts.into_iter().map(Value::text))
}

fn join<'v>(list: &Value<'_>, between: &str) -> Result<Value<'v>, Fault> {
    let items = list.items().unwrap_or_default();
    let texts = items.iter().map(|item| match item {
        Value::Text(text) => Ok(&**text),
        other => Err(Fault::types("join", &[other.kind()])),
    });
    let texts: Vec<_> = texts.collect::<Result<_, _>>()?;
    Ok(Value::text(texts.join(between)))
}

/// Returns where a character begins, in bytes.
fn byte(text: &str, nth: usize) -> usize {
    text.char_indices()
        .nth(nth)
        .map_or(text.len(), |(at, _)| at)
}

fn int<'v>(number: usize) -> Value<'v> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns a number without its fraction, if an `int` or an `uint` may have it. CEL leaves out the smallest `int`.
fn whole(number: f64) -> Option<i128> {
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const MOST: f64 = 18_446_744_073_709_551_616.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the number is in the range"
    )]
    (number > LEAST && number < MOST).then_some(number as i128)
}

/// Converts a value, as `int(…)` does.
fn converted<'v>(value: &Value<'v>, to: Type) -> Result<Value<'v>, Fault> {
    let made = match (to, value) {
        _ if value.kind() == to => Some(value.clone()),
        (Bool, Value::Text(text)) => match &**text {
            "1" | "t" | "true" | "TRUE" | "True" => Some(Value::Bool(true)),
            "0" | "f" | "false" | "FALSE" | "False" => Some(Value::Bool(false)),
            _ => None,
        },
        (Int, Value::Text(text)) => text.parse().ok().map(Value::Int),
        (Uint, Value::Text(text)) => text.parse().ok().map(Value::Uint),
        (Double, Value::Text(text)) => text.parse().ok().map(Value::Double),
        (Bytes, Value::Text(text)) => Some(Value::Bytes(text.as_bytes().to_vec().into())),
        (Text, Value::Bytes(bytes)) => std::str::from_utf8(bytes).ok().map(Value::text),
        (Text, Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_)) => {
            Some(Value::text(value.to_string()))
        }
        (Double, Value::Int(_) | Value::Uint(_)) => value.double().map(Value::Double),
        (Int, Value::Uint(number)) => i64::try_from(*number).ok().map(Value::Int),
        (Uint, Value::Int(number)) => u64::try_from(*number).ok().map(Value::Uint),
        (Int, Value::Double(number)) => {
            let whole = whole(*number).and_then(|whole| i64::try_from(whole).ok());
            whole.map(Value::Int)
        }
        (Uint, Value::Double(number)) => {
            let whole = whole(*number).filter(|_| *number >= 0.0);
            whole
                .and_then(|whole| u64::try_from(whole).ok())
                .map(Value::Uint)
        }
        _ => return Err(Fault::types(to.name(), &[value.kind()])),
    };
    made.ok_or_else(|| Fault::Conversion(value.to_string().chars().take(40).collect(), to))
}

/// Returns the greatest or the least of the arguments, or of the values of a list.
fn most<'v>(
    name: &'static str,
    args: &[Value<'v>],
    is_better: fn(Ordering) -> bool,
) -> Result<Value<'v>, Fault> {
    let all = match args {
        [one] if one.kind() == List => Cow::Owned(one.items().unwrap_or_default()),
        many => Cow::Borrowed(many),
    };
    let mut best = all.first();
    for value in all.iter().skip(1) {
        let order = best.map_or(Ok(None), |best| best.order(value, name))?;
        if !order.is_some_and(is_better) {
            best = Some(value);
        }
    }
    Ok(best.cloned().unwrap_or(Value::Null))
}
