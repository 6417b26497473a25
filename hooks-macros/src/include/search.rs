//! Searches a text for a regular expression while the macro runs.

use regex_automata::nfa::thompson::pikevm::PikeVM;

/// An expression; none if it is wrong, which the checks have told.
pub(super) struct Search(Option<PikeVM>);

impl Search {
    pub(super) fn new(pattern: &str) -> Self {
        Search(PikeVM::new(pattern).ok())
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        let Some(machine) = &self.0 else { return false };
        machine.is_match(&mut machine.create_cache(), text)
    }
}
