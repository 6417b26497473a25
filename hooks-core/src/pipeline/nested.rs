//! Lists in a list: each hook of a nested list takes its own place among all, as in a flat list.
//!
//! The outer list takes a nested one apart when it is made. What remains has the type of the flat list, so a dispatch
//! knows nothing of this. Both lists are sorted already, so their orders are [merged](Lists), as types. A hook waits in a
//! [`HookSlot`] meanwhile; a [`Path`] leads there through tuples of eight.
//!
//! | the list | is sorted by |
//! | --- | --- |
//! | of hooks | the network that `hooks![…]` writes: [`Sortedly`] |
//! | with lists in it | the same network for its own hooks, and then merges: [`InOrder`] |
//!
//! What cannot be taken apart needs a place in the list: see [`Stands`](super::order::Stands).

use core::marker::PhantomData;

use super::order::{Listed, Stands};
use super::{Pipeline, Placed};
use crate::event::Agreed;
use crate::hook::{Down, Group, Hook, Lists, Number, Place, Places, Several, Single, Sorted, Spot};

/// A hook that waits to be taken to its place. Its item is at the position `P` of the list.
#[derive(Debug)]
pub struct HookSlot<H, P>(Option<H>, PhantomData<fn() -> P>);

impl<H, P> HookSlot<H, P> {
    const fn new(hook: H) -> Self {
        HookSlot(Some(hook), PhantomData)
    }
}

/// The hooks of a list that is taken apart.
pub trait HookStore: Sized {
    /// Their order, before that of `T`. `I` is the path to the store.
    type Order<I: Path, T: Sorted>: Sorted;
    /// Each in an `Option`.
    type Optional: HookStore;

    fn optional(this: Option<Self>) -> Self::Optional;
}

impl<H: Hook, P: Place> HookStore for HookSlot<H, P> {
    type Order<I: Path, T: Sorted> = Spot<H::Rank, P, I, T>;
    type Optional = HookSlot<Option<H>, P>;

    fn optional(this: Option<Self>) -> Self::Optional {
        HookSlot::new(this.and_then(|slot| slot.0))
    }
}

/// Hooks that an outer list takes apart, from the item at the position `P`.
pub trait Open<P>: Hook {
    type Store: HookStore;

    fn open(self) -> Self::Store;
}

impl<G: Open<P>, P> Open<P> for Pipeline<G> {
    type Store = G::Store;

    fn open(self) -> G::Store {
        self.hooks.open()
    }
}

impl<'r, G: Hook, P> Open<P> for &'r Pipeline<G>
where
    &'r G: Open<P>,
{
    type Store = <&'r G as Open<P>>::Store;

    fn open(self) -> Self::Store {
        (&self.hooks).open()
    }
}

impl<H: Open<P>, P> Open<P> for Option<H> {
    type Store = <H::Store as HookStore>::Optional;

    fn open(self) -> Self::Store {
        HookStore::optional(self.map(Open::open))
    }
}

/// A member of a list that is taken apart: one hook, or hooks in a group of their own.
pub trait Member<S, P>: Hook {
    type Store: HookStore;

    fn enter(self) -> Self::Store;
}

impl<H: Hook, P: Place> Member<Single, P> for H {
    type Store = HookSlot<H, P>;

    #[inline(always)]
    fn enter(self) -> HookSlot<H, P> {
        HookSlot::new(self)
    }
}

impl<H: Open<P>, P> Member<Several, P> for H {
    type Store = H::Store;

    fn enter(self) -> H::Store {
        self.open()
    }
}

type ShapeOf<H> = <<H as Hook>::Rank as Number>::Shape;
type StoreOf<H, P> = <H as Member<ShapeOf<H>, P>>::Store;

/// An item of a list with lists in it: a hook, a list that is taken apart, or a tuple of these.
pub trait Items {
    /// The order of the items that are hooks, before `T`.
    type Own<I: Path, T: Sorted>: Sorted;
    /// The orders of the lists, before those in `L`.
    type Nested<I: Path, L: Lists>: Lists;
}

