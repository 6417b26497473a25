//! Rules for the hooks of AI agents, as functions of what they are given: no runtime, no network, and no files.
//!
//! - [`cel`]: conditions and values in CEL;
//! - [`template`]: texts and values with such expressions in them;
//! - [`pattern`]: regular expressions that take a bounded amount of memory.

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

pub mod cel;
pub mod pattern;
pub mod template;
