//! What a hook is, and how one, or many, are asked.
//!
//! [`Hook`] says who it is and which events it answers, as types; [`Handle`] and [`HandleAsync`] hold
//! its answer to one event. A pipeline is a hook, and so are an `Option`, a reference and an `Arc` of
//! one, which is how hooks are switched on and off, shared, and nested.
//!
//! [`Observes`], [`Intercepts`], [`ObservesNow`] and [`InterceptsNow`] are the way in: every hook has
//! them for every event of its vocabulary, the ones it does not handle included. An agent bounds its
//! hooks by the trait that unites them for a whole vocabulary, such as `AgentHooks`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::future::Future;

use crate::action::Return;
use crate::answers::{Answers, AnswersNow, Asynchronous, Later, Mode, ModeOf, Now, Skip};
use crate::event::{Event, Intercepted, Kind, Observed, SharesVocabulary, Vocabulary};
use crate::order::{Agreed, Listed, Number};
use crate::pipeline::At;
use crate::plan::{Describe, Plan, Planner};
use crate::result::{Decision, HookResult};

/// The context that hooks on `E` may read.
///
/// ```
/// use hooks_core::Context;
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
///
/// let cx: Context<BeforeToolCall> = AgentContext::new("s1");
/// ```
pub type Context<E> = <<E as Event>::Vocabulary as Vocabulary>::Context;
/// How a dispatch holds the event: `&E` or `&mut E`.
#[doc(hidden)]
pub type Access<'a, E> = <<E as Event>::Kind as Kind>::Access<'a, E>;
/// What a dispatch comes to: `()` or `HookResult<E>`.
#[doc(hidden)]
pub type Outcome<E> = <<E as Event>::Kind as Kind>::Outcome<E>;

/// A hook, or a pipeline of them.
///
/// Implemented by [`#[hook]`](macro@crate::hook), by [`Pipeline`](crate::Pipeline) and
/// [`HookRegistry`](crate::HookRegistry), and for `Option<H>`, `&H`, `Box<H>` and `Arc<H>`. It is to
/// be named in bounds, not to be implemented by hand.
///
/// ```
/// use hooks_core::agent::{AgentHooks, LlmInput, ToolCallEnd};
/// use hooks_core::{Hook, hook, hooks};
///
/// #[hook]
/// fn count(_: &ToolCallEnd<'_>) {}
///
/// fn wants_llm_input(hooks: &impl AgentHooks) -> bool {
///     hooks.handles::<LlmInput>()
/// }
/// assert!(!wants_llm_input(&hooks![count]));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook",
    label = "not a hook",
    note = "write `#[hook]` on the function, or on an `impl` block of the type"
)]
pub trait Hook: Describe + Send + Sync {
    /// The vocabulary whose events it handles.
    type Vocabulary;
    /// Its name, for a hook that is not made of others.
    #[doc(hidden)]
    const NAME: &'static str = "";
    /// Its priority.
    #[doc(hidden)]
    type Rank: Number;
    /// The events that it answers.
    #[doc(hidden)]
    type Answers: Answers;

    /// Takes the hook into a list, at the position `P`. A function of the trait's own, so that what is no
    /// hook is reported at the user's token.
    #[doc(hidden)]
    #[inline(always)]
    fn listed<P>(hook: Self) -> (Listed<Self, Self::Rank, P>, Agreed<Self::Vocabulary>)
    where
        Self: Sized,
    {
        (Listed::new(hook), Agreed::NEW)
    }

    /// The same with a priority of its place in the list.
    #[doc(hidden)]
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "a list's order is a type")]
    fn listed_at<P, R: Number>(hook: Self) -> (Listed<At<Self, R>, R, P>, Agreed<Self::Vocabulary>)
    where
        Self: Sized,
    {
        (Listed::new(At::new(hook)), Agreed::NEW)
    }

    /// Whether any hook handles `E`: a constant, so that an agent skips building an event that no
    /// hook wants.
    fn handles<E: Event>(&self) -> bool
    where
        Self: Sized,
        Self::Vocabulary: SharesVocabulary<E::Vocabulary>,
    {
        <ModeOf<Self, E> as Mode>::HANDLES
    }

    /// Who runs when: a table to print, and an iterator over its rows.
    fn plan(&self) -> Plan<'_>
    where
        Self: Sized,
    {
        Plan::of(self)
    }
}

