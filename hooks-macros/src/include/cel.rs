//! An expression in CEL as Rust.
//!
//! Each part becomes an expression of Rust, in which `?` leaves a closure where the part may have no value. A part has the
//! type that is known: `bool`, `i64` and `&str` are plain Rust, and anything else is a value of `hooks_rules::cel`, with
//! which the same functions work as in an expression that is loaded.

use std::fmt::Write as _;

use hooks_rules::cel::tree::{Expr, Kind, Loop};
use hooks_rules::cel::{Cel, Literal};

use super::pattern;

/// The most reads of an expression whose sum cannot exceed what an expression may read.
const MOST_READS: usize = 100;

/// A part in Rust.
struct Code {
    is: Is,
    /// Whether it may have no value.
    falls: bool,
    text: String,
}

/// What a part is in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Is {
    /// `bool`
    Bool,
    /// `i64`
    Int,
    /// `&str`
    Text,
    /// `Value<'_>`
    Value,
}

/// The fields of `cx` that are numbers, and those that may be absent or are objects. All others are texts.
const NUMBERS: [&str; 2] = ["turn", "depth"];
const OTHERS: [&str; 5] = ["tenant_id", "parent_run_id", "sender", "trace_id", "extra"];

/// Translates expressions, and collects the regular expressions in them.
pub(super) struct Translator<'s> {
    /// Items of Rust that the expressions need.
    pub(super) statics: &'s mut String,
    /// The beginning of the names of these items.
    pub(super) prefix: &'s str,
    /// Whether the event is about a tool.
    is_call: bool,
    /// The arguments that rules ask about as texts, each once: `q0`, `q1` and so on.
    asked: &'s mut Vec<Vec<String>>,
    counts: bool,
}

impl<'s> Translator<'s> {
    pub(super) fn new(
        statics: &'s mut String,
        prefix: &'s str,
        is_call: bool,
        asked: &'s mut Vec<Vec<String>>,
    ) -> Self {
        Translator {
            statics,
            prefix,
            is_call,
            asked,
            counts: false,
        }
    }

    /// The variable for an argument, if a part is one.
    fn asked(&mut self, expr: &Expr) -> Option<String> {
        let Kind::Path(variable, keys) = &expr.kind else {
            return None;
        };
        if self.counts || variable != "args" || keys.is_empty() {
            return None;
        }
        let nth = self.asked.iter().position(|known| known == keys);
        let nth = nth.unwrap_or_else(|| {
            self.asked.push(keys.clone());
            self.asked.len() - 1
        });
        Some(format!("x.asked(q{nth})?"))
    }

    /// A closure that says whether the expression is true.
    pub(super) fn condition(&mut self, cel: &Cel) -> String {
        self.closure(cel, |this, expr| this.bool(expr).text)
    }

    /// A closure that returns its value as JSON.
    pub(super) fn json(&mut self, cel: &Cel) -> String {
        self.closure(cel, |this, expr| {
            format!("__rt::json(&{})?", this.value(expr).text)
        })
    }

    /// A closure that returns its value as a part of a text.
    pub(super) fn shown(&mut self, cel: &Cel) -> String {
        self.closure(cel, |this, expr| {
            format!("__rt::shown(&{})?", this.value(expr).text)
        })
    }

    fn closure(&mut self, cel: &Cel, code: impl FnOnce(&mut Self, &Expr) -> String) -> String {
        let expr = cel.tree();
        let mut reads = EventReads::default();
        reads.of(expr, self.is_call);
        self.counts = reads.is_counted || reads.count > MOST_READS;
        let code = code(self, expr);
        if self.counts {
            return format!("|| {{ let v = x.reading(m); Ok({code}) }}");
        }
        format!("|| Ok({code})")
    }

