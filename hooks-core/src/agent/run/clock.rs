//! Measures durations, if there is a clock.

use core::time::Duration;

/// The start of a piece of work.
pub(super) struct Clock {
    #[cfg(feature = "std")]
    since: Option<std::time::Instant>,
}

impl Clock {
    /// Starts, if `is_wanted`.
    #[inline]
    pub(super) fn start(is_wanted: bool) -> Self {
        #[cfg(feature = "std")]
        let clock = Clock {
            since: is_wanted.then(std::time::Instant::now),
        };
        #[cfg(not(feature = "std"))]
        let clock = {
            let _ = is_wanted;
            Clock {}
        };
        clock
    }

    /// The time since the start; zero without a clock.
    #[inline]
    pub(super) fn elapsed(&self) -> Duration {
        #[cfg(feature = "std")]
        if let Some(since) = self.since {
            return since.elapsed();
        }
        Duration::ZERO
    }
}
