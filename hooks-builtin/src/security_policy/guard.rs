//! Which paths may be touched.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use hooks_shell::{Access, Argument, Effects, Names, PathUse};

use super::SecurityPolicyConfig;
use crate::shared::{Glob, paths};

/// The paths that are forbidden, and the folder that is not to be left.
#[derive(Debug)]
pub(super) struct Guard {
    /// Absolute, without links.
    workspace: PathBuf,
    workspace_only: bool,
    /// As they are written, and where they lead.
    forbidden: Vec<PathBuf>,
    /// Names that are forbidden in every folder of the workspace, in lower case.
    names: Vec<String>,
}

/// Devices that hold nothing.
const HARMLESS: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
];

/// The longest path that is looked at, in bytes, and how many names may be in one: it takes a question to the
/// system for each.
const LONGEST_PATH: usize = 4096;
const MOST_NAMES: usize = 64;
/// How many files of the workspace are looked at for one command.
pub(super) const MOST_FILES: usize = 50_000;
/// How many paths may be in one command.
const MOST_PATHS: usize = 20_000;

impl Guard {
    /// A guard of a folder that is absolute and without links.
    pub(super) fn new(workspace: PathBuf, config: &SecurityPolicyConfig) -> Self {
        let mut forbidden = Vec::new();
        let mut names = Vec::new();
        for path in &config.forbidden_paths {
            if is_name(path) {
                names.push(path.to_lowercase());
            }
            if Path::new(path).is_absolute() {
                forbidden.push(PathBuf::from(path));
            }
            // Without a home directory there is nothing in it.
            if let Ok(resolved) = paths::resolve(path, &workspace) {
                forbidden.push(resolved);
            }
        }
        forbidden.sort_unstable();
        forbidden.dedup();
        Guard {
            workspace,
            workspace_only: config.workspace_only,
            forbidden,
            names,
        }
    }

    pub(super) fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// Whether a path may be touched from a directory that is absolute and without links.
    pub(super) fn check(&self, path: &str, base: &Path) -> Result<(), String> {
        if HARMLESS.contains(&path) {
            return Ok(());
        }
        self.enter(path, base).map(drop)
    }

