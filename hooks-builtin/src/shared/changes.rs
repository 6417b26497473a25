//! What hooks have changed between two places of a list, for logs.
//!
//! A log is told of an event when it comes to the log's place, and an event does not say what it was before. So a second
//! hook of the log, [`Before`], stands before the others and keeps a packed copy of the event. The log packs the event
//! again: if the bytes are equal, nothing was changed. Only a change is worth making JSON of both.

use std::collections::HashMap;
use std::ptr::from_ref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::agent::AgentEvent;
use hooks_core::{Hook, Plan, PlanRow, hook};
use serde_json::Value;

use crate::shared::packed::{self, pack};

/// Most snapshots that are kept: those of dispatches that were dropped before they came to the log stay behind.
const MOST: usize = 256;
/// The logs, as a plan names them.
const LOGS: [&str; 2] = ["EventLog", "JsonlLog"];
/// Stands for the events that only hooks with `every` handle.
const OTHERS: &str = "";
/// As large as a buffer may be that is kept to be used again.
const LARGEST: usize = 64 << 10;

/// The part of a log that stands before the hooks whose changes the log tells: what [`JsonlLog::before`] and
/// [`EventLog::before`] give.
///
/// Its priority is [`i32::MAX`], so it runs before all others. It looks at the events that hooks can change, and keeps
/// them until they come to the log.
///
/// [`JsonlLog::before`]: crate::JsonlLog::before
/// [`EventLog::before`]: crate::EventLog::before
#[derive(Clone, Debug)]
pub struct Before {
    home: Arc<Snapshots>,
    logs: Vec<Arc<Snapshots>>,
}

impl Before {
    pub(crate) fn of(log: &Arc<Snapshots>) -> Self {
        Before {
            home: log.home().unwrap_or_else(|| log.clone()),
            logs: vec![log.clone()],
        }
    }

    /// One hook for several logs, which looks at an event once.
    ///
    /// ```
    /// use hooks_builtin::{EventLog, JsonlLog};
    /// use hooks_core::hooks;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("audit.jsonl");
    /// let (log, file) = (EventLog::new(), JsonlLog::open(path).unwrap());
    /// let hooks = hooks![log.before().and(file.before()), log, file];
    /// assert_eq!(format!("{hooks:?}"), "[Before, EventLog, JsonlLog]");
    /// ```
    #[must_use]
    pub fn and(mut self, other: Before) -> Self {
        // So an event is written and compared once for all of them.
        for log in other.logs {
            log.lock().home = Some(self.home.clone());
            self.logs.push(log);
        }
        self
    }

    /// Tells the logs which hooks there are, by the plan of the list that this one stands in: then they name the hooks
    /// that can have made a change.
    pub fn learn(&self, plan: Plan<'_>) {
        let rows: Vec<_> = plan.collect();
        let is_log = |row: &PlanRow<'_>| LOGS.contains(&row.hook);
        let last = rows.iter().rposition(is_log).unwrap_or(rows.len());
        let before = rows[..last].iter().position(|row| row.hook == Before::NAME);
        let between = &rows[before.unwrap_or_default()..last];
        // Logs change nothing.
        let between = between
            .iter()
            .filter(|row| row.hook != Before::NAME && !is_log(row));
        let mut hooks: HashMap<&'static str, Vec<String>> = [(OTHERS, Vec::new())].into();
        for row in between.clone() {
            if let Some(event) = row.event {
                hooks.entry(event).or_default();
            }
        }
        for (event, names) in &mut hooks {
            let of_event = between
                .clone()
                .filter(|row| row.event.is_none_or(|of| of == *event));
            names.extend(of_event.map(|row| row.hook.to_owned()));
        }
        let hooks = hooks
            .into_iter()
            .map(|(event, names)| (event, names.into()));
        self.home.lock().hooks = hooks.collect();
    }
}

#[hook(every, priority = i32::MAX)]
impl Before {
    fn keep(&self, event: AgentEvent<'_>) {
        let Some(place) = place_of(event) else {
            return;
        };
        let mut state = self.home.lock();
        let mut kept = state.room(place);
        if pack(&mut kept.before, &event).is_ok() {
            kept.readers = self.logs.len();
            state.keep(place, kept);
        }
    }
}

/// What hooks have changed in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// What makes the event that was raised the one that came to the log: a JSON Patch (RFC 6902) of its JSON. It has
    /// what is new, and not what was there before, which [`Redact`](crate::Redact) may have taken out.
    pub patch: Value,
    /// The hooks that can have made the change: all that stand between and handle the event. Empty where the log does
    /// not know its list: see [`Before::learn`].
    pub by: Arc<[String]>,
}

/// The events on their way to a log, or to several, as they were when they were raised.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Where the events are kept, if another log does.
    home: Option<Arc<Snapshots>>,
    /// The newest last.
    kept: Vec<(Place, Kept)>,
    spare: Vec<Kept>,
    hooks: HashMap<&'static str, Arc<[String]>>,
}

/// Which event it is: as long as it is dispatched, no other has its address and its name.
type Place = (usize, &'static str);

/// An event, before the hooks and after them.
#[derive(Debug, Default)]
struct Kept {
    before: Vec<u8>,
    after: Vec<u8>,
    changes: Option<Changes>,
    /// How many logs have yet to see it.
    readers: usize,
    is_compared: bool,
}

/// An event that has come to a log.
pub(crate) struct Compared {
    place: Place,
    kept: Kept,
    home: Option<Arc<Snapshots>>,
}

impl Compared {
    /// The event as it is now, packed.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.kept.after
    }

    pub(crate) fn changes(&self) -> Option<&Changes> {
        self.kept.changes.as_ref()
    }
}

