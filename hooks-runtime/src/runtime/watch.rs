//! Follows the files of a runtime, and loads them again when one changes.
//!
//! Folders are watched, not files: editors write a new file and rename it. The folder above each is watched as well, so
//! that one that is removed and made again, or that is not there yet, is not lost. In a folder that is followed itself,
//! every file counts. So does every link on the way to a file: another target is another file.
//!
//! A file is loaded when its writer has closed it, because half of a file may be a valid one. Some systems do not say so,
//! and some file systems say nothing at all. So a change without an end counts after [`SETTLED`], and the files are
//! compared with those that were loaded as often.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::runtime::{Runtime, WeakRuntime};
use crate::source::SourceState;

/// How long no further change may come after one that is complete.
const QUIET: Duration = Duration::from_millis(100);

/// How long no further change may come after one whose writer may still write.
const SETTLED: Duration = Duration::from_secs(2);

/// The links on the way to a file are followed up to this number, as Linux does.
const MOST_LINKS: usize = 40;

/// Watches folders until it is dropped.
pub(crate) struct Watcher {
    runtime: WeakRuntime,
    /// What watches files. A runtime that has none takes nothing of the system for it, which has few watchers for a user: a daemon
    /// has a runtime for each tenant.
    system: Mutex<Option<RecommendedWatcher>>,
    folders: Mutex<BTreeSet<PathBuf>>,
    changes: Arc<PendingChanges>,
    tasks: Mutex<Vec<AbortHandle>>,
}

/// Names of what is followed. They are compared instead of paths, because a system may report another path to a folder
/// than the one that is watched.
#[derive(Default)]
struct FollowedNames {
    /// The files, the links to them, and the folders above, which may be removed and made.
    all: BTreeSet<OsString>,
    /// The folders that are followed themselves.
    folders: BTreeSet<OsString>,
}

impl FollowedNames {
    /// Whether a change of this path may change what is loaded.
    fn concern(&self, path: &Path) -> bool {
        let is_in = |names: &BTreeSet<OsString>, path: Option<&Path>| {
            path.and_then(Path::file_name)
                .is_some_and(|name| names.contains(name))
        };
        is_in(&self.all, Some(path)) || is_in(&self.folders, path.parent())
    }
}

/// The changes that are not loaded yet.
#[derive(Default)]
struct PendingChanges {
    names: Mutex<FollowedNames>,
    /// What has changed, and when it counts if it does not change again.
    due: Mutex<BTreeMap<PathBuf, Instant>>,
    news: Notify,
}

impl PendingChanges {
    /// Notes a change. Others in the same folders may change often, and are not noted.
    fn note(&self, event: notify::Result<Event>) {
        // Without paths, an event may have been missed.
        let (paths, is_complete) = match event {
            Ok(event) if event.need_rescan() => (vec![PathBuf::new()], false),
            Ok(event) => {
                let is_complete = match event.kind {
                    EventKind::Access(AccessKind::Close(AccessMode::Write))
                    | EventKind::Remove(_)
                    | EventKind::Modify(ModifyKind::Name(_)) => true,
                    EventKind::Access(_) => return,
                    _ => false,
                };
                let names = lock(&self.names);
                let ours = event.paths.into_iter().filter(|path| names.concern(path));
                (ours.collect(), is_complete)
            }
            Err(_) => (vec![PathBuf::new()], false),
        };
        for path in paths {
            self.expect(path, is_complete);
        }
    }

    fn expect(&self, path: PathBuf, is_complete: bool) {
        let wait = if is_complete { QUIET } else { SETTLED };
        lock(&self.due).insert(path, Instant::now() + wait);
        self.news.notify_one();
    }

