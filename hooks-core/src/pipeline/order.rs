//! A list of hooks, sorted by the type checker.
//!
//! [`order`] is one comparator of the sorting network that `hooks![…]` writes: it takes two hooks and returns them in
//! order, as values of different types. None of this exists at run time.

use core::marker::PhantomData;

use super::{At, Pipeline};
use crate::event::{Agreed, AnyVocabulary};
use crate::hook::{Bool, Hook, Number, Place, Several, Single, Swap};

/// Every hook: what a list accepts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook",
    label = "not a hook",
    note = "write `#[hook]` on the function, or on an `impl` block of the type",
    note = "hooks that are only found at run time go into a `HookRegistry`, which is a hook; a source of hooks, such as a `Runtime`, goes in as `..runtime`",
    note = "a log or another `Probe` is attached to hooks: `hooks![…].with_probe(&log)`"
)]
#[expect(clippy::type_complexity, reason = "a list's order is a type")]
pub trait Listing: Sized /* in a `static`: `LazyLock<HookRegistry<AgentEvent>>` */ {
    /// The hook's vocabulary.
    type Vocabulary;
    /// The hook's rank.
    type Rank: Number;

    /// Takes the hook into a list, at position `P`. This is a function of its own trait, so that rustc reports an
    /// item that is not a hook at the user's token.
    fn listed<P>(hook: Self) -> In<Self, RankIn<Self>, P, VocabularyIn<Self>>
    where
        Self: Stands<<<Self as Listing>::Rank as Number>::Shape>;

    /// The same for the only item of a list, which has no order to lose.
    fn alone<P>(hook: Self) -> Of<Self, ShapeIn<Self>, In<Self, Self::Rank, P, Self::Vocabulary>>
    where
        Self: Known<ShapeIn<Self>>;

    /// The same, with the priority that the list gives it.
    fn listed_at<P, R: Number>(
        hook: Self,
    ) -> Of<Self::Vocabulary, (), In<At<Self, R>, R, P, AnyVocabulary>>;
}

/// A hook in a list, and the vocabulary on which it agrees.
type In<H, R, P, V> = (Listed<H, R, P>, Agreed<V>);
type Of<X, S, T> = <X as Known<S>>::Of<T>;

/// `T`, if rustc knows `Self` and `S`, the shape of a rank. What is not a hook has no shape, so rustc says no more of it.
#[diagnostic::on_unimplemented(
    message = "the hooks in `{Self}` are not known here",
    label = "hooks of an unknown type",
    note = "hooks behind a type parameter or an `impl AgentHooks` need no list: take them as they are, without `hooks![…]`",
    note = "with others, they go before or after them, `hooks![first].then(second)`, or have a place in the list, with \
            `@ 10` after them"
)]
pub trait Known<S> {
    /// The type itself.
    type Of<T>;
    /// The value, as this type.
    fn of<T>(value: T) -> Self::Of<T>;
}

macro_rules! known {
    ($($shape:ty)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<X: ?Sized> Known<$shape> for X {
            type Of<T> = T;

            #[inline(always)]
            fn of<T>(value: T) -> T {
                value
            }
        }
    )* };
}
known!(() Single Several);

type ShapeIn<H> = <<H as Listing>::Rank as Number>::Shape;
type RankIn<H> = <H as Stands<ShapeIn<H>>>::Rank;
type VocabularyIn<H> = <H as Stands<ShapeIn<H>>>::Vocabulary;

/// What has places of its own in a list: one hook, or a list that is taken apart.
///
/// Each type has an impl of its own. With one for all that is `Open`, rustc would take that impl as
/// the only one, go on with its types, and report the same mistake three times.
#[diagnostic::on_unimplemented(
    message = "the places of the hooks in `{Self}` are not known here",
    label = "at which priority do these hooks run?",
    note = "say it in the list: with `@ 10` after them, they all run at priority 10, one after the other",
    note = "a `hooks![…]` needs no place, nor does one behind `&` or in an `Option`: each of its hooks takes its own; hooks \
            behind a type parameter or an `impl AgentHooks` can also go before or after others, with \
            `hooks![first].then(second)`; a registry goes in as `..registry`"
)]
pub trait Stands<S> {
    /// The rank.
    type Rank: Number;
    /// The vocabulary.
    type Vocabulary;
}

#[diagnostic::do_not_recommend]
impl<H: Hook> Stands<Single> for H {
    type Rank = H::Rank;
    type Vocabulary = H::Vocabulary;
}

