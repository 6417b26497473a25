//! Chains of hashes: each row has the hash of the row before in its own, so that a changed, removed or moved row shows.
//!
//! The end of a chain is a row of the table `chain`. Who appends locks it first, so several processes share one chain. A row
//! that retention removes leaves its number and its hash there, and the chain begins after it.
//!
//! Anybody can compute hashes. So the end is signed by a key of the store, if there is one, and only the store can move it. What
//! this does not give: who can write all tables can put back all of them as they were. Keep the newest hashes elsewhere.

use serde::Serialize;

use crate::crypt::Keys;
use crate::engine::{OfRow, ReadsAs as _, RowReader, SqlRow, args, of_row};
use crate::error::{Result, StoreError};
use crate::kept::RowDigests;
use crate::text::{canonical, framed, sha256};

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
        let seq = self.seq.to_be_bytes();
        sha256(&framed(&[
            before,
            &seq,
            self.body.as_bytes(),
            &self.detail_hash,
        ]))
    }
}

impl OfRow for Link {
    fn of_row(row: &SqlRow) -> Result<Self> {
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
    #[derive(Clone, Default)]
    pub(crate) struct Ends {
        pub(crate) seq: u64,
        pub(crate) hash: Vec<u8>,
        pub(crate) removed_seq: u64,
        pub(crate) removed_hash: Vec<u8>,
        /// The last row that was written before the store had a key.
        pub(crate) unsigned: u64,
        pub(crate) mac: String,
    }
}

/// The columns of [`Ends`].
pub(crate) const ENDS: &str = "seq, hash, removed_seq, removed_hash, unsigned, mac";

/// The chains of a tenant, by the names of their logs. It has all of them, or none.
pub(crate) const LOGS: [&str; 3] = ["admin", "budget", "execution"];

/// The table with the rows of a chain.
pub(crate) fn table(log: &str) -> &'static str {
    match log {
        "admin" => "admin_log",
        "budget" => "budget_log",
        _ => "execution",
    }
}

/// A chain of a tenant.
#[derive(Clone, Copy)]
pub(crate) struct Chain<'a> {
    pub(crate) keys: &'a Keys,
    pub(crate) tenant: &'a str,
    pub(crate) log: &'a str,
}

/// An entry of a log, and what the rows hold that were written with it.
#[derive(Serialize)]
struct ChainLink<'a, T> {
    #[serde(flatten)]
    entry: &'a T,
    #[serde(skip_serializing_if = "RowDigests::is_empty")]
    rows: &'a RowDigests,
}

