//! Events: the points of an agent's life at which hooks run.
//!
//! A vocabulary is an enum whose variants each borrow one payload; the payload is the event.
//! [`#[derive(HookEvent)]`](crate::HookEvent) on the enum implements everything in this module, so
//! these traits are to be *named*, in bounds and in messages of the compiler, and not to be
//! implemented by hand.
//!
//! What an event's hooks may do is told by marker traits, so that what they may not do does not
//! compile: [`Observed`] or [`Intercepted`], and of the intercepted ones [`Blockable`],
//! [`Respondable`] and [`Subject`].

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::ToString;
use core::fmt::Display;
use core::future::Future;

use crate::action::{HookAction, Return};
use crate::answers::Slot;
use crate::hook::{Access, Context, Outcome};
use crate::order::Agreed;
use crate::registry::{BoxFuture, Handler, Placed};
use crate::result::{Cancel, Decision, HookResult, Scope};

/// All events of one kind of agent: what `#[derive(HookEvent)]` makes of an enum.
///
/// Implemented for the enum with any lifetime; that of an event is the enum for `'static`.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Event, Vocabulary};
///
/// fn context_of<E: Event>(_: &E) -> &'static str {
///     core::any::type_name::<<E::Vocabulary as Vocabulary>::Context>()
/// }
/// assert!(context_of(&BeforeToolCall::default()).ends_with("AgentContext"));
/// assert!(AgentEvent::NAMES.contains(&"BeforeToolCall"));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vocabulary",
    label = "not a vocabulary",
    note = "a vocabulary is an enum with `#[derive(HookEvent)]`, such as `AgentEvent`, whose variants are \
            the events"
)]
pub trait Vocabulary: SharesVocabulary<Self> + Sized {
    /// What every hook may read beside the event: `#[events(context = …)]`, by default `()`.
    type Context: ContextOf<Self> + Sync;
    /// The enum itself, borrowing an event for `'a`: what a hook with `every` is given.
    type View<'a>: Send;
    /// The object-safe handler trait of the vocabulary, as `dyn AgentHandler`: what a
    /// [`HookRegistry`](crate::HookRegistry) holds.
    type Handler: ?Sized + Send + Sync + 'static;
    /// The names of all events, in the order of the enum.
    const EVENTS: &'static [&'static str];

    /// The name of the event that a view shows. It binds the payloads, and is an impl's: so rustc does not
    /// take those of a private vocabulary for dead.
    #[doc(hidden)]
    fn name_of(view: &Self::View<'_>) -> &'static str;
    #[doc(hidden)]
    fn handler_name(handler: &Self::Handler) -> &str;
    #[doc(hidden)]
    fn handler_priority(handler: &Self::Handler) -> i32;
    #[doc(hidden)]
    fn handler_decided(
        handler: &Self::Handler,
        cx: &Self::Context,
        view: Self::View<'_>,
        decision: Decision<'_>,
    );
}

/// A vocabulary whose [`HookRegistry`](crate::HookRegistry) takes handlers of type `H`.
///
/// Met by every type that implements the vocabulary's handler trait, also in a `Box` or an `Arc`.
///
/// ```
/// use hooks_core::agent::{AgentEvent, AgentHandler};
/// use hooks_core::{Handles, HookRegistry, async_trait};
///
/// struct Plugin;
/// #[async_trait]
/// impl AgentHandler for Plugin {}
///
/// fn registry_of<H>(handler: H) -> HookRegistry<AgentEvent<'static>>
/// where
///     AgentEvent<'static>: Handles<H>,
/// {
///     HookRegistry::new().with(handler)
/// }
/// assert_eq!(registry_of(Plugin).len() + registry_of(Box::new(Plugin)).len(), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{H}` is no handler of the vocabulary `{Self}`",
    label = "not a handler",
    note = "implement the vocabulary's handler trait for it: `#[async_trait] impl AgentHandler for …` \
            for the standard vocabulary; hooks made with `#[hook]` go in as a pipeline: `hooks![…]`"
)]
pub trait Handles<H>: Vocabulary {
    #[doc(hidden)]
    fn boxed(handler: H) -> Box<Self::Handler>;
}

