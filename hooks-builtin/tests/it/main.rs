//! All tests of the crate in one program: each program more is one link more.

mod approval;
mod changes;
mod common;
mod config;
mod jsonl_log;
mod layout;
mod otel;
mod receiver;
mod redact;
mod security_policy;
mod shell_hook;
mod ssrf;
mod webhook_audit;
