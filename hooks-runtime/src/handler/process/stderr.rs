//! Logs what a process writes beside its answers, a limited number of lines.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::AsyncRead;

use super::line::{Lines, ProcessLine};

/// The maximum length of a logged line.
const MOST_ERROR: usize = 8 * 1024;

/// The maximum number of lines that are logged per second.
const MOST_ERRORS: u32 = 50;

/// What a process writes to standard error while it starts: the reason, if it does not.
#[derive(Debug)]
pub(super) struct FirstWords(Mutex<Option<String>>);

impl FirstWords {
    pub(super) fn new() -> Self {
        FirstWords(Mutex::new(Some(String::new())))
    }

    fn words(&self) -> MutexGuard<'_, Option<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, line: &str) {
        const MOST: usize = 500;
        if let Some(words) = &mut *self.words() {
            let room = MOST.saturating_sub(words.len());
            let line = &line.trim()[..line.trim().floor_char_boundary(room)];
            if !line.is_empty() {
                words.push_str(": ");
                words.push_str(line);
            }
        }
    }

    /// The process has started. What it writes from now on says nothing about that.
    pub(super) fn end(&self) {
        *self.words() = None;
    }
}

/// With a colon before each line.
impl fmt::Display for FirstWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words().as_deref().unwrap_or_default())
    }
}

/// Logs what the process writes to standard error.
pub(super) async fn log(stderr: impl AsyncRead + Unpin, name: &str, words: &FirstWords) {
    let mut lines = Lines::new(stderr, MOST_ERROR);
    let mut limit = LineLimit::default();
    while let Some(line) = lines.next().await {
        if let ProcessLine::Whole(line) = &line {
            words.hear(&String::from_utf8_lossy(line));
        }
        if !limit.admits(name) {
            continue;
        }
        match line {
            ProcessLine::Whole(line) => {
                let line = String::from_utf8_lossy(&line);
                tracing::warn!(process = name, "{}", line.trim_end());
            }
            ProcessLine::TooLong(_) => tracing::warn!(process = name, "a line of more than 8 KiB"),
        }
    }
    limit.report(name);
}

/// Counts the lines that are logged of a process. Those over the limit are counted, and not logged.
#[derive(Debug, Default)]
pub(super) struct LineLimit {
    since: Option<Instant>,
    logged: u32,
    dropped: u64,
}

impl LineLimit {
    /// Whether one more line may be logged.
    pub(super) fn admits(&mut self, name: &str) -> bool {
        if self
            .since
            .is_none_or(|since| since.elapsed() >= Duration::from_secs(1))
        {
            self.report(name);
            (self.since, self.logged) = (Some(Instant::now()), 0);
        }
        let admits = self.logged < MOST_ERRORS;
        if admits {
            self.logged += 1;
        } else {
            self.dropped += 1;
        }
        admits
    }

    fn report(&mut self, name: &str) {
        if self.dropped > 0 {
            let dropped = std::mem::take(&mut self.dropped);
            tracing::warn!(process = name, dropped, "more lines were not logged");
        }
    }
}
