//! Common conditions, without the CEL crate: comparisons of a value with a literal, joined by `&&`, `||` and `!`.
//!
//! The crate makes a context, boxes each value and finds each function by its name, for every evaluation. That takes
//! several times as long as the comparison. So a condition of a common shape is also compiled to a small tree, which
//! reads the event in place. The tree says only what the crate would say. Where it does not know, for example because a
//! key is missing or a value has another type, it says nothing, and the crate decides.

use std::cmp::Ordering;
use std::sync::OnceLock;

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};
use regex::Regex;
use serde_json::Value;

use super::cel::{Read, Variables};
use super::pattern;

/// A condition of a common shape.
#[derive(Debug)]
pub(super) enum Quick {
    And(Box<[Quick; 2]>),
    Or(Box<[Quick; 2]>),
    Not(Box<Quick>),
    /// The value at a path, which is true or false.
    Is(Path),
    /// The value at a path, compared with a literal of its own type.
    Compare(Path, Literal, fn(Ordering) -> bool),
    /// The text at a path, compared with another text.
    Text(Path, String, fn(&str, &str) -> bool),
    /// The text at a path, and a regular expression. It is compiled when it is first needed, and absent if it is wrong.
    Matches(Path, String, OnceLock<Option<Regex>>),
}

/// A variable, and keys.
#[derive(Debug)]
pub(super) struct Path {
    variable: String,
    keys: Vec<String>,
}

/// A value in the condition itself.
#[derive(Debug)]
pub(super) enum Literal {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
}

impl Quick {
    /// Compiles an expression whose paths are joined, if it has a common shape. `known` are the names of variables.
    pub(super) fn of(expression: &IdedExpr, known: &[&str]) -> Option<Self> {
        let path = |expression: &IdedExpr| match &expression.expr {
            Expr::Ident(path) => Path::of(path).filter(|path| known.contains(&&*path.variable)),
            _ => None,
        };
        let Expr::Call(call) = &expression.expr else {
            return path(expression).map(Quick::Is);
        };
        let both = |one, other| Some(Box::new([Quick::of(one, known)?, Quick::of(other, known)?]));
        let CallExpr {
            func_name,
            target,
            args,
        } = call;
        match (func_name.as_str(), target.as_deref(), args.as_slice()) {
            (operators::LOGICAL_AND, None, [one, other]) => both(one, other).map(Quick::And),
            (operators::LOGICAL_OR, None, [one, other]) => both(one, other).map(Quick::Or),
            (operators::LOGICAL_NOT, None, [one]) => {
                Some(Quick::Not(Box::new(Quick::of(one, known)?)))
            }
            (operator, None, [value, literal]) => {
                let holds = match operator {
                    operators::EQUALS => Ordering::is_eq,
                    operators::NOT_EQUALS => Ordering::is_ne,
                    operators::LESS => Ordering::is_lt,
                    operators::LESS_EQUALS => Ordering::is_le,
                    operators::GREATER => Ordering::is_gt,
                    operators::GREATER_EQUALS => Ordering::is_ge,
                    _ => return None,
                };
                Some(Quick::Compare(path(value)?, Literal::of(literal)?, holds))
            }
            (function, Some(text), [argument]) => {
                let (path, Literal::Text(argument)) = (path(text)?, Literal::of(argument)?) else {
                    return None;
                };
                let holds: fn(&str, &str) -> bool = match function {
                    "contains" => |text, part| text.contains(part),
                    "startsWith" => |text, start| text.starts_with(start),
                    "endsWith" => |text, end| text.ends_with(end),
                    "matches" => return Some(Quick::Matches(path, argument, OnceLock::new())),
                    _ => return None,
                };
                Some(Quick::Text(path, argument, holds))
            }
            _ => None,
        }
    }

