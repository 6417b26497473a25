//! What was read from the store, as long as nothing has changed there: a client that asks again costs no statement.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OnceCell, watch};

type Cell<T> = Arc<OnceCell<T>>;

/// Values by their keys. All go when somebody writes.
pub(crate) struct Unchanged<T> {
    changes: watch::Receiver<u64>,
    kept: Mutex<(u64, HashMap<String, Cell<T>>)>,
}

impl<T: Clone> Unchanged<T> {
    /// `changes` counts the writes: [`Store::changes`](hooks_store::Store::changes).
    pub(crate) fn new(changes: watch::Receiver<u64>) -> Self {
        Unchanged {
            changes,
            kept: Mutex::default(),
        }
    }

    fn kept(&self) -> MutexGuard<'_, (u64, HashMap<String, Cell<T>>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn cell(&self, key: &str) -> Cell<T> {
        let change = *self.changes.borrow();
        let mut kept = self.kept();
        if kept.0 != change {
            *kept = (change, HashMap::new());
        }
        if let Some(cell) = kept.1.get(key) {
            return Arc::clone(cell);
        }
        Arc::clone(kept.1.entry(key.to_owned()).or_default())
    }

    /// Returns a value, and reads it first if it is not known. Of those who ask at once, one reads.
    pub(crate) async fn get<E>(
        &self,
        key: &str,
        read: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let cell = self.cell(key);
        let value = cell.get_or_try_init(|| read).await.cloned();
        if value.is_err() {
            // Nobody fills the memory with what is not there.
            let mut kept = self.kept();
            if kept.1.get(key).is_some_and(|cell| !cell.initialized()) {
                kept.1.remove(key);
            }
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_value_is_read_once_after_each_change() {
        let (writes, changes) = watch::channel(0);
        let unchanged = Unchanged::new(changes);
        let get = async |value: Result<u8, ()>| unchanged.get("a", async { value }).await;
        assert_eq!(get(Err(())).await, Err(()));
        assert!(unchanged.kept().1.is_empty());
        assert_eq!(get(Ok(1)).await, Ok(1));
        assert_eq!(get(Ok(2)).await, Ok(1));
        writes.send_replace(7);
        assert_eq!(get(Ok(3)).await, Ok(3));
    }
}
