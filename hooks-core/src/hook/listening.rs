//! Says as a type whether a list has a hook that asks for witnesses.
//!
//! A dispatch enters its hooks through this type. If no hook asks, it calls the hooks directly: it tests nothing at run
//! time, and the code for witnesses is not compiled.

use alloc::boxed::Box;
use core::future::Future;
use core::marker::PhantomData;

use super::{Boxed, Hook, Instead, Step, StepNow};
use crate::decision::{HookResult, Witnesses};
use crate::event::{Context, Intercepted};

/// Says whether hooks ask for witnesses.
pub trait Listening {
    /// The type for these hooks together with others.
    type Or<L: Listening>: Listening;

    /// Runs the hooks on an intercepted event.
    fn enter<'a, M: Step<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send;

    /// Like [`enter`](Self::enter), without an executor.
    fn enter_now<'a, M: StepNow<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E>;
}

/// No hook asks.
#[derive(Debug)]
pub enum Never {}
/// A hook asks, unless it is switched off, or handlers may ask, which are known only at run time.
#[derive(Debug)]
pub enum Listens {}

impl Listening for Never {
    type Or<L: Listening> = L;

    #[inline(always)]
    fn enter<'a, M: Step<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send {
        M::whole(hooks, cx, event)
    }

    #[inline(always)]
    fn enter_now<'a, M: StepNow<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        M::step(hooks, cx, event)
    }
}

impl Listening for Listens {
    type Or<L: Listening> = Listens;

    /// Boxes the witnessed dispatch: inline, it would double the future, and moving that costs more than a box.
    #[inline]
    fn enter<'a, M: Step<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> impl Future<Output = HookResult<E>> + Send {
        M::unless(hooks, Witnessed::<M, H>(hooks, PhantomData), cx, event)
    }

    fn enter_now<'a, M: StepNow<H, E>, H: Hook, E: Intercepted>(
        hooks: &'a H,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        let mut witnesses = Witnesses::NONE;
        M::listen(hooks, &mut witnesses);
        if witnesses.is_empty() {
            return M::step(hooks, cx, event);
        }
        M::witnessed(hooks, cx, event, &mut witnesses)
    }
}

/// Runs the hooks with witnesses, instead of the hooks alone.
struct Witnessed<'a, M, H>(&'a H, PhantomData<fn() -> M>);

impl<M, H> Clone for Witnessed<'_, M, H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, H> Copy for Witnessed<'_, M, H> {}

impl<'a, M: Step<H, E>, H: Hook, E: Intercepted + 'a> Instead<'a, E> for Witnessed<'a, M, H> {
    type Found = Witnesses<E::Vocabulary>;

    #[inline]
    fn found(self) -> Option<Self::Found> {
        let mut witnesses = Witnesses::NONE;
        M::listen(self.0, &mut witnesses);
        (!witnesses.is_empty()).then_some(witnesses)
    }

    #[cold]
    #[inline(never)]
    fn ask(
        self,
        mut witnesses: Self::Found,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> Boxed<'a, HookResult<E>> {
        Box::pin(async move { M::witnessed(self.0, cx, event, &mut witnesses).await })
    }
}
