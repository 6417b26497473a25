//! How long work takes, where there is a clock.

use core::time::Duration;

/// Since when work has been going on.
pub(super) struct Clock {
    #[cfg(feature = "std")]
    since: Option<std::time::Instant>,
}

impl Clock {
    /// Starts, if somebody will want to know.
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

    /// How long it took until now; zero without a clock.
    #[inline]
    pub(super) fn elapsed(&self) -> Duration {
        #[cfg(feature = "std")]
        if let Some(since) = self.since {
            return since.elapsed();
        }
        Duration::ZERO
    }
}
