//! Restricts what an agent may do. It is the first guard.
//!
//! The policy judges a tool call by what it would do: whether its tool changes anything, how often that happened within
//! the hour, which programs a shell command runs, and which paths are touched. What cannot be determined in advance is
//! not allowed.

mod actions;
mod command;
mod guard;
mod hosts;
mod judged;
mod missing;
mod sandbox;
mod tools;

use std::iter;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hooks_core::agent::{AgentContext, Approval, ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook, priority};
use hooks_shell::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::actions::Actions;
use self::command::{CommandArgument, CommandForm, Programs};
use self::guard::{Certainty, PathGuard};
use self::hosts::AllowedHosts;
use self::judged::{CallFinding, Judgements};
pub use self::judged::{Judged, RunPlan};
pub use self::missing::Missing;
use self::sandbox::Kernel;
pub use self::sandbox::{AS_WRITTEN, PolicySandbox, SandboxMode};
pub use self::tools::ToolConfig;
use self::tools::{PolicyTools, ToolConfigs};
use crate::shared::alias::Alias;
use crate::shared::caller;
use crate::shared::patch;
use crate::shared::sandbox::SandboxConfig;
pub use crate::shared::tools::Profile;
use crate::shared::tools::{ArgumentRole, Tool};
use crate::shared::{BuildError, Glob, Globs, paths};

/// Blocks what an agent may not do. It runs before every other hook: its priority is [`priority::FIRST`].
///
/// - **Autonomy.** Under [`Autonomy::ReadOnly`], the policy blocks every tool that is not declared read-only. The other
///   two levels let tools act. Under [`Autonomy::Supervised`], a person approves the calls.
///   [`Approval`](crate::Approval) asks that person: `builtins` makes it ask about every tool that is not read-only.
/// - **Actions.** The policy allows at most `max_actions_per_hour` calls of tools that are not read-only within any
///   sixty minutes. A call counts when the policy allows it.
/// - **Tools.** The policy must know a tool: from a [`Profile`], or because the configuration [declares](ToolConfig)
///   it. A tool that runs a command, or takes a patch, may have no undeclared argument. The policy judges the paths in
///   the arguments of all other tools, and the paths in patches.
/// - **Commands.** The policy judges a shell command by its [effects](hooks_shell::Effects). Every program that it runs
///   must be allowed: in pipes, lists, loops, functions and substitutions, after `env`, `timeout`, `xargs` and
///   `find -exec`, in `sh -c '…'` and in `eval`. The policy blocks a program or a path that is known only when the
///   command runs (`$x`), a command that does not parse, and a command that would take too long to analyse. If you
///   allow an interpreter, you allow everything that it can do. `cargo`, `npm` and `git` run code from the workspace:
///   build scripts, scripts and hooks.
/// - **The judged command is the one that runs.** The policy replaces the command by the form that it judged: every
///   word is quoted, and known values are filled in. If this process has variables that would make the command read
///   other files, such as `CDPATH` and `GIT_DIR`, a line before the command unsets them. Other variables of this
///   process are yours, and stay. `rewrite = false` leaves the command as it is. Then the policy blocks whatever shells
///   read in different ways.
/// - **Paths.** A path in a command or in a tool's argument may be neither in a forbidden path nor outside of the
///   workspace. The policy resolves `~`, `.`, `..` and links first.
///
/// The policy judges a call before the tool call, and again when the call is approved, because later hooks may have
/// changed it. It guards against a model that was talked into something. It is not a sandbox: the policy does not see
/// which files an allowed program opens by itself, nor links that another process creates after the policy has judged
/// the call. `docs/security-policy.md` in the repository says more.
///
/// It corresponds to ClawSeed's `SecurityPolicy`.
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
///     "the program `$(echo r)m` is only known at run time: write its name out",
/// );
/// assert_eq!(judge("grep root /etc/passwd").unwrap_err(), "the path `/etc/passwd` is forbidden: go on without it, or ask the user");
/// ```
#[derive(Clone, Debug)]
pub struct SecurityPolicy(Arc<PolicyState>, Approver, Kernel);

/// Whether a person can approve the actions of a supervised agent.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Approver {
    /// Another hook after this one may ask.
    Other,
    Missing,
}

#[derive(Debug)]
struct PolicyState {
    config: SecurityPolicyConfig,
    tools: PolicyTools,
    programs: Programs,
    hosts: AllowedHosts,
    actions: Mutex<Actions>,
    judgements: Judgements,
    /// The guard of the workspace that was used last: an agent has few.
    guard: Mutex<Option<(String, Arc<PathGuard>)>>,
}

/// How much an agent may do by itself: ClawSeed's autonomy levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    /// Only tools that are declared read-only may run.
    ReadOnly,
    /// Tools may run within the policy, and a person approves their calls.
    #[default]
    Supervised,
    /// Tools may run within the policy.
    Full,
}

