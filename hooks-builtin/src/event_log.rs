//! Keeps every event in memory, in order, for tests and for debugging.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{AnyAction, Cancel, EventInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::shared::changes::EventHistory;
use crate::shared::log::{Log, probe};
use crate::shared::subject::subject;
use crate::shared::visible::Visible;
use crate::shared::{BuildError, Changes};

/// Keeps the name and the subject of every event, in order, with the decision about it.
///
/// It is a probe: attach it with [`with_probe`](hooks_core::Hook::with_probe). It keeps the newest events, 10,000 by
/// default, and records which hook changed what in an event, as [`Changes`].
///
/// It corresponds to mini-claw-code's `LoggingHook`. That hook writes `pre:bash`, `post:bash`, `agent:start` and
/// `agent:end`; this one writes `BeforeToolCall bash`, `ToolCallEnd bash`, `AgentStart` and `AgentEnd`.
///
/// ```
/// use hooks_builtin::{BlockTools, EventLog};
/// use hooks_core::agent::{AgentContext, AgentStart, BeforeToolCall};
/// use hooks_core::agent::AgentHooksNow;
/// use hooks_core::{Hook, hook, hooks};
///
/// #[hook(priority = 10)]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let log = EventLog::new();
/// let hooks = hooks![lower, BlockTools::new(["deploy"], "not on a Friday").unwrap() @ 5].with_probe(&log);
///
/// let cx = AgentContext::new("s1");
/// hooks.observe_now(&cx, &AgentStart { prompt: "Ship it." });
/// for name in ["Read", "deploy"] {
///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
///     let _ = hooks.intercept_now(&cx, &mut call);
/// }
///
/// assert_eq!(
///     log.messages(),
///     [
///         "AgentStart",
///         "BeforeToolCall read, changed /name by lower",
///         "BeforeToolCall deploy: hook `BlockTools` blocked the event: not on a Friday",
///     ],
/// );
/// ```
#[derive(Clone, Debug)]
pub struct EventLog(Arc<EventLogState>);

#[derive(Debug)]
struct EventLogState {
    capacity: usize,
    log: Mutex<EventEntries>,
}

#[derive(Debug, Default)]
struct EventEntries {
    entries: VecDeque<LoggedEvent>,
    /// The subjects seen so far. Few tools have many calls, so an entry allocates nothing.
    subjects: HashSet<Arc<str>>,
}

/// When the number of subjects exceeds this, the log forgets them.
const MOST_SUBJECTS: usize = 1000;

/// An event, as [`EventLog`] keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedEvent {
    /// The event's name: `BeforeToolCall`.
    pub event: &'static str,
    /// The tool, if the event is about one; the kind of a `Custom` event.
    pub subject: Option<Arc<str>>,
    /// The decision, if it is other than to continue.
    pub decided: Option<Decided>,
    /// What hooks changed; nothing if they changed nothing.
    pub changes: Option<Changes>,
}

/// The decision about an event that did not continue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decided {
    /// A hook answered in the agent's place.
    Responded,
    /// A hook blocked the event, or aborted the turn or the run.
    Cancelled(Cancel),
    /// The dispatch was dropped before its hooks had decided.
    Dropped,
}

impl fmt::Display for LoggedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.event)?;
        if let Some(subject) = &self.subject {
            write!(f, " {}", Visible(subject))?;
        }
        let by = self.changes.iter().flat_map(|changes| &*changes.by);
        for (nth, by) in by.enumerate() {
            let paths: Vec<_> = by.paths().collect();
            f.write_str(if nth == 0 { ", changed " } else { ", " })?;
            write!(f, "{} by {}", Visible(&paths.join(", ")), Visible(&by.hook))?;
        }
        match &self.decided {
            None => Ok(()),
            Some(Decided::Responded) => f.write_str(": answered by a hook"),
            Some(Decided::Cancelled(cancel)) => write!(f, ": {cancel}"),
            Some(Decided::Dropped) => f.write_str(": dropped"),
        }
    }
}

/// The settings of `[hooks.builtin.event_log]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EventLogConfig {
    /// How many of the newest events are kept. The default is 10000.
    pub capacity: usize,
}

impl Default for EventLogConfig {
    fn default() -> Self {
        EventLogConfig { capacity: 10_000 }
    }
}

impl EventLog {
    /// Creates a log of the newest 10,000 events.
    #[must_use]
    pub fn new() -> Self {
        EventLog::with_capacity(EventLogConfig::default().capacity)
    }

