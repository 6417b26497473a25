//! Assertions about what hooks decide, for your tests.
//!
//! A hook that is a function is tested as one: `no_shell::call(&call)`. These assertions ask hooks as an agent does, with
//! `only`, `when`, priorities and guards: one hook, a list, a registry, or whatever else is a hook.
//!
//! | macro | method of [`Judged`] | holds if | gives |
//! | --- | --- | --- | --- |
//! | [`assert_passes!`] | `passes()` | the event continues | the event, as the hooks left it |
//! | [`assert_blocks!`] | `blocks("hook")` | the hook of that name blocks the event | the [`Cancel`], with its reason |
//! | [`assert_aborts!`] | `aborts("hook")` | the hook of that name aborts the turn or the run | the [`Cancel`], with its scope |
//! | [`assert_responds!`] | `responds()` | a hook answers in the agent's place | the answer |
//!
//! A macro takes the hooks, the context and the event. Without a context, it takes the default one.
//!
//! ```
//! use hooks_core::agent::prelude::*;
//! use hooks_core::testing::*;
//! use serde_json::json;
//!
//! #[hook(priority = 10)]
//! fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
//!
//! #[hook(guard, only("shell"), when = |cx, _| cx.depth > 0)]
//! fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("subagents have no shell") }
//!
//! let hooks = hooks![no_shell, lower];
//! let call = BeforeToolCall::new("1", "Shell", json!({ "command": "ls" }));
//!
//! let call = assert_passes!(hooks, call);
//! assert_eq!(call.name, "shell");
//!
//! let subagent = AgentContext::new("test").with_depth(1);
//! let cancel = assert_blocks!(hooks, subagent, call, "no_shell");
//! assert_eq!(cancel.reason, "subagents have no shell");
//! ```
//!
//! An assertion that fails says what happened, and prints the plan. Without `lower`, and so with the name `Shell`:
//!
//! ```text
//! hook `no_shell` should block `BeforeToolCall`, but the event continues
//! order  hook      priority  event           runs
//! 1      no_shell         0  BeforeToolCall  sync, guard
//! ```
//!
//! # Hooks that wait
//!
//! The macros need no executor: they poll the hooks once. Then all hooks are done that wait for nothing, also `async` ones
//! and those of a registry. If a hook does wait, for a timer or a lock, the assertion fails, because only your executor can
//! go on. In a test that has one, await [`judge`]:
//!
//! ```
//! use hooks_core::agent::prelude::*;
//! use hooks_core::testing::*;
//! use std::time::Duration;
//!
//! #[hook]
//! async fn slow(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
//!     tokio::time::sleep(Duration::from_secs(60)).await;
//!     HookAction::abort_turn("too late")
//! }
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
//! let judged = judge(&hooks![slow], BeforeToolCall::default(), &AgentContext::default()).await;
//! assert_eq!(judged.aborts("slow").scope, Scope::Turn);
//! # }
//! ```

use alloc::format;
use alloc::string::String;
use core::fmt::Display;
use core::pin::pin;
use core::task::{Context as Task, Poll, Waker};

use crate::decision::{Cancel, HookResult, Scope};
use crate::event::{Context, Intercepted};
use crate::hook::{AnyEvent, Dispatch, Plan};
pub use crate::{assert_aborts, assert_blocks, assert_passes, assert_responds};

/// What hooks have decided about an event. Its methods assert what it is, and [say](self) what it is instead.
#[must_use]
#[expect(missing_debug_implementations, reason = "a failure prints it")]
pub struct Judged<E: AnyEvent + Intercepted> {
    event: E,
    result: HookResult<E>,
    plan: Plan,
}

/// Asks hooks about an event, and awaits them.
pub async fn judge<E: AnyEvent + Intercepted>(
    hooks: &impl Dispatch<E>,
    mut event: E,
    cx: &Context<E>,
) -> Judged<E> {
    let (plan, result) = (hooks.plan(), hooks.ask(cx, &mut event).await);
    Judged {
        event,
        result,
        plan,
    }
}

/// Asks hooks about an event, without an executor.
///
/// # Panics
///
/// If a hook waits.
#[track_caller]
pub fn judge_now<E: AnyEvent + Intercepted>(
    hooks: &impl Dispatch<E>,
    event: E,
    cx: &Context<E>,
) -> Judged<E> {
    match pin!(judge(hooks, event, cx)).poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(judged) => judged,
        Poll::Pending => panic!(
            "a hook on `{}` waits: write `judge(&hooks, event, &cx).await` in an `async` test\n{}",
            E::NAME,
            hooks.plan()
        ),
    }
}

impl<E: AnyEvent + Intercepted> Judged<E> {
    /// Asserts that the event continues, and returns it as the hooks left it.
    #[track_caller]
    pub fn passes(self) -> E {
        match self.result {
            HookResult::Continue => self.event,
            _ => self.fails(format!("`{}` should continue", E::NAME)),
        }
    }

