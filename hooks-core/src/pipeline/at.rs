//! A hook whose priority the list overrides, and a hook with hooks of a source before it.

use core::marker::PhantomData;

use crate::decision::ResultOf;
use crate::event::{Event, Every, Many, One};
use crate::hook::{
    AnyEvent, Ask, Carries, Dispatch, Hook, Number, Planner, Run, Steps, StepsOf, Watch,
    around_held, as_held, facts_held, priority_of, run_held,
};

/// Declares a hook in a list, with a priority of its own.
macro_rules! in_list {
    ($(#[$doc:meta])* $Holder:ident) => {
        $(#[$doc])*
        #[doc(hidden)]
        #[derive(Debug)]
        pub struct $Holder<H, R> {
            pub(crate) hook: H,
            rank: PhantomData<fn() -> R>,
        }

        impl<H, R> $Holder<H, R> {
            pub(crate) const fn new(hook: H) -> Self {
                $Holder {
                    hook,
                    rank: PhantomData,
                }
            }
        }

        impl<H: Clone, R> Clone for $Holder<H, R> {
            fn clone(&self) -> Self {
                $Holder::new(self.hook.clone())
            }
        }

        impl<H: Copy, R> Copy for $Holder<H, R> {}

        #[diagnostic::do_not_recommend]
        impl<H: Hook, R: Number> Hook for $Holder<H, R> {
            type Vocabulary = H::Vocabulary;
            type Rank = R;
            // Not those of `H`, which are unknown for an `impl AgentHooks`.
            type Answers = Every<Many>;
            type Wraps = Every<One>;
            type Exact = H::Exact;

            as_held!(this => this.hook);

            fn describe(&self, plan: &mut Planner) {
                plan.at(priority_of::<R>(), &self.hook);
            }
        }
    };
}

in_list! {
    /// A hook whose priority the list overrides: `hook @ PRIORITY`.
    At
}

run_held!([H: Hook, R: Number,] At<H, R>, this => this.hook);

in_list! {
    /// A hook in a list with `..source`: before it run the hooks of the source that have a higher priority.
    Placed
}

#[diagnostic::do_not_recommend]
impl<E, K, H, R> Run<E, K> for Placed<H, R>
where
    E: AnyEvent + Event<Kind = K>,
    K: Carries,
    H: Dispatch<E>,
    R: Number,
{
    facts_held!();

    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, mut ask: Ask<'a, E, W>) -> ResultOf<E> {
        if let Some(ahead) = ask.ahead(Some(priority_of::<R>())) {
            let result = ahead.await;
            if !K::goes_on::<E>(&result) {
                return result;
            }
        }
        <StepsOf<H, E> as Steps<H, E>>::whole::<W>(&self.hook, ask).await
    }

    /// Without an executor, there is no source.
    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        <StepsOf<H, E> as Steps<H, E>>::whole_now::<W>(&self.hook, ask)
    }
}

around_held!([H: Hook, R: Number,] Placed<H, R>, this => this.hook);
