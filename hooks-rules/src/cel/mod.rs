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
//! - `expression`, `fault`: an expression, and why it may have no value;
//! - `literal`, `value`, `functions`, `call`: the values, and what can be called;
//! - `operate`: what operators do with values;
//! - `eval`: what the tree is for an event;
//! - `parts`: the same for each part of a condition.

#[cfg(feature = "json")]
mod call;
#[cfg(feature = "parse")]
mod check;
#[cfg(all(feature = "parse", feature = "json"))]
mod eval;
#[cfg(feature = "parse")]
mod expression;
mod fault;
mod functions;
#[cfg(feature = "parse")]
mod lex;
mod literal;
#[cfg(feature = "json")]
mod operate;
#[cfg(feature = "parse")]
mod parse;
#[cfg(all(feature = "parse", feature = "json"))]
mod parts;
#[cfg(feature = "json")]
mod value;

#[cfg(all(feature = "parse", feature = "json"))]
pub use self::expression::Variables;
#[cfg(feature = "parse")]
pub use self::expression::{Cel, Known, Mistake, MistakeKind};
pub use self::fault::{Failed, Fault};
pub use self::literal::{Literal, Type};
#[cfg(feature = "json")]
pub use self::operate::size_of;
#[cfg(all(feature = "parse", feature = "json"))]
pub use self::parts::Part;
#[cfg(feature = "json")]
pub use self::value::{Value, field};

/// What rules call that are compiled into a program.
#[cfg(feature = "json")]
#[doc(hidden)]
pub mod compiled {
    pub use crate::cel::call::call;
    pub use crate::cel::fault::{MOST_INPUT, MOST_SEEN, PATTERN};
    pub use crate::cel::operate::{
        Evaluated, at, binary, each, equals, has, is_true, key, negative, read_size,
    };
}

/// The tree of an expression, for what compiles it.
#[cfg(feature = "parse")]
#[doc(hidden)]
pub mod tree {
    pub use crate::cel::functions::Function;
    pub use crate::cel::parse::{Expr, Kind, Loop};
}
