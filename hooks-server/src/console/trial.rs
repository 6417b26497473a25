//! A hook is tried: one event, this hook alone, as it is typed. Nothing with effects runs.

use axum::http::StatusCode;
use hooks_core::agent::AgentContext;
use hooks_runtime::{Outcome, OwnedEvent};
use hooks_store::{Role, Sample};
use serde_json::{Value, json};

use super::Console;
use super::diff::{Line, between, pretty};
use super::executions::{changed, look_of, took};
use super::form::Sent;
use super::session::Visitor;
use crate::api::problem::Problem;
use crate::api::simulate::{Step, event};

/// The panel with the event, and what came of it.
pub(super) struct Trial {
    /// The event as JSON, as the API takes it.
    pub(super) event: String,
    pub(super) samples: Vec<Sample>,
    pub(super) result: Option<Result<Tried, String>>,
}

/// What a hook would do.
pub(super) struct Tried {
    pub(super) outcome: Outcome,
    pub(super) step: Option<Step>,
    pub(super) lines: Vec<Line>,
}

impl Tried {
    /// What the hook did, in a word, and how it looks.
    pub(super) fn word(&self) -> (&str, &'static str) {
        let word = self.step.as_ref().and_then(|step| step.outcome.as_deref());
        (word.unwrap_or("does not run"), look_of(word))
    }

    pub(super) fn took(&self) -> String {
        took(self.outcome.duration)
    }

    pub(super) fn output(&self) -> Option<String> {
        self.outcome.output.as_ref().map(pretty)
    }
}

impl Trial {
    /// A panel with the event that was sent, or with one that the hook is for.
    pub(super) async fn new(visitor: &Visitor, hook: &Value, sent: &Sent) -> Result<Self, Problem> {
        let event = sent.get("trial").filter(|event| !event.is_empty());
        Ok(Trial {
            event: event.unwrap_or_else(|| example(hook)),
            samples: visitor.caller.tenant.samples().await?,
            result: None,
        })
    }

    /// Tries the hook, on the sample that was chosen or on the event that was written.
    pub(super) async fn run(
        &mut self,
        console: &Console,
        visitor: &Visitor,
        hook: &Value,
        sent: &Sent,
    ) -> Result<(), Problem> {
        visitor.caller.at_least(Role::Operator)?;
        let mut cx = AgentContext::new("trial");
        let chosen = sent.text("sample");
        if let Some(sample) = self.samples.iter().find(|sample| sample.id == chosen) {
            let mut event = sample.saved.body.clone();
            event["event"] = sample.saved.event.clone().into();
            self.event = pretty(&event);
            cx = serde_json::from_value(sample.saved.cx.clone()).unwrap_or(cx);
        }
        self.result = match tried(console, visitor, hook, cx, &self.event).await {
            Err(problem) if problem.status() == StatusCode::UNPROCESSABLE_ENTITY => {
                Some(Err(problem.detail().to_owned()))
            }
            tried => Some(Ok(tried?)),
        };
        Ok(())
    }
}

async fn tried(
    console: &Console,
    visitor: &Visitor,
    hook: &Value,
    cx: AgentContext,
    text: &str,
) -> Result<Tried, Problem> {
    let fields = serde_json::from_str(text);
    let no_json = |error| Problem::at("/event", format!("the event is no JSON object: {error}"));
    let event = event(fields.map_err(no_json)?)?;
    let before = event.to_json();
    let tried = console.api.try_alone(&visitor.caller, hook, cx, event);
    let (outcome, steps) = tried.await?;
    let after = changed(&before, &outcome.change).filter(|after| *after != before);
    Ok(Tried {
        lines: after.map_or_else(Vec::new, |after| between(&before, &after)),
        step: steps.into_iter().next(),
        outcome,
    })
}

/// An event that a hook is for, as far as it can be known.
fn example(hook: &Value) -> String {
    let first = |key: &str| hook[key].as_str().or_else(|| hook[key][0].as_str());
    let tool = first("tools").filter(|tool| !tool.contains(['*', '{', '?']));
    let call = json!({ "name": tool.unwrap_or("Bash"), "args": { "command": "ls" } });
    let named = first("event").and_then(|name| OwnedEvent::from_json(name, json!({})).ok());
    let name = named.map_or("BeforeToolCall", |event| event.name());
    let mut fields = json!({ "event": name });
    for (key, value) in call.as_object().into_iter().flatten() {
        if OwnedEvent::fields_of(name).contains(&key.as_str()) {
            fields[key] = value.clone();
        }
    }
    pretty(&fields)
}
