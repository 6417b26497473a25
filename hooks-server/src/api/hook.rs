//! `/hooks`: the hooks of the draft, and their versions.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::ApiAnswer;
use super::aside::aside;
use super::caller::{ApiCaller, Author};
use super::convert;
use super::extract::{Expected, JsonBody, Path, Query, Tagged, etag};
use super::problem::{Problem, found};
use super::wire::{Hook, HookVersion, List, PageQuery};

/// A hook that is new.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Created {
    /// Its id.
    id: String,
    /// Its version. It is the `ETag`.
    version: u64,
}

/// Lists the hooks of the draft, in their order.
#[utoipa::path(get, path = "/hooks", responses((status = 200, body = List<Hook>)))]
pub(super) async fn list(caller: ApiCaller) -> ApiAnswer<List<Hook>> {
    Ok(axum::Json(List::whole(caller.tenant.hooks().await?)))
}

/// Adds a hook to the draft. The body has the keys of `[[hooks.on]]`, and `scope`, `agents` and `mandatory`.
#[utoipa::path(post, path = "/hooks", request_body = Value, responses((status = 201, body = Created)))]
pub(super) async fn create(
    Author(caller, by): Author,
    JsonBody(body): JsonBody<Value>,
) -> Result<impl IntoResponse, Problem> {
    let saved = async move {
        convert::whole(&body)?;
        caller.tenant.create(&body, &by).await
    };
    let hook = aside(saved).await?;
    let (id, version) = (hook.id, hook.version);
    let created = axum::Json(Created { id, version });
    Ok((StatusCode::CREATED, etag(version), created))
}

/// Returns a hook of the draft, with its version as the `ETag`.
#[utoipa::path(get, path = "/hooks/{id}", params(("id" = String, Path, description = "The id of the hook")), responses((status = 200, body = Hook)))]
pub(super) async fn get(caller: ApiCaller, Path(id): Path<String>) -> Tagged<Hook> {
    let hook = found(caller.tenant.hook(&id).await?, "hook", &id)?;
    Ok((etag(hook.version), axum::Json(hook.into())))
}

/// Saves a new version of a hook.
#[utoipa::path(put, path = "/hooks/{id}", params(("id" = String, Path, description = "The id of the hook"), ("if-match" = String, Header, description = "The `ETag` of the version that this follows")), request_body = Value, responses((status = 200, body = Hook)))]
pub(super) async fn put(
    Author(caller, by): Author,
    Path(id): Path<String>,
    Expected(expected): Expected,
    JsonBody(body): JsonBody<Value>,
) -> Tagged<Hook> {
    let saved = async move {
        convert::whole(&body)?;
        caller.tenant.update(&id, expected, &body, &by).await
    };
    let hook = aside(saved).await?;
    Ok((etag(hook.version), axum::Json(hook.into())))
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
    caller: ApiCaller,
    Path(id): Path<String>,
    Query(page): Query<PageQuery>,
) -> ApiAnswer<List<HookVersion>> {
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
    caller: ApiCaller,
    Path((id, version)): Path<(String, u64)>,
) -> ApiAnswer<Value> {
    let body = caller.tenant.version(&id, version).await?;
    found(body, "version", version).map(axum::Json)
}

/// Saves an old version of a hook as its newest one. A deleted hook comes back.
#[utoipa::path(post, path = "/hooks/{id}/versions/{version}/restore", params(("id" = String, Path, description = "The id of the hook"), ("version" = u64, Path, description = "The version that comes back"), ("if-match" = String, Header, description = "The `ETag` of the newest version")), responses((status = 200, body = Hook)))]
pub(super) async fn restore(
    Author(caller, by): Author,
    Path((id, version)): Path<(String, u64)>,
    Expected(expected): Expected,
) -> Tagged<Hook> {
    let hook = caller.tenant.restore(&id, version, expected, &by).await?;
    Ok((etag(hook.version), axum::Json(hook.into())))
}
