//! Which paths a call may touch.
//!
//! One question is asked of each path: where does it lead, and may that be read or changed? How much has to be looked at
//! for the answer is a [`Certainty`]: the names in a command are enough where the kernel holds it to them. Elsewhere,
//! the files that exist count as well, with the links among them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::ops::Range;
use std::path::{Path, PathBuf};

use hooks_sandbox::protected;
use hooks_shell::{Access, Argument, Effects, Names, PathUse};

use super::SecurityPolicyConfig;
use crate::shared::{Glob, patch, paths};

/// The forbidden paths, and the folder that paths must not leave.
#[derive(Debug)]
pub(super) struct PathGuard {
    /// Absolute, without links.
    workspace: PathBuf,
    workspace_only: bool,
    forbidden: Vec<Forbidden>,
    /// Names that are forbidden in every folder of the workspace, in lower case.
    names: Vec<String>,
    /// What the policy itself is made of, and what it writes.
    own: Vec<PathBuf>,
    /// The protected names that may be changed nevertheless, and paths that may.
    opened: Vec<String>,
    opened_paths: Vec<PathBuf>,
}

/// How much of what a command touches must be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// The paths that it names: the kernel holds it to them.
    Named,
    /// The files that are there as well, since nothing else holds it.
    Found,
}

/// Folders of what was fetched or built. They are replaced as a whole, with the settings of others in them.
const REPLACED: [&str; 4] = ["node_modules", "target", ".venv", "venv"];

/// A path that is forbidden, as it is written, or where it leads.
#[derive(Debug)]
struct Forbidden {
    path: PathBuf,
    /// Whether everybody's settings forbid it: a folder of the system, or of keys.
    is_usual: bool,
    is_in_workspace: bool,
    holds_workspace: bool,
}

/// Devices that hold nothing.
const HARMLESS: &str =
    "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/stdin /dev/stdout /dev/stderr";

/// The maximum length of a path in bytes, and the maximum number of names in one. Each name takes a system call.
const LONGEST_PATH: usize = 4096;
const MOST_NAMES: usize = 64;
/// How many files of the workspace are looked at for one command.
pub(super) const MOST_FILES: usize = 250_000;
/// How many paths may be in one command.
const MOST_PATHS: usize = 20_000;

/// What is known about a command while its paths are checked.
struct Check<'e> {
    guard: &'e PathGuard,
    effects: &'e Effects,
    start: &'e Path,
    certainty: Certainty,
    /// Whether nothing of the command is unknown.
    is_whole: bool,
    /// How many files may still be looked at.
    budget: usize,
    known: HashSet<(&'e str, &'e str, Access, bool)>,
    made: CreatedPaths,
    last_use: usize,
    /// The folders that the command works in, if it moves anything.
    folders: BTreeSet<&'e Path>,
}

impl PathGuard {
    /// Creates a guard for a folder that is absolute and without links.
    pub(super) fn new(workspace: PathBuf, config: &SecurityPolicyConfig) -> Self {
        let mut forbidden = Vec::new();
        let mut names = Vec::new();
        let usual = SecurityPolicyConfig::default().forbidden_paths;
        for path in &config.forbidden_paths {
            let is_usual = usual.contains(path);
            if is_name(path) {
                names.push(path.to_lowercase());
            }
            if Path::new(path).is_absolute() {
                forbidden.push((PathBuf::from(path), is_usual));
            }
            // Without a home directory, a path in it cannot exist.
            if let Ok(resolved) = paths::resolve(path, &workspace) {
                forbidden.push((resolved, is_usual));
            }
        }
        forbidden.sort_unstable();
        forbidden.dedup();
        let forbidden = forbidden.into_iter().map(|(path, is_usual)| Forbidden {
            is_usual,
            is_in_workspace: path.starts_with(&workspace),
            holds_workspace: workspace.starts_with(&path),
            // Without parts that have no meaning, so that it can be compared as a text.
            path: path.components().collect(),
        });
        let forbidden = forbidden.collect();
        let (opened, paths): (Vec<_>, _) = (config.allow_writing.iter())
            .partition(|name| protected::names().any(|known| known == name.as_str()));
        let place = |path: &String| paths::resolve(path, &workspace).ok();
        let opened_paths = paths.into_iter().filter_map(place).collect();
        let here = std::env::current_dir().unwrap_or_default();
        let real = |path: &Path| paths::resolve(&path.to_string_lossy(), &here).ok();
        let own = config.loaded_from.iter().flat_map(|path| {
            // A link is replaced, and not what it leads to.
            let link = path.parent().zip(path.file_name());
            let link = link.and_then(|(folder, name)| Some(real(folder)?.join(name)));
            real(path).into_iter().chain(link)
        });
        PathGuard {
            own: own.collect(),
            opened: opened.into_iter().cloned().collect(),
            opened_paths,
            workspace,
            workspace_only: config.workspace_only,
            forbidden,
            names,
        }
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Checks whether a path may be read from a directory that is absolute and without links.
    pub(super) fn check(&self, path: &str, base: &Path) -> Result<(), String> {
        if is_harmless(path) {
            return Ok(());
        }
        self.enter(path, base).map(drop)
    }

    /// Does the same for a path that is changed.
    pub(super) fn check_change(&self, path: &str, base: &Path) -> Result<(), String> {
        if is_harmless(path) {
            return Ok(());
        }
        let leads_to = self.enter(path, base)?;
        self.keep(path, &leads_to)?;
        // A link of a protected name is replaced, and not what it leads to.
        let trimmed = path.trim_end_matches('/');
        if let Some(name) = Path::new(trimmed).file_name()
            && let Ok(folder) = paths::resolve(folder_of(trimmed), base)
        {
            self.keep(path, &folder.join(name))?;
        }
        Ok(())
    }

    /// Whether a path is in a folder of what was fetched or built. The workspace itself may be in one.
    fn is_replaced(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.workspace).unwrap_or(Path::new(""));
        let mut parts = inside.iter();
        parts.any(|part| REPLACED.iter().any(|name| part == *name))
    }

