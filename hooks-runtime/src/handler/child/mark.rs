//! An environment variable that identifies descendants of a child, even outside of its process group.

use std::fmt;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The variable.
pub(super) const VARIABLE: &str = "HOOKS_RUN_ID";

/// The number of a child of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(pub(super) u64);

static NEXT: AtomicU64 = AtomicU64::new(1);

/// The common prefix of all marks of this process.
pub(super) static PREFIX: LazyLock<String> = LazyLock::new(|| {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_nanos());
    format!("{}-{now:x}-", std::process::id())
});

impl Mark {
    pub(super) fn next() -> Self {
        Mark(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The full stop distinguishes 1 from 12.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}.", *PREFIX, self.0)
    }
}

/// Kills every process that has a mark in its environment.
///
/// The next round finds processes that were forked in the meantime.
#[cfg(target_os = "linux")]
pub(super) fn kill_all(mark: Mark) {
    const ROUNDS: usize = 5;
    let wanted = format!("{VARIABLE}={mark}");
    for _ in 0..ROUNDS {
        if !kill_round(wanted.as_bytes()) {
            return;
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn kill_all(_: Mark) {}

/// Returns whether it found any.
#[cfg(target_os = "linux")]
fn kill_round(wanted: &[u8]) -> bool {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let mut is_any = false;
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return false;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = number.and_then(Pid::from_raw) else {
            continue;
        };
        // The process is opened before its environment is read, so the same process gets the signal.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let Ok(environment) = std::fs::read(entry.path().join("environ")) else {
            continue;
        };
        let mut variables = environment.split(|byte| *byte == 0);
        if variables.any(|variable| variable == wanted) {
            is_any |= pidfd_send_signal(process, Signal::KILL).is_ok();
        }
    }
    is_any
}
