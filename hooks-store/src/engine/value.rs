//! The values of statements and rows.

use std::sync::Arc;

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::error::StoreError;

/// A value of a statement or a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// A number that no engine has: a statement with it is refused.
    TooLarge(u64),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(Value::TooLarge(value), Value::Int)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Int(value.into())
    }
}

/// Postgres has no NUL in a text, so it is the sign for what cannot be shown. In JSON, a NUL is written as an escape, and
/// stays.
impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.replace('\0', "\u{FFFD}"))
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::from(text.as_str())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        if text.contains('\0') {
            Value::from(text.as_str())
        } else {
            Value::Text(text)
        }
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Value::Bytes(bytes)
    }
}

impl From<Timestamp> for Value {
    fn from(time: Timestamp) -> Self {
        Value::Int(time.as_microsecond())
    }
}

/// Writes the values of a statement: `args![tenant, 3_u64]`.
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::engine::Value::from($value)),*]
    };
}
pub(crate) use args;

/// A row, whose values are found by the names of their columns.
#[derive(Debug)]
pub(crate) struct Row {
    /// The statement, shared by its rows, whose table an error names.
    pub(super) sql: Arc<str>,
    /// The names of the columns, shared by its rows.
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<Value>,
}

impl Row {
    pub(crate) fn get(&self, column: &str) -> Option<&Value> {
        let index = self.names.iter().position(|name| name == column)?;
        self.values.get(index)
    }

    pub(crate) fn int(&self, column: &str) -> Result<i64, StoreError> {
        match self.get(column) {
            Some(Value::Int(value)) => Ok(*value),
            _ => Err(self.wrong(column, "is no whole number")),
        }
    }

    pub(crate) fn number(&self, column: &str) -> Result<u64, StoreError> {
        u64::try_from(self.int(column)?).map_err(|_| self.wrong(column, "is below zero"))
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        match self.get(column) {
            Some(Value::Text(text)) => Ok(text.clone()),
            _ => Err(self.wrong(column, "is no text")),
        }
    }

    pub(crate) fn bytes(&self, column: &str) -> Result<Vec<u8>, StoreError> {
        match self.get(column) {
            Some(Value::Bytes(bytes)) => Ok(bytes.clone()),
            _ => Err(self.wrong(column, "is no bytes")),
        }
    }

    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        Timestamp::from_microsecond(self.int(column)?)
            .map_err(|error| self.wrong(column, &format!("is no time: {error}")))
    }

    pub(crate) fn json<T: DeserializeOwned>(&self, column: &str) -> Result<T, StoreError> {
        serde_json::from_str(&self.text(column)?)
            .map_err(|error| self.wrong(column, &format!("cannot be read: {error}")))
    }

    pub(crate) fn wrong(&self, column: &str, what: &str) -> StoreError {
        let mut words = self.sql.split_whitespace();
        let table = words
            .find(|word| ["FROM", "INTO", "UPDATE"].contains(word))
            .and_then(|_| words.next());
        StoreError::Inconsistent {
            table: table.unwrap_or_default().to_owned(),
            column: column.to_owned(),
            row: self.values.first().map_or_else(String::new, Value::shown),
            what: what.to_owned(),
        }
    }
}

impl Value {
    /// For an error: no value of a column of bytes.
    pub(super) fn shown(&self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::TooLarge(value) => value.to_string(),
            Value::Text(text) => format!("{text:?}"),
            Value::Bytes(bytes) => format!("{} bytes", bytes.len()),
        }
    }
}