/// An event: the payload of one variant of a vocabulary.
///
/// ```
/// use hooks_core::Event;
/// use hooks_core::agent::{BeforeToolCall, LlmDelta};
///
/// fn name_of<E: Event>(_: &E) -> &'static str {
///     E::NAME
/// }
/// assert_eq!(name_of(&BeforeToolCall::default()), "BeforeToolCall");
/// assert_eq!(name_of(&LlmDelta::default()), "LlmDelta");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "an event is the payload of a variant of an enum with `#[derive(HookEvent)]`; a hook takes \
            it by reference, as `&BeforeToolCall`, after the context, if it wants that"
)]
pub trait Event: Sized + Send + Sync {
    /// The enum that the event stands in.
    type Vocabulary: Vocabulary;
    /// Whether hooks observe or intercept it.
    type Kind: Kind;
    /// What a hook may answer in the agent's place; [`Infallible`](core::convert::Infallible) where
    /// none can.
    type Response: Send;
    /// What [`HookAction::modify`] takes; the event itself where no `patch = …` is given.
    type Patch: Patch<Self> + Send;
    /// The event's name: that of its variant.
    const NAME: &'static str;

    #[doc(hidden)]
    type Slot: Slot;
    /// The same event, borrowing for another lifetime.
    #[doc(hidden)]
    type At<'x>: Event<Vocabulary = Self::Vocabulary, Kind = Self::Kind, Slot = Self::Slot>;
    /// The vocabulary's read-only view of the event.
    #[doc(hidden)]
    fn view(&self) -> <Self::Vocabulary as Vocabulary>::View<'_>;
    /// Hands the event to a handler that only exists at run time.
    #[doc(hidden)]
    fn ask<'a>(
        handler: &'a Handler<Self>,
        cx: &'a Context<Self>,
        event: Access<'a, Self>,
    ) -> BoxFuture<'a, Said<Self>>;

    /// Looks at the event that a dispatch holds.
    #[doc(hidden)]
    #[inline(always)]
    fn look(access: Access<'_, Self>) -> &Self {
        Self::Kind::look::<Self>(access)
    }

    /// Lends out the event that a dispatch holds.
    #[doc(hidden)]
    #[inline(always)]
    fn lend<'l>(access: &'l mut Access<'_, Self>) -> Access<'l, Self> {
        Self::Kind::lend::<Self>(access)
    }

    /// Does to the event what a hook said, and tells the pipeline.
    #[doc(hidden)]
    #[inline(always)]
    fn settle(access: Access<'_, Self>, said: Said<Self>, hook: &'static str) -> Outcome<Self> {
        Self::Kind::settle::<Self>(access, said, hook)
    }

    /// The outcome of having nothing to say.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn go_on() -> Outcome<Self> {
        Self::Kind::go_on::<Self>()
    }
}

/// What one handler says about an event: nothing, or an action.
#[doc(hidden)]
pub type Said<E> = <<E as Event>::Kind as Kind>::Said<E>;

/// An event that hooks look at: marked `#[observe]` in its vocabulary.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, HeartbeatTick};
/// use hooks_core::{Event, Observed, ObservesNow, hooks};
///
/// fn tell<E: Observed<Vocabulary = AgentEvent<'static>>>(hooks: impl ObservesNow<E>, event: &E) {
///     hooks.observe_now(&AgentContext::new("s1"), event);
/// }
/// tell(hooks![], &HeartbeatTick);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observed event",
    label = "not observed",
    note = "an intercepted event is dispatched with `.intercept(&cx, &mut event)` or \
            `.intercept_now(&cx, &mut event)`, whose result tells what its hooks decided"
)]
pub trait Observed: Event<Kind = Observe> {}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Observe>> Observed for E {}

