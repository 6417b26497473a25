//! The boxed form of any hooks: one method.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::sync::Arc;
use core::fmt;
use core::future::Future;
use core::pin::pin;
use core::task::{Context as Task, Poll, Waker};

use crate::decision::{Decides, HookResult, Name, ResultOf, go_on};
use crate::event::{
    Access, Context, Event, EventInfo, EventSet, Every, Kind, Many, Mode, Vocabulary,
};
use crate::hook::{
    AnyEvent, AnyWatch, Ask, Asynchronous, BoxFuture, Carries, Dispatch, ExactOf, Facts, FactsOf,
    Hook, Planner, Run, Shows, Steps, StepsOf, Through, Timing, TimingOf, Watch, as_held, catch,
};

/// What boxed hooks answer.
#[doc(hidden)]
#[expect(missing_debug_implementations, reason = "only a dispatch has it")]
pub enum Called<'a, T> {
    /// They have run.
    Done(T),
    /// They wait.
    Waits(BoxFuture<'a, T>),
}

/// A vocabulary that can put the hooks `H` into a box: every vocabulary, and all its hooks.
#[diagnostic::on_unimplemented(
    message = "`{H}` is not a hook of the vocabulary `{Self}`",
    label = "not a hook of this registry's vocabulary",
    note = "a registry takes hooks and pipelines as they are, and a `Box<dyn AgentHandler>`; all of them own what they \
            hold (`'static`)"
)]
#[doc(hidden)]
pub trait Boxes<H>: Vocabulary {
    /// What holds of the hooks on which events.
    const KNOWN: BoxFacts;

    /// Whether any of the hooks may want this event.
    fn wants(hooks: &H, cx: &Self::Context, event: Self::View<'_>) -> bool;

    /// Asks the hooks about any event.
    fn call<'w, 'a: 'w>(
        hooks: &'w H,
        cx: &'w Self::Context,
        event: Self::Mut<'a>,
        watch: &'w mut (dyn AnyWatch<Self> + 'w),
    ) -> Called<'w, Self::Said>;
}

impl<T: Default> Default for Called<'_, T> {
    fn default() -> Self {
        Called::Done(T::default())
    }
}

/// Whether any of the hooks may want the event `E`, for [`Boxes::wants`].
#[doc(hidden)]
#[must_use]
pub fn wants_boxed<H: Dispatch<E>, E: AnyEvent>(hooks: &H, cx: &Context<E>, event: &E) -> bool {
    // A hook that panics here panics again when it is asked, where its policy catches that.
    catch(|| <StepsOf<H, E> as Steps<H, E>>::wants(hooks, cx, event)).unwrap_or(true)
}

/// What holds of hooks in a box, as sets of events.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct BoxFacts {
    /// There is a guard among them.
    pub(super) guards: EventSet,
    /// They can change the event.
    changes: EventSet,
    /// They are plain `fn`s.
    plain: EventSet,
}

impl BoxFacts {
    /// On no event.
    pub const NONE: Self = BoxFacts {
        guards: EventSet::NONE,
        changes: EventSet::NONE,
        plain: EventSet::NONE,
    };

    /// These, and what holds of `H` on the event `E`, if `H` handles it: for [`Boxes::KNOWN`].
    #[must_use]
    pub const fn on<H: Dispatch<E>, E: AnyEvent>(self) -> Self {
        if !ExactOf::<H, E>::HANDLES {
            return self;
        }
        BoxFacts {
            guards: with::<E>(self.guards, FactsOf::<H, E>::GUARDS),
            changes: with::<E>(self.changes, FactsOf::<H, E>::CHANGES),
            plain: with::<E>(self.plain, <TimingOf<H, E> as Timing>::IS_NOW),
        }
    }
}

const fn with<E: Event>(set: EventSet, holds: bool) -> EventSet {
    if holds {
        set.union(EventSet::of::<E>())
    } else {
        set
    }
}

/// Asks hooks about the event `E`, for [`Boxes::call`].
#[doc(hidden)]
#[must_use]
pub fn ask_boxed<'a, H: Dispatch<E>, E: AnyEvent>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: Access<'a, E>,
    watch: &'a mut (dyn AnyWatch<E::Vocabulary> + 'a),
) -> Called<'a, <E::Vocabulary as Vocabulary>::Said> {
    called::<H, E>(async move { E::say(through::<H, E>(hooks, cx, event, watch).await) })
}

