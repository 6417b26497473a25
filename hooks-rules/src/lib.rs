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

//!
//! # Features
//!
//! With all of them, which is the default, it checks and evaluates rules. A macro needs only `parse`, and a program whose
//! rules are compiled only `json`, and `regex` and `input` if a rule needs them.
//!
//! | feature | for |
//! | --- | --- |
//! | `parse` | expressions and entries are parsed and checked |
//! | `json` | values at run time |
//! | `regex` | regular expressions at run time |
//! | `input` | rules for the input of a tool at run time, with the parser of shell scripts |
//! | `entry` | entries as types with `serde` |

#![forbid(unsafe_code)]
// Each part has items that only another part uses.
#![cfg_attr(
    not(all(feature = "entry", feature = "input")),
    allow(dead_code, unreachable_pub)
)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(feature = "parse")]
pub mod action;
pub mod cel;
#[cfg(feature = "parse")]
pub mod check;
#[cfg(feature = "entry")]
pub mod entry;
pub mod events;
#[cfg(feature = "parse")]
pub mod input;
#[cfg(any(feature = "parse", feature = "regex"))]
pub mod pattern;
#[cfg(feature = "parse")]
pub mod subjects;
#[cfg(feature = "parse")]
pub mod template;
pub mod tools;