impl<H: Hook, P: Place> Items for HookSlot<H, P> {
    type Own<I: Path, T: Sorted> = Spot<H::Rank, P, I, T>;
    type Nested<I: Path, L: Lists> = L;
}

/// A list that is taken apart.
#[derive(Debug)]
pub struct Opened<S>(S);

impl<S: HookStore> Items for Opened<S> {
    type Own<I: Path, T: Sorted> = T;
    type Nested<I: Path, L: Lists> = (S::Order<I, ()>, L);
}

/// The store of a listed item, which has the shape `S`.
pub trait Enters<S> {
    type Items: Items;

    fn items(self) -> Self::Items;
}

impl<H: Hook, R, P: Place> Enters<Single> for Listed<H, R, P> {
    type Items = HookSlot<H, P>;

    #[inline(always)]
    fn items(self) -> HookSlot<H, P> {
        HookSlot::new(self.hook)
    }
}

impl<H: Open<P>, R, P> Enters<Several> for Listed<H, R, P> {
    type Items = Opened<H::Store>;

    #[inline(always)]
    fn items(self) -> Opened<H::Store> {
        Opened(self.hook.open())
    }
}

/// Eight tuples of listed items, or fewer.
#[derive(Debug)]
pub struct Tuples<T>(pub T);

/// The items of a list, as tuples of eight.
pub trait ListItems {
    type Items: Items;

    fn items(self) -> Self::Items;
}

/// Where a hook is: the members that lead to it.
pub trait Path {
    /// The path to the member `K` of what is there.
    type Then<K>: Path;
}

impl Path for () {
    type Then<K> = (K, ());
}

impl<A, O: Path> Path for (A, O) {
    type Then<K> = (A, O::Then<K>);
}

/// The number of a member.
#[derive(Debug)]
pub struct Nth<const N: usize>;

/// What has a member with this number.
pub trait HasMember<K> {
    type Its;

    fn at(&mut self) -> &mut Self::Its;
}

impl<K, S: HasMember<K>> HasMember<K> for Opened<S> {
    type Its = S::Its;

    #[inline(always)]
    fn at(&mut self) -> &mut S::Its {
        self.0.at()
    }
}

/// What has a hook at the end of the path `I`.
pub trait HasHook<I> {
    type Hook: Hook;

    fn take(&mut self) -> Self::Hook;
}

impl<H: Hook, P> HasHook<()> for HookSlot<H, P> {
    type Hook = H;

    #[inline(always)]
    fn take(&mut self) -> H {
        self.0.take().expect("each hook has one place")
    }
}

impl<S: HasMember<K, Its: HasHook<O>>, K, O> HasHook<(K, O)> for S {
    type Hook = <S::Its as HasHook<O>>::Hook;

    #[inline(always)]
    fn take(&mut self) -> Self::Hook {
        self.at().take()
    }
}

/// What a list makes of each hook: the hook itself, or the hook with those of a source before it.
pub trait Form {
    type Of<H: Hook, R: Number>: Hook;

    fn of<H: Hook, R: Number>(hook: H) -> Self::Of<H, R>;
}

/// The hook itself.
#[derive(Debug)]
pub enum Plain {}
/// The hook with those of a source before it.
#[derive(Debug)]
pub enum Spreads {}

impl Form for Plain {
    type Of<H: Hook, R: Number> = H;

    #[inline(always)]
    fn of<H: Hook, R: Number>(hook: H) -> H {
        hook
    }
}

impl Form for Spreads {
    type Of<H: Hook, R: Number> = Placed<H, R>;

    #[inline(always)]
    fn of<H: Hook, R: Number>(hook: H) -> Placed<H, R> {
        Placed::new(hook)
    }
}

/// Sorted items, as a group.
pub trait Grouped<V, F> {
    type Group;

    fn grouped(self) -> Self::Group;
}

