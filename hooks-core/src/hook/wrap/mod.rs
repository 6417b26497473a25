//! Wrappers around any hook, for all its events at once.
//!
//! A [`Wrapper`] is one impl of one trait with one method; [`Wrapped`] makes a hook of it and of the hooks in it. The
//! wrappers of this module are such types, each with a method of [`Hook`](crate::Hook) that builds it.
//!
//! | file | holds |
//! | --- | --- |
//! | this one | [`Wrapper`], [`Wrapped`], and the hooks inside: [`Inner`] |
//! | `catch_panic`, `timeout` | what happens when a hook panics or takes too long |
//! | `layer` | a wrapper around the hooks around the work of an event |
//! | `waits` | whether a wrapper awaits something of its own |
//! | `when` | runs a hook only if a predicate holds |
//! | `on_copy` | [`ReadOnly`] and [`Shadow`]: the hook gets a copy of the event |
//! | `failure`, `policy` | what `on_panic` and `timeout` of `#[hook]` expand to |

mod catch_panic;
mod failure;
mod layer;
mod on_copy;
mod policy;
#[cfg(feature = "tokio")]
mod timeout;
mod waits;
mod when;

use alloc::borrow::Cow;
use core::fmt::{self, Display};
use core::future::Future;
use core::pin::pin;
use core::task::{Context as Task, Poll, Waker};

pub use self::catch_panic::{CatchPanic, OnPanic};
pub use self::failure::{catch, catch_async, deadline, judges, kept, nothing, restored, skipped};
pub use self::on_copy::{ReadOnly, Shadow};
pub use self::policy::{CanBlock, DefaultPolicy, Restorable};
#[cfg(feature = "tokio")]
pub use self::timeout::{Timeout, Timeouts};
use self::waits::Awaited;
pub use self::waits::{No, Waits, Yes};
pub use self::when::{Predicate, When};
use super::{
    AnyEvent, Ask, Carries, Did, Dispatch, Facts, FactsOf, Hook, Planner, Run, Shows, Steps,
    StepsOf, Timing, TimingOf, Watch, as_held,
};
use crate::decision::{self, AnyAction, Decides, HookResult, Name, go_on};
use crate::event::{Context, Event, Every, Kind, Many, One, Vocabulary};
use crate::once::{Fails, Holds};

/// What wraps any hook, on every event: a wrapper of yours is a type that implements this.
///
/// It corresponds to a layer of tower: [`Hook::wrap`](crate::Hook::wrap) puts it around a hook, a pipeline, a registry
/// or an `impl AgentHooks`. The hooks inside keep their names, priorities and guards.
///
/// If there are hooks with `#[hook(around)]` inside, the wrapper runs once more, around these hooks and the work in them:
/// [`Inner::is_around`] tells the two runs apart. What it does with the hooks holds for the work, too:
///
/// | the wrapper | the work |
/// | --- | --- |
/// | awaits [`run`](Inner::run) | has the output of the hooks around it |
/// | does not | runs without those hooks |
/// | [fails](Inner::fail), and blocks | is [refused](crate::Refused): its output says so |
/// | fails, and continues | has the output that it had; if it has not begun, it runs without the hooks; if its output is lost, it is refused |
///
/// `V` is the vocabulary. A wrapper that reads the context implements it for one, such as `AgentEvent<'static>`.
///
/// If a hook has changed an event that a guard has approved, the guards judge the event once more, and the wrapper runs
/// once more around those in it: see [`Inner::judges`].
///
/// ```
/// use std::sync::atomic::{AtomicU32, Ordering};
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::wrap::{Inner, No, ResultOf, Wrapper, Yes};
/// use hooks_core::{AnyEvent, Hook, Vocabulary, hook, hooks};
///
/// /// Lets so many dispatches run at once.
/// struct AtMost { permits: tokio::sync::Semaphore }
///
/// impl<V: Vocabulary> Wrapper<V> for AtMost {
///     type Waits = Yes;
///
///     async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
///         let _permit = self.permits.acquire().await;
///         hooks.run().await
///     }
/// }
///
/// /// Lets hooks run a number of times, and then leaves them out. It awaits only them.
/// struct Budget { left: AtomicU32 }
///
/// impl<V: Vocabulary> Wrapper<V> for Budget {
///     type Waits = No;
///
///     async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
///         let spend = |left: u32| left.checked_sub(1);
///         match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend) {
///             Ok(_) => hooks.run().await,
///             Err(_) => hooks.go_on(),
///         }
///     }
/// }
///
/// #[hook]
/// fn mark(call: &mut BeforeToolCall) { call.name.push('!'); }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hooks = hooks![mark.wrap(AtMost { permits: tokio::sync::Semaphore::new(2) })];
/// let mut call = BeforeToolCall::default();
/// assert!(hooks.intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
///
/// let hooks = hooks![mark.wrap(Budget { left: 2.into() })];
/// let mut call = BeforeToolCall::default();
/// for _ in 0..5 {
///     assert!(hooks.intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// }
/// assert_eq!(call.name, "!!");
/// # }
/// ```
#[doc(alias("layer", "middleware"))]
pub trait Wrapper<V: Vocabulary>: Send + Sync {
    /// [`Yes`](crate::wrap::Yes) if the wrapper awaits anything besides the hooks in it, such as a permit or a timer.
    ///
    /// With [`No`](crate::wrap::No), plain `fn`s stay plain, and `intercept_now` compiles. A wrapper that says `No`
    /// and then has to wait around plain `fn`s fails: the event is blocked if it can be, and the reason names the wrapper.
    type Waits: Waits;

