//! Opening a store: its keys, its tables, and the tasks that run until it is dropped.

use std::fmt;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use hooks_runtime::RuntimeBuilder;
use jiff::Timestamp;
use tokio::task::JoinHandle;

use crate::capability::Capabilities;
use crate::crypt::Keys;
use crate::engine::{self, DatabaseLocation, Engine, Opening, ReadsAs as _, Recall, args};
use crate::error::{Result, StoreError};
use crate::health::Health;
use crate::last;
use crate::news::{Ledger, newest};
use crate::recorder::names::NameLists;
use crate::recorder::{WriteCounts, Writer};
use crate::retention::{Quota, Retention};
use crate::store::{Clock, Complete, Readers, Store, StoreParts};

/// Learns of the changes that other processes make, until the store is dropped.
async fn follow(store: Weak<StoreParts>, mut last: u64, mut is_begun: bool) {
    while let Some(store) = store.upgrade() {
        store.engine().hint().await;
        let looked = async {
            if !is_begun {
                expect_keys(store.engine(), &store.writer.keys).await?;
                Store(Arc::clone(&store)).begin().await?;
                is_begun = true;
            }
            store.look(last).await
        };
        let looked = looked.await;
        last = store.health.take(looked).unwrap_or(last);
    }
}

/// Removes old executions, until the store is dropped.
async fn retain(store: Weak<StoreParts>) {
    loop {
        tokio::time::sleep(Retention::EVERY).await;
        let Some(inner) = store.upgrade() else { return };
        if let Err(error) = Store(inner).retain().await {
            tracing::warn!(%error, "cannot remove old executions");
        }
    }
}

/// Whether a database has values that some key has encrypted or signed.
async fn has_sealed(mut engine: &dyn Engine) -> Result<bool> {
    let sql = "SELECT version FROM secret UNION ALL SELECT seq FROM execution WHERE detail_hash <> $1 \
               UNION ALL SELECT seq FROM chain WHERE mac <> '' LIMIT 1";
    let sealed: Option<u64> = engine.one(sql, args![Vec::new()]).await?;
    Ok(sealed.is_some())
}

/// Expects the keys that have encrypted the secrets, and the newest execution, and one of those that have signed chains: with a
/// wrong key, nothing would run that needs a secret, and nothing that happened could be read or written.
async fn expect_keys(mut engine: &dyn Engine, keys: &Keys) -> Result<()> {
    let sql = "SELECT value FROM secret";
    let mut sealed: Vec<Vec<u8>> = engine.all(sql, args![]).await?;
    let sql = "SELECT detail FROM execution WHERE detail_hash <> $1 ORDER BY at DESC LIMIT 1";
    sealed.extend(engine.one::<Vec<u8>>(sql, args![Vec::new()]).await?);
    let sql = "SELECT DISTINCT substr(mac, 1, 16) AS key FROM chain WHERE mac <> ''";
    let signers: Vec<String> = engine.all(sql, args![]).await?;
    let has_signed = |id: &String| keys.has_sealed(&hex::decode(id).unwrap_or_default());
    if sealed.iter().all(|sealed| keys.has_sealed(sealed))
        && (signers.is_empty() || signers.iter().any(has_signed))
    {
        return Ok(());
    }
    let why = if keys.are_there() {
        "the store has values that another key has encrypted or signed: start with that key, or name it after the new one"
    } else {
        "the store has values that a key has encrypted or signed, and there is no key: set `HOOKS_STORE_KEY` as the daemon has it, or put the key file back"
    };
    Err(StoreError::Key(why.to_owned()))
}

/// Opens a [`Store`].
///
/// ```
/// use hooks_store::{Keys, Store};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), hooks_store::StoreError> {
/// let store = Store::builder("sqlite::memory:").keys(Keys::generate()).open().await?;
/// # let _ = store;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is opened before `open`"]
pub struct StoreBuilder {
    pub(crate) place: DatabaseLocation,
    keys: Option<Keys>,
    clock: Clock,
    retention: Retention,
    quota: Quota,
    capabilities: Capabilities,
    complete: Complete,
}

