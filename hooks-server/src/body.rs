//! Reads the bodies of requests, within limits.

use std::error::Error;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use futures::stream;
use http_body_util::{BodyExt as _, StreamBody};
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout_at};

use crate::limits::BODY_TIME;

/// Why a body was not read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// It is longer than this many bytes.
    TooLong(usize),
    /// It did not come in time.
    TooSlow,
    /// The client broke off.
    Broken,
}

impl std::fmt::Display for Unread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unread::TooLong(limit) => write!(f, "what was sent is longer than {limit} bytes"),
            Unread::TooSlow => write!(
                f,
                "what was sent did not come within {} s",
                BODY_TIME.as_secs()
            ),
            Unread::Broken => f.write_str("what was sent did not come to its end"),
        }
    }
}

/// Breaks a body off that does not come in time, whoever reads it: every route goes through this.
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
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Unread> {
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
        return Err(Unread::TooLong(limit));
    }
    Ok(text.into())
}

/// Why a body ended too soon.
fn broken(error: &axum::Error) -> Unread {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(this) = cause {
        if this.is::<Elapsed>() {
            return Unread::TooSlow;
        }
        cause = this.source();
    }
    Unread::Broken
}
