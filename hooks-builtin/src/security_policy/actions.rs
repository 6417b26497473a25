//! Counts the actions within the last hour.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

const HOUR: Duration = Duration::from_hours(1);

/// The times of the actions within the last hour, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Actions(VecDeque<Instant>);

impl Actions {
    /// Returns the number of actions within the hour before `now`.
    pub(super) fn count(&mut self, now: Instant) -> usize {
        while let Some(oldest) = self.0.front()
            && now.saturating_duration_since(*oldest) >= HOUR
        {
            self.0.pop_front();
        }
        self.0.len()
    }

    /// Counts an action, if the limit allows one more.
    pub(super) fn admit(&mut self, now: Instant, most: Option<u32>) -> Result<(), String> {
        let Some(most) = most else {
            return Ok(());
        };
        if self.count(now) >= most as usize {
            let minutes = self.0.front().map_or(60, |oldest| {
                let left = HOUR.saturating_sub(now.saturating_duration_since(*oldest));
                left.as_secs() / 60 + 1
            });
            return Err(format!(
                "limit of {most} actions per hour reached: try again in {minutes} min"
            ));
        }
        self.0.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_no_more_than_the_limit_in_any_hour() {
        let start = Instant::now();
        let mut actions = Actions::default();
        let mut at =
            |minutes: u64| actions.admit(start + Duration::from_secs(60 * minutes), Some(3));
        assert!(at(0).is_ok() && at(10).is_ok() && at(20).is_ok());
        assert_eq!(
            at(30).unwrap_err(),
            "limit of 3 actions per hour reached: try again in 31 min"
        );
        assert!(at(60).is_ok() && at(61).is_err());
        assert!(at(70).is_ok() && at(79).is_err());
        assert!(at(300).is_ok() && at(300).is_ok() && at(300).is_ok() && at(300).is_err());
    }

    #[test]
    fn none_is_none_and_without_a_limit_there_are_as_many_as_one_likes() {
        let now = Instant::now();
        let mut actions = Actions::default();
        assert!(actions.admit(now, Some(0)).is_err());
        assert!((0..1000).all(|_| actions.admit(now, None).is_ok()));
    }
}
