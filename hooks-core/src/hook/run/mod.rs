//! The one operation: a dispatch asks a hook about an event.
//!
//! A hook's author writes a [`Leaf`]: code for one event, in a `fn` or an `async fn`. Hooks made of others, such as a
//! pipeline or a wrapper, are a [`Run`]: they hand the event on to the hooks in them, with the [`Watch`] that the
//! dispatch carries. [`Dispatch`] is both, for any event of the vocabulary: the bound of code that runs hooks.
//!
//! | file | holds |
//! | --- | --- |
//! | `ask` | [`Ask`], a dispatch on its way from hook to hook |
//! | `steps` | runs a hook as its mode requires |
//! | `enter` | how a dispatch begins: whether hooks need an await |
//! | `facts` | whether hooks can change the event, and whether guards judge it again |
//! | `watch` | what a dispatch carries from hook to hook |
//! | `guard` | the second round, in which guards judge what has changed |
//!
//! # Why it is so
//!
//! Four things cost more than they seem to, and each has shaped this room:
//!
//! - **A future around the user's future.** So a list does not call one function per hook. It calls the parts of
//!   [`Steps`]: `start`, the user's own future, `conclude`.
//! - **What lives across an await.** A flag there costs eight bytes of every future, also one that is constant. So what a
//!   dispatch carries is a type, and what a list remembers of a hook meanwhile is a `Copy` token.
//! - **A coroutine that never waits.** rustc generates it and LLVM has to take it apart. So synchronous hooks have functions
//!   of their own, `…_now`, and a future that is written by hand. Each operation is there twice, awaited and not.
//! - **A branch that a constant rules out.** LLVM removes its code, but rustc has already collected, for each hook, all that
//!   the branch mentions. So what decides which code there is, is a type with a method, and not an `if`: the mode of an
//!   event, `Timing`, [`Facts`].

mod ask;
mod enter;
mod facts;
mod guard;
mod steps;
mod watch;

use core::future::Future;
use core::pin::Pin;
use core::task::{Context as Task, Poll};

pub(crate) use self::ask::Ask;
pub use self::enter::{AnswersNow, Asynchronous, Synchronous};
pub(crate) use self::enter::{Timing, now};
pub use self::facts::{Changes, ChangesAndGuards, Facts, Guards, Looks, Rejudges};
#[cfg(any(feature = "agent", feature = "std"))]
pub(crate) use self::guard::{GuardWatch, Round};

pub(crate) use self::steps::{FactsOf, Start, Steps, StepsOf, TimingOf};
pub(crate) use self::watch::{Carries, Did, Shows, Since, Watch, WatchToken};
use super::Hook;
use crate::decision::{ActionOn, Decides, ResultOf};
use crate::event::{Access, Answers, Context, Event, Intercepted, Observed, Reads, Vocabulary};
use crate::once::{Fails, Holds};

/// Every event: the bound of code that handles events of either kind.
///
/// `#[derive(HookEvent)]` implements it for each payload. Write it in a [`Wrapper`](crate::wrap::Wrapper).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an event",
    label = "not an event",
    note = "an event is the payload of a variant of an enum with `#[derive(HookEvent)]`; it is \
            taken by reference, and after the context: `fn hook(cx: &AgentContext, call: &BeforeToolCall)`, \
            `hooks.observe(&cx, &event)`"
)]
pub trait AnyEvent: Event<Kind: Carries> {
    /// Converts an action on any event into one on this event.
    #[doc(hidden)]
    fn fit(said: <Self::Vocabulary as Vocabulary>::Said) -> ActionOn<Self>;
    /// Converts the result of hooks on this event into an action on any event.
    #[doc(hidden)]
    fn say(result: ResultOf<Self>) -> <Self::Vocabulary as Vocabulary>::Said;
}

/// The context of the event `E`, as the hooks `H` read it.
pub(crate) type ContextIn<H, E> =
    <<H as Hook>::Vocabulary as Reads<<E as Event>::Vocabulary>>::Context;

