//! Puts the steps of a dispatch together: the event as it came, what each hook said, and what all of them decided.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use hooks_builtin::Redact;
use hooks_core::agent::{AgentContext, AgentEvent, Approval};
use hooks_core::probe::{Probe, Ran};
use hooks_core::{AnyAction, EventInfo, Scope};
use serde_json::{Map, Value, json};

use crate::definition::Definition;
use crate::entry::Mode;
use crate::events;
use crate::record::{Record, RecordOutcome, RecordStep, Recorder, notes, pass};

/// The longest event that is kept, as bytes of JSON.
const LONGEST: usize = 256 << 10;

/// The rules for secrets and personal data, which are always on.
static REDACT: LazyLock<Redact> = LazyLock::new(Redact::new);

/// The hooks of a revision, in the order in which they run, without those of the agent's own code.
#[derive(Default)]
pub(crate) struct RevisionHooks {
    /// The names of the built-in hooks, and of those of factories.
    builtin: HashSet<String>,
    revision: u64,
    /// The names that places of definitions have in the pipeline.
    places: HashSet<String>,
    definitions: Vec<Arc<Definition>>,
}

impl RevisionHooks {
    /// The hooks of a revision that are not definitions.
    pub(crate) fn new(builtin: HashSet<String>, revision: u64) -> Self {
        RevisionHooks {
            builtin,
            revision,
            ..RevisionHooks::default()
        }
    }

    /// Adds a place of definitions.
    pub(crate) fn add(&mut self, place: &str, definitions: &[Arc<Definition>]) {
        self.places.insert(place.to_owned());
        self.definitions.extend_from_slice(definitions);
    }

    /// Marks the steps of the second round, in which guards judge what later hooks have changed. A guard may be asked there for
    /// the first time.
    fn mark_second_round(&self, steps: &mut [RecordStep]) {
        let mut last = 0;
        for step in steps {
            let mut names = self.definitions.iter().map(|definition| &*definition.name);
            match names.position(|name| name == step.hook) {
                Some(place) if place < last => step.again = true,
                Some(place) => last = place,
                None => {}
            }
        }
    }

    /// Notes which hooks for an event and its tool have not run, and why. Filters are only evaluated again if a hook decided
    /// whose place is not known here: one of the agent's own code, or a built-in one.
    fn note_others(&self, record: &mut Record, cx: &AgentContext, event: AgentEvent<'_>) {
        let info = events::info(&event);
        let subject = events::subject(&event);
        let is_over = matches!(
            record.outcome,
            RecordOutcome::Block
                | RecordOutcome::AbortTurn
                | RecordOutcome::AbortRun
                | RecordOutcome::Respond
        );
        let mut names = self.definitions.iter().map(|definition| &*definition.name);
        let end = names
            .position(|name| name == record.hook)
            .filter(|_| is_over);
        let ran: HashSet<&str> = record.steps.iter().map(|step| &*step.hook).collect();
        let (mut unmet, mut unasked) = (Vec::new(), Vec::new());
        for (place, definition) in self.definitions.iter().enumerate() {
            let is_meant = definition.named(info).is_some()
                && definition.mode != Mode::Off
                && subject.is_none_or(|subject| definition.filter.may_concern(subject))
                && !ran.contains(&*definition.name);
            if !is_meant {
                continue;
            }
            let is_unmet = match end {
                Some(end) => place < end,
                None => !is_over || matches!(definition.check(cx, &event, info), Ok(Err(_))),
            };
            let list = if is_unmet { &mut unmet } else { &mut unasked };
            list.push(Arc::clone(&definition.name));
        }
        (record.unmet, record.unasked) = (unmet, unasked);
    }
}

/// Returns what the approval of a call means.
fn approval(event: AgentEvent<'_>) -> Option<(RecordOutcome, Option<String>)> {
    let AgentEvent::BeforeToolCall(call) = event else {
        return None;
    };
    match &call.approval {
        Approval::Ask { reason } => Some((RecordOutcome::Ask, Some(reason.clone()))),
        Approval::Defer { reason } => Some((RecordOutcome::Defer, Some(reason.clone()))),
        Approval::Granted { .. } => Some((RecordOutcome::Approve, None)),
        Approval::Usual => None,
    }
}

/// The context without what is empty, which is the default.
pub(crate) fn brief(cx: &AgentContext) -> Value {
    let Ok(Value::Object(all)) = serde_json::to_value(cx) else {
        return Value::Null;
    };
    let empty = serde_json::to_value(AgentContext::default()).unwrap_or_default();
    let said = all.into_iter().filter(|(key, value)| empty[key] != *value);
    Value::Object(said.collect::<Map<_, _>>())
}

