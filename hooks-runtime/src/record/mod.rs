//! Records what a hook of a file did with an event, and why. Each [`Record`] is for logs, tests and people.

mod builtin;
mod event;
mod filter;
mod heard;
mod raw;

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hooks_builtin::__sink::{Limits, LogFile, Queue};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::builtin::BuiltinRecords;
pub use self::event::EventRecords;
pub(crate) use self::event::{Ended, answered, cancelled};
pub use self::filter::RecordFilter;
pub(crate) use self::heard::{hear, heard};
pub use self::raw::RawAnswer;

/// The outcome of a definition for one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordOutcome {
    /// It let the event continue.
    Continue,
    /// It changed the event, or added text for the model.
    Modify,
    /// It approved the tool call.
    Approve,
    /// It wants to ask somebody.
    Ask,
    /// It leaves the call to somebody who decides later.
    Defer,
    /// It answered in the agent's place.
    Respond,
    /// It blocked the event.
    Block,
    /// It ended the turn.
    AbortTurn,
    /// It ended the run.
    AbortRun,
    /// It failed. `why` says how, and `reason` has the message.
    Fault,
    /// It was skipped, although its filter matched. `why` says why.
    Skipped,
}

impl RecordOutcome {
    /// Returns the word for it, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            RecordOutcome::Continue => "continue",
            RecordOutcome::Modify => "modify",
            RecordOutcome::Approve => "approve",
            RecordOutcome::Ask => "ask",
            RecordOutcome::Defer => "defer",
            RecordOutcome::Respond => "respond",
            RecordOutcome::Block => "block",
            RecordOutcome::AbortTurn => "abort_turn",
            RecordOutcome::AbortRun => "abort_run",
            RecordOutcome::Fault => "fault",
            RecordOutcome::Skipped => "skipped",
        }
    }
}

impl fmt::Display for RecordOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The outcome of one hook of a file for one event: of a definition, or of a built-in hook or a hook of a factory that
/// decided something, changed something or failed.
///
/// With a recorder that [keeps events](Recorder::keeps_events), there is also a record of each whole dispatch, which
/// [`is_event`](Self::is_event): its `hook` is empty, its `outcome` is what all hooks together decided, its `why` names
/// the hook that decided, and its `input` is the event.
///
/// ```
/// use hooks_runtime::{Record, RecordOutcome};
///
/// let mut record = Record::new("no-force-push", "BeforeToolCall");
/// record.outcome = RecordOutcome::Block;
/// let json = serde_json::to_value(&record).unwrap();
/// assert_eq!(json["outcome"], "block");
/// assert_eq!(serde_json::from_value::<Record>(json).unwrap(), record);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// When the definition was asked. Of a hook that is no definition: when it had run.
    pub at: Timestamp,
    /// The revision that was in force: the bundle's own number if all hooks come from one [`Source`](crate::Source);
    /// otherwise, how often the runtime had loaded its files.
    pub revision: u64,
    /// The hook's name.
    pub hook: String,
    /// The version of the hook, if it comes from a store.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hook_version: Option<u64>,
    /// The file with the definition, and the line; empty if it is no definition.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The kind of its handler: `rule`, `command`, `http`, `prompt` or `process`; `builtin` if it is no definition, and
    /// `event` if it is a whole dispatch.
    pub handler: String,
    /// The event.
    pub event: String,
    /// The subject of the event: the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// The agent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// The tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The outcome.
    pub outcome: RecordOutcome,
    /// Whether it ran in shadow mode, without any effect for the agent.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// Why: what matched, which limit was reached, or how it failed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The reason that the hook gave, or the message of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long it took.
    #[serde(rename = "duration_us", with = "micros")]
    pub duration: Duration,
    /// The change, as a JSON Patch of the event. Only recorders are told: to find it, the event is compared as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Value>,
    /// The hook's messages for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub messages: Vec<String>,
    /// Warnings about the hook's answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The trace that the event belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// Of a whole dispatch: `{ "event": …, "cx": … }`, the event as it came, and its context. Secrets and personal data
    /// are redacted. [`OwnedEvent::of_record`](crate::OwnedEvent::of_record) reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
}

impl Record {
    /// Creates a record, with the current time, of a definition that let an event continue.
    #[must_use]
    pub fn new(hook: impl Into<String>, event: impl Into<String>) -> Self {
        Record {
            at: Timestamp::now(),
            revision: 0,
            hook: hook.into(),
            hook_version: None,
            source: String::new(),
            handler: String::new(),
            event: event.into(),
            subject: None,
            session_id: String::new(),
            agent_id: String::new(),
            tenant_id: None,
            tool_call_id: None,
            outcome: RecordOutcome::Continue,
            shadow: false,
            why: String::new(),
            reason: None,
            duration: Duration::ZERO,
            change: None,
            messages: Vec::new(),
            warnings: Vec::new(),
            trace_id: None,
            input: None,
        }
    }
}

/// Serializes durations as whole microseconds.
mod micros {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        duration: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(duration.as_micros()).unwrap_or(u64::MAX))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }
}

/// Receives every record.
///
/// It is called in the agent's own task, so it must not wait. Put the record into a queue, and count the records that
/// do not fit.
#[async_trait]
pub trait Recorder: Send + Sync {
    /// Records. It must not block.
    fn record(&self, record: &Record);

