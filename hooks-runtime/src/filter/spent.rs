//! Counts what the conditions of one event have read together.
//!
//! Each condition may read 32 MiB. A set may have thousands of hooks, so their sum has a bound of its own: an event whose
//! conditions have read that much is judged no further, and each hook that is left has failed.

use std::cell::Cell;

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

/// Adds what a condition reads, in bytes, and returns the sum.
#[inline]
pub(super) fn add(bytes: usize) -> usize {
    let added = SPENT.try_with(|spent| {
        let sum = spent.get().saturating_add(bytes);
        spent.set(sum);
        sum
    });
    // Without a count, each condition has only its own bound.
    added.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_the_conditions_of_an_event_read_is_added_up() {
        let judging = async {
            let inner = counted(async { add(100 << 20) }).await;
            (inner, add(100 << 20))
        };
        let sums = ((100 << 20, 100 << 20), 200 << 20);
        assert_eq!(counted(judging).await, (sums, 200 << 20));
        assert_eq!(add(usize::MAX), 0);
    }
}