    /// Refuses to change what is protected.
    fn keep(&self, path: &str, place: &Path) -> Result<(), String> {
        let is_open = |name: &str| self.opened.iter().any(|opened| opened == name);
        let is_opened = self
            .opened_paths
            .iter()
            .any(|opened| is_within(place, opened));
        let inside = place.strip_prefix(&self.workspace).unwrap_or(place);
        let name = protected::covering(inside).filter(|name| !is_open(name) && !is_opened);
        let is_own = self.own.iter().any(|own| own == place);
        if name.is_none() && !is_own {
            return Ok(());
        }
        Err(match name {
            Some(name) => format!(
                "`{path}` is protected, because `{name}` decides what runs or is allowed: leave it as it is, and go on without; \
                 a person may change it, or list it in `allow_writing`"
            ),
            None => format!(
                "`{path}` is protected, because the hooks are made of it or write it: leave it as it is, and go on without; \
                 a person may change it"
            ),
        })
    }

    /// Returns the places of the paths that a command may not touch, and why. It begins in a directory without links.
    pub(super) fn check_all<'e>(
        &'e self,
        effects: &'e Effects,
        start: &'e Path,
        certainty: Certainty,
    ) -> impl Iterator<Item = (Range<usize>, String)> + 'e {
        let mut check = None;
        let paths = effects.paths().enumerate().take(MOST_PATHS + 2);
        paths.filter_map(move |(nth, used)| {
            let check = check.get_or_insert_with(|| Check::of(self, effects, start, certainty));
            let wrong = check.one(nth, used).err()?;
            Some((used.span.clone(), wrong))
        })
    }

    /// Returns the protected paths that may be changed. A name is one at the top of the workspace.
    pub(super) fn opened(&self) -> impl Iterator<Item = PathBuf> {
        let names = self.opened.iter().map(|name| self.workspace.join(name));
        names.chain(self.opened_paths.iter().cloned())
    }

    /// Returns the folders that a command writes to: those that hold what it names.
    pub(super) fn written(&self, effects: &Effects) -> Result<Vec<PathBuf>, String> {
        let mut folders = BTreeSet::new();
        for used in effects
            .paths()
            .filter(|used| used.access.changes() || used.access.makes_links())
        {
            for directory in used.directories.iter() {
                let places = places(&used.path, Path::new(directory))?;
                if places.is_empty() {
                    folders.insert(self.workspace.clone());
                }
                for place in places {
                    let is_one = used.path.known().is_some();
                    let mut around = place.ancestors().skip(usize::from(is_one));
                    folders.extend(around.find(|folder| folder.is_dir()).map(Path::to_owned));
                }
            }
        }
        folders.retain(|folder| {
            !folder.starts_with("/dev")
                && self.keep("", folder).is_ok()
                && (!self.workspace_only || is_within(folder, &self.workspace))
        });
        Ok(folders.into_iter().collect())
    }

    /// Returns what a command reads outside of the workspace.
    pub(super) fn read(&self, effects: &Effects) -> Vec<PathBuf> {
        let mut found = BTreeSet::new();
        for used in effects.paths() {
            let bases = used.directories.iter().map(Path::new);
            let places = bases
                .filter_map(|base| places(&used.path, base).ok())
                .flatten();
            found.extend(
                places.filter(|place| place.exists() && !is_within(place, &self.workspace)),
            );
        }
        found.into_iter().collect()
    }

    /// Returns what is there and must not be seen in a sandbox: all that is forbidden, but what everybody forbids. Of that,
    /// the sandbox hides the keys itself, and programs need the system's own folders, and git its own.
    pub(super) fn hidden(&self) -> Result<Vec<PathBuf>, String> {
        let forbidden = self
            .forbidden
            .iter()
            .filter(|forbidden| !forbidden.is_usual);
        let there = forbidden.filter(|forbidden| forbidden.path.exists());
        let mut hidden: Vec<_> = there.map(|forbidden| forbidden.path.clone()).collect();
        let mut names = self.names.iter().filter(|name| *name != ".git").peekable();
        if names.peek().is_some() {
            let mut budget = MOST_FILES;
            let mut find = |name: &str, folder: &Path, _: bool| {
                if name != ".git" && self.is_forbidden_name(name) {
                    hidden.push(folder.join(name));
                }
                Ok(None)
            };
            self.walk(&self.workspace, &Below::default(), &mut find, &mut budget)?;
        }
        Ok(hidden)
    }

    /// Refuses to move a folder that the command works in, because `..` would lead elsewhere afterwards.
    fn check_moved(
        &self,
        used: &PathUse,
        base: &Path,
        folders: &BTreeSet<&Path>,
    ) -> Result<(), String> {
        for place in places(&used.path, base)? {
            let below = folders.iter().filter(|folder| folder.starts_with(&place));
            // What a pattern or names stand for is in the place.
            let mut below = below.filter(|folder| used.path.known().is_some() || **folder != place);
            if below.next().is_some() {
                return Err(format!(
                    "the command moves `{}`, and works in a folder below it: move it in a separate call",
                    used.path
                ));
            }
        }
        Ok(())
    }

    /// Whether no link is on the way to a folder.
    fn is_direct(&self, folder: &Path) -> bool {
        folder
            .to_str()
            .and_then(|path| paths::resolve(path, Path::new("/")).ok())
            .as_deref()
            == Some(folder)
    }

    /// Checks the repository that git finds from a folder, and what git does to it.
    fn check_repository(&self, used: &PathUse, folder: &Path) -> Result<(), String> {
        let is_bare = |folder: &&Path| {
            !folder.ends_with(".git")
                && folder.join("HEAD").exists()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        let mut inside = folder
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.workspace));
        if let Some(folder) = inside.find(is_bare) {
            return Err(format!(
                "`{}` is a repository without a work tree, whose settings may run programs: work in another folder",
                folder.display()
            ));
        }
        let top = work_tree(folder).unwrap_or(folder);
        if let Some(path) = used.path.known().filter(|path| *path != ".") {
            return self.check(path, top);
        }
        if used.access == Access::Checkout
            && self.workspace_only
            && !top.starts_with(&self.workspace)
        {
            return Err(format!(
                "git would change files of its whole repository, which begins at `{}`, outside of the workspace: name \
                 the files after `--`, as in `git checkout HEAD -- src`",
                top.display()
            ));
        }
        Ok(())
    }

    /// Checks where the links below a folder lead, and that nothing is there that may not be touched so.
    fn check_below(&self, folder: &Path, below: &Below, budget: &mut usize) -> Result<(), String> {
        let mut judge = |name: &str, folder: &Path, is_link: bool| {
            if below.may_break && name.contains(char::is_control) {
                return Err(format!(
                    "a file in `{}` has a name with a line end in it, which would be read as two names: rename the file",
                    folder.display()
                ));
            }
            let is_judged = is_link && below.links != Links::Ignored;
            let leads_to = is_judged.then(|| self.enter(name, folder)).transpose()?;
            let place = folder.join(name);
            // Programs that read everything skip a name that is forbidden everywhere, such as `.git`.
            if below.changes || !self.is_forbidden_name(name) {
                self.judge(name, &place)?;
            }
            if below.changes && !self.is_replaced(&place) {
                self.keep(&place.to_string_lossy(), &place)?;
            }
            Ok(leads_to.filter(|_| below.links == Links::Followed))
        };
        if below.links != Links::Ignored || below.changes || below.may_break {
            return self.walk(folder, below, &mut judge, budget);
        }
        // Otherwise only what is forbidden matters, and where that is is known.
        let paths = self.forbidden.iter().map(|forbidden| &forbidden.path);
        for path in paths.filter(|path| is_within(path, folder)) {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
            if below.means(name) && path.symlink_metadata().is_ok() {
                judge(name, path.parent().unwrap_or(path), false)?;
            }
            if !self.is_forbidden_name(name) {
                self.walk(path, below, &mut judge, budget)?;
            }
        }
        Ok(())
    }

    /// Refuses names that begin so and need not be there, if a protected one does.
    fn check_begins(&self, pattern: &str, base: &Path) -> Result<(), String> {
        let (folder, begins) = fixed(pattern);
        let begins = begins.trim_end_matches('*').to_lowercase();
        let place = self.enter(if folder.is_empty() { "." } else { folder }, base)?;
        self.keep(pattern, &place)?;
        let mut names =
            protected::names().filter(|name| !begins.is_empty() && name.starts_with(&*begins));
        names.try_for_each(|name| self.keep(name, &place.join(name)))
    }

    /// Refuses to change a folder that holds a forbidden or protected name, or the policy's own file.
    fn check_top(&self, folder: &Path) -> Result<(), String> {
        let names = self.names.iter().map(|name| folder.join(name));
        for path in names.chain(protected::names().map(|name| folder.join(name))) {
            if path.symlink_metadata().is_ok() {
                self.judge(&path.to_string_lossy(), &path)?;
                self.keep(&path.to_string_lossy(), &path)?;
            }
        }
        let own = self.own.iter().find(|own| is_within(own, folder));
        own.map_or(Ok(()), |own| self.keep(&own.to_string_lossy(), own))
    }

    /// Refuses protected names among those that are changed below a folder, without a look at links and git's own files.
    fn check_tracked(
        &self,
        folder: &Path,
        below: &Below,
        budget: &mut usize,
    ) -> Result<(), String> {
        let is_moved = below.is_moved;
        let mut judge = |name: &str, folder: &Path, _: bool| {
            let place = folder.join(name);
            if self.is_replaced(&place) && !is_moved {
                return Ok(None);
            }
            self.keep(&place.to_string_lossy(), &place).map(|()| None)
        };
        let below = Below {
            glob: below.glob.clone(),
            is_flat: below.is_flat,
            without: below.without.clone(),
            ..Below::default()
        };
        self.walk(folder, &below, &mut judge, budget)
    }

    /// Goes through a folder and those in it, and through the links that `judge` returns the targets of.
    fn walk(
        &self,
        folder: &Path,
        below: &Below,
        judge: &mut Judge<'_>,
        budget: &mut usize,
    ) -> Result<(), String> {
        let top = folder;
        let mut folders = vec![folder.to_owned()];
        // Links may lead in circles.
        let mut followed = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            let Ok(entries) = folder.read_dir() else {
                continue;
            };
            for entry in entries.flatten() {
                let name = &*name_of(&entry, &folder, budget)?;
                let kind = entry.file_type().ok();
                if below.leaves_out(name, folder == top) {
                    continue;
                }
                if below.means(name)
                    && let Some(target) =
                        judge(name, &folder, kind.is_none_or(|kind| kind.is_symlink()))?
                    && target.is_dir()
                    && followed.insert(target.clone())
                {
                    folders.push(target);
                }
                let is_entered = !below.is_flat && (below.changes || name != ".git");
                if is_entered && kind.is_some_and(|kind| kind.is_dir()) {
                    folders.push(folder.join(name));
                }
            }
        }
        Ok(())
    }

    /// The files that a pattern matches. What it matches may be a link, so the folders are read.
    pub(super) fn check_pattern(
        &self,
        pattern: &str,
        base: &Path,
        access: Access,
        budget: &mut usize,
    ) -> Result<(), String> {
        let unclear = || format!("cannot tell which files `{pattern}` matches: list them");
        let (fixed, rest) = fixed(pattern);
        let parts: Vec<_> = rest
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        // With these, a shell may match `..`.
        let is_odd = parts
            .iter()
            .any(|part| part.starts_with('.') && part.contains(['*', '?', '[']));
        if pattern.len() > LONGEST_PATH || parts.len() > MOST_NAMES || is_odd || rest.contains("..")
        {
            return Err(unclear());
        }
        let globs: Option<Vec<_>> = parts.iter().map(|part| Glob::new(part).ok()).collect();
        let globs = globs.ok_or_else(unclear)?;
        let folder = self.enter(if fixed.is_empty() { "." } else { fixed }, base)?;
        if access.changes() {
            self.keep(pattern, &folder)?;
        }
        self.matched(&folder, &globs, access, budget)
    }

    /// Checks what the parts of a pattern match in a folder.
    fn matched(
        &self,
        folder: &Path,
        parts: &[Glob],
        access: Access,
        budget: &mut usize,
    ) -> Result<(), String> {
        let Some((glob, rest)) = parts.split_first() else {
            return Ok(());
        };
        // Reading a folder costs more than one name in it.
        spend(budget, 16)?;
        // A folder that does not exist has no matches.
        let Ok(entries) = folder.read_dir() else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let name = &*name_of(&entry, folder, budget)?;
            if !glob.matches(name) || (name.starts_with('.') && !glob.as_str().starts_with('.')) {
                continue;
            }
            let kind = entry.file_type().ok();
            let is_link = kind.is_none_or(|kind| kind.is_symlink());
            if rest.is_empty() {
                if is_link && !matches!(access, Access::List | Access::WriteTree) {
                    self.enter(name, folder)?;
                }
                let path = folder.join(name);
                self.judge(name, &path)?;
                if access.changes() {
                    self.keep(&path.to_string_lossy(), &path)?;
                }
                if is_of_tree(access) || access == Access::Move {
                    self.check_below(&path, &Below::of(access), budget)?;
                }
            } else if is_link {
                // The target of the link is judged if something in it matches.
                let Ok(leads_to) = paths::resolve(name, folder) else {
                    continue;
                };
                self.matched(&leads_to, rest, access, budget)?;
            } else {
                self.matched(&folder.join(name), rest, access, budget)?;
            }
        }
        Ok(())
    }

    /// Checks whether a path may be touched, and returns where it leads.
    pub(super) fn enter(&self, path: &str, base: &Path) -> Result<PathBuf, String> {
        self.enter_for(Access::Read, path, base)
    }

    /// Does the same. Names in a repository may be listed.
    fn enter_for(&self, access: Access, path: &str, base: &Path) -> Result<PathBuf, String> {
        if path.len() > LONGEST_PATH || Path::new(path).components().count() > MOST_NAMES {
            return Err(format!(
                "the path `{path}` is too long: write a shorter one"
            ));
        }
        // Programs print names line by line, and other programs read them so.
        if path.contains(char::is_control) {
            return Err(format!(
                "the path {path:?} has an invisible character: remove it"
            ));
        }
        let resolved = paths::resolve(path, base)
            .map_err(|error| format!("the path `{path}` cannot be resolved: {error}"))?;
        self.judge_for(access, path, &resolved)?;
        Ok(resolved)
    }

    /// Whether a name is forbidden in every folder. Some systems treat `.GIT` and `.git` as equal.
    fn is_forbidden_name(&self, name: &str) -> bool {
        self.names
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Checks whether a path may be touched that leads to `resolved`.
    pub(super) fn judge(&self, path: &str, resolved: &Path) -> Result<(), String> {
        self.judge_for(Access::Read, path, resolved)
    }

    fn judge_for(&self, access: Access, path: &str, resolved: &Path) -> Result<(), String> {
        let is_in_workspace = is_within(resolved, &self.workspace);
        for forbidden in &self.forbidden {
            // What holds a forbidden path is forbidden as well, as all that is in it is reached: `grep -r x /`.
            // The workspace may hold one.
            let reaches = !forbidden.is_in_workspace && is_within(&forbidden.path, resolved);
            // A workspace that lies in a forbidden path is nevertheless the agent's to work in.
            let is_reached = !(is_in_workspace && forbidden.holds_workspace)
                && is_within(resolved, &forbidden.path);
            let is_listed = access == Access::List
                && forbidden.is_in_workspace
                && forbidden.path.ends_with(".git");
            if (is_reached || reaches) && !is_listed {
                return Err(format!(
                    "the path `{path}` is forbidden: go on without it, or ask the user"
                ));
            }
        }
        let inside = resolved
            .strip_prefix(&self.workspace)
            .unwrap_or(Path::new(""));
        let mut names = inside.iter().filter_map(OsStr::to_str);
        let is_listed = |name: &str| access == Access::List && name.eq_ignore_ascii_case(".git");
        let is_wrong = |name: &&str| self.is_forbidden_name(name) && !is_listed(name);
        if let Some(name) = names.find(is_wrong) {
            let instead = if name.eq_ignore_ascii_case(".git") {
                "let git show or change it, as by `git status`, `git branch` or `git rev-parse`"
            } else {
                "go on without it, or ask the user"
            };
            return Err(format!("the path `{path}` is forbidden: {instead}"));
        }
        if self.workspace_only && !is_in_workspace {
            let (workspace, name) = (
                self.workspace.display(),
                path.rsplit('/').next().unwrap_or(path),
            );
            return Err(if is_temporary(resolved) {
                format!(
                    "the path `{path}` is outside of the workspace `{workspace}`: use a folder in it, such as `build/{name}`"
                )
            } else {
                format!(
                    "the path `{path}` is outside of the workspace `{workspace}`: go on with what is in it, or ask the user for it"
                )
            });
        }
        Ok(())
    }
}