    /// Whether it may [fail](Inner::fail). Only then does the output of work need to be [`Refused`](crate::Refused).
    #[doc(hidden)]
    const FAILS: bool = true;

    /// Runs around the hooks, on an event that they handle, and around the hooks with `#[hook(around)]` and the work.
    fn run<E: AnyEvent<Vocabulary = V> /* every event: `run<E: AnyEvent<Vocabulary = V>>` */>(
        &self,
        hooks: impl Inner<E>,
    ) -> impl Future<Output = ResultOf<E>> + Send;
}

/// What a [`Wrapper`] returns, on every event: what [`Inner::run`] has returned, [`Inner::go_on`] or [`Inner::fail`]. Hooks
/// on observed events always continue.
pub type ResultOf<E> = HookResult<E>;

/// What [`Hook::wrap`](crate::Hook::wrap) takes: a [`Wrapper`] of the vocabulary `V`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a wrapper of hooks of `{V}`",
    label = "not a wrapper of this vocabulary",
    note = "write `impl<V: Vocabulary> Wrapper<V> for {Self} {{ type Waits = Yes; async fn run<E: AnyEvent<Vocabulary = \
            V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {{ hooks.run().await }} }}`, which is for all vocabularies"
)]
#[doc(hidden)]
pub trait IsWrapper<V, K> {}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary, W: Wrapper<V>> IsWrapper<V, Holds> for W {}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary, W: Wrapper<V>> IsWrapper<V, Fails> for W where Fails: AsRef<W> {}

/// The hooks inside a [`Wrapper`], on one event.
pub trait Inner<E: Event>: Send {
    /// Runs the hooks, and in them the work that they are around. A wrapper may do so again.
    fn run(&mut self) -> impl Future<Output = ResultOf<E>> + Send;

    /// Runs the hooks on another event, such as a copy. Hooks around the work do not run, because their effect would not
    /// be one on the copy.
    fn run_on(&mut self, event: &mut E) -> impl Future<Output = ResultOf<E>> + Send;

    /// The context.
    fn cx(&self) -> &Context<E>;

    /// The event as it is now.
    fn event(&self) -> &E;

    /// A copy of the event, to [fail](Self::fail) with; no copy if hooks cannot change the event. Work cannot be undone:
    /// [`Saved::Lost`]. If its output is `Clone`, a copy of that is kept.
    fn saved(&self) -> Saved<E>;

    /// The name of the hook that runs or ran last.
    fn hook(&self) -> Cow<'static, str>;

