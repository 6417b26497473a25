//! What an agent may do: the first guard of all.
//!
//! A tool call is judged by what it would do: whether its tool changes anything, how often that happened within
//! the hour, which programs a shell command runs, and which paths are touched. What cannot be told before it
//! happens is not allowed.

mod actions;
mod guard;
mod shell;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hooks_core::agent::{AgentContext, Approval, ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook, priority};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::actions::Actions;
use self::guard::Guard;
use self::shell::Programs;
use crate::shared::{BuildError, Globs, paths};

/// Blocks what an agent may not do. It runs before every other hook: its priority is [`priority::FIRST`].
///
/// - **Autonomy.** Under [`Autonomy::ReadOnly`] every tool that is not declared read-only is blocked. The other
///   two let tools act; under [`Autonomy::Supervised`] somebody is to approve of it, which is for
///   [`Approval`](crate::Approval) to ask: `builtins` has it ask for every tool that is not read-only.
/// - **Actions.** At most `max_actions_per_hour` calls of tools that are not read-only are let through, in any
///   sixty minutes. A call counts when it is let through here.
/// - **Commands.** A command for the shell is parsed, as bash would, and every program that it runs has to be
///   allowed: in pipes, lists, loops, substitutions and here-documents, behind `env`, `timeout`, `xargs`,
///   `find -exec`, in `sh -c '…'` and in `eval`. What is only known when it runs (`$x`, as a program or a path)
///   is blocked, and so is what does not parse, what bash and `sh` would read in two ways, and what would take long to
///   look at. Of `git`, `cargo` and `npm` the usual commands are allowed, and not those that run a program which they
///   are given. To allow an interpreter is to allow all that it can do; `cargo`, `npm` and `git` run what lies in the
///   workspace for them: build scripts, scripts, hooks.
/// - **Paths.** What a command or a tool's argument names may not be in a forbidden path, nor outside of the
///   workspace, once `~`, `.`, `..` and links are resolved.
///
/// Calls are judged before the tool call and once more when it is approved, as later hooks may have changed
/// them. This guards against a model that was talked into something. It is no sandbox: a program that is allowed
/// does what it does, with the files that it finds by itself, and links that are made after the call was judged are
/// not seen. Nor is it seen when files are made one by one into a repository of git's, with settings that run a program.
///
/// ClawSeed's `SecurityPolicy`.
///
/// ```
/// use hooks_builtin::{SecurityPolicy, SecurityPolicyConfig};
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::hooks;
/// use serde_json::json;
///
/// let config = SecurityPolicyConfig {
///     allowed_commands: vec!["cargo".into(), "grep".into()],
///     ..Default::default()
/// };
/// let hooks = hooks![SecurityPolicy::from_config(&config).unwrap()];
/// let judge = |command: &str| {
///     let args = json!({ "command": command });
///     let mut call = BeforeToolCall { name: "shell".into(), args, ..Default::default() };
///     hooks.intercept_now(&AgentContext::new("s1"), &mut call).into_result().map_err(|cancel| cancel.reason)
/// };
/// assert!(judge("cargo test 2>&1 | grep FAILED").is_ok());
/// assert_eq!(
///     judge("cargo test; $(echo r)m -rf .").unwrap_err(),
///     "which program `$(echo r)m` is, is only known when the command runs: write it out",
/// );
/// assert_eq!(judge("grep root /etc/passwd").unwrap_err(), "the path `/etc/passwd` is forbidden");
/// ```
#[derive(Clone, Debug)]
pub struct SecurityPolicy(Arc<Inner>, Approver);

/// Whether somebody is there to approve of what a supervised agent does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Approver {
    /// A hook after this one asks, for all that is known.
    Other,
    Nobody,
}

#[derive(Debug)]
struct Inner {
    config: SecurityPolicyConfig,
    programs: Programs,
    actions: Mutex<Actions>,
    /// The guard of the workspace that was asked for last: an agent has few.
    guard: Mutex<Option<(String, Arc<Guard>)>>,
}

/// How much an agent may do by itself. ClawSeed's autonomy levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// Only tools that are declared read-only run.
    ReadOnly,
    /// Tools act within the policy, and somebody approves of it.
    #[default]
    Supervised,
    /// Tools act within the policy.
    Full,
}

