//! The heads of the store, which the daemon says each minute in which one has changed.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use hooks_store::{Heads, Store};

const EVERY: Duration = Duration::from_mins(1);

/// Says the heads of a store, if there is one: to the log, and to a file.
pub(super) struct HeadWriter {
    store: Option<Store>,
    file: Option<File>,
    heads: Heads,
}

impl HeadWriter {
    pub(super) fn new(store: Option<Store>, file: Option<PathBuf>) -> io::Result<Self> {
        let open = |path| File::options().create(true).append(true).open(path);
        Ok(HeadWriter {
            store,
            file: file.map(open).transpose()?,
            heads: Heads::default(),
        })
    }

    /// Says what is new, now and each minute.
    pub(super) async fn run(&mut self) -> Infallible {
        loop {
            self.say().await;
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Says what is new at the end, when all that was recorded is written.
    pub(super) async fn end(&mut self) {
        if let Some(store) = &self.store {
            // What cannot be written is an error when the store is closed.
            let _ = store.recorder().flush().await;
            self.say().await;
        }
    }

    async fn say(&mut self) {
        let Some(store) = &self.store else { return };
        match self.heads.next(store).await {
            Ok(Some(line)) => {
                tracing::info!(target: "hooks::heads", "{line}");
                if let Some(Err(error)) = self.file.as_mut().map(|file| append(file, &line)) {
                    tracing::error!(%error, "the heads of the store cannot be written to their file");
                }
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "the heads of the store cannot be said"),
        }
    }
}

fn append(file: &mut File, line: &str) -> io::Result<()> {
    writeln!(file, "{line}")?;
    file.sync_data()
}
