//! The actions of rules: block, change, answer, approve.

use crate::template::{Pattern, Template};

/// The action of a rule.
#[derive(Clone, Debug)]
pub enum Action {
    /// `block`: the event is blocked, for this reason.
    Block(Template),
    /// `abort_turn`: the turn ends.
    AbortTurn(Template),
    /// `abort_run`: the run ends.
    AbortRun(Template),
    /// `ask`: a person is asked.
    Ask(Template),
    /// `defer`: the call does not run now.
    Defer(Template),
    /// `approve`: the call is approved, by whom the text says.
    Approve(Template),
    /// `context`: the model reads this.
    Context(Template),
    /// `respond`: the answer instead of the agent's.
    Respond(Pattern),
    /// `modify`: what is set.
    Modify(Pattern),
}

impl Action {
    /// Returns the key of the rule in the file.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Action::Block(_) => "block",
            Action::AbortTurn(_) => "abort_turn",
            Action::AbortRun(_) => "abort_run",
            Action::Ask(_) => "ask",
            Action::Defer(_) => "defer",
            Action::Approve(_) => "approve",
            Action::Context(_) => "context",
            Action::Respond(_) => "respond",
            Action::Modify(_) => "modify",
        }
    }
}
