//! Creates all hooks of a configuration at once.

use hooks_core::agent::AgentEvent;
use hooks_core::{Hook, HookRegistry, RegisterError};

use super::factory::{FactoryEffects, HookFactoryRegistry};
use super::supervision::Supervision;
use super::table::{BuiltinHooks, located};
use super::{ConfigError, HooksConfig};
use crate::JsonlLogConfig;

/// All hooks of a configuration. [`HooksConfig::hooks`] creates them.
///
/// [`into_pipeline`](Self::into_pipeline) makes one pipeline of them. For a pipeline with hooks of your own in between,
/// see [`with_builtins!`](crate::with_builtins).
#[derive(Clone, Debug, Default)]
pub struct FileHooks {
    /// The hooks of `[hooks.builtin]`.
    pub builtin: BuiltinHooks,
    /// The hooks that factories create: those of `[[hooks.chain]]`, in their order, followed by those of
    /// `[hooks.builtins]`, by their priorities.
    pub chain: Option<HookRegistry<AgentEvent<'static>>>,
}

impl FileHooks {
    /// Adds the hooks to a registry. Each runs at its own priority, between the registry's handlers.
    ///
    /// ```
    /// use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
    /// use hooks_core::agent::AgentEvent;
    /// use hooks_core::HookRegistry;
    ///
    /// let config = HooksConfig::from_toml("[hooks.builtin]\nblock_tools = { tools = ['deploy'] }\nredact = true")?;
    /// let registry = HookRegistry::<AgentEvent>::new();
    /// config.hooks(&HookFactoryRegistry::with_builtins())?.register_in(&registry)?;
    /// assert_eq!(registry.names(), ["BlockTools", "Redact"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a hook cannot run behind a box, or the registry already has one of its name. The hooks before it are then
    /// registered.
    pub fn register_in(
        self,
        registry: &HookRegistry<AgentEvent<'static>>,
    ) -> Result<(), RegisterError> {
        self.builtin.register_in(registry)?;
        if let Some(chain) = self.chain {
            registry.register(chain.named("chain"))?;
        }
        Ok(())
    }
}

impl BuiltinHooks {
    /// Lets the policy block what needs an approval if no hook asks for it, and run its commands in a sandbox.
    #[doc(hidden)]
    #[must_use]
    pub fn __complete(mut self) -> Self {
        if self.approval.is_none() && !self.is_asked_in_chain {
            self.security_policy = self
                .security_policy
                .map(crate::SecurityPolicy::without_approver);
        }
        if let Some(policy) = self.security_policy.take() {
            let (policy, sandbox) = policy.with_sandbox();
            if let Some(warning) = policy.__unguarded() {
                tracing::warn!("{warning}");
            }
            self.sandbox = policy.is_confined().is_ok().then_some(sandbox);
            self.security_policy = Some(policy);
        }
        self
    }

    /// Tells the approval what the policy of a supervised agent wants.
    fn supervise(&mut self, config: &HooksConfig, supervision: &mut Supervision) {
        let settings = config.builtin.approval.as_on();
        if let (Some(approval), Some(settings)) = (self.approval.take(), settings) {
            let approval = supervision.supervising(approval, settings);
            self.approval = Some(match self.security_policy.clone() {
                Some(policy) => {
                    let writer = policy.clone();
                    approval
                        .with_description(move |cx, tool, args| policy.describe(cx, tool, args))
                        .with_written(move |cx, tool, args| writer.written(cx, tool, args))
                }
                None => approval,
            });
        }
        self.is_asked_in_chain = supervision.is_asked_in_chain;
    }
}

impl HooksConfig {
    /// Creates all hooks of the configuration: the built-in ones, and those of factories. For factories of your own,
    /// pass `HookFactoryRegistry::with_builtins().with(MyFactory)`. There are no hooks if `hooks` is not enabled.
    ///
    /// If a [`SecurityPolicy`](crate::SecurityPolicy) says `supervised`, which is the default, a built-in
    /// [`Approval`](crate::Approval) asks about every tool, except those in its own `except` and those that are
    /// declared read-only. If there are several approvals, the first one does so. Without an approval, built in or of
    /// your own, the policy blocks what needs an approval. If your agent asks a person with a hook of its own, write
    /// `full`.
    ///
    /// The hooks that factories create run in the order of the file, at the priority 0, except that a
    /// `security_policy` comes first. `hooks.defaults` limits how long each of them may take.
    ///
    /// ```
    /// use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
    /// use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let config = HooksConfig::from_toml(r#"
    ///     [hooks.builtin]
    ///     block_tools = { tools = ["deploy"] }
    ///
    ///     [[hooks.chain]]
    ///     type = "block_tools"
    ///     config = { tools = ["shell"] }
    /// "#)?;
    /// let hooks = config.hooks(&HookFactoryRegistry::with_builtins())?.into_pipeline();
    /// for name in ["deploy", "shell"] {
    ///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
    ///     assert!(!hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If one of the hooks cannot be created, the chain has an unknown type, or a hook is on that only `hooks-runtime`
    /// runs. Then no hook is left running, and no file is created. The error contains every mistake.
    pub fn hooks(&self, factories: &HookFactoryRegistry) -> Result<FileHooks, ConfigError> {
        if !self.enabled {
            return Ok(FileHooks::default());
        }
        let mut wrong: Vec<_> = self.for_the_runtime().collect();
        let mut supervision = Supervision::default();
        supervision.is_asked_in_builtin = self.builtin.approval.as_on().is_some();
        if let Some(policy) = self.builtin.security_policy.as_on() {
            supervision.note(policy);
        }
        let mut chain = factories.checked(self, &mut supervision, &mut wrong);
        let is_file = |key: &str| key == "jsonl_log";
        let mut builtin = BuiltinHooks::default();
        builtin.make(self, |key| !is_file(key), &mut wrong);
        builtin.supervise(self, &mut supervision);
        let log = self.builtin.jsonl_log.as_on().map(JsonlLogConfig::check);
        wrong.extend(log.and_then(Result::err).map(|error| located(error, self)));
        let checked = wrong.is_empty();
        chain.make(FactoryEffects::Inside, &mut supervision, &mut wrong);
        // Hooks with effects outside of the process are created last, when everything else is known to be right.
        if checked && wrong.is_empty() {
            chain.make(FactoryEffects::Unknown, &mut supervision, &mut wrong);
        }
        ConfigError::all(wrong)?;
        let mut wrong = Vec::new();
        builtin.make(self, is_file, &mut wrong);
        if wrong.is_empty() {
            chain.make(FactoryEffects::File, &mut supervision, &mut wrong);
        }
        ConfigError::all(wrong)?;
        let chain = chain.into_registry(&builtin.chain_logs)?;
        Ok(FileHooks {
            builtin,
            chain: Some(chain).filter(|chain| !chain.is_empty()),
        })
    }
}
