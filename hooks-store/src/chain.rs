//! Chains of hashes: each row has the hash of the row before in its own, so that a changed, removed or moved row shows.
//!
//! The end of a chain is a row of the table `chain`. Who appends locks it first, so several processes share one chain. A row
//! that retention removes leaves its number and its hash there, and the chain begins after it.
//!
//! What this does not give: who can write all tables can compute all hashes anew. Keep the newest hash elsewhere.

use ring::digest::{Context, SHA256};
use serde::Serialize;

use crate::engine::{OfRow, ReadsAs as _, Row, Transaction, args, of_row};
use crate::error::Result;

/// What is in a chain: a row of a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link {
    pub(crate) seq: u64,
    pub(crate) body: String,
    /// The hash of what only who may can read; empty if there is nothing.
    pub(crate) detail_hash: Vec<u8>,
    pub(crate) hash: Vec<u8>,
}

impl Link {
    /// The hash after the row `before`: of lengths and values, so that nothing can move from one value to the next.
    fn hash_after(&self, before: &[u8]) -> Vec<u8> {
        let mut hash = Context::new(&SHA256);
        let seq = self.seq.to_be_bytes();
        for part in [before, &seq, self.body.as_bytes(), &self.detail_hash] {
            hash.update(&(part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        hash.finish().as_ref().to_vec()
    }
}

impl OfRow for Link {
    fn of_row(row: &Row) -> Result<Self> {
        Ok(Link {
            seq: row.get("seq")?,
            body: row.get("body")?,
            // A log without details has no such column.
            detail_hash: row.get("detail_hash").unwrap_or_default(),
            hash: row.get("hash")?,
        })
    }
}

of_row! {
    /// The ends of a chain: the newest row, and the last one that was removed.
    #[derive(Default)]
    pub(crate) struct Ends {
        pub(crate) seq: u64,
        pub(crate) hash: Vec<u8>,
        pub(crate) removed_seq: u64,
        pub(crate) removed_hash: Vec<u8>,
    }
}

/// Numbers these rows, and computes their hashes.
pub(crate) async fn append(
    transaction: &mut dyn Transaction,
    tenant: &str,
    log: &str,
    links: impl IntoIterator<Item = &mut Link, IntoIter: Send> + Send,
) -> Result<()> {
    let Ends {
        mut seq, mut hash, ..
    } = lock(transaction, tenant, log).await?;
    for link in links {
        seq += 1;
        link.seq = seq;
        link.hash = link.hash_after(&hash);
        hash.clone_from(&link.hash);
    }
    let sql = "UPDATE chain SET seq = $3, hash = $4 WHERE tenant_id = $1 AND log = $2";
    transaction.run(sql, args![tenant, log, seq, hash]).await?;
    Ok(())
}

/// Locks the end of a chain.
pub(crate) async fn lock(
    transaction: &mut dyn Transaction,
    tenant: &str,
    log: &str,
) -> Result<Ends> {
    let sql = "INSERT INTO chain (tenant_id, log, seq, hash, removed_seq, removed_hash) \
               VALUES ($1, $2, 0, $3, 0, $3) ON CONFLICT (tenant_id, log) DO UPDATE SET seq = chain.seq \
               RETURNING seq, hash, removed_seq, removed_hash";
    let locked = transaction.one(sql, args![tenant, log, Vec::new()]);
    Ok(locked.await?.unwrap_or_default())
}

/// What a chain was found to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// How many rows hold.
    pub rows: u64,
    /// The first row; 0 if there is none.
    pub first: u64,
    /// The last row that holds; 0 if there is none.
    pub last: u64,
    /// How many rows have a detail that could not be decrypted, because its key is not there.
    pub unread: u64,
    /// The first row that does not hold.
    pub broken: Option<Broken>,
}

/// A row that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The number of the row.
    pub seq: u64,
    /// What is wrong.
    pub what: String,
}

/// Walks a chain.
pub(crate) struct Walk {
    before: Vec<u8>,
    pub(crate) next: u64,
    pub(crate) verified: Verified,
}

impl Walk {
    /// Begins after a row, or goes on there.
    pub(crate) fn after(seq: u64, hash: Vec<u8>, verified: Verified) -> Self {
        Walk {
            before: hash,
            next: seq + 1,
            verified,
        }
    }

    /// Takes the next row. Returns whether it holds.
    pub(crate) fn step(&mut self, link: &Link) -> bool {
        if link.seq != self.next {
            let what = format!("it is missing: row {} follows", link.seq);
            return self.breaks(self.next, what);
        }
        if link.hash != link.hash_after(&self.before) {
            let what = "its hash is not that of its content and the row before".to_owned();
            return self.breaks(link.seq, what);
        }
        self.before.clone_from(&link.hash);
        self.next += 1;
        let verified = &mut self.verified;
        verified.rows += 1;
        verified.last = link.seq;
        if verified.first == 0 {
            verified.first = link.seq;
        }
        true
    }

    pub(crate) fn breaks(&mut self, seq: u64, what: String) -> bool {
        self.verified.broken = Some(Broken { seq, what });
        false
    }

    /// Compares the end of the walk with the end that is written down.
    pub(crate) fn ends_at(&mut self, seq: u64, hash: &[u8]) {
        if self.verified.broken.is_none() && (self.next != seq + 1 || self.before != hash) {
            let what = format!("the chain should end with row {seq}, and does not");
            self.breaks(self.next, what);
        }
    }
}
