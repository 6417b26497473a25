//! Wrappers around any hook, for all its events at once.
//!
//! Each wrapper is a struct with `new` and `into_inner`, as in tower, and a method of [`Hook`](super::Hook) that
//! builds it. A wrapper keeps the name, the priority and the events of the hook in it. It passes hooks with
//! `#[hook(around)]` through unchanged.

use alloc::borrow::Cow;
use core::fmt::Display;
use core::future::Future;
#[cfg(feature = "tokio")]
use core::time::Duration;

use super::way::{Alone, Way, Witnessed};
#[cfg(feature = "std")]
use super::{Around, Next, Wraps};
use super::{Asked, AskedNow, Describe, Handle, HandleAsync, Hook, Planner};
use crate::decision::{Decides, Dispatched, Outcome, Told, WitnessesOf, go_on};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{Access, Context, Either, Event, EventSet, Every, Kind, Later, Vocabulary};

/// What happens when a hook or handler panics.
///
/// ZeroClaw catches the panics of all its hooks and skips those hooks.
///
/// ```
/// use hooks_core::OnPanic;
/// assert_eq!(OnPanic::default(), OnPanic::Skip);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum OnPanic {
    /// The event continues in the state that it had before the hook. The default.
    ///
    /// An event that is not `Clone` cannot be restored. After a panic, it is blocked if possible.
    #[default]
    Skip,
    /// The event is blocked, with the panic's message as the reason. An event that cannot be blocked continues in the
    /// state that it had before the hook.
    Block,
    /// The panic unwinds through the dispatch.
    Propagate,
}

/// The outcome of a wrapper around a hook that failed.
fn failed<E: Dispatched>(block: bool, hook: &'static str, failure: impl Display) -> Outcome<E> {
    E::Kind::failed::<E>(block, || Cow::Borrowed(name_or_hook(hook)), failure)
}

/// Hooks made of other hooks have no name of their own.
const fn name_or_hook(name: &'static str) -> &'static str {
    if name.is_empty() { "hooks" } else { name }
}

/// What a wrapper does around the hook `H`, on the events that the hook handles.
trait Wrapper<E: Dispatched, H: Asked<E, E::Kind>> {
    fn ask<'a>(
        &'a self,
        way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    fn told<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        hook.told(cx, event, told);
    }
}

/// Like [`Wrapper`], without an executor.
trait WrapperNow<E: Dispatched, H: AskedNow<E, E::Kind>> {
    fn ask_now<'a>(
        &'a self,
        way: impl Way<E>,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E>;

    fn told_now<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        hook.told_now(cx, event, told);
    }
}

