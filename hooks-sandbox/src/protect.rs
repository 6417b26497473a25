//! Holds what is [protected](crate::protected) inside a writable folder.
//!
//! With namespaces, each such path becomes a mount point: the kernel neither renames nor removes one. So do the folders
//! on the way to it, or a program would move them aside and make its own. What does not exist gets a place-holder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, FileTypeExt as _, MetadataExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::SandboxError;
use crate::error::ErrorContext as _;
use crate::protected;
use crate::rules::{ConfinementRules, PathAccess, real_place};

/// How you know a place-holder, besides that it is empty: the rights of a folder, and of a file or a socket.
const FOLDER: u32 = 0o500;
const FILE: u32 = 0o400;
/// The folders of a writable folder that are looked into, the nearest first.
const FOLDERS: usize = 4000;
/// What is not looked into: such folders are large, and what is in them is made by programs.
const MADE: [&str; 10] = [
    ".git",
    ".mypy_cache",
    ".next",
    ".tox",
    ".venv",
    "__pycache__",
    "bazel-out",
    "node_modules",
    "target",
    "venv",
];
/// How long another program may have a folder locked.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a path is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathHold {
    /// It stays as it is.
    Still,
    /// It stays where it is, and may change inside: a folder on the way to another path.
    InPlace,
    /// It is a link, and goes on leading where it leads.
    Link,
}

/// The paths to hold, with the place-holders among them.
#[derive(Debug, Default)]
pub(crate) struct ProtectedPaths {
    pub(crate) paths: BTreeMap<PathBuf, PathHold>,
    repositories: BTreeSet<PathBuf>,
    place_holders: BTreeMap<PathBuf, PlaceHolders>,
    /// What was made on the way to one. It goes after them.
    folders: Folders,
    makes_place_holders: bool,
}

impl ProtectedPaths {
    /// Finds what the rules protect. `makes_place_holders` is whether what does not exist is held, too.
    pub(crate) fn find(
        rules: &ConfinementRules,
        makes_place_holders: bool,
    ) -> Result<Self, SandboxError> {
        let mut held = ProtectedPaths {
            makes_place_holders,
            ..ProtectedPaths::default()
        };
        let writable = rules
            .grants
            .iter()
            .filter(|grant| grant.access == PathAccess::Write);
        for folder in writable
            .map(|grant| &grant.path)
            .filter(|path| path.is_dir())
        {
            held.walk(rules, folder)?;
        }
        if let Some(home) = std::env::home_dir() {
            held.hold_all(rules, &home, "home")?;
        }
        for path in &rules.protect {
            held.hold(rules, path, None)?;
        }
        Ok(held)
    }

    /// Holds what is protected in a writable folder and below: what is there, and in the folder itself and in repositories
    /// also what is not.
    fn walk(&mut self, rules: &ConfinementRules, top: &Path) -> Result<(), SandboxError> {
        let (mut level, mut left) = (vec![top.to_owned()], FOLDERS);
        while !level.is_empty() {
            let all = Folder::look_into_all(&level);
            let mut next = Vec::new();
            for (path, folder) in level.iter().zip(all) {
                let is_top = path == top;
                for protected in &folder.protected {
                    self.hold(rules, protected, None)?;
                }
                if is_top || folder.is_work_tree {
                    self.hold_all(rules, path, "anywhere")?;
                }
                if is_top || folder.is_work_tree || folder.of_repository == 2 {
                    self.hold_repositories(rules, path, is_top)?;
                }
                next.extend(folder.below);
            }
            next.truncate(left);
            left -= next.len();
            level = next;
        }
        Ok(())
    }

    /// Holds the names of a section in a folder.
    fn hold_all(
        &mut self,
        rules: &ConfinementRules,
        folder: &Path,
        section: &str,
    ) -> Result<(), SandboxError> {
        protected::entries(section)
            .try_for_each(|(name, text)| self.hold(rules, &folder.join(name), text))
    }