/// What stands under `[hooks.builtin.security_policy]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecurityPolicyConfig {
    /// `read_only`, `supervised` (the default) or `full`.
    pub autonomy: Autonomy,
    /// The tools that change nothing, as globs; by default none.
    pub read_only_tools: Globs,
    /// How many calls of tools that are not read-only there may be in an hour; by default as many as one likes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_actions_per_hour: Option<u32>,
    /// The programs that shell commands may run, by name; by default `cargo`, `git`, `npm` and some that look at
    /// files and text. To allow a program that runs others, such as `make`, `ssh`, `rsync` or an interpreter, is to
    /// allow whatever it can run.
    pub allowed_commands: Vec<String>,
    /// Paths that nothing may touch, nor what is in them; by default the system's settings and devices, and where
    /// keys are kept. `~` is the home directory; a relative path is in the workspace, and a name without `/` in any
    /// folder of it, as `.git`.
    pub forbidden_paths: Vec<String>,
    /// The folder that the agent works in; by default that of its context, or else the current directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Whether all paths have to be in the workspace; by default they have.
    pub workspace_only: bool,
    /// The tools that run a command, as globs; by default those whose names say so: `shell`, `exec`, `bash`, `Bash`,
    /// `terminal`, `run_command`, `execute_command`, `run_shell_command`, `shell_exec`. A tool that runs commands and is not
    /// listed is not looked at.
    pub shell_tools: Globs,
    /// The argument of theirs that holds it; by default `command`.
    pub command_argument: String,
    /// The arguments of tools that hold a path, or a list of paths, at whatever depth; by default `path`, `paths`,
    /// `file`, `files`, `filename`, `file_path`, `filePath`, `directory`, `dir`, `cwd`, `workdir`, `root`, `source`,
    /// `destination`, `target`, `from`, `to` and others of these kinds.
    pub path_arguments: Vec<String>,
}

impl Default for SecurityPolicyConfig {
    fn default() -> Self {
        let list = |all: &str| all.split_whitespace().map(String::from).collect();
        SecurityPolicyConfig {
            autonomy: Autonomy::default(),
            read_only_tools: Globs::default(),
            max_actions_per_hour: None,
            allowed_commands: list(
                "basename cargo cat cut date diff dirname du file find git grep head ls mkdir npm rg sed seq \
                 sleep sort stat tail touch tr tree uniq wc which",
            ),
            forbidden_paths: list(
                "/etc /root /boot /dev /proc /sys /var/run /run ~/.ssh ~/.gnupg ~/.aws ~/.azure ~/.kube \
                 ~/.docker ~/.config/gcloud ~/.config/gh ~/.netrc ~/.npmrc ~/.git-credentials ~/.password-store \
                 ~/.cargo/credentials.toml ~/.cargo/credentials .git",
            ),
            workspace: None,
            workspace_only: true,
            shell_tools: Globs::new([
                "shell",
                "Shell",
                "exec",
                "Exec",
                "bash",
                "Bash",
                "terminal",
                "Terminal",
                "run_command",
                "execute_command",
                "run_shell_command",
                "shell_exec",
                "shell_command",
            ])
            .unwrap_or_default(),
            command_argument: "command".into(),
            path_arguments: list(
                "path paths file files filename filenames fileName file_name filepath file_path filePath file_paths \
                 directory dir folder cwd workdir working_directory root source src destination dest dst target \
                 target_file from to old_path new_path notebook_path uri",
            ),
        }
    }
}

