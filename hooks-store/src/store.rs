//! The store and its tenants: the handles that everything goes through.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use hooks_runtime::RuntimeBuilder;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::AbortHandle;
use uuid::{NoContext, Timestamp as IdTime, Uuid};

use crate::capability::Capabilities;
use crate::engine::{Engine, Glance, OfRow, ReadsAs as _, RowReader, SqlRow, SqlValue, args};
use crate::error::Result;
use crate::health::Health;
use crate::news::{Change, Followed, Ledger, News, newest};
use crate::page::{Page, before, rows_for};
use crate::recorder::{StoreRecorder, Writer};
use crate::retention::{Quota, Retention};

/// Says what time it is.
pub(crate) type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Completes a runtime as the deployment does.
pub(crate) type Complete = Arc<dyn Fn(RuntimeBuilder) -> RuntimeBuilder + Send + Sync>;

/// Hooks, their revisions, and what they did, in a database. A clone is the same store.
///
/// ```
/// use hooks_store::{By, Store};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
/// let store = Store::open("sqlite::memory:").await?;
/// let (acme, by) = (store.tenant("acme"), By::new("ada").comment("no deploys on a Friday"));
/// let hook = json!({ "name": "no-deploy", "event": "BeforeToolCall", "tools": ["deploy"], "block": "not today" });
/// acme.create(&hook, &by).await?;
/// assert!(acme.bundle().await?.hooks.is_empty());
/// acme.publish(&by).await?;
/// assert_eq!(acme.bundle().await?.hooks[0]["name"], "no-deploy");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Store(pub(crate) Arc<StoreParts>);

pub(crate) struct StoreParts {
    pub(crate) writer: Writer,
    pub(crate) clock: Clock,
    pub(crate) capabilities: Capabilities,
    pub(crate) retention: Retention,
    pub(crate) quota: Quota,
    pub(crate) complete: Complete,
    /// Whether it was made when it was opened.
    pub(crate) is_new: bool,
    /// Why this process may not write: its key is not that of the store.
    pub(crate) wrong_key: Option<String>,
    pub(crate) remember: Duration,
    pub(crate) ledger: Ledger,
    pub(crate) readers: Readers,
    pub(crate) health: Health,
    /// What runs until the store is closed or dropped.
    pub(crate) tasks: OnceLock<Vec<AbortHandle>>,
    /// Started when it is first asked for.
    pub(crate) recorder: OnceLock<StoreRecorder>,
}

/// Who has read a list of events in this hour: it is in the admin log already.
#[derive(Default)]
pub(crate) struct Readers(Mutex<(i64, HashSet<(String, String)>)>);

impl Readers {
    /// Whether it is the first time in the hour.
    pub(crate) fn is_first(&self, tenant: &str, actor: &str, hour: i64) -> bool {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.0 != hour {
            *seen = (hour, HashSet::new());
        }
        seen.1.insert((tenant.to_owned(), actor.to_owned()))
    }
}

/// How many changes are read one by one. After more of them, everything counts as new.
const READ: u64 = 1000;

/// For how many changes the rows are kept.
const KEPT: u64 = 10_000;

impl StoreParts {
    /// The number of the newest write, here or in another process.
    pub(crate) async fn newest_change(&self) -> Result<u64> {
        newest(&mut Glance(self.engine())).await
    }

    /// Expects that the database takes a write, and writes nothing.
    pub(crate) async fn expect_writable(&self) -> Result<()> {
        let mut transaction = self.engine().begin().await?;
        let count = self.engine().count();
        transaction.run(count, args![0_u64]).await.map(drop)
    }

