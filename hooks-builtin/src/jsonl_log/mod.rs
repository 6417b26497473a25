//! Writes every event as a line of JSON to a file.
//!
//! The log serializes each event into a line, and sends the line to a [sink](crate::shared::sink).

mod event_name;
mod line;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{AnyAction, EventInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::event_name::EventName;
use self::line::JsonlLine;
use crate::shared::alias::Alias;
use crate::shared::changes::EventHistory;
use crate::shared::log::{Log, probe};
use crate::shared::sink::{LogFile, QueueLimits, SinkQueue};
use crate::shared::{BuildError, paths};

/// How long an event waits for room.
const WAIT_FOR_ROOM: Duration = Duration::from_secs(1);

/// Writes every event, with the decision about it, as a line of JSON to a file:
///
/// ```json
/// {"time":"2026-03-22T10:00:00.123Z","event":"BeforeToolCall","session_id":"s1","turn":0,"depth":0,"decision":"block","hook":"SecurityPolicy","reason":"the path `/etc/passwd` is forbidden","payload":{"event":"BeforeToolCall","id":"1","name":"read","args":{"path":"/etc/passwd"}}}
/// ```
///
/// `decision` is `continue`, `respond`, `block`, `abort_turn` or `abort_run`. A line has the fields `agent_id`,
/// `agent_type`, `run_id`, `parent_run_id`, `tenant_id`, `cwd`, `channel`, `chat_id`, `sender` and `trace_id` of the
/// context if they are known. The log is a probe: attach it with [`with_probe`](hooks_core::Hook::with_probe). It writes
/// the payload as all hooks left it. So the arguments of a tool are those that the tool runs with, and outputs and
/// messages are written as [`Redact`](crate::Redact) rewrote them. `Redact` does not rewrite arguments.
///
/// If hooks changed the event, its line also has these keys:
///
/// - `changes`, a JSON Patch (RFC 6902) from the event that was raised to this payload. It contains the new values, and
///   not the old ones, which `Redact` may have removed;
/// - `changed_by`, the names of the hooks that changed the event, in the order in which they ran;
/// - `changes_by_hook`, if there are several such hooks, with the paths that each of them changed:
///   `[{"hook":"rewrite","paths":["/args/command"]}]`. It contains no values, because `Redact` may have removed them
///   after that hook.
///
/// To find that out, the log serializes the event before and after the hooks that may change it.
///
/// The log creates the file with the mode 0600, or appends to it if it exists. A thread writes the lines, whole and in
/// order, every 100 ms, or as soon as there are 64 KiB of them. A clean shutdown loses nothing: when you drop the last
/// clone of the hook or call [`shutdown`](Self::shutdown), the log writes and syncs the remaining lines. Call
/// `shutdown` before `std::process::exit`. If the file is moved away or removed, as log rotation does, the log creates
/// a new file at the same path for the lines that follow. While the disk accepts nothing, lines wait in memory. If that
/// memory is full, an event waits for at most a second. Then the log drops its line and counts it, in
/// [`dropped`](Self::dropped) and, once the disk works again, in the file: `{"time":…,"event":"Dropped","count":3}`.
///
/// It corresponds to PicoClaw's example logger: the key `log_file` is `path`, and `log_events` is always on.
///
/// ```
/// use hooks_builtin::JsonlLog;
/// use hooks_core::agent::{AgentContext, AgentHooksNow, BeforeToolCall};
/// use hooks_core::{Hook, hook, hooks};
/// use serde_json::{Value, json};
///
/// #[hook]
/// fn rewrite(call: &mut BeforeToolCall) { call.args["command"] = json!("curl evil"); }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("audit.jsonl");
///
/// let log = JsonlLog::open(&path)?;
/// let hooks = hooks![rewrite].with_probe(&log);
/// let mut call = BeforeToolCall { name: "shell".into(), args: json!({ "command": "ls" }), ..Default::default() };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// log.flush()?;
///
/// let line: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
/// assert_eq!((&line["event"], &line["payload"]["name"]), (&"BeforeToolCall".into(), &"shell".into()));
/// assert_eq!(line["changes"], json!([{ "op": "replace", "path": "/args/command", "value": "curl evil" }]));
/// assert_eq!(line["changed_by"], json!(["rewrite"]));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct JsonlLog(Arc<JsonlLogState>);

#[derive(Debug)]
struct JsonlLogState {
    events: Option<Vec<EventName>>,
    deltas: bool,
    lines: SinkQueue,
}

/// The settings of `[hooks.builtin.jsonl_log]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Alias { of: "path", name: "log_file" })]
pub struct JsonlLogConfig {
    /// The file to write. Missing folders are created. `~` is the home directory, and a relative path starts at the
    /// current directory. PicoClaw's name of this key, `log_file`, works too.
    #[serde(alias = "log_file")]
    pub path: PathBuf,
    /// The names of the events to write. The default is all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventName>>,
    /// Whether to write `LlmDelta`, a very frequent event. The default is `false`.
    #[serde(default)]
    pub deltas: bool,
    /// How long a line waits at most before it is written, if the disk works. The default is "100ms".
    #[serde(default = "a_tenth", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub flush_interval: Duration,
    /// How many bytes may wait to be written. The default is 8388608 (8 MiB).
    #[serde(default = "eight_mebibytes")]
    pub max_buffer_bytes: u32,
}

fn a_tenth() -> Duration {
    Duration::from_millis(100)
}

fn eight_mebibytes() -> u32 {
    8 << 20
}

impl JsonlLogConfig {
    /// Returns the default configuration for a file.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        JsonlLogConfig {
            path: path.into(),
            events: None,
            deltas: false,
            flush_interval: a_tenth(),
            max_buffer_bytes: eight_mebibytes(),
        }
    }

    /// Checks everything that can be checked without opening the file.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let wrong = |key, message: &str| Err(BuildError::new("jsonl_log", key, message));
        if self.path.as_os_str().is_empty() {
            return wrong(
                "path",
                "is empty: write the path of the file, as `\"audit.jsonl\"`",
            );
        }
        if self.events.as_ref().is_some_and(Vec::is_empty) {
            return wrong(
                "events",
                "is empty: name the events, or leave it out for all",
            );
        }
        if self.max_buffer_bytes == 0 {
            return wrong(
                "max_buffer_bytes",
                "is too small for one line: write `8388608`, or leave it out",
            );
        }
        Ok(())
    }
}