impl SecurityPolicy {
    /// The defaults.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn new() -> Result<Self, BuildError> {
        SecurityPolicy::from_config(&SecurityPolicyConfig::default())
    }

    /// A policy as the configuration says.
    ///
    /// # Errors
    ///
    /// If the workspace is no folder that is there, or a program's name is empty or has a space in it.
    pub fn from_config(config: &SecurityPolicyConfig) -> Result<Self, BuildError> {
        let wrong = |key, message: String| BuildError::new("security_policy", key, message);
        if let Some(name) = config
            .allowed_commands
            .iter()
            .find(|name| name.is_empty() || name.contains(char::is_whitespace))
        {
            return Err(wrong(
                "allowed_commands",
                format!(
                    "has `{name}`: it is a list of programs, as `[\"git\", \"cargo\"]`, without arguments"
                ),
            ));
        }
        let is_pattern = |text: &&String| text.contains(['*', '?', '[']);
        if let Some(name) = config
            .allowed_commands
            .iter()
            .find(|name| is_pattern(name) && *name != "[")
        {
            return Err(wrong(
                "allowed_commands",
                format!("has `{name}`: it is a list of programs, and not of patterns"),
            ));
        }
        if let Some(path) = config
            .forbidden_paths
            .iter()
            .find(|path| path.is_empty() || is_pattern(path))
        {
            return Err(wrong(
                "forbidden_paths",
                format!(
                    "has `{path}`: it is a list of paths, and not of patterns; all that is in a folder is meant"
                ),
            ));
        }
        let inner = Inner {
            config: config.clone(),
            programs: Programs::new(&config.allowed_commands),
            actions: Mutex::default(),
            guard: Mutex::new(None),
        };
        let policy = SecurityPolicy(Arc::new(inner), Approver::Other);
        if let Some(workspace) = &config.workspace {
            policy.0.guard("").map_err(|reason| {
                wrong(
                    "workspace",
                    format!(
                        "has to be a folder, and `{}` is none: {reason}",
                        workspace.display()
                    ),
                )
            })?;
        }
        Ok(policy)
    }

    /// The same, where nobody can be asked: a supervised agent's call that is to be approved is blocked.
    #[cfg(feature = "config")]
    pub(crate) fn without_approver(self) -> Self {
        SecurityPolicy(self.0, Approver::Nobody)
    }

    /// How much the agent may do by itself.
    #[must_use]
    pub fn autonomy(&self) -> Autonomy {
        self.0.config.autonomy
    }

    /// Whether a tool is declared to change nothing.
    #[must_use]
    pub fn is_read_only(&self, tool: &str) -> bool {
        self.0.config.read_only_tools.matches(tool)
    }

    /// How many calls of tools that are not read-only were let through within the last hour.
    #[must_use]
    pub fn actions(&self) -> usize {
        let mut actions = self
            .0
            .actions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        actions.count(Instant::now())
    }
}

#[hook(priority = priority::FIRST)]
impl SecurityPolicy {
    fn check(&self, cx: &AgentContext, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let Inner {
            config, actions, ..
        } = &*self.0;
        let judged = self.0.judge(cx, &call.name, &call.args).and_then(|()| {
            if self.is_read_only(&call.name) {
                return Ok(());
            }
            let mut actions = actions.lock().unwrap_or_else(PoisonError::into_inner);
            actions.admit(Instant::now(), config.max_actions_per_hour)
        });
        match judged {
            Ok(()) => HookAction::Continue,
            Err(reason) => HookAction::block(reason),
        }
    }

    fn check_again<'a>(
        &self,
        cx: &AgentContext,
        call: &ApproveToolCall<'a>,
    ) -> HookAction<ApproveToolCall<'a>> {
        let is_supervised = self.autonomy() == Autonomy::Supervised;
        let is_granted = matches!(call.approval, Approval::Granted { .. });
        if is_supervised
            && self.1 == Approver::Nobody
            && !is_granted
            && !self.is_read_only(call.name)
        {
            return HookAction::block(format!(
                "`{}` is to be approved of, and nobody is asked: turn on `approval` beside the policy, or write \
                 `autonomy = \"full\"`",
                call.name
            ));
        }
        match self.0.judge(cx, call.name, call.args) {
            Ok(()) => HookAction::Continue,
            Err(reason) => HookAction::block(reason),
        }
    }
}

impl Inner {
    /// Whether a call is allowed, but for how many there were.
    fn judge(&self, cx: &AgentContext, tool: &str, args: &Value) -> Result<(), String> {
        self.allows(cx, tool, args).map_err(shortened)
    }

