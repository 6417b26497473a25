//! The values of expressions.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use super::fault::Fault;
use super::literal::{Literal, Type};

/// A value that an expression reads or makes.
#[derive(Clone, Debug)]
pub enum Value<'v> {
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
    Text(Cow<'v, str>),
    /// Bytes: `b'…'`.
    Bytes(Cow<'v, [u8]>),
    /// A list or an object of the event, which stays in its place.
    Json(&'v Json),
    /// A list that the expression makes.
    List(Arc<Vec<Value<'v>>>),
    /// A map that the expression makes.
    Map(Arc<Vec<(Value<'v>, Value<'v>)>>),
    /// The type of a value.
    Type(Type),
}

impl<'v> From<&'v Json> for Value<'v> {
    fn from(json: &'v Json) -> Self {
        match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::String(text) => Value::Text(text.as_str().into()),
            Json::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(number), _) => Value::Int(number),
                (None, Some(number)) => Value::Uint(number),
                _ => Value::Double(number.as_f64().unwrap_or_default()),
            },
            Json::Array(_) | Json::Object(_) => Value::Json(json),
        }
    }
}

impl<'v> From<&'v Literal> for Value<'v> {
    fn from(literal: &'v Literal) -> Self {
        match literal {
            Literal::Null => Value::Null,
            Literal::Bool(value) => Value::Bool(*value),
            Literal::Int(number) => Value::Int(*number),
            Literal::Uint(number) => Value::Uint(*number),
            Literal::Double(number) => Value::Double(*number),
            Literal::Text(text) => Value::Text(text.as_str().into()),
            Literal::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
            Literal::Type(kind) => Value::Type(*kind),
        }
    }
}

impl<'v> Value<'v> {
    pub(super) fn list(items: impl IntoIterator<Item = Value<'v>>) -> Self {
        Value::List(Arc::new(items.into_iter().collect()))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Value::Text(Cow::Owned(text.into()))
    }

    /// Returns its type.
    #[must_use]
    pub fn kind(&self) -> Type {
        match self {
            Value::Null => Type::Null,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Uint(_) => Type::Uint,
            Value::Double(_) => Type::Double,
            Value::Text(_) => Type::Text,
            Value::Bytes(_) => Type::Bytes,
            Value::Json(Json::Array(_)) | Value::List(_) => Type::List,
            Value::Json(_) | Value::Map(_) => Type::Map,
            Value::Type(_) => Type::Type,
        }
    }