/// An event that hooks may change, answer or stop: marked `#[intercept]` in its vocabulary.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Intercepted, InterceptsNow, hooks};
///
/// fn goes_on<E>(hooks: impl InterceptsNow<E>, event: &mut E) -> bool
/// where
///     E: Intercepted<Vocabulary = AgentEvent<'static>>,
/// {
///     hooks.intercept_now(&AgentContext::new("s1"), event).is_continue()
/// }
/// assert!(goes_on(hooks![], &mut BeforeToolCall::default()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an intercepted event",
    label = "not intercepted",
    note = "an observed event is only looked at: its hooks take it by `&` and return nothing, and \
            agents dispatch it with `.observe(&cx, &event)` or `.observe_now(&cx, &event)`"
)]
pub trait Intercepted: Event<Kind = Intercept> {
    /// An action of a closure, whose type cannot name the lifetime of the event that it was given.
    #[doc(hidden)]
    fn shorten(action: HookAction<Self::At<'static>>) -> HookAction<Self>;

    /// Hands on the event that a dispatch holds, to be changed.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn change(access: Access<'_, Self>) -> &mut Self {
        access
    }
}

/// An intercepted event that hooks may block: one without `no_block`.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{Blockable, HookAction};
///
/// fn deny<E: Blockable>() -> HookAction<E> {
///     HookAction::block("not today")
/// }
/// assert!(!deny::<BeforeToolCall>().is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be blocked",
    label = "cannot be blocked",
    note = "its work is done already, or it is only observed: no hook on it may `block`, return \
            `Err`, or fail with `block`; a hook may rewrite an intercepted event, or stop more than \
            the event with `HookAction::abort_turn(…)` and `HookAction::abort_run(…)`, and a hook \
            that fails may be left out with `skip`"
)]
pub trait Blockable: Intercepted {
    /// What a dispatch comes to if a hook fails whose policy is `block`.
    #[doc(hidden)]
    fn blocked(hook: &'static str, failure: impl Display) -> Outcome<Self> {
        HookResult::Cancel(Cancel {
            hook: hook.into(),
            reason: failure.to_string().into(),
            scope: Scope::Event,
        })
    }
}

/// An event on which a hook with `timeout` needs no `on_timeout`: what guards fails closed, what only
/// watches is skipped, and what may neither be blocked nor is only watched has to say.
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
pub trait DefaultPolicy<K: Kind = <Self as Event>::Kind>: Event<Kind = K> {
    /// What a dispatch comes to if a hook outlives its timeout.
    #[doc(hidden)]
    fn timed_out(hook: &'static str, failure: impl Display) -> Outcome<Self>;
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Observe>> DefaultPolicy<Observe> for E {
    fn timed_out(hook: &'static str, failure: impl Display) {
        crate::failure::skipped::<E>(hook, failure);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept> + Blockable> DefaultPolicy<Intercept> for E {
    fn timed_out(hook: &'static str, failure: impl Display) -> HookResult<E> {
        E::blocked(hook, failure)
    }
}

/// An event that `skip` can put back as it was before a hook that failed: every one that is `Clone`.
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
    /// The event as it is now.
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

/// An intercepted event that hooks may answer in the agent's place: one with `respond = …`.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolOutput};
/// use hooks_core::{HookAction, Respondable};
///
/// fn answer<E: Respondable<Answer = ToolOutput>>() -> HookAction<E> {
///     HookAction::respond(ToolOutput::new("from the cache"))
/// }
/// assert!(!answer::<BeforeToolCall>().is_continue());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be answered by a hook",
    label = "no response is possible",
    note = "only an event declared with `#[intercept(respond = Answer)]` can: here a hook may change \
            the event, `HookAction::block(…)`, `abort_turn(…)` or `abort_run(…)` it"
)]
pub trait Respondable: Event<Response = Self::Answer> {
    /// The type named by `respond = …`.
    type Answer;
}

/// An event with a subject, the field that `only("glob")` matches: one with `subject = …`.
///
/// ```
/// use hooks_core::Subject;
/// use hooks_core::agent::BeforeToolCall;
///
/// let call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert_eq!(call.subject(), "shell");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no subject, so `only(…)` has nothing to match",
    label = "no subject",
    note = "only an event declared with `subject = field` has one, as `BeforeToolCall` has its `name`; \
            use `when = |event| …` to look at anything else"
)]
pub trait Subject: Event {
    /// The text that globs are matched against: the tool's name, say.
    fn subject(&self) -> &str;
}

