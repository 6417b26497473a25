//! Hooks for AI agents, resolved by the compiler.
//!
//! A hook is an annotated function. A list of hooks becomes one concrete type, sorted by priority at
//! compile time, that the optimiser sees through: an agent pays for its hooks what it would pay for the
//! same `if`s written by hand. There is no box, no vtable, no table and no allocation. A mistake in a hook
//! is an error of the compiler, not of production.
//!
//! ```
//! use hooks_core::agent::{
//!     AgentContext, BeforeToolCall, ToolCall, ToolCallEnd, ToolOutput, run_tool_call,
//! };
//! use hooks_core::{HookAction, hook, hooks, priority};
//! use serde_json::json;
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
//! let (hooks, cx) = (hooks![report, deny_rm], AgentContext::new("session 1"));
//!
//! let call = ToolCall::new("1", "shell", json!({ "command": "rm -rf /" }));
//! let done = run_tool_call(&hooks, &cx, call, async |call: &BeforeToolCall| {
//!     ToolOutput::new(format!("ran {}", call.name))
//! });
//! assert_eq!(
//!     done.await.unwrap().output.content,
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
//! | around hook | a hook that stands around the work that follows on an event, such as the tool: `#[hook(around)]`, [`Next`] |
//! | priority | any const `i32` expression; higher runs first; equal ones in list order; default 0; see [`priority`] |
//! | action | [`HookAction<E>`]: what one hook says about the event `E` |
//! | result | [`HookResult<E>`]: what the whole pipeline says |
//! | pipeline | what [`hooks![…]`](hooks) makes: a [`Pipeline`], whose type holds the order |
//! | handler | a hook that exists only at run time, in a box: a type that implements [`agent::AgentHandler`] |
//! | source | what holds handlers, and spreads them over a list: a [`HookRegistry`], a [`Mounted`], or your [`HandlerSource`] |
//! | driver | a function that raises the events of one part of an agent's life, and does what hooks decide: [`agent::run_tool_call`] and its like |
//!
//! # Where to look
//!
//! | you want to | see |
//! | --- | --- |
//! | write a hook | [`#[hook]`](macro@hook) |
//! | make a list of hooks | [`hooks![…]`](hooks), [`Pipeline`] |
//! | write an agent | [`agent`], with one table of all events; its drivers [`agent::run_tool_call`], [`agent::run_llm_call`], [`agent::run_turn`], [`agent::run_message`] |
//! | define events of your own | [`#[derive(HookEvent)]`](derive@HookEvent) |
//! | take any hooks in a function or a struct | the bounds [`agent::AgentHooks`] and, without an executor, [`agent::AgentHooksNow`] |
//! | combine hooks of unknown types | [`Hook::then`] |
//! | load plugins, and mount them while agents run | [`HookRegistry`], [`Mounted`], [`HandlerSource`] |
//! | erase the type of hooks, where you would look for `Box<dyn AgentHooks>` | a [`HookRegistry`] with one pipeline in it |
//! | decide about every event in one function | [`#[hook(every)]`](macro@hook) on [`agent::AgentEventMut`] |
//! | hold a permit or a span while a tool runs, or run it again | [`Next`] |
//! | limit, catch, filter or try out any hooks | `Hook::timeout`, [`Hook::on_panic`], [`agent::AgentHooks::when`], [`Hook::read_only`], [`Hook::shadow`] |
//! | make a hook of a closure | [`intercept_fn`], [`observe_fn`] |
//! | see who runs when | [`Plan`] |
//!
//! # What holds in a dispatch
//!
//! - Hooks run from the highest priority to the lowest; equal ones as they stand in the list. A handler of a
//!   `..source` runs after the static hooks of its priority.
//! - On an intercepted event the first hook that blocks, responds or aborts ends the pipeline: later
//!   hooks do not see the event. A change is made in place, and later hooks see the event as changed.
//! - On an observed event all hooks run. The asynchronous ones run concurrently; none can stop another.
//! - A static hook that panics unwinds through the dispatch, unless it says `on_panic = skip` or `block`, or
//!   stands in [`CatchPanic`]. A handler's panic stays its own: by default the event is put back as it was, and
//!   the next handler runs.
//! - A dispatch keeps the handlers with which it began, whatever is mounted or unmounted meanwhile.
//! - A dispatch may be dropped at any await. The hook that runs is dropped with it.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `macros` | yes | [`#[hook]`](macro@hook), [`hooks!`], [`#[derive(HookEvent)]`](derive@HookEvent) |
//! | `std` | yes | panic policies: `on_panic = skip \| block`, isolated handlers; [`Mounted`]; `#[hook(around)]`; durations in the drivers |
//! | `agent` | yes | the standard vocabulary, [`agent`]; serde and serde_json |
//! | `tokio` | no | `timeout = "…"`, `Timeout`, `Timeouts` |
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

