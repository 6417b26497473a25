//! Every event, as a line of JSON in a file.
//!
//! A hook writes its line into a buffer in memory; a thread writes the buffer to the file, some times a second.
//! So an agent waits for no disk.

mod event_name;
mod file;
mod line;
mod thread;
mod writer;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{Decision, hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::event_name::EventName;
use self::line::Line;
use self::writer::Writer;
use crate::shared::alias::Alias;
use crate::shared::changes::Seen;
use crate::shared::{BuildError, paths};

/// Writes every event as a line of JSON to a file, and what was decided about it:
///
/// ```json
/// {"time":"2026-03-22T10:00:00.123Z","event":"BeforeToolCall","session_id":"s1","turn":0,"depth":0,"decision":"block","hook":"SecurityPolicy","reason":"the path `/etc/passwd` is forbidden","payload":{"event":"BeforeToolCall","id":"1","name":"read","args":{"path":"/etc/passwd"}}}
/// ```
///
/// `decision` is `continue`, `respond`, `block`, `abort_turn` or `abort_run`. Of the context `agent_id`, `agent_type`,
/// `run_id`, `parent_run_id`, `tenant_id`, `cwd`, `channel`, `chat_id`, `sender` and `trace_id` are there where they are
/// known. The payload stands here as the hooks before have left it: so the arguments of a tool are those that it runs
/// with, and what [`Redact`](crate::Redact) rewrites stands here rewritten. `Redact` rewrites outputs and messages, and
/// no arguments.
///
/// The line of an event that hooks of the list have changed, before it came to the log, also has:
///
/// - `changes`, a JSON Patch (RFC 6902) that makes the payload of what was raised: it has what is new, and not what was
///   there before, which `Redact` may have taken out;
/// - `changed_by`, the names of the hooks that have changed it, in the order in which they did;
/// - `changes_by_hook`, if there are several, with the paths that each of them has changed:
///   `[{"hook":"rewrite","paths":["/args/command"]}]`. It has no values, since `Redact` may have taken them out after
///   that hook.
///
/// [`Witness`](hooks_core::Witness) says which hooks have names of their own. A dispatch through a list with a log takes
/// some hundred nanoseconds longer for each hook that can change the event, in which the event is packed.
///
/// The file is made with the mode 0600, and added to if it is there. Lines are written every 100 ms, or as soon as
/// there are 64 KiB of them, by a thread, whole and in order. Nothing is lost on a clean shutdown: when the last
/// clone of the hook is dropped, or by [`shutdown`](Self::shutdown), what is left is written and synced; a program that
/// ends by `std::process::exit` calls that before. When the file is moved away or removed, as a tool that rotates logs does,
/// the lines that come after go to another one, made where it was. While the disk takes nothing, lines wait in
/// memory; when that is full an event waits for at most a second, and then its line is dropped and counted, here
/// ([`dropped`](Self::dropped)) and, once it works again, in the file: `{"time":…,"event":"Dropped","count":3}`.
///
/// Its priority is [`priority::AUDIT`].
///
/// PicoClaw's example logger: its `log_file` is `path`, `log_events` is always on.
///
/// ```
/// use hooks_builtin::JsonlLog;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{hook, hooks};
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
/// let hooks = hooks![rewrite, log.clone()];
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
pub struct JsonlLog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    events: Option<Vec<EventName>>,
    deltas: bool,
    writer: Writer,
}

/// What stands under `[hooks.builtin.jsonl_log]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Alias { of: "path", name: "log_file" })]
pub struct JsonlLogConfig {
    /// The file. Folders that it is in are made. `~` is the home directory; a relative path is under the current
    /// one. PicoClaw's `log_file`.
    #[serde(alias = "log_file")]
    pub path: PathBuf,
    /// The events that are written, by name; by default all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<EventName>>,
    /// Whether `LlmDelta` is written, of which there are many; by default it is not.
    #[serde(default)]
    pub deltas: bool,
    /// How long a line waits at most before it is written, while the disk works; by default "100ms".
    #[serde(default = "a_tenth", with = "crate::shared::duration")]
    #[schemars(with = "String")]
    pub flush_interval: Duration,
    /// How many bytes may wait to be written; by default 8 MiB.
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
    /// The defaults for a file.
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

    /// All that can be said of it without opening the file.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        let wrong = |key, message: &str| Err(BuildError::new("jsonl_log", key, message));
        if self.path.as_os_str().is_empty() {
            return wrong(
                "path",
                "is empty: write where the file is to be, as `\"audit.jsonl\"`",
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
                "leaves no room for a line: write `8388608`, or leave it out",
            );
        }
        Ok(())
    }
}

impl JsonlLog {
    /// Writes to a file.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, BuildError> {
        JsonlLog::from_config(&JsonlLogConfig::new(path))
    }

    /// Writes as the configuration says.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or made, or its thread not be started.
    pub fn from_config(config: &JsonlLogConfig) -> Result<Self, BuildError> {
        let failed = |error: io::Error| {
            let path = config.path.display();
            BuildError::new(
                "jsonl_log",
                "path",
                format!("cannot be written to, `{path}`: {error}"),
            )
            .with_source(error)
        };
        config.check()?;
        let path = paths::in_home(&config.path).map_err(failed)?;
        let writer = Writer::open(
            &path,
            config.flush_interval,
            config.max_buffer_bytes as usize,
        )
        .map_err(failed)?;
        Ok(JsonlLog(Arc::new(Inner {
            events: config.events.clone(),
            deltas: config.deltas,
            writer,
        })))
    }

    /// Waits until all lines so far are in the file.
    ///
    /// It blocks the thread, for at most 10 s. The lines are with the operating system then, and outlive the
    /// program; [`shutdown`](Self::shutdown) has them on the disk.
    ///
    /// # Errors
    ///
    /// If the file cannot be written, or not in that time. The lines are kept, and written when it can be.
    pub fn flush(&self) -> io::Result<()> {
        self.0.writer.flush()
    }

    /// Takes no more events, waits until all lines so far are in the file and on the disk, and closes it.
    ///
    /// It stops all clones, and may be called again; dropping the last clone does the same. It blocks the thread,
    /// for at most 10 s.
    ///
    /// # Errors
    ///
    /// If the file cannot be written: the lines that are left are [dropped](Self::dropped). Or if the disk
    /// takes longer: then they are written when it is done, if the program still runs.
    pub fn shutdown(&self) -> io::Result<()> {
        self.0.writer.shutdown()
    }

    /// How many lines are not in the file and will not be: the disk took nothing for too long, or the log was
    /// shut down.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.0.writer.dropped()
    }

    /// Why the file could not be written the last time that it was tried; nothing if it could.
    #[must_use]
    pub fn last_error(&self) -> Option<io::Error> {
        self.0.writer.last_error()
    }
}

#[hook(every, priority = priority::AUDIT)]
impl JsonlLog {
    fn write(
        &self,
        cx: &AgentContext,
        event: AgentEvent<'_>,
        decision: Decision<'_>,
        seen: Option<&Seen>,
    ) {
        let Inner {
            events,
            deltas,
            writer,
        } = &*self.0;
        let name = event.name();
        let is_wanted = match events {
            Some(events) => events.iter().any(|wanted| wanted.as_str() == name),
            None => *deltas || !matches!(event, AgentEvent::LlmDelta(_)),
        };
        if is_wanted {
            writer.write(Line {
                cx,
                event,
                decision,
                seen,
            });
        }
    }
}
