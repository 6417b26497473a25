//! The functions that an expression may call, in addition to operators and macros.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Fault;
use super::value::{Type, Value};

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `f(x)`.
    Plain,
    /// `x.f()`.
    Method,
    /// Both.
    Either,
}

/// A function. The value on which it is called is its first argument.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// How many arguments it takes at least, and at most.
    pub(super) count: (usize, usize),
    /// The types of the arguments. The last one is also that of all that follow.
    takes: &'static [Type],
    pub(super) gives: Type,
    run: for<'v> fn(&[Value<'v>]) -> Result<Value<'v>, Fault>,
}

impl Function {
    /// Returns the function of this name.
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// Returns the names of all functions.
    pub(super) fn names() -> Vec<&'static str> {
        FUNCTIONS.iter().map(|function| function.name).collect()
    }

    /// Whether it takes arguments of these types.
    pub(super) fn takes(&self, given: impl Iterator<Item = Type>) -> bool {
        let mut takes = self
            .takes
            .iter()
            .chain(self.takes.last().into_iter().cycle());
        given
            .zip(&mut takes)
            .all(|(given, takes)| given.may_be(*takes))
    }

    /// Returns what it makes of the arguments.
    pub(super) fn call<'v>(&self, args: &[Value<'v>]) -> Result<Value<'v>, Fault> {
        if !self.takes(args.iter().map(Value::kind)) {
            let given: Vec<_> = args.iter().map(Value::kind).collect();
            return Err(Fault::types(self.name, &given));
        }
        (self.run)(args)
    }
}

use Form::{Either, Method, Plain};
use Type::{Any, Bool, Bytes, Double, Int, List, Text, Uint};

/// All functions, by their names.
static FUNCTIONS: [Function; 26] = [
    row("bool", Plain, (1, 1), &[Any], Bool, |args| {
        converted(&args[0], Bool)
    }),
    row("bytes", Plain, (1, 1), &[Any], Bytes, |args| {
        converted(&args[0], Bytes)
    }),
    row("charAt", Method, (2, 2), &[Text, Int], Text, |args| {
        let text = text(args, 0);
        let place = place(args, 1, text.chars().count())?;
        Ok(Value::text(
            text.chars().skip(place).take(1).collect::<String>(),
        ))
    }),
    row("contains", Method, (2, 2), &[Text], Bool, |args| {
        Ok(Value::Bool(text(args, 0).contains(text(args, 1))))
    }),
    row("double", Plain, (1, 1), &[Any], Double, |args| {
        converted(&args[0], Double)
    }),
    row(
        "dyn",
        Plain,
        (1, 1),
        &[Any],
        Any,
        |args| Ok(args[0].clone()),
    ),
    row("endsWith", Method, (2, 2), &[Text], Bool, |args| {
        Ok(Value::Bool(text(args, 0).ends_with(text(args, 1))))
    }),
    row("indexOf", Method, (2, 3), &[Text, Text, Int], Int, |args| {
        let (within, part) = (text(args, 0), text(args, 1));
        let from = offset(args, within, part)?.unwrap_or(0);
        let rest = &within[byte(within, from)..];
        let found = rest.find(part).map(|at| from + rest[..at].chars().count());
        Ok(found_at(found.map(|at| at.min(within.chars().count()))))
    }),
    row("int", Plain, (1, 1), &[Any], Int, |args| {
        converted(&args[0], Int)
    }),
    row("join", Method, (1, 2), &[List, Text], Text, |args| {
        let items = args[0].items().unwrap_or_default();
        let texts = items.iter().map(|item| match item {
            Value::Text(text) => Ok(&**text),
            other => Err(Fault::types("join", &[other.kind()])),
        });
        Ok(Value::text(
            texts.collect::<Result<Vec<_>, _>>()?.join(text(args, 1)),
        ))
    }),
    row(
        "lastIndexOf",
        Method,
        (2, 3),
        &[Text, Text, Int],
        Int,
        |args| {
            let (within, part) = (text(args, 0), text(args, 1));
            let end = offset(args, within, part)?.map(|from| from + part.chars().count());
            let until = end.map_or(within.len(), |end| byte(within, end));
            let found = within[..until].rfind(part);
            Ok(found_at(found.map(|at| within[..at].chars().count())))
        },
    ),
    row("lowerAscii", Method, (1, 1), &[Text], Text, |args| {
        Ok(Value::text(text(args, 0).to_ascii_lowercase()))
    }),
    // With a literal, the checker takes its place.
    row("matches", Either, (2, 2), &[Text], Bool, |args| {
        let regex = crate::pattern::compiled(text(args, 1)).map_err(Fault::Pattern)?;
        Ok(Value::Bool(regex.is_match(text(args, 0))))
    }),
    row("max", Plain, (0, 99), &[Any], Any, |args| {
        most("max", args, Ordering::is_ge)
    }),
    row("min", Plain, (0, 99), &[Any], Any, |args| {
        most("min", args, Ordering::is_le)
    }),
    row(
        "replace",
        Method,
        (3, 4),
        &[Text, Text, Text, Int],
        Text,
        |args| {
            let (text, old, new) = (text(args, 0), text(args, 1), text(args, 2));
            Ok(Value::text(match count(args, 3) {
                Some(count) => text.replacen(old, new, count),
                None => text.replace(old, new),
            }))
        },
    ),
    row("reverse", Method, (1, 1), &[Text], Text, |args| {
        Ok(Value::text(text(args, 0).chars().rev().collect::<String>()))
    }),
    row("size", Either, (1, 1), &[Any], Int, |args| {
        match args[0].len() {
            Some(len) => Ok(int(len)),
            None => Err(Fault::types("size", &[args[0].kind()])),
        }
    }),
    row("split", Method, (2, 3), &[Text, Text, Int], List, |args| {
        let (text, between) = (text(args, 0), text(args, 1));
        let count = count(args, 2).unwrap_or(usize::MAX);
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
        Ok(Value::list(parts.into_iter().map(Value::text)))
    }),
    row("startsWith", Method, (2, 2), &[Text], Bool, |args| {
        Ok(Value::Bool(text(args, 0).starts_with(text(args, 1))))
    }),
    row("string", Plain, (1, 1), &[Any], Text, |args| {
        converted(&args[0], Text)
    }),
    row("substring", Method, (2, 3), &[Text, Int], Text, |args| {
        let text = text(args, 0);
        let len = text.chars().count();
        let start = place(args, 1, len)?;
        let end = if args.len() > 2 {
            place(args, 2, len)?
        } else {
            len
        };
        let len = end.checked_sub(start).ok_or(Fault::OutOfRange)?;
        Ok(Value::text(
            text.chars().skip(start).take(len).collect::<String>(),
        ))
    }),
    row("trim", Method, (1, 1), &[Text], Text, |args| {
        Ok(Value::text(text(args, 0).trim()))
    }),
    row("type", Plain, (1, 1), &[Any], Type::Type, |args| {
        Ok(Value::Type(args[0].kind()))
    }),
    row("uint", Plain, (1, 1), &[Any], Uint, |args| {
        converted(&args[0], Uint)
    }),
    row("upperAscii", Method, (1, 1), &[Text], Text, |args| {
        Ok(Value::text(text(args, 0).to_ascii_uppercase()))
    }),
];

