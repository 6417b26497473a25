//! Verifying: walking the chain of a log of a tenant.

use std::collections::BTreeMap;

use crate::chain::{Chain, ENDS, Ends, Link, Verified, Walk, table};
use crate::engine::{OfRow as _, ReadsAs as _, RowReader, SqlRow, args};
use crate::error::Result;
use crate::store::Tenant;

/// How many rows are read at once.
const ROWS: u64 = 1000;

/// The hashes that rows of a chain must have, because they were kept elsewhere.
pub(crate) type Anchors = BTreeMap<u64, String>;

impl Tenant {
    pub(crate) fn chain<'a>(&'a self, log: &'a str) -> Chain<'a> {
        Chain {
            keys: &self.store.writer.keys,
            tenant: &self.id,
            log,
        }
    }

    pub(crate) async fn ends(&self, reads: &mut dyn RowReader, log: &str) -> Result<Option<Ends>> {
        let sql = format!("SELECT {ENDS} FROM chain WHERE tenant_id = $1 AND log = $2");
        reads.one(&sql, args![&self.id, log]).await
    }

    /// Walks a chain of this tenant, in a snapshot. `columns` are those that `check` needs, which finds what else is wrong with
    /// a row.
    pub(crate) async fn walk(
        &self,
        reads: &mut dyn RowReader,
        log: &str,
        columns: &str,
        anchors: Option<&Anchors>,
        check: &mut (dyn FnMut(&SqlRow) -> Result<()> + Send),
    ) -> Result<Verified> {
        let sql = format!(
            "SELECT seq, {columns} FROM {} WHERE tenant_id = $1 AND seq > $2 ORDER BY seq LIMIT {ROWS}",
            table(log)
        );
        let found = self.ends(reads, log).await?;
        let ends = found.as_ref().map_or_else(Ends::default, Ends::clone);
        let mut walk = Walk::after(ends.removed_seq, ends.removed_hash.clone());
        let mut after = i64::MIN;
        while walk.verified.broken.is_none() {
            let rows = reads.run(&sql, args![&self.id, after]).await?;
            for row in &rows {
                let link = Link::of_row(row)?;
                let anchor = anchors.and_then(|anchors| anchors.get(&link.seq));
                if !walk.step(&link) {
                    break;
                } else if found.is_none() {
                    walk.breaks(link.seq, "the end of its chain is missing");
                } else if link.seq > ends.seq {
                    walk.breaks(link.seq, "the row is behind the end of the chain");
                } else if anchor.is_some_and(|hash| *hash != hex::encode(&link.hash)) {
                    walk.breaks(link.seq, "the hash is not the one that was kept elsewhere");
                } else if let Err(error) = check(row) {
                    walk.breaks(link.seq, error.to_string());
                } else {
                    continue;
                }
                break;
            }
            match rows.last() {
                Some(row) => after = row.get("seq")?,
                None => break,
            }
        }
        self.judge_ends(reads, &mut walk, log, found, anchors)
            .await?;
        Ok(walk.verified)
    }

    /// Compares the end of a walk with the end that is written down, and with what was kept elsewhere.
    async fn judge_ends(
        &self,
        reads: &mut dyn RowReader,
        walk: &mut Walk,
        log: &str,
        ends: Option<Ends>,
        anchors: Option<&Anchors>,
    ) -> Result<()> {
        let newest = anchors.and_then(|anchors| anchors.last_key_value());
        let Some(ends) = ends else {
            let sql = "SELECT COUNT(*) AS ends FROM chain WHERE tenant_id = $1";
            let others: Option<u64> = reads.one(sql, args![&self.id]).await?;
            if others != Some(0) || newest.is_some() {
                walk.breaks(0, "the end of the chain is missing");
            }
            return Ok(());
        };
        if walk.next != ends.seq + 1 || walk.before != ends.hash {
            let what = format!("the chain should end with row {}, and does not", ends.seq);
            walk.breaks(walk.next, what);
        }
        match self.chain(log).signed(&ends) {
            Ok(true) => walk.verified.is_signed = !ends.mac.is_empty(),
            Ok(false) => {
                walk.verified.unsure =
                    Some("the key that has signed its end is not there".to_owned());
            }
            Err(what) => drop(walk.breaks(0, format!("the end of the chain {what}"))),
        }
        walk.verified.unsigned = ends.unsigned;
        match newest {
            Some((seq, _)) if *seq > ends.seq => {
                walk.breaks(
                    *seq,
                    "the row was kept elsewhere, and is not there any more",
                );
            }
            Some((seq, hash))
                if *seq == ends.removed_seq && *hash != hex::encode(&ends.removed_hash) =>
            {
                walk.breaks(*seq, "the hash is not the one that was kept elsewhere");
            }
            // Without a key, anybody can write that retention has removed rows.
            Some((seq, _)) if *seq < ends.removed_seq && !walk.verified.is_signed => {
                let what =
                    format!("retention has removed row {seq}, the newest that was kept elsewhere");
                walk.verified.unsure = Some(what);
            }
            _ => {}
        }
        Ok(())
    }
}
