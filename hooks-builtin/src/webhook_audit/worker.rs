//! The thread that delivers events, and its queue.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::num::NonZeroU32;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::{sleep_until, timeout};

use super::config::WebhookAuditConfig;
use super::counts::{Counts, Ticket};
use super::post::Post;
use super::record::Record;
use super::retry::{self, Outcome};

/// Waking a thread costs the agent a system call. So after a delivery, the worker checks the queue this many times,
/// with this pause in between, before it goes to sleep.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

/// How often a log line reports dropped events.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// The longest shutdown, short enough to be added to any instant.
const LONGEST_SHUTDOWN: Duration = Duration::from_hours(24 * 365);

enum Message {
    Event(Record, Ticket),
    /// Answered when everything queued before it is delivered or dropped.
    Flush(oneshot::Sender<()>),
}

/// The agent's side of the queue. Dropping the last one ends the thread.
pub(super) struct Worker {
    queue: mpsc::Sender<Message>,
    queue_bytes: usize,
    counts: Arc<Counts>,
    /// When the thread must end, once it is told to stop.
    stop: watch::Sender<Option<Instant>>,
    /// Closed when the thread has ended.
    ended: watch::Receiver<()>,
    shutdown_timeout: Duration,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Worker {
    pub(super) fn start(config: &WebhookAuditConfig, post: Post) -> io::Result<Self> {
        let events = config.queue_events.get().min(Semaphore::MAX_PERMITS);
        let (queue, messages) = mpsc::channel(events);
        let (stop, stopped) = watch::channel(None);
        let (end, ended) = watch::channel(());
        let counts = Arc::<Counts>::default();
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            // Hanging look-ups are abandoned. This limits their number, whatever the number of attempts.
            .max_blocking_threads(4)
            .build()?;
        let mut delivery = Delivery {
            messages,
            stop: stopped,
            post,
            max_attempts: config.max_attempts,
            retry_delay: config.retry_delay,
            counts: Arc::clone(&counts),
            reported: Reported::default(),
        };
        let thread = thread::Builder::new()
            .name("webhook-audit".into())
            .spawn(move || {
                runtime.block_on(delivery.run());
                drop(delivery);
                runtime.shutdown_background();
                drop(end);
            })?;
        Ok(Worker {
            queue,
            queue_bytes: config.queue_bytes.get(),
            counts,
            stop,
            ended,
            shutdown_timeout: config.shutdown_timeout.min(LONGEST_SHUTDOWN),
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Queues an event, or drops it. `record` is called only if there is room. It gets the maximum number of bytes.
    pub(super) fn accept(&self, record: impl FnOnce(usize) -> Record) {
        self.counts.accept();
        let Ok(place) = self.queue.try_reserve() else {
            return self.counts.drop_one();
        };
        let record = record(self.queue_bytes / 4);
        match self.counts.ticket(record.bytes(), self.queue_bytes) {
            Some(ticket) => place.send(Message::Event(record, ticket)),
            None => self.counts.drop_one(),
        }
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) async fn flush(&self) {
        let (done, flushed) = oneshot::channel();
        match self.queue.send(Message::Flush(done)).await {
            // If the thread ends first, there is no answer.
            Ok(()) => drop(flushed.await),
            Err(_) => self.until_ended().await,
        }
    }

    pub(super) async fn shutdown(&self) {
        self.stop();
        self.until_ended().await;
    }

    fn stop(&self) {
        let deadline = Instant::now() + self.shutdown_timeout;
        self.stop.send_if_modified(|stop| {
            let first = stop.is_none();
            stop.get_or_insert(deadline);
            first
        });
    }

    async fn until_ended(&self) {
        let mut ended = self.ended.clone();
        while ended.changed().await.is_ok() {}
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts.fmt(f)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop();
        let thread = self
            .thread
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        // The thread ends by the deadline. It would wait for itself here if the program's own resolver held the hook.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != thread::current().id())
        {
            let _ = thread.join();
        }
    }
}

/// The thread's side of the queue.
struct Delivery {
    messages: mpsc::Receiver<Message>,
    stop: watch::Receiver<Option<Instant>>,
    post: Post,
    max_attempts: NonZeroU32,
    retry_delay: Duration,
    counts: Arc<Counts>,
    reported: Reported,
}

impl Delivery {
    /// Delivers until it is told to stop, and then until the queue is empty or the time is up.
    async fn run(&mut self) {
        let mut stop = self.stop.clone();
        let time_is_up = async {
            let deadline = match stop.wait_for(Option::is_some).await {
                Ok(deadline) => *deadline,
                Err(_) => None,
            };
            sleep_until(deadline.unwrap_or_else(Instant::now).into()).await;
        };
        // Whatever is left in the queue, or in delivery, counts as dropped when it is dropped here.
        first(self.deliver_all(), time_is_up).await;
        self.messages.close();
        while self.messages.recv().await.is_some() {}
        self.reported.report(&self.counts, true);
    }

    async fn deliver_all(&mut self) {
        while let Some(message) = self.next().await {
            match message {
                Message::Event(record, ticket) => self.deliver(&record, ticket).await,
                Message::Flush(done) => drop(done.send(())),
            }
            self.reported.report(&self.counts, false);
        }
    }

    /// Returns the next message; `None` if it is told to stop and there are no more.
    async fn next(&mut self) -> Option<Message> {
        for _ in 0..LOOKS {
            match self.messages.try_recv() {
                Ok(message) => return Some(message),
                Err(mpsc::error::TryRecvError::Disconnected) => return None,
                Err(mpsc::error::TryRecvError::Empty) => self.pause(PAUSE).await,
            }
        }
        if self.stop.borrow().is_none() {
            let stopped = async {
                let _ = self.stop.changed().await;
                None
            };
            if let Some(message) = first(self.messages.recv(), stopped).await {
                return Some(message);
            }
        }
        self.messages.close();
        self.messages.recv().await
    }

    /// Waits, but returns at once when it is told to stop.
    async fn pause(&mut self, wait: Duration) {
        if timeout(wait, self.stop.changed()).await.is_ok() {
            self.messages.close();
        }
    }

    async fn deliver(&mut self, record: &Record, ticket: Ticket) {
        let id = self.post.next_id();
        let body = match record.body() {
            Ok(body) => body,
            Err(error) => return self.reported.failed(error.to_string()),
        };
        for attempts in 1.. {
            let (asked, failure) = match self.post.attempt(&id, &body).await {
                Outcome::Delivered => return ticket.delivered(),
                Outcome::Rejected(failure) => return self.reported.failed(failure),
                Outcome::Again(asked, failure) => (asked, failure),
            };
            if attempts >= self.max_attempts.get() {
                return self.reported.failed(failure);
            }
            tracing::debug!(attempts, failure, "an audit event is not taken yet");
            self.pause(retry::wait(self.retry_delay, attempts, asked))
                .await;
        }
    }
}

/// What has been logged so far.
#[derive(Default)]
struct Reported {
    dropped: u64,
    at: Option<Instant>,
    last_failure: Option<String>,
}

impl Reported {
    fn failed(&mut self, failure: String) {
        self.last_failure = Some(failure);
    }

    /// Logs the events that were dropped since the last log line, unless that line is recent.
    fn report(&mut self, counts: &Counts, at_once: bool) {
        let dropped = counts.dropped();
        let Some(new) = self.due(dropped, Instant::now(), at_once) else {
            return;
        };
        let why = self.last_failure.take();
        let why = why
            .as_deref()
            .unwrap_or("the queue was full, or time was up");
        tracing::warn!(dropped, new, why, "audit events are dropped");
    }

    /// Returns how many dropped events to log now.
    fn due(&mut self, dropped: u64, now: Instant, at_once: bool) -> Option<u64> {
        let lately = self
            .at
            .is_some_and(|at| now.duration_since(at) < REPORT_EVERY);
        let new = dropped - self.dropped;
        if new == 0 || (lately && !at_once) {
            return None;
        }
        self.dropped = dropped;
        self.at = Some(now);
        Some(new)
    }
}

/// Returns the output of the future that is ready first.
async fn first<T>(one: impl Future<Output = T>, other: impl Future<Output = T>) -> T {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|cx| match one.as_mut().poll(cx) {
        Poll::Pending => other.as_mut().poll(cx),
        ready @ Poll::Ready(_) => ready,
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_told_of_every_drop_but_not_of_each() {
        let mut reported = Reported::default();
        let start = Instant::now();
        assert_eq!(reported.due(0, start, false), None);
        assert_eq!(reported.due(1, start, false), Some(1));
        assert_eq!(reported.due(9, start + REPORT_EVERY / 2, false), None);
        assert_eq!(reported.due(10, start + REPORT_EVERY, false), Some(9));
        assert_eq!(reported.due(12, start + REPORT_EVERY, true), Some(2));
        assert_eq!(reported.due(12, start + REPORT_EVERY * 3, true), None);
    }
}
