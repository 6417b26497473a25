//! The values of statements and rows.

use std::sync::Arc;

use jiff::Timestamp;
use serde::de::DeserializeOwned;

use crate::error::{Result, StoreError};

/// A value of a statement or a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SqlValue {
    Int(i64),
    Text(String),
    Bytes(Vec<u8>),
    /// A number that no engine has: a statement with it is refused.
    TooLarge(u64),
}

impl From<i64> for SqlValue {
    fn from(value: i64) -> Self {
        SqlValue::Int(value)
    }
}

impl From<u64> for SqlValue {
    fn from(value: u64) -> Self {
        i64::try_from(value).map_or(SqlValue::TooLarge(value), SqlValue::Int)
    }
}

impl From<bool> for SqlValue {
    fn from(value: bool) -> Self {
        SqlValue::Int(value.into())
    }
}

/// A text as a column has it. Postgres has no NUL in one, so it is the sign for what cannot be shown. In JSON, a NUL is written
/// as an escape, and stays.
pub(crate) fn kept(text: &str) -> String {
    text.replace('\0', "\u{FFFD}")
}

impl From<&str> for SqlValue {
    fn from(text: &str) -> Self {
        SqlValue::Text(kept(text))
    }
}

impl From<&String> for SqlValue {
    fn from(text: &String) -> Self {
        SqlValue::from(text.as_str())
    }
}

impl From<String> for SqlValue {
    fn from(text: String) -> Self {
        SqlValue::from(&text)
    }
}

impl From<Vec<u8>> for SqlValue {
    fn from(bytes: Vec<u8>) -> Self {
        SqlValue::Bytes(bytes)
    }
}

impl From<Timestamp> for SqlValue {
    fn from(time: Timestamp) -> Self {
        SqlValue::Int(time.as_microsecond())
    }
}

/// Writes the values of a statement: `args![tenant, 3_u64]`.
macro_rules! args {
    ($($value:expr),* $(,)?) => {
        vec![$($crate::engine::SqlValue::from($value)),*]
    };
}
pub(crate) use args;

/// A row, whose values are found by the names of their columns.
#[derive(Debug)]
pub(crate) struct SqlRow {
    /// The statement, shared by its rows, whose table an error names.
    pub(super) sql: Arc<str>,
    /// The names of the columns, shared by its rows.
    pub(super) names: Arc<[String]>,
    pub(super) values: Vec<SqlValue>,
}

impl SqlRow {
    pub(crate) fn value(&self, column: &str) -> Option<&SqlValue> {
        let index = self.names.iter().position(|name| name == column)?;
        self.values.get(index)
    }

    /// All values, in the order of the statement.
    pub(crate) fn values(&self) -> &[SqlValue] {
        &self.values
    }

    /// The statement that puts such values into a table.
    pub(crate) fn insert(&self, table: &str) -> String {
        let places = (1..=self.names.len()).map(|place| format!("${place}"));
        let (names, places) = (self.names.join(", "), places.collect::<Vec<_>>().join(", "));
        format!("INSERT INTO {table} ({names}) VALUES ({places})")
    }

    /// What a column means.
    pub(crate) fn get<T: Column>(&self, column: &str) -> Result<T> {
        let read = self.value(column).ok_or_else(|| "is missing".to_owned());
        read.and_then(T::of)
            .map_err(|what| self.wrong(column, &what))
    }

    pub(crate) fn wrong(&self, column: &str, what: &str) -> StoreError {
        let mut words = self.sql.split_whitespace();
        let table = words
            .find(|word| ["FROM", "INTO", "UPDATE"].contains(word))
            .and_then(|_| words.next());
        let table = table.unwrap_or_default();
        let row = self
            .values
            .first()
            .map_or_else(String::new, SqlValue::shown);
        StoreError::Inconsistent(format!(
            "the table `{table}` is damaged: `{column}` of row {row} {what}"
        ))
    }
}

