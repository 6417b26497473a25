//! Sorted lists of hooks, merged by the type checker.
//!
//! Only *types* are merged: a [`Spot`] says which rank a hook has and where it lies, and once the order is known, each
//! hook is taken from its place, once. To move the hooks through each step would cost rustc four times as much.
//!
//! One type function is one step, which moves the head of one of two lists to the front of the result. So a merge turns
//! the order around, and the next merge works from the other end: see [`Direction`]. Sixty-four steps are written side by
//! side, and not one in another, because rustc limits how deep a recursion goes.

use core::marker::PhantomData;

use super::{Bool, False, Number, Place, True};

/// A hook and those after it: its rank, the position of its item in the list, and the path to it.
#[derive(Debug)]
pub struct Spot<R, P, I, T>(PhantomData<(R, P, I, T)>);

/// Whether the hook of rank `B` at position `Q` runs before the hook of rank `A` at position `P`.
pub(crate) type Swap<A, P, B, Q> = <B as Number>::Above<A, <P as Place>::After<Q>>;

/// Sorted hooks: a list of [`Spot`]s.
pub trait Sorted {
    /// A step of the merge with `B`; `O` is the result so far.
    type Step<D: Direction, O: Sorted, B: Sorted>: Machine;
    /// The same, if the other list has ended.
    type Rest<D: Direction, O: Sorted>: Machine;
    /// The same, if the other list begins with this spot.
    type Against<D: Direction, O: Sorted, R: Number, P: Place, I, T: Sorted>: Machine;
}

impl Sorted for () {
    type Step<D: Direction, O: Sorted, B: Sorted> = B::Rest<D, O>;
    type Rest<D: Direction, O: Sorted> = Merged<O>;
    type Against<D: Direction, O: Sorted, R: Number, P: Place, I, T: Sorted> =
        Merging<D, Spot<R, P, I, O>, T, ()>;
}

impl<R: Number, P: Place, I, T: Sorted> Sorted for Spot<R, P, I, T> {
    type Step<D: Direction, O: Sorted, B: Sorted> = B::Against<D, O, R, P, I, T>;
    type Rest<D: Direction, O: Sorted> = Merging<D, Spot<R, P, I, O>, (), T>;
    type Against<D: Direction, O: Sorted, S: Number, Q: Place, J, U: Sorted> =
        <D::Second<Swap<S, Q, R, P>> as Takes>::Take<D, O, S, Q, J, U, R, P, I, T>;
}

/// Which of two lists gives its head. Only the branch that is chosen is named: an argument that is not used would be
/// computed all the same.
pub trait Takes {
    type Take<D: Direction, O: Sorted, AR: Number, AP: Place, AI, AT: Sorted, BR: Number, BP: Place, BI, BT: Sorted>: Machine;
}

impl Takes for True {
    type Take<
        D: Direction,
        O: Sorted,
        AR: Number,
        AP: Place,
        AI,
        AT: Sorted,
        BR: Number,
        BP: Place,
        BI,
        BT: Sorted,
    > = Merging<D, Spot<BR, BP, BI, O>, Spot<AR, AP, AI, AT>, BT>;
}

impl Takes for False {
    type Take<
        D: Direction,
        O: Sorted,
        AR: Number,
        AP: Place,
        AI,
        AT: Sorted,
        BR: Number,
        BP: Place,
        BI,
        BT: Sorted,
    > = Merging<D, Spot<AR, AP, AI, O>, AT, Spot<BR, BP, BI, BT>>;
}

/// Which of two hooks a step moves: the one that runs first, or the one that runs last.
pub trait Direction {
    type Back: Direction;
    /// `S` says whether the hook of the second list runs first.
    type Second<S: Bool>: Bool;
    /// A result of this direction, with the hook that runs first in front.
    type InOrder<L: Sorted>: Sorted;
}

/// The one that runs first is moved first, so the result begins with the last.
#[derive(Debug)]
pub enum Down {}
/// The one that runs last is moved first.
#[derive(Debug)]
pub enum Up {}

impl Direction for Down {
    type Back = Up;
    type Second<S: Bool> = S;
    type InOrder<L: Sorted> = L;
}

impl Direction for Up {
    type Back = Down;
    type Second<S: Bool> = S::Not;
    type InOrder<L: Sorted> = Merge<Up, L, ()>;
}

/// A merge on its way.
pub trait Machine {
    type Next: Machine;
    type By4: Machine;
    type By16: Machine;
    type By64: Machine;
    type Out: Sorted;
}

/// Two sorted lists, and what of them has been moved.
#[derive(Debug)]
pub struct Merging<D, O, A, B>(PhantomData<(D, O, A, B)>);
/// The end.
#[derive(Debug)]
pub struct Merged<O>(PhantomData<O>);

type Next<M> = <M as Machine>::Next;
type By4<M> = <M as Machine>::By4;
type By16<M> = <M as Machine>::By16;
type By64<M> = <M as Machine>::By64;

impl<D: Direction, O: Sorted, A: Sorted, B: Sorted> Machine for Merging<D, O, A, B> {
    type Next = A::Step<D, O, B>;
    type By4 = Next<Next<Next<Next<Self>>>>;
    type By16 = By4<By4<By4<By4<Self>>>>;
    type By64 = By16<By16<By16<By16<Self>>>>;
    type Out = ();
}

impl<O: Sorted> Machine for Merged<O> {
    type Next = Self;
    type By4 = Self;
    type By16 = Self;
    type By64 = Self;
    type Out = O;
}

/// Two lists as one, in the other direction: of at most 256 hooks, as every list.
type Merge<D, A, B> = <By64<By64<By64<By64<Merging<D, (), A, B>>>>> as Machine>::Out;

/// Several sorted lists: a list of them.
pub trait Lists {
    /// Two by two as one.
    type Round<D: Direction>: Lists;
    type RoundAfter<D: Direction, A: Sorted>: Lists;
    /// All as one, with the hook that runs first in front.
    type All<D: Direction>: Sorted;
    type AllAfter<D: Direction, A: Sorted>: Sorted;
}

impl Lists for () {
    type Round<D: Direction> = ();
    type RoundAfter<D: Direction, A: Sorted> = (Merge<D, A, ()>, ());
    type All<D: Direction> = ();
    type AllAfter<D: Direction, A: Sorted> = D::InOrder<A>;
}

impl<B: Sorted, T: Lists> Lists for (B, T) {
    type Round<D: Direction> = T::RoundAfter<D, B>;
    type RoundAfter<D: Direction, A: Sorted> = (Merge<D, A, B>, T::Round<D>);
    type All<D: Direction> = T::AllAfter<D, B>;
    type AllAfter<D: Direction, A: Sorted> = <(Merge<D, A, B>, T::Round<D>) as Lists>::All<D::Back>;
}