    fn code(&mut self, expr: &Expr) -> Code {
        match &expr.kind {
            Kind::Literal(literal) => of_literal(literal),
            Kind::Local => infallible(Is::Value, "l.clone()"),
            Kind::Path(variable, keys) => self.path(variable, keys),
            Kind::Field(of, key) => {
                let of = self.value(of);
                let key = format!("__rt::t({key:?})");
                fallible(
                    Is::Value,
                    format!("__rt::at(&{}, &{key}, \"a field\")?", of.text),
                )
            }
            Kind::Has(of, key) => {
                let of = self.value(of);
                fallible(Is::Bool, format!("__rt::has(&{}, {key:?})?", of.text))
            }
            Kind::Index(both) => {
                let (of, key) = (self.value(&both[0]), self.value(&both[1]));
                fallible(
                    Is::Value,
                    format!("__rt::at(&{}, &{}, \"[…]\")?", of.text, key.text),
                )
            }
            Kind::Not(of) => {
                let of = self.bool(of);
                Code {
                    text: format!("!({})", of.text),
                    ..of
                }
            }
            Kind::Negative(of) => {
                let of = self.value(of);
                fallible(Is::Value, format!("__rt::negative(&{})?", of.text))
            }
            Kind::And(parts) => self.joined(parts, "&&", "and"),
            Kind::Or(parts) => self.joined(parts, "||", "or"),
            Kind::Binary(operator, both) => self.binary(operator, both),
            Kind::If(three) => self.either(three),
            Kind::Call(function, args) => self.call(function.0, args),
            Kind::Matches(of, pattern) => self.matches(of, &pattern.0),
            Kind::List(items) => {
                let items = self.values(items);
                Code {
                    text: format!("__rt::list([{}])", items.text),
                    ..items
                }
            }
            Kind::Map(entries) => self.map(entries),
            Kind::Loop(each) => self.each(each),
            // The checker leaves none.
            Kind::Unchecked { .. } => infallible(Is::Value, "__rt::Value::Null"),
        }
    }

    fn path(&mut self, variable: &str, keys: &[String]) -> Code {
        if self.counts {
            return fallible(Is::Value, format!("v.read({variable:?}, &{keys:?})?"));
        }
        match (variable, keys) {
            ("name", _) => infallible(Is::Text, "n"),
            ("id", _) => infallible(Is::Text, "i"),
            ("cx", [field]) if NUMBERS.contains(&field.as_str()) => {
                infallible(Is::Int, format!("i64::from(cx.{field})"))
            }
            ("cx", [field]) => infallible(Is::Text, format!("cx.{field}.as_str()")),
            (_, []) => fallible(Is::Value, "__rt::Value::from(x.asked(a)?)".into()),
            _ => fallible(Is::Value, format!("__rt::arg(x.asked(a)?, &{keys:?})?")),
        }
    }

    /// Parts between `&&` or `||`. Where an earlier part may fail, a later one may still decide.
    fn joined(&mut self, parts: &[Expr], operator: &str, function: &str) -> Code {
        let parts: Vec<_> = parts.iter().map(|part| self.bool(part)).collect();
        let falls = parts.iter().any(|part| part.falls);
        let mut parts = parts.into_iter().rev();
        let last = parts.next().map_or_else(String::new, |last| last.text);
        let text = parts.fold(last, |rest, part| {
            if part.falls {
                format!("__rt::{function}(|| Ok({}), || Ok({rest}))?", part.text)
            } else {
                format!("({} {operator} {rest})", part.text)
            }
        });
        let is = Is::Bool;
        Code { is, falls, text }
    }

    fn binary(&mut self, operator: &'static str, both: &[Expr; 2]) -> Code {
        if let ("in", Kind::List(items)) = (operator, &both[1].kind) {
            return self.is_in(&both[0], items);
        }
        let not = if operator == "!=" { "!" } else { "" };
        for (one, other) in [(0, 1), (1, 0)] {
            if let ("==" | "!=", Kind::Literal(Literal::Text(text))) = (operator, &both[other].kind)
                && let Some(asked) = self.asked(&both[one])
            {
                return fallible(Is::Bool, format!("{not}{asked}.is_one_of(&[{text:?}])?"));
            }
        }
        let (one, other) = (self.code(&both[0]), self.code(&both[1]));
        let falls = one.falls || other.falls;
        let text = match (operator, one.is, other.is) {
            ("==" | "!=" | "<" | "<=" | ">" | ">=", a, b) if a == b && a != Is::Value => {
                format!("({} {operator} {})", one.text, other.text)
            }
            ("==", Is::Value, Is::Text) => format!("__rt::is_text(&{}, {})", one.text, other.text),
            ("==", Is::Text, Is::Value) => format!("__rt::is_text(&{}, {})", other.text, one.text),
            ("!=", Is::Value, Is::Text) => format!("!__rt::is_text(&{}, {})", one.text, other.text),
            _ => {
                let (one, other) = (value(one).text, value(other).text);
                match operator {
                    "==" => format!("__rt::equals(&{one}, &{other})"),
                    "!=" => format!("!__rt::equals(&{one}, &{other})"),
                    _ => {
                        let text = format!("__rt::binary({operator:?}, &{one}, &{other})?");
                        let compares = matches!(operator, "<" | "<=" | ">" | ">=" | "in");
                        return if compares {
                            fallible(Is::Bool, format!("__rt::is_true(&{text})?"))
                        } else {
                            fallible(Is::Value, text)
                        };
                    }
                }
            }
        };
        Code {
            is: Is::Bool,
            falls,
            text,
        }
    }

