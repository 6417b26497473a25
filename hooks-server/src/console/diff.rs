//! Two texts side by side.

use serde_json::Value;
use similar::{ChangeTag, TextDiff};

use crate::api::convert;

/// A line of two texts: what was there, and what is there now. A side is empty if its text has no such line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

impl Line {
    pub(super) fn is_same(&self) -> bool {
        self.before == self.after
    }
}

/// JSON for people.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Compares two values as JSON.
pub(super) fn between(before: &Value, after: &Value) -> Vec<Line> {
    lines(&pretty(before), &pretty(after))
}

/// Compares two hooks as TOML, or as JSON if TOML cannot say them. A side without a hook has no lines.
pub(super) fn hooks(before: Option<&Value>, after: Option<&Value>) -> Vec<Line> {
    let text = |hook: &Value| convert::write(hook).unwrap_or_else(|_| pretty(hook));
    let [before, after] = [before, after].map(|hook| hook.map(text).unwrap_or_default());
    lines(&before, &after)
}

/// Compares two texts, line by line. Lines that take each other's place stand side by side.
pub(super) fn lines(before: &str, after: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    // Where the lines begin that were removed last, and have nothing beside them yet.
    let mut open = 0;
    for change in TextDiff::from_lines(before, after).iter_all_changes() {
        let text = change.value().trim_end_matches('\n').to_owned();
        match change.tag() {
            ChangeTag::Equal => {
                lines.push(Line {
                    before: Some(text.clone()),
                    after: Some(text),
                });
                open = lines.len();
            }
            ChangeTag::Delete => lines.push(Line {
                before: Some(text),
                after: None,
            }),
            ChangeTag::Insert => match lines[open..].iter().position(|line| line.after.is_none()) {
                Some(beside) => lines[open + beside].after = Some(text),
                None => lines.push(Line {
                    before: None,
                    after: Some(text),
                }),
            },
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_take_each_others_place_stand_side_by_side() {
        let line = |before: &str, after: &str| {
            let side = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            Line {
                before: side(before),
                after: side(after),
            }
        };
        let told = lines("a\nb\nc\n", "a\nB\nc\nd\n");
        assert_eq!(
            told,
            [
                line("a", "a"),
                line("b", "B"),
                line("c", "c"),
                line("", "d")
            ]
        );
        assert!(told[0].is_same() && !told[1].is_same());
    }
}
