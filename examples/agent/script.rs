//! The model: a script, one answer a line.
//!
//! ```json
//! {"user": "Make a greeting."}
//! {"say": "First I look around.", "tool": "list", "args": {"path": "."}}
//! {"tool": "shell", "args": {"command": "ls"}}
//! {"say": "It is done."}
//! ```
//!
//! A line with a `tool` is an answer that calls it; one that only says something is the model's last word
//! in the turn; `user` is what the user says next, and starts a new turn.

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::fs::File;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};

/// The script that is run when none is given.
const BUILT_IN: &str = include_str!("script.jsonl");

/// What a line of a script says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line {
    User(String),
    Answer(Answer),
}

/// What the model answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) say: String,
    /// The tool, and its arguments.
    pub(crate) call: Option<(String, Value)>,
}

/// A line, and its number, from 1; or what is wrong with it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbered {
    pub(crate) number: usize,
    pub(crate) line: Result<Line, String>,
}

/// A script, read as far as the agent has come.
pub(crate) struct Script {
    lines: Box<dyn AsyncBufRead + Unpin>,
    number: usize,
}

impl Script {
    pub(crate) fn built_in() -> Self {
        Script::new(BUILT_IN.as_bytes())
    }

    pub(crate) fn stdin() -> Self {
        Script::new(BufReader::new(tokio::io::stdin()))
    }

    pub(crate) async fn open(path: &Path) -> io::Result<Self> {
        Ok(Script::new(BufReader::new(File::open(path).await?)))
    }

    pub(crate) fn new(lines: impl AsyncBufRead + Unpin + 'static) -> Self {
        Script {
            lines: Box::new(lines),
            number: 0,
        }
    }

    /// The next line that is not blank. A malformed one does not end the script.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Numbered>> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            if self.lines.read_until(b'\n', &mut bytes).await? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let text = bytes.trim_ascii_end();
            if !text.is_empty() {
                return Ok(Some(Numbered {
                    number: self.number,
                    line: parse(text),
                }));
            }
        }
    }
}

/// The fields that a line may have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    user: Option<String>,
    say: Option<String>,
    tool: Option<String>,
    args: Option<Value>,
}

fn parse(line: &[u8]) -> Result<Line, String> {
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        // The number that the user needs is that of the line in the script; serde's is always 1.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let text = error.to_string();
        match text.strip_suffix(&place) {
            Some(what) => format!("{what} at column {}", error.column()),
            None => text,
        }
    })?;
    if !value.is_object() {
        return Err(
            r#"not an object, such as {"tool": "shell", "args": {"command": "ls"}}"#.into(),
        );
    }
    match Fields::deserialize(value).map_err(|error| error.to_string())? {
        Fields {
            user: Some(message),
            say: None,
            tool: None,
            args: None,
        } => Ok(Line::User(message)),
        Fields { user: Some(_), .. } => Err("`user` goes alone".into()),
        Fields {
            tool: None,
            args: Some(_),
            ..
        } => Err("`args` without a `tool`".into()),
        Fields {
            say: None,
            tool: None,
            ..
        } => Err("one of `user`, `say` and `tool` is needed".into()),
        Fields {
            say, tool, args, ..
        } => Ok(Line::Answer(Answer {
            say: say.unwrap_or_default(),
            call: tool.map(|tool| (tool, args.unwrap_or_else(|| Map::new().into()))),
        })),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(say: &str, call: Option<(&str, Value)>) -> Line {
        Line::Answer(Answer {
            say: say.into(),
            call: call.map(|(tool, args)| (tool.into(), args)),
        })
    }

    #[test]
    fn a_line_is_a_message_or_an_answer() {
        for (line, meaning) in [
            (r#"{"user":"Hi"}"#, Line::User("Hi".into())),
            (r#"{"say":"Done."}"#, answer("Done.", None)),
            (r#"{"tool":"list"}"#, answer("", Some(("list", json!({}))))),
            (
                r#"{"say":"So.","tool":"read","args":{"path":"a"}}"#,
                answer("So.", Some(("read", json!({"path": "a"})))),
            ),
        ] {
            assert_eq!(parse(line.as_bytes()), Ok(meaning), "{line}");
        }
    }

    #[test]
    fn a_malformed_line_says_what_is_wrong() {
        for (line, wrong) in [
            (
                &b"{\"tool\": \"shell\""[..],
                "EOF while parsing an object at column 16",
            ),
            (b"{\"say\": \"\xff\"}", "invalid unicode code point"),
            (b"[\"shell\"]", "not an object"),
            (
                b"{\"tool\": 7}",
                "invalid type: integer `7`, expected a string",
            ),
            (b"{\"tol\": \"shell\"}", "unknown field `tol`"),
            (b"{\"args\": {}}", "`args` without a `tool`"),
            (
                b"{\"user\": \"Hi\", \"tool\": \"list\"}",
                "`user` goes alone",
            ),
            (b"{}", "one of `user`, `say` and `tool`"),
        ] {
            let error = parse(line).expect_err("the line is malformed");
            assert!(
                error.contains(wrong),
                "{error:?} does not contain {wrong:?}"
            );
        }
    }

    #[tokio::test]
    async fn blank_lines_count_but_say_nothing() {
        let mut script =
            Script::new(&b"\n  \n{\"say\":\"Hi\"}\nnonsense\n\n{\"user\":\"Bye\"}"[..]);
        let mut read = Vec::new();
        while let Some(Numbered { number, line }) = script.next().await.expect("memory reads") {
            read.push((number, line.is_ok()));
        }
        assert_eq!(read, [(3, true), (4, false), (6, true)]);
    }
}
