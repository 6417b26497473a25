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
#[cfg(feature = "tool-cache")]
mod tool_cache;
#[cfg(feature = "webhook-audit")]
mod webhook_audit;

pub use self::error::BuildError;
pub use self::glob::{Glob, GlobError, Globs};
#[cfg(feature = "webhook-audit")]
pub use self::webhook_audit::{SecretError, WebhookAudit, WebhookAuditConfig, WebhookSecret};