/// The settings of `[hooks.builtin.security_policy]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(transform = Alias { of: "autonomy", name: "level" })]
pub struct SecurityPolicyConfig {
    /// How much the agent may do by itself: `read_only`, `supervised` (the default) or `full`. ClawSeed's name of this
    /// key, `level`, works too.
    #[serde(alias = "level")]
    pub autonomy: Autonomy,
    /// The tools whose calls need no approval, as globs. The default is none. It is ClawSeed's key.
    pub auto_approve: Globs,
    /// The tools whose every call needs an approval, whatever was answered before, as globs. The default is none. It is
    /// ClawSeed's key.
    pub always_ask: Globs,
    /// The tools that change nothing, as globs. The default is none.
    pub read_only_tools: Globs,
    /// The most calls per hour of tools that are not read-only. By default, there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_actions_per_hour: Option<u32>,
    /// The names of the programs that shell commands may run. The default is `git` and some programs that read files and
    /// text; where commands run in a sandbox, also `cargo`, `npm`, `make`, `python3` and others that run code. If you list
    /// a program that runs others, you allow whatever it can run.
    pub allowed_commands: Vec<String>,
    /// More programs that shell commands may run, although the policy does not know what they do with their arguments. It
    /// judges the arguments that look like paths, and nothing else. A program that it does not know and that is only in
    /// `allowed_commands` is blocked. The default is none.
    pub trusted_commands: Vec<String>,
    /// Paths that no call may touch, with everything in them. The default is the system's settings and devices, and the
    /// folders of keys. `~` is the home directory. A relative path starts at the workspace. A name without `/`, such as
    /// `.git`, is forbidden in every folder of the workspace.
    pub forbidden_paths: Vec<String>,
    /// The folder that the agent works in. The default is the directory of its context, or else the current directory.
    /// `~` is the home directory, and a relative path starts at the current directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<PathBuf>,
    /// Whether all paths must be in the workspace. The default is `true`.
    pub workspace_only: bool,
    /// The agents whose tools the policy knows. The default is all profiles.
    pub profiles: Vec<Profile>,
    /// Your own tools, by name, with the meaning of their arguments. A name may be a glob. Case, `_` and `-` do not
    /// matter. The policy blocks a tool that neither this table nor a profile lists.
    #[schemars(with = "std::collections::BTreeMap<String, ToolConfig>")]
    pub tools: ToolConfigs,
    /// Whether the policy replaces a command by the form that it judged. The default is `true`. Without it, there is no
    /// sandbox either.
    pub rewrite: bool,
    /// The hosts that commands may reach: `example.com`, `*.example.org`, `example.com:8443`. By default, a command may
    /// reach the hosts of the addresses in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hosts: Option<Vec<String>>,
    /// Whether commands run in a sandbox: `auto` (the default), `require` or `off`. A policy in `[[hooks.chain]]` has
    /// none. See [`SecurityPolicy::with_sandbox`].
    pub sandbox: SandboxMode,
    /// The program that confines commands. The default is this executable, or else the program `hooks` in `PATH`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_program: Option<PathBuf>,
    /// What commands may do in the sandbox besides what the policy has predicted, such as
    /// `{ write = ["~/.cargo/registry"] }`. The default is nothing.
    pub sandbox_rules: SandboxConfig,
    /// What may be changed although it is protected: one of the protected names, such as `.vscode`, or a path. The default
    /// is none.
    pub allow_writing: Vec<String>,
    /// The files that the policy itself was loaded from, the program that judges, and what it logs, which are protected. For
    /// `hooks-runtime`.
    #[doc(hidden)]
    #[serde(skip)]
    pub loaded_from: Vec<PathBuf>,
    /// Whether nothing will run, so that commands stay as they are and are judged all the same. For `hooks-runtime`.
    #[doc(hidden)]
    #[serde(skip)]
    pub is_dry: bool,
    /// More tools that run a command, as globs. The default is none.
    pub shell_tools: Globs,
    /// The argument of `shell_tools` that contains the command. The default is `command`.
    pub command_argument: String,
    /// More arguments that contain a path or a list of paths. Each entry is a name, or the word that a name ends with.
    /// The policy always knows `path`, `file`, `directory`, `cwd`, `source`, `target` and similar words. The default is
    /// none.
    pub path_arguments: Vec<String>,
}

impl Default for SecurityPolicyConfig {
    fn default() -> Self {
        let list = |all: &str| all.split_whitespace().map(String::from).collect();
        SecurityPolicyConfig {
            autonomy: Autonomy::default(),
            auto_approve: Globs::default(),
            always_ask: Globs::default(),
            read_only_tools: Globs::default(),
            max_actions_per_hour: None,
            allowed_commands: list(
                "basename cat cut date diff dirname du file find git grep head ls mkdir rg sed seq sleep sort stat tail touch tr tree uniq wc which",
            ),
            trusted_commands: Vec::new(),
            forbidden_paths: list(
                "/etc /root /boot /dev /proc /sys /var/run /run ~/.ssh ~/.gnupg ~/.aws ~/.azure ~/.kube \
                 ~/.docker ~/.config/gcloud ~/.config/gh ~/.netrc ~/.npmrc ~/.git-credentials ~/.password-store \
                 ~/.cargo/credentials.toml ~/.cargo/credentials .git",
            ),
            workspace: None,
            workspace_only: true,
            profiles: Profile::ALL.to_vec(),
            tools: ToolConfigs::new(),
            rewrite: true,
            allowed_hosts: None,
            sandbox: SandboxMode::default(),
            sandbox_program: None,
            sandbox_rules: SandboxConfig::default(),
            allow_writing: Vec::new(),
            loaded_from: Vec::new(),
            is_dry: false,
            shell_tools: Globs::default(),
            command_argument: "command".into(),
            path_arguments: Vec::new(),
        }
    }
}