impl<'e> Check<'e> {
    fn of(
        guard: &'e PathGuard,
        effects: &'e Effects,
        start: &'e Path,
        certainty: Certainty,
    ) -> Self {
        let uses = effects.paths().enumerate();
        let uses = uses.filter(|(_, used)| !used.access.makes_links());
        let moves = effects.paths().any(|used| used.access == Access::Move);
        let folders = effects.paths().filter(|_| moves);
        Check {
            guard,
            effects,
            start,
            certainty,
            is_whole: effects.unknown().next().is_none(),
            budget: MOST_FILES,
            known: HashSet::new(),
            made: CreatedPaths::default(),
            last_use: uses.last().map_or(0, |(nth, _)| nth),
            folders: folders
                .flat_map(|used| used.directories.iter().map(Path::new))
                .collect(),
        }
    }

    /// Whether the files that are there count.
    fn looks(&self) -> bool {
        self.certainty == Certainty::Found
    }

    /// Checks one path of the command.
    fn one(&mut self, nth: usize, used: &'e PathUse) -> Result<(), String> {
        if nth > MOST_PATHS {
            return Err("the command has too many paths: split it into smaller ones".into());
        }
        for directory in used.directories.iter() {
            self.from(nth, used, directory)?;
        }
        Ok(())
    }