/// A hook's synchronous answer to `E`.
#[doc(hidden)]
pub trait Handle<E> {
    // A bound on the trait itself would be checked, and reported, once more where it is implemented.
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>
    where
        E: Event;

    /// Told that a hook before this one has decided. Most hooks do not care.
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Event,
    {
    }
}

/// A hook's asynchronous answer to `E`: what the user's function returns, so that its future is the
/// user's own. To turn it into an outcome in a future of its own would cost each hook as much as the hook.
#[doc(hidden)]
pub trait HandleAsync<E> {
    /// A `Return<E>`: see [`Handle`] for why there is no bound.
    type Said;
    /// For a hook among others, which do what it says.
    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send
    where
        E: Event;

    /// For a hook by itself. What is made of hooks does what they say in the same future.
    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        E: Event,
        Self: Hook,
        Self::Said: Return<E>,
    {
        settled(self, cx, event)
    }

    /// As [`Handle::decided`].
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Event,
    {
    }
}

/// Awaits one hook's answer, and does what it says.
async fn settled<'a, E: Event, H: HandleAsync<E, Said: Return<E>> + Hook + ?Sized>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> Outcome<E> {
    let said = hook.handle(cx, E::Kind::lend::<E>(&mut event)).await;
    E::Kind::settle(event, said.said(), const { told_as::<H, E, H::Said>() })
}

/// The name under which is told of what `H` says: none where a hook within it has been named.
pub(crate) const fn told_as<H: Hook + ?Sized, E: Event, S: Return<E>>() -> &'static str {
    if S::IS_TOLD { "" } else { H::NAME }
}

/// Asks `H` about `E` as its mode says. The mode is a type, so this is no branch.
#[doc(hidden)]
pub trait StepNow<H, E: Event> {
    fn step<'a>(hook: &'a H, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>;
    /// Tells `H` what a hook before it has decided.
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>);
}

#[diagnostic::do_not_recommend]
impl<H, E: Event> StepNow<H, E> for Skip {
    #[inline(always)]
    fn step<'a>(_: &'a H, _: &'a Context<E>, _: Access<'a, E>) -> Outcome<E> {
        E::Kind::go_on::<E>()
    }

    #[inline(always)]
    fn decided<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, _: Decision<'a>) {}
}

#[diagnostic::do_not_recommend]
impl<H: Handle<E> + Hook, E: Event> StepNow<H, E> for Now {
    #[inline(always)]
    fn step<'a>(hook: &'a H, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        hook.handle(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        hook.decided(cx, event, decision);
    }
}

/// Never called. It is here so that what is asynchronous is told by [`AnswersNow`], which names no more
/// than the event.
impl<H, E: Event> StepNow<H, E> for Later
where
    Asynchronous: AnswersNow<E>,
{
    fn step<'a>(_: &'a H, _: &'a Context<E>, _: Access<'a, E>) -> Outcome<E> {
        E::go_on()
    }

    #[inline(always)]
    fn decided<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, _: Decision<'a>) {}
}

/// Asks `H` about `E` as its mode says, in a future.
#[doc(hidden)]
pub trait Step<H, E: Event> {
    type Said: Return<E>;
    /// For a hook among others, which do what it says.
    fn step<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send;

    /// For a hook by itself.
    fn whole<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Tells `H` what a hook before it has decided.
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>);
}

#[diagnostic::do_not_recommend]
impl<H: Sync, E: Event> Step<H, E> for Skip {
    type Said = Outcome<E>;

    #[inline]
    fn step<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        <Self as Step<H, E>>::whole(hook, cx, event)
    }

    #[inline]
    fn whole<'a>(
        _: &'a H,
        _: &'a Context<E>,
        _: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        core::future::ready(E::Kind::go_on::<E>())
    }

    #[inline(always)]
    fn decided<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, _: Decision<'a>) {}
}

