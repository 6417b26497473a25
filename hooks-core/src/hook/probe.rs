//! Probes: they see what hooks do, and have no place in the list.
//!
//! A [`Probe`] looks at dispatches from outside. It is attached to hooks, and sees every hook in them, wherever that
//! is. Its state of one dispatch travels with the dispatch, as a [`Watch`], so it needs no map and no lock.

use alloc::sync::Arc;
use core::fmt::{self, Display};
use core::marker::PhantomData;
use core::ops::Deref;
use core::time::Duration;

use super::{
    AnyEvent, Around, Ask, Carries, Did, Dispatch, Facts, FactsOf, HasWork, Hook, Next, Planner,
    Run, Shows, Since, TimingOf, Watch, WrapStep, Wraps, around_all,
};
use crate::decision::{AnyAction, Name, ResultOf, go_on};
use crate::event::{Context, Event, EventInfo, EventSet, Every, Many, One, Vocabulary};
use crate::once::{Fails, Holds};

/// Looks at dispatches from outside: a log, a meter, a recorder.
///
/// [`Hook::with_probe`](crate::Hook::with_probe) attaches it to any hooks. It learns when a dispatch begins, of each
/// hook that ran, and when the dispatch ends. It sees every hook, also in nested pipelines, wrappers and registries,
/// and after each the event, so it can tell exactly which hook changed what. After the dispatch, it sees each step of the
/// hooks [around](Self::around) the work. It decides nothing.
///
/// A panic of a probe that is attached by `with_probe` unwinds through the dispatch, as that of a hook does. One of
/// [`HookRegistry::attach`](crate::HookRegistry::attach) is caught: the probe sees no more of that dispatch.
///
/// None of the five systems has probes: their loggers are hooks, and see what reaches them.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::probe::{Probe, Ran};
/// use hooks_core::{AnyAction, Hook, HookAction, hook, hooks};
///
/// #[derive(Default)]
/// struct Log { lines: Mutex<Vec<String>> }
///
/// impl Probe<AgentEvent<'static>> for Log {
///     /// The hooks that have changed the event.
///     type State = Vec<String>;
///
///     fn begin(&self, _cx: &AgentContext, _event: AgentEvent<'_>) -> Vec<String> { Vec::new() }
///
///     fn ran(&self, changed: &mut Vec<String>, hook: Ran<'_>, _event: AgentEvent<'_>) {
///         if hook.changed { changed.push(hook.name.into()); }
///     }
///
///     fn end(
///         &self,
///         changed: Vec<String>,
///         _cx: &AgentContext,
///         event: AgentEvent<'_>,
///         result: Option<AnyAction<'_>>,
///     ) {
///         let result = result.map_or("dropped", AnyAction::word);
///         self.lines.lock().unwrap().push(format!("{} {result} {changed:?}", event.name()));
///     }
/// }
///
/// #[hook(priority = 10)]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook(only("shell"))]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no shell here") }
///
/// let log = Log::default();
/// let hooks = hooks![lower, no_shell].with_probe(&log);
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(*log.lines.lock().unwrap(), [r#"BeforeToolCall block ["lower"]"#]);
/// ```
#[doc(alias("observer", "middleware", "subscriber"))]
pub trait Probe<V: Vocabulary>: Send + Sync + 'static {
    /// What the probe remembers of one dispatch.
    type State: Send + Sync + 'static;

    /// Whether the probe asks how long each hook ran. The default is not to read the clock: [`Ran::duration`] is then
    /// zero.
    const TIMED: bool = false;

    /// Whether the probe looks at dispatches of an event. The default is yes.
    fn wants(&self, _event: &EventInfo) -> bool {
        true
    }

    /// A dispatch begins.
    fn begin(&self, cx: &V::Context, event: V::View<'_>) -> Self::State;

    /// A hook may change the event from here on: it takes it by `&mut`, or has returned `Modify`. The event is as it was
    /// before. A probe that compares the two copies only what may change.
    fn changing(&self, _state: &mut Self::State, _event: V::View<'_>) {}

    /// A hook has run on an intercepted event.
    fn ran(&self, _state: &mut Self::State, _hook: Ran<'_>, _event: V::View<'_>) {}

    /// A hook has run on an observed event. Its hooks run at once, so the state is shared.
    fn observed(&self, _state: &Self::State, _hook: Ran<'_>, _event: V::View<'_>) {}

    /// A hook has failed, and the event is as it was before it.
    fn failed(
        &self,
        _state: &mut Self::State,
        _hook: &str,
        _failure: &dyn Display,
        _event: V::View<'_>,
    ) {
    }

    /// The dispatch has ended; `None` if it was dropped before.
    fn end(
        &self,
        _state: Self::State,
        _cx: &V::Context,
        _event: V::View<'_>,
        _result: Option<AnyAction<'_>>,
    ) {
    }

    /// A hook with `#[hook(around)]` takes a step. The dispatch of the event has ended then, so there is no state.
    ///
    /// The hooks are one in the other: the first begins and hands the work on, then the second does, and so on to the
    /// work itself. Then the last one ends, and the first one at last. A hook that runs the work again hands it on
    /// again. A hook that does not run for the event (`only`, `when`) takes no step.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall, ToolOutput, run_tool_call};
    /// use hooks_core::probe::{Probe, Step};
    /// use hooks_core::{Next, hook, hooks};
    ///
    /// #[derive(Default)]
    /// struct Log(Mutex<Vec<String>>);
    ///
    /// impl Probe<AgentEvent<'static>> for Log {
    ///     type State = ();
    ///     fn begin(&self, _cx: &AgentContext, _event: AgentEvent<'_>) {}
    ///     fn around(&self, _cx: &AgentContext, hook: &str, step: Step<'_>, event: AgentEvent<'_>) {
    ///         self.0.lock().unwrap().push(format!("{}: {hook} {}", event.name(), step.word()));
    ///     }
    /// }
    ///
    /// #[hook(around)]
    /// async fn retry(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
    ///     let output = next.run().await;
    ///     if output.is_error { next.run().await } else { output }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() {
    /// let log = Log::default();
    /// let hooks = hooks![retry].with_probe(&log);
    /// let (cx, call) = (AgentContext::new("s1"), BeforeToolCall::default());
    /// run_tool_call(&hooks, &cx, call, async |_| ToolOutput::new("a page")).await.unwrap();
    /// assert_eq!(*log.0.lock().unwrap(), [
    ///     "BeforeToolCall: retry begins",
    ///     "BeforeToolCall: retry hands on",
    ///     "BeforeToolCall: retry ends",
    /// ]);
    /// # }
    /// ```
    fn around(&self, _cx: &V::Context, _hook: &str, _step: Step<'_>, _event: V::View<'_>) {}
}

/// What a hook with `#[hook(around)]` does: a [`Probe`] gets it.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Step<'a> {
    /// It begins.
    Began,
    /// It hands the work on, to the next hook around it or to the driver, with the event as it is.
    HandedOn,
    /// It has returned an output.
    Ended,
    /// It has been dropped before its end, or has panicked.
    Dropped,
    /// A wrapper around it has failed: it panicked, or its time was up.
    Failed(&'a dyn Display),
}

impl Step<'_> {
    /// The step in a word or two, for a log.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Step::Began => "begins",
            Step::HandedOn => "hands on",
            Step::Ended => "ends",
            Step::Dropped => "is dropped",
            Step::Failed(_) => "fails",
        }
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Failed(failure) => write!(f, "fails: {failure}"),
            step => f.write_str(step.word()),
        }
    }
}

