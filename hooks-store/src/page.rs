//! One page of a list, and where the next one begins.

use serde::Serialize;

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// What is on the page.
    pub items: Vec<T>,
    /// The cursor of the next page; nothing on the last one.
    pub next: Option<u64>,
}

/// The most that a page has.
const MOST: u32 = 1000;

/// How many rows to read for a page: one more, which tells that there is another page.
pub(crate) fn rows_for(limit: u32) -> u64 {
    u64::from(limit.clamp(1, MOST)) + 1
}

/// Before which number a page begins.
pub(crate) fn before(cursor: Option<u64>) -> u64 {
    cursor.unwrap_or(u64::MAX).min(i64::MAX.unsigned_abs())
}

impl<T> Page<T> {
    /// Makes a page of the rows that were read for it.
    pub(crate) fn of(mut items: Vec<T>, limit: u32, cursor: impl Fn(&T) -> u64) -> Self {
        let limit = limit.clamp(1, MOST) as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(cursor);
        Page { items, next }
    }
}
