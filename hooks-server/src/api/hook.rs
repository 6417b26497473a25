//! `/hooks/{id}`: a hook of the draft, and its versions.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde_json::Value;

use super::Answer;
use super::aside::aside;
use super::caller::{Author, Caller};
use super::convert;
use super::extract::{Expected, Json, Path, Query, etag};
use super::problem::{Problem, found};
use super::wire::{Hook, HookVersion, List, PageQuery};

/// Returns a hook of the draft, with its version as the `ETag`.
#[utoipa::path(get, path = "/hooks/{id}", params(("id" = String, Path, description = "The id of the hook")), responses((status = 200, body = Hook)))]
pub(super) async fn get(
    caller: Caller,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Problem> {
    let hook = found(caller.tenant.hook(&id).await?, "hook", &id)?;
    Ok((etag(hook.version), axum::Json(Hook::from(hook))))
}

/// Saves a new version of a hook.
#[utoipa::path(put, path = "/hooks/{id}", params(("id" = String, Path, description = "The id of the hook"), ("if-match" = String, Header, description = "The `ETag` of the version that this follows")), request_body = Value, responses((status = 200, body = Hook)))]
pub(super) async fn put(
    Author(caller, by): Author,
    Path(id): Path<String>,
    Expected(expected): Expected,
    Json(body): Json<Value>,
) -> Result<impl IntoResponse, Problem> {
    let saved = async move {
        convert::whole(&body)?;
        caller.tenant.update(&id, expected, &body, &by).await
    };
    let hook = aside(saved).await?;
    Ok((etag(hook.version), axum::Json(Hook::from(hook))))
}

/// Takes a hook out of the draft. Its versions stay.
#[utoipa::path(delete, path = "/hooks/{id}", params(("id" = String, Path, description = "The id of the hook"), ("if-match" = String, Header, description = "The `ETag` of the newest version")), responses((status = 204)))]
pub(super) async fn delete(
    Author(caller, by): Author,
    Path(id): Path<String>,
    Expected(expected): Expected,
) -> Result<StatusCode, Problem> {
    caller.tenant.delete(&id, expected, &by).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the versions of a hook, newest first, also of one that is deleted.
#[utoipa::path(get, path = "/hooks/{id}/versions", params(("id" = String, Path, description = "The id of the hook"), PageQuery), responses((status = 200, body = List<HookVersion>)))]
pub(super) async fn versions(
    caller: Caller,
    Path(id): Path<String>,
    Query(page): Query<PageQuery>,
) -> Answer<List<HookVersion>> {
    let versions = caller.tenant.versions(&id, page.cursor, page.limit());
    let versions = versions.await?;
    if versions.items.is_empty() && page.cursor.is_none() {
        return Err(Problem::no("hook", &id));
    }
    Ok(axum::Json(List::page(versions)))
}

/// Returns a hook as one of its versions has it.
#[utoipa::path(get, path = "/hooks/{id}/versions/{version}", params(("id" = String, Path, description = "The id of the hook"), ("version" = u64, Path, description = "The number of the version")), responses((status = 200, body = Value)))]
pub(super) async fn version(
    caller: Caller,
    Path((id, version)): Path<(String, u64)>,
) -> Answer<Value> {
    let body = found(
        caller.tenant.version(&id, version).await?,
        "version",
        version,
    )?;
    Ok(axum::Json(body))
}

/// Saves an old version of a hook as its newest one. A deleted hook comes back.
#[utoipa::path(post, path = "/hooks/{id}/versions/{version}/restore", params(("id" = String, Path, description = "The id of the hook"), ("version" = u64, Path, description = "The version that comes back"), ("if-match" = String, Header, description = "The `ETag` of the newest version")), responses((status = 200, body = Hook)))]
pub(super) async fn restore(
    Author(caller, by): Author,
    Path((id, version)): Path<(String, u64)>,
    Expected(expected): Expected,
) -> Result<impl IntoResponse, Problem> {
    let hook = caller.tenant.restore(&id, version, expected, &by).await?;
    Ok((etag(hook.version), axum::Json(Hook::from(hook))))
}
