//! Failures of a handler, as opposed to its decisions.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cut::cut;

/// How a handler failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The handler could not be started or reached.
    NotStarted,
    /// The handler took too long.
    TimedOut,
    /// All hooks of the event together took too long, and this one was running.
    OutOfTime,
    /// The handler ended with an error.
    Failed,
    /// The handler's answer makes no sense.
    Nonsense,
    /// The filter could not be evaluated.
    Filter,
    /// The handler was not asked: the breaker is open, a budget is spent, or too many handlers run at once.
    NotAsked,
}

/// A failure of a handler. It is not a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HandlerFault {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
}

impl HandlerFault {
    pub(crate) fn new(kind: FaultKind, message: impl fmt::Display) -> Self {
        HandlerFault {
            kind,
            message: cut(message.to_string()),
        }
    }

    pub(crate) fn not_started(message: impl fmt::Display) -> Self {
        HandlerFault::new(FaultKind::NotStarted, message)
    }

    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        HandlerFault::new(FaultKind::Failed, message)
    }

    pub(crate) fn nonsense(message: impl fmt::Display) -> Self {
        HandlerFault::new(FaultKind::Nonsense, message)
    }

    pub(crate) fn filter(message: impl fmt::Display) -> Self {
        HandlerFault::new(FaultKind::Filter, message)
    }

    pub(crate) fn not_asked(message: impl fmt::Display) -> Self {
        HandlerFault::new(FaultKind::NotAsked, message)
    }

    pub(crate) fn out_of_time() -> Self {
        HandlerFault::new(
            FaultKind::OutOfTime,
            "the shared time limit for all hooks of this event ran out while this hook was running",
        )
    }

    pub(crate) fn timed_out(limit: Duration) -> Self {
        let limit = humantime::format_duration(limit);
        HandlerFault::new(
            FaultKind::TimedOut,
            format_args!("the handler took longer than {limit}"),
        )
    }
}

impl fmt::Display for HandlerFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Evaluates a rule or a filter. A panic is a failure of its definition, and does not reach the agent.
pub(crate) fn caught<T>(says: impl FnOnce() -> Result<T, HandlerFault>) -> Result<T, HandlerFault> {
    catch_unwind(AssertUnwindSafe(says))
        .unwrap_or_else(|_| Err(HandlerFault::failed("the handler panicked")))
}
