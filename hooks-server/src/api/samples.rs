//! `/samples` and `/import`: what hooks are tried on, and where they come from.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use hooks_store::{ImportFormat, NewSample, Role};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::aside::aside;
use super::caller::{Caller, other_tenant};
use super::extract::{Expected, Json, Path, Query, Text};
use super::problem::Problem;
use super::wire::{ImportReport, List, Sample};
use crate::limits::SET;

/// Lists the saved events.
#[utoipa::path(get, path = "/samples", responses((status = 200, body = List<Sample>)))]
pub(super) async fn list(caller: Caller) -> Result<axum::Json<List<Sample>>, Problem> {
    caller.at_least(Role::Viewer)?;
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
}

/// Saves an event.
#[utoipa::path(post, path = "/samples", request_body = New, responses((status = 201, body = Sample)))]
pub(super) async fn save(caller: Caller, new: Json<New>) -> Result<impl IntoResponse, Problem> {
    let by = caller.at_least(Role::Operator)?;
    let new = new.read().await?;
    let sample = NewSample {
        name: new.name,
        event: new.event,
        cx: new.cx,
        body: new.body,
    };
    let saved = caller.tenant.save_sample(&sample, &by).await?;
    Ok((StatusCode::CREATED, axum::Json(Sample::from(saved))))
}

/// Removes a saved event.
#[utoipa::path(delete, path = "/samples/{id}", params(("id" = String, Path, description = "The id of the sample")), responses((status = 204)))]
pub(super) async fn delete(caller: Caller, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let by = caller.at_least(Role::Operator)?;
    caller.tenant.delete_sample(&id, &by).await?;
    Ok(StatusCode::NO_CONTENT)
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
    caller: Caller,
    Query(of): Query<Format>,
    Expected(expected): Expected<String>,
    text: Text<SET>,
) -> Result<axum::Json<ImportReport>, Problem> {
    let by = caller.at_least(Role::Author)?;
    let text = text.read().await?;
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
