//! A static pipeline of the hooks that a configuration turns on.

use hooks_core::__private::Group;
use hooks_core::Pipeline;
use hooks_core::agent::AgentEvent;

use super::HooksConfig;
use super::error::{ConfigError, Segment, Wrong};
use crate::{
    Approval, ApprovalConfig, Autonomy, BlockTools, BuildError, CommandLogger, EventLog, Glob,
    Globs, JsonlLog, PathPrefix, RateLimit, Redact, SecurityPolicy, ShellHook, ToolCache,
    WebhookAudit,
};

/// Makes a static pipeline of the hooks that are on.
///
/// Each is an `Option`, so one that is off costs one branch. To have hooks of your own between them, by priority, see
/// [`with_builtins!`](crate::with_builtins); to hold on to one of them, see [`BuiltinHooks`].
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
}

/// The pipeline of the [`builtins`], in the order in which they run.
///
/// It can be written down, unlike others, so it can stand in a struct's field as it is; and in `hooks![…]`, where it
/// runs as a whole at the place of its own priority, which is 0.
pub type Builtins = Pipeline<
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
>;

impl BuiltinHooks {
    /// Makes the hooks that are on; none if the whole is not enabled.
    ///
    /// Where the [`SecurityPolicy`] says `supervised`, [`Approval`], if it is on, asks for every tool that is not in
    /// its own `except` nor declared read-only. If it is off, the policy blocks what is to be approved of; an agent that
    /// asks somebody by a hook of its own says `full`.
    ///
    /// # Errors
    ///
    /// If one of the hooks cannot be made, or one of `processes` is enabled. Then there is none.
    pub fn new(config: &HooksConfig) -> Result<Self, ConfigError> {
        if !config.enabled {
            return Ok(BuiltinHooks::default());
        }
        config.check_processes()?;
        let located = |error: BuildError| {
            let path = ["hooks", "builtin", error.hook()].map(|key| Segment::Key(key.to_owned()));
            let wrong = Wrong::of_build(&error, path.to_vec());
            ConfigError::new(wrong, config.origin.source()).with_source(error)
        };
        /// Makes the hooks whose settings are there.
        macro_rules! made {
            ($($key:ident: $Hook:ident,)*) => {
                BuiltinHooks {
                    $($key: config
                        .builtin
                        .$key
                        .as_on()
                        .map($Hook::from_config)
                        .transpose()
                        .map_err(located)?,)*
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
            // Its file is all that would stay behind, so it is made when all else is known to be right.
            jsonl_log: JsonlLog,
        };
        let policy = config.builtin.security_policy.as_on();
        let approval = config.builtin.approval.as_on();
        if let (Some(policy), Some(settings)) = (policy, approval)
            && policy.autonomy == Autonomy::Supervised
        {
            let read_only = &policy.read_only_tools;
            hooks.approval = hooks
                .approval
                .map(|approval| supervising(approval, settings, read_only.iter()));
        }
        if let Some(policy) = hooks.security_policy.clone() {
            hooks.approval = hooks.approval.map(|approval| {
                approval.with_description(move |cx, tool, args| policy.describe(cx, tool, args))
            });
        }
        Ok(hooks)
    }

    /// Has the policy block what nobody is asked about.
    #[doc(hidden)]
    #[must_use]
    pub fn __complete(mut self) -> Self {
        if self.approval.is_none() {
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

/// Has an approval ask for every tool of a supervised agent, but for those that its settings except and those that the
/// policy declares read-only.
pub(super) fn supervising<'a>(
    approval: Approval,
    settings: &'a ApprovalConfig,
    read_only_tools: impl IntoIterator<Item = &'a Glob>,
) -> Approval {
    let except = settings.except.iter().chain(read_only_tools);
    approval
        .with_tools(Globs::all())
        .with_except(except.cloned().collect())
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
        } = $crate::config::BuiltinHooks::__complete(builtins);
        $crate::__hooks![
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
        ]
    }};
}
