//! The queue: what hooks and the thread share.

use std::fmt;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::{Notify, watch};

use super::worker::{EndNotice, work};
use super::{QueueLimits, Sink};

/// How long a blocked caller waits for the thread.
const WAIT_FOR_END: Duration = Duration::from_secs(10);
/// The longest shutdown, short enough to be added to any instant.
const LONGEST_GRACE: Duration = Duration::from_hours(24 * 365);
/// How many bytes are worth waking the thread for.
const ENOUGH: usize = 64 * 1024;

/// A queue of lines, with the thread that delivers them. Dropping it delivers the rest.
pub struct SinkQueue {
    shared: Arc<QueueState>,
    thread: ThreadId,
}

/// No thread holds the lock during I/O.
#[derive(Debug)]
pub(super) struct QueueState {
    pub(super) limits: QueueLimits,
    state: Mutex<QueueBuffer>,
    /// For the thread: there is work.
    pub(super) work: Notify,
    /// For the others: the thread has finished something. One is for threads, and one for tasks.
    done: (Condvar, Notify),
    /// When the thread must end, after it was told to.
    pub(super) deadline: watch::Sender<Option<Instant>>,
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each comes from another party, and at another time"
)]
pub(super) struct QueueBuffer {
    /// Whole lines that the thread has not taken yet.
    pub(super) buffer: Vec<u8>,
    /// How many lines and bytes were queued, and how many of them are delivered or given up.
    queued: (u64, usize),
    finished: (u64, usize),
    /// How many lines hooks have sent, and how many of them are given up.
    accepted: u64,
    pub(super) dropped: u64,
    /// How many dropped lines the sink was not told of.
    pub(super) untold: u64,
    /// Whether the thread waits for a line, or for more of them.
    pub(super) is_waiting: bool,
    /// Whether the sink has a line, which does not wait any more.
    pub(super) is_delivering: bool,
    /// Why the last attempt failed.
    pub(super) error: Option<io::Error>,
    /// Whether a line has waited for room in vain, and no room has appeared since.
    is_stuck: bool,
    /// How many flushes there were, and for how many of them an attempt was begun, and has failed.
    asked: u64,
    begun: u64,
    failed: u64,
    is_ended: bool,
}

impl QueueBuffer {
    fn is_full(&self, limits: &QueueLimits) -> bool {
        let lines = self.waiting_lines() - u64::from(self.is_delivering);
        usize::try_from(lines).is_ok_and(|lines| lines >= limits.lines)
            || self.queued.1 - self.finished.1 >= limits.bytes
    }

    fn is_finished(&self, queued: u64) -> bool {
        self.is_ended || self.finished.0 >= queued
    }

    fn waiting_lines(&self) -> u64 {
        self.queued.0 - self.finished.0
    }

    fn delivered(&self) -> u64 {
        self.accepted
            .saturating_sub(self.dropped + self.waiting_lines())
    }

    fn drop_line(&mut self) {
        self.dropped += 1;
        self.untold += 1;
    }

    /// Asks for an attempt at once. Returns how many lines it is for, and its number.
    fn ask(&mut self) -> (u64, u64) {
        self.asked += 1;
        (self.queued.0, self.asked)
    }

