//! What happens when a hook panics or exceeds its timeout.
//!
//! [`catch`], [`catch_async`] and [`deadline`] catch a failure around the hook. A policy turns it into the dispatch's
//! outcome: [`skipped`], `Blockable::blocked`, or `DefaultPolicy::timed_out`. A policy that an event does not allow, such
//! as to block an observed event, does not compile.

use alloc::borrow::Cow;
#[cfg(feature = "std")]
use alloc::string::String;
use core::fmt::{self, Display};
use core::future::Future;
use core::time::Duration;

use super::Saved;
use crate::decision::{ActionOn, Decides};
use crate::event::{Access, Blockable, Event, Kind};

/// A hook panicked.
#[derive(Debug)]
pub struct Panicked(Cow<'static, str>);

impl Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the hook panicked: {}", self.0)
    }
}

/// A hook exceeded its timeout.
#[derive(Debug)]
pub struct TimedOut(Duration);

impl Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the hook took longer than its timeout of {:?}", self.0)
    }
}

/// The action of a hook that has nothing to say.
#[must_use]
pub fn nothing<E: Event<Kind: Decides>>() -> ActionOn<E> {
    E::Kind::nothing::<E>()
}

/// `skip`: continues without the hook.
pub fn skipped<E: Event<Kind: Decides>>(hook: &'static str, failure: impl Display) -> ActionOn<E> {
    crate::trace::skipped(hook, E::NAME, failure);
    nothing::<E>()
}

/// The event before a hook on any event, for policies that restore it.
pub fn kept<E: Event>(event: &Access<'_, E>) -> Saved<E> {
    if E::Kind::CHANGES {
        Saved::of(E::peek(event))
    } else {
        Saved::Unchanged
    }
}

/// Restores the event, and returns the action of a hook on any event that has failed.
pub fn restored<E: Event<Kind: Decides>>(
    before: Saved<E>,
    event: Access<'_, E>,
    block: bool,
    hook: &'static str,
    failure: impl Display,
) -> ActionOn<E> {
    let is_lost = matches!(before, Saved::Lost);
    if let Saved::Copy(before) = before {
        E::Kind::put_back::<E>(event, before);
    }
    if (block || is_lost) && E::INFO.can_block {
        return E::Kind::refused::<E>(failure);
    }
    skipped::<E>(hook, failure)
}

/// Whether a hook on `E` may be a guard: only where it can block.
#[must_use]
pub const fn judges<E: Blockable>() -> bool {
    true
}

/// Runs a hook and catches its panic.
///
/// # Errors
///
/// If the hook panicked.
#[cfg(feature = "std")]
pub fn catch<R>(hook: impl FnOnce() -> R) -> Result<R, Panicked> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    // Unwind safe: the hook may leave only the event inconsistent, and a policy restores or blocks that.
    catch_unwind(AssertUnwindSafe(hook)).map_err(|payload| {
        let message = payload.downcast::<&'static str>().map_or_else(
            |payload| match payload.downcast::<String>() {
                Ok(message) => Cow::Owned(*message),
                Err(_) => Cow::Borrowed("with a payload that is not a string"),
            },
            |message| Cow::Borrowed(*message),
        );
        Panicked(message)
    })
}

/// Awaits a hook and catches its panic.
///
/// # Errors
///
/// If the hook panicked.
#[cfg(feature = "std")]
pub async fn catch_async<F: Future>(hook: F) -> Result<F::Output, Panicked> {
    use core::task::Poll;

    let mut hook = core::pin::pin!(hook);
    core::future::poll_fn(|task| match catch(|| hook.as_mut().poll(task)) {
        Ok(poll) => poll.map(Ok),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

/// Without `std` this catches nothing; `require_std!` has reported that at the option.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "std"))]
pub fn catch<R>(hook: impl FnOnce() -> R) -> Result<R, Panicked> {
    Ok(hook())
}

/// Without `std` this catches nothing; `require_std!` has reported that at the option.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "std"))]
pub async fn catch_async<F: Future>(hook: F) -> Result<F::Output, Panicked> {
    Ok(hook.await)
}

/// Awaits a hook up to a time limit, and then drops it.
///
/// # Errors
///
/// If the hook exceeded the limit.
#[cfg(feature = "tokio")]
pub async fn deadline<F: Future>(timeout: Duration, hook: F) -> Result<F::Output, TimedOut> {
    use core::task::Poll;
    use tokio::time::{Instant, sleep};

    let (mut hook, mut sleep) = (core::pin::pin!(hook), core::pin::pin!(sleep(timeout)));
    core::future::poll_fn(|task| {
        if let Poll::Ready(output) = hook.as_mut().poll(task) {
            return Poll::Ready(Ok(output));
        }
        // The timer counts whole milliseconds, and a hook that is busy may not let it run.
        if sleep.as_mut().poll(task).is_ready() || sleep.deadline() <= Instant::now() {
            return Poll::Ready(Err(TimedOut(timeout)));
        }
        Poll::Pending
    })
    .await
}

/// Without `tokio` there is no clock; `require_tokio!` has reported that at the option.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "tokio"))]
pub async fn deadline<F: Future>(_: Duration, hook: F) -> Result<F::Output, TimedOut> {
    Ok(hook.await)
}

/// Reports at the option that it needs a feature of this crate, if the feature is off.
#[cfg(feature = "std")]
#[doc(hidden)]
#[macro_export]
macro_rules! __require_std {
    ($($around:ident)?) => {};
}

#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __require_std {
    (around) => {
        ::core::compile_error!(
            "`around` needs the feature `std` of hooks-core: write `features = [\"std\"]` for it in Cargo.toml"
        );
    };
    () => {
        ::core::compile_error!(
            "`on_panic` needs the feature `std` of hooks-core: write `features = [\"std\"]` for it in \
             Cargo.toml"
        );
    };
}

/// Reports at the option that it needs a feature of this crate, if the feature is off.
#[cfg(feature = "tokio")]
#[doc(hidden)]
#[macro_export]
macro_rules! __require_tokio {
    () => {};
}

#[cfg(not(feature = "tokio"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __require_tokio {
    () => {
        ::core::compile_error!(
            "`timeout` needs the feature `tokio` of hooks-core: write `features = [\"tokio\"]` for it in \
             Cargo.toml"
        );
    };
}
