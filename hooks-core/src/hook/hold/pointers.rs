//! A hook behind a pointer.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::{as_held, run_held};
use crate::event::{Every, Many, One};
use crate::hook::{Hook, Planner};

macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* H: Hook + ?Sized> Hook for $pointer {
            type Vocabulary = H::Vocabulary;
            type Rank = H::Rank;
            type Answers = Every<Many>;
            type Wraps = Every<One>;
            type Exact = H::Exact;

            as_held!(this => **this);

            fn describe(&self, plan: &mut Planner) {
                (**self).describe(plan);
            }
        }

        run_held!([$($generics)* H: Hook + ?Sized,] $pointer, this => **this);
    )* };
}
pointers! {
    ['r,] &'r H;
    [] Box<H>;
    [] Arc<H>;
}
