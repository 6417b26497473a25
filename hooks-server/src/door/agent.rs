//! `POST /hooks/NAME`: an agent asks over HTTP.
//!
//! The body is the event, as the agent gives it to its hooks. The answer is what the agent's HTTP hook expects: always a
//! success with a JSON object or nothing, because a status blocks nothing in any known agent.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use hooks_runtime::bridge::{self, Call};
use hooks_runtime::{Decided, Dialect, Runtime};
use http_body_util::Limited;
use serde::Deserialize;

use crate::api::body;
use crate::api::caller::{ApiCaller, Via, other_tenant};
use crate::api::problem::Problem;
use crate::limits::{BODY, STRANGER};
use crate::peer::Client;
use crate::shared::DaemonState;

#[derive(Debug, Deserialize)]
pub(crate) struct DoorQuery {
    /// The event, for agents whose input does not name it.
    event: Option<String>,
}

pub(crate) async fn post(
    State(shared): State<Arc<DaemonState>>,
    Path(named): Path<String>,
    Query(asked): Query<DoorQuery>,
    client: Client,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let started = Instant::now();
    let hooks = hooks(&shared, &uri, &headers, client).await;
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
    let judging = match (hooks, &read) {
        (Ok((hooks, caller)), Ok(input)) => {
            own_tenant(caller.as_ref(), input).map(|()| (hooks, caller))
        }
        (Err(why), _) => Err(why),
        (_, Err(why)) => Err(why.clone()),
    };
    let (event, input) = (asked.event, read.unwrap_or_default());
    let (hooks, caller) = match judging {
        Ok(known) => known,
        Err(why) => {
            let call = Call {
                event: event.as_deref(),
                ..Call::new(system, &input)
            };
            if !why.is_about_rights() {
                shared.metrics.refuses("event");
            }
            let took = started.elapsed();
            shared.metrics.judged(None, Decided::Block, took);
            return object(call.refusal(why.detail()).to_string());
        }
    };
    let tenant = caller.as_ref().map(|caller| caller.tenant.id().to_owned());
    let (length, share) = (input.len(), tenant.clone().unwrap_or_default());
    let judging = {
        let shared = Arc::clone(&shared);
        async move {
            let call = Call {
                event: event.as_deref(),
                stops: Some(&shared.stops),
                tenant: tenant.as_deref(),
                agent: caller.as_ref().and_then(|caller| caller.agent.as_deref()),
                ..Call::new(system, &input)
            };
            let judged = bridge::run(&hooks, call).await;
            let reply = &judged.reply;
            let text = if reply.exit_code != 0 && reply.stdout.is_empty() {
                call.refusal(reply.stderr.trim_end()).to_string()
            } else {
                judged.reply.stdout
            };
            ((text, judged.event, judged.decision), judged.read)
        }
    };
    // How the threads of a lane are shared is up to it, and this future must not carry what it is about.
    let judged = Box::pin(shared.lanes.judge(&share, length, judging));
    let (text, event, decision) = judged.await;
    shared.metrics.judged(event, decision, started.elapsed());
    object(text)
}

/// The hooks that judge: those of the token's tenant if there is a store, and else those of the file.
async fn hooks(
    shared: &DaemonState,
    uri: &Uri,
    headers: &HeaderMap,
    client: Client,
) -> Result<(Runtime, Option<ApiCaller>), Problem> {
    let Some(api) = &shared.api else {
        let none = || Problem::failed("the daemon has no hooks");
        return Ok((shared.hooks.clone().ok_or_else(none)?, None));
    };
    let caller = ApiCaller::of_request(api, uri, headers, Via("agent", client)).await?;
    let hooks = api.hooks(&caller.tenant).await?;
    Ok((hooks, Some(caller)))
}

/// Refuses an event that names another tenant than the token. What is not JSON is refused later.
fn own_tenant(caller: Option<&ApiCaller>, input: &[u8]) -> Result<(), Problem> {
    const NAMED: &[u8] = b"\"tenant";
    match caller {
        // Few events have the word at all.
        Some(caller) if input.windows(NAMED.len()).any(|part| part == NAMED) => {
            let event = serde_json::from_slice(input).unwrap_or_default();
            other_tenant(&event, caller.tenant.id())
        }
        _ => Ok(()),
    }
}

/// A success with a JSON object, or with nothing.
fn object(text: String) -> Response {
    ([("content-type", "application/json")], text).into_response()
}
