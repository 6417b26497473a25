//! `/bundle`: what is in force, for agents on other machines.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_store::Tenant;
use serde::Deserialize;
use utoipa::IntoParams;

use super::Api;
use super::caller::Uncounted;
use super::extract::{IfNoneMatch, Query, etag};
use super::problem::Problem;

/// The only path that a token may ask as often as it likes: agents do, and an answer costs no statement.
pub(super) const PATH: &str = "/api/v1/bundle";

/// How long a client waits for news.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wait {
    /// How many seconds to wait for another bundle than that of `If-None-Match`, at most 60.
    #[param(maximum = 60)]
    wait: Option<u64>,
}

/// A bundle as agents get it.
pub(super) struct InForce {
    hash: String,
    text: Bytes,
}

impl Api {
    async fn in_force(&self, tenant: &Tenant) -> Result<Arc<InForce>, Problem> {
        let read = async {
            let mut bundle = tenant.bundle().await?;
            let hash = bundle.sha256();
            if let Some(key) = &self.key {
                bundle.sign(key);
            }
            let text = serde_json::to_vec(&bundle).unwrap_or_default().into();
            Ok(Arc::new(InForce { hash, text }))
        };
        let news = tenant.news().in_force;
        self.in_force.get(tenant.id(), news, read).await
    }
}

/// Returns the bundle in force, signed if the daemon has a key. With `If-None-Match`, 304 if it is the same.
#[utoipa::path(get, path = "/bundle", params(Wait, ("if-none-match" = Option<String>, Header, description = "The `ETag` of the bundle that the client has")), responses((status = 200, body = serde_json::Value), (status = 304, description = "The client has it")))]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    Uncounted(caller): Uncounted,
    Query(query): Query<Wait>,
    known: IfNoneMatch,
) -> Result<Response, Problem> {
    let _waits = match query.wait {
        Some(1..) => Some(caller.wait(&api)?),
        _ => None,
    };
    let mut published = caller.tenant.follow(|news| news.in_force.max(news.tokens));
    let wait = Duration::from_secs(query.wait.unwrap_or(0).min(60));
    let end = tokio::time::Instant::now() + wait;
    loop {
        let InForce { hash, text } = &*api.in_force(&caller.tenant).await?;
        if !known.has(hash) {
            let kind = [("content-type", "application/json")];
            return Ok((etag(hash), kind, text.clone()).into_response());
        }
        let is_news = tokio::select! {
            is_news = published.next() => is_news,
            () = tokio::time::sleep_until(end) => false,
            () = api.shutdown.softly() => false,
        };
        if !is_news {
            return Ok((StatusCode::NOT_MODIFIED, etag(hash)).into_response());
        }
        caller.again(&api).await?;
    }
}
