//! What stays as it is inside a writable folder, because it runs or decides later, outside: the table `protected.txt`.
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
use crate::rules::{Access, Rules};

const TABLE: &str = include_str!("protected.txt");
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

/// The names of a section, each with the text of its place-holder, if that is a file.
fn names(section: &str) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let lines = TABLE
        .lines()
        .skip_while(move |line| *line != section)
        .skip(1);
    lines
        .map_while(|line| line.strip_prefix("  "))
        .map(|line| match line.split_once(" = ") {
            Some((name, text)) => (name, Some(text)),
            None => (line, None),
        })
}

impl Held {
    /// Finds what the rules protect. `makes_place_holders` is whether what does not exist is held, too.
    pub(crate) fn find(rules: &Rules, makes_place_holders: bool) -> Result<Self, SandboxError> {
        let mut held = Held {
            makes_place_holders,
            ..Held::default()
        };
        for grant in rules
            .grants
            .iter()
            .filter(|grant| grant.access == Access::Write && grant.path.is_dir())
        {
            let folder = &grant.path;
            let home = std::env::var_os("HOME").map(PathBuf::from);
            let at_home = home
                .iter()
                .flat_map(|home| names("home").map(|(name, text)| (home.join(name), text)));
            let here = names("workspace").map(|(name, text)| (folder.join(name), text));
            for (path, text) in here.chain(at_home) {
                held.hold(rules, &path, text)?;
            }
            let mut repositories = Vec::new();
            add_repositories(&folder.join(".git"), &mut repositories);
            if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
                add_repositories(folder, &mut repositories);
            } else if repositories.is_empty() {
                for (name, text) in names("bare") {
                    held.hold(rules, &folder.join(name), text)?;
                }
            } else if folder.join(".git").is_file() {
                held.hold(rules, &folder.join(".git"), None)?;
            }
            for repository in repositories {
                for (name, text) in names("git") {
                    held.hold(rules, &repository.join(name), text)?;
                }
            }
        }
        for path in &rules.protect {
            held.hold(rules, path, None)?;
        }
        Ok(held)
    }

    /// Holds a path and those on the way to it, as far as the program could change them.
    fn hold(&mut self, rules: &Rules, path: &Path, text: Option<&str>) -> Result<(), SandboxError> {
        let Some(grant) = path.parent().and_then(|folder| rules.grant(folder)) else {
            return Ok(());
        };
        let is_yours = rules
            .grants
            .iter()
            .any(|grant| grant.path == path && grant.access == Access::Write);
        if grant.access != Access::Write || is_yours && !rules.protect.iter().any(|own| own == path)
        {
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
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem
                        ) =>
                    {
                        return Ok(());
                    }
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
                let target = fs::canonicalize(&at).map_err(|_| {
                    SandboxError::path(
                        &at,
                        "it is a link to nowhere, which cannot be protected: remove the link",
                    )
                })?;
                return self.hold(rules, &target.join(rest), text);
            }
        }
        Ok(())
    }
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
