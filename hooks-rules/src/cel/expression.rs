//! An expression: a text that is checked once, and has a value for each event.

#[cfg(feature = "json")]
use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "json")]
use serde_json::Value as Json;

use super::check::{self, ExpressionReads};
#[cfg(feature = "json")]
use super::eval::CelEvaluation;
#[cfg(feature = "json")]
use super::fault::{Failed, Fault, MOST_SPENT};
use super::literal::Type;
use super::parse::{self, Expr};
#[cfg(feature = "json")]
use super::value::Value;

/// The maximum length of an expression, in bytes.
const MOST_BYTES: usize = 2048;

/// What an expression may name.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k> {
    /// The variables, with their types.
    pub variables: &'k [(&'k str, Type)],
    /// The fields of the variable `cx`, with their types. It has no others.
    pub context: &'k [(&'k str, Type)],
}

#[cfg(feature = "json")]
/// What an expression reads.
pub trait Variables {
    /// Returns the value at a path, which is a variable and keys.
    ///
    /// # Errors
    ///
    /// Why there is none, or why an expression may not read it.
    fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, Fault>;

    /// Adds what an expression reads to what all conditions of the event have read, in bytes, and returns the sum; 0 if
    /// nothing adds it up.
    fn spend(&self, bytes: usize) -> usize;
}

/// An expression.
///
/// ```
/// use hooks_rules::cel::{Cel, Fault, Known, Type, Value, Variables};
///
/// struct Name(&'static str);
///
/// impl Variables for Name {
///     fn read(&self, variable: &str, keys: &[String]) -> Result<Value<'_>, Fault> {
///         match (variable, keys) {
///             ("name", []) => Ok(Value::Text(self.0.into())),
///             _ => Err(Fault::NoKey(variable.into())),
///         }
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
    pub(super) text: Arc<str>,
    pub(super) tree: Arc<(Expr, ExpressionReads)>,
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
        let ExpressionReads { args, asked, .. } = &self.tree.1;
        let read = args.iter().filter(|name| !asked.contains(name));
        read.cloned().collect()
    }

    /// Returns the comparisons in it whose sides can never be equal, such as `name == 5`.
    ///
    /// ```
    /// use hooks_rules::cel::{Cel, Known, Type};
    ///
    /// let known = Known { variables: &[("name", Type::Text)], ..Known::default() };
    /// let cel = Cel::compile("name == 5", &known).unwrap();
    /// assert_eq!(cel.never_equal()[0].message, "`==` compares string and int, which are never equal");
    /// ```
    #[must_use]
    pub fn never_equal(&self) -> &[Mistake] {
        &self.tree.1.never
    }

    /// Returns its tree.
    #[doc(hidden)]
    #[must_use]
    pub fn tree(&self) -> &Expr {
        &self.tree.0
    }

    #[cfg(feature = "json")]
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

    #[cfg(feature = "json")]
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

    #[cfg(feature = "json")]
    #[cold]
    fn failed(&self, fault: Fault) -> Failed {
        let expression = Arc::clone(&self.text);
        Failed { expression, fault }
    }
}

#[cfg(feature = "json")]
/// Begins an evaluation, unless the conditions of the event have read too much already.
pub(super) fn begin(variables: &dyn Variables) -> Result<CelEvaluation<'_>, Fault> {
    if variables.spend(0) > MOST_SPENT {
        return Err(Fault::Spent);
    }
    Ok(CelEvaluation {
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
