//! `POST /hooks/NAME`: an agent asks over HTTP.
//!
//! The body is the event, as the agent gives it to its hooks. The answer is what the agent's HTTP hook expects: always a
//! success with a JSON object or nothing, because a status blocks nothing in any known agent.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hooks_runtime::bridge::{self, Call};
use hooks_runtime::{Decided, Dialect, Runtime};
use http_body_util::Limited;
use serde::Deserialize;

use crate::api::caller::Caller;
use crate::api::problem::Problem;
use crate::body;
use crate::limits::{BODY, STRANGER};
use crate::shared::Shared;

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// The event, for agents whose input does not name it.
    event: Option<String>,
}

pub(crate) async fn post(
    State(shared): State<Arc<Shared>>,
    Path(named): Path<String>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let started = Instant::now();
    let hooks = hooks(&shared, &headers).await;
    // The file may name agents of its own.
    let known = Dialect::callers().find(|dialect| dialect.as_str() == named);
    let own = || {
        let mut own = hooks.as_ref().ok()?.0.agents().into_iter();
        own.find(|dialect| dialect.as_str() == named)
    };
    // Where the hooks cannot be had, it is not known whether there is such an agent, and a status blocks nothing.
    let unknown = || hooks.is_err().then_some(Dialect::Hooks);
    let Some(system) = known.or_else(own).or_else(unknown) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let read = match &hooks {
        Ok(_) => body::read(body, BODY).await,
        // A stranger costs little. But what an agent of ours may send is taken to its end, so that it reads the refusal.
        Err(_) => body::read(Body::new(Limited::new(body, BODY)), STRANGER).await,
    };
    let input = read.as_ref().map(|text| &text[..]).unwrap_or_default();
    let mut call = Call {
        event: asked.event.as_deref(),
        stops: Some(&shared.stops),
        ..Call::new(system, input)
    };
    let hooks = hooks.and_then(|hooks| match &read {
        Ok(_) => Ok(hooks),
        Err(why) => Err(why.to_string()),
    });
    let (judged, took) = match &hooks {
        Ok((hooks, caller)) => {
            call.tenant = caller.as_ref().map(|caller| caller.tenant.id());
            call.agent = caller.as_ref().and_then(|caller| caller.agent.as_deref());
            (bridge::run(hooks, call).await, started.elapsed())
        }
        Err(why) => {
            shared
                .metrics
                .judged(None, Decided::Block, started.elapsed());
            return object(call.refusal(why).to_string());
        }
    };
    shared.metrics.judged(judged.event, judged.decision, took);
    let reply = judged.reply;
    if reply.exit_code != 0 && reply.stdout.is_empty() {
        return object(call.refusal(reply.stderr.trim_end()).to_string());
    }
    object(reply.stdout)
}

/// The hooks that judge: those of the token's tenant if there is a store, and else those of the file.
async fn hooks(shared: &Shared, headers: &HeaderMap) -> Result<(Runtime, Option<Caller>), String> {
    let Some(api) = &shared.api else {
        let hooks = shared.hooks.clone().ok_or("the daemon has no hooks")?;
        return Ok((hooks, None));
    };
    let why = |problem: Problem| problem.detail().to_owned();
    let caller = Caller::of_headers(api, headers, "agent")
        .await
        .map_err(why)?;
    let hooks = api.hooks(&caller.tenant).await.map_err(why)?;
    Ok((hooks, Some(caller)))
}

/// A success with a JSON object, or with nothing.
fn object(text: String) -> Response {
    ([("content-type", "application/json")], text).into_response()
}
