//! `..source` in a list: hooks of a source between static hooks.
//!
//! The static hooks compile to the same code as without a source. A dispatch first reads which events the source's
//! hooks want, which is one word. If none wants this event, the static hooks run as usual. Otherwise the two are
//! [merged](super::merge). That way is boxed, so that a dispatch which does not take it is no larger.

use alloc::boxed::Box;
use core::future::Future;

use super::HandlerSource;
use super::merge::{Merges, merge};
use super::source::{current, wanted};
use crate::decision::{Name, ResultOf};
use crate::event::{
    Agreed, Both, Context, Event, EventSet, Every, Many, SharesVocabulary, Vocabulary,
};
use crate::hook::{
    AnyEvent, Around, Ask, Asynchronous, BoxFuture, Dispatch, HasWork, Hook, Next, Planner, Run,
    Step, Timing, TimingOf, Watch,
};

/// Static hooks, and a source whose hooks run between them.
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
    type Rank = crate::hook::Places;
    type Answers = Both<G::Answers, Every<Many>>;
    type Exact = Every<Many>;
    type Wraps = G::Wraps;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.hooks.wanted().union(wanted(&self.source))
    }

    #[inline]
    fn is_live(&self) -> bool {
        true
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.hooks.wrapped()
    }

    fn describe(&self, plan: &mut Planner) {
        let sourced = current(&self.source).plans();
        plan.spread(sourced, |plan| self.hooks.describe(plan));
    }
}

#[diagnostic::do_not_recommend]
impl<G, S, E, K> Run<E, K> for Spread<G, S>
where
    E: AnyEvent + Event<Kind = K>,
    K: Merges,
    G: Dispatch<E>,
    S: HandlerSource<Vocabulary: Vocabulary<Static = E::Vocabulary>>,
{
    type Timing = Asynchronous;
    type Facts = K::Boxed;

    fn wants(&self, _: &Context<E>, _: &E) -> bool {
        self.wanted().contains::<E>()
    }

    #[inline(always)]
    fn run<'a, W: Watch<E::Vocabulary>>(
        &'a self,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send {
        <TimingOf<G, E> as Timing>::enter_unless(&self.hooks, ask, |ask| {
            if wanted(&self.source).contains::<E>() {
                Err(merged(self, ask))
            } else {
                Ok(ask)
            }
        })
    }
}

/// A dispatch in which a hook of the source runs.
#[cold]
#[inline(never)]
fn merged<'a, G, S, E, W>(
    spread: &'a Spread<G, S>,
    ask: Ask<'a, E, W>,
) -> BoxFuture<'a, ResultOf<E>>
where
    G: Dispatch<E>,
    S: HandlerSource<Vocabulary: Vocabulary<Static = E::Vocabulary>>,
    E: AnyEvent<Kind: Merges>,
    W: Watch<E::Vocabulary>,
{
    Box::pin(merge(&spread.hooks, current(&spread.source), ask))
}

/// The probes of the source see the around hooks of the list, too.
#[diagnostic::do_not_recommend]
impl<G, S, E> Around<E> for Spread<G, S>
where
    E: HasWork,
    G: Around<E> + Hook,
    S: HandlerSource<Vocabulary: Vocabulary<Static = E::Vocabulary>>,
{
    const WRAPS: bool = G::WRAPS;

    async fn around<'a>(&'a self, cx: &'a Context<E>, event: &'a E, next: Next<'a, E>) -> E::Work {
        let set = current(&self.source);
        let told = |hook: Name<'_>, step: Step<'_>| {
            for probe in &set.probes {
                probe.around(cx, hook.text(), step, event, E::INFO);
            }
            next.tell(hook, step);
        };
        self.hooks.around(cx, event, next.telling(&told)).await
    }
}
