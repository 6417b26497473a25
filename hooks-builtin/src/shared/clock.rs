//! Whether tokio has a timer here, so that a hook can wait.

use std::panic::catch_unwind;
use std::time::Duration;

/// What is missing where a hook cannot wait, and what to write.
pub const MISSING: &str =
    "there is no tokio runtime with I/O and a timer: run the agent in one, with `enable_all()`";

/// Whether a hook can wait and be timed here. tokio panics where it cannot, and would take the agent along.
#[must_use]
pub fn is_there() -> bool {
    tokio::runtime::Handle::try_current().is_ok()
        && catch_unwind(|| drop(tokio::time::sleep(Duration::ZERO))).is_ok()
}
