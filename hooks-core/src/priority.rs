//! Named priorities, so that hooks of different authors run in a sensible order.
//!
//! A priority is any const `i32` expression; a higher one runs first. The names are plain constants with room between
//! them: write `priority = priority::NORMAL + 10` as freely as a number.
//!
//! ```
//! use hooks_core::{hook, hooks, priority, HookAction};
//! use hooks_core::agent::BeforeToolCall;
//!
//! #[hook(priority = priority::SECURITY)]
//! fn guard(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
//!     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
//! }
//!
//! #[hook(priority = priority::NORMAL + 10)]
//! fn rewrite(call: &mut BeforeToolCall) {
//!     call.name.make_ascii_lowercase();
//! }
//!
//! let plan = hooks![rewrite, guard];
//! assert_eq!(plan.plan().map(|row| row.hook).collect::<Vec<_>>(), ["guard", "rewrite"]);
//! ```

/// Before all other hooks: 1,000,000.
pub const FIRST: i32 = 1_000_000;
/// Guards: policies, block lists, rate limits: 1,000.
pub const SECURITY: i32 = 1_000;
/// Hooks that run early, before ordinary ones: 100.
pub const HIGH: i32 = 100;
/// The priority of a hook that names none: 0.
pub const NORMAL: i32 = 0;
/// Hooks that answer or fill in after ordinary ones: -100.
pub const LOW: i32 = -100;
/// Hooks that log the outcome: -1,000.
pub const AUDIT: i32 = -1_000;
/// After all other hooks: -1,000,000.
pub const LAST: i32 = -1_000_000;