    /// Holds what makes git run programs, in a work tree or in a repository's own folder. `is_top` is whether a folder that is
    /// not one must not become one.
    fn hold_repositories(
        &mut self,
        rules: &ConfinementRules,
        folder: &Path,
        is_top: bool,
    ) -> Result<(), SandboxError> {
        let git = folder.join(".git");
        let mut repositories = Vec::new();
        add_repositories(&git, &mut repositories);
        if repositories.is_empty() && folder.join("objects").is_dir() {
            add_repositories(folder, &mut repositories);
        }
        if repositories.is_empty() {
            return if is_top {
                self.hold_all(rules, folder, "bare")
            } else {
                Ok(())
            };
        }
        if git.is_file() {
            self.hold(rules, &git, None)?;
        } else if git.is_dir() {
            // By this name, too: it may be a link.
            repositories.push(git);
        }
        for repository in repositories {
            if !self.repositories.insert(repository.clone()) {
                continue;
            }
            self.hold_all(rules, &repository, "git")?;
            let settings = fs::read_to_string(repository.join("config")).unwrap_or_default();
            for (key, path) in settings.lines().filter_map(|line| line.split_once('=')) {
                let path = path.trim().trim_matches('"');
                match key.trim().to_ascii_lowercase().as_str() {
                    "hookspath" => self.hold(rules, &real_place(&folder.join(path))?, None)?,
                    "path" => self.hold(rules, &real_place(&repository.join(path))?, None)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Holds a path and those on the way to it, as far as the program could change them.
    fn hold(
        &mut self,
        rules: &ConfinementRules,
        path: &Path,
        text: Option<&str>,
    ) -> Result<(), SandboxError> {
        let grant = path.parent().and_then(|folder| rules.grant(folder));
        let Some(grant) = grant.filter(|grant| grant.access == PathAccess::Write) else {
            return Ok(());
        };
        if rules.opened.iter().any(|opened| path.starts_with(opened)) {
            return Ok(());
        }
        let mut at = grant.path.clone();
        let mut parts = path.strip_prefix(&grant.path).unwrap_or(path).components();
        while let Some(part) = parts.next() {
            at.push(part);
            let rest = parts.as_path();
            let is_last = rest.as_os_str().is_empty();
            if self.makes_place_holders {
                let taken = if is_last {
                    self.take(&at, text)
                } else {
                    self.make_folder(&at).map(|()| false)
                };
                match taken {
                    Ok(true) => {
                        self.paths.insert(at, PathHold::Still);
                        return Ok(());
                    }
                    Ok(false) => {}
                    // What you cannot make there, the program cannot make either.
                    Err(error) if is_forbidden(&error) => return Ok(()),
                    Err(error) => return Err(SandboxError::path(&at, error)),
                }
            }
            let hold = match fs::symlink_metadata(&at) {
                Ok(found) if found.is_symlink() => PathHold::Link,
                Ok(found) if found.is_dir() && !is_last => PathHold::InPlace,
                Ok(_) => PathHold::Still,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    path.clone_into(&mut at);
                    PathHold::Still
                }
                Err(error) => return Err(SandboxError::path(&at, error)),
            };
            let known = self.paths.entry(at.clone()).or_insert(hold);
            if hold == PathHold::Still {
                *known = hold;
                return Ok(());
            }
            if hold == PathHold::Link {
                let target = match fs::canonicalize(&at) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {
                        let target = fs::read_link(&at).at(&at)?;
                        real_place(&at.parent().unwrap_or(&at).join(target))
                            .map_err(|_| "a link to nowhere cannot be protected: remove it")
                            .at(&at)?
                    }
                    // One that leads in a circle leads nowhere else, whatever the program makes.
                    target => target.unwrap_or_default(),
                };
                return self.hold(rules, &target.join(rest), text);
            }
        }
        Ok(())
    }

    /// Makes a folder on the way to a place-holder, if nothing is there.
    fn make_folder(&mut self, path: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir(path)?;
                self.folders.0.push(path.to_owned());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Makes a place-holder, or shares that of another run. Returns whether there is one, and not something else.
    fn take(&mut self, path: &Path, text: Option<&str>) -> io::Result<bool> {
        let Some(folder) = path.parent() else {
            return Ok(false);
        };
        if !self.place_holders.contains_key(folder) {
            let locked = PlaceHolders::of(folder)?;
            self.place_holders.insert(folder.to_owned(), locked);
        }
        let Some(place_holders) = self.place_holders.get_mut(folder) else {
            return Ok(false);
        };
        match make(path, text, place_holders.socket.as_deref()) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                if !is_place_holder(path, &fs::symlink_metadata(path)?, text) {
                    return Ok(false);
                }
            }
            made => made?,
        }
        if text.is_none() && !path.ends_with(".git") {
            place_holders.socket.get_or_insert_with(|| path.to_owned());
        }
        place_holders.paths.push(path.to_owned());
        Ok(true)
    }
}

/// What is found in a folder.
#[derive(Default)]
struct Folder {
    /// The folders in it, as far as they are worth a look.
    below: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    is_work_tree: bool,
    /// How many names there are of those that each repository's own folder has.
    of_repository: usize,
}

impl Folder {
    fn look_into(path: &Path) -> Self {
        let mut folder = Folder::default();
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let (name, kind) = (entry.file_name(), entry.file_type());
            // Others take the place-holders of their own sandboxes away again.
            let Some(kind) = kind.ok().filter(|kind| !kind.is_socket()) else {
                continue;
            };
            let all = protected::beginning_with(&name).map(|rest| entry.path().join(rest));
            let known = folder.protected.len();
            folder
                .protected
                .extend(all.filter(|path| path.symlink_metadata().is_ok()));
            folder.is_work_tree |= name == ".git";
            folder.of_repository += usize::from(name == "HEAD" || name == "objects");
            let is_made = || name.to_str().is_some_and(|name| MADE.contains(&name));
            let is_protected = folder.protected[known..].contains(&entry.path());
            if kind.is_dir() && !is_protected && !is_made() {
                folder.below.push(entry.path());
            }
        }
        folder
    }