/// The code that all wrappers share.
macro_rules! wrappers {
    ($($Wrapper:ident<$H:ident $(, $P:ident)?> $(with $field:ident: $Field:ty)?;)*) => { $(
        impl<$H $(, $P)?> $Wrapper<$H $(, $P)?> {
            /// The wrapped hook.
            pub const fn get_ref(&self) -> &$H {
                &self.hook
            }

            /// Removes the wrapper, and returns the hook.
            pub fn into_inner(self) -> $H {
                self.hook
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$H: Hook $(, $P: Send + Sync)?> Hook for $Wrapper<$H $(, $P)?> {
            type Vocabulary = $H::Vocabulary;
            const NAME: &'static str = $H::NAME;
            type Rank = $H::Rank;
            // Not `$H::Answers`, which is unknown for an `impl AgentHooks`.
            type Answers = Every<Either>;
            type Wraps = Every<Later>;
            type Listens = $H::Listens;

            #[inline]
            fn wanted(&self) -> EventSet {
                self.hook.wanted()
            }

            #[inline]
            fn wrapped(&self) -> EventSet {
                self.hook.wrapped()
            }
        }

        impl<$H: Describe $(, $P)?> Describe for $Wrapper<$H $(, $P)?> {
            fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
                self.hook.describe(plan);
            }
        }

        #[diagnostic::do_not_recommend]
        impl<E: Dispatched, $H: Asked<E, E::Kind> $(, $P: Send + Sync)?> HandleAsync<E> for $Wrapper<$H $(, $P)?>
        where
            Self: Wrapper<E, $H>,
        {
            type Said = Outcome<E>;

            async fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
                if !self.hook.wanted().contains::<E>() {
                    return go_on::<E>();
                }
                Wrapper::<E, $H>::ask(self, Alone, cx, event).await
            }

            fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
                if self.hook.wanted().contains::<E>() {
                    Wrapper::<E, $H>::told(self, &self.hook, cx, event, told);
                }
            }

            fn listen(&self, witnesses: &mut WitnessesOf<E>) {
                self.hook.heeds(witnesses);
            }

            async fn witnessed<'a>(
                &'a self,
                cx: &'a Context<E>,
                event: Access<'a, E>,
                witnesses: &'a mut WitnessesOf<E>,
            ) -> Outcome<E> {
                if !self.hook.wanted().contains::<E>() {
                    return go_on::<E>();
                }
                Wrapper::<E, $H>::ask(self, Witnessed::<E>(witnesses), cx, event).await
            }
        }

        #[diagnostic::do_not_recommend]
        impl<E: Dispatched, $H: AskedNow<E, E::Kind> $(, $P: Send + Sync)?> Handle<E> for $Wrapper<$H $(, $P)?>
        where
            Self: WrapperNow<E, $H>,
        {
            #[inline]
            fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
                if !self.hook.wanted().contains::<E>() {
                    return go_on::<E>();
                }
                WrapperNow::<E, $H>::ask_now(self, Alone, cx, event)
            }

            #[inline]
            fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
                if self.hook.wanted().contains::<E>() {
                    WrapperNow::<E, $H>::told_now(self, &self.hook, cx, event, told);
                }
            }

            fn listen(&self, witnesses: &mut WitnessesOf<E>) {
                self.hook.heeds_now(witnesses);
            }

            fn witnessed<'a>(
                &'a self,
                cx: &'a Context<E>,
                event: Access<'a, E>,
                witnesses: &'a mut WitnessesOf<E>,
            ) -> Outcome<E> {
                if !self.hook.wanted().contains::<E>() {
                    return go_on::<E>();
                }
                WrapperNow::<E, $H>::ask_now(self, Witnessed::<E>(witnesses), cx, event)
            }
        }

        #[cfg(feature = "std")]
        #[diagnostic::do_not_recommend]
        impl<E: Wrapped, $H: Wraps<E> $(, $P)?> Around<E> for $Wrapper<$H $(, $P)?> {
            fn around<'a>(
                &'a self,
                cx: &'a Context<E>,
                event: &'a E,
                next: Next<'a, E>,
            ) -> impl Future<Output = E::Work> + Send {
                self.hook.wrap(cx, event, next)
            }
        }
    )* };
}
wrappers! {
    CatchPanic<H>;
    When<H, P>;
    ReadOnly<H>;
    Shadow<H>;
}
#[cfg(feature = "tokio")]
wrappers! {
    Timeout<H>;
}

/// Catches the panics of a hook, on every event: what [`Hook::on_panic`] returns.
///
/// A panic in a pipeline is one failure of all its hooks together: the hooks after the one that panicked do not run.
/// Needs the feature `std`; without it, nothing is caught.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{OnPanic, hook, hooks};
///
/// #[hook]
/// fn careless(call: &mut BeforeToolCall) {
///     call.name.clear();
///     panic!("out of luck");
/// }
///
/// let hooks = hooks![careless.on_panic(OnPanic::Skip)];
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.name, "shell");
/// ```
#[doc(alias("wrap", "layer", "middleware"))]
#[derive(Debug, Clone, Copy)]
pub struct CatchPanic<H> {
    hook: H,
    policy: OnPanic,
}

impl<H> CatchPanic<H> {
    /// Catches the panics of `hook`.
    pub const fn new(hook: H, policy: OnPanic) -> Self {
        CatchPanic { hook, policy }
    }
}

/// The event's state before a hook, for the policies that restore it.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "an event need not have it")]
pub struct Before<E>(Option<E>);

impl<E: Dispatched> Before<E> {
    /// Saves the event, if a hook can change it.
    pub fn of(event: &mut Access<'_, E>) -> Self {
        let event = E::Kind::CHANGES.then(|| E::look(E::lend(event)));
        Before(event.and_then(Event::saved))
    }

    /// An event that was saved elsewhere.
    pub(crate) const fn kept(event: Option<E>) -> Self {
        Before(event)
    }

    /// Restores the event for a wrapper, and returns the outcome.
    fn restored(
        self,
        mut event: Access<'_, E>,
        block: bool,
        hook: &'static str,
        failure: impl Display,
        way: &mut impl Way<E>,
    ) -> Outcome<E> {
        let hook = name_or_hook(hook);
        let name = || Cow::Borrowed(hook);
        let outcome = self.restore(E::lend(&mut event), block, name, failure);
        way.restored(hook, E::look(event));
        outcome
    }

