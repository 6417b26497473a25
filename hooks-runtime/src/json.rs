//! Reads and compares JSON. Text with a key twice is refused: of `{"decision": "block", "decision": "approve"}`, what
//! was meant is not known.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The largest whole number that canonical JSON (RFC 8785) has exactly, because it writes numbers as JavaScript does.
pub const MOST: u64 = (1 << 53) - 1;

/// How the words begin with which an object is refused that has a key twice.
pub(crate) const TWICE: &str = "the object has the key";

/// Whether canonical JSON has this number exactly.
#[must_use]
pub fn is_exact(number: &Number) -> bool {
    let whole = number.as_u64();
    let whole = whole.or_else(|| number.as_i64().map(i64::unsigned_abs));
    whole.is_none_or(|whole| whole <= MOST)
}

/// Reads a value.
///
/// # Errors
///
/// If the text is not JSON, or an object has a key twice.
pub fn from_slice(text: &[u8]) -> serde_json::Result<Value> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Unique.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads a value of any kind.
struct Unique;

impl<'de> DeserializeSeed<'de> for Unique {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = list.next_element_seed(Unique)? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let value = object.next_value_seed(Unique)?;
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format_args!("{TWICE} `{key}` twice")));
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

/// Returns JSON text in which the keys of every object are sorted.
pub(crate) fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => {
                let fields: BTreeMap<_, _> = fields
                    .iter()
                    .map(|(key, value)| (key.clone(), sorted(value)))
                    .collect();
                Value::Object(fields.into_iter().collect())
            }
            Value::Array(values) => Value::Array(values.iter().map(sorted).collect()),
            other => other.clone(),
        }
    }
    sorted(value).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_key_that_stands_twice_is_an_error_at_any_depth() {
        let text = r#" {"a": [1, -2, 1.5, "x", null, {"b": true, "c": {}}], "b": {"a": "y"}} "#;
        let value =
            json!({ "a": [1, -2, 1.5, "x", null, { "b": true, "c": {} }], "b": { "a": "y" } });
        assert_eq!(from_slice(text.as_bytes()).unwrap(), value);
        for wrong in [r#"{"a":1,"a":1}"#, r#"[{"x":{"a":1,"b":2,"a":3}}]"#] {
            let error = from_slice(wrong.as_bytes()).unwrap_err().to_string();
            assert!(
                error.starts_with("the object has the key `a` twice"),
                "{error}"
            );
        }
        for wrong in ["", "{", "1 2", "{}x"] {
            assert!(from_slice(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
