//! The buffer in which lines wait. It is the part of the writing thread that hooks see.

use std::io;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::file::LogFile;
use super::line::Line;
use super::thread::{ENOUGH, Target, run};

/// How long an event waits for room.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(1);
/// How long a flush, or a clean shutdown, waits for the disk.
const WAIT_FOR_END: Duration = Duration::from_secs(10);

/// Writes lines to a file, on a thread of its own.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    most: usize,
    enough: usize,
}

/// What the hooks and the thread share. Nobody holds the lock during I/O or while code outside of this module runs.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    /// For the thread: there is work.
    pub(super) work: Condvar,
    /// For the others: the thread has finished something.
    pub(super) done: Condvar,
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is told by another party, and at another time"
)]
pub(super) struct State {
    /// Whole records.
    pub(super) buffer: Vec<u8>,
    /// Whether the thread sleeps until it is woken.
    pub(super) is_asleep: bool,
    /// Why the last attempt to write the file failed.
    pub(super) error: Option<io::Error>,
    /// Whether an event has waited for room in vain, and no room has appeared since.
    pub(super) is_stuck: bool,
    /// The number of dropped lines, and how many of them the file does not mention yet.
    pub(super) dropped: u64,
    pub(super) untold: u64,
    /// How many flushes were requested, and how many of them have succeeded or failed.
    pub(super) asked: u64,
    pub(super) flushed: u64,
    pub(super) failed: u64,
    /// Whether the log accepts no more lines, and whether the thread has ended.
    pub(super) is_closing: bool,
    pub(super) is_closed: bool,
}

impl State {
    /// Whether somebody waits for the thread.
    pub(super) fn is_urgent(&self) -> bool {
        self.is_closing || self.asked > self.flushed.max(self.failed)
    }

    /// The result of a wait for the thread.
    fn came_to(&self, is_done: bool) -> io::Result<()> {
        match &self.error {
            _ if is_done => Ok(()),
            Some(error) => Err(copy(error)),
            None => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn drop_line(&mut self) {
        self.dropped += 1;
        self.untold += 1;
    }
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while the condition holds, for at most that long.
    fn wait_while<'s>(
        &self,
        state: MutexGuard<'s, State>,
        most: Duration,
        condition: impl FnMut(&mut State) -> bool,
    ) -> MutexGuard<'s, State> {
        self.done
            .wait_timeout_while(state, most, condition)
            .unwrap_or_else(PoisonError::into_inner)
            .0
    }
}

impl Writer {
    /// Opens the file and starts the thread.
    pub(super) fn open(path: &Path, interval: Duration, most: usize) -> io::Result<Self> {
        Writer::to(LogFile::open(path)?, interval, most)
    }

    pub(super) fn to(target: impl Target, interval: Duration, most: usize) -> io::Result<Self> {
        // A full buffer is worth waking the thread too.
        let enough = ENOUGH.min(most);
        let shared = Arc::new(Shared::default());
        let of_thread = shared.clone();
        thread::Builder::new()
            .name("hooks-jsonl-log".into())
            .spawn(move || run(&of_thread, target, interval, enough))?;
        Ok(Writer {
            shared,
            most,
            enough,
        })
    }

    /// Accepts a line.
    pub(super) fn write(&self, line: Line<'_>) {
        let most = self.most;
        let mut state = self.shared.lock();
        let is_full = |state: &State| state.buffer.len() >= most;
        // If the disk is known to fail or to hang, do not wait for it.
        if is_full(&state) && state.error.is_none() && !state.is_stuck {
            state = self.shared.wait_while(state, WAIT_FOR_ROOM, |state| {
                is_full(state) && state.error.is_none() && !state.is_closing
            });
        }
        state.is_stuck = is_full(&state);
        if state.is_stuck || state.is_closing {
            state.drop_line();
            return;
        }
        let start = state.buffer.len();
        if line.write(&mut state.buffer).is_err() {
            // An event that cannot be packed must not break another line.
            state.buffer.truncate(start);
            state.drop_line();
            return;
        }
        let wakes = state.is_asleep || (start < self.enough && state.buffer.len() >= self.enough);
        state.is_asleep = false;
        drop(state);
        if wakes {
            self.shared.work.notify_one();
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.shared.lock().dropped
    }

    pub(super) fn last_error(&self) -> Option<io::Error> {
        self.shared.lock().error.as_ref().map(copy)
    }

    pub(super) fn flush(&self) -> io::Result<()> {
        let mut state = self.shared.lock();
        if state.is_closing {
            drop(state);
            return self.shutdown();
        }
        state.asked += 1;
        let mine = state.asked;
        self.shared.work.notify_one();
        state = self.shared.wait_while(state, WAIT_FOR_END, |state| {
            state.flushed.max(state.failed) < mine && !state.is_closed
        });
        state.came_to(state.flushed >= mine)
    }

    pub(super) fn shutdown(&self) -> io::Result<()> {
        let mut state = self.shared.lock();
        state.is_closing = true;
        self.shared.work.notify_one();
        state = self
            .shared
            .wait_while(state, WAIT_FOR_END, |state| !state.is_closed);
        state.came_to(state.is_closed && state.error.is_none())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // The thread reports to `tracing` what it cannot write.
        let _ = self.shutdown();
    }
}

/// Returns an equal error, because `io::Error` is not `Clone`.
pub(super) fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use hooks_core::Decision;
    use hooks_core::agent::{AgentContext, AgentEnd, AgentEvent};