#[cfg(feature = "agent")]
pub mod agent;
mod decision;
mod event;
mod glob;
mod hook;
mod pipeline;
pub mod priority;
mod registry;
mod trace;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use crate::decision::{Cancel, Decision, HookAction, HookResult, IntoPatch, Return, Scope};
#[doc(hidden)]
pub use crate::event::{AnswersNow, Asynchronous, Synchronous, WorkOf};
// Messages of the compiler name them, and name them in short what stands here.
pub use crate::event::{
    AnyVocabulary, Blockable, Context, ContextOf, Event, EventSet, Intercept, Intercepted, Kind,
    Observe, Observed, Patch, Respondable, SharesVocabulary, Subject, Vocabulary, Wrapped,
};
#[cfg(feature = "tokio")]
pub use crate::hook::Timeout;
#[doc(hidden)]
pub use crate::hook::{CanBlock, Predicate};
pub use crate::hook::{
    CatchPanic, DefaultPolicy, EveryReturn, Hook, InterceptFn, Intercepts, InterceptsNow, Next,
    ObserveFn, Observes, ObservesNow, OnPanic, Plan, PlanRow, ReadOnly, Restorable, Shadow, Then,
    Viewed, When, Wraps, intercept_fn, observe_fn, wrap_around,
};
pub use crate::pipeline::Pipeline;
#[doc(hidden)]
pub use crate::pipeline::{Known, Listing, Sorts};
#[cfg(feature = "std")]
pub use crate::registry::Mounted;
#[cfg(feature = "tokio")]
pub use crate::registry::Timeouts;
pub use crate::registry::{
    ByHandler, ByHooks, HandlerSource, Handles, HookRegistry, RegisterError, RunTime,
};

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
/// A list holds at most 256 hooks, of one vocabulary; the same name may not stand in it twice. Hooks behind a type
/// parameter or an `impl AgentHooks` have no priority that the compiler knows, and cannot stand in a list with others:
/// combine them with [`Hook::then`].
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
///
/// # Handlers in their places: `..source`
///
/// `..source`, last in a list, gives every handler of a [`HandlerSource`] a place of its own, by its own priority,
/// between the static hooks; after them where priorities are equal. The source may get other handlers while the
/// list is in use. A list has one spread, and is asynchronous on every event.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Mounted, hook, hooks};
///
/// #[hook(priority = 10)]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// #[hook(priority = -10)]
/// fn mark(call: &mut BeforeToolCall) { call.name.push('!'); }
///
/// #[hook]
/// fn plugin(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let plugins = Mounted::<AgentEvent>::default();
/// let hooks = hooks![trim, mark, ..plugins.clone()];
/// plugins.mount(plugin).unwrap();
/// assert_eq!(hooks.plan().map(|row| row.hook).collect::<Vec<_>>(), ["trim", "plugin", "mark"]);
///
/// let mut call = BeforeToolCall { name: " Shell ".into(), ..Default::default() };
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// assert_eq!(call.name, "shell!");
/// # }
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! hooks {
    ($($list:tt)*) => {
        $crate::__private::hooks!($crate, $($list)*)
    };
}
