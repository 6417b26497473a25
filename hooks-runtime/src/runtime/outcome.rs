//! The outcome of an event that is raised by its name.

use std::time::{Duration, Instant};

use hooks_core::agent::{AgentContext, AgentSaid};
use hooks_core::{HookAction, Scope};
use serde::Serialize;
use serde_json::Value;

use crate::filter::spent;
use crate::owned::OwnedEvent;
use crate::runtime::Runtime;

/// What hooks decided about an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Decided {
    /// The event continues.
    #[default]
    Continue,
    /// A hook answered in the agent's place.
    Respond,
    /// The event is blocked.
    Block,
    /// The turn ends.
    AbortTurn,
    /// The run ends.
    AbortRun,
}

impl Decided {
    /// Returns the word for it, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Decided::Continue => "continue",
            Decided::Respond => "respond",
            Decided::Block => "block",
            Decided::AbortTurn => "abort_turn",
            Decided::AbortRun => "abort_run",
        }
    }
}

/// The outcome of an event: the decision, and what hooks changed.
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::{Decided, OwnedEvent, Runtime};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder()
///     .text("[[hooks.on]]\nname = 'dry'\nevent = 'BeforeToolCall'\nmodify = { dry_run = true }")
///     .build()
///     .await?;
/// let mut event = OwnedEvent::from_json("BeforeToolCall", json!({ "name": "deploy" }))?;
/// let outcome = runtime.fire(&AgentContext::new("s1"), &mut event).await;
/// assert_eq!(outcome.decision, Decided::Continue);
/// assert_eq!(outcome.change, json!([{ "op": "add", "path": "/args/dry_run", "value": true }]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Outcome {
    /// The event.
    pub event: &'static str,
    /// The decision.
    pub decision: Decided,
    /// The hook that blocked the event or ended more than that, if one did.
    pub hook: Option<String>,
    /// Its reason.
    pub reason: Option<String>,
    /// What hooks changed in the event, as a JSON Patch.
    pub change: Value,
    /// What a hook answered, if one did.
    pub output: Option<Value>,
    /// How long all hooks took together.
    #[serde(rename = "duration_us", serialize_with = "micros")]
    pub duration: Duration,
}

fn micros<S: serde::Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
}

impl Outcome {
    fn new(event: &'static str, said: AgentSaid) -> Self {
        let mut outcome = Outcome {
            event,
            decision: Decided::Continue,
            hook: None,
            reason: None,
            change: Value::Array(Vec::new()),
            output: None,
            duration: Duration::ZERO,
        };
        let mut answered = |response: Result<Value, serde_json::Error>| {
            outcome.decision = Decided::Respond;
            outcome.output = response.ok();
        };
        match said {
            AgentSaid::BeforeToolCall(HookAction::Respond(output))
            | AgentSaid::InvalidToolCall(HookAction::Respond(output)) => {
                answered(serde_json::to_value(output));
            }
            AgentSaid::ApproveToolCall(HookAction::Respond(approved)) => {
                answered(serde_json::to_value(approved));
            }
            AgentSaid::BeforeLlmCall(HookAction::Respond(response)) => {
                answered(serde_json::to_value(response));
            }
            AgentSaid::LlmFailed(HookAction::Respond(retry))
            | AgentSaid::AfterLlmCall(HookAction::Respond(retry)) => {
                answered(serde_json::to_value(retry));
            }
            AgentSaid::Cancel {
                scope,
                reason,
                hook,
                ..
            } => {
                outcome.decision = match scope {
                    Scope::Event => Decided::Block,
                    Scope::Turn => Decided::AbortTurn,
                    Scope::Run => Decided::AbortRun,
                };
                outcome.reason = Some(reason.into_owned());
                outcome.hook = hook.map(std::borrow::Cow::into_owned);
            }
            // Pipelines apply changes themselves.
            _ => {}
        }
        outcome
    }
}

impl Runtime {
    /// Runs all hooks of the files on an event, and returns the outcome.
    ///
    /// It does the same as [`dispatch`](Self::dispatch), and also returns the change and the duration, for programs
    /// that show them.
    pub async fn fire(&self, cx: &AgentContext, event: &mut OwnedEvent) -> Outcome {
        let before = event.to_json();
        let name = event.name();
        let started = Instant::now();
        let (said, _) = spent::counted(self.dispatch(cx, event.as_mut())).await;
        let duration = started.elapsed();
        let change = json_patch::diff(&before, &event.to_json());
        Outcome {
            change: serde_json::to_value(change).unwrap_or_default(),
            duration,
            ..Outcome::new(name, said)
        }
    }
}
