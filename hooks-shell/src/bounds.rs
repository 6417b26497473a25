//! Limits the cost of an analysis. One counter serves parsing and evaluation, so that no script can harm its judge.

use std::ops::Range;

use crate::rejected::{RejectReason, Rejected};

/// The maximum length of a script, in bytes.
pub(crate) const LONGEST: usize = 64 * 1024;
/// The maximum nesting depth of commands, substitutions, calls and scripts within scripts.
pub(crate) const DEEPEST: usize = 24;
/// The maximum number of steps. A step takes some 25 ns: parsing a byte is one, a word takes some, a command some
/// dozens.
pub(crate) const MOST_STEPS: usize = 640_000;

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
            return Err(Rejected::new(RejectReason::TooMuch, span.clone()));
        }
        Ok(())
    }

    /// Goes one level deeper; [`leave`](Self::leave) returns.
    pub(crate) fn enter(&mut self, span: &Range<usize>) -> Result<(), Rejected> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Rejected::new(RejectReason::TooDeep, span.clone()));
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }
}