/// A hook that has run: a [`Probe`] gets it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Ran<'a> {
    /// The hook's name.
    pub name: &'a str,
    /// Whether it may have changed the event: it took it by `&mut`, or returned `Modify`.
    pub changed: bool,
    /// What it said.
    pub action: AnyAction<'a>,
    /// How long it ran; zero unless [`Probe::TIMED`] is set.
    pub duration: Duration,
}

impl<'a> From<Did<'a>> for Ran<'a> {
    #[inline(always)]
    fn from(did: Did<'a>) -> Self {
        Ran {
            name: did.hook.text(),
            changed: did.changed,
            action: did.action,
            duration: did.since.elapsed(),
        }
    }
}

/// The watch of a dispatch with the probe `P`.
#[derive(Debug)]
pub(crate) struct ProbeWatch<P>(PhantomData<fn() -> P>);

impl<V: Vocabulary, P: Probe<V>> Watch<V> for ProbeWatch<P> {
    // There is no state if the probe does not want the event. One type for both keeps one copy of the hooks' code.
    type Held<'a> = (&'a P, &'a mut Option<P::State>);
    type Shared<'a> = (&'a P, &'a Option<P::State>);
    type Token = Since;

    #[inline(always)]
    fn lend<'l>(held: &'l mut Self::Held<'_>) -> Self::Held<'l> {
        (held.0, held.1)
    }

