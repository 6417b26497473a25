//! Reads configuration files, in TOML and JSON, and shows every mistake at its place.
//!
//! The one idea: the settings are types with `Deserialize`, and know nothing of files. This crate keeps the place of
//! each key of the text. So serde's error for a value becomes a [`ConfigError`] with the line, the key, and what to
//! write instead. All mistakes of a file come at once.
//!
//! ```
//! use hooks_config::Document;
//! use serde::Deserialize;
//!
//! #[derive(Debug, Deserialize)]
//! #[serde(deny_unknown_fields)]
//! struct Limits { depth: u32 }
//!
//! let document = Document::toml("dept = 3")?;
//! let error = document.settings::<Limits>().unwrap_err();
//! assert_eq!((error.line(), error.path()), (Some(1), "dept"));
//! assert!(error.help().unwrap().starts_with("did you mean `depth`?"));
//! # Ok::<(), hooks_config::ConfigError>(())
//! ```
//!
//! - `place`: paths, and mistakes whose place is not known yet;
//! - `error`: mistakes as a person sees them;
//! - `mask`: hides secrets in what is shown;
//! - `source`: the text, and the places of its keys;
//! - `read`, `strict`: reads settings, and explains serde's errors;
//! - `document`: all of them together, for one file;
//! - `switch`: a setting that is off, or on with settings of its own;
//! - [`duration`]: durations such as `"30s"`.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod document;
pub mod duration;
mod error;
mod mask;
mod place;
mod read;
mod source;
mod strict;
mod switch;

pub use self::document::{Document, Origin};
pub use self::error::ConfigError;
pub use self::place::{At, Mistake, Naming, Segment};
pub use self::read::{read, suggestion};
pub use self::switch::Switch;