    /// Whether the hooks are plain `fn`s, which cannot be interrupted.
    fn is_now(&self) -> bool;

    /// Whether only guards run: a hook has changed an event that they had approved.
    fn judges(&self) -> bool;

    /// Whether the hooks run around the work of the event, and not on the event itself.
    fn is_around(&self) -> bool;

    /// What a result says, for a wrapper that looks at it.
    fn action<'r>(&self, result: &'r ResultOf<E>) -> AnyAction<'r> {
        result.any()
    }

    /// The result of hooks that have nothing to say.
    fn go_on(&self) -> ResultOf<E> {
        HookResult::Continue
    }

    /// The result of a hook that fails. It blocks if `block` is set and the event can be blocked; otherwise the event
    /// continues. An event of which there is no copy, although hooks may have changed it, is blocked if possible. So is
    /// work that has begun and whose output is lost.
    fn fail(&mut self, before: Saved<E>, block: bool, failure: impl Display) -> ResultOf<E>;
}

/// The state of an event before a hook.
#[derive(Debug)]
pub enum Saved<E> {
    /// The hooks cannot change the event.
    Unchanged,
    /// A copy.
    Copy(E),
    /// The event is not `Clone`, or the hooks run around its work.
    Lost,
}

impl<E: Event> Saved<E> {
    /// Saves an event that hooks may change.
    pub fn of(event: &E) -> Self {
        event.saved().map_or(Saved::Lost, Saved::Copy)
    }
}

/// The hooks inside a wrapper.
struct Inside<'a, H: ?Sized, E: AnyEvent + 'a, W: Watch<E::Vocabulary>> {
    hook: &'a H,
    ask: Ask<'a, E, W>,
    /// The hook that runs, if it has another name than `hook`.
    running: Option<Cow<'static, str>>,
}

impl<'a, H, E, W> Inner<E> for Inside<'a, H, E, W>
where
    H: Dispatch<E> + ?Sized,
    E: AnyEvent + 'a,
    W: Watch<E::Vocabulary>,
{
    async fn run(&mut self) -> ResultOf<E> {
        let mut running = (self.hook.name(), &mut self.running);
        let ask = self.ask.with::<Running>(&mut running);
        E::Kind::seen::<E>(<StepsOf<H, E> as Steps<H, E>>::whole(self.hook, ask).await)
    }

    async fn run_on(&mut self, event: &mut E) -> ResultOf<E> {
        let mut running = (self.hook.name(), &mut self.running);
        let mut ask = self.ask.with::<Running>(&mut running);
        let result = <StepsOf<H, E> as Steps<H, E>>::whole(self.hook, ask.on(event)).await;
        E::Kind::seen::<E>(result)
    }

    fn cx(&self) -> &Context<E> {
        self.ask.cx
    }

    fn event(&self) -> &E {
        self.ask.event()
    }

    fn saved(&self) -> Saved<E> {
        if FactsOf::<H, E>::CHANGES && self.hook.may_change(E::INFO) {
            Saved::of(self.event())
        } else {
            Saved::Unchanged
        }
    }

    fn hook(&self) -> Cow<'static, str> {
        let running = self.running.clone();
        running.unwrap_or_else(|| self.hook.name().owned())
    }

    fn is_now(&self) -> bool {
        TimingOf::<H, E>::IS_NOW || self.hook.is_plain(E::INFO)
    }

    fn judges(&self) -> bool {
        !self.ask.admits(false)
    }

    fn is_around(&self) -> bool {
        false
    }

    fn fail(&mut self, before: Saved<E>, block: bool, failure: impl Display) -> ResultOf<E> {
        let is_lost = matches!(before, Saved::Lost);
        if let Saved::Copy(before) = before {
            E::Kind::put_back::<E>(E::lend(&mut self.ask.event), before);
        }
        let hook = self.hook();
        self.ask.failed(&hook, &failure);
        HookResult::failed(block || is_lost, hook, failure)
    }
}

/// Remembers which hook runs, so that a failure names it.
enum Running {}

