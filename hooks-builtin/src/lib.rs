//! The hooks that every agent needs: what guards, what rewrites, what writes down.

#[cfg(feature = "config")]
pub mod config;
#[cfg(feature = "webhook-audit")]
pub mod ssrf;

mod approval;
mod block_tools;
mod command_logger;
mod duration;
mod error;
mod event_log;
mod glob;
mod jsonl_log;
mod path_prefix;
mod paths;
#[cfg(feature = "rate-limit")]
mod rate_limit;
#[cfg(feature = "redact")]
mod redact;
#[cfg(feature = "security-policy")]
mod security_policy;
#[cfg(feature = "shell-hook")]
mod shell_hook;
mod subject;
#[cfg(feature = "tool-cache")]
mod tool_cache;
mod visible;
#[cfg(feature = "webhook-audit")]
mod webhook_audit;

/// For [`with_builtins!`], which may be used where `hooks_core` has another name.
#[doc(hidden)]
pub use hooks_core::hooks as __hooks;

pub use self::approval::{
    Approval, ApprovalConfig, ApprovalRequest, ApprovalRequests, Approver, ApproverKind,
    ChannelApprover, DenyAll, PendingApproval, TerminalApprover, Verdict,
};
pub use self::block_tools::{BlockTools, BlockToolsConfig};
pub use self::command_logger::{CommandLogger, CommandLoggerConfig, LogLevel};
pub use self::error::BuildError;
pub use self::event_log::{Decided, EventLog, EventLogConfig, LoggedEvent};
pub use self::glob::{Glob, GlobError, Globs};
pub use self::jsonl_log::{EventName, JsonlLog, JsonlLogConfig};
pub use self::path_prefix::{PathPrefix, PathPrefixConfig};
#[cfg(feature = "rate-limit")]
pub use self::rate_limit::{Per, RateLimit, RateLimitConfig};
#[cfg(feature = "redact")]
pub use self::redact::{NamedPattern, Pattern, PatternError, Redact, RedactConfig, SecretKind};
#[cfg(feature = "security-policy")]
pub use self::security_policy::{Autonomy, SecurityPolicy, SecurityPolicyConfig};
#[cfg(feature = "shell-hook")]
pub use self::shell_hook::{ShellHook, ShellHookConfig, When};
#[cfg(feature = "tool-cache")]
pub use self::tool_cache::{ToolCache, ToolCacheConfig};
#[cfg(feature = "webhook-audit")]
pub use self::webhook_audit::{SecretError, WebhookAudit, WebhookAuditConfig, WebhookSecret};