macro_rules! stand {
    ($([$($generics:tt)*] $list:ty, $of:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Stands<Several> for $list {
            type Rank = <$of as Stands<Several>>::Rank;
            type Vocabulary = <$of as Stands<Several>>::Vocabulary;
        }
    )* };
}
stand! {
    [G: Stands<Several>] Pipeline<G>, G;
    ['r, H: Stands<Several>] &'r H, H;
    [H: Stands<Several>] Option<H>, H;
}

#[diagnostic::do_not_recommend]
impl<H: Hook> Listing for H {
    type Vocabulary = H::Vocabulary;
    type Rank = H::Rank;

    #[inline(always)]
    fn listed<P>(hook: H) -> In<H, RankIn<H>, P, VocabularyIn<H>>
    where
        H: Stands<ShapeIn<H>>,
    {
        (
            Listed {
                hook,
                order: PhantomData,
            },
            Agreed::NEW,
        )
    }

    #[inline(always)]
    fn alone<P>(hook: H) -> Of<H, ShapeIn<H>, In<H, H::Rank, P, H::Vocabulary>>
    where
        H: Known<ShapeIn<H>>,
    {
        H::of((
            Listed {
                hook,
                order: PhantomData,
            },
            Agreed::NEW,
        ))
    }

    #[inline(always)]
    fn listed_at<P, R: Number>(hook: H) -> In<At<H, R>, R, P, AnyVocabulary> {
        (
            Listed {
                hook: At::new(hook),
                order: PhantomData,
            },
            Agreed::NEW,
        )
    }
}

/// A hook in a list: its rank, and its position, which decides between equal ranks.
#[derive(Debug)]
pub struct Listed<H, R, P> {
    pub(super) hook: H,
    order: PhantomData<(R, P)>,
}

impl<H, R, P> Listed<H, R, P> {
    /// The hook, once the list is sorted.
    #[inline(always)]
    pub fn into_hook(self) -> H {
        self.hook
    }
}

/// One comparator of the sorting network: returns the hook that runs first, then the other.
#[inline(always)]
#[expect(clippy::type_complexity, reason = "a list's order is a type")]
pub fn order<A, RA: Number, PA: Place, B, RB: Number, PB: Place>(
    first: Listed<A, RA, PA>,
    second: Listed<B, RB, PB>,
) -> <Swap<RA, PA, RB, PB> as Bool>::Pair<Listed<A, RA, PA>, Listed<B, RB, PB>> {
    <Swap<RA, PA, RB, PB> as Bool>::swap(first, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::__rank;
    use crate::event::Nibble;

    /// Sorts two values by rank, and by position if the ranks are equal, as the network does.
    macro_rules! runs_first {
        ($a:expr, $b:expr) => {
            runs_first!(of __rank!($a), __rank!($b))
        };
        (of $a:ty, $b:ty) => {{
            let a: Listed<_, $a, (Nibble<0>, Nibble<0>)> = Listed {
                hook: "a",
                order: PhantomData,
            };
            let b: Listed<_, $b, (Nibble<0>, Nibble<1>)> = Listed {
                hook: "b",
                order: PhantomData,
            };
            order(a, b).0.into_hook()
        }};
    }

    #[test]
    fn the_higher_rank_runs_first_and_equal_ones_keep_their_positions() {
        assert_eq!(runs_first!(1, 2), "b");
        assert_eq!(runs_first!(2, 1), "a");
        assert_eq!(runs_first!(7, 7), "a");
        assert_eq!(runs_first!(-1, 0), "b");
        assert_eq!(runs_first!(-2, -1), "b");
        assert_eq!(runs_first!(i32::MIN, i32::MAX), "b");
        assert_eq!(runs_first!(0x100, 0xFF), "a");
        assert_eq!(runs_first!(0x1F, 0x20), "b");
    }

    #[test]
    fn numbers_of_few_digits_compare_as_those_of_eight_do() {
        type Five = __rank!(@few 8 0 0 5);
        type MinusOne = __rank!(@few 7 15 15 15);
        type MinusTwo = __rank!(@few 7 15 15 14);
        assert_eq!(runs_first!(of MinusOne, Five), "b");
        assert_eq!(runs_first!(of MinusTwo, MinusOne), "b");
        assert_eq!(runs_first!(of Five, Five), "a");
        assert_eq!(runs_first!(of Five, __rank!(5)), "a");
        assert_eq!(runs_first!(of __rank!(5), Five), "a");
        assert_eq!(runs_first!(of Five, __rank!(6)), "b");
        assert_eq!(runs_first!(of __rank!(4), Five), "b");
        assert_eq!(runs_first!(of Five, __rank!(0x1000)), "b");
        assert_eq!(runs_first!(of MinusOne, __rank!(-1)), "a");
        assert_eq!(runs_first!(of __rank!(-0x1001), MinusTwo), "b");
        assert_eq!(runs_first!(of MinusTwo, __rank!(i32::MIN)), "a");
    }
}
