//! Backups: a copy of a database of SQLite as one file, and what running daemons and agents need after an older one is put back.

use std::path::Path;

use crate::admin::By;
use crate::crypt::file_of;
use crate::engine::{self, RowReader as _, args};
use crate::error::{Result, StoreError};
use crate::open::StoreBuilder;
use crate::store::Store;

/// By how much the counters are raised: more than anybody has published since a backup.
const LEAP: u64 = 10_000;

impl Store {
    /// Writes a copy of a database of SQLite into a new file, while others read and write. Its keys are not in it.
    ///
    /// ```
    /// use hooks_store::Store;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let folder = tempfile::tempdir()?;
    /// let file = |name: &str| folder.path().join(name).display().to_string();
    /// let (old, backup, new) = (file("old.db"), file("backup"), format!("sqlite:{}", file("new.db")));
    /// Store::open(&format!("sqlite:{old}")).await?.backup(backup.as_ref()).await?;
    /// Store::builder(&new).restore(backup.as_ref()).await?;
    /// assert!(Store::builder(&new).existing().open().await.is_ok());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the file is there already or cannot be written, the database is damaged, fails, is in memory, or is Postgres.
    pub async fn backup(&self, file: &Path) -> Result<()> {
        self.0.engine().copy(file).await
    }

    /// Makes what is in force now newer than everything that anybody has seen: after a database was restored, running daemons and
    /// agents take it. Each tenant gets a revision, whose number is at least 10,000 higher. Returns how many tenants those were.
    ///
    /// # Errors
    ///
    /// If the database fails.
    pub async fn restored(&self, by: &By) -> Result<usize> {
        let global = self.tenant("");
        let mut write = global.write(by).await?;
        let sql = "UPDATE counter SET value = value + $1";
        write.run(sql, args![LEAP]).await?;
        write.end("store.restored", "", "", "").await?;
        let mut count = 0;
        for tenant in self.tenants().await? {
            let renumbered = self.tenant(&tenant).renumber(by).await?;
            count += usize::from(renumbered.is_some());
        }
        Ok(count)
    }
}

impl StoreBuilder {
    /// Makes this store, of SQLite, from a [backup](Store::backup). What is there already stays as it is.
    ///
    /// # Errors
    ///
    /// If there is a store already, the backup is damaged, not a store, or one of a later version, or a file cannot be read or
    /// written.
    pub async fn restore(self, backup: &Path) -> Result<()> {
        let no_file = || StoreError::invalid("", "only SQLite is one file", "use `pg_restore`");
        let file = file_of(&self.place.address).ok_or_else(no_file)?;
        // SQLite would take the log of another database for that of this one.
        for end in ["", "-wal", "-journal"] {
            let there = format!("{file}{end}");
            if Path::new(&there).exists() {
                let message = format!("{there} is there already");
                return Err(StoreError::invalid("", message, "move it away first"));
            }
        }
        let address = format!("sqlite:{}", backup.display());
        let source = engine::connect(&Store::builder(address).read_only().place).await?;
        let copied = async {
            let missing = || StoreError::NotFound(format!("store in {}", backup.display()));
            engine::pending(&*source).await?.ok_or_else(missing)?;
            source.copy(Path::new(file)).await
        };
        let copied = copied.await;
        source.close().await;
        copied
    }
}
