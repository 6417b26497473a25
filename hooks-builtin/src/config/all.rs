//! Builds all hooks of a configuration at once.

use hooks_core::__private::{Group, Switched};
use hooks_core::agent::AgentEvent;
use hooks_core::{HookRegistry, Pipeline, RegisterError};

use super::HooksConfig;
use super::builtins::BuiltinHooks;
use super::error::{At, ConfigError, Names, Segment, Wrong};
use super::factory::{HookFactoryRegistry, Outcome};
use super::supervision::Supervision;
use crate::{
    Approval, BlockTools, CommandLogger, EventLog, JsonlLog, PathPrefix, RateLimit, Redact,
    SecurityPolicy, ShellHook, ToolCache, WebhookAudit,
};

/// All hooks of a configuration, in two parts. [`HooksConfig::parts`] returns it.
///
/// Use it for a pipeline with hooks of your own between them:
///
/// ```
/// use hooks_builtin::config::{FileHooks, HookFactoryRegistry, HooksConfig};
/// use hooks_builtin::with_builtins;
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::hook;
///
/// #[hook(priority = 20)]
/// fn mine(_: &BeforeToolCall) {}
///
/// let config = HooksConfig::from_toml(r#"
///     [hooks.builtin]
///     security_policy = { autonomy = "full" }
///     event_log = true
///
///     [[hooks.chain]]
///     type = "block_tools"
///     config = { tools = ["deploy"] }
/// "#)?;
/// let FileHooks { builtin, chain } = config.parts(&HookFactoryRegistry::with_builtins())?;
/// let hooks = with_builtins![builtin; mine, chain];
/// assert_eq!(format!("{hooks:?}"), "[SecurityPolicy, mine, HookRegistry, BlockTools, EventLog]");
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileHooks {
    /// The hooks of `[hooks.builtin]`.
    pub builtin: BuiltinHooks,
    /// The hooks of `[[hooks.chain]]`, in their order, followed by those of `[hooks.builtins]`, by their priorities.
    pub chain: Option<HookRegistry<AgentEvent<'static>>>,
}

impl FileHooks {
    /// Returns the pipeline of the hooks.
    #[must_use]
    pub fn into_pipeline(self) -> AllHooks {
        let FileHooks { builtin, chain } = self;
        crate::with_builtins![builtin; chain]
    }

    /// Returns the hooks as handlers, each at its own priority, for pipelines that you know only at run time.
    ///
    /// ```
    /// use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
    ///
    /// let config = HooksConfig::from_toml("[hooks.builtin]\nblock_tools = { tools = ['deploy'] }\nredact = true")?;
    /// let registry = config.parts(&HookFactoryRegistry::with_builtins())?.into_registry()?;
    /// assert_eq!(registry.names().collect::<Vec<_>>(), ["BlockTools", "Redact"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a hook cannot run behind a box. All hooks of this crate can.
    pub fn into_registry(self) -> Result<HookRegistry<AgentEvent<'static>>, RegisterError> {
        let mut registry = HookRegistry::new();
        self.register_in(&mut registry)?;
        Ok(registry)
    }

    /// Adds the hooks to a registry. Each runs at its own priority, between the registry's handlers.
    ///
    /// ```
    /// use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
    /// use hooks_core::agent::AgentEvent;
    /// use hooks_core::HookRegistry;
    ///
    /// let config = HooksConfig::from_toml("[hooks.builtin]\nredact = true")?;
    /// let mut registry = HookRegistry::<AgentEvent>::new();
    /// config.parts(&HookFactoryRegistry::with_builtins())?.register_in(&mut registry)?;
    /// assert_eq!(registry.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a hook cannot run behind a box, or the registry already has one of its name. The hooks before it are then
    /// registered.
    pub fn register_in(
        self,
        registry: &mut HookRegistry<AgentEvent<'static>>,
    ) -> Result<(), RegisterError> {
        let FileHooks { builtin, chain } = self;
        let builtin = builtin.__complete();
        macro_rules! register {
            ($($hook:expr),* $(,)?) => { $(
                if let Some(hook) = $hook {
                    registry.register(hook)?;
                }
            )* };
        }
        register![
            builtin.security_policy,
            builtin.block_tools,
            builtin.rate_limit,
            builtin.path_prefix,
            builtin.shell_hook,
            chain,
            builtin.command_logger,
            builtin.approval,
            builtin.tool_cache,
            builtin.webhook_audit,
            builtin.redact,
            builtin.event_log,
            builtin.jsonl_log,
        ];
        Ok(())
    }
}

