//! How a dispatch begins: [`Timing`], a type, says whether its hooks need an await.

use core::future::Future;
use core::pin::{Pin, pin};
use core::task::{Context as Task, Poll, Waker};

#[cfg(feature = "std")]
use super::super::BoxFuture;
use super::facts::Facts;
use super::steps::FactsOf;
use super::watch::Watch;
use super::{AnyEvent, Ask, Dispatch};
use crate::decision::ResultOf;

/// Whether hooks need an await.
pub trait Timing {
    /// Whether the hooks never wait.
    const IS_NOW: bool;
    /// Whether these hooks together with others need one.
    type And<T: Timing>: Timing;

    /// A dispatch that an agent awaits.
    fn enter<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>;

    /// A dispatch in whose place a boxed one may run: what `instead` returns. It is boxed, so that a dispatch in which it
    /// does not run is no larger.
    #[cfg(feature = "std")]
    fn enter_unless<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
        instead: impl FnOnce(Ask<'a, E, W>) -> Result<Ask<'a, E, W>, BoxFuture<'a, ResultOf<E>>> + Send,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E>,
        E: AnyEvent,
        W: Watch<E::Vocabulary>;
}

/// Hooks that run synchronously.
#[derive(Debug)]
pub enum Synchronous {}
/// Hooks that need an await.
#[derive(Debug)]
pub enum Asynchronous {}

/// What handles the event `E` without an `.await`.
#[diagnostic::on_unimplemented(
    message = "the hooks on `{E}` must be awaited",
    label = "one of the hooks on this event is `async`",
    note = "write `.intercept(&cx, &mut event).await` or `.observe(&cx, &event).await`; where hooks are a type \
            parameter, `AgentHooksNow` in the place of `AgentHooks` takes only hooks that are plain `fn`s"
)]
pub trait AnswersNow<E>: Timing {}

#[diagnostic::do_not_recommend]
impl<E> AnswersNow<E> for Synchronous {}

impl Timing for Synchronous {
    const IS_NOW: bool = true;
    type And<T: Timing> = T;

    #[inline(always)]
    fn enter<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        let ask = Some(ask);
        Entered { hooks, ask }
    }

    #[cfg(feature = "std")]
    #[inline(always)]
    fn enter_unless<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
        instead: impl FnOnce(Ask<'a, E, W>) -> Result<Ask<'a, E, W>, BoxFuture<'a, ResultOf<E>>> + Send,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E>,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        EnteredUnless {
            hooks,
            start: Some((ask, instead)),
            boxed: None,
        }
    }
}

impl Timing for Asynchronous {
    const IS_NOW: bool = false;
    type And<T: Timing> = Asynchronous;

    #[inline(always)]
    fn enter<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        FactsOf::<H, E>::rounds::<H, E, W>(hooks, ask)
    }

    #[cfg(feature = "std")]
    #[inline]
    async fn enter_unless<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
        instead: impl FnOnce(Ask<'a, E, W>) -> Result<Ask<'a, E, W>, BoxFuture<'a, ResultOf<E>>> + Send,
    ) -> ResultOf<E>
    where
        H: Dispatch<E>,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        match instead(ask) {
            Ok(ask) => FactsOf::<H, E>::rounds::<H, E, W>(hooks, ask).await,
            Err(boxed) => boxed.await,
        }
    }
}

/// Runs synchronous hooks when the future is polled, and not before. It is written by hand, so that there is no coroutine
/// to generate and optimise away.
struct Entered<'a, H: ?Sized, E: AnyEvent + 'a, W: Watch<E::Vocabulary>> {
    hooks: &'a H,
    ask: Option<Ask<'a, E, W>>,
}

/// Nothing in it points to itself.
impl<'a, H: ?Sized, E: AnyEvent + 'a, W: Watch<E::Vocabulary>> Unpin for Entered<'a, H, E, W> {}

impl<'a, H, E, W> Future for Entered<'a, H, E, W>
where
    H: Dispatch<E> + ?Sized,
    E: AnyEvent + 'a,
    W: Watch<E::Vocabulary>,
{
    type Output = ResultOf<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<ResultOf<E>> {
        let this = self.get_mut();
        let ask = this.ask.take().expect(POLLED_AGAIN);
        Poll::Ready(FactsOf::<H, E>::rounds_now::<H, E, W>(this.hooks, ask))
    }
}

const POLLED_AGAIN: &str = "a dispatch is polled after it has ended";

/// Like [`Entered`], unless something else runs.
#[cfg(feature = "std")]
struct EnteredUnless<'a, H, E: AnyEvent + 'a, W: Watch<E::Vocabulary>, I> {
    hooks: &'a H,
    start: Option<(Ask<'a, E, W>, I)>,
    boxed: Option<BoxFuture<'a, ResultOf<E>>>,
}

#[cfg(feature = "std")]
impl<'a, H, E: AnyEvent + 'a, W: Watch<E::Vocabulary>, I> Unpin for EnteredUnless<'a, H, E, W, I> {}

#[cfg(feature = "std")]
impl<'a, H, E, W, I> Future for EnteredUnless<'a, H, E, W, I>
where
    H: Dispatch<E>,
    E: AnyEvent + 'a,
    W: Watch<E::Vocabulary>,
    I: FnOnce(Ask<'a, E, W>) -> Result<Ask<'a, E, W>, BoxFuture<'a, ResultOf<E>>>,
{
    type Output = ResultOf<E>;

    #[inline(always)]
    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<ResultOf<E>> {
        let this = self.get_mut();
        if let Some((ask, instead)) = this.start.take() {
            match instead(ask) {
                Ok(ask) => {
                    return Poll::Ready(FactsOf::<H, E>::rounds_now::<H, E, W>(this.hooks, ask));
                }
                Err(boxed) => this.boxed = Some(boxed),
            }
        }
        let boxed = this.boxed.as_mut().expect(POLLED_AGAIN);
        boxed.as_mut().poll(task)
    }
}

/// Polls a future of hooks that never wait.
#[inline]
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Task::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("a synchronous hook waits for nothing"),
    }
}