    /// Whether it is true for an event, if that is certain.
    pub(super) fn is_true(&self, variables: &Variables<'_>) -> Option<bool> {
        let text = |path: &Path| match path.read(variables)? {
            Read::Text(text) => Some(text),
            Read::Json(_) => None,
        };
        Some(match self {
            Quick::And(both) => both[0].is_true(variables)? && both[1].is_true(variables)?,
            Quick::Or(both) => both[0].is_true(variables)? || both[1].is_true(variables)?,
            Quick::Not(one) => !one.is_true(variables)?,
            Quick::Is(path) => match path.read(variables)? {
                Read::Json(Value::Bool(value)) => *value,
                _ => return None,
            },
            Quick::Compare(path, literal, holds) => holds(literal.compared(path.read(variables)?)?),
            Quick::Text(path, other, holds) => holds(text(path)?, other),
            Quick::Matches(path, pattern, regex) => {
                let regex = regex.get_or_init(|| pattern::compiled(pattern).ok());
                regex.as_ref()?.is_match(text(path)?)
            }
        })
    }
}

impl Path {
    fn of(path: &str) -> Option<Self> {
        let mut names = path.split('.').map(str::to_owned);
        Some(Path {
            variable: names.next()?,
            keys: names.collect(),
        })
    }

    #[inline]
    fn read<'v>(&self, variables: &'v Variables<'_>) -> Option<Read<'v>> {
        variables.read(&self.variable, self.keys.iter().map(String::as_str))
    }
}

impl Literal {
    fn of(expression: &IdedExpr) -> Option<Self> {
        let Expr::Literal(literal) = &expression.expr else {
            return None;
        };
        Some(match literal {
            LiteralValue::Boolean(value) => Literal::Bool(*value.inner()),
            LiteralValue::Int(value) => Literal::Int(*value.inner()),
            LiteralValue::Double(value) => Literal::Double(*value.inner()),
            LiteralValue::String(text) => Literal::Text(text.inner().to_owned()),
            LiteralValue::Bytes(_) | LiteralValue::Null | LiteralValue::UInt(_) => return None,
        })
    }

