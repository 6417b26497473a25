//! The two ways in which composed hooks run their parts: alone, or with witnesses.

use core::future::Future;

use super::{Asked, AskedNow};
use crate::decision::{Decision, Dispatched, Outcome, Told, WitnessesOf};
use crate::event::{Access, Context};

/// Runs hooks alone, or with witnesses. It is a type parameter, so the code without witnesses contains nothing of the
/// other.
pub trait Way<E: Dispatched>: Send {
    fn ask<'a, H: Asked<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Like [`ask`](Self::ask), without an executor.
    fn ask_now<'a, H: AskedNow<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E>;

    /// Returns a decision for the hooks after the one that decided.
    fn told<'a>(&'a self, decision: Decision<'a>) -> Told<'a, E::Vocabulary>;

    /// Shows the witnesses the event after it was restored because this hook failed.
    fn restored(&mut self, hook: &str, event: &E);
}

/// Without witnesses.
pub(super) struct Alone;

/// With witnesses.
pub(super) struct Witnessed<'w, E: Dispatched>(pub(super) &'w mut WitnessesOf<E>);

impl<E: Dispatched> Way<E> for Alone {
    #[inline(always)]
    fn ask<'a, H: Asked<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        hook.ask(cx, event)
    }

    #[inline(always)]
    fn ask_now<'a, H: AskedNow<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        hook.ask_now(cx, event)
    }

    #[inline(always)]
    fn told<'a>(&'a self, decision: Decision<'a>) -> Told<'a, E::Vocabulary> {
        decision.into()
    }

    #[inline(always)]
    fn restored(&mut self, _: &str, _: &E) {}
}

impl<E: Dispatched> Way<E> for Witnessed<'_, E> {
    fn ask<'a, H: Asked<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        hook.ask_witnessed(cx, event, self.0)
    }

    fn ask_now<'a, H: AskedNow<E, E::Kind>>(
        &'a mut self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        hook.ask_witnessed_now(cx, event, self.0)
    }

    fn told<'a>(&'a self, decision: Decision<'a>) -> Told<'a, E::Vocabulary> {
        self.0.told(decision)
    }

    fn restored(&mut self, hook: &str, event: &E) {
        self.0.after(hook, event);
    }
}