    /// The result of a wait for the thread.
    fn came_to(&self, is_done: bool) -> io::Result<()> {
        match &self.error {
            _ if is_done => Ok(()),
            Some(error) => Err(copy(error)),
            None => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    /// Whether there is something for the thread to do.
    pub(super) fn has_work(&self) -> bool {
        !self.buffer.is_empty() || self.untold > 0
    }

    /// Whether the thread should not wait for more lines.
    pub(super) fn is_urgent(&self, limits: &QueueLimits) -> bool {
        self.asked > self.begun
            || self.buffer.len() >= ENOUGH.min(limits.bytes)
            || self.is_full(limits)
    }

    pub(super) fn begin_attempt(&mut self) {
        self.begun = self.asked;
    }

    pub(super) fn fail(&mut self, error: io::Error) {
        self.error = Some(error);
        self.failed = self.begun;
    }

    /// Counts a line of the thread's own.
    pub(super) fn queue(&mut self, bytes: usize) {
        self.queued = (self.queued.0 + 1, self.queued.1 + bytes);
    }

    /// Counts a part of what was queued as done.
    pub(super) fn finish(&mut self, part: &[u8], is_delivered: bool) {
        // In JSON, a line break within a string is escaped.
        let lines: u64 = part.iter().map(|byte| u64::from(*byte == b'\n')).sum();
        self.finished = (self.finished.0 + lines, self.finished.1 + part.len());
        self.is_delivering = false;
        if is_delivered {
            self.error = None;
        } else {
            self.dropped += lines;
        }
    }

    /// Gives up what is left.
    pub(super) fn end(&mut self) {
        self.dropped += self.waiting_lines();
        self.finished = self.queued;
        self.is_delivering = false;
        self.buffer = Vec::new();
        self.is_ended = true;
    }
}

impl QueueState {
    pub(super) fn lock(&self) -> MutexGuard<'_, QueueBuffer> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody who waits for the thread.
    pub(super) fn tell(&self) {
        self.done.0.notify_all();
        self.done.1.notify_waiters();
    }

    pub(super) fn is_closing(&self) -> bool {
        self.deadline.borrow().is_some()
    }

    fn wait_while<'s>(
        &self,
        state: MutexGuard<'s, QueueBuffer>,
        most: Duration,
        condition: impl FnMut(&mut QueueBuffer) -> bool,
    ) -> MutexGuard<'s, QueueBuffer> {
        let waited = self.done.0.wait_timeout_while(state, most, condition);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    async fn until(&self, is_done: impl Fn(&QueueBuffer) -> bool) {
        loop {
            let mut told = std::pin::pin!(self.done.1.notified());
            // From here on, nothing is missed.
            told.as_mut().enable();
            if is_done(&self.lock()) {
                return;
            }
            told.await;
        }
    }

    fn close(&self) {
        let deadline = Instant::now() + self.limits.grace.min(LONGEST_GRACE);
        self.deadline.send_if_modified(|stop| {
            let first = stop.is_none();
            stop.get_or_insert(deadline);
            first
        });
        self.work.notify_one();
    }
}

impl SinkQueue {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub fn start<S: Sink>(sink: S, limits: QueueLimits) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            // Name look-ups that hang are abandoned. This limits their number.
            .max_blocking_threads(4)
            .build()?;
        let shared = Arc::new(QueueState {
            limits,
            state: Mutex::default(),
            work: Notify::new(),
            done: (Condvar::new(), Notify::new()),
            deadline: watch::Sender::new(None),
        });
        let ended = EndNotice(Arc::clone(&shared));
        let thread = thread::Builder::new().name(S::NAME.into()).spawn(move || {
            runtime.block_on(work(&ended.0, sink));
            runtime.shutdown_background();
            drop(ended);
        })?;
        Ok(SinkQueue {
            shared,
            thread: thread.thread().id(),
        })
    }

    /// Queues the line that `write` adds, without its end. If there is no room, it drops the line, without calling
    /// `write`.
    pub fn send(&self, write: impl FnOnce(&mut Vec<u8>) -> serde_json::Result<()>) {
        let shared = &*self.shared;
        let limits = &shared.limits;
        let mut state = shared.lock();
        state.accepted += 1;
        // If the sink is known to fail or to hang, do not wait for it.
        if !limits.wait_for_room.is_zero()
            && state.is_full(limits)
            && state.error.is_none()
            && !state.is_stuck
        {
            state = shared.wait_while(state, limits.wait_for_room, |state| {
                state.is_full(limits) && state.error.is_none() && !shared.is_closing()
            });
        }
        state.is_stuck = state.is_full(limits);
        if state.is_stuck || shared.is_closing() {
            return state.drop_line();
        }
        let start = state.buffer.len();
        if write(&mut state.buffer).is_err() {
            // An event that cannot be serialized must not break another line.
            state.buffer.truncate(start);
            return state.drop_line();
        }
        state.buffer.push(b'\n');
        let bytes = state.buffer.len() - start;
        state.queue(bytes);
        let wakes = state.is_waiting && (start == 0 || state.is_urgent(limits));
        if wakes {
            state.is_waiting = false;
            drop(state);
            shared.work.notify_one();
        }
    }

