//! Finds the files that a system finds by itself, and decides whether they may run code.

use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

use hooks_builtin::__Visible as Visible;
use hooks_builtin::__caller as caller;
use hooks_config::ConfigError;

use super::claude::{SettingsFile, events_of};
use super::near::without_hooks;
use super::{Loader, RuntimeSettings, SourceStatus};
use crate::entry::ImportEntry;
use crate::system::Dialect;
use crate::system::table::FileOwner;
use crate::trust::{Trust, entries, is_unspoiled, real};

impl Loader<'_> {
    /// Reads the files of a system from its own places.
    pub(super) fn discover(&mut self, dialect: Dialect) {
        let mut files = Vec::new();
        for (whose, name) in dialect.system().files.found() {
            for path in self.found(dialect, whose, name) {
                let text = match self.read_of(whose, &path) {
                    Ok(text) => text,
                    // A guard of the user or the organisation must not be gone because its file is broken.
                    Err(error) if whose != FileOwner::Project => {
                        self.mistakes.push(error);
                        continue;
                    }
                    Err(error) => {
                        self.unreadable(&path, dialect, &error);
                        continue;
                    }
                };
                if whose == FileOwner::Project && !self.plan.trust.covers(&path, &text) {
                    self.untrusted(&path, dialect, &text);
                    continue;
                }
                match dialect.document(&path, text) {
                    Ok(document) => files.push(SettingsFile { document, whose }),
                    Err(error) => self.mistakes.push(error),
                }
            }
        }
        // All levels together are one place in the pipeline, in which each hook runs once.
        let has_hooks = |file: &SettingsFile| {
            let document = &file.document;
            events_of(document, dialect.system()).is_some() || without_hooks(document).is_some()
        };
        if files.iter().any(has_hooks) {
            // Settings without hooks are not listed, but may switch hooks off.
            files.retain(|file| has_hooks(file) || is_policy(file));
            self.grouped(&files, dialect, &ImportEntry::default());
        }
    }

    /// Reads a file, and refuses one of the user or the organisation that another user may have written: such a file
    /// needs no trust.
    fn read_of(&mut self, whose: FileOwner, path: &Path) -> Result<String, ConfigError> {
        let text = self.read(path)?;
        if whose != FileOwner::Project {
            is_unspoiled(path).map_err(|error| {
                ConfigError::of_file(path, format!("the file is refused: {error}"))
            })?;
        }
        Ok(text)
    }

    fn found(&mut self, dialect: Dialect, whose: FileOwner, name: &str) -> Vec<PathBuf> {
        let project = self.plan.project_dir.as_deref();
        let Some(path) = self.plan.place(dialect, whose, name, project) else {
            return Vec::new();
        };
        let is_named = path
            .extension()
            .is_some_and(|extension| extension == "json");
        if is_named || !path.is_dir() {
            // A missing file may appear later. The function that reads the file reports one that cannot be accessed.
            return match path.symlink_metadata() {
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    self.files.push(path);
                    Vec::new()
                }
                _ => vec![path],
            };
        }
        // A file may come to it later.
        self.files.push(path.clone());
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries.flatten(),
            Err(error) => {
                let message = format!("the folder cannot be read: {error}");
                let error = ConfigError::of_file(&path, message);
                if whose == FileOwner::Project {
                    self.unreadable(&path, dialect, &error);
                } else {
                    self.mistakes.push(error);
                }
                return Vec::new();
            }
        };
        let is_json = |path: &PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        };
        let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(is_json).collect();
        files.sort();
        files
    }

    /// Whether a file of ours may import another file. If a file outside of the project imports a file in the project,
    /// the imported file must be trusted.
    ///
    /// Returns the text of the file if so.
    pub(super) fn may_import(
        &mut self,
        importer: Option<&Path>,
        file: &Path,
        dialect: Dialect,
    ) -> Result<Option<String>, ConfigError> {
        let text = self.read(file)?;
        let Some(project) = self.plan.project_dir.as_deref().map(real) else {
            return Ok(Some(text));
        };
        let is_inside = |path: &Path| is_inside(path, &project);
        if !is_inside(file) || importer.is_none_or(is_inside) || self.plan.trust.covers(file, &text)
        {
            return Ok(Some(text));
        }
        self.untrusted(file, dialect, &text);
        Ok(None)
    }

    /// Lists a file whose content is unknown.
    fn unreadable(&mut self, path: &Path, dialect: Dialect, error: &dyn std::fmt::Display) {
        self.notices.push(format!(
            "skipped all hooks of this file: {error} ({})",
            path.display()
        ));
        self.sources.push(SourceStatus {
            file: Some(path.to_owned()),
            dialect,
            definitions: 0,
            trusted: false,
            bundle: None,
        });
    }

    /// Adds a notice about hooks that do not run.
    fn untrusted(&mut self, path: &Path, dialect: Dialect, text: &str) {
        let entries = entries(text);
        let fingerprint = Trust::fingerprint(text);
        let name = path.display().to_string();
        let seen = Visible(&name);
        let what = match entries.len() {
            0 => "the file has no hooks".to_owned(),
            1 => "1 entry does not run".to_owned(),
            many => format!("{many} entries do not run"),
        };
        let shown = entries
            .iter()
            .take(MOST_SHOWN)
            .map(|entry| beginning(entry));
        let more = entries.len().saturating_sub(MOST_SHOWN);
        let more = (more > 0).then(|| format!("… and {more} more"));
        let lines: Vec<_> = std::iter::once(what).chain(shown).chain(more).collect();
        let shown = lines.join("\n  ");
        self.notices.push(format!(
            "{seen}: the file belongs to the project, and is not trusted: {shown}\n  \
             to trust it as it is now, give the builder `Trust::none().with_text({name:?}, \"{fingerprint}\")`",
        ));
        self.sources.push(SourceStatus {
            file: Some(path.to_owned()),
            dialect,
            definitions: 0,
            trusted: false,
            bundle: None,
        });
    }
}

