//! SQLite: one connection writes, a pool reads.
//!
//! With one writer, "the database is locked" can only come from another process, and then a write waits. `synchronous` is
//! `FULL`: what a commit has acknowledged survives a loss of power, which `NORMAL` does not promise in WAL mode. Executions
//! are written in batches, so one `fsync` a commit is cheap.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::str::FromStr as _;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::ConnectOptions as _;
use sqlx::migrate::Migrator;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};

use super::value::{SqlRow, SqlValue};
use super::watched::DatabaseFile;
use super::{Engine, PATIENCE, ReadsAs as _, Transaction, args, migrator, schema, speak, told};
use crate::error::{Result, StoreError};

/// How many connections read.
const READERS: u32 = 4;

/// How long it waits before it tries again to open a database that another process makes.
const PAUSE: Duration = Duration::from_millis(20);

/// How often another process is asked for news.
const POLL: Duration = Duration::from_millis(100);

pub(super) struct Sqlite {
    writer: SqlitePool,
    readers: SqlitePool,
    /// One connection for those who wait at each event.
    glances: SqlitePool,
    /// None if the store is in memory.
    file: Option<DatabaseFile>,
}

impl Sqlite {
    pub(super) async fn open(address: &str, makes: bool) -> Result<Self> {
        let no_address = |_| StoreError::Address(address.to_owned());
        let options = SqliteConnectOptions::from_str(address).map_err(no_address)?;
        let in_memory = address.contains(":memory:");
        let options = options
            .create_if_missing(makes)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(PATIENCE)
            .foreign_keys(false)
            // A checkpoint waits for the disk: with these, it comes every 32 MiB, and the pages of the indexes stay in
            // memory meanwhile.
            .pragma("wal_autocheckpoint", "8192")
            .pragma("cache_size", "-16384")
            .disable_statement_logging();
        let file = options.get_filename().to_owned();
        if makes && !in_memory {
            make_private(&file)?;
        } else if !in_memory {
            expect_file(&file)?;
        }
        let writer = || pool().max_connections(1).min_connections(1);
        let began = Instant::now();
        // While two processes make one new database, SQLite does not wait for the other to turn on WAL.
        let writer = loop {
            match writer().connect_with(options.clone()).await {
                Err(error) if is_busy(&error) && began.elapsed() < PATIENCE => {
                    tokio::time::sleep(PAUSE).await;
                }
                connected => break connected?,
            }
        };
        let (readers, glances, file) = if in_memory {
            (writer.clone(), writer.clone(), None)
        } else {
            let options = options.read_only(true).pragma("cache_size", "-8192");
            let readers = pool().max_connections(READERS);
            let glances = pool().max_connections(1);
            (
                readers.connect_with(options.clone()).await?,
                glances.connect_with(options).await?,
                Some(DatabaseFile::new(file)?),
            )
        };
        Ok(Sqlite {
            writer,
            readers,
            glances,
            file,
        })
    }

    /// Opens a file to read it, also where it must not be written.
    pub(super) async fn read(address: &str) -> Result<Self> {
        let no_address = |_| StoreError::Address(address.to_owned());
        let options = SqliteConnectOptions::from_str(address).map_err(no_address)?;
        let file = options.get_filename().to_owned();
        expect_file(&file)?;
        let mut log = file.clone().into_os_string();
        log.push("-wal");
        // What has the database open has a log, too. Without one, SQLite need not make it in order to read.
        let has_log = Path::new(&log).exists();
        let options = options
            .create_if_missing(false)
            .read_only(true)
            .immutable(!has_log);
        let readers = pool()
            .max_connections(READERS)
            .connect_with(options.busy_timeout(PATIENCE));
        let readers = readers.await.map_err(|error| {
            let hint = if has_log {
                " (copy it together with its `-wal` into a folder where you may write)"
            } else {
                ""
            };
            StoreError::Unavailable(format!("{} cannot be read: {error}{hint}", file.display()))
        })?;
        Ok(Sqlite {
            writer: readers.clone(),
            glances: readers.clone(),
            readers,
            file: None,
        })
    }
}