impl SecurityPolicy {
    /// Creates a policy with the defaults.
    ///
    /// # Errors
    ///
    /// As [`from_config`](Self::from_config).
    pub fn new() -> Result<Self, BuildError> {
        SecurityPolicy::from_config(&SecurityPolicyConfig::default())
    }

    /// Creates the hook from its configuration.
    ///
    /// # Errors
    ///
    /// If the workspace is not an existing folder, or a program's name is empty or contains a space.
    pub fn from_config(config: &SecurityPolicyConfig) -> Result<Self, BuildError> {
        let wrong = |key, message: String| BuildError::new("security_policy", key, message);
        let is_pattern = |text: &str| text.contains(['*', '?', '[']);
        let is_line = |text: &str| text.is_empty() || text.contains(char::is_whitespace);
        let programs = [
            ("allowed_commands", &config.allowed_commands),
            ("trusted_commands", &config.trusted_commands),
        ];
        let programs = programs.iter().flat_map(|(key, names)| {
            let mut names = names.iter().map(String::as_str);
            let line = names.clone().find(|name| is_line(name));
            let pattern = names.find(|name| is_pattern(name) && *name != "[");
            [
                (
                    *key,
                    line,
                    "list programs without arguments, as `[\"git\", \"cargo\"]`",
                ),
                (*key, pattern, "list programs, and not patterns"),
            ]
        });
        let tools = [
            ("auto_approve", &config.auto_approve),
            ("always_ask", &config.always_ask),
            ("read_only_tools", &config.read_only_tools),
        ];
        let tools = tools.map(|(key, globs)| {
            let line = globs.iter().map(Glob::as_str).find(|name| is_line(name));
            (
                key,
                line,
                "list tools, and write a rule with `if = \"Bash(…)\"` for a command",
            )
        });
        let mistakes = programs.chain(tools).chain([(
            "forbidden_paths",
            config
                .forbidden_paths
                .iter()
                .map(String::as_str)
                .find(|path| path.is_empty() || is_pattern(path)),
            "list paths, and not patterns; a folder stands for all that is in it",
        )]);
        for (key, found, why) in mistakes {
            if let Some(found) = found {
                return Err(wrong(key, format!("has `{found}`: {why}")));
            }
        }
        if let Some(program) = &config.sandbox_program
            && !program.is_absolute()
        {
            let message = format!(
                "must be an absolute path, not `{}`: the agent may change the files of its folder",
                program.display()
            );
            return Err(wrong("sandbox_program", message));
        }
        let hosts = AllowedHosts::new(config.allowed_hosts.as_deref());
        let inner = PolicyState {
            config: config.clone(),
            tools: PolicyTools::new(config).map_err(|message| wrong("tools", message))?,
            programs: Programs::new(config),
            hosts: hosts.map_err(|error| wrong("allowed_hosts", error.to_string()))?,
            actions: Mutex::default(),
            judgements: Judgements::default(),
            guard: Mutex::new(None),
        };
        let policy = SecurityPolicy(Arc::new(inner), Approver::Other, Kernel::unasked());
        if let Some(workspace) = &config.workspace {
            policy.0.guard("").map_err(|reason| {
                wrong(
                    "workspace",
                    format!(
                        "must be a folder, but `{}` is not one: {reason}",
                        workspace.display()
                    ),
                )
            })?;
        }
        Ok(policy)
    }

    /// Returns the same policy for an agent without a person to ask: calls of a supervised agent that need an approval
    /// are blocked.
    #[cfg(feature = "config")]
    pub(crate) fn without_approver(self) -> Self {
        SecurityPolicy(self.0, Approver::Missing, self.2)
    }

    /// Returns what was found about the command of a call, for the program that runs it; nothing if the call runs none. A call that
    /// this policy has judged as a hook is not judged again, unless a hook has changed its arguments since.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
    /// use hooks_core::hooks;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let policy = SecurityPolicy::new()?;
    /// let (hooks, cx) = (hooks![policy.clone()], AgentContext::new("s1"));
    /// let call = BeforeToolCall::new("1", "shell", json!({ "command": "ls Cargo.toml | head -1" }));
    /// let done = run_tool_call(&hooks, &cx, call, async |call: &BeforeToolCall| {
    ///     match policy.judged(&cx, call) {
    ///         Ok(Some(judged)) => match judged.plan().command().output() {
    ///             Ok(output) => ToolOutput::new(String::from_utf8_lossy(&output.stdout)),
    ///             Err(error) => ToolOutput::error(error.to_string()),
    ///         },
    ///         Ok(None) => ToolOutput::error("this tool runs no command"),
    ///         Err(reason) => ToolOutput::error(reason),
    ///     }
    /// })
    /// .await
    /// .unwrap();
    /// assert_eq!(done.output.content.trim(), "Cargo.toml");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Why the call may not run, in words.
    pub fn judged(
        &self,
        cx: &AgentContext,
        call: &BeforeToolCall,
    ) -> Result<Option<Arc<Judged>>, String> {
        self.0.judged(cx, call, &self.2)
    }

