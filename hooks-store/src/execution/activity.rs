//! How often hooks decided what, and how long they took, as it was counted when it was written.

use std::time::Duration;

use hooks_runtime::RecordOutcome;
use jiff::{SignedDuration, Timestamp};

use crate::engine::{Row, args};
use crate::error::StoreError;
use crate::recorder::activity::{HOUR, MINUTE, OPEN, WOULD};
use crate::store::{Store, Tenant};

/// How long minutes of all hooks are kept, and hours of each.
const KEPT: [(SignedDuration, &str); 2] = [
    (
        SignedDuration::from_hours(7 * 24),
        "DELETE FROM activity WHERE hook = '' AND at < $1",
    ),
    (
        SignedDuration::from_hours(400 * 24),
        "DELETE FROM activity WHERE at < $1",
    ),
];

/// Events, or what one hook did, counted together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activity {
    /// The hook; empty for events, which all hooks together decided.
    pub hook: String,
    /// When its minute begins, or its hour if it is of one hook.
    pub at: Timestamp,
    /// What they decided.
    pub outcome: RecordOutcome,
    /// Whether they ran in shadow mode, so that it had no effect.
    pub shadow: bool,
    /// Whether the hook failed and the event went on.
    pub failed_open: bool,
    /// How long they took: less than this, and at least half of it.
    pub less_than: Duration,
    /// How many events; of a hook, how often it ran.
    pub count: u64,
}

/// The outcome of a row, whether it had no effect, and whether its hook failed open.
fn outcome(row: &Row) -> Result<(RecordOutcome, bool, bool), StoreError> {
    let word = row.text("outcome")?;
    let [would, open] = [WOULD, OPEN].map(|mark| word.strip_prefix(mark));
    let known = serde_json::from_value(would.or(open).unwrap_or(&word).into());
    let known = known.map_err(|error| row.wrong("outcome", &format!("is none: {error}")))?;
    Ok((known, would.is_some(), open.is_some()))
}

impl Tenant {
    /// Returns how often all hooks together decided what, since a time, minute by minute. Minutes are kept for a week.
    ///
    /// ```
    /// use hooks_runtime::{Record, RecordOutcome, RecordStep};
    /// use hooks_store::Store;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let acme = Store::open("sqlite::memory:").await?.tenant("acme");
    /// let mut record = Record::new("no-push", "BeforeToolCall");
    /// record.steps.push(RecordStep::new("no-push", RecordOutcome::Block));
    /// let hour = record.at - jiff::SignedDuration::from_hours(1);
    /// acme.insert(vec![record.clone(), record]).await?;
    /// assert_eq!(acme.activity(hour).await?[0].count, 2);
    /// assert_eq!(acme.activity_of(None, hour).await?[0].hook, "no-push");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn activity(&self, since: Timestamp) -> Result<Vec<Activity>, StoreError> {
        self.counted("hook = $3", Some(""), since, MINUTE).await
    }

    /// Returns how often one hook decided what, or each hook, since a time, hour by hour. Hours are kept for 400 days.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn activity_of(
        &self,
        hook: Option<&str>,
        since: Timestamp,
    ) -> Result<Vec<Activity>, StoreError> {
        let condition = if hook.is_some() {
            "hook = $3"
        } else {
            "hook <> $3"
        };
        self.counted(condition, hook, since, HOUR).await
    }

    /// Returns how often the hooks that ran most often since a time decided what, hour by hour.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn activity_of_busiest(
        &self,
        hooks: u32,
        since: Timestamp,
    ) -> Result<Vec<Activity>, StoreError> {
        let busiest = format!(
            "hook IN (SELECT hook FROM activity WHERE tenant_id = $1 AND at >= $2 AND hook <> $3 \
             GROUP BY hook ORDER BY SUM(count) DESC, hook LIMIT {hooks})"
        );
        self.counted(&busiest, None, since, HOUR).await
    }

    /// The whole minute or hour in which a time is counts as well.
    async fn counted(
        &self,
        condition: &str,
        hook: Option<&str>,
        since: Timestamp,
        step: i64,
    ) -> Result<Vec<Activity>, StoreError> {
        let sql = format!(
            "SELECT hook, at, outcome, bucket, count FROM activity WHERE tenant_id = $1 AND at >= $2 AND {condition} \
             ORDER BY at, hook, outcome, bucket"
        );
        let since = since.as_microsecond();
        let args = args![
            &self.id,
            since - since.rem_euclid(step),
            hook.unwrap_or_default()
        ];
        let rows = self.store.engine.fetch(&sql, args).await?;
        let counted = rows.iter().map(|row| {
            let bucket = u32::try_from(row.number("bucket")?).unwrap_or(62).min(62);
            let (outcome, shadow, failed_open) = outcome(row)?;
            Ok(Activity {
                hook: row.text("hook")?,
                at: row.time("at")?,
                outcome,
                shadow,
                failed_open,
                less_than: Duration::from_micros(2 << bucket),
                count: row.number("count")?,
            })
        });
        counted.collect()
    }
}

impl Store {
    /// Forgets what is older than anybody asks for.
    pub(super) async fn forget_activity(&self) -> Result<(), StoreError> {
        for (kept, sql) in KEPT {
            let oldest = self.0.now() - kept;
            let mut transaction = self.0.engine.begin().await?;
            transaction.execute(sql, args![oldest]).await?;
            transaction.commit().await?;
        }
        Ok(())
    }
}