    #[inline(always)]
    fn share<'l>(held: &'l Self::Held<'_>) -> Self::Shared<'l> {
        (held.0, held.1)
    }

    #[inline(always)]
    fn reshare<'l>(shared: &'l Self::Shared<'_>) -> Self::Shared<'l> {
        *shared
    }

    #[inline(always)]
    fn is_timed(shared: Self::Shared<'_>) -> bool {
        P::TIMED && shared.1.is_some()
    }

    #[inline(always)]
    fn changing(held: &mut Self::Held<'_>, event: &dyn Shows<V>) {
        if let Some(state) = &mut *held.1 {
            held.0.changing(state, event.show());
        }
    }

    #[inline(always)]
    fn after(held: &mut Self::Held<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        if let Some(state) = &mut *held.1 {
            held.0.ran(state, did.into(), event.show());
        }
    }

    fn failed(held: &mut Self::Held<'_>, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        if let Some(state) = &mut *held.1 {
            held.0.failed(state, hook, failure, event.show());
        }
    }

    #[inline(always)]
    fn after_shared(shared: Self::Shared<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        if let Some(state) = shared.1 {
            shared.0.observed(state, did.into(), event.show());
        }
    }
}

/// A probe that is switched off sees nothing.
impl<V: Vocabulary, P: Probe<V>> Probe<V> for Option<P> {
    type State = Option<P::State>;
    const TIMED: bool = P::TIMED;

    fn wants(&self, event: &EventInfo) -> bool {
        self.as_ref().is_some_and(|probe| probe.wants(event))
    }

    fn begin(&self, cx: &V::Context, event: V::View<'_>) -> Self::State {
        self.as_ref().map(|probe| probe.begin(cx, event))
    }

    fn changing(&self, state: &mut Self::State, event: V::View<'_>) {
        if let (Some(probe), Some(state)) = (self, state) {
            probe.changing(state, event);
        }
    }

    fn ran(&self, state: &mut Self::State, hook: Ran<'_>, event: V::View<'_>) {
        if let (Some(probe), Some(state)) = (self, state) {
            probe.ran(state, hook, event);
        }
    }

    fn observed(&self, state: &Self::State, hook: Ran<'_>, event: V::View<'_>) {
        if let (Some(probe), Some(state)) = (self, state) {
            probe.observed(state, hook, event);
        }
    }

    fn failed(
        &self,
        state: &mut Self::State,
        hook: &str,
        failure: &dyn Display,
        event: V::View<'_>,
    ) {
        if let (Some(probe), Some(state)) = (self, state) {
            probe.failed(state, hook, failure, event);
        }
    }

    fn end(
        &self,
        state: Self::State,
        cx: &V::Context,
        event: V::View<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        if let (Some(probe), Some(state)) = (self, state) {
            probe.end(state, cx, event, result);
        }
    }

    fn around(&self, cx: &V::Context, hook: &str, step: Step<'_>, event: V::View<'_>) {
        if let Some(probe) = self {
            probe.around(cx, hook, step, event);
        }
    }
}

/// Hooks with a probe: what [`Hook::with_probe`] returns.
#[derive(Clone, Copy)]
pub struct Probed<H, P> {
    hook: H,
    probe: P,
    /// The events that the probe sees although no hook wants them.
    seen: EventSet,
}

