//! The names that an agent must not change, because they run or decide later, outside: the table `protected.txt`.
//!
//! A judge refuses what names one, and a sandbox holds them. Both read this list, so that none of them protects less.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const TABLE: &str = include_str!("protected.txt");

/// The entries that count in every folder, each with its parts.
static ANYWHERE: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let names = entries("anywhere").map(|(name, _)| name);
    names
        .map(|name| (name, name.split('/').collect()))
        .collect()
});

/// The names of a section, each with the text of its place-holder, if that is a file.
pub(crate) fn entries(section: &str) -> impl Iterator<Item = (&'static str, Option<&'static str>)> {
    let lines = TABLE.lines().skip_while(move |line| *line != section);
    let names = lines.skip(1).map_while(|line| line.strip_prefix("  "));
    names.map(|line| match line.split_once(" = ") {
        Some((name, text)) => (name, Some(text)),
        None => (line, None),
    })
}

/// Returns the names that are protected in every folder, such as `hooks.toml` and `.github/hooks`.
///
/// ```
/// assert!(hooks_sandbox::protected::names().any(|name| name == ".vscode"));
/// ```
pub fn names() -> impl Iterator<Item = &'static str> {
    ANYWHERE.iter().map(|(name, _)| *name)
}

/// What follows a name in each of the entries that count in every folder and begin with it.
pub(crate) fn beginning_with(name: &OsStr) -> impl Iterator<Item = PathBuf> {
    let entries = ANYWHERE.iter().filter(move |(_, names)| {
        let first = names.first().map(|first| first.as_bytes());
        first.is_some_and(|first| name.as_encoded_bytes().eq_ignore_ascii_case(first))
    });
    entries.map(|(_, names)| names.iter().skip(1).collect())
}

/// Returns the protected name that a path is, or is in. A relative path begins in the workspace, and need not exist. Case
/// does not matter, since some file systems have none.
///
/// ```
/// use hooks_sandbox::protected;
///
/// assert_eq!(protected::covering("app/.vscode/tasks.json".as_ref()), Some(".vscode"));
/// assert_eq!(protected::covering("Hooks.toml".as_ref()), Some("hooks.toml"));
/// assert_eq!(protected::covering("vendor/lib/.git/modules/a/config".as_ref()), Some(".git/config"));
/// assert_eq!(protected::covering(".git/x/.vscode/tasks.json".as_ref()), Some(".vscode"));
/// assert_eq!(protected::covering(".github/workflows/ci.yml".as_ref()), None);
/// ```
#[must_use]
pub fn covering(path: &Path) -> Option<&'static str> {
    let parts: Vec<&[u8]> = path.iter().map(OsStr::as_encoded_bytes).collect();
    let is = |part: &[u8], name: &str| part.eq_ignore_ascii_case(name.as_bytes());
    let begins = |parts: &[&[u8]], names: &[&str]| {
        names.len() <= parts.len() && parts.iter().zip(names).all(|(part, name)| is(part, name))
    };
    for at in 0..parts.len() {
        let rest = &parts[at..];
        if let Some((name, _)) = ANYWHERE.iter().find(|(_, names)| begins(rest, names)) {
            return Some(name);
        }
        if is(rest[0], ".git") {
            const OF_GIT: [(&str, &str); 4] = [
                ("hooks", ".git/hooks"),
                ("config", ".git/config"),
                ("config.worktree", ".git/config.worktree"),
                ("commondir", ".git/commondir"),
            ];
            let within = |(name, _): &&(&str, &str)| rest[1..].iter().any(|part| is(part, name));
            if let Some((_, entry)) = OF_GIT.iter().find(within) {
                return Some(entry);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_runs_is_in_both_tables() {
        for (name, _) in entries("git") {
            let entry = format!(".git/{name}");
            assert_eq!(covering(entry.as_ref()), Some(entry.as_str()));
        }
    }
}
