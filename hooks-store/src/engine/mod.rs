//! The engines: SQLite and Postgres behind one small trait, so that every statement is written once.
//!
//! A statement names its values `$1`, `$2`, …, which both understand, as they do `RETURNING` and `ON CONFLICT`. All values
//! are whole numbers, texts or bytes, and none is NULL.

mod last;
mod postgres;
mod sqlite;
mod value;
mod watched;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};

pub(crate) use self::value::{Column, JsonColumn, OfRow, SqlRow, SqlValue, args, kept, of_row};
use crate::error::{Result, StoreError};

/// How long a statement waits for a connection, or for a lock that another process holds.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a store needs of a database.
#[async_trait]
pub(crate) trait Engine: Send + Sync {
    /// Reads rows. As a [`RowReader`], it reads what they mean.
    async fn fetch(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>>;

    /// Reads rows that an agent waits for at each event, such as who has a token: on connections that no search takes.
    async fn glance(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.fetch(sql, args).await
    }

    /// Reads rows that decide what an agent may do: what is in force, and its secrets.
    async fn recall(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.fetch(sql, args).await
    }

    /// The copy of those rows, if there is one and it can be written anew.
    fn copy_of_last(&self) -> Option<&dyn Engine> {
        None
    }

    /// Begins a transaction that writes. Dropped without [`Transaction::commit`], it changes nothing.
    ///
    /// Do not call [`fetch`](Self::fetch) before it has ended: a store in memory has one connection for both.
    async fn begin(&self) -> Result<Box<dyn Transaction>>;

    /// Begins to read what is there now, whatever others write meanwhile.
    async fn snapshot(&self) -> Result<Box<dyn Transaction>>;

    /// The statement that counts `$1` changes, returns their number, and tells other processes when it is committed.
    fn count(&self) -> &'static str;

    /// The migrations, in the words of this engine.
    fn migrator(&self) -> Migrator;

    /// Makes the migrations that are still to be made, and keeps others out meanwhile.
    async fn migrate(&self) -> Result<()>;

    /// Writes a copy of the whole database into a new file.
    async fn copy(&self, file: &Path) -> Result<()>;

    /// Checks that what the connections write to is what the address names.
    async fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Waits until another process may have written.
    async fn hint(&self);

    /// Closes all connections.
    async fn close(&self);
}

/// Reads rows: within a transaction, or on its own.
#[async_trait]
pub(crate) trait RowReader: Send {
    /// Runs a statement and returns its rows.
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>>;
}

#[async_trait]
impl RowReader for &dyn Engine {
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.fetch(sql, args).await
    }
}

/// Reads with [`Engine::glance`].
pub(crate) struct Glance<'a>(pub(crate) &'a dyn Engine);

#[async_trait]
impl RowReader for Glance<'_> {
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.0.glance(sql, args).await
    }
}

/// Reads with [`Engine::recall`].
pub(crate) struct Recall<'a>(pub(crate) &'a dyn Engine);

#[async_trait]
impl RowReader for Recall<'_> {
    async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.0.recall(sql, args).await
    }
}

