//! A static pipeline of the hooks that a configuration turns on.

use hooks_core::__private::{Group, Switched};
use hooks_core::Pipeline;
use hooks_core::agent::AgentEvent;

use super::HooksConfig;
use super::error::{ConfigError, Segment, Wrong};
use super::factory::HookFactoryRegistry;
use super::supervision::Supervision;
use crate::{
    Approval, BlockTools, BuildError, CommandLogger, EventLog, JsonlLog, JsonlLogConfig,
    PathPrefix, RateLimit, Redact, SecurityPolicy, ShellHook, ToolCache, WebhookAudit,
};

/// Creates a static pipeline of the built-in hooks that are on. The configuration must have no other hooks;
/// [`HooksConfig::build`] builds all hooks of any configuration.
///
/// Each hook is an `Option`, so a hook that is off costs one branch. An event that none of them handles costs one test
/// for all of them. To put hooks of your own between them, by priority, see [`with_builtins!`](crate::with_builtins).
/// To keep one of them, see [`BuiltinHooks`].
///
/// ```
/// use hooks_builtin::config::{HooksConfig, builtins};
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = HooksConfig::from_toml("[hooks.builtin]\nblock_tools = { tools = ['deploy'] }")?;
/// let hooks = builtins(&config)?;
///
/// let mut call = BeforeToolCall { name: "deploy".into(), ..Default::default() };
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
/// assert_eq!(result.as_cancel().unwrap().hook, "BlockTools");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`BuiltinHooks::new`].
pub fn builtins(config: &HooksConfig) -> Result<Builtins, ConfigError> {
    BuiltinHooks::new(config).map(BuiltinHooks::into_pipeline)
}

/// The built-in hooks that are on, one by one.
///
/// You can clone every hook to get a handle to the same state: keep one to read the log of an [`EventLog`], for
/// example. You can also replace a hook, for example with an [`Approval`] that asks in your own user interface.
///
/// ```
/// use hooks_builtin::config::{BuiltinHooks, HooksConfig};
/// use hooks_builtin::{Approval, DenyAll};
///
/// let config = HooksConfig::from_toml("[hooks.builtin]\nevent_log = true")?;
/// let mut hooks = BuiltinHooks::new(&config)?;
/// hooks.approval = Some(Approval::new(DenyAll));
/// let log = hooks.event_log.clone().expect("it is on");
/// let pipeline = hooks.into_pipeline();
/// assert_eq!(format!("{pipeline:?}"), "[Approval, EventLog]");
/// assert!(log.messages().is_empty());
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BuiltinHooks {
    /// Restricts what an agent may do.
    pub security_policy: Option<SecurityPolicy>,
    /// Blocks tools by name.
    pub block_tools: Option<BlockTools>,
    /// Limits how often tools may be called.
    pub rate_limit: Option<RateLimit>,
    /// Asks somebody before a tool runs.
    pub approval: Option<Approval>,
    /// Makes relative paths of file tools absolute under a root.
    pub path_prefix: Option<PathPrefix>,
    /// Runs a command before or after tool calls.
    pub shell_hook: Option<ShellHook>,
    /// Logs one line per tool call, for people.
    pub command_logger: Option<CommandLogger>,
    /// Answers repeated calls from memory.
    pub tool_cache: Option<ToolCache>,
    /// Posts an audit event for every tool call.
    pub webhook_audit: Option<WebhookAudit>,
    /// Rewrites secrets and personal data.
    pub redact: Option<Redact>,
    /// Keeps every event in memory, in order.
    pub event_log: Option<EventLog>,
    /// Writes every event as a line of JSON to a file.
    pub jsonl_log: Option<JsonlLog>,
    /// Whether a hook that a factory created asks about the actions of a supervised agent.
    #[doc(hidden)]
    pub is_asked_in_chain: bool,
}

