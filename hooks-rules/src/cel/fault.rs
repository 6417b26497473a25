//! Why an expression has no value for an event, and what it may read.

use std::fmt;
use std::sync::Arc;

use super::literal::Type;

/// The maximum size of all values that an expression reads, if a loop reads the same values repeatedly.
pub const MOST_SEEN: usize = 32 * 1024 * 1024;
/// What a regular expression costs that is known only now: as much as to read so many bytes.
pub const PATTERN: usize = 16 * 1024;

/// The maximum size of an event that an expression reads, in bytes of JSON, approximately.
pub const MOST_INPUT: usize = 256 * 1024;
/// The most that all conditions of an event may read, in bytes: 1,000 hooks may each read the largest event once.
pub(super) const MOST_SPENT: usize = 256 << 20;

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
            fault @ (Fault::TooLarge | Fault::Twins(..) | Fault::Spent) => fault.fmt(f),
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
    /// Two arguments of the call mean the same, but differ.
    Twins(&'static str, &'static str),
    /// The expression has read too much.
    TooMuch,
    /// All conditions of the event have read too much.
    Spent,
}

impl Fault {
    pub(super) fn types(of: &'static str, given: &[Type]) -> Self {
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
            Fault::Twins(one, other) => write!(
                f,
                "`{one}` and `{other}` are two names of one argument and have different values; keep one"
            ),
            Fault::TooMuch => write!(f, "the loop reads more than {} MiB", MOST_SEEN >> 20),
            Fault::Spent => write!(
                f,
                "the conditions of this event have read more than {} MiB together",
                MOST_SPENT >> 20
            ),
        }
    }
}

impl std::error::Error for Fault {}
