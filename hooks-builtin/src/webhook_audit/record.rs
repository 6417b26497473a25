//! One call, as it is queued and as it is posted.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use hooks_core::agent::ToolCallEnd;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use super::args;

/// How many bytes of a failed call's output are posted.
const MAX_ERROR_BYTES: usize = 4096;

/// The record of a call until it is posted: one allocation, and no work that can be done later.
#[derive(Debug)]
pub(super) struct Record {
    at: SystemTime,
    duration: Duration,
    /// The tool's name, the error and the arguments, one after the other.
    text: Vec<u8>,
    error_at: usize,
    args_at: usize,
    failed: bool,
    args: Option<Args>,
}

/// How the arguments are reported.
#[derive(Clone, Copy, Debug)]
struct Args {
    /// Whether the record has all of them.
    all: bool,
    limit: usize,
}

impl Record {
    /// Records a call that has ended, with at most that many bytes of its arguments.
    pub(super) fn of(done: &ToolCallEnd<'_>, args_limit: Option<usize>) -> Self {
        let error = if done.output.is_error {
            &*done.output.content
        } else {
            ""
        };
        let room = args_limit.map_or(0, |limit| args::size_hint(done.args, limit));
        let error_room = error.len().min(MAX_ERROR_BYTES);
        let mut text = Vec::with_capacity(done.name.len() + error_room + room);
        text.extend_from_slice(done.name.as_bytes());
        let error_at = text.len();
        args::push_text(&mut text, error, MAX_ERROR_BYTES);
        let args_at = text.len();
        let args = args_limit.map(|limit| Args {
            all: args::keep(&mut text, done.args, limit),
            limit,
        });
        Record {
            at: SystemTime::now(),
            duration: done.duration,
            text,
            error_at,
            args_at,
            failed: done.output.is_error,
            args,
        }
    }

    /// Returns how many bytes of memory the record takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.text.capacity()
    }

    /// Returns the JSON to post.
    pub(super) fn body(&self) -> serde_json::Result<Vec<u8>> {
        #[derive(Serialize)]
        struct Body<'a> {
            event: &'static str,
            timestamp: String,
            tool: &'a str,
            success: bool,
            duration_ms: u64,
            error: Option<Cow<'a, str>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            args: Option<Told<'a>>,
        }

        #[derive(Serialize)]
        #[serde(untagged)]
        enum Told<'a> {
            Whole(&'a RawValue),
            Cut(&'a str),
        }

        let (name, rest) = self.text.split_at(self.error_at);
        let (error, kept) = rest.split_at(self.args_at - self.error_at);
        let args = self.args.map(|args| args::told(kept, args.all, args.limit));
        serde_json::to_vec(&Body {
            event: "tool_call",
            timestamp: format!("{:.0}", Timestamp::try_from(self.at).unwrap_or_default()),
            tool: &String::from_utf8_lossy(name),
            success: !self.failed,
            duration_ms: u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            error: self.failed.then(|| String::from_utf8_lossy(error)),
            args: match &args {
                None => None,
                Some((text, true)) => Some(Told::Whole(serde_json::from_str(text)?)),
                Some((text, false)) => Some(Told::Cut(text)),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{ToolOutcome, ToolOutput};
    use serde_json::{Value, json};

    use super::*;

    fn told(name: &str, args: &Value, output: &ToolOutput, limit: Option<usize>) -> String {
        let mut record = Record::of(
            &ToolCallEnd {
                id: "1",
                name,
                args,
                output,
                duration: Duration::from_micros(42_900),
                outcome: ToolOutcome::Ran,
            },
            limit,
        );
        record.at = SystemTime::UNIX_EPOCH + Duration::from_millis(1_774_173_600_999);
        String::from_utf8(record.body().unwrap()).unwrap()
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
            error.len() <= MAX_ERROR_BYTES && error.ends_with(args::MARK),
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
