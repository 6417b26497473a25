//! One hook: what it is, how a dispatch runs it, and what can wrap it.
//!
//! [`Hook`] describes a hook by types: its name, its priority, and the events that it handles. An agent enters a dispatch
//! through the traits of `ways_in`, which every hook implements for every event of its vocabulary. The dispatch runs the
//! hook through one of the traits of `handle`, which `step` selects by type.
//!
//! | file | holds |
//! | --- | --- |
//! | `handle` | a hook's code for one event, in a `fn` or an `async fn` |
//! | `step` | selects one of those two, or neither, by type |
//! | `listening` | whether hooks ask for witnesses, and how a dispatch enters them |
//! | `ways_in` | what an agent calls: `observe`, `intercept`, and both without an executor |
//! | `rank` | a priority as a type |
//! | `plan` | a hook's description of itself, as rows of a table |
//! | `pointers` | a hook behind `&`, `Box`, `Arc` or `Option` |
//! | `switched` | hooks behind one test of whether any of them wants the event |
//! | `closure` | a hook made of a closure |
//! | `every` | a hook on every event |
//! | `around` | a hook around the work that follows an event |
//! | `then` | two hooks, one after the other |
//! | `failure`, `policy` | what happens when a hook panics or exceeds its timeout |
//! | `way` | how composed hooks run their parts: alone, or with witnesses |
//! | `wrap` | wrappers: `on_panic`, `timeout`, `when`, `read_only`, `shadow` |

mod around;
mod closure;
mod every;
mod failure;
mod handle;
mod listening;
mod plan;
mod pointers;
mod policy;
mod rank;
mod step;
mod switched;
mod then;
mod way;
mod ways_in;
mod wrap;

use core::any::Any;

use crate::event::{Answers, Event, EventSet, Mode, SharesVocabulary, Slot as EventSlot};

#[cfg(feature = "agent")]
pub(crate) use self::around::around;
pub use self::around::{Around, Next, Wraps, wrap_around};
#[cfg(feature = "std")]
pub(crate) use self::around::{Slot, WrapModeOf, WrapStep, drive};
pub use self::closure::{InterceptFn, ObserveFn, intercept_fn, observe_fn};
pub(crate) use self::every::SaidOfAny;
pub use self::every::{AnyEvent, EveryReturn, EveryView, Says, Viewed, cancelled, misfit};
pub(crate) use self::failure::Panicked;
#[cfg(feature = "tokio")]
pub(crate) use self::failure::TimedOut;
pub use self::failure::{catch, catch_async, deadline, skipped};
pub use self::handle::{Handle, HandleAsync};
pub(crate) use self::listening::Listening;
pub use self::listening::{Listens, Never};
pub use self::plan::{Describe, Plan, PlanRow, Planner, Runs};
pub use self::policy::{CanBlock, DefaultPolicy, Restorable};
pub(crate) use self::rank::{Bool, Place};
pub use self::rank::{Digits, Few, Nibble, Number, nibble};
pub(crate) use self::step::{Boxed, Instead, Step, StepNow};
pub use self::switched::{Switched, events_of};
pub use self::then::Then;
pub(crate) use self::ways_in::{Asked, AskedNow};
pub use self::ways_in::{Intercepts, InterceptsNow, Observes, ObservesNow};
#[cfg(feature = "tokio")]
pub use self::wrap::Timeout;
pub use self::wrap::{Before, CatchPanic, OnPanic, Predicate, ReadOnly, Shadow, When};

pub(crate) use self::handle::told_as;
pub(crate) use self::pointers::answer_as;
pub(crate) use self::rank::priority_of;

/// Any type. Its parameter forbids `dyn AgentHooks`, and makes rustc show the line of [`Hook`] that says what to
/// write instead.
#[doc(hidden)]
pub trait Static<H: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<H: ?Sized> Static<H> for H {}

/// Whether `H` handles `E` without awaiting.
pub(crate) type TimingOf<H, E> = <ModeOf<H, E> as Mode>::Timing;
/// How `H` handles `E`.
pub(crate) type ModeOf<H, E> = <<E as Event>::Slot as EventSlot>::In<<H as Hook>::Answers>;

