//! The audit: everything that shows whether anything but the store has written into its tables.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::admin::By;
use crate::chain::{Broken, LOGS, Verified, table};
use crate::engine::{JsonColumn, ReadsAs as _, RowReader, SqlRow, args};
use crate::error::{Result, StoreError};
use crate::head::Anchored;
use crate::kept::{KEPT, LoggedTable, RowDigests, digest};
use crate::revision::seal;
use crate::store::{Store, Tenant};
use crate::verify::Anchors;

/// How many rows are read at once: revisions are long.
const ROWS: usize = 100;

/// How many digests an entry has at most that says what was there before the log said it.
const MOST: usize = 1000;

/// The action of such entries: the first ones of a log with digests. Later ones are forged.
const BEGIN: &str = "audit.begin";

/// What a chain of a tenant, and the tables for which it vouches, were found to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audited {
    /// The tenant; empty for the global one.
    pub tenant: String,
    /// Which chain: `admin`, `budget` or `execution`.
    pub log: String,
    /// What it was found to be.
    pub verified: Verified,
}

/// What an entry says of rows.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AuditDetail {
    action: String,
    rows: RowDigests,
}

impl Store {
    /// Checks all chains of all tenants, and what they say of the other tables, as all was at one moment. Nothing is written.
    ///
    /// ```
    /// use hooks_store::{Anchored, By, Role, Store};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// store.tenant("acme").token_new("ci", Role::Viewer, None, &By::new("ada")).await?;
    /// let audited = store.audit(&Anchored::default()).await?;
    /// assert_eq!((audited.len(), &*audited[0].log), (3, "admin"));
    /// assert!(audited.iter().all(|one| one.verified.broken.is_none()));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the database fails. What does not hold is not an error: the answer names it.
    pub async fn audit(&self, anchored: &Anchored) -> Result<Vec<Audited>> {
        let mut snapshot = self.0.engine().snapshot().await?;
        let tables = KEPT.iter().map(|kept| kept.table);
        let tables = tables.chain(LOGS.map(table)).chain(["chain"]);
        let tenants = tables.map(|table| format!("SELECT tenant_id FROM {table}"));
        let sql = tenants.collect::<Vec<_>>().join(" UNION ");
        let mut tenants: BTreeSet<String> =
            snapshot.all(&sql, args![]).await?.into_iter().collect();
        tenants.extend(anchored.tenants().cloned());
        let mut audited = Vec::new();
        for tenant in tenants {
            for log in LOGS {
                let anchors = anchored.of(&tenant, log);
                let handle = self.tenant(&tenant);
                let verified = handle.audit(&mut *snapshot, log, anchors).await?;
                audited.push(Audited {
                    tenant: tenant.clone(),
                    log: log.to_owned(),
                    verified,
                });
            }
        }
        Ok(audited)
    }

    /// Writes into the logs what the tables hold that are older than the digests, and signs what a store without a key has
    /// written. It is done once.
    pub(crate) async fn begin_audit(&self) -> Result<()> {
        if !self.is_old(&mut self.0.engine()).await?
            && !self.is_unsigned(&mut self.0.engine()).await?
        {
            return Ok(());
        }
        let (global, by) = (self.tenant(""), By::new("the store"));
        let mut write = global.begin(&by, None).await?;
        if self.is_unsigned(&mut write).await? {
            tracing::warn!("the store is signed from now on: until now, it had no key");
            self.sign_anew(&mut write, true).await?;
        }
        if self.is_old(&mut write).await? {
            for tenant in Store::tenants_in(&mut write).await? {
                let tenant = self.tenant(&tenant);
                tenant.chain(LOGS[0]).begin(&mut write).await?;
                for kept in &KEPT {
                    let digests = tenant.digests(&mut write, kept).await?;
                    for some in digests.chunks(MOST) {
                        write.rows.0.extend(some.iter().cloned());
                        let entry = (BEGIN, kept.table);
                        write.log_of(&tenant, kept.log, entry, ["", ""]).await?;
                    }
                }
            }
            let sql = "DELETE FROM counter WHERE name = 'unaudited'";
            write.run(sql, args![]).await?;
        }
        write.commit().await
    }

    /// Whether the logs do not say yet what the tables hold.
    async fn is_old(&self, reads: &mut dyn RowReader) -> Result<bool> {
        let sql = "SELECT value FROM counter WHERE name = 'unaudited'";
        Ok(!reads.run(sql, args![]).await?.is_empty())
    }

