//! `/samples` and `/import`: what hooks are tried on, and where they come from.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use hooks_core::agent::AgentContext;
use hooks_runtime::{DryRun, OwnedEvent};
use hooks_store::{ImportFormat, Mistake, NewSample, Sample, StoreError, Tenant};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::aside::aside;
use super::caller::{Author, Caller, Operator, other_tenant};
use super::extract::{Expected, Json, Path, Query, Text};
use super::problem::Problem;
use super::simulate::{Compiled, Simulated, hooks};
use super::wire::{self, ImportReport, List};
use super::{Answer, Api};
use crate::limits::SET;

/// Lists the saved events.
#[utoipa::path(get, path = "/samples", responses((status = 200, body = List<wire::Sample>)))]
pub(super) async fn list(caller: Caller) -> Answer<List<wire::Sample>> {
    Ok(axum::Json(List::whole(caller.tenant.samples().await?)))
}

/// An event to save.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct New {
    /// Its name.
    name: String,
    /// The event.
    event: String,
    /// Where it happens.
    #[serde(default)]
    cx: Value,
    /// Its fields.
    #[serde(default)]
    body: Value,
    /// What hooks are expected to decide: `continue`, `modify`, `ask`, `block`, …. Then a publication runs it first.
    #[serde(default)]
    expect: Option<String>,
}

/// Saves an event.
#[utoipa::path(post, path = "/samples", request_body = New, responses((status = 201, body = wire::Sample)))]
pub(super) async fn save(
    Operator(caller, by): Operator,
    Json(new): Json<New>,
) -> Result<impl IntoResponse, Problem> {
    let sample = NewSample {
        name: new.name,
        event: new.event,
        cx: new.cx,
        body: new.body,
        expect: new.expect,
    };
    let saved = caller.tenant.save_sample(&sample, &by).await?;
    Ok((StatusCode::CREATED, axum::Json(wire::Sample::from(saved))))
}

/// Removes a saved event.
#[utoipa::path(delete, path = "/samples/{id}", params(("id" = String, Path, description = "The id of the sample")), responses((status = 204)))]
pub(super) async fn delete(
    Operator(caller, by): Operator,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    caller.tenant.delete_sample(&id, &by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What hooks decided about a sample.
pub(crate) struct Tried {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) expect: Option<String>,
    pub(crate) outcome: String,
    pub(crate) hook: Option<String>,
}

impl Tried {
    /// Whether it is a test, and its hooks decided something else than it expects.
    pub(crate) fn fails(&self) -> bool {
        self.expect
            .as_ref()
            .is_some_and(|expect| *expect != self.outcome)
    }
}

impl Api {
    /// Asks hooks about all samples of a tenant: a bundle, `true` for the draft, or what is in force. Nothing with effects
    /// runs.
    pub(crate) async fn try_samples(
        &self,
        tenant: &Tenant,
        draft: &Value,
    ) -> Result<Vec<Tried>, Problem> {
        let samples = tenant.samples().await?;
        if samples.is_empty() {
            return Ok(Vec::new());
        }
        let (of, draft) = (tenant.clone(), draft.clone());
        let set = aside(async move { hooks(&of, &draft).await }).await?;
        let compiled = Compiled::of(self, tenant, set, Some(DryRun::new())).await?;
        let mut tried = Vec::new();
        for Sample { id, saved, .. } in samples {
            let read = || -> Result<_, Problem> {
                let wrong = |error: &dyn std::fmt::Display| {
                    Problem::at("/samples", format!("{}: {error}", saved.name))
                };
                let event = OwnedEvent::from_json(&saved.event, saved.body.clone())
                    .map_err(|error| wrong(&error))?;
                let cx = match &saved.cx {
                    Value::Null => Ok(AgentContext::default()),
                    cx => serde_json::from_value(cx.clone()),
                };
                Ok((cx.map_err(|error| wrong(&error))?, event))
            };
            let (outcome, hook) = match read() {
                Ok((cx, event)) => {
                    let said = Simulated::of(compiled.ask(cx, event).await);
                    (said.outcome, said.hook)
                }
                Err(wrong) => (wrong.detail().to_owned(), None),
            };
            tried.push(Tried {
                id,
                name: saved.name,
                expect: saved.expect,
                outcome,
                hook,
            });
        }
        Ok(tried)
    }

    /// Checks that the draft decides about each sample what it expects.
    ///
    /// # Errors
    ///
    /// Each sample about which it decides something else.
    pub(crate) async fn expect_samples(&self, tenant: &Tenant) -> Result<(), Problem> {
        let tried = self.try_samples(tenant, &Value::Bool(true)).await?;
        let failed = tried.iter().filter(|sample| sample.fails()).map(|sample| {
            let expect = sample.expect.as_deref().unwrap_or_default();
            let what = format!(
                "sample {}: expected {expect}, and the draft says {}",
                sample.name, sample.outcome
            );
            Mistake {
                path: format!("/samples/{}", sample.id),
                message: what,
                help: Some(
                    "change the hooks or the sample, or publish despite the samples".to_owned(),
                ),
            }
        });
        let failed: Vec<_> = failed.collect();
        if failed.is_empty() {
            return Ok(());
        }
        Err(StoreError::Invalid(failed).into())
    }
}

/// Whose format a text has.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Format {
    /// `goclaw`, `claude`, `toml` or `bundle`.
    #[param(value_type = String)]
    format: ImportFormat,
}

/// Adds the hooks of a text to the draft: GoClaw's rows, a `settings.json` of Claude Code, a `hooks.toml`, a bundle.
#[utoipa::path(post, path = "/import", params(Format, ("if-match" = String, Header, description = "The `ETag` of the draft that this follows")), request_body(content = String, content_type = "text/plain"), responses((status = 200, body = ImportReport)))]
pub(super) async fn import(
    Author(caller, by): Author,
    Query(of): Query<Format>,
    Expected(expected): Expected<String>,
    Text(text): Text<SET>,
) -> Answer<ImportReport> {
    let report = aside(async move {
        if let Ok(value) = serde_json::from_str(&text) {
            other_tenant(&value, caller.tenant.id())?;
        }
        let tenant = &caller.tenant;
        let report = tenant.import_after(&expected, &text, of.format, &by);
        report.await.map_err(Problem::from)
    });
    Ok(axum::Json(report.await?.into()))
}