impl<H, P> Probed<H, P> {
    /// Attaches `probe`, a pointer to a probe, to `hook`.
    pub const fn new(hook: H, probe: P) -> Self {
        Probed::seeing(hook, probe, EventSet::ALL)
    }

    /// Attaches a `probe` that wants these events and no others, so that the others cost nothing.
    pub const fn seeing(hook: H, probe: P, seen: EventSet) -> Self {
        Probed { hook, probe, seen }
    }

    /// Detaches the probe, and returns the hooks.
    pub fn into_inner(self) -> H {
        self.hook
    }
}

/// The names of the hooks.
impl<H: Hook, P> fmt::Debug for Probed<H, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hook.plan().names().fmt(f)
    }
}

#[diagnostic::do_not_recommend]
impl<H: Hook, P: Send + Sync> Hook for Probed<H, P> {
    type Vocabulary = H::Vocabulary;
    type Rank = H::Rank;
    type Answers = Every<Many>;
    type Exact = Every<Many>;
    type Wraps = Every<One>;

    fn name(&self) -> Name<'_> {
        self.hook.name()
    }

    #[inline]
    fn wanted(&self) -> EventSet {
        self.hook.wanted().union(self.seen)
    }

    #[inline]
    fn is_live(&self) -> bool {
        self.hook.is_live()
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.hook.wrapped()
    }

    fn describe(&self, plan: &mut Planner) {
        self.hook.describe(plan);
    }
}

impl<H: Hook, P: Send + Sync> Probed<H, P> {
    #[inline(always)]
    fn is_asked<E: Event>(&self) -> bool {
        self.seen.contains::<E>() || self.hook.wanted().contains::<E>()
    }
}

/// A dispatch that a probe looks at. It tells the probe that it has ended, even if it is dropped.
struct Looking<'a, E: AnyEvent + 'a, P: Probe<E::Vocabulary>, W: Watch<E::Vocabulary>> {
    probe: &'a P,
    ask: Ask<'a, E, W>,
    state: Option<P::State>,
}

impl<'a, E: AnyEvent + 'a, P: Probe<E::Vocabulary>, W: Watch<E::Vocabulary>> Looking<'a, E, P, W> {
    #[inline(always)]
    fn begin(probe: &'a P, ask: Ask<'a, E, W>) -> Self {
        let wants = probe.wants(E::INFO);
        let state = wants.then(|| probe.begin(ask.cx, ask.event().view()));
        Looking { probe, ask, state }
    }

    #[inline(always)]
    fn end(&mut self, result: Option<AnyAction<'_>>) {
        if let Some(state) = self.state.take() {
            let event = self.ask.event().view();
            self.probe.end(state, self.ask.cx, event, result);
        }
    }
}

impl<'a, E: AnyEvent + 'a, P: Probe<E::Vocabulary>, W: Watch<E::Vocabulary>> Drop
    for Looking<'a, E, P, W>
{
    #[inline(always)]
    fn drop(&mut self) {
        self.end(None);
    }
}

/// Guards that need a second round have it inside, so that the probe sees both rounds as one dispatch.
#[diagnostic::do_not_recommend]
impl<E, K, H, P> Run<E, K> for Probed<H, P>
where
    E: AnyEvent + Event<Kind = K>,
    K: Carries,
    H: Dispatch<E>,
    P: Deref<Target: Probe<E::Vocabulary> + Sized> + Send + Sync,
{
    type Timing = TimingOf<H, E>;
    type Facts = <FactsOf<H, E> as Facts>::Settled;

    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        if !self.is_asked::<E>() || (!FactsOf::<H, E>::GUARDS && !ask.admits(false)) {
            return go_on::<E>();
        }
        let mut looking = Looking::<E, P::Target, W>::begin(&self.probe, ask);
        let result = {
            let mut own = (looking.probe, &mut looking.state);
            FactsOf::<H, E>::rounds(
                &self.hook,
                looking.ask.with::<ProbeWatch<P::Target>>(&mut own),
            )
            .await
        };
        looking.end(Some(E::Kind::any::<E>(&result)));
        result
    }

    #[inline(always)]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        if !self.is_asked::<E>() || (!FactsOf::<H, E>::GUARDS && !ask.admits(false)) {
            return go_on::<E>();
        }
        let mut looking = Looking::<E, P::Target, W>::begin(&self.probe, ask);
        let result = {
            let mut own = (looking.probe, &mut looking.state);
            FactsOf::<H, E>::rounds_now(
                &self.hook,
                looking.ask.with::<ProbeWatch<P::Target>>(&mut own),
            )
        };
        looking.end(Some(E::Kind::any::<E>(&result)));
        result
    }
}

