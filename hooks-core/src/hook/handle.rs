//! A hook's code for one event.

use core::future::Future;

use super::Hook;
use crate::decision::{Dispatched, Outcome, Return, Told, WitnessesOf, settle};
use crate::event::{Access, Context};

/// A hook that handles `E` synchronously.
#[doc(hidden)]
pub trait Handle<E> {
    /// Whether the hook can change the event: it takes it by `&mut`, or returns an action.
    const CHANGES: bool = true;

    // A bound on the trait itself would be checked, and reported, again at each impl.
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>
    where
        E: Dispatched;

    /// Called when an earlier hook has decided. Most hooks ignore it.
    #[inline(always)]
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Told<'a, E::Vocabulary>)
    where
        E: Dispatched,
    {
    }

    /// The name under which the witnesses see the hook.
    fn name(&self) -> &str
    where
        Self: Hook,
    {
        Self::NAME
    }

    /// Asks for the witnesses that the hook wants. Most hooks want none.
    #[inline(always)]
    fn listen(&self, _: &mut WitnessesOf<E>)
    where
        E: Dispatched,
    {
    }

    /// Like [`handle`](Self::handle), in a dispatch with witnesses. Composed hooks pass the witnesses on.
    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E>
    where
        E: Dispatched,
        Self: Hook,
    {
        if !Self::CHANGES {
            return self.handle(cx, event);
        }
        witnesses.before(E::look(E::lend(&mut event)));
        let outcome = handle_for::<E, Self>(self, cx, E::lend(&mut event));
        witnesses.after(self.name(), E::look(event));
        outcome
    }
}

/// Runs a hook for a shorter lifetime than that of the dispatch.
fn handle_for<'l, E: Dispatched, H: Handle<E> + ?Sized>(
    hook: &'l H,
    cx: &'l Context<E>,
    event: Access<'l, E>,
) -> Outcome<E> {
    hook.handle(cx, event)
}

/// A hook that handles `E` asynchronously. It returns the user's own future. Wrapping it in another future that
/// applies the decision would cost as much as the hook itself.
#[doc(hidden)]
pub trait HandleAsync<E> {
    /// Like [`Handle::CHANGES`].
    const CHANGES: bool = true;

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
    fn decided<'a>(&'a self, _: &'a Context<E>, _: &'a E, _: Told<'a, E::Vocabulary>)
    where
        E: Dispatched,
    {
    }

    /// Like [`Handle::listen`].
    #[inline(always)]
    fn listen(&self, _: &mut WitnessesOf<E>)
    where
        E: Dispatched,
    {
    }

    /// Like [`Handle::witnessed`].
    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        E: Dispatched,
        Self: Hook,
        Self::Said: Return<E>,
    {
        decide_witnessed(self, cx, event, witnesses)
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

/// Awaits one hook with witnesses, and applies its decision.
async fn decide_witnessed<'a, E: Dispatched, H: HandleAsync<E, Said: Return<E>> + Hook + ?Sized>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
    witnesses: &'a mut WitnessesOf<E>,
) -> Outcome<E> {
    if !H::CHANGES {
        return hook.decide(cx, event).await;
    }
    witnesses.before(E::look(E::lend(&mut event)));
    let outcome = hook.decide(cx, E::lend(&mut event)).await;
    witnesses.after(H::NAME, E::look(event));
    outcome
}

/// The name under which a decision of `H` is recorded: empty if an inner hook has recorded it.
pub(crate) const fn told_as<H: Hook + ?Sized, E: Dispatched, S: Return<E>>() -> &'static str {
    if S::IS_TOLD { "" } else { H::NAME }
}
