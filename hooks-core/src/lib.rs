//! Hooks for AI agents, resolved by the compiler.
//!
//! A hook is an annotated function. A list of hooks becomes one concrete type, which the compiler sorts by priority
//! and inlines. Your agent pays for its hooks what the same `if`s written by hand would cost: no boxes, no vtables,
//! no tables, no allocation. A mistake in a hook is a compile error, not an incident in production.
//!
//! ```
//! use hooks_core::agent::prelude::*;
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
//! | around hook | a hook that wraps the work that follows an event, such as the tool: `#[hook(around)]`, [`Next`] |
//! | priority | any const `i32` expression; higher runs first; equal ones run in list order; default 0; see [`priority`] |
//! | action | [`HookAction<E>`]: what one hook decides about the event `E` |
//! | result | [`HookResult<E>`]: what the whole pipeline decides |
//! | pipeline | what [`hooks![…]`](hooks) makes: a [`Pipeline`], whose type holds the order |
//! | guard | a hook that judges the form of the event that takes effect: `#[hook(guard)]` |
//! | probe | looks at dispatches from outside, and decides nothing: a log, a meter; a [`Probe`](probe::Probe) |
//! | source | a list of hooks that changes while agents run: a [`HookRegistry`], or your [`HandlerSource`] |
//! | wrapper | wraps any hooks, on every event: a [`Wrapper`](wrap::Wrapper) |
//! | driver | a function that raises the events of one part of an agent's life and carries out what the hooks decide: [`agent::run_tool_call`] and the like |
//!
//! # Where to look
//!
//! | you want to | see |
//! | --- | --- |
//! | import what hooks and agents are written with | [`agent::prelude`] |
//! | write a hook | [`#[hook]`](macro@hook) |
//! | make a list of hooks | [`hooks![…]`](hooks), [`Pipeline`] |
//! | write an agent | [`agent`], with one table of all events; its drivers [`agent::run_tool_call`], [`agent::run_llm_call`], [`agent::run_turn`], [`agent::run_turn_concurrent`], [`agent::run_message`] |
//! | define your own events | [`#[derive(HookEvent)]`](derive@HookEvent) |
//! | accept any hooks in a function or a struct | the bounds [`agent::AgentHooks`] and, without an executor, [`agent::AgentHooksNow`] |
//! | combine hooks of unknown types | [`Hook::then`] |
//! | approve the form of an event that takes effect | `#[hook(guard)]` of [`#[hook]`](macro@hook) |
//! | log, measure or record what hooks do | [`Probe`](probe::Probe), [`Hook::with_probe`] |
//! | load plugins, and register them while agents run | [`HookRegistry`], [`HandlerSource`] |
//! | erase the type of hooks, where you would look for `Box<dyn AgentHooks>` | an [`agent::AgentBox`]; an [`agent::AgentRegistry`], if the hooks come and go |
//! | decide about every event in one function | [`#[hook(every)]`](macro@hook) on [`agent::AgentEventMut`] |
//! | hold a permit or a span while a tool runs, or run the tool again | [`Next`] |
//! | limit, catch, filter or try out any hooks | `Hook::timeout`, [`Hook::on_panic`], [`agent::AgentHooks::when`], [`Hook::read_only`], [`Hook::shadow`] |
//! | wrap any hooks in code of your own | [`Wrapper`](wrap::Wrapper), [`Hook::wrap`] |
//! | list two hooks of one type | [`Hook::named`] |
//! | turn a closure into a hook | [`intercept_fn`], [`observe_fn`] |
//! | see who runs when | [`Plan`](plan::Plan) |
//! | test what hooks decide | [`testing`] |
//!
//! # Guarantees of a dispatch
//!
//! - Hooks run from the highest priority to the lowest. Hooks of equal priority run in list order. A hook of a
//!   `..source` runs after the static hooks of its priority.
//! - On an intercepted event, the first hook that blocks, responds or aborts ends the pipeline: later hooks do not
//!   see the event. Hooks change the event in place, and later hooks see the change.
//! - What a guard has judged is what takes effect: if a later hook changes the event, all guards judge it once more.
//! - On an observed event, all hooks run. Asynchronous hooks run concurrently, and no hook can stop another.
//! - A panic in a static hook unwinds through the dispatch, unless the hook sets `on_panic = skip` or `block`, or is
//!   wrapped with [`Hook::on_panic`]. A panic in a hook of a registry is isolated: by default the dispatch restores
//!   the event as it was before the hook, and runs the next one.
//! - A dispatch keeps the hooks that it started with, whatever you register or unregister meanwhile.
//! - You may drop a dispatch at any await. This also drops the hook that is running.
//!
//! # Features
//!
//! | feature | default | brings |
//! | --- | --- | --- |
//! | `macros` | yes | [`#[hook]`](macro@hook), [`hooks!`], [`#[derive(HookEvent)]`](derive@HookEvent) |
//! | `std` | yes | panic policies: `on_panic = skip \| block`, [`HookRegistry`] and `..source`; `#[hook(around)]`; durations in the drivers |
//! | `agent` | yes | the standard vocabulary, [`agent`]; serde and serde_json |
//! | `tokio` | no | `timeout = "…"`, `Timeout`, `Timeouts` |
//! | `tracing` | no | a span `hook{name, event}` for every hook that runs, and a log event for every decision other than to continue, both at the level `DEBUG`; a warning for every failure that is skipped |
//!
//! Without default features, the crate needs only `alloc`.

