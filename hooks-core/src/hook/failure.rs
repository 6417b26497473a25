//! What becomes of a hook that panics or outlives its timeout.
//!
//! A failure is caught around the hook ([`catch`], [`catch_async`], [`deadline`]) and turned into the
//! dispatch's outcome by a policy: [`skipped`], `Blockable::blocked`, or `DefaultPolicy::timed_out`. A
//! policy that an event does not allow, such as to block what is only observed, does not compile.

use alloc::borrow::Cow;
#[cfg(feature = "std")]
use alloc::string::String;
use core::fmt::{self, Display};
use core::future::Future;
use core::time::Duration;

use crate::decision::{Dispatched, Outcome, go_on};

/// A hook panicked.
#[derive(Debug)]
pub struct Panicked(Cow<'static, str>);

impl Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it panicked: {}", self.0)
    }
}

/// A hook outlived its timeout.
#[derive(Debug)]
pub struct TimedOut(Duration);

impl Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it took longer than its timeout of {:?}", self.0)
    }
}

/// `skip`: as if the hook were not there.
pub fn skipped<E: Dispatched>(hook: &'static str, failure: impl Display) -> Outcome<E> {
    crate::trace::skipped(hook, E::NAME, failure);
    go_on::<E>()
}

/// Runs a hook and catches its panic.
///
/// # Errors
///
/// The hook panicked.
#[cfg(feature = "std")]
pub fn catch<R>(hook: impl FnOnce() -> R) -> Result<R, Panicked> {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    // Unwind safe: what the hook may have left half done is the event, and that is put back or blocked.
    catch_unwind(AssertUnwindSafe(hook)).map_err(|payload| {
        let message = payload.downcast::<&'static str>().map_or_else(
            |payload| match payload.downcast::<String>() {
                Ok(message) => Cow::Owned(*message),
                Err(_) => Cow::Borrowed("with something that is no message"),
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
/// The hook panicked.
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

/// Without `std` nothing is caught; `require_std!` has said so where the option was written.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "std"))]
pub fn catch<R>(hook: impl FnOnce() -> R) -> Result<R, Panicked> {
    Ok(hook())
}

/// Without `std` nothing is caught; `require_std!` has said so where the option was written.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "std"))]
pub async fn catch_async<F: Future>(hook: F) -> Result<F::Output, Panicked> {
    Ok(hook.await)
}

/// Awaits a hook for so long, and then drops it.
///
/// # Errors
///
/// The hook was not done in time.
#[cfg(feature = "tokio")]
pub async fn deadline<F: Future>(timeout: Duration, hook: F) -> Result<F::Output, TimedOut> {
    tokio::time::timeout(timeout, hook)
        .await
        .map_err(|_| TimedOut(timeout))
}

/// Without `tokio` there is no clock; `require_tokio!` has said so where the option was written.
///
/// # Errors
///
/// None.
#[cfg(not(feature = "tokio"))]
pub async fn deadline<F: Future>(_: Duration, hook: F) -> Result<F::Output, TimedOut> {
    Ok(hook.await)
}

/// Says at the option, where it is so, that it needs a feature of this crate.
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

/// Says at the option, where it is so, that it needs a feature of this crate.
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
