//! Whether the store does what it should: it is looked at all the time, and what changes is a line in the log.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;

/// How long a look may take before the store counts as one that does not answer.
const LATE: Duration = Duration::from_secs(5);

/// What was seen last.
pub(crate) struct Health(Mutex<HealthState>);

struct HealthState {
    at: Instant,
    trouble: Option<String>,
}

impl Default for Health {
    fn default() -> Self {
        Health(Mutex::new(HealthState {
            at: Instant::now(),
            trouble: None,
        }))
    }
}

impl Health {
    fn seen(&self) -> MutexGuard<'_, HealthState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what a look has found.
    pub(crate) fn take<T>(&self, found: Result<T, StoreError>) -> Option<T> {
        let mut seen = self.seen();
        seen.at = Instant::now();
        match found {
            Ok(found) => {
                if seen.trouble.take().is_some() {
                    tracing::warn!("the store answers again");
                }
                Some(found)
            }
            Err(error) => {
                let error = error.to_string();
                if seen.trouble.as_ref() != Some(&error) {
                    tracing::error!(%error, "the store is in trouble");
                }
                seen.trouble = Some(error);
                None
            }
        }
    }

    /// What the last look has found, or that it takes too long.
    pub(crate) fn trouble(&self) -> Option<String> {
        let seen = self.seen();
        let since = seen.at.elapsed();
        let late = || format!("the database has not answered for {} s", since.as_secs());
        let trouble = seen.trouble.clone();
        trouble.or_else(|| (since > LATE).then(late))
    }
}
