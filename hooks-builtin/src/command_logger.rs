//! Logs one line per tool call, for people to read.

use std::collections::VecDeque;
use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::agent::{AgentContext, AgentEvent, ToolCallEnd};
use hooks_core::{AnyAction, Event, EventInfo};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smol_str::{SmolStr, format_smolstr};

use crate::shared::BuildError;
use crate::shared::changes::EventHistory;
use crate::shared::log::{Log, probe};
use crate::shared::visible::Visible;

/// Logs one line per tool call, such as `[14:30:00] shell (42ms) success=true`. It writes to `tracing`, with the target
/// `hooks_builtin::command_logger`, and to memory. It is a probe: attach it with
/// [`with_probe`](hooks_core::Hook::with_probe).
///
/// A call that was blocked or denied did not run, so it has no line. The time is local. The memory keeps the newest
/// lines, 1000 by default.
///
/// It corresponds to ZeroClaw's `CommandLoggerHook`, and to ClawSeed's `audit_log`.
///
/// ```
/// use std::time::Duration;
/// use hooks_builtin::CommandLogger;
/// use hooks_core::agent::{AgentContext, AgentHooksNow, ToolAnnotations, ToolCallEnd, ToolOutcome, ToolOutput};
/// use hooks_core::{Hook, hooks};
///
/// let logger = CommandLogger::new();
/// let hooks = hooks![].with_probe(&logger);
/// hooks.observe_now(&AgentContext::new("s1"), &ToolCallEnd {
///     id: "1",
///     name: "shell",
///     args: &serde_json::json!({ "command": "ls" }),
///     annotations: ToolAnnotations::default(),
///     output: &ToolOutput::new("src"),
///     duration: Duration::from_millis(42),
///     outcome: ToolOutcome::Ran,
/// });
/// let line = &logger.lines()[0];
/// assert!(line.starts_with('[') && line.ends_with("] shell (42ms) success=true"));
/// ```
#[derive(Clone, Debug)]
pub struct CommandLogger(Arc<CommandLoggerState>);

#[derive(Debug)]
struct CommandLoggerState {
    level: LogLevel,
    capacity: usize,
    log: Mutex<CommandLines>,
}

#[derive(Debug, Default)]
struct CommandLines {
    /// One after the other, each with a line break, which a line itself escapes.
    lines: VecDeque<u8>,
    count: usize,
    /// The second of the newest line, and its text. Many lines share a second, and a time zone look-up is slow.
    second: Option<i64>,
    time: SmolStr,
}

impl CommandLines {
    /// Returns the local time, as `14:30:00`.
    fn time(&mut self, now: Timestamp) -> SmolStr {
        if self.second != Some(now.as_second()) {
            self.second = Some(now.as_second());
            let now = now.to_zoned(TimeZone::system());
            let (hour, minute, second) = (now.hour(), now.minute(), now.second());
            self.time = format_smolstr!("{hour:02}:{minute:02}:{second:02}");
        }
        self.time.clone()
    }
}

/// The settings of `[hooks.builtin.command_logger]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandLoggerConfig {
    /// The level of the lines in `tracing`. The default is `info`.
    pub level: LogLevel,
    /// How many of the newest lines stay in memory. The default is 1000.
    pub capacity: usize,
}

impl Default for CommandLoggerConfig {
    fn default() -> Self {
        CommandLoggerConfig {
            level: LogLevel::Info,
            capacity: 1000,
        }
    }
}

/// A level of `tracing`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// The most detailed level.
    Trace,
    /// Details for debugging.
    Debug,
    /// Normal operation.
    #[default]
    Info,
    /// Something unexpected.
    Warn,
    /// A failure.
    Error,
}

impl CommandLogger {
    /// Creates a logger at the level `info` that keeps 1000 lines.
    #[must_use]
    pub fn new() -> Self {
        CommandLogger::of(&CommandLoggerConfig::default())
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// Currently none. It returns a `Result` for consistency with the other hooks.
    pub fn from_config(config: &CommandLoggerConfig) -> Result<Self, BuildError> {
        Ok(CommandLogger::of(config))
    }

    fn of(config: &CommandLoggerConfig) -> Self {
        CommandLogger(Arc::new(CommandLoggerState {
            level: config.level,
            capacity: config.capacity,
            log: Mutex::default(),
        }))
    }

    /// Returns the lines in memory, oldest first.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut log = self.0.lock();
        let lines = String::from_utf8_lossy(log.lines.make_contiguous());
        lines.lines().map(String::from).collect()
    }
}

impl Default for CommandLogger {
    fn default() -> Self {
        Self::new()
    }
}

impl CommandLoggerState {
    fn lock(&self) -> MutexGuard<'_, CommandLines> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

probe!(CommandLogger);

impl Log for CommandLogger {
    fn wants(&self, event: &EventInfo) -> bool {
        event.name == ToolCallEnd::NAME
    }

