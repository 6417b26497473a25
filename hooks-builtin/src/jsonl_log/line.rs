//! One line, written straight into the buffer that it waits in.
//!
//! The keys are this module's own and need no escapes, so they are copied; serde_json writes the values. That
//! takes a third less time than a map that serde_json writes whole, and allocates nothing.

use std::fmt::Write;

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{Cancel, Decision, Scope};
use jiff::Timestamp;
use serde::Serialize;

use crate::shared::Changes;
use crate::shared::changes::Compared;

/// What happened to whom, and what was decided.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) cx: &'a AgentContext,
    pub(super) event: AgentEvent<'a>,
    pub(super) decision: Decision<'a>,
    /// What the hooks have changed in it, if that is known, and its JSON.
    pub(super) compared: Option<&'a Compared>,
}

impl Line<'_> {
    /// Adds the line, as of now. After an error there may be a part of it.
    pub(super) fn write(self, clock: &mut Clock, out: &mut Vec<u8>) -> serde_json::Result<()> {
        let Line {
            cx,
            event,
            decision,
            compared,
        } = self;
        clock.write(Timestamp::now(), out);
        field(out, "event", event.name())?;
        field(out, "session_id", &cx.session_id)?;
        for (key, text) in [
            ("agent_id", &cx.agent_id),
            ("agent_type", &cx.agent_type),
            ("run_id", &cx.run_id),
            ("cwd", &cx.cwd),
            ("channel", &cx.channel),
            ("chat_id", &cx.chat_id),
        ] {
            if !text.is_empty() {
                field(out, key, text)?;
            }
        }
        for (key, text) in [
            ("tenant_id", &cx.tenant_id),
            ("parent_run_id", &cx.parent_run_id),
            ("sender", &cx.sender),
            ("trace_id", &cx.trace_id),
        ] {
            if let Some(text) = text {
                field(out, key, text)?;
            }
        }
        field(out, "turn", &cx.turn)?;
        field(out, "depth", &cx.depth)?;
        field(out, "decision", name_of(decision))?;
        if let Decision::Cancel(Cancel { hook, reason, .. }) = decision {
            field(out, "hook", hook)?;
            field(out, "reason", reason)?;
        }
        match compared {
            Some(compared) => {
                if let Some(Changes { patch, by }) = compared.changes() {
                    field(out, "changes", patch)?;
                    if !by.is_empty() {
                        field(out, "changed_by", &**by)?;
                    }
                }
                out.extend_from_slice(b",\"payload\":");
                out.extend_from_slice(compared.json());
            }
            None => field(out, "payload", &event)?,
        }
        out.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// Adds a line that tells how many lines are missing where it stands.
pub(super) fn write_dropped(
    clock: &mut Clock,
    count: u64,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    clock.write(Timestamp::now(), out);
    field(out, "event", "Dropped")?;
    field(out, "count", &count)?;
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn name_of(decision: Decision<'_>) -> &'static str {
    match decision {
        Decision::Respond => "respond",
        Decision::Cancel(Cancel { scope, .. }) => match scope {
            Scope::Event => "block",
            Scope::Turn => "abort_turn",
            Scope::Run => "abort_run",
        },
        _ => "continue",
    }
}

/// Adds a field that is not the first.
fn field<T: Serialize + ?Sized>(out: &mut Vec<u8>, key: &str, value: &T) -> serde_json::Result<()> {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
    serde_json::to_writer(out, value)
}

/// Begins lines with the time. It remembers the second, which many lines share.
#[derive(Debug)]
pub(super) struct Clock {
    second: i64,
    /// `{"time":"2026-03-22T10:00:00.`
    start: String,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            // No timestamp is so early.
            second: i64::MIN,
            start: String::new(),
        }
    }
}

impl Clock {
    fn write(&mut self, time: Timestamp, out: &mut Vec<u8>) {
        let millis = time.as_millisecond();
        let (second, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
        if second != self.second {
            let whole = Timestamp::from_second(second).unwrap_or(time);
            self.start.clear();
            let _ = write!(self.start, "{{\"time\":\"{whole}");
            let digits = self.start.trim_end_matches('Z').len();
            self.start.truncate(digits);
            self.start.push('.');
            self.second = second;
        }
        out.extend_from_slice(self.start.as_bytes());
        for place in [100, 10, 1] {
            let digit = u8::try_from(millis / place % 10).unwrap_or_default();
            out.push(b'0' + digit);
        }
        out.extend_from_slice(b"Z\"");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_its_milliseconds_in_every_second() {
        let mut clock = Clock::default();
        for time in [
            "2026-03-22T10:00:00.123Z",
            "2026-03-22T10:00:00.004Z",
            "2026-03-22T10:00:01.000Z",
            "1969-12-31T23:59:58.250Z",
            "0001-02-03T04:05:06.999Z",
        ] {
            let mut out = Vec::new();
            clock.write(time.parse().unwrap(), &mut out);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                format!("{{\"time\":\"{time}\"")
            );
        }
    }
}