    /// Waits until something has changed, and nothing changes any more.
    async fn settled(&self) {
        loop {
            let due = lock(&self.due).values().max().copied();
            let is_due = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.news.notified() => {}
                () = is_due => return,
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Watcher")
            .field(&*lock(&self.folders))
            .finish()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        for task in &*lock(&self.tasks) {
            task.abort();
        }
    }
}

impl Watcher {
    /// Starts to follow the files of a runtime.
    ///
    /// # Errors
    ///
    /// If the system cannot watch a folder.
    pub(crate) fn start(runtime: &Runtime) -> io::Result<Self> {
        let sources = runtime.sources();
        let follow = |source| tokio::spawn(follow_source(source, runtime.downgrade()));
        let watcher = Watcher {
            runtime: runtime.downgrade(),
            system: Mutex::default(),
            folders: Mutex::default(),
            changes: Arc::default(),
            tasks: Mutex::new(
                sources
                    .map(|source| follow(source).abort_handle())
                    .collect(),
            ),
        };
        watcher.follow(&runtime.files())?;
        Ok(watcher)
    }

    /// Watches all folders again, because a watch follows a folder and not its path, where another folder may be by
    /// now.
    pub(crate) fn forget(&self) {
        let mut folders = lock(&self.folders);
        let mut system = lock(&self.system);
        for folder in std::mem::take(&mut *folders) {
            // The watch of a removed folder has ended.
            let _ = system.as_mut().map(|system| system.unwatch(&folder));
        }
    }

    /// Takes what watches files from the system, and follows what it says.
    fn take_system(&self, files: &[PathBuf]) -> io::Result<()> {
        let mut system = lock(&self.system);
        if system.is_none() {
            let noting = Arc::clone(&self.changes);
            let taken = notify::recommended_watcher(move |event| noting.note(event));
            *system = Some(taken.map_err(io::Error::other)?);
            let (changes, loaded) = (Arc::clone(&self.changes), stamps(files.to_vec()));
            let task = tokio::spawn(load_again(changes, loaded, self.runtime.clone()));
            lock(&self.tasks).push(task.abort_handle());
        }
        Ok(())
    }

    /// Also follows these files and folders.
    pub(crate) fn follow(&self, files: &[PathBuf]) -> io::Result<()> {
        if !files.is_empty() {
            self.take_system(files)?;
        }
        let name_of = |path: &Path| Some(path.file_name()?.to_owned());
        for file in files {
            let file = std::path::absolute(file)?;
            let way = way_to(&file);
            {
                let mut names = lock(&self.changes.names);
                let all = way.iter().chain([&file]);
                let above = all.flat_map(|path| path.ancestors());
                names.all.extend(above.filter_map(name_of));
                if file.is_dir() {
                    let whole = [Some(&file), way.last()];
                    let whole = whole.into_iter().flatten();
                    names.folders.extend(whole.filter_map(|path| name_of(path)));
                }
            }
            for path in &way {
                self.watch(path)?;
            }
        }
        Ok(())
    }

    /// Watches the folder of a path, as far as it is there, and the one above.
    fn watch(&self, path: &Path) -> io::Result<()> {
        let mut folders = lock(&self.folders);
        let mut system = lock(&self.system);
        let Some(system) = &mut *system else {
            return Ok(());
        };
        let is_folder = |path: &&Path| path.symlink_metadata().is_ok_and(|about| about.is_dir());
        let mut there = path.ancestors().filter(is_folder);
        let (nearest, above) = (there.next(), there.next());
        for (folder, is_needed) in [(nearest, true), (above, false)] {
            let Some(folder) = folder.filter(|folder| !folders.contains(*folder)) else {
                continue;
            };
            match system.watch(folder, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    folders.insert(folder.to_owned());
                }
                Err(error) if is_needed => return Err(io::Error::other(error)),
                Err(_) => {}
            }
        }
        Ok(())
    }
}

/// Loads everything. What is wrong is in the status and in the log; the last good revision stays in force.
async fn reload(runtime: Runtime) {
    if let Err(error) = tokio::spawn(async move { runtime.reload().await.is_ok() }).await {
        tracing::error!(%error, "loading the hooks panicked: the last revision stays in force");
    }
}

/// Loads everything whenever a source may have another bundle.
async fn follow_source(source: Arc<SourceState>, followed: WeakRuntime) {
    loop {
        source.changed().await;
        let Some(runtime) = followed.upgrade() else {
            return;
        };
        reload(runtime).await;
    }
}