    /// Asserts that a hook answers in the agent's place, and returns the answer.
    #[track_caller]
    pub fn responds(self) -> E::Response {
        match self.result {
            HookResult::Respond(response) => response,
            _ => self.fails(format!("a hook should answer `{}`", E::NAME)),
        }
    }

    /// Asserts that the hook of this name blocks the event, and returns its reason.
    #[track_caller]
    pub fn blocks(self, hook: &str) -> Cancel {
        self.cancels(hook, "block", |scope| scope == Scope::Event)
    }

    /// Asserts that the hook of this name aborts the turn or the run, and returns which, and why.
    #[track_caller]
    pub fn aborts(self, hook: &str) -> Cancel {
        self.cancels(hook, "abort at", |scope| scope > Scope::Event)
    }

    #[track_caller]
    fn cancels(self, hook: &str, does: &str, fits: fn(Scope) -> bool) -> Cancel {
        match self.result {
            HookResult::Cancel(cancel) if cancel.hook == hook && fits(cancel.scope) => cancel,
            _ => self.fails(format!("hook `{hook}` should {does} `{}`", E::NAME)),
        }
    }

    #[track_caller]
    fn fails(&self, expected: String) -> ! {
        let happened: &dyn Display = match &self.result {
            HookResult::Continue => &"the event continues",
            HookResult::Respond(_) => &"a hook answers it",
            HookResult::Cancel(cancel) => cancel,
        };
        panic!("{expected}, but {happened}\n{}", self.plan)
    }
}

/// Asserts that hooks let an event continue, and gives the event as they left it: see [`testing`](crate::testing).
///
/// ```
/// use hooks_core::agent::prelude::*;
/// use hooks_core::testing::assert_passes;
///
/// #[hook]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// let call = BeforeToolCall { name: " shell".into(), ..Default::default() };
/// assert_eq!(assert_passes!(trim, call).name, "shell");
/// ```
#[macro_export]
macro_rules! assert_passes {
    ($hooks:expr, $event:expr $(,)?) => {
        $crate::assert_passes!($hooks, ::core::default::Default::default(), $event)
    };
    ($hooks:expr, $cx:expr, $event:expr $(,)?) => {
        $crate::testing::judge_now(&$hooks, $event, &$cx).passes()
    };
}

/// Asserts that a hook answers in the agent's place, and gives the answer: see [`testing`](crate::testing).
///
/// ```
/// use hooks_core::agent::prelude::*;
/// use hooks_core::testing::assert_responds;
///
/// #[hook]
/// fn cached(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::respond(ToolOutput::new("4")) }
///
/// assert_eq!(assert_responds!(cached, BeforeToolCall::default()).content, "4");
/// ```
#[macro_export]
macro_rules! assert_responds {
    ($hooks:expr, $event:expr $(,)?) => {
        $crate::assert_responds!($hooks, ::core::default::Default::default(), $event)
    };
    ($hooks:expr, $cx:expr, $event:expr $(,)?) => {
        $crate::testing::judge_now(&$hooks, $event, &$cx).responds()
    };
}

/// Asserts that the hook of a name blocks an event, and gives the [`Cancel`]: see [`testing`](crate::testing).
///
/// ```
/// use hooks_core::agent::prelude::*;
/// use hooks_core::testing::assert_blocks;
///
/// #[hook(only("shell"))]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no shell here") }
///
/// let call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert_eq!(assert_blocks!(no_shell, call, "no_shell").reason, "no shell here");
/// ```
#[macro_export]
macro_rules! assert_blocks {
    ($hooks:expr, $event:expr, $hook:expr $(,)?) => {
        $crate::assert_blocks!($hooks, ::core::default::Default::default(), $event, $hook)
    };
    ($hooks:expr, $cx:expr, $event:expr, $hook:expr $(,)?) => {
        $crate::testing::judge_now(&$hooks, $event, &$cx).blocks($hook)
    };
}

/// Asserts that the hook of a name aborts the turn or the run, and gives the [`Cancel`]: see
/// [`testing`](crate::testing).
///
/// ```
/// use hooks_core::agent::prelude::*;
/// use hooks_core::testing::assert_aborts;
///
/// #[hook]
/// fn spent(_: &BeforeLlmCall) -> HookAction<BeforeLlmCall> { HookAction::abort_run("the budget is spent") }
///
/// assert_eq!(assert_aborts!(spent, BeforeLlmCall::default(), "spent").scope, Scope::Run);
/// ```
#[macro_export]
macro_rules! assert_aborts {
    ($hooks:expr, $event:expr, $hook:expr $(,)?) => {
        $crate::assert_aborts!($hooks, ::core::default::Default::default(), $event, $hook)
    };
    ($hooks:expr, $cx:expr, $event:expr, $hook:expr $(,)?) => {
        $crate::testing::judge_now(&$hooks, $event, &$cx).aborts($hook)
    };
}