    use super::*;

    /// A disk in memory. It accepts three bytes at a time, and fails while the test says so.
    #[derive(Clone, Default)]
    struct Disk(Arc<Mutex<(Vec<u8>, bool)>>);

    impl Disk {
        fn fails(&self, fails: bool) {
            self.0.lock().unwrap().1 = fails;
        }

        fn responses(&self) -> Vec<String> {
            let text = String::from_utf8(self.0.lock().unwrap().0.clone()).unwrap();
            text.lines()
                .map(|line| {
                    let line: serde_json::Value = serde_json::from_str(line).unwrap();
                    match line["event"].as_str().unwrap() {
                        "Dropped" => format!("{} dropped", line["count"]),
                        _ => line["payload"]["response"].as_str().unwrap().to_owned(),
                    }
                })
                .collect()
        }
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let (written, fails) = &mut *self.0.lock().unwrap();
            if *fails {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let bytes = &bytes[..bytes.len().min(3)];
            written.extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Target for Disk {
        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn write(writer: &Writer, response: &str) {
        writer.write(Line {
            cx: &AgentContext::new("s1"),
            event: AgentEvent::AgentEnd(&AgentEnd {
                response,
                ..AgentEnd::default()
            }),
            decision: Decision::Continue,
            seen: None,
        });
    }

    #[test]
    fn what_fails_is_kept_and_written_when_it_works_again() {
        let disk = Disk::default();
        let writer = Writer::to(disk.clone(), Duration::from_millis(5), 1 << 20).unwrap();
        write(&writer, "first");
        writer.flush().unwrap();
        disk.fails(true);
        write(&writer, "second");
        let error = writer.flush().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(
            writer.last_error().unwrap().kind(),
            io::ErrorKind::StorageFull
        );
        write(&writer, "third");
        disk.fails(false);
        writer.flush().unwrap();
        assert!(writer.last_error().is_none());
        assert_eq!(disk.responses(), ["first", "second", "third"]);
    }

    #[test]
    fn the_file_tells_how_many_lines_are_missing_where_it_goes_on() {
        let disk = Disk::default();
        let writer = Writer::to(disk.clone(), Duration::from_millis(5), 1).unwrap();
        disk.fails(true);
        write(&writer, "taken");
        writer.flush().unwrap_err();
        // There is room for one line in addition to the one that is being written.
        for response in ["waits", "lost", "lost"] {
            write(&writer, response);
        }
        assert_eq!(writer.dropped(), 2);
        disk.fails(false);
        writer.flush().unwrap();
        write(&writer, "later");
        writer.shutdown().unwrap();
        assert_eq!(disk.responses(), ["taken", "waits", "2 dropped", "later"]);
    }

    #[test]
    fn a_buffer_that_is_full_is_written_at_once() {
        let disk = Disk::default();
        let writer = Writer::to(disk.clone(), Duration::from_hours(1), 1).unwrap();
        for response in ["one", "two", "three"] {
            write(&writer, response);
        }
        assert_eq!(writer.dropped(), 0);
        writer.shutdown().unwrap();
        assert_eq!(disk.responses(), ["one", "two", "three"]);
    }

    #[test]
    fn after_a_shutdown_no_line_is_taken_and_each_is_counted() {
        let disk = Disk::default();
        let writer = Writer::to(disk.clone(), Duration::from_hours(1), 1 << 20).unwrap();
        write(&writer, "in time");
        writer.shutdown().unwrap();
        assert_eq!(disk.responses(), ["in time"]);
        write(&writer, "too late");
        assert_eq!(writer.dropped(), 1);
        writer.shutdown().unwrap();
        writer.flush().unwrap();
        assert_eq!(disk.responses(), ["in time"]);
    }

    #[test]
    fn a_shutdown_on_a_disk_that_fails_says_so_and_counts_what_is_lost() {
        let disk = Disk::default();
        let writer = Writer::to(disk.clone(), Duration::from_hours(1), 1 << 20).unwrap();
        disk.fails(true);
        write(&writer, "one");
        write(&writer, "two");
        let error = writer.shutdown().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(writer.dropped(), 2);
    }
}