    /// Restores the event, and returns the outcome.
    pub fn restore(
        self,
        event: Access<'_, E>,
        block: bool,
        hook: impl FnOnce() -> Cow<'static, str>,
        failure: impl Display,
    ) -> Outcome<E> {
        let is_lost = E::Kind::CHANGES && self.0.is_none();
        if let Some(before) = self.0 {
            E::Kind::put_back::<E>(event, before);
        }
        E::Kind::failed::<E>(block || is_lost, hook, failure)
    }
}

impl<E: Dispatched, H: AskedNow<E, E::Kind>> WrapperNow<E, H> for CatchPanic<H> {
    fn ask_now<'a>(
        &'a self,
        mut way: impl Way<E>,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        if self.policy == OnPanic::Propagate {
            return way.ask_now(&self.hook, cx, E::lend(&mut event));
        }
        let before = Before::<E>::of(&mut event);
        let handled = super::catch(|| way.ask_now(&self.hook, cx, E::lend(&mut event)));
        handled.unwrap_or_else(|panicked| {
            let blocks = self.policy == OnPanic::Block;
            before.restored(event, blocks, H::NAME, panicked, &mut way)
        })
    }

    fn told_now<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        if self.policy == OnPanic::Propagate {
            return hook.told_now(cx, event, told);
        }
        if let Err(panicked) = super::catch(|| hook.told_now(cx, event, told)) {
            crate::trace::skipped(name_or_hook(H::NAME), E::NAME, panicked);
        }
    }
}

/// Runs a hook for a shorter lifetime than that of the dispatch.
fn ask_for<'l, E: Dispatched, H: AskedNow<E, E::Kind>>(
    hook: &'l H,
    cx: &'l Context<E>,
    event: Access<'l, E>,
) -> Outcome<E> {
    hook.ask_now(cx, event)
}

impl<E: Dispatched, H: Asked<E, E::Kind>> Wrapper<E, H> for CatchPanic<H> {
    async fn ask<'a>(
        &'a self,
        mut way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        if self.policy == OnPanic::Propagate {
            return way.ask(&self.hook, cx, E::lend(&mut event)).await;
        }
        let before = Before::<E>::of(&mut event);
        let handled = super::catch_async(way.ask(&self.hook, cx, E::lend(&mut event))).await;
        handled.unwrap_or_else(|panicked| {
            let blocks = self.policy == OnPanic::Block;
            before.restored(event, blocks, H::NAME, panicked, &mut way)
        })
    }

    fn told<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        if self.policy == OnPanic::Propagate {
            return hook.told(cx, event, told);
        }
        if let Err(panicked) = super::catch(|| hook.told(cx, event, told)) {
            crate::trace::skipped(name_or_hook(H::NAME), E::NAME, panicked);
        }
    }
}

/// Limits the time of a hook, on every event: what [`Hook::timeout`] returns.
///
/// When the time is up, the hook is dropped, and an event that it held is restored. An event that can be blocked is
/// blocked; with [`or_skip`](Timeout::or_skip) it continues instead. A plain `fn` cannot be interrupted. Needs the
/// feature `tokio`, and a tokio runtime around the dispatch.
///
/// PicoClaw and GoClaw have such timeouts.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::*;
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// async fn slow(_: &BeforeToolCall) { std::future::pending().await }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let hooks = hooks![slow.timeout(Duration::from_secs(2))];
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default()).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "it took longer than its timeout of 2s");
/// # }
/// ```
#[doc(alias("wrap", "layer", "middleware"))]
#[cfg(feature = "tokio")]
#[derive(Debug, Clone, Copy)]
pub struct Timeout<H> {
    hook: H,
    limit: Duration,
    skips: bool,
}

#[cfg(feature = "tokio")]
impl<H> Timeout<H> {
    /// Limits how long `hook` may run on one event.
    pub const fn new(hook: H, limit: Duration) -> Self {
        Timeout {
            hook,
            limit,
            skips: false,
        }
    }

    /// Lets the event continue in its earlier state when the time is up.
    #[must_use]
    pub const fn or_skip(mut self) -> Self {
        self.skips = true;
        self
    }
}

#[cfg(feature = "tokio")]
impl<E: Dispatched, H: AskedNow<E, E::Kind>> WrapperNow<E, H> for Timeout<H> {
    #[inline]
    fn ask_now<'a>(
        &'a self,
        mut way: impl Way<E>,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        way.ask_now(&self.hook, cx, E::lend(&mut event))
    }
}