/// A probe that records each dispatch of a pipeline, for [`Record`]s that can be asked again.
///
/// A [`Runtime`](crate::Runtime) with a [recorder](crate::RuntimeBuilder::recorder) records the whole list that it is spread
/// in, with the hooks of the agent's own code. This probe is for a list without one. It costs nothing unless the recorder
/// [keeps events](Recorder::keeps_events).
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{Hook, HookAction, hook, hooks};
/// use hooks_runtime::{EventRecords, OwnedEvent, Records};
///
/// #[hook]
/// fn closed(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("closed") }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let records = Records::latest(100).keeping_events();
/// let events = EventRecords::new(records.clone());
/// let hooks = hooks![closed].with_probe(&events);
/// let mut call = BeforeToolCall::new("1", "shell", serde_json::json!({ "command": "ls" }));
/// let _ = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
///
/// let record = records.take().remove(0);
/// assert_eq!((record.outcome.as_str(), &*record.hook), ("block", "closed"));
/// let (cx, event) = OwnedEvent::of_record(&record).unwrap()?;
/// assert_eq!((&*cx.session_id, event.subject()), ("s1", Some("shell")));
/// # Ok(())
/// # }
/// ```
pub struct EventRecords {
    recorder: Arc<dyn Recorder>,
    /// The hooks of the runtime that records itself. A probe of a pipeline has none.
    order: Option<RevisionHooks>,
}

impl EventRecords {
    /// Passes the records to this recorder. Their `revision` is 0: a pipeline has none.
    pub fn new(recorder: impl Recorder + 'static) -> Self {
        EventRecords {
            recorder: Arc::new(recorder),
            order: None,
        }
    }

    /// The probe of a runtime.
    pub(crate) fn of(recorder: Arc<dyn Recorder>, order: RevisionHooks) -> Self {
        EventRecords {
            recorder,
            order: Some(order),
        }
    }

    /// Returns the step of a hook that has none of its own; none if it is a place of definitions, of which none ran.
    fn step(&self, hook: &str, outcome: RecordOutcome) -> Option<RecordStep> {
        let order = self.order.as_ref();
        if order.is_some_and(|order| order.places.contains(hook)) {
            return None;
        }
        let is_builtin = order.is_some_and(|order| order.builtin.contains(hook));
        let handler = if is_builtin { "builtin" } else { "compiled" };
        Some(RecordStep {
            handler: handler.to_owned(),
            ..RecordStep::new(hook, outcome)
        })
    }
}

impl std::fmt::Debug for EventRecords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EventRecords")
    }
}

/// A dispatch that has begun.
#[derive(Debug)]
pub struct Begun {
    record: Record,
    /// The event as it came, if it is kept.
    before: Option<Value>,
    /// What hooks said about an event that they only observe, at once.
    observed: Mutex<Vec<RecordStep>>,
    /// The event, as JSON, before the hook that may change it.
    changing: Vec<u8>,
    approval: Option<RecordOutcome>,
    began: Instant,
}

impl Begun {
    /// Returns what the hook that has run has changed, as a JSON Patch.
    fn change(&self, event: AgentEvent<'_>) -> Option<Value> {
        let after = serde_json::to_vec(&event).ok()?;
        if after == self.changing {
            return None;
        }
        let [before, after] = [&self.changing, &after]
            .map(|text| serde_json::from_slice::<Value>(text).unwrap_or_default());
        // Another order of keys is not a change.
        (before != after)
            .then(|| serde_json::to_value(json_patch::diff(&before, &after)).unwrap_or_default())
    }

    fn add(&mut self, steps: impl IntoIterator<Item = RecordStep>) {
        for mut step in steps {
            // A place that was asked twice is a guard that judged again.
            step.again = self.record.steps.iter().any(|one| one.hook == step.hook);
            self.record.steps.push(step);
        }
    }

    /// What all hooks decided, if the event was not dropped.
    fn decided(
        &self,
        event: AgentEvent<'_>,
        result: AnyAction<'_>,
    ) -> (RecordOutcome, Option<String>) {
        match result {
            AnyAction::Cancel(cancel) => (cancelled(cancel.scope), Some(cancel.reason.to_string())),
            AnyAction::Respond => (answered(&event), None),
            _ => {
                let approval = approval(event).filter(|(now, _)| self.approval != Some(*now));
                let mut steps = self.record.steps.iter();
                let is_change =
                    |step: &RecordStep| !step.shadow && step.outcome == RecordOutcome::Modify;
                approval.unwrap_or_else(|| {
                    if self.record.change.is_some() || steps.any(is_change) {
                        (RecordOutcome::Modify, None)
                    } else {
                        (RecordOutcome::Continue, None)
                    }
                })
            }
        }
    }

    /// Keeps the event as it came, unless it is too long.
    fn keep(&mut self, cx: &AgentContext, event: AgentEvent<'_>) {
        let Some(before) = self.before.take() else {
            return;
        };
        let after = serde_json::to_value(event).unwrap_or_default();
        let change = (before != after).then(|| json_patch::diff(&before, &after));
        let mut change = change.and_then(|change| serde_json::to_value(change).ok());
        let mut kept = json!({ "event": before, "cx": brief(cx) });
        if kept.to_string().len() > LONGEST {
            let limit = LONGEST >> 10;
            let warning = format!("the event is not kept, because it is longer than {limit} KiB");
            self.record.warnings.push(warning);
        } else {
            REDACT.__texts(&mut kept);
            self.record.input = Some(kept);
        }
        if let Some(change) = &mut change {
            REDACT.__texts(change);
        }
        self.record.change = change;
    }
}