    /// Compares a value with this one, if it has the same type.
    fn compared(&self, value: Read<'_>) -> Option<Ordering> {
        match (self, value) {
            (Literal::Text(other), Read::Text(text)) => Some(text.cmp(other)),
            (Literal::Bool(other), Read::Json(Value::Bool(value))) => Some(value.cmp(other)),
            (Literal::Int(other), Read::Json(Value::Number(value))) => {
                Some(value.as_i64()?.cmp(other))
            }
            (Literal::Double(other), Read::Json(Value::Number(value))) if value.is_f64() => {
                value.as_f64()?.partial_cmp(other)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
    use proptest::prelude::*;
    use serde_json::json;

    use super::super::cel::Cel;
    use super::*;

    const KNOWN: &[&str] = &["args", "cx", "id", "name"];

    /// Paths, and values for them, of which few pairs fit each other.
    const PATHS: &[&str] = &[
        "name",
        "id",
        "args",
        "args.a",
        "args.b",
        "args.b.c",
        "args.d",
        "cx.depth",
        "cx.agent_id",
        "cx.tenant_id",
    ];
    const LITERALS: &[&str] = &[
        "true", "false", "null", "0", "5", "-5", "5u", "5.0", "0.5", "-0.0", "''", "'a'", "'ab'",
        "'b.c'", "'('", "b'a'", "[1]",
    ];

    fn value() -> impl Strategy<Value = Value> {
        prop::sample::select(vec![
            json!(true),
            json!(false),
            json!(null),
            json!(0),
            json!(5),
            json!(-5),
            json!(u64::MAX),
            json!(5.0),
            json!(0.5),
            json!(""),
            json!("a"),
            json!("ab"),
            json!("xb.cx"),
            json!([1]),
            json!({ "c": 5 }),
            json!({ "c": "ab", "d": true }),
        ])
    }

    fn condition() -> impl Strategy<Value = String> {
        let path = || prop::sample::select(PATHS);
        let literal = || prop::sample::select(LITERALS);
        let operator = prop::sample::select(&["==", "!=", "<", "<=", ">", ">=", "in"][..]);
        let function =
            prop::sample::select(&["contains", "startsWith", "endsWith", "matches", "size"][..]);
        let leaf = prop_oneof![
            path().prop_map(str::to_owned),
            literal().prop_map(str::to_owned),
            path().prop_map(|path| format!("has({path}.c)")),
            (path(), operator, literal())
                .prop_map(|(path, is, other)| format!("{path} {is} {other}")),
            (path(), function, literal())
                .prop_map(|(path, of, other)| format!("{path}.{of}({other})")),
        ];
        leaf.prop_recursive(4, 16, 2, |inner| {
            let both = (inner.clone(), inner.clone());
            prop_oneof![
                both.clone()
                    .prop_map(|(one, other)| format!("({one} && {other})")),
                both.prop_map(|(one, other)| format!("({one} || {other})")),
                inner.prop_map(|one| format!("!({one})")),
            ]
        })
    }

    fn call(args: Value) -> BeforeToolCall {
        BeforeToolCall::new("ab", "a", args)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_condition_is_what_the_crate_says(
            condition in condition(),
            (a, b, c) in (value(), value(), value()),
        ) {
            let call = call(json!({ "a": a, "b": b, "c": c }));
            let cx = AgentContext::new("s").with_agent_id("ab");
            let variables = Variables::with(&cx, AgentEvent::BeforeToolCall(&call), &[]);
            // `size` takes no argument, for example.
            if let Ok(cel) = Cel::compile(&condition, KNOWN) {
                let said = cel.is_true(&variables);
                prop_assert_eq!(said, cel.is_true_by_crate(&variables));
            }
        }
    }

    #[test]
    fn common_shapes_need_no_crate() {
        let args =
            json!({ "command": "git push", "n": 5, "half": 0.5, "dry": false, "of": { "a": 1 } });
        let call = call(args);
        let cx = AgentContext::new("s");
        let variables = Variables::with(&cx, AgentEvent::BeforeToolCall(&call), &[]);
        for condition in [
            "name == 'a'",
            "args.command != 'ls'",
            "args.command.startsWith('git') && !args.command.contains('--force')",
            "args.command.endsWith('push') || args.dry",
            "args.command.matches('^git +push')",
            "args.n > 4 && args.n <= 5 && args.half < 0.6",
            "cx.depth == 0 && args.of.a >= 1",
            "args.dry == false",
        ] {
            let cel = Cel::compile(condition, KNOWN).unwrap();
            assert_eq!(cel.without_crate(&variables), Some(true), "{condition}");
        }
    }

    #[test]
    fn what_is_too_large_or_wrong_is_left_to_the_crate() {
        let cx = AgentContext::new("s");
        for (args, condition) in [
            (json!({ "a": "x".repeat(300_000) }), "args.a == 'x'"),
            (json!({}), "args.a == 'x'"),
            (json!({ "a": 1 }), "args.a.contains('x')"),
            (json!({ "a": "x" }), "args.a > 5"),
            (json!({ "a": "x" }), "args.a"),
        ] {
            let call = call(args);
            let variables = Variables::with(&cx, AgentEvent::BeforeToolCall(&call), &[]);
            let cel = Cel::compile(condition, KNOWN).unwrap();
            let fault = cel.is_true(&variables).unwrap_err();
            assert_eq!(Err(fault), cel.is_true_by_crate(&variables), "{condition}");
        }
        // Many reads of large values are too much, as they are in a loop.
        let call = call(json!({ "a": "x".repeat(250_000) }));
        let variables = Variables::with(&cx, AgentEvent::BeforeToolCall(&call), &[]);
        let cel = Cel::compile(&["args.a<'x'"; 150].join("||"), KNOWN).unwrap();
        let fault = cel.is_true(&variables).unwrap_err();
        assert!(fault.message.contains("32 MiB"), "{fault}");
    }
}
