//! `..source` in a list: handlers between static hooks.
//!
//! The static hooks compile to the same code as without a source. A dispatch first reads which events the source's
//! handlers want, which is one word. If no handler wants this event, the static hooks run as usual. Otherwise they
//! run piece by piece, with the handlers in between.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::future::Future;
use core::pin::pin;
use core::task::{Context as Task, Poll, Waker};

use super::ask::Place;
use super::{BoxFuture, Handled, HandlerSource, HandlersOf, RunTime};
use crate::decision::{Dispatched, Outcome, Told, Witnesses, WitnessesOf};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{
    Access, Agreed, Answers, Context, EventSet, Every, Kind, Later, SharesVocabulary,
};
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
    // The slow path finds out whether a source has a log.
    type Listens = G::Listens;

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

    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>)
    where
        E: Dispatched,
    {
        self.hooks.tell::<0>(Between::ALL, cx, event, told);
        let set = self.source.current();
        super::ask::tell(&set.handlers, set.policy, cx, event, told);
    }

    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        Part::listen(&self.hooks, witnesses);
        let set = self.source.current();
        if set.listens {
            super::ask::listen::<E>(&set.handlers, witnesses);
        }
    }

    async fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        if self.source.wanted().contains::<E>() {
            self.merged(cx, event, Some(witnesses)).await
        } else {
            <ModeOf<G, E> as Step<G, E>>::witnessed(&self.hooks, cx, event, witnesses).await
        }
    }
}

impl<G, S: HandlerSource> Spread<G, S> {
    /// Runs the static hooks with the handlers in between. If there are no witnesses yet, the witnesses that a handler
    /// asks for see all of these hooks.
    ///
    /// Synchronous static hooks run at once, up to the first handler that wants the event. If there is none, nothing is
    /// boxed.
    fn merged<'a, E: Handled + 'a>(
        &'a self,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
    ) -> BoxFuture<'a, Outcome<E>>
    where
        E::Vocabulary: RunTime<Handler = <S::Vocabulary as RunTime>::Handler>,
        G: Part<E, E::Kind>,
        ModeOf<G, E>: Step<G, E>,
    {
        let set = self.source.current();
        let listens = E::Kind::CHANGES && set.listens;
        let mut found = None;
        if <ModeOf<G, E> as Step<G, E>>::IS_NOW && witnesses.is_none() && !listens {
            let first = pin!(E::Kind::up_to_next::<E, G, S::Vocabulary>(
                &self.hooks,
                &set,
                cx,
                E::lend(&mut event),
                None,
                Place::START,
            ));
            match first.poll(&mut Task::from_waker(Waker::noop())) {
                Poll::Ready(Ok(outcome)) => return E::Kind::boxed::<E>(outcome),
                Poll::Ready(Err(place)) => found = Some(place.owned()),
                Poll::Pending => unreachable!("a synchronous hook waits for nothing"),
            }
        }
        Box::pin(async move {
            let mut own = Witnesses::NONE;
            let mut witnesses = witnesses.or_else(|| {
                if listens {
                    super::ask::listen::<E>(&set.handlers, &mut own);
                }
                (!own.is_empty()).then_some(&mut own)
            });
            let (hooks, set) = (&self.hooks, &*set);
            let place = if let Some(place) = found {
                place
            } else {
                let (event, seen) = (E::lend(&mut event), witnesses.as_deref_mut());
                let start = Place::START;
                let first =
                    E::Kind::up_to_next::<E, G, S::Vocabulary>(hooks, set, cx, event, seen, start);
                match first.await {
                    Ok(outcome) => return outcome,
                    Err(place) => place,
                }
            };
            let event = E::lend(&mut event);
            E::Kind::merge::<E, G, S::Vocabulary>(hooks, set, cx, event, witnesses, place).await
        })
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
    ModeOf<G, E>: Step<G, E>,
    E::Vocabulary: RunTime<Handler = <S::Vocabulary as RunTime>::Handler>,
{
    type Found = ();

    #[inline(always)]
    fn found(self) -> Option<()> {
        self.0.source.wanted().contains::<E>().then_some(())
    }

    #[cold]
    #[inline(never)]
    fn ask(self, (): (), cx: &'a Context<E>, event: Access<'a, E>) -> BoxFuture<'a, Outcome<E>> {
        self.0.merged(cx, event, None)
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
