//! Records whole dispatches: the event as it came, and what all hooks together decided. Such a record can be asked again.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use hooks_builtin::Redact;
use hooks_core::agent::{AgentContext, AgentEvent, Approval};
use hooks_core::probe::{Probe, Ran};
use hooks_core::{AnyAction, EventInfo, Scope};
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{Record, RecordOutcome, Recorder, pass};
use crate::events;

/// The `handler` of a record of a whole dispatch.
const HANDLER: &str = "event";

/// The longest event that is kept, as bytes of JSON.
const LONGEST: usize = 256 << 10;

/// The rules for secrets and personal data, which nobody has to switch on.
static REDACT: LazyLock<Redact> = LazyLock::new(Redact::new);

impl Record {
    /// Whether it is the record of a whole dispatch, and not of one hook.
    #[must_use]
    pub fn is_event(&self) -> bool {
        self.handler == HANDLER
    }
}

/// A dispatch that has ended.
pub(crate) struct Ended<'a> {
    pub(crate) cx: &'a AgentContext,
    /// The event as JSON, as it came.
    pub(crate) before: Value,
    pub(crate) event: AgentEvent<'a>,
    /// What the hooks said. An approval and a change are found in the event.
    pub(crate) outcome: RecordOutcome,
    /// The hook that decided, if one did and is known.
    pub(crate) hook: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) revision: u64,
    pub(crate) duration: Duration,
}

impl Ended<'_> {
    /// Writes the record of the dispatch.
    pub(crate) fn record(self, recorder: &dyn Recorder) {
        let Ended {
            cx,
            before,
            event,
            mut outcome,
            hook,
            mut reason,
            ..
        } = self;
        let after = serde_json::to_value(event).unwrap_or_default();
        let change = (before != after).then(|| json_patch::diff(&before, &after));
        if outcome == RecordOutcome::Continue && change.is_some() {
            outcome = RecordOutcome::Modify;
            if let AgentEvent::BeforeToolCall(call) = event
                && before.get("approval") != after.get("approval")
            {
                (outcome, reason) = approval(&call.approval);
            }
        }
        let mut warnings = Vec::new();
        let mut kept = json!({ "event": before, "cx": brief(cx) });
        let is_long = kept.to_string().len() > LONGEST;
        if is_long {
            warnings.push(format!(
                "the event is not kept, because it is longer than {} KiB",
                LONGEST >> 10
            ));
        }
        let mut change = change.and_then(|change| serde_json::to_value(change).ok());
        let subject = events::subject(&event).map(str::to_owned);
        let call = events::call_id(&event).filter(|id| !id.is_empty());
        if let Some(change) = &mut change {
            REDACT.__texts(change);
        }
        if !is_long {
            REDACT.__texts(&mut kept);
        }
        let now = Timestamp::now();
        let record = Record {
            at: now.checked_sub(self.duration).unwrap_or(now),
            revision: self.revision,
            handler: HANDLER.to_owned(),
            subject,
            session_id: cx.session_id.clone(),
            agent_id: cx.agent_id.clone(),
            tenant_id: cx.tenant_id.clone(),
            tool_call_id: call.map(str::to_owned),
            outcome,
            why: hook.map_or_else(String::new, |hook| format!("decided by `{hook}`")),
            reason,
            duration: self.duration,
            change: change.filter(|_| !is_long),
            warnings,
            trace_id: cx.trace_id.clone(),
            input: (!is_long).then_some(kept),
            ..Record::new("", event.name())
        };
        pass(&record, recorder);
    }
}

/// Returns what the approval of a call means, if hooks have changed it.
fn approval(approval: &Approval) -> (RecordOutcome, Option<String>) {
    match approval {
        Approval::Ask { reason } => (RecordOutcome::Ask, Some(reason.clone())),
        Approval::Defer { reason } => (RecordOutcome::Defer, Some(reason.clone())),
        Approval::Granted { .. } => (RecordOutcome::Approve, None),
        Approval::Usual => (RecordOutcome::Modify, None),
    }
}

/// The context without what is empty, which is the default.
fn brief(cx: &AgentContext) -> Value {
    let Ok(Value::Object(all)) = serde_json::to_value(cx) else {
        return Value::Null;
    };
    let empty = serde_json::to_value(AgentContext::default()).unwrap_or_default();
    let said = all.into_iter().filter(|(key, value)| empty[key] != *value);
    Value::Object(said.collect::<Map<_, _>>())
}

/// A probe that records each dispatch of a pipeline, for [`Record`]s that can be asked again.
///
/// [`Runtime::fire`](crate::Runtime::fire) writes these records itself, for the hooks of its files. In a pipeline, the
/// probe sees the static hooks, too. It costs nothing unless the recorder [keeps events](Recorder::keeps_events).
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
/// assert_eq!((record.outcome.as_str(), &*record.why), ("block", "decided by `closed`"));
/// let (cx, event) = OwnedEvent::of_record(&record).unwrap()?;
/// assert_eq!((&*cx.session_id, event.subject()), ("s1", Some("shell")));
/// # Ok(())
/// # }
/// ```
pub struct EventRecords(Arc<dyn Recorder>);

impl EventRecords {
    /// Passes the records to this recorder. Their `revision` is 0: a pipeline has none.
    pub fn new(recorder: impl Recorder + 'static) -> Self {
        EventRecords(Arc::new(recorder))
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
    before: Value,
    began: Instant,
    /// The hook that decided last.
    by: Option<String>,
}

impl Probe<AgentEvent<'static>> for EventRecords {
    type State = Begun;

    /// Hooks decide nothing about an event that they only observe.
    fn wants(&self, event: &EventInfo) -> bool {
        event.is_intercepted && self.0.keeps_events()
    }

    fn begin(&self, _: &AgentContext, event: AgentEvent<'_>) -> Begun {
        Begun {
            before: serde_json::to_value(event).unwrap_or_default(),
            began: Instant::now(),
            by: None,
        }
    }

    fn ran(&self, begun: &mut Begun, hook: Ran<'_>, _: AgentEvent<'_>) {
        if matches!(hook.action, AnyAction::Cancel(_) | AnyAction::Respond) {
            begun.by = Some(hook.name.to_owned());
        }
    }

    fn end(
        &self,
        begun: Begun,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let (outcome, reason) = match result {
            None => (
                RecordOutcome::Skipped,
                Some("the dispatch was dropped before its end".to_owned()),
            ),
            Some(AnyAction::Cancel(cancel)) => {
                (cancelled(cancel.scope), Some(cancel.reason.to_string()))
            }
            Some(AnyAction::Respond) => (answered(&event), None),
            Some(_) => (RecordOutcome::Continue, None),
        };
        let ended = Ended {
            cx,
            before: begun.before,
            event,
            outcome,
            hook: begun.by,
            reason,
            revision: 0,
            duration: begun.began.elapsed(),
        };
        ended.record(&*self.0);
    }
}

/// The outcome of hooks that cancel that much.
pub(crate) fn cancelled(scope: Scope) -> RecordOutcome {
    match scope {
        Scope::Event => RecordOutcome::Block,
        Scope::Turn => RecordOutcome::AbortTurn,
        Scope::Run => RecordOutcome::AbortRun,
    }
}

/// The outcome of an answer to an event.
pub(crate) fn answered(event: &AgentEvent<'_>) -> RecordOutcome {
    match event {
        AgentEvent::ApproveToolCall(_) => RecordOutcome::Approve,
        _ => RecordOutcome::Respond,
    }
}
