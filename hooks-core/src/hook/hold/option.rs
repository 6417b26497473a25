//! A hook that is switched on and off by an `Option`. A dispatch passes over one that is off, at the cost of a branch.

use super::facts_held;
use crate::decision::{Name, ResultOf, go_on};
use crate::event::{Context, Event, EventInfo, EventSet, Every, Many, One};
use crate::hook::{
    AnyEvent, Around, Ask, Carries, Dispatch, HasWork, Hook, Next, Planner, Run, Steps, StepsOf,
    Watch, WrapStep, Wraps, around_all,
};

#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Option<H> {
    type Vocabulary = H::Vocabulary;
    type Rank = H::Rank;
    type Answers = Every<Many>;
    type Wraps = Every<One>;
    type Exact = H::Exact;

    #[inline(always)]
    fn name(&self) -> Name<'_> {
        self.as_ref().map_or(Name::Static(""), Hook::name)
    }

    #[inline]
    fn wanted(&self) -> EventSet {
        self.as_ref().map_or(EventSet::NONE, Hook::wanted)
    }

    #[inline]
    fn is_live(&self) -> bool {
        self.as_ref().is_some_and(Hook::is_live)
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.as_ref().map_or(EventSet::NONE, Hook::wrapped)
    }

    fn concerns(&self, event: &EventInfo, subject: &str) -> bool {
        self.as_ref()
            .is_some_and(|hook| hook.concerns(event, subject))
    }

    fn describe(&self, plan: &mut Planner) {
        if let Some(hook) = self {
            hook.describe(plan);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: AnyEvent + Event<Kind = K>, K: Carries, H: Dispatch<E>> Run<E, K> for Option<H> {
    facts_held!();

    #[inline(always)]
    fn wants(&self, cx: &Context<E>, event: &E) -> bool {
        let wants = |hook| <StepsOf<H, E> as Steps<H, E>>::wants(hook, cx, event);
        self.as_ref().is_some_and(wants)
    }

    #[inline]
    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        match self {
            Some(hook) => <StepsOf<H, E> as Steps<H, E>>::whole::<W>(hook, ask).await,
            None => go_on::<E>(),
        }
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        match self {
            Some(hook) => <StepsOf<H, E> as Steps<H, E>>::whole_now::<W>(hook, ask),
            None => go_on::<E>(),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: HasWork, H: Wraps<E>> Around<E> for Option<H> {
    const WRAPS: bool = <H::Step as WrapStep<H, E>>::WRAPS;

    async fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        mut next: Next<'a, E>,
    ) -> E::Work {
        match self {
            Some(hook) => around_all(hook, cx, event, next).await,
            None => next.run().await,
        }
    }
}
