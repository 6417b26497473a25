//! Texts that stand for values: the canonical one, its hash, and digits.

use ring::digest::{SHA256, digest};
use serde::Serialize;

/// The one text of a value (RFC 8785), which is hashed.
pub(crate) fn canonical(value: &impl Serialize) -> String {
    serde_json_canonicalizer::to_string(value).expect("JSON can always be written")
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
    digits.collect()
}
