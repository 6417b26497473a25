//! Runs a judged command in a sandbox, so that the kernel holds it to the judgement. The rules come from the policy, and
//! from what the judge has predicted for this very command.

use std::path::Path;
use std::sync::{Arc, Weak};

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::{HookAction, hook, priority};
use hooks_sandbox::{Confinement, Sandbox, SandboxError};
use hooks_shell::Access;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Autonomy, Judged, PolicyState, SecurityPolicy, SecurityPolicyConfig, command, guard};

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
/// It runs after every other hook, so that those see the command as it is written: its priority is [`priority::LAST`].
/// [`SecurityPolicy::with_sandbox`] returns both.
///
/// None of the five systems confines its tools.
#[derive(Clone, Debug)]
pub struct PolicySandbox {
    policy: SecurityPolicy,
    _alive: Arc<Alive>,
}

/// As long as it is there, commands are confined.
#[derive(Debug)]
pub(super) struct Alive;

#[hook(priority = priority::LAST)]
impl PolicySandbox {
    fn confine(&self, cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
        let SecurityPolicy(inner, _, kernel) = &self.policy;
        if !kernel.of(cx).holds() || inner.config.is_dry {
            return HookAction::Continue;
        }
        let judged = match inner.judged(cx, call, kernel) {
            Ok(Some(judged)) if judged.rules.is_some() => judged,
            Ok(_) => return HookAction::Continue,
            Err(reason) => return HookAction::block(reason),
        };
        let kept = (inner.judgements).find(cx, Some(&call.id), &call.name, &call.args);
        let written = kept.and_then(|found| found.written);
        let written = written.unwrap_or_else(|| call.args.clone());
        if let Err(reason) = judged.confine(&mut call.args) {
            return HookAction::block(reason);
        }
        inner.judgements.keep(cx, call, Some(judged), Some(written));
        HookAction::Continue
    }
}

/// The key in the context's `extra` that says what the agent does with a command that a hook has changed: a text is why it
/// must stay as it is written, and `true` is that the agent applies its own rules to what it has become.
pub const AS_WRITTEN: &str = "commands_as_written";

/// Whether the kernel confines the commands that a policy allows.
#[derive(Clone, Debug)]
pub(super) enum Kernel {
    /// It does, as long as a hook asks it to.
    Confines(Weak<Alive>),
    /// It does not.
    Lacks(Arc<str>),
}

impl Kernel {
    /// A kernel that was not asked to.
    pub(super) fn unasked() -> Self {
        Kernel::Lacks("list both hooks of `policy.with_sandbox()` instead of the policy".into())
    }

    pub(super) fn holds(&self) -> bool {
        self.confines().is_ok()
    }

    /// Returns whether it does so for the agent of this call.
    pub(super) fn of(&self, cx: &AgentContext) -> Kernel {
        match cx.extra.get(AS_WRITTEN).and_then(serde_json::Value::as_str) {
            Some(why) if self.holds() => Kernel::Lacks(why.into()),
            _ => self.clone(),
        }
    }

    /// Returns why it does not confine, in words.
    fn confines(&self) -> Result<(), &str> {
        match self {
            Kernel::Confines(alive) if alive.strong_count() > 0 => Ok(()),
            Kernel::Confines(_) => Err("the hook for it is gone"),
            Kernel::Lacks(why) => Err(why),
        }
    }

    /// Refuses commands where the sandbox is required, and there is no sandbox.
    pub(super) fn check(&self, mode: SandboxMode) -> Result<(), String> {
        if mode != SandboxMode::Require {
            return Ok(());
        }
        let refused = |why| format!("commands run in a sandbox only, and there is none: {why}");
        self.confines().map_err(refused)
    }
}

