//! Runs handlers, each isolated from the panics and timeouts of the others.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context as Task, Poll};
#[cfg(feature = "tokio")]
use core::time::Duration;

#[cfg(feature = "tokio")]
use super::Timeouts;
use super::handlers::{Handlers, Wanting};
use super::{BoxFuture, GoOn, Handled, Handler, HookRegistry, Placed, RunTime};
use crate::decision::{
    Decides, Decision, HookAction, HookResult, Outcome, Said, Told, WitnessesOf,
};
#[cfg(feature = "tokio")]
use crate::event::Kind;
use crate::event::{Context, Event, Intercept, Observe};
#[cfg(feature = "tokio")]
use crate::hook::TimedOut;
use crate::hook::{Before, OnPanic, Panicked, catch};
use crate::pipeline::{Between, Part};

/// What happens when handlers fail.
#[derive(Debug, Clone, Copy)]
pub struct Policy {
    pub(super) on_panic: OnPanic,
    #[cfg(feature = "tokio")]
    pub(super) timeouts: Timeouts,
}

impl Policy {
    pub(super) const DEFAULT: Self = Policy {
        on_panic: OnPanic::Skip,
        #[cfg(feature = "tokio")]
        timeouts: Timeouts {
            observe: None,
            intercept: None,
            approve: None,
        },
    };

    const fn catches(self) -> bool {
        cfg!(feature = "std") && !matches!(self.on_panic, OnPanic::Propagate)
    }

    /// Runs a part of a handler, and catches its panic if the policy says so.
    pub(super) fn catch<R>(self, handler: impl FnOnce() -> R) -> Result<R, Panicked> {
        if self.catches() {
            catch(handler)
        } else {
            Ok(handler())
        }
    }

    /// How long a handler may run on `E`.
    #[cfg(feature = "tokio")]
    fn limit<E: Event>(self) -> Option<Duration> {
        if E::IS_APPROVAL {
            self.timeouts.approve
        } else if E::Kind::CHANGES {
            self.timeouts.intercept
        } else {
            self.timeouts.observe
        }
    }

    /// A copy of the event, if a handler may fail and it may have to be restored.
    fn copied<E: Event>(self, event: &E) -> Option<E> {
        #[cfg(feature = "tokio")]
        let may_fail = self.catches() || self.limit::<E>().is_some();
        #[cfg(not(feature = "tokio"))]
        let may_fail = self.catches();
        may_fail.then(|| event.saved()).flatten()
    }
}

/// A handler's future, with its panics and timeout turned into errors.
struct Running<'a, T> {
    catches: bool,
    asked: Asked<'a, T>,
}

/// Only a timeout needs a timer, which is boxed: a dispatch without one is no larger.
enum Asked<'a, T> {
    Plain(BoxFuture<'a, T>),
    #[cfg(feature = "tokio")]
    Timed(BoxFuture<'a, Result<T, TimedOut>>),
}

/// Why a handler has no result.
enum Failed {
    Panicked(Panicked),
    #[cfg(feature = "tokio")]
    TimedOut(TimedOut),
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Panicked(panicked) => panicked.fmt(f),
            #[cfg(feature = "tokio")]
            Failed::TimedOut(late) => late.fmt(f),
        }
    }
}

impl<'a, T: Send + 'a> Running<'a, T> {
    fn new<E: Event>(policy: Policy, handler: &str, asked: BoxFuture<'a, T>) -> Self {
        let asked = crate::trace::traced_boxed(handler, E::NAME, asked);
        Running {
            catches: policy.catches(),
            #[cfg(feature = "tokio")]
            asked: match policy.limit::<E>() {
                Some(limit) => Asked::Timed(Box::pin(crate::hook::deadline(limit, asked))),
                None => Asked::Plain(asked),
            },
            #[cfg(not(feature = "tokio"))]
            asked: Asked::Plain(asked),
        }
    }
}

impl<T> Future for Running<'_, T> {
    type Output = Result<T, Failed>;

    #[inline]
    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let Running { catches, asked } = self.get_mut();
        let mut poll = || match asked {
            Asked::Plain(asked) => asked.as_mut().poll(task).map(Ok),
            #[cfg(feature = "tokio")]
            Asked::Timed(asked) => asked.as_mut().poll(task).map_err(Failed::TimedOut),
        };
        if *catches {
            catch(poll).unwrap_or_else(|panicked| Poll::Ready(Err(Failed::Panicked(panicked))))
        } else {
            poll()
        }
    }
}

