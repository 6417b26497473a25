//! Settings that are written as one string.

/// Implements serde for a type: reads it by its `FromStr`, and writes the given string. It takes the fields of the JSON
/// Schema.
macro_rules! text_setting {
    ($Setting:ident, |$value:ident| $written:expr, { $($schema:tt)+ }) => {
        impl serde::Serialize for $Setting {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $value = self;
                serializer.serialize_str($written)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Setting {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl schemars::JsonSchema for $Setting {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($Setting).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", $($schema)+ })
            }
        }
    };
}

pub(crate) use text_setting;