#[diagnostic::do_not_recommend]
impl<H: Handle<E> + Hook, E: Event> Step<H, E> for Now {
    type Said = Outcome<E>;

    #[inline]
    fn step<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        <Self as Step<H, E>>::whole(hook, cx, event)
    }

    #[inline]
    async fn whole<'a>(hook: &'a H, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        hook.handle(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        hook.decided(cx, event, decision);
    }
}

#[diagnostic::do_not_recommend]
impl<H: HandleAsync<E, Said: Return<E>> + Hook, E: Event> Step<H, E> for Later {
    type Said = H::Said;

    #[inline]
    fn step<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send {
        hook.handle(cx, event)
    }

    #[inline]
    fn whole<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        hook.decide(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        hook.decided(cx, event, decision);
    }
}

/// Hooks that can be told of the observed event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, LlmDelta};
/// use hooks_core::{Observes, hooks};
///
/// async fn stream(hooks: impl for<'a> Observes<LlmDelta<'a>>, text: &str) {
///     let delta = LlmDelta { text, ..Default::default() };
///     hooks.observe(&AgentContext::new("s1"), &delta).await;
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// stream(hooks![], "Hello").await;
/// # }
/// ```
pub trait Observes<E: Observed>: Hook {
    /// Tells all hooks; the asynchronous ones run concurrently, and none can stop another.
    fn observe<'a>(&'a self, cx: &'a Context<E>, event: &'a E) -> impl Future<Output = ()> + Send;
}

/// Hooks that can be asked about the intercepted event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeStop};
/// use hooks_core::{Intercepts, hooks};
///
/// async fn may_stop(hooks: impl Intercepts<BeforeStop>) -> bool {
///     hooks.intercept(&AgentContext::new("s1"), &mut BeforeStop::default()).await.is_continue()
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert!(may_stop(hooks![]).await);
/// # }
/// ```
pub trait Intercepts<E: Intercepted>: Hook {
    /// Asks the hooks in order, until one blocks, answers or aborts. Changes are made in place.
    fn intercept<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send;

    /// Tells the hooks that one before them all has decided.
    #[doc(hidden)]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>);
}

/// Hooks of which none is asynchronous on the observed event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, HeartbeatTick};
/// use hooks_core::{ObservesNow, hook, hooks};
///
/// #[hook]
/// fn beat(_: &HeartbeatTick) { println!("tick"); }
///
/// fn tick(hooks: impl ObservesNow<HeartbeatTick>) {
///     hooks.observe_now(&AgentContext::new("s1"), &HeartbeatTick);
/// }
/// tick(hooks![beat]);
/// ```
pub trait ObservesNow<E: Observed>: Hook {
    /// As [`Observes::observe`], without an executor.
    fn observe_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E);
}

/// Hooks of which none is asynchronous on the intercepted event `E`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{InterceptsNow, hook};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// assert!(lower.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell");
/// ```
pub trait InterceptsNow<E: Intercepted>: Hook {
    /// As [`Intercepts::intercept`], without an executor.
    fn intercept_now<'a>(&'a self, cx: &'a Context<E>, event: &'a mut E) -> HookResult<E>;
}

impl<E: Observed, H: Hook> Observes<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: Step<H, E>,
{
    #[inline]
    fn observe<'a>(&'a self, cx: &'a Context<E>, event: &'a E) -> impl Future<Output = ()> + Send {
        <ModeOf<H, E> as Step<H, E>>::whole(self, cx, event)
    }
}

impl<E: Intercepted, H: Hook> Intercepts<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: Step<H, E>,
{
    #[inline]
    fn intercept<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send {
        <ModeOf<H, E> as Step<H, E>>::whole(self, cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        <ModeOf<H, E> as Step<H, E>>::decided(self, cx, event, decision);
    }
}

impl<E: Observed, H: Hook> ObservesNow<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: StepNow<H, E>,
{
    #[inline]
    fn observe_now<'a>(&'a self, cx: &'a Context<E>, event: &'a E) {
        <ModeOf<H, E> as StepNow<H, E>>::step(self, cx, event);
    }
}