/// An event of a kind and of the hooks' vocabulary, for each [verdict](crate::once), so that a dispatch of another one is
/// one mistake.
macro_rules! of_kind {
    ($($(#[$attr:meta])* $Is:ident = $Kind:ident;)*) => { $(
        $(#[$attr])*
        #[doc(hidden)]
        pub trait $Is<H: Hook + ?Sized, K>: AnyEvent + $Kind {
            /// Dispatches the event.
            fn ask<'a>(
                hooks: &'a H,
                cx: &'a ContextIn<H, Self>,
                event: Access<'a, Self>,
            ) -> impl Future<Output = ResultOf<Self>> + Send
            where
                H::Vocabulary: Reads<Self::Vocabulary>;
        }

        of_kind!($Is $Kind Holds [];);
        of_kind!($Is $Kind Fails [Fails: AsRef<E>,];);
    )* };
    ($Is:ident $Kind:ident $Verdict:ident [$($never:tt)*];) => {
        #[diagnostic::do_not_recommend]
        impl<E: AnyEvent + $Kind, H: Dispatch<E> + ?Sized> $Is<H, $Verdict> for E
        where
            $($never)*
            H::Vocabulary: Reads<E::Vocabulary, Context = Context<E>>,
        {
            #[inline(always)]
            fn ask<'a>(
                hooks: &'a H,
                cx: &'a Context<E>,
                event: Access<'a, E>,
            ) -> impl Future<Output = ResultOf<E>> + Send {
                <TimingOf<H, E> as Timing>::enter::<H, E, ()>(hooks, Ask::new(cx, event))
            }
        }
    };
}
of_kind! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not an intercepted event of these hooks",
        label = "not intercepted, or of another vocabulary",
        note = "the hooks of one list, and the events that it is given, share one vocabulary: make one pipeline for each",
        note = "an observed event is only looked at: its hooks take it by `&` and return nothing, and \
                agents dispatch it with `.observe(&cx, &event)` or `.observe_now(&cx, &event)`"
    )]
    IsIntercepted = Intercepted;
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is not an observed event of these hooks",
        label = "not observed, or of another vocabulary",
        note = "the hooks of one list, and the events that it is given, share one vocabulary: make one pipeline for each",
        note = "an intercepted event is dispatched with `.intercept(&cx, &mut event)` or \
                `.intercept_now(&cx, &mut event)`, whose result tells what its hooks decided"
    )]
    IsObserved = Observed;
}

/// A hook's own code for the event `E`: what `#[hook]` writes.
///
/// The bounds are on the methods. rustc would check a bound on the trait again at each impl, and report it again.
#[doc(hidden)]
pub trait Leaf<E> {
    /// What the function returns: a `Return<E>`. It is `Send` here, and not only where hooks are dispatched, so that
    /// rustc reports what is not at the return type.
    type Said: Send;
    /// Whether it is a plain `fn`.
    type Timing: Timing;
    /// Whether it can change the event: it takes it by `&mut`, or returns an action; and whether it is a guard.
    type Facts: Facts;
    /// Whether it takes the event by `&mut`.
    const MUTATES: bool;
    /// Whether another method of the type judges what this one may change: see [`judge`](Self::judge).
    const JUDGES: bool = false;

    /// Whether it is a guard of this event.
    #[inline(always)]
    fn is_guard(&self) -> bool {
        Self::Facts::GUARDS
    }

    /// Whether it runs for this event: `only(…)` and `when`.
    #[inline(always)]
    fn wants(&self, _: &Context<E>, _: &E) -> bool
    where
        E: AnyEvent,
    {
        true
    }

    /// In the round of guards, what a guard says that shares its type with a hook that changes the event.
    fn judge(&self, _: &Context<E>, _: &E) -> ActionOn<E>
    where
        E: AnyEvent,
    {
        E::Kind::nothing::<E>()
    }

    /// Calls the function. A hook has this or [`call_now`](Self::call_now).
    #[inline(always)]
    fn call<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send
    where
        E: AnyEvent,
        Self: Sync,
    {
        Calling {
            hook: self,
            cx,
            event: Some(event),
        }
    }

    /// Calls a plain function.
    #[inline(always)]
    fn call_now<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Self::Said
    where
        E: AnyEvent,
        Self: Sync,
    {
        now(self.call(cx, event))
    }
}

/// Calls a plain function when it is polled.
struct Calling<'a, H: ?Sized, E: AnyEvent + 'a> {
    hook: &'a H,
    cx: &'a Context<E>,
    event: Option<Access<'a, E>>,
}

/// Nothing in it points to itself.
impl<'a, H: ?Sized, E: AnyEvent + 'a> Unpin for Calling<'a, H, E> {}

impl<'a, H: Leaf<E> + Sync + ?Sized, E: AnyEvent + 'a> Future for Calling<'a, H, E> {
    type Output = H::Said;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<H::Said> {
        let this = self.get_mut();
        let event = this
            .event
            .take()
            .expect("a hook is polled after it has ended");
        Poll::Ready(this.hook.call_now(this.cx, event))
    }
}

