//! A boolean, or a table of settings.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A hook that is off, or on with its settings.
///
/// In a file, it is `false`, `true` for the defaults, or a table, which may contain `enabled = false`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Switch<T> {
    /// The hook is off.
    #[default]
    Off,
    /// The hook is on.
    On(T),
}

impl<T> Switch<T> {
    /// Returns the settings, if the hook is on.
    pub fn as_on(&self) -> Option<&T> {
        match self {
            Switch::Off => None,
            Switch::On(settings) => Some(settings),
        }
    }

    /// Returns the settings for changing, if the hook is on.
    pub fn as_on_mut(&mut self) -> Option<&mut T> {
        match self {
            Switch::Off => None,
            Switch::On(settings) => Some(settings),
        }
    }
}

impl<T: Serialize> Serialize for Switch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Switch::Off => serializer.serialize_bool(false),
            Switch::On(settings) => settings.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Switch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SwitchVisitor(PhantomData))
    }
}

struct SwitchVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for SwitchVisitor<T> {
    type Value = Switch<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("`true`, `false` or a table")
    }

    fn visit_bool<E: de::Error>(self, is_on: bool) -> Result<Switch<T>, E> {
        if !is_on {
            return Ok(Switch::Off);
        }
        let nothing = std::iter::empty::<(&str, bool)>();
        T::deserialize(MapDeserializer::new(nothing)).map(Switch::On)
    }

    fn visit_map<M: MapAccess<'de>>(self, map: M) -> Result<Switch<T>, M::Error> {
        let mut is_on = true;
        let others = WithoutEnabled {
            map,
            is_on: &mut is_on,
        };
        // The settings of a hook that is off are checked too, because it may be turned on later.
        let settings = T::deserialize(MapAccessDeserializer::new(others))?;
        Ok(if is_on {
            Switch::On(settings)
        } else {
            Switch::Off
        })
    }
}

/// A map without its key `enabled`.
struct WithoutEnabled<'s, M> {
    map: M,
    is_on: &'s mut bool,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for WithoutEnabled<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if key != "enabled" {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            *self.is_on = self.map.next_value()?;
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        self.map.next_value_seed(seed)
    }
}

impl<T: JsonSchema> JsonSchema for Switch<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Switch_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // The table has an additional key, so it is not a reference to the settings' own schema.
        let mut table = T::json_schema(generator);
        if let Some(properties) = table
            .ensure_object()
            .entry("properties")
            .or_insert_with(|| serde_json::json!({}))
            .as_object_mut()
        {
            properties.insert(
                "enabled".into(),
                serde_json::json!({ "type": "boolean", "default": true, "description": "Whether the hook is on." }),
            );
        }
        json_schema!({ "anyOf": [{ "type": "boolean" }, table] })
    }
}