    /// Describes what a call of a shell tool would do, in one line, such as `runs cargo; writes src/lib.rs`; nothing
    /// for other tools.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::AgentContext;
    /// use serde_json::json;
    ///
    /// let policy = SecurityPolicy::new()?;
    /// let args = json!({ "command": "cargo test 2>&1 | tee log.txt" });
    /// let described = policy.describe(&AgentContext::new("s1"), "shell", &args);
    /// assert_eq!(described.as_deref(), Some("runs cargo, tee; writes log.txt"));
    /// # Ok::<_, hooks_builtin::BuildError>(())
    /// ```
    #[must_use]
    pub fn describe(&self, cx: &AgentContext, tool: &str, args: &Value) -> Option<String> {
        self.0.describe(cx, tool, args)
    }

    /// Returns the arguments of a call as the model wrote them, if this policy has changed them.
    #[cfg(feature = "config")]
    pub(crate) fn written(&self, cx: &AgentContext, tool: &str, args: &Value) -> Option<Value> {
        self.0.judgements.find(cx, None, tool, args)?.written
    }

    /// Judges the text of a script that a shell would run as it is, in the workspace. Returns everything that is not
    /// allowed: its line, from 1, and why. The first line of the script says which shell it is for.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::agent::AgentContext;
    ///
    /// let policy = SecurityPolicy::new()?;
    /// let script = "#!/bin/sh\ngit status\ncat /etc/passwd\n";
    /// let found = policy.findings(&AgentContext::new("s1"), script);
    /// assert_eq!(found, [(3, "the path `/etc/passwd` is forbidden: go on without it, or ask the user".to_owned())]);
    /// # Ok::<_, hooks_builtin::BuildError>(())
    /// ```
    #[must_use]
    pub fn findings(&self, cx: &AgentContext, script: &str) -> Vec<(usize, String)> {
        let found = match self.0.guard(&cx.cwd) {
            Ok(guard) => command::findings(script, &self.0.judge_of(&guard, self.2.holds())),
            Err(reason) => vec![(0..0, reason)],
        };
        let found = found.into_iter().map(|(place, reason)| {
            let before = script.get(..place.start).unwrap_or_default();
            (before.matches('\n').count() + 1, shortened(reason))
        });
        let mut found: Vec<_> = found.collect();
        found.sort();
        found.dedup();
        found
    }

    /// Returns the shell that the first line of a script names: `sh`, `bash`, `dash` or `zsh`.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    ///
    /// assert_eq!(SecurityPolicy::shell_of("#!/usr/bin/env bash\nls"), Some("bash"));
    /// assert_eq!(SecurityPolicy::shell_of("#!/usr/bin/env python3\n"), None);
    /// ```
    #[must_use]
    pub fn shell_of(script: &str) -> Option<&str> {
        command::shell_of(script)
    }

    /// Returns the settings.
    #[must_use]
    pub fn config(&self) -> &SecurityPolicyConfig {
        &self.0.config
    }

    /// Returns how much the agent may do by itself.
    #[must_use]
    pub fn autonomy(&self) -> Autonomy {
        self.0.config.autonomy
    }

    /// Whether a tool is declared read-only.
    #[must_use]
    pub fn is_read_only(&self, tool: &str) -> bool {
        self.0.config.read_only_tools.matches(tool)
    }

    /// Returns how many calls of tools that are not read-only were allowed within the last hour.
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
    fn check(&self, cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        let inner = &*self.0;
        let config = &inner.config;
        let judged = inner.judge(cx, &call.name, &call.args, &self.2);
        let judged = judged.and_then(|judged| {
            if !self.is_read_only(&call.name) {
                let mut actions = inner.actions.lock().unwrap_or_else(PoisonError::into_inner);
                actions.admit(Instant::now(), config.max_actions_per_hour)?;
            }
            Ok(judged)
        });
        match judged {
            Ok(judged) => {
                let mut written = None;
                if let Some(judged) = judged.as_ref().filter(|judged| judged.script.is_some()) {
                    written = Some(call.args.clone());
                    judged.rewrite(&mut call.args);
                }
                inner.judgements.keep(cx, call, judged, written);
            }
            Err(reason) => return HookAction::block(reason),
        }
        let is_deferred = matches!(call.approval, Approval::Defer { .. });
        if config.always_ask.matches(&call.name) && !is_deferred {
            call.approval = Approval::ask("the security policy requires approval for this tool");
        } else if config.auto_approve.matches(&call.name) && call.approval == Approval::Usual {
            call.approval = Approval::Granted {
                by: "SecurityPolicy".into(),
            };
        }
        HookAction::Continue
    }

