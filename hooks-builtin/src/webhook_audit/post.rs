//! The sink: posts and signs each line, and tries again.

use std::io;
use std::num::NonZeroU32;
use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::RETRY_AFTER;

use super::config::WebhookAuditConfig;
use super::retry::{self, DeliveryOutcome};
use crate::shared::sink::{Progress, Sink};
use crate::shared::ssrf::{Endpoint, Refused, reqwest};
use crate::shared::webhook::{Ids, chain, post, send};
use crate::shared::webhook_secret::WebhookSecret;

/// Where events go, and how they are signed.
pub(super) struct Post {
    endpoint: Endpoint,
    secret: Option<WebhookSecret>,
    ids: Ids,
    max_attempts: NonZeroU32,
    retry_delay: Duration,
    /// The event that is being posted: its id, and the number of attempts so far. All attempts use the same id.
    current: Option<(String, u32)>,
}

impl Post {
    pub(super) fn new(endpoint: Endpoint, config: &WebhookAuditConfig) -> Self {
        Post {
            endpoint,
            secret: config.secret.clone(),
            ids: Ids::new(),
            max_attempts: config.max_attempts,
            retry_delay: config.retry_delay,
            current: None,
        }
    }

    /// Makes one attempt.
    async fn attempt(&self, id: &str, body: &[u8]) -> DeliveryOutcome {
        let now = Timestamp::now();
        let request = post(&self.endpoint, self.secret.as_ref(), id, now, body);
        // The body of the answer is not read.
        match send(&self.endpoint, request).await {
            Ok(answer) => {
                let after = answer.headers().get(RETRY_AFTER);
                let after = after.and_then(|after| after.to_str().ok());
                DeliveryOutcome::of_answer(answer.status(), after, now)
            }
            Err(error) => {
                let error = error.without_url();
                match Refused::behind(&error) {
                    Some(refused) => DeliveryOutcome::Rejected(refused.to_string()),
                    None if error.is_builder() => DeliveryOutcome::Rejected(chain(&error)),
                    None => DeliveryOutcome::Again(None, chain(&error)),
                }
            }
        }
    }
}

impl Sink for Post {
    const NAME: &'static str = "webhook-audit";

    async fn write(&mut self, lines: &[u8]) -> Progress {
        let end = lines.iter().position(|byte| *byte == b'\n');
        let body = &lines[..end.unwrap_or(lines.len())];
        let bytes = lines.len().min(body.len() + 1);
        let (id, before) = match self.current.take() {
            Some(current) => current,
            None => (self.ids.next_id(), 0),
        };
        let attempts = before + 1;
        match self.attempt(&id, body).await {
            DeliveryOutcome::Delivered => Progress::Taken(bytes),
            DeliveryOutcome::Again(asked, failure) if attempts < self.max_attempts.get() => {
                self.current = Some((id, attempts));
                let wait = retry::wait(self.retry_delay, attempts, asked);
                Progress::Again(wait, io::Error::other(failure))
            }
            DeliveryOutcome::Rejected(failure) | DeliveryOutcome::Again(_, failure) => {
                Progress::GivenUp(bytes, failure)
            }
        }
    }
}
