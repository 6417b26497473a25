//! `/samples` and `/import`: what hooks are tried on, and where they come from.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use hooks_core::agent::AgentContext;
use hooks_runtime::Trials;
use hooks_runtime::entry::{Expect, TestEntry};
use hooks_store::{ImportFormat, Mistake, Sample, StoreError, Tenant};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::aside::aside;
use super::caller::{ApiCaller, Author, Operator, other_tenant};
use super::extract::{Expected, JsonBody, Path, Query, TextBody};
use super::problem::Problem;
use super::simulate::hooks;
use super::wire::{self, ImportReport, List};
use super::{Api, ApiAnswer};
use crate::limits::SET;

/// Lists the saved events; with the token of an agent, those of that agent.
#[utoipa::path(get, path = "/samples", responses((status = 200, body = List<wire::Sample>)))]
pub(super) async fn list(caller: ApiCaller) -> ApiAnswer<List<wire::Sample>> {
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
    /// What hooks are expected to decide: `continue`, `modify`, `ask`, `block`, …, or an object with `decision`, `hook`, `reason`
    /// and `change`, as in `[[hooks.test]]`. Then a publication runs it first.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    expect: Option<Expect>,
}

/// Saves an event.
#[utoipa::path(post, path = "/samples", request_body = New, responses((status = 201, body = wire::Sample)))]
pub(super) async fn save(
    Operator(caller, by): Operator,
    JsonBody(new): JsonBody<New>,
) -> Result<impl IntoResponse, Problem> {
    let sample = TestEntry {
        name: new.name,
        event: new.event,
        cx: new.cx,
        body: new.body,
        expect: new.expect,
        ..TestEntry::default()
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
pub(crate) struct SampleOutcome {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) expect: Option<Expect>,
    pub(crate) outcome: String,
    pub(crate) hook: Option<String>,
    /// What it expects otherwise, in sentences.
    pub(crate) differences: Vec<String>,
}

impl SampleOutcome {
    /// Whether it is a test, and its hooks decided something else than it expects.
    pub(crate) fn fails(&self) -> bool {
        !self.differences.is_empty()
    }
}

impl Api {
    /// Asks hooks about all samples of a tenant: a bundle, `true` for the draft, or what is in force. Nothing with effects
    /// runs.
    pub(crate) async fn try_samples(
        &self,
        tenant: &Tenant,
        draft: &Value,
    ) -> Result<Vec<SampleOutcome>, Problem> {
        let samples = tenant.samples().await?;
        if samples.is_empty() {
            return Ok(Vec::new());
        }
        let (of, draft) = (tenant.clone(), draft.clone());
        let set = aside(async move { hooks(&of, &draft).await }).await?;
        let builder = self.builder_of(tenant, set).await?;
        let trials = async move {
            let trials = Trials::new(builder).await;
            trials.map_err(|error| Problem::at("/draft", error.to_string()))
        };
        let mut trials = Box::pin(aside(trials)).await?;
        let mut tried = Vec::new();
        for Sample { id, mut saved, .. } in samples {
            if let Value::Object(cx) = &mut saved.cx {
                cx.remove("tenant_id");
            }
            let cx = AgentContext {
                tenant_id: Some(tenant.id().to_owned()),
                ..AgentContext::default()
            };
            let (outcome, hook, differences) = match trials.ask(&saved, cx).await {
                Ok(said) => (said.decision.decision, said.decision.hook, said.differences),
                Err(wrong) => {
                    let wrong = format!("{}: {wrong}", saved.name);
                    let expects = saved.expect.is_some().then(|| wrong.clone());
                    (wrong, None, expects.into_iter().collect())
                }
            };
            tried.push(SampleOutcome {
                id,
                name: saved.name,
                expect: saved.expect,
                outcome,
                hook,
                differences,
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
        let mistake = |sample: SampleOutcome| {
            let said = sample.differences.join("; ");
            Mistake {
                path: format!("/samples/{}", sample.id),
                message: format!("sample {}: {said}", sample.name),
                help: Some(help.to_owned()),
            }
        };
        let failed: Vec<_> = tried
            .into_iter()
            .filter(SampleOutcome::fails)
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
pub(crate) struct FormatQuery {
    /// `goclaw`, `claude`, `toml` or `bundle`.
    #[param(value_type = String)]
    format: ImportFormat,
}

/// Adds the hooks of a text to the draft: GoClaw's rows, a `settings.json` of Claude Code, a `hooks.toml`, a bundle.
#[utoipa::path(post, path = "/import", params(FormatQuery, ("if-match" = String, Header, description = "The `ETag` of the draft that this follows")), request_body(content = String, content_type = "text/plain"), responses((status = 200, body = ImportReport)))]
pub(super) async fn import(
    Author(caller, by): Author,
    Query(of): Query<FormatQuery>,
    Expected(expected): Expected<String>,
    TextBody(text): TextBody<SET>,
) -> ApiAnswer<ImportReport> {
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
