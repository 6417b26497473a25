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

/// How long one of so many took since then, in microseconds.
#[must_use]
pub fn per_turn(start: Instant, times: u32) -> f64 {
    start.elapsed().as_secs_f64() * 1e6 / f64::from(times)
}
