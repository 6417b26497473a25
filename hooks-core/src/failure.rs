//! What becomes of a hook that panics or outlives its timeout.
//!
//! A failure is caught around the hook ([`catch`], [`catch_async`], [`deadline`]) and turned into the
//! dispatch's outcome by a policy, which is a type: a policy that an event does not allow, such as to
//! block what is only observed, does not compile.

use alloc::borrow::Cow;
#[cfg(feature = "std")]
use alloc::string::String;
use alloc::string::ToString;
use core::fmt::{self, Display};
use core::future::Future;
use core::time::Duration;

use crate::event::{Blockable, Event, Intercept, Kind, Observe};
use crate::result::{Cancel, HookResult, Scope};

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

/// What becomes of an event `E`, of kind `K`, on which a hook failed.
pub trait OnFailure<E: Event<Kind = K>, K: Kind> {
    /// What the dispatch comes to.
    fn outcome(hook: &'static str, failure: impl Display) -> K::Outcome<E>;
}

/// `skip`: as if the hook were not there.
#[derive(Debug)]
pub enum SkipFailed {}

impl<E: Event<Kind = K>, K: Kind> OnFailure<E, K> for SkipFailed {
    fn outcome(hook: &'static str, failure: impl Display) -> K::Outcome<E> {
        crate::trace::skipped::<E>(hook, failure);
        K::go_on::<E>()
    }
}

/// `block`: the hook fails closed.
#[derive(Debug)]
pub enum BlockFailed {}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept> + Blockable> OnFailure<E, Intercept> for BlockFailed {
    fn outcome(hook: &'static str, failure: impl Display) -> HookResult<E> {
        HookResult::Cancel(Cancel {
            hook: hook.into(),
            reason: failure.to_string().into(),
            scope: Scope::Event,
        })
    }
}

/// Where the hook does not say: what guards fails closed, what only watches is skipped.
#[derive(Debug)]
pub enum DefaultFailed {}

impl<E: Event<Kind = Intercept> + Blockable> OnFailure<E, Intercept> for DefaultFailed {
    fn outcome(hook: &'static str, failure: impl Display) -> HookResult<E> {
        <BlockFailed as OnFailure<E, Intercept>>::outcome(hook, failure)
    }
}

impl<E: Event<Kind = Observe>> OnFailure<E, Observe> for DefaultFailed {
    fn outcome(hook: &'static str, failure: impl Display) {
        <SkipFailed as OnFailure<E, Observe>>::outcome(hook, failure);
    }
}

/// An event that can be put back as it was before a hook.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Clone`, so `skip` cannot put it back as it was before the hook",
    label = "`skip` needs `{Self}: Clone`",
    note = "a hook that changes the event by `&mut` may leave it half changed when it fails: derive \
            `Clone` for the event, take it by `&` and return `HookAction::modify(…)`, or write `block`"
)]
pub trait Restore {
    /// The event as it is now.
    #[must_use]
    fn saved(&self) -> Self;
}

#[diagnostic::do_not_recommend]
impl<E: Clone> Restore for E {
    fn saved(&self) -> E {
        self.clone()
    }
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
    () => {};
}

#[cfg(not(feature = "std"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __require_std {
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
