//! A dispatch to the hooks of a set, and to static hooks beside them. A set alone has no static hooks.
//!
//! # Why it is so
//!
//! The static hooks are one type, in an order that the compiler has fixed; the hooks of the set are found at run time, and
//! each has its place *between* static ones. So the static hooks run as ever, and each of them first calls
//! [`Watch::ahead`], which runs the hooks of the set that come before it. Where the set has come is in a [`Cursor`], which
//! the dispatch carries as its watch, [`Tail`]. A second round of guards is the same walk with the cursor at its
//! beginning, because guards of both sides have to judge what either has changed.
//!
//! From here on, everything is behind a box anyway, so the watch is given on as [`Through`], a reference to any watch:
//! the code is made once for each list and event, and not again for each probe.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Display;
use core::future::{Future, poll_fn};
use core::ops::Deref;
use core::pin::pin;
use core::task::Poll;
use core::time::Duration;

use super::Set;
use super::set::{Concerned, RegistryEntry};
use super::spent::spending;
use crate::decision::{AnyAction, Decides, HookResult, Name, ResultOf};
use crate::event::{Context, Event, EventInfo, Intercept, Many, Mode, Observe, Vocabulary};
use crate::hook::{
    AnyDispatch, AnyEvent, AnyProbe, AnyWatch, Ask, BoxFuture, Carries, Did, Dispatch, ExactOf,
    Face, Facts, FactsOf, GuardWatch, Round, SharedFace, Shows, Since, Steps, StepsOf, Through,
    Watch,
};

/// How a dispatch of this kind of event runs static hooks and those of a set.
pub trait Merges: Carries {
    fn merged<'a, G, E>(
        hooks: &'a G,
        set: &'a Arc<Set<E::Vocabulary>>,
        ask: Ask<'a, E, Through>,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        G: Dispatch<E>,
        E: AnyEvent + Event<Kind = Self>;
}

/// Runs static hooks and those of a set.
pub(super) async fn merge<'a, G, E, W>(
    hooks: &'a G,
    set: Arc<Set<E::Vocabulary>>,
    mut ask: Ask<'a, E, W>,
) -> ResultOf<E>
where
    G: Dispatch<E>,
    E: AnyEvent<Kind: Merges>,
    W: Watch<E::Vocabulary>,
{
    let mut face = E::Kind::face::<E::Vocabulary, W>(ask.held);
    let ask = Ask {
        cx: ask.cx,
        event: E::lend(&mut ask.event),
        held: E::Kind::through::<E::Vocabulary>(&mut face),
    };
    E::Kind::merged::<G, E>(hooks, &set, ask).await
}

macro_rules! merges {
    ($($Kind:ident, $merged:ident;)*) => { $(
        impl Merges for $Kind {
            fn merged<'a, G, E>(
                hooks: &'a G,
                set: &'a Arc<Set<E::Vocabulary>>,
                ask: Ask<'a, E, Through>,
            ) -> impl Future<Output = ResultOf<E>> + Send
            where
                G: Dispatch<E>,
                E: AnyEvent + Event<Kind = $Kind>,
            {
                $merged(hooks, set, ask.cx, ask.event, ask.held)
            }
        }
    )* };
}
merges! {
    Intercept, intercept;
    Observe, observe;
}

