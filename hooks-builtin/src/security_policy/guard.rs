//! Which paths may be touched.

use std::path::{Path, PathBuf};

use super::SecurityPolicyConfig;
use crate::shared::paths;

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
const HARMLESS: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
];

/// The longest path that is looked at, in bytes, and how many names may be in one: it takes a question to the
/// system for each.
pub(super) const LONGEST_PATH: usize = 4096;
pub(super) const MOST_NAMES: usize = 64;

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

    /// Whether a path may be touched; where it leads.
    pub(super) fn enter(&self, path: &str, base: &Path) -> Result<PathBuf, String> {
        if path.len() > LONGEST_PATH || Path::new(path).components().count() > MOST_NAMES {
            return Err(format!(
                "the path `{path}` is too long: write a shorter one"
            ));
        }
        let resolved = paths::resolve(path, base)
            .map_err(|error| format!("where the path `{path}` leads cannot be told: {error}"))?;
        self.judge(path, &resolved)?;
        Ok(resolved)
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
        // Some systems do not tell `.GIT` from `.git`.
        let inside = resolved
            .strip_prefix(&self.workspace)
            .unwrap_or(Path::new(""));
        let is_named = |name: &str| {
            self.names
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known))
        };
        if inside
            .components()
            .any(|part| part.as_os_str().to_str().is_some_and(is_named))
        {
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

/// Whether a path is one name, which is then meant in every folder, as in a `.gitignore`.
fn is_name(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('~') && !path.contains('/') && !matches!(path, "." | "..")
}