    /// Whether a value is in a list that is written down.
    fn is_in(&mut self, of: &Expr, items: &[Expr]) -> Code {
        let texts = items.iter().map(|item| match &item.kind {
            Kind::Literal(Literal::Text(text)) => Some(format!("{text:?}")),
            _ => None,
        });
        if let Some(texts) = texts
            .collect::<Option<Vec<_>>>()
            .filter(|texts| !texts.is_empty())
        {
            if let Some(asked) = self.asked(of) {
                let text = format!("{asked}.is_one_of(&[{}])?", texts.join(", "));
                return fallible(Is::Bool, text);
            }
            let of = self.code(of);
            let (is, falls) = (Is::Bool, of.falls);
            let text = if of.is == Is::Text {
                format!("matches!({}, {})", of.text, texts.join(" | "))
            } else {
                let of = value(of);
                format!("__rt::is_one_of(&{}, &[{}])", of.text, texts.join(", "))
            };
            return Code { is, falls, text };
        }
        let (of, items) = (self.value(of), self.values(items));
        let list = format!("__rt::list([{}])", items.text);
        let text = format!(
            "__rt::is_true(&__rt::binary(\"in\", &{}, &{list})?)?",
            of.text
        );
        fallible(Is::Bool, text)
    }

    fn either(&mut self, three: &[Expr; 3]) -> Code {
        let condition = self.bool(&three[0]);
        let (mut yes, mut no) = (self.code(&three[1]), self.code(&three[2]));
        if yes.is != no.is {
            (yes, no) = (value(yes), value(no));
        }
        let text = format!(
            "(if {} {{ {} }} else {{ {} }})",
            condition.text, yes.text, no.text
        );
        let (is, falls) = (yes.is, condition.falls || yes.falls || no.falls);
        Code { is, falls, text }
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> Code {
        let rust = match name {
            "contains" => Some("contains"),
            "startsWith" => Some("starts_with"),
            "endsWith" => Some("ends_with"),
            _ => None,
        };
        if let (Some(rust), [of, with]) = (rust, args)
            && let with = self.code(with)
            && with.is == Is::Text
        {
            if !with.falls
                && let Some(asked) = self.asked(of)
            {
                let text = format!("{asked}.holds({name:?}, |s| s.{rust}({}))?", with.text);
                return fallible(Is::Bool, text);
            }
            let of = self.code(of);
            if of.is == Is::Text {
                let (is, falls) = (Is::Bool, of.falls || with.falls);
                let text = format!("{}.{rust}({})", of.text, with.text);
                return Code { is, falls, text };
            }
            let of = value(of).text;
            return fallible(
                Is::Bool,
                format!("__rt::text(&{of}, {name:?})?.{rust}({})", with.text),
            );
        }
        if let ("size", [of]) = (name, args)
            && let of = self.code(of)
            && of.is == Is::Text
        {
            let (is, falls) = (Is::Int, of.falls);
            let text = format!("__rt::len({})", of.text);
            return Code { is, falls, text };
        }
        let spends = if name == "matches" {
            "v.spend(__rt::PATTERN)?; "
        } else {
            ""
        };
        let args = self.values(args);
        let call = format!("__rt::call({name:?}, &[{}])?", args.text);
        fallible(
            Is::Value,
            if spends.is_empty() {
                call
            } else {
                format!("{{ {spends}{call} }}")
            },
        )
    }

    fn matches(&mut self, of: &Expr, pattern: &str) -> Code {
        if let Some(asked) = self.asked(of) {
            let found = pattern::test(pattern, "s", self.statics, self.prefix);
            let text = format!("{asked}.holds(\"matches\", |s| {found})?");
            return fallible(Is::Bool, text);
        }
        let of = self.code(of);
        let (falls, text) = match of.is {
            Is::Text => (of.falls, of.text),
            _ => (
                true,
                format!("__rt::text(&{}, \"matches\")?", value(of).text),
            ),
        };
        let text = pattern::test(pattern, &text, self.statics, self.prefix);
        Code {
            is: Is::Bool,
            falls,
            text,
        }
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) -> Code {
        let mut text = String::from("{ let mut m = ::std::vec::Vec::new();");
        for (key, value) in entries {
            let (key, value) = (self.value(key).text, self.value(value).text);
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                " let k = __rt::key(&m, {key})?; m.push((k, {value}));"
            );
        }
        text.push_str(" __rt::Value::Map(m.into()) }");
        fallible(Is::Value, text)
    }

