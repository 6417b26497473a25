//! What is measured in turns.

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

/// How often a program of this crate measures: once with `--once`, to see that it works, and else as often as `--quick` says
/// or leaves out.
#[must_use]
pub fn rounds<T: From<bool>>(quick: T, full: T) -> T {
    let is_given = |flag| std::env::args().any(|arg| arg == flag);
    match (is_given("--once"), is_given("--quick")) {
        (true, _) => T::from(true),
        (_, true) => quick,
        _ => full,
    }
}

/// How long one of so many took since then, in microseconds.
#[must_use]
pub fn per_turn(start: Instant, times: u32) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / f64::from(times)
}