    /// Checks a path in one of the folders in which the command may be.
    fn from(&mut self, nth: usize, used: &'e PathUse, directory: &'e str) -> Result<(), String> {
        let (guard, base) = (self.guard, Path::new(directory));
        if self.looks() && base != self.start && !guard.is_direct(base) {
            return Err(format!(
                "the folder `{directory}` is reached through a link: write where it leads"
            ));
        }
        match used.access {
            Access::Make => {
                self.check_made_names(used, base)?;
                self.check_tree_into(used, base)?;
                if nth < self.last_use {
                    self.make(used, base)?;
                    self.known.clear();
                }
                return Ok(());
            }
            Access::Checkout | Access::Repository => {
                guard.check_repository(used, base)?;
                self.made.check_repository(base)?;
                if used.access == Access::Checkout && self.looks() {
                    self.made.links.insert("/".into(), true);
                    self.known.clear();
                }
                return Ok(());
            }
            Access::Remote => return self.check_remote(nth, used, base),
            Access::Patch => return self.check_patch(nth, used, base),
            Access::Move if self.looks() => guard.check_moved(used, base, &self.folders)?,
            _ => {}
        }
        // A path that occurs many times is checked once.
        let is_alone = !is_of_tree(used.access) && used.from.is_none();
        let text = used.path.known().filter(|_| is_alone);
        let key = text.map(|path| (path, directory, used.access, used.follows_links));
        if key.is_some_and(|key| self.known.contains(&key)) {
            return Ok(());
        }
        if self.looks() {
            self.made.check(used, base)?;
        }
        self.path(used, base)?;
        self.known.extend(key);
        Ok(())
    }

