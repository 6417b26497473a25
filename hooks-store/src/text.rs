//! Texts that stand for values: the canonical one, and its hash.

use hooks_runtime::__MOST as MOST;
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::error::StoreError;

/// Checks a number that is told in JSON: a larger one would be another one there.
pub(crate) fn expect_exact(path: &str, number: u64) -> Result<(), StoreError> {
    if number <= MOST {
        return Ok(());
    }
    let message = format!("{number} is more than a number can be here: {MOST}");
    Err(StoreError::invalid(path, message, "write a smaller number"))
}

/// The one text of a value (RFC 8785), which is hashed.
pub(crate) fn canonical(value: &impl Serialize) -> String {
    serde_json_canonicalizer::to_string(value).expect("JSON can always be written")
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}
