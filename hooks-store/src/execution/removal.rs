//! Removing old executions. The chain remembers the last row that is gone, and is verified from there.

use jiff::SignedDuration;

use crate::engine::{ReadsAs as _, args};
use crate::error::{Result, StoreError};
use crate::recorder::row::LOG;
use crate::retention::Retention;
use crate::store::{Store, Tenant};

/// How many rows are removed in one transaction.
const BATCH: u64 = 5000;

impl Store {
    /// Removes the executions that are older than the [`Retention`] keeps. It also happens by itself, every ten minutes.
    /// Returns how many were removed.
    ///
    /// # Errors
    ///
    /// If the database fails for a tenant: the first such error. The others' executions are removed nevertheless.
    pub async fn retain(&self) -> Result<u64> {
        self.forget_activity().await?;
        self.0.forget_changes().await?;
        if self.0.retention == Retention::default() {
            return Ok(0);
        }
        let sql = "SELECT tenant_id, seq FROM chain WHERE log = $1";
        let (mut removed, mut failed) = (0, None);
        let ends: Vec<(String, u64)> = self.0.engine().all(sql, args![LOG]).await?;
        for (tenant, newest) in ends {
            match self.tenant(&tenant).remove_old(newest).await {
                Ok(count) => removed += count,
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        failed.map_or(Ok(removed), Err)
    }
}

impl Tenant {
    async fn remove_old(&self, newest: u64) -> Result<u64> {
        let retention = self.store.retention;
        let mut last = retention.rows.map_or(0, |rows| newest.saturating_sub(rows));
        if let Some(days) = retention.days {
            let oldest = self.store.now() - SignedDuration::from_hours(i64::from(days) * 24);
            // The first row that stays. Its time alone would not do: clocks step back.
            let sql =
                "SELECT seq FROM execution WHERE tenant_id = $1 AND at >= $2 ORDER BY seq LIMIT 1";
            let stays: Option<u64> = self.engine().one(sql, args![&self.id, oldest]).await?;
            last = last.max(stays.map_or(newest, |stays| stays - 1));
        }
        let mut removed = 0;
        loop {
            let mut transaction = self.engine().begin().await?;
            let chain = self.chain(LOG);
            let mut ends = chain.lock(&mut *transaction).await?;
            let gone = ends.removed_seq;
            let end = last.min(gone + BATCH);
            if end <= gone {
                drop(transaction);
                if removed > 0 {
                    // What says which hooks ran on executions that are gone.
                    let sql = "DELETE FROM execution_hook WHERE tenant_id = $1 AND seq <= $2 \
                               AND hook IN (SELECT hook FROM activity WHERE tenant_id = $1)";
                    self.store.note(sql, args![&self.id, gone]).await?;
                }
                return Ok(removed);
            }
            let sql = "SELECT hash FROM execution WHERE tenant_id = $1 AND seq = $2";
            let hash = transaction.one(sql, args![&self.id, end]).await?;
            let missing = || StoreError::NotFound(format!("execution {end}"));
            (ends.removed_seq, ends.removed_hash) = (end, hash.ok_or_else(missing)?);
            chain.set(&mut *transaction, ends).await?;
            let sql = "DELETE FROM execution WHERE tenant_id = $1 AND seq <= $2";
            transaction.run(sql, args![&self.id, end]).await?;
            transaction.commit().await?;
            removed += end - gone;
        }
    }
}
