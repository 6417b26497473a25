//! The recorder: a queue in memory, and a task that writes it in batches. A store has one, for all who record.
//!
//! The agent only puts a clone of the record into the queue; nobody is woken for it. The task looks every [`PAUSE`]. While
//! the database does not answer, the task tries again, the queue fills up, and what does not fit is counted.

pub(crate) mod activity;
pub(crate) mod names;
pub(crate) mod row;

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use hooks_runtime::{Record, RecordStep, Recorder};
use serde_json::Value;
use tokio::sync::{Notify, watch};

use self::names::Lists;
use self::row::{Mark, Ready, expect_exact};
use crate::crypt::Keys;
use crate::engine::Engine;
use crate::error::StoreError;

/// How many records wait at most, and about how many bytes they take.
const QUEUE: usize = 32_768;
const QUEUE_BYTES: usize = 64 << 20;

/// How many rows a transaction has at most.
const BATCH: usize = 4096;

/// How often the task looks into the queue, unless somebody waits.
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
struct Handle(Arc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.wake.notify_one();
    }
}

struct Shared {
    has_keys: bool,
    queue: Mutex<Queue>,
    dropped: AtomicU64,
    wake: Notify,
    progress: watch::Sender<Progress>,
}

#[derive(Default)]
struct Queue {
    records: Vec<Record>,
    /// How many records were ever put in.
    count: u64,
    /// About how many bytes the records take that are not durable yet.
    bytes: usize,
    /// How many records had been put in when the last one was dropped.
    dropped_at: Option<u64>,
}

