//! All tests of the crate in one program: each program more is one link more.

mod approval;
mod changes;
#[cfg(any(feature = "redact", all(feature = "security-policy", unix)))]
mod common;
mod config;
mod jsonl_log;
mod layout;
#[cfg(feature = "otel")]
mod otel;
#[cfg(feature = "webhook-audit")]
mod receiver;
mod redact;
mod security_policy;
mod shell_hook;
mod ssrf;
mod webhook_audit;
