//! The types of values, and the values that are written down.

/// The type of a value, as far as it is known before an event comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// It is known only when the expression is evaluated.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A whole number that is not negative: `5u`.
    Uint,
    /// A number with a fraction.
    Double,
    /// A text.
    Text,
    /// Bytes: `b'…'`.
    Bytes,
    /// A list.
    List,
    /// A map, or an object of JSON.
    Map,
    /// The type of a value: `type(x)`.
    Type,
}

impl Type {
    /// The types, and their names in CEL.
    const NAMES: [(Type, &'static str); 11] = [
        (Type::Any, "dyn"),
        (Type::Null, "null_type"),
        (Type::Bool, "bool"),
        (Type::Int, "int"),
        (Type::Uint, "uint"),
        (Type::Double, "double"),
        (Type::Text, "string"),
        (Type::Bytes, "bytes"),
        (Type::List, "list"),
        (Type::Map, "map"),
        (Type::Type, "type"),
    ];

    /// Returns its name in CEL.
    #[must_use]
    pub fn name(self) -> &'static str {
        let mut known = Type::NAMES.iter();
        known
            .find(|(kind, _)| *kind == self)
            .map_or("", |(_, name)| name)
    }

    #[cfg(feature = "parse")]
    /// Returns the type of this name, which is a value of expressions.
    pub(super) fn named(name: &str) -> Option<Self> {
        let mut known = Type::NAMES.iter().skip(1);
        known
            .find(|(_, known)| *known == name)
            .map(|(kind, _)| *kind)
    }

    /// Whether a value of this type may be one of the other.
    pub(super) fn may_be(self, other: Type) -> bool {
        self == other || self == Type::Any || other == Type::Any
    }
}

/// A value that is written down.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A whole number that is not negative: `5u`.
    Uint(u64),
    /// A number with a fraction.
    Double(f64),
    /// A text.
    Text(String),
    /// Bytes: `b'…'`.
    Bytes(Vec<u8>),
    /// The name of a type.
    Type(Type),
}

impl Literal {
    /// Returns its type.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Literal::Null => Type::Null,
            Literal::Bool(_) => Type::Bool,
            Literal::Int(_) => Type::Int,
            Literal::Uint(_) => Type::Uint,
            Literal::Double(_) => Type::Double,
            Literal::Text(_) => Type::Text,
            Literal::Bytes(_) => Type::Bytes,
            Literal::Type(_) => Type::Type,
        }
    }
}
