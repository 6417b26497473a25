//! Many hooks, in an order that their type holds.
//!
//! | file | holds |
//! | --- | --- |
//! | `order` | a list of hooks, and the comparator that sorts it |
//! | `nested` | lists in a list, which are taken apart |
//! | `at` | a hook with the priority that the list gives it, or with hooks of a source before it |
//! | this one | [`Pipeline`], the public type |

mod at;
mod nested;
mod order;

use core::fmt;
use core::future::Future;

pub(crate) use self::at::{At, Placed};
pub use self::nested::{Arrange, Plain, Spreads, Tuples, order_of};
pub use self::order::{Listed, Listing, Stands, order};
use crate::decision::HookResult;
use crate::event::{
    Context, Event, Intercepted, Observed, Reads, SharesVocabulary, Speaks, Vocabulary,
};
use crate::hook::{
    AnswersNow, AnyEvent, Attach, ContextIn, Dispatch, Hook, IsIntercepted, IsObserved, Plan,
    Planner, TimingOf, run_held, sets_held,
};
use crate::once::Verdict;

/// Hooks in priority order: what [`hooks![…]`](crate::hooks) makes.
///
/// Its type holds the order, so you cannot write it down: use `impl AgentHooks` (the trait that
/// `#[derive(HookEvent)]` writes for each vocabulary), or let it be inferred. A pipeline is `Clone` and `Copy` if its
/// hooks are, and as large as their state. Hooks made of functions have no state.
///
/// A struct with a field `hooks: H` and the bound `H: AgentHooks` calls these methods directly. On a value that a
/// function returns as `impl AgentHooks`, they are methods of that trait, which you import.
///
/// ```
/// use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall};
/// use hooks_core::{HookAction, HookResult, hook, hooks};
///
/// #[hook]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// struct Agent<H> { hooks: H, cx: AgentContext }
///
/// impl<H: AgentHooks> Agent<H> {
///     async fn call(&self, mut call: BeforeToolCall) -> bool {
///         self.hooks.intercept(&self.cx, &mut call).await.is_continue()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let agent = Agent { hooks: hooks![no_shell], cx: AgentContext::new("s1") };
/// assert!(!agent.call(BeforeToolCall { name: "shell".into(), ..Default::default() }).await);
/// assert_eq!(size_of_val(&agent.hooks), 0);
/// # }
/// ```
#[doc(alias = "middleware")]
#[derive(Clone, Copy)]
pub struct Pipeline<H /* no name to write: take `H: AgentHooks`, and `hooks: H` */> {
    hooks: H,
}

impl<H> Pipeline<H> {
    #[doc(hidden)]
    pub const fn new(hooks: H) -> Self {
        Pipeline { hooks }
    }
}