    /// Judges the call once more if a hook has changed it, and changes nothing.
    #[hook(guard)]
    fn judge(&self, cx: &AgentContext, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match self.0.judged(cx, call, &self.2) {
            Ok(_) => HookAction::Continue,
            Err(reason) => HookAction::block(reason),
        }
    }

    fn approve<'a>(&self, call: &ApproveToolCall<'a>) -> HookAction<ApproveToolCall<'a>> {
        let is_supervised = self.autonomy() == Autonomy::Supervised;
        let is_granted = matches!(call.approval, Approval::Granted { .. });
        if is_supervised
            && self.1 == Approver::Missing
            && !is_granted
            && !self.is_read_only(call.name)
        {
            return HookAction::block(format!(
                "`{}` needs approval, but no approver is configured: turn on `approval` beside the policy, or write \
                 `autonomy = \"full\"`",
                call.name
            ));
        }
        HookAction::Continue
    }
}

/// Checks the files that a patch changes, which is applied in a folder.
fn check_patch(guard: &PathGuard, text: &str, folder: &Path) -> Result<(), String> {
    patch::files(text)?
        .iter()
        .try_for_each(|path| guard.check_change(path, folder))
}

/// What the arguments of a call say about its command.
#[derive(Default)]
struct CommandParts<'a> {
    command: Option<(&'a String, &'a Value)>,
    directory: Option<&'a str>,
    /// The words after the program.
    arguments: Option<(&'a String, &'a Value)>,
    variables: Option<&'a Value>,
    /// Whether it says that there is no command.
    has_none: bool,
}

impl<'a> CommandParts<'a> {
    /// Returns the command, and the argument that it is in.
    fn given(&self) -> Option<(&'a String, CommandArgument)> {
        let (argument, value) = self.command?;
        let beside = self.arguments.map_or(&Value::Null, |(_, value)| value);
        Some((argument, CommandArgument::of(value)?.with_arguments(beside)))
    }

    fn variables_set(&self) -> Vec<String> {
        let variables = self.variables.and_then(Value::as_object);
        variables
            .into_iter()
            .flatten()
            .map(|(name, _)| name.clone())
            .collect()
    }
}

impl PolicyState {
    /// Judges a call, except the number of actions. Returns its command, if there is one.
    fn judge(
        &self,
        cx: &AgentContext,
        tool: &str,
        args: &Value,
        kernel: &Kernel,
    ) -> Result<Option<Arc<Judged>>, String> {
        let kernel = &kernel.of(cx);
        let judged = self.allows(cx, tool, args, kernel).and_then(|judged| {
            let Some(mut judged) = judged else {
                return Ok(None);
            };
            if self.stays(cx, &judged) {
                judged.script = None;
            } else if kernel.holds() && !self.config.is_dry {
                judged.rules = Some(self.confinement(&judged)?);
            }
            Ok(Some(Arc::new(judged)))
        });
        judged.map_err(shortened)
    }

    /// Whether a command stays as it is written, because the agent applies its own rules to what it becomes, and the judge
    /// knows all that it does: there is nothing that only the kernel could hold.
    fn stays(&self, cx: &AgentContext, judged: &Judged) -> bool {
        let applies_rules = cx.extra.get(AS_WRITTEN) == Some(&Value::Bool(true));
        let effects = &judged.effects;
        let is_same = judged
            .script
            .as_ref()
            .is_none_or(|script| *script == judged.form.script());
        applies_rules
            && is_same
            && effects.unknown().next().is_none()
            && effects.network().next().is_none()
            && command::is_predicted(effects)
            && judged
                .guard
                .check_all(effects, &judged.folder, Certainty::Found)
                .next()
                .is_none()
    }

    /// Returns what was found about a call, and judges it only if its arguments are others.
    fn judged(
        &self,
        cx: &AgentContext,
        call: &BeforeToolCall,
        kernel: &Kernel,
    ) -> Result<Option<Arc<Judged>>, String> {
        let kept = self
            .judgements
            .find(cx, Some(&call.id), &call.name, &call.args);
        if let Some(found) = kept {
            return Ok(found.judged);
        }
        let judged = self.judge(cx, &call.name, &call.args, kernel)?;
        self.judgements.keep(cx, call, judged.clone(), None);
        Ok(judged)
    }

