//! Heads: the newest row of each chain, as a line that is kept elsewhere. Who can write all tables can put back an older state
//! of all of them, or without a key any other. Then a head that was kept is not in the past of the store.

use std::collections::BTreeMap;
use std::io::BufRead;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::chain::{Chain, ENDS, Ends};
use crate::engine::{OfRow as _, RowReader as _, args};
use crate::error::{Result, StoreError};
use crate::store::Store;
use crate::text::canonical;
use crate::verify::Anchors;

/// By tenant and log: a number, and the hash of the row that has it.
type HeadsByLog = BTreeMap<String, BTreeMap<String, (u64, String)>>;

#[derive(Serialize, Deserialize)]
struct HeadLine {
    at: Timestamp,
    heads: HeadsByLog,
    /// The signature of the line without it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    mac: String,
}

/// Says the heads of a store, line by line.
///
/// ```
/// use hooks_runtime::Record;
/// use hooks_store::{Heads, Store};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
/// let store = Store::open("sqlite::memory:").await?;
/// let (acme, mut heads) = (store.tenant("acme"), Heads::default());
/// acme.insert(vec![Record::new("a", "BeforeToolCall")]).await?;
/// let line = heads.next(&store).await?.unwrap();
/// assert_eq!(heads.next(&store).await?, None);
///
/// let anchored = store.anchored(line.as_bytes())?;
/// assert!(store.audit(&anchored).await?.iter().all(|one| one.verified.broken.is_none()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Heads(HeadsByLog);

impl Heads {
    /// Returns a line with the heads that are others than in the line before; the first line has all. Nothing if none is.
    ///
    /// The line is one of JSON: `{"at": …, "heads": {"acme": {"execution": [31, "HASH"]}}, "mac": …}`, signed by the key of the
    /// store, if there is one.
    ///
    /// # Errors
    ///
    /// If the end of a chain is not as the store has left it, or the database fails.
    pub async fn next(&mut self, store: &Store) -> Result<Option<String>> {
        let keys = &store.0.writer.keys;
        let sql = format!("SELECT tenant_id, log, {ENDS} FROM chain ORDER BY tenant_id, log");
        let mut new = HeadsByLog::new();
        for row in store.0.engine().run(&sql, args![]).await? {
            let (tenant, log): (String, String) = (row.get("tenant_id")?, row.get("log")?);
            let ends = Ends::of_row(&row)?;
            let chain = Chain {
                keys,
                tenant: &tenant,
                log: &log,
            };
            chain.expect(&ends)?;
            let head = (ends.seq, hex::encode(ends.hash));
            let said = self.0.entry(tenant.clone()).or_default();
            if ends.seq > 0 && said.insert(log.clone(), head.clone()).as_ref() != Some(&head) {
                new.entry(tenant).or_default().insert(log, head);
            }
        }
        if new.is_empty() {
            return Ok(None);
        }
        let mut line = HeadLine {
            at: store.0.now(),
            heads: new,
            mac: String::new(),
        };
        line.mac = keys.sign(canonical(&line).as_bytes());
        Ok(Some(canonical(&line)))
    }
}

/// Heads that were kept elsewhere, which must be in the past of a store: [`Store::anchored`] reads them.
#[derive(Clone, Debug, Default)]
pub struct Anchored {
    heads: BTreeMap<String, BTreeMap<String, Anchors>>,
    unread: u64,
}

impl Anchored {
    /// Returns how many lines were signed with a key that is not there. Anybody can have written them.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.unread
    }

    pub(crate) fn tenants(&self) -> impl Iterator<Item = &String> {
        self.heads.keys()
    }

    pub(crate) fn of(&self, tenant: &str, log: &str) -> Option<&Anchors> {
        self.heads.get(tenant)?.get(log)
    }
}

impl Store {
    /// Reads lines of [`Heads`], also with something before them, as in a log. Lines without heads are left out.
    ///
    /// # Errors
    ///
    /// If no line has heads, one was not signed by this store, or they cannot be read.
    pub fn anchored(&self, lines: impl BufRead) -> Result<Anchored> {
        let wrong = |number: usize, what: &str| {
            StoreError::Inconsistent(format!("line {number} of the heads {what}"))
        };
        let mut anchored = Anchored::default();
        for (number, text) in (1..).zip(lines.lines()) {
            let text = text.map_err(|error| wrong(number, &error.to_string()))?;
            let json = text.find('{').map_or("", |begin| &text[begin..]);
            let Ok(mut line) = serde_json::from_str::<HeadLine>(json) else {
                continue;
            };
            let mac = std::mem::take(&mut line.mac);
            let signed = self.0.writer.keys.signed(canonical(&line).as_bytes(), &mac);
            let is_read = signed.map_err(|what| wrong(number, what))?;
            anchored.unread += u64::from(!is_read);
            for (tenant, logs) in line.heads {
                let known = anchored.heads.entry(tenant).or_default();
                for (log, (seq, hash)) in logs {
                    let anchors = known.entry(log).or_default();
                    if anchors
                        .insert(seq, hash.clone())
                        .is_some_and(|old| old != hash)
                    {
                        return Err(wrong(number, "names another hash than a line before"));
                    }
                }
            }
        }
        if anchored.heads.is_empty() {
            return Err(StoreError::NotFound("line with heads".to_owned()));
        }
        Ok(anchored)
    }
}