    /// Tells of what was written after the change `last`. Returns the newest one. After trouble, the database must take writes.
    pub(crate) async fn look(&self, last: u64) -> Result<u64> {
        self.engine().check().await?;
        if self.health.trouble().is_some() {
            self.expect_writable().await?;
        }
        // A write of this process may be newer than all that was looked at, so a database that was restored to `last` is known by
        // it. The number is read first, because a later one is not in what the database says.
        let known = self.ledger.newest_there();
        let newest = self.newest_change().await?;
        if newest < known {
            tracing::warn!(
                known,
                newest,
                "the store counts its changes from a lower number: it was restored, and everything is read again"
            );
            self.ledger.tell_all(newest);
            return Ok(newest);
        }
        if newest == last {
            return Ok(newest);
        }
        let mut changes: Vec<Change> = Vec::new();
        if newest - last <= READ {
            let sql =
                "SELECT number, tenant_id, topics FROM change WHERE number > $1 AND number <= $2";
            changes = Glance(self.engine()).all(sql, args![last, newest]).await?;
        }
        if changes.len() as u64 == newest - last {
            for change in &changes {
                self.ledger.tell(change);
            }
        } else {
            self.ledger.tell_all(newest);
        }
        Ok(newest)
    }

    /// Removes rows that no process reads any more.
    pub(crate) async fn forget_changes(&self) -> Result<()> {
        let old = self.newest_change().await?.saturating_sub(KEPT);
        let sql = "DELETE FROM change WHERE number <= $1";
        self.note(sql, args![old]).await.map(drop)
    }

    /// The time, as exact as the tables have it.
    pub(crate) fn now(&self) -> Timestamp {
        let now = (self.clock)();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    pub(crate) fn engine(&self) -> &dyn Engine {
        &*self.writer.engine
    }

    /// Makes an id, whose order is that of time.
    pub(crate) fn new_id(&self) -> String {
        let now = self.now();
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
        Uuid::new_v7(IdTime::from_unix(NoContext, seconds, nanos)).to_string()
    }

    /// Writes what is not a change of a person, so no process reads anything again because of it.
    pub(crate) async fn note(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let mut transaction = self.engine().begin().await?;
        let rows = transaction.run(sql, args).await?;
        transaction.commit().await?;
        Ok(rows)
    }
}

impl fmt::Debug for StoreParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl Store {
    /// Returns the handle of a tenant; `""` is the global one, whose hooks all tenants have.
    #[must_use]
    pub fn tenant(&self, id: &str) -> Tenant {
        Tenant {
            store: Arc::clone(&self.0),
            id: id.to_owned(),
        }
    }

    /// Returns the tenants that have a hook, a revision, a token or an execution.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn tenants(&self) -> Result<Vec<String>> {
        Store::tenants_in(&mut self.0.engine()).await
    }

    pub(crate) async fn tenants_in(reads: &mut dyn RowReader) -> Result<Vec<String>> {
        let sql = "SELECT tenant_id FROM hook UNION SELECT tenant_id FROM revision UNION \
                   SELECT tenant_id FROM token UNION SELECT tenant_id FROM chain ORDER BY tenant_id";
        reads.all(sql, args![]).await
    }

    /// Whether there was no store at the address, and opening it has made one.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// assert!(hooks_store::Store::open("sqlite::memory:").await?.is_new());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.0.is_new
    }

    /// Returns for how long a token is known while the database is away.
    #[must_use]
    pub fn remember(&self) -> Duration {
        self.0.remember
    }

    /// Returns what this deployment runs.
    #[must_use]
    pub fn capabilities(&self) -> &Capabilities {
        &self.0.capabilities
    }

    /// Returns the number of the newest write of a person that this process knows of, its own or another's. What such writes
    /// change for a tenant is in its [news](Tenant::news).
    #[must_use]
    pub fn change(&self) -> u64 {
        self.0.ledger.newest()
    }

    /// Runs a statement: for tests that break a store in memory, which has one connection for all.
    #[doc(hidden)]
    pub async fn __execute(&self, sql: &str) {
        let _ = self.0.engine().fetch(sql, args![]).await;
    }

    /// Returns the recorder, which writes executions: one for all who ask.
    ///
    /// # Panics
    ///
    /// If it is asked for the first time outside of a runtime of tokio.
    #[must_use]
    pub fn recorder(&self) -> StoreRecorder {
        let recorder = &self.0.recorder;
        let started = recorder.get_or_init(|| StoreRecorder::start(self.0.writer.clone()));
        started.clone()
    }

    /// Returns why the store does not do what it should: the database does not answer, its file was removed or replaced, or it
    /// does not take executions. Nothing if all is well.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = hooks_store::Store::open("sqlite::memory:").await?;
    /// assert_eq!(store.trouble(), None);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn trouble(&self) -> Option<String> {
        let unwritten = || {
            let error = self.0.recorder.get()?.last_error()?;
            Some(format!("executions cannot be written: {error}"))
        };
        self.0.health.trouble().or_else(unwritten)
    }

    /// Writes what the recorder has, and closes the connections.
    ///
    /// Records that the database does not take now are lost, and an error is logged. To learn of it,
    /// [flush](StoreRecorder::flush) the recorder first.
    pub async fn close(&self) {
        for task in self.0.tasks.get().into_iter().flatten() {
            task.abort();
        }
        if let Some(recorder) = self.0.recorder.get()
            && let Err(error) = recorder.flush().await
        {
            tracing::error!(%error, "the store is closed, and executions are lost");
        }
        self.0.engine().close().await;
    }
}

