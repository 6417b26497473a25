//! What was read from the store, as long as it has not changed there: a client that asks again costs no statement.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use tokio::sync::OnceCell;

/// The values of how many keys are kept.
const KEPT: NonZeroUsize = NonZeroUsize::new(4096).unwrap();

type Cell<T> = Arc<OnceCell<T>>;

/// Values by their keys, each as of a change: a number of the [news](hooks_store::News) of its tenant.
pub(crate) struct Unchanged<T>(Mutex<LruCache<String, (u64, Cell<T>)>>);

impl<T: Clone> Unchanged<T> {
    pub(crate) fn new() -> Self {
        Unchanged(Mutex::new(LruCache::new(KEPT)))
    }

    fn kept(&self) -> MutexGuard<'_, LruCache<String, (u64, Cell<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cell(&self, key: &str, change: u64) -> Cell<T> {
        let mut kept = self.kept();
        match kept.get(key) {
            // Who looked at the news a moment earlier takes what is newer.
            Some((of, cell)) if *of >= change => Arc::clone(cell),
            _ => {
                let cell = Cell::default();
                kept.put(key.to_owned(), (change, Arc::clone(&cell)));
                cell
            }
        }
    }

    /// Returns a value as of this change or a later one, and reads it first if it is not known. Of those who ask at once, one
    /// reads.
    pub(crate) async fn get<E>(
        &self,
        key: &str,
        change: u64,
        read: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let cell = self.cell(key, change);
        cell.get_or_try_init(|| read).await.cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_value_is_read_once_after_each_change() {
        let unchanged = Unchanged::new();
        let get =
            async |change, value: Result<u8, ()>| unchanged.get("a", change, async { value }).await;
        assert_eq!(get(1, Err(())).await, Err(()));
        assert_eq!(get(1, Ok(1)).await, Ok(1));
        assert_eq!(get(1, Ok(2)).await, Ok(1));
        assert_eq!(get(2, Ok(3)).await, Ok(3));
        assert_eq!(get(1, Ok(4)).await, Ok(3));
    }
}
