//! Posts and signs one event.

use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;
use standardwebhooks::Webhook;

use super::retry::Outcome;
use super::secret::WebhookSecret;
use crate::shared::ssrf::{Endpoint, Refused, reqwest};
use crate::shared::webhook::{Ids, chain, post};

/// Where events go, and how they are signed.
pub(super) struct Post {
    endpoint: Endpoint,
    signer: Option<Webhook>,
    ids: Ids,
}

impl Post {
    pub(super) fn new(endpoint: Endpoint, secret: Option<&WebhookSecret>) -> Self {
        Post {
            endpoint,
            signer: secret.and_then(WebhookSecret::signer),
            ids: Ids::new(),
        }
    }

    /// Returns an id for the next event. All its attempts use the same id.
    pub(super) fn next_id(&self) -> String {
        self.ids.next_id()
    }

    /// Makes one attempt.
    pub(super) async fn attempt(&self, id: &str, body: &[u8]) -> Outcome {
        let now = Timestamp::now();
        let request = match post(&self.endpoint, self.signer.as_ref(), id, now, body) {
            Ok(request) => request,
            Err(error) => return Outcome::Rejected(error),
        };
        // The body of the answer is not read.
        match request.send().await {
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
