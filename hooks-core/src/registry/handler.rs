//! One handler: the object-safe form of a hook, and what can become one.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;
use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context as Task, Poll, Waker};

use super::{HandlersOf, Only};
use crate::decision::{HookAction, Said, Told, Witnesses};
use crate::event::{Access, Context, Event, EventSet, Intercepted, Observed, Vocabulary};
use crate::hook::{AnyEvent, Intercepts, Observes, SaidOfAny, Says};

/// A boxed future, as `#[async_trait]` boxes it.
#[doc(hidden)]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A vocabulary whose hooks can exist only at run time: every vocabulary.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vocabulary",
    label = "not a vocabulary",
    note = "a vocabulary is an enum with `#[derive(HookEvent)]`, such as `AgentEvent`, whose variants are \
            the events"
)]
pub trait RunTime: Vocabulary + Says {
    /// The vocabulary's object-safe handler trait, such as `dyn AgentHandler`: what a
    /// [`HookRegistry`](crate::HookRegistry) holds.
    type Handler: ?Sized + Send + Sync + 'static;

    #[doc(hidden)]
    fn name(handler: &Self::Handler) -> &str;
    #[doc(hidden)]
    fn priority(handler: &Self::Handler) -> i32;
    #[doc(hidden)]
    fn events(handler: &Self::Handler) -> EventSet;
    /// The events whose work it wraps, which a handler cannot.
    #[doc(hidden)]
    fn wrapped(handler: &Self::Handler) -> EventSet;
    /// Whether it asks for witnesses: a log, or a registry with one.
    #[doc(hidden)]
    fn listens(handler: &Self::Handler) -> bool;
    /// The handlers and the policy of the registry that it is, if it is one.
    #[doc(hidden)]
    fn registry(handler: &Self::Handler) -> Option<[&dyn Any; 2]>;
    /// The subjects that it wants, if not all.
    #[doc(hidden)]
    fn only(handler: &Self::Handler) -> Option<&dyn Only>;
    #[doc(hidden)]
    fn listen(handler: &Self::Handler, witnesses: &mut Witnesses<Self>)
    where
        Self: 'static;
    #[doc(hidden)]
    fn told(
        handler: &Self::Handler,
        cx: &Self::Context,
        view: Self::View<'_>,
        told: Told<'_, Self>,
    ) where
        Self: 'static;
}

/// The handler trait object of the vocabulary of `E`.
#[doc(hidden)]
pub type Handler<E> = <<E as Event>::Vocabulary as RunTime>::Handler;

/// An event that handlers can handle: every event.
#[doc(hidden)]
pub trait Handled: AnyEvent + Event<Vocabulary: RunTime, Kind: HandlersOf> {
    fn ask<'a>(
        handler: &'a Handler<Self>,
        cx: &'a Context<Self>,
        event: Access<'a, Self>,
    ) -> BoxFuture<'a, Said<Self>>;

    /// The event's [subject](crate::Subject), if it has one.
    fn subject(&self) -> Option<&str> {
        None
    }
}

/// A type that implements the handler trait itself: see [`Handles`].
#[derive(Debug)]
pub enum ByHandler {}

/// A hook, a pipeline, or anything else that is `impl AgentHooks`: see [`Handles`].
#[derive(Debug)]
pub enum ByHooks {}

/// A vocabulary whose [`HookRegistry`](crate::HookRegistry) takes handlers of type `H`.
///
/// This holds for every type that implements the vocabulary's handler trait, directly or in a `Box` or an `Arc` (`By`
/// is then [`ByHandler`]). It also holds for everything that is `impl AgentHooks + 'static`: a hook, a pipeline, even
/// an opaque one (`By` is then [`ByHooks`]). The compiler infers `By`; you never write it.
///
/// ```
/// use hooks_core::agent::{AgentEvent, AgentHandler, AgentHooks};
/// use hooks_core::{HookRegistry, async_trait, hook, hooks};
///
/// struct Plugin;
/// #[async_trait]
/// impl AgentHandler for Plugin {
///     fn name(&self) -> &str { "plugin" }
/// }
///
/// fn registry_of(hooks: impl AgentHooks + 'static) -> HookRegistry<AgentEvent<'static>> {
///     HookRegistry::new().with(Plugin).with(hooks)
/// }
/// assert_eq!(registry_of(hooks![]).len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{H}` is no handler of the vocabulary `{Self}`",
    label = "not a handler",
    note = "a registry takes hooks and pipelines as they are, and types that implement the vocabulary's \
            handler trait: `#[async_trait] impl AgentHandler for …` for the standard vocabulary; all of them \
            own what they hold (`'static`)"
)]
pub trait Handles<H, By = ByHandler>: RunTime {
    #[doc(hidden)]
    fn handler(handler: H) -> Arc<Self::Handler>;
}

