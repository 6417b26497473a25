//! A hook on every event of a vocabulary.
//!
//! A dispatch knows the type of its event. A hook with `every` handles all events: it receives the vocabulary's enum,
//! and its decision fits any event. For each event, the derive writes how to put the event into the enum, and how to
//! get the decision out again.

use alloc::format;
use core::fmt::Display;

use super::{AnyEvent, Changes, Facts};
use crate::decision::{ActionOn, Decides, HookAction, Scope, cancelled};
use crate::event::{Access, Event, Intercepted, Vocabulary};

/// A view of events: a vocabulary's enum, or the enum that lends events for changes.
///
/// A hook with `every` takes one of the two. The derive implements this trait for both.
///
/// ```
/// use hooks_core::Viewed;
/// use hooks_core::agent::{AgentEvent, AgentEventMut};
///
/// fn is_a_view<V: Viewed>() {}
/// is_a_view::<AgentEvent<'_>>();
/// is_a_view::<AgentEventMut<'_>>();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not show every event of a vocabulary",
    label = "not a vocabulary's enum",
    note = "a hook with `every` takes the enum that has `#[derive(HookEvent)]`, such as `AgentEvent<'_>`, \
            or, to change events and to decide, the one that the derive writes beside it, such as \
            `AgentEventMut<'_>`"
)]
pub trait Viewed {
    /// The enum for `'static`.
    type Vocabulary: Vocabulary;
    /// Whether it lends events by `&mut`.
    #[doc(hidden)]
    type Facts: Facts;
}

/// A view that the event `E` converts to.
#[doc(hidden)]
pub trait EveryView<'a, E: Event>: Sized {
    fn of(access: Access<'a, E>) -> Self;
}

/// What a hook with `every` may return that takes the view `V`.
///
/// | it takes | it returns |
/// | --- | --- |
/// | `AgentEvent<'_>`, to look | nothing |
/// | `AgentEventMut<'_>`, to decide | nothing, its vocabulary's decision about any event (`AgentSaid`), or a `Result` of either |
///
/// `Err(x)` fails closed: it blocks the event with that reason. An event that cannot be blocked continues.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEventMut, BeforeToolCall};
/// use hooks_core::{hook, hooks};
///
/// #[hook(every)]
/// fn only_known(event: AgentEventMut<'_>) -> Result<(), String> {
///     match event {
///         AgentEventMut::BeforeToolCall(call) if call.name.is_empty() => Err("the tool has no name".into()),
///         _ => Ok(()),
///     }
/// }
///
/// let result = hooks![only_known].intercept_now(&AgentContext::new("s1"), &mut BeforeToolCall::default());
/// assert_eq!(result.as_cancel().unwrap().reason, "the tool has no name");
/// ```
#[diagnostic::on_unimplemented(
    message = "a hook with `every` that takes `{V}` cannot return `{Self}`",
    label = "not something that this hook can return",
    note = "with the vocabulary's enum, such as `AgentEvent<'_>`, a hook only looks, and returns nothing; to decide, \
            take `AgentEventMut<'_>`, and return nothing, what the vocabulary says of any event, such as \
            `AgentSaid`, or a `Result` of either, whose error is `Display`"
)]
pub trait EveryReturn<E: AnyEvent, V: Viewed, F: Facts = <V as Viewed>::Facts> {
    #[doc(hidden)]
    fn action(self) -> ActionOn<E>;
}

#[diagnostic::do_not_recommend]
impl<E: AnyEvent, V: Viewed, F: Facts> EveryReturn<E, V, F> for () {
    #[inline(always)]
    fn action(self) -> ActionOn<E> {
        E::Kind::nothing::<E>()
    }
}

#[diagnostic::do_not_recommend]
impl<E, V, R, X> EveryReturn<E, V, Changes> for Result<R, X>
where
    E: AnyEvent,
    V: Viewed,
    R: EveryReturn<E, V, Changes>,
    X: Display,
{
    fn action(self) -> ActionOn<E> {
        match self {
            Ok(said) => said.action(),
            Err(error) => E::Kind::refused::<E>(error),
        }
    }
}

/// The result of an action on a different event than the current one. That is a mistake in the hook, so it fails
/// closed.
#[doc(hidden)]
pub fn misfit<E: Intercepted>(other: &'static str) -> HookAction<E> {
    let reason = format!(
        "the hook was asked about `{}` and answered with an action on `{other}`",
        E::NAME
    );
    cancelled(Scope::Event, reason.into(), None)
}
