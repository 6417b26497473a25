//! Runs what was judged where the kernel holds it to that. The rules come from the policy, and from what the judge has
//! predicted for this very command.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookAction, hook, priority};
use hooks_sandbox::{Confinement, Sandbox, SandboxError};
use hooks_shell::{Access, is_predictable};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::command::Form;
use super::{Change, Inner, Judged, SecurityPolicy, SecurityPolicyConfig, guard};

/// The programs that the default list has besides where commands run in a sandbox: they run code of the workspace, or what
/// they are given, and the kernel limits what that does.
pub(super) const CONFINED: [&str; 12] = [
    "cargo", "go", "make", "node", "npm", "npx", "pnpm", "pytest", "python", "python3", "tsc",
    "yarn",
];

/// Whether commands run in a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxMode {
    /// If the kernel can enforce it. Otherwise the policy is as strict as it is without a sandbox.
    #[default]
    Auto,
    /// Always: where the kernel cannot enforce it, no command runs.
    Require,
    /// Never.
    Off,
}

/// Runs the commands that a [`SecurityPolicy`] has allowed where the kernel holds them to what the policy has predicted.
/// [`SecurityPolicy::sandbox`] creates it. It runs after every other hook: its priority is [`priority::LAST`], so that
/// other hooks see the command as it is written.
///
/// A command may read the workspace and the system's own folders. It may write where the policy has predicted that it
/// writes; a program that runs code, such as `cargo`, may write to the whole workspace. It reaches the hosts of the
/// addresses in it, and none but [`allowed_hosts`](SecurityPolicyConfig::allowed_hosts). What is protected, such as
/// `.git/hooks`, stays as it is. What was not predicted is refused, and the output of the command ends with what was
/// refused and what was predicted: the model can act on it.
///
/// None of the five systems confines its tools.
///
/// ```
/// use hooks_builtin::SecurityPolicy;
/// use hooks_core::hooks;
///
/// // In `main`, first: then your own executable confines the commands. Otherwise the program `hooks` does.
/// hooks_sandbox::enter_if_asked();
///
/// let policy = SecurityPolicy::new()?;
/// let hooks = hooks![policy.clone(), policy.sandbox()];
/// # let _ = hooks;
/// # Ok::<_, hooks_builtin::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolicySandbox(SecurityPolicy);

#[hook(priority = priority::LAST)]
impl PolicySandbox {
    fn confine(&self, cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        match self.0.0.confined(cx, &call.name, &call.args) {
            Ok(Some(change)) => change.apply(&mut call.args),
            Ok(None) => {}
            Err(reason) => return HookAction::block(reason),
        }
        HookAction::Continue
    }
}

impl SecurityPolicy {
    /// Returns the hook that runs the commands of this policy in a sandbox. List both, in any order.
    ///
    /// The executable that confines the commands is `sandbox_program`, or this one if its `main` begins with
    /// [`hooks_sandbox::enter_if_asked`], or the program `hooks` in `PATH`.
    #[must_use]
    pub fn sandbox(&self) -> PolicySandbox {
        let _ = self.0.kernel.get_or_init(|| self.0.kernel());
        PolicySandbox(self.clone())
    }

    /// Whether the kernel confines the commands that this policy allows.
    ///
    /// # Errors
    ///
    /// Why it does not.
    pub fn is_confined(&self) -> Result<(), String> {
        let hint = "list `policy.sandbox()` beside the policy";
        let kernel = self.0.kernel.get().cloned();
        kernel.unwrap_or_else(|| Err(hint.to_owned()))
    }
}

impl Inner {
    /// Finds out whether the kernel confines commands.
    fn kernel(&self) -> Result<(), String> {
        if self.config.sandbox == SandboxMode::Off {
            return Err("`sandbox = \"off\"`".to_owned());
        }
        let checked = launched(Sandbox::new(), &self.config).prepare();
        let checked = checked.and_then(|confinement| confinement.check());
        checked.map_err(|error| error.to_string())
    }

    /// Whether the kernel holds commands to their rules.
    pub(super) fn holds(&self) -> bool {
        matches!(self.kernel.get(), Some(Ok(())))
    }