    fn allows(&self, cx: &AgentContext, tool: &str, args: &Value) -> Result<(), String> {
        let config = &self.config;
        if config.autonomy == Autonomy::ReadOnly && !config.read_only_tools.matches(tool) {
            return Err(format!(
                "the agent may only look, and `{tool}` is not declared read-only"
            ));
        }
        if config.shell_tools.matches(tool) {
            let argument = &config.command_argument;
            let Some(command) = args.get(argument).and_then(Value::as_str) else {
                return Err(format!(
                    "`{tool}` needs its command as one text, in the argument `{argument}`"
                ));
            };
            let guard = self.guard(&cx.cwd)?;
            let start = match (&config.workspace, cx.cwd.as_str()) {
                // Then it is the agent's directory.
                (None, _) | (_, "") => guard.workspace().to_owned(),
                (Some(_), directory) => guard.enter(directory, guard.workspace())?,
            };
            let mut directories = vec![start];
            // The command may run in a folder that the call names.
            for argument in &config.path_arguments {
                if let Some(folder) = args.get(argument).and_then(Value::as_str) {
                    directories.push(guard.enter(folder, guard.workspace())?);
                }
            }
            shell::check(command, &self.programs, &guard, directories)?;
        }
        self.check_named(cx, args)
    }

    /// Checks the arguments that hold paths, wherever they are.
    fn check_named(&self, cx: &AgentContext, value: &Value) -> Result<(), String> {
        match value {
            Value::Object(values) => values.iter().try_for_each(|(name, value)| {
                if self.config.path_arguments.contains(name) {
                    self.check_paths(cx, value)
                } else {
                    self.check_named(cx, value)
                }
            }),
            Value::Array(values) => values
                .iter()
                .try_for_each(|value| self.check_named(cx, value)),
            _ => Ok(()),
        }
    }

    fn check_paths(&self, cx: &AgentContext, value: &Value) -> Result<(), String> {
        match value {
            Value::String(path) => {
                let guard = self.guard(&cx.cwd)?;
                let path = path_of_address(path)?;
                guard.check(path, guard.workspace())
            }
            Value::Array(values) => values
                .iter()
                .try_for_each(|value| self.check_paths(cx, value)),
            Value::Object(values) => values
                .values()
                .try_for_each(|value| self.check_paths(cx, value)),
            _ => Ok(()),
        }
    }

    /// The guard of the workspace of an agent that is in the directory.
    fn guard(&self, directory: &str) -> Result<Arc<Guard>, String> {
        let mut known = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, guard)) = &*known
            && of == directory
        {
            return Ok(guard.clone());
        }
        let workspace = match &self.config.workspace {
            Some(workspace) => workspace,
            None if directory.is_empty() => Path::new("."),
            None => Path::new(directory),
        };
        let guard = workspace_at(workspace)
            .map(|workspace| Guard::new(workspace, &self.config))
            .map_err(|error| {
                format!(
                    "the workspace `{}` cannot be used: {error}",
                    workspace.display()
                )
            })?;
        let guard = Arc::new(guard);
        *known = Some((directory.to_owned(), guard.clone()));
        Ok(guard)
    }
}

/// The path in `file:///path`, `file:/path` and `file://localhost/path`, which a tool may take as well.
fn path_of_address(text: &str) -> Result<&str, String> {
    match text.trim().split_at_checked(5) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file:") => {
            if rest.contains('%') {
                return Err(format!(
                    "the address `{text}` hides its path: write it without `%`"
                ));
            }
            Ok(match rest.strip_prefix("//") {
                Some(rest) => &rest[rest.find('/').unwrap_or(rest.len())..],
                None => rest,
            })
        }
        _ => Ok(text),
    }
}

/// A reason that quotes what may be as long as a command, cut in its middle.
fn shortened(mut reason: String) -> String {
    const MOST: usize = 1000;
    if reason.len() > MOST {
        let (start, end) = (
            reason.floor_char_boundary(MOST / 2),
            reason.ceil_char_boundary(reason.len() - MOST / 2),
        );
        reason.replace_range(start..end, " … ");
    }
    reason
}

/// The folder at a path, absolute and without links.
fn workspace_at(path: &Path) -> std::io::Result<PathBuf> {
    let text = path.to_str().ok_or(std::io::ErrorKind::InvalidInput)?;
    let folder = paths::resolve(text, &std::env::current_dir()?)?.canonicalize()?;
    if !folder.is_dir() {
        return Err(std::io::ErrorKind::NotADirectory.into());
    }
    Ok(folder)
}