    /// Whether the store has a key that has signed nothing yet.
    async fn is_unsigned(&self, reads: &mut dyn RowReader) -> Result<bool> {
        let sql = "SELECT mac FROM chain ORDER BY mac DESC LIMIT 1";
        let mac: Option<String> = reads.one(sql, args![]).await?;
        Ok(self.0.writer.keys.are_there() && mac.is_some_and(|mac| mac.is_empty()))
    }
}

impl Tenant {
    /// Checks the chain of the admin log, and what it says of the tables of this tenant. [`Store::audit`] checks everything.
    ///
    /// # Errors
    ///
    /// If the database fails. A broken chain is not an error: the answer names it.
    pub async fn verify_admin_log(&self) -> Result<Verified> {
        let mut snapshot = self.engine().snapshot().await?;
        self.audit(&mut *snapshot, "admin", None).await
    }

    async fn audit(
        &self,
        reads: &mut dyn RowReader,
        log: &str,
        anchors: Option<&Anchors>,
    ) -> Result<Verified> {
        if log == "execution" {
            return self.verify_in(reads, anchors).await;
        }
        let (mut expected, mut is_begun) = (RowDigests::default(), false);
        let mut learn = |row: &SqlRow| {
            let JsonColumn(said): JsonColumn<AuditDetail> = row.get("body")?;
            if said.rows.is_empty() {
                return Ok(());
            }
            if is_begun && said.action == BEGIN {
                let what = "the log says anew what was there before: the tables may have been changed then";
                return Err(StoreError::Inconsistent(what.to_owned()));
            }
            is_begun |= said.action != BEGIN;
            for (name, digest) in said.rows.0 {
                if digest.is_empty() {
                    expected.0.remove(&name);
                } else {
                    expected.0.insert(name, digest);
                }
            }
            Ok(())
        };
        let walked = self.walk(reads, log, "body, hash", anchors, &mut learn);
        let mut verified = walked.await?;
        if verified.broken.is_none() {
            let differs = self.differs(reads, log, expected).await?;
            verified.broken = differs.map(|what| Broken { seq: 0, what });
        }
        Ok(verified)
    }

    /// The digests of all rows of a table.
    async fn digests(
        &self,
        reads: &mut dyn RowReader,
        kept: &LoggedTable,
    ) -> Result<Vec<(String, String)>> {
        let LoggedTable {
            table,
            columns,
            names,
            ..
        } = kept;
        let order: Vec<_> = columns.split(", ").take(*names).collect();
        let order = order.join(", ");
        let places: Vec<_> = (2..names + 2).map(|place| format!("${place}")).collect();
        let places = places.join(", ");
        let (mut digests, mut values, mut after) = (Vec::new(), args![&self.id], String::new());
        loop {
            let sql = format!(
                "SELECT {columns} FROM {table} WHERE tenant_id = $1 {after} ORDER BY {order} LIMIT {ROWS}"
            );
            let rows = reads.run(&sql, values).await?;
            let Some(last) = rows.last() else {
                return Ok(digests);
            };
            values = args![&self.id];
            values.extend_from_slice(&last.values()[..*names]);
            after = format!("AND ({order}) > ({places})");
            let read = rows.iter().map(SqlRow::values);
            digests.extend(read.map(|row| (kept.name(row), digest(row))));
        }
    }

    /// What of the tables is not as a log says.
    async fn differs(
        &self,
        reads: &mut dyn RowReader,
        log: &str,
        mut expected: RowDigests,
    ) -> Result<Option<String>> {
        for kept in KEPT.iter().filter(|kept| kept.log == log) {
            for (name, digest) in self.digests(reads, kept).await? {
                let what = match expected.0.remove(&name) {
                    Some(expected) if expected == digest => continue,
                    Some(_) => "was changed",
                    None => "was not written by the store",
                };
                return Ok(Some(format!("`{name}` {what}")));
            }
        }
        if let Some((name, _)) = expected.0.first_key_value() {
            return Ok(Some(format!("`{name}` is gone")));
        }
        let sql = "SELECT number, hash, mac FROM revision WHERE tenant_id = $1 ORDER BY number";
        let revisions: Vec<(u64, String, String)> = reads.all(sql, args![&self.id]).await?;
        for (number, hash, mac) in revisions {
            let seal = seal(&self.id, number, &hash);
            if let Err(what) = self.store.writer.keys.signed(&seal, &mac) {
                return Ok(Some(format!("the seal of `revision/{number}` {what}")));
            }
        }
        Ok(None)
    }
}
