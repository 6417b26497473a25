//! Compares two texts by their lines, and shows them side by side.

use diffy::Line;
use serde_json::Value;

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

/// What shows in the place of lines that are the same, but for three around what differs.
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
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    });
    let line = |before: Option<&&str>, after: Option<&&str>, is_same| DiffLine {
        before: before.map(|&line| line.to_owned()),
        after: after.map(|&line| line.to_owned()),
        is_same,
    };
    let both = |(before, after)| line(Some(before), Some(after), true);
    let patch = diffy::create_patch(&old, &new);
    if patch.hunks().is_empty() {
        return before.iter().zip(&after).map(both).collect();
    }
    let mut lines = Vec::new();
    for hunk in patch.hunks() {
        if !lines.is_empty() {
            lines.push(both((&MORE, &MORE)));
        }
        // A hunk counts from 1, or from 0 on a side without lines.
        let mut old = before
            .iter()
            .skip(hunk.old_range().start().saturating_sub(1));
        let mut new = after
            .iter()
            .skip(hunk.new_range().start().saturating_sub(1));
        for changed in hunk.lines().chunk_by(|a, b| is_kept(a) == is_kept(b)) {
            let is_same = changed.first().is_some_and(is_kept);
            let count = |is_in: fn(&Line<'_, str>) -> bool| {
                changed.iter().filter(|line| is_in(line)).count()
            };
            let gone = count(|line| !matches!(line, Line::Insert(_)));
            let come = count(|line| !matches!(line, Line::Delete(_)));
            let (mut gone, mut come) = (old.by_ref().take(gone), new.by_ref().take(come));
            for _ in 0..gone.len().max(come.len()) {
                lines.push(line(gone.next(), come.next(), is_same));
            }
        }
    }
    lines
}

fn is_kept(line: &Line<'_, str>) -> bool {
    matches!(line, Line::Context(_))
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
        assert_eq!(told("", "a\nb", &[]), "-!a -!b ");
        assert_eq!(told("a", "", &[]), "a!- ");
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
