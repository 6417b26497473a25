//! Times for people: how long ago, with the exact time at hand, and how long something took.

use std::fmt;
use std::time::Duration;

use jiff::{Timestamp, Unit};

/// A time, which shows as an element of a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct When(pub(super) Timestamp);

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.0.round(Unit::Millisecond).unwrap_or(self.0);
        let ago = ago(Timestamp::now().duration_since(self.0).as_secs());
        write!(
            f,
            "<time datetime=\"{exact}\" title=\"{exact}\">{ago}</time>"
        )
    }
}

// Digits and words of ours: there is nothing to escape.
impl askama::filters::HtmlSafe for When {}

fn ago(seconds: i64) -> String {
    match seconds {
        ..5 => "now".to_owned(),
        5..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// A duration in its largest unit.
pub(super) fn took(duration: Duration) -> String {
    match duration.as_micros() {
        micros @ ..1000 => format!("{micros} µs"),
        micros @ ..1_000_000 => format!("{}.{} ms", micros / 1000, micros % 1000 / 100),
        micros => format!("{}.{} s", micros / 1_000_000, micros % 1_000_000 / 100_000),
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
            ["now", "now", "59 s ago", "1 min ago", "1 h ago", "1 d ago"]
        );
    }
}
