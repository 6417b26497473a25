//! Counting what is written: how often hooks decided what, and how long they took.

use std::collections::BTreeMap;

use hooks_runtime::Record;

use super::row::column;
use crate::engine::{Value, args};
use crate::error::StoreError;

pub(crate) const MINUTE: i64 = 60_000_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;

/// What stands before the outcome of a hook in shadow mode: nothing of it came to be.
pub(crate) const WOULD: &str = "would_";

/// What is counted together: the hook, when, the outcome and the power of two of the microseconds. In this order, two writers
/// never wait for each other.
type Key<'a> = (&'a str, i64, &'a str, u32);

/// What one execution counts as.
pub(super) struct Spot {
    hook: String,
    at: i64,
    outcome: String,
    bucket: u32,
}

impl Spot {
    /// A whole dispatch counts as nothing: its hooks do.
    pub(super) fn of(record: &Record) -> Option<Self> {
        let would = if record.shadow { WOULD } else { "" };
        (!record.is_event()).then(|| Spot {
            hook: column(&record.hook),
            at: record.at.as_microsecond(),
            outcome: [would, record.outcome.as_str()].concat(),
            bucket: record.duration.as_micros().max(1).ilog2(),
        })
    }
}

/// Adds executions of a tenant to what was counted.
pub(super) async fn add(
    transaction: &mut dyn crate::engine::Transaction,
    tenant: &str,
    spots: impl Iterator<Item = &Spot>,
) -> Result<(), StoreError> {
    let mut counts: BTreeMap<Key<'_>, u64> = BTreeMap::new();
    for spot in spots {
        let Spot {
            hook,
            at,
            outcome,
            bucket,
        } = spot;
        *counts
            .entry(("", at - at.rem_euclid(MINUTE), outcome, *bucket))
            .or_default() += 1;
        *counts
            .entry((hook, at - at.rem_euclid(HOUR), outcome, *bucket))
            .or_default() += 1;
    }
    let sql = "INSERT INTO activity (tenant_id, hook, at, outcome, bucket, count) VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (tenant_id, hook, at, outcome, bucket) DO UPDATE SET count = activity.count + excluded.count";
    for ((hook, at, outcome, bucket), count) in counts {
        let row: Vec<Value> = args![tenant, hook, at, outcome, u64::from(bucket), count];
        transaction.execute(sql, row).await?;
    }
    Ok(())
}
