//! Hooks around the work that follows an event: a tool call or a model call.
//!
//! A hook with `#[hook(around)]` is an `async fn` that receives the event and [`Next`]. It awaits `next.run()` in its
//! middle, so it can hold a permit, a span or a transaction while the work runs. It may also run the work again, or
//! not at all.
//!
//! # How it works without a box
//!
//! `next.run()` does not contain the work. It requests the work: it leaves a note in a [`Slot`]. The driver that
//! polls the hook reads the note, starts the work, polls it, and puts its output into the slot. So the hook's future
//! does not depend on the type of the work. It is `Send` even if the compiler cannot show that the work's future is,
//! and the hook is an ordinary function, not a generic one. Hook, slot and work lie side by side in the driver's own
//! future: nothing is boxed or spawned, and dropping that future drops all of it.

#[cfg(feature = "std")]
use core::future::Future;
#[cfg(feature = "std")]
use core::mem;
#[cfg(feature = "std")]
use core::pin::Pin;
#[cfg(feature = "std")]
use core::task::{Context as Task, Poll, Waker};

use super::Hook;
use crate::event::{Context, One, SharesVocabulary, Skip, Wrapped};

/// How `H` wraps the work of `E`.
pub(crate) type WrapModeOf<H, E> =
    <<H as Hook>::Wraps as crate::event::Answers>::At<<E as crate::event::Event>::Slot>;

/// The message between a hook and the driver that polls it.
#[cfg(feature = "std")]
#[derive(Debug)]
pub(crate) struct Slot<W>(std::sync::Mutex<Note<W>>);

#[cfg(feature = "std")]
#[derive(Debug)]
enum Note<W> {
    /// The hook does not wait for the work: it has not requested it, or has dropped the future.
    Nothing,
    /// The hook requests the work, and asks to be woken when the work is done.
    Asked(Waker),
    /// The work runs.
    Running(Waker),
    /// The work is done.
    Done(W),
}

#[cfg(feature = "std")]
impl<W> Slot<W> {
    pub(crate) const fn new() -> Self {
        Slot(std::sync::Mutex::new(Note::Nothing))
    }

    /// Reads and writes the note. There is no contention: hook and driver are polled in turn.
    fn with<R>(&self, change: impl FnOnce(&mut Note<W>) -> R) -> R {
        // A panic in between leaves a valid note.
        change(
            &mut self
                .0
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner),
        )
    }

    /// Runs a hook until it requests the work. Returns the hook's output if it finishes first.
    pub(crate) async fn until_asked(
        &self,
        mut hook: Pin<&mut impl Future<Output = W>>,
    ) -> Option<W> {
        core::future::poll_fn(|task| {
            if let Poll::Ready(output) = hook.as_mut().poll(task) {
                return Poll::Ready(Some(output));
            }
            self.with(|note| match mem::replace(note, Note::Nothing) {
                Note::Asked(waker) => {
                    *note = Note::Running(waker);
                    Poll::Ready(None)
                }
                other => {
                    *note = other;
                    Poll::Pending
                }
            })
        })
        .await
    }

    /// Runs the work until it is done, or the hook no longer waits for it. Returns the hook's output if it finishes
    /// first.
    pub(crate) async fn work(
        &self,
        mut hook: Pin<&mut impl Future<Output = W>>,
        mut work: Pin<&mut impl Future<Output = W>>,
    ) -> Option<W> {
        // The hook has just been polled. After that it goes first, because a time limit in it may be up.
        let mut is_first = true;
        core::future::poll_fn(|task| {
            if !mem::take(&mut is_first) {
                if let Poll::Ready(output) = hook.as_mut().poll(task) {
                    return Poll::Ready(Some(output));
                }
                if !self.with(|note| matches!(note, Note::Running(_))) {
                    return Poll::Ready(None);
                }
            }
            work.as_mut().poll(task).map(|output| {
                // The next poll is the hook's. It may poll only what has been woken, as `FuturesUnordered` does.
                let before = self.with(|note| mem::replace(note, Note::Done(output)));
                if let Note::Running(waker) = before
                    && !waker.will_wake(task.waker())
                {
                    waker.wake();
                }
                None
            })
        })
        .await
    }
}

/// The work that a hook with `#[hook(around)]` wraps, together with the inner hooks.
///
/// It corresponds to `Next` in axum's middleware, and to the inner service of a tower layer. None of the five systems
/// has hooks around a call.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput, run_tool_call};
/// use hooks_core::{Next, hook, hooks};
///
/// /// Runs a tool again, once, if it failed.
/// #[hook(around, only("fetch"))]
/// async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
///     let output = next.run().await;
///     if output.is_error { next.run().await } else { output }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let tries = std::cell::Cell::new(0);
/// let call = BeforeToolCall { name: "fetch".into(), ..Default::default() };
/// let done = run_tool_call(&hooks![retry], &AgentContext::new("s1"), call, async |_: &BeforeToolCall| {
///     tries.set(tries.get() + 1);
///     if tries.get() == 1 { ToolOutput::error("connection reset") } else { ToolOutput::new("a page") }
/// })
/// .await
/// .unwrap();
/// assert_eq!((done.output.content.as_str(), tries.get()), ("a page", 2));
/// # }
/// ```
#[doc(alias("middleware", "layer", "wrap"))]
#[derive(Debug)]
pub struct Next<'a, E: Wrapped> {
    #[cfg(feature = "std")]
    slot: &'a Slot<E::Work>,
    #[cfg(not(feature = "std"))]
    never: core::marker::PhantomData<&'a fn() -> E>,
}

