//! Verifying: walking the chain of a log of a tenant.

use crate::chain::{Link, Verified, Walk};
use crate::engine::{Row, args};
use crate::error::StoreError;
use crate::store::Tenant;

/// How many rows are read at once.
const ROWS: u64 = 1000;

impl Tenant {
    /// The newest row of a chain, and the last one that was removed: the number and the hash of each.
    async fn ends(&self, log: &str) -> Result<[(u64, Vec<u8>); 2], StoreError> {
        let sql = "SELECT seq, hash, removed_seq, removed_hash FROM chain WHERE tenant_id = $1 AND log = $2";
        let rows = self.engine().fetch(sql, args![&self.id, log]).await?;
        let Some(row) = rows.first() else {
            return Ok(Default::default());
        };
        Ok([
            (row.number("seq")?, row.bytes("hash")?),
            (row.number("removed_seq")?, row.bytes("removed_hash")?),
        ])
    }

    /// Walks a chain of this tenant. `sql` reads the rows of a tenant after a number; `extra` says what else is wrong with a
    /// row.
    pub(crate) async fn verify_chain(
        &self,
        log: &str,
        sql: &str,
        link: impl Fn(&Row) -> Result<Link, StoreError>,
        mut extra: impl FnMut(&Row) -> Option<String>,
    ) -> Result<Verified, StoreError> {
        let [end, removed] = self.ends(log).await?;
        let mut walk = Walk::after(removed.0, removed.1);
        loop {
            let after = walk.next() - 1;
            if after > end.0 {
                // Retention has removed all rows that were there when the walk began.
                return Ok(walk.verified);
            }
            let rows = self
                .engine()
                .fetch(sql, args![&self.id, after, ROWS])
                .await?;
            let first = rows.first().map(|row| row.number("seq")).transpose()?;
            if first != Some(walk.next()) {
                // Retention may have removed rows meanwhile. Then the walk goes on after them.
                let [_, (seq, hash)] = self.ends(log).await?;
                if seq > after {
                    walk.jump(seq, hash);
                    continue;
                }
            }
            for row in &rows {
                let link = link(row)?;
                // Rows that came after the walk began are for the next one.
                if link.seq > end.0 {
                    walk.ends_at(end.0, &end.1);
                    return Ok(walk.verified);
                }
                if !walk.step(&link) {
                    return Ok(walk.verified);
                }
                if let Some(what) = extra(row) {
                    walk.breaks(link.seq, what);
                    return Ok(walk.verified);
                }
            }
            if rows.is_empty() {
                walk.ends_at(end.0, &end.1);
                return Ok(walk.verified);
            }
        }
    }
}
