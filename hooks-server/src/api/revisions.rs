//! `/revisions`: what was published.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use hooks_runtime::Bundle;
use hooks_runtime::entry::Mode;
use hooks_store::{By, Tenant};
use serde::Deserialize;
use utoipa::ToSchema;

use super::aside::aside;
use super::caller::{ApiCaller, Publisher};
use super::extract::{Expected, JsonBody, Path, Query, Tagged, etag};
use super::problem::{Problem, found};
use super::wire::{List, PageQuery, Published, Revision};
use super::{Api, ApiAnswer};

/// Why something is published.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct Publish {
    /// The reason, which the list of revisions shows.
    #[serde(default)]
    comment: String,
    /// Publish although the draft decides something else about a sample than it expects.
    #[serde(default)]
    despite_samples: bool,
}

/// Why an older revision is published again.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct Rollback {
    /// The reason, which the list of revisions shows.
    #[serde(default)]
    comment: String,
    /// Whether the draft keeps what it has changed since the last publication. By default, it is what that revision had.
    #[serde(default)]
    keep_draft: bool,
}

/// Lists the revisions, newest first.
#[utoipa::path(get, path = "/revisions", params(PageQuery), responses((status = 200, body = List<Revision>)))]
pub(super) async fn list(
    caller: ApiCaller,
    Query(page): Query<PageQuery>,
) -> ApiAnswer<List<Revision>> {
    let found = caller.tenant.revisions(page.cursor, page.limit()).await?;
    Ok(axum::Json(List::page(found)))
}

/// Publishes the draft. If it has a mistake, or decides something else about a sample than this expects, nothing changes, and
/// `errors` has every one.
#[utoipa::path(post, path = "/revisions", params(("if-match" = String, Header, description = "The `ETag` of the draft that is published")), request_body = Publish, responses((status = 201, body = Published), (status = 200, description = "Nothing differs from the revision in force", body = Published)))]
pub(super) async fn publish(
    State(api): State<Arc<Api>>,
    Publisher(caller, by): Publisher,
    Expected(expected): Expected<String>,
    JsonBody(body): JsonBody<Publish>,
) -> Result<impl IntoResponse, Problem> {
    if !body.despite_samples {
        api.expect_samples(&caller.tenant).await?;
    }
    let by = by.comment(body.comment).after(expected);
    let new = async move { caller.tenant.publish(&by).await };
    Ok(published(aside(new).await?))
}

/// Returns a revision as a bundle.
#[utoipa::path(get, path = "/revisions/{n}", params(("n" = u64, Path, description = "The number of the revision")), responses((status = 200, body = serde_json::Value)))]
pub(super) async fn get(caller: ApiCaller, Path(number): Path<u64>) -> Tagged<Bundle> {
    let set = found(caller.tenant.revision(number).await?, "revision", number)?;
    Ok((etag(set.sha256()), axum::Json(set)))
}

/// Publishes what an older revision had, as a new one. The draft follows, or keeps what is not published.
#[utoipa::path(post, path = "/revisions/{n}/rollback", params(("n" = u64, Path, description = "The number of the revision")), request_body = Rollback, responses((status = 201, body = Published), (status = 200, description = "It is in force already", body = Published)))]
pub(super) async fn rollback(
    Publisher(caller, by): Publisher,
    Path(number): Path<u64>,
    JsonBody(asked): JsonBody<Rollback>,
) -> Result<impl IntoResponse, Problem> {
    let by = by.comment(asked.comment);
    let new = roll_back(caller.tenant, number, asked.keep_draft, by);
    Ok(published(new.await?))
}

/// Publishes what an older revision had. The draft keeps what is not published, or follows.
pub(crate) async fn roll_back(
    tenant: Tenant,
    number: u64,
    keeps: bool,
    by: By,
) -> Result<hooks_store::Published, Problem> {
    let new = async move {
        if keeps {
            tenant.rollback_keeping_draft(number, &by).await
        } else {
            tenant.rollback(number, &by).await
        }
    };
    aside(new).await
}

/// The mode that a hook gets at once.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Turn {
    /// The name of the hook.
    hook: String,
    /// `enforce`, `shadow` or `off`.
    #[schema(value_type = String)]
    mode: Mode,
    /// Why.
    #[serde(default)]
    comment: String,
}

/// Publishes what is live with another mode of one hook, and nothing else of the draft. The draft has the mode, too.
#[utoipa::path(post, path = "/revisions/mode", request_body = Turn, responses((status = 201, body = Published), (status = 200, description = "It has the mode already", body = Published)))]
pub(super) async fn turn(
    Publisher(caller, by): Publisher,
    JsonBody(turn): JsonBody<Turn>,
) -> Result<impl IntoResponse, Problem> {
    let by = by.comment(turn.comment);
    let new = async move { caller.tenant.publish_mode(&turn.hook, turn.mode, &by).await };
    Ok(published(aside(new).await?))
}

fn published(published: hooks_store::Published) -> impl IntoResponse {
    let status = if published.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    (status, axum::Json(Published::from(published)))
}