const fn row(
    name: &'static str,
    form: Form,
    count: (usize, usize),
    takes: &'static [Type],
    gives: Type,
    run: for<'v> fn(&[Value<'v>]) -> Result<Value<'v>, Fault>,
) -> Function {
    Function {
        name,
        form,
        count,
        takes,
        gives,
        run,
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

/// Returns a place in a text, in characters.
fn place(args: &[Value<'_>], nth: usize, len: usize) -> Result<usize, Fault> {
    count(args, nth)
        .filter(|place| *place <= len)
        .ok_or(Fault::OutOfRange)
}

/// Returns where a search begins, in characters, if an argument says so.
fn offset(args: &[Value<'_>], within: &str, part: &str) -> Result<Option<usize>, Fault> {
    let Some(from) = args.get(2).map(|_| count(args, 2)) else {
        return Ok(None);
    };
    let is_in = |from: &usize| part.is_empty() || *from < within.chars().count();
    from.filter(is_in).map(Some).ok_or(Fault::OutOfRange)
}

/// Returns where a character begins, in bytes.
fn byte(text: &str, nth: usize) -> usize {
    text.char_indices()
        .nth(nth)
        .map_or(text.len(), |(at, _)| at)
}

fn found_at<'v>(place: Option<usize>) -> Value<'v> {
    place.map_or(Value::Int(-1), int)
}

fn int<'v>(number: usize) -> Value<'v> {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// Returns a number without its fraction, if an `int` or an `uint` may have it. CEL leaves out the smallest `int`.
fn whole(number: f64) -> Option<i128> {
    const LEAST: f64 = -9_223_372_036_854_775_808.0;
    const MOST: f64 = 18_446_744_073_709_551_616.0;
    #[expect(clippy::cast_possible_truncation, reason = "it is in the range")]
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
