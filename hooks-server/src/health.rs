//! Answers the monitoring of the daemon: is it alive, is it ready, what has it done.

use std::sync::Arc;

use axum::extract::{RawQuery, Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hooks_runtime::Runtime;

use crate::api::caller::Uncounted;
use crate::shared::DaemonState;

/// `GET /healthz`: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: new work is accepted, the hooks are those that their files say, the store answers and takes what happens, and the
/// hooks of all tenants that were asked for are loaded. What exactly is wrong is in the log, and not for everybody.
///
/// `GET /readyz?only=drain` is for a proxy: an event is judged by the hooks in force also while the rest is in trouble, so only the
/// end of the daemon counts.
pub(crate) async fn readyz(
    State(shared): State<Arc<DaemonState>>,
    RawQuery(query): RawQuery,
) -> Response {
    let has_mistake = |hooks: &Runtime| hooks.troubled().refused.is_some();
    let why = if shared.shutdown.is_announced() {
        "shutting down\n"
    } else if query.as_deref() == Some("only=drain") {
        return "ready\n".into_response();
    } else if shared.hooks.as_ref().is_some_and(has_mistake) {
        // The hooks of before still judge. Their mistakes may name what is in the files, which is not for everybody.
        "the hooks have a mistake\n"
    } else if shared
        .api
        .as_ref()
        .is_some_and(|api| api.store.trouble().is_some())
    {
        "the store is in trouble\n"
    } else if shared
        .api
        .as_ref()
        .is_some_and(|api| api.tenants.broken_count() > 0)
    {
        "the hooks of a tenant cannot be loaded\n"
    } else {
        return "ready\n".into_response();
    };
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

/// Answers who has a token: where other machines reach the daemon, its state is not for everybody.
pub(crate) async fn of_known(_: Uncounted, request: Request, next: Next) -> Response {
    next.run(request).await
}

/// `GET /metrics`, as Prometheus reads it.
pub(crate) async fn metrics(State(shared): State<Arc<DaemonState>>) -> impl IntoResponse {
    let own = shared
        .hooks
        .iter()
        .map(|hooks| (String::new(), hooks.clone()));
    let mut hooks: Vec<_> = own.collect();
    if let Some(api) = &shared.api {
        hooks.extend(api.tenants.all());
        let (broken, remembered) = (api.tenants.broken_count(), api.callers.without_store());
        shared.metrics.see(&api.store, broken, remembered);
    }
    let text = shared.metrics.text(&hooks);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([("content-type", kind)], text)
}
