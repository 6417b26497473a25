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

/// Lists the saved events; with the token of an agent, those of that agent.
#[utoipa::path(get, path = "/samples", responses((status = 200, body = List<wire::Sample>)))]
pub(super) async fn list(caller: Caller) -> Answer<List<wire::Sample>> {
    let mut samples = caller.tenant.samples().await?;
    if let Some(own) = &caller.agent {
        samples.retain(|sample| sample.saved.cx["agent_id"] == **own);
    }
    Ok(axum::Json(List::whole(samples)))
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
        let expect = self.expect.as_ref();
        expect.is_some_and(|expect| *expect != self.outcome)
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
            let cx = match saved.cx {
                Value::Null => Ok(AgentContext::default()),
                cx => serde_json::from_value(cx).map_err(|error| error.to_string()),
            };
            let event = OwnedEvent::from_json(&saved.event, saved.body);
            let event = event.map_err(|error| error.to_string());
            let (outcome, hook) = match event.and_then(|event| Ok((cx?, event))) {
                Ok((cx, event)) => {
                    let said = Simulated::of(compiled.ask(cx, event).await);
                    (said.outcome, said.hook)
                }
                Err(wrong) => (format!("{}: {wrong}", saved.name), None),
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
        let help = "change the hooks or the sample, or publish despite the samples";
        let mistake = |sample: Tried| {
            let (id, name, said) = (sample.id, sample.name, sample.outcome);
            let expect = sample.expect.unwrap_or_default();
            Mistake {
                path: format!("/samples/{id}"),
                message: format!("sample {name}: expected {expect}, and the draft says {said}"),
                help: Some(help.to_owned()),
            }
        };
        let failed: Vec<_> = tried
            .into_iter()
            .filter(Tried::fails)
            .map(mistake)
            .collect();
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
    let by = by.after(expected);
    let report = aside(async move {
        if let Ok(value) = serde_json::from_str(&text) {
            other_tenant(&value, caller.tenant.id())?;
        }
        let tenant = &caller.tenant;
        let report = tenant.import(&text, of.format, &by);
        report.await.map_err(Problem::from)
    });
    Ok(axum::Json(report.await?.into()))
}
