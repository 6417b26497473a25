//! `/draft`: the set as it is edited, as one document.

use hooks_runtime::Bundle;
use serde_json::Value;

use super::ApiAnswer;
use super::aside::aside;
use super::caller::{ApiCaller, Author};
use super::extract::{Expected, JsonBody, Tagged, etag};
use super::problem::Problem;
use super::wire::DraftReport;
use crate::limits::SET;

/// Returns the draft as a bundle.
#[utoipa::path(get, path = "/draft", responses((status = 200, body = Value)))]
pub(super) async fn get(caller: ApiCaller) -> Tagged<Bundle> {
    let draft = caller.tenant.draft().await?;
    Ok((etag(draft.sha256()), axum::Json(draft)))
}

/// Replaces the whole draft by a bundle.
#[utoipa::path(put, path = "/draft", params(("if-match" = String, Header, description = "The `ETag` of the draft that this follows")), request_body = Value, responses((status = 200, body = DraftReport)))]
pub(super) async fn put(
    Author(caller, by): Author,
    Expected(expected): Expected<String>,
    JsonBody(body): JsonBody<Value, SET>,
) -> ApiAnswer<DraftReport> {
    let by = by.after(expected);
    let report = aside(async move {
        let new = bundle(&body)?;
        let report = caller.tenant.put_draft(&new, &by);
        report.await.map_err(Problem::from)
    });
    Ok(axum::Json(report.await?.into()))
}

/// Reads the bundle of a request.
pub(super) fn bundle(body: &Value) -> Result<Bundle, Problem> {
    Bundle::read(&body.to_string()).map_err(|error| Problem::at("", error.to_string()))
}
