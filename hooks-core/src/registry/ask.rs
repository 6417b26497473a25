//! How handlers are asked: each on its own, so that its panics and timeouts stay its own.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Display;
use core::future::{Future, poll_fn};
use core::task::{Context as Task, Poll};
#[cfg(feature = "tokio")]
use core::time::Duration;

#[cfg(feature = "tokio")]
use super::Timeouts;
use super::{BoxFuture, GoOn, Handled, Handler, HookRegistry, Placed, RunTime};
use crate::decision::{Decides, Decision, HookAction, HookResult, Outcome, Said};
#[cfg(feature = "tokio")]
use crate::event::Kind;
use crate::event::{Access, Context, Event, Intercept, Observe};
use crate::hook::{Before, OnPanic, catch, catch_async};
use crate::pipeline::{Between, Part};

/// What becomes of handlers that fail.
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

    /// How long a handler may take on `E`.
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
}

/// How handlers are asked about events of this kind.
#[doc(hidden)]
pub trait HandlersOf: Decides {
    /// What is said, in a future that is ready. To have nothing to say allocates nothing.
    fn ready<'a, E: Event<Kind = Self> + 'a>(said: Said<E>) -> BoxFuture<'a, Said<E>>;

    /// Asks all handlers of a registry.
    fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a [Placed<Handler<E>>],
        policy: Policy,
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Asks static hooks, and the handlers of a registry in their places between them.
    fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        access: Self::Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send
    where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime;
}

/// The handlers that want the event.
fn wanting<E: Handled>(
    handlers: &[Placed<Handler<E>>],
) -> impl Iterator<Item = (usize, &Placed<Handler<E>>)> {
    let handlers = handlers.iter().enumerate();
    handlers.filter(|(_, placed)| placed.events.contains::<E>())
}

/// Tells handlers what one before them has decided.
pub(super) fn tell<E: Handled>(
    handlers: &[Placed<Handler<E>>],
    policy: Policy,
    cx: &Context<E>,
    event: &E,
    decision: Decision<'_>,
) {
    for (_, placed) in wanting::<E>(handlers) {
        let told = || E::Vocabulary::decided(&placed.handler, cx, event.view(), decision);
        if !policy.catches() {
            told();
        } else if let Err(panicked) = catch(told) {
            crate::trace::skipped(&placed.shown, E::NAME, panicked);
        }
    }
}

/// Asks one handler, with its failures caught.
#[expect(
    clippy::manual_async_fn,
    reason = "so rustc proves once that the future is `Send`"
)]
fn ask<'a, E: Handled + 'a>(
    placed: &'a Placed<Handler<E>>,
    policy: Policy,
    cx: &'a Context<E>,
    mut event: Access<'a, E>,
) -> impl Future<Output = Outcome<E>> + Send {
    async move {
        #[cfg(feature = "tokio")]
        let limit = policy.limit::<E>();
        #[cfg(feature = "tokio")]
        let may_fail = policy.catches() || limit.is_some();
        #[cfg(not(feature = "tokio"))]
        let may_fail = policy.catches();
        let before = may_fail.then(|| Before::<E>::of(&mut event));

        let lent = E::lend(&mut event);
        // A handler written by hand may panic before it gives a future.
        let asked = async {
            let asked = E::ask(&placed.handler, cx, lent);
            crate::trace::traced(&placed.shown, E::NAME, asked).await
        };
        #[cfg(feature = "tokio")]
        let asked = async {
            match limit {
                Some(limit) => crate::hook::deadline(limit, asked).await,
                None => Ok(asked.await),
            }
        };
        #[cfg(not(feature = "tokio"))]
        let asked = async { Ok::<_, core::convert::Infallible>(asked.await) };

        let asked = if policy.catches() {
            catch_async(asked).await
        } else {
            Ok(asked.await)
        };
        let fail = |event, blocks, failure: &dyn Display| {
            let name = || Cow::Owned((*placed.shown).into());
            match before {
                Some(before) => before.restore(event, blocks, name, failure),
                None => E::Kind::failed::<E>(blocks, name, failure),
            }
        };
        match asked {
            Ok(Ok(said)) => E::Kind::settle_named::<E>(event, said, &placed.shown),
            Ok(Err(late)) => fail(event, true, &late),
            Err(panicked) => fail(event, policy.on_panic == OnPanic::Block, &panicked),
        }
    }
}

