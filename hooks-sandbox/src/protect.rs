//! Holds what is [protected](crate::protected) inside a writable folder.
//!
//! With namespaces, each such path becomes a mount point: the kernel neither renames nor removes one. So do the folders
//! on the way to it, or a program would move them aside and make its own. What does not exist gets a place-holder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::SandboxError;
use crate::error::Context as _;
use crate::protected;
use crate::rules::{Access, Rules, real_place};

/// How you know a place-holder, besides that it is empty: the rights of a folder, and of a file.
const FOLDER: u32 = 0o500;
const FILE: u32 = 0o400;

/// How a path is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Hold {
    /// It stays as it is.
    Still,
    /// It stays where it is, and may change inside: a folder on the way to another path.
    InPlace,
    /// It is a link, and goes on leading where it leads.
    Link,
}

/// The paths to hold, with the place-holders among them.
#[derive(Debug, Default)]
pub(crate) struct Held {
    pub(crate) paths: BTreeMap<PathBuf, Hold>,
    place_holders: Vec<PlaceHolder>,
    makes_place_holders: bool,
}

impl Held {
    /// Finds what the rules protect. `makes_place_holders` is whether what does not exist is held, too.
    pub(crate) fn find(rules: &Rules, makes_place_holders: bool) -> Result<Self, SandboxError> {
        let mut held = Held {
            makes_place_holders,
            ..Held::default()
        };
        let writable = rules
            .grants
            .iter()
            .filter(|grant| grant.access == Access::Write);
        for folder in writable
            .map(|grant| &grant.path)
            .filter(|path| path.is_dir())
        {
            held.hold_all(rules, folder, "anywhere")?;
            held.hold_repositories(rules, folder)?;
        }
        if let Some(home) = std::env::home_dir() {
            held.hold_all(rules, &home, "home")?;
        }
        for path in &rules.protect {
            held.hold(rules, path, None)?;
        }
        Ok(held)
    }

    /// Holds the names of a section in a folder.
    fn hold_all(
        &mut self,
        rules: &Rules,
        folder: &Path,
        section: &str,
    ) -> Result<(), SandboxError> {
        protected::entries(section)
            .try_for_each(|(name, text)| self.hold(rules, &folder.join(name), text))
    }

    /// Holds what makes git run programs, in a work tree or in a repository's own folder.
    fn hold_repositories(&mut self, rules: &Rules, folder: &Path) -> Result<(), SandboxError> {
        let git = folder.join(".git");
        let mut repositories = Vec::new();
        add_repositories(&git, &mut repositories);
        if repositories.is_empty() && folder.join("objects").is_dir() {
            add_repositories(folder, &mut repositories);
        }
        if repositories.is_empty() {
            return self.hold_all(rules, folder, "bare");
        }
        if git.is_file() {
            self.hold(rules, &git, None)?;
        } else if git.is_dir() {
            // By this name, too: it may be a link.
            repositories.push(git);
        }
        for repository in repositories {
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
    fn hold(&mut self, rules: &Rules, path: &Path, text: Option<&str>) -> Result<(), SandboxError> {
        let grant = path.parent().and_then(|folder| rules.grant(folder));
        let Some(grant) = grant.filter(|grant| grant.access == Access::Write) else {
            return Ok(());
        };
        // Whoever names it as writable means it, unless they protect it as well.
        let own = rules
            .grant(path)
            .filter(|own| own.path == path && own.access == Access::Write);
        if own.is_some() && !rules.protect.iter().any(|protected| protected == path) {
            return Ok(());
        }
        let mut at = grant.path.clone();
        let mut parts = path.strip_prefix(&grant.path).unwrap_or(path).components();
        while let Some(part) = parts.next() {
            at.push(part);
            let rest = parts.as_path();
            let is_last = rest.as_os_str().is_empty();
            if self.makes_place_holders {
                match PlaceHolder::take(&at, text.filter(|_| is_last)) {
                    Ok(Some(place_holder)) => {
                        self.paths.insert(at, Hold::Still);
                        self.place_holders.push(place_holder);
                        return Ok(());
                    }
                    Ok(None) => {}
                    // What you cannot make there, the program cannot make either.
                    Err(error) if is_forbidden(&error) => return Ok(()),
                    Err(error) => return Err(SandboxError::path(&at, error)),
                }
            }
            let hold = match fs::symlink_metadata(&at) {
                Ok(found) if found.is_symlink() => Hold::Link,
                Ok(found) if found.is_dir() && !is_last => Hold::InPlace,
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(SandboxError::path(&at, error));
                }
                _ => Hold::Still,
            };
            let known = self.paths.entry(at.clone()).or_insert(hold);
            if hold == Hold::Still {
                *known = hold;
                return Ok(());
            }
            if hold == Hold::Link {
                let target = fs::canonicalize(&at);
                let target = target
                    .map_err(|_| "a link to nowhere cannot be protected: remove it")
                    .at(&at)?;
                return self.hold(rules, &target.join(rest), text);
            }
        }
        Ok(())
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

/// Something empty that keeps a name taken. Sandboxes that run at once share it: the last one removes it.
#[derive(Debug)]
struct PlaceHolder {
    path: PathBuf,
    /// Locked as long as it is needed.
    lock: File,
}

impl PlaceHolder {
    /// Makes a place-holder, or shares that of another run. `None` is that something else is there.
    fn take(path: &Path, text: Option<&str>) -> io::Result<Option<Self>> {
        loop {
            match fs::symlink_metadata(path) {
                Ok(found) if !is_place_holder(path, &found, text) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::NotFound => match make(path, text) {
                    Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                    _ => {}
                },
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            let lock = match File::open(path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                lock => lock?,
            };
            lock.lock_shared()?;
            // Another run may have removed it meanwhile.
            let locked = lock.metadata()?;
            if fs::symlink_metadata(path)
                .is_ok_and(|now| (now.dev(), now.ino()) == (locked.dev(), locked.ino()))
            {
                return Ok(Some(PlaceHolder {
                    path: path.to_owned(),
                    lock,
                }));
            }
        }
    }
}

impl Drop for PlaceHolder {
    fn drop(&mut self) {
        if self.lock.try_lock().is_ok() {
            // It fails if somebody outside has put something into the folder: then it is theirs.
            let _ = fs::remove_dir(&self.path).or_else(|_| fs::remove_file(&self.path));
        }
    }
}

fn make(path: &Path, text: Option<&str>) -> io::Result<()> {
    let Some(text) = text else {
        return fs::DirBuilder::new().mode(FOLDER).create(path);
    };
    let mut file = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(FILE))
        .tempfile_in(path.parent().unwrap_or(Path::new("/")))?;
    file.write_all(text.as_bytes())?;
    file.persist_noclobber(path)?;
    Ok(())
}

fn is_place_holder(path: &Path, found: &fs::Metadata, text: Option<&str>) -> bool {
    let mode = found.mode() & 0o777;
    match text {
        None => {
            found.is_dir()
                && mode == FOLDER
                && fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
        }
        Some(text) => {
            found.is_file()
                && mode == FILE
                && fs::read(path).is_ok_and(|found| found == text.as_bytes())
        }
    }
}
