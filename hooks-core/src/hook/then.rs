//! Two hooks of any types, one after the other.
//!
//! [`hooks![…]`](crate::hooks) sorts hooks whose types it knows. Hooks behind a type parameter or an
//! `impl AgentHooks` hide their priorities, so they cannot be sorted. Here you choose the order.

use core::fmt;
use core::future::Future;
use core::pin::pin;

#[cfg(feature = "std")]
use super::around::{Slot, drive};
use super::way::{Alone, Way, Witnessed};
#[cfg(feature = "std")]
use super::{Around, Next, Wraps};
use super::{
    Asked, AskedNow, Describe, Handle, HandleAsync, Hook, Intercepts, InterceptsNow, Listening,
    Observes, ObservesNow, Planner,
};
use crate::decision::{Decides, Decision, Dispatched, HookResult, Outcome, Told, WitnessesOf};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{
    Access, AnyVocabulary, Context, Either, Event, EventSet, Every, Intercept, Later, Observe,
};

/// Two hooks, pipelines or registries, where the first runs before the second: see [`Hook::then`].
///
/// If the first one decides, the second does not see the event. Observers of both run concurrently. Around hooks of
/// the first wrap those of the second.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{Then, hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// let both = Then::new(hooks![trim], lower);
/// assert_eq!(format!("{both:?}"), "[trim, lower]");
/// let (first, _second) = both.into_inner();
/// assert_eq!(format!("{first:?}"), "[trim]");
/// ```
#[derive(Clone, Copy)]
pub struct Then<A, B> {
    first: A,
    second: B,
}

impl<A, B> Then<A, B> {
    /// Runs `first`, and then `second`.
    pub const fn new(first: A, second: B) -> Self {
        Then { first, second }
    }

    /// The two hooks.
    pub fn into_inner(self) -> (A, B) {
        (self.first, self.second)
    }
}

impl<A: Hook, B: Hook> fmt::Debug for Then<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan().names().fmt(f)
    }
}

/// The vocabulary is checked per event: an agent must be able to raise the event on both hooks.
#[diagnostic::do_not_recommend]
impl<A: Hook, B: Hook> Hook for Then<A, B> {
    type Vocabulary = AnyVocabulary;
    type Rank = crate::__rank!(0);
    type Answers = Every<Either>;
    type Wraps = Every<Later>;
    type Listens = <A::Listens as Listening>::Or<B::Listens>;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.first.wanted().union(self.second.wanted())
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.first.wrapped().union(self.second.wrapped())
    }
}

impl<A: Describe, B: Describe> Describe for Then<A, B> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        self.first.describe(plan);
        self.second.describe(plan);
    }
}

/// How two hooks handle events of the kind `K`.
#[doc(hidden)]
pub trait Both<E: Event<Kind = K>, K: Decides> {
    fn both<'a>(
        &'a self,
        way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;
}

/// Like [`Both`], without an executor.
#[doc(hidden)]
pub trait BothNow<E: Event<Kind = K>, K: Decides> {
    fn both_now<'a>(
        &'a self,
        way: impl Way<E>,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E>;
}

impl<E: Event<Kind = Observe>, A: Observes<E>, B: Observes<E>> Both<E, Observe> for Then<A, B> {
    async fn both<'a>(&'a self, _: impl Way<E> + 'a, cx: &'a Context<E>, event: &'a E) {
        let first = pin!(self.first.observe(cx, event));
        let second = pin!(self.second.observe(cx, event));
        join(first, second).await;
    }
}

impl<E: Event<Kind = Intercept>, A, B> Both<E, Intercept> for Then<A, B>
where
    A: Intercepts<E>,
    B: Intercepts<E>,
    E: crate::event::Intercepted,
{
    async fn both<'a>(
        &'a self,
        mut way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        let result = way.ask(&self.first, cx, event).await;
        if !result.is_continue() {
            let told = way.told(Decision::from(&result));
            self.second.decided(cx, event, told);
            return result;
        }
        way.ask(&self.second, cx, event).await
    }
}

impl<E, A, B> BothNow<E, Observe> for Then<A, B>
where
    E: Event<Kind = Observe>,
    A: ObservesNow<E>,
    B: ObservesNow<E>,
{
    fn both_now<'a>(&'a self, _: impl Way<E>, cx: &'a Context<E>, event: &'a E) {
        self.first.observe_now(cx, event);
        self.second.observe_now(cx, event);
    }
}

impl<E, A, B> BothNow<E, Intercept> for Then<A, B>
where
    E: crate::event::Intercepted,
    A: InterceptsNow<E>,
    B: InterceptsNow<E>,
{
    #[inline]
    fn both_now<'a>(
        &'a self,
        mut way: impl Way<E>,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        let result = way.ask_now(&self.first, cx, event);
        if !result.is_continue() {
            let told = way.told(Decision::from(&result));
            self.second.decided_now(cx, event, told);
            return result;
        }
        way.ask_now(&self.second, cx, event)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, A: Asked<E, E::Kind>, B: Asked<E, E::Kind>> HandleAsync<E> for Then<A, B>
where
    Self: Both<E, E::Kind>,
{
    type Said = Outcome<E>;

    #[inline]
    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        self.both(Alone, cx, event)
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.both(Alone, cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.first.told(cx, event, told);
        self.second.told(cx, event, told);
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        self.first.heeds(witnesses);
        self.second.heeds(witnesses);
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.both(Witnessed::<E>(witnesses), cx, event)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, A: AskedNow<E, E::Kind>, B: AskedNow<E, E::Kind>> Handle<E> for Then<A, B>
where
    Self: BothNow<E, E::Kind>,
{
    #[inline]
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        self.both_now(Alone, cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.first.told_now(cx, event, told);
        self.second.told_now(cx, event, told);
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        self.first.heeds_now(witnesses);
        self.second.heeds_now(witnesses);
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        self.both_now(Witnessed::<E>(witnesses), cx, event)
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<E: Wrapped, A: Wraps<E>, B: Wraps<E>> Around<E> for Then<A, B> {
    async fn around<'a>(&'a self, cx: &'a Context<E>, event: &'a E, next: Next<'a, E>) -> E::Work {
        let (slot, outer) = (Slot::new(), next.slot());
        let first = self.first.wrap(cx, event, Next::new(&slot));
        drive!(&slot, first, self.second.wrap(cx, event, Next::new(outer)))
    }
}

/// Awaits two futures concurrently.
async fn join(
    mut first: core::pin::Pin<&mut impl Future<Output = ()>>,
    mut second: core::pin::Pin<&mut impl Future<Output = ()>>,
) {
    let (mut first_runs, mut second_runs) = (true, true);
    core::future::poll_fn(|task| {
        first_runs = first_runs && first.as_mut().poll(task).is_pending();
        second_runs = second_runs && second.as_mut().poll(task).is_pending();
        if first_runs || second_runs {
            core::task::Poll::Pending
        } else {
            core::task::Poll::Ready(())
        }
    })
    .await;
}
