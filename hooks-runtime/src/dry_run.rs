//! Dry runs: the hooks decide, and nothing outside of them changes. For trying a policy on events of the past.

use std::fmt;
use std::sync::Arc;

use hooks_core::agent::{AgentContext, AgentEvent};
use serde_json::Value;

use crate::answer::{Change, HandlerAnswer, Verdict};
use crate::fault::HandlerFault;
use crate::record::{RecordOutcome, RecordStep};

/// Returns what a hook is known to have said about an event.
type RecordedAnswers =
    dyn Fn(&str, &AgentContext, &AgentEvent<'_>) -> Option<RecordStep> + Send + Sync;

/// Why a dry run has not asked a handler.
const LEFT_OUT: &str = "not run: it may have side effects";
const LEFT_OUT_UNKNOWN: &str =
    "not run: it may have side effects, and its record does not hold its answer";

impl RecordStep {
    /// Whether a [dry run](DryRun) has not asked its handler, so that what it would have said is unknown.
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.outcome == RecordOutcome::Skipped && self.why.starts_with(LEFT_OUT)
    }
}

/// What takes the place of the handlers in a runtime that changes nothing:
/// [`RuntimeBuilder::dry_run`](crate::RuntimeBuilder::dry_run).
///
/// Rules decide, and so do the built-in hooks that change nothing outside of themselves: `security_policy` (without
/// `max_actions_per_hour`, which counts), `block_tools`, `path_prefix` and `redact`. All others are left out:
/// `rate_limit`, `approval` (unless your program has passed an approver), `shell_hook`, `tool_cache`, the logs, and hooks
/// of factories of your own. The notices of the runtime name them.
///
/// A `command`, `http`, `prompt` or `process` runs only if its entry says `harmless = true`, and you
/// [ask for it](Self::running_harmless), or if you [name it](Self::running). Any other gives the answer
/// that it is [known to have given](Self::answering), or is left out: its record is `skipped`, and its `why` says so, and [`RecordStep::is_left_out`] tells it.
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::{Decided, DryRun, OwnedEvent, RecordOutcome, RecordStep, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let known = DryRun::new().answering(|hook, _cx, _event| {
///     (hook == "gate").then(|| RecordStep::new(hook, RecordOutcome::Block))
/// });
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nname = 'gate'\nevent = 'BeforeToolCall'\ncommand = './gate.sh'")
///     .dry_run(known)
///     .build()
///     .await?;
/// let mut call = OwnedEvent::from_json("BeforeToolCall", serde_json::json!({ "name": "ls" }))?;
/// let outcome = runtime.fire(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(outcome.decision, Decided::Block);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct DryRun {
    answers: Option<Arc<RecordedAnswers>>,
    /// Whether handlers run whose entries say that they are harmless.
    runs_harmless: bool,
    /// The hooks whose handlers run whatever they do.
    runs: Vec<String>,
}

impl DryRun {
    /// Leaves out every handler.
    #[must_use]
    pub fn new() -> Self {
        DryRun::default()
    }

    /// Runs the handlers whose entries say `harmless = true`. Ask for it only if you trust who has written that: a command
    /// is harmless only because its entry says so.
    #[must_use]
    pub fn running_harmless(mut self) -> Self {
        self.runs_harmless = true;
        self
    }

    /// Runs the handler of a hook, whatever it does. Ask for it only if a person has chosen the hook.
    #[must_use]
    pub fn running(mut self, hook: impl Into<String>) -> Self {
        self.runs.push(hook.into());
        self
    }

    /// Whether the handler of a hook runs.
    pub(crate) fn runs(&self, hook: &str, is_harmless: bool) -> bool {
        (self.runs_harmless && is_harmless) || self.runs.iter().any(|named| named == hook)
    }

    /// Lets a handler give the answer in the record that this returns for its name and the event.
    ///
    /// A decision, a failure and a change are given again. An answer in the agent's place, which a record does not hold,
    /// cannot be: the handler is left out.
    #[must_use]
    pub fn answering(
        mut self,
        answers: impl Fn(&str, &AgentContext, &AgentEvent<'_>) -> Option<RecordStep>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.answers = Some(Arc::new(answers));
        self
    }

    /// Returns the answer of a handler, or why there is none.
    pub(crate) fn ask(
        &self,
        hook: &str,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Result<Result<HandlerAnswer, HandlerFault>, &'static str> {
        let answers = self.answers.as_ref();
        let Some(step) = answers.and_then(|answers| answers(hook, cx, event)) else {
            return Err(LEFT_OUT);
        };
        given(&step, event).ok_or(LEFT_OUT_UNKNOWN)
    }
}

impl fmt::Debug for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DryRun")
            .field("answers", &self.answers.is_some())
            .field("runs_harmless", &self.runs_harmless)
            .field("runs", &self.runs)
            .finish()
    }
}

/// Returns the answer that a record holds.
fn given(step: &RecordStep, event: &AgentEvent<'_>) -> Option<Result<HandlerAnswer, HandlerFault>> {
    let reason = step.reason.clone().unwrap_or_default();
    let verdict = match step.outcome {
        RecordOutcome::Continue | RecordOutcome::Modify => Verdict::Continue,
        RecordOutcome::Approve => Verdict::Approve { by: None },
        RecordOutcome::Ask => Verdict::Ask { reason },
        RecordOutcome::Defer => Verdict::Defer { reason },
        RecordOutcome::Block => Verdict::Block { reason },
        RecordOutcome::AbortTurn => Verdict::AbortTurn { reason },
        RecordOutcome::AbortRun => Verdict::AbortRun { reason },
        RecordOutcome::Fault => return Some(Err(HandlerFault::failed(reason))),
        RecordOutcome::Respond | RecordOutcome::Skipped => return None,
    };
    let answer = HandlerAnswer::of(verdict);
    match &step.change {
        Some(change) => changed(answer, change, event).map(Ok),
        // Without its change, it would be another answer.
        None if step.outcome == RecordOutcome::Modify => None,
        None => Some(Ok(answer)),
    }
}

/// Adds a change to an answer: a JSON Patch of the event, as records hold it.
fn changed(
    mut answer: HandlerAnswer,
    change: &Value,
    event: &AgentEvent<'_>,
) -> Option<HandlerAnswer> {
    let patch: json_patch::Patch = serde_json::from_value(change.clone()).ok()?;
    let before = serde_json::to_value(event).ok()?;
    let mut after = before.clone();
    json_patch::patch(&mut after, &patch).ok()?;
    let fields = after.as_object_mut()?;
    fields.retain(|key, value| before.get(key) != Some(value));
    // What the verdict has done to the call, it does again.
    fields.remove("approval");
    if let Some(Value::Array(texts)) = fields.remove("context") {
        let old = before["context"].as_array().map_or(0, Vec::len);
        let texts = texts.iter().skip(old).filter_map(Value::as_str);
        answer.context.extend(texts.map(str::to_owned));
    }
    let args = fields.remove("args");
    answer.change = match (fields.remove("name"), args, fields.remove("output")) {
        (Some(Value::String(name)), args, _) => Some(Change::Tool { name, args }),
        (_, Some(all), _) | (_, None, Some(all)) => Some(Change::Replace(all)),
        _ if fields.is_empty() => None,
        _ => Some(Change::Merge(std::mem::take(fields))),
    };
    Some(answer)
}
