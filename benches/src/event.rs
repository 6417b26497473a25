//! The events that are dispatched, and the one check that every hook makes.
//!
//! A tool call is what agents ask their hooks about most: a name, and a small object of arguments as a
//! model writes it, so that a runner that clones its payload for each hook clones a real one.

use std::sync::atomic::{AtomicU64, Ordering};

use hooks_core::HookEvent;
use serde_json::{Value, json};

/// What the benchmarked agent raises.
#[derive(HookEvent, Clone, Copy, Debug)]
pub enum BenchEvent<'a> {
    /// Before a tool runs.
    #[intercept]
    BeforeToolCall(&'a ToolCall),
    /// Before a message is sent.
    #[intercept]
    BeforeMessage(&'a Message),
    /// After a tool has run.
    #[observe]
    AfterToolCall(&'a ToolCallEnd<'a>),
}

/// A call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The tool.
    pub name: String,
    /// What it is called with.
    pub args: Value,
    /// How many hooks have let it pass.
    pub passed: u64,
}

/// A message to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What it says.
    pub content: String,
}

/// A call of a tool that has ended.
#[derive(Debug)]
pub struct ToolCallEnd<'a> {
    /// The tool.
    pub name: &'a str,
    /// How long it took.
    pub millis: u64,
    /// A place for each hook to note that.
    pub noted: &'a [AtomicU64; 8],
}

impl ToolCall {
    /// A call of the tool `name`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        ToolCall {
            name: name.into(),
            args: json!({ "query": "hooks for agents", "limit": 10, "recent": true }),
            passed: 0,
        }
    }
}

/// Why a hook blocks a call.
pub const REASON: &str = "this tool is not allowed";

/// What every intercepting hook does: blocks its own tool, and counts any other.
#[inline]
pub fn blocks(key: &str, call: &mut ToolCall) -> bool {
    if call.name == key {
        return true;
    }
    call.passed = call.passed.wrapping_add(1);
    false
}

/// What every observing hook does: takes note of any tool but its own, at its place.
///
/// Each has a place of its own, because to count together would be to wait for each other's write: that
/// takes longer than the dispatch, and not always as long.
#[inline]
pub fn note(key: &str, place: usize, done: &ToolCallEnd<'_>) {
    if done.name != key {
        done.noted[place].store(done.millis, Ordering::Relaxed);
    }
}