/// What [`HookAction::modify`] takes for the event `E`: a change, and how it is applied.
///
/// Implement it for the type named by `#[intercept(patch = …)]`. Every event is a patch of itself: it
/// replaces the whole.
///
/// ```
/// use hooks_core::{HookAction, HookEvent, Patch, hook, hooks};
///
/// #[derive(Debug)]
/// pub struct Cart { pub total: u32 }
/// pub struct Coupon { pub percent: u32 }
///
/// impl Patch<Cart> for Coupon {
///     fn apply(self, cart: &mut Cart) {
///         cart.total -= cart.total * self.percent / 100;
///     }
/// }
///
/// #[derive(HookEvent)]
/// pub enum ShopEvent<'a> {
///     #[intercept(patch = Coupon)]
///     Checkout(&'a Cart),
/// }
///
/// #[hook]
/// fn happy_hour(_: &Cart) -> HookAction<Cart> {
///     HookAction::modify(Coupon { percent: 10 })
/// }
///
/// let mut cart = Cart { total: 200 };
/// assert!(hooks![happy_hour].intercept_now(&(), &mut cart).is_continue());
/// assert_eq!(cart.total, 180);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a patch of `{E}`",
    label = "not a patch of `{E}`",
    note = "what `patch = …` names says how it changes the event: write \
            `impl Patch<{E}> for {Self} {{ fn apply(self, event: &mut {E}) {{ … }} }}`"
)]
pub trait Patch<E> {
    /// Makes the change.
    fn apply(self, event: &mut E);
}

#[diagnostic::do_not_recommend]
impl<E: Event> Patch<E> for E {
    fn apply(self, event: &mut E) {
        *event = self;
    }
}

/// The context of the vocabulary `V`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the context of this event's vocabulary",
    label = "neither the context nor the only event",
    note = "a hook takes one event, and before it, if wanted, a reference to the vocabulary's context: \
            `&AgentContext` for the standard one, and what `#[events(context = …)]` names for others"
)]
pub trait ContextOf<V: Vocabulary> {
    #[doc(hidden)]
    fn of(context: &V::Context) -> &Self;
}

/// Implemented for two vocabularies that are the same.
#[diagnostic::on_unimplemented(
    message = "two vocabularies: `{Self}` and `{V}`",
    label = "belongs to another vocabulary",
    note = "the hooks of one list, and the events that it is given, share one vocabulary: make one \
            pipeline for each",
    note = "hooks behind a type parameter or an `impl AgentHooks` cannot stand in a list: write the list \
            where their type is known"
)]
pub trait SharesVocabulary<V> {
    #[doc(hidden)]
    type Common;

    /// The vocabulary of a list that a hook has joined.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    fn joined(_: Agreed<Self>, _: Agreed<V>) -> Agreed<Self::Common>
    where
        Self: Sized,
    {
        Agreed::NEW
    }
}

/// The vocabulary of what handles no event at all, as `hooks![]`: it fits in everywhere.
#[derive(Debug)]
pub enum AnyVocabulary {}

#[diagnostic::do_not_recommend]
impl<V> SharesVocabulary<V> for AnyVocabulary {
    type Common = V;
}

/// Whether hooks [`Observe`] or [`Intercept`] an event.
pub trait Kind: Sized {
    /// How a dispatch holds the event: `&E` or `&mut E`.
    #[doc(hidden)]
    type Access<'a, E: Event + 'a>: Send;
    /// What a dispatch comes to: `()` or `HookResult<E>`.
    #[doc(hidden)]
    type Outcome<E: Event<Kind = Self>>: Return<E, Self> + Send;
    /// What one hook says: `()` or `HookAction<E>`.
    #[doc(hidden)]
    type Said<E: Event>: Send;
    /// Does to the event what a hook said, and tells the pipeline.
    #[doc(hidden)]
    fn settle<E: Event<Kind = Self>>(
        event: Self::Access<'_, E>,
        said: Self::Said<E>,
        hook: &'static str,
    ) -> Self::Outcome<E>;

