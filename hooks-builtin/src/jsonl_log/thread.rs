//! The thread that writes.
//!
//! It takes the buffer whole and leaves an empty one, which hooks fill while it writes. It makes JSON of a part of the
//! records at a time. So memory is bounded by twice the buffer, and in the long run nobody allocates.

use std::io::{self, Write};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use super::line::{self, Clock};
use super::writer::{Shared, State, copy};

/// How many bytes are worth waking the thread for.
pub(super) const ENOUGH: usize = 64 * 1024;
/// How much room a buffer keeps that has once been larger.
const MOST_KEPT: usize = 1024 * 1024;
/// How long the thread waits before it tries again what has failed.
const RETRY: Duration = Duration::from_millis(500);
/// After how many rounds without a line the thread sleeps until it is woken. To wake it is a system call, which
/// an event that follows on others is spared.
const MOST_QUIET: u32 = 50;
const TARGET: &str = "hooks_builtin::jsonl_log";

/// What lines are written to: a file.
pub(super) trait Target: Write + Send + 'static {
    /// Has what comes next go where it should, if that is elsewhere than before. No line is half written then.
    fn renew(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Has what was written reach the disk.
    fn sync(&mut self) -> io::Result<()>;
}

/// Tells those who wait that the thread has ended, also when it panics: `tracing` runs what others wrote.
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

/// What the thread does until the log is shut down.
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

/// What the thread has at hand.
struct Work<T> {
    target: T,
    /// The records of this round, and how many bytes of them are lines already.
    records: Vec<u8>,
    read: usize,
    /// How many lines are missing after these records.
    untold: u64,
    clock: Clock,
    /// What is being written, whole lines, and how much of it was: a failure goes on where it stopped.
    lines: Vec<u8>,
    written: usize,
    /// How many rounds there was nothing to do.
    quiet: u32,
}

/// One taking of lines and writing of them.
#[derive(Clone, Copy)]
struct Round {
    /// Whether this round has emptied the buffer, and not only tried again what failed.
    is_new: bool,
    /// The flushes that it answers.
    asked: u64,
    is_closing: bool,
}

impl Round {
    /// Whether the thread ends, if the round succeeded or not: what fails now is not tried again.
    fn is_last(self, has_succeeded: bool) -> bool {
        self.is_closing && (self.is_new || !has_succeeded)
    }
}

impl<T: Target> Work<T> {
    /// Waits for lines and takes them, if it came to any.
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

    /// Whether there is something to write. When all lines are written, this makes lines of the next records: of a part
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

    /// Tells what a round came to, and whether it was the last one.
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
            // What was only tried again may be older than what is asked for.
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
        // Without the lock: `tracing` runs what others wrote.
        if is_last {
            tracing::error!(target: TARGET, %error, lost, "the log cannot be written, and ends");
        } else if !is_known {
            tracing::warn!(target: TARGET, %error, "the log cannot be written; it is tried again");
        }
        is_last
    }
}

impl Shared {
    /// Waits for at most so long, or until somebody waits for the thread, while nothing else is worth a round.
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

/// How many lines there are, or ends of lines: in JSON, a line break within a text is an escape.
fn count_lines(lines: &[u8]) -> u64 {
    lines.iter().map(|byte| u64::from(*byte == b'\n')).sum()
}
