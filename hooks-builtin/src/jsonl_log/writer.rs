//! The thread that writes, and the buffer that it writes from.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

/// How many bytes are worth waking the writer for.
const ENOUGH: usize = 64 * 1024;
/// How long an event waits for room.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(1);
/// How long a clean shutdown waits for the disk.
const WAIT_FOR_END: Duration = Duration::from_secs(10);
/// How long the writer waits before it tries again what has failed.
const RETRY: Duration = Duration::from_millis(500);

/// Writes lines to a file, on a thread of its own.
#[derive(Debug)]
pub(super) struct Writer {
    shared: Arc<Shared>,
    most: usize,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// For the writer: there is something to do.
    work: Condvar,
    /// For the others: something was done.
    done: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whole lines.
    buffer: Vec<u8>,
    /// Whether the writer sleeps until it is woken.
    is_idle: bool,
    /// Why the file could not be written the last time.
    error: Option<io::ErrorKind>,
    /// Lines that were dropped, and those of them of which the file does not tell yet.
    dropped: u64,
    untold: u64,
    /// How often a flush was asked for, and which of them was done.
    asked: u64,
    flushed: u64,
    closing: bool,
    closed: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something was done, for at most so long.
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
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let file = open(path)?;
        let shared = Arc::new(Shared::default());
        let of_thread = shared.clone();
        thread::Builder::new()
            .name("hooks-jsonl-log".into())
            .spawn(move || run(&of_thread, file, interval))?;
        Ok(Writer { shared, most })
    }

    /// Takes a line.
    pub(super) fn write(&self, line: &impl Serialize) {
        let mut state = self.shared.lock();
        if state.buffer.len() >= self.most {
            // A disk that is known to fail is not waited for.
            let is_full =
                |state: &mut State| state.buffer.len() >= self.most && state.error.is_none();
            state = self.shared.wait_while(state, WAIT_FOR_ROOM, is_full);
            if state.buffer.len() >= self.most {
                state.dropped += 1;
                state.untold += 1;
                return;
            }
        }
        let start = state.buffer.len();
        if serde_json::to_writer(&mut state.buffer, line).is_err() {
            // An event with a map whose keys are no text, say: there is none, and none may break a line.
            state.buffer.truncate(start);
            state.dropped += 1;
            state.untold += 1;
            return;
        }
        state.buffer.push(b'\n');
        let wakes = state.is_idle || (start < ENOUGH && state.buffer.len() >= ENOUGH);
        state.is_idle = false;
        drop(state);
        if wakes {
            self.shared.work.notify_one();
        }
    }

    pub(super) fn dropped(&self) -> u64 {
        self.shared.lock().dropped
    }

    pub(super) fn flush(&self) -> io::Result<()> {
        let mut state = self.shared.lock();
        state.asked += 1;
        let mine = state.asked;
        state.error = None;
        self.shared.work.notify_one();
        let is_going_on = |state: &mut State| state.flushed < mine && state.error.is_none();
        state = self.shared.wait_while(state, WAIT_FOR_END, is_going_on);
        match state.error {
            Some(error) => Err(error.into()),
            None if state.flushed < mine => Err(io::ErrorKind::TimedOut.into()),
            None => Ok(()),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.closing = true;
        state.error = None;
        self.shared.work.notify_one();
        drop(
            self.shared
                .wait_while(state, WAIT_FOR_END, |state| !state.closed),
        );
    }
}

/// Opens the file so that lines are added to it, after a line that a crash has left unfinished.
fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    let found = file.metadata()?;
    if found.is_file() && found.len() > 0 {
        let mut last = [0];
        let mut reader = File::open(path)?;
        reader.seek(SeekFrom::End(-1))?;
        reader.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

/// What the thread does.
fn run(shared: &Shared, mut file: File, interval: Duration) {
    // What is being written, and how much of it was: a failure goes on where it stopped.
    let mut lines = Vec::new();
    let mut written = 0;
    loop {
        let mut state = shared.lock();
        if state.buffer.is_empty() && lines.is_empty() && !is_urgent(&state) {
            state.is_idle = true;
            let nothing = |state: &mut State| state.is_idle && !is_urgent(state);
            state = shared
                .work
                .wait_while(state, nothing)
                .unwrap_or_else(PoisonError::into_inner);
            state.is_idle = false;
        }
        let pause = if lines.is_empty() { interval } else { RETRY };
        let can_wait = |state: &mut State| {
            !is_urgent(state) && (state.buffer.len() < ENOUGH || state.error.is_some())
        };
        state = shared
            .work
            .wait_timeout_while(state, pause, can_wait)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        if lines.is_empty() {
            std::mem::swap(&mut lines, &mut state.buffer);
            if state.untold > 0 {
                let told = serde_json::json!({
                    "time": format!("{:.3}", Timestamp::now()),
                    "event": "Dropped",
                    "count": state.untold,
                });
                state.untold = 0;
                lines.extend_from_slice(told.to_string().as_bytes());
                lines.push(b'\n');
            }
        }
        let (asked, closing) = (state.asked, state.closing);
        drop(state);
        shared.done.notify_all();

        let outcome = write_all(&mut file, &lines, &mut written);
        if outcome.is_ok() {
            lines.clear();
            written = 0;
        }
        let mut state = shared.lock();
        match outcome {
            Ok(()) => {
                state.error = None;
                if state.buffer.is_empty() {
                    state.flushed = asked;
                }
            }
            Err(error) => {
                if state.error.is_none() {
                    tracing::warn!(target: "hooks_builtin::jsonl_log", %error, "the log cannot be written");
                }
                state.error = Some(error.kind());
                // Who waits is told, and asks again.
                state.flushed = asked;
            }
        }
        if closing && (state.error.is_some() || state.buffer.is_empty()) {
            drop(state);
            let _ = file.sync_data();
            shared.lock().closed = true;
            shared.done.notify_all();
            return;
        }
        drop(state);
        shared.done.notify_all();
    }
}

/// Whether somebody waits for the writer.
fn is_urgent(state: &State) -> bool {
    state.closing || state.asked > state.flushed
}

/// Writes what is not written yet.
fn write_all(file: &mut impl Write, lines: &[u8], written: &mut usize) -> io::Result<()> {
    while *written < lines.len() {
        match file.write(&lines[*written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(bytes) => *written += bytes,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
