//! Postgres: a pool of connections, and a channel that tells of changes.
//!
//! Each transaction takes its row locks in one order (the counter of changes, then the ends of the chains by tenant), so
//! the default isolation is enough, and none fails because of another.

use std::path::Path;
use std::str::FromStr as _;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgListener, PgPool, PgPoolOptions, PgRow};
use sqlx::{ConnectOptions as _, Connection as _};
use tokio::sync::Mutex;

use super::value::{SqlRow, SqlValue};
use super::{Engine, PATIENCE, Transaction, migrator, schema, speak, told};
use crate::error::{Result, StoreError};

/// How long a read at an event waits for a connection: an agent learns soon that the database is away.
const SOON: Duration = Duration::from_millis(500);

/// The channel that tells of changes.
const CHANNEL: &str = "hooks_store";

/// How often the database is asked for news that the channel may have lost.
const POLL: Duration = Duration::from_secs(2);

/// The number of the lock of who migrates: "hooks" in ASCII.
const MIGRATING: i64 = 0x68_6f_6f_6b_73;

/// What a session sets unless the address says it: no lock holds up all others, and no statement runs for ever.
const SETTINGS: [(&str, &str); 2] = [("lock_timeout", "5s"), ("statement_timeout", "30s")];

/// The pause between two looks whether another process's migration has ended.
const BACK_OFF: Duration = Duration::from_millis(200);

pub(super) struct Postgres {
    pool: PgPool,
    /// Two connections for those who wait at each event.
    glances: PgPool,
    listener: Mutex<Option<PgListener>>,
}

impl Postgres {
    pub(super) async fn open(address: &str, connections: u32) -> Result<Self> {
        // The address may hold a password.
        let no_address = |_| StoreError::Address("postgres:…".to_owned());
        let mut options = PgConnectOptions::from_str(address).map_err(no_address)?;
        let said = options.get_options().unwrap_or_default().to_owned();
        let ours = SETTINGS.iter().filter(|(name, _)| !said.contains(name));
        options = options.options(ours.copied());
        if options.get_application_name().is_none() {
            options = options.application_name("hooks");
        }
        let options = options.disable_statement_logging();
        reach(&options).await?;
        let pool = PgPoolOptions::new()
            .acquire_timeout(PATIENCE)
            .max_connections(connections);
        let glances = PgPoolOptions::new()
            .acquire_timeout(SOON)
            .max_connections(2);
        Ok(Postgres {
            glances: glances.connect_lazy_with(options.clone()),
            pool: pool.connect_with(options).await?,
            listener: Mutex::default(),
        })
    }

    async fn listen(&self) -> Result<(), sqlx::Error> {
        let mut listener = self.listener.lock().await;
        if listener.is_none() {
            let mut new = PgListener::connect_with(&self.pool).await?;
            new.listen(CHANNEL).await?;
            *listener = Some(new);
        }
        if let Some(listener) = &mut *listener {
            listener.recv().await?;
        }
        Ok(())
    }
}

/// Connects once: a pool would only say that it has waited.
async fn reach(options: &PgConnectOptions) -> Result<()> {
    let why = match tokio::time::timeout(PATIENCE, options.connect()).await {
        Ok(Ok(connection)) => return Ok(connection.close().await?),
        Ok(Err(error)) => match StoreError::from(error) {
            StoreError::Unavailable(why) => why,
            error => return Err(error),
        },
        Err(_) => "no answer in time".to_owned(),
    };
    let (host, port) = (options.get_host(), options.get_port());
    Err(StoreError::Unavailable(format!(
        "{why}: postgres at {host}:{port}"
    )))
}

#[async_trait]
impl Engine for Postgres {
    async fn fetch(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let running = query(sql, args)?.fetch_all(&self.pool);
        rows(sql, &told(sql, running).await?)
    }

    async fn glance(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let running = query(sql, args)?.fetch_all(&self.glances);
        rows(sql, &told(sql, running).await?)
    }

    async fn begin(&self) -> Result<Box<dyn Transaction>> {
        Ok(Box::new(self.pool.begin().await?))
    }

    async fn snapshot(&self) -> Result<Box<dyn Transaction>> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
        Ok(Box::new(self.pool.begin_with(begin).await?))
    }

    fn count(&self) -> &'static str {
        "UPDATE counter SET value = value + $1 WHERE name = 'change' \
         RETURNING value, CAST(pg_notify('hooks_store', '') AS TEXT)"
    }

    fn migrator(&self) -> Migrator {
        migrator(&[("BLOB", "BYTEA"), (" WITHOUT ROWID", "")])
    }

    async fn migrate(&self) -> Result<()> {
        loop {
            // Waiting for the lock would hold up an index that the other one builds concurrently.
            let mut transaction = self.pool.begin().await?;
            let lock = sqlx::query_scalar("SELECT pg_try_advisory_xact_lock($1)");
            if lock.bind(MIGRATING).fetch_one(&mut *transaction).await? {
                let patient = sqlx::query("SET LOCAL statement_timeout = 0");
                patient.execute(&mut *transaction).await?;
                let migrator = self.migrator();
                let migrated = migrator.run_direct(None, &mut *transaction, false);
                migrated.await.map_err(schema)?;
                return Ok(transaction.commit().await?);
            }
            drop(transaction);
            tokio::time::sleep(BACK_OFF).await;
        }
    }

    async fn copy(&self, _: &Path) -> Result<()> {
        let help = "use `pg_dump`";
        Err(StoreError::invalid("", "only SQLite is one file", help))
    }

    async fn hint(&self) {
        let heard = tokio::time::timeout(POLL, self.listen()).await;
        if let Ok(Err(_)) = heard {
            // The database is away. A new listener follows.
            *self.listener.lock().await = None;
            tokio::time::sleep(POLL).await;
        }
    }

    async fn close(&self) {
        // It has a connection, for which the pool would wait.
        *self.listener.lock().await = None;
        self.glances.close().await;
        self.pool.close().await;
    }
}

speak!(sqlx::Postgres, PgArguments, PgRow, "INT8");