impl StoreBuilder {
    /// How many connections to Postgres there are, unless [`connections`](Self::connections) says it.
    pub const CONNECTIONS: NonZeroU32 = NonZeroU32::new(10).unwrap();

    /// For how long a token is known while the database is away, unless [`remember`](Self::remember) says it.
    pub const REMEMBER: Duration = Duration::from_mins(15);

    /// Sets the keys that encrypt. The default is `HOOKS_STORE_KEY`; without it, a file beside a database of SQLite, and for
    /// Postgres none.
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Opens a store only if it is there with the tables of this version, and changes no tables: a typing mistake in the address
    /// is an error.
    ///
    /// Where the key file is missing, the store opens without a key. Nothing can be encrypted or decrypted then, and
    /// [`Tenant::verify`](crate::Tenant::verify) counts what it could not read. With a key that is missing or wrong, nothing can be
    /// written: what is not signed as the rest would look as if it were made by another.
    pub fn existing(mut self) -> Self {
        self.place.opening = Opening::AsItIs;
        self
    }

    /// Opens a store only if it is there, to read it: nothing is written, and no table is brought to this version. A file of
    /// SQLite may be read-only, and a user of Postgres one that may only `SELECT`.
    ///
    /// A missing key file is as in [`existing`](Self::existing).
    pub fn read_only(mut self) -> Self {
        self.place.opening = Opening::ReadOnly;
        self
    }

    /// Opens a store only if it is there, as [`existing`](Self::existing) does, and brings its tables to this version.
    pub fn migrated(mut self) -> Self {
        self.place.opening = Opening::Migrated;
        self
    }

    /// Sets how many connections to Postgres there are at most, besides two for those who wait at each event. The default is
    /// [`CONNECTIONS`](Self::CONNECTIONS).
    pub fn connections(mut self, connections: NonZeroU32) -> Self {
        self.place.connections = connections.get();
        self
    }

    /// Returns which changes of the tables [`migrated`](Self::migrated) would make, each in some words.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// use hooks_store::{Store, StoreError};
    ///
    /// let missing = Store::builder("sqlite:missing.db").pending().await;
    /// assert!(matches!(missing, Err(StoreError::NotFound(_))));
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no store, it is that of a later version, or the database fails.
    pub async fn pending(self) -> Result<Vec<String>> {
        let engine = engine::connect(&self.read_only().place).await?;
        let pending = engine::pending(&*engine).await;
        engine.close().await;
        let missing = || StoreError::NotFound("store in this database".to_owned());
        pending?.ok_or_else(missing)
    }

    /// Sets the clock, for a test.
    pub fn clock(mut self, clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Keeps a copy of what decides what agents may do in this folder, which is made: published hooks, secrets as they are encrypted,
    /// and tokens by their hashes. While the database is away, [`open`](Self::open) opens the copy. Agents are judged then, nothing
    /// else can be read or written, [`trouble`](Store::trouble) says why, and all goes on once the database is there.
    ///
    /// A folder is for one store and one process. By default there is none.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// # let address = "sqlite::memory:";
    /// let store = hooks_store::Store::builder(address).cache(folder.path()).open().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.place.copy = Some(folder.into());
        self
    }

    /// Sets for how long a token is known while the database is away: so long, one that was revoked meanwhile is good. The default
    /// is [`REMEMBER`](Self::REMEMBER).
    pub fn remember(mut self, time: Duration) -> Self {
        self.place.remember = time;
        self
    }

    /// Sets how long executions are kept. The default is for ever.
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Sets how much a tenant may keep.
    pub fn quota(mut self, quota: Quota) -> Self {
        self.quota = quota;
        self
    }

    /// Sets which hooks this deployment runs. The default is all.
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets how this deployment completes a runtime: its evaluator, its guard, its factories. What you save is checked with
    /// such a runtime, so that it accepts what will run.
    pub fn runtime(
        mut self,
        complete: impl Fn(RuntimeBuilder) -> RuntimeBuilder + Send + Sync + 'static,
    ) -> Self {
        self.complete = Arc::new(complete);
        self
    }

