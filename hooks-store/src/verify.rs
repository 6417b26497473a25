//! Verifying: walking the chain of a log of a tenant.

use crate::chain::{Ends, Link, Verified, Walk};
use crate::engine::{OfRow as _, Reads as _, ReadsAs as _, Row, args};
use crate::error::Result;
use crate::store::Tenant;

/// How many rows are read at once.
const ROWS: u64 = 1000;

impl Tenant {
    pub(crate) async fn ends(&self, log: &str) -> Result<Ends> {
        let sql = "SELECT seq, hash, removed_seq, removed_hash FROM chain WHERE tenant_id = $1 AND log = $2";
        let ends = self.engine().one(sql, args![&self.id, log]).await?;
        Ok(ends.unwrap_or_default())
    }

    /// Walks a chain of this tenant. `sql` reads so many rows of a tenant between two numbers; `check` finds what else is wrong
    /// with a row.
    pub(crate) async fn verify_chain(
        &self,
        log: &str,
        sql: &str,
        mut check: impl FnMut(&Row) -> Result<()>,
    ) -> Result<Verified> {
        // Rows that come after the walk begins are for the next one.
        let end = self.ends(log).await?;
        let mut walk = Walk::after(end.removed_seq, end.removed_hash, Verified::default());
        // If retention removes all rows that were there when the walk began, it is at its end.
        while walk.next <= end.seq + 1 {
            let after = walk.next - 1;
            let values = args![&self.id, after, end.seq, ROWS];
            let rows = self.engine().run(sql, values).await?;
            let first = rows.first().map(|row| row.get("seq")).transpose()?;
            if first != Some(walk.next) {
                // Retention may have removed rows meanwhile. Then the walk goes on after them.
                let now = self.ends(log).await?;
                if now.removed_seq > after {
                    walk = Walk::after(now.removed_seq, now.removed_hash, walk.verified);
                    continue;
                }
            }
            for row in &rows {
                let link = Link::of_row(row)?;
                if walk.step(&link)
                    && let Err(error) = check(row)
                {
                    walk.breaks(link.seq, error.to_string());
                }
                if walk.verified.broken.is_some() {
                    return Ok(walk.verified);
                }
            }
            if rows.is_empty() {
                walk.ends_at(end.seq, &end.hash);
                break;
            }
        }
        Ok(walk.verified)
    }
}
