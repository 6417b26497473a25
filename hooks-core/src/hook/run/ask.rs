//! A dispatch on its way from hook to hook.

use core::fmt::Display;

use super::super::BoxFuture;
use super::AnyEvent;
use super::watch::{Carries, Did, HeldOf, Watch};
use crate::decision::{Name, ResultOf};
use crate::event::{Access, Context, Kind, Observe};

/// What a dispatch hands to a hook: the context, the event, and what it carries from hook to hook.
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub struct Ask<'a, E: AnyEvent + 'a, W: Watch<E::Vocabulary>> {
    pub(crate) cx: &'a Context<E>,
    pub(crate) event: Access<'a, E>,
    pub(crate) held: HeldOf<'a, E, W>,
}

impl<'a, E: AnyEvent> Ask<'a, E, ()> {
    /// A dispatch that carries nothing.
    #[inline(always)]
    pub(crate) fn new(cx: &'a Context<E>, event: Access<'a, E>) -> Self {
        let held = E::Kind::nothing_held::<E::Vocabulary>();
        Ask { cx, event, held }
    }
}

impl<'a, E: AnyEvent + 'a, W: Watch<E::Vocabulary>> Ask<'a, E, W> {
    /// The same for a shorter time.
    #[inline(always)]
    pub(crate) fn lend(&mut self) -> Ask<'_, E, W> {
        Ask {
            cx: self.cx,
            event: E::lend(&mut self.event),
            held: E::Kind::lend_held::<E::Vocabulary, W>(&mut self.held),
        }
    }

    /// The same, which also carries `own`.
    #[inline(always)]
    pub(crate) fn with<'l, A: Watch<E::Vocabulary>>(
        &'l mut self,
        own: &'l mut A::Held<'_>,
    ) -> Ask<'l, E, (A, W)> {
        Ask {
            cx: self.cx,
            event: E::lend(&mut self.event),
            held: E::Kind::join::<E::Vocabulary, A, W>(own, &mut self.held),
        }
    }

    /// The same on another event.
    #[inline(always)]
    pub(crate) fn on<'l>(&'l mut self, event: &'l mut E) -> Ask<'l, E, W> {
        Ask {
            cx: self.cx,
            event: E::Kind::access::<E>(event),
            held: E::Kind::lend_held::<E::Vocabulary, W>(&mut self.held),
        }
    }

    /// The event.
    #[inline(always)]
    pub(crate) fn event(&self) -> &E {
        E::peek(&self.event)
    }

    /// Whether a hook runs in this round.
    #[inline(always)]
    pub(crate) fn admits(&self, is_guard: bool) -> bool {
        E::Kind::admits::<E::Vocabulary, W>(&self.held, is_guard)
    }

    /// A hook begins.
    #[inline(always)]
    pub(crate) fn before(&mut self, hook: Name<'_>) -> W::Token {
        E::Kind::before::<E::Vocabulary, W>(&mut self.held, hook)
    }

    /// A hook may change the event from here on.
    #[inline(always)]
    pub(crate) fn changing(&mut self) {
        E::Kind::changing::<E::Vocabulary, W>(&mut self.held, E::peek(&self.event));
    }

    /// A hook has run.
    #[inline(always)]
    pub(crate) fn after(&mut self, did: Did<'_>) {
        crate::trace::decided(did.hook.text(), E::NAME, did.action.word());
        E::Kind::after::<E::Vocabulary, W>(&mut self.held, did, E::peek(&self.event));
    }

    /// What of a source runs before the next static hook: see [`Watch::ahead`].
    #[inline(always)]
    pub(crate) fn ahead(&mut self, next: Option<i32>) -> Option<BoxFuture<'_, ResultOf<E>>> {
        let event = E::lend(&mut self.event);
        E::Kind::ahead::<E, W>(&mut self.held, self.cx, event, next)
    }

    /// The event is as it was before: a hook has failed.
    pub(crate) fn failed(&mut self, hook: &str, failure: &dyn Display) {
        let event = E::peek(&self.event);
        E::Kind::failed::<E::Vocabulary, W>(&mut self.held, hook, failure, event);
    }
}

/// The hooks of an observed event share it.
impl<E: AnyEvent<Kind = Observe>, W: Watch<E::Vocabulary>> Clone for Ask<'_, E, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: AnyEvent<Kind = Observe>, W: Watch<E::Vocabulary>> Copy for Ask<'_, E, W> {}