    fn allows(
        &self,
        cx: &AgentContext,
        name: &str,
        args: &Value,
        kernel: &Kernel,
    ) -> Result<Option<Judged>, String> {
        let config = &self.config;
        if config.autonomy == Autonomy::ReadOnly && !config.read_only_tools.matches(name) {
            return Err(format!(
                "autonomy is `read_only`, and `{name}` is not declared read-only"
            ));
        }
        let tool = self
            .tools
            .find(config, name)
            .ok_or_else(|| tools::undeclared(name, args))?;
        let empty = serde_json::Map::new();
        let args = args.as_object().unwrap_or(&empty);
        let mut parts = CommandParts::default();
        // The pattern may be relative to a folder in another argument.
        let read = args
            .iter()
            .filter(|(argument, _)| self.tools.role(&tool, argument) == Some(ArgumentRole::Read));
        let folders = iter::once(".").chain(read.filter_map(|(_, folder)| folder.as_str()));
        for (argument, value) in args {
            match self.tools.role(&tool, argument) {
                _ if value.is_null() => {}
                Some(ArgumentRole::Harmless) => self.check_nested(cx, value, &tool)?,
                Some(ArgumentRole::Addresses) => for_texts(value, &mut |text| {
                    let words = text.split(|c: char| c.is_whitespace() || "\"'()<>[]`".contains(c));
                    words
                        .filter(|word| word.contains("://") || starts_with(word, "file:"))
                        .try_for_each(|word| self.check_address(cx, word))
                })?,
                Some(ArgumentRole::Address) => {
                    for_texts(value, &mut |text| self.check_address(cx, text))?;
                }
                Some(role @ (ArgumentRole::Read | ArgumentRole::Write)) => {
                    for_texts(value, &mut |path| {
                        if path.contains("://") && !starts_with(path.trim_start(), "file:") {
                            return self.hosts.check_web(path.trim());
                        }
                        self.check_path(cx, path, role)
                    })?;
                }
                Some(role @ (ArgumentRole::Glob | ArgumentRole::Files)) => {
                    let access = match role {
                        ArgumentRole::Files => Access::Read,
                        _ => Access::List,
                    };
                    for_texts(value, &mut |glob| {
                        self.check_glob(cx, glob, access, folders.clone())
                    })?;
                }
                Some(ArgumentRole::Patch) => {
                    // Some agents write it as a command: `["apply_patch", "*** Begin Patch …"]`.
                    let text = value
                        .as_str()
                        .or_else(|| value.as_array()?.last()?.as_str());
                    let text = text.ok_or_else(|| {
                        format!("`{argument}` of `{name}` must be a patch, as a string")
                    })?;
                    let guard = self.guard(&cx.cwd)?;
                    check_patch(&guard, text, guard.workspace())?;
                    if let Some(start) = self.other_start(cx, &guard, "")? {
                        check_patch(&guard, text, &start)?;
                    }
                }
                Some(ArgumentRole::Command) if parts.command.is_none() => {
                    parts.command = Some((argument, value));
                }
                Some(ArgumentRole::Directory) if parts.directory.is_none() => {
                    parts.directory = value.as_str().filter(|text| !text.is_empty());
                    if parts.directory.is_none() && value != "" {
                        return Err(format!("`{argument}` of `{name}` must be a folder"));
                    }
                }
                Some(ArgumentRole::Arguments) => parts.arguments = Some((argument, value)),
                Some(ArgumentRole::Environment) => {
                    parts.variables = Some(value).filter(|value| !is_nothing(value));
                }
                Some(ArgumentRole::Instead) => parts.has_none = value == true,
                Some(ArgumentRole::Shell)
                    if value == "" || value.as_str().is_some_and(command::is_shell) => {}
                Some(ArgumentRole::Nothing) if is_nothing(value) => {}
                _ => {
                    return Err(format!(
                        "the argument `{argument}` of `{name}` could change what runs, and the policy cannot check it: leave it out, or declare it under `[hooks.builtin.security_policy.tools]`"
                    ));
                }
            }
        }
        self.command(cx, name, &tool, &parts, kernel)
    }

    /// Judges the command of a call, if there is one.
    fn command(
        &self,
        cx: &AgentContext,
        name: &str,
        tool: &Tool,
        parts: &CommandParts<'_>,
        kernel: &Kernel,
    ) -> Result<Option<Judged>, String> {
        let config = &self.config;
        if !tool.is_shell() || (parts.has_none && parts.command.is_none()) {
            return Ok(None);
        }
        kernel.check(config.sandbox)?;
        let Some((argument, given)) = parts.given() else {
            return Err(format!(
                "`{name}` needs its command as a string or a list of strings, in the argument `{}`",
                tool.commands().join("` or `")
            ));
        };
        let guard = self.guard(&cx.cwd)?;
        let start = self.start(cx, &guard, parts.directory)?;
        if let Some(variables) = parts.variables {
            let set = command::assigning(variables).ok_or(
                "the variables beside the command are not an object of texts: write them so",
            )?;
            let judge = self.judge_of(&guard, kernel.holds());
            judge.judge(&set, &start, false)?;
        }
        let form = given.form()?;
        if let CommandForm::Words(words) = &form
            && let [program, patch] = words.as_slice()
            && program == "apply_patch"
        {
            return check_patch(&guard, patch, &start).map(|()| None);
        }
        let judge = self.judge_of(&guard, kernel.holds());
        let rewrites = config.rewrite && !cx.extra.get(AS_WRITTEN).is_some_and(Value::is_string);
        let (script, effects) = if tool.is_persistent {
            judge.judge_apart(&form, &start, rewrites)?
        } else {
            judge.judge(&form, &start, rewrites)?
        };
        Ok(Some(Judged {
            argument: argument.clone(),
            beside: parts.arguments.map(|(argument, _)| argument.clone()),
            form,
            script,
            effects,
            guard,
            folder: start,
            variables: parts.variables_set(),
            rules: None,
        }))
    }

