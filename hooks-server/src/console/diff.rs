//! Compares two texts by their lines, and shows them side by side.

use serde_json::Value;
use similar::{DiffTag, TextDiff};

use crate::api::convert;

/// A line of two texts: what was there, and what is there now. A side is empty if its text has no such line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DiffLine {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    is_same: bool,
}

impl DiffLine {
    pub(super) fn is_same(&self) -> bool {
        self.is_same
    }
}

/// How many lines that are the same show around what differs, and what shows in the place of more.
const AROUND: usize = 3;
const MORE: &str = "⋯";

/// JSON for people.
pub(super) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// What a JSON Patch makes of a value, and what differs. Nothing if it changes nothing.
pub(super) fn changed(before: &Value, change: &Value) -> Option<(Value, Vec<DiffLine>)> {
    let patch: json_patch::Patch = serde_json::from_value(change.clone()).ok()?;
    let mut after = before.clone();
    json_patch::patch(&mut after, &patch).ok()?;
    let lines = lines(&pretty(before), &pretty(&after), &[',']);
    (after != *before).then_some((after, lines))
}

/// Compares two hooks as TOML, or as JSON if TOML cannot say them. A side without a hook has no lines.
pub(super) fn hooks(before: Option<&Value>, after: Option<&Value>) -> Vec<DiffLine> {
    let text = |hook: &Value| convert::write(hook).unwrap_or_else(|_| pretty(hook));
    let [before, after] = [before, after].map(|hook| hook.map(text).unwrap_or_default());
    lines(&before, &after, &[])
}

/// Compares two texts, without what may end their lines. Lines that take each other's place stand side by side.
fn lines(before: &str, after: &str, ends: &[char]) -> Vec<DiffLine> {
    let [before, after] = [before, after].map(|text| text.lines().collect::<Vec<_>>());
    let [old, new] = [&before, &after].map(|side| {
        let lines = side.iter().map(|line| line.trim_end_matches(ends));
        lines.collect::<Vec<_>>()
    });
    let diff = TextDiff::from_slices(&old, &new);
    let mut groups = diff.grouped_ops(AROUND);
    if groups.is_empty() {
        groups.push(diff.ops().to_vec());
    }
    let line = |before: Option<&&str>, after: Option<&&str>, is_same| DiffLine {
        before: before.map(|&line| line.to_owned()),
        after: after.map(|&line| line.to_owned()),
        is_same,
    };
    let mut lines = Vec::new();
    for group in groups {
        if !lines.is_empty() {
            lines.push(line(Some(&MORE), Some(&MORE), true));
        }
        for op in group {
            let (mut old, mut new) = (op.old_range(), op.new_range());
            for _ in 0..old.len().max(new.len()) {
                let before = old.next().and_then(|at| before.get(at));
                let after = new.next().and_then(|at| after.get(at));
                lines.push(line(before, after, op.tag() == DiffTag::Equal));
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(before: &str, after: &str, ends: &[char]) -> String {
        let side = |line: Option<String>| line.unwrap_or("-".to_owned());
        let told = lines(before, after, ends).into_iter().map(|line| {
            let sign = if line.is_same() { '=' } else { '!' };
            format!("{}{sign}{} ", side(line.before), side(line.after))
        });
        told.collect()
    }

    #[test]
    fn lines_that_take_each_others_place_stand_side_by_side() {
        let all = told("a\nb\nc\n", "a\nB\nc\nd\n", &[]);
        assert_eq!(all, "a=a b!B c=c -!d ");
        assert_eq!(told("a", "a", &[]), "a=a ");
    }

    #[test]
    fn a_comma_behind_a_value_of_json_is_no_change() {
        let value = |text| serde_json::from_str(text).unwrap();
        let add = value(r#"[{ "op": "add", "path": "/b", "value": 2 }]"#);
        let (_, lines) = changed(&value(r#"{ "a": 1 }"#), &add).unwrap();
        let differing = lines.iter().filter(|line| !line.is_same());
        let differing: Vec<_> = differing.map(|line| line.after.as_deref()).collect();
        assert_eq!(differing, [Some("  \"b\": 2")]);
        assert_eq!(told("a,", "a", &[]), "a,!a ");
    }

    #[test]
    fn far_from_what_differs_nothing_shows() {
        let text = |last: &str| format!("{}{last}", "x\n".repeat(9));
        assert_eq!(told(&text("a"), &text("b"), &[]), "x=x x=x x=x a!b ");
        let both = |end: &str| format!("{end}\n{}", text(end));
        let all = told(&both("a"), &both("b"), &[]);
        assert_eq!(all, "a!b x=x x=x x=x ⋯=⋯ x=x x=x x=x a!b ");
    }
}