impl Probe<AgentEvent<'static>> for EventRecords {
    type State = Begun;
    const TIMED: bool = true;

    /// Hooks decide nothing about an event that they only observe: then only definitions have steps.
    fn wants(&self, event: &EventInfo) -> bool {
        match &self.order {
            Some(_) => true,
            None => event.is_intercepted && self.recorder.keeps_events(),
        }
    }

    fn begin(&self, cx: &AgentContext, event: AgentEvent<'_>) -> Begun {
        let keeps = self.recorder.keeps_events() && events::info(&event).is_intercepted;
        let revision = self.order.as_ref().map_or(0, |order| order.revision);
        Begun {
            record: Record::of(cx, &event, revision),
            before: keeps.then(|| serde_json::to_value(event).unwrap_or_default()),
            observed: Mutex::default(),
            changing: Vec::new(),
            approval: approval(event).map(|(outcome, _)| outcome),
            began: Instant::now(),
        }
    }

    fn changing(&self, begun: &mut Begun, event: AgentEvent<'_>) {
        begun.changing.clear();
        // What cannot be compared is shown as a change of everything.
        let _ = serde_json::to_writer(&mut begun.changing, &event);
    }

    fn ran(&self, begun: &mut Begun, hook: Ran<'_>, event: AgentEvent<'_>) {
        let notes = notes();
        if !notes.is_empty() {
            return begun.add(notes);
        }
        let change = hook.changed.then(|| begun.change(event)).flatten();
        let (outcome, reason) = match hook.action {
            AnyAction::Cancel(cancel) => (cancelled(cancel.scope), Some(cancel.reason.to_string())),
            AnyAction::Respond => (answered(&event), None),
            _ if change.is_some() => (RecordOutcome::Modify, None),
            _ => (RecordOutcome::Continue, None),
        };
        let step = self.step(hook.name, outcome).map(|step| RecordStep {
            reason,
            change,
            duration: hook.duration,
            ..step
        });
        begun.add(step);
    }

    fn observed(&self, begun: &Begun, _: Ran<'_>, _: AgentEvent<'_>) {
        let observed = begun.observed.lock();
        observed
            .unwrap_or_else(PoisonError::into_inner)
            .extend(notes());
    }

    fn failed(
        &self,
        begun: &mut Begun,
        hook: &str,
        failure: &dyn std::fmt::Display,
        _: AgentEvent<'_>,
    ) {
        begun.add(notes());
        let step = self.step(hook, RecordOutcome::Fault);
        begun.add(step.map(|step| RecordStep {
            why: "the hook failed".into(),
            reason: Some(failure.to_string()),
            ..step
        }));
    }

    fn end(
        &self,
        mut begun: Begun,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let observed = std::mem::take(&mut begun.observed);
        begun.add(
            observed
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
        );
        if begun.record.steps.is_empty() && begun.before.is_none() {
            return;
        }
        begun.keep(cx, event);
        let decided = result.map(|result| begun.decided(event, result));
        let dropped = || {
            let why = "the dispatch was dropped before its end";
            (RecordOutcome::Skipped, Some(why.to_owned()))
        };
        let (outcome, reason) = decided.unwrap_or_else(dropped);
        let Begun {
            mut record, began, ..
        } = begun;
        (record.outcome, record.reason) = (outcome, reason);
        record.duration = began.elapsed();
        // Hooks may have changed it, and were asked about what it came to be.
        record.subject = events::subject(&event).map(str::to_owned);
        let by = match result {
            Some(AnyAction::Cancel(cancel)) => Some(cancel.hook.to_string()),
            _ => None,
        };
        let made_it = |step: &&RecordStep| {
            !step.shadow && outcome != RecordOutcome::Continue && step.outcome == outcome
        };
        let mut steps = record.steps.iter().rev();
        let by = by.or_else(|| steps.find(made_it).map(|step| step.hook.clone()));
        record.hook = by.unwrap_or_default();
        if let Some(order) = &self.order {
            order.mark_second_round(&mut record.steps);
            order.note_others(&mut record, cx, event);
        }
        pass(&record, &*self.recorder);
    }
}

/// The outcome of hooks that cancel that much.
fn cancelled(scope: Scope) -> RecordOutcome {
    match scope {
        Scope::Event => RecordOutcome::Block,
        Scope::Turn => RecordOutcome::AbortTurn,
        Scope::Run => RecordOutcome::AbortRun,
    }
}

/// The outcome of an answer to an event.
fn answered(event: &AgentEvent<'_>) -> RecordOutcome {
    match event {
        AgentEvent::ApproveToolCall(_) => RecordOutcome::Approve,
        _ => RecordOutcome::Respond,
    }
}
