//! The admin log: who has changed what, from where and why. A write and its entry are one transaction, and each tenant's
//! entries are a [chain](crate::chain) of hashes, as its executions are. An entry has the digests of the rows that were written
//! with it, so the log says [what the tables hold](crate::kept).

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::engine::{
    JsonColumn, OfRow, ReadsAs as _, RowReader, SqlRow, SqlValue, Transaction, args,
};
use crate::error::{Result, StoreError};
use crate::kept::{LoggedTable, RowDigests};
use crate::news::{Change, topics};
use crate::page::Page;
use crate::store::Tenant;

/// Who writes, from where and why.
///
/// ```
/// let by = hooks_store::By::new("ada").from("10.0.0.7").comment("stops force pushes");
/// assert_eq!((by.actor, by.comment), ("ada".into(), "stops force pushes".into()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct By {
    /// The person or the program.
    pub actor: String,
    /// The id of the token that they have shown; empty if there was none.
    pub token: String,
    /// Where the request came from, such as an address.
    pub from: String,
    /// Why. A revision has it as its comment.
    pub comment: String,
    /// The TOML in which they have written the hook that they save: its comments stay. A version without a text has that of
    /// the one before.
    pub text: String,
    /// The [`sha256`](hooks_runtime::Bundle::sha256) of the draft that they have read: a write of the whole draft, or its
    /// publication, is refused if it is another one by now.
    pub draft: Option<String>,
}

impl By {
    /// Names who writes.
    #[must_use]
    pub fn new(actor: impl Into<String>) -> Self {
        By {
            actor: actor.into(),
            ..By::default()
        }
    }

    /// Says where the request came from.
    #[must_use]
    pub fn from(mut self, from: impl Into<String>) -> Self {
        self.from = from.into();
        self
    }

    /// Says with which token, by its id.
    #[must_use]
    pub fn token(mut self, id: impl Into<String>) -> Self {
        self.token = id.into();
        self
    }

    /// Says why.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = comment.into();
        self
    }

    /// Says in which TOML the hook that they save is written.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = text.into();
        self
    }

    /// Says which draft they have read, by its [`sha256`](hooks_runtime::Bundle::sha256).
    #[must_use]
    pub fn after(mut self, draft: impl Into<String>) -> Self {
        self.draft = Some(draft.into());
        self
    }
}

/// What a person has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdminEntry {
    /// The place in the tenant's log, from 1.
    #[serde(default)]
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// With which token, by its id; empty if it was done without one, or by an earlier version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
    /// From where.
    pub from: String,
    /// What was done, such as `hook.update`.
    pub action: String,
    /// With what: its id or name.
    pub entity: String,
    /// The hash before; empty if there was nothing.
    pub before: String,
    /// The hash afterwards; empty if there is nothing any more.
    pub after: String,
    /// Why.
    pub comment: String,
}

impl OfRow for AdminEntry {
    fn of_row(row: &SqlRow) -> Result<Self> {
        let JsonColumn(entry) = row.get("body")?;
        let seq = row.get("seq")?;
        Ok(AdminEntry { seq, ..entry })
    }
}

/// The name of the log among the chains.
pub(crate) const LOG: &str = "admin";

/// A write of a person: one transaction, which other such writes wait for.
///
/// Its first statement counts the change. That is what keeps others out. Its last one says whom it concerns.
pub(crate) struct Write<'a> {
    tenant: &'a Tenant,
    pub(crate) by: &'a By,
    transaction: Box<dyn Transaction>,
    pub(crate) at: Timestamp,
    /// The number of the write, which is higher than that of each before.
    pub(crate) change: u64,
    /// What it changes. None if it only writes down what a person has read.
    topics: Option<u64>,
    /// What the rows hold that were written since the last entry.
    pub(crate) rows: RowDigests,
    /// How many bytes it adds to what is never removed.
    pub(crate) keeps: u64,
}

/// How often a write that is checked first begins again because of others, before it keeps them out.
const TRIES: u32 = 3;

/// What a writer reads, and checks, before the write.
///
/// It reads without a lock, so that others go on meanwhile. If they have written, what was read is old, and the next look
/// follows. So that it ends, the last one locks first, and reads within its transaction.
pub(crate) struct Look<'a> {
    tenant: &'a Tenant,
    by: &'a By,
    /// The newest change when it began.
    seen: u64,
    locked: Option<Write<'a>>,
}

impl<'a> Look<'a> {
    /// Begins to write. Returns nothing if anybody else has written since it began to read.
    pub(crate) async fn write(self) -> Result<Option<Write<'a>>> {
        if self.locked.is_some() {
            return Ok(self.locked);
        }
        let write = self.tenant.write(self.by).await?;
        Ok((write.change == self.seen + 1).then_some(write))
    }
}

#[async_trait]
impl RowReader for Look<'_> {
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        match &mut self.locked {
            Some(write) => write.run(sql, args).await,
            None => self.tenant.engine().fetch(sql, args).await,
        }
    }
}

#[async_trait]
impl RowReader for Write<'_> {
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.transaction.run(sql, args).await
    }
}

impl Tenant {
    /// Begins the next of the looks before a write, of which there were `tries`.
    pub(crate) async fn look<'a>(&'a self, by: &'a By, tries: &mut u32) -> Result<Look<'a>> {
        *tries += 1;
        let mut look = Look {
            tenant: self,
            by,
            seen: self.store.newest_change().await?,
            locked: None,
        };
        if *tries > TRIES {
            look.locked = Some(self.write(by).await?);
        }
        Ok(look)
    }

