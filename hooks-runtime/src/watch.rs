//! Follows the files of a runtime, and loads them again when one changes.
//!
//! It watches folders, not files, because editors write a new file and rename it. Changes in quick succession, for
//! example of a file that is written in pieces, cause one reload.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};
use tokio::sync::mpsc::{Sender, channel};

use crate::runtime::{Runtime, WeakRuntime};

/// How long there must be no further change before the files are loaded again.
const QUIET: Duration = Duration::from_millis(100);

/// Watches folders until it is dropped.
pub(crate) struct Watcher {
    debouncer: Mutex<Debouncer<RecommendedWatcher, RecommendedCache>>,
    folders: Mutex<BTreeSet<PathBuf>>,
    names: Arc<Mutex<BTreeSet<OsString>>>,
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_tuple("Watcher").field(&*folders).finish()
    }
}

impl Watcher {
    /// Starts to follow the files of a runtime.
    ///
    /// # Errors
    ///
    /// If the system cannot watch a folder.
    pub(crate) fn start(runtime: &Runtime) -> io::Result<Self> {
        let (sender, mut changes) = channel::<()>(1);
        let files = runtime.files();
        let names = Arc::default();
        let notice = notice(Arc::clone(&names), sender);
        let debouncer = new_debouncer(QUIET, None, notice).map_err(io::Error::other)?;
        let watcher = Watcher {
            debouncer: Mutex::new(debouncer),
            folders: Mutex::default(),
            names,
        };
        watcher.follow(&files)?;
        let followed: WeakRuntime = runtime.downgrade();
        tokio::spawn(async move {
            while changes.recv().await.is_some() {
                let Some(runtime) = followed.upgrade() else {
                    return;
                };
                // The status and the log show the mistakes. The last good revision stays in force.
                let _ = runtime.reload().await;
                runtime.follow_files();
            }
        });
        Ok(watcher)
    }

    /// Also follows the folders of these files.
    pub(crate) fn follow(&self, files: &[PathBuf]) -> io::Result<()> {
        let names = files
            .iter()
            .filter_map(|file| Some(file.file_name()?.to_owned()));
        self.names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend(names);
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut debouncer = self
            .debouncer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for folder in files.iter().filter_map(|file| folder_of(file)) {
            if folders.contains(&folder) || !folder.is_dir() {
                continue;
            }
            debouncer
                .watch(&folder, RecursiveMode::NonRecursive)
                .map_err(io::Error::other)?;
            folders.insert(folder);
        }
        Ok(())
    }
}

/// Returns the folder of a file.
fn folder_of(file: &Path) -> Option<PathBuf> {
    let parent = file.parent()?;
    Some(if parent.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        parent.to_owned()
    })
}

/// Passes on changes of these files. Other files in the same folders may change often, and are ignored.
fn notice(
    names: Arc<Mutex<BTreeSet<OsString>>>,
    changed: Sender<()>,
) -> impl FnMut(DebounceEventResult) + Send + 'static {
    move |events: DebounceEventResult| {
        let names = names.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = match events {
            Ok(events) => events.iter().any(|event| {
                let names_one =
                    |path: &PathBuf| path.file_name().is_some_and(|name| names.contains(name));
                !event.kind.is_access()
                    && (event.need_rescan() || event.paths.iter().any(names_one))
            }),
            // An event may have been missed.
            Err(_) => true,
        };
        if is_ours {
            // One pending reload is enough.
            let _ = changed.try_send(());
        }
    }
}
