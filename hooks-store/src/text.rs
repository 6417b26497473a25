//! Texts that stand for values: the canonical one, and its hash.

use hooks_runtime::__MOST as MOST;
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::error::{Result, StoreError};

/// Checks a number that JSON carries: a larger one would be another one there.
pub(crate) fn expect_exact(path: &str, number: u64) -> Result<()> {
    if number <= MOST {
        return Ok(());
    }
    let message = format!("{number} is more than a number can be here: {MOST}");
    Err(StoreError::invalid(path, message, "write a smaller number"))
}

/// Checks how long a text is that is kept.
pub(crate) fn expect_short(path: &str, what: &str, text: &str, most: usize) -> Result<()> {
    let length = text.len();
    if length <= most {
        return Ok(());
    }
    let message = format!("the {what} has {length} bytes, and {most} are the most");
    Err(StoreError::invalid(path, message, "leave something out"))
}

/// The one text of a value (RFC 8785), which is hashed.
pub(crate) fn canonical(value: &impl Serialize) -> String {
    serde_json_canonicalizer::to_string(value).expect("JSON can always be written")
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}

/// Parts as one text, each after its length, so that nothing can move from one to the next.
pub(crate) fn framed(parts: &[&[u8]]) -> Vec<u8> {
    let framed = parts.iter().flat_map(|part| {
        let length = (part.len() as u64).to_be_bytes();
        [&length[..], part].concat()
    });
    framed.collect()
}
