//! Runs a hook only if a predicate holds.

use super::{Inner, No, ResultOf, Wrapped, Wrapper};
use crate::event::{Context, Event, Vocabulary};
use crate::hook::AnyEvent;

/// Runs a hook only if a predicate holds, on every event: what `AgentHooks::when` returns.
///
/// Before the work of an event, the predicate decides again whether the hooks with `#[hook(around)]` run. It then sees the
/// event as the hooks left it. If it does not hold, the work runs without them.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let hooks = hooks![lower.when(|cx, _| cx.depth == 0)];
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let _ = hooks.intercept_now(&AgentContext::new("s1").with_depth(1), &mut call);
/// assert_eq!(call.name, "Shell");
/// ```
pub type When<H, P> = Wrapped<H, WhenPredicate<P>>;

/// What a [`When`] does.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct WhenPredicate<P>(P);

impl<H, P> When<H, P> {
    /// Runs `hook` on the events for which `predicate` holds, given the context and the vocabulary's enum.
    pub const fn new(hook: H, predicate: P) -> Self {
        Wrapped::of(hook, WhenPredicate(predicate))
    }
}

impl<V: Vocabulary, P> Wrapper<V> for WhenPredicate<P>
where
    P: Fn(&V::Context, V::View<'_>) -> bool + Send + Sync,
{
    type Waits = No;
    const FAILS: bool = false;

    async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
        if self.0(hooks.cx(), hooks.event().view()) {
            hooks.run().await
        } else {
            hooks.go_on()
        }
    }
}

/// What `when = …` takes: a function or a closure from `&E`, or from `&Context` and `&E`, to `bool`.
#[diagnostic::on_unimplemented(
    message = "`when` cannot ask this about `{E}`",
    label = "not a predicate of `{E}`",
    note = "`when` takes a function or a closure from the event, by `&`, to `bool`; before the event it may \
            take the context, by `&`"
)]
pub trait Predicate<E: Event, Takes> {
    #[doc(hidden)]
    fn holds(&self, cx: &Context<E>, event: &E) -> bool;
}

#[doc(hidden)]
#[derive(Debug)]
pub enum TakesEvent {}

#[doc(hidden)]
#[derive(Debug)]
pub enum TakesBoth {}

#[diagnostic::do_not_recommend]
impl<E: Event, F: Fn(&E) -> bool> Predicate<E, TakesEvent> for F {
    #[inline(always)]
    fn holds(&self, _: &Context<E>, event: &E) -> bool {
        self(event)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, F: Fn(&Context<E>, &E) -> bool> Predicate<E, TakesBoth> for F {
    #[inline(always)]
    fn holds(&self, cx: &Context<E>, event: &E) -> bool {
        self(cx, event)
    }
}
