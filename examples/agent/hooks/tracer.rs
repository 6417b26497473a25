//! A hook that sees every event.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use hooks_core::agent::AgentEvent;
use hooks_core::{hook, priority};

/// Counts the events that the agent raised.
#[derive(Default)]
pub(crate) struct Tracer {
    counts: Mutex<BTreeMap<&'static str, usize>>,
}

// Before all others, so that it also sees what they stop.
#[hook(every, priority = priority::FIRST)]
impl Tracer {
    fn see(&self, event: AgentEvent<'_>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(event.name()).or_default() += 1;
    }
}

impl Tracer {
    /// How often each event was raised, in the order of the vocabulary.
    pub(crate) fn counts(&self) -> Vec<(&'static str, usize)> {
        let counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        AgentEvent::NAMES
            .iter()
            .filter_map(|name| counts.get(name).map(|count| (*name, *count)))
            .collect()
    }
}
