//! Follows the files of a runtime, and loads them again when one changes.
//!
//! Folders are watched, not files: editors write a new file and rename it. Changes that come together, as a file that is
//! written in pieces, make one reload. The folder above each is watched as well, so that one that is removed and made
//! again, or that is not there yet, is not lost. In a folder that is followed itself, every file counts.

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
    names: Arc<Mutex<Names>>,
}

/// Names of what is followed. They are compared instead of paths, because a system may report another path to a folder
/// than the one that is watched.
#[derive(Default)]
struct Names {
    /// The files, and the folders above them, which may be removed and made.
    all: BTreeSet<OsString>,
    /// The folders that are followed themselves.
    folders: BTreeSet<OsString>,
}

impl Names {
    /// Whether a change of this path may change what is loaded.
    fn concern(&self, path: &Path) -> bool {
        let is_in = |names: &BTreeSet<OsString>, path: Option<&Path>| {
            path.and_then(Path::file_name)
                .is_some_and(|name| names.contains(name))
        };
        is_in(&self.all, Some(path)) || is_in(&self.folders, path.parent())
    }
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
                runtime.watch_again();
                // What is wrong is in the status and in the log; the last good revision stays in force.
                let _ = runtime.reload().await;
            }
        });
        Ok(watcher)
    }

    /// Watches all folders again, because a watch follows a folder and not its path, where another folder may be by
    /// now.
    pub(crate) fn forget(&self) {
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut debouncer = self
            .debouncer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for folder in std::mem::take(&mut *folders) {
            // The watch of a removed folder has ended.
            let _ = debouncer.unwatch(&folder);
        }
    }

    /// Also follows these files and folders.
    pub(crate) fn follow(&self, files: &[PathBuf]) -> io::Result<()> {
        let name_of = |path: &Path| Some(path.file_name()?.to_owned());
        let all = files.iter().flat_map(|file| file.ancestors());
        let whole = files.iter().filter(|file| file.is_dir());
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        names.all.extend(all.filter_map(name_of));
        names.folders.extend(whole.filter_map(|file| name_of(file)));
        drop(names);
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        let mut debouncer = self
            .debouncer
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for file in files {
            let file = std::path::absolute(file)?;
            let mut there = file.ancestors().filter(|path| path.is_dir());
            let (nearest, above) = (there.next(), there.next());
            for (folder, is_needed) in [(nearest, true), (above, false)] {
                let Some(folder) = folder.filter(|folder| !folders.contains(*folder)) else {
                    continue;
                };
                match debouncer.watch(folder, RecursiveMode::NonRecursive) {
                    Ok(()) => {
                        folders.insert(folder.to_owned());
                    }
                    Err(error) if is_needed => return Err(io::Error::other(error)),
                    Err(_) => {}
                }
            }
        }
        Ok(())
    }
}

/// Passes on changes of these files. Others in the same folders may change often, and are nobody's business.
fn notice(
    names: Arc<Mutex<Names>>,
    changed: Sender<()>,
) -> impl FnMut(DebounceEventResult) + Send + 'static {
    move |events: DebounceEventResult| {
        let names = names.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = match events {
            Ok(events) => events.iter().any(|event| {
                let is_ours = |path: &PathBuf| names.concern(path);
                !event.kind.is_access() && (event.need_rescan() || event.paths.iter().any(is_ours))
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
