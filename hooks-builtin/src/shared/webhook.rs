//! Posts in the form of [Standard Webhooks](https://www.standardwebhooks.com): an id for each event, the time, a
//! signature.

use std::collections::hash_map::RandomState;
use std::error::Error;
use std::fmt::Write;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use reqwest::header::CONTENT_TYPE;
use reqwest::{RequestBuilder, Response};

use crate::shared::ssrf::{Endpoint, reqwest};
use crate::shared::webhook_secret::WebhookSecret;

/// Creates an id for each event of one sender.
#[derive(Debug)]
pub struct Ids {
    /// Distinguishes the events of this sender from those of all others.
    origin: String,
    events: AtomicU64,
}

impl Ids {
    #[expect(missing_docs, clippy::new_without_default, reason = "not public")]
    #[must_use]
    pub fn new() -> Self {
        Ids {
            origin: format!("{:016x}{:016x}", random(), random()),
            events: AtomicU64::new(0),
        }
    }

    /// Returns an id for the next event. All its attempts use the same id.
    pub fn next_id(&self) -> String {
        let event = self.events.fetch_add(1, Ordering::Relaxed) + 1;
        format!("msg_{}_{event}", self.origin)
    }
}

/// Creates the request for one attempt to post an event as JSON.
pub fn post(
    endpoint: &Endpoint,
    secret: Option<&WebhookSecret>,
    id: &str,
    now: Timestamp,
    body: &[u8],
) -> RequestBuilder {
    // A signature is valid for some minutes, so each attempt has its own.
    let mut request = endpoint
        .post()
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", now.as_second());
    if let Some(secret) = secret {
        let signature = secret.sign(id, now.as_second(), body);
        request = request.header("webhook-signature", signature);
    }
    request.body(body.to_vec())
}

/// Sends a request that [`post`] has made.
///
/// A receiver may close a connection at the moment at which its next request is on the way. That says nothing about the
/// receiver, so the request is sent once more, at once. Its id tells the receiver that it is the same event.
///
/// # Errors
///
/// If there is no answer.
pub async fn send(
    endpoint: &Endpoint,
    request: RequestBuilder,
) -> Result<Response, reqwest::Error> {
    let again = request.try_clone();
    // Before the first answer, no connection was kept.
    let had_answered = endpoint.has_answered.load(Ordering::Relaxed);
    let mut said = request.send().await;
    if let Err(error) = &said
        && had_answered
        && error.is_request()
        && !error.is_connect()
        && !error.is_timeout()
        && let Some(again) = again
    {
        said = again.send().await;
    }
    if said.is_ok() {
        endpoint.has_answered.store(true, Ordering::Relaxed);
    }
    said
}

/// Formats an error and its sources in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let _ = write!(line, ": {error}");
        next = error.source();
    }
    line
}

/// Returns a random number. It is good enough to distinguish things, but not for secrets.
pub(crate) fn random() -> u64 {
    RandomState::new().hash_one(())
}