    /// Returns how many lines were sent. In the end, each of them is delivered or dropped.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.shared.lock().accepted
    }

    /// Returns how many lines the sink has taken.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.shared.lock().delivered()
    }

    /// Returns how many lines were dropped.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.shared.lock().dropped
    }

    /// Returns why the last attempt failed; nothing if it succeeded.
    #[must_use]
    pub fn last_error(&self) -> Option<io::Error> {
        self.shared.lock().error.as_ref().map(copy)
    }

    /// Waits until the lines so far are delivered, for at most 10 s. It makes an attempt at once.
    ///
    /// # Errors
    ///
    /// If an attempt fails, or takes longer.
    pub fn flush(&self) -> io::Result<()> {
        if self.shared.is_closing() {
            return self.shutdown();
        }
        let mut state = self.shared.lock();
        let (lines, mine) = state.ask();
        self.shared.work.notify_one();
        state = self.shared.wait_while(state, WAIT_FOR_END, |state| {
            state.failed < mine && !state.is_finished(lines)
        });
        state.came_to(state.finished.0 >= lines && state.error.is_none())
    }

    /// Waits until the lines so far are delivered, without blocking a thread. It makes an attempt at once.
    ///
    /// # Errors
    ///
    /// If the attempt fails, or if a line has been dropped meanwhile or since the last attempt that succeeded.
    pub async fn flushed(&self) -> io::Result<()> {
        let (lines, mine) = self.shared.lock().ask();
        self.shared.work.notify_one();
        let is_done = |state: &QueueBuffer| state.failed >= mine || state.is_finished(lines);
        self.shared.until(is_done).await;
        let state = self.shared.lock();
        state.came_to(state.finished.0 >= lines && state.error.is_none() && !state.is_stuck)
    }

    /// Waits until the lines so far are delivered or dropped, however long that takes.
    #[cfg(feature = "webhook-audit")]
    pub(crate) async fn settled(&self) {
        let lines = self.shared.lock().queued.0;
        self.shared.until(|state| state.is_finished(lines)).await;
    }

    /// Accepts no more lines, and waits until the thread has ended, for at most 10 s more than the grace.
    ///
    /// # Errors
    ///
    /// If the last attempt has failed, or takes longer.
    pub fn shutdown(&self) -> io::Result<()> {
        self.shared.close();
        let most = self.shared.limits.grace.min(LONGEST_GRACE) + WAIT_FOR_END;
        let state = self.shared.lock();
        let state = self.shared.wait_while(state, most, |state| !state.is_ended);
        state.came_to(state.is_ended && state.error.is_none())
    }

    /// Accepts no more lines, and waits until the thread has ended.
    #[cfg(feature = "webhook-audit")]
    pub(crate) async fn ended(&self) {
        self.shared.close();
        self.shared.until(|state| state.is_ended).await;
    }
}

impl fmt::Debug for SinkQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.lock();
        f.debug_struct("Queue")
            .field("accepted", &state.accepted)
            .field("delivered", &state.delivered())
            .field("dropped", &state.dropped)
            .field("error", &state.error)
            .finish_non_exhaustive()
    }
}

impl Drop for SinkQueue {
    fn drop(&mut self) {
        // It would wait for itself if code of the program that the sink calls, such as a resolver, held the hook.
        if self.thread == thread::current().id() {
            self.shared.close();
        } else {
            // The thread has reported what it cannot deliver.
            let _ = self.shutdown();
        }
    }
}

/// Returns an equal error, because `io::Error` is not `Clone`.
fn copy(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}
