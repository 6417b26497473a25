//! A hook is tried: one event, this hook alone, as it is typed. Nothing with effects runs.

use axum::http::StatusCode;
use hooks_core::agent::AgentContext;
use hooks_runtime::{DryRun, OwnedEvent};
use hooks_store::Role;
use serde_json::{Map, Value, json};

use super::Console;
use super::diff::{Line, between};
use super::executions::{changed, look, outcome, pretty, took};
use super::form::Sent;
use super::session::Visitor;
use crate::api::problem::Problem;
use crate::api::simulate::{alone, event, simulate};

/// The panel with the event, and what came of it.
pub(super) struct Trial {
    /// The event as JSON, as the API takes it.
    pub(super) event: String,
    /// The samples of the tenant: their ids and names.
    pub(super) samples: Vec<(String, String)>,
    pub(super) result: Option<Result<Tried, String>>,
}

/// What a hook would do.
pub(super) struct Tried {
    pub(super) outcome: String,
    pub(super) look: &'static str,
    pub(super) took: String,
    pub(super) why: String,
    pub(super) reason: Option<String>,
    pub(super) output: Option<String>,
    pub(super) lines: Vec<Line>,
}

impl Trial {
    /// A panel with an event that the hook is for.
    pub(super) async fn new(visitor: &Visitor, hook: &Value, sent: &Sent) -> Result<Self, Problem> {
        let samples = visitor.caller.tenant.samples().await?.into_iter();
        let event = sent.text("trial");
        Ok(Trial {
            event: if event.is_empty() {
                example(hook)
            } else {
                event
            },
            samples: samples
                .map(|sample| (sample.id, sample.saved.name))
                .collect(),
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
        let samples = visitor.caller.tenant.samples().await?;
        if let Some(sample) = samples.into_iter().find(|sample| sample.id == chosen) {
            let mut fields = sample.saved.body;
            fields["event"] = sample.saved.event.into();
            self.event = pretty(&fields);
            cx = serde_json::from_value(sample.saved.cx).unwrap_or(cx);
        }
        self.result = match tried(console, visitor, hook, cx, &self.event).await {
            Ok(tried) => Some(Ok(tried)),
            Err(problem) if problem.status() == StatusCode::UNPROCESSABLE_ENTITY => {
                Some(Err(problem.detail().to_owned()))
            }
            Err(problem) => return Err(problem),
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
    let (api, tenant) = (&console.api, &visitor.caller.tenant);
    let fields: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| Problem::at("/event", format!("the event is no JSON object: {error}")))?;
    let event = event(fields)?;
    let before = event.to_json();
    let hooks = alone(tenant, hook).await?;
    let (outcome_of_all, steps) =
        simulate(api, tenant, hooks, Some(DryRun::new()), cx, event).await?;
    let step = steps.into_iter().next();
    let word = step.as_ref().and_then(|step| step.outcome.clone());
    let after = changed(&before, &outcome_of_all.change);
    Ok(Tried {
        look: word
            .as_deref()
            .map_or(Ok(""), |word| outcome(word).map(look))?,
        outcome: word.unwrap_or_else(|| "does not run".to_owned()),
        took: took(outcome_of_all.duration),
        why: step.map_or_else(
            || "The hook is not for this event.".to_owned(),
            |step| step.why,
        ),
        reason: outcome_of_all.reason,
        output: outcome_of_all.output.as_ref().map(pretty),
        lines: after
            .filter(|after| *after != before)
            .map_or_else(Vec::new, |after| between(&before, &after)),
    })
}

/// An event that a hook is for, as far as it can be known.
fn example(hook: &Value) -> String {
    let first = |key: &str| {
        let value = &hook[key];
        value
            .as_str()
            .or_else(|| value[0].as_str())
            .filter(|text| !text.contains('*'))
    };
    let event = first("event").and_then(|name| OwnedEvent::from_json(name, json!({})).ok());
    let name = event.map_or("BeforeToolCall", |event| event.name());
    let known = OwnedEvent::fields_of(name);
    let mut fields = json!({ "event": name });
    for (key, value) in [
        ("name", json!(first("tools").unwrap_or("Bash"))),
        ("args", json!({ "command": "ls" })),
        ("prompt", json!("List the files.")),
    ] {
        if known.contains(&key) {
            fields[key] = value;
        }
    }
    pretty(&fields)
}