/// One observer of several that run concurrently.
struct Observer<'a> {
    name: &'a str,
    event: &'static str,
    catches: bool,
    future: BoxFuture<'a, ()>,
}

impl<'a> Observer<'a> {
    /// A handler that is told of an event.
    fn of<E: Handled<Kind = Observe>>(
        placed: &'a Placed<Handler<E>>,
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a E,
    ) -> Option<Self> {
        let name = &*placed.shown;
        #[cfg(feature = "tokio")]
        if policy.limit::<E>().is_some() {
            return Some(Observer {
                name,
                event: E::NAME,
                catches: false,
                future: Box::pin(ask::<E>(placed, policy, cx, event)),
            });
        }
        let asked =
            || crate::trace::traced_boxed(name, E::NAME, E::ask(&placed.handler, cx, event));
        let future = if policy.catches() {
            match catch(asked) {
                Ok(future) => future,
                Err(panicked) => {
                    crate::trace::skipped(name, E::NAME, panicked);
                    return None;
                }
            }
        } else {
            asked()
        };
        Some(Observer {
            name,
            event: E::NAME,
            catches: policy.catches(),
            future,
        })
    }

    fn is_pending(&mut self, task: &mut Task<'_>) -> bool {
        let mut poll = || self.future.as_mut().poll(task).is_pending();
        if !self.catches {
            return poll();
        }
        catch(poll).unwrap_or_else(|panicked| {
            crate::trace::skipped(self.name, self.event, panicked);
            false
        })
    }
}

/// Runs all observers, concurrently.
async fn join_all<'a>(observers: impl Iterator<Item = Observer<'a>>) {
    let mut new = Some(observers);
    let mut running = Vec::new();
    poll_fn(|task| {
        match new.take() {
            // Only what has to wait is kept: a handler that is done at once costs no allocation.
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

    async fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a [Placed<Handler<E>>],
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a E,
    ) {
        let wanting = wanting::<E>(handlers);
        join_all(wanting.filter_map(|(_, placed)| Observer::of::<E>(placed, policy, cx, event)))
            .await;
    }

    async fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a E,
    ) where
        E: Handled<Kind = Self> + 'a,
        E::Vocabulary: RunTime<Handler = V::Handler>,
        G: Part<E, Self>,
        V: RunTime,
    {
        // The static hooks' own panics are decided where they are written.
        let piece = |below, from| Observer {
            name: "hooks",
            event: E::NAME,
            catches: false,
            future: Box::pin(hooks.run(Between { below, from }, cx, event)),
        };
        let mut observers = Vec::new();
        let mut below = None;
        for (_, placed) in wanting::<E>(&registry.handlers) {
            if below != Some(placed.priority) {
                observers.push(piece(below, Some(placed.priority)));
                below = Some(placed.priority);
            }
            observers.extend(Observer::of::<E>(placed, registry.policy, cx, event));
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

    async fn ask_all<'a, E: Handled<Kind = Self> + 'a>(
        handlers: &'a [Placed<Handler<E>>],
        policy: Policy,
        cx: &'a Context<E>,
        event: &'a mut E,
    ) -> HookResult<E> {
        for (nth, placed) in wanting::<E>(handlers) {
            let result = ask::<E>(placed, policy, cx, &mut *event).await;
            if !result.is_continue() {
                let rest = &handlers[nth + 1..];
                tell::<E>(rest, policy, cx, event, Decision::from(&result));
                return result;
            }
        }
        HookResult::Continue
    }

    async fn merge<'a, E, G, V>(
        hooks: &'a G,
        registry: &'a HookRegistry<V>,
        cx: &'a Context<E>,
        event: &'a mut E,
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
        let mut below = None;
        for (nth, placed) in wanting::<E>(handlers) {
            let from = Some(placed.priority);
            if below != from {
                let piece = Between { below, from };
                let result = hooks.run(piece, cx, &mut *event).await;
                if !result.is_continue() {
                    let decision = Decision::from(&result);
                    tell::<E>(&handlers[nth..], *policy, cx, event, decision);
                    return result;
                }
                below = from;
            }
            let result = ask::<E>(placed, *policy, cx, &mut *event).await;
            if !result.is_continue() {
                let decision = Decision::from(&result);
                tell::<E>(&handlers[nth + 1..], *policy, cx, event, decision);
                let rest = Between { below, from: None };
                hooks.tell::<0>(rest, cx, event, decision);
                return result;
            }
        }
        hooks.run(Between { below, from: None }, cx, event).await
    }
}
