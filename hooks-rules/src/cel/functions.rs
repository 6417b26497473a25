//! The functions that an expression may call, in addition to operators and macros.

use super::literal::Type;

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallForm {
    /// `f(x)`.
    Plain,
    /// `x.f()`.
    Method,
    /// Both.
    Either,
}

/// A function: its name, how it is called, how many arguments it needs, the types that it takes, and the type that it
/// gives. The value on which it is called is its first argument.
#[derive(Debug)]
pub struct Function(
    /// Its name.
    pub &'static str,
    pub(super) CallForm,
    pub(super) usize,
    pub(super) &'static [Type],
    /// The type that it gives.
    pub Type,
);

use CallForm::{Either, Method, Plain};
use Type::{Any, Bool, Bytes, Double, Int, List, Text, Uint};

/// All functions, by their names.
pub(super) static FUNCTIONS: [Function; 26] = [
    Function("bool", Plain, 1, &[Any], Bool),
    Function("bytes", Plain, 1, &[Any], Bytes),
    Function("charAt", Method, 2, &[Text, Int], Text),
    Function("contains", Method, 2, &[Text, Text], Bool),
    Function("double", Plain, 1, &[Any], Double),
    Function("dyn", Plain, 1, &[Any], Any),
    Function("endsWith", Method, 2, &[Text, Text], Bool),
    Function("indexOf", Method, 2, &[Text, Text, Int], Int),
    Function("int", Plain, 1, &[Any], Int),
    Function("join", Method, 1, &[List, Text], Text),
    Function("lastIndexOf", Method, 2, &[Text, Text, Int], Int),
    Function("lowerAscii", Method, 1, &[Text], Text),
    Function("matches", Either, 2, &[Text, Text], Bool),
    Function("max", Plain, 0, &[Any; 99], Any),
    Function("min", Plain, 0, &[Any; 99], Any),
    Function("replace", Method, 3, &[Text, Text, Text, Int], Text),
    Function("reverse", Method, 1, &[Text], Text),
    Function("size", Either, 1, &[Any], Int),
    Function("split", Method, 2, &[Text, Text, Int], List),
    Function("startsWith", Method, 2, &[Text, Text], Bool),
    Function("string", Plain, 1, &[Any], Text),
    Function("substring", Method, 2, &[Text, Int, Int], Text),
    Function("trim", Method, 1, &[Text], Text),
    Function("type", Plain, 1, &[Any], Type::Type),
    Function("uint", Plain, 1, &[Any], Uint),
    Function("upperAscii", Method, 1, &[Text], Text),
];

impl Function {
    /// Whether it takes arguments of these types.
    pub(super) fn takes(&self, mut given: impl Iterator<Item = Type>) -> bool {
        let mut takes = self.3.iter();
        given.all(|given| takes.next().is_some_and(|takes| given.may_be(*takes)))
    }
}
