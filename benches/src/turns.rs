//! Measures contestants in turns, and takes the median.

use std::time::Instant;

/// The middle one.
///
/// # Panics
///
/// If there is none.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// How often a program of this crate measures: with `--quick` fewer times, and with `--once` only to see that it works.
#[must_use]
pub fn rounds<T: From<bool>>(quick: T, full: T) -> T {
    once_or(if is_given("--quick") { quick } else { full })
}

/// One with `--once`, and else so many.
#[must_use]
pub fn once_or<T: From<bool>>(many: T) -> T {
    if is_given("--once") {
        T::from(true)
    } else {
        many
    }
}

fn is_given(flag: &str) -> bool {
    std::env::args().any(|arg| arg == flag)
}

/// How long one of so many took since then, in microseconds.
#[must_use]
pub fn per_turn(start: Instant, times: u32) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / f64::from(times)
}
