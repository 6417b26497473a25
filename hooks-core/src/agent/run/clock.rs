//! Measures durations, if there is a clock: with the feature `std`, but not on `wasm32-unknown-unknown`, where reading it
//! panics.

use core::time::Duration;

#[cfg(all(
    feature = "std",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
use std::time::Instant;

#[cfg(any(
    not(feature = "std"),
    all(target_family = "wasm", target_os = "unknown")
))]
use self::none::Instant;

/// The start of a piece of work.
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    /// Starts, if `is_wanted`.
    #[inline]
    pub(super) fn start(is_wanted: bool) -> Self {
        Stopwatch(is_wanted.then(Instant::now))
    }

    /// The time since the start; zero without a clock.
    #[inline]
    pub(super) fn elapsed(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, Instant::elapsed)
    }
}

#[cfg(any(
    not(feature = "std"),
    all(target_family = "wasm", target_os = "unknown")
))]
mod none {
    /// No clock.
    pub(super) struct Instant;

    impl Instant {
        pub(super) fn now() -> Self {
            Instant
        }

        pub(super) fn elapsed(&self) -> core::time::Duration {
            core::time::Duration::ZERO
        }
    }
}
