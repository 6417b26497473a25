//! Rules for the hooks of AI agents, as functions of what they are given: no runtime, no network, and no files.
//!
//! - [`entry`]: what a file says about a hook, and [`events`], what is known about each event;
//! - [`check`]: checks an entry, and compiles its conditions and its rule, an [`action`];
//! - [`cel`]: conditions and values in CEL;
//! - [`template`]: texts and values with such expressions in them;
//! - [`input`]: rules for the input of a tool, such as `Bash(git push *)`;
//! - [`subjects`]: the tools for which a hook runs;
//! - [`tools`]: the names of well-known tools, and of their arguments;
//! - [`pattern`]: regular expressions that take a bounded amount of memory.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod action;
pub mod cel;
pub mod check;
pub mod entry;
pub mod events;
pub mod input;
pub mod pattern;
pub mod subjects;
pub mod template;
pub mod tools;
