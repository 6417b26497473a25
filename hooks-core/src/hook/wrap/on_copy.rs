//! Wrappers that give the hook a copy of the event.

use super::{Inner, No, ResultOf, Saved, Wrapped, Wrapper};
use crate::event::Vocabulary;
use crate::hook::AnyEvent;

/// The reason for an event that cannot be copied.
const NOT_CLONE: &str = "the event is not `Clone`, so the hook cannot be given a copy of it";

/// Runs hooks on a copy of the event, if they could change it; `Err` if the event cannot be copied.
async fn on_copy<E: AnyEvent>(hooks: &mut impl Inner<E>) -> Result<ResultOf<E>, Saved<E>> {
    match hooks.saved() {
        Saved::Unchanged => Ok(hooks.run().await),
        Saved::Copy(mut copy) => Ok(hooks.run_on(&mut copy).await),
        Saved::Lost => Err(Saved::Unchanged),
    }
}

/// Lets a hook decide but undoes its changes, on every event: what [`Hook::read_only`](crate::Hook::read_only) returns.
///
/// The hook receives a copy of the event. An event that is not `Clone` cannot be copied: the hook does not run, and
/// the event is blocked if possible. A hook with `#[hook(around)]` cannot change the event, and its output is a decision:
/// it runs as it does without this.
///
/// GoClaw has such hooks: those from its user interface may decide but not change.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{Hook, hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let _ = hooks![lower.read_only()].intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(call.name, "Shell");
/// ```
pub type ReadOnly<H> = Wrapped<H, KeepsResult>;

/// What a [`ReadOnly`] does.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct KeepsResult;

impl<H> ReadOnly<H> {
    /// Undoes the changes of `hook`.
    pub const fn new(hook: H) -> Self {
        Wrapped::of(hook, KeepsResult)
    }
}

impl<V: Vocabulary> Wrapper<V> for KeepsResult {
    type Waits = No;

    const FAILS: bool = false;

    async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
        if hooks.is_around() {
            return hooks.run().await;
        }
        match on_copy(&mut hooks).await {
            Ok(result) => result,
            Err(before) => hooks.fail(before, true, NOT_CLONE),
        }
    }
}

/// Runs a hook without effect, on every event: what [`Hook::shadow`](crate::Hook::shadow) returns.
///
/// Use it to try out a guard in production. The hook receives a copy of the event, and its decision and changes are
/// dropped. A probe, and with the feature `tracing` its span, show what it would have done. On an event that is not
/// `Clone`, the hook does not run, and a hook with `#[hook(around)]` never does: the work that it would run is an effect.
/// A panic still unwinds: for a hook on trial, write `hook.shadow().on_panic(OnPanic::Skip)`.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{Hook, HookAction, hook, hooks};
///
/// #[hook]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no shell here") }
///
/// let result = hooks![no_shell.shadow()]
///     .intercept_now(&AgentContext::new("s1"), &mut BeforeToolCall::default());
/// assert!(result.is_continue());
/// ```
pub type Shadow<H> = Wrapped<H, DropsResult>;

/// What a [`Shadow`] does.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct DropsResult;

impl<H> Shadow<H> {
    /// Runs `hook` without effect.
    pub const fn new(hook: H) -> Self {
        Wrapped::of(hook, DropsResult)
    }
}

impl<V: Vocabulary> Wrapper<V> for DropsResult {
    type Waits = No;

    const FAILS: bool = false;

    async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
        if hooks.is_around() {
            return hooks.go_on();
        }
        match on_copy(&mut hooks).await {
            Ok(_) => hooks.go_on(),
            Err(before) => hooks.fail(before, false, NOT_CLONE),
        }
    }
}
