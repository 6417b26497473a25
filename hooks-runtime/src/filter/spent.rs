//! What the conditions of one event have read together.
//!
//! Each condition may read 32 MiB. A set may have thousands of hooks, so their sum has a bound of its own: an event whose
//! conditions have read that much is judged no further, and each hook that is left has failed.

use std::cell::Cell;

use crate::fault::Fault;

/// The most that all conditions of an event may read, in bytes: 1,000 hooks may each read the largest event once.
const MOST: usize = 256 << 20;

tokio::task_local! {
    static SPENT: Cell<usize>;
}

/// Counts what is read meanwhile, and returns it with the output. Within another count, it is a part of that.
pub(crate) async fn counted<F: Future>(judging: F) -> (F::Output, usize) {
    let counting = async {
        let output = judging.await;
        (output, SPENT.with(Cell::get))
    };
    match SPENT.try_with(Cell::get) {
        Ok(_) => counting.await,
        Err(_) => SPENT.scope(Cell::new(0), counting).await,
    }
}

/// Adds what a condition reads, in bytes.
#[inline]
pub(super) fn add(bytes: usize) {
    // Where nobody counts, each condition has only its own bound.
    let _ = SPENT.try_with(|spent| spent.set(spent.get().saturating_add(bytes)));
}

/// Whether there is something left to read.
///
/// # Errors
///
/// If the conditions of the event have read too much.
#[inline]
pub(super) fn check() -> Result<(), Fault> {
    match SPENT.try_with(Cell::get) {
        Ok(spent) if spent > MOST => Err(Fault::filter(format_args!(
            "the conditions of this event have read more than {} MiB together",
            MOST >> 20
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_conditions_of_an_event_have_one_budget() {
        let judging = async {
            let mut count = 0;
            while check().is_ok() {
                add(100 << 20);
                count += 1;
            }
            count
        };
        assert_eq!(counted(judging).await, (3, 300 << 20));
        add(usize::MAX);
        assert!(check().is_ok());
    }
}