impl Chain<'_> {
    /// Locks the ends, which must be as the store has left them: what is written after others would hide that they are not.
    pub(crate) async fn lock(&self, transaction: &mut dyn RowReader) -> Result<Ends> {
        let ends = self.locked(transaction).await?;
        self.expect(&ends)?;
        Ok(ends)
    }

    /// Locks the ends, whatever they are. A new tenant gets those of all its chains.
    pub(crate) async fn locked(&self, transaction: &mut dyn RowReader) -> Result<Ends> {
        let sql = format!(
            "UPDATE chain SET seq = seq WHERE tenant_id = $1 AND log = $2 RETURNING {ENDS}"
        );
        for _ in 0..2 {
            let ends = transaction.one(&sql, args![self.tenant, self.log]).await?;
            if let Some(ends) = ends {
                return Ok(ends);
            }
            // Another process may have made them meanwhile. If there are some but not all, the others have been
            // removed.
            if (1..LOGS.len()).contains(&self.begin(transaction).await?) {
                break;
            }
        }
        Err(self.broken("is missing"))
    }

    /// Makes the ends that are missing. Returns how many they were.
    pub(crate) async fn begin(&self, transaction: &mut dyn RowReader) -> Result<usize> {
        let sql = "INSERT INTO chain (tenant_id, log, seq, hash, removed_seq, removed_hash, mac) \
                   VALUES ($1, $2, 0, $8, 0, $8, $3), ($1, $4, 0, $8, 0, $8, $5), ($1, $6, 0, $8, 0, $8, $7) \
                   ON CONFLICT (tenant_id, log) DO NOTHING RETURNING log";
        let mut values = args![self.tenant];
        for log in LOGS {
            let mac = Chain { log, ..*self }.sign(&Ends::default());
            values.extend(args![log, mac]);
        }
        values.extend(args![Vec::new()]);
        Ok(transaction.run(sql, values).await?.len())
    }

    /// Moves the ends, which are locked.
    pub(crate) async fn set(&self, transaction: &mut dyn RowReader, ends: Ends) -> Result<()> {
        let sql = "UPDATE chain SET seq = $3, hash = $4, removed_seq = $5, removed_hash = $6, unsigned = $7, mac = $8 \
                   WHERE tenant_id = $1 AND log = $2";
        let (tenant, log, mac) = (self.tenant, self.log, self.sign(&ends));
        let values = args![
            tenant,
            log,
            ends.seq,
            ends.hash,
            ends.removed_seq,
            ends.removed_hash,
            ends.unsigned,
            mac
        ];
        transaction.run(sql, values).await.map(drop)
    }

    /// Numbers these rows, and computes their hashes.
    pub(crate) async fn append(
        &self,
        transaction: &mut dyn RowReader,
        links: impl IntoIterator<Item = &mut Link, IntoIter: Send> + Send,
    ) -> Result<()> {
        let mut ends = self.lock(transaction).await?;
        for link in links {
            ends.seq += 1;
            link.seq = ends.seq;
            link.hash = link.hash_after(&ends.hash);
            ends.hash.clone_from(&link.hash);
        }
        self.set(transaction, ends).await
    }

    /// Writes an entry of a log that has nothing else.
    pub(crate) async fn enter(
        &self,
        transaction: &mut dyn RowReader,
        entry: &(impl Serialize + Sync),
        rows: &RowDigests,
    ) -> Result<()> {
        let mut link = Link {
            body: canonical(&ChainLink { entry, rows }),
            ..Link::default()
        };
        self.append(transaction, [&mut link]).await?;
        let table = table(self.log);
        let sql =
            format!("INSERT INTO {table} (tenant_id, seq, body, hash) VALUES ($1, $2, $3, $4)");
        let values = args![self.tenant, link.seq, link.body, link.hash];
        transaction.run(&sql, values).await.map(drop)
    }

    fn sign(&self, ends: &Ends) -> String {
        self.keys.sign(&self.text(ends))
    }

    /// Checks the signature of the ends. Returns whether its key is there.
    pub(crate) fn signed(&self, ends: &Ends) -> Result<bool, &'static str> {
        self.keys.signed(&self.text(ends), &ends.mac)
    }

    /// Expects that the ends are as the store has left them.
    pub(crate) fn expect(&self, ends: &Ends) -> Result<()> {
        match self.signed(ends) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.broken("was signed with a key that is not there")),
            Err(what) => Err(self.broken(what)),
        }
    }

    fn text(&self, ends: &Ends) -> Vec<u8> {
        let numbers = [ends.seq, ends.removed_seq, ends.unsigned].map(u64::to_be_bytes);
        framed(&[
            b"end",
            self.tenant.as_bytes(),
            self.log.as_bytes(),
            &numbers.concat(),
            &ends.hash,
            &ends.removed_hash,
        ])
    }

    fn broken(&self, what: &str) -> StoreError {
        let Chain { tenant, log, .. } = self;
        StoreError::Inconsistent(format!(
            "the end of the chain `{log}` of the tenant {tenant:?} {what}: `hooks verify` says more"
        ))
    }
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
    /// Whether a key of the store has signed the end. Otherwise the chain proves something only together with a
    /// [head](crate::Heads) that was kept elsewhere.
    pub is_signed: bool,
    /// The last row that was written before the store had a key; 0 if there is none.
    pub unsigned: u64,
    /// What could not be checked.
    pub unsure: Option<String>,
    /// The first row that does not hold.
    pub broken: Option<Broken>,
}

/// What does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The number of the row in the chain; 0 if it is about something else.
    pub seq: u64,
    /// What is wrong.
    pub what: String,
}

/// Walks a chain.
pub(crate) struct Walk {
    pub(crate) before: Vec<u8>,
    pub(crate) next: u64,
    pub(crate) verified: Verified,
}

impl Walk {
    /// Begins after a row.
    pub(crate) fn after(seq: u64, hash: Vec<u8>) -> Self {
        Walk {
            before: hash,
            next: seq + 1,
            verified: Verified::default(),
        }
    }

    /// Takes the next row. Returns whether it holds.
    pub(crate) fn step(&mut self, link: &Link) -> bool {
        if link.seq < self.next {
            let what = format!(
                "the row is there, and the chain begins with row {}",
                self.next
            );
            return self.breaks(link.seq, what);
        }
        if link.seq != self.next {
            let what = format!("the row is missing: row {} follows", link.seq);
            return self.breaks(self.next, what);
        }
        if link.hash != link.hash_after(&self.before) {
            let what = "the hash is not that of the row's content and the row before";
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

    /// Writes down what does not hold, unless something before it did not.
    pub(crate) fn breaks(&mut self, seq: u64, what: impl Into<String>) -> bool {
        let what = what.into();
        self.verified.broken.get_or_insert(Broken { seq, what });
        false
    }
}