/// Loads the files whenever they have changed.
async fn load_again(
    changes: Arc<PendingChanges>,
    mut loaded: BTreeMap<PathBuf, Stamp>,
    followed: WeakRuntime,
) {
    let mut turn = tokio::time::interval(SETTLED);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let is_settled = tokio::select! {
            biased;
            _ = turn.tick() => false,
            () = changes.settled() => true,
        };
        let Some(runtime) = followed.upgrade() else {
            return;
        };
        let now = stamps_of(&runtime).await;
        if !is_settled {
            for (path, stamp) in &now {
                if loaded.get(path).is_some_and(|known| known != stamp) {
                    changes.expect(path.clone(), false);
                }
            }
            loaded.extend(now);
            continue;
        }
        lock(&changes.due).clear();
        runtime.watch_again();
        reload(runtime.clone()).await;
        // What changed while it was read counts as a change after it.
        loaded = stamps_of(&runtime).await;
        loaded.extend(now);
    }
}

/// What tells whether a file is another one than before: its device and its number, when it was changed, its length.
pub(super) type Stamp = Option<(u64, u64, Option<SystemTime>, u64)>;

/// Returns the stamps of the files of a runtime. A file on a network may be slow to tell.
async fn stamps_of(runtime: &Runtime) -> BTreeMap<PathBuf, Stamp> {
    let files = runtime.files();
    let read = tokio::task::spawn_blocking(move || stamps(files));
    // The executor may be ending.
    read.await.unwrap_or_default()
}

/// Returns the stamps of files, behind all links.
pub(super) fn stamps(files: Vec<PathBuf>) -> BTreeMap<PathBuf, Stamp> {
    let stamp = |file: &PathBuf| {
        let about = file.metadata().ok()?;
        let (device, number) = identity(&about);
        Some((device, number, changed(&about), about.len()))
    };
    let stamped = files.into_iter().map(|file| {
        let stamp = stamp(&file);
        (file, stamp)
    });
    stamped.collect()
}

#[cfg(unix)]
fn identity(about: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt as _;
    (about.dev(), about.ino())
}

/// When a file was changed in any way. Programs can set when it was written, and not this.
#[cfg(unix)]
fn changed(about: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt as _;
    let seconds = Duration::from_secs(about.ctime().try_into().ok()?);
    let rest = Duration::from_nanos(about.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(seconds + rest)
}

#[cfg(not(unix))]
fn changed(about: &Metadata) -> Option<SystemTime> {
    about.modified().ok()
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// Returns each link on the way to a file, and then the file itself, all by paths without links above them.
fn way_to(file: &Path) -> Vec<PathBuf> {
    let parts = |path: &Path| -> Vec<OsString> {
        let parts = path.components().rev();
        parts.map(|part| part.as_os_str().to_owned()).collect()
    };
    let (mut way, mut real) = (Vec::new(), PathBuf::new());
    let mut left = parts(file);
    while let Some(part) = left.pop() {
        if part == Component::ParentDir.as_os_str() {
            real.pop();
            continue;
        }
        let next = real.join(&part);
        match next.read_link() {
            Ok(target) if way.len() < MOST_LINKS => {
                left.extend(parts(&target));
                way.push(next);
            }
            _ => real = next,
        }
    }
    way.push(real);
    way
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn every_link_on_the_way_to_a_file_is_known() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join("config/..v1")).unwrap();
        symlink("..v1", root.join("config/..data")).unwrap();
        symlink("..data/hooks.toml", root.join("config/hooks.toml")).unwrap();
        symlink("../hooks.toml", root.join("config/..v1/up.toml")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        let way = |path: &str| -> Vec<String> {
            let way = way_to(&root.join(path)).into_iter();
            let inside = way.map(|path| path.strip_prefix(&root).unwrap().to_owned());
            inside.map(|path| path.display().to_string()).collect()
        };
        assert_eq!(way("none/x.toml"), ["none/x.toml"]);
        assert_eq!(
            way("config/hooks.toml"),
            [
                "config/hooks.toml",
                "config/..data",
                "config/..v1/hooks.toml"
            ]
        );
        let up = way("config/..data/up.toml");
        assert_eq!(up[..2], ["config/..data", "config/..v1/up.toml"]);
        assert_eq!(up.last().unwrap(), "config/..v1/hooks.toml");
        assert_eq!(way("loop").len(), MOST_LINKS + 1, "the way ends");
    }
}