#[cfg(feature = "tokio")]
impl<E: Dispatched, H: Asked<E, E::Kind>> Wrapper<E, H> for Timeout<H> {
    async fn ask<'a>(
        &'a self,
        mut way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        let before = Before::<E>::of(&mut event);
        let asked = way.ask(&self.hook, cx, E::lend(&mut event));
        let handled = super::deadline(self.limit, asked).await;
        handled.unwrap_or_else(|late| before.restored(event, !self.skips, H::NAME, late, &mut way))
    }
}

/// Runs a hook only if a predicate holds, on every event: what `AgentHooks::when` returns.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let hooks = hooks![lower.when(|cx, _| cx.depth == 0)];
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let _ = hooks.intercept_now(&AgentContext::new("s1").with_depth(1), &mut call);
/// assert_eq!(call.name, "Shell");
/// ```
#[doc(alias("wrap", "layer", "middleware"))]
#[derive(Debug, Clone, Copy)]
pub struct When<H, P> {
    hook: H,
    predicate: P,
}

impl<H, P> When<H, P> {
    /// Runs `hook` on the events for which `predicate` holds, given the context and the vocabulary's enum.
    pub const fn new(hook: H, predicate: P) -> Self {
        When { hook, predicate }
    }
}

/// What `when = …` takes: a function or a closure from `&E`, or from `&Context` and `&E`, to `bool`.
#[diagnostic::on_unimplemented(
    message = "`when` cannot ask this about `{E}`",
    label = "not a predicate of `{E}`",
    note = "`when` takes a function or a closure from the event, by `&`, to `bool`; before the event it may \
            take the context, by `&`"
)]
pub trait Predicate<E: Event, Takes> {
    #[doc(hidden)]
    fn holds(&self, cx: &Context<E>, event: &E) -> bool;
}

#[doc(hidden)]
#[derive(Debug)]
pub enum TakesEvent {}

#[doc(hidden)]
#[derive(Debug)]
pub enum TakesBoth {}

#[diagnostic::do_not_recommend]
impl<E: Event, F: Fn(&E) -> bool> Predicate<E, TakesEvent> for F {
    #[inline(always)]
    fn holds(&self, _: &Context<E>, event: &E) -> bool {
        self(event)
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event, F: Fn(&Context<E>, &E) -> bool> Predicate<E, TakesBoth> for F {
    #[inline(always)]
    fn holds(&self, cx: &Context<E>, event: &E) -> bool {
        self(cx, event)
    }
}

/// The predicate of a [`When`], for the event `E`.
trait Allows<E: Event> {
    fn allows(&self, cx: &Context<E>, event: &E) -> bool;
}

impl<E: Event, P> Allows<E> for P
where
    P: Fn(&Context<E>, <E::Vocabulary as Vocabulary>::View<'_>) -> bool,
{
    fn allows(&self, cx: &Context<E>, event: &E) -> bool {
        self(cx, event.view())
    }
}

impl<E: Dispatched, H: AskedNow<E, E::Kind>, P> WrapperNow<E, H> for When<H, P>
where
    P: Fn(&Context<E>, <E::Vocabulary as Vocabulary>::View<'_>) -> bool + Send + Sync,
{
    #[inline]
    fn ask_now<'a>(
        &'a self,
        mut way: impl Way<E>,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        if Allows::<E>::allows(&self.predicate, cx, E::look(E::lend(&mut event))) {
            way.ask_now(&self.hook, cx, E::lend(&mut event))
        } else {
            go_on::<E>()
        }
    }

    fn told_now<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        if Allows::<E>::allows(&self.predicate, cx, event) {
            hook.told_now(cx, event, told);
        }
    }
}

impl<E: Dispatched, H: Asked<E, E::Kind>, P> Wrapper<E, H> for When<H, P>
where
    P: Fn(&Context<E>, <E::Vocabulary as Vocabulary>::View<'_>) -> bool + Send + Sync,
{
    async fn ask<'a>(
        &'a self,
        mut way: impl Way<E> + 'a,
        cx: &'a Context<E>,
        mut event: Access<'a, E>,
    ) -> Outcome<E> {
        if Allows::<E>::allows(&self.predicate, cx, E::look(E::lend(&mut event))) {
            way.ask(&self.hook, cx, E::lend(&mut event)).await
        } else {
            go_on::<E>()
        }
    }

    fn told<'a>(
        &'a self,
        hook: &'a H,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        if Allows::<E>::allows(&self.predicate, cx, event) {
            hook.told(cx, event, told);
        }
    }
}