    /// Looks into folders, on all processors if there are many. No thread is left afterwards.
    fn look_into_all(paths: &[PathBuf]) -> Vec<Self> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let size = paths.len().div_ceil(threads).max(64);
        let look = |paths: &[PathBuf]| -> Vec<_> {
            paths.iter().map(|path| Folder::look_into(path)).collect()
        };
        std::thread::scope(|scope| {
            let mut chunks = paths.chunks(size);
            let own = chunks.next().unwrap_or_default();
            let others: Vec<_> = chunks
                .map(|chunk| {
                    let thread = std::thread::Builder::new();
                    (chunk, thread.spawn_scoped(scope, move || look(chunk)))
                })
                .collect();
            let mut all = look(own);
            for (chunk, thread) in others {
                let found = thread.ok().and_then(|thread| thread.join().ok());
                all.extend(found.unwrap_or_else(|| look(chunk)));
            }
            all
        })
    }
}

fn is_forbidden(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
    )
}

/// Adds a repository's own folder, and those that belong to it: of its submodules, of its work trees, and what a `.git`
/// that is a file leads to.
fn add_repositories(git: &Path, found: &mut Vec<PathBuf>) {
    let Ok(git) = fs::canonicalize(git) else {
        return;
    };
    if found.contains(&git) || found.len() > 1000 {
        return;
    }
    if let Ok(text) = fs::read_to_string(&git) {
        let folder = git.parent().unwrap_or(Path::new("/"));
        if let Some(target) = text.trim_end().strip_prefix("gitdir: ") {
            add_repositories(&folder.join(target), found);
        }
        return;
    }
    if let Ok(common) = fs::read_to_string(git.join("commondir")) {
        let common = git.join(common.trim_end());
        found.push(git.clone());
        add_repositories(&common, found);
    } else if git.join("HEAD").exists() {
        found.push(git.clone());
    }
    let inner = if git.join("HEAD").exists() {
        &["modules", "worktrees"][..]
    } else {
        &[""]
    };
    for entry in inner
        .iter()
        .filter_map(|inner| fs::read_dir(git.join(inner)).ok())
        .flatten()
        .flatten()
    {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            add_repositories(&entry.path(), found);
        }
    }
}

/// What keeps names taken in a folder: empty, and of a kind that git does not see. Sandboxes that run at once share it: the
/// last one removes it.
#[derive(Debug)]
struct PlaceHolders {
    /// The folder, locked as long as they are needed.
    lock: File,
    /// The first one that is a socket: others are links to it, which cost least.
    socket: Option<PathBuf>,
    paths: Vec<PathBuf>,
}

impl Drop for PlaceHolders {
    fn drop(&mut self) {
        if self.lock.try_lock().is_ok() {
            for path in &self.paths {
                // It fails if a program outside has put something into the folder: then it is theirs.
                let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
            }
        }
    }
}

/// Folders that are removed if nothing is in them.
#[derive(Debug, Default)]
struct Folders(Vec<PathBuf>);

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

impl PlaceHolders {
    fn of(folder: &Path) -> io::Result<Self> {
        let (lock, begin) = (File::open(folder)?, Instant::now());
        loop {
            match lock.try_lock_shared() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => {
                    return Err(io::Error::other("another program has locked the folder"));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        Ok(PlaceHolders {
            lock,
            socket: None,
            paths: Vec::new(),
        })
    }
}

/// Makes a place-holder: a socket without a listener, or a link to one, or a file with a text. A repository is one only
/// as a folder.
fn make(path: &Path, text: Option<&str>, socket: Option<&Path>) -> io::Result<()> {
    let Some(text) = text else {
        let folder = || fs::DirBuilder::new().mode(FOLDER).create(path);
        if path.ends_with(".git") {
            return folder();
        }
        let made = match socket {
            Some(socket) => fs::hard_link(socket, path),
            None => make_socket(path),
        };
        return match made {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
            // Some file systems have no sockets.
            Err(_) => folder(),
            Ok(()) => Ok(()),
        };
    };
    let mut file = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(FILE))
        .tempfile_in(path.parent().unwrap_or(Path::new("/")))?;
    file.write_all(text.as_bytes())?;
    file.persist_noclobber(path)?;
    Ok(())
}

#[cfg(target_os = "linux")]
fn make_socket(path: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    Ok(mknodat(
        CWD,
        path,
        FileType::Socket,
        Mode::from_raw_mode(FILE),
        0,
    )?)
}

#[cfg(not(target_os = "linux"))]
fn make_socket(_: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

fn is_place_holder(path: &Path, found: &fs::Metadata, text: Option<&str>) -> bool {
    let (mode, kind) = (found.mode() & 0o777, found.file_type());
    match text {
        None if kind.is_socket() => mode == FILE,
        None => {
            kind.is_dir()
                && mode == FOLDER
                && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
        }
        Some(text) => {
            kind.is_file()
                && mode == FILE
                && fs::read(path).is_ok_and(|found| found == text.as_bytes())
        }
    }
}
