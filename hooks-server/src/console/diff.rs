//! What differs, side by side.

use serde_json::Value;
use similar::TextDiff;

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

/// What a JSON Patch makes of a value, and what differs. Nothing if it changes nothing.
pub(super) fn changed(before: &Value, change: &Value) -> Option<(Value, Vec<Line>)> {
    let patch: json_patch::Patch = serde_json::from_value(change.clone()).ok()?;
    let mut after = before.clone();
    json_patch::patch(&mut after, &patch).ok()?;
    let lines = lines(&pretty(before), &pretty(&after));
    (after != *before).then_some((after, lines))
}

/// Compares two hooks as TOML, or as JSON if TOML cannot say them. A side without a hook has no lines.
pub(super) fn hooks(before: Option<&Value>, after: Option<&Value>) -> Vec<Line> {
    let text = |hook: &Value| convert::write(hook).unwrap_or_else(|_| pretty(hook));
    let [before, after] = [before, after].map(|hook| hook.map(text).unwrap_or_default());
    lines(&before, &after)
}

/// Compares two texts. Lines that take each other's place stand side by side.
fn lines(before: &str, after: &str) -> Vec<Line> {
    let diff = TextDiff::from_lines(before, after);
    let text = |line: &str| line.trim_end_matches('\n').to_owned();
    let mut lines = Vec::new();
    for op in diff.ops() {
        let (mut old, mut new) = (op.old_range(), op.new_range());
        for _ in 0..old.len().max(new.len()) {
            lines.push(Line {
                before: old.next().and_then(|line| diff.old_slice(line)).map(text),
                after: new.next().and_then(|line| diff.new_slice(line)).map(text),
            });
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
