//! Records as they are written, also by earlier versions: they wrote one for each hook, and one more for the event.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::{Record, RecordOutcome, RecordPart, RecordStep, micros};

/// The `handler` of a record of a whole event, as earlier versions wrote it.
const EVENT: &str = "event";

/// A record in either form.
#[derive(Deserialize)]
pub(super) struct AnyRecord {
    at: Timestamp,
    revision: u64,
    #[serde(default)]
    hook: String,
    event: String,
    subject: Option<String>,
    #[serde(default)]
    session_id: String,
    #[serde(default)]
    agent_id: String,
    tenant_id: Option<String>,
    tool_call_id: Option<String>,
    outcome: RecordOutcome,
    reason: Option<String>,
    #[serde(rename = "duration_us", with = "micros")]
    duration: Duration,
    change: Option<Value>,
    #[serde(default)]
    steps: Vec<RecordStep>,
    #[serde(default)]
    unmet: Vec<Arc<str>>,
    #[serde(default)]
    unasked: Vec<Arc<str>>,
    #[serde(default)]
    warnings: Vec<String>,
    trace_id: Option<String>,
    input: Option<Value>,
    part: Option<RecordPart>,
    reported_by: Option<String>,
    // Only in the older form.
    handler: Option<String>,
    hook_version: Option<u64>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    shadow: bool,
    #[serde(default)]
    why: String,
    #[serde(default)]
    messages: Vec<String>,
}

impl From<AnyRecord> for Record {
    fn from(written: AnyRecord) -> Self {
        let mut record = Record {
            at: written.at,
            revision: written.revision,
            hook: written.hook,
            event: written.event,
            subject: written.subject,
            session_id: written.session_id,
            agent_id: written.agent_id,
            tenant_id: written.tenant_id,
            tool_call_id: written.tool_call_id,
            outcome: written.outcome,
            reason: written.reason,
            duration: written.duration,
            change: written.change,
            steps: written.steps,
            unmet: written.unmet,
            unasked: written.unasked,
            warnings: written.warnings,
            trace_id: written.trace_id,
            input: written.input,
            number: None,
            part: written.part,
            reported_by: written.reported_by,
        };
        match written.handler {
            None => {}
            Some(handler) if handler == EVENT => {
                let by = written.why.strip_prefix("decided by `");
                let by = by.and_then(|rest| rest.strip_suffix('`'));
                by.unwrap_or_default().clone_into(&mut record.hook);
            }
            Some(handler) => {
                let step = RecordStep {
                    hook_version: written.hook_version,
                    source: written.source,
                    handler,
                    shadow: written.shadow,
                    why: written.why,
                    reason: record.reason.clone(),
                    duration: record.duration,
                    change: record.change.take(),
                    messages: written.messages,
                    warnings: std::mem::take(&mut record.warnings),
                    ..RecordStep::new(record.hook.clone(), record.outcome)
                };
                record = record.part(RecordPart::Hook, step);
            }
        }
        record
    }
}
