//! Conditions and values in [CEL](https://cel.dev), with limits.
//!
//! An expression is checked when its file is loaded: a text of at most 2 KiB with little nesting. Unknown variables,
//! fields and functions, types that do not fit each other, nested loops, and calls that may make a text much longer are
//! mistakes, each with its place. The evaluation reads the event without a copy. The size of the values that it reads is
//! limited, and so is the size that loops read repeatedly. So the time and the size of the result are bounded for every
//! event.
//!
//! - `lex`, `parse`: a text becomes a tree whose parts know their places;
//! - `check`: completes the tree, or says what is wrong with it;
//! - `value`, `functions`: the values, and what can be called;
//! - `eval`: what the tree is for an event;
//! - `parts`: the same for each part of a condition.

mod check;
mod eval;
mod functions;
mod lex;
mod parse;
mod parts;
mod value;

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use self::check::Reads;
use self::eval::Evaluation;
use self::parse::Expr;

pub use self::eval::size_of;
pub use self::parts::Part;
pub use self::value::{Type, Value, field};

/// The maximum length of an expression, in bytes.
const MOST_BYTES: usize = 2048;
/// The maximum size of an event that an expression reads, in bytes of JSON, approximately.
const MOST_INPUT: usize = 256 * 1024;
/// The most that all conditions of an event may read, in bytes: 1,000 hooks may each read the largest event once.
const MOST_SPENT: usize = 256 << 20;

/// What an expression may name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k> {
    /// The variables, with their types.
    pub variables: &'k [(&'k str, Type)],
    /// The fields of the variable `cx`, with their types. It has no others.
    pub context: &'k [(&'k str, Type)],
}

/// What an expression reads.
pub trait Variables {
    /// Returns the value at a path, which is a variable and keys.
    ///
    /// # Errors
    ///
    /// If there is none: how many of the keys there are.
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, usize>;

    /// Returns the size of the event, in bytes of JSON, approximately. Counting stops beyond `most`.
    fn size(&self, most: usize) -> usize;

    /// Adds what an expression reads to what all conditions of the event have read, in bytes, and returns the sum; 0 if
    /// nothing adds it up.
    fn spend(&self, bytes: usize) -> usize;
}

/// An expression.
///
/// ```
/// use hooks_rules::cel::{Cel, Known, Type, Value, Variables};
///
/// struct Name(&'static str);
///
/// impl Variables for Name {
///     fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, usize> {
///         match (variable, keys) {
///             ("name", []) => Ok(Value::Text(self.0.into())),
///             _ => Err(0),
///         }
///     }
///     fn size(&self, _: usize) -> usize {
///         self.0.len()
///     }
///     fn spend(&self, _: usize) -> usize {
///         0
///     }
/// }
///
/// let known = Known { variables: &[("name", Type::Text)], ..Known::default() };
/// let cel = Cel::compile("name.startsWith('file_') || size(name) > 20", &known).unwrap();
/// assert_eq!(cel.is_true(&Name("file_read")), Ok(true));
///
/// let mistake = Cel::compile("nam == 'shell'", &known).unwrap_err();
/// assert_eq!(mistake.at, 0..3);
/// assert!(mistake.message.contains("did you mean `name`?"));
/// ```
#[derive(Clone)]
pub struct Cel {
    text: Arc<str>,
    tree: Arc<(Expr, Reads)>,
}

/// Shows its text.
impl fmt::Debug for Cel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cel").field(&self.text).finish()
    }
}

impl Cel {
    /// Compiles an expression that may name what is known.
    ///
    /// # Errors
    ///
    /// The first mistake in it.
    pub fn compile(text: &str, known: &Known<'_>) -> Result<Self, Mistake> {
        if text.len() > MOST_BYTES {
            let why = format!(
                "the expression has {} bytes, and at most {MOST_BYTES} are allowed",
                text.len()
            );
            return Err(Mistake::new(MistakeKind::TooLarge, 0..text.len(), why));
        }
        let mut expr = parse::parse(text)?;
        let (_, reads) = check::check(&mut expr, known)?;
        Ok(Cel {
            text: text.into(),
            tree: Arc::new((expr, reads)),
        })
    }

    /// Returns the text of the expression.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it reads a variable.
    #[must_use]
    pub fn reads(&self, variable: &str) -> bool {
        self.tree.1.variables.iter().any(|read| read == variable)
    }

    /// Returns the keys of `args` that it reads without asking whether they exist.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let Reads { args, asked, .. } = &self.tree.1;
        let read = args.iter().filter(|name| !asked.contains(name));
        read.cloned().collect()
    }

    /// Returns its value for an event, as JSON.
    ///
    /// # Errors
    ///
    /// If it has none.
    pub fn evaluate(&self, variables: &dyn Variables) -> Result<Json, Failed> {
        let value = begin(variables).and_then(|evaluation| {
            let value = evaluation.value(&self.tree.0, None)?;
            value.to_json()
        });
        value.map_err(|fault| self.failed(fault))
    }

    /// Whether it is true for an event.
    ///
    /// # Errors
    ///
    /// If it cannot be evaluated, or is neither true nor false.
    pub fn is_true(&self, variables: &dyn Variables) -> Result<bool, Failed> {
        let is_true =
            begin(variables).and_then(|evaluation| evaluation.is_true(&self.tree.0, None));
        is_true.map_err(|fault| self.failed(fault))
    }

    #[cold]
    fn failed(&self, fault: Fault) -> Failed {
        let expression = Arc::clone(&self.text);
        Failed { expression, fault }
    }
}

