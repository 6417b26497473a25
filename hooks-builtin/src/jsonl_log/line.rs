//! One line: the hook packs it, and the thread that writes turns it into JSON.
//!
//! The buffer holds records. A record is its length, the time, the fields of the line, and the payload.

use std::fmt::Write;

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{Cancel, Decision, Scope};
use jiff::Timestamp;
use rmp_serde::encode::Error;
use serde::Serialize;
use serde_json::Value;

use crate::shared::ChangedBy;
use crate::shared::changes::Seen;
use crate::shared::packed::{Values, pack};

/// An event, its context, and the decision about it.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) cx: &'a AgentContext,
    pub(super) event: AgentEvent<'a>,
    pub(super) decision: Decision<'a>,
    /// What the hooks have changed in it, and its packed form.
    pub(super) seen: Option<&'a Seen>,
}

/// The fields between the time and the payload, in this order.
#[derive(Serialize)]
struct Fields<'a> {
    event: &'static str,
    session_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    agent_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    agent_type: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    run_id: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cwd: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    chat_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_run_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    turn: u32,
    depth: u32,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed_by: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes_by_hook: Vec<ByHook<'a>>,
}

/// A hook, and the paths of the values that it changed.
#[derive(Serialize)]
struct ByHook<'a> {
    hook: &'a str,
    paths: Vec<&'a str>,
}

impl<'a> From<&'a ChangedBy> for ByHook<'a> {
    fn from(by: &'a ChangedBy) -> Self {
        ByHook {
            hook: &by.hook,
            paths: by.paths().collect(),
        }
    }
}

impl<'a> Line<'a> {
    fn fields(self) -> Fields<'a> {
        let cx = self.cx;
        let cancel = match self.decision {
            Decision::Cancel(cancel) => Some(cancel),
            _ => None,
        };
        let changes = self.seen.and_then(Seen::changes);
        let by = changes.map_or(&[][..], |changes| &changes.by);
        Fields {
            event: self.event.name(),
            session_id: &cx.session_id,
            agent_id: &cx.agent_id,
            agent_type: &cx.agent_type,
            run_id: &cx.run_id,
            cwd: &cx.cwd,
            channel: &cx.channel,
            chat_id: &cx.chat_id,
            tenant_id: cx.tenant_id.as_deref(),
            parent_run_id: cx.parent_run_id.as_deref(),
            sender: cx.sender.as_deref(),
            trace_id: cx.trace_id.as_deref(),
            turn: cx.turn,
            depth: cx.depth,
            decision: name_of(self.decision),
            hook: cancel.map(|cancel| &*cancel.hook),
            reason: cancel.map(|cancel| &*cancel.reason),
            changes: changes.map(|changes| &changes.patch),
            changed_by: by.iter().map(|by| &*by.hook).collect(),
            changes_by_hook: match by {
                [] | [_] => Vec::new(),
                several => several.iter().map(ByHook::from).collect(),
            },
        }
    }

    /// Adds the record of the line, with the current time. After an error, a part of the record may have been added.
    pub(super) fn write(self, out: &mut Vec<u8>) -> Result<(), Error> {
        let start = out.len();
        out.extend_from_slice(&[0; LENGTH]);
        out.extend_from_slice(&Timestamp::now().as_millisecond().to_le_bytes());
        pack(out, &self.fields())?;
        match self.seen.and_then(Seen::packed) {
            Some(packed) => out.extend_from_slice(packed),
            None => pack(out, &self.event)?,
        }
        let length = out.len() - start - LENGTH;
        out[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }
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

/// The size of the length of a record, in bytes.
const LENGTH: usize = size_of::<usize>();

/// Takes the first record from a sequence of records.
pub(super) fn next_record<'b>(records: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, rest) = records.split_first_chunk()?;
    let (record, rest) = rest.split_at_checked(usize::from_le_bytes(*length))?;
    *records = rest;
    Some(record)
}

/// Counts the records.
pub(super) fn count_records(mut records: &[u8]) -> u64 {
    std::iter::from_fn(|| next_record(&mut records))
        .map(|_| 1)
        .sum()
}

/// Adds the JSON line of a record. After an error, nothing has been added.
pub(super) fn write_json(
    record: &[u8],
    clock: &mut Clock,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let start = out.len();
    let (time, values) = record.split_at(size_of::<i64>().min(record.len()));
    clock.write(
        time.try_into().map(i64::from_le_bytes).unwrap_or_default(),
        out,
    );
    let mut values = Values::of(values);
    let mut write = || {
        let fields = out.len();
        values.write_next(out)?;
        // The object already begins with the time, and the fields follow it.
        out[fields] = b',';
        out.pop();
        out.extend_from_slice(b",\"payload\":");
        values.write_next(out)
    };
    let written = write();
    match written {
        Ok(()) => out.extend_from_slice(b"}\n"),
        Err(_) => out.truncate(start),
    }
    written
}

/// Adds a line that says how many lines are missing at this place.
pub(super) fn write_dropped(clock: &mut Clock, count: u64, out: &mut Vec<u8>) {
    clock.write(Timestamp::now().as_millisecond(), out);
    let line = format!(",\"event\":\"Dropped\",\"count\":{count}}}\n");
    out.extend_from_slice(line.as_bytes());
}

/// Writes the time at the start of lines. It caches the second, which many lines share.
#[derive(Debug)]
pub(super) struct Clock {
    second: i64,
    /// `{"time":"2026-03-22T10:00:00.`
    start: String,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            // No timestamp is that early.
            second: i64::MIN,
            start: String::new(),
        }
    }
}

impl Clock {
    /// Writes a time, given in milliseconds since 1970.
    fn write(&mut self, millis: i64, out: &mut Vec<u8>) {
        let (second, millis) = (millis.div_euclid(1000), millis.rem_euclid(1000));
        if second != self.second {
            let whole = Timestamp::from_second(second).unwrap_or_default();
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
            let parsed: Timestamp = time.parse().unwrap();
            clock.write(parsed.as_millisecond(), &mut out);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                format!("{{\"time\":\"{time}\"")
            );
        }
    }

    #[test]
    fn a_record_that_is_broken_adds_no_line() {
        let mut out = b"before\n".to_vec();
        for record in [&b""[..], b"12345678", b"12345678\xc1\xc1"] {
            assert!(write_json(record, &mut Clock::default(), &mut out).is_err());
        }
        assert_eq!(out, b"before\n");
    }
}
