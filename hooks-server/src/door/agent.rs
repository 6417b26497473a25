//! `POST /hooks/NAME`: an agent asks over HTTP.
//!
//! The body is the event, as the agent gives it to its hooks. The answer is what the agent's HTTP hook expects: always a
//! success with a JSON object or nothing, because a status blocks nothing in any known agent.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use hooks_runtime::bridge::{self, Call};
use hooks_runtime::{Decided, Dialect};
use serde::Deserialize;

use crate::door;
use crate::limits::BODY;
use crate::shared::Shared;

#[derive(Debug, Deserialize)]
pub(crate) struct Asked {
    /// The event, for agents whose input does not name it.
    event: Option<String>,
}

pub(crate) async fn post(
    State(shared): State<Arc<Shared>>,
    Path(system): Path<String>,
    Query(asked): Query<Asked>,
    body: Body,
) -> Response {
    let named = Dialect::callers().find(|dialect| dialect.as_str() == system);
    let (Some(system), Some(hooks)) = (named, &shared.hooks) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let started = Instant::now();
    let event = asked.event.as_deref();
    let call = |input| Call {
        event,
        ..Call::new(system, input)
    };
    let input = match door::read(body, BODY).await {
        Ok(input) => input,
        Err(why) => {
            shared
                .metrics
                .judged(None, Decided::Block, started.elapsed());
            return object(call(b"").refusal(&why.to_string()).to_string());
        }
    };
    let call = call(&input);
    let judged = bridge::run(hooks, call).await;
    shared
        .metrics
        .judged(judged.event, judged.decision, started.elapsed());
    let reply = judged.reply;
    if reply.exit_code != 0 && reply.stdout.is_empty() {
        return object(call.refusal(reply.stderr.trim_end()).to_string());
    }
    object(reply.stdout)
}

/// A success with a JSON object, or with nothing.
fn object(text: String) -> Response {
    ([("content-type", "application/json")], text).into_response()
}
