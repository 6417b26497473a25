//! What an answer means, and how long to wait before the next attempt.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::StatusCode;

use crate::shared::ssrf::reqwest;
use crate::shared::webhook::random;

/// The longest wait: what a receiver may ask for, and the limit of the growing waits.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The outcome of an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeliveryOutcome {
    Delivered,
    /// Another attempt may succeed, after the time that `Retry-After` asks for.
    Again(Option<Duration>, String),
    /// No further attempt would succeed.
    Rejected(String),
}

impl DeliveryOutcome {
    pub(super) fn of_answer(status: StatusCode, retry_after: Option<&str>, now: Timestamp) -> Self {
        if status.is_success() {
            DeliveryOutcome::Delivered
        } else if status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS {
            let wait = retry_after.and_then(|after| parse_retry_after(after, now));
            DeliveryOutcome::Again(wait, format!("the receiver answered {status}"))
        } else if status.is_redirection() {
            DeliveryOutcome::Rejected(format!(
                "the receiver answered {status}, and redirects are not followed: put the URL that it leads to into \
                 the configuration"
            ))
        } else {
            DeliveryOutcome::Rejected(format!("the receiver answered {status}"))
        }
    }
}

/// Parses a number of seconds, or a date.
fn parse_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?;
    // A date in the past asks for no wait.
    Some(Duration::try_from(now.duration_until(date)).unwrap_or_default())
}

/// Returns how long to wait after that many attempts, if the first wait is `delay`. Each wait is twice as long as the
/// one before. Half of it is random, so that clients do not all return at once. It is never shorter than the receiver
/// asks for.
pub(super) fn wait(delay: Duration, attempts: u32, asked: Option<Duration>) -> Duration {
    let doubled = 1_u32
        .checked_shl(attempts.saturating_sub(1))
        .unwrap_or(u32::MAX);
    let most = delay.saturating_mul(doubled).min(LONGEST_WAIT);
    let chance = f64::from(u16::try_from(random() >> 48).unwrap_or_default()) / f64::from(u16::MAX);
    let wait = most.mul_f64(0.5 + chance / 2.0);
    wait.max(asked.unwrap_or_default()).min(LONGEST_WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: u16, retry_after: Option<&str>) -> DeliveryOutcome {
        let now = "2026-03-22T10:00:00Z".parse().unwrap();
        DeliveryOutcome::of_answer(StatusCode::from_u16(status).unwrap(), retry_after, now)
    }

    #[test]
    fn only_what_may_get_better_is_tried_again() {
        for status in [200, 201, 202, 204] {
            assert_eq!(outcome(status, None), DeliveryOutcome::Delivered);
        }
        for status in [429, 500, 502, 503, 504, 599] {
            assert!(
                matches!(outcome(status, None), DeliveryOutcome::Again(None, _)),
                "{status}"
            );
        }
        for status in [
            301, 302, 304, 307, 308, 400, 401, 403, 404, 408, 410, 413, 422,
        ] {
            assert!(
                matches!(outcome(status, None), DeliveryOutcome::Rejected(_)),
                "{status}"
            );
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let after = |text| match outcome(429, Some(text)) {
            DeliveryOutcome::Again(wait, _) => wait.map(|wait| wait.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(after("7"), Some(7));
        assert_eq!(after(" 0 "), Some(0));
        assert_eq!(after("Sun, 22 Mar 2026 10:00:30 GMT"), Some(30));
        assert_eq!(after("Sun, 22 Mar 2026 09:00:00 GMT"), Some(0));
        for text in ["soon", "-1", "1.5", ""] {
            assert_eq!(after(text), None, "{text}");
        }
    }

    #[test]
    fn a_wait_doubles_up_to_a_minute_and_is_no_shorter_than_asked() {
        let delay = Duration::from_millis(100);
        for _ in 0..100 {
            for (attempts, most) in [
                (1, 100),
                (2, 200),
                (3, 400),
                (5, 1600),
                (40, 60_000),
                (u32::MAX, 60_000),
            ] {
                let wait = wait(delay, attempts, None);
                let most = Duration::from_millis(most);
                assert!(wait <= most && wait >= most / 2, "{attempts}: {wait:?}");
            }
            assert_eq!(
                wait(delay, 1, Some(Duration::from_secs(9))),
                Duration::from_secs(9)
            );
            assert_eq!(wait(delay, 1, Some(Duration::MAX)), LONGEST_WAIT);
            assert!(wait(delay, 3, Some(Duration::ZERO)) >= delay * 2);
            assert!(wait(Duration::MAX, 2, None) <= LONGEST_WAIT);
        }
    }
}
