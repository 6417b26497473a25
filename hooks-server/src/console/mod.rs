//! The console: pages for people, on the same functions as the API.
//!
//! A page is a file here with its handlers, a template of the same name in `templates/`, and its line in [`pages`]. It is
//! whole without a script: forms post and redirect, and every view has an address. Scripts only save steps.
//!
//! - [`session`]: who looks. A one-time link or a token opens a session, which has the role and the tenant.
//! - [`guard`]: what a browser may do with the pages, and which requests other pages may not make.
//! - [`frame`]: what all pages have around them.

mod assets;
mod chart;
mod diff;
mod executions;
mod failed;
mod form;
mod frame;
mod guard;
mod hook;
mod name;
mod order;
mod overview;
mod publish;
mod sent;
mod session;
mod settings;
mod simulator;
mod trial;
mod versions;
mod when;

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum::routing::{get, post};
use axum::{Router, middleware};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use self::failed::PageFailure;
pub(crate) use self::session::Sessions;
use self::session::Visitor;
use crate::api::Api;
use crate::api::problem::Problem;
use crate::page::Address;

/// What the pages need.
#[derive(Clone)]
pub(crate) struct Console {
    pub(crate) api: Arc<Api>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) address: Address,
}

/// The pages, in the order of the navigation.
fn pages() -> Router<Console> {
    Router::new()
        .route("/", get(order::get))
        .route("/hook/convert", post(hook::convert))
        .route("/hook/past", post(hook::past))
        .route("/hook/{id}", get(hook::get).post(hook::post))
        .route("/hook/{id}/priority", post(order::change))
        .route("/hook/{id}/mode", post(order::change))
        .route("/hook/{id}/move", post(order::shift))
        .route("/turn", get(order::confirm).post(order::turn))
        .route("/simulator", get(simulator::get).post(simulator::post))
        .route("/simulator/sample", post(simulator::save))
        .route("/simulator/samples", get(simulator::samples))
        .route("/simulator/samples/{id}/delete", post(simulator::delete))
        .route("/publish", get(publish::get).post(publish::publish))
        .route("/publish/replay", post(publish::replay))
        .route("/revisions/{number}", get(publish::revision))
        .route("/revisions/{number}/rollback", post(publish::rollback))
        .route("/overview", get(overview::get))
        .route("/overview/reset", post(overview::reset))
        .route("/settings", get(settings::get))
        .route("/settings/tokens", post(settings::new_token))
        .route(
            "/settings/tokens/{id}/revoke",
            get(settings::ask_revoke).post(settings::revoke_token),
        )
        .route("/settings/secrets", post(settings::put_secret))
        .route(
            "/settings/secrets/{name}/delete",
            get(settings::ask_delete).post(settings::delete_secret),
        )
        .route("/settings/budget", post(settings::put_budget))
        .route("/settings/tables", post(settings::put_tables))
        .route("/hook/{id}/delete", get(hook::confirm).post(hook::delete))
        .route("/hook/{id}/versions", get(versions::get))
        .route("/hook/{id}/restore", post(versions::restore))
        .route("/hook/{id}/undo", post(versions::take_back))
        .route("/executions", get(executions::list))
        .route("/executions/hooks", get(executions::hooks))
        .route("/executions/news", get(executions::news))
        .route("/executions/{seq}", get(executions::one))
        .route("/executions/{seq}/sample", post(executions::save))
        .route("/sessions/{id}", get(executions::session))
        .route("/session", get(async |_: Visitor| StatusCode::NO_CONTENT))
        .method_not_allowed_fallback(failed::only_sent)
}

/// The routes of the console.
pub(crate) fn router<S>(console: Console) -> Router<S> {
    pages()
        .route_layer(middleware::from_fn_with_state(
            console.clone(),
            failed::around,
        ))
        .fallback(failed::nowhere)
        .route("/login", get(session::form).post(session::open))
        .route("/logout", post(session::close))
        .route("/theme", post(frame::choose))
        .layer(CatchPanicLayer::custom(|_| {
            PageFailure::from(Problem::panicked()).into_response()
        }))
        .layer(middleware::from_fn_with_state(
            console.address.clone(),
            guard::guarded,
        ))
        .route("/assets/{name}", get(assets::get))
        .layer(CompressionLayer::new())
        .with_state(console)
}