/// How handlers run on events of this kind.
#[doc(hidden)]
pub trait HandlersOf: Decides {
    /// A future that is ready with the decision. Allocates nothing if the handler has decided nothing.
    fn ready<'a, E: Event<Kind = Self> + 'a>(said: Said<E>) -> BoxFuture<'a, Said<E>>;

    /// A future that is ready with the outcome. Allocates nothing if nothing has been decided.
    fn boxed<'a, E: Event<Kind = Self> + 'a>(outcome: Outcome<E>) -> BoxFuture<'a, Outcome<E>>;

    /// Runs all handlers of a registry.
    fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a Handlers<Handler<E>>,
        policy: Policy,
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Runs static hooks up to the next handler that wants the event. Returns the handler's place, or the outcome if
    /// there is none.
    ///
    /// It is done when it is first polled, if the static hooks are synchronous.
    fn up_to_next<'a, 'r: 'a, E, G, V>(
        hooks: &'a G,
        registry: &'r HookRegistry<V>,
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
        from: Place<'r>,
    ) -> impl Future<Output = Result<Outcome<E>, Place<'r>>> + Send
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime;

    /// Runs static hooks, with the handlers of a registry between them, from a place on at which there is a handler.
    fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
        from: Place<'a>,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime;
}

/// A future that is ready with the outcome if nothing has been decided. It has no size, so boxing it allocates nothing.
struct Continues<E>(PhantomData<fn() -> E>);

impl<E: Event<Kind = Intercept>> Future for Continues<E> {
    type Output = HookResult<E>;

    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<HookResult<E>> {
        Poll::Ready(HookResult::Continue)
    }
}

/// How far a dispatch has come that runs static hooks and handlers.
#[doc(hidden)]
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub struct Place<'a> {
    /// The handler that is next.
    nth: usize,
    /// The static hooks of this priority and above have run.
    below: Option<i32>,
    wanting: Wanting<'a>,
}

impl Place<'_> {
    pub(super) const START: Self = Place {
        nth: 0,
        below: None,
        wanting: Wanting::UNKNOWN,
    };

    /// The next handler of this priority that wants the event: no static hook runs before it.
    fn next_of<E: Handled>(
        self,
        priority: i32,
        handlers: &Handlers<Handler<E>>,
        policy: Policy,
        event: &E,
    ) -> Option<usize> {
        let rest = self.nth..handlers.len();
        rest.take_while(|nth| handlers[*nth].priority == priority)
            .find(|nth| self.wanting.has::<E>(handlers, policy, *nth, event))
    }

    /// The same place, without what it borrows.
    pub(super) fn owned(self) -> Place<'static> {
        Place {
            nth: self.nth,
            below: self.below,
            wanting: Wanting::UNKNOWN,
        }
    }
}

/// The handlers that want events of this type.
fn wanting<E: Handled>(
    handlers: &[Placed<Handler<E>>],
) -> impl Iterator<Item = (usize, &Placed<Handler<E>>)> {
    let handlers = handlers.iter().enumerate();
    handlers.filter(|(_, placed)| placed.events.contains::<E>())
}

/// Tells handlers what an earlier one has decided.
pub(super) fn tell<E: Handled>(
    handlers: &[Placed<Handler<E>>],
    policy: Policy,
    cx: &Context<E>,
    event: &E,
    told: Told<'_, E::Vocabulary>,
) {
    for (_, placed) in wanting::<E>(handlers) {
        tell_one::<E>(placed, policy, cx, event, told);
    }
}

fn tell_one<E: Handled>(
    placed: &Placed<Handler<E>>,
    policy: Policy,
    cx: &Context<E>,
    event: &E,
    told: Told<'_, E::Vocabulary>,
) {
    let tell = || E::Vocabulary::told(&placed.handler, cx, event.view(), told);
    if let Err(panicked) = policy.catch(tell) {
        crate::trace::skipped(&placed.shown, E::NAME, panicked);
    }
}

/// Asks for the witnesses that handlers want.
pub(super) fn listen<E: Handled>(handlers: &[Placed<Handler<E>>], witnesses: &mut WitnessesOf<E>) {
    for placed in handlers.iter().filter(|placed| placed.listens) {
        E::Vocabulary::listen(&placed.handler, witnesses);
    }
}