impl<E: Intercepted, H: Hook> InterceptsNow<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    ModeOf<H, E>: StepNow<H, E>,
{
    #[inline]
    fn intercept_now<'a>(&'a self, cx: &'a Context<E>, event: &'a mut E) -> HookResult<E> {
        <ModeOf<H, E> as StepNow<H, E>>::step(self, cx, event)
    }
}

/// Has a type that holds a hook answer as that hook does.
macro_rules! answer_as {
    ($([$($generics:tt)*] $holder:ty, $this:ident => $hook:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::Event> $crate::hook::Handle<E> for $holder
        where
            H: $crate::hook::Handle<E> + $crate::Hook,
        {
            #[inline]
            fn handle<'a>(
                &'a self,
                cx: &'a $crate::Context<E>,
                event: $crate::hook::Access<'a, E>,
            ) -> $crate::hook::Outcome<E> {
                let $this = self;
                $hook.handle(cx, event)
            }

            #[inline]
            fn decided<'a>(
                &'a self,
                cx: &'a $crate::Context<E>,
                event: &'a E,
                decision: $crate::Decision<'a>,
            ) {
                let $this = self;
                $hook.decided(cx, event, decision);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::Event> $crate::hook::HandleAsync<E> for $holder
        where
            H: $crate::hook::HandleAsync<E, Said: $crate::Return<E>> + $crate::Hook,
        {
            type Said = H::Said;

            #[inline]
            fn handle<'a>(
                &'a self,
                cx: &'a $crate::Context<E>,
                event: $crate::hook::Access<'a, E>,
            ) -> impl ::core::future::Future<Output = Self::Said> + Send {
                let $this = self;
                $hook.handle(cx, event)
            }

            #[inline]
            fn decide<'a>(
                &'a self,
                cx: &'a $crate::Context<E>,
                event: $crate::hook::Access<'a, E>,
            ) -> impl ::core::future::Future<Output = $crate::hook::Outcome<E>> + Send {
                let $this = self;
                $hook.decide(cx, event)
            }

            #[inline]
            fn decided<'a>(
                &'a self,
                cx: &'a $crate::Context<E>,
                event: &'a E,
                decision: $crate::Decision<'a>,
            ) {
                let $this = self;
                $hook.decided(cx, event, decision);
            }
        }
    )* };
}
pub(crate) use answer_as;

/// Makes a pointer to a hook a hook.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* H: Hook + ?Sized> Hook for $pointer {
            type Vocabulary = H::Vocabulary;
            const NAME: &'static str = H::NAME;
            type Rank = H::Rank;
            type Answers = H::Answers;
        }

        impl<$($generics)* H: Describe + ?Sized> Describe for $pointer {
            fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
                (**self).describe(plan);
            }
        }

        answer_as! {
            [$($generics)* H: ?Sized,] $pointer, this => (**this);
        }
    )* };
}
pointers! {
    ['r,] &'r H;
    [] Box<H>;
    [] Arc<H>;
}

/// A hook that is switched off is skipped, at the cost of one branch.
#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Option<H> {
    type Vocabulary = H::Vocabulary;
    const NAME: &'static str = H::NAME;
    type Rank = H::Rank;
    type Answers = H::Answers;
}

impl<H: Describe> Describe for Option<H> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        if let Some(hook) = self {
            hook.describe(plan);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, H: Handle<E>> Handle<E> for Option<H> {
    #[inline]
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        match self {
            Some(hook) => hook.handle(cx, event),
            None => E::Kind::go_on::<E>(),
        }
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        if let Some(hook) = self {
            hook.decided(cx, event, decision);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, H: HandleAsync<E, Said: Return<E>> + Hook> HandleAsync<E> for Option<H> {
    type Said = Outcome<E>;

    #[inline]
    async fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        match self {
            Some(hook) => hook.decide(cx, event).await,
            None => E::Kind::go_on::<E>(),
        }
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.handle(cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>) {
        if let Some(hook) = self {
            hook.decided(cx, event, decision);
        }
    }
}
