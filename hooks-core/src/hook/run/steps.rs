//! Runs a hook as its mode requires. The mode is a type, so this needs no branch.

use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context as Task, Poll};

use super::ask::Ask;
use super::enter::{Synchronous, Timing};
use super::facts::{Facts, Looks};
use super::watch::{Did, Watch, WatchToken};
use super::{AnyEvent, Dispatch, Leaf, Run};
use crate::decision::{AnyAction, Decides, ResultOf, Return, go_on};
use crate::event::{Context, Many, Mode, One, Skip};
use crate::hook::{ExactOf, Hook};

/// How `H` runs on `E`.
pub(crate) type StepsOf<H, E> = <H as Dispatch<E>>::Steps;
/// What is known about `H` on `E`.
pub(crate) type FactsOf<H, E> = <StepsOf<H, E> as Steps<H, E>>::Facts;
/// Whether `H` runs on `E` without awaiting.
pub(crate) type TimingOf<H, E> = <H as Dispatch<E>>::Timing;

/// How a hook begins.
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub enum Start<E: AnyEvent, T> {
    /// It does not run.
    Skips,
    /// It has judged the event.
    Judged(ResultOf<E>),
    /// It runs. The watch remembers something meanwhile.
    Runs(T),
}

/// What a dispatch does with the hook `H` on the event `E`: a mode, see [`event::answers`](crate::event).
///
/// A list calls the parts, so that it awaits the user's own future: a future around each would cost as much as the
/// hook itself. Everybody else calls [`whole`](Self::whole).
pub trait Steps<H: ?Sized, E: AnyEvent> {
    /// What the hook returns.
    type Said: Send;
    /// Whether it runs without awaiting.
    type Timing: Timing;
    /// What is known about it.
    type Facts: Facts;
    /// What the watch remembers while the hook runs.
    type Token<W: Watch<E::Vocabulary>>: WatchToken;

    /// Whether the hook may want this event.
    fn wants(hook: &H, cx: &Context<E>, event: &E) -> bool;

    /// Begins, if the hook runs for this event and in this round.
    fn start<W: Watch<E::Vocabulary>>(
        hook: &H,
        ask: &mut Ask<'_, E, W>,
    ) -> Start<E, Self::Token<W>>;

    fn run<'a, W: Watch<E::Vocabulary>>(
        hook: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = Self::Said> + Send;

    fn run_now<'a, W: Watch<E::Vocabulary>>(hook: &'a H, ask: Ask<'a, E, W>) -> Self::Said;

    /// Carries out what the hook said, and tells the watch.
    fn conclude<W: Watch<E::Vocabulary>>(
        hook: &H,
        ask: Ask<'_, E, W>,
        said: Self::Said,
        token: Self::Token<W>,
    ) -> ResultOf<E>;

    /// All of it.
    fn whole<'a, W: Watch<E::Vocabulary>>(
        hook: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send;

    /// All of it, without an executor.
    #[inline(always)]
    fn whole_now<'a, W: Watch<E::Vocabulary>>(hook: &'a H, mut ask: Ask<'a, E, W>) -> ResultOf<E> {
        match Self::start::<W>(hook, &mut ask) {
            Start::Skips => go_on::<E>(),
            Start::Judged(result) => result,
            Start::Runs(token) => {
                let said = Self::run_now::<W>(hook, ask.lend());
                Self::conclude::<W>(hook, ask, said, token)
            }
        }
    }
}

/// Runs no hook.
struct Skipped<E>(PhantomData<fn() -> E>);

impl<E: AnyEvent> Future for Skipped<E> {
    type Output = ResultOf<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<ResultOf<E>> {
        Poll::Ready(go_on::<E>())
    }
}

/// What hooks made of others, and no hooks, have in common: nothing is left to conclude.
macro_rules! concluded {
    () => {
        type Said = ResultOf<E>;
        type Token<W: Watch<E::Vocabulary>> = ();

        #[inline(always)]
        fn conclude<W: Watch<E::Vocabulary>>(
            _: &H,
            _: Ask<'_, E, W>,
            said: ResultOf<E>,
            (): (),
        ) -> ResultOf<E> {
            said
        }

        #[inline(always)]
        fn whole<'a, W: Watch<E::Vocabulary>>(
            hook: &'a H,
            ask: Ask<'a, E, W>,
        ) -> impl Future<Output = ResultOf<E>> + Send {
            <Self as Steps<H, E>>::run::<W>(hook, ask)
        }
    };
}

#[diagnostic::do_not_recommend]
impl<H: ?Sized, E: AnyEvent> Steps<H, E> for Skip {
    type Timing = Synchronous;
    type Facts = Looks;

