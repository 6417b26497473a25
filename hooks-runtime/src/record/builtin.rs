//! Records what the hooks of a file do that are no definitions: the built-in ones, and those of factories.

use std::collections::HashSet;
use std::sync::Arc;

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::probe::{Probe, Ran};
use hooks_core::{AnyAction, EventInfo};
use serde_json::Value;

use super::{Record, RecordOutcome, Recorder, answered, cancelled, pass};
use crate::events;

/// Writes a record of each of these hooks that decides, changes something, or fails. A definition writes its own.
pub(crate) struct BuiltinRecords {
    pub(crate) recorder: Arc<dyn Recorder>,
    /// Their names, which no definition has.
    pub(crate) hooks: HashSet<String>,
    pub(crate) revision: u64,
}

/// One dispatch.
pub(crate) struct Dispatch {
    /// What every record of it says.
    blank: Record,
    /// The event, as JSON, before the hook that may change it.
    before: Vec<u8>,
}

impl Dispatch {
    /// Returns what the hook that has run has changed, as a JSON Patch.
    fn change(&self, event: AgentEvent<'_>) -> Option<Value> {
        let after = serde_json::to_vec(&event).ok()?;
        if after == self.before {
            return None;
        }
        let [before, after] = [&self.before, &after]
            .map(|text| serde_json::from_slice::<Value>(text).unwrap_or_default());
        // Another order of keys is not a change.
        (before != after)
            .then(|| serde_json::to_value(json_patch::diff(&before, &after)).unwrap_or_default())
    }

    fn record(&self, hook: &str, event: AgentEvent<'_>, outcome: RecordOutcome) -> Record {
        let call = events::call_id(&event).filter(|id| !id.is_empty());
        Record {
            at: jiff::Timestamp::now(),
            hook: hook.to_owned(),
            subject: events::subject(&event).map(str::to_owned),
            tool_call_id: call.map(str::to_owned),
            outcome,
            ..self.blank.clone()
        }
    }
}

impl Probe<AgentEvent<'static>> for BuiltinRecords {
    type State = Dispatch;
    const TIMED: bool = true;

    /// A hook that only observes neither decides nor changes anything.
    fn wants(&self, event: &EventInfo) -> bool {
        event.is_intercepted
    }

    fn begin(&self, cx: &AgentContext, event: AgentEvent<'_>) -> Dispatch {
        Dispatch {
            blank: Record {
                revision: self.revision,
                handler: "builtin".into(),
                session_id: cx.session_id.clone(),
                agent_id: cx.agent_id.clone(),
                tenant_id: cx.tenant_id.clone(),
                trace_id: cx.trace_id.clone(),
                ..Record::new("", event.name())
            },
            before: Vec::new(),
        }
    }

    fn changing(&self, dispatch: &mut Dispatch, event: AgentEvent<'_>) {
        dispatch.before.clear();
        // What cannot be compared is shown as a change of everything.
        let _ = serde_json::to_writer(&mut dispatch.before, &event);
    }

    fn ran(&self, dispatch: &mut Dispatch, hook: Ran<'_>, event: AgentEvent<'_>) {
        if !self.hooks.contains(hook.name) {
            return;
        }
        let change = hook.changed.then(|| dispatch.change(event)).flatten();
        let (outcome, reason) = match hook.action {
            AnyAction::Cancel(cancel) => (cancelled(cancel.scope), Some(cancel.reason.to_string())),
            AnyAction::Respond => (answered(&event), None),
            _ if change.is_some() => (RecordOutcome::Modify, None),
            _ => return,
        };
        let record = dispatch.record(hook.name, event, outcome);
        let record = Record {
            reason,
            change,
            duration: hook.duration,
            ..record
        };
        pass(&record, &self.recorder);
    }

    fn failed(
        &self,
        dispatch: &mut Dispatch,
        hook: &str,
        failure: &dyn std::fmt::Display,
        event: AgentEvent<'_>,
    ) {
        if self.hooks.contains(hook) {
            let record = dispatch.record(hook, event, RecordOutcome::Fault);
            let record = Record {
                why: "it failed".into(),
                reason: Some(failure.to_string()),
                ..record
            };
            pass(&record, &self.recorder);
        }
    }
}
