//! The arguments of a call. They are copied while the agent waits, and written as JSON later.
//!
//! The copy is JSON whose strings are not escaped yet: a string is a NUL, its length and its bytes, which takes one
//! copy. A NUL is nowhere else in JSON. No more is copied than will be sent, because a file that a model writes may
//! have megabytes.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use serde_json::Value;

/// The end of a text that was cut.
pub(super) const MARK: &str = "...[truncated]";

/// The maximum depth of the JSON. Anything deeper is cut.
const DEEPEST: usize = 128;

const STRING: u8 = 0;

/// Copies as much of `value` as is needed to write `limit` bytes of it. Returns whether that is all of it.
pub(super) fn keep(out: &mut Vec<u8>, value: &Value, limit: usize) -> bool {
    Keep { out, left: limit }.value(value, DEEPEST).is_some()
}

/// Estimates the size of the copy of a value, for a limit in bytes.
pub(super) fn size_hint(value: &Value, limit: usize) -> usize {
    let of = |value: &Value| match value {
        Value::String(text) => text.len() + 5,
        _ => 16,
    };
    let size = match value {
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| key.len() + 7 + of(value))
            .sum::<usize>()
            .saturating_add(2),
        value => of(value),
    };
    size.min(limit.saturating_add(64))
}

/// Writes the copy as JSON of at most `limit` bytes, and returns whether it is complete. Otherwise the JSON is cut on a
/// character boundary, and [marked](MARK) within the limit. The mark is always complete, even if the limit is shorter.
pub(super) fn told(kept: &[u8], all: bool, limit: usize) -> (String, bool) {
    let mut text = String::new();
    let written = Writer {
        out: &mut text,
        end: limit,
    }
    .kept(kept);
    let whole = all && written.is_ok();
    if !whole {
        mark(&mut text, limit);
    }
    (text, whole)
}

/// Appends at most `limit` bytes of `text`. A longer text is cut on a character boundary, and marked within the limit,
/// as in [`told`].
pub(super) fn push_text(out: &mut Vec<u8>, text: &str, limit: usize) {
    if text.len() <= limit {
        return out.extend_from_slice(text.as_bytes());
    }
    let part = text.floor_char_boundary(limit.saturating_sub(MARK.len()));
    out.extend_from_slice(&text.as_bytes()[..part]);
    out.extend_from_slice(MARK.as_bytes());
}

/// Appends the mark, in place of what would exceed the limit.
fn mark(text: &mut String, limit: usize) {
    text.truncate(text.floor_char_boundary(limit.saturating_sub(MARK.len())));
    text.push_str(MARK);
}

/// Copies values, until their JSON is at least as long as the limit.
struct Keep<'a> {
    out: &'a mut Vec<u8>,
    /// How many bytes of JSON are left to copy. Escapes, which make it longer, are not counted.
    left: usize,
}

impl Keep<'_> {
    fn value(&mut self, value: &Value, deeper: usize) -> Option<()> {
        match value {
            Value::Null => self.plain(b"null"),
            Value::Bool(true) => self.plain(b"true"),
            Value::Bool(false) => self.plain(b"false"),
            Value::Number(number) => {
                let before = self.out.len();
                write!(self.out, "{number}").ok()?;
                self.count(self.out.len() - before)
            }
            Value::String(text) => self.string(text),
            Value::Array(values) => {
                let deeper = deeper.checked_sub(1)?;
                self.plain(b"[")?;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        self.plain(b",")?;
                    }
                    self.value(value, deeper)?;
                }
                self.plain(b"]")
            }
            Value::Object(fields) => {
                let deeper = deeper.checked_sub(1)?;
                self.plain(b"{")?;
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.plain(b",")?;
                    }
                    self.string(key)?;
                    self.plain(b":")?;
                    self.value(value, deeper)?;
                }
                self.plain(b"}")
            }
        }
    }

    fn plain(&mut self, text: &[u8]) -> Option<()> {
        self.out.extend_from_slice(text);
        self.count(text.len())
    }

    fn string(&mut self, text: &str) -> Option<()> {
        let part = &text[..text.floor_char_boundary(self.left)];
        let length = u32::try_from(part.len()).ok()?;
        self.out.push(STRING);
        self.out.extend_from_slice(&length.to_le_bytes());
        self.out.extend_from_slice(part.as_bytes());
        if part.len() < text.len() {
            return None;
        }
        self.count(part.len() + 2)
    }

    fn count(&mut self, bytes: usize) -> Option<()> {
        self.left = self.left.checked_sub(bytes)?;
        Some(())
    }
}

/// Writes as `serde_json` does, up to a length.
struct Writer<'a> {
    out: &'a mut String,
    end: usize,
}

