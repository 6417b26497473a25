//! Which hook handles which event, as types.
//!
//! Rust has no negative bounds: a trait cannot say "this hook does *not* handle that event". So every event has a
//! slot in its vocabulary, a Peano numeral. Every hook has a list of modes by slot: it [`Skip`]s the event, or it
//! handles it as [`One`] hook, or as [`Many`] hooks. The list of a pipeline is the fold of its hooks' lists. From it,
//! the compiler knows what a dispatch has to do: an event that no hook handles is a no-op.

use super::EventSet;

/// How a hook, or a whole pipeline, handles one event.
pub trait Mode {
    /// Whether the event is handled at all.
    const HANDLES: bool;
    /// The mode of one type that handles the event in this way or in the other.
    type Or<M: Mode>: Mode;
    /// The mode of hooks that this hook is one of.
    type Within: Mode;
}

/// Not at all.
#[derive(Debug)]
pub enum Skip {}
/// As one hook, which runs code of its author.
#[derive(Debug)]
pub enum One {}
/// As hooks made of others.
#[derive(Debug)]
pub enum Many {}

impl Mode for Skip {
    const HANDLES: bool = false;
    type Or<M: Mode> = M;
    type Within = Skip;
}

impl Mode for One {
    const HANDLES: bool = true;
    type Or<M: Mode> = One;
    type Within = Many;
}

impl Mode for Many {
    const HANDLES: bool = true;
    type Or<M: Mode> = Many;
    type Within = Many;
}

/// A hook's modes, by slot: `(Skip, (One, ()))` handles the second event of its vocabulary.
pub trait Answers {
    type Head: Mode;
    type Tail: Answers;
    /// Which events are handled, one bit each from the first: see [`EventSet`](super::EventSet).
    const BITS: u64;
    /// The list of "this hook, and that one".
    type And<Other: Answers>: Answers;
    /// The list of "this hook, and one that handles every event with `M`".
    type AndEvery<M: Mode>: Answers;
    /// The list of hooks that this hook is one of.
    type Within: Answers;
}

/// Nothing from here on.
impl Answers for () {
    type Head = Skip;
    type Tail = ();
    const BITS: u64 = 0;
    type And<Other: Answers> = Other;
    type AndEvery<M: Mode> = Every<M>;
    type Within = ();
}

impl<H: Mode, T: Answers> Answers for (H, T) {
    type Head = H;
    type Tail = T;
    const BITS: u64 = H::HANDLES as u64 | EventSet::shifted(T::BITS);
    type And<Other: Answers> = (H::Or<Other::Head>, T::And<Other::Tail>);
    type AndEvery<M: Mode> = (H::Or<M>, T::AndEvery<M>);
    type Within = (H::Within, T::Within);
}

/// Every event from here on, with the mode `M`: an endless list, for `#[hook(every)]` and registries.
#[derive(Debug)]
pub struct Every<M>(core::marker::PhantomData<M>);

impl<M: Mode> Answers for Every<M> {
    type Head = M;
    type Tail = Self;
    const BITS: u64 = if M::HANDLES { u64::MAX } else { 0 };
    // The order of the two does not affect the mode, so the finite list may come first.
    type And<Other: Answers> = Other::AndEvery<M>;
    type AndEvery<N: Mode> = Every<M::Or<N>>;
    type Within = Every<M::Within>;
}

/// An event's position in its vocabulary.
pub trait Slot {
    /// How many slots come before it.
    const INDEX: u32;
    /// The mode in this slot.
    type In<A: Answers>: Mode;
    /// The list with `M` in this slot and nothing elsewhere.
    type Only<M: Mode>: Answers;
}

/// The first slot.
#[derive(Debug)]
pub enum Zero {}
/// The slot after `S`.
#[derive(Debug)]
pub struct Succ<S>(core::marker::PhantomData<S>);

impl Slot for Zero {
    const INDEX: u32 = 0;
    type In<A: Answers> = A::Head;
    type Only<M: Mode> = (M, ());
}

impl<S: Slot> Slot for Succ<S> {
    const INDEX: u32 = 1 + S::INDEX;
    type In<A: Answers> = S::In<A::Tail>;
    type Only<M: Mode> = (Skip, S::Only<M>);
}

/// The list that handles only the event `E`, as one hook.
pub type On<E> = <<E as super::Event>::Slot as Slot>::Only<One>;
/// The list that handles what `A` and `B` handle.
pub type Both<A, B> = <A as Answers>::And<B>;