#[diagnostic::do_not_recommend]
impl<E, H, P> Around<E> for Probed<H, P>
where
    E: HasWork,
    H: Wraps<E>,
    P: Deref<Target: Probe<E::Vocabulary> + Sized> + Send + Sync,
{
    const WRAPS: bool = <H::Step as WrapStep<H, E>>::WRAPS;

    async fn around<'a>(&'a self, cx: &'a Context<E>, event: &'a E, next: Next<'a, E>) -> E::Work {
        let probe: &P::Target = &self.probe;
        let wants = self.is_asked::<E>() && probe.wants(E::INFO);
        let told = |hook: Name<'_>, step: Step<'_>| {
            if wants {
                probe.around(cx, hook.text(), step, event.view());
            }
            next.tell(hook, step);
        };
        around_all(&self.hook, cx, event, next.telling(&told)).await
    }
}

/// What [`Hook::with_probe`] takes for hooks of the vocabulary `V`: `&probe`, an `Arc` of one, or a tuple of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be attached as a probe of hooks of `{V}`",
    label = "not a pointer to a probe of this vocabulary",
    note = "write `.with_probe(&probe)` or `.with_probe(Arc::new(probe))`, where the type of `probe` implements \
            `Probe<{V}>`"
)]
pub trait Attach<V, K> {
    /// Hooks with the probe.
    type Probed<H: Hook>: Hook;
    /// Attaches it.
    #[doc(hidden)]
    fn attach<H: Hook>(self, hook: H) -> Self::Probed<H>;
}

#[diagnostic::do_not_recommend]
impl<V> Attach<V, Holds> for () {
    type Probed<H: Hook> = H;

    fn attach<H: Hook>(self, hook: H) -> H {
        hook
    }
}

/// A pointer to a probe, for each [verdict](crate::once).
macro_rules! attach {
    ($([$($life:lifetime)?] $pointer:ty, $verdict:ty $(, $never:path)?;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($life,)? V: Vocabulary, P: Probe<V>> Attach<V, $verdict> for $pointer
        $(where $verdict: $never)?
        {
            type Probed<H: Hook> = Probed<H, Self>;

            fn attach<H: Hook>(self, hook: H) -> Probed<H, Self> {
                Probed::new(hook, self)
            }
        }
    )* };
}
attach! {
    ['p] &'p P, Holds;
    ['p] &'p P, Fails, AsRef<P>;
    [] Arc<P>, Holds;
    [] Arc<P>, Fails, AsRef<P>;
}

#[diagnostic::do_not_recommend]
impl<V, K, A: Attach<V, K>, B: Attach<V, K>> Attach<V, K> for (A, B) {
    type Probed<H: Hook> = B::Probed<A::Probed<H>>;

    fn attach<H: Hook>(self, hook: H) -> Self::Probed<H> {
        self.1.attach(self.0.attach(hook))
    }
}

#[diagnostic::do_not_recommend]
impl<V, K, A: Attach<V, K>, B: Attach<V, K>, C: Attach<V, K>> Attach<V, K> for (A, B, C) {
    type Probed<H: Hook> = C::Probed<B::Probed<A::Probed<H>>>;

    fn attach<H: Hook>(self, hook: H) -> Self::Probed<H> {
        self.2.attach(self.1.attach(self.0.attach(hook)))
    }
}
