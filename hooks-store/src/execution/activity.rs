//! How often hooks decided what, and how long they took, as it was counted when it was written.

use std::time::Duration;

use hooks_runtime::RecordOutcome;
use jiff::{SignedDuration, Timestamp};

use crate::engine::{OfRow, ReadsAs as _, SqlRow, args};
use crate::error::Result;
use crate::recorder::activity::{HOUR, MINUTE, OPEN, WOULD};
use crate::store::{Store, Tenant};

/// How long minutes of all hooks are kept, and hours of each.
const MINUTES: SignedDuration = SignedDuration::from_hours(7 * 24);
const HOURS: SignedDuration = SignedDuration::from_hours(400 * 24);

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

impl OfRow for Activity {
    fn of_row(row: &SqlRow) -> Result<Self> {
        let word: String = row.get("outcome")?;
        let [would, open] = [WOULD, OPEN].map(|mark| word.strip_prefix(mark));
        let outcome = serde_json::from_value(would.or(open).unwrap_or(&word).into());
        let bucket = row.get::<u64>("bucket")?.min(62);
        Ok(Activity {
            hook: row.get("hook")?,
            at: row.get("at")?,
            outcome: outcome.map_err(|error| row.wrong("outcome", &format!("is none: {error}")))?,
            shadow: would.is_some(),
            failed_open: open.is_some(),
            less_than: Duration::from_micros(2 << bucket),
            count: row.get("count")?,
        })
    }
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
    pub async fn activity(&self, since: Timestamp) -> Result<Vec<Activity>> {
        self.counted("hook = $3", Some(""), since, MINUTE).await
    }

    /// Returns how often one hook decided what, or each hook, since a time, hour by hour. Hours are kept for 400 days.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn activity_of(&self, hook: Option<&str>, since: Timestamp) -> Result<Vec<Activity>> {
        let condition = hook.map_or("hook <> $3", |_| "hook = $3");
        self.counted(condition, hook, since, HOUR).await
    }

    /// Returns how often the hooks that ran most often since a time decided what, hour by hour.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn activity_of_busiest(&self, hooks: u32, since: Timestamp) -> Result<Vec<Activity>> {
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
    ) -> Result<Vec<Activity>> {
        let sql = format!(
            "SELECT hook, at, outcome, bucket, count FROM activity WHERE tenant_id = $1 AND at >= $2 AND {condition} \
             ORDER BY at, hook, outcome, bucket"
        );
        let since = since.as_microsecond();
        let since = since - since.rem_euclid(step);
        let values = args![&self.id, since, hook.unwrap_or_default()];
        self.engine().all(&sql, values).await
    }
}

impl Store {
    /// Forgets what is older than anybody asks for.
    pub(super) async fn forget_activity(&self) -> Result<()> {
        let sql = "DELETE FROM activity WHERE at < $1 OR (hook = '' AND at < $2)";
        let now = self.0.now();
        self.0
            .note(sql, args![now - HOURS, now - MINUTES])
            .await
            .map(drop)
    }
}
