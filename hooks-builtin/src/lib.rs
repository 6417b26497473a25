//! The hooks that every agent needs: guards, hooks that rewrite, and logs.
//!
//! They are hooks of [`hooks_core`] on its standard vocabulary, [`hooks_core::agent`]. You put them into `hooks![…]`
//! beside your own, statically dispatched. Or a file turns them on, and ten lines give you an agent that is guarded,
//! audited and redacted:
//!
#![cfg_attr(feature = "config", doc = "```")]
#![cfg_attr(not(feature = "config"), doc = "```ignore")]
//! use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
//! use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Or `HooksConfig::load("hooks.toml")`, or a field of your agent's own configuration.
//! let config = HooksConfig::from_toml(r#"
//!     [hooks.builtin]
//!     redact = true
//!     command_logger = true
//!     security_policy = { autonomy = "full", allowed_commands = ["cargo", "git", "cat"] }
//! "#)?;
//! let hooks = config.hooks(&HookFactoryRegistry::with_builtins())?.into_pipeline();
//!
//! let cx = AgentContext::new("session 1");
//! let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
//! call.args = serde_json::json!({ "command": "cat ~/.ssh/id_ed25519" });
//! let result = hooks.intercept(&cx, &mut call).await;
//! assert_eq!(result.as_cancel().unwrap().hook, "SecurityPolicy");
//! # Ok(())
//! # }
//! ```
//!
//! # The hooks
//!
//! | hook | does | on | priority | feature |
//! | --- | --- | --- | --- | --- |
//! | [`SecurityPolicy`] | blocks what an agent may not do: tools that act, commands, paths, too many actions | `BeforeToolCall`, `ApproveToolCall` | `FIRST` | `security-policy` |
//! | [`BlockTools`] | blocks tools by name | `BeforeToolCall`, `ApproveToolCall` | `SECURITY` | |
//! | [`RateLimit`] | blocks calls that come too often | `BeforeToolCall` | `SECURITY` | `rate-limit` |
//! | [`PathPrefix`] | makes paths absolute, and keeps them in a folder | `BeforeToolCall`, `ApproveToolCall` | `NORMAL` | |
//! | [`ShellHook`] | asks a command of yours | `BeforeToolCall` or `AfterToolCall` | `NORMAL` | `shell-hook` |
//! | [`Approval`] | asks a person first | `ApproveToolCall` | `LOW` | |
//! | [`ToolCache`] | answers repeated calls from memory | `BeforeToolCall`, `ToolCallEnd`, `ToolCallSkipped` | `LOW` | `tool-cache` |
//! | [`Redact`] | rewrites secrets and personal data | `AfterToolCall`, `MessageSending`, and, if asked, `BeforeLlmCall` | `AUDIT + 1` | `redact` |
//!
//! The logs are probes: they are not in a list, and see all hooks in it. You attach them with
//! `hooks![…].with_probe(&log)` or `registry.attach(Arc::new(log))`; a file attaches its own.
//!
//! | log | does | feature |
//! | --- | --- | --- |
//! | [`CommandLogger`] | one line per tool call, for people | |
//! | [`EventLog`] | every event, in memory, for tests | |
//! | [`JsonlLog`] | every event, as a line of JSON in a file | |
//! | [`WebhookAudit`] | posts an audit event for every tool call | `webhook-audit` |
//! | [`Otel`] | a span of OpenTelemetry for every tool call, and, if asked, for every hook | `otel`, and not from a file |
//!
//! Each is a handle: a clone shares its state, so keep a clone to read a log or a count. You create each from its
//! `…Config`, or with a shorter constructor (`BlockTools::new(["deploy"], "…")`). Guards fail closed: if a guard cannot
//! decide, it blocks, with a reason that the model can act on. Logs never stop the agent, and do slow work on a
//! thread of their own. Their queues are bounded, and they count what they had to drop. [`Otel`] leaves both to the
//! exporter that you give it. Only [`JsonlLog`] makes an event wait by itself, for at most a second, if the disk is so
//! slow that its buffer is full.
//!
//! Guards that check names, commands or paths judge a call twice: before it, and when it is to be approved, because
//! hooks in between may have changed it. If an agent raises only one of the two events, that one guards it.
//!
//! For hooks of your own: [`PerSession`] keeps state separately for each session, and [`ssrf`] checks every URL that a
//! hook of this crate calls.
//!
//! # From a file
//!
//! [`config`] reads TOML and JSON: `[hooks.builtin]` turns these hooks on, `[[hooks.chain]]` names hooks that factories
//! create, and `HooksConfig::hooks` creates all of them. You get all mistakes at once, each with a message that shows
//! where it is and what to write instead. After a mistake, no hook is left running and no file is created.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `config` | yes | [`config`], and all hooks, but not `otel` |
//! | `redact`, `rate-limit`, `security-policy`, `shell-hook`, `tool-cache`, `webhook-audit` | through `config` | the hook of that name, and what it needs: a shell parser, an HTTP client, … |
//! | `otel` | no | [`Otel`], and the API of OpenTelemetry |
//!
//! Asynchronous hooks ([`Approval`], [`ShellHook`]) and [`WebhookAudit`]'s `flush` must run inside a tokio runtime.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The overview links to hooks that a feature may leave out.
#![cfg_attr(
    not(all(feature = "config", feature = "otel")),
    allow(rustdoc::broken_intra_doc_links)
)]

