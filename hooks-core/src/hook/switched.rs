//! Hooks that are switched on and off when a list is made, behind one test for all of them.

use core::future::Future;

#[cfg(feature = "std")]
use super::{Around, Next};
use super::{Describe, Handle, HandleAsync, Hook, Planner};
use crate::decision::{Dispatched, Outcome, Return, Told, WitnessesOf, go_on};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{Access, Answers, Context, EventSet};

/// The events that hooks want, now or later.
#[doc(hidden)]
#[must_use]
pub fn events_of<H: Hook>(hooks: &H) -> EventSet {
    // This is asked once. Handlers mounted later, somewhere within the hooks, may want other events.
    if hooks.plan().has_handlers() {
        EventSet::from_bits(<H::Answers as Answers>::BITS)
    } else {
        hooks.wanted()
    }
}

/// Hooks with the events that they want. A dispatch that no hook wants tests one bit, however many hooks there are.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Switched<H> {
    hooks: H,
    wanted: EventSet,
}

impl<H: Hook> Switched<H> {
    pub(crate) fn new(hooks: H) -> Self {
        let wanted = events_of(&hooks);
        Switched { hooks, wanted }
    }
}

#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Switched<H> {
    type Vocabulary = H::Vocabulary;
    const NAME: &'static str = H::NAME;
    type Rank = H::Rank;
    type Answers = H::Answers;
    type Wraps = H::Wraps;
    type Listens = H::Listens;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.wanted
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.hooks.wrapped()
    }
}

impl<H: Describe> Describe for Switched<H> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        self.hooks.describe(plan);
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, H: Handle<E> + Hook> Handle<E> for Switched<H> {
    #[inline]
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        if self.wanted.contains::<E>() {
            self.hooks.handle(cx, event)
        } else {
            go_on::<E>()
        }
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.hooks.decided(cx, event, told);
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        if self.wanted.contains::<E>() {
            self.hooks.listen(witnesses);
        }
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        if self.wanted.contains::<E>() {
            self.hooks.witnessed(cx, event, witnesses)
        } else {
            go_on::<E>()
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, H: HandleAsync<E, Said: Return<E>> + Hook> HandleAsync<E> for Switched<H> {
    type Said = Outcome<E>;

    #[inline]
    async fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        if self.wanted.contains::<E>() {
            self.hooks.decide(cx, event).await
        } else {
            go_on::<E>()
        }
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.handle(cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        self.hooks.decided(cx, event, told);
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        if self.wanted.contains::<E>() {
            self.hooks.listen(witnesses);
        }
    }

    async fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        if self.wanted.contains::<E>() {
            self.hooks.witnessed(cx, event, witnesses).await
        } else {
            go_on::<E>()
        }
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<E: Wrapped, H: Around<E>> Around<E> for Switched<H> {
    fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        self.hooks.around(cx, event, next)
    }
}