/// Takes the hooks from their slots in order, as groups of eight.
pub trait Build<V, F, S> {
    type Groups;

    fn build(stores: &mut S) -> Self::Groups;
}

impl<V, F, S> Build<V, F, S> for () {
    type Groups = ();

    #[inline(always)]
    fn build(_: &mut S) {}
}

/// Groups, as groups of eight of them.
pub trait Chunks<V> {
    type Chunks;

    fn chunks(self) -> Self::Chunks;
}

impl<V> Chunks<V> for () {
    type Chunks = ();

    #[inline(always)]
    fn chunks(self) {}
}

/// Groups, as one.
pub trait Whole<V> {
    type Whole;

    fn whole(self) -> Self::Whole;
}

impl<V, G> Whole<V> for (G, ()) {
    type Whole = G;

    #[inline(always)]
    fn whole(self) -> G {
        self.0
    }
}

impl<V, G, H, T> Whole<V> for (G, (H, T))
where
    Self: Chunks<V, Chunks: Whole<V>>,
{
    type Whole = <<Self as Chunks<V>>::Chunks as Whole<V>>::Whole;

    #[inline(always)]
    fn whole(self) -> Self::Whole {
        self.chunks().whole()
    }
}

/// The hooks of a list are sorted.
#[derive(Debug)]
pub struct Sortedly;
/// This is the order of the hooks of a list, and of those in it.
#[derive(Debug)]
pub struct InOrder<O>(PhantomData<fn() -> O>);

/// The order of a list: of its own hooks, and of the lists in it.
pub trait ListOrder<T> {
    type Order;
    const ORDER: Self::Order;
}

impl<T> ListOrder<T> for () {
    type Order = Sortedly;
    const ORDER: Sortedly = Sortedly;
}

impl<A: Sorted, L: Lists, T: ListItems> ListOrder<T> for (A, L) {
    type Order = InOrder<<(<T::Items as Items>::Own<(), ()>, Self) as Lists>::All<Down>>;
    const ORDER: Self::Order = InOrder(PhantomData);
}

/// The order of a list. It is computed once here; from here on it is a type parameter.
#[inline(always)]
#[must_use]
pub fn order_of<T: ListItems>(_: &T) -> <<T::Items as Items>::Nested<(), ()> as ListOrder<T>>::Order
where
    <T::Items as Items>::Nested<(), ()>: ListOrder<T>,
{
    <<T::Items as Items>::Nested<(), ()> as ListOrder<T>>::ORDER
}

/// A list as a group, with the hooks of the lists in it in their places.
pub trait Arrange<V, F, T> {
    /// The group.
    type Group;

    /// Puts the items into it.
    fn arrange(self, agreed: &Agreed<V>, hooks: T) -> Self::Group;
}

impl<V, F, T: Grouped<V, F>> Arrange<V, F, T> for Sortedly {
    type Group = T::Group;

    #[inline(always)]
    fn arrange(self, _: &Agreed<V>, hooks: T) -> T::Group {
        hooks.grouped()
    }
}

impl<V, F, T: ListItems, O> Arrange<V, F, T> for InOrder<O>
where
    O: Build<V, F, T::Items, Groups: Whole<V>>,
{
    type Group = <O::Groups as Whole<V>>::Whole;

    fn arrange(self, _: &Agreed<V>, hooks: T) -> Self::Group {
        O::build(&mut hooks.items()).whole()
    }
}

/// `(A, (B, (…, tail)))`
macro_rules! cons {
    (; $tail:ty) => { $tail };
    ($first:ident $($rest:ident)*; $tail:ty) => { ($first, cons!($($rest)*; $tail)) };
}

/// The same as a pattern.
macro_rules! cons_pattern {
    (; $tail:ident) => { $tail };
    ($first:ident $($rest:ident)*; $tail:ident) => { ($first, cons_pattern!($($rest)*; $tail)) };
}