/// Whether a path belongs to a project: the file is in it, or the path leads through it, as a link there does that
/// points elsewhere.
fn is_inside(path: &Path, project: &Path) -> bool {
    if real(path).starts_with(project) {
        return true;
    }
    let (mut at, mut is_inside) = (PathBuf::new(), false);
    for part in std::path::absolute(path).unwrap_or_default().components() {
        if part == Component::ParentDir {
            at = real(&at);
            at.pop();
            is_inside = at.starts_with(project);
        } else {
            at.push(part);
            is_inside |= real(&at).starts_with(project);
        }
    }
    is_inside
}

/// Whether settings of a file are about all hooks.
fn is_policy(file: &SettingsFile) -> bool {
    let keys = [
        "disableAllHooks",
        "allowManagedHooksOnly",
        "allowedHttpHookUrls",
        "httpHookAllowedEnvVars",
    ];
    keys.iter()
        .any(|key| file.document.value().get(key).is_some())
}

/// How many entries of a file a notice shows, and how many characters of each: a stranger has written them.
const MOST_SHOWN: usize = 50;
const LONGEST_SHOWN: usize = 1000;

/// The beginning of a text, with a mark that says how much is missing.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => {
            let more = text[end..].chars().count();
            format!("{}… ({more} more characters)", &text[..end])
        }
        None => text.to_owned(),
    }
}

impl RuntimeSettings {
    /// Returns where a file of an agent's table is, or a folder of such files.
    pub(crate) fn place(
        &self,
        dialect: Dialect,
        whose: FileOwner,
        name: &str,
        project: Option<&Path>,
    ) -> Option<PathBuf> {
        let folder = match whose {
            FileOwner::Project => project.map(Path::to_owned),
            FileOwner::Managed => Some(self.managed_dir.clone().unwrap_or_else(managed)),
            FileOwner::User => match (&self.user_dir, moved(dialect)) {
                (Some(folder), _) => Some(folder.clone()),
                (None, Some(moved)) => return Some(moved.join(Path::new(name).file_name()?)),
                (None, None) => caller::home_dir(),
            },
        };
        Some(folder?.join(name))
    }
}

/// Returns the place of the user's files, if a variable of the system sets it.
fn moved(dialect: Dialect) -> Option<PathBuf> {
    let variable = match dialect {
        Dialect::Claude => "CLAUDE_CONFIG_DIR",
        Dialect::Codex => "CODEX_HOME",
        _ => return None,
    };
    caller::var_os(variable)
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
}

/// Returns the place of an organisation's files for Claude Code.
fn managed() -> PathBuf {
    PathBuf::from(if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode"
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode"
    } else {
        "/etc/claude-code"
    })
}
