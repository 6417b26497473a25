//! Keeping the copy of what decides what agents may do, from which a daemon starts while its database is away.
//!
//! Whatever a tenant published, or did with its secrets and tokens, is copied with all rows that this concerns. A time says when the
//! copy was last as the database is.

use std::collections::HashMap;
use std::sync::Weak;
use std::time::Duration;

use crate::engine::args;
use crate::error::Result;
use crate::store::{Store, StoreParts};

/// How often the copy is brought up to date: what was revoked less long ago is known to a start without the database.
const EVERY: Duration = Duration::from_secs(5);

/// The tables, and which rows of a tenant.
const TABLES: [(&str, &str); 3] = [
    ("token", ""),
    ("secret", ""),
    ("revision", " ORDER BY number DESC LIMIT 1"),
];

/// Keeps the copy, until the store is dropped.
pub(crate) async fn keep(store: Weak<StoreParts>) {
    let mut copied = HashMap::new();
    loop {
        let Some(store) = store.upgrade() else { return };
        if store.health.trouble().is_none()
            && let Err(error) = store.copy_last(&mut copied).await
        {
            tracing::warn!(%error, "cannot copy what a start without the database needs");
        }
        drop(store);
        tokio::time::sleep(EVERY).await;
    }
}

impl StoreParts {
    async fn copy_last(&self, copied: &mut HashMap<String, u64>) -> Result<()> {
        let mut engine = self.engine();
        let Some(copy) = engine.copy_of_last() else {
            return Ok(());
        };
        if copied.is_empty() {
            self.ledger.of("");
            for tenant in Store::tenants_in(&mut engine).await? {
                self.ledger.of(&tenant);
            }
        }
        let (now, change) = (self.now(), self.ledger.newest_there());
        let mut fresh = copied.clone();
        let mut write = copy.begin().await?;
        for (tenant, newest) in self.ledger.newest_of_judging() {
            if fresh.insert(tenant.clone(), newest) == Some(newest) {
                continue;
            }
            for (table, which) in TABLES {
                let sql = format!("DELETE FROM {table} WHERE tenant_id = $1");
                write.run(&sql, args![&tenant]).await?;
                let sql = format!("SELECT * FROM {table} WHERE tenant_id = $1{which}");
                for row in engine.fetch(&sql, args![&tenant]).await? {
                    write.run(&row.insert(table), row.values().to_vec()).await?;
                }
            }
        }
        let sql = "INSERT INTO counter (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        write.run(sql, args!["change", change]).await?;
        write.run(sql, args!["copied", now]).await?;
        write.commit().await?;
        *copied = fresh;
        Ok(())
    }
}