fn pool() -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .acquire_timeout(PATIENCE)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

fn expect_file(file: &Path) -> Result<()> {
    let missing = || StoreError::NotFound(format!("store in {}", file.display()));
    file.is_file().then_some(()).ok_or_else(missing)
}

/// Whether another process has locked the database.
fn is_busy(error: &sqlx::Error) -> bool {
    let code = error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == "5")
}

/// Makes the file, which only this user may read, if it is not there.
fn make_private(file: &Path) -> Result<()> {
    match create(file) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(cannot_be_made(file, &error)),
        _ => Ok(()),
    }
}

/// Makes a new file, which only this user may read.
fn create(file: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

fn cannot_be_made(file: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::AlreadyExists => StoreError::invalid(
            "",
            format!("{} is there already", file.display()),
            "name a new file",
        ),
        _ => StoreError::Unavailable(format!("{} cannot be made: {error}", file.display())),
    }
}

#[async_trait]
impl Engine for Sqlite {
    async fn fetch(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let running = query(sql, args)?.fetch_all(&self.readers);
        rows(sql, &told(sql, running).await?)
    }

    async fn glance(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        let running = query(sql, args)?.fetch_all(&self.glances);
        rows(sql, &told(sql, running).await?)
    }

    async fn begin(&self) -> Result<Box<dyn Transaction>> {
        // What is written to a file without a name is lost.
        self.check().await?;
        let mut begun = self.writer.begin_with("BEGIN IMMEDIATE").await;
        // On a full disk, SQLite may end a transaction by itself. The driver still counts it, and only a new connection
        // takes another. A store in memory would be gone with its connection.
        if matches!(begun, Err(sqlx::Error::InvalidSavePointStatement)) && self.file.is_some() {
            self.writer.acquire().await?.close().await?;
            begun = self.writer.begin_with("BEGIN IMMEDIATE").await;
        }
        Ok(Box::new(begun?))
    }

    async fn snapshot(&self) -> Result<Box<dyn Transaction>> {
        Ok(Box::new(self.readers.begin().await?))
    }

    fn count(&self) -> &'static str {
        "UPDATE counter SET value = value + $1 WHERE name = 'change' RETURNING value"
    }

    fn migrator(&self) -> Migrator {
        migrator(&[])
    }

    async fn migrate(&self) -> Result<()> {
        let mut transaction = self.writer.begin_with("BEGIN IMMEDIATE").await?;
        let migrator = self.migrator();
        let migrated = migrator.run_direct(None, &mut *transaction, false);
        migrated.await.map_err(schema)?;
        Ok(transaction.commit().await?)
    }

    async fn copy(&self, file: &Path) -> Result<()> {
        let made = create(file).map_err(|error| cannot_be_made(file, &error))?;
        let copied = async {
            let mut engine: &dyn Engine = self;
            // A damaged database has damaged copies.
            let found: Vec<String> = engine.all("PRAGMA integrity_check", args![]).await?;
            if found != ["ok"] {
                return Err(StoreError::Inconsistent(found.join("; ")));
            }
            let name = file.display().to_string();
            self.fetch("VACUUM INTO $1", args![name]).await?;
            made.sync_all()
                .map_err(|error| cannot_be_made(file, &error))?;
            // SQLite copies a database in memory to another one there.
            match made.metadata() {
                Ok(about) if about.len() == 0 => {
                    let message = "a store in memory has no backup";
                    Err(StoreError::invalid("", message, "keep it in a file"))
                }
                _ => Ok(()),
            }
        };
        let copied = copied.await;
        if copied.is_err() {
            // Half a copy would be taken for a whole one.
            let _ = std::fs::remove_file(file);
        }
        copied
    }

    async fn check(&self) -> Result<()> {
        self.file.as_ref().map_or(Ok(()), DatabaseFile::check)
    }

    async fn hint(&self) {
        tokio::time::sleep(POLL).await;
    }

    async fn close(&self) {
        self.readers.close().await;
        self.glances.close().await;
        self.writer.close().await;
    }
}

speak!(sqlx::Sqlite, SqliteArguments, SqliteRow, "INTEGER");
