//! The thread: takes all lines from the queue, and gives them to the sink.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::select;
use tokio::time::{sleep, sleep_until};

use super::queue::QueueState;
use super::{Progress, Sink};

/// The capacity that the buffer keeps after it was larger.
const MOST_KEPT: usize = 1024 * 1024;
/// How often the log of the program reports the same sink.
const REPORT_EVERY: Duration = Duration::from_secs(30);

/// Tells everybody that the thread has ended, even if it panicked.
pub(super) struct EndNotice(pub(super) Arc<QueueState>);

impl Drop for EndNotice {
    fn drop(&mut self) {
        self.0.deadline.send_if_modified(|deadline| {
            deadline.get_or_insert_with(Instant::now);
            false
        });
        self.0.lock().end();
        self.0.tell();
    }
}

/// Delivers until the queue is closed, and then until it is empty or the time is up.
pub(super) async fn work<S: Sink>(shared: &QueueState, mut sink: S) {
    let mut report = SinkReport::default();
    let mut lines = Vec::new();
    while take(shared, &sink, &mut lines).await {
        let is_done = deliver(shared, &mut sink, &lines, &mut report).await;
        report.tell::<S>(shared.lock().dropped, false);
        if !is_done {
            break;
        }
    }
    let mut state = shared.lock();
    if !state.has_work()
        && state.error.is_none()
        && let Err(error) = sink.close()
    {
        state.fail(error);
    }
    // What is left in the queue.
    let error = state.error.as_ref().map(ToString::to_string);
    state.end();
    let dropped = state.dropped;
    drop(state);
    // What failed for a while is not news any more.
    if error.is_some() || dropped == report.dropped {
        report.why = error;
    }
    report.tell::<S>(dropped, true);
}

/// Waits for lines, and takes them. Returns whether there are any; if not, the queue is closed.
async fn take<S: Sink>(shared: &QueueState, sink: &S, lines: &mut Vec<u8>) -> bool {
    lines.clear();
    lines.shrink_to(MOST_KEPT);
    let mut until = None;
    loop {
        {
            let mut state = shared.lock();
            let is_closing = shared.is_closing();
            let is_over = until.is_some_and(|until| Instant::now() >= until);
            if state.has_work() && (is_over || is_closing || state.is_urgent(&shared.limits)) {
                std::mem::swap(lines, &mut state.buffer);
                if state.untold > 0
                    && let Some(gap) = sink.gap(std::mem::take(&mut state.untold))
                {
                    state.queue(gap.len());
                    lines.extend_from_slice(gap.as_bytes());
                }
                state.is_waiting = false;
                if !lines.is_empty() {
                    return true;
                }
            }
            if is_closing {
                return false;
            }
            if state.has_work() && until.is_none() {
                until = Some(Instant::now() + shared.limits.linger);
            }
            state.begin_attempt();
            state.is_waiting = true;
        }
        match until {
            Some(until) => select! {
                () = shared.work.notified() => {}
                () = sleep_until(until.into()) => {}
            },
            None => shared.work.notified().await,
        }
    }
}

/// Delivers lines. Returns whether all of them are delivered or given up.
async fn deliver<S: Sink>(
    shared: &QueueState,
    sink: &mut S,
    lines: &[u8],
    report: &mut SinkReport,
) -> bool {
    let mut rest = lines;
    while !rest.is_empty() {
        {
            let mut state = shared.lock();
            state.begin_attempt();
            state.is_delivering = true;
        }
        let progress = select! {
            biased;
            progress = sink.write(rest) => progress,
            () = time_is_up(shared) => return false,
        };
        match progress {
            Progress::Taken(bytes) => {
                shared.lock().finish(&rest[..bytes], true);
                rest = &rest[bytes..];
            }
            Progress::GivenUp(bytes, why) => {
                shared.lock().finish(&rest[..bytes], false);
                rest = &rest[bytes..];
                report.why = Some(why);
            }
            Progress::Again(wait, error) => {
                report.why = Some(error.to_string());
                shared.lock().fail(error);
                shared.tell();
                let deadline = *shared.deadline.borrow();
                if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    return false;
                }
                report.tell::<S>(shared.lock().dropped, false);
                // A flush or a shutdown makes another attempt at once.
                select! {
                    () = shared.work.notified() => {}
                    () = sleep(wait) => {}
                    () = time_is_up(shared) => return false,
                }
            }
        }
        shared.tell();
    }
    true
}

async fn time_is_up(shared: &QueueState) {
    let mut deadline = shared.deadline.subscribe();
    let deadline = deadline
        .wait_for(Option::is_some)
        .await
        .map(|deadline| *deadline);
    if let Ok(Some(deadline)) = deadline {
        sleep_until(deadline.into()).await;
    }
}

/// What the log of the program was told.
#[derive(Default)]
struct SinkReport {
    dropped: u64,
    at: Option<Instant>,
    why: Option<String>,
}

impl SinkReport {
    /// Reports what fails, and what was dropped since the last report, unless that is recent.
    fn tell<S: Sink>(&mut self, dropped: u64, at_once: bool) {
        if !self.is_due(dropped, Instant::now(), at_once) {
            return;
        }
        let why = self.why.take();
        let why = why
            .as_deref()
            .unwrap_or("the queue was full, or was closed");
        tracing::warn!(
            sink = S::NAME,
            dropped,
            why,
            "a sink does not accept everything"
        );
    }

    fn is_due(&mut self, dropped: u64, now: Instant, at_once: bool) -> bool {
        let lately = self
            .at
            .is_some_and(|at| now.duration_since(at) < REPORT_EVERY);
        let is_new = dropped > self.dropped || self.why.is_some();
        if !is_new || (lately && !at_once) {
            return false;
        }
        self.dropped = dropped;
        self.at = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::super::LogFile;
    use super::*;

    #[test]
    fn the_log_is_told_of_every_drop_but_not_of_each() {
        let mut report = SinkReport::default();
        let start = Instant::now();
        assert!(!report.is_due(0, start, false));
        assert!(report.is_due(1, start, false));
        assert!(!report.is_due(9, start + REPORT_EVERY / 2, false));
        assert!(report.is_due(10, start + REPORT_EVERY, false));
        assert!(report.is_due(12, start + REPORT_EVERY, true));
        assert!(!report.is_due(12, start + REPORT_EVERY * 3, true));
        report.why = Some("the disk is full".into());
        report.tell::<LogFile>(12, true);
        assert!(report.why.is_none());
    }
}
