//! What a hook says about any event, for code that does not know which event it is.

use super::{Cancel, Scope};

/// What one hook has said about an event, or what all hooks have ended with: a [`Probe`](crate::probe::Probe) gets it.
///
/// ```
/// use hooks_core::{AnyAction, Cancel, Scope};
///
/// let cancel = Cancel { hook: "no_shell".into(), reason: "no shell here".into(), scope: Scope::Turn };
/// assert_eq!(AnyAction::Cancel(&cancel).word(), "abort_turn");
/// assert_eq!(AnyAction::Continue.word(), "continue");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnyAction<'a> {
    /// The event continues, as it is. The only value for an observed event.
    Continue,
    /// The hook has changed the event, and it continues.
    Modify,
    /// The hook has answered instead of the agent.
    Respond,
    /// The hook has blocked the event, or aborted the turn or the run.
    Cancel(&'a Cancel),
}

impl AnyAction<'_> {
    /// The action as a word, as in the records of all five systems: `continue`, `modify`, `respond`, `block`,
    /// `abort_turn` or `abort_run`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            AnyAction::Continue => "continue",
            AnyAction::Modify => "modify",
            AnyAction::Respond => "respond",
            AnyAction::Cancel(cancel) => match cancel.scope {
                Scope::Event => "block",
                Scope::Turn => "abort_turn",
                Scope::Run => "abort_run",
            },
        }
    }
}
