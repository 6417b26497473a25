//! Which hook handles which event, as types.
//!
//! Rust has no negative bounds: a trait cannot say "this hook does *not* handle that event". So every event has a
//! [`Slot`] in its vocabulary, and every hook has a mode for each slot: it [`Skip`]s the event, or it handles it as
//! [`One`] hook, or as [`Many`] hooks. The modes of a pipeline are an expression over those of its hooks, of which the
//! compiler computes only the slots that it asks for. From the mode it knows what a dispatch has to do: an event that no
//! hook handles is a no-op.

use core::marker::PhantomData;

use super::set::bit;
use super::{Event, Slot};

/// How a hook, or a whole pipeline, handles one event.
pub trait Mode {
    /// Whether the event is handled at all.
    const HANDLES: bool;
    /// The mode of one type that handles the event in this way or in the other.
    type Or<M: Mode>: Mode;
    /// The mode of hooks that this hook is one of.
    type Within: Mode;
    /// Calls `then` if the event is handled. This is a method and not `if HANDLES`, because rustc collects what the code
    /// of a branch mentions, even of one that a constant rules out; the method of `Skip` mentions nothing.
    fn then<R: Default>(then: impl FnOnce() -> R) -> R;
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

    #[inline(always)]
    fn then<R: Default>(_: impl FnOnce() -> R) -> R {
        R::default()
    }
}

impl Mode for One {
    const HANDLES: bool = true;
    type Or<M: Mode> = One;
    type Within = Many;

    #[inline(always)]
    fn then<R: Default>(then: impl FnOnce() -> R) -> R {
        then()
    }
}

impl Mode for Many {
    const HANDLES: bool = true;
    type Or<M: Mode> = Many;
    type Within = Many;

    #[inline(always)]
    fn then<R: Default>(then: impl FnOnce() -> R) -> R {
        then()
    }
}

/// The modes of a hook, by slot.
pub trait Answers {
    /// The mode in the slot `S`.
    type At<S: Slot>: Mode;
    /// Which events are handled, one bit each from the first: see [`EventSet`](super::EventSet).
    const BITS: u64;
}

/// No event.
impl Answers for () {
    type At<S: Slot> = Skip;
    const BITS: u64 = 0;
}

/// The event in the slot `T`, with the mode `M`.
#[derive(Debug)]
pub struct Only<T, M>(PhantomData<(T, M)>);

impl<T: Slot, M: Mode> Answers for Only<T, M> {
    type At<S: Slot> = S::Is<T, M, Skip>;
    const BITS: u64 = if M::HANDLES { bit(T::INDEX) } else { 0 };
}

/// What `A` and `B` handle.
#[derive(Debug)]
pub struct Both<A, B>(PhantomData<(A, B)>);

impl<A: Answers, B: Answers> Answers for Both<A, B> {
    type At<S: Slot> = <A::At<S> as Mode>::Or<B::At<S>>;
    const BITS: u64 = A::BITS | B::BITS;
}

/// What hooks handle that a hook with the modes `A` is one of.
#[derive(Debug)]
pub struct Within<A>(PhantomData<A>);

impl<A: Answers> Answers for Within<A> {
    type At<S: Slot> = <A::At<S> as Mode>::Within;
    const BITS: u64 = A::BITS;
}

/// Every event, with the mode `M`: for `#[hook(every)]` and registries.
#[derive(Debug)]
pub struct Every<M>(PhantomData<M>);

impl<M: Mode> Answers for Every<M> {
    type At<S: Slot> = M;
    const BITS: u64 = if M::HANDLES { u64::MAX } else { 0 };
}

/// The modes that handle only the event `E`, as one hook.
pub type On<E> = Only<<E as Event>::Slot, One>;
/// The modes that handle only the event `E`, as several rules.
pub type OnMany<E> = Only<<E as Event>::Slot, Many>;
