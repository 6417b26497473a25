//! The recorder: a queue in memory, and a task that writes it in batches. A store has one, for all who record.
//!
//! The agent only puts a clone of the record into the queue, and wakes no task for it. The task looks every [`PAUSE`].
//! While the database does not answer, the task tries again, the queue fills up, and what does not fit is counted.

pub(crate) mod activity;
pub(crate) mod names;
mod queue;
pub(crate) mod row;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use std::{fmt, io};

use async_trait::async_trait;
use hooks_runtime::{Record, Recorder};
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use self::names::NameLists;
use self::queue::{RecordQueue, TELL, Ticket, Waiting};
use self::row::{Batch, Mark, TenantRows, expect_exact};
use crate::crypt::Keys;
use crate::engine::Engine;
use crate::error::{Result, StoreError};

/// How often the task looks into the queue, unless a caller waits.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the task waits before it tries again.
const AGAIN: Duration = Duration::from_millis(500);

/// Writes executions. All recorders of a store are the same one. What is left when the store and they are dropped is
/// written, too.
///
/// ```
/// use hooks_runtime::{Record, Recorder as _};
/// use hooks_store::Store;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
/// let store = Store::open("sqlite::memory:").await?;
/// let recorder = store.recorder();
/// recorder.record(&Record::new("no-deploy", "BeforeToolCall"));
/// recorder.flush().await?;
/// assert_eq!(store.tenant("").execution(1).await?.unwrap().record.hook, "no-deploy");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct StoreRecorder(Arc<Handle>);

/// Its end is the end of the task.
struct Handle(Arc<RecorderState>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.wake.notify_one();
    }
}

struct RecorderState {
    has_keys: bool,
    queue: Mutex<RecordQueue>,
    wake: Notify,
    progress: watch::Sender<Progress>,
}

/// How far the task is.
#[derive(Clone, Default)]
struct Progress {
    /// The number up to which all records are durable or dropped.
    settled: u64,
    /// How often the database has failed, and why it does now.
    failures: u64,
    error: Option<String>,
    /// How long the last batch took.
    took: Duration,
}

impl RecorderState {
    fn queue(&self) -> MutexGuard<'_, RecordQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a record into the queue, if it can be a row.
    fn put(&self, record: &Record, ticket: Option<Ticket>) {
        if expect_exact(record).is_err() {
            let tenant = record.tenant_id.as_deref().unwrap_or_default();
            self.queue().drop_one(tenant);
        } else {
            self.queue().put(record.clone(), ticket);
        }
    }
}

impl fmt::Debug for StoreRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreRecorder")
            .field("dropped", &self.dropped())
            .finish_non_exhaustive()
    }
}

impl StoreRecorder {
    pub(crate) fn start(writer: Writer) -> Self {
        let shared = Arc::new(RecorderState {
            has_keys: writer.keys.are_there(),
            queue: Mutex::default(),
            wake: Notify::new(),
            progress: watch::Sender::default(),
        });
        let handle = Arc::new(Handle(Arc::clone(&shared)));
        tokio::spawn(run(writer, shared, Arc::downgrade(&handle)));
        StoreRecorder(handle)
    }

    /// Returns how many records did not fit into the queue, or have a number that no row can have.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.0.queue().dropped
    }

    /// Returns how many records wait, about how many bytes they take, and how long the last batch took to write.
    #[must_use]
    pub fn waiting(&self) -> (usize, usize, Duration) {
        let queue = self.0.0.queue();
        let took = self.0.0.progress.borrow().took;
        (queue.count, queue.bytes, took)
    }

    /// Returns why the database does not take records now; nothing if it does.
    #[must_use]
    pub fn last_error(&self) -> Option<String> {
        self.0.0.progress.borrow().error.clone()
    }

    /// Waits until every record that was given so far is durable.
    ///
    /// # Errors
    ///
    /// If the database does not take them now. They stay in the queue.
    pub async fn flush(&self) -> Result<()> {
        let shared = &self.0.0;
        let count = shared.queue().put;
        let mut progress = shared.progress.subscribe();
        let failures = progress.borrow().failures;
        shared.wake.notify_one();
        let settled = progress.wait_for(|now| now.settled >= count || now.failures > failures);
        let gone = |_| StoreError::Unavailable("the recorder has ended".to_owned());
        let now = settled.await.map_err(gone)?.clone();
        if now.settled >= count {
            return Ok(());
        }
        Err(StoreError::Unavailable(now.error.unwrap_or_default()))
    }
}

#[async_trait]
impl Recorder for StoreRecorder {
    fn record(&self, record: &Record) {
        self.0.0.put(record, None);
    }

    /// An event is only worth keeping with its input, which is encrypted.
    fn keeps_events(&self) -> bool {
        self.0.0.has_keys
    }

    async fn durable(&self) -> io::Result<()> {
        self.flush().await.map_err(io::Error::other)
    }

    async fn keep(&self, record: &Record) -> io::Result<()> {
        let (ticket, told) = oneshot::channel();
        self.0.0.put(record, Some(ticket));
        self.0.0.wake.notify_one();
        let told = told
            .await
            .map_err(|_| io::Error::other("the record was dropped"))?;
        told.map_err(io::Error::other)
    }
}