#[cfg(feature = "std")]
impl<'a, E: Wrapped> Next<'a, E> {
    pub(crate) const fn new(slot: &'a Slot<E::Work>) -> Self {
        Next { slot }
    }

    /// The slot that this was made from.
    pub(crate) const fn slot(&self) -> &'a Slot<E::Work> {
        self.slot
    }

    /// Runs the work, and returns its output.
    ///
    /// Each call starts the work anew. Dropping the future before it is done, as a timeout does, also drops the work.
    pub fn run(&mut self) -> impl Future<Output = E::Work> + Send + use<'_, 'a, E> {
        Run {
            slot: self.slot,
            has_asked: false,
        }
    }
}

/// The future that [`Next::run`] returns.
#[cfg(feature = "std")]
struct Run<'a, W> {
    slot: &'a Slot<W>,
    has_asked: bool,
}

#[cfg(feature = "std")]
impl<W> Future for Run<'_, W> {
    type Output = W;

    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<W> {
        let this = self.get_mut();
        if !this.has_asked {
            this.has_asked = true;
            let waker = task.waker().clone();
            this.slot.with(|note| *note = Note::Asked(waker));
            return Poll::Pending;
        }
        this.slot
            .with(|note| match core::mem::replace(note, Note::Nothing) {
                Note::Done(output) => {
                    this.has_asked = false;
                    Poll::Ready(output)
                }
                mut other => {
                    if let Note::Asked(waker) | Note::Running(waker) = &mut other {
                        waker.clone_from(task.waker());
                    }
                    *note = other;
                    Poll::Pending
                }
            })
    }
}

#[cfg(feature = "std")]
impl<W> Drop for Run<'_, W> {
    fn drop(&mut self) {
        if self.has_asked {
            self.slot.with(|note| *note = Note::Nothing);
        }
    }
}

/// Polls a hook, and the work that it requests through the slot.
///
/// A macro, because it evaluates the expression `$start` each time the work runs. A closure would lend its captures
/// to its future, and rustc cannot tell whether such a future is `Send`.
#[cfg(feature = "std")]
macro_rules! drive {
    ($slot:expr, $hook:expr, $start:expr) => {{
        let slot = $slot;
        let mut hook = ::core::pin::pin!($hook);
        loop {
            if let Some(output) = $crate::hook::WorkSlot::until_asked(slot, hook.as_mut()).await {
                break output;
            }
            let work = ::core::pin::pin!($start);
            if let Some(output) = $crate::hook::WorkSlot::work(slot, hook.as_mut(), work).await {
                break output;
            }
        }
    }};
}
#[cfg(feature = "std")]
pub(crate) use drive;

/// Runs work with the hooks around it. A macro for the same reason as [`drive!`].
macro_rules! around {
    ($E:ty, $hooks:expr, $cx:expr, $event:expr, $start:expr) => {{
        let (hooks, cx, event) = ($hooks, $cx, $event);
        #[cfg(feature = "std")]
        let output = if $crate::hook::Hook::wrapped(hooks).contains::<$E>() {
            let slot = $crate::hook::WorkSlot::new();
            let wrapped = $crate::hook::Wraps::<$E>::wrap_work(
                hooks,
                cx,
                event,
                $crate::hook::Next::new(&slot),
            );
            $crate::hook::drive!(&slot, wrapped, $start)
        } else {
            $start.await
        };
        #[cfg(not(feature = "std"))]
        let output = {
            let _ = (hooks, cx, event);
            $start.await
        };
        output
    }};
}
#[cfg(feature = "agent")]
pub(crate) use around;

/// A hook around the work of `E`: the trait that `#[hook(around)]` implements.
#[doc(hidden)]
#[cfg(feature = "std")]
pub trait Around<E> {
    fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send
    where
        E: Wrapped;
}

/// Without `std` there is no lock for the note. `require_std!` has reported that at the option.
#[doc(hidden)]
#[cfg(not(feature = "std"))]
pub trait Around<E> {}

#[cfg(not(feature = "std"))]
impl<E, H: Hook> Around<E> for H {}

/// Wraps work in `H` as its mode requires.
#[doc(hidden)]
#[cfg(feature = "std")]
pub trait WrapStep<H: ?Sized, E: Wrapped> {
    /// Runs the work of `next`, with the hook around it.
    fn wrap<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send;