    fn write(
        &self,
        _: &EventHistory,
        _: &AgentContext,
        event: AgentEvent<'_>,
        _: Option<AnyAction<'_>>,
    ) {
        if let AgentEvent::ToolCallEnd(done) = event {
            self.log(done);
        }
    }
}

impl CommandLogger {
    fn log(&self, done: &ToolCallEnd<'_>) {
        let time = self.0.lock().time(Timestamp::now());
        let line = format_args!(
            "[{time}] {} ({}ms) success={}",
            Visible(done.name),
            done.duration.as_millis(),
            !done.output.is_error,
        );
        // Without the lock: a subscriber of `tracing` may read the lines, or call a tool.
        trace(self.0.level, line);
        let mut log = self.0.lock();
        // Writing to memory cannot fail.
        let _ = writeln!(log.lines, "{line}");
        log.count += 1;
        while log.count > self.0.capacity {
            let end = log.lines.iter().position(|byte| *byte == b'\n');
            log.lines.drain(..=end.unwrap_or_default());
            log.count -= 1;
        }
    }
}

/// Passes a line to `tracing`, whose levels are constants.
fn trace(level: LogLevel, line: fmt::Arguments<'_>) {
    const TARGET: &str = "hooks_builtin::command_logger";
    match level {
        LogLevel::Trace => tracing::trace!(target: TARGET, "{line}"),
        LogLevel::Debug => tracing::debug!(target: TARGET, "{line}"),
        LogLevel::Info => tracing::info!(target: TARGET, "{line}"),
        LogLevel::Warn => tracing::warn!(target: TARGET, "{line}"),
        LogLevel::Error => tracing::error!(target: TARGET, "{line}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hooks_core::agent::{ToolAnnotations, ToolOutcome, ToolOutput};
    use hooks_core::hooks;

    use super::*;

    fn log(logger: &CommandLogger, name: &str, output: &ToolOutput) {
        hooks![].with_probe(logger).observe_now(
            &AgentContext::new("s1"),
            &ToolCallEnd {
                id: "1",
                name,
                args: &serde_json::Value::Null,
                annotations: ToolAnnotations::default(),
                output,
                duration: Duration::from_micros(1999),
                outcome: ToolOutcome::Ran,
            },
        );
    }

    #[test]
    fn a_failure_is_no_success() {
        let logger = CommandLogger::new();
        log(&logger, "shell", &ToolOutput::error("no"));
        assert!(logger.lines()[0].ends_with("] shell (1ms) success=false"));
    }

    #[test]
    fn the_newest_lines_are_kept() {
        for (capacity, kept) in [(2, &["b", "c"][..]), (1, &["c"]), (0, &[])] {
            let config = CommandLoggerConfig {
                capacity,
                ..CommandLoggerConfig::default()
            };
            let logger = CommandLogger::from_config(&config).unwrap();
            for name in ["a", "b", "c"] {
                log(&logger, name, &ToolOutput::default());
            }
            let names: Vec<_> = logger
                .lines()
                .iter()
                .map(|line| line.split(' ').nth(1).unwrap().to_owned())
                .collect();
            assert_eq!(names, kept);
        }
    }

    #[test]
    fn a_tools_name_forges_no_line() {
        let logger = CommandLogger::new();
        log(&logger, "x\n[00:00:00] shell", &ToolOutput::default());
        assert!(logger.lines()[0].contains(r"] x\n[00:00:00] shell (1ms)"));
    }

    #[test]
    fn lines_go_to_tracing_at_their_level() {
        use std::sync::Mutex;
        use tracing::field::{Field, Visit};

        #[derive(Default)]
        struct Seen(Mutex<Vec<(tracing::Level, String)>>);
        struct Message<'a>(&'a mut String);
        impl Visit for Message<'_> {
            fn record_debug(&mut self, _: &Field, value: &dyn std::fmt::Debug) {
                *self.0 = format!("{value:?}");
            }
        }
        impl tracing::Subscriber for Seen {
            fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
                true
            }
            fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
                tracing::span::Id::from_u64(1)
            }
            fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
            fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
            fn event(&self, event: &tracing::Event<'_>) {
                let mut message = String::new();
                event.record(&mut Message(&mut message));
                self.0
                    .lock()
                    .unwrap()
                    .push((*event.metadata().level(), message));
            }
            fn enter(&self, _: &tracing::span::Id) {}
            fn exit(&self, _: &tracing::span::Id) {}
        }

        let seen = Arc::new(Seen::default());
        tracing::subscriber::with_default(seen.clone(), || {
            let config = CommandLoggerConfig {
                level: LogLevel::Warn,
                ..CommandLoggerConfig::default()
            };
            let logger = CommandLogger::from_config(&config).unwrap();
            log(&logger, "shell", &ToolOutput::default());
        });
        let seen = seen.0.lock().unwrap();
        assert_eq!(seen[0].0, tracing::Level::WARN);
        assert!(seen[0].1.ends_with("success=true"), "{}", seen[0].1);
    }
}