impl Snapshots {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn home(&self) -> Option<Arc<Snapshots>> {
        self.lock().home.clone()
    }

    /// What has become of an event, if it was kept.
    pub(crate) fn compare(&self, event: AgentEvent<'_>) -> Option<Compared> {
        let place = place_of(event)?;
        let home = self.home();
        let snapshots = home.as_deref().unwrap_or(self);
        let mut kept = snapshots.lock().take(place)?;
        if !kept.is_compared {
            pack(&mut kept.after, &event).ok()?;
            kept.changes = (kept.before != kept.after).then(|| Changes {
                patch: patch(&kept.before, &kept.after),
                by: snapshots.hooks(event.name()),
            });
            kept.is_compared = true;
        }
        Some(Compared { place, kept, home })
    }

    /// Leaves an event to the next log, or takes its room back.
    pub(crate) fn recycle(&self, compared: Compared) {
        let Compared {
            place,
            mut kept,
            home,
        } = compared;
        kept.readers -= 1;
        let mut state = home.as_deref().unwrap_or(self).lock();
        if kept.readers > 0 {
            state.keep(place, kept);
        } else if kept.before.capacity().max(kept.after.capacity()) <= LARGEST
            && state.spare.len() < MOST
        {
            state.spare.push(kept);
        }
    }

    /// The hooks that can have changed an event.
    fn hooks(&self, event: &str) -> Arc<[String]> {
        let state = self.lock();
        let hooks = state.hooks.get(event).or_else(|| state.hooks.get(OTHERS));
        hooks.cloned().unwrap_or_default()
    }
}

/// What makes the one event, as JSON, of the other.
fn patch(before: &[u8], after: &[u8]) -> Value {
    let patch = json_patch::diff(&packed::value(before), &packed::value(after));
    serde_json::to_value(patch).unwrap_or_default()
}

impl State {
    /// Room for an event: what was kept at its place is of a dispatch that was dropped.
    fn room(&mut self, place: Place) -> Kept {
        let stale = self.take(place);
        let mut room = stale.or_else(|| self.spare.pop()).unwrap_or_default();
        room.before.clear();
        room.after.clear();
        room.changes = None;
        room.is_compared = false;
        room
    }

    fn keep(&mut self, place: Place, kept: Kept) {
        if self.kept.len() >= MOST {
            self.kept.remove(0);
        }
        self.kept.push((place, kept));
    }

    fn take(&mut self, place: Place) -> Option<Kept> {
        let at = self.kept.iter().rposition(|(kept, _)| *kept == place)?;
        Some(self.kept.remove(at).1)
    }
}

/// Which event it is, if hooks can change it. What an approval is about is lent to it.
fn place_of(event: AgentEvent<'_>) -> Option<Place> {
    let address = match event {
        AgentEvent::SessionStart(event) => from_ref(event).addr(),
        AgentEvent::MessageReceived(event) => from_ref(event).addr(),
        AgentEvent::BeforeModelResolve(event) => from_ref(event).addr(),
        AgentEvent::BeforePromptBuild(event) => from_ref(event).addr(),
        AgentEvent::BeforeLlmCall(event) => from_ref(event).addr(),
        AgentEvent::LlmFailed(event) => from_ref(event).addr(),
        AgentEvent::AfterLlmCall(event) => from_ref(event).addr(),
        AgentEvent::InvalidToolCall(event) => from_ref(event).addr(),
        AgentEvent::BeforeToolCall(event) => from_ref(event).addr(),
        AgentEvent::AfterToolCall(event) => from_ref(event).addr(),
        AgentEvent::SubagentStart(event) => from_ref(event).addr(),
        AgentEvent::BeforeStop(event) => from_ref(event).addr(),
        AgentEvent::MessageSending(event) => from_ref(event).addr(),
        AgentEvent::BeforeCompact(event) => from_ref(event).addr(),
        // Written out, so that a new event is looked at.
        AgentEvent::GatewayStart(_)
        | AgentEvent::GatewayStop(_)
        | AgentEvent::HeartbeatTick(_)
        | AgentEvent::SessionEnd(_)
        | AgentEvent::AgentStart(_)
        | AgentEvent::LlmInput(_)
        | AgentEvent::LlmDelta(_)
        | AgentEvent::LlmOutput(_)
        | AgentEvent::ApproveToolCall(_)
        | AgentEvent::ToolCallStart(_)
        | AgentEvent::ToolCallEnd(_)
        | AgentEvent::ToolCallSkipped(_)
        | AgentEvent::SubagentStop(_)
        | AgentEvent::AgentEnd(_)
        | AgentEvent::AgentError(_)
        | AgentEvent::MessageSent(_)
        | AgentEvent::MessageFailed(_)
        | AgentEvent::AfterCompact(_)
        | AgentEvent::Interrupt(_)
        | AgentEvent::Notification(_)
        | AgentEvent::Custom(_) => return None,
    };
    Some((address, event.name()))
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, BeforeToolCall};
    use hooks_core::hooks;

    use super::*;

    #[test]
    fn what_never_comes_to_the_log_does_not_pile_up() {
        let log = Arc::<Snapshots>::default();
        let hooks = hooks![Before::of(&log)];
        let mut events = vec![BeforeToolCall::default(); 3 * MOST];
        for event in &mut events {
            let _ = hooks.intercept_now(&AgentContext::new("s1"), event);
        }
        assert_eq!(log.lock().kept.len(), MOST);
        // The newest are kept.
        let compared = log.compare(AgentEvent::BeforeToolCall(events.last().unwrap()));
        assert!(compared.is_some_and(|compared| compared.changes().is_none()));
        assert!(
            log.compare(AgentEvent::BeforeToolCall(&events[0]))
                .is_none()
        );
    }
}