    /// Waits until all records so far are written where they stay. The agent waits for it after a hook with
    /// `must_audit = true`, for at most the hook's timeout. The default returns at once.
    ///
    /// # Errors
    ///
    /// If some of them cannot be written. Then the hook has failed.
    async fn durable(&self) -> io::Result<()> {
        Ok(())
    }

    /// Whether it wants a record of each whole dispatch, with the event in it. The default is no.
    fn keeps_events(&self) -> bool {
        false
    }
}

#[async_trait]
impl<T: Recorder + ?Sized> Recorder for Arc<T> {
    fn record(&self, record: &Record) {
        (**self).record(record);
    }

    async fn durable(&self) -> io::Result<()> {
        (**self).durable().await
    }

    fn keeps_events(&self) -> bool {
        (**self).keeps_events()
    }
}

/// Passes a record to the recorder. Who only looks never harms the agent.
pub(crate) fn pass(record: &Record, recorder: &dyn Recorder) {
    if catch_unwind(AssertUnwindSafe(|| recorder.record(record))).is_err() {
        tracing::error!(
            hook = record.hook,
            "the recorder panicked, and the record may be lost"
        );
    }
}

/// The latest records, in memory, for tests and for programs that show them.
///
/// A clone shares them. If the memory is full, the oldest record is dropped.
///
/// ```
/// use hooks_runtime::{Record, Recorder, Records};
///
/// let records = Records::latest(1);
/// records.record(&Record::new("one", "BeforeToolCall"));
/// records.record(&Record::new("two", "BeforeToolCall"));
/// assert_eq!(records.take()[0].hook, "two");
/// ```
#[derive(Clone, Debug)]
pub struct Records {
    most: usize,
    keeps_events: bool,
    kept: Arc<Mutex<VecDeque<Record>>>,
}

impl Records {
    /// Keeps at most that many records.
    #[must_use]
    pub fn latest(most: usize) -> Self {
        Records {
            most,
            keeps_events: false,
            kept: Arc::default(),
        }
    }

    /// Also keeps the record of each whole dispatch, with the event in it.
    #[must_use]
    pub fn keeping_events(mut self) -> Self {
        self.keeps_events = true;
        self
    }

    /// Returns a copy of the records, the oldest first.
    #[must_use]
    pub fn all(&self) -> Vec<Record> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().cloned().collect()
    }

    /// Returns the records, the oldest first, and removes them.
    #[must_use]
    pub fn take(&self) -> Vec<Record> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.drain(..).collect()
    }
}

impl Recorder for Records {
    fn record(&self, record: &Record) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= self.most {
            kept.pop_front();
        }
        if self.most > 0 {
            kept.push_back(record.clone());
        }
    }

    fn keeps_events(&self) -> bool {
        self.keeps_events
    }
}

/// Writes every record as a line of JSON, on a thread of its own.
///
/// The queue is bounded: if the disk falls too far behind, records are dropped and [counted](Self::dropped). Dropping
/// the recorder writes the queue to the file. If the file is moved away or removed, a new one follows at the same path.
///
/// ```
/// use hooks_runtime::{JsonlRecorder, Record, Recorder};
///
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("records.jsonl");
/// let recorder = JsonlRecorder::append(&path)?;
/// recorder.record(&Record::new("no-force-push", "BeforeToolCall"));
/// drop(recorder);
/// assert!(std::fs::read_to_string(&path)?.starts_with(r#"{"at":""#));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct JsonlRecorder {
    queue: Queue,
    keeps_events: bool,
}

/// The maximum number of lines that wait for the disk.
const QUEUE: usize = 4096;

impl JsonlRecorder {
    /// Appends to a file. Creates it if it does not exist; its folder must exist. On Unix, other users lose their rights
    /// to it, because records show what an agent does.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, or other users keep their rights to it.
    pub fn append(path: impl AsRef<Path>) -> io::Result<Self> {
        let limits = Limits {
            lines: QUEUE,
            ..Limits::default()
        };
        let path = std::path::absolute(path)?;
        if let Some(folder) = path.parent() {
            folder.metadata()?;
        }
        let file = LogFile::open(&path)?;
        make_private(&path)?;
        Ok(JsonlRecorder {
            queue: Queue::start(file, limits)?,
            keeps_events: false,
        })
    }

    /// Also writes the record of each whole dispatch, with the event in it, so that it can be asked again.
    #[must_use]
    pub fn keeping_events(mut self) -> Self {
        self.keeps_events = true;
        self
    }

    /// Returns how many records are not in the file and never will be.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.queue.dropped()
    }

    /// Returns why the last attempt to write the file failed; nothing if it succeeded.
    #[must_use]
    pub fn last_error(&self) -> Option<io::Error> {
        self.queue.last_error()
    }
}

/// A new file is private already. A device or a pipe stays as it is.
#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;

    let about = path.metadata()?;
    if about.is_file() && about.permissions().mode() & 0o077 != 0 {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}

#[async_trait]
impl Recorder for JsonlRecorder {
    fn record(&self, record: &Record) {
        self.queue.send(|out| serde_json::to_writer(out, record));
    }

    /// Waits until the lines are in the file. A dropped one is an error.
    async fn durable(&self) -> io::Result<()> {
        self.queue.flushed().await
    }

    fn keeps_events(&self) -> bool {
        self.keeps_events
    }
}
