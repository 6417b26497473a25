//! Reads the bodies of requests, within limits.

use axum::body::{Body, Bytes};
use http_body_util::BodyExt as _;

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

/// Reads a body.
///
/// What is too long is read to its end, and thrown away: many clients read no answer before they have sent everything,
/// and take a closed connection for a hook that said nothing.
pub(crate) async fn read(mut body: Body, limit: usize) -> Result<Bytes, Unread> {
    let read = async {
        let mut text = Vec::new();
        let mut length = 0_usize;
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| Unread::Broken)?.into_data() else {
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
    };
    let in_time = tokio::time::timeout(BODY_TIME, read).await;
    in_time.unwrap_or(Err(Unread::TooSlow))
}