/// Lets a hook decide but undoes its changes, on every event: what [`Hook::read_only`] returns.
///
/// The hook receives a copy of the event. An event that is not `Clone` cannot be copied: the hook does not run, and
/// the event is blocked if possible.
///
/// GoClaw has such hooks: those from its user interface may decide but not change.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// let mut call = BeforeToolCall { name: "Shell".into(), ..Default::default() };
/// let _ = hooks![lower.read_only()].intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(call.name, "Shell");
/// ```
#[doc(alias("wrap", "layer", "middleware"))]
#[derive(Debug, Clone, Copy)]
pub struct ReadOnly<H> {
    hook: H,
}

impl<H> ReadOnly<H> {
    /// Undoes the changes of `hook`.
    pub const fn new(hook: H) -> Self {
        ReadOnly { hook }
    }
}

/// The reason for an event that cannot be copied.
const NOT_CLONE: &str = "the event is not `Clone`, so the hook cannot be given a copy of it";

/// Runs a hook on a copy of the event, if it could change the event; `None` if there can be no copy.
fn on_copy_now<'a, E: Dispatched, H: AskedNow<E, E::Kind>>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> Option<Outcome<E>> {
    if !E::Kind::CHANGES {
        return Some(hook.ask_now(cx, event));
    }
    let mut copy = E::look(E::lend(&mut event)).saved()?;
    Some(ask_for::<E, H>(hook, cx, E::Kind::access::<E>(&mut copy)))
}

/// Like [`on_copy_now`], in a future.
async fn on_copy<'a, E: Dispatched, H: Asked<E, E::Kind>>(
    hook: &'a H,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> Option<Outcome<E>> {
    if !E::Kind::CHANGES {
        return Some(hook.ask(cx, event).await);
    }
    let mut copy = E::look(E::lend(&mut event)).saved()?;
    Some(hook.ask(cx, E::Kind::access::<E>(&mut copy)).await)
}

impl<H: Hook> ReadOnly<H> {
    fn settled<E: Dispatched>(said: Option<Outcome<E>>) -> Outcome<E> {
        said.unwrap_or_else(|| failed::<E>(true, H::NAME, NOT_CLONE))
    }
}

impl<E: Dispatched, H: AskedNow<E, E::Kind>> WrapperNow<E, H> for ReadOnly<H> {
    fn ask_now<'a>(
        &'a self,
        _: impl Way<E>,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        Self::settled::<E>(on_copy_now::<E, H>(&self.hook, cx, event))
    }
}

impl<E: Dispatched, H: Asked<E, E::Kind>> Wrapper<E, H> for ReadOnly<H> {
    async fn ask<'a>(
        &'a self,
        _: impl Way<E> + 'a,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        Self::settled::<E>(on_copy::<E, H>(&self.hook, cx, event).await)
    }
}

/// Runs a hook without effect, on every event: what [`Hook::shadow`] returns.
///
/// Use it to try out a guard in production. The hook receives a copy of the event, and its decision and changes are
/// dropped. With the feature `tracing`, its span and its decision are recorded as usual. On an event that is not
/// `Clone`, the hook does not run. A panic still unwinds: for a hook on trial, write
/// `hook.shadow().on_panic(OnPanic::Skip)`.
///
/// ```
/// use hooks_core::agent::*;
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no shell here") }
///
/// let result = hooks![no_shell.shadow()]
///     .intercept_now(&AgentContext::new("s1"), &mut BeforeToolCall::default());
/// assert!(result.is_continue());
/// ```
#[doc(alias("wrap", "layer", "middleware"))]
#[derive(Debug, Clone, Copy)]
pub struct Shadow<H> {
    hook: H,
}

impl<H> Shadow<H> {
    /// Runs `hook` without effect.
    pub const fn new(hook: H) -> Self {
        Shadow { hook }
    }
}

impl<H: Hook> Shadow<H> {
    fn settled<E: Dispatched>(said: Option<Outcome<E>>) -> Outcome<E> {
        match said {
            Some(_) => go_on::<E>(),
            None => failed::<E>(false, H::NAME, NOT_CLONE),
        }
    }
}

impl<E: Dispatched, H: AskedNow<E, E::Kind>> WrapperNow<E, H> for Shadow<H> {
    fn ask_now<'a>(
        &'a self,
        _: impl Way<E>,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        Self::settled::<E>(on_copy_now::<E, H>(&self.hook, cx, event))
    }
}

impl<E: Dispatched, H: Asked<E, E::Kind>> Wrapper<E, H> for Shadow<H> {
    async fn ask<'a>(
        &'a self,
        _: impl Way<E> + 'a,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> Outcome<E> {
        Self::settled::<E>(on_copy::<E, H>(&self.hook, cx, event).await)
    }
}