impl SqlValue {
    /// For an error: no value of a column of bytes.
    pub(super) fn shown(&self) -> String {
        match self {
            SqlValue::Int(value) => value.to_string(),
            SqlValue::TooLarge(value) => value.to_string(),
            SqlValue::Text(text) => format!("{text:?}"),
            SqlValue::Bytes(bytes) => format!("{} bytes", bytes.len()),
        }
    }
}

/// What the value of a column is read as.
pub(crate) trait Column: Sized + Send {
    /// # Errors
    ///
    /// What is wrong with the value.
    fn of(value: &SqlValue) -> Result<Self, String>;
}

impl Column for i64 {
    fn of(value: &SqlValue) -> Result<Self, String> {
        match value {
            SqlValue::Int(value) => Ok(*value),
            _ => Err("is not a whole number".to_owned()),
        }
    }
}

impl Column for u64 {
    fn of(value: &SqlValue) -> Result<Self, String> {
        u64::try_from(i64::of(value)?).map_err(|_| "is below zero".to_owned())
    }
}

impl Column for bool {
    fn of(value: &SqlValue) -> Result<Self, String> {
        Ok(i64::of(value)? != 0)
    }
}

impl Column for Timestamp {
    fn of(value: &SqlValue) -> Result<Self, String> {
        Timestamp::from_microsecond(i64::of(value)?)
            .map_err(|error| format!("is not a time: {error}"))
    }
}

impl Column for String {
    fn of(value: &SqlValue) -> Result<Self, String> {
        match value {
            SqlValue::Text(text) => Ok(text.clone()),
            _ => Err("is not text".to_owned()),
        }
    }
}

/// No number is kept as one below zero.
impl Column for Option<u64> {
    fn of(value: &SqlValue) -> Result<Self, String> {
        Ok(u64::try_from(i64::of(value)?).ok())
    }
}

/// No time is kept as 0.
impl Column for Option<Timestamp> {
    fn of(value: &SqlValue) -> Result<Self, String> {
        Ok(Some(Timestamp::of(value)?).filter(|time| *time != Timestamp::UNIX_EPOCH))
    }
}

/// No text is kept as the empty one.
impl Column for Option<String> {
    fn of(value: &SqlValue) -> Result<Self, String> {
        Ok(Some(String::of(value)?).filter(|text| !text.is_empty()))
    }
}

impl Column for Vec<u8> {
    fn of(value: &SqlValue) -> Result<Self, String> {
        match value {
            SqlValue::Bytes(bytes) => Ok(bytes.clone()),
            _ => Err("is not bytes".to_owned()),
        }
    }
}

/// What a text says in JSON.
pub(crate) struct JsonColumn<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> Column for JsonColumn<T> {
    fn of(value: &SqlValue) -> Result<Self, String> {
        let read = serde_json::from_str(&String::of(value)?).map(JsonColumn);
        read.map_err(|error| format!("cannot be read: {error}"))
    }
}

/// What a row is read as: its only column, several in their order, or a struct.
pub(crate) trait OfRow: Sized + Send {
    fn of_row(row: &SqlRow) -> Result<Self>;
}

impl<T: Column> OfRow for T {
    fn of_row(row: &SqlRow) -> Result<Self> {
        row.get(&row.names[0])
    }
}

macro_rules! tuple {
    ($($column:ident $place:literal),+) => {
        impl<$($column: Column),+> OfRow for ($($column),+) {
            fn of_row(row: &SqlRow) -> Result<Self> {
                Ok(($(row.get(&row.names[$place])?),+))
            }
        }
    };
}
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

/// Defines a struct that is read from the columns with the names of its fields.
macro_rules! of_row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($(#[$about:meta])* $of:vis $field:ident: $type:ty,)+ }) => {
        $(#[$meta])*
        $vis struct $name { $($(#[$about])* $of $field: $type,)+ }

        impl $crate::engine::OfRow for $name {
            fn of_row(row: &$crate::engine::SqlRow) -> Result<Self> {
                Ok(Self { $($field: row.get(stringify!($field))?),+ })
            }
        }
    };
}
pub(crate) use of_row;
