//! Hooks for AI agents, resolved by the compiler.
//!
//! A hook is an annotated function. A list of hooks becomes one concrete type, sorted by priority at
//! compile time, that the optimiser sees through: an agent pays for its hooks what it would pay for the
//! same `if`s written by hand. No box, no vtable, no table, no allocation; and what is wrong with a hook
//! is an error of the compiler, not of production.
//!
//! ```
//! use hooks_core::agent::{AgentContext, BeforeToolCall, ToolCallEnd, ToolOutput};
//! use hooks_core::{HookAction, HookResult, hook, hooks, priority};
//!
//! #[hook(priority = priority::SECURITY, only("shell"))]
//! fn deny_rm(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
//!     if call.args["command"].as_str().is_some_and(|command| command.contains("rm -rf")) {
//!         return HookAction::block("recursive delete is not allowed");
//!     }
//!     HookAction::Continue
//! }
//!
//! #[hook(priority = priority::AUDIT)]
//! async fn report(done: &ToolCallEnd<'_>) {
//!     println!("{} took {:?}", done.name, done.duration);
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let hooks = hooks![report, deny_rm];
//!
//! let cx = AgentContext::new("session 1");
//! let mut call = BeforeToolCall {
//!     name: "shell".into(),
//!     args: serde_json::json!({ "command": "rm -rf /" }),
//!     ..Default::default()
//! };
//! let output = match hooks.intercept(&cx, &mut call).await {
//!     HookResult::Continue => ToolOutput::new("…run the tool…"),
//!     HookResult::Respond(output) => output,
//!     HookResult::Cancel(cancel) => ToolOutput::error(cancel.to_string()),
//! };
//! assert_eq!(
//!     output.content,
//!     "hook `deny_rm` blocked the event: recursive delete is not allowed",
//! );
//! # }
//! ```
//!
//! # The words
//!
//! | word | meaning |
//! | --- | --- |
//! | event | one point in an agent's life, with its payload as a struct |
//! | vocabulary | the enum of all events of one kind of agent: [`#[derive(HookEvent)]`](derive@HookEvent); [`agent::AgentEvent`] is the standard one |
//! | kind | `observe` (hooks look; asynchronous ones run concurrently) or `intercept` (hooks run in order; they may change, answer, stop) |
//! | hook | an annotated function, or a type with an annotated `impl` block: [`#[hook]`](macro@hook) |
//! | priority | any const `i32` expression; higher runs first; equal ones in list order; default 0; see [`priority`] |
//! | action | [`HookAction<E>`]: what one hook says about the event `E` |
//! | result | [`HookResult<E>`]: what the whole pipeline says |
//! | pipeline | what [`hooks![…]`](hooks) makes: a [`Pipeline`], whose type holds the order |
//!
//! # What holds in a dispatch
//!
//! - Hooks run from the highest priority to the lowest; equal ones as they stand in the list.
//! - On an intercepted event the first hook that blocks, responds or aborts ends the pipeline: later
//!   hooks do not see the event. A change is made in place, and later hooks see the event as changed.
//! - On an observed event all hooks run. The asynchronous ones run concurrently; none can stop another.
//! - A hook that panics unwinds through the dispatch, unless it says `on_panic = skip` or `block`.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `macros` | yes | [`#[hook]`](macro@hook), [`hooks!`], [`#[derive(HookEvent)]`](derive@HookEvent) |
//! | `std` | yes | panic policies: `on_panic = skip \| block` |
//! | `agent` | yes | the standard vocabulary, [`agent`]; serde and serde_json |
//! | `tokio` | no | `timeout = "…"` |
//! | `tracing` | no | a span for every hook and handler that runs, `hook{name, event}`, and what it decides, if more than to go on, at the level `DEBUG`; a warning for every failure that is skipped |
//!
//! Without default features the crate needs `alloc` only.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// The macros write `::hooks_core::…`, also in this crate.
extern crate self as hooks_core;

// What the page shows is run. It stands outside of the crate's package, and only here is it read. One of the
// features is off by default, so `cargo test --workspace`, which has it on, runs it.
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/how-it-works.md")]
mod how_it_works {}

mod action;
#[cfg(feature = "agent")]
pub mod agent;
mod answers;
mod closure;
mod event;
mod failure;
mod glob;
mod group;
mod hook;
mod order;
mod pipeline;
mod plan;
pub mod priority;
mod registry;
mod result;
mod trace;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use crate::action::{HookAction, IntoPatch, Return};
#[doc(hidden)]
pub use crate::answers::{AnswersNow, Asynchronous, Synchronous};
pub use crate::closure::{InterceptFn, ObserveFn, intercept_fn, observe_fn};
pub use crate::event::{
    AnyVocabulary, Blockable, ContextOf, DefaultPolicy, Event, Handles, Intercept, Intercepted,
    Kind, Observe, Observed, Patch, Respondable, Restorable, SharesVocabulary, Subject, Vocabulary,
};
pub use crate::hook::{Context, Hook, Intercepts, InterceptsNow, Observes, ObservesNow};
pub use crate::pipeline::Pipeline;
pub use crate::plan::{Plan, PlanRow};
pub use crate::registry::HookRegistry;
pub use crate::result::{Cancel, Decision, HookResult, Scope};

#[cfg(feature = "macros")]
pub use async_trait::async_trait;
#[cfg(feature = "macros")]
pub use hooks_macros::{HookEvent, hook};

/// Makes a [`Pipeline`] of hooks, sorted by priority at compile time.
///
/// A list item is any expression whose value is a hook: a hook function's name, a value of a hook type,
/// an `Option`, a reference or an `Arc` of one, a [`HookRegistry`], another pipeline. `hook @ PRIORITY`
/// gives it a priority at the list, any const `i32` expression, over its own. `#[cfg(…)]` before an item
/// leaves it out. Equal priorities run in list order.
///
/// A list holds at most 256 hooks, of one vocabulary; the same name may not stand in it twice.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{hook, hooks};
///
/// #[hook(priority = 10)]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn mark(call: &mut BeforeToolCall) { call.name.push('!'); }
///
/// let verbose = false;
/// let hooks = hooks![
///     mark @ i32::MIN,
///     lower,
///     trim,
///     verbose.then_some(mark),
///     #[cfg(windows)]
///     mark,
/// ];
/// assert_eq!(format!("{hooks:?}"), "[trim, lower, mark]");
///
/// let mut call = BeforeToolCall { name: " Shell ".into(), ..Default::default() };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell!");
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! hooks {
    ($($list:tt)*) => {
        $crate::__private::hooks!($crate, $($list)*)
    };
}