/// Each hook of the set runs in the place of its priority, between the static hooks.
async fn intercept<G, E>(
    hooks: &G,
    set: &Arc<Set<E::Vocabulary>>,
    cx: &Context<E>,
    event: &mut E,
    outer: &mut (dyn AnyWatch<E::Vocabulary> + '_),
) -> HookResult<E>
where
    G: Dispatch<E>,
    E: AnyEvent + Event<Kind = Intercept>,
{
    let judges = FactsOf::<G, E>::GUARDS || set.guards.contains::<E>();
    let mut looking = Looking::begin(&set.probes, cx, event, E::INFO);
    let mut cursor = Cursor {
        set: Arc::clone(set),
        next: 0,
        round: Round::default(),
        concerned: None,
        spent: Duration::ZERO,
    };
    let result = loop {
        cursor.next = 0;
        let probes: &mut dyn AnyWatch<_> = &mut looking.probes;
        let mut watch = Face::<E::Vocabulary, (Through, Through)>((probes, &mut *outer));
        let result = round(hooks, cx, looking.event, (&mut cursor, &mut watch)).await;
        if !result.is_continue() || !judges || cursor.round.is_last() {
            break result;
        }
    };
    looking.end(Some(Intercept::any::<E>(&result)));
    result
}

/// One round of static hooks, with those of a set between and after them.
async fn round<G, E>(
    hooks: &G,
    cx: &Context<E>,
    event: &mut E,
    mut held: <Tail as Watch<E::Vocabulary>>::Held<'_>,
) -> HookResult<E>
where
    G: Dispatch<E>,
    E: AnyEvent + Event<Kind = Intercept>,
{
    let ask = Ask::<E, Tail> {
        cx,
        event: &mut *event,
        held: Tail::lend(&mut held),
    };
    let result = <StepsOf<G, E> as Steps<G, E>>::whole(hooks, ask).await;
    if result.is_continue()
        && let Some(rest) = Tail::ahead(Tail::lend(&mut held), cx, event, None)
    {
        return rest.await;
    }
    result
}

/// All hooks run at once.
async fn observe<G, E>(
    hooks: &G,
    set: &Set<E::Vocabulary>,
    cx: &Context<E>,
    event: &E,
    held: &(dyn AnyWatch<E::Vocabulary> + '_),
) where
    G: Dispatch<E>,
    E: AnyEvent + Event<Kind = Observe>,
{
    let mut looking = Looking::begin(&set.probes, cx, event, E::INFO);
    let watch = SharedFace::<E::Vocabulary, (Through, Through)>((&looking.probes, held));
    let held: &dyn AnyWatch<_> = &watch;
    let mut running: Vec<BoxFuture<'_, ()>> = Vec::new();
    if ExactOf::<G, E>::HANDLES {
        let ask = Ask::<E, Through> { cx, event, held };
        running.push(Box::pin(<StepsOf<G, E> as Steps<G, E>>::whole(hooks, ask)));
    }
    let concerned = event.subject_of().map(|subject| set.concerned(subject));
    for (nth, entry) in set.entries.iter().enumerate() {
        let concerned = concerned.as_ref().map(|known| known.hooks[nth]);
        if concerned.unwrap_or(entry.boxed.wanted).contains::<E>() && entry.boxed.wants(cx, event) {
            running.push(Box::pin(async move {
                let ask = Ask::<E, Through> { cx, event, held };
                <Many as Steps<_, E>>::whole(&entry.isolated(), ask).await;
            }));
        }
    }
    poll_fn(|task| {
        running.retain_mut(|hook| hook.as_mut().poll(task).is_pending());
        if running.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    drop(running);
    looking.end(Some(AnyAction::Continue));
}

/// A dispatch that the probes of a set look at. It ends when it is dropped, if not before.
struct Looking<'a, V: Vocabulary + 'static, Held: Deref<Target: Shows<V> + Sized>> {
    probes: Vec<Box<dyn AnyDispatch<V> + 'a>>,
    event: Held,
}

impl<'a, V: Vocabulary + 'static, Held: Deref<Target: Shows<V> + Sized>> Looking<'a, V, Held> {
    fn begin(
        probes: &'a [Arc<dyn AnyProbe<V>>],
        cx: &'a V::Context,
        event: Held,
        info: &EventInfo,
    ) -> Self {
        let wants = |probe: &&Arc<dyn AnyProbe<V>>| probe.wants(info);
        let begin = |probe: &'a Arc<dyn AnyProbe<V>>| probe.begin(cx, &*event);
        let probes = probes.iter().filter(wants).map(begin).collect();
        Looking { probes, event }
    }

    fn end(&mut self, result: Option<AnyAction<'_>>) {
        for probe in self.probes.drain(..) {
            probe.end(&*self.event, result);
        }
    }
}

impl<V: Vocabulary + 'static, Held: Deref<Target: Shows<V> + Sized>> Drop for Looking<'_, V, Held> {
    fn drop(&mut self) {
        self.end(None);
    }
}

/// How far a dispatch has come in a set.
pub(super) struct Cursor<V: Vocabulary> {
    set: Arc<Set<V>>,
    /// The next hook of the set.
    next: usize,
    round: Round,
    /// The hooks that the event's subject concerns.
    concerned: Option<Arc<Concerned>>,
    /// The time that the hooks of the set have spent.
    spent: Duration,
}

impl<V: Vocabulary> Cursor<V> {
    /// Whether a hook of the set wants the event and runs before a static hook of this priority. If so, it is the next.
    fn seek<E: Event<Vocabulary = V>>(
        &mut self,
        cx: &V::Context,
        event: &E,
        below: Option<i32>,
    ) -> bool {
        let is_ahead =
            |entry: &RegistryEntry<V>| below.is_none_or(|priority| entry.priority > priority);
        if !self.set.entries.get(self.next).is_some_and(is_ahead) {
            return false;
        }
        // A hook may have changed the subject.
        let subject = event.subject_of();
        if self.concerned.as_ref().map(|known| &*known.subject) != subject {
            self.concerned = subject.map(|subject| self.set.concerned(subject));
        }
        while let Some(entry) = self.set.entries.get(self.next)
            && is_ahead(entry)
        {
            let concerned = self.concerned.as_ref().map(|known| known.hooks[self.next]);
            let is_wanted = concerned.unwrap_or(entry.boxed.wanted).contains::<E>()
                && (!self.round.judges() || entry.boxed.known.guards.contains::<E>())
                && entry.boxed.wants(cx, event);
            if is_wanted {
                return true;
            }
            self.next += 1;
        }
        false
    }
}

/// The watch of static hooks with those of a set between them.
pub(super) enum Tail {}

impl<V: Vocabulary + 'static> Watch<V> for Tail {
    type Held<'a> = (&'a mut Cursor<V>, &'a mut (dyn AnyWatch<V> + 'a));
    // Whether the watch asks how long hooks run.
    type Shared<'a> = bool;
    type Token = Since;

    fn lend<'l>(held: &'l mut Self::Held<'_>) -> Self::Held<'l> {
        (&mut *held.0, &mut *held.1)
    }

    fn share(held: &Self::Held<'_>) -> bool {
        held.1.is_timed()
    }

    fn reshare(is_timed: &bool) -> bool {
        *is_timed
    }

    fn admits(held: &Self::Held<'_>, is_guard: bool) -> bool {
        (is_guard || !held.0.round.judges()) && held.1.admits(is_guard)
    }

    fn is_timed(is_timed: bool) -> bool {
        is_timed
    }

    fn before(held: &mut Self::Held<'_>, hook: Name<'_>) {
        held.1.before(hook);
    }

    fn changing(held: &mut Self::Held<'_>, event: &dyn Shows<V>) {
        held.1.changing(event);
    }

    fn after(held: &mut Self::Held<'_>, did: Did<'_>, event: &dyn Shows<V>) {
        held.0.round.did(did);
        held.1.after(did, event);
    }

    fn failed(held: &mut Self::Held<'_>, hook: &str, failure: &dyn Display, event: &dyn Shows<V>) {
        held.1.failed(hook, failure, event);
    }

    fn after_shared(_: bool, _: Did<'_>, _: &dyn Shows<V>) {}

    fn ahead<'l, E: AnyEvent<Vocabulary = V, Kind = Intercept>>(
        (cursor, outer): Self::Held<'l>,
        cx: &'l V::Context,
        event: &'l mut E,
        next: Option<i32>,
    ) -> Option<BoxFuture<'l, HookResult<E>>> {
        if !cursor.seek(cx, &*event, next) {
            return None;
        }
        Some(Box::pin(async move {
            loop {
                let entry = &cursor.set.entries[cursor.next];
                cursor.next += 1;
                let mut watch = Face::<V, (GuardWatch, Through)>((&mut cursor.round, &mut *outer));
                let spent = &mut cursor.spent;
                let hook = entry.isolated();
                let ask = Ask::<E, Through> {
                    cx,
                    event: &mut *event,
                    held: &mut watch,
                };
                let result = {
                    let mut run = pin!(<Many as Steps<_, E>>::whole(&hook, ask));
                    poll_fn(|task| spending(spent, || run.as_mut().poll(task))).await
                };
                if !result.is_continue() || !cursor.seek(cx, &*event, next) {
                    return result;
                }
            }
        }))
    }
}
