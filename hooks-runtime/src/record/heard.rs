//! Collects what the hooks of one call have to say, for the caller that waits, also if several calls use one runtime at
//! once.

use std::cell::RefCell;
use std::future::Future;

use super::{RecordOutcome, RecordStep};

tokio::task_local! {
    static HEARD: RefCell<Vec<RecordStep>>;
}

/// Runs dispatches, and also returns the last step of each hook that has a message or has failed.
pub(crate) async fn heard<F: Future>(dispatches: F) -> (F::Output, Vec<RecordStep>) {
    let listening = async {
        let output = dispatches.await;
        (output, HEARD.with(RefCell::take))
    };
    HEARD.scope(RefCell::default(), listening).await
}

/// Notes what a caller may wait for.
pub(crate) fn hear(step: &RecordStep) {
    let _ = HEARD.try_with(|heard| {
        let mut heard = heard.borrow_mut();
        heard.retain(|other| other.hook != step.hook);
        if step.outcome == RecordOutcome::Fault || !step.messages.is_empty() {
            heard.push(step.clone());
        }
    });
}
