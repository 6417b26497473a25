//! Which hook handles which event, as types.
//!
//! Rust has no negative bounds: a trait cannot say "this hook does *not* handle that event". So every event has a
//! slot in its vocabulary, a Peano numeral. Every hook has a list of modes by slot: [`Skip`] the event, handle it
//! [`Now`], or handle it [`Later`], with an await. The list of a pipeline is the fold of its hooks' lists. From it,
//! the compiler knows what a dispatch has to do: an event that no hook handles is a no-op, and one that only
//! synchronous hooks handle is a plain function call.

use super::EventSet;

/// How a hook, or a whole pipeline, handles one event.
pub trait Mode {
    /// Whether the event is handled at all.
    const HANDLES: bool;
    /// Whether a future of the dispatch is always ready on its first poll.
    const AT_ONCE: bool = false;
    /// Its name in compiler messages.
    type Timing;
    /// The mode of "this, then that".
    type Then<M: Mode>: Mode;
    /// `Now`, then `Self`: the result is synchronous only if both are.
    type AfterNow: Mode;
    /// `Either`, then `Self`.
    type AfterEither: Mode;
}

/// Not at all.
#[derive(Debug)]
pub enum Skip {}
/// In a plain function.
#[derive(Debug)]
pub enum Now {}
/// In an `async fn`.
#[derive(Debug)]
pub enum Later {}
/// As the caller runs it: hooks made of others whose modes are unknown, such as two `impl AgentHooks`.
#[derive(Debug)]
pub enum Either {}

/// Hooks that run synchronously.
#[derive(Debug)]
pub enum Synchronous {}
/// Hooks that need an await.
#[derive(Debug)]
pub enum Asynchronous {}

/// What handles the event `E` without an `.await`.
#[diagnostic::on_unimplemented(
    message = "the hooks on `{E}` must be awaited",
    label = "one of the hooks on this event is `async`",
    note = "write `.intercept(&cx, &mut event).await` or `.observe(&cx, &event).await`"
)]
pub trait AnswersNow<E> {}

#[diagnostic::do_not_recommend]
impl<E> AnswersNow<E> for Synchronous {}

impl Mode for Skip {
    type Timing = Synchronous;
    const HANDLES: bool = false;
    const AT_ONCE: bool = true;
    type Then<M: Mode> = M;
    type AfterNow = Now;
    type AfterEither = Either;
}

impl Mode for Now {
    type Timing = Synchronous;
    const HANDLES: bool = true;
    const AT_ONCE: bool = true;
    type Then<M: Mode> = M::AfterNow;
    type AfterNow = Now;
    type AfterEither = Either;
}

impl Mode for Later {
    type Timing = Asynchronous;
    const HANDLES: bool = true;
    type Then<M: Mode> = Later;
    type AfterNow = Later;
    type AfterEither = Later;
}

impl Mode for Either {
    type Timing = Synchronous;
    const HANDLES: bool = true;
    type Then<M: Mode> = M::AfterEither;
    type AfterNow = Either;
    type AfterEither = Either;
}

/// A hook's modes, by slot: `(Skip, (Now, ()))` handles the second event of its vocabulary.
pub trait Answers {
    type Head: Mode;
    type Tail: Answers;
    /// Which events are handled, one bit each from the first: see [`EventSet`](super::EventSet).
    const BITS: u64;
    /// The list of "this hook, then that one".
    type And<Other: Answers>: Answers;
    /// The list of "this hook, then one that handles every event with `M`".
    type AndEvery<M: Mode>: Answers;
}

/// Nothing from here on.
impl Answers for () {
    type Head = Skip;
    type Tail = ();
    const BITS: u64 = 0;
    type And<Other: Answers> = Other;
    type AndEvery<M: Mode> = Every<M>;
}

impl<H: Mode, T: Answers> Answers for (H, T) {
    type Head = H;
    type Tail = T;
    const BITS: u64 = H::HANDLES as u64 | EventSet::shifted(T::BITS);
    type And<Other: Answers> = (H::Then<Other::Head>, T::And<Other::Tail>);
    type AndEvery<M: Mode> = (H::Then<M>, T::AndEvery<M>);
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
    type AndEvery<N: Mode> = Every<M::Then<N>>;
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

/// The list that handles only the event `E`, with the mode `M`.
pub type On<E, M> = <<E as super::Event>::Slot as Slot>::Only<M>;
/// The list that handles what `A` and `B` handle.
pub type Both<A, B> = <A as Answers>::And<B>;