    #[inline(always)]
    fn wants(_: &H, _: &Context<E>, _: &E) -> bool {
        false
    }

    #[inline(always)]
    fn start<W: Watch<E::Vocabulary>>(_: &H, _: &mut Ask<'_, E, W>) -> Start<E, ()> {
        Start::Skips
    }

    #[inline(always)]
    fn run<'a, W: Watch<E::Vocabulary>>(
        _: &'a H,
        _: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send {
        Skipped::<E>(PhantomData)
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(_: &'a H, _: Ask<'a, E, W>) -> ResultOf<E> {
        go_on::<E>()
    }

    concluded!();
}

#[diagnostic::do_not_recommend]
impl<H: Run<E> + ?Sized, E: AnyEvent> Steps<H, E> for Many {
    type Timing = H::Timing;
    type Facts = H::Facts;

    #[inline(always)]
    fn wants(hook: &H, cx: &Context<E>, event: &E) -> bool {
        hook.wants(cx, event)
    }

    #[inline(always)]
    fn start<W: Watch<E::Vocabulary>>(_: &H, _: &mut Ask<'_, E, W>) -> Start<E, ()> {
        if ExactOf::<H, E>::HANDLES {
            Start::Runs(())
        } else {
            Start::Skips
        }
    }

    #[inline(always)]
    fn run<'a, W: Watch<E::Vocabulary>>(
        hook: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send {
        hook.run::<W>(ask)
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(hook: &'a H, ask: Ask<'a, E, W>) -> ResultOf<E> {
        hook.run_now::<W>(ask)
    }

    concluded!();
}

#[diagnostic::do_not_recommend]
impl<H, E> Steps<H, E> for One
where
    H: Hook + Leaf<E, Said: Return<E>> + ?Sized,
    E: AnyEvent,
{
    type Said = H::Said;
    type Timing = H::Timing;
    type Facts = H::Facts;
    type Token<W: Watch<E::Vocabulary>> = W::Token;

    #[inline(always)]
    fn wants(hook: &H, cx: &Context<E>, event: &E) -> bool {
        hook.wants(cx, event)
    }

    #[inline(always)]
    fn start<W: Watch<E::Vocabulary>>(hook: &H, ask: &mut Ask<'_, E, W>) -> Start<E, W::Token> {
        let is_guard = hook.is_guard();
        if !ask.admits(H::JUDGES || is_guard) || !hook.wants(ask.cx, ask.event()) {
            return Start::Skips;
        }
        let token = ask.before(hook.name());
        if !H::JUDGES || ask.admits(false) {
            if H::MUTATES && !is_guard {
                ask.changing();
            }
            return Start::Runs(token);
        }
        let result = H::Facts::judge::<H, E>(hook, ask.cx, ask.event());
        ask.after(Did {
            hook: hook.name(),
            changed: false,
            action: E::Kind::any::<E>(&result),
            since: token.since(),
        });
        Start::Judged(result)
    }

    #[inline(always)]
    fn run<'a, W: Watch<E::Vocabulary>>(
        hook: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = H::Said> + Send {
        hook.call(ask.cx, ask.event)
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(hook: &'a H, ask: Ask<'a, E, W>) -> H::Said {
        hook.call_now(ask.cx, ask.event)
    }

    #[inline(always)]
    fn conclude<W: Watch<E::Vocabulary>>(
        hook: &H,
        mut ask: Ask<'_, E, W>,
        said: H::Said,
        token: W::Token,
    ) -> ResultOf<E> {
        let action = said.action();
        let modifies = E::Kind::modifies::<E>(&action);
        let (is_guard, name) = (hook.is_guard(), hook.name());
        if modifies && !is_guard {
            ask.changing();
        }
        let event = E::lend(&mut ask.event);
        let result = H::Facts::settle::<E>(is_guard, event, action, name);
        ask.after(Did {
            hook: name,
            changed: modifies || (H::MUTATES && !is_guard),
            action: if modifies {
                AnyAction::Modify
            } else {
                E::Kind::any::<E>(&result)
            },
            since: token.since(),
        });
        result
    }

    #[inline]
    async fn whole<'a, W: Watch<E::Vocabulary>>(
        hook: &'a H,
        mut ask: Ask<'a, E, W>,
    ) -> ResultOf<E> {
        match <Self as Steps<H, E>>::start::<W>(hook, &mut ask) {
            Start::Skips => go_on::<E>(),
            Start::Judged(result) => result,
            Start::Runs(token) => {
                let said = hook.call(ask.cx, E::lend(&mut ask.event)).await;
                <Self as Steps<H, E>>::conclude::<W>(hook, ask, said, token)
            }
        }
    }
}