impl<H: Hook> Pipeline<H> {
    /// Runs the hooks on an intercepted event in order, until one blocks, responds or aborts.
    ///
    /// Hooks change the event in place: nothing is moved or cloned, and you can still report a cancelled event. The
    /// future is lazy: nothing runs until you await it.
    ///
    /// # Panics
    ///
    /// If a hook without `on_panic` panics, or if you await a hook with a `timeout` outside of a tokio runtime.
    #[inline]
    pub fn intercept<'a, E: IsIntercepted<Self, K> /* `(&cx, &mut event)` */, K: Verdict>(
        &'a self,
        cx: &'a ContextIn<H, E>,
        event: &'a mut E,
    ) -> K::Of<impl Future<Output = HookResult<E>> + Send>
    where
        H::Vocabulary: Reads<E::Vocabulary>,
    {
        K::of(E::ask(self, cx, event))
    }

    /// Runs all hooks on an observed event. Asynchronous hooks run concurrently, and no hook can stop another. The
    /// future is lazy: nothing runs until you await it.
    ///
    /// # Panics
    ///
    /// If a hook without `on_panic` panics, or if you await a hook with a `timeout` outside of a tokio runtime.
    #[inline]
    pub fn observe<'a, E: IsObserved<Self, K> /* `.observe(&cx, &event)` */, K: Verdict>(
        &'a self,
        cx: &'a ContextIn<H, E>,
        event: &'a E,
    ) -> K::Of<impl Future<Output = ()> + Send>
    where
        H::Vocabulary: Reads<E::Vocabulary>,
    {
        K::of(E::ask(self, cx, event))
    }

    /// Like [`intercept`](Self::intercept), but without an executor. Does not compile if a hook on the event is
    /// `async`.
    ///
    /// # Panics
    ///
    /// If a hook without `on_panic` panics.
    #[inline]
    pub fn intercept_now<
        'a,
        E: AnyEvent + Intercepted, /* `.intercept_now(&cx, &mut event)` */
    >(
        &'a self,
        cx: &'a ContextIn<H, E>,
        event: &'a mut E,
    ) -> HookResult<E>
    where
        H::Vocabulary: SharesVocabulary<E::Vocabulary> + Reads<E::Vocabulary, Context = Context<E>>,
        Self: Dispatch<E>,
        TimingOf<Self, E>: AnswersNow<E>,
    {
        <Self as Dispatch<E>>::ask_now(self, cx, event)
    }

    /// Like [`observe`](Self::observe), but without an executor. Does not compile if a hook on the event is `async`.
    ///
    /// # Panics
    ///
    /// If a hook without `on_panic` panics.
    #[inline]
    pub fn observe_now<'a, E: AnyEvent + Observed>(&'a self, cx: &'a ContextIn<H, E>, event: &'a E)
    where
        H::Vocabulary: SharesVocabulary<E::Vocabulary> + Reads<E::Vocabulary, Context = Context<E>>,
        Self: Dispatch<E>,
        TimingOf<Self, E>: AnswersNow<E>,
    {
        <Self as Dispatch<E>>::ask_now(self, cx, event);
    }

    /// Attaches a probe, and stays a pipeline: see [`Hook::with_probe`].
    pub fn with_probe<P, V: Vocabulary, K: Verdict>(self, probe: P) -> K::Of<Pipeline<P::Probed<H>>>
    where
        H::Vocabulary: Speaks<V>,
        P: Attach<V, K>,
    {
        K::of(Pipeline::new(probe.attach(self.hooks)))
    }

    /// Whether any hook handles `E`. This is a constant, so an agent can skip building an event that no hook wants. A
    /// list with a [`HookRegistry`](crate::HookRegistry) in it handles every event, even while the registry is empty.
    ///
    /// ```
    /// use hooks_core::agent::{BeforeToolCall, LlmInput};
    /// use hooks_core::{hook, hooks};
    ///
    /// #[hook]
    /// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
    ///
    /// assert!(hooks![lower].handles::<BeforeToolCall>());
    /// assert!(!hooks![lower].handles::<LlmInput>());
    /// ```
    #[inline]
    pub fn handles<E: Event>(&self) -> bool
    where
        H::Vocabulary: SharesVocabulary<E::Vocabulary>,
    {
        <Self as Hook>::handles::<E>(self)
    }

    /// Who runs when: an iterator over rows, which prints as a table; see [`Plan`].
    pub fn plan(&self) -> Plan {
        Plan::of(&self.hooks)
    }
}

/// Without `std`, there is no source.
#[cfg(not(feature = "std"))]
pub fn spread<V, G, S: crate::hook::NeedsFeature>(
    _: &crate::event::Agreed<V>,
    hooks: G,
    _: S,
) -> G {
    hooks
}

/// In a list, each hook of a pipeline takes its own place; with `hooks![pipeline @ 10]` they all run at priority 10.
#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Pipeline<H> {
    type Vocabulary = H::Vocabulary;
    type Rank = crate::hook::Places;
    type Answers = H::Answers;
    type Wraps = H::Wraps;
    type Exact = H::Exact;

    sets_held!(this => this.hooks);

    fn describe(&self, plan: &mut Planner) {
        plan.list(|plan| self.hooks.describe(plan));
    }
}

run_held!([H: Hook,] Pipeline<H>, this => this.hooks);

/// The names of the hooks, in the order in which they run: `[deny_rm, absolute, RateLimit]`.
impl<H: Hook> fmt::Debug for Pipeline<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan().names().fmt(f)
    }
}
