//! Finds the files that a system finds by itself, and decides whether they may run code.

use std::path::{Path, PathBuf};

use hooks_builtin::config::{Document, ImportEntry};
use serde_json::Value;

use super::claude::File;
use super::{Loader, SourceStatus};
use crate::Dialect;
use crate::dialect::table::Whose;
use crate::trust::{Trust, real};

impl Loader<'_> {
    /// Reads the files of a system from its own places.
    pub(super) fn discover(&mut self, dialect: Dialect) {
        let mut files = Vec::new();
        for (whose, name) in dialect.rules().files {
            for path in self.found(dialect, *whose, name) {
                self.files.push(path.clone());
                let Ok(text) = std::fs::read_to_string(&path) else {
                    continue;
                };
                if *whose == Whose::Project && !self.plan.trust.covers(&path, &text) {
                    self.untrusted(&path, dialect, &text);
                    continue;
                }
                match Document::load(&path) {
                    Ok(document) => files.push(File {
                        document,
                        whose: *whose,
                    }),
                    Err(error) => self.mistakes.push(error),
                }
            }
        }
        // All levels together are one place in the pipeline, in which each hook runs once.
        let has_hooks = |file: &File| file.document.value().get("hooks").is_some();
        if files.iter().any(has_hooks) {
            // Settings without hooks are not listed, but may switch hooks off.
            files.retain(|file| has_hooks(file) || is_policy(file));
            self.grouped(&files, dialect, &ImportEntry::default());
        }
    }

    fn found(&self, dialect: Dialect, whose: Whose, name: &str) -> Vec<PathBuf> {
        let plan = self.plan;
        let folder = match whose {
            Whose::Project => plan.project_dir.clone(),
            Whose::Managed => Some(plan.managed_dir.clone().unwrap_or_else(managed)),
            Whose::User => match (&plan.user_dir, moved(dialect)) {
                (Some(folder), _) => Some(folder.clone()),
                (None, Some(moved)) => {
                    let name = Path::new(name).file_name();
                    return name.map(|name| moved.join(name)).into_iter().collect();
                }
                (None, None) => std::env::home_dir(),
            },
        };
        let Some(path) = folder.map(|folder| folder.join(name)) else {
            return Vec::new();
        };
        if !path.is_dir() {
            return if path.exists() {
                vec![path]
            } else {
                Vec::new()
            };
        }
        let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
        let is_json = |path: &PathBuf| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        };
        let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(is_json).collect();
        files.sort();
        files
    }

    /// Whether a file of ours may import another file. A file of the project needs trust of its own, unless a file of
    /// the project imports it.
    pub(super) fn may_import(
        &mut self,
        importer: Option<&Path>,
        file: &Path,
        dialect: Dialect,
    ) -> bool {
        let Some(project) = self.plan.project_dir.as_deref().map(real) else {
            return true;
        };
        let is_inside = |path: &Path| real(path).starts_with(&project);
        if !is_inside(file) || importer.is_none_or(is_inside) {
            return true;
        }
        // A file that cannot be read is a mistake, which its reader reports.
        let Ok(text) = std::fs::read_to_string(file) else {
            return true;
        };
        if self.plan.trust.covers(file, &text) {
            return true;
        }
        self.files.push(file.to_owned());
        self.untrusted(file, dialect, &text);
        false
    }

    /// Adds a notice about hooks that do not run.
    fn untrusted(&mut self, path: &Path, dialect: Dialect, text: &str) {
        let mut commands = Vec::new();
        let value = Document::json(text).map(|document| document.value().clone());
        let value =
            value.or_else(|_| Document::toml(text).map(|document| document.value().clone()));
        runs(
            value.as_ref().map_or(&Value::Null, |value| &value["hooks"]),
            &mut commands,
        );
        let fingerprint = Trust::fingerprint(text);
        let shown = path.display();
        let what = match commands.len() {
            0 => "it has no hooks".to_owned(),
            1 => format!("1 hook does not run: {}", commands[0]),
            many => format!("{many} hooks do not run: {}", commands.join(", ")),
        };
        self.notices.push(format!(
            "{shown}: the file is the project's, and is not trusted: {what}; to trust it as it is, give the builder \
             `Trust::none().with_text({:?}, \"{fingerprint}\")`",
            path.display().to_string()
        ));
        self.sources.push(SourceStatus {
            file: Some(path.to_owned()),
            dialect,
            definitions: 0,
            trusted: false,
        });
    }
}

/// Whether a file has settings about all hooks.
fn is_policy(file: &File) -> bool {
    let keys = [
        "disableAllHooks",
        "allowManagedHooksOnly",
        "allowedHttpHookUrls",
        "httpHookAllowedEnvVars",
    ];
    keys.iter()
        .any(|key| file.document.value().get(key).is_some())
}

/// Collects what the hooks of a file would run.
fn runs(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text)
                        if matches!(
                            key.as_str(),
                            "command" | "run" | "url" | "http" | "prompt"
                        ) =>
                    {
                        let short: String = text.chars().take(80).collect();
                        found.push(format!("`{short}`"));
                    }
                    value => runs(value, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| runs(value, found)),
        _ => {}
    }
}

/// Returns the place of the user's files, if a variable of the system sets it.
fn moved(dialect: Dialect) -> Option<PathBuf> {
    let variable = match dialect {
        Dialect::Claude => "CLAUDE_CONFIG_DIR",
        Dialect::Codex => "CODEX_HOME",
        _ => return None,
    };
    std::env::var_os(variable)
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
