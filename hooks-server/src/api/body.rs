//! Reads the bodies of requests, within limits.

use std::error::Error;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::Response;
use futures::stream;
use http_body_util::{BodyExt as _, StreamBody};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use super::problem::Problem;
use crate::limits::BODY_TIME;

/// Breaks a body off that does not come in time: every route goes through this.
pub(crate) async fn in_time(request: Request, next: Next) -> Response {
    next.run(request.map(timed)).await
}

fn timed(body: Body) -> Body {
    let end = Instant::now() + BODY_TIME;
    let frames = stream::unfold(body, move |mut body| async move {
        let frame = match timeout_at(end, body.frame()).await {
            Ok(frame) => frame?,
            Err(late) => Err(axum::Error::new(late)),
        };
        Some((frame, body))
    });
    Body::new(StreamBody::new(frames))
}

/// Reads a body.
///
/// What is too long is read to its end, and thrown away: many clients read no answer before they have sent everything,
/// and take a closed connection for a hook that said nothing.
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Problem> {
    let mut text = Vec::new();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else {
            continue;
        };
        length = length.saturating_add(data.len());
        if length <= limit {
            text.extend_from_slice(&data);
        } else {
            text = Vec::new();
        }
    }
    if length > limit {
        let why = format!("what was sent is longer than {limit} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, why));
    }
    Ok(text.into())
}

/// Why a body ended too soon.
fn broken(error: &axum::Error) -> Problem {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(this) = cause {
        if this.is::<Elapsed>() {
            let limit = BODY_TIME.as_secs();
            let why = format!("what was sent did not come within {limit} s");
            return Problem::new(StatusCode::REQUEST_TIMEOUT, why);
        }
        cause = this.source();
    }
    Problem::bad("what was sent did not come to its end")
}