/// A hook, or a pipeline of them.
///
/// [`#[hook]`](macro@crate::hook), [`Pipeline`](crate::Pipeline) and [`HookRegistry`](crate::HookRegistry) implement it,
/// and so do `Option<H>`, `&H`, `Box<H>` and `Arc<H>`. Name it in bounds; do not implement it by hand.
///
/// ```
/// use hooks_core::agent::{AgentHooks, LlmInput, ToolCallEnd};
/// use hooks_core::{Hook, hook, hooks};
///
/// #[hook]
/// fn count(_: &ToolCallEnd<'_>) {}
///
/// fn wants_llm_input(hooks: &impl AgentHooks) -> bool {
///     hooks.handles::<LlmInput>()
/// }
/// assert!(!wants_llm_input(&hooks![count]));
/// ```
#[doc(alias("callback", "interceptor"))]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook",
    label = "not a hook",
    note = "write `#[hook]` on the function, or on an `impl` block of the type",
    note = "hooks that are only found at run time go into a `HookRegistry`, which is a hook; a source of hooks, such as a `Runtime`, goes in as `..runtime`"
)]
pub trait Hook: Describe + Send + Sync + Static<Self /* for `dyn`: a `HookRegistry` with the pipeline in it */> {
    /// The vocabulary of the events that it handles.
    type Vocabulary;
    /// Its name, if it is a single hook.
    #[doc(hidden)]
    const NAME: &'static str = "";
    /// Its priority.
    #[doc(hidden)]
    type Rank: Number;
    /// The events that it handles.
    #[doc(hidden)]
    type Answers: Answers;
    /// The events whose work it wraps.
    #[doc(hidden)]
    type Wraps: Answers;
    /// Whether it asks for witnesses: see [`Witness`](crate::Witness).
    #[doc(hidden)]
    type Listens: Listening;

    /// The events that the hooks handle.
    #[inline(always)]
    fn wanted(&self) -> EventSet {
        EventSet::from_bits(<Self::Answers as Answers>::BITS)
    }

    /// The events whose work the hooks wrap.
    #[doc(hidden)]
    #[inline(always)]
    fn wrapped(&self) -> EventSet {
        EventSet::from_bits(<Self::Wraps as Answers>::BITS)
    }

    /// The handlers and the policy of the registry that these hooks are, if they are one.
    #[doc(hidden)]
    #[inline(always)]
    fn registry(&self) -> Option<[&dyn Any; 2]> {
        None
    }

    /// Whether any hook handles `E`, so that an agent can skip building an event that no hook wants.
    ///
    /// For hooks that are known at compile time, this is a constant. An `Option` that is `None` handles nothing, and
    /// a registry handles the events that its handlers want.
    #[inline(always)]
    fn handles<E: Event>(&self) -> bool
    where
        Self: Sized,
        Self::Vocabulary: SharesVocabulary<E::Vocabulary>,
    {
        <ModeOf<Self, E> as Mode>::HANDLES && self.wanted().contains::<E>()
    }

    /// Runs this hook, and then another one. It also combines hooks that cannot share one `hooks![…]` because their
    /// priorities are unknown: an `impl AgentHooks`, or hooks behind a type parameter.
    ///
    /// ```
    /// use hooks_core::agent::*;
    /// use hooks_core::{HookAction, hook, hooks};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// #[hook]
    /// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    ///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
    /// }
    ///
    /// /// A library adds its own hooks before those of the user.
    /// fn with_ours(theirs: impl AgentHooks) -> impl AgentHooks {
    ///     hooks![lower].then(theirs)
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
    /// let result = with_ours(hooks![no_shell]).intercept(&AgentContext::new("s1"), &mut call).await;
    /// assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
    /// # }
    /// ```
    #[doc(alias = "layer")]
    fn then<B: Hook>(self, second: B) -> Then<Self, B>
    where
        Self: Sized,
    {
        Then::new(self, second)
    }

    /// Decides what happens when this hook panics, on every event: see [`CatchPanic`].
    fn on_panic(self, policy: OnPanic) -> CatchPanic<Self>
    where
        Self: Sized,
    {
        CatchPanic::new(self, policy)
    }

    /// Limits how long this hook may run, on every event: see [`Timeout`].
    #[cfg(feature = "tokio")]
    fn timeout(self, limit: core::time::Duration) -> Timeout<Self>
    where
        Self: Sized,
    {
        Timeout::new(self, limit)
    }

    /// Lets this hook decide, but undoes its changes: see [`ReadOnly`].
    fn read_only(self) -> ReadOnly<Self>
    where
        Self: Sized,
    {
        ReadOnly::new(self)
    }

    /// Runs this hook but discards its effect: see [`Shadow`].
    fn shadow(self) -> Shadow<Self>
    where
        Self: Sized,
    {
        Shadow::new(self)
    }

    /// Who runs when: an iterator over rows, which prints as a table.
    fn plan(&self) -> Plan<'_>
    where
        Self: Sized,
    {
        Plan::of(self)
    }
}
