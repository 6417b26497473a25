//! A database with a copy of the rows that decide what agents may do. A start while the database is away reads the copy, until the
//! database is there.
//!
//! The copy has the tables of a store, in a file of SQLite: tokens by their hashes, secrets as they are encrypted, and the newest
//! revisions. All else is unavailable meanwhile, so that what is not in the copy is not taken for what does not exist.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::migrate::Migrator;

use super::value::{SqlRow, SqlValue};
use super::{DatabaseLocation, Engine, Opening, ReadsAs as _, Transaction, args, open_there};
use crate::error::{Result, StoreError};

/// How long the database is left alone after it could not be reached.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) struct Last {
    place: DatabaseLocation,
    there: OnceLock<Arc<dyn Engine>>,
    copy: Arc<dyn Engine>,
    /// Why the database could not be reached.
    why: Mutex<String>,
}

impl Last {
    /// Opens the database, or its copy in the folder if it is away. Returns whether the database was a new store.
    pub(super) async fn open(place: &DatabaseLocation, folder: &Path) -> Result<(Self, bool)> {
        std::fs::create_dir_all(folder).map_err(|error| {
            StoreError::Unavailable(format!("{} cannot be made: {error}", folder.display()))
        })?;
        let copy = DatabaseLocation {
            address: format!("sqlite:{}", folder.join("last.db").display()),
            opening: Opening::Made,
            copy: None,
            ..place.clone()
        };
        let (copy, has_none) = open_there(&copy).await?;
        let last = Last {
            place: place.clone(),
            there: OnceLock::new(),
            copy,
            why: Mutex::default(),
        };
        match last.reach().await {
            Ok(is_new) => Ok((last, is_new)),
            Err(StoreError::Unavailable(why)) if !has_none => {
                tracing::error!(
                    why,
                    "the database is away: agents are judged by the last good hooks, from the copy of the store"
                );
                Ok((last, false))
            }
            Err(error) => Err(error),
        }
    }

    async fn reach(&self) -> Result<bool> {
        let (there, is_new) = open_there(&self.place).await.inspect_err(|error| {
            *self.why.lock().unwrap_or_else(PoisonError::into_inner) = error.to_string();
        })?;
        let _ = self.there.set(there);
        Ok(is_new)
    }

    fn there(&self) -> Result<&dyn Engine> {
        let away = || {
            let why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
            StoreError::Unavailable(format!("not reached since the start: {why}"))
        };
        self.there.get().map(|there| &**there).ok_or_else(away)
    }

    fn either(&self) -> &dyn Engine {
        self.there.get().map_or(&*self.copy, |there| &**there)
    }
}

#[async_trait]
impl Engine for Last {
    async fn fetch(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.there()?.fetch(sql, args).await
    }

    async fn glance(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        if let Err(away) = self.there() {
            let sql = "SELECT value FROM counter WHERE name = 'copied'";
            let copied: Option<Timestamp> = (&mut &*self.copy).one(sql, args![]).await?;
            let age = Timestamp::now().duration_since(copied.unwrap_or_default());
            if age.unsigned_abs() > self.place.remember {
                return Err(away);
            }
        }
        self.either().glance(sql, args).await
    }

    async fn recall(&self, sql: &str, args: Vec<SqlValue>) -> Result<Vec<SqlRow>> {
        self.either().recall(sql, args).await
    }

    fn copy_of_last(&self) -> Option<&dyn Engine> {
        self.there().ok().map(|_| &*self.copy)
    }

    async fn begin(&self) -> Result<Box<dyn Transaction>> {
        self.there()?.begin().await
    }

    async fn snapshot(&self) -> Result<Box<dyn Transaction>> {
        self.there()?.snapshot().await
    }

    fn count(&self) -> &'static str {
        self.either().count()
    }

    fn migrator(&self) -> Migrator {
        self.either().migrator()
    }

    async fn migrate(&self) -> Result<()> {
        self.there()?.migrate().await
    }

    async fn copy(&self, file: &Path) -> Result<()> {
        self.there()?.copy(file).await
    }

    async fn check(&self) -> Result<()> {
        self.there()?.check().await
    }

    async fn hint(&self) {
        if let Ok(there) = self.there() {
            return there.hint().await;
        }
        tokio::time::sleep(PAUSE).await;
        if self.reach().await.is_ok() {
            tracing::warn!("the database is there");
        }
    }

    async fn close(&self) {
        if let Ok(there) = self.there() {
            there.close().await;
        }
        self.copy.close().await;
    }
}
