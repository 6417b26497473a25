//! The second round of a dispatch: guards judge again what hooks have changed, so what was judged is what runs.
//!
//! A guard judges the event in its place. If a hook changes the event, all guards judge it once more at the end. The
//! second round is the same hooks with another watch, which admits only guards.

use super::watch::{Did, Shows, Watch};
use crate::event::Vocabulary;

/// How far a dispatch with guards has come.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Round {
    /// A hook may have changed the event in this round.
    has_changed: bool,
    /// Only guards run.
    judges: bool,
}

impl Round {
    /// A round in which only guards run.
    #[cfg(feature = "agent")]
    pub(crate) const JUDGES: Self = Round {
        has_changed: false,
        judges: true,
    };

    /// Whether only guards run.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) const fn judges(self) -> bool {
        self.judges
    }

    /// A hook has run.
    #[inline(always)]
    pub(crate) fn did(&mut self, did: Did<'_>) {
        self.has_changed |= did.changed;
    }

    /// Whether no round follows. If one does, only guards run in it.
    pub(crate) fn is_last(&mut self) -> bool {
        let is_last = self.judges || !self.has_changed;
        self.judges = true;
        is_last
    }
}

/// The watch of a dispatch with guards.
#[derive(Debug)]
pub(crate) enum GuardWatch {}

impl<V: Vocabulary> Watch<V> for GuardWatch {
    type Held<'a> = &'a mut Round;
    type Shared<'a> = ();
    type Token = ();

    #[inline(always)]
    fn lend<'l>(round: &'l mut Self::Held<'_>) -> &'l mut Round {
        round
    }

    #[inline(always)]
    fn share(_: &&mut Round) {}

    #[inline(always)]
    fn reshare((): &()) {}

    #[inline(always)]
    fn admits(round: &&mut Round, is_guard: bool) -> bool {
        is_guard || !round.judges
    }

    #[inline(always)]
    fn after(round: &mut Self::Held<'_>, did: Did<'_>, _: &dyn Shows<V>) {
        round.did(did);
    }

    #[inline(always)]
    fn after_shared((): (), _: Did<'_>, _: &dyn Shows<V>) {}
}
