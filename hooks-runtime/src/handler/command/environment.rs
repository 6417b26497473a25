//! The environment of a command and of a process.
//!
//! | dialect | inherited variables |
//! | --- | --- |
//! | ours | [`BASE`], and the variables that `env` names |
//! | GoClaw | `PATH`, and the variables that `env` names |
//! | Gemini CLI | all, except [private](is_private) ones, and except those whose names suggest secrets and that `env` does not name |
//! | others | all, except [private](is_private) ones |
//!
//! A command then has the variables about the event. Finally come those that `env` sets.
//!
//! | variable | |
//! | --- | --- |
//! | `HOOK_EVENT`, `HOOK_NAME` | the event's name in the hook's dialect, and the definition's name |
//! | `TOOL_NAME` | the tool, for events about one |
//! | `CLAUDE_PROJECT_DIR` | the root of the project; it follows the agent's directory only if the project is not known |
//! | `CLAUDE_CODE_SESSION_ID` | for Claude Code's files: the session |
//! | `GEMINI_PROJECT_DIR`, `GEMINI_CWD`, `GEMINI_SESSION_ID` | for Gemini CLI's files: the project, the agent's directory, the session |
//! | `QWEN_PROJECT_DIR`, `CURSOR_PROJECT_DIR`, … | for the files of these systems: the project |

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use hooks_builtin::__caller as caller;

use crate::entry::EnvEntry;
use crate::handler::SettingsMistake;
use crate::system::Dialect;
use crate::system::raw::WITHIN;

/// Variables with which programs find other programs and their files, and write text. None contains a secret.
const BASE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TZ",
    "TMPDIR",
    // Windows.
    "SYSTEMROOT",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
];

/// Parts of variable names that suggest a secret.
const SECRET: &[&str] = &[
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "KEY",
    "AUTH",
    "CREDENTIAL",
    "CREDS",
    "PRIVATE",
    "CERT",
];

/// The subject of a run.
pub(super) struct About {
    pub(super) event: String,
    pub(super) hook: String,
    pub(super) subject: Option<String>,
    pub(super) session_id: String,
    pub(super) cwd: String,
    pub(super) project_dir: String,
    /// The calls within which it runs.
    pub(super) within: Option<String>,
}

/// Checks that these can be names of variables.
pub(crate) fn check_names<'n>(
    mut names: impl Iterator<Item = &'n String>,
) -> Result<(), SettingsMistake> {
    match names.find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        // What follows the `=` may be a secret.
        Some(name) => Err(SettingsMistake::new(format!(
            "`{}` is not a valid name of a variable: write `env = {{ NAME = \"value\" }}` to set one",
            name.split_inclusive('=')
                .next()
                .unwrap_or_default()
                .escape_debug()
        ))),
        None => Ok(()),
    }
}

/// What is inherited, and what is set.
#[derive(Clone, Default)]
pub(crate) struct CommandEnvironment {
    dialect: Dialect,
    inherit: Vec<String>,
    set: Vec<(String, String)>,
}

impl CommandEnvironment {
    pub(crate) fn check(entry: &EnvEntry, dialect: Dialect) -> Result<Self, SettingsMistake> {
        check_names(entry.inherit.iter().chain(entry.set.keys())).map_err(|wrong| {
            wrong
                .at("env")
                .help("`env = [\"NAME\"]` inherits, `env = { NAME = \"value\" }` sets")
        })?;
        if let Some((name, _)) = entry.set.iter().find(|(_, value)| value.contains('\0')) {
            let message = format!("the value of `{name}` contains a NUL byte");
            return Err(SettingsMistake::new(message).at("env").at(name.clone()));
        }
        Ok(CommandEnvironment {
            dialect,
            inherit: entry.inherit.clone(),
            set: entry.set.clone().into_iter().collect(),
        })
    }

    /// The `PATH` that is set, where programs are searched for.
    pub(crate) fn path(&self) -> Option<&OsStr> {
        let path = self.set.iter().find(|(name, _)| name == "PATH");
        path.map(|(_, path)| OsStr::new(path))
    }

    /// Creates a command for a program. What `add` sets may be set by the file, too, which then counts.
    pub(crate) fn command(&self, program: &OsStr, add: impl FnOnce(&mut Command)) -> Command {
        let mut command = caller::command(program);
        self.inherit(&mut command);
        add(&mut command);
        command.envs(self.set.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Sets the variables about an event.
    pub(super) fn tell(&self, about: &About, project: Option<&Path>, command: &mut Command) {
        command
            .env("HOOK_EVENT", &about.event)
            .env("HOOK_NAME", &about.hook);
        if let Some(within) = &about.within {
            command.env(WITHIN, within);
        }
        if let Some(subject) = &about.subject {
            // A model may choose any name, so it may contain anything.
            command.env("TOOL_NAME", subject.replace('\0', ""));
        }
        let project = project.map(Path::as_os_str);
        if let Some(project) = project {
            command.env("CLAUDE_PROJECT_DIR", project);
            let calls = self.dialect.system().call.iter();
            for name in calls.flat_map(|calls| &calls.project) {
                command.env(name, project);
            }
        }
        match self.dialect {
            Dialect::Claude => {
                command.env("CLAUDE_CODE_SESSION_ID", about.session_id.replace('\0', ""));
            }
            Dialect::Gemini => {
                command
                    .env("GEMINI_PROJECT_DIR", project.unwrap_or_default())
                    .env("GEMINI_CWD", &about.cwd)
                    .env("GEMINI_SESSION_ID", about.session_id.replace('\0', ""));
            }
            _ => {}
        }
    }

    fn inherit(&self, command: &mut Command) {
        let only = |base: &[&str], command: &mut Command| {
            command.env_clear();
            let base = base.iter().copied();
            let names = base.chain(self.inherit.iter().map(String::as_str));
            let known = names.filter_map(|name| Some((name, caller::var_os(name)?)));
            command.envs(known);
        };
        match self.dialect {
            Dialect::Hooks => only(BASE, command),
            Dialect::Goclaw => only(&["PATH"], command),
            dialect => {
                for name in caller::names() {
                    let text = name.to_string_lossy();
                    let is_named = || self.inherit.iter().any(|named| *named == text);
                    let is_kept_back =
                        is_private(&text) || dialect == Dialect::Gemini && is_secret(&text);
                    if is_kept_back && !is_named() {
                        command.env_remove(&name);
                    }
                }
            }
        }
    }
}

/// Whether a variable is the agent's own, which no hook inherits unless its file names it: its telemetry, the secrets of
/// all hooks, and the key of the model that judges for them.
pub(crate) fn is_private(name: &str) -> bool {
    name.starts_with("OTEL_")
        || name.starts_with(crate::secrets::PREFIX)
        || name == crate::evaluator::KEY
}

fn is_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    SECRET.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_speak_of_secrets_are_known() {
        for name in ["GITHUB_TOKEN", "aws_secret_access_key", "DB_PASSWORD"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PATH", "HOME", "LANG"] {
            assert!(!is_secret(name), "{name}");
        }
        assert!(is_private("OTEL_SERVICE_NAME") && !is_private("HOTEL_OTEL_"));
        assert!(is_private("HOOKS_SECRET_TEAM") && is_private("HOOKS_EVALUATOR_KEY"));
    }
}
