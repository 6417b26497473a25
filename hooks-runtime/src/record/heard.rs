//! What the hooks of one call have to say, for whoever waits for it, also if several calls use one runtime at once.

use std::cell::RefCell;
use std::future::Future;

use super::{Record, RecordOutcome};

tokio::task_local! {
    static HEARD: RefCell<Vec<Record>>;
}

/// Runs dispatches, and also returns the last record of each hook that has a message or has failed.
pub(crate) async fn heard<F: Future>(dispatches: F) -> (F::Output, Vec<Record>) {
    let listening = async {
        let output = dispatches.await;
        (output, HEARD.with(RefCell::take))
    };
    HEARD.scope(RefCell::default(), listening).await
}

/// Notes what somebody may wait for.
pub(crate) fn hear(record: &Record) {
    let _ = HEARD.try_with(|heard| {
        let mut heard = heard.borrow_mut();
        heard.retain(|other| other.hook != record.hook);
        if record.outcome == RecordOutcome::Fault || !record.messages.is_empty() {
            heard.push(record.clone());
        }
    });
}
