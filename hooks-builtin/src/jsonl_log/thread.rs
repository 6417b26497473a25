//! The thread that writes.
//!
//! It takes the whole buffer and leaves an empty one, which hooks fill while it writes. It turns a part of the records
//! into JSON at a time. So memory is bounded by twice the buffer, and in the long run nothing is allocated.

use std::io::{self, Write};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::line::{self, Clock};
use super::writer::{Shared, State, copy};

/// How many bytes are worth waking the thread for.
pub(super) const ENOUGH: usize = 64 * 1024;
/// The capacity that a buffer keeps after it was larger.
const MOST_KEPT: usize = 1024 * 1024;
/// How long the thread waits before it retries after a failure.
const RETRY: Duration = Duration::from_millis(500);
/// The number of rounds without a line after which the thread sleeps until it is woken. Waking it is a system call,
/// which events in quick succession avoid.
const MOST_QUIET: u32 = 50;
const TARGET: &str = "hooks_builtin::jsonl_log";

/// Where lines are written: a file.
pub(super) trait Target: Write + Send + 'static {
    /// Prepares the target for what comes next, for example by opening another file. No line is half written at that
    /// point.
    fn renew(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Syncs what was written to the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// Tells waiting callers that the thread has ended, even if it panicked: `tracing` runs code of others.
struct Ends<'a>(&'a Shared);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_closing = true;
        state.is_closed = true;
        drop(state);
        self.0.done.notify_all();
    }
}

/// Runs the thread until the log is shut down.
pub(super) fn run(shared: &Shared, target: impl Target, interval: Duration, enough: usize) {
    let _ends = Ends(shared);
    let mut work = Work {
        target,
        records: Vec::new(),
        read: 0,
        untold: 0,
        clock: Clock::default(),
        lines: Vec::new(),
        written: 0,
        quiet: 0,
    };
    loop {
        let Some(round) = work.begin(shared, interval, enough) else {
            continue;
        };
        let outcome = work.write(shared, round);
        if work.end(shared, round, outcome) {
            return;
        }
    }
}

/// The state of the thread.
struct Work<T> {
    target: T,
    /// The records of this round, and how many bytes of them have already become lines.
    records: Vec<u8>,
    read: usize,
    /// How many lines are missing after these records.
    untold: u64,
    clock: Clock,
    /// The whole lines that are being written, and how many bytes of them are written. After a failure, writing
    /// continues there.
    lines: Vec<u8>,
    written: usize,
    /// The number of rounds in a row with nothing to do.
    quiet: u32,
}

/// One round of taking lines and writing them.
#[derive(Clone, Copy)]
struct Round {
    /// Whether this round emptied the buffer, instead of only retrying what failed.
    is_new: bool,
    /// The flushes that it answers.
    asked: u64,
    is_closing: bool,
}

impl Round {
    /// Whether the thread ends after this round. While the log closes, a failed round is the last one, without a retry.
    fn is_last(self, has_succeeded: bool) -> bool {
        self.is_closing && (self.is_new || !has_succeeded)
    }
}

impl<T: Target> Work<T> {
    /// Waits for lines and takes them. Returns nothing if there is no work.
    fn begin(&mut self, shared: &Shared, interval: Duration, enough: usize) -> Option<Round> {
        let is_new = self.lines.is_empty() && self.read == self.records.len();
        let mut state = if is_new {
            shared.wait_for_work(interval, |state| state.buffer.len() < enough)
        } else {
            shared.wait_for_work(RETRY, |_| true)
        };
        if is_new {
            if state.buffer.is_empty() && state.untold == 0 && !state.is_urgent() {
                self.quiet += 1;
                if self.quiet > MOST_QUIET {
                    self.quiet = 0;
                    shared.sleep(state);
                }
                return None;
            }
            self.quiet = 0;
            self.records.clear();
            self.records.shrink_to(MOST_KEPT);
            self.read = 0;
            std::mem::swap(&mut self.records, &mut state.buffer);
            self.untold = std::mem::take(&mut state.untold);
        }
        let round = Round {
            is_new,
            asked: state.asked,
            is_closing: state.is_closing,
        };
        drop(state);
        if is_new {
            shared.done.notify_all();
        }
        Some(round)
    }

