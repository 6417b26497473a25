//! Logs what a process writes to standard error, a limited number of lines.

use std::time::Duration;

use tokio::io::AsyncRead;
use tokio::time::Instant;

use super::line::{Line, Lines};

/// The maximum length of a logged line.
const MOST_ERROR: usize = 8 * 1024;

/// The maximum number of lines that are logged per second.
const MOST_ERRORS: u32 = 50;

/// Logs what the process writes to standard error, a limited number of lines per second.
pub(super) async fn log(stderr: impl AsyncRead + Unpin, name: &str) {
    let mut lines = Lines::new(stderr, MOST_ERROR);
    let (mut since, mut logged, mut dropped) = (Instant::now(), 0, 0_u64);
    while let Some(line) = lines.next().await {
        if since.elapsed() >= Duration::from_secs(1) {
            report(name, &mut dropped);
            (since, logged) = (Instant::now(), 0);
        }
        if logged >= MOST_ERRORS {
            dropped += 1;
            continue;
        }
        logged += 1;
        match line {
            Line::Whole(line) => {
                let line = String::from_utf8_lossy(&line);
                tracing::warn!(process = name, "{}", line.trim_end());
            }
            Line::TooLong(_) => tracing::warn!(process = name, "a line of more than 8 KiB"),
        }
    }
    report(name, &mut dropped);
}

fn report(name: &str, dropped: &mut u64) {
    if *dropped > 0 {
        tracing::warn!(
            process = name,
            dropped,
            "more lines on standard error were not logged"
        );
        *dropped = 0;
    }
}