/// Counts what this process writes, for each tenant that a reader follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct WriteCounts(Arc<Mutex<HashMap<String, watch::Sender<u64>>>>);

impl WriteCounts {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn of(&self, tenant: &str) -> watch::Receiver<u64> {
        let mut counts = self.counts();
        counts.entry(tenant.to_owned()).or_default().subscribe()
    }

    fn add(&self, written: &[TenantRows]) {
        let mut counts = self.counts();
        counts.retain(|_, count| count.receiver_count() > 0);
        for part in written {
            if let Some(count) = counts.get(&part.tenant) {
                count.send_modify(|count| *count += part.rows.len() as u64);
            }
        }
    }
}

/// What writes records as rows. A clone is the same one.
#[derive(Clone)]
pub(crate) struct Writer {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) keys: Keys,
    pub(crate) rows: WriteCounts,
    pub(crate) names: NameLists,
}

impl Writer {
    /// Writes records in one transaction: all or none, and none if their batch is there. The mark tells the next try what this one
    /// has done.
    pub(crate) async fn write(
        &self,
        records: Vec<Record>,
        batch: Option<&Batch<'_>>,
        mark: &mut Mark,
    ) -> Result<()> {
        let (keys, names) = (self.keys.clone(), self.names.clone());
        // Making the rows takes so long that it would hold up others.
        let made = tokio::task::spawn_blocking(move || row::ready(&records, &keys, &names)).await;
        let mut made = made.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        if row::write(&*self.engine, &self.keys, &mut made, batch, mark).await? {
            self.rows.add(&made);
        }
        Ok(())
    }
}

async fn run(writer: Writer, shared: Arc<RecorderState>, handle: Weak<Handle>) {
    let mut told: Option<Instant> = None;
    loop {
        let _ = tokio::time::timeout(PAUSE, shared.wake.notified()).await;
        let is_last = handle.strong_count() == 0;
        if is_last || told.is_none_or(|told| told.elapsed() >= TELL) {
            for (tenant, lost) in shared.queue().losses() {
                told = Some(Instant::now());
                tracing::warn!(
                    tenant,
                    lost,
                    "executions were dropped: they came faster than the store takes them, or have a number that no row can have"
                );
            }
        }
        // At the end, all are tried once more.
        let due = Instant::now() + if is_last { AGAIN } else { Duration::ZERO };
        loop {
            let batch = shared.queue().take(due);
            if batch.is_empty() {
                break;
            }
            let began = Instant::now();
            if let Err(error) = save(&writer, &shared, batch).await {
                shared.progress.send_modify(|progress| {
                    progress.failures += 1;
                    progress.error = Some(error.to_string());
                });
            }
            let (settled, is_paused) = {
                let queue = shared.queue();
                (queue.settled(), queue.is_paused())
            };
            shared.progress.send_modify(|progress| {
                progress.settled = settled;
                progress.took = began.elapsed();
                if !is_paused {
                    progress.error = None;
                }
            });
        }
        if is_last {
            let lost = shared.queue().count;
            if lost > 0 {
                tracing::error!(lost, "the recorder ends, and executions are lost");
            }
            return;
        }
    }
}

/// Writes a batch: in one transaction, or if that fails, each tenant's records in one of their own, so that no tenant holds up
/// another. What the database does not take is put back.
async fn save(writer: &Writer, shared: &RecorderState, batch: Vec<Waiting>) -> Result<()> {
    let Err(mut error) = write(writer, &batch).await else {
        written(shared, batch);
        return Ok(());
    };
    let mut tenants: BTreeMap<String, Vec<Waiting>> = BTreeMap::new();
    for waiting in batch {
        let tenant = waiting.record.tenant_id.clone().unwrap_or_default();
        tenants.entry(tenant).or_default().push(waiting);
    }
    // If two fail one after another, it is the database. A single tenant was tried just now.
    let mut tries = if tenants.len() == 1 { 0 } else { 2 };
    for (tenant, mut batch) in tenants {
        if tries > 0 {
            match write(writer, &batch).await {
                Ok(()) => {
                    tries = 2;
                    written(shared, batch);
                    continue;
                }
                Err(own) => {
                    tries -= 1;
                    error = own;
                }
            }
        }
        for waiting in &mut batch {
            waiting.tell(Err(error.to_string()));
        }
        let again = Instant::now() + AGAIN;
        if let Some(waiting) = shared.queue().put_back(&tenant, batch, again) {
            tracing::warn!(tenant, waiting, %error, "cannot write executions: they wait");
        }
    }
    Err(error)
}

/// Writes records in one transaction. One that may be there is looked for, and must not be written again, alone or in parts.
async fn write(writer: &Writer, batch: &[Waiting]) -> Result<()> {
    let mut mark = None;
    loop {
        let records = batch.iter().map(|waiting| waiting.record.clone()).collect();
        match writer.write(records, None, &mut mark).await {
            Err(error) if mark.is_some() => {
                tracing::warn!(%error, "the database did not say whether executions are written: the store looks for them");
                tokio::time::sleep(AGAIN).await;
            }
            written => return written,
        }
    }
}

fn written(shared: &RecorderState, mut batch: Vec<Waiting>) {
    shared.queue().done(&batch);
    for waiting in &mut batch {
        waiting.tell(Ok(()));
    }
}