    /// Returns the values of a list, or the keys of a map.
    pub(super) fn items(&self) -> Option<Vec<Value<'v>>> {
        Some(match self {
            Value::Json(Json::Array(values)) => values.iter().map(Value::from).collect(),
            Value::Json(Json::Object(fields)) => {
                let keys = fields.keys();
                keys.map(|key| Value::Text(key.as_str().into())).collect()
            }
            Value::List(values) => values.to_vec(),
            Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
            _ => return None,
        })
    }

    /// Returns how long it is: a text in characters.
    pub(super) fn len(&self) -> Option<usize> {
        Some(match self {
            Value::Text(text) => text.chars().count(),
            Value::Bytes(bytes) => bytes.len(),
            Value::Json(Json::Array(values)) => values.len(),
            Value::Json(Json::Object(fields)) => fields.len(),
            Value::List(values) => values.len(),
            Value::Map(entries) => entries.len(),
            _ => return None,
        })
    }

    /// Returns the value of a key of a map; none also if it is not a map.
    pub(super) fn get(&self, key: &Value<'_>) -> Option<Value<'v>> {
        match (self, key) {
            (Value::Json(Json::Object(fields)), Value::Text(key)) => {
                field(fields, key).map(Value::from)
            }
            (Value::Map(entries), key) => {
                let mut entries = entries.iter();
                entries.find_map(|(known, value)| known.equals(key).then(|| value.clone()))
            }
            _ => None,
        }
    }

    /// Returns a value of a list by its place, from 0.
    pub(super) fn nth(&self, place: usize) -> Option<Value<'v>> {
        match self {
            Value::Json(Json::Array(values)) => values.get(place).map(Value::from),
            Value::List(values) => values.get(place).cloned(),
            _ => None,
        }
    }

    /// Whether two values are the same. Numbers of two types are, if they are the same number.
    pub(super) fn equals(&self, other: &Value<'_>) -> bool {
        match (self, other) {
            (Value::Text(one), Value::Text(other)) => one == other,
            (Value::Null, Value::Null) => true,
            (Value::Bool(one), Value::Bool(other)) => one == other,
            (Value::Bytes(one), Value::Bytes(other)) => one == other,
            (Value::Type(one), Value::Type(other)) => one == other,
            _ => match (self.kind(), other.kind()) {
                (Type::List, Type::List) => {
                    let (Some(ones), Some(others)) = (self.items(), other.items()) else {
                        return false;
                    };
                    ones.len() == others.len()
                        && ones
                            .iter()
                            .zip(&others)
                            .all(|(one, other)| one.equals(other))
                }
                (Type::Map, Type::Map) => {
                    let mut keys = self.items().unwrap_or_default().into_iter();
                    let is_same = |key| match (self.get(&key), other.get(&key)) {
                        (Some(one), Some(other)) => one.equals(&other),
                        _ => false,
                    };
                    self.len() == other.len() && keys.all(is_same)
                }
                _ => self.order_of_numbers(other) == Some(Ordering::Equal),
            },
        }
    }

    /// Returns how two numbers, of one type or two, are ordered.
    fn order_of_numbers(&self, other: &Value<'_>) -> Option<Ordering> {
        match (self.whole(), other.whole()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => self.double()?.partial_cmp(&other.double()?),
        }
    }

    fn whole(&self) -> Option<i128> {
        match self {
            Value::Int(number) => Some((*number).into()),
            Value::Uint(number) => Some((*number).into()),
            _ => None,
        }
    }

    /// Returns a number of any type.
    #[expect(clippy::cast_precision_loss, reason = "CEL compares numbers so")]
    pub(super) fn double(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Uint(number) => Some(*number as f64),
            Value::Double(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns how two values are ordered. What is not a number (NaN) has no order.
    ///
    /// # Errors
    ///
    /// If values of these types cannot be compared.
    pub(super) fn order(
        &self,
        other: &Value<'_>,
        by: &'static str,
    ) -> Result<Option<Ordering>, Fault> {
        Ok(match (self, other) {
            (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
            (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
            (Value::Bytes(one), Value::Bytes(other)) => Some(one.cmp(other)),
            _ if self.double().is_some() && other.double().is_some() => {
                self.order_of_numbers(other)
            }
            _ => return Err(Fault::types(by, &[self.kind(), other.kind()])),
        })
    }

    /// Returns it as JSON.
    ///
    /// # Errors
    ///
    /// If JSON has no such value: bytes and types.
    pub fn to_json(&self) -> Result<Json, Fault> {
        Ok(match self {
            Value::Null => Json::Null,
            Value::Bool(value) => (*value).into(),
            Value::Int(number) => (*number).into(),
            Value::Uint(number) => (*number).into(),
            Value::Double(number) => (*number).into(),
            Value::Text(text) => text.as_ref().into(),
            Value::Json(json) => (*json).clone(),
            Value::List(values) => {
                let values = values.iter().map(Value::to_json);
                Json::Array(values.collect::<Result<_, _>>()?)
            }
            Value::Map(entries) => {
                let entries = entries.iter();
                let fields = entries.map(|(key, value)| Ok((key.to_string(), value.to_json()?)));
                Json::Object(fields.collect::<Result<_, Fault>>()?)
            }
            Value::Bytes(_) | Value::Type(_) => return Err(Fault::NotJson(self.kind())),
        })
    }
}

/// Shows a value as `string(…)` does. Lists and maps have no text.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => value.fmt(f),
            Value::Int(number) => number.fmt(f),
            Value::Uint(number) => number.fmt(f),
            Value::Double(number) => number.fmt(f),
            Value::Text(text) => text.fmt(f),
            other => f.write_str(other.kind().name()),
        }
    }
}

/// Returns a field of an object. In a small object, comparing the keys is faster than a hash of one.
#[must_use]
pub fn field<'v>(fields: &'v serde_json::Map<String, Json>, key: &str) -> Option<&'v Json> {
    if fields.len() > 8 {
        return fields.get(key);
    }
    let (_, value) = fields.iter().find(|(known, _)| *known == key)?;
    Some(value)
}