/// Runs one handler on an intercepted event, and catches its failures.
///
/// `copy` is the event's current state, if it has been copied to be restored. A handler that does not override the
/// event's method cannot change the event, and leaves the copy to the next handler. So the number of copies depends
/// only on the handlers that handle the event, not on all others.
#[expect(
    clippy::manual_async_fn,
    reason = "so rustc proves once that the future is `Send`"
)]
fn ask<'a, E: Handled<Kind = Intercept>>(
    placed: &'a Placed<Handler<E>>,
    policy: Policy,
    cx: &'a Context<E>,
    event: &'a mut E,
    copy: &'a mut Option<E>,
) -> impl Future<Output = HookResult<E>> + Send {
    async move {
        if copy.is_none() {
            *copy = policy.copied(event);
        }
        let lent = &mut *event;
        // A handler written by hand may panic before it returns a future.
        let asked = match policy.catch(|| E::ask(&placed.handler, cx, lent)) {
            Ok(asked) if GoOn::is(&asked) => return HookResult::Continue,
            Ok(asked) => Running::new::<E>(policy, &placed.shown, asked).await,
            Err(panicked) => Err(Failed::Panicked(panicked)),
        };
        match asked {
            Ok(said) => {
                *copy = None;
                if said.is_continue() {
                    return HookResult::Continue;
                }
                E::Kind::settle_named::<E>(event, said, &placed.shown)
            }
            Err(failed) => put_back(event, copy.take(), policy, &placed.shown, failed),
        }
    }
}

/// Like [`ask`], with witnesses. A log receives what they have seen.
async fn ask_witnessed<'a, E: Handled<Kind = Intercept>>(
    placed: &'a Placed<Handler<E>>,
    policy: Policy,
    cx: &'a Context<E>,
    event: &'a mut E,
    copy: &'a mut Option<E>,
    witnesses: &'a mut WitnessesOf<E>,
) -> HookResult<E> {
    let result = if let Some([handlers, own]) = E::Vocabulary::registry(&placed.handler)
        && let Some(handlers) = handlers.downcast_ref::<Handlers<Handler<E>>>()
        && let Some(own) = own.downcast_ref()
    {
        if copy.is_none() {
            *copy = policy.copied(event);
        }
        let asked = ask_within::<E>(handlers, *own, cx, &mut *event, &mut *witnesses);
        match Running::new::<E>(policy, &placed.shown, asked).await {
            Ok(result) => {
                *copy = None;
                result
            }
            Err(failed) => put_back(event, copy.take(), policy, &placed.shown, failed),
        }
    } else if placed.listens {
        let told = witnesses.told(Decision::Continue);
        tell_one::<E>(placed, policy, cx, event, told);
        return HookResult::Continue;
    } else {
        witnesses.before(event);
        ask::<E>(placed, policy, cx, &mut *event, copy).await
    };
    witnesses.after(&placed.shown, event);
    result
}

/// Runs the handlers of a registry that is itself a handler. The witnesses see each of them.
fn ask_within<'a, E: Handled<Kind = Intercept>>(
    handlers: &'a Handlers<Handler<E>>,
    policy: Policy,
    cx: &'a Context<E>,
    event: &'a mut E,
    witnesses: &'a mut WitnessesOf<E>,
) -> BoxFuture<'a, HookResult<E>> {
    Box::pin(Intercept::ask_all(
        handlers,
        policy,
        cx,
        event,
        Some(witnesses),
    ))
}

/// The outcome of a failed handler: the event is as it was before.
#[cold]
fn put_back<E: Handled<Kind = Intercept>>(
    event: &mut E,
    copy: Option<E>,
    policy: Policy,
    handler: &str,
    failed: Failed,
) -> HookResult<E> {
    let blocks = match failed {
        Failed::Panicked(_) => policy.on_panic == OnPanic::Block,
        #[cfg(feature = "tokio")]
        Failed::TimedOut(_) => true,
    };
    Before::kept(copy).restore(event, blocks, || Cow::Owned(handler.into()), failed)
}

/// One observer of several that run concurrently.
struct Observer<'a> {
    name: &'a str,
    event: &'static str,
    running: Running<'a, ()>,
}

impl<'a> Observer<'a> {
    /// A handler that receives an event.
    fn of<E: Handled<Kind = Observe>>(
        placed: &'a Placed<Handler<E>>,
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a E,
    ) -> Option<Self> {
        let name = &*placed.shown;
        match policy.catch(|| E::ask(&placed.handler, cx, event)) {
            Ok(asked) if GoOn::is(&asked) => None,
            Ok(asked) => Some(Observer {
                name,
                event: E::NAME,
                running: Running::new::<E>(policy, name, asked),
            }),
            Err(panicked) => {
                crate::trace::skipped(name, E::NAME, panicked);
                None
            }
        }
    }