#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;
#[cfg(feature = "std")]
extern crate std;
// The macros write `::hooks_core::…`, in this crate too.
extern crate self as hooks_core;

// Runs the examples of these pages, which lie outside the crate's package. `tokio` is off by default, so only
// `cargo test --workspace`, which enables it, runs them.
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/how-it-works.md")]
mod how_it_works {}
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/lists.md")]
mod lists {}
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/vocabularies.md")]
mod vocabularies {}
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/single-threaded.md")]
mod single_threaded {}
#[cfg(all(doctest, feature = "agent", feature = "tokio"))]
#[doc = include_str!("../../docs/how-to/measure-hooks.md")]
mod measure_hooks {}
#[cfg(all(doctest, feature = "agent"))]
#[doc = include_str!("../README.md")]
mod readme {}

#[cfg(feature = "agent")]
pub mod agent;
mod decision;
mod event;
mod hook;
mod once;
mod pipeline;
pub mod priority;
#[cfg(feature = "std")]
mod registry;
pub mod testing;
mod trace;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use crate::decision::{AnyAction, Cancel, HookAction, HookResult, Scope};
#[doc(hidden)]
pub use crate::decision::{IntoPatch, IntoResponse, Return};
pub use crate::event::{Event, EventInfo, EventSet, Patch, Vocabulary};
// Compiler messages name these items, and print the short name of what is public here.
#[doc(hidden)]
pub use crate::event::{
    AnyVocabulary, Blockable, Context, ContextOf, Intercept, Intercepted, Kind, Observe, Observed,
    Reads, Respondable, SharesVocabulary, Speaks, Subject,
};
#[cfg(not(all(feature = "std", feature = "tokio")))]
#[doc(hidden)]
pub use crate::hook::NeedsFeature;
#[cfg(feature = "tokio")]
#[doc(hidden)]
pub use crate::hook::Timeout;
#[cfg(feature = "tokio")]
pub use crate::hook::Timeouts;
#[doc(hidden)]
pub use crate::hook::{
    AnswersNow, Asynchronous, Attach, CanBlock, CatchPanic, Changes, DefaultPolicy, DispatchNow,
    EveryReturn, Group, HasWork, InterceptFn, IsIntercepted, IsObserved, Looks, Named, ObserveFn,
    Predicate, Probed, ReadOnly, Restorable, Shadow, Synchronous, Then, Viewed, When, WorkOf,
    Wrapped, Wraps,
};
pub use crate::hook::{
    AnyEvent, Dispatch, Hook, Next, OnPanic, Refused, intercept_fn, observe_fn, wrap_around,
};
pub use crate::pipeline::Pipeline;
#[doc(hidden)]
pub use crate::pipeline::{Listing, Stands};
#[cfg(feature = "std")]
pub use crate::registry::{
    BoxHook, HandlerSource, HookRegistry, RegisterError, spend_time, time_spent,
};