    /// Creates a log of the newest `capacity` events.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        EventLog(Arc::new(EventLogState {
            capacity,
            log: Mutex::default(),
        }))
    }

    /// Creates a log from its configuration.
    ///
    /// # Errors
    ///
    /// Currently none. It returns a `Result` for consistency with the other hooks.
    pub fn from_config(config: &EventLogConfig) -> Result<Self, BuildError> {
        Ok(EventLog::with_capacity(config.capacity))
    }

    /// The events as text, the oldest first.
    #[must_use]
    pub fn messages(&self) -> Vec<String> {
        self.entries().iter().map(ToString::to_string).collect()
    }

    /// Returns the events, the oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<LoggedEvent> {
        let log = self.0.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.entries.iter().cloned().collect()
    }
}

impl Default for EventLog {
    fn default() -> Self {
        Self::new()
    }
}

probe!(EventLog);

impl Log for EventLog {
    const COMPARES: bool = true;

    fn wants(&self, _: &EventInfo) -> bool {
        self.0.capacity > 0
    }

    fn write(
        &self,
        seen: &EventHistory,
        _: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let EventLogState { capacity, log } = &*self.0;
        let decided = match result {
            None => Some(Decided::Dropped),
            Some(AnyAction::Respond) => Some(Decided::Responded),
            Some(AnyAction::Cancel(cancel)) => Some(Decided::Cancelled(cancel.clone())),
            Some(_) => None,
        };
        let changes = seen.changes();
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = subject(event).map(|subject| log.intern(subject));
        if log.entries.len() >= *capacity {
            log.entries.pop_front();
        }
        log.entries.push_back(LoggedEvent {
            event: event.name(),
            subject,
            decided,
            changes,
        });
    }
}

impl EventEntries {
    fn intern(&mut self, subject: &str) -> Arc<str> {
        // The events of one call follow each other.
        let newest = self.entries.back().and_then(|entry| entry.subject.as_ref());
        if let Some(newest) = newest.filter(|newest| ***newest == *subject) {
            return newest.clone();
        }
        if let Some(known) = self.subjects.get(subject) {
            return known.clone();
        }
        if self.subjects.len() >= MOST_SUBJECTS {
            self.subjects.clear();
        }
        let subject: Arc<str> = subject.into();
        self.subjects.insert(subject.clone());
        subject
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, AgentEnd, BeforeToolCall, HeartbeatTick, ToolOutput};
    use hooks_core::{HookAction, hook, hooks};

    use super::*;

    #[test]
    fn an_answer_is_told_from_going_on() {
        #[hook(only("cached"))]
        fn answer(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
            HookAction::respond(ToolOutput::new("known"))
        }
        let log = EventLog::new();
        let hooks = hooks![answer].with_probe(&log);
        let cx = AgentContext::new("s1");
        for name in ["bash", "cached", "ba\nsh"] {
            let mut call = BeforeToolCall {
                name: name.into(),
                ..BeforeToolCall::default()
            };
            let _ = hooks.intercept_now(&cx, &mut call);
        }
        hooks.observe_now(
            &cx,
            &AgentEnd {
                response: "Done.",
                ..AgentEnd::default()
            },
        );
        assert_eq!(
            log.messages(),
            [
                "BeforeToolCall bash",
                "BeforeToolCall cached: answered by a hook",
                r"BeforeToolCall ba\nsh",
                "AgentEnd",
            ]
        );
    }

    #[test]
    fn the_newest_events_are_kept() {
        for (capacity, kept) in [(0, 0), (1, 1), (3, 3), (10, 5)] {
            let log = EventLog::with_capacity(capacity);
            let hooks = hooks![].with_probe(&log);
            for _ in 0..4 {
                hooks.observe_now(&AgentContext::new("s1"), &HeartbeatTick);
            }
            hooks.observe_now(
                &AgentContext::new("s1"),
                &AgentEnd {
                    response: "",
                    ..AgentEnd::default()
                },
            );
            assert_eq!(log.entries().len(), kept);
            assert!(kept == 0 || log.entries()[kept - 1].event == "AgentEnd");
        }
    }

    #[test]
    fn subjects_that_nobody_repeats_do_not_pile_up() {
        let log = EventLog::with_capacity(1);
        let hooks = hooks![].with_probe(&log);
        for name in 0..3 * MOST_SUBJECTS {
            let mut call = BeforeToolCall {
                name: name.to_string(),
                ..BeforeToolCall::default()
            };
            let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
        }
        assert!(log.0.log.lock().unwrap().subjects.len() <= MOST_SUBJECTS);
    }
}
