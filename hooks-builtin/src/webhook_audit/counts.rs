//! Counts the outcome of every event.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Counts the events, and the bytes that wait.
///
/// Each event has a [`Ticket`]. If the ticket is dropped before the event is delivered, the event counts as dropped,
/// wherever that happens. So the counts add up, however the queue ends.
/// happens. So the counts add up whatever ends the queue.
#[derive(Debug, Default)]
pub(super) struct Counts {
    accepted: AtomicU64,
    delivered: AtomicU64,
    dropped: AtomicU64,
    waiting_bytes: AtomicUsize,
}

impl Counts {
    pub(super) fn accept(&self) {
        self.accepted.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn drop_one(&self) {
        self.dropped.fetch_add(1, Ordering::Release);
    }

    /// Returns a ticket for that many bytes; `None` if the waiting bytes would exceed `most`.
    pub(super) fn ticket(self: &Arc<Self>, bytes: usize, most: usize) -> Option<Ticket> {
        let waiting = self.waiting_bytes.fetch_add(bytes, Ordering::Relaxed);
        if waiting.saturating_add(bytes) > most {
            self.waiting_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Ticket {
            counts: Arc::clone(self),
            bytes,
            delivered: false,
        })
    }

    pub(super) fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Acquire)
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Acquire)
    }
}

/// An event that is neither delivered nor dropped yet.
#[derive(Debug)]
pub(super) struct Ticket {
    counts: Arc<Counts>,
    bytes: usize,
    delivered: bool,
}

impl Ticket {
    pub(super) fn delivered(mut self) {
        self.delivered = true;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.counts
            .waiting_bytes
            .fetch_sub(self.bytes, Ordering::Relaxed);
        if self.delivered {
            self.counts.delivered.fetch_add(1, Ordering::Release);
        } else {
            self.counts.drop_one();
        }
    }
}
