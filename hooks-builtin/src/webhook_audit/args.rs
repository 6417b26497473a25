//! The arguments of a call as JSON, of which no more is written than is kept.
//!
//! The agent waits while they are written, so that the work is bounded by the limit and not by the
//! arguments: a file that a model writes may have megabytes.

use std::fmt::{self, Write};

use serde_json::Value;

/// What stands at the end of a text that was cut.
pub(super) const MARK: &str = "...[truncated]";

/// As deep as JSON is read; what is deeper was not read, and is cut.
const DEEPEST: usize = 128;

/// Appends `value` as JSON, of `limit` bytes at most. Whether it is whole: else it is cut on a character boundary,
/// and [marked](MARK) within the limit.
pub(super) fn push_json(out: &mut String, value: &Value, limit: usize) -> bool {
    let start = out.len();
    let end = start.saturating_add(limit);
    let whole = Writer { out, end }.value(value, DEEPEST).is_ok();
    if !whole {
        mark(out, start, limit);
    }
    whole
}

/// Appends `text`, of `limit` bytes at most; what is longer is cut on a character boundary, and marked within the
/// limit.
pub(super) fn push_text(out: &mut String, text: &str, limit: usize) {
    let start = out.len();
    let part = &text[..text.floor_char_boundary(limit)];
    out.push_str(part);
    if part.len() < text.len() {
        mark(out, start, limit);
    }
}

/// Puts the mark at the end of what stands from `start` on, in the place of what would be over the limit.
fn mark(out: &mut String, start: usize, limit: usize) {
    let mark = &MARK[..MARK.len().min(limit)];
    let longest = start.saturating_add(limit - mark.len());
    out.truncate(out.floor_char_boundary(longest));
    out.push_str(mark);
}

/// Writes as `serde_json` does, up to a length.
struct Writer<'a> {
    out: &'a mut String,
    end: usize,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, deeper: usize) -> fmt::Result {
        match value {
            Value::Null => self.write_str("null"),
            Value::Bool(true) => self.write_str("true"),
            Value::Bool(false) => self.write_str("false"),
            Value::Number(number) => write!(self, "{number}"),
            Value::String(text) => self.string(text),
            Value::Array(values) => {
                let deeper = deeper.checked_sub(1).ok_or(fmt::Error)?;
                self.write_str("[")?;
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        self.write_str(",")?;
                    }
                    self.value(value, deeper)?;
                }
                self.write_str("]")
            }
            Value::Object(fields) => {
                let deeper = deeper.checked_sub(1).ok_or(fmt::Error)?;
                self.write_str("{")?;
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        self.write_str(",")?;
                    }
                    self.string(key)?;
                    self.write_str(":")?;
                    self.value(value, deeper)?;
                }
                self.write_str("}")
            }
        }
    }

    fn string(&mut self, text: &str) -> fmt::Result {
        self.write_str("\"")?;
        // What does not fit is not even looked at.
        let room = self.end - self.out.len();
        let part = &text[..text.floor_char_boundary(room)];
        let mut rest = part;
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
        if part.len() < text.len() {
            return Err(fmt::Error);
        }
        self.write_str("\"")
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Writes what fits; it is an error if that is not all.
impl Write for Writer<'_> {
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
        let mut out = String::from("before");
        let whole = push_json(&mut out, value, limit);
        (out.strip_prefix("before").unwrap().to_owned(), whole)
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
            prop_assert!(text.len() <= limit);
            prop_assert_eq!(whole, all.len() <= limit);
            if !whole && limit >= MARK.len() {
                let kept = text.strip_suffix(MARK).unwrap();
                prop_assert!(all.starts_with(kept));
                // No more is missing than the mark, and a character that would have been split.
                prop_assert!(kept.len() + MARK.len() + 3 >= limit);
            } else if !whole {
                prop_assert_eq!(&*text, &MARK[..limit]);
            }
        }

        #[test]
        fn a_text_is_cut_likewise(text in ".*", limit in 0_usize..100) {
            let mut out = String::from("é");
            push_text(&mut out, &text, limit);
            let out = out.strip_prefix('é').unwrap();
            prop_assert!(out.len() <= limit);
            if text.len() <= limit {
                prop_assert_eq!(out, text);
            } else {
                prop_assert!(out.ends_with(&MARK[..MARK.len().min(limit)]));
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