    fn each(&mut self, each: &Loop) -> Code {
        let range = self.value(&each.range).text;
        let only = each.only.as_ref().map(|only| self.value(only).text);
        let body = self.value(&each.body).text;
        let text = match only {
            Some(only) => format!("__rt::each_if(&{range}, |l| Ok({only}), |l| Ok({body}))?"),
            None => format!("__rt::each({:?}, &{range}, |l| Ok({body}))?", each.does),
        };
        match each.does {
            "map" | "filter" => fallible(Is::Value, text),
            _ => fallible(Is::Bool, format!("__rt::is_true(&{text})?")),
        }
    }

    fn values(&mut self, parts: &[Expr]) -> Code {
        let parts: Vec<_> = parts.iter().map(|part| self.value(part)).collect();
        let falls = parts.iter().any(|part| part.falls);
        let texts: Vec<_> = parts.into_iter().map(|part| part.text).collect();
        Code {
            is: Is::Value,
            falls,
            text: texts.join(", "),
        }
    }

    fn value(&mut self, expr: &Expr) -> Code {
        value(self.code(expr))
    }

    fn bool(&mut self, expr: &Expr) -> Code {
        let code = self.code(expr);
        if code.is == Is::Bool {
            return code;
        }
        fallible(Is::Bool, format!("__rt::is_true(&{})?", value(code).text))
    }
}

fn infallible(is: Is, text: impl Into<String>) -> Code {
    let text = text.into();
    Code {
        is,
        falls: false,
        text,
    }
}

fn fallible(is: Is, text: String) -> Code {
    Code {
        is,
        falls: true,
        text,
    }
}

/// A part as a value of any type.
fn value(code: Code) -> Code {
    let text = match code.is {
        Is::Value => return code,
        Is::Bool => format!("__rt::Value::Bool({})", code.text),
        Is::Int => format!("__rt::Value::Int({})", code.text),
        Is::Text => format!("__rt::t({})", code.text),
    };
    Code {
        is: Is::Value,
        text,
        ..code
    }
}

fn of_literal(literal: &Literal) -> Code {
    match literal {
        Literal::Null => infallible(Is::Value, "__rt::Value::Null"),
        Literal::Bool(value) => infallible(Is::Bool, value.to_string()),
        Literal::Int(number) => infallible(Is::Int, format!("({number}_i64)")),
        Literal::Uint(number) => infallible(Is::Value, format!("__rt::Value::Uint({number})")),
        Literal::Double(number) => infallible(
            Is::Value,
            format!("__rt::Value::Double({})", of_double(*number)),
        ),
        Literal::Text(text) => infallible(Is::Text, format!("{text:?}")),
        Literal::Bytes(bytes) => infallible(
            Is::Value,
            format!("__rt::Value::Bytes((&{bytes:?}[..]).into())"),
        ),
        Literal::Type(kind) => infallible(
            Is::Value,
            format!("__rt::Value::Type(__rt::Type::{kind:?})"),
        ),
    }
}

/// A number as Rust writes it.
pub(super) fn of_double(number: f64) -> String {
    match number {
        _ if number.is_nan() => "f64::NAN".into(),
        _ if number.is_infinite() && number > 0.0 => "f64::INFINITY".into(),
        _ if number.is_infinite() => "f64::NEG_INFINITY".into(),
        _ => format!("{number:?}_f64"),
    }
}

/// How an expression reads the event.
#[derive(Default)]
struct EventReads {
    count: usize,
    /// Whether what it reads has to be counted: it may read a long value, or the same one again and again.
    is_counted: bool,
}

impl EventReads {
    fn of(&mut self, expr: &Expr, is_call: bool) {
        match &expr.kind {
            Kind::Path(variable, keys) => {
                self.count += 1;
                self.is_counted |= !match (&**variable, &keys[..]) {
                    ("name" | "id", []) | ("args", _) => is_call,
                    ("cx", [field]) => !OTHERS.contains(&&**field),
                    _ => false,
                };
            }
            Kind::Call(function, _) => self.is_counted |= function.0 == "matches",
            Kind::Loop(_) => self.is_counted = true,
            _ => {}
        }
        for part in expr.children() {
            self.of(part, is_call);
        }
    }
}