/// A tenant of a [`Store`](crate::Store). A clone is the same one.
///
/// What belongs to another tenant is not found.
#[derive(Clone, Debug)]
pub struct Tenant {
    pub(crate) store: Arc<StoreParts>,
    pub(crate) id: String,
}

impl Tenant {
    /// Returns its id; empty for the global one.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns a number that grows with the executions of this tenant that this process writes. It counts while you
    /// keep it.
    #[must_use]
    pub fn rows(&self) -> watch::Receiver<u64> {
        self.store.writer.rows.of(&self.id)
    }

    /// Returns the numbers of the newest changes that concern this tenant.
    ///
    /// ```
    /// use hooks_store::{By, Store};
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// let store = Store::open("sqlite::memory:").await?;
    /// let (acme, zen) = (store.tenant("acme"), store.tenant("zen"));
    /// let (before, others) = (acme.news(), zen.news());
    /// let hook = json!({ "name": "no-deploy", "event": "BeforeToolCall", "tools": ["deploy"], "block": "no" });
    /// acme.create(&hook, &By::new("ada")).await?;
    /// assert!(acme.news().draft > before.draft);
    /// assert_eq!((acme.news().in_force, zen.news()), (before.in_force, others));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn news(&self) -> News {
        *self.store.ledger.of(&self.id).borrow()
    }

    /// Follows a number of the [news](Self::news) from now on, here and in other processes.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
    /// # let store = hooks_store::Store::open("sqlite::memory:").await?;
    /// # let acme = store.tenant("acme");
    /// let mut published = acme.follow(|news| news.in_force);
    /// acme.put_secret("deploy-key", "s3cret", &hooks_store::By::new("ada")).await?;
    /// let timeout = std::time::Duration::from_millis(1);
    /// assert!(tokio::time::timeout(timeout, published.next()).await.is_err());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn follow(&self, what: fn(&News) -> u64) -> Followed {
        Followed::of(self.store.ledger.of(&self.id), what)
    }

    /// What reads on its own.
    pub(crate) fn engine(&self) -> &dyn Engine {
        self.store.engine()
    }

    /// Reads a page. The last values of its statement are the number before which it begins, and how many rows it reads.
    pub(crate) async fn page<T: OfRow>(
        &self,
        sql: &str,
        mut values: Vec<SqlValue>,
        cursor: Option<u64>,
        limit: u32,
        number: impl Fn(&T) -> u64,
    ) -> Result<Page<T>> {
        values.extend(args![before(cursor), rows_for(limit)]);
        let rows = self.engine().all(sql, values).await?;
        Ok(Page::of(rows, limit, number))
    }

    pub(crate) fn is_global(&self) -> bool {
        self.id.is_empty()
    }

    pub(crate) fn other(&self, id: &str) -> Tenant {
        Store(Arc::clone(&self.store)).tenant(id)
    }
}