/// The order of hooks: a [`Spot`] each, and those after them.
macro_rules! spots {
    (; $tail:ty) => { $tail };
    (($R:ident $P:ident $I:ident) $($rest:tt)*) => { Spot<$R, $P, $I, spots!($($rest)*)> };
}

/// `T::Own` or `T::Nested` of several items, of which each has its number in the path.
macro_rules! chained {
    ($what:ident $I:ident; $tail:ident) => { $tail };
    ($what:ident $I:ident; $first:ident $nth:tt $($rest:tt)*) => {
        $first::$what<$I::Then<Nth<$nth>>, chained!($what $I; $($rest)*)>
    };
}

/// What holds for tuples of each width.
macro_rules! widths {
    ($(($($H:ident $R:ident $P:ident $I:ident $nth:tt),*) [$($T:ident)?] $tail:ty;)*) => { $(
        impl<$($H: HookStore),*> HookStore for ($($H,)*) {
            type Order<I: Path, T: Sorted> = chained!(Order I; $($H $nth)* T);
            type Optional = ($($H::Optional,)*);

            #[allow(non_snake_case)]
            fn optional(this: Option<Self>) -> Self::Optional {
                let ($($H,)*) = match this {
                    Some(($($H,)*)) => ($(Some($H),)*),
                    None => ($(None::<$H>,)*),
                };
                ($($H::optional($H),)*)
            }
        }

        impl<$($H: Items),*> Items for ($($H,)*) {
            type Own<I: Path, T: Sorted> = chained!(Own I; $($H $nth)* T);
            type Nested<I: Path, T: Lists> = chained!(Nested I; $($H $nth)* T);
        }

        #[diagnostic::do_not_recommend]
        impl<V, $($H: Hook + Stands<ShapeOf<$H>>),*> Stands<Several> for Group<V, ($($H,)*)> {
            // By way of the first: if that has no place, there is no rank, and rustc reports nothing more.
            type Rank = <<A as Stands<ShapeOf<A>>>::Rank as Number>::OfSeveral;
            type Vocabulary = V;
        }

        impl<V, P, $($H: Member<ShapeOf<$H>, P>),*> Open<P> for Group<V, ($($H,)*)> {
            type Store = ($(StoreOf<$H, P>,)*);

            #[allow(non_snake_case)]
            fn open(self) -> Self::Store {
                let ($($H,)*) = self.into_members();
                ($($H.enter(),)*)
            }
        }

        impl<'r, V, P, $($H: Hook),*> Open<P> for &'r Group<V, ($($H,)*)>
        where
            $(&'r $H: Member<ShapeOf<&'r $H>, P>,)*
        {
            type Store = ($(StoreOf<&'r $H, P>,)*);

            #[allow(non_snake_case)]
            fn open(self) -> Self::Store {
                let ($($H,)*) = self.members();
                ($($H.enter(),)*)
            }
        }

        impl<$($H, $R: Number, $P),*> ListItems for ($(Listed<$H, $R, $P>,)*)
        where
            $(Listed<$H, $R, $P>: Enters<$R::Shape>,)*
        {
            type Items = ($(<Listed<$H, $R, $P> as Enters<$R::Shape>>::Items,)*);

            #[inline(always)]
            fn items(self) -> Self::Items {
                ($(self.$nth.items(),)*)
            }
        }

        impl<$($H: ListItems),*> ListItems for Tuples<($($H,)*)> {
            type Items = ($($H::Items,)*);

            #[inline(always)]
            fn items(self) -> Self::Items {
                ($(self.0.$nth.items(),)*)
            }
        }

        impl<V, $($H, $R, $P),*> Grouped<V, Plain> for ($(Listed<$H, $R, $P>,)*) {
            type Group = Group<V, ($($H,)*)>;

            #[inline(always)]
            fn grouped(self) -> Self::Group {
                Group::of(($(self.$nth.hook,)*))
            }
        }

        impl<V, $($H, $R, $P),*> Grouped<V, Spreads> for ($(Listed<$H, $R, $P>,)*) {
            type Group = Group<V, ($(Placed<$H, $R>,)*)>;

            #[inline(always)]
            fn grouped(self) -> Self::Group {
                Group::of(($(Placed::new(self.$nth.hook),)*))
            }
        }

        impl<V, F, $($H: Grouped<V, F>),*> Grouped<V, F> for Tuples<($($H,)*)> {
            type Group = Group<V, ($($H::Group,)*)>;

            #[inline(always)]
            fn grouped(self) -> Self::Group {
                Group::of(($(self.0.$nth.grouped(),)*))
            }
        }

        impl<V, F: Form, S, $($R: Number, $P, $I,)* $($T: Build<V, F, S>)?> Build<V, F, S>
            for spots!($(($R $P $I))*; $tail)
        where
            $(S: HasHook<$I>,)*
        {
            type Groups = (Group<V, ($(F::Of<<S as HasHook<$I>>::Hook, $R>,)*)>, <$tail as Build<V, F, S>>::Groups);

            fn build(stores: &mut S) -> Self::Groups {
                let group = Group::of(($(F::of::<_, $R>(<S as HasHook<$I>>::take(stores)),)*));
                (group, <$tail as Build<V, F, S>>::build(stores))
            }
        }

        impl<V, $($H,)* $($T: Chunks<V>)?> Chunks<V> for cons!($($H)*; $tail) {
            type Chunks = (Group<V, ($($H,)*)>, <$tail as Chunks<V>>::Chunks);

            #[allow(non_snake_case)]
            fn chunks(self) -> Self::Chunks {
                let cons_pattern!($($H)*; rest) = self;
                (Group::of(($($H,)*)), <$tail as Chunks<V>>::chunks(rest))
            }
        }
    )* };
}

widths! {
    (A RA PA IA 0) [] ();
    (A RA PA IA 0, B RB PB IB 1) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2, D RD PD ID 3) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2, D RD PD ID 3, E RE PE IE 4) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2, D RD PD ID 3, E RE PE IE 4, G RG PG IG 5) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2, D RD PD ID 3, E RE PE IE 4, G RG PG IG 5, H RH PH IH 6) [] ();
    (A RA PA IA 0, B RB PB IB 1, C RC PC IC 2, D RD PD ID 3, E RE PE IE 4, G RG PG IG 5, H RH PH IH 6, J RJ PJ IJ 7)
        [Z] Z;
}