    pub(crate) async fn write<'a>(&'a self, by: &'a By) -> Result<Write<'a>> {
        self.begin(by, Some(0)).await
    }

    /// Writes down what a person has read. This does not change the store, so no process reads anything again because
    /// of it.
    pub(crate) async fn log_read(&self, by: &By, action: &str, entity: &str) -> Result<()> {
        let write = self.begin(by, None).await?;
        write.end(action, entity, "", "").await
    }

    pub(crate) async fn begin<'a>(&'a self, by: &'a By, topics: Option<u64>) -> Result<Write<'a>> {
        if let Some(why) = &self.store.wrong_key {
            return Err(StoreError::Key(why.clone()));
        }
        let mut transaction = self.engine().begin().await?;
        let changes = u64::from(topics.is_some());
        let change = transaction
            .one(self.engine().count(), args![changes])
            .await?;
        Ok(Write {
            tenant: self,
            by,
            transaction,
            at: self.store.now(),
            change: change.unwrap_or_default(),
            topics,
            rows: RowDigests::default(),
            keeps: 0,
        })
    }

    /// Returns a page of the admin log, newest first, before the entry `cursor`.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn admin_log(&self, cursor: Option<u64>, limit: u32) -> Result<Page<AdminEntry>> {
        let sql = "SELECT seq, body FROM admin_log WHERE tenant_id = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3";
        self.page(sql, args![&self.id], cursor, limit, |entry: &AdminEntry| {
            entry.seq
        })
        .await
    }

    /// Writes once that the store itself has refused a hook.
    pub(crate) async fn log_refused(&self, hook: &str, hash: &str, why: &str) -> Result<()> {
        const ACTION: &str = "hook.refused";
        let by = By::new("the store").comment(why);
        let mut write = self.write(&by).await?;
        let sql = "SELECT seq, body FROM admin_log WHERE tenant_id = $1 ORDER BY seq DESC";
        let mut log = write.all(sql, args![&self.id]).await?.into_iter();
        let known =
            |old: AdminEntry| old.action == ACTION && old.entity == hook && old.before == hash;
        if log.any(known) {
            return Ok(());
        }
        write.end(ACTION, hook, hash, "").await
    }
}

impl Write<'_> {
    /// Inserts a row of a table for which the log vouches: its columns after the tenant. The next entry says what it holds.
    pub(crate) async fn put(&mut self, table: &str, row: Vec<SqlValue>) -> Result<()> {
        self.rows.note(table, &row);
        let values = args![&self.tenant.id].into_iter().chain(row).collect();
        self.run(&LoggedTable::insert(table), values)
            .await
            .map(drop)
    }

    /// Appends an entry to the admin log.
    pub(crate) async fn log(
        &mut self,
        action: &str,
        entity: &str,
        before: &str,
        after: &str,
    ) -> Result<()> {
        self.topics = self.topics.map(|known| known | topics::of(action));
        let entry = (action, entity);
        self.log_of(self.tenant, LOG, entry, [before, after]).await
    }

    /// Appends an entry to a log of a tenant.
    pub(crate) async fn log_of(
        &mut self,
        tenant: &Tenant,
        log: &str,
        (action, entity): (&str, &str),
        [before, after]: [&str; 2],
    ) -> Result<()> {
        let entry = AdminEntry {
            seq: 0,
            at: self.at,
            actor: self.by.actor.clone(),
            token: self.by.token.clone(),
            from: self.by.from.clone(),
            action: action.to_owned(),
            entity: entity.to_owned(),
            before: before.to_owned(),
            after: after.to_owned(),
            comment: self.by.comment.clone(),
        };
        let rows = std::mem::take(&mut self.rows);
        let chain = tenant.chain(log);
        chain.enter(&mut *self.transaction, &entry, &rows).await
    }

    /// Appends an entry to the admin log, and commits.
    pub(crate) async fn end(
        mut self,
        action: &str,
        entity: &str,
        before: &str,
        after: &str,
    ) -> Result<()> {
        self.log(action, entity, before, after).await?;
        self.commit().await
    }

    /// Makes the write durable, and tells whom it concerns.
    ///
    /// # Errors
    ///
    /// If the tenant keeps more than it may, or the database fails. Then nothing is written.
    pub(crate) async fn commit(mut self) -> Result<()> {
        let Some(topics) = self.topics else {
            return self.transaction.commit().await;
        };
        let (number, tenant_id) = (self.change, self.tenant.id.clone());
        let sql = "INSERT INTO change (number, tenant_id, topics) VALUES ($1, $2, $3)";
        let values = args![number, &tenant_id, topics];
        self.transaction.run(sql, values).await?;
        if self.keeps > 0 {
            let sql = "INSERT INTO kept_bytes (tenant_id, bytes) VALUES ($1, $2) \
                       ON CONFLICT (tenant_id) DO UPDATE SET bytes = kept_bytes.bytes + $2 RETURNING bytes";
            let kept: Option<u64> = self.one(sql, args![&tenant_id, self.keeps]).await?;
            let (kept, most) = (kept.unwrap_or_default(), self.tenant.store.quota.bytes);
            if kept > most {
                let message = format!(
                    "the versions of hooks and the revisions would take {kept} bytes, and the limit is {most}"
                );
                let help = "ask the operator of the daemon for more: `hooks serve --most-bytes`";
                return Err(StoreError::invalid("", message, help));
            }
        }
        self.transaction.commit().await?;
        self.tenant.store.ledger.tell(&Change {
            number,
            tenant_id,
            topics,
        });
        Ok(())
    }
}
