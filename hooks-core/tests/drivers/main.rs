//! The drivers: which events they raise, in which order, and what comes of what hooks say.
//!
//! No executor is at work here: futures are polled by hand, so that each of their states can be looked at.

#[path = "../common/mod.rs"]
mod common;
mod concurrent;
mod dropped;
mod fixtures;
mod llm;
mod message;
mod panics;
mod random;
mod spawn;
mod tool;
mod turn;

use hooks_core::agent as vocabulary;
