//! A hook's answer to one event.

use core::future::Future;

use super::Hook;
use crate::decision::{Decision, Dispatched, Outcome, Return, settle};
use crate::event::{Access, Context};

/// A hook's synchronous answer to `E`.
#[doc(hidden)]
pub trait Handle<E> {
    // A bound on the trait itself would be checked, and reported, once more where it is implemented.
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>
    where
        E: Dispatched;

    /// Told that a hook before this one has decided. Most hooks do not care.
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Dispatched,
    {
    }
}

/// A hook's asynchronous answer to `E`: what the user's function returns, so that its future is the
/// user's own. To turn it into an outcome in a future of its own would cost each hook as much as the hook.
#[doc(hidden)]
pub trait HandleAsync<E> {
    /// A `Return<E>`: see [`Handle`] for why there is no bound.
    type Said;
    /// For a hook among others, which do what it says.
    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send
    where
        E: Dispatched;

    /// For a hook by itself. What is made of hooks does what they say in the same future.
    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        E: Dispatched,
        Self: Hook,
        Self::Said: Return<E>,
    {
        settled(self, cx, event)
    }

    /// As [`Handle::decided`].
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Dispatched,
    {
    }
}

/// Awaits one hook's answer, and does what it says.
async fn settled<'a, E: Dispatched, H: HandleAsync<E, Said: Return<E>> + Hook + ?Sized>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> Outcome<E> {
    let said = hook.handle(cx, E::lend(&mut event)).await;
    settle::<E>(event, said.said(), const { told_as::<H, E, H::Said>() })
}

/// The name under which is told of what `H` says: none where a hook within it has been named.
pub(crate) const fn told_as<H: Hook + ?Sized, E: Dispatched, S: Return<E>>() -> &'static str {
    if S::IS_TOLD { "" } else { H::NAME }
}
