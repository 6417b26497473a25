//! The drivers: which events they raise, in which order, and what comes of what hooks say.
//!
//! No executor is at work here: futures are polled by hand, so that each of their states can be looked at.

pub(crate) mod common;
mod dropped;
mod llm;
mod message;
mod panics;
mod random;
mod spawn;
mod tool;
mod turn;