    fn is_pending(&mut self, task: &mut Task<'_>) -> bool {
        match Pin::new(&mut self.running).poll(task) {
            Poll::Pending => true,
            Poll::Ready(Ok(())) => false,
            Poll::Ready(Err(failed)) => {
                crate::trace::skipped(self.name, self.event, failed);
                false
            }
        }
    }
}

/// Runs all observers concurrently.
async fn join_all<'a>(observers: impl Iterator<Item = Observer<'a>>) {
    let mut new = Some(observers);
    let mut running = Vec::new();
    poll_fn(|task| {
        match new.take() {
            // Keep only what has to wait: a handler that is done at once costs no allocation.
            Some(observers) => {
                running.extend(observers.filter_map(|mut one| one.is_pending(task).then_some(one)));
            }
            None => running.retain_mut(|one: &mut Observer<'a>| one.is_pending(task)),
        }
        if running.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

impl HandlersOf for Observe {
    fn ready<'a, E: Event<Kind = Self> + 'a>((): ()) -> BoxFuture<'a, ()> {
        GoOn::boxed()
    }

    fn boxed<'a, E: Event<Kind = Self> + 'a>((): ()) -> BoxFuture<'a, ()> {
        GoOn::boxed()
    }

    async fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a Handlers<Handler<E>>,
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a E,
        _: Option<&'a mut WitnessesOf<E>>,
    ) {
        let wanting = Wanting::UNKNOWN.look::<E>(handlers, policy, event);
        let asked =
            (0..handlers.len()).filter(|nth| wanting.has::<E>(handlers, policy, *nth, event));
        join_all(asked.filter_map(|nth| Observer::of::<E>(&handlers[nth], policy, cx, event)))
            .await;
    }

    async fn up_to_next<'a, 'r: 'a, E, G, V>(
        hooks: &'a G,
        registry: &'r HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a E,
        _: Option<&'a mut WitnessesOf<E>>,
        mut from: Place<'r>,
    ) -> Result<(), Place<'r>>
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime,
    {
        let HookRegistry {
            handlers, policy, ..
        } = registry;
        from.wanting = from.wanting.look::<E>(handlers, *policy, event);
        // All observers run concurrently, so no static hook runs before the handlers.
        let is_wanting = |nth: &usize| from.wanting.has::<E>(handlers, *policy, *nth, event);
        if let Some(nth) = (from.nth..handlers.len()).find(is_wanting) {
            return Err(Place { nth, ..from });
        }
        let () = hooks.run(Between::ALL, cx, event, None).await;
        Ok(())
    }

    async fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a E,
        _: Option<&'a mut WitnessesOf<E>>,
        from: Place<'a>,
    ) where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime,
    {
        let HookRegistry {
            handlers, policy, ..
        } = registry;
        // Static hooks set the policy for their panics themselves.
        let piece = |below, from| Observer {
            name: "hooks",
            event: E::NAME,
            running: Running {
                catches: false,
                asked: Asked::Plain(Box::pin(hooks.run(
                    Between { below, from },
                    cx,
                    event,
                    None,
                ))),
            },
        };
        let wanting = from.wanting.look::<E>(handlers, *policy, event);
        let mut observers = Vec::new();
        let mut below = None;
        for nth in from.nth..handlers.len() {
            if !wanting.has::<E>(handlers, *policy, nth, event) {
                continue;
            }
            let placed = &handlers[nth];
            if below != Some(placed.priority) {
                observers.push(piece(below, Some(placed.priority)));
                below = Some(placed.priority);
            }
            observers.extend(Observer::of::<E>(placed, *policy, cx, event));
        }
        observers.push(piece(below, None));
        join_all(observers.into_iter()).await;
    }
}