/// Hooks made of others, on the event `E` of the kind `K`.
#[doc(hidden)]
pub trait Run<E: AnyEvent + Event<Kind = K>, K: Carries = <E as Event>::Kind>: Hook {
    /// Whether they run without awaiting.
    type Timing: Timing;
    /// What is known about them.
    type Facts: Facts;

    /// Whether any of them may want this event.
    #[inline(always)]
    fn wants(&self, _: &Context<E>, _: &E) -> bool {
        true
    }

    fn run<'a, W: Watch<E::Vocabulary>>(
        &'a self,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send;

    /// Like [`run`](Self::run), without an executor.
    #[inline]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        now(self.run::<W>(ask))
    }
}

/// Hooks that a dispatch of `E` can run: every hook of its vocabulary, though most do nothing on most events.
///
/// It is the bound of code that is generic over the event, or that needs one event only. An agent takes the trait that
/// `#[derive(HookEvent)]` writes, such as [`AgentHooks`](crate::agent::AgentHooks), which asks for this on all events.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeStop};
/// use hooks_core::{Dispatch, hooks};
///
/// async fn may_stop(hooks: &impl Dispatch<BeforeStop>) -> bool {
///     hooks.ask(&AgentContext::new("s1"), &mut BeforeStop::default()).await.is_continue()
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert!(may_stop(&hooks![]).await);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "these hooks are not on the events of the vocabulary that `{E}` is in",
    label = "belongs to another vocabulary",
    note = "the hooks of one list, of one `then`, and the events that they are given, share one vocabulary: \
            make one pipeline for each"
)]
pub trait Dispatch<E: AnyEvent>: Hook {
    /// How they run.
    #[doc(hidden)]
    type Steps: Steps<Self, E>;
    /// Whether they run without awaiting.
    #[doc(hidden)]
    type Timing: Timing;

    /// Runs the hooks on the event: `&mut E` if it is intercepted, `&E` if it is observed.
    #[inline]
    fn ask<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = ResultOf<E>> + Send {
        <TimingOf<Self, E> as Timing>::enter::<Self, E, ()>(self, Ask::new(cx, event))
    }

    /// Like [`ask`](Self::ask), without an executor.
    #[inline]
    fn ask_now<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> ResultOf<E>
    where
        TimingOf<Self, E>: AnswersNow<E>,
    {
        FactsOf::<Self, E>::rounds_now::<Self, E, ()>(self, Ask::new(cx, event))
    }
}

#[diagnostic::do_not_recommend]
impl<E: AnyEvent, H: Hook + ?Sized> Dispatch<E> for H
where
    H::Vocabulary: crate::event::SharesVocabulary<E::Vocabulary>,
    <H::Answers as Answers>::At<E::Slot>: Steps<H, E>,
{
    type Steps = <H::Answers as Answers>::At<E::Slot>;
    type Timing = <Self::Steps as Steps<H, E>>::Timing;
}

/// Hooks that are all plain `fn`s on `E`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the hooks in `{Self}` may have to be awaited",
    label = "one of the hooks on this event may be `async`",
    note = "write `.intercept(&cx, &mut event).await` or `.observe(&cx, &event).await`; where hooks are a type \
            parameter, `AgentHooksNow` in the place of `AgentHooks` takes only hooks that are plain `fn`s"
)]
pub trait DispatchNow<E: AnyEvent>: Dispatch<E, Timing = Synchronous> {
    fn at_once<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> ResultOf<E>;
}

#[diagnostic::do_not_recommend]
impl<E: AnyEvent, H> DispatchNow<E> for H
where
    H: Dispatch<E, Timing = Synchronous> + ?Sized,
{
    #[inline]
    fn at_once<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> ResultOf<E> {
        FactsOf::<H, E>::rounds_now::<H, E, ()>(self, Ask::new(cx, event))
    }
}

/// Runs only the guards among the hooks, for a driver whose event has changed since the hooks saw it.
#[cfg(feature = "agent")]
pub(crate) async fn judge<E, H>(hooks: &H, cx: &Context<E>, event: &mut E) -> ResultOf<E>
where
    E: AnyEvent + Event<Kind = crate::event::Intercept>,
    H: Dispatch<E>,
{
    if !FactsOf::<H, E>::GUARDS {
        return crate::decision::go_on::<E>();
    }
    let mut round = Round::JUDGES;
    let ask = Ask::<E, GuardWatch> {
        cx,
        event,
        held: &mut round,
    };
    <StepsOf<H, E> as Steps<H, E>>::whole::<GuardWatch>(hooks, ask).await
}