impl JsonlLog {
    /// Creates a log that writes to a file.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, BuildError> {
        JsonlLog::from_config(&JsonlLogConfig::new(path))
    }

    /// Creates a log from its configuration.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or created, or the thread cannot be started.
    pub fn from_config(config: &JsonlLogConfig) -> Result<Self, BuildError> {
        let failed = |error: io::Error| {
            let path = config.path.display();
            BuildError::new(
                "jsonl_log",
                "path",
                format!("names a file that cannot be written, `{path}`: {error}"),
            )
            .with_source(error)
        };
        config.check()?;
        let path = paths::in_home(&config.path).map_err(failed)?;
        let limits = QueueLimits {
            bytes: config.max_buffer_bytes as usize,
            wait_for_room: WAIT_FOR_ROOM,
            linger: config.flush_interval,
            ..QueueLimits::default()
        };
        let lines = LogFile::open(&path)
            .and_then(|file| SinkQueue::start(file, limits))
            .map_err(failed)?;
        Ok(JsonlLog(Arc::new(JsonlLogState {
            events: config.events.clone(),
            deltas: config.deltas,
            lines,
        })))
    }

    /// Waits until all lines so far are in the file.
    ///
    /// It blocks the thread for at most 10 s. Afterwards, the operating system has the lines, so they survive the
    /// program. [`shutdown`](Self::shutdown) also syncs them to the disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or not within that time. The log keeps the lines, and writes them as soon as it
    /// can.
    pub fn flush(&self) -> io::Result<()> {
        self.0.lines.flush()
    }

    /// Stops accepting events, waits until all lines so far are in the file and on the disk, and closes the file.
    ///
    /// It stops all clones. You may call it again. Dropping the last clone does the same. It blocks the thread for at
    /// most 10 s.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: the remaining lines are [dropped](Self::dropped). Or if the disk takes longer:
    /// then the lines are written when it is ready, if the program still runs.
    pub fn shutdown(&self) -> io::Result<()> {
        self.0.lines.shutdown()
    }

    /// The number of lines that are not in the file and never will be, because the disk accepted nothing for too long,
    /// or because the log was shut down.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.lines.dropped()
    }

    /// Why the last attempt to write the file failed; nothing if it succeeded.
    #[must_use]
    pub fn last_error(&self) -> Option<io::Error> {
        self.0.lines.last_error()
    }
}

probe!(JsonlLog);

impl Log for JsonlLog {
    const COMPARES: bool = true;

    fn wants(&self, event: &EventInfo) -> bool {
        match &self.0.events {
            Some(events) => events.iter().any(|wanted| wanted.as_str() == event.name),
            None => self.0.deltas || event.name != "LlmDelta",
        }
    }

    fn write(
        &self,
        seen: &EventHistory,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let line = JsonlLine {
            cx,
            event,
            result,
            seen,
        };
        self.0.lines.send(|out| line.write(out));
    }
}