// The project's pages show both crates, so their examples are tested here.
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../README.md")]
mod readme {}
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../README.md")]
mod readme_of_the_crate {}
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/writing-hooks.md")]
mod writing_hooks {}
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/built-in-hooks.md")]
mod built_in_hooks {}
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/streaming.md")]
mod streaming {}
#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/coming-from.md")]
mod coming_from {}

#[cfg(feature = "config")]
pub mod config;

mod approval;
mod block_tools;
mod command_logger;
mod event_log;
mod jsonl_log;
#[cfg(feature = "otel")]
mod otel;
mod path_prefix;
#[cfg(feature = "rate-limit")]
mod rate_limit;
#[cfg(feature = "redact")]
mod redact;
#[cfg(feature = "security-policy")]
mod security_policy;
mod shared;
#[cfg(feature = "shell-hook")]
mod shell_hook;
#[cfg(feature = "tool-cache")]
mod tool_cache;
#[cfg(feature = "webhook-audit")]
mod webhook_audit;

/// For `hooks-runtime`, which answers for other processes.
#[doc(hidden)]
pub use self::shared::caller as __caller;
/// For `hooks-runtime`, which starts its processes in the same way.
#[cfg(feature = "shell-hook")]
#[doc(hidden)]
pub use self::shared::child as __child;
/// For `hooks-runtime`, which waits for its handlers.
#[cfg(feature = "shell-hook")]
#[doc(hidden)]
pub use self::shared::clock as __clock;
/// For `hooks-runtime`, which writes its records in the same way.
#[doc(hidden)]
pub use self::shared::sink as __sink;
/// For `hooks-runtime`, which translates the names of tools.
#[doc(hidden)]
pub use self::shared::tools as __tools;
/// For `hooks-cli`, which shows the same texts.
#[doc(hidden)]
pub use self::shared::visible::Visible as __Visible;
/// For `hooks-runtime`, which signs its requests in the same way.
#[cfg(feature = "webhook-audit")]
#[doc(hidden)]
pub use self::shared::webhook as __webhook;
/// For [`with_builtins!`], which also works if the user has renamed `hooks_core`.
#[doc(hidden)]
pub use hooks_core::hooks as __hooks;

/// Several logs, for [`with_builtins!`].
#[doc(hidden)]
pub use self::shared::log::Logs as __Logs;

/// Attaches the logs that are on, for [`with_builtins!`].
#[doc(hidden)]
pub fn __with_logs<H, L>(hooks: H, logs: L) -> hooks_core::Probed<H, std::sync::Arc<L>>
where
    H: hooks_core::Hook,
    L: shared::log::Log,
{
    use hooks_core::EventSet;

    let wanted = hooks_core::agent::AgentEvent::INFO
        .iter()
        .filter(|event| logs.wants(event));
    let seen = wanted.fold(EventSet::NONE, |all, event| all.union(EventSet::one(event)));
    hooks_core::Probed::seeing(hooks, std::sync::Arc::new(logs), seen)
}

pub use self::approval::{
    Approval, ApprovalConfig, ApprovalRequest, ApprovalRequests, Approver, ApproverKind,
    ChannelApprover, DenyAll, PendingApproval, TerminalApprover, Verdict,
};
pub use self::block_tools::{BlockTools, BlockToolsConfig};
pub use self::command_logger::{CommandLogger, CommandLoggerConfig, LogLevel};
pub use self::event_log::{Decided, EventLog, EventLogConfig, LoggedEvent};
pub use self::jsonl_log::{EventName, JsonlLog, JsonlLogConfig};
#[cfg(feature = "otel")]
pub use self::otel::Otel;
pub use self::path_prefix::{PathPrefix, PathPrefixConfig};
#[cfg(feature = "rate-limit")]
pub use self::rate_limit::{Per, RateLimit, RateLimitConfig};
#[cfg(feature = "redact")]
pub use self::redact::{
    NamedPattern, Pattern, PatternError, Redact, RedactConfig, RedactStream, SecretKind,
};
#[cfg(feature = "security-policy")]
#[doc(hidden)]
pub use self::security_policy::AS_WRITTEN as __AS_WRITTEN;
#[cfg(feature = "security-policy")]
pub use self::security_policy::{
    Autonomy, Judged, Missing, PolicySandbox, Profile, RunPlan, SandboxMode, SecurityPolicy,
    SecurityPolicyConfig, ToolConfig,
};
#[cfg(any(feature = "security-policy", feature = "shell-hook"))]
pub use self::shared::sandbox::SandboxConfig;
#[cfg(feature = "webhook-audit")]
pub use self::shared::ssrf;
#[cfg(feature = "webhook-audit")]
pub use self::shared::webhook_secret::{SecretError, WebhookSecret};
pub use self::shared::{BuildError, ChangedBy, Changes, Glob, GlobError, Globs, PerSession};
#[cfg(feature = "shell-hook")]
pub use self::shell_hook::{ShellHook, ShellHookConfig, When};
#[cfg(feature = "tool-cache")]
pub use self::tool_cache::{ToolCache, ToolCacheConfig};
#[cfg(feature = "webhook-audit")]
pub use self::webhook_audit::{WebhookAudit, WebhookAuditConfig};