impl Writer<'_> {
    fn kept(&mut self, mut kept: &[u8]) -> fmt::Result {
        while let Some(at) = kept.iter().position(|byte| *byte == STRING) {
            let (plain, string) = kept.split_at(at);
            self.write_str(&String::from_utf8_lossy(plain))?;
            let (length, rest) = string[1..].split_first_chunk().ok_or(fmt::Error)?;
            let length = u32::from_le_bytes(*length) as usize;
            let (text, rest) = rest.split_at_checked(length).ok_or(fmt::Error)?;
            self.string(&String::from_utf8_lossy(text))?;
            kept = rest;
        }
        self.write_str(&String::from_utf8_lossy(kept))
    }

    fn string(&mut self, text: &str) -> fmt::Result {
        self.write_str("\"")?;
        let mut rest = text;
        while let Some(at) = rest.bytes().position(is_escaped) {
            let (plain, from) = rest.split_at(at);
            self.write_str(plain)?;
            match from.as_bytes()[0] {
                b'"' => self.write_str("\\\""),
                b'\\' => self.write_str("\\\\"),
                b'\n' => self.write_str("\\n"),
                b'\r' => self.write_str("\\r"),
                b'\t' => self.write_str("\\t"),
                0x08 => self.write_str("\\b"),
                0x0c => self.write_str("\\f"),
                byte => write!(self, "\\u{byte:04x}"),
            }?;
            rest = &from[1..];
        }
        self.write_str(rest)?;
        self.write_str("\"")
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Writes what fits; it is an error if that is not all.
impl fmt::Write for Writer<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.end - self.out.len();
        let part = &text[..text.floor_char_boundary(room)];
        self.out.push_str(part);
        if part.len() < text.len() {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn json_of(value: &Value, limit: usize) -> (String, bool) {
        let mut kept = Vec::new();
        let all = keep(&mut kept, value, limit);
        told(&kept, all, limit)
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
            "[\u{0}-\u{1f}\"\\\\é漢😀]*".prop_map(Value::from),
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
        fn what_fits_is_written_as_serde_json_writes_it(value in any_json()) {
            let expected = value.to_string();
            prop_assert_eq!(json_of(&value, expected.len()), (expected.clone(), true));
            prop_assert_eq!(json_of(&value, usize::MAX), (expected, true));
        }

        #[test]
        fn what_is_cut_is_never_over_the_limit_and_splits_no_character(value in any_json(), limit in 0_usize..200) {
            let all = value.to_string();
            let (text, whole) = json_of(&value, limit);
            prop_assert!(text.len() <= limit.max(MARK.len()));
            prop_assert_eq!(whole, all.len() <= limit);
            if !whole && limit >= MARK.len() {
                let kept = text.strip_suffix(MARK).unwrap();
                prop_assert!(all.starts_with(kept));
                // At most the mark is missing, and a character that would have been split.
                prop_assert!(kept.len() + MARK.len() + 3 >= limit);
            } else if !whole {
                prop_assert_eq!(text, MARK);
            }
        }

        #[test]
        fn a_text_is_cut_likewise(text in ".*", limit in 0_usize..100) {
            let mut out = Vec::new();
            push_text(&mut out, &text, limit);
            let out = String::from_utf8(out).unwrap();
            prop_assert!(out.len() <= limit.max(MARK.len()));
            if text.len() <= limit {
                prop_assert_eq!(out, text);
            } else {
                prop_assert!(out.ends_with(MARK));
            }
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        let args = json!({ "command": "echo ééééééééééééééé" });
        assert_eq!(
            json_of(&args, 35),
            (r#"{"command":"echo éé...[truncated]"#.into(), false)
        );
        for limit in 1..=MARK.len() {
            assert_eq!(json_of(&args, limit), (MARK.into(), false));
        }
    }

    #[test]
    fn no_more_is_kept_than_can_be_told() {
        let mut kept = Vec::new();
        let long = json!({ "a": [1, 2, 3], "content": "\n".repeat(1_000_000), "z": 1 });
        assert!(!keep(&mut kept, &long, 100));
        assert!(kept.len() < 200, "{}", kept.len());
        let (text, whole) = told(&kept, false, 100);
        assert!(!whole && text.len() == 100, "{text}");
    }

    #[test]
    fn what_is_deeper_than_json_is_read_is_cut_too() {
        let mut deep = json!(1);
        for _ in 0..200 {
            deep = json!([deep]);
        }
        let (text, whole) = json_of(&deep, usize::MAX);
        assert!(!whole && text.ends_with(MARK), "{text}");
    }
}
