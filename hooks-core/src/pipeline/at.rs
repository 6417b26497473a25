//! A hook whose priority the list overrides.

use core::marker::PhantomData;

use crate::event::EventSet;
use crate::hook::{Describe, Hook, Number, Planner, answer_as, priority_of};

/// `hook @ PRIORITY`: a hook with the priority that the list gives it.
#[doc(hidden)]
#[derive(Debug)]
pub struct At<H, R> {
    pub(crate) hook: H,
    rank: PhantomData<fn() -> R>,
}

impl<H, R> At<H, R> {
    pub(crate) const fn new(hook: H) -> Self {
        At {
            hook,
            rank: PhantomData,
        }
    }
}

impl<H: Clone, R> Clone for At<H, R> {
    fn clone(&self) -> Self {
        At {
            hook: self.hook.clone(),
            rank: PhantomData,
        }
    }
}

impl<H: Copy, R> Copy for At<H, R> {}

#[diagnostic::do_not_recommend]
impl<H: Hook, R: Number> Hook for At<H, R> {
    type Vocabulary = H::Vocabulary;
    const NAME: &'static str = H::NAME;
    type Rank = R;
    type Answers = H::Answers;
    type Wraps = H::Wraps;
    type Listens = H::Listens;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.hook.wanted()
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.hook.wrapped()
    }
}

answer_as! {
    [H, R: Number,] At<H, R>, this => this.hook;
}

impl<H: Describe, R: Number> Describe for At<H, R> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        plan.at(priority_of::<R>(), &self.hook);
    }
}
