//! Writes one tool call as the audit event that is posted.

use std::io;

use hooks_core::agent::ToolCallEnd;
use jiff::Timestamp;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::shared::sink::write_object;

/// How many bytes of a failed call's output are posted.
const MAX_ERROR_BYTES: usize = 4096;

/// The end of a text that was cut.
const MARK: &str = "...[truncated]";

#[derive(Serialize)]
struct Body<'a> {
    event: &'static str,
    #[serde(serialize_with = "seconds")]
    timestamp: Timestamp,
    tool: &'a str,
    success: bool,
    duration_ms: u64,
    error: Option<String>,
}

/// Adds the JSON to post, with at most that many bytes of the arguments. After an error, a part of it may have been
/// added.
pub(super) fn write(
    out: &mut Vec<u8>,
    done: &ToolCallEnd<'_>,
    args_limit: Option<usize>,
    timestamp: Timestamp,
) -> serde_json::Result<()> {
    let failed = done.output.is_error;
    let body = Body {
        event: "tool_call",
        timestamp,
        tool: done.name,
        success: !failed,
        duration_ms: u64::try_from(done.duration.as_millis()).unwrap_or(u64::MAX),
        error: failed.then(|| match &*done.output.content {
            text if text.len() <= MAX_ERROR_BYTES => text.to_owned(),
            text => marked(text, MAX_ERROR_BYTES),
        }),
    };
    match args_limit {
        None => serde_json::to_writer(out, &body),
        Some(limit) => write_object(out, &body, "args", |out| write_args(out, done.args, limit)),
    }
}

/// Adds the arguments. If their JSON is longer than the limit, adds the beginning of it as a string instead.
fn write_args(out: &mut Vec<u8>, args: &Value, limit: usize) -> serde_json::Result<()> {
    let start = out.len();
    let most = start.saturating_add(limit);
    if serde_json::to_writer(Limited { out, most }, args).is_ok() {
        return Ok(());
    }
    // A character at the end may have been split, and it is cut anyway.
    let text = String::from_utf8_lossy(&out[start..]).into_owned();
    out.truncate(start);
    serde_json::to_writer(out, &marked(&text, limit))
}

/// Cuts a text on a character boundary, and marks that within the limit. The mark is always complete, even if the limit
/// is shorter.
fn marked(text: &str, limit: usize) -> String {
    let end = text.floor_char_boundary(limit.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..end])
}

fn seconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{time:.0}"))
}

/// Writes up to a length: a file that a model writes may have megabytes. It is an error if that is not all.
struct Limited<'a> {
    out: &'a mut Vec<u8>,
    most: usize,
}

impl io::Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let part = &bytes[..bytes.len().min(self.most - self.out.len())];
        self.out.extend_from_slice(part);
        // Nothing of what does not fit: that is an error.
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hooks_core::agent::{ToolAnnotations, ToolOutcome, ToolOutput};
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn told(name: &str, args: &Value, output: &ToolOutput, limit: Option<usize>) -> String {
        let done = ToolCallEnd {
            id: "1",
            name,
            args,
            annotations: ToolAnnotations::default(),
            output,
            duration: Duration::from_micros(42_900),
            outcome: ToolOutcome::Ran,
        };
        let at = Timestamp::from_millisecond(1_774_173_600_999).unwrap();
        let mut out = Vec::new();
        write(&mut out, &done, limit, at).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What is sent of the arguments, and whether that is all of them.
    fn told_of_args(args: &Value, limit: usize) -> (String, bool) {
        let mut out = Vec::new();
        write_args(&mut out, args, limit).unwrap();
        let told: Value = serde_json::from_slice(&out).unwrap();
        match told {
            Value::String(text) if text.ends_with(MARK) => (text, false),
            _ => (String::from_utf8(out).unwrap(), true),
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
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
        fn what_fits_is_whole_and_what_is_cut_splits_no_character(args in any_json(), limit in 0_usize..200) {
            let all = args.to_string();
            let (text, whole) = told_of_args(&args, limit);
            prop_assert_eq!(whole, all.len() <= limit);
            if whole {
                prop_assert_eq!(text, all);
            } else {
                prop_assert!(text.len() <= limit.max(MARK.len()));
                let kept = text.strip_suffix(MARK).unwrap();
                prop_assert!(all.starts_with(kept));
                // At most the mark is missing, and a character that would have been split.
                prop_assert!(kept.len() + MARK.len() + 3 >= limit);
            }
        }
    }

    #[test]
    fn no_more_is_serialized_than_is_told() {
        let mut out = Vec::new();
        let long = json!({ "a": [1, 2, 3], "content": "x".repeat(1_000_000), "z": 1 });
        write_args(&mut out, &long, 100).unwrap();
        assert!(out.capacity() < 1000, "{}", out.capacity());
    }

    #[test]
    fn an_event_has_the_fields_of_the_seed() {
        let args = json!({ "command": "ls" });
        let good = ToolOutput::new("3 files");
        assert_eq!(
            told("shell", &args, &good, Some(4096)),
            r#"{"event":"tool_call","timestamp":"2026-03-22T10:00:00Z","tool":"shell","success":true,"duration_ms":42,"error":null,"args":{"command":"ls"}}"#
        );
        assert_eq!(
            told("shell", &args, &good, None),
            r#"{"event":"tool_call","timestamp":"2026-03-22T10:00:00Z","tool":"shell","success":true,"duration_ms":42,"error":null}"#
        );
    }

    #[test]
    fn the_error_is_the_output_of_a_call_that_failed_and_is_cut() {
        let read = |output| -> Value {
            serde_json::from_str(&told("t", &json!({}), &output, None)).unwrap()
        };
        let body = read(ToolOutput::error("no \"such\" file"));
        assert_eq!(
            (&body["success"], &body["error"]),
            (&json!(false), &json!("no \"such\" file"))
        );
        assert_eq!(read(ToolOutput::error(""))["error"], json!(""));

        let body = read(ToolOutput::error("é".repeat(5000)));
        let error = body["error"].as_str().unwrap();
        assert!(
            error.len() <= MAX_ERROR_BYTES && error.ends_with(MARK),
            "{error}"
        );
    }

    #[test]
    fn arguments_that_are_cut_are_a_string() {
        let args = json!({ "content": "x".repeat(100) });
        let body = told("write", &args, &ToolOutput::new(""), Some(30));
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body["args"], json!(r#"{"content":"xxxx...[truncated]"#));
    }

    #[test]
    fn any_name_and_any_argument_is_valid_json() {
        for args in [
            json!(null),
            json!("\u{0}\"\\\u{7f}\u{2028}"),
            json!([1.5e300, -0.0]),
            json!({ "\n": {} }),
        ] {
            let body = told("a\"b\n", &args, &ToolOutput::new(""), Some(usize::MAX));
            let body: Value = serde_json::from_str(&body).unwrap();
            assert_eq!((&body["tool"], &body["args"]), (&json!("a\"b\n"), &args));
        }
    }
}