    /// Checks where a path leads, and what is below it.
    fn path(&mut self, used: &PathUse, base: &Path) -> Result<(), String> {
        let (guard, access, looks) = (self.guard, used.access, self.looks());
        let folders: Vec<&str> = match &used.path {
            Argument::Text(path) if is_harmless(path) => return Ok(()),
            Argument::Text(path) => vec![super::path_of_address(path)?],
            Argument::Pattern(pattern) if used.from == Some(Argument::Number) => {
                guard.check_begins(pattern, base)?;
                if looks {
                    return guard.check_pattern(pattern, base, access, &mut self.budget);
                }
                vec![fixed(pattern).0]
            }
            Argument::Pattern(pattern) if looks => {
                return guard.check_pattern(pattern, base, access, &mut self.budget);
            }
            Argument::Names(names) if looks => return self.names(names, base, access),
            Argument::Pattern(pattern) => vec![fixed(pattern).0],
            Argument::Names(names) => names.folders().collect(),
            Argument::Unknown { begins } if !looks && begins.contains('/') => {
                vec![folder_of(begins)]
            }
            _ if !looks => return Ok(()),
            other => {
                return Err(format!(
                    "the file `{other}` is only known when the command runs: write its path out"
                ));
            }
        };
        for folder in folders {
            // After a `cd` to a folder that is not known, `..` is not known either.
            if !looks && !self.is_whole && folder.starts_with("..") {
                continue;
            }
            let folder = if folder.is_empty() { "." } else { folder };
            let place = guard.enter_for(access, folder, base)?;
            if access.changes()
                && used.path.known().is_some()
                && self.may_be_there(used, folder, base)
            {
                guard.check_change(folder, base)?;
            } else if access.changes() && used.path.known().is_none() {
                guard.keep(folder, &place)?;
            }
            if let Some(from) = used
                .from
                .as_ref()
                .filter(|_| place.is_dir() || self.makes_folders())
            {
                self.check_names_into(from, base, &place)?;
            }
            if looks && (is_of_tree(access) || access == Access::Move) {
                let below = guard.check_below(&place, &Below::of(access), &mut self.budget);
                below.map_err(|reason| {
                    format!("all below `{folder}` counts, and {reason}; or name a folder in it")
                })?;
            } else if matches!(access, Access::WriteTree | Access::Move)
                && !matches!(&used.path, Argument::Names(names) if names.is_one() || names.pattern().is_some())
            {
                guard.check_top(&place)?;
            }
        }
        Ok(())
    }

    /// Checks names that a program prints: the folders, the links below them, and forbidden files there.
    fn names(&mut self, names: &Names, base: &Path, access: Access) -> Result<(), String> {
        // What is below a name is not limited by its pattern.
        let is_tree = is_of_tree(access);
        if let Some(glob) = glob_of(names)?.filter(|_| is_tree) {
            return self.trees(&glob, names, base, access);
        }
        let below = Below {
            glob: glob_of(names)?.filter(|_| !is_tree),
            is_flat: names.is_flat() && !is_tree,
            links: Links::of(access, names.may_be_links()),
            // Settings of git, which are forbidden, may be among them.
            changes: access.changes() && !(names.is_tracked() && access == Access::Write),
            may_break: names.may_break(),
            is_moved: false,
            without: names.without().map(str::to_owned).collect(),
        };
        for path in names.folders() {
            let folder = self.guard.enter(path, base)?;
            if access.changes() && !folder.is_dir() {
                self.guard.check_change(path, base)?;
            }
            if access != Access::List || below.may_break {
                self.guard.check_below(&folder, &below, &mut self.budget)?;
            }
            if access.changes() && !below.changes {
                self.guard
                    .check_tracked(&folder, &below, &mut self.budget)?;
            }
        }
        Ok(())
    }

    /// Checks the folders that a pattern matches among the names, each with all below it.
    fn trees(
        &mut self,
        glob: &Glob,
        names: &Names,
        base: &Path,
        access: Access,
    ) -> Result<(), String> {
        let guard = self.guard;
        let below = Below {
            glob: Some(glob.clone()),
            changes: true,
            without: names.without().map(str::to_owned).collect(),
            ..Below::default()
        };
        let mut found = Vec::new();
        for path in names.folders() {
            let folder = guard.enter(path, base)?;
            if access.changes() {
                guard.check_change(path, base)?;
            }
            let mut collect = |name: &str, folder: &Path, _: bool| {
                found.push(folder.join(name));
                Ok(None)
            };
            guard.walk(&folder, &below, &mut collect, &mut self.budget)?;
        }
        for place in found {
            let path = place.to_string_lossy();
            guard.judge(&path, &place)?;
            if access.changes() && !guard.is_replaced(&place) {
                guard.keep(&path, &place)?;
            }
            guard.check_below(&place, &Below::of(access), &mut self.budget)?;
        }
        Ok(())
    }

    /// Whether a path is one that is made: what is copied or moved gets a name in a folder only if that is one.
    fn may_be_there(&self, used: &PathUse, path: &str, base: &Path) -> bool {
        used.from.as_ref().is_none_or(|from| from.known().is_none())
            || base.join(folder_of(path)).is_dir()
            || self.makes_folders()
    }

    /// Whether the command makes a folder, into which it may then copy something.
    fn makes_folders(&self) -> bool {
        let mut programs = self.effects.programs();
        programs.any(|program| matches!(program.name.as_str(), "mkdir" | "install"))
    }

