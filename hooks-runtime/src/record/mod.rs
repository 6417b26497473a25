//! Records what hooks did with an event, and why. Each [`Record`] is one event, for logs, tests and people.
//!
//! | file | |
//! | --- | --- |
//! | `step` | what one hook did |
//! | `older` | records that earlier versions have written |
//! | `filter` | selects records |
//! | `heard`, `raw` | what hooks say to who waits for the answer |

mod filter;
mod heard;
mod older;
mod raw;
mod step;

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use hooks_builtin::__sink::{LogFile, QueueLimits, SinkQueue};
use hooks_core::agent::{AgentContext, AgentEvent};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::events;

pub use self::filter::RecordFilter;
pub(crate) use self::heard::{hear, heard};
pub use self::raw::RawAnswer;
pub use self::step::RecordStep;
pub(crate) use self::step::{GOES_ON, note, notes};

/// What hooks did with an event: one of them, or all together.
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
    /// It wants to ask a person.
    Ask,
    /// It leaves the call to a person who decides later.
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

/// What all hooks together did with one event: which of them were asked, in order, what each said, and which decided.
///
/// ```
/// use hooks_runtime::{Record, RecordOutcome, RecordStep};
///
/// let mut record = Record::new("no-force-push", "BeforeToolCall");
/// record.outcome = RecordOutcome::Block;
/// record.steps.push(RecordStep::new("no-force-push", RecordOutcome::Block));
/// let json = serde_json::to_value(&record).unwrap();
/// assert_eq!(json["outcome"], "block");
/// assert_eq!(serde_json::from_value::<Record>(json).unwrap(), record);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "older::AnyRecord")]
#[non_exhaustive]
pub struct Record {
    /// When the event came.
    pub at: Timestamp,
    /// The revision that was in force: the bundle's own number if all hooks come from one [`Source`](crate::Source);
    /// otherwise, how often the runtime had loaded its files.
    pub revision: u64,
    /// The hook that decided: of those that said what came to be, the last. Empty if the event went on as it was.
    pub hook: String,
    /// The event.
    pub event: String,
    /// The subject of the event: the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// The session.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub session_id: String,
    /// The agent.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent_id: String,
    /// The tenant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_id: Option<String>,
    /// The tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// What all hooks together decided.
    pub outcome: RecordOutcome,
    /// The reason that the hook gave which decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long all hooks took together.
    #[serde(rename = "duration_us", serialize_with = "micros::serialize")]
    pub duration: Duration,
    /// What hooks changed, as a JSON Patch of the event. It needs a recorder that [keeps events](Recorder::keeps_events).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<Value>,
    /// The hooks that ran, in their order. A guard that judged again is there again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<RecordStep>,
    /// The hooks for this event and this tool that did not run, because their filter did not match.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unmet: Vec<Arc<str>>,
    /// The hooks for this event and this tool that were not asked, because another had decided before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unasked: Vec<Arc<str>>,
    /// Warnings about the record itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The trace that the event belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<String>,
    /// `{ "event": …, "cx": … }`: the event as it came, and its context. Secrets and personal data are redacted. It needs a
    /// recorder that [keeps events](Recorder::keeps_events); [`OwnedEvent::of_record`](crate::OwnedEvent::of_record) reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// Its number in the store that it was read from.
    #[serde(skip)]
    pub number: Option<u64>,
    /// Which part of an event it is, if it is not the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<RecordPart>,
    /// Who has reported it to the store that has it, as in `token ID`; none if the process that wrote it saw the event itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
}

/// A part of an event that has a [`Record`] of its own, with one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RecordPart {
    /// What a hook with `must_audit` said: the agent waits until it is written. The record of the event follows.
    Audited,
    /// What a handler in the background did. The record of the event came before.
    Background,
    /// What one hook did, as earlier versions recorded it.
    Hook,
}

