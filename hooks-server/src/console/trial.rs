//! Tries a hook while it is typed: one event, this hook alone. Nothing with effects runs.

use axum::http::StatusCode;
use hooks_core::agent::AgentContext;
use hooks_store::Role;
use serde_json::Value;

use super::diff::pretty;
use super::sent::FormFields;
use super::session::Visitor;
use super::simulator::{self, Simulation};
use crate::api::problem::Problem;
use crate::api::simulate::event;

/// The panel with the event, and what came of it.
pub(super) struct Trial {
    /// The event as JSON, as the API takes it.
    pub(super) event: String,
    /// The ids and the names of samples.
    pub(super) samples: Vec<(String, String)>,
    pub(super) result: Option<Result<Simulation, String>>,
}

impl Trial {
    /// A panel with the event that was sent, or with one that the hook is for.
    pub(super) async fn new(
        visitor: &Visitor,
        hook: &Value,
        sent: &FormFields,
    ) -> Result<Self, Problem> {
        let event = sent.get("trial").filter(|event| !event.is_empty());
        Ok(Trial {
            event: event.unwrap_or_else(|| example(hook)),
            samples: visitor.tenant().sample_names().await?,
            result: None,
        })
    }

    /// Tries the hook, on the sample that was chosen or on the event that was written.
    pub(super) async fn run(
        &mut self,
        visitor: &Visitor,
        hook: &Value,
        sent: &FormFields,
    ) -> Result<(), Problem> {
        visitor.at_least(Role::Operator)?;
        let mut cx = AgentContext::new("trial");
        let chosen = sent.text("sample");
        if let Some(sample) = visitor.tenant().sample(&chosen).await? {
            let mut event = sample.saved.body;
            event["event"] = sample.saved.event.into();
            self.event = pretty(&event);
            cx = serde_json::from_value(sample.saved.cx).unwrap_or(cx);
        }
        self.result = Some(tried(visitor, hook, cx, &self.event).await?);
        Ok(())
    }
}

/// Tries the hook on an event, or says why that is not possible.
async fn tried(
    visitor: &Visitor,
    hook: &Value,
    cx: AgentContext,
    text: &str,
) -> Result<Result<Simulation, String>, Problem> {
    let fields = serde_json::from_str(text).map_err(|error| simulator::unread("Event", &error));
    let event = fields
        .and_then(|fields| event(fields).map_err(|problem| format!("Event: {}", problem.detail())));
    let event = match event {
        Ok(event) => event,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let before = event.to_json();
    match visitor
        .api
        .try_alone(&visitor.caller, hook, cx, event)
        .await
    {
        Err(problem) if problem.status() == StatusCode::UNPROCESSABLE_ENTITY => {
            Ok(Err("The hook has mistakes: correct them first.".to_owned()))
        }
        tried => Ok(Ok(Simulation::of(&before, tried?))),
    }
}

/// An event that a hook is for, as far as it can be known.
fn example(hook: &Value) -> String {
    let first = |key: &str| hook[key].as_str().or_else(|| hook[key][0].as_str());
    let tool = first("tools").filter(|tool| !tool.contains(['*', '{', '?']));
    let of = |event| simulator::example(event, tool.unwrap_or("Bash")).ok();
    let known = first("event").and_then(of).or_else(|| of("BeforeToolCall"));
    pretty(&known.unwrap_or_default())
}
