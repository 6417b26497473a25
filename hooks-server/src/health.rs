//! What whoever watches the daemon asks: is it alive, is it ready, what has it done.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::api::caller::Uncounted;
use crate::shared::Shared;

/// `GET /healthz`: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: new work is accepted, and the hooks are those that their files say.
pub(crate) async fn readyz(State(shared): State<Arc<Shared>>) -> Response {
    let refused = shared
        .hooks
        .as_ref()
        .and_then(|hooks| hooks.status().refused);
    if shared.shutdown.is_soft() {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    match refused {
        // The hooks of before still judge. Their mistakes may name what is in the files, which is not for everybody.
        Some(_) => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the hooks have a mistake\n",
        )
            .into_response(),
        None => "ready\n".into_response(),
    }
}

/// Answers who has a token: where other machines reach the daemon, its state is not for everybody.
pub(crate) async fn of_known(_: Uncounted, request: Request, next: Next) -> Response {
    next.run(request).await
}

/// `GET /metrics`, as Prometheus reads it.
pub(crate) async fn metrics(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    let recorder = shared.api.as_ref().map(|api| &api.tenants.recorder);
    let lost = recorder.map_or(0, hooks_store::StoreRecorder::dropped);
    let text = shared.metrics.text(shared.hooks.as_ref(), lost);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([("content-type", kind)], text)
}
