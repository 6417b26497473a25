//! Runs a hook as its mode requires. The mode is a type, so this needs no branch.

use alloc::boxed::Box;
use core::future::Future;
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context as Task, Poll, Waker};

use super::{Handle, HandleAsync, Hook};
use crate::decision::{Dispatched, Outcome, Return, Told, WitnessesOf, go_on};
use crate::event::{Access, AnswersNow, Asynchronous, Context, Either, Later, Now, Skip};

/// Runs `H` on `E` as its mode requires. The mode is a type, so this needs no branch.
#[doc(hidden)]
pub trait StepNow<H, E: Dispatched> {
    fn step<'a>(hook: &'a H, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>;
    /// Tells `H` what an earlier hook has decided.
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);
    /// Asks for the witnesses that `H` wants.
    fn listen(hook: &H, witnesses: &mut WitnessesOf<E>);
    /// Runs `H` with witnesses.
    fn witnessed<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E>;
}

/// What does nothing on the event.
macro_rules! nothing_now {
    () => {
        #[inline(always)]
        fn decided<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, _: Told<'a, E::Vocabulary>) {}

        #[inline(always)]
        fn listen(_: &H, _: &mut WitnessesOf<E>) {}

        fn witnessed<'a>(
            _: &'a H,
            _: &'a Context<E>,
            _: Access<'a, E>,
            _: &'a mut WitnessesOf<E>,
        ) -> Outcome<E> {
            go_on::<E>()
        }
    };
}

#[diagnostic::do_not_recommend]
impl<H, E: Dispatched> StepNow<H, E> for Skip {
    #[inline(always)]
    fn step<'a>(_: &'a H, _: &'a Context<E>, _: Access<'a, E>) -> Outcome<E> {
        go_on::<E>()
    }

    nothing_now!();
}

/// Hooks that run in a plain function.
macro_rules! now {
    ($($Mode:ident)*) => { $(
#[diagnostic::do_not_recommend]
impl<H: Handle<E> + Hook, E: Dispatched> StepNow<H, E> for $Mode {
    #[inline(always)]
    fn step<'a>(hook: &'a H, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        hook.handle(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        hook.decided(cx, event, told);
    }

    #[inline(always)]
    fn listen(hook: &H, witnesses: &mut WitnessesOf<E>) {
        hook.listen(witnesses);
    }

    fn witnessed<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        hook.witnessed(cx, event, witnesses)
    }
}
    )* };
}
now!(Now Either);

/// Never called. With it, the compiler reports an asynchronous hook through [`AnswersNow`], which names only the
/// event.
impl<H, E: Dispatched> StepNow<H, E> for Later
where
    Asynchronous: AnswersNow<E>,
{
    fn step<'a>(_: &'a H, _: &'a Context<E>, _: Access<'a, E>) -> Outcome<E> {
        go_on::<E>()
    }

    nothing_now!();
}

/// Runs `H` on `E` as its mode requires, in a future.
#[doc(hidden)]
pub trait Step<H, E: Dispatched> {
    type Said: Return<E>;
    /// Whether a future of it is done when it is first polled.
    const IS_NOW: bool;
    /// For a hook in a group, which applies its decision.
    fn step<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send;

    /// For a single hook.
    fn whole<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// For a hook that another one may replace.
    fn unless<'a, I: Instead<'a, E>>(
        hook: &'a H,
        instead: I,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Tells `H` what an earlier hook has decided.
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>);

    /// Asks for the witnesses that `H` wants.
    fn listen(hook: &H, witnesses: &mut WitnessesOf<E>);

    /// Runs `H` with witnesses, and applies its decision.
    fn witnessed<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send;
}

/// What runs instead of a hook, if it is wanted.
#[doc(hidden)]
pub trait Instead<'a, E: Dispatched + 'a>: Copy + Send {
    /// What it needs to run.
    type Found: Send;
    /// Returns what it needs if it is wanted, and nothing if the hook runs.
    fn found(self) -> Option<Self::Found>;
    /// Boxed, so that a dispatch that does not want it is no larger.
    fn ask(
        self,
        found: Self::Found,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Boxed<'a, Outcome<E>>;
}

/// A boxed future.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

// The futures of synchronous hooks are written by hand, so that there is no coroutine to generate and optimise away.

/// Runs no hook.
struct Skipped<E>(PhantomData<fn() -> E>);

impl<E: Dispatched> Future for Skipped<E> {
    type Output = Outcome<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<Outcome<E>> {
        Poll::Ready(go_on::<E>())
    }
}

/// Runs a synchronous hook when the future is polled, and not before.
struct Asked<'a, H, E: Dispatched + 'a> {
    hook: &'a H,
    cx: &'a Context<E>,
    event: Option<Access<'a, E>>,
}

/// Nothing in it points to itself.
impl<'a, H, E: Dispatched + 'a> Unpin for Asked<'a, H, E> {}

impl<'a, H: Handle<E>, E: Dispatched + 'a> Future for Asked<'a, H, E> {
    type Output = Outcome<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<Outcome<E>> {
        let this = self.get_mut();
        let event = this.event.take().expect(POLLED_AGAIN);
        Poll::Ready(this.hook.handle(this.cx, event))
    }
}

