//! `..source` in a list: handlers between static hooks.
//!
//! The static hooks compile to the same code as without a source. A dispatch first reads which events the source's
//! handlers want, which is one word. If no handler wants this event, the static hooks run as usual. Otherwise they
//! run piece by piece, with the handlers in between.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::future::Future;

use super::{BoxFuture, Handled, HandlerSource, HandlersOf, RunTime};
use crate::decision::{Decision, Dispatched, Outcome};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{Access, Agreed, Answers, Context, EventSet, Every, Later, SharesVocabulary};
#[cfg(feature = "std")]
use crate::hook::{Around, Next};
use crate::hook::{Describe, HandleAsync, Hook, Instead, ModeOf, Planner, Step};
use crate::pipeline::{Between, Part};

/// Static hooks, and a source whose handlers run between them.
#[derive(Debug, Clone, Copy)]
pub struct Spread<G, S> {
    hooks: G,
    source: S,
}

/// Spreads a source over a list of the same vocabulary.
#[inline(always)]
pub fn spread<V, G, S: HandlerSource>(_: &Agreed<V>, hooks: G, source: S) -> Spread<G, S>
where
    S::Vocabulary: SharesVocabulary<V>,
{
    Spread { hooks, source }
}

#[diagnostic::do_not_recommend]
impl<G: Hook, S: HandlerSource> Hook for Spread<G, S> {
    type Vocabulary = S::Vocabulary;
    type Rank = crate::__rank!(0);
    type Answers = <G::Answers as Answers>::And<Every<Later>>;
    type Wraps = G::Wraps;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.hooks.wanted().union(self.source.wanted())
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.hooks.wrapped()
    }
}

impl<G: Describe, S: HandlerSource> Describe for Spread<G, S> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        let mut handlers = Vec::new();
        self.source
            .describe(&mut |name, priority, events| handlers.push((name, priority, events)));
        plan.spread::<S::Vocabulary>(handlers, |plan| self.hooks.describe(plan));
    }
}

#[diagnostic::do_not_recommend]
impl<G: Hook, S: HandlerSource, E: Handled> HandleAsync<E> for Spread<G, S>
where
    E::Vocabulary: RunTime<Handler = <S::Vocabulary as RunTime>::Handler>,
    ModeOf<G, E>: Step<G, E>,
    G: Part<E, E::Kind>,
{
    type Said = Outcome<E>;

    #[inline]
    fn handle<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        <ModeOf<G, E> as Step<G, E>>::unless(&self.hooks, Merged(self), cx, event)
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.handle(cx, event)
    }

    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, decision: Decision<'a>)
    where
        E: Dispatched,
    {
        self.hooks.tell::<0>(Between::ALL, cx, event, decision);
        let set = self.source.current();
        super::ask::tell(&set.handlers, set.policy, cx, event, decision);
    }
}

/// The static hooks with the handlers in between, instead of the static hooks alone.
struct Merged<'a, G, S>(&'a Spread<G, S>);

impl<G, S> Clone for Merged<'_, G, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G, S> Copy for Merged<'_, G, S> {}

impl<'a, G, S: HandlerSource, E: Handled + 'a> Instead<'a, E> for Merged<'a, G, S>
where
    G: Hook + Part<E, E::Kind>,
    E::Vocabulary: RunTime<Handler = <S::Vocabulary as RunTime>::Handler>,
{
    #[inline(always)]
    fn is_wanted(self) -> bool {
        self.0.source.wanted().contains::<E>()
    }

    #[cold]
    #[inline(never)]
    fn ask(self, cx: &'a Context<E>, mut event: Access<'a, E>) -> BoxFuture<'a, Outcome<E>> {
        let Spread { hooks, source } = self.0;
        Box::pin(async move {
            let set = source.current();
            let event = E::lend(&mut event);
            E::Kind::merge::<E, G, S::Vocabulary>(hooks, &set, cx, event).await
        })
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<G: Around<E>, S: HandlerSource, E: Wrapped> Around<E> for Spread<G, S> {
    fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        self.hooks.around(cx, event, next)
    }
}
