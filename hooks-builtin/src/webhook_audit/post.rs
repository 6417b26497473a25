//! One event, posted and signed.

use std::error::Error;
use std::fmt::Write;

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};

use super::retry::{Outcome, random};
use super::secret::WebhookSecret;
use crate::shared::ssrf::{Endpoint, Refused, reqwest};

/// Where events go, and how they are signed.
pub(super) struct Post {
    endpoint: Endpoint,
    signer: Option<Webhook>,
    /// What tells the events of this hook from those of all others.
    origin: String,
    events: u64,
}

impl Post {
    pub(super) fn new(endpoint: Endpoint, secret: Option<&WebhookSecret>) -> Self {
        Post {
            endpoint,
            signer: secret.and_then(WebhookSecret::signer),
            origin: format!("{:016x}{:016x}", random(), random()),
            events: 0,
        }
    }

    /// An id for the next event, the same in all its attempts.
    pub(super) fn next_id(&mut self) -> String {
        self.events += 1;
        format!("msg_{}_{}", self.origin, self.events)
    }

    /// One attempt.
    pub(super) async fn attempt(&self, id: &str, body: &[u8]) -> Outcome {
        // A signature is good for some minutes: each attempt has its own.
        let now = Timestamp::now();
        let mut request = self
            .endpoint
            .post()
            .header(CONTENT_TYPE, "application/json")
            .header(HEADER_WEBHOOK_ID, id)
            .header(HEADER_WEBHOOK_TIMESTAMP, now.as_second());
        if let Some(signer) = &self.signer {
            match signer.sign(id, now.as_second(), body) {
                Ok(signature) => request = request.header(HEADER_WEBHOOK_SIGNATURE, signature),
                Err(error) => return Outcome::Rejected(format!("it cannot be signed: {error}")),
            }
        }
        // What the answer says beside its head is not read.
        match request.body(body.to_vec()).send().await {
            Ok(answer) => {
                let after = answer.headers().get(RETRY_AFTER);
                let after = after.and_then(|after| after.to_str().ok());
                Outcome::of_answer(answer.status(), after, now)
            }
            Err(error) => {
                let error = error.without_url();
                match Refused::behind(&error) {
                    Some(refused) => Outcome::Rejected(refused.to_string()),
                    None if error.is_builder() => Outcome::Rejected(chain(&error)),
                    None => Outcome::Again(None, chain(&error)),
                }
            }
        }
    }
}

/// An error and what is beneath it, in a line.
fn chain(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let _ = write!(line, ": {error}");
        next = error.source();
    }
    line
}