impl SecurityPolicy {
    /// Returns this policy, and the hook that runs its commands in a sandbox. List both, in any order.
    ///
    /// A command may read the workspace and the system's own folders. It may write where the policy has predicted that it
    /// writes; a program that runs code, such as `cargo`, may write to the whole workspace. It reaches the hosts of the
    /// addresses in it, and none but [`allowed_hosts`](SecurityPolicyConfig::allowed_hosts). What is protected, such as
    /// `.git/hooks`, stays as it is. What was not predicted is refused, and the output of the command ends with what was
    /// refused and what was predicted: the model can act on it. See [`hooks_sandbox`].
    ///
    /// What confines the commands is `sandbox_program`, or this executable if its `main` begins with
    /// [`hooks_sandbox::enter_if_asked`], or the program `hooks` in `PATH`. If none of them is there, or the kernel cannot
    /// do it, [`is_confined`](Self::is_confined) says why, and the policy is as strict as it is without a sandbox. So it is
    /// when the other hook is dropped.
    ///
    /// ```
    /// use hooks_builtin::SecurityPolicy;
    /// use hooks_core::hooks;
    ///
    /// // The first line of `main`.
    /// hooks_sandbox::enter_if_asked();
    ///
    /// let (policy, sandbox) = SecurityPolicy::new()?.with_sandbox();
    /// let hooks = hooks![policy, sandbox];
    /// # let _ = hooks;
    /// # Ok::<_, hooks_builtin::BuildError>(())
    /// ```
    #[must_use]
    pub fn with_sandbox(self) -> (SecurityPolicy, PolicySandbox) {
        let alive = Arc::new(Alive);
        let kernel = match self.able() {
            Ok(()) => Kernel::Confines(Arc::downgrade(&alive)),
            Err(why) => Kernel::Lacks(why.into()),
        };
        let policy = SecurityPolicy(self.0, self.1, kernel);
        let sandbox = PolicySandbox {
            policy: policy.clone(),
            _alive: alive,
        };
        (policy, sandbox)
    }

    /// Finds out whether the kernel can confine the commands of this policy.
    fn able(&self) -> Result<(), String> {
        let config = &self.0.config;
        if config.sandbox == SandboxMode::Off {
            return Err("`sandbox` is `off`".to_owned());
        }
        if !config.rewrite {
            return Err("`rewrite` is `false`, so commands stay as they are written".to_owned());
        }
        let confinement = launched(Sandbox::new(), config).prepare();
        let checked = confinement.and_then(|confinement| confinement.check());
        checked.map_err(|error| error.to_string())
    }

    /// Whether the kernel confines the commands that this policy allows.
    ///
    /// # Errors
    ///
    /// Why it does not, in words.
    pub fn is_confined(&self) -> Result<(), String> {
        self.2.confines().map_err(str::to_owned)
    }

    /// Warns of commands that no person approves and no sandbox limits.
    #[doc(hidden)]
    #[must_use]
    pub fn __unguarded(&self) -> Option<String> {
        let why = self.is_confined().err()?;
        (self.autonomy() == Autonomy::Full).then(|| {
            format!("no person approves commands (`autonomy = \"full\"`), and no sandbox limits them: {why}")
        })
    }
}

impl PolicyState {
    /// Returns what the kernel holds a judged command to.
    pub(super) fn confinement(&self, judged: &Judged) -> Result<Confinement, String> {
        self.rules(judged)?.prepare().map_err(|error| match error {
            SandboxError::Path { .. } => {
                format!("{error}: it is gone, or the sandbox may not open it")
            }
            error => error.to_string(),
        })
    }

    /// Returns the rules for a judged command.
    fn rules(&self, judged: &Judged) -> Result<Sandbox, String> {
        let (config, guard, effects) = (&self.config, &judged.guard, &judged.effects);
        let workspace = guard.workspace();
        let mut sandbox = launched(config.sandbox_rules.sandbox(workspace), config);
        sandbox = sandbox.read(workspace).note(effects.to_string());
        sandbox = judged.variables.iter().fold(sandbox, Sandbox::env);
        sandbox = guard.opened().fold(sandbox, Sandbox::allow_writing);
        sandbox = guard.hidden()?.into_iter().fold(sandbox, Sandbox::hide);
        sandbox = config
            .loaded_from
            .iter()
            .filter(|file| file.exists())
            .fold(sandbox, Sandbox::protect);
        let is_of_git = |access| matches!(access, Access::Repository | Access::Checkout);
        let uses_git = effects.paths().any(|used| is_of_git(used.access));
        if uses_git {
            // What git does not see of its work tree, it takes for deleted.
            let top = guard::work_tree(workspace).map(Path::to_owned);
            sandbox = top.into_iter().fold(sandbox, Sandbox::read);
            let repository = guard::repository(workspace);
            sandbox = repository.into_iter().fold(sandbox, Sandbox::write);
        } else {
            sandbox = sandbox.protect(workspace.join(".git"));
        }
        let is_free = !command::is_predicted(effects) || effects.unknown().next().is_some();
        let written = if is_free || uses_git {
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