    /// Refuses commands where the sandbox is required, and is none.
    pub(super) fn check_required(&self) -> Result<(), String> {
        if self.config.sandbox != SandboxMode::Require || self.holds() {
            return Ok(());
        }
        let why = match self.kernel.get() {
            Some(Err(why)) => why,
            _ => "`policy.sandbox()` is not listed beside the policy",
        };
        Err(format!(
            "commands run in a sandbox only, and there is none: {why}"
        ))
    }

    /// Returns the change that lets a judged command run in a sandbox.
    fn confined(
        &self,
        cx: &AgentContext,
        tool: &str,
        args: &Value,
    ) -> Result<Option<Change>, String> {
        if !self.holds() {
            return Ok(None);
        }
        match self.judge(cx, tool, args)? {
            Some(judged) if !judged.is_confined => self.confine(&judged).map(Some),
            _ => Ok(None),
        }
    }

    /// Returns the change that lets a judged command run in a sandbox.
    pub(super) fn confine(&self, judged: &Judged) -> Result<Change, String> {
        let confinement = self.rules(judged)?.prepare().map_err(|error| match error {
            SandboxError::Path { .. } => {
                format!("{error}: it is gone, or the sandbox may not open it")
            }
            error => error.to_string(),
        })?;
        let script = judged.script.as_deref();
        let words = match &judged.form {
            Form::Text(text) => {
                let words = [judged.shell(), "-c", script.unwrap_or(text)];
                let words = words_of(&confinement, &words);
                let text = shlex::try_join(words.iter().map(String::as_str));
                let text = text.map_err(|_| "the command has a zero byte: remove it")?;
                return Ok(judged.change(Value::String(text), None));
            }
            Form::Shell(words, text) => {
                let mut words = words.clone();
                words.push(script.unwrap_or(text).to_owned());
                words_of(&confinement, &words)
            }
            Form::Words(words) => words_of(&confinement, words),
        };
        Ok(match judged.beside {
            Some(_) => {
                let (program, arguments) = words.split_first().ok_or("the command is empty")?;
                judged.change(program.as_str().into(), Some(arguments.into()))
            }
            None => judged.change(words.into(), None),
        })
    }

    /// Returns the rules for a judged command.
    fn rules(&self, judged: &Judged) -> Result<Sandbox, String> {
        let (config, guard, effects) = (&self.config, &judged.guard, &judged.effects);
        let workspace = guard.workspace();
        let mut sandbox = launched(config.sandbox_rules.sandbox(workspace), config);
        sandbox = sandbox.read(workspace).note(effects.to_string());
        sandbox = judged
            .variables
            .iter()
            .fold(sandbox, |sandbox, name| sandbox.env(name));
        sandbox = guard.hidden()?.into_iter().fold(sandbox, Sandbox::hide);
        let git = effects
            .paths()
            .find(|used| matches!(used.access, Access::Repository | Access::Checkout));
        let top = git
            .map(|used| guard::repository(used, workspace))
            .unwrap_or_default();
        if git.is_none() {
            sandbox = sandbox.protect(workspace.join(".git"));
        }
        for folder in top {
            sandbox = sandbox.write(folder);
        }
        let programs = effects
            .programs()
            .filter(|program| !program.is_builtin && !program.is_wrapper);
        let is_free = programs
            .map(|program| is_predictable(&program.name))
            .any(|is| !is)
            || effects.unknown().next().is_some();
        let written = if is_free || git.is_some() {
            vec![workspace.to_owned()]
        } else {
            guard.written(effects)?
        };
        sandbox = written.into_iter().fold(sandbox, Sandbox::write);
        if !config.workspace_only {
            sandbox = guard.read(effects).into_iter().fold(sandbox, Sandbox::read);
        }
        let hosts = self.hosts.reached(effects, is_free);
        Ok(hosts.into_iter().fold(sandbox, Sandbox::domain))
    }
}

fn launched(sandbox: Sandbox, config: &SecurityPolicyConfig) -> Sandbox {
    match &config.sandbox_program {
        Some(program) => sandbox.launcher(program),
        None => sandbox,
    }
}

fn words_of<S: AsRef<str>>(confinement: &Confinement, words: &[S]) -> Vec<String> {
    let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
    let (program, arguments) = words
        .split_first()
        .map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let words = confinement.words(program, arguments);
    words
        .into_iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
}