/// How far the task is.
#[derive(Clone, Default)]
struct Progress {
    /// How many records are durable.
    written: u64,
    /// How often the database has failed, and why it does now.
    failures: u64,
    error: Option<String>,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
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
        let shared = Arc::new(Shared {
            has_keys: writer.keys.are_there(),
            queue: Mutex::default(),
            dropped: AtomicU64::new(0),
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
        self.0.0.dropped.load(Ordering::Relaxed)
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
    pub async fn flush(&self) -> Result<(), StoreError> {
        let shared = &self.0.0;
        let count = shared.queue().count;
        let mut progress = shared.progress.subscribe();
        let failures = progress.borrow().failures;
        shared.wake.notify_one();
        let settled = progress.wait_for(|now| now.written >= count || now.failures > failures);
        let gone = |_| StoreError::Unavailable("the recorder has ended".to_owned());
        let now = settled.await.map_err(gone)?.clone();
        if now.written >= count {
            return Ok(());
        }
        Err(StoreError::Unavailable(now.error.unwrap_or_default()))
    }
}

#[async_trait]
impl Recorder for StoreRecorder {
    fn record(&self, record: &Record) {
        let shared = &self.0.0;
        let bytes = size(record);
        let exact = expect_exact(record);
        if let Err(error) = &exact {
            tracing::error!(event = record.event, %error, "a record cannot be kept");
        }
        let mut queue = shared.queue();
        if exact.is_ok() && queue.records.len() < QUEUE && queue.bytes + bytes <= QUEUE_BYTES {
            queue.records.push(record.clone());
            queue.count += 1;
            queue.bytes += bytes;
        } else {
            queue.dropped_at = Some(queue.count);
            drop(queue);
            shared.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// An event is only worth keeping with its input, which is encrypted.
    fn keeps_events(&self) -> bool {
        self.0.0.has_keys
    }

    async fn durable(&self) -> std::io::Result<()> {
        let shared = &self.0.0;
        let written = shared.progress.borrow().written;
        // Nobody knows whose record was dropped, so until others are written, it may be the one that is asked about.
        if shared.queue().dropped_at >= Some(written) {
            return Err(std::io::Error::other("a record was dropped"));
        }
        self.flush().await.map_err(std::io::Error::other)
    }
}

/// Counts what this process writes, for each tenant that somebody follows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows(Arc<Mutex<HashMap<String, watch::Sender<u64>>>>);

impl Rows {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn of(&self, tenant: &str) -> watch::Receiver<u64> {
        let mut counts = self.counts();
        counts.entry(tenant.to_owned()).or_default().subscribe()
    }

    fn add(&self, written: &[Ready]) {
        let mut counts = self.counts();
        counts.retain(|_, count| count.receiver_count() > 0);
        for (tenant, count) in counts.iter() {
            let new = written.iter().filter(|row| row.tenant == *tenant).count() as u64;
            count.send_if_modified(|count| {
                *count += new;
                new > 0
            });
        }
    }
}

/// Writes records as rows.
pub(crate) struct Writer {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) keys: Keys,
    pub(crate) rows: Rows,
    pub(crate) names: Lists,
}

impl Writer {
    /// Writes records in one transaction: all or none. The mark tells the next try what this one has done.
    pub(crate) async fn write(
        &self,
        records: Vec<Record>,
        mark: &mut Mark,
    ) -> Result<(), StoreError> {
        let (keys, names) = (self.keys.clone(), self.names.clone());
        // Making the rows takes so long that it would hold up others.
        let made = tokio::task::spawn_blocking(move || row::ready(&records, &keys, &names)).await;
        let made = made.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        row::write(&*self.engine, &made, mark).await?;
        self.rows.add(&made.rows);
        Ok(())
    }
}

async fn run(writer: Writer, shared: Arc<Shared>, handle: Weak<Handle>) {
    loop {
        let _ = tokio::time::timeout(PAUSE, shared.wake.notified()).await;
        let is_last = handle.strong_count() == 0;
        let mut records = std::mem::take(&mut shared.queue().records);
        while !records.is_empty() {
            let rest = records.split_off(records.len().min(BATCH));
            let count = records.len() as u64;
            let bytes: usize = records.iter().map(size).sum();
            if !save(&writer, &shared, &handle, records).await {
                return;
            }
            shared.queue().bytes -= bytes;
            shared.progress.send_modify(|progress| {
                progress.written += count;
                progress.error = None;
            });
            records = rest;
        }
        if is_last {
            return;
        }
    }
}

/// Writes a batch, as often as it takes. If nobody has the recorder any more, a failure is the end.
async fn save(
    writer: &Writer,
    shared: &Shared,
    handle: &Weak<Handle>,
    records: Vec<Record>,
) -> bool {
    let lost = records.len();
    let mut mark = None;
    loop {
        let Err(error) = writer.write(records.clone(), &mut mark).await else {
            return true;
        };
        tracing::warn!(%error, "cannot write executions: they wait");
        shared.progress.send_modify(|progress| {
            progress.failures += 1;
            progress.error = Some(error.to_string());
        });
        if handle.strong_count() == 0 {
            tracing::error!(lost, "the recorder ends, and executions are lost");
            return false;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// About how many bytes a record takes: its texts and its values.
fn size(record: &Record) -> usize {
    let texts = [
        &record.hook,
        &record.event,
        &record.session_id,
        &record.agent_id,
    ];
    let more = [
        &record.subject,
        &record.tenant_id,
        &record.tool_call_id,
        &record.reason,
        &record.trace_id,
    ];
    let texts = texts.into_iter().chain(more.into_iter().flatten());
    let texts = texts.chain(&record.warnings).map(String::len);
    let values = [&record.change, &record.input].into_iter().flatten();
    let names = (record.unmet.len() + record.unasked.len()) * size_of::<Arc<str>>();
    size_of::<Record>()
        + names
        + texts.sum::<usize>()
        + values.map(size_of_value).sum::<usize>()
        + record.steps.iter().map(size_of_step).sum::<usize>()
}

fn size_of_step(step: &RecordStep) -> usize {
    let texts = [&step.hook, &step.source, &step.handler, &step.why];
    let texts = texts.into_iter().chain(&step.reason);
    let texts = texts.chain(&step.messages).chain(&step.warnings);
    size_of::<RecordStep>()
        + texts.map(String::len).sum::<usize>()
        + step.change.as_ref().map_or(0, size_of_value)
}

fn size_of_value(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size_of_value).sum(),
        Value::Object(fields) => {
            let fields = fields.iter();
            fields
                .map(|(key, value)| key.len() + size_of_value(value))
                .sum()
        }
        _ => 0,
    };
    size_of::<Value>() + inside
}
