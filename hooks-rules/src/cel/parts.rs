//! The parts of a condition: what each of them is for an event, and which of them decide.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use super::eval::CelEvaluation;
use super::expression::{Cel, Variables, begin};
use super::fault::Fault;
use super::parse::{Expr, Kind};
use super::value::Value;

/// The longest value that is shown, in characters.
const LONGEST: usize = 80;

/// A part of a condition that is true or false: all of it, an operand of `&&` or `||`, or that of `!`.
///
/// ```
/// use hooks_rules::cel::{Cel, Known, Type};
/// # use hooks_rules::cel::{Fault, Value, Variables};
/// # struct Command(&'static str);
/// # impl Variables for Command {
/// #     fn read(&self, _: &str, _: &[String]) -> Result<Value<'_>, Fault> { Ok(Value::Text(self.0.into())) }
/// #     fn spend(&self, _: usize) -> usize { 0 }
/// # }
///
/// let known = Known { variables: &[("command", Type::Text)], ..Known::default() };
/// let cel = Cel::compile("command != '' && command.startsWith('rm')", &known).unwrap();
/// let parts = cel.parts(&Command("ls"));
/// let told: Vec<_> = parts.iter().filter(|part| part.decides).map(ToString::to_string).collect();
/// assert_eq!(told, ["`command.startsWith('rm')` → `'ls'` → false"]);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Part<'c> {
    /// Its text.
    pub text: &'c str,
    /// Where it is in the text of the condition, in bytes.
    pub at: Range<usize>,
    /// Whether it is true.
    pub value: Result<bool, Fault>,
    /// Whether it counts: of `a && b`, only `a` does if that is false.
    pub is_reached: bool,
    /// Whether the whole is what it is because of this part, which has no parts itself.
    pub decides: bool,
    /// The values that it has read, in the order in which it has; long ones are cut.
    pub read: Vec<String>,
    /// The part that contains it.
    within: Option<usize>,
    is_not: bool,
}

/// As a text, its values, and what it is: `name == 'shell'` → `'ls'` → false.
impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` → ", self.text)?;
        if !self.read.is_empty() {
            write!(f, "`{}` → ", self.read.join("`, `"))?;
        }
        match &self.value {
            Ok(value) => write!(f, "{value}"),
            Err(fault) => write!(f, "{fault}"),
        }
    }
}

impl Cel {
    /// Returns the parts that are true or false, each before its own parts, with what they are for an event.
    #[must_use]
    pub fn parts<'c>(&'c self, variables: &dyn Variables) -> Vec<Part<'c>> {
        let mut parts = Vec::new();
        // Its value is that of the first part.
        let _ = self.judge(&self.tree.0, variables, (None, true), &mut parts);
        for at in 0..parts.len() {
            let Part { value, within, .. } = &parts[at];
            let decides = within.is_none_or(|outer| {
                let outer: &Part<'_> = &parts[outer];
                let agrees = match (value, &outer.value) {
                    (Ok(value), Ok(whole)) => outer.is_not || value == whole,
                    (value, whole) => value.is_err() && whole.is_err(),
                };
                outer.decides && agrees
            });
            parts[at].decides = decides;
        }
        // What has parts leaves it to them.
        let outer: Vec<_> = parts.iter().filter_map(|part| part.within).collect();
        for at in outer {
            parts[at].decides = false;
        }
        parts
    }

    /// Returns where these parts are in the text, in bytes.
    #[must_use]
    pub fn places(&self) -> Vec<Range<usize>> {
        let parts = self.parts(&Nothing);
        parts.into_iter().map(|part| part.at).collect()
    }

    /// Judges a part, whose outer part and reach are given, and notes it before its own parts.
    fn judge<'c>(
        &'c self,
        expr: &'c Expr,
        variables: &dyn Variables,
        (within, is_reached): (Option<usize>, bool),
        parts: &mut Vec<Part<'c>>,
    ) -> Result<bool, Fault> {
        let at = parts.len();
        parts.push(Part {
            text: &self.text[expr.at.clone()],
            at: expr.at.clone(),
            value: Ok(false),
            is_reached,
            decides: false,
            read: Vec::new(),
            within,
            is_not: matches!(expr.kind, Kind::Not(_)),
        });
        let value = match &expr.kind {
            Kind::And(of) | Kind::Or(of) => {
                let decides = matches!(expr.kind, Kind::Or(_));
                let (mut fault, mut is_open) = (None, true);
                for part in of {
                    let reach = (Some(at), is_reached && is_open);
                    match self.judge(part, variables, reach, parts) {
                        Ok(value) => is_open &= value != decides,
                        Err(first) => fault = fault.or(Some(first)),
                    }
                }
                match fault {
                    _ if !is_open => Ok(decides),
                    Some(fault) => Err(fault),
                    None => Ok(!decides),
                }
            }
            Kind::Not(of) => {
                let value = self.judge(of, variables, (Some(at), is_reached), parts);
                value.map(|value| !value)
            }
            _ => {
                let watched = ReadWatch {
                    variables,
                    read: RefCell::default(),
                };
                let value =
                    begin(&watched).and_then(|begun: CelEvaluation<'_>| begun.is_true(expr, None));
                parts[at].read = watched.read.into_inner();
                value
            }
        };
        parts[at].value.clone_from(&value);
        value
    }
}

/// Notes what is read. It counts for no bound but that of one expression.
struct ReadWatch<'v> {
    variables: &'v dyn Variables,
    read: RefCell<Vec<String>>,
}

impl Variables for ReadWatch<'_> {
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, Fault> {
        let value = self.variables.read(variable, keys)?;
        let mut read = self.read.borrow_mut();
        let text = shown(&value);
        if !read.contains(&text) {
            read.push(text);
        }
        Ok(value)
    }

    fn spend(&self, _: usize) -> usize {
        0
    }
}

fn shown(value: &Value<'_>) -> String {
    let mut text = match value {
        Value::Text(text) => format!("'{text}'"),
        other => other.to_json().unwrap_or_default().to_string(),
    };
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.replace_range(end.., "…");
    }
    text
}

/// An event of which nothing is known.
struct Nothing;

impl Variables for Nothing {
    fn read(&self, variable: &str, _: &[String]) -> Result<Value<'_>, Fault> {
        Err(Fault::NoKey(variable.into()))
    }

    fn spend(&self, _: usize) -> usize {
        0
    }
}
