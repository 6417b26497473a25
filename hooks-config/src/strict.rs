//! Values in which a list is not read as a table.
//!
//! serde would also read a struct from a list of its fields' values, in their order. No author of a file means that.

use serde::de::value::SeqDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Unexpected, Visitor,
};
use serde_json::{Error, Value};

/// A value that yields a struct only from a table, at any depth.
pub(crate) struct Strict(pub(crate) Value);

impl<'de> Deserializer<'de> for Strict {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(values) => {
                let mut values = SeqDeserializer::new(values.into_iter().map(Strict));
                let read = visitor.visit_seq(&mut values)?;
                values.end()?;
                Ok(read)
            }
            table @ Value::Object(_) => table.deserialize_map(OfTable(visitor)),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if self.0.is_array() {
            return Err(de::Error::invalid_type(Unexpected::Seq, &visitor));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        // `RawValue` has a special name that only serde_json's own values handle.
        if name.starts_with("$serde_json::") {
            return self.0.deserialize_newtype_struct(name, visitor);
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map identifier ignored_any
    }
}

impl IntoDeserializer<'_, Error> for Strict {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// A visitor of a table, or the table itself. Its keys are read as serde_json reads them, and its values are strict.
struct OfTable<T>(T);

impl<'de, V: Visitor<'de>> Visitor<'de> for OfTable<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<V::Value, M::Error> {
        self.0.visit_map(OfTable(map))
    }
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for OfTable<M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        let value = Strict(self.0.next_value()?);
        seed.deserialize(value).map_err(de::Error::custom)
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Pair {
        a: u8,
        b: Option<Box<Pair>>,
    }

    #[test]
    fn a_struct_is_read_from_a_table_only() {
        let pair = Pair { a: 1, b: None };
        assert_eq!(Pair::deserialize(Strict(json!({ "a": 1 }))).unwrap(), pair);
        let wrong = [
            json!([1, null]),
            json!({ "a": 1, "b": [1, null] }),
            json!({ "a": 1, "b": { "a": 2, "b": [] } }),
        ];
        for value in wrong {
            assert!(Pair::deserialize(value.clone()).is_ok() || value["b"]["b"].is_array());
            let error = Pair::deserialize(Strict(value)).unwrap_err().to_string();
            assert_eq!(error, "invalid type: sequence, expected struct Pair");
        }
        let many = Strict(json!([{ "a": 1 }, [1, null]]));
        assert!(Vec::<Pair>::deserialize(many).is_err());
    }

    #[test]
    fn all_else_is_read_as_it_was() {
        let value = json!({
            "1": [null, true, -1, 1.5, "x", [], {}], "2": [{ "a": [[1]] }],
        });
        assert_eq!(Value::deserialize(Strict(value.clone())).unwrap(), value);
        let by_number = BTreeMap::<u8, Vec<Value>>::deserialize(Strict(value)).unwrap();
        assert_eq!(by_number[&2], [json!({ "a": [[1]] })]);
        assert_eq!(
            <(u8, Option<String>)>::deserialize(Strict(json!([1, "x"]))).unwrap(),
            (1, Some("x".into()))
        );
        assert!(<(u8, u8)>::deserialize(Strict(json!([1, 2, 3]))).is_err());
    }
}
