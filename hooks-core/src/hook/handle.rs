//! A hook's code for one event.

use core::future::Future;

use super::Hook;
use crate::decision::{Decision, Dispatched, Outcome, Return, settle};
use crate::event::{Access, Context};

/// A hook that handles `E` synchronously.
#[doc(hidden)]
pub trait Handle<E> {
    // A bound on the trait itself would be checked, and reported, again at each impl.
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>
    where
        E: Dispatched;

    /// Called when an earlier hook has decided. Most hooks ignore it.
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Dispatched,
    {
    }
}

/// A hook that handles `E` asynchronously. It returns the user's own future. Wrapping it in another future that
/// applies the decision would cost as much as the hook itself.
#[doc(hidden)]
pub trait HandleAsync<E> {
    /// A `Return<E>`: see [`Handle`] for why there is no bound.
    type Said;
    /// For a hook in a group, which applies its decision.
    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Self::Said> + Send
    where
        E: Dispatched;

    /// For a single hook. Hooks made of others apply the decisions in their own future.
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

    /// Like [`Handle::decided`].
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Decision<'a>)
    where
        E: Dispatched,
    {
    }
}

/// Awaits one hook, and applies its decision.
async fn settled<'a, E: Dispatched, H: HandleAsync<E, Said: Return<E>> + Hook + ?Sized>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> Outcome<E> {
    let said = hook.handle(cx, E::lend(&mut event)).await;
    settle::<E>(event, said.said(), const { told_as::<H, E, H::Said>() })
}

/// The name under which a decision of `H` is recorded: empty if an inner hook has recorded it.
pub(crate) const fn told_as<H: Hook + ?Sized, E: Dispatched, S: Return<E>>() -> &'static str {
    if S::IS_TOLD { "" } else { H::NAME }
}