impl Record {
    /// Creates the record of an event that went on as it was, with the current time.
    #[must_use]
    pub fn new(hook: impl Into<String>, event: impl Into<String>) -> Self {
        Record {
            at: Timestamp::now(),
            revision: 0,
            hook: hook.into(),
            event: event.into(),
            subject: None,
            session_id: String::new(),
            agent_id: String::new(),
            tenant_id: None,
            tool_call_id: None,
            outcome: RecordOutcome::Continue,
            reason: None,
            duration: Duration::ZERO,
            change: None,
            steps: Vec::new(),
            unmet: Vec::new(),
            unasked: Vec::new(),
            warnings: Vec::new(),
            trace_id: None,
            input: None,
            number: None,
            part: None,
            reported_by: None,
        }
    }

    /// Creates the record of an event of the standard vocabulary.
    pub(crate) fn of(cx: &AgentContext, event: &AgentEvent<'_>, revision: u64) -> Self {
        let call = events::call_id(event).filter(|id| !id.is_empty());
        Record {
            revision,
            subject: events::subject(event).map(str::to_owned),
            session_id: cx.session_id.clone(),
            agent_id: cx.agent_id.clone(),
            tenant_id: cx.tenant_id.clone(),
            tool_call_id: call.map(str::to_owned),
            trace_id: cx.trace_id.clone(),
            ..Record::new("", event.name())
        }
    }

    /// Makes it the record of a part of its event: of one step.
    pub(crate) fn part(mut self, part: RecordPart, step: RecordStep) -> Self {
        self.hook.clone_from(&step.hook);
        self.outcome = step.outcome;
        self.reason.clone_from(&step.reason);
        self.duration = step.duration;
        self.steps = vec![step];
        self.part = Some(part);
        self
    }

    /// Whether it is the record of a whole event, and not of a [part](RecordPart) of one.
    #[must_use]
    pub fn is_event(&self) -> bool {
        self.part.is_none()
    }

    /// The step of the hook that decided, if one did and is known.
    #[must_use]
    pub fn decisive(&self) -> Option<&RecordStep> {
        let mut steps = self.steps.iter().rev();
        steps.find(|step| step.hook == self.hook)
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

    /// Waits until all records so far are written where they stay. The default returns at once.
    ///
    /// # Errors
    ///
    /// If some of them cannot be written.
    async fn durable(&self) -> io::Result<()> {
        Ok(())
    }

    /// Records, and waits until this record is written where it stays. The agent waits for it after a hook with
    /// `must_audit = true`, for at most the hook's timeout. The default waits for [all records](Recorder::durable) so far.
    ///
    /// # Errors
    ///
    /// If it cannot be written. Then the hook has failed.
    async fn keep(&self, record: &Record) -> io::Result<()> {
        self.record(record);
        self.durable().await
    }

    /// Whether it wants a record of each event that hooks decide about, with the event in it. The default is no: then an
    /// event that no hook ran on has no record.
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

    async fn keep(&self, record: &Record) -> io::Result<()> {
        (**self).keep(record).await
    }

    fn keeps_events(&self) -> bool {
        (**self).keeps_events()
    }
}

/// Passes a record to the recorder. Who only looks never harms the agent.
pub(crate) fn pass(record: &Record, recorder: &dyn Recorder) {
    if catch_unwind(AssertUnwindSafe(|| recorder.record(record))).is_err() {
        tracing::error!(
            event = record.event,
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

    /// Also keeps the events, and those that no hook ran on.
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

    /// Returns a copy of what single hooks did, the oldest first.
    #[must_use]
    pub fn steps(&self) -> Vec<RecordStep> {
        let records = self.all().into_iter();
        records.flat_map(|record| record.steps).collect()
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
    queue: SinkQueue,
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
        let limits = QueueLimits {
            lines: QUEUE,
            ..QueueLimits::default()
        };
        let path = std::path::absolute(path)?;
        if let Some(folder) = path.parent() {
            folder.metadata()?;
        }
        let file = LogFile::open(&path)?;
        make_private(&path)?;
        Ok(JsonlRecorder {
            queue: SinkQueue::start(file, limits)?,
            keeps_events: false,
        })
    }

    /// Also writes the events, so that they can be asked again, and those that no hook ran on.
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