impl HandlersOf for Intercept {
    fn ready<'a, E: Event<Kind = Self> + 'a>(said: HookAction<E>) -> BoxFuture<'a, HookAction<E>> {
        if said.is_continue() {
            GoOn::boxed()
        } else {
            Box::pin(core::future::ready(said))
        }
    }

    fn boxed<'a, E: Event<Kind = Self> + 'a>(
        result: HookResult<E>,
    ) -> BoxFuture<'a, HookResult<E>> {
        match result {
            HookResult::Continue => Box::pin(Continues(PhantomData)),
            decided => Box::pin(core::future::ready(decided)),
        }
    }

    async fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a Handlers<Handler<E>>,
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a mut E,
        mut witnesses: Option<&'a mut WitnessesOf<E>>,
    ) -> HookResult<E> {
        let mut copy = None;
        let mut wanting = Wanting::UNKNOWN;
        let mut may_have_changed = true;
        for (nth, placed) in handlers.iter().enumerate() {
            if may_have_changed {
                wanting = wanting.look::<E>(handlers, policy, event);
            }
            may_have_changed = wanting.has::<E>(handlers, policy, nth, event);
            if !may_have_changed {
                continue;
            }
            let event = &mut *event;
            let result = match witnesses.as_deref_mut() {
                None => ask::<E>(placed, policy, cx, event, &mut copy).await,
                // Boxed, so that a dispatch without witnesses is no larger.
                Some(seen) => {
                    Box::pin(ask_witnessed(placed, policy, cx, event, &mut copy, seen)).await
                }
            };
            if !result.is_continue() {
                let rest = &handlers[nth + 1..];
                let told = Told::new(&result, witnesses.as_deref());
                tell::<E>(rest, policy, cx, event, told);
                return result;
            }
        }
        HookResult::Continue
    }

    async fn up_to_next<'a, 'r: 'a, E, G, V>(
        hooks: &'a G,
        registry: &'r HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a mut E,
        mut witnesses: Option<&'a mut WitnessesOf<E>>,
        from: Place<'r>,
    ) -> Result<HookResult<E>, Place<'r>>
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime,
    {
        let HookRegistry {
            handlers, policy, ..
        } = registry;
        let Place {
            nth,
            mut below,
            mut wanting,
        } = from;
        wanting = wanting.look::<E>(handlers, *policy, event);
        for nth in nth..handlers.len() {
            let placed = &handlers[nth];
            if !placed.events.contains::<E>() {
                continue;
            }
            let from = Some(placed.priority);
            if below != from {
                let piece = Between { below, from };
                let result = hooks
                    .run(piece, cx, &mut *event, witnesses.as_deref_mut())
                    .await;
                if !result.is_continue() {
                    let told = Told::new(&result, witnesses.as_deref());
                    tell::<E>(&handlers[nth..], *policy, cx, event, told);
                    return Ok(result);
                }
                below = from;
                // A static hook may have renamed the subject.
                wanting = wanting.look::<E>(handlers, *policy, event);
            }
            if wanting.has::<E>(handlers, *policy, nth, event) {
                return Err(Place {
                    nth,
                    below,
                    wanting,
                });
            }
        }
        let rest = Between { below, from: None };
        Ok(hooks.run(rest, cx, event, witnesses).await)
    }

    async fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a mut E,
        mut witnesses: Option<&'a mut WitnessesOf<E>>,
        mut from: Place<'a>,
    ) -> HookResult<E>
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime,
    {
        let HookRegistry {
            handlers, policy, ..
        } = registry;
        let mut copy = None;
        loop {
            let Place { nth, below, .. } = from;
            let placed = &handlers[nth];
            let event = &mut *event;
            let result = match witnesses.as_deref_mut() {
                None => ask::<E>(placed, *policy, cx, event, &mut copy).await,
                // Boxed, so that a dispatch without witnesses is no larger.
                Some(seen) => {
                    Box::pin(ask_witnessed(placed, *policy, cx, event, &mut copy, seen)).await
                }
            };
            if !result.is_continue() {
                let told = Told::new(&result, witnesses.as_deref());
                tell::<E>(&handlers[nth + 1..], *policy, cx, event, told);
                let rest = Between { below, from: None };
                hooks.tell::<0>(rest, cx, event, told);
                return result;
            }
            from.nth += 1;
            from.wanting = from.wanting.look::<E>(handlers, *policy, event);
            if let Some(nth) = from.next_of(placed.priority, handlers, *policy, event) {
                from.nth = nth;
                continue;
            }
            let seen = witnesses.as_deref_mut();
            match Self::up_to_next::<E, G, V>(hooks, registry, cx, event, seen, from).await {
                Ok(result) => return result,
                Err(next) => from = next,
            }
            // Static hooks have run in between.
            if from.below != below {
                copy = None;
            }
        }
    }
}
