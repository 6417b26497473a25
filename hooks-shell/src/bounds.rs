//! Limits the cost of an analysis. One counter serves parsing and evaluation, so that no script can harm its judge.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use foldhash::HashMap;

/// The maximum length of a script, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;
/// The maximum nesting depth of commands, substitutions, calls and scripts within scripts.
pub(crate) const DEEPEST: usize = 24;
/// The maximum number of steps. A step takes some 25 ns: parsing a byte is one, a word takes some, a command some
/// dozens.
pub(crate) const MOST_STEPS: usize = 640_000;

/// Why a script is rejected, and where.
///
/// ```
/// let rejected = hooks_shell::Script::parse("ls; coproc cat").unwrap_err();
/// assert_eq!(rejected.span(), 4..10);
/// assert_eq!(rejected.to_string(), "`coproc` is not supported: it runs a program beside the script");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    reason: String,
    span: Range<usize>,
}

impl Rejected {
    pub(crate) fn new(reason: impl Into<String>, span: Range<usize>) -> Self {
        Rejected {
            reason: reason.into(),
            span,
        }
    }

    /// Returns the same error, with its place extended to character boundaries of the text.
    pub(crate) fn within(mut self, text: &str) -> Self {
        let end = text.ceil_char_boundary(self.span.end);
        self.span = text.floor_char_boundary(self.span.start.min(end))..end;
        self
    }

    /// Returns what is wrong, and what to write instead.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the place in the script, in bytes.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Rejected {}

/// The lines of `rejections.txt`: the reasons by their names.
pub(crate) static REASONS: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let lines = include_str!("rejections.txt").lines();
    let reasons = lines.filter(|line| !line.starts_with('#'));
    reasons.filter_map(|line| line.split_once(" : ")).collect()
});

/// Creates an error with a reason of the table, which may name something.
pub(crate) fn rejected(name: &str, what: &str, span: Range<usize>) -> Rejected {
    let reason = REASONS.get(name).copied().unwrap_or(name);
    Rejected::new(reason.replace("{}", what), span)
}

/// The steps so far, and the current depth.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) steps: usize,
    depth: usize,
}

impl Work {
    /// Continues after that many steps.
    pub(crate) fn after(steps: usize) -> Self {
        Work { steps, depth: 0 }
    }

    /// Takes that many steps, if as many are left.
    pub(crate) fn spend(&mut self, steps: usize, span: &Range<usize>) -> Result<(), Rejected> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MOST_STEPS {
            return Err(rejected("too much", "", span.clone()));
        }
        Ok(())
    }

    /// Goes one level deeper; [`leave`](Self::leave) returns.
    pub(crate) fn enter(&mut self, span: &Range<usize>) -> Result<(), Rejected> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(rejected("too deep", "", span.clone()));
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::REASONS;

    #[test]
    fn every_reason_is_used_and_every_name_has_one() {
        let source = [
            include_str!("cursor.rs"),
            include_str!("parse.rs"),
            include_str!("words.rs"),
            include_str!("braces.rs"),
            include_str!("bounds.rs")
                .split("#[cfg(test)]")
                .next()
                .unwrap_or_default(),
        ]
        .concat();
        let names: HashSet<&str> = REASONS
            .keys()
            .copied()
            .filter(|name| name.contains(' '))
            .collect();
        for name in &names {
            assert!(source.contains(&format!("\"{name}\"")), "{name}");
        }
        let calls = ["reject(", "reject_as(", "rejected("];
        for call in calls.iter().flat_map(|call| source.split(call).skip(1)) {
            let arguments = call.split(')').next().unwrap_or_default();
            let Some(name) = arguments
                .split('"')
                .nth(1)
                .filter(|name| name.contains(' '))
            else {
                continue;
            };
            assert!(names.contains(name), "{name}");
        }
    }
}