    /// Returns the directory that a command runs in.
    fn start(
        &self,
        cx: &AgentContext,
        guard: &PathGuard,
        directory: Option<&str>,
    ) -> Result<PathBuf, String> {
        let start = match (&self.config.workspace, cx.cwd.as_str()) {
            // Then it is the agent's directory.
            (None, _) | (_, "") => guard.workspace().to_owned(),
            (Some(_), directory) => guard.enter(directory, guard.workspace())?,
        };
        match directory {
            Some(directory) => guard.enter(path_of_address(directory)?, &start),
            None => Ok(start),
        }
    }

    /// Returns where a path may begin besides the workspace, if it is relative: agents take it from their directory.
    fn other_start(
        &self,
        cx: &AgentContext,
        guard: &PathGuard,
        path: &str,
    ) -> Result<Option<PathBuf>, String> {
        let is_same = cx.cwd.is_empty() || guard.workspace() == Path::new(&cx.cwd);
        if is_same || self.config.workspace.is_none() || path.starts_with(['/', '~']) {
            return Ok(None);
        }
        self.start(cx, guard, None).map(Some)
    }

    fn judge_of<'p>(&'p self, guard: &'p PathGuard, holds: bool) -> command::Judge<'p> {
        command::Judge {
            programs: &self.programs,
            hosts: &self.hosts,
            guard,
            holds,
        }
    }

    /// Describes what a shell command would do, in one line, for the person who approves it; nothing for other tools,
    /// and for what would be blocked.
    fn describe(&self, cx: &AgentContext, name: &str, args: &Value) -> Option<String> {
        if let Some(CallFinding { judged, .. }) = self.judgements.find(cx, None, name, args) {
            return judged.map(|judged| judged.effects().to_string());
        }
        let (form, guard) = self.form(cx, name, args)?;
        Some(command::describe(&form, guard.workspace()))
    }

    /// Returns the command of a call and the guard of its workspace, if the tool runs one.
    fn form(
        &self,
        cx: &AgentContext,
        name: &str,
        args: &Value,
    ) -> Option<(CommandForm, Arc<PathGuard>)> {
        let tool = self.tools.find(&self.config, name)?;
        let is_command =
            |argument: &&String| self.tools.role(&tool, argument) == Some(ArgumentRole::Command);
        let argument = args.as_object()?.keys().find(is_command)?;
        let given = CommandArgument::of(&args[argument])?;
        let is_beside =
            |argument: &&String| self.tools.role(&tool, argument) == Some(ArgumentRole::Arguments);
        let given = match args.as_object()?.keys().find(is_beside) {
            Some(beside) => given.with_arguments(&args[beside]),
            None => given,
        };
        Some((given.form().ok()?, self.guard(&cx.cwd).ok()?))
    }

    /// Checks the arguments whose names say that they are paths or addresses, in lists and objects.
    fn check_nested(&self, cx: &AgentContext, value: &Value, tool: &Tool) -> Result<(), String> {
        match value {
            Value::Object(values) => {
                values
                    .iter()
                    .try_for_each(|(name, value)| match self.tools.meaning(name) {
                        Some(ArgumentRole::Address) if !tool.is_open => {
                            for_texts(value, &mut |text| self.check_address(cx, text))
                        }
                        Some(role @ ArgumentRole::Write) => {
                            let role = if tool.reads_only() {
                                ArgumentRole::Read
                            } else {
                                role
                            };
                            for_texts(value, &mut |path| self.check_path(cx, path, role))
                        }
                        _ => self.check_nested(cx, value, tool),
                    })
            }
            Value::Array(values) => values
                .iter()
                .try_for_each(|value| self.check_nested(cx, value, tool)),
            Value::String(text) if starts_with(text.trim_start(), "file:/") => {
                self.check_address(cx, text)
            }
            _ => Ok(()),
        }
    }

