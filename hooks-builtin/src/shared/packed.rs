//! Packs events as bytes, for logs. The format is MessagePack, which copies a string, whereas JSON examines each of its
//! characters.
//!
//! The agent waits while an event is packed. The bytes become JSON later, if somebody reads them.

use rmp_serde::{Deserializer, Serializer};
use serde::Serialize;
use serde_json::Value;
use serde_transcode::transcode;

/// Adds a value. After an error, a part of it may have been added.
pub(crate) fn pack<T: Serialize>(
    out: &mut Vec<u8>,
    value: &T,
) -> Result<(), rmp_serde::encode::Error> {
    value.serialize(&mut Serializer::new(out).with_struct_map())
}

/// Reads one value.
pub(crate) fn value(packed: &[u8]) -> Value {
    rmp_serde::from_slice(packed).unwrap_or_default()
}

/// A sequence of values.
pub(crate) struct Values<'p>(Deserializer<rmp_serde::decode::ReadRefReader<'p, [u8]>>);

impl<'p> Values<'p> {
    pub(crate) fn of(packed: &'p [u8]) -> Self {
        Values(Deserializer::from_read_ref(packed))
    }

    /// Adds the next value as JSON. After an error, a part of it may have been added.
    pub(crate) fn write_next(&mut self, out: &mut Vec<u8>) -> serde_json::Result<()> {
        transcode(&mut self.0, &mut serde_json::Serializer::new(out))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[\u{0}-\u{1f}\"\\\\é漢😀a-z]*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..6)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_was_packed_is_the_same_json(first in any_json(), second in any_json()) {
            let mut packed = Vec::new();
            pack(&mut packed, &first).unwrap();
            prop_assert_eq!(&value(&packed), &first);
            pack(&mut packed, &second).unwrap();
            let (mut values, mut out) = (Values::of(&packed), Vec::new());
            values.write_next(&mut out).unwrap();
            out.push(b' ');
            values.write_next(&mut out).unwrap();
            prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{first} {second}"));
        }
    }
}
