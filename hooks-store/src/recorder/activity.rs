//! Counting what is written: how often hooks decided what, and how long they took.

use std::collections::BTreeMap;
use std::time::Duration;

use hooks_runtime::{Record, RecordPart};

use super::row::column;
use crate::engine::{SqlValue, args};

pub(crate) const MINUTE: i64 = 60_000_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;

/// What precedes the outcome of a hook in shadow mode: nothing of it came to be.
pub(crate) const WOULD: &str = "would_";

/// What precedes the outcome of a hook that failed while the event went on: it did not guard.
pub(crate) const OPEN: &str = "open_";

/// What an event, or a hook on it, counts as, together with others: the hook, the minute or the hour, the outcome and the power of
/// two of the microseconds. In this order, two writers never wait for each other.
pub(super) type ActivityKey = (String, i64, String, u32);

/// An event counts as one without a hook, and each of its steps as one of its hook.
pub(super) fn spots(record: &Record) -> Vec<ActivityKey> {
    let spot = |hook: &str, outcome: String, took: Duration| {
        let (at, span) = (
            record.at.as_microsecond(),
            if hook.is_empty() { MINUTE } else { HOUR },
        );
        let bucket = took.as_micros().max(1).ilog2();
        (column(hook), at - at.rem_euclid(span), outcome, bucket)
    };
    let mut spots = Vec::new();
    if record.is_event() {
        let outcome = record.outcome.as_str().to_owned();
        spots.push(spot("", outcome, record.duration));
    }
    // A record without steps still names the hook that decided.
    if record.steps.is_empty() && !record.hook.is_empty() {
        let outcome = record.outcome.as_str().to_owned();
        spots.push(spot(&record.hook, outcome, record.duration));
    }
    // What the agent waited for is a step of the event, too.
    if record.part != Some(RecordPart::Audited) {
        let steps = record.steps.iter().map(|step| {
            let mark = match step {
                _ if step.shadow => WOULD,
                _ if step.has_failed_open() => OPEN,
                _ => "",
            };
            let outcome = [mark, step.outcome.as_str()].concat();
            spot(&step.hook, outcome, step.duration)
        });
        spots.extend(steps);
    }
    spots
}

/// The columns of what is counted, and what becomes of a row that is there.
pub(super) const COLUMNS: &str = "tenant_id, hook, at, outcome, bucket, count";
pub(super) const ADDS: &str = "ON CONFLICT (tenant_id, hook, at, outcome, bucket) \
    DO UPDATE SET count = activity.count + excluded.count";

/// Returns the rows that add executions of a tenant to what was counted.
pub(super) fn rows<'s>(
    tenant: &str,
    spots: impl Iterator<Item = &'s ActivityKey>,
) -> Vec<Vec<SqlValue>> {
    let mut counts: BTreeMap<&ActivityKey, u64> = BTreeMap::new();
    for spot in spots {
        *counts.entry(spot).or_default() += 1;
    }
    let rows = counts
        .into_iter()
        .map(|((hook, at, outcome, bucket), count)| {
            args![tenant, hook, *at, outcome, u64::from(*bucket), count]
        });
    rows.collect()
}