/// The pipeline of all hooks of a configuration, in the order in which they run. [`HooksConfig::build`] returns it.
///
/// The type has a name, so it can be the type of a struct's field. In `hooks![…]`, it runs as a whole at its own
/// priority, which is 0.
pub type AllHooks = Pipeline<
    Switched<
        Group<
            AgentEvent<'static>,
            (
                Group<
                    AgentEvent<'static>,
                    (
                        Option<SecurityPolicy>,
                        Option<BlockTools>,
                        Option<RateLimit>,
                        Option<PathPrefix>,
                        Option<ShellHook>,
                        Option<HookRegistry<AgentEvent<'static>>>,
                        Option<CommandLogger>,
                        Option<Approval>,
                    ),
                >,
                Group<
                    AgentEvent<'static>,
                    (
                        Option<ToolCache>,
                        Option<WebhookAudit>,
                        Option<Redact>,
                        Option<EventLog>,
                        Option<JsonlLog>,
                    ),
                >,
            ),
        >,
    >,
>;

impl HooksConfig {
    /// Builds all hooks of the configuration, in one pipeline: `[hooks.builtin]`, `[[hooks.chain]]` and
    /// `[hooks.builtins]`.
    ///
    /// The hooks that factories create run in the order of the chain, all at the priority 0: after [`ShellHook`] and
    /// before [`CommandLogger`]. For hooks of your own between all of them, see [`parts`](Self::parts).
    ///
    /// ```
    /// use hooks_builtin::config::HooksConfig;
    /// use hooks_core::agent::{AgentContext, BeforeToolCall};
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
    /// let hooks = config.build()?;
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
    /// If one of the hooks cannot be created, the chain has an unknown type, or one of `processes` is enabled. Then no
    /// hook is left running, and no file is created. The error contains every mistake.
    pub fn build(&self) -> Result<AllHooks, ConfigError> {
        self.build_with(&HookFactoryRegistry::with_builtins())
    }

    /// Does the same as [`build`](Self::build), with your own factories for the types of the chain:
    /// `HookFactoryRegistry::with_builtins().with(MyFactory)`.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_with(&self, factories: &HookFactoryRegistry) -> Result<AllHooks, ConfigError> {
        self.parts(factories).map(FileHooks::into_pipeline)
    }

    /// Does the same as [`build_with`](Self::build_with), but returns the parts. Use it to put hooks of your own
    /// between them with [`with_builtins!`](crate::with_builtins), or to keep a handle to one of them. Returns no hooks
    /// if `hooks` is not enabled.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn parts(&self, factories: &HookFactoryRegistry) -> Result<FileHooks, ConfigError> {
        if !self.enabled {
            return Ok(FileHooks::default());
        }
        let mut wrong = self.for_the_runtime();
        let mut supervision = Supervision::default();
        supervision.is_asked_in_builtin = self.builtin.approval.as_on().is_some();
        if let Some(policy) = self.builtin.security_policy.as_on() {
            supervision.note(policy);
        }
        let mut chain = factories.checked(self, &mut supervision, &mut wrong);
        let mut builtin = BuiltinHooks::made(self, &mut supervision, &mut wrong);
        let checked = wrong.is_empty();
        chain.make(Outcome::Inside, &mut supervision, &mut wrong);
        // Hooks with effects outside of the process are created last, when everything else is known to be right.
        if checked && wrong.is_empty() {
            chain.make(Outcome::Unknown, &mut supervision, &mut wrong);
        }
        ConfigError::all(wrong)?;
        builtin.open_log(self)?;
        let mut wrong = Vec::new();
        chain.make(Outcome::File, &mut supervision, &mut wrong);
        ConfigError::all(wrong)?;
        let chain = chain.into_registry()?;
        Ok(FileHooks {
            builtin,
            chain: Some(chain).filter(|chain| !chain.is_empty()),
        })
    }

    /// Returns the keys of `[hooks.builtin]` that are on.
    pub(super) fn builtin_keys(&self) -> Vec<Vec<Segment>> {
        let key = Segment::key;
        let builtin = serde_json::to_value(&self.builtin).unwrap_or_default();
        let on = builtin
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(_, switch)| **switch != false);
        on.map(|(name, _)| vec![key("hooks"), key("builtin"), key(name)])
            .collect()
    }

    /// Returns the paths of hooks that are on and that factories create.
    pub(super) fn chain_keys(&self) -> Vec<Vec<Segment>> {
        let key = Segment::key;
        let chain = self
            .chain
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.enabled);
        let named = self.builtins.iter().filter(|(_, entry)| entry.enabled);
        chain
            .map(|(index, _)| vec![key("hooks"), key("chain"), Segment::Index(index)])
            .chain(named.map(|(name, _)| vec![key("hooks"), key("builtins"), key(name)]))
            .collect()
    }

    /// Returns an error for these hooks, which `by` does not create: a hook that is on must not be left out silently.
    pub(super) fn refuse(&self, hooks: Vec<Vec<Segment>>, by: &str) -> Result<(), ConfigError> {
        if !self.enabled {
            return Ok(());
        }
        let mistakes = hooks.into_iter().map(|path| {
            let wrong = Wrong {
                message: format!("is on, and `{by}` does not make it"),
                names: Names::Subject,
                help: Some("build all hooks of the file with `HooksConfig::build`".into()),
                at: At::Key,
                path,
            };
            ConfigError::new(wrong, self.origin.source())
        });
        ConfigError::all(mistakes.collect())
    }
}
