//! `POST /run` on the socket: a program asks the daemon to do its work.
//!
//! The daemon hands the question to its [`Program`](crate::Program).

use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};

use crate::api::body;
use crate::limits::SOCKET_BODY;
use crate::program::Declined;
use crate::shared::DaemonState;

/// The header with the version of a question.
const VERSION: &str = "hooks-version";

pub(crate) async fn post(
    State(shared): State<Arc<DaemonState>>,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let Some(program) = &shared.program else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // Before the body is read: a client that waits for `100 Continue` has sent nothing yet.
    let version = headers.get(VERSION).map(HeaderValue::as_bytes);
    if version != Some(program.version().as_bytes()) {
        let why = format!("the daemon has version {}", program.version());
        let own = [(VERSION, program.version().to_owned())];
        return (StatusCode::CONFLICT, own, why).into_response();
    }
    let started = Instant::now();
    let asked = match body::read(body, SOCKET_BODY).await {
        Ok(asked) => asked,
        Err(why) => return (StatusCode::BAD_REQUEST, why.detail().to_owned()).into_response(),
    };
    match program.answer(&asked).await {
        Ok(answer) => {
            shared
                .metrics
                .judged(answer.event, answer.decision, started.elapsed());
            answer.text.into_response()
        }
        Err(Declined(why)) => (StatusCode::CONFLICT, why).into_response(),
    }
}
