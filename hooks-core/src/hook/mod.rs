//! One hook: what it is, how a dispatch runs it, and what can wrap it.
//!
//! [`Hook`] describes a hook by types: its name, its priority, and the events that it handles. A dispatch runs it
//! through `run`.
//!
//! | room | holds |
//! | --- | --- |
//! | `run` | the one operation: a dispatch asks a hook about an event |
//! | `hold` | hooks behind pointers, in an `Option`, under another name, side by side, one after the other |
//! | `wrap` | wrappers: `on_panic`, `timeout`, `when`, `read_only`, `shadow`, and those of users |
//! | `probe` | what looks at a dispatch from outside |
//! | `any_watch` | the same for hooks behind a box |
//! | `closure` | a hook made of a closure |
//! | `every` | a hook on every event |
//! | `around` | a hook around the work that follows an event |
//! | `rank` | a priority as a type |
//! | `rules` | a hook with several rows: the rules of a file |
//! | `plan` | who runs when, as a table |

#[cfg(feature = "std")]
mod any_watch;
mod around;
mod closure;
mod every;
mod hold;
mod plan;
mod probe;
mod rank;
mod rules;
mod run;
mod wrap;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use core::future::Future;
use core::pin::Pin;

use crate::decision::Name;
use crate::event::{
    Answers, Event, EventInfo, EventSet, Mode, SharesVocabulary, Speaks, Vocabulary,
};
use crate::once::Verdict;

#[cfg(feature = "std")]
pub use self::any_watch::AnyWatch;
#[cfg(feature = "std")]
pub(crate) use self::any_watch::{AnyDispatch, AnyProbe, Face, SharedFace, Through};
#[cfg(feature = "agent")]
pub(crate) use self::around::around;
pub use self::around::{
    Around, HasWork, Next, Output, Refused, Unknown, WorkOf, Wraps, wrap_around,
};
pub(crate) use self::around::{Lock, Room, WrapStep, around_all, drive, enter, room_of, wraps};
pub use self::closure::{InterceptFn, ObserveFn, intercept_fn, observe_fn};
pub use self::every::{EveryReturn, EveryView, Viewed, misfit};
#[cfg(feature = "std")]
pub(crate) use self::hold::NoHooks;
pub use self::hold::{ABSENT, Group, Named, Then, is_same};
pub(crate) use self::hold::{around_held, as_held, facts_held, run_held, sets_held};
pub use self::plan::{Plan, PlanRow, Planner, Row, Runs};
pub use self::probe::{Attach, Probe, Probed, Ran, Step};
pub(crate) use self::rank::{
    Bool, Down, Lists, Place, Places, Several, Single, Sorted, Spot, Swap, priority_of,
};
pub use self::rank::{Digits, Few, Number, nibble};
pub use self::rules::{Does, Judges, RuleRow, RuleSet, Rules, Says};
pub use self::run::{
    AnswersNow, AnyEvent, Asynchronous, Changes, ChangesAndGuards, Dispatch, DispatchNow, Facts,
    Guards, IsIntercepted, IsObserved, Leaf, Looks, Rejudges, Synchronous,
};
pub(crate) use self::run::{
    Ask, Carries, ContextIn, Did, FactsOf, Run, Shows, Since, Start, Steps, StepsOf, Timing,
    TimingOf, Watch,
};
#[cfg(feature = "std")]
pub(crate) use self::run::{GuardWatch, Round};
#[cfg(feature = "agent")]
pub(crate) use self::run::{judge, now};
pub use self::wrap::{
    CanBlock, CatchPanic, DefaultPolicy, Inner, IsWrapper, No, OnPanic, Predicate, ReadOnly,
    Restorable, ResultOf, Saved, Shadow, Waits, When, Wrapped, Wrapper, Yes, catch, catch_async,
    deadline, judges, kept, nothing, restored, skipped,
};
#[cfg(feature = "tokio")]
pub use self::wrap::{Timeout, Timeouts};

/// A boxed future, as `#[async_trait]` boxes it.
pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How `H` handles the event `E`, through whatever holds it.
pub type ExactOf<H, E> = <<H as Hook>::Exact as Answers>::At<<E as Event>::Slot>;

/// The name of hooks made of others.
pub(crate) const NAMELESS: &str = "hooks";

/// Any type. Its parameter forbids `dyn AgentHooks`, and makes rustc show the line of [`Hook`] that says what to
/// write instead.
#[doc(hidden)]
pub trait Static<H: ?Sized> {}

#[diagnostic::do_not_recommend]
impl<H: ?Sized> Static<H> for H {}

/// What needs a feature of this crate that is off. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "this needs a feature of hooks-core that is off",
    label = "needs a feature",
    note = "write `features = [\"tokio\"]` for it in Cargo.toml for `.timeout(…)`, and `features = [\"std\"]` for \
            `.on_panic(…)` and `..source`"
)]
#[cfg(not(all(feature = "std", feature = "tokio")))]
#[doc(hidden)]
pub trait NeedsFeature: Sized {}

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
    note = "hooks that are only found at run time go into a `HookRegistry`, which is a hook; a source of hooks, such as a `Runtime`, goes in as `..runtime`",
    note = "a log or another `Probe` is attached to hooks: `hooks![…].with_probe(&log)`"
)]
pub trait Hook: Send + Sync + Static<Self /* for `dyn`: a `HookRegistry` with the pipeline in it */> {
    /// The vocabulary of the events that it handles.
    type Vocabulary;
    /// Its priority.
    #[doc(hidden)]
    type Rank: Number;
    /// The events that it handles.
    #[doc(hidden)]
    type Answers: Answers;
    /// The events that it handles, exactly, through whatever holds it; the modes are those of the hooks inside. It is for
    /// what is made once for each event. A dispatch reads `Answers`, which the compiler knows of opaque hooks, too.
    #[doc(hidden)]
    type Exact: Answers;
    /// The events whose work it wraps.
    #[doc(hidden)]
    type Wraps: Answers;