/// Like [`ask_boxed`], for an event that borrows its fields, so that it cannot be lent for changes: the hooks get a
/// copy.
#[doc(hidden)]
#[must_use]
pub fn ask_boxed_copy<'a, H: Dispatch<E>, E: AnyEvent>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: &'a E,
    watch: &'a mut (dyn AnyWatch<E::Vocabulary> + 'a),
) -> Called<'a, <E::Vocabulary as Vocabulary>::Said> {
    called::<H, E>(async move {
        let result = match event.saved() {
            Some(mut copy) => {
                through::<H, E>(hooks, cx, E::Kind::access::<E>(&mut copy), watch).await
            }
            None => E::Kind::returned::<E>(HookResult::failed(
                true,
                hooks.name().owned(),
                "the event is not `Clone`, so hooks behind a box cannot be asked about it",
            )),
        };
        E::say(result)
    })
}

async fn through<'a, H: Dispatch<E>, E: AnyEvent>(
    hooks: &'a H,
    cx: &'a Context<E>,
    event: Access<'a, E>,
    watch: &'a mut (dyn AnyWatch<E::Vocabulary> + 'a),
) -> ResultOf<E> {
    let held = E::Kind::through::<E::Vocabulary>(watch);
    FactsOf::<H, E>::rounds::<H, E, Through>(hooks, Ask { cx, event, held }).await
}

/// Runs synchronous hooks at once, so that nothing is boxed.
fn called<'a, H: Dispatch<E>, E: AnyEvent>(
    asked: impl Future<Output = <E::Vocabulary as Vocabulary>::Said> + Send + 'a,
) -> Called<'a, <E::Vocabulary as Vocabulary>::Said> {
    if <TimingOf<H, E> as Timing>::IS_NOW {
        return match pin!(asked).poll(&mut Task::from_waker(Waker::noop())) {
            Poll::Ready(said) => Called::Done(said),
            Poll::Pending => unreachable!("a synchronous hook waits for nothing"),
        };
    }
    Called::Waits(Box::pin(asked))
}

/// Hooks of any type.
trait Erased<V: Vocabulary>: Send + Sync {
    fn concerns(&self, event: &EventInfo, subject: &str) -> bool;
    fn describe(&self, plan: &mut Planner);
    fn wants(&self, cx: &V::Context, event: &dyn Shows<V>) -> bool;
    fn call<'w, 'a: 'w>(
        &'w self,
        cx: &'w V::Context,
        event: V::Mut<'a>,
        watch: &'w mut (dyn AnyWatch<V> + 'w),
    ) -> Called<'w, V::Said>;
}

impl<V: Boxes<H>, H: Hook> Erased<V> for H {
    fn concerns(&self, event: &EventInfo, subject: &str) -> bool {
        Hook::concerns(self, event, subject)
    }

    fn describe(&self, plan: &mut Planner) {
        Hook::describe(self, plan);
    }

    fn wants(&self, cx: &V::Context, event: &dyn Shows<V>) -> bool {
        V::wants(self, cx, event.show())
    }

    fn call<'w, 'a: 'w>(
        &'w self,
        cx: &'w V::Context,
        event: V::Mut<'a>,
        watch: &'w mut (dyn AnyWatch<V> + 'w),
    ) -> Called<'w, V::Said> {
        V::call(self, cx, event, watch)
    }
}

/// Hooks of any type behind a pointer, with all that does not depend on the event.
///
/// A dispatch runs it only for an event that it [wants](Self::wants), so that nothing is boxed for others.
pub(super) struct Boxed<V: Vocabulary> {
    pub(super) name: Cow<'static, str>,
    /// All events, if hooks come and go in it: [`wants`](Self::wants) asks them.
    pub(super) wanted: EventSet,
    pub(super) known: BoxFacts,
    is_live: bool,
    hook: Arc<dyn Erased<V>>,
}

impl<V: Vocabulary> Boxed<V> {
    pub(super) fn new<H: Hook + 'static>(name: Cow<'static, str>, hook: H) -> Self
    where
        V: Boxes<H>,
    {
        let is_live = hook.is_live();
        Boxed {
            name,
            wanted: if is_live {
                EventSet::ALL
            } else {
                hook.wanted()
            },
            is_live,
            known: V::KNOWN,
            hook: Arc::new(hook),
        }
    }

    /// Whether the hooks may want an event, which is in the set `wanted`.
    pub(super) fn wants(&self, cx: &V::Context, event: &dyn Shows<V>) -> bool {
        self.hook.wants(cx, event)
    }
}