    /// Checks an address: of a file, or of the web.
    fn check_address(&self, cx: &AgentContext, text: &str) -> Result<(), String> {
        // Some programs leave out what is not visible in the middle of an address.
        let address = text.trim();
        if address.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(format!(
                "the address {address:?} has a blank or an invisible character in it: write one address, without it"
            ));
        }
        let is_path = address.starts_with(['/', '.', '~']) || starts_with(address, "file:");
        if is_path {
            return self.check_path(cx, address, ArgumentRole::Read);
        }
        self.hosts.check_web(address)
    }

    /// Checks whether the files that a pattern matches may be read, in the workspace and in its folders.
    fn check_glob<'a>(
        &self,
        cx: &AgentContext,
        text: &str,
        access: Access,
        folders: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<(), String> {
        let guard = self.guard(&cx.cwd)?;
        // One text may contain several. `[.][.]` is `..` too.
        let is_of_pattern = |c: char| "[]()@!+?*\\".contains(c);
        for part in text.split(['/', ',', '{', '}', '|', ' ']) {
            if part.replace(is_of_pattern, "") == ".." {
                return Err(format!(
                    "the pattern `{text}` may leave the workspace: write it without `..`"
                ));
            }
        }
        let mut budget = guard::MOST_FILES;
        let patterns = alternatives(text).ok_or_else(|| {
            format!("the pattern `{text}` has too many alternatives: write them out")
        })?;
        for pattern in patterns
            .iter()
            .flat_map(|pattern| pattern.split([',', '|', ' ']))
        {
            let pattern = path_of_address(pattern.trim_start_matches('!'))?;
            let in_home = in_home(pattern);
            let pattern = in_home.as_deref().unwrap_or(pattern);
            // After `**`, no link is followed.
            let pattern = &pattern[..pattern.find("**").unwrap_or(pattern.len())];
            if pattern.is_empty() {
                continue;
            }
            for folder in folders.clone() {
                let folder = path_of_address(folder)?;
                let other = self.other_start(cx, &guard, folder)?;
                for start in iter::once(guard.workspace()).chain(other.as_deref()) {
                    let base = guard.enter(folder, start)?;
                    guard.check_pattern(pattern, &base, access, &mut budget)?;
                }
            }
        }
        Ok(())
    }

    /// Checks a path that a tool reads or writes.
    fn check_path(&self, cx: &AgentContext, path: &str, role: ArgumentRole) -> Result<(), String> {
        let guard = self.guard(&cx.cwd)?;
        let check_from = |path: &str, start: &Path| match role {
            ArgumentRole::Read => guard.check(path, start),
            _ => guard.check_change(path, start),
        };
        let check = |path: &str| {
            check_from(path, guard.workspace())?;
            let other = self.other_start(cx, &guard, path)?;
            other.map_or(Ok(()), |start| check_from(path, &start))
        };
        check(path_of_address(path)?)?;
        // Some tools remove blanks, or let a shell expand the path.
        let plain = path.trim();
        match in_home(plain) {
            Some(path) => check(&path),
            None if plain != path => check(path_of_address(plain)?),
            None => Ok(()),
        }
    }

    /// Returns the guard for the workspace of an agent in this directory.
    fn guard(&self, directory: &str) -> Result<Arc<PathGuard>, String> {
        let mut known = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        // A relative path means another folder for each process.
        if let Some((of, guard)) = &*known
            && of == directory
            && caller::other().is_none()
        {
            return Ok(guard.clone());
        }
        let workspace = match &self.config.workspace {
            Some(workspace) => workspace,
            None if directory.is_empty() => Path::new("."),
            None => Path::new(directory),
        };
        let guard = paths::folder(workspace)
            .map(|workspace| PathGuard::new(workspace, &self.config))
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

/// Calls a function for every string in a value, except the names of fields.
fn for_texts(
    value: &Value,
    act: &mut impl FnMut(&str) -> Result<(), String>,
) -> Result<(), String> {
    match value {
        Value::String(text) => act(text),
        Value::Array(values) => values.iter().try_for_each(|value| for_texts(value, act)),
        Value::Object(fields) => fields.values().try_for_each(|value| for_texts(value, act)),
        _ => Ok(()),
    }
}

/// Returns the patterns that a pattern with braces expands to; nothing if there are too many.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    const MOST: usize = 64;
    let mut done = Vec::new();
    let mut rest = vec![pattern.to_owned()];
    while let Some(pattern) = rest.pop() {
        if done.len() + rest.len() > MOST || pattern.len() > 4096 {
            return None;
        }
        // The innermost braces are expanded first.
        let end = pattern.find('}');
        match end.and_then(|end| Some((pattern[..end].rfind('{')?, end))) {
            Some((begin, end)) => {
                let (before, after) = (&pattern[..begin], &pattern[end + 1..]);
                let choices = pattern[begin + 1..end].split(',');
                rest.extend(choices.map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// Whether an argument has the same meaning as a missing one.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => matches!(text.as_str(), "" | "false" | "use_default"),
        Value::Array(values) => values.is_empty(),
        Value::Object(values) => values.is_empty(),
        _ => false,
    }
}

/// Whether a text begins so, whatever the case.
fn starts_with(text: &str, begin: &str) -> bool {
    text.get(..begin.len())
        .is_some_and(|text| text.eq_ignore_ascii_case(begin))
}

/// Returns the path of `file:///path`, `file:/path` and `file://localhost/path`, which a tool may accept too.
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

/// Returns `~/x` for `$HOME/x`, which some tools let a shell expand.
fn in_home(path: &str) -> Option<String> {
    let homes = ["$HOME", "${HOME}"];
    let rest = homes.iter().find_map(|home| path.strip_prefix(home))?;
    (rest.is_empty() || rest.starts_with('/')).then(|| format!("~{rest}"))
}

/// Shortens a reason in its middle, because it may quote a whole command.
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