    /// Refuses to copy or move a folder in which there is something protected, because it keeps its name, and to make a
    /// folder in which a name would be protected.
    fn check_tree_into(&mut self, used: &PathUse, base: &Path) -> Result<(), String> {
        let from = sources(used, base)?;
        let is_file = !from.is_empty() && from.iter().all(|from| from.is_file());
        let begins = |place: &PathBuf| {
            let name = place
                .file_name()
                .and_then(OsStr::to_str)
                .unwrap_or_default();
            let mut firsts = protected::names().filter_map(|name| name.split_once('/'));
            firsts.any(|(first, _)| first.eq_ignore_ascii_case(name))
        };
        let into = places(&used.path, base)?;
        // git brings what is committed.
        if !is_file && used.follows_links && into.iter().any(begins) {
            return Err(format!(
                "`{}` may then hold settings that are protected, such as `.github/hooks`: copy its files one by one",
                used.path
            ));
        }
        let is_kept = !into.is_empty() && into.iter().all(|place| self.guard.is_replaced(place));
        // What a program prints is looked through where its names are.
        let is_written = matches!(used.from, Some(Argument::Text(_) | Argument::Pattern(_)));
        let from = match &used.from {
            Some(Argument::Pattern(pattern)) if self.looks() => {
                matching(pattern, base, &mut self.budget)?
            }
            _ => from,
        };
        let trees = from.iter().filter(|from| is_written && from.is_dir());
        let looks = self.looks() && !is_kept;
        for folder in trees.filter(|_| looks) {
            self.guard.check_tracked(
                folder,
                &Below {
                    is_moved: true,
                    ..Below::default()
                },
                &mut self.budget,
            )?;
        }
        Ok(())
    }

    /// Refuses a name that the command gives to something, if it is protected.
    fn check_made_names(&self, used: &PathUse, base: &Path) -> Result<(), String> {
        let path = used.path.known().filter(|path| !matches!(*path, "/" | "."));
        path.map_or(Ok(()), |path| self.guard.check_change(path, base))
    }

