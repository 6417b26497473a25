//! `/hooks`: the hooks of the draft.

use axum::http::StatusCode;
use axum::response::IntoResponse;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Answer;
use super::aside::aside;
use super::caller::{Author, Caller};
use super::convert;
use super::extract::{Json, etag};
use super::problem::Problem;
use super::wire::{Hook, List};

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
pub(super) async fn list(caller: Caller) -> Answer<List<Hook>> {
    Ok(axum::Json(List::whole(caller.tenant.hooks().await?)))
}

/// Adds a hook to the draft. The body has the keys of `[[hooks.on]]`, and `scope`, `agents` and `mandatory`.
#[utoipa::path(post, path = "/hooks", request_body = Value, responses((status = 201, body = Created)))]
pub(super) async fn create(
    Author(caller, by): Author,
    Json(body): Json<Value>,
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
