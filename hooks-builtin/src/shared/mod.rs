//! What the hooks share. Nothing here knows a hook.
//!
//! Arrows point one way: a hook uses what is in this folder and itself, no other hook, and only the configuration
//! knows them all. `tests/layout.rs` holds them to it.

pub(crate) mod alias;
pub mod caller;
pub(crate) mod changes;
#[cfg(feature = "shell-hook")]
pub mod child;
#[cfg(feature = "shell-hook")]
pub mod clock;
pub(crate) mod error;
pub(crate) mod glob;
pub(crate) mod log;
pub(crate) mod patch;
pub(crate) mod path_arguments;
pub(crate) mod paths;
pub(crate) mod per_session;
#[cfg(any(feature = "security-policy", feature = "shell-hook"))]
pub(crate) mod sandbox;
pub mod sink;
#[cfg(any(feature = "webhook-audit", feature = "security-policy"))]
pub mod ssrf;
pub(crate) mod subject;
pub(crate) mod text_setting;
pub mod tools;
pub(crate) mod visible;
#[cfg(feature = "webhook-audit")]
pub mod webhook;
#[cfg(feature = "webhook-audit")]
pub(crate) mod webhook_secret;

pub use self::changes::{ChangedBy, Changes};
pub use self::error::BuildError;
pub use self::glob::Globs;
pub use self::per_session::PerSession;
pub(crate) use hooks_config::duration;
pub use hooks_glob::{Glob, GlobError};
