//! Budgets: how many tokens the prompts of a tenant may use per month, counted by all processes together.
//!
//! A reservation is one statement that adds and compares, so callers at once never exceed the limit. Each reservation,
//! settlement and refund is also an entry of the ledger, which is a [chain](crate::chain).

use std::sync::Arc;

use async_trait::async_trait;
use hooks_runtime::{Budget, BudgetError, Reservation};
use serde::Serialize;
use serde_json::json;

use crate::admin::By;
use crate::chain::Chain;
use crate::engine::{ReadsAs as _, RowReader, args, of_row};
use crate::error::{Result, StoreError};
use crate::kept::RowDigests;
use crate::store::{Store, StoreParts, Tenant};
use crate::text::expect_exact;

of_row! {
    /// What a tenant has used in a month.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
    pub struct BudgetUse {
        /// The month in UTC, such as `2026-11`.
        pub month: String,
        /// The tokens that are used or reserved.
        pub taken: u64,
        /// The limit that was set here. Without one, that of each hook applies.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub limit: Option<u64>,
    }
}

/// Counts tokens in the store. A clone is the same one.
#[derive(Clone, Debug)]
pub struct StoreBudget(Arc<StoreParts>);

/// The name of the ledger among the chains.
const LOG: &str = "budget";

impl StoreBudget {
    /// Replaces reserved tokens by used ones. Returns how many are left.
    async fn replace(
        &self,
        kind: &str,
        reservation: &Reservation,
        used: u64,
    ) -> Result<u64, BudgetError> {
        let Reservation { tenant, month, .. } = reservation;
        let mut transaction = self.0.engine().begin().await?;
        // It also locks the row.
        let sql =
            "UPDATE budget SET taken = taken WHERE tenant_id = $1 AND month = $2 RETURNING taken";
        let taken: Option<u64> = transaction.one(sql, args![tenant, month]).await?;
        let taken = reservation.settled(taken.unwrap_or_default(), used);
        let sql = "UPDATE budget SET taken = $3 WHERE tenant_id = $1 AND month = $2";
        transaction.run(sql, args![tenant, month, taken]).await?;
        self.enter(&mut *transaction, reservation, kind, [used, taken])
            .await?;
        transaction.commit().await?;
        Ok(reservation.limit.saturating_sub(taken))
    }

    async fn enter(
        &self,
        transaction: &mut dyn RowReader,
        Reservation { tenant, month, .. }: &Reservation,
        action: &str,
        [tokens, taken]: [u64; 2],
    ) -> Result<()> {
        let mut rows = RowDigests::default();
        rows.note("budget", args![month, taken]);
        let entry =
            json!({ "action": action, "at": self.0.now(), "month": month, "tokens": tokens });
        let keys = &self.0.writer.keys;
        let chain = Chain {
            keys,
            tenant,
            log: LOG,
        };
        chain.enter(transaction, &entry, &rows).await
    }
}

impl From<StoreError> for BudgetError {
    fn from(error: StoreError) -> Self {
        BudgetError::Failed(error.to_string())
    }
}

#[async_trait]
impl Budget for StoreBudget {
    async fn reserve(
        &self,
        tenant: &str,
        tokens: u64,
        limit: u64,
    ) -> Result<Reservation, BudgetError> {
        let month = Reservation::month_of(self.0.now());
        let mut transaction = self.0.engine().begin().await?;
        // The limit that was set for the month, or for every month.
        let sql = "SELECT tokens FROM budget_limit WHERE tenant_id = $1 AND month IN ($2, '') \
                   ORDER BY month DESC LIMIT 1";
        let set: Option<u64> = transaction.one(sql, args![tenant, &month]).await?;
        let limit = limit.min(set.unwrap_or(i64::MAX.unsigned_abs()));
        let sql = "INSERT INTO budget (tenant_id, month, taken) SELECT $1, $2, $3 WHERE $3 <= $4 \
                   ON CONFLICT (tenant_id, month) DO UPDATE SET taken = budget.taken + excluded.taken \
                   WHERE budget.taken + excluded.taken <= $4 RETURNING taken";
        let values = args![tenant, &month, tokens, limit];
        let Some(taken) = transaction.one(sql, values).await? else {
            let sql = "SELECT taken FROM budget WHERE tenant_id = $1 AND month = $2";
            let taken: Option<u64> = transaction.one(sql, args![tenant, &month]).await?;
            let left = limit.saturating_sub(taken.unwrap_or_default());
            return Err(BudgetError::Spent { left });
        };
        let reservation = Reservation {
            tenant: tenant.to_owned(),
            month,
            tokens,
            limit,
        };
        self.enter(&mut *transaction, &reservation, "reserve", [tokens, taken])
            .await?;
        transaction.commit().await?;
        Ok(reservation)
    }

    async fn settle(&self, reservation: Reservation, used: u64) -> Result<u64, BudgetError> {
        self.replace("settle", &reservation, used).await
    }

    async fn refund(&self, reservation: Reservation) -> Result<(), BudgetError> {
        self.replace("refund", &reservation, 0).await.map(drop)
    }
}

impl Tenant {
    /// Returns what was used in each month, the latest first, and each limit that was set.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn budgets(&self) -> Result<Vec<BudgetUse>> {
        let sql = "SELECT m.month, COALESCE((SELECT taken FROM budget WHERE tenant_id = $1 AND month = m.month), 0) AS taken, \
                   COALESCE((SELECT tokens FROM budget_limit WHERE tenant_id = $1 AND month = m.month), \
                   (SELECT tokens FROM budget_limit WHERE tenant_id = $1 AND month = ''), -1) AS \"limit\" \
                   FROM (SELECT month FROM budget WHERE tenant_id = $1 UNION \
                   SELECT month FROM budget_limit WHERE tenant_id = $1) m ORDER BY m.month DESC";
        self.engine().all(sql, args![&self.id]).await
    }

    /// Sets how many tokens this tenant may use in a month such as `2026-11`, or in every month. A hook may name less, and
    /// never gets more. `None` removes the limit.
    ///
    /// # Errors
    ///
    /// If the month is none, the limit is more than 2^53 - 1, or the database fails.
    pub async fn set_budget(&self, month: Option<&str>, limit: Option<u64>, by: &By) -> Result<()> {
        if month.is_some_and(|month| format!("{month}-01").parse::<jiff::civil::Date>().is_err()) {
            let help = "write `2026-11`";
            return Err(StoreError::invalid(
                "/month",
                "the text is not a month",
                help,
            ));
        }
        expect_exact("/limit", limit.unwrap_or_default())?;
        let month = month.unwrap_or_default();
        let mut write = self.write(by).await?;
        let sql = "DELETE FROM budget_limit WHERE tenant_id = $1 AND month = $2 RETURNING tokens";
        let before: Option<u64> = write.one(sql, args![&self.id, month]).await?;
        match limit {
            Some(limit) => write.put("budget_limit", args![month, limit]).await?,
            None => write.rows.gone("budget_limit", args![month]),
        }
        let shown = |limit: Option<u64>| limit.map(|limit| limit.to_string()).unwrap_or_default();
        let [before, after] = [before, limit].map(shown);
        write.end("budget.set", month, &before, &after).await
    }
}

impl Store {
    /// Returns a budget, whose counts all processes with this store share.
    #[must_use]
    pub fn budget(&self) -> StoreBudget {
        StoreBudget(Arc::clone(&self.0))
    }
}
