//! Where events are judged: on the threads that answer everything, or if a tenant's events are costly, on threads of their own.
//!
//! Conditions of hooks keep a core busy. What one event costs has a bound, which is a tenth of a second. So a tenant whose last
//! events were costly, or whose event is large, is judged on other threads for a while, a few events at a time: the system shares
//! the cores among the threads, and everybody else is answered meanwhile.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;

/// The length of an event that may be costly, in bytes.
const LONG: usize = 16 << 10;

/// What an event that was costly has read, in bytes: about a millisecond.
const COSTLY: usize = 1 << 20;

/// How long a tenant is judged aside after a costly event.
const WHILE: Duration = Duration::from_secs(10);

/// How many costly events of a tenant are judged at once. The others wait. Handlers that wait for something count, too.
const AT_ONCE: usize = 16;

/// How many tenants with costly events are known at once, before those that have none any more are forgotten.
const KNOWN: usize = 1024;

/// The lanes.
pub(crate) struct Lanes {
    /// Threads of their own, from the first costly event on until the daemon ends. Where there are none, everything is judged as
    /// if it cost nothing.
    aside: OnceLock<Option<Runtime>>,
    costly: Mutex<HashMap<String, Costly>>,
}

struct Costly {
    until: Instant,
    room: Arc<Semaphore>,
}

impl Lanes {
    pub(crate) fn new() -> Self {
        Lanes {
            aside: OnceLock::new(),
            costly: Mutex::default(),
        }
    }

    /// Judges an event of a tenant. `judging` returns how much it has read, too.
    pub(crate) async fn judge<T: Send + 'static>(
        &self,
        tenant: &str,
        length: usize,
        judging: impl Future<Output = (T, usize)> + Send + 'static,
    ) -> T {
        let room = self.room(tenant, length > LONG);
        let lane = room.and_then(|room| Some((self.aside()?, room)));
        let (judged, read) = match lane {
            Some((aside, room)) => {
                // The semaphore is never closed.
                let room = room.acquire_owned().await;
                let judging = async move {
                    let _room = room;
                    judging.await
                };
                match aside.spawn(judging).await {
                    Ok(judged) => judged,
                    Err(failed) => std::panic::resume_unwind(failed.into_panic()),
                }
            }
            None => judging.await,
        };
        if read > COSTLY {
            self.room(tenant, true);
        }
        judged
    }

    fn aside(&self) -> Option<&Runtime> {
        let start = || {
            let threads = std::thread::available_parallelism().map_or(1, usize::from);
            let mut aside = Builder::new_multi_thread();
            aside.worker_threads(threads.div_ceil(2)).enable_all();
            aside.thread_name("hooks-aside").build().ok()
        };
        self.aside.get_or_init(start).as_ref()
    }

    /// The room for events of a tenant whose events are costly, or are from now on.
    fn room(&self, tenant: &str, is_costly: bool) -> Option<Arc<Semaphore>> {
        let mut costly = self.costly.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(known) = costly.get_mut(tenant) {
            if is_costly {
                known.until = now + WHILE;
            }
            return (known.until > now).then(|| Arc::clone(&known.room));
        }
        if !is_costly {
            return None;
        }
        if costly.len() >= KNOWN {
            costly.retain(|_, known| known.until > now);
        }
        let room = Arc::new(Semaphore::new(AT_ONCE));
        let new = Costly {
            until: now + WHILE,
            room: Arc::clone(&room),
        };
        costly.insert(tenant.to_owned(), new);
        Some(room)
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // A daemon ends within an executor, which must not wait for another.
        if let Some(aside) = self.aside.take().flatten() {
            aside.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn costly_events_of_a_tenant_are_judged_aside_a_few_at_a_time() {
        let lanes = Arc::new(Lanes::new());
        let thread = || std::thread::current().name().map(str::to_owned);
        let is_aside = |name: Option<String>| name.as_deref() == Some("hooks-aside");
        let here = lanes
            .judge("quiet", 100, async move { (thread(), 0) })
            .await;
        assert!(!is_aside(here));
        let costly = lanes
            .judge("busy", 100, async move { (thread(), COSTLY + 1) })
            .await;
        assert!(!is_aside(costly), "the cost was not known");
        // The next ones wait for each other, and hold up no others.
        let now = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let events = (0..2 * AT_ONCE).map(|_| {
            let (lanes, now) = (Arc::clone(&lanes), Arc::clone(&now));
            tokio::spawn(async move {
                let judging = async move {
                    let count = now.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(20));
                    now.fetch_sub(1, std::sync::atomic::Ordering::SeqCst);
                    ((thread(), count), 0)
                };
                lanes.judge("busy", 100, judging).await
            })
        });
        let events: Vec<_> = events.collect();
        let quiet = lanes
            .judge("quiet", 100, async move { (thread(), 0) })
            .await;
        assert!(!is_aside(quiet));
        for event in events {
            let (name, count) = event.await.unwrap();
            assert!(is_aside(name) && count < AT_ONCE, "{count}");
        }
        let long = lanes
            .judge("quiet", LONG + 1, async move { (thread(), 0) })
            .await;
        assert!(is_aside(long));
    }
}