/// Begins an evaluation, unless the event is too large, or its conditions have read too much already.
fn begin(variables: &dyn Variables) -> Result<Evaluation<'_>, Fault> {
    if variables.spend(0) > MOST_SPENT {
        return Err(Fault::Spent);
    }
    if variables.size(MOST_INPUT) > MOST_INPUT {
        return Err(Fault::TooLarge);
    }
    Ok(Evaluation {
        variables,
        seen: Cell::new(0),
    })
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its kind.
    pub kind: MistakeKind,
    /// Where it is in the text, in bytes.
    pub at: Range<usize>,
    /// What is wrong, in a sentence.
    pub message: String,
}

impl Mistake {
    pub(crate) fn new(kind: MistakeKind, at: Range<usize>, message: impl Into<String>) -> Self {
        let message = message.into();
        Mistake { kind, at, message }
    }

    /// The same in a text before which there are so many bytes.
    pub(crate) fn after(mut self, bytes: usize) -> Self {
        self.at = self.at.start + bytes..self.at.end + bytes;
        self
    }
}

/// Shows the message.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Mistake {}

/// The kind of a [`Mistake`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MistakeKind {
    /// The text is not an expression.
    Syntax,
    /// A variable is not known.
    Name,
    /// The context has no such field.
    Field,
    /// A function is not known, or is called in another way.
    Function,
    /// An operator or a function never takes such a value.
    Type,
    /// A regular expression is wrong, or takes too much memory.
    Pattern,
    /// The expression is too long or too deep, or its evaluation might take too long.
    TooLarge,
}

/// An expression that has no value for an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The expression.
    pub expression: Arc<str>,
    /// Why it has none.
    pub fault: Fault,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            fault @ (Fault::TooLarge | Fault::Spent) => fault.fmt(f),
            fault => write!(f, "`{}` cannot be evaluated: {fault}", self.expression),
        }
    }
}

impl std::error::Error for Failed {}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// A key does not exist.
    NoKey(String),
    /// An operator or a function does not take values of these types.
    Type {
        /// How the operator or the function is written.
        of: &'static str,
        /// The types that it was given.
        given: Vec<Type>,
    },
    /// A value of this type is where only `true` or `false` can be.
    NotBool(Type),
    /// A number is too large for its type: the operator.
    Overflow(&'static str),
    /// A number is divided by zero.
    DivisionByZero,
    /// A list or a text has no such place.
    OutOfRange,
    /// A value, the beginning of which this is, cannot be converted to this type.
    Conversion(String, Type),
    /// Two keys of a map are the same.
    RepeatedKey(String),
    /// A regular expression is wrong, or takes too much memory.
    Pattern(String),
    /// JSON has no values of this type.
    NotJson(Type),
    /// The event is too large to be read.
    TooLarge,
    /// The expression has read too much.
    TooMuch,
    /// All conditions of the event have read too much.
    Spent,
}

impl Fault {
    fn types(of: &'static str, given: &[Type]) -> Self {
        let given = given.to_vec();
        Fault::Type { of, given }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoKey(key) => write!(f, "the key `{key}` does not exist"),
            Fault::Type { of, given } => {
                let given: Vec<_> = given.iter().map(|given| given.name()).collect();
                write!(f, "`{of}` does not take {}", given.join(" and "))
            }
            Fault::NotBool(given) => {
                write!(f, "true or false is expected, and this is {}", given.name())
            }
            Fault::Overflow(of) => write!(f, "the result of `{of}` is too large for its type"),
            Fault::DivisionByZero => f.write_str("a number is divided by zero"),
            Fault::OutOfRange => f.write_str("a list or a text has no such place"),
            Fault::Conversion(value, to) => write!(f, "`{value}` cannot become {}", to.name()),
            Fault::RepeatedKey(key) => write!(f, "the key `{key}` is in a map twice"),
            Fault::Pattern(why) => write!(f, "the regular expression of `matches` is wrong: {why}"),
            Fault::NotJson(kind) => write!(
                f,
                "{} is not a value of JSON: write `string(…)`",
                kind.name()
            ),
            Fault::TooLarge => write!(
                f,
                "the event is larger than the {} KiB that an expression may read",
                MOST_INPUT / 1024
            ),
            Fault::TooMuch => write!(f, "its loop reads more than {} MiB", eval::MOST_SEEN >> 20),
            Fault::Spent => write!(
                f,
                "the conditions of this event have read more than {} MiB together",
                MOST_SPENT >> 20
            ),
        }
    }
}

impl std::error::Error for Fault {}