    /// Opens the store, and brings its tables to this version.
    ///
    /// # Errors
    ///
    /// If the database cannot be opened, must exist and is not a store, has tables that this version does not know, or
    /// must not change, the keys cannot be read or are not those that have encrypted or signed what is there, or the
    /// capabilities name a kind of handler that is not there.
    pub async fn open(self) -> Result<Store> {
        self.capabilities.check()?;
        let given = match self.keys {
            Some(keys) => Some(keys),
            None => Keys::of_address(&self.place.address)?,
        };
        let (engine, is_new) = engine::open(&self.place).await?;
        let must_exist = self.place.opening != Opening::Made;
        // Without the database, there is the copy.
        let is_there = engine.check().await.is_ok();
        let keys = match given {
            Some(keys) => keys,
            None if must_exist || !is_there => Keys::none(),
            None if has_sealed(&*engine).await? => return Err(Keys::lost(&self.place.address)),
            None => Keys::make_file(&self.place.address)?,
        };
        let newest = newest(&mut Recall(&*engine)).await?;
        let is_read = self.place.opening == Opening::ReadOnly;
        let expected = if is_there && !is_read {
            expect_keys(&*engine, &keys).await
        } else {
            Ok(())
        };
        let wrong_key = match expected {
            Err(StoreError::Key(why)) if must_exist => Some(why),
            expected => expected.map(|()| None)?,
        };
        let inner = StoreParts {
            writer: Writer {
                engine,
                keys,
                rows: WriteCounts::default(),
                names: NameLists::default(),
            },
            clock: self.clock,
            capabilities: self.capabilities,
            retention: self.retention,
            quota: self.quota,
            complete: self.complete,
            is_new,
            wrong_key,
            remember: self.place.remember,
            ledger: Ledger::new(newest),
            readers: Readers::default(),
            health: Health::default(),
            tasks: OnceLock::new(),
            recorder: OnceLock::new(),
        };
        let store = Store(Arc::new(inner));
        if is_read {
            return Ok(store);
        }
        if is_there {
            store.begin().await?;
        }
        store.0.health.take(store.0.expect_writable().await);
        let weak = || Arc::downgrade(&store.0);
        let mut tasks = vec![
            tokio::spawn(follow(weak(), newest, is_there)),
            tokio::spawn(retain(weak())),
        ];
        if self.place.copy.is_some() {
            tasks.push(tokio::spawn(last::keep(weak())));
        }
        let tasks = tasks.iter().map(JoinHandle::abort_handle).collect();
        store.0.tasks.get_or_init(|| tasks);
        Ok(store)
    }
}

impl fmt::Debug for StoreBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreBuilder").finish_non_exhaustive()
    }
}

impl Store {
    /// Does what must be done once before the store is used.
    async fn begin(&self) -> Result<()> {
        self.begin_audit().await?;
        self.tell_what_is_not_allowed().await
    }

    /// Opens a store with all defaults: `sqlite:hooks.db`, which is made if it is missing, `sqlite::memory:` or
    /// `postgres://user@host/database`.
    ///
    /// # Errors
    ///
    /// As [`StoreBuilder::open`].
    pub async fn open(address: &str) -> Result<Self> {
        Store::builder(address).open().await
    }

    /// Returns a builder.
    pub fn builder(address: impl Into<String>) -> StoreBuilder {
        StoreBuilder {
            place: DatabaseLocation {
                address: address.into(),
                opening: Opening::Made,
                connections: StoreBuilder::CONNECTIONS.get(),
                copy: None,
                remember: StoreBuilder::REMEMBER,
            },
            keys: None,
            clock: Arc::new(Timestamp::now),
            retention: Retention::default(),
            quota: Quota::default(),
            capabilities: Capabilities::default(),
            complete: Arc::new(|builder| builder),
        }
    }
}