    fn write(&mut self, shared: &Shared, round: Round) -> io::Result<()> {
        while self.has_lines(shared) {
            if self.written == 0 {
                self.target.renew()?;
            }
            match self.target.write(&self.lines[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(bytes) => self.written += bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if round.is_last(true) {
            self.target.sync()?;
        }
        Ok(())
    }

    /// Whether there is something to write. When all lines are written, this turns the next records into lines, a part
    /// at a time, because JSON may be larger than the records.
    fn has_lines(&mut self, shared: &Shared) -> bool {
        if self.written < self.lines.len() {
            return true;
        }
        self.lines.clear();
        self.lines.shrink_to(MOST_KEPT);
        self.written = 0;
        let mut lost = 0;
        while self.lines.len() < ENOUGH {
            let mut rest = &self.records[self.read..];
            if let Some(record) = line::next_record(&mut rest) {
                let written = line::write_json(record, &mut self.clock, &mut self.lines);
                lost += u64::from(written.is_err());
                self.read = self.records.len() - rest.len();
            } else {
                self.read = self.records.len();
                break;
            }
        }
        if lost > 0 {
            let mut state = shared.lock();
            state.dropped += lost;
            state.untold += lost;
        }
        if self.read == self.records.len() && self.untold > 0 {
            line::write_dropped(&mut self.clock, self.untold, &mut self.lines);
            self.untold = 0;
        }
        !self.lines.is_empty()
    }

    /// Reports the outcome of a round. Returns whether it was the last one.
    fn end(&self, shared: &Shared, round: Round, outcome: io::Result<()>) -> bool {
        let is_last = round.is_last(outcome.is_ok());
        let mut state = shared.lock();
        let lost = if is_last {
            count_lines(&self.lines[self.written..])
                + line::count_records(&self.records[self.read..])
                + line::count_records(&state.buffer)
        } else {
            0
        };
        state.dropped += lost;
        let Err(error) = outcome else {
            state.error = None;
            // A retried line may be older than what the flush asks for.
            if round.is_new {
                state.flushed = round.asked;
            }
            drop(state);
            shared.done.notify_all();
            return is_last;
        };
        let is_known = state.error.is_some();
        state.error = Some(copy(&error));
        state.failed = round.asked;
        drop(state);
        shared.done.notify_all();
        // Without the lock, because `tracing` runs code of others.
        if is_last {
            tracing::error!(target: TARGET, %error, lost, "the log cannot be written, and ends");
        } else if !is_known {
            tracing::warn!(target: TARGET, %error, "the log cannot be written; it is tried again");
        }
        is_last
    }
}

impl Shared {
    /// Waits until the time is over, somebody waits for the thread, or `can_wait` returns `false`.
    fn wait_for_work(
        &self,
        most: Duration,
        can_wait: impl Fn(&State) -> bool,
    ) -> MutexGuard<'_, State> {
        self.work
            .wait_timeout_while(self.lock(), most, |state| {
                !state.is_urgent() && can_wait(state)
            })
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }

    /// Waits until an event wakes the thread, or somebody waits for it.
    fn sleep(&self, mut state: MutexGuard<'_, State>) {
        state.is_asleep = true;
        let mut state = self
            .work
            .wait_while(state, |state| state.is_asleep && !state.is_urgent())
            .unwrap_or_else(PoisonError::into_inner);
        state.is_asleep = false;
    }
}

/// Counts the lines, or line ends: in JSON, a line break within a string is escaped.
fn count_lines(lines: &[u8]) -> u64 {
    lines.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
