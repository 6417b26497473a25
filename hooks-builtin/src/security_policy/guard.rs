//! Which paths a call may touch.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use hooks_shell::{Access, Argument, Names, PathUse};

use super::SecurityPolicyConfig;
use crate::shared::{Glob, paths};

/// The forbidden paths, and the folder that paths must not leave.
#[derive(Debug)]
pub(super) struct Guard {
    /// Absolute, without links.
    workspace: PathBuf,
    workspace_only: bool,
    /// The paths as they are written, and with links resolved.
    forbidden: Vec<PathBuf>,
    /// Names that are forbidden in every folder of the workspace, in lower case.
    names: Vec<String>,
}

/// Devices without contents.
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

/// The maximum length of a path in bytes, and the maximum number of names in one. Each name takes a system call.
const LONGEST_PATH: usize = 4096;
const MOST_NAMES: usize = 64;
/// How many files of the workspace are examined for one command.
const MOST_FILES: usize = 50_000;
/// How many paths may be in one command.
const MOST_PATHS: usize = 20_000;

impl Guard {
    /// Creates a guard for a folder that is absolute and without links.
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
            // Without a home directory, a path in it cannot exist.
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

    /// Checks whether a path may be touched from a directory that is absolute and without links.
    pub(super) fn check(&self, path: &str, base: &Path) -> Result<(), String> {
        if HARMLESS.contains(&path) {
            return Ok(());
        }
        self.enter(path, base).map(drop)
    }

    /// Checks whether a command may touch all its paths. It begins in a directory without links.
    pub(super) fn check_all<'u>(
        &self,
        uses: impl Iterator<Item = &'u PathUse>,
        start: &str,
    ) -> Result<(), String> {
        let mut budget = MOST_FILES;
        let mut known: HashSet<(&str, &str)> = HashSet::new();
        for (nth, used) in uses.enumerate() {
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
                match &used.path {
                    // A path that occurs many times is checked once.
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
                        self.walk(&folder, &|_| true, &mut judge, &mut budget)?;
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

    /// Whether no link is on the way to a folder.
    fn is_direct(&self, folder: &Path) -> bool {
        folder
            .to_str()
            .and_then(|path| paths::resolve(path, Path::new("/")).ok())
            .as_deref()
            == Some(folder)
    }

    /// Returns the folder, or a parent of it in the workspace, that git would treat as a repository without a work
    /// tree.
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

    /// Checks names that a program prints: the folders, the links below them, and forbidden files there.
    fn check_names(
        &self,
        names: &Names,
        base: &Path,
        access: Access,
        budget: &mut usize,
    ) -> Result<(), String> {
        let pattern = names.pattern();
        let glob = pattern
            .map(|pattern| Glob::new(&pattern.to_lowercase()))
            .transpose()
            .map_err(|_| "which files these are cannot be told: write them out")?;
        let is_write = access == Access::Write;
        let has_extension = pattern
            .and_then(|pattern| pattern.rsplit_once('.'))
            .is_some_and(|(_, extension)| {
                let is_plain = extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
                !extension.is_empty()
                    && is_plain
                    && !matches!(extension, "git" | "worktree" | "lock")
            });
        if is_write && !names.is_tracked() && !has_extension {
            return Err("what is found may be a setting of git's: name the files by their ending, as `-name '*.rs'`, or use `git ls-files`".into());
        }
        for folder in names.folders() {
            let resolved = self.enter(folder, base)?;
            let holds_forbidden = self
                .forbidden
                .iter()
                .any(|forbidden| forbidden.starts_with(&resolved));
            if access == Access::List || !(names.may_be_links() || holds_forbidden || is_write) {
                continue;
            }
            let is_meant = |name: &str| {
                glob.as_ref()
                    .is_none_or(|glob| glob.matches(&name.to_lowercase()))
            };
            let mut judge = |name: &str, folder: &Path, is_link: bool| {
                self.judge_link(name, folder, is_link && names.may_be_links())?;
                // Programs that read everything skip a name that is forbidden everywhere, such as `.git`.
                if !is_write && self.is_forbidden_name(name) {
                    Ok(())
                } else {
                    self.judge(name, &folder.join(name))
                }
            };
            self.walk(&resolved, &is_meant, &mut judge, budget)?;
        }
        Ok(())
    }

    /// Walks through a folder and its subfolders, but not through links, nor into git's own folder.
    fn walk(
        &self,
        folder: &Path,
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
                if kind.is_some_and(|kind| kind.is_dir()) && name != ".git" {
                    folders.push(folder.join(name));
                }
            }
        }
        Ok(())
    }

    /// Checks the files that a pattern matches. A match may be a link, so the folders are read.
    fn check_pattern(
        &self,
        pattern: &str,
        base: &Path,
        access: Access,
        budget: &mut usize,
    ) -> Result<(), String> {
        let unclear = || format!("which files `{pattern}` matches cannot be told: write them out");
        let first = pattern.find(['*', '?', '[', '\\']).unwrap_or(pattern.len());
        let (fixed, rest) = match pattern[..first].rfind('/') {
            Some(slash) => pattern.split_at(slash + 1),
            None => ("", pattern),
        };
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
        // Some shells expand `**` to any number of folders, others to one.
        let is_deep = glob.as_str() == "**";
        if is_deep && !rest.is_empty() {
            self.matched(folder, rest, access, budget)?;
        }
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
            if is_deep && kind.is_some_and(|kind| kind.is_dir()) {
                self.matched(&folder.join(name), parts, access, budget)?;
            }
            if rest.is_empty() {
                if is_link && access != Access::List {
                    self.enter(name, folder)?;
                }
                self.judge(name, &folder.join(name))?;
            } else if is_link {
                // What is behind the link is judged if something there matches.
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
        if path.len() > LONGEST_PATH || Path::new(path).components().count() > MOST_NAMES {
            return Err(format!(
                "the path `{path}` is too long: write a shorter one"
            ));
        }
        // Programs print names line by line, and other programs read them so.
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

    /// Whether a name is forbidden in every folder. Some systems treat `.GIT` and `.git` as equal.
    fn is_forbidden_name(&self, name: &str) -> bool {
        self.names
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    }

    /// Checks whether a path may be touched that leads to `resolved`.
    pub(super) fn judge(&self, path: &str, resolved: &Path) -> Result<(), String> {
        let is_in_workspace = resolved.starts_with(&self.workspace);
        for forbidden in &self.forbidden {
            // A folder that contains a forbidden path is forbidden too, because everything in it is reached: `grep -r x
            // /`. The workspace may contain one.
            let reaches =
                forbidden.starts_with(resolved) && !forbidden.starts_with(&self.workspace);
            // An agent may work in a workspace that is itself inside a forbidden path.
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

/// Takes the cost of file accesses from the budget.
fn spend(budget: &mut usize, cost: usize) -> Result<(), String> {
    *budget = budget
        .checked_sub(cost)
        .ok_or("there are too many files to look at: name a smaller folder")?;
    Ok(())
}

/// Returns the name of a file in a folder. This costs one unit of the budget.
fn name_of(entry: &DirEntry, folder: &Path, budget: &mut usize) -> Result<String, String> {
    spend(budget, 1)?;
    entry.file_name().into_string().map_err(|_| {
        format!(
            "a file in `{}` has a name that is no text: write out the files",
            folder.display()
        )
    })
}

/// Whether a path is a single name. It then counts in every folder, as in a `.gitignore`.
fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~') && !path.contains('/') && !matches!(path, "." | "..")
}