/// Reads what rows mean.
#[async_trait]
pub(crate) trait ReadsAs: RowReader {
    /// Reads all rows.
    async fn all<T: OfRow>(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<T>> {
        self.run(sql, args).await?.iter().map(T::of_row).collect()
    }

    /// Reads the first row, if there is one.
    async fn one<T: OfRow>(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Option<T>> {
        let rows = self.run(sql, args).await?;
        rows.first().map(T::of_row).transpose()
    }
}

impl<R: RowReader + ?Sized> ReadsAs for R {}

/// A transaction that writes.
#[async_trait]
pub(crate) trait Transaction: RowReader {
    /// Makes the changes durable.
    async fn commit(self: Box<Self>) -> Result<()>;
}

/// How long a statement takes that the log tells of.
const SLOW: Duration = Duration::from_secs(1);

/// Runs a statement. The log tells of a slow one by its beginning: some have thousands of letters.
async fn told<T>(sql: &str, running: impl Future<Output = T>) -> T {
    let began = Instant::now();
    let done = running.await;
    let took = began.elapsed();
    if took >= SLOW {
        let (sql, ms) = (&sql[..sql.floor_char_boundary(100)], took.as_millis());
        tracing::warn!(sql, ms, "a statement was slow");
    }
    done
}

/// Writes what both engines say alike in the types of their drivers: a statement, its rows, and a transaction.
///
/// The last one is the name of the type of whole numbers.
macro_rules! speak {
    ($database:ty, $arguments:ty, $row:ty, $int:literal) => {
        fn query(
            sql: &str,
            args: Vec<SqlValue>,
        ) -> Result<sqlx::query::Query<'_, $database, $arguments>> {
            let query = sqlx::query(sqlx::AssertSqlSafe(sql));
            args.into_iter()
                .try_fold(query, |query, value| match value {
                    SqlValue::Int(value) => Ok(query.bind(value)),
                    SqlValue::Text(text) => Ok(query.bind(text)),
                    SqlValue::Bytes(bytes) => Ok(query.bind(bytes)),
                    SqlValue::TooLarge(value) => Err(crate::engine::too_large(value)),
                })
        }

        fn rows(sql: &str, rows: &[$row]) -> Result<Vec<SqlRow>> {
            use sqlx::{Column as _, Row as _, TypeInfo as _, ValueRef as _};

            let sql: std::sync::Arc<str> = sql.into();
            let columns = rows.first().map_or(&[][..], |row| row.columns());
            let names = columns.iter().map(|column| column.name().to_owned());
            let names: std::sync::Arc<[String]> = names.collect();
            let rows = rows.iter().map(|row| {
                let values = (0..names.len()).map(|index| {
                    Ok(match row.try_get_raw(index)?.type_info().name() {
                        $int => SqlValue::Int(row.try_get(index)?),
                        "TEXT" => SqlValue::Text(row.try_get(index)?),
                        _ => SqlValue::Bytes(row.try_get(index)?),
                    })
                });
                Ok(SqlRow {
                    sql: std::sync::Arc::clone(&sql),
                    names: std::sync::Arc::clone(&names),
                    values: values.collect::<Result<_, sqlx::Error>>()?,
                })
            });
            rows.collect()
        }

        #[async_trait]
        impl crate::engine::RowReader for sqlx::Transaction<'static, $database> {
            async fn run(&mut self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
                let running = query(sql, args)?.fetch_all(&mut **self);
                rows(sql, &crate::engine::told(sql, running).await?)
            }
        }

        #[async_trait]
        impl Transaction for sqlx::Transaction<'static, $database> {
            async fn commit(self: Box<Self>) -> Result<()> {
                Ok((*self).commit().await?)
            }
        }
    };
}
use speak;

fn too_large(value: u64) -> StoreError {
    let message = format!("{value} is more than a database counts to: {}", i64::MAX);
    StoreError::invalid("", message, "write a smaller number")
}

/// What opening a store may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Nothing, and nothing is written afterwards.
    ReadOnly,
    /// Nothing.
    AsItIs,
    /// The tables of an earlier version.
    Migrated,
    /// Everything: a store that is not there is made.
    Made,
}

/// Where a database is, and what opening it may change.
#[derive(Clone)]
pub(crate) struct DatabaseLocation {
    pub(crate) address: String,
    pub(crate) opening: Opening,
    /// How many connections there are at most.
    pub(crate) connections: u32,
    /// The folder of a copy of what decides what agents may do.
    pub(crate) copy: Option<PathBuf>,
    /// For how long a token is known while the database is away.
    pub(crate) remember: Duration,
}

/// Opens a database as [`open_there`] does, or its copy while it is away.
pub(crate) async fn open(place: &DatabaseLocation) -> Result<(Arc<dyn Engine>, bool)> {
    let Some(folder) = &place.copy else {
        return open_there(place).await;
    };
    let (engine, is_new) = last::Last::open(place, folder).await?;
    Ok((Arc::new(engine), is_new))
}