    /// What a hook says that returns nothing.
    #[doc(hidden)]
    fn nothing<E: Event<Kind = Self>>() -> Self::Said<E>;

    /// The outcome of no hook having anything to say.
    #[doc(hidden)]
    fn go_on<E: Event<Kind = Self>>() -> Self::Outcome<E>;
    /// Looks at the event. (The bound `E: 'a` makes `'a` early bound here and in the impls: see E0195.)
    #[doc(hidden)]
    fn look<'a, E: Event<Kind = Self> + 'a>(access: Self::Access<'a, E>) -> &'a E;
    /// Lends the event out.
    #[doc(hidden)]
    fn lend<'l, E: Event<Kind = Self>>(access: &'l mut Self::Access<'_, E>) -> Self::Access<'l, E>;
    /// Runs the handlers of a registry.
    #[doc(hidden)]
    fn ask_all<'a, E: Event<Kind = Self>>(
        handlers: &'a [Placed<Handler<E>>],
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
    ) -> impl Future<Output = Self::Outcome<E>> + Send;
}

/// Hooks look; the asynchronous ones run concurrently.
#[derive(Debug)]
pub enum Observe {}

/// Hooks run in order; they may change the event, answer it, or stop it.
#[derive(Debug)]
pub enum Intercept {}

impl Kind for Observe {
    type Access<'a, E: Event + 'a> = &'a E;
    type Outcome<E: Event<Kind = Self>> = ();
    type Said<E: Event> = ();

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(_: &E, (): (), _: &'static str) {}

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() {}

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() {}

    #[inline(always)]
    fn look<'a, E: Event<Kind = Self> + 'a>(event: &'a E) -> &'a E {
        event
    }

    #[inline(always)]
    fn lend<'l, E: Event<Kind = Self>>(event: &'l mut &E) -> &'l E {
        event
    }

    async fn ask_all<'a, E: Event<Kind = Self>>(
        handlers: &'a [Placed<Handler<E>>],
        cx: &'a Context<E>,
        event: &'a E,
    ) {
        crate::registry::join_all(handlers.iter().map(|Placed { handler, .. }| {
            let name = E::Vocabulary::handler_name(handler);
            crate::trace::traced(name, E::NAME, E::ask(handler, cx, event))
        }))
        .await;
    }
}

impl Kind for Intercept {
    type Access<'a, E: Event + 'a> = &'a mut E;
    type Outcome<E: Event<Kind = Self>> = HookResult<E>;
    type Said<E: Event> = HookAction<E>;

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(
        event: &mut E,
        said: HookAction<E>,
        hook: &'static str,
    ) -> HookResult<E> {
        crate::trace::decided(hook, &said);
        said.settle(event, || Cow::Borrowed(hook))
    }

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() -> HookAction<E> {
        HookAction::Continue
    }

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() -> HookResult<E> {
        HookResult::Continue
    }

    #[inline(always)]
    fn look<'a, E: Event<Kind = Self> + 'a>(event: &'a mut E) -> &'a E {
        event
    }

    #[inline(always)]
    #[expect(clippy::mut_mut, reason = "an intercepted event is held by `&mut`")]
    fn lend<'l, E: Event<Kind = Self>>(event: &'l mut &mut E) -> &'l mut E {
        event
    }

    async fn ask_all<'a, E: Event<Kind = Self>>(
        handlers: &'a [Placed<Handler<E>>],
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        for (nth, Placed { handler, .. }) in handlers.iter().enumerate() {
            let name = E::Vocabulary::handler_name(handler);
            let asked = E::ask(handler, cx, &mut *event);
            let action = crate::trace::traced(name, E::NAME, asked).await;
            crate::trace::decided(name, &action);
            let result = action.settle(event, || Cow::Owned(name.into()));
            if !result.is_continue() {
                crate::registry::tell(&handlers[nth + 1..], cx, &*event, Decision::from(&result));
                return result;
            }
        }
        HookResult::Continue
    }
}
