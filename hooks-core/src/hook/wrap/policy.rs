//! What a failure leads to: a policy that an event does not allow does not compile.

use alloc::string::ToString;
use core::fmt::Display;

use crate::decision::{ActionOn, Decides, HookAction, Scope};
use crate::event::{Blockable, Event, Intercept, Observe};

/// An event on which a failed hook may `block`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be blocked",
    label = "cannot be blocked",
    note = "the work of this event is done already, or the event is only observed: write `skip`, which leaves out a hook that \
            fails"
)]
#[doc(hidden)]
pub trait CanBlock<K: Decides = <Self as Event>::Kind>: Event<Kind = K> {
    /// The outcome of the dispatch if the hook fails.
    fn blocked(hook: &'static str, failure: impl Display) -> ActionOn<Self>;
}

#[diagnostic::do_not_recommend]
impl<E: Blockable> CanBlock<Intercept> for E {
    fn blocked(_: &'static str, failure: impl Display) -> HookAction<E> {
        HookAction::cancelled(Scope::Event, failure.to_string().into(), None)
    }
}

/// An event on which a hook with `timeout` needs no `on_timeout`. By default, a guard fails closed and a watcher is
/// skipped. On an intercepted event that cannot be blocked, you must choose.
///
/// ```
/// use hooks_core::agent::{AfterToolCall, BeforeToolCall, ToolCallEnd};
/// use hooks_core::hook;
///
/// #[hook(timeout = "2s")]
/// async fn guard(_: &BeforeToolCall) { /* blocks if it takes longer */ }
///
/// #[hook(timeout = "2s")]
/// async fn watch(_: &ToolCallEnd<'_>) { /* is skipped if it takes longer */ }
///
/// #[hook(timeout = "2s", on_timeout = skip)]
/// async fn rewrite(_: &mut AfterToolCall) { /* has to say */ }
/// ```
#[diagnostic::on_unimplemented(
    message = "a hook on `{Self}` has to say what a timeout does",
    label = "write `on_timeout = skip` beside it",
    note = "without `on_timeout` a hook that outlives its timeout blocks the event, and this one cannot \
            be blocked"
)]
pub trait DefaultPolicy<K: Decides = <Self as Event>::Kind>: Event<Kind = K> {
    /// The outcome of the dispatch if a hook exceeds its timeout.
    #[doc(hidden)]
    fn timed_out(hook: &'static str, failure: impl Display) -> ActionOn<Self>;
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Observe>> DefaultPolicy<Observe> for E {
    fn timed_out(hook: &'static str, failure: impl Display) {
        super::skipped::<E>(hook, failure);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept> + Blockable> DefaultPolicy<Intercept> for E {
    fn timed_out(hook: &'static str, failure: impl Display) -> HookAction<E> {
        <E as CanBlock<Intercept>>::blocked(hook, failure)
    }
}

/// An event that `skip` can restore to its state before the failed hook: any event that is `Clone`.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{Restorable, hook};
///
/// fn can_be_put_back<E: Restorable>() {}
/// can_be_put_back::<BeforeToolCall>();
///
/// #[hook(on_panic = skip)]
/// fn lower(call: &mut BeforeToolCall) {
///     call.name.make_ascii_lowercase();
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`, so `skip` cannot put it back as it was before the hook",
    label = "`skip` needs `{Self}: Clone`",
    note = "a hook that changes the event by `&mut` may leave it half changed when it fails: derive \
            `Clone` for the event, take it by `&` and return `HookAction::modify(…)`, or write `block`"
)]
pub trait Restorable: Event {
    /// A copy of the event's current state.
    #[doc(hidden)]
    #[must_use]
    fn saved(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: Event + Clone> Restorable for E {
    fn saved(&self) -> E {
        self.clone()
    }
}