/// A list without hooks.
impl HookStore for () {
    type Order<I: Path, T: Sorted> = T;
    type Optional = ();

    fn optional(_: Option<()>) {}
}

#[diagnostic::do_not_recommend]
impl<V> Stands<Several> for Group<V, ()> {
    type Rank = Places;
    type Vocabulary = V;
}

impl<V, P> Open<P> for Group<V, ()> {
    type Store = ();

    fn open(self) {}
}

impl<V, P> Open<P> for &Group<V, ()> {
    type Store = ();

    fn open(self) {}
}

/// The members of a tuple, by their numbers.
macro_rules! members {
    ($([$($all:ident)*] $($H:ident $nth:tt)*;)*) => { $( members!(@one ($($all)*) $($H $nth)*); )* };
    (@one $all:tt $($H:ident $nth:tt)*) => { $( members!(@at $all $H $nth); )* };
    (@at ($($all:ident)*) $H:ident $nth:tt) => {
        impl<$($all),*> HasMember<Nth<$nth>> for ($($all,)*) {
            type Its = $H;

            #[inline(always)]
            fn at(&mut self) -> &mut $H {
                &mut self.$nth
            }
        }
    };
}
members! {
    [A] A 0;
    [A B] A 0 B 1;
    [A B C] A 0 B 1 C 2;
    [A B C D] A 0 B 1 C 2 D 3;
    [A B C D E] A 0 B 1 C 2 D 3 E 4;
    [A B C D E F] A 0 B 1 C 2 D 3 E 4 F 5;
    [A B C D E F G] A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    [A B C D E F G H] A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}
