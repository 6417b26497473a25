//! A regular expression as Rust: a text with anchors is a comparison.

use std::fmt::Write as _;

use regex_syntax::hir::{Hir, HirKind, Look};

/// Code for whether an expression is found in a text.
pub(super) fn test(pattern: &str, text: &str, statics: &mut String, prefix: &str) -> String {
    if let Some((start, literal, end)) = literal(pattern) {
        return match (start, end) {
            (true, true) => format!("({text} == {literal:?})"),
            (true, false) => format!("{text}.starts_with({literal:?})"),
            (false, true) => format!("{text}.ends_with({literal:?})"),
            (false, false) => format!("{text}.contains({literal:?})"),
        };
    }
    let known = format!("__rt::Regex::new({pattern:?})");
    // One that is there already is not made again.
    let nth = statics.lines().position(|line| line.contains(&known));
    let nth = nth.unwrap_or_else(|| {
        let nth = statics.lines().count();
        // Writing to a string cannot fail. The expression has been checked.
        let _ = writeln!(
            statics,
            "static {prefix}X{nth}: __rt::LazyLock<__rt::Regex> = __rt::LazyLock::new(|| {known}.expect(\"the pattern is checked\"));"
        );
        nth
    });
    format!("{prefix}X{nth}.is_match({text})")
}

/// The text that an expression is, and whether that begins and ends what is searched.
fn literal(pattern: &str) -> Option<(bool, String, bool)> {
    let hir = regex_syntax::parse(pattern).ok()?;
    let parts: &[Hir] = match hir.kind() {
        HirKind::Concat(parts) => parts,
        _ => std::slice::from_ref(&hir),
    };
    let is =
        |part: Option<&Hir>, look| part.is_some_and(|part| *part.kind() == HirKind::Look(look));
    let start = is(parts.first(), Look::Start);
    let end = is(parts.last(), Look::End);
    let inner = parts.get(usize::from(start)..parts.len() - usize::from(end))?;
    let [inner] = inner else { return None };
    let HirKind::Literal(literal) = inner.kind() else {
        return None;
    };
    let text = String::from_utf8(literal.0.to_vec()).ok()?;
    Some((start, text, end))
}
