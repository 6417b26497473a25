//! What one hook did with an event, and how its place in the pipeline hands it to the record of the event.

use std::cell::RefCell;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{RecordOutcome, micros};

/// What one hook did with an event: a part of a [`Record`](crate::Record).
///
/// ```
/// use hooks_runtime::{RecordOutcome, RecordStep};
///
/// let step = RecordStep::new("no-force-push", RecordOutcome::Block);
/// let json = serde_json::to_value(&step).unwrap();
/// assert_eq!((&json["hook"], &json["outcome"]), (&"no-force-push".into(), &"block".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordStep {
    /// The hook's name.
    pub hook: String,
    /// The version of the hook, if it comes from a store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook_version: Option<u64>,
    /// The file with the definition, and the line; empty if the hook is not a definition.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The kind of its handler: `rule`, `command`, `http`, `prompt` or `process`; `builtin` for a hook of the runtime, and
    /// `compiled` for one of the agent's own code.
    pub handler: String,
    /// What it did.
    pub outcome: RecordOutcome,
    /// Whether it judged again, because a later hook had changed the event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// Whether it ran in shadow mode, without any effect for the agent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Which limit was reached, or how it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The reason that the hook gave, or the message of its failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    #[serde(rename = "duration_us", with = "micros")]
    pub duration: Duration,
    /// What it changed, as a JSON Patch of the event. Only recorders get it: to find it, the event is compared as a
    /// whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Value>,
    /// The hook's messages for the user.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Warnings about the hook's answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Default for RecordStep {
    fn default() -> Self {
        RecordStep::new("", RecordOutcome::Continue)
    }
}

impl RecordStep {
    /// Whether the hook failed, and the event went on: a guard that did not guard.
    #[must_use]
    pub fn has_failed_open(&self) -> bool {
        !self.shadow && self.why.ends_with(GOES_ON)
    }

    /// Creates the step of a hook.
    #[must_use]
    pub fn new(hook: impl Into<String>, outcome: RecordOutcome) -> Self {
        RecordStep {
            hook: hook.into(),
            hook_version: None,
            source: String::new(),
            handler: String::new(),
            outcome,
            again: false,
            shadow: false,
            why: String::new(),
            reason: None,
            duration: Duration::ZERO,
            change: None,
            messages: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// What the `why` of a hook ends with that failed while the event went on.
pub(crate) const GOES_ON: &str = ", and the event goes on";

thread_local! {
    /// The steps of the place in the pipeline that ends now. It notes them in the same poll in which the probe of its
    /// dispatch sees it end, so those of two dispatches never mix.
    static NOTES: RefCell<Vec<RecordStep>> = const { RefCell::new(Vec::new()) };
}

/// Notes a step, for the record of the event.
pub(crate) fn note(step: RecordStep) {
    NOTES.with_borrow_mut(|notes| notes.push(step));
}

/// Takes the steps that were noted.
pub(crate) fn notes() -> Vec<RecordStep> {
    NOTES.take()
}