impl<V: Vocabulary> Watch<V> for Running {
    // The name of the hooks in the wrapper, so that the same name is not copied.
    type Held<'a> = (Name<'a>, &'a mut Option<Cow<'static, str>>);
    // Observers run at once: none of them is the one that runs.
    type Shared<'a> = ();
    type Token = ();

    fn lend<'l>((own, running): &'l mut Self::Held<'_>) -> Self::Held<'l> {
        (*own, running)
    }

    fn share(_: &Self::Held<'_>) {}

    fn reshare((): &()) {}

    fn before((own, running): &mut Self::Held<'_>, hook: Name<'_>) {
        **running = (hook.text() != own.text()).then(|| hook.owned());
    }

    fn after(_: &mut Self::Held<'_>, _: Did<'_>, _: &dyn Shows<V>) {}

    fn after_shared((): (), _: Did<'_>, _: &dyn Shows<V>) {}
}

/// A hook in a [`Wrapper`]: what [`Hook::wrap`](crate::Hook::wrap) returns.
#[derive(Clone, Copy)]
pub struct Wrapped<H, W> {
    hook: H,
    wrapper: W,
}

impl<H, W> Wrapped<H, W> {
    /// Puts `wrapper` around `hook`.
    pub const fn of(hook: H, wrapper: W) -> Self {
        Wrapped { hook, wrapper }
    }

    /// The hook inside.
    pub const fn get_ref(&self) -> &H {
        &self.hook
    }

    /// Removes the wrapper, and returns the hook.
    pub fn into_inner(self) -> H {
        self.hook
    }
}

/// The names of the hooks inside.
impl<H: Hook, W> fmt::Debug for Wrapped<H, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.hook.plan().names().fmt(f)
    }
}

#[diagnostic::do_not_recommend]
impl<H: Hook, L: Send + Sync> Hook for Wrapped<H, L> {
    type Vocabulary = H::Vocabulary;
    type Rank = H::Rank;
    // Not `H::Answers`, which is unknown for an `impl AgentHooks`.
    type Answers = Every<Many>;
    type Wraps = Every<One>;
    type Exact = H::Exact;

    as_held!(this => this.hook);

    fn describe(&self, plan: &mut Planner) {
        self.hook.describe(plan);
    }
}

#[diagnostic::do_not_recommend]
impl<E, K, H, L> Run<E, K> for Wrapped<H, L>
where
    E: AnyEvent + Event<Kind = K>,
    K: Carries,
    H: Dispatch<E>,
    L: Wrapper<E::Vocabulary>,
{
    type Timing = <L::Waits as Waits>::Around<TimingOf<H, E>>;
    type Facts = FactsOf<H, E>;

    fn wants(&self, cx: &Context<E>, event: &E) -> bool {
        <StepsOf<H, E> as Steps<H, E>>::wants(&self.hook, cx, event)
    }

    async fn run<'a, W: Watch<E::Vocabulary>>(
        &'a self,
        ask: Ask<'a, E, W>,
    ) -> decision::ResultOf<E> {
        if !self.hook.is_wanted(E::INFO) || (!FactsOf::<H, E>::GUARDS && !ask.admits(false)) {
            return go_on::<E>();
        }
        let inside = Inside {
            hook: &self.hook,
            ask,
            running: None,
        };
        K::returned::<E>(self.wrapper.run(inside).await)
    }

    /// The hooks wait for nothing here, so a wrapper that is not done has awaited something of its own.
    fn run_now<'a, W: Watch<E::Vocabulary>>(
        &'a self,
        mut ask: Ask<'a, E, W>,
    ) -> decision::ResultOf<E> {
        let poll = {
            let run = pin!(Run::<E, K>::run(self, ask.lend()));
            run.poll(&mut Task::from_waker(Waker::noop()))
        };
        if let Poll::Ready(result) = poll {
            return result;
        }
        let (hook, failure) = (self.hook.name(), Awaited(core::any::type_name::<L>()));
        ask.failed(hook.text(), &failure);
        K::returned::<E>(HookResult::failed(true, hook.owned(), failure))
    }
}