    /// Runs `work`, with the hook around it.
    fn layer<'a, Work>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        work: impl FnMut() -> Work + Send,
    ) -> impl Future<Output = E::Work> + Send
    where
        Work: Future<Output = E::Work> + Send;
}

/// Without `std`, no hook wraps work.
#[doc(hidden)]
#[cfg(not(feature = "std"))]
pub trait WrapStep<H: ?Sized, E: Wrapped> {}

#[cfg(not(feature = "std"))]
#[diagnostic::do_not_recommend]
impl<H: ?Sized, E: Wrapped> WrapStep<H, E> for Skip {}

#[cfg(not(feature = "std"))]
#[diagnostic::do_not_recommend]
impl<H: ?Sized, E: Wrapped> WrapStep<H, E> for One {}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<H: Sync + ?Sized, E: Wrapped> WrapStep<H, E> for Skip {
    async fn wrap<'a>(_: &'a H, _: &'a Context<E>, _: &'a E, mut next: Next<'a, E>) -> E::Work {
        next.run().await
    }

    fn layer<'a, Work>(
        _: &'a H,
        _: &'a Context<E>,
        _: &'a E,
        mut work: impl FnMut() -> Work + Send,
    ) -> impl Future<Output = E::Work> + Send
    where
        Work: Future<Output = E::Work> + Send,
    {
        work()
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<H: Around<E> + Sync + ?Sized, E: Wrapped> WrapStep<H, E> for One {
    fn wrap<'a>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        hook.around(cx, event, next)
    }

    async fn layer<'a, Work>(
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        mut work: impl FnMut() -> Work + Send,
    ) -> E::Work
    where
        Work: Future<Output = E::Work> + Send,
    {
        let slot = Slot::new();
        drive!(&slot, hook.around(cx, event, Next::new(&slot)), work())
    }
}

/// Hooks that can wrap the work of the event `E`: every hook can, though most add nothing.
///
/// `AgentHooks` requires it, so that [`run_tool_call`](crate::agent::run_tool_call) and
/// [`run_llm_call`](crate::agent::run_llm_call) find the hooks with `#[hook(around)]`. A driver of your own calls
/// [`wrap_around`].
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{Wraps, hooks, wrap_around};
///
/// /// A driver for one event. It asks for no more than it needs.
/// async fn run(hooks: &impl Wraps<BeforeToolCall>, call: &BeforeToolCall) -> ToolOutput {
///     wrap_around(hooks, &AgentContext::new("s1"), call, async || ToolOutput::new("done")).await
/// }
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// assert_eq!(run(&hooks![], &BeforeToolCall::default()).await.content, "done");
/// # }
/// ```
pub trait Wraps<E: Wrapped>: Hook {
    #[doc(hidden)]
    #[cfg(feature = "std")]
    fn wrap_work<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send;

    /// One layer of several: see [`WrapStep::layer`].
    #[doc(hidden)]
    #[cfg(feature = "std")]
    fn layer<'a, Work>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        work: impl FnMut() -> Work + Send,
    ) -> impl Future<Output = E::Work> + Send
    where
        Work: Future<Output = E::Work> + Send;
}

impl<E: Wrapped, H: Hook + ?Sized> Wraps<E> for H
where
    H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    WrapModeOf<H, E>: WrapStep<H, E>,
{
    #[cfg(feature = "std")]
    #[inline]
    fn wrap_work<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        <WrapModeOf<H, E> as WrapStep<H, E>>::wrap(self, cx, event, next)
    }

    #[cfg(feature = "std")]
    #[inline]
    fn layer<'a, Work>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        work: impl FnMut() -> Work + Send,
    ) -> impl Future<Output = E::Work> + Send
    where
        Work: Future<Output = E::Work> + Send,
    {
        <WrapModeOf<H, E> as WrapStep<H, E>>::layer(self, cx, event, work)
    }
}

/// Runs `work` with the hooks around it. Hooks of higher priority are farther out.
///
/// It clones and calls `work` each time a hook runs it. Without the feature `std`, it calls `work` once.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{Next, hook, hooks, wrap_around};
///
/// #[hook(around)]
/// async fn shout(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
///     let output = next.run().await;
///     ToolOutput::new(output.content.to_uppercase())
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let (cx, call) = (AgentContext::new("s1"), BeforeToolCall::default());
/// let output = wrap_around(&hooks![shout], &cx, &call, async || ToolOutput::new("done")).await;
/// assert_eq!(output.content, "DONE");
/// # }
/// ```
// Not a trait method: its future would have to be declared `Send`, which `work` need not be.
#[inline]
pub async fn wrap_around<E: Wrapped, H: Wraps<E>>(
    hooks: &H,
    cx: &Context<E>,
    event: &E,
    work: impl AsyncFnOnce() -> E::Work + Clone,
) -> E::Work {
    around!(E, hooks, cx, event, work.clone()())
}
