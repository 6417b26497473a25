//! Times for people: how long ago, with the exact time at hand, and how long something took.

use std::fmt;
use std::time::Duration;

use jiff::{Timestamp, Unit};

/// A time, which shows as an element of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeElement(pub(super) Timestamp);

impl fmt::Display for TimeElement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.0.round(Unit::Millisecond).unwrap_or(self.0);
        let since = Timestamp::now().duration_since(self.0).as_secs();
        let ago = if since < -60 {
            format!("in {}", length(-since))
        } else {
            ago(since)
        };
        write!(
            f,
            "<time datetime=\"{exact}\" title=\"{exact}\">{ago}</time>"
        )
    }
}

// Digits and words of ours: there is nothing to escape.
impl askama::filters::HtmlSafe for TimeElement {}

fn ago(seconds: i64) -> String {
    match seconds {
        ..1 => "now".to_owned(),
        _ => format!("{} ago", length(seconds)),
    }
}

fn length(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// How long after another time something happened.
pub(super) fn after(begin: &Timestamp, at: &Timestamp) -> String {
    let after = Duration::try_from(at.duration_since(*begin)).unwrap_or_default();
    format!("+{}", took(after))
}

/// A duration in its largest unit.
pub(super) fn took(duration: Duration) -> String {
    match duration.as_micros() {
        0 => "< 1\u{a0}µs".to_owned(),
        micros @ ..1000 => format!("{micros}\u{a0}µs"),
        micros @ ..1_000_000 => format!("{}.{}\u{a0}ms", micros / 1000, micros % 1000 / 100),
        micros @ ..120_000_000 => {
            format!(
                "{}.{}\u{a0}s",
                micros / 1_000_000,
                micros % 1_000_000 / 100_000
            )
        }
        micros @ ..7_200_000_000 => format!("{}\u{a0}min", micros / 60_000_000),
        micros => format!("{}\u{a0}h", micros / 3_600_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_its_largest_unit() {
        let told = [-3, 4, 59, 61, 7199, 90_000].map(ago);
        assert_eq!(
            told,
            [
                "now",
                "4 s ago",
                "59 s ago",
                "1 min ago",
                "1 h ago",
                "1 d ago"
            ]
        );
    }
}