const POLLED_AGAIN: &str = "a dispatch is polled after it has ended";

/// Like [`Asked`], for a synchronous hook or its replacement.
struct AskedUnless<'a, M, H, I, E: Dispatched + 'a> {
    hook: &'a H,
    instead: I,
    cx: &'a Context<E>,
    event: Option<Access<'a, E>>,
    asked_instead: Rare<'a, Outcome<E>>,
    mode: PhantomData<fn() -> M>,
}

impl<'a, M, H, I, E: Dispatched + 'a> Unpin for AskedUnless<'a, M, H, I, E> {}

impl<'a, M: StepNow<H, E>, H, I: Instead<'a, E>, E: Dispatched + 'a> Future
    for AskedUnless<'a, M, H, I, E>
{
    type Output = Outcome<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Outcome<E>> {
        let this = self.get_mut();
        let asked = match this.event.take() {
            Some(event) => match this.instead.found() {
                None => return Poll::Ready(M::step(this.hook, this.cx, event)),
                Some(found) => this.instead.ask(found, this.cx, event),
            },
            None => this.asked_instead.0.take().expect(POLLED_AGAIN),
        };
        match polled(asked, task.waker()) {
            Ok(outcome) => Poll::Ready(outcome),
            Err(asked) => {
                this.asked_instead.0 = Some(asked);
                Poll::Pending
            }
        }
    }
}

/// Polls a future, and returns it if it is not done.
///
/// All arguments and results are passed by value: if a reference to a local escaped, every dispatch would keep that
/// local in memory, even those that never call this function.
#[cold]
#[inline(never)]
fn polled<'a, T>(mut future: Boxed<'a, T>, waker: &Waker) -> Result<T, Boxed<'a, T>> {
    match future.as_mut().poll(&mut Task::from_waker(waker)) {
        Poll::Ready(outcome) => Ok(outcome),
        Poll::Pending => Err(future),
    }
}

/// A boxed future that a dispatch rarely has.
struct Rare<'a, T>(Option<Boxed<'a, T>>);

impl<T> Drop for Rare<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        #[cold]
        #[inline(never)]
        fn rarely<T>(_: Boxed<'_, T>) {}

        if let Some(future) = self.0.take() {
            rarely(future);
        }
    }
}

/// Modes that run at once when the future is polled, or not at all.
macro_rules! at_once {
    ($([$($bounds:tt)+] $Mode:ident, |$hook:ident, $cx:ident, $event:ident| $whole:expr;)*) => { $(
#[diagnostic::do_not_recommend]
impl<H: $($bounds)+, E: Dispatched> Step<H, E> for $Mode {
    type Said = Outcome<E>;
    const IS_NOW: bool = true;

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
        $hook: &'a H,
        $cx: &'a Context<E>,
        $event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        $whole
    }

    #[inline]
    fn unless<'a, I: Instead<'a, E>>(
        hook: &'a H,
        instead: I,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        AskedUnless {
            hook,
            instead,
            cx,
            event: Some(event),
            asked_instead: Rare(None),
            mode: PhantomData::<fn() -> Self>,
        }
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        <Self as StepNow<H, E>>::decided(hook, cx, event, told);
    }

    #[inline(always)]
    fn listen(hook: &H, witnesses: &mut WitnessesOf<E>) {
        <Self as StepNow<H, E>>::listen(hook, witnesses);
    }

    async fn witnessed<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        <Self as StepNow<H, E>>::witnessed(hook, cx, event, witnesses)
    }
}
    )* };
}
at_once! {
    [Sync] Skip, |_hook, _cx, _event| Skipped::<E>(PhantomData);
    [Handle<E> + Hook] Now, |hook, cx, event| Asked { hook, cx, event: Some(event) };
}

/// Modes that run in a future of their own.
macro_rules! later {
    ($($Mode:ident)*) => { $(
#[diagnostic::do_not_recommend]
impl<H: HandleAsync<E, Said: Return<E>> + Hook, E: Dispatched> Step<H, E> for $Mode {
    type Said = H::Said;
    const IS_NOW: bool = false;

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

    #[inline]
    async fn unless<'a, I: Instead<'a, E>>(
        hook: &'a H,
        instead: I,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        if let Some(found) = instead.found() {
            return instead.ask(found, cx, event).await;
        }
        hook.decide(cx, event).await
    }

    #[inline(always)]
    fn decided<'a>(hook: &'a H, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        hook.decided(cx, event, told);
    }

    #[inline(always)]
    fn listen(hook: &H, witnesses: &mut WitnessesOf<E>) {
        hook.listen(witnesses);
    }

    fn witnessed<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        hook.witnessed(cx, event, witnesses)
    }
}
    )* };
}
later!(Later Either);
