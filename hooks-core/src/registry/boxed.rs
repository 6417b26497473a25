//! The boxed form of any hooks: one method.

use alloc::boxed::Box;
use core::fmt;
use core::future::Future;
use core::pin::pin;
use core::task::{Context as Task, Poll, Waker};

use crate::decision::{Decides, ResultOf, go_on};
use crate::event::{
    Access, Context, Event, EventInfo, EventSet, Every, Kind, Many, Mode, Vocabulary,
};
use crate::hook::{
    AnyEvent, AnyWatch, Ask, Asynchronous, BoxFuture, Carries, Dispatch, ExactOf, Flag, Hook, Name,
    No, Planner, Run, Shows, Steps, StepsOf, Through, Timing, TimingOf, Watch, catch, rounds,
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
    /// The events on which there is a guard among the hooks.
    const GUARDS: EventSet;

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

/// The events on which there is a guard among the hooks, for [`Boxes::GUARDS`].
#[doc(hidden)]
#[must_use]
pub const fn guards_boxed<H: Dispatch<E>, E: AnyEvent>() -> EventSet {
    if ExactOf::<H, E>::HANDLES && <StepsOf<H, E> as Steps<H, E>>::Guards::IS {
        EventSet::of::<E>()
    } else {
        EventSet::NONE
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

/// Like [`ask_boxed`], for an event that borrows its fields, so that nobody can lend it for changes: the hooks get a
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
            None => <E::Kind as Decides>::failed::<E>(
                true,
                hooks.name().owned(),
                "the event is not `Clone`, so hooks behind a box cannot be asked about it",
            ),
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
    rounds::<H, E, Through>(hooks, Ask { cx, event, held }).await
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
pub(super) trait Erased<V: Vocabulary>: Send + Sync {
    fn name(&self) -> Name<'_>;
    fn wanted(&self) -> EventSet;
    fn guards(&self) -> EventSet;
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
    fn name(&self) -> Name<'_> {
        Hook::name(self)
    }

    fn wanted(&self) -> EventSet {
        Hook::wanted(self)
    }

    fn guards(&self) -> EventSet {
        V::GUARDS
    }

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

/// The result of boxed hooks on the event `E`.
pub(super) async fn done<E: AnyEvent>(
    called: Called<'_, <E::Vocabulary as Vocabulary>::Said>,
) -> crate::decision::ActionOn<E> {
    E::fit(match called {
        Called::Done(said) => said,
        Called::Waits(waits) => waits.await,
    })
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
    hook: Box<dyn Erased<V>>,
}

impl<V: Vocabulary> BoxHook<V> {
    /// Puts hooks into a box.
    ///
    /// # Panics
    ///
    /// If the hooks contain one with `#[hook(around)]`, which cannot run behind a box.
    pub fn new<H: Hook + 'static>(hook: H) -> Self
    where
        V: Boxes<H>,
    {
        assert!(
            Hook::wrapped(&hook).is_empty(),
            "`{}` has a hook with `#[hook(around)]`, which cannot run behind a box",
            Hook::name(&hook).text(),
        );
        BoxHook {
            hook: Box::new(hook),
        }
    }
}

/// The name of the hooks.
impl<V: Vocabulary> fmt::Debug for BoxHook<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.hook.name().text())
    }
}

#[diagnostic::do_not_recommend]
impl<V: Vocabulary> Hook for BoxHook<V> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = Every<Many>;
    type Exact = Every<Many>;
    type Wraps = ();

    fn name(&self) -> Name<'_> {
        self.hook.name()
    }

    fn wanted(&self) -> EventSet {
        self.hook.wanted()
    }

    fn concerns(&self, event: &EventInfo, subject: &str) -> bool {
        self.hook.concerns(event, subject)
    }

    fn describe(&self, plan: &mut Planner) {
        self.hook.describe(plan);
    }
}

#[diagnostic::do_not_recommend]
impl<V, E, K> Run<E, K> for BoxHook<V>
where
    V: Vocabulary + 'static,
    E: AnyEvent<Vocabulary = V> + Event<Kind = K>,
    K: Carries,
{
    type Timing = Asynchronous;
    type Changes = K::Changes;
    type Guards = K::Changes;
    type Needs = No;

    fn wants(&self, cx: &Context<E>, event: &E) -> bool {
        self.hook.wanted().contains::<E>() && self.hook.wants(cx, event)
    }

    async fn run<'a, W: Watch<V>>(&'a self, mut ask: Ask<'a, E, W>) -> ResultOf<E> {
        if !Run::<E, K>::wants(self, ask.cx, ask.event()) {
            return go_on::<E>();
        }
        let mut face = K::face::<V, W>(ask.held);
        let event = E::view_mut(E::lend(&mut ask.event));
        let action = done::<E>(self.hook.call(ask.cx, event, &mut face)).await;
        K::settle::<E>(ask.event, action, || self.hook.name().owned())
    }
}