/// Wrappers of your own around any hook, for all its events: [`Hook::wrap`] takes a [`Wrapper`](wrap::Wrapper).
pub mod wrap {
    #[doc(hidden)]
    pub use crate::hook::IsWrapper;
    pub use crate::hook::{Inner, No, ResultOf, Saved, Waits, Wrapper, Yes};
}

/// Probes: what looks at dispatches from outside, attached by [`Hook::with_probe`].
pub mod probe {
    pub use crate::hook::{Probe, Ran, Step};
}

/// Who runs when, as a table: what [`Hook::plan`] returns.
pub mod plan {
    pub use crate::hook::{Plan, PlanRow};
}

#[cfg(feature = "macros")]
pub use async_trait::async_trait;
#[cfg(feature = "macros")]
pub use hooks_macros::{HookEvent, hook};

/// Makes a [`Pipeline`] of hooks, sorted by priority at compile time.
///
/// A list item is any expression whose value is a hook: the name of a hook function, a value of a hook type, an
/// `Option`, a reference or an `Arc` of one, a [`HookRegistry`], or another list. `hook @ PRIORITY` overrides the
/// hook's own priority with any const `i32` expression. `#[cfg(…)]` before an item applies to that item. Hooks of
/// equal priority run in list order.
///
/// Each hook of a list in a list takes its own place among all. Several hooks that cannot be taken apart need one place,
/// `hooks @ PRIORITY`, where all of them run: a registry, hooks behind a type parameter or an `impl AgentHooks`, hooks in
/// one wrapper, [`Hook::then`].
///
/// A list holds at most 256 hooks of one vocabulary. You list a hook once, and two functions of one name from two modules
/// cannot be in one list: give one of them another name, `b::check.named("b_check")`.
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
/// #[hook]
/// fn log(call: &BeforeToolCall) { println!("{}", call.name); }
///
/// let verbose = false;
/// let hooks = hooks![
///     mark @ i32::MIN,
///     lower,
///     trim,
///     verbose.then_some(log),
///     #[cfg(windows)]
///     log,
/// ];
/// assert_eq!(format!("{hooks:?}"), "[trim, lower, mark]");
///
/// let mut call = BeforeToolCall { name: " Shell ".into(), ..Default::default() };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell!");
/// ```
///
/// # Hooks of a source between static hooks: `..source`
///
/// Put `..source` last in a list. Each hook of that [`HandlerSource`] then runs between the static hooks, by its
/// own priority, and after the static hooks of equal priority. The source may change its hooks while the list is
/// in use. A list has at most one spread, and is asynchronous on every event.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentRegistry, BeforeToolCall};
/// use hooks_core::{hook, hooks};
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
/// let plugins = AgentRegistry::new();
/// let hooks = hooks![trim, mark, ..plugins.clone()];
/// plugins.register(plugin).unwrap();
/// assert_eq!(hooks.plan().map(|row| row.hook).collect::<Vec<_>>(), ["trim", "plugin", "mark"]);
///
/// let mut call = BeforeToolCall { name: " Shell ".into(), ..Default::default() };
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// assert_eq!(call.name, "shell!");
/// # }
/// ```
///
/// # The rules of a file: `include!("hooks.toml")`
///
/// With the feature `include`, the rules of a file are a part of your program. Each takes its own place in the list, and
/// has its own name in plans, decisions and probes. The path begins where your source file is. A mistake in the file is
/// shown at the macro, with its line. `include!("hooks.toml", rules)` leaves out what is not a rule. The rules call the
/// crate `hooks-compiled`, which has to be a dependency of yours.
///
/// ```ignore
/// let hooks = hooks![deny_rm, report, include!("hooks.toml")];
/// ```
#[cfg(feature = "macros")]
#[macro_export]
macro_rules! hooks {
    ($($list:tt)*) => {
        $crate::__private::hooks!($crate, $($list)*)
    };
}

/// Writes what only the registry needs, if there is one.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! __boxes {
    ($($item:item)*) => { $($item)* };
}

/// Writes what only the registry needs, if there is one.
#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __boxes {
    ($($item:item)*) => {};
}
