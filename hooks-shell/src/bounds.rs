//! What an analysis may cost. One counter serves parsing and evaluation, so that no script can hurt its judge.

use std::fmt;
use std::ops::Range;

/// The longest script that is looked at, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;
/// How deep commands, substitutions, calls and scripts within scripts may be nested.
pub(crate) const DEEPEST: usize = 24;
/// How many steps there may be. A step takes some 25 ns: a byte parsed is one, a word some, a command some dozens.
pub(crate) const MOST_STEPS: usize = 640_000;

/// Why a script is not looked at, and where.
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

    /// What is wrong, and what to write instead.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Where it stands in the script, in bytes.
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

/// The steps that were made, and the depth that was reached.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub(crate) steps: usize,
    depth: usize,
}

impl Work {
    /// Goes on after so many steps.
    pub(crate) fn after(steps: usize) -> Self {
        Work { steps, depth: 0 }
    }

    /// Makes so many steps, if there are as many left.
    pub(crate) fn spend(&mut self, steps: usize, span: &Range<usize>) -> Result<(), Rejected> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps > MOST_STEPS {
            let reason = "the command is too much to look at: put it into smaller ones";
            return Err(Rejected::new(reason, span.clone()));
        }
        Ok(())
    }

    /// Goes one level deeper; [`leave`](Self::leave) comes back.
    pub(crate) fn enter(&mut self, span: &Range<usize>) -> Result<(), Rejected> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let reason = "the command is nested too deep: write it flat";
            return Err(Rejected::new(reason, span.clone()));
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