/// Opens a database whose tables are, or are brought to, those of this version. Returns whether it had none of a store.
async fn open_there(place: &DatabaseLocation) -> Result<(Arc<dyn Engine>, bool)> {
    let opening = place.opening;
    let engine = connect(place).await?;
    let pending = pending(&*engine).await?;
    let is_new = pending.is_none();
    match (pending, opening) {
        (None, Opening::Made) => engine.migrate().await?,
        (None, _) => return Err(StoreError::NotFound("store in this database".to_owned())),
        (Some(missing), _) if missing.is_empty() => {}
        (Some(missing), Opening::ReadOnly | Opening::AsItIs) => {
            return Err(StoreError::Schema(format!(
                "an earlier version has made them, and these changes are missing: {}. `hooks store migrate` and a start of this \
                 version of the daemon make them; until then, use the version that has made the tables",
                missing.join(", ")
            )));
        }
        _ => engine.migrate().await?,
    }
    Ok((engine, is_new))
}

/// Connects to a database, whatever its tables are.
pub(crate) async fn connect(place: &DatabaseLocation) -> Result<Arc<dyn Engine>> {
    let address = &place.address;
    match address.split_once(':') {
        Some(("sqlite", _)) if place.opening == Opening::ReadOnly => {
            Ok(Arc::new(sqlite::Sqlite::read(address).await?))
        }
        Some(("sqlite", _)) => {
            let makes = place.opening == Opening::Made;
            Ok(Arc::new(sqlite::Sqlite::open(address, makes).await?))
        }
        Some(("postgres" | "postgresql", _)) => Ok(Arc::new(
            postgres::Postgres::open(address, place.connections).await?,
        )),
        // What follows may be a password.
        other => Err(StoreError::Address(
            other.map_or("", |(kind, _)| kind).to_owned(),
        )),
    }
}

/// What is still to be done to the tables, in words. Nothing if they are not those of a store.
pub(crate) async fn pending(mut engine: &dyn Engine) -> Result<Option<Vec<String>>> {
    let sql = "SELECT version, checksum FROM _sqlx_migrations";
    // Only a statement that changes nothing needs no right to change the tables.
    let made: Vec<(i64, Vec<u8>)> = match engine.all(sql, args![]).await {
        Ok(made) => made,
        // Both engines name the table that is missing.
        Err(error) if error.to_string().contains("_sqlx_migrations") => return Ok(None),
        Err(error) => return Err(error),
    };
    let migrator = engine.migrator();
    for (number, checksum) in &made {
        match migrator.iter().find(|known| known.version == *number) {
            None => return Err(schema(MigrateError::VersionMissing(*number))),
            Some(known) if *known.checksum != **checksum => {
                return Err(schema(MigrateError::VersionMismatch(*number)));
            }
            Some(_) => {}
        }
    }
    let is_made = |one: &&Migration| made.iter().any(|(number, _)| *number == one.version);
    let missing = migrator.iter().filter(|one| !is_made(one));
    Ok(Some(
        missing.map(|one| one.description.to_string()).collect(),
    ))
}

macro_rules! migrations {
    ($($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../migrations/", $file, ".sql")))),+]
    };
}

/// The migrations, oldest first. One that was published is never changed: a change of the tables is a new one.
const MIGRATIONS: &[(&str, &str)] = migrations![
    "0001_start",
    "0002_activity",
    "0003_node_order",
    "0004_event",
    "0005_session",
    "0006_hook_text",
    "0007_change",
    "0008_audit",
    "0009_batch",
    "0010_operations"
];

/// The migrations in the words of an engine.
fn migrator(words: &[(&str, &str)]) -> Migrator {
    let numbered = (1..).zip(MIGRATIONS);
    let migrations = numbered.map(|(number, (file, sql))| {
        let name = file[5..].replace('_', " ");
        let said = |sql: String, (ours, theirs): &(&str, &str)| sql.replace(ours, theirs);
        let sql = words.iter().fold(sql.to_string(), said);
        let sql = sqlx::AssertSqlSafe(sql).into_sql_str();
        Migration::new(number, name.into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    // Each engine runs them in a transaction of its own that keeps others out.
    migrator.set_locking(false);
    migrator
}

fn schema(error: MigrateError) -> StoreError {
    match error {
        MigrateError::VersionMissing(number) => StoreError::Schema(format!(
            "a later version has made migration {number}, and this one knows {}: update this program",
            MIGRATIONS.len()
        )),
        MigrateError::VersionMismatch(number) => StoreError::Schema(format!(
            "migration {number} was another one: the database belongs to another program"
        )),
        other => StoreError::Schema(other.to_string()),
    }
}