    /// Refuses to copy or move what has a protected name into a folder.
    fn check_names_into(
        &mut self,
        from: &Argument,
        base: &Path,
        into: &Path,
    ) -> Result<(), String> {
        match from {
            Argument::Pattern(pattern) => {
                for place in matching(pattern, base, &mut self.budget)? {
                    let name = place.file_name().unwrap_or_default();
                    self.guard.keep(&name.to_string_lossy(), &into.join(name))?;
                }
            }
            Argument::Names(names) => {
                if let Some(name) = names.pattern() {
                    self.guard.keep(name, &into.join(name))?;
                }
                let below = Below {
                    glob: glob_of(names)?,
                    ..Below::default()
                };
                for folder in names
                    .folders()
                    .filter(|_| self.certainty == Certainty::Found)
                {
                    let folder = paths::resolve(folder, base).map_err(|error| error.to_string())?;
                    self.guard
                        .check_tracked(&folder, &below, &mut self.budget)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Records a path that the command creates, unless no link can be created with it.
    fn make(&mut self, used: &PathUse, base: &Path) -> Result<(), String> {
        let sources = sources(used, base)?;
        let below = match &used.from {
            Some(Argument::Names(names)) => Below {
                glob: glob_of(names)?,
                is_flat: names.is_flat(),
                ..Below::default()
            },
            _ => Below::default(),
        };
        let mut finds_none = |_: &str, _: &Path, is_link: bool| {
            let found = is_link.then(String::new);
            found.map_or(Ok(None), Err)
        };
        let (guard, looks, budget) = (self.guard, self.looks(), &mut self.budget);
        let mut has_none = |from: &PathBuf| {
            !from.is_symlink() && guard.walk(from, &below, &mut finds_none, budget).is_ok()
        };
        let is_plain = looks && !sources.is_empty() && sources.iter().all(&mut has_none);
        for place in places(&used.path, base)? {
            // A plain file is not a repository, and one of a folder in another is not that of the other.
            let base = match &used.from {
                Some(Argument::Text(from)) if !from.ends_with("/.") => {
                    Path::new(&**from).file_name()
                }
                _ => None,
            };
            let is_file = || sources.iter().all(|from| from.is_file());
            if used.follows_links && (used.from.is_none() || !is_file()) {
                self.made
                    .foreign
                    .push(match base.filter(|_| place.is_dir()) {
                        Some(base) => place.join(base),
                        None => place.clone(),
                    });
            }
            if !is_plain && looks {
                self.made.links.insert(place, used.from.is_none());
            }
        }
        Ok(())
    }

    /// Refuses the name of a folder, of which git would run the hooks, in the place of a remote's.
    fn check_remote(&self, nth: usize, used: &PathUse, base: &Path) -> Result<(), String> {
        let Some(name) = used.path.known().filter(|name| *name != ".") else {
            return Ok(());
        };
        let place = base.join(name);
        let before = self.effects.paths().take(nth);
        let makes = |used: &PathUse| used.access.changes() || used.access == Access::Make;
        let mut makes_it = before.filter(|used| {
            makes(used)
                && used.path.known().is_none_or(|path| {
                    path.trim_end_matches('/')
                        .split('/')
                        .any(|part| part == name)
                })
        });
        if place.symlink_metadata().is_ok() || makes_it.next().is_some() {
            return Err(format!(
                "git would run hooks of the repository in the folder `{name}`: name a remote, such as `origin`, or an address"
            ));
        }
        Ok(())
    }

    /// Checks the files that a patch names.
    fn check_patch(&self, nth: usize, used: &PathUse, base: &Path) -> Result<(), String> {
        const LONGEST: u64 = 4 << 20;
        let unclear = |file: &dyn std::fmt::Display, why: &str| {
            format!(
                "the patch `{file}` {why}: apply it in a separate call, or write it as a here-document of `patch -p1`"
            )
        };
        let Some(file) = used.path.known().filter(|file| *file != "-") else {
            return Err(unclear(&used.path, "is only known when the command runs"));
        };
        let place = base.join(file);
        let mut before = self.effects.paths().take(nth);
        let is_new = before.any(|used| {
            (used.access.changes() || used.access == Access::Make)
                && used.path.known().is_none_or(|path| {
                    used.directories.iter().any(|folder| {
                        is_within(&place, &Path::new(folder).join(path.trim_end_matches('/')))
                    })
                })
        });
        if is_new {
            return Err(unclear(&file, "is written by the same command"));
        }
        // What is not there is not applied.
        let Ok(found) = place.metadata() else {
            return Ok(());
        };
        let text = std::fs::read(&place)
            .ok()
            .filter(|_| found.len() <= LONGEST);
        let text = text.ok_or_else(|| unclear(&file, "cannot be read"))?;
        for name in patch::unified(&String::from_utf8_lossy(&text))? {
            self.guard.check_change(&name, base)?;
        }
        Ok(())
    }
}

/// Returns where something that is made comes from.
fn sources(used: &PathUse, base: &Path) -> Result<Vec<PathBuf>, String> {
    match &used.from {
        // It may be a link itself.
        Some(Argument::Text(from)) => Ok(vec![base.join(from.trim_end_matches('/'))]),
        Some(from) => places(from, base),
        None => Ok(Vec::new()),
    }
}

/// Returns what a pattern matches in a directory.
fn matching(pattern: &str, base: &Path, budget: &mut usize) -> Result<Vec<PathBuf>, String> {
    let (folder, rest) = fixed(pattern);
    let wrong = |error| format!("`{pattern}` cannot be resolved: {error}");
    let mut found = vec![paths::resolve(folder, base).map_err(wrong)?];
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let glob = Glob::new(part).ok();
        let mut next = Vec::new();
        for folder in found {
            for entry in folder.read_dir().into_iter().flatten().flatten() {
                let name = name_of(&entry, &folder, budget)?;
                if glob.as_ref().is_none_or(|glob| glob.matches(&name)) {
                    next.push(folder.join(name));
                }
            }
        }
        found = next;
    }
    Ok(found)
}

/// Whether everything below a path is accessed as the path is.
fn is_of_tree(access: Access) -> bool {
    matches!(access, Access::Tree | Access::WriteTree)
}

/// Returns what a path is in.
fn folder_of(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

/// Judges a name in a folder, which may be that of a link. Returns a folder that is gone through too.
type Judge<'a> = dyn FnMut(&str, &Path, bool) -> Result<Option<PathBuf>, String> + 'a;

/// What of a folder is looked at.
#[derive(Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
struct Below {
    /// The pattern of the names, in lower case.
    glob: Option<Glob>,
    /// Whether subfolders are left out.
    is_flat: bool,
    links: Links,
    /// Whether they are changed, so that git's own files count too, and what is protected.
    changes: bool,
    /// Whether a name with a line end is read as two.
    may_break: bool,
    /// Whether they get another place, where nothing replaces them.
    is_moved: bool,
    /// The names that are left out, with all below: everywhere, or with `./` before it at the top.
    without: Vec<String>,
}

/// What becomes of the links among them.
#[derive(Clone, Copy, Default, PartialEq)]
enum Links {
    #[default]
    Ignored,
    Judged,
    Followed,
}

impl Links {
    fn of(access: Access, may_be_there: bool) -> Self {
        match access {
            Access::Tree => Links::Followed,
            _ if may_be_there => Links::Judged,
            _ => Links::Ignored,
        }
    }
}

impl Below {
    /// Everything below a path that is accessed so.
    fn of(access: Access) -> Self {
        Below {
            links: Links::of(access, false),
            changes: access.changes(),
            ..Below::default()
        }
    }

    fn means(&self, name: &str) -> bool {
        let glob = self.glob.as_ref();
        glob.is_none_or(|glob| glob.matches(&name.to_lowercase()))
    }

    fn leaves_out(&self, name: &str, is_at_top: bool) -> bool {
        self.without
            .iter()
            .any(|left_out| match left_out.strip_prefix("./") {
                Some(top) => is_at_top && top == name,
                None => left_out == name,
            })
    }
}

/// Returns the pattern that all these names match, in lower case.
fn glob_of(names: &Names) -> Result<Option<Glob>, String> {
    let glob = names
        .pattern()
        .map(|pattern| Glob::new(&pattern.to_lowercase()));
    glob.transpose()
        .map_err(|_| "cannot tell which files this names: list them".into())
}

/// The paths that a command has created so far.
#[derive(Default)]
struct CreatedPaths {
    /// Those that may be links or contain some, and whether each is a folder itself.
    links: BTreeMap<PathBuf, bool>,
    /// Those that another program than git has copied, moved or unpacked.
    foreign: Vec<PathBuf>,
}

impl CreatedPaths {
    /// Whether a path contains none of these paths, and, if it stands for many paths, none is below it.
    fn check(&self, used: &PathUse, base: &Path) -> Result<(), String> {
        let is_harmless = used.path.known().is_some_and(is_harmless);
        if self.links.is_empty() || !used.follows_links || is_harmless {
            return Ok(());
        }
        let is_many = used.path.known().is_none() || is_of_tree(used.access);
        for place in places(&used.path, base)? {
            let is_folder = self.links.get(&place) == Some(&true);
            let is_entered = used.access == Access::Enter && (is_folder || place.is_dir());
            let mut above = place.ancestors();
            let mut below = self.links.range(place.clone()..);
            let is_met = above.any(|folder| self.links.contains_key(folder))
                || (is_many
                    && below
                        .next()
                        .is_some_and(|(made, _)| made.starts_with(&place)));
            if is_met && !is_entered {
                return Err(format!(
                    "`{}` may be a link that the command makes itself: use it in another call",
                    used.path
                ));
            }
        }
        Ok(())
    }

    /// Refuses to use a repository in a folder that the command has unpacked or copied, with its settings.
    fn check_repository(&self, folder: &Path) -> Result<(), String> {
        let mut around = folder.ancestors();
        let is_made = |folder: &Path| self.foreign.iter().any(|made| made == folder);
        if around.any(is_made) {
            return Err(format!(
                "`{}` may hold a repository that the command makes itself, whose settings may run programs: run git in another call",
                folder.display()
            ));
        }
        Ok(())
    }
}

/// Returns the folder outside of a workspace that git keeps its own files in.
///
/// A `.git` that is a file says where that is. It is believed only if the repository says the same of its work tree, since
/// anything may be written into a file.
pub(super) fn repository(workspace: &Path) -> Option<PathBuf> {
    let git = work_tree(workspace)?.join(".git");
    let found = match std::fs::read_to_string(&git) {
        Err(_) => git,
        Ok(text) => {
            let own = git
                .parent()?
                .join(text.trim_end().strip_prefix("gitdir: ")?);
            let back = std::fs::read_to_string(own.join("gitdir")).ok()?;
            let is_mutual =
                Path::new(back.trim_end()).canonicalize().ok()? == git.canonicalize().ok()?;
            let common = own.join("../..").canonicalize().ok()?;
            (is_mutual && common.join("objects").is_dir()).then_some(common)?
        }
    };
    (found.is_dir() && !is_within(&found, workspace)).then_some(found)
}

/// Returns the top of the work tree of git's that a folder belongs to.
pub(super) fn work_tree(folder: &Path) -> Option<&Path> {
    let is_top = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    folder.ancestors().find(is_top)
}

/// Returns the addresses of a remote of git's; those of all if the name is empty, since the settings choose one.
pub(super) fn remote(name: &str, directory: &str) -> Vec<String> {
    let Some(top) = work_tree(Path::new(directory)) else {
        return Vec::new();
    };
    let git = repository(top).unwrap_or_else(|| top.join(".git"));
    let settings = std::fs::read_to_string(git.join("config")).unwrap_or_default();
    let mut found = Vec::new();
    let mut is_meant = false;
    for line in settings.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let (kind, rest) = section.split_once('"').unwrap_or((section, ""));
            let kind = kind.trim().trim_end_matches(']').to_ascii_lowercase();
            let of = rest.strip_suffix("\"]").unwrap_or_default();
            is_meant = kind == "remote" && (name.is_empty() || of == name);
            if kind.starts_with("url") || kind.starts_with("include") {
                // Another address takes its place.
                return Vec::new();
            }
        } else if let Some((key, value)) = line.split_once('=').filter(|_| is_meant)
            && matches!(key.trim().to_ascii_lowercase().as_str(), "url" | "pushurl")
        {
            found.push(value.trim().to_owned());
        }
    }
    found
}

/// Returns the folders that a pattern matches in a directory, if it matches something, nothing else, and not too much.
pub(super) fn folders(pattern: &str, directory: &str) -> Option<Vec<String>> {
    const MOST: usize = 64;
    let directory = Path::new(directory);
    let (parts, end) = match pattern.strip_suffix('/') {
        Some(parts) => (parts, "/"),
        None => (pattern, ""),
    };
    let mut found = vec![String::new()];
    for (nth, part) in parts.split('/').enumerate() {
        let glob = Glob::new(part)
            .ok()
            .filter(|_| !part.contains(['\\', '{']))?;
        let before = if nth > 0 { "/" } else { "" };
        let mut within = Vec::new();
        for folder in found {
            if !part.contains(['*', '?', '[']) {
                within.push(format!("{folder}{before}{part}"));
                continue;
            }
            let entries = directory.join(format!("{folder}{before}")).read_dir();
            for entry in entries.into_iter().flatten().flatten() {
                let name = entry.file_name().into_string().ok()?;
                if glob.matches(&name) && (!name.starts_with('.') || part.starts_with('.')) {
                    within.push(format!("{folder}{before}{name}"));
                }
            }
        }
        found = within;
        if found.len() > MOST {
            return None;
        }
    }
    let count = found.len();
    found.retain(|path| directory.join(path).is_dir());
    found.sort_unstable();
    let is_all = end == "/" || found.len() == count;
    let found = found.into_iter().map(|path| path + end);
    (is_all && found.len() > 0).then(|| found.collect())
}

/// Where a path leads; for many paths, the folders that contain them.
fn places(path: &Argument, base: &Path) -> Result<Vec<PathBuf>, String> {
    let folders: Vec<&str> = match path {
        Argument::Text(path) => vec![path],
        Argument::Pattern(pattern) => vec![fixed(pattern).0],
        Argument::Names(names) => names.folders().collect(),
        _ => Vec::new(),
    };
    let places = folders.iter().map(|path| paths::resolve(path, base));
    let places: Result<_, _> = places.collect();
    places.map_err(|error| format!("`{path}` cannot be resolved: {error}"))
}

/// The folder that a pattern begins with, and the rest.
fn fixed(pattern: &str) -> (&str, &str) {
    let first = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
    pattern.split_at(pattern[..first].rfind('/').map_or(0, |slash| slash + 1))
}

/// Whether a path is a folder or in it. Both are absolute, without `.`, `..` and empty parts.
fn is_within(path: &Path, folder: &Path) -> bool {
    let folder = folder.as_os_str().as_encoded_bytes();
    let rest = path.as_os_str().as_encoded_bytes().strip_prefix(folder);
    let is_separator =
        |byte: Option<&u8>| byte.is_some_and(|byte| std::path::is_separator(char::from(*byte)));
    rest.is_some_and(|rest| {
        rest.is_empty() || is_separator(rest.first()) || is_separator(folder.last())
    })
}

/// Takes what a look at files costs from the budget.
fn spend(budget: &mut usize, cost: usize) -> Result<(), String> {
    *budget = budget
        .checked_sub(cost)
        .ok_or("there are too many files to check: name a smaller folder")?;
    Ok(())
}

/// Returns the name of a file in a folder. This costs one unit of the budget.
fn name_of(entry: &DirEntry, folder: &Path, budget: &mut usize) -> Result<String, String> {
    spend(budget, 1)?;
    entry.file_name().into_string().map_err(|_| {
        format!(
            "a file in `{}` has a name that is not UTF-8: list the files",
            folder.display()
        )
    })
}

/// Whether a path is in a folder for temporary files.
fn is_temporary(path: &Path) -> bool {
    let folders = [
        "/tmp",
        "/var/tmp",
        "/private/tmp",
        "/private/var/tmp",
        "/var/folders",
        "/private/var/folders",
    ];
    folders.iter().any(|folder| path.starts_with(folder)) || path.starts_with(std::env::temp_dir())
}

/// Whether a path is that of a device that holds nothing.
fn is_harmless(path: &str) -> bool {
    HARMLESS.split(' ').any(|device| device == path)
}

/// Whether a path is a single name. It then counts in every folder, as in a `.gitignore`.
fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~') && !path.contains('/') && !matches!(path, "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_in_a_folder_and_not_in_one_whose_name_it_begins_with() {
        let is = |path: &str, folder: &str| is_within(Path::new(path), Path::new(folder));
        assert!(is("/a", "/a") && is("/a/b", "/a") && is("/a", "/"));
        assert!(!is("/ab", "/a") && !is("/", "/a") && !is("/b/a", "/a"));
    }
}
