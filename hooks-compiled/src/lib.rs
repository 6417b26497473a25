//! What rules of a file call that are compiled into an agent, and what the runtime shares with them.
//!
//! `hooks![include!("hooks.toml")]` becomes Rust that calls this crate: it reads the arguments of a call, fails in the words
//! in which a rule fails that is loaded at run time, and does with the event what such a rule does. There is no parser in
//! it. You need it as a dependency, and name nothing in it.
//!
//! - `cut`: how long a text of a hook may be;
//! - `event`: what every event has;
//! - `variables`, `renamed`: what expressions read;
//! - `effect`: what a hook says, and what that does with an event;
//! - `rule`: what the code of a rule calls;
//! - `input`: the same for rules for the input of a tool, with the feature `shell`.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[doc(hidden)]
pub mod cut;
#[doc(hidden)]
pub mod effect;
#[doc(hidden)]
pub mod event;
#[cfg(feature = "shell")]
#[doc(hidden)]
pub mod input;
#[doc(hidden)]
pub mod renamed;
#[doc(hidden)]
pub mod rule;
#[doc(hidden)]
pub mod variables;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