/// Hooks as a handler.
#[doc(hidden)]
#[derive(Debug)]
pub struct AsHandler<H>(pub H);

/// The future that a handler's default methods return. It has no size, so boxing it allocates nothing: only the
/// handlers that want an event cost something.
///
/// Its alignment marks it: no other zero-sized future has the same alignment, so it can be recognized in its box.
#[doc(hidden)]
#[derive(Debug)]
#[repr(align(256))]
pub struct GoOn<T>(PhantomData<fn() -> T>);

impl<T> GoOn<T> {
    /// Boxed, as `#[async_trait]` would box it.
    #[must_use]
    pub fn boxed<'a>() -> BoxFuture<'a, T>
    where
        T: Default + 'a,
    {
        Box::pin(GoOn(PhantomData))
    }

    /// Whether a handler's future is this one.
    pub(super) fn is(given: &BoxFuture<'_, T>) -> bool {
        size_of_val(&**given) == 0 && align_of_val(&**given) == align_of::<Self>()
    }
}

impl<T: Default> Future for GoOn<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<T> {
        Poll::Ready(T::default())
    }
}

/// A handler's decision about any event, converted to this event: the default of its other methods.
///
/// A zero-sized future holds neither the handler nor the event, so it may be polled here. That gives its result
/// without another box, and the default allocates nothing.
#[doc(hidden)]
#[must_use]
pub fn fall_back<'a, E: Handled + 'a>(
    mut any: BoxFuture<'a, SaidOfAny<E>>,
) -> BoxFuture<'a, Said<E>>
where
    E::Vocabulary: 'a,
{
    if size_of_val(&*any) == 0 {
        return match any.as_mut().poll(&mut Task::from_waker(Waker::noop())) {
            Poll::Ready(said) => E::Kind::ready::<E>(E::fit(said)),
            Poll::Pending => Box::pin(async move { E::fit(any.await) }),
        };
    }
    Box::pin(async move { E::fit(any.await) })
}

/// Runs static hooks on an observed event, as a handler does. It is one function, not a copy in each method of a
/// vocabulary's handler, so that rustc proves the future `Send` only once.
#[doc(hidden)]
pub fn observe_boxed<'a, H: Observes<E>, E: Observed>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
) -> BoxFuture<'a, ()> {
    Box::pin(hooks.observe(cx, event))
}

/// Runs static hooks on an intercepted event, as a handler does.
#[doc(hidden)]
pub fn intercept_boxed<'a, H: Intercepts<E>, E: Intercepted>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a mut E,
) -> BoxFuture<'a, HookAction<E>> {
    Box::pin(async move { hooks.intercept(cx, event).await.into() })
}

/// Tells static hooks what an earlier handler has decided, as their vocabulary's handler does.
#[doc(hidden)]
pub fn decided<'a, H: Intercepts<E>, E: Intercepted>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    told: Told<'a, E::Vocabulary>,
) {
    hooks.decided(cx, event, told);
}

/// Asks for the witnesses that static hooks want. `E` is any event, as a hook that listens handles every event.
#[doc(hidden)]
pub fn listen<H: Intercepts<E>, E: Intercepted>(
    hooks: &H,
    witnesses: &mut Witnesses<E::Vocabulary>,
) {
    hooks.listen(witnesses);
}

/// Whether static hooks are one log that asks for witnesses, or a registry with one.
///
/// A witness does not see into a boxed handler of several static hooks. So a log among these hooks records only their
/// own changes.
#[doc(hidden)]
pub fn listens<H: Intercepts<E>, E: Intercepted>(hooks: &H) -> bool {
    let mut witnesses = Witnesses::NONE;
    listen(hooks, &mut witnesses);
    let plan = hooks.plan();
    // Handlers that are mounted later may not be logs.
    let is_log = !plan.has_handlers() && plan.only_hook().is_some();
    !witnesses.is_empty() && (is_log || hooks.registry().is_some())
}