/// The pipeline of the [`builtins`], in the order in which they run.
///
/// Unlike other pipelines, its type has a name, so it can be the type of a struct's field. In `hooks![…]`, it runs as a
/// whole at its own priority, which is 0.
pub type Builtins = Pipeline<
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
                        Option<CommandLogger>,
                        Option<Approval>,
                        Option<ToolCache>,
                    ),
                >,
                Group<
                    AgentEvent<'static>,
                    (
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

impl BuiltinHooks {
    /// Creates the hooks that are on. The configuration must have no other hooks. Returns no hooks if `hooks` is not
    /// enabled.
    ///
    /// If the [`SecurityPolicy`] says `supervised`, [`Approval`] asks about every tool, except those in its own
    /// `except` and those that are declared read-only. If [`Approval`] is off, the policy blocks what needs an
    /// approval. If your agent asks somebody with a hook of its own, write `full`.
    ///
    /// # Errors
    ///
    /// If one of the hooks cannot be created, one of `processes` is enabled, or the configuration has hooks that
    /// factories create: `[[hooks.chain]]`, `[hooks.builtins]`. Then no hook is created. [`HooksConfig::build`] builds
    /// all hooks.
    pub fn new(config: &HooksConfig) -> Result<Self, ConfigError> {
        config.refuse(config.chain_keys(), "builtins")?;
        let factories = HookFactoryRegistry::with_builtins();
        config.parts(&factories).map(|parts| parts.builtin)
    }

    /// Creates the hooks that are on, except the log in a file.
    pub(super) fn made(
        config: &HooksConfig,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) -> Self {
        let builtin = &config.builtin;
        /// Creates the hooks that have settings.
        macro_rules! made {
            ($($key:ident: $Hook:ident,)*) => {
                BuiltinHooks {
                    $($key: builtin.$key.as_on().and_then(|settings| {
                        let made = $Hook::from_config(settings);
                        made.map_err(|error| wrong.push(located(error, config))).ok()
                    }),)*
                    ..BuiltinHooks::default()
                }
            };
        }
        let mut hooks = made! {
            security_policy: SecurityPolicy,
            block_tools: BlockTools,
            rate_limit: RateLimit,
            approval: Approval,
            path_prefix: PathPrefix,
            shell_hook: ShellHook,
            command_logger: CommandLogger,
            tool_cache: ToolCache,
            redact: Redact,
            event_log: EventLog,
            webhook_audit: WebhookAudit,
        };
        if let (Some(approval), Some(settings)) = (&mut hooks.approval, builtin.approval.as_on()) {
            *approval = supervision.supervising(approval.clone(), settings);
        }
        if let Some(policy) = hooks.security_policy.clone() {
            hooks.approval = hooks.approval.map(|approval| {
                approval.with_description(move |cx, tool, args| policy.describe(cx, tool, args))
            });
        }
        hooks.is_asked_in_chain = supervision.is_asked_in_chain;
        if let Some(Err(error)) = builtin.jsonl_log.as_on().map(JsonlLogConfig::check) {
            wrong.push(located(error, config));
        }
        hooks
    }

    /// Opens the log in a file. Only this has a lasting effect, so it happens when everything else is known to be
    /// right.
    pub(super) fn open_log(&mut self, config: &HooksConfig) -> Result<(), ConfigError> {
        let log = config.builtin.jsonl_log.as_on().map(JsonlLog::from_config);
        self.jsonl_log = log.transpose().map_err(|error| located(error, config))?;
        Ok(())
    }

    /// Lets the policy block what needs an approval if nobody asks for it.
    #[doc(hidden)]
    #[must_use]
    pub fn __complete(mut self) -> Self {
        if self.approval.is_none() && !self.is_asked_in_chain {
            self.security_policy = self.security_policy.map(SecurityPolicy::without_approver);
        }
        self
    }

    /// Returns the pipeline of the hooks.
    #[must_use]
    pub fn into_pipeline(self) -> Builtins {
        crate::with_builtins![self]
    }
}

/// An error of a built-in hook, at its key.
fn located(error: BuildError, config: &HooksConfig) -> ConfigError {
    let path = ["hooks", "builtin", error.hook()].map(Segment::key);
    let wrong = Wrong::of_build(&error, path.to_vec());
    ConfigError::new(wrong, config.origin.source()).with_source(error)
}

/// Creates a pipeline of [`BuiltinHooks`] and hooks of your own, all sorted by priority.
///
/// After the built-in hooks, write a list as for [`hooks!`](hooks_core::hooks).
///
/// ```
/// use hooks_builtin::config::{BuiltinHooks, HooksConfig};
/// use hooks_builtin::with_builtins;
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{hook, priority};
///
/// #[hook(priority = priority::HIGH)]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn last(_: &BeforeToolCall) {}
///
/// let config = HooksConfig::from_toml("[hooks.builtin]\nsecurity_policy = true\nevent_log = true")?;
/// let hooks = with_builtins![BuiltinHooks::new(&config)?; lower, last @ priority::LAST];
/// assert_eq!(format!("{hooks:?}"), "[SecurityPolicy, lower, EventLog, last]");
/// # Ok::<(), hooks_builtin::config::ConfigError>(())
/// ```
#[macro_export]
macro_rules! with_builtins {
    ($builtins:expr $(; $($own:tt)*)?) => {{
        let builtins: $crate::config::BuiltinHooks = $builtins;
        let $crate::config::BuiltinHooks {
            security_policy,
            block_tools,
            rate_limit,
            approval,
            path_prefix,
            shell_hook,
            command_logger,
            tool_cache,
            webhook_audit,
            redact,
            event_log,
            jsonl_log,
            ..
        } = $crate::config::BuiltinHooks::__complete(builtins);
        let hooks = $crate::__hooks![
            security_policy,
            block_tools,
            rate_limit,
            approval,
            path_prefix,
            shell_hook,
            command_logger,
            tool_cache,
            webhook_audit,
            redact,
            event_log,
            jsonl_log,
            $($($own)*)?
        ];
        hooks.switched()
    }};
}