    /// Whether all paths of a command may be touched, that begins in a directory without links.
    pub(super) fn check_all(&self, effects: &Effects, start: &str) -> Result<(), String> {
        let mut budget = MOST_FILES;
        let mut known: HashSet<(&str, &str)> = HashSet::new();
        let mut made = Made::default();
        for (nth, used) in effects.paths().enumerate() {
            if nth > MOST_PATHS {
                return Err("the command has too many paths: put it into smaller ones".into());
            }
            for directory in used.directories.iter() {
                let base = Path::new(directory);
                if directory != start && !self.is_direct(base) {
                    return Err(format!(
                        "the folder `{directory}` is reached through a link: write where it leads"
                    ));
                }
                match used.access {
                    Access::Make => {
                        self.make(used, base, &mut made, &mut budget)?;
                        continue;
                    }
                    Access::Move => {
                        let folders = effects.paths().flat_map(|used| used.directories.iter());
                        self.check_moved(used, base, folders)?;
                    }
                    _ => made.check(used, base)?,
                }
                match &used.path {
                    // The same path over and over is looked at once.
                    Argument::Text(path) if used.access != Access::Tree => {
                        if known.insert((path, directory)) {
                            self.check(super::path_of_address(path)?, base)?;
                        }
                    }
                    Argument::Text(path) if HARMLESS.contains(&path.as_ref()) => {}
                    Argument::Text(path) => {
                        let folder = self.enter(path, base)?;
                        let mut judge = |name: &str, folder: &Path, is_link| {
                            self.judge_link(name, folder, is_link)
                        };
                        self.walk(&folder, Walk::default(), &|_| true, &mut judge, &mut budget)?;
                    }
                    Argument::Pattern(pattern) => {
                        self.check_pattern(pattern, base, used.access, &mut budget)?;
                    }
                    Argument::Names(names) => {
                        self.check_names(names, base, used.access, &mut budget)?;
                    }
                    other => {
                        return Err(format!(
                            "which file `{other}` is, is only known when the command runs: write it out"
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// Notes what is made, unless no link is made with it.
    fn make(
        &self,
        used: &PathUse,
        base: &Path,
        made: &mut Made,
        budget: &mut usize,
    ) -> Result<(), String> {
        let mut has_links = used.from.is_none();
        let mut judge = |_: &str, _: &Path, is_link: bool| {
            has_links |= is_link;
            Ok(())
        };
        match &used.from {
            Some(Argument::Text(from)) => {
                let from = base.join(from.trim_end_matches('/'));
                self.walk(&from, Walk::default(), &|_| true, &mut judge, budget)?;
                has_links |= from.is_symlink();
            }
            Some(from) => {
                let (walk, glob) = match from {
                    Argument::Names(names) => (Walk::of(names), glob_of(names)?),
                    _ => (Walk::default(), None),
                };
                for folder in places(from, base)? {
                    self.walk(&folder, walk, &|name| is_meant(glob.as_ref(), name), &mut judge, budget)?;
                }
            }
            None => {}
        }
        if has_links {
            made.0.extend(places(&used.path, base)?);
        }
        Ok(())
    }

    /// A folder that the command works in, is not moved: `..` would lead elsewhere then.
    fn check_moved<'u>(
        &self,
        used: &PathUse,
        base: &Path,
        mut folders: impl Iterator<Item = &'u String>,
    ) -> Result<(), String> {
        let is_known = used.path.known().is_some();
        let places = places(&used.path, base)?;
        let is_moved = |folder: &String| {
            let folder = Path::new(folder);
            let mut places = places.iter();
            places.any(|place| folder.starts_with(place) && (is_known || folder != place))
        };
        if folders.any(is_moved) {
            return Err(format!(
                "`{}` is moved, with a folder that the command works in: move it in another call",
                used.path
            ));
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

    /// Where git would take the folder, or one above it in the workspace, for a repository without a work tree.
    pub(super) fn bare_repository(&self, folder: &Path) -> Option<PathBuf> {
        let folders = folder
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.workspace));
        let is_bare = |folder: &&Path| {
            !folder.ends_with(".git")
                && folder.join("HEAD").exists()
                && folder.join("objects").is_dir()
                && folder.join("refs").is_dir()
        };
        folders.into_iter().find(is_bare).map(Path::to_owned)
    }

    fn judge_link(&self, name: &str, folder: &Path, is_link: bool) -> Result<(), String> {
        if is_link {
            return self.enter(name, folder).map(drop);
        }
        Ok(())
    }

    /// Names that a program prints: the folders, the links below them, and what is forbidden there.
    fn check_names(
        &self,
        names: &Names,
        base: &Path,
        access: Access,
        budget: &mut usize,
    ) -> Result<(), String> {
        let glob = glob_of(names)?;
        // A setting of git's may be among them, which is forbidden.
        let is_write = matches!(access, Access::Write | Access::Move) && !names.is_tracked();
        for folder in names.folders() {
            let resolved = self.enter(folder, base)?;
            let holds_forbidden = self
                .forbidden
                .iter()
                .any(|forbidden| forbidden.starts_with(&resolved));
            if access == Access::List || !(names.may_be_links() || holds_forbidden || is_write) {
                continue;
            }
            let mut judge = |name: &str, folder: &Path, is_link: bool| {
                self.judge_link(name, folder, is_link && names.may_be_links())?;
                // A name that is forbidden everywhere, as `.git`, is passed by programs that read all there is.
                if !is_write && self.is_forbidden_name(name) {
                    Ok(())
                } else {
                    self.judge(name, &folder.join(name))
                }
            };
            let walk = Walk {
                enters_git: is_write,
                ..Walk::of(names)
            };
            self.walk(&resolved, walk, &|name| is_meant(glob.as_ref(), name), &mut judge, budget)?;
        }
        Ok(())
    }

    /// Goes through a folder and those in it, but not through links.
    fn walk(
        &self,
        folder: &Path,
        walk: Walk,
        is_meant: &dyn Fn(&str) -> bool,
        judge: &mut dyn FnMut(&str, &Path, bool) -> Result<(), String>,
        budget: &mut usize,
    ) -> Result<(), String> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = folder.read_dir() else {
                continue;
            };
            for entry in entries.flatten() {
                let name = &*name_of(&entry, &folder, budget)?;
                let kind = entry.file_type().ok();
                if is_meant(name) {
                    judge(name, &folder, kind.is_none_or(|kind| kind.is_symlink()))?;
                }
                let is_entered = !walk.is_flat && (walk.enters_git || name != ".git");
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
        let unclear = || format!("which files `{pattern}` matches cannot be told: write them out");
        let (fixed, rest) = fixed(pattern);
        let parts: Vec<_> = rest
            .split('/')
            .filter(|part| !part.is_empty() && *part != ".")
            .collect();
        // A shell may match `..` with these.
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
        // Some shells take `**` for any number of folders, and others for one.
        let is_deep = glob.as_str() == "**";
        if is_deep && !rest.is_empty() {
            self.matched(folder, rest, access, budget)?;
        }
        // To look into a folder costs more than a name in it.
        spend(budget, 16)?;
        // What is not there is not matched.
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
            if is_deep && kind.is_some_and(|kind| kind.is_dir()) {
                self.matched(&folder.join(name), parts, access, budget)?;
            }
            if rest.is_empty() {
                if is_link && access != Access::List {
                    self.enter(name, folder)?;
                }
                self.judge(name, &folder.join(name))?;
            } else if is_link {
                // What lies behind it is judged if something there is matched.
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

    /// Whether a path may be touched; where it leads.
    pub(super) fn enter(&self, path: &str, base: &Path) -> Result<PathBuf, String> {
        if path.len() > LONGEST_PATH || Path::new(path).components().count() > MOST_NAMES {
            return Err(format!(
                "the path `{path}` is too long: write a shorter one"
            ));
        }
        // Programs print names line by line, and others read them so.
        if path.contains(char::is_control) {
            return Err(format!(
                "the path {path:?} has a character that is not seen: write it without"
            ));
        }
        let resolved = paths::resolve(path, base)
            .map_err(|error| format!("where the path `{path}` leads cannot be told: {error}"))?;
        self.judge(path, &resolved)?;
        Ok(resolved)
    }

    /// Whether a name is forbidden in every folder. Some systems do not tell `.GIT` from `.git`.
    fn is_forbidden_name(&self, name: &str) -> bool {
        self.names
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Whether a path may be touched that leads there.
    pub(super) fn judge(&self, path: &str, resolved: &Path) -> Result<(), String> {
        let is_in_workspace = resolved.starts_with(&self.workspace);
        for forbidden in &self.forbidden {
            // What holds a forbidden path is forbidden as well, as all that is in it is reached: `grep -r x /`.
            // The workspace may hold one.
            let reaches =
                forbidden.starts_with(resolved) && !forbidden.starts_with(&self.workspace);
            // A workspace that lies in a forbidden path is nevertheless the agent's to work in.
            let is_within = resolved.starts_with(forbidden)
                && !(is_in_workspace && self.workspace.starts_with(forbidden));
            if is_within || reaches {
                return Err(format!("the path `{path}` is forbidden"));
            }
        }
        let inside = resolved
            .strip_prefix(&self.workspace)
            .unwrap_or(Path::new(""));
        let mut names = inside.iter().filter_map(OsStr::to_str);
        if names.any(|name| self.is_forbidden_name(name)) {
            return Err(format!("the path `{path}` is forbidden"));
        }
        if self.workspace_only && !is_in_workspace {
            return Err(format!(
                "the path `{path}` is outside of the workspace `{}`",
                self.workspace.display()
            ));
        }
        Ok(())
    }
}

/// Which folders are gone through: git's own, and those in others.
#[derive(Clone, Copy, Default)]
struct Walk {
    enters_git: bool,
    is_flat: bool,
}

impl Walk {
    fn of(names: &Names) -> Self {
        Walk {
            enters_git: false,
            is_flat: names.is_flat(),
        }
    }
}

/// What names have in common, whatever their case is.
fn glob_of(names: &Names) -> Result<Option<Glob>, String> {
    let glob = names.pattern().map(|pattern| Glob::new(&pattern.to_lowercase()));
    glob.transpose()
        .map_err(|_| "which files these are cannot be told: write them out".into())
}

fn is_meant(glob: Option<&Glob>, name: &str) -> bool {
    glob.is_none_or(|glob| glob.matches(&name.to_lowercase()))
}

/// What a command has made so far that may be a link, or hold some.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    /// Whether a path has none of these on its way, nor below it where many are meant.
    fn check(&self, used: &PathUse, base: &Path) -> Result<(), String> {
        if self.0.is_empty() || !used.follows_links {
            return Ok(());
        }
        let is_many = used.path.known().is_none() || used.access == Access::Tree;
        let places = places(&used.path, base)?;
        let meets = |place: &PathBuf| {
            let mut made = self.0.iter();
            made.any(|made| place.starts_with(made) || (is_many && made.starts_with(place)))
        };
        if places.iter().any(meets) {
            return Err(format!(
                "`{}` may be a link that the command makes itself: use it in another call",
                used.path
            ));
        }
        Ok(())
    }
}

/// Where a path leads; of many, the folders that they are in.
fn places(path: &Argument, base: &Path) -> Result<Vec<PathBuf>, String> {
    let folders: Vec<&str> = match path {
        Argument::Text(path) => vec![path],
        Argument::Pattern(pattern) => vec![fixed(pattern).0],
        Argument::Names(names) => names.folders().collect(),
        _ => Vec::new(),
    };
    let places = folders.iter().map(|path| paths::resolve(path, base));
    let places: Result<_, _> = places.collect();
    places.map_err(|error| format!("where `{path}` leads cannot be told: {error}"))
}

/// The folder that a pattern begins with, and the rest.
fn fixed(pattern: &str) -> (&str, &str) {
    let first = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
    pattern.split_at(pattern[..first].rfind('/').map_or(0, |slash| slash + 1))
}

/// Takes what a look at files costs from the budget.
fn spend(budget: &mut usize, cost: usize) -> Result<(), String> {
    *budget = budget
        .checked_sub(cost)
        .ok_or("there are too many files to look at: name a smaller folder")?;
    Ok(())
}

/// The name of a file in a folder, which costs one of the budget.
fn name_of(entry: &DirEntry, folder: &Path, budget: &mut usize) -> Result<String, String> {
    spend(budget, 1)?;
    entry.file_name().into_string().map_err(|_| {
        format!(
            "a file in `{}` has a name that is no text: write out the files",
            folder.display()
        )
    })
}

/// Whether a path is one name, which is then meant in every folder, as in a `.gitignore`.
fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~') && !path.contains('/') && !matches!(path, "." | "..")
}