    /// The name that `#[hook]` gives it, by which a list finds two hooks of one name. Hooks made of others have none.
    #[doc(hidden)]
    const NAME: &'static str = NAMELESS;

    /// Its name.
    #[doc(hidden)]
    #[inline(always)]
    fn name(&self) -> Name<'_> {
        Name::Static(Self::NAME)
    }

    /// The events that the hooks handle.
    #[inline(always)]
    fn wanted(&self) -> EventSet {
        EventSet::from_bits(<Self::Answers as Answers>::BITS)
    }

    /// Whether hooks come and go, so that what they want is asked each time.
    #[doc(hidden)]
    #[inline(always)]
    fn is_live(&self) -> bool {
        false
    }

    /// Whether this event is among those that the hooks handle. A boxed handler is asked about no other for that.
    #[doc(hidden)]
    #[inline(always)]
    fn is_wanted(&self, event: &EventInfo) -> bool {
        self.wanted().has(event)
    }

    /// Whether hooks in a box can change the event. Of others, a type says so.
    #[doc(hidden)]
    #[inline(always)]
    fn may_change(&self, _event: &EventInfo) -> bool {
        true
    }

    /// Whether hooks in a box are plain `fn`s on the event. Of others, a type says so.
    #[doc(hidden)]
    #[inline(always)]
    fn is_plain(&self, _event: &EventInfo) -> bool {
        false
    }

    /// The events whose work the hooks wrap.
    #[doc(hidden)]
    #[inline(always)]
    fn wrapped(&self) -> EventSet {
        EventSet::from_bits(<Self::Wraps as Answers>::BITS)
    }

    /// Whether it may want the event if that has this [subject](crate::Subject). The answer does not change, so that a
    /// registry can remember it.
    #[doc(hidden)]
    #[inline]
    fn concerns(&self, _event: &EventInfo, _subject: &str) -> bool {
        true
    }

    /// Describes the hooks, in order, for a plan.
    #[doc(hidden)]
    fn describe(&self, plan: &mut Planner);

    /// Whether any hook handles `E`, so that an agent can skip building an event that no hook wants.
    ///
    /// For hooks that are known at compile time, this is a constant. An `Option` that is `None` handles nothing, and
    /// a registry handles the events that its hooks want.
    #[inline(always)]
    fn handles<E: Event>(&self) -> bool
    where
        Self: Sized,
        Self::Vocabulary: SharesVocabulary<E::Vocabulary>,
    {
        <<Self::Answers as Answers>::At<E::Slot> as Mode>::HANDLES && self.wanted().contains::<E>()
    }

    /// Runs this hook, and then another one. It also combines hooks that cannot share one `hooks![…]` because their
    /// priorities are unknown: an `impl AgentHooks`, or hooks behind a type parameter.
    ///
    /// ```
    /// use hooks_core::agent::*;
    /// use hooks_core::{Hook, HookAction, hook, hooks};
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

    /// Attaches a probe, which sees each dispatch from outside: see [`Probe`].
    fn with_probe<P, V: Vocabulary, K: Verdict>(self, probe: P) -> K::Of<P::Probed<Self>>
    where
        Self: Sized,
        Self::Vocabulary: Speaks<V>,
        P: Attach<V, K>,
    {
        K::of(probe.attach(self))
    }

    /// Gives this hook another name, for plans and for `cancel.hook`: two hooks of one type need two names.
    fn named(self, name: impl Into<Cow<'static, str>>) -> Named<Self>
    where
        Self: Sized,
    {
        Named::new(self, name.into())
    }

    /// Wraps this hook in a wrapper of yours, on every event: see [`Wrapper`].
    fn wrap<W, V: Vocabulary, K: Verdict>(self, wrapper: W) -> K::Of<Wrapped<Self, W>>
    where
        Self: Sized,
        Self::Vocabulary: Speaks<V>,
        W: IsWrapper<V, K>,
    {
        K::of(Wrapped::of(self, wrapper))
    }

    /// Says what happens when this hook panics, on every event: see [`CatchPanic`].
    #[cfg(feature = "std")]
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

    #[cfg(not(feature = "std"))]
    #[doc(hidden)]
    #[must_use]
    fn on_panic(self, _: OnPanic) -> Self
    where
        Self: NeedsFeature,
    {
        self
    }

    #[cfg(not(feature = "tokio"))]
    #[doc(hidden)]
    #[must_use]
    fn timeout(self, _: core::time::Duration) -> Self
    where
        Self: NeedsFeature,
    {
        self
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

    /// Who runs when: rows, which print as a table.
    fn plan(&self) -> Plan
    where
        Self: Sized,
    {
        Plan::of(self)
    }
}
