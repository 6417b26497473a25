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

/// Makes a static pipeline of the built-in hooks that are on, of a configuration that has no others:
/// [`HooksConfig::build`] makes all hooks of any configuration.
///
/// Each is an `Option`, so one that is off costs one branch. An event that none of them wants costs one test for all of
/// them. To have hooks of your own between them, by priority, see [`with_builtins!`](crate::with_builtins); to hold on to
/// one of them, see [`BuiltinHooks`].
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
/// Every hook can be cloned, which makes a handle to the same state: keep one to read the log of an [`EventLog`],
/// say. Or put another in its place: an [`Approval`] with a user interface of your own.
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
    /// What an agent may do.
    pub security_policy: Option<SecurityPolicy>,
    /// Tools that may not be called at all.
    pub block_tools: Option<BlockTools>,
    /// How often tools may be called.
    pub rate_limit: Option<RateLimit>,
    /// Asks somebody before a tool runs.
    pub approval: Option<Approval>,
    /// Relative paths of file tools, made absolute under a root.
    pub path_prefix: Option<PathPrefix>,
    /// A command that runs before or after tool calls.
    pub shell_hook: Option<ShellHook>,
    /// One line a tool call, for people.
    pub command_logger: Option<CommandLogger>,
    /// Answers repeated calls from memory.
    pub tool_cache: Option<ToolCache>,
    /// Posts an audit event for every tool call.
    pub webhook_audit: Option<WebhookAudit>,
    /// Secrets and personal data, rewritten.
    pub redact: Option<Redact>,
    /// Every event, in order, in memory.
    pub event_log: Option<EventLog>,
    /// Every event, as a line of JSON in a file.
    pub jsonl_log: Option<JsonlLog>,
    /// Whether a hook that a factory made asks about what a supervised agent does.
    #[doc(hidden)]
    pub is_asked_in_chain: bool,
}

/// The pipeline of the [`builtins`], in the order in which they run.
///
/// It can be written down, unlike others, so it can stand in a struct's field as it is; and in `hooks![…]`, where it
/// runs as a whole at the place of its own priority, which is 0.
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
    /// Makes the hooks that are on, of a configuration that has no others; none if the whole is not enabled.
    ///
    /// Where the [`SecurityPolicy`] says `supervised`, [`Approval`], if it is on, asks for every tool that is not in
    /// its own `except` nor declared read-only. If it is off, the policy blocks what is to be approved of; an agent that
    /// asks somebody by a hook of its own says `full`.
    ///
    /// # Errors
    ///
    /// If one of the hooks cannot be made, one of `processes` is enabled, or the configuration has hooks that factories
    /// make: `[[hooks.chain]]`, `[hooks.builtins]`. Then there is none. [`HooksConfig::build`] makes all hooks.
    pub fn new(config: &HooksConfig) -> Result<Self, ConfigError> {
        config.refuse(config.chain_keys(), "builtins")?;
        let factories = HookFactoryRegistry::with_builtins();
        config.parts(&factories).map(|parts| parts.builtin)
    }

    /// Makes the hooks that are on, all but the log in a file.
    pub(super) fn made(
        config: &HooksConfig,
        supervision: &mut Supervision,
        wrong: &mut Vec<ConfigError>,
    ) -> Self {
        let builtin = &config.builtin;
        /// Makes the hooks whose settings are there.
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

    /// Opens the log in a file: it is all that would stay behind, so that is done when all else is known to be right.
    pub(super) fn open_log(&mut self, config: &HooksConfig) -> Result<(), ConfigError> {
        let log = config.builtin.jsonl_log.as_on().map(JsonlLog::from_config);
        self.jsonl_log = log.transpose().map_err(|error| located(error, config))?;
        Ok(())
    }

    /// Has the policy block what nobody is asked about.
    #[doc(hidden)]
    #[must_use]
    pub fn __complete(mut self) -> Self {
        if self.approval.is_none() && !self.is_asked_in_chain {
            self.security_policy = self.security_policy.map(SecurityPolicy::without_approver);
        }
        self
    }

    /// The pipeline of the hooks.
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

/// Makes a pipeline of [`BuiltinHooks`] and hooks of your own, all of them sorted by priority.
///
/// What follows the built-in hooks is a list as [`hooks!`](hooks_core::hooks) takes it.
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