impl<V: Vocabulary> Clone for Boxed<V> {
    fn clone(&self) -> Self {
        Boxed {
            name: self.name.clone(),
            hook: Arc::clone(&self.hook),
            ..*self
        }
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Hook for Boxed<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Many>;
    type Exact = Every<Many>;
    type Wraps = ();

    fn name(&self) -> Name<'_> {
        Name::of(&self.name)
    }

    fn wanted(&self) -> EventSet {
        self.wanted
    }

    fn is_live(&self) -> bool {
        self.is_live
    }

    fn may_change(&self, event: &EventInfo) -> bool {
        self.known.changes.has(event)
    }

    fn is_plain(&self, event: &EventInfo) -> bool {
        self.known.plain.has(event)
    }

    fn concerns(&self, event: &EventInfo, subject: &str) -> bool {
        // The answer is kept.
        self.is_live || self.hook.concerns(event, subject)
    }

    fn describe(&self, plan: &mut Planner) {
        self.hook.describe(plan);
    }
}

#[diagnostic::do_not_recommend]
impl<V, E, K> Run<E, K> for Boxed<V>
where
    V: Vocabulary + 'static,
    E: AnyEvent<Vocabulary = V> + Event<Kind = K>,
    K: Carries,
{
    type Timing = Asynchronous;
    type Facts = K::Boxed;

    async fn run<'a, W: Watch<V>>(&'a self, mut ask: Ask<'a, E, W>) -> ResultOf<E> {
        let mut face = K::face::<V, W>(ask.held);
        let event = E::view_mut(E::lend(&mut ask.event));
        let said = match self.hook.call(ask.cx, event, &mut face) {
            Called::Done(said) => said,
            Called::Waits(waits) => waits.await,
        };
        K::settle::<E>(ask.event, E::fit(said), Name::of(&self.name))
    }
}

/// Hooks of any type, in a box: a `Box<dyn AgentHooks>`, if there were one.
///
/// It is a hook where a type cannot be named: in a field, in a `Vec`, as what a function returns on several paths.
///
/// ```
/// use hooks_core::agent::{AgentEvent, BeforeToolCall};
/// use hooks_core::{BoxHook, HookRegistry, hook};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn upper(call: &mut BeforeToolCall) { call.name.make_ascii_uppercase(); }
///
/// fn by_name(name: &str) -> Option<BoxHook<AgentEvent<'static>>> {
///     match name {
///         "lower" => Some(BoxHook::new(lower)),
///         "upper" => Some(BoxHook::new(upper)),
///         _ => None,
///     }
/// }
///
/// let registry = HookRegistry::<AgentEvent>::new();
/// registry.register(by_name("upper").unwrap()).unwrap();
/// assert_eq!(registry.names(), ["upper"]);
/// ```
pub struct BoxHook<V: Vocabulary> {
    boxed: Boxed<V::Static>,
}

impl<V: Vocabulary> BoxHook<V> {
    /// Puts hooks into a box.
    ///
    /// # Panics
    ///
    /// If the hooks contain one with `#[hook(around)]`, which cannot run behind a box.
    pub fn new<H: Hook + 'static>(hook: H) -> Self
    where
        V::Static: Boxes<H>,
    {
        let name = hook.name().owned();
        assert!(
            hook.wrapped().is_empty(),
            "`{name}` has a hook with `#[hook(around)]`, which cannot run behind a box",
        );
        BoxHook {
            boxed: Boxed::new(name, hook),
        }
    }
}

/// The name of the hooks.
impl<V: Vocabulary> fmt::Debug for BoxHook<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.boxed.name)
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Hook for BoxHook<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Many>;
    type Exact = Every<Many>;
    type Wraps = ();

    as_held!(this => this.boxed);

    fn describe(&self, plan: &mut Planner) {
        Hook::describe(&self.boxed, plan);
    }
}

#[diagnostic::do_not_recommend]
impl<V, E, K> Run<E, K> for BoxHook<V>
where
    V: Vocabulary<Static = E::Vocabulary>,
    E: AnyEvent + Event<Kind = K>,
    K: Carries,
{
    type Timing = Asynchronous;
    type Facts = K::Boxed;

    fn wants(&self, cx: &Context<E>, event: &E) -> bool {
        self.boxed.wanted.contains::<E>() && self.boxed.wants(cx, event)
    }

    async fn run<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        if !Run::<E, K>::wants(self, ask.cx, ask.event()) {
            return go_on::<E>();
        }
        Run::<E, K>::run(&self.boxed, ask).await
    }
}
