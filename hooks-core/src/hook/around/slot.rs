//! The message between a hook and the driver that polls it.

use core::future::Future;
use core::mem;
use core::pin::Pin;
use core::task::{Context as Task, Poll, Waker};

use super::{HasWork, Next};

/// A value behind a lock. Without `std` there is no lock, and no hook around the work compiles: the value is always new.
#[derive(Debug, Default)]
pub(crate) struct Lock<T> {
    #[cfg(feature = "std")]
    value: std::sync::Mutex<T>,
    #[cfg(not(feature = "std"))]
    never: core::marker::PhantomData<fn() -> T>,
}

impl<T: Default> Lock<T> {
    #[cfg(feature = "std")]
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        // A panic in between leaves a valid value.
        let value = self.value.lock();
        change(&mut value.unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    #[cfg(not(feature = "std"))]
    pub(crate) fn with<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut T::default())
    }
}

/// What hook and driver share. There is no contention: they are polled in turn.
#[derive(Debug)]
pub struct WorkSlot<W>(Lock<Note<W>>);

#[derive(Debug, Default)]
enum Note<W> {
    /// The hook does not wait for the work: it has not requested it, or has dropped the future.
    #[default]
    Nothing,
    /// The hook requests the work, and asks to be woken when the work is done.
    Asked(Waker),
    /// The work runs.
    Running(Waker),
    /// The work is done.
    Done(W),
}

/// The future that [`Next::run`] returns.
pub(super) struct NextRun<'r, 'a, E: HasWork> {
    next: &'r Next<'a, E>,
    has_asked: bool,
}

impl<'r, 'a, E: HasWork> NextRun<'r, 'a, E> {
    pub(super) const fn new(next: &'r Next<'a, E>) -> Self {
        let has_asked = false;
        NextRun { next, has_asked }
    }
}

impl<E: HasWork> Future for NextRun<'_, '_, E> {
    type Output = E::Work;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<E::Work> {
        if !mem::replace(&mut self.has_asked, true) {
            self.next.hands_on();
            let waker = task.waker().clone();
            self.next.slot().0.with(|note| *note = Note::Asked(waker));
            return Poll::Pending;
        }
        let poll = self.next.slot().0.with(|note| match mem::take(note) {
            Note::Done(output) => Poll::Ready(output),
            mut other => {
                if let Note::Asked(waker) | Note::Running(waker) = &mut other {
                    waker.clone_from(task.waker());
                }
                *note = other;
                Poll::Pending
            }
        });
        self.has_asked = poll.is_pending();
        poll
    }
}

impl<E: HasWork> Drop for NextRun<'_, '_, E> {
    fn drop(&mut self) {
        if self.has_asked {
            self.next.slot().0.with(|note| *note = Note::Nothing);
        }
    }
}

/// Where a driver runs work: with a [`WorkSlot`], or with nothing where no hook can be around the work. A driver without
/// such hooks then has none of their bytes in its future.
///
/// The methods poll, because a future that they return would have to be declared `Send`, which work need not be.
pub trait Room<W>: Send + Sync + Sized {
    fn new() -> Self;

    /// Runs a hook until it requests the work. Returns the hook's output if it finishes first.
    fn poll_asked(
        &self,
        hook: Pin<&mut impl Future<Output = W>>,
        task: &mut Task<'_>,
    ) -> Poll<Option<W>>;

    /// Runs the work until it is done, or the hook no longer waits for it. Returns the hook's output if it finishes
    /// first.
    fn poll_work(
        &self,
        hook: Pin<&mut impl Future<Output = W>>,
        work: Pin<&mut impl Future<Output = W>>,
        is_first: bool,
        task: &mut Task<'_>,
    ) -> Poll<Option<W>>;
}

/// The work runs, and its output is what the driver gets.
impl<W> Room<W> for () {
    #[inline(always)]
    fn new() {}

    #[inline(always)]
    fn poll_asked(
        &self,
        _: Pin<&mut impl Future<Output = W>>,
        _: &mut Task<'_>,
    ) -> Poll<Option<W>> {
        Poll::Ready(None)
    }

    #[inline(always)]
    fn poll_work(
        &self,
        _: Pin<&mut impl Future<Output = W>>,
        work: Pin<&mut impl Future<Output = W>>,
        _: bool,
        task: &mut Task<'_>,
    ) -> Poll<Option<W>> {
        work.poll(task).map(Some)
    }
}

/// The driver reads the hook's note.
impl<W: Send> Room<W> for WorkSlot<W> {
    fn new() -> Self {
        WorkSlot(Lock::default())
    }

    fn poll_asked(
        &self,
        hook: Pin<&mut impl Future<Output = W>>,
        task: &mut Task<'_>,
    ) -> Poll<Option<W>> {
        if let Poll::Ready(output) = hook.poll(task) {
            return Poll::Ready(Some(output));
        }
        self.0.with(|note| match mem::take(note) {
            Note::Asked(waker) => {
                *note = Note::Running(waker);
                Poll::Ready(None)
            }
            other => {
                *note = other;
                Poll::Pending
            }
        })
    }

    fn poll_work(
        &self,
        hook: Pin<&mut impl Future<Output = W>>,
        work: Pin<&mut impl Future<Output = W>>,
        is_first: bool,
        task: &mut Task<'_>,
    ) -> Poll<Option<W>> {
        // The hook has just been polled. After that it goes first, because a time limit in it may be up.
        if !is_first {
            if let Poll::Ready(output) = hook.poll(task) {
                return Poll::Ready(Some(output));
            }
            if !self.0.with(|note| matches!(note, Note::Running(_))) {
                return Poll::Ready(None);
            }
        }
        work.poll(task).map(|output| {
            // The next poll is the hook's. It may poll only what has been woken, as `FuturesUnordered` does.
            let before = self.0.with(|note| mem::replace(note, Note::Done(output)));
            if let Note::Running(waker) = before
                && !waker.will_wake(task.waker())
            {
                waker.wake();
            }
            None
        })
    }
}

/// Polls a hook, and the work that it requests through the room.
///
/// A macro, because it evaluates the expression `$start` each time the work runs. A closure would lend its captures
/// to its future, and rustc cannot tell whether such a future is `Send`.
macro_rules! drive {
    ($room:expr, $hook:expr, $start:expr) => {{
        use ::core::future::poll_fn;
        use $crate::hook::Room;
        let room = $room;
        let mut hook = ::core::pin::pin!($hook);
        loop {
            if let Some(output) = poll_fn(|task| room.poll_asked(hook.as_mut(), task)).await {
                break output;
            }
            let mut work = ::core::pin::pin!($start);
            let mut is_first = true;
            let worked = poll_fn(|task| {
                let is_first = ::core::mem::take(&mut is_first);
                room.poll_work(hook.as_mut(), work.as_mut(), is_first, task)
            });
            if let Some(output) = worked.await {
                break output;
            }
        }
    }};
}
pub(crate) use drive;
