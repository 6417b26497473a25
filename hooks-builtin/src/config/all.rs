//! All hooks that a configuration says, made at once.

use hooks_core::__private::{Group, Switched};
use hooks_core::agent::AgentEvent;
use hooks_core::{HookRegistry, Pipeline, RegisterError};

use super::HooksConfig;
use super::builtins::BuiltinHooks;
use super::error::{At, ConfigError, Names, Segment, Wrong};
use super::factory::{HookFactoryRegistry, Outcome};
use super::supervision::Supervision;
use crate::{
    Approval, Before, BlockTools, CommandLogger, EventLog, JsonlLog, PathPrefix, RateLimit, Redact,
    SecurityPolicy, ShellHook, ToolCache, WebhookAudit,
};

/// All hooks that a configuration says, in two parts: what [`HooksConfig::parts`] makes.
///
/// For a pipeline with hooks of your own between them:
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
/// assert_eq!(format!("{hooks:?}"), "[Before, SecurityPolicy, mine, HookRegistry, BlockTools, EventLog]");
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct FileHooks {
    /// The hooks of `[hooks.builtin]`.
    pub builtin: BuiltinHooks,
    /// The hooks of `[[hooks.chain]]`, in their order, and after them those of `[hooks.builtins]`, by their priorities.
    pub chain: Option<HookRegistry<AgentEvent<'static>>>,
}

impl FileHooks {
    /// The pipeline of the hooks.
    #[must_use]
    pub fn into_pipeline(self) -> AllHooks {
        let FileHooks { builtin, chain } = self;
        crate::with_builtins![builtin; chain]
    }

    /// The hooks as handlers, each at its own priority: for pipelines that are only known at run time.
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
    /// If a hook cannot run behind a box. None of this crate's is such a hook.
    pub fn into_registry(self) -> Result<HookRegistry<AgentEvent<'static>>, RegisterError> {
        let mut registry = HookRegistry::new();
        self.register_in(&mut registry)?;
        Ok(registry)
    }

    /// Adds the hooks to a registry, in which each gets its place by its own priority, between those that are there.
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
    /// If a hook cannot run behind a box, or one of its name is there already. Those before it are in the registry then.
    pub fn register_in(
        self,
        registry: &mut HookRegistry<AgentEvent<'static>>,
    ) -> Result<(), RegisterError> {
        let FileHooks { builtin, chain } = self;
        let builtin = builtin.__complete();
        let before = super::__before(builtin.event_log.as_ref(), builtin.jsonl_log.as_ref());
        macro_rules! register {
            ($($hook:expr),* $(,)?) => { $(
                if let Some(hook) = $hook {
                    registry.register(hook)?;
                }
            )* };
        }
        register![
            before,
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

/// The pipeline of all hooks that a configuration says, in the order in which they run: what [`HooksConfig::build`] makes.
///
/// It can be written down, so it can stand in a struct's field as it is; and in `hooks![…]`, where it runs as a whole at
/// the place of its own priority, which is 0.
pub type AllHooks = Pipeline<
    Switched<
        Group<
            AgentEvent<'static>,
            (
                Group<
                    AgentEvent<'static>,
                    (
                        Option<Before>,
                        Option<SecurityPolicy>,
                        Option<BlockTools>,
                        Option<RateLimit>,
                        Option<PathPrefix>,
                        Option<ShellHook>,
                        Option<HookRegistry<AgentEvent<'static>>>,
                        Option<CommandLogger>,
                    ),
                >,
                Group<
                    AgentEvent<'static>,
                    (
                        Option<Approval>,
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
    /// Makes all hooks that the configuration says, in one pipeline: `[hooks.builtin]`, `[[hooks.chain]]` and
    /// `[hooks.builtins]`.
    ///
    /// The hooks that factories make run in the order of the chain, all of them at the priority 0:
    /// after [`ShellHook`], before [`CommandLogger`]. For hooks of your own between all of them, see [`parts`](Self::parts).
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
    /// If one of the hooks cannot be made, a type in the chain is not known, or one of `processes` is enabled. Then there
    /// is none, and no file is made. The error has all that is wrong.
    pub fn build(&self) -> Result<AllHooks, ConfigError> {
        self.build_with(&HookFactoryRegistry::with_builtins())
    }

    /// As [`build`](Self::build), with factories of your own for the types of the chain:
    /// `HookFactoryRegistry::with_builtins().with(MyFactory)`.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn build_with(&self, factories: &HookFactoryRegistry) -> Result<AllHooks, ConfigError> {
        self.parts(factories).map(FileHooks::into_pipeline)
    }

    /// As [`build_with`](Self::build_with), as parts: to put hooks of your own between them by
    /// [`with_builtins!`](crate::with_builtins), or to keep a handle to one of them. None if the whole is not enabled.
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
        // What is seen outside is made when all else is known to be right.
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

    /// The keys of `[hooks.builtin]` that are on.
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

    /// The places of hooks that factories make, and that are on.
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

    /// Nothing that is turned on may be left out in silence: these are hooks that `by` does not make.
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
