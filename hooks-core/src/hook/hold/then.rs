//! Two hooks of any types, one after the other.
//!
//! [`hooks![…]`](crate::hooks) sorts hooks whose types it knows. Hooks behind a type parameter or an
//! `impl AgentHooks` hide their priorities, so they cannot be sorted. Here you choose the order.

use core::fmt;
use core::future::Future;

use super::{Group, sets_held};
use crate::decision::ResultOf;
use crate::event::{AnyVocabulary, Context, Event, Every, Many, One};
use crate::hook::{
    AnyEvent, Around, Ask, Carries, HasWork, Hook, Next, Planner, Run, Watch, Wraps,
};

type Both<A, B> = Group<AnyVocabulary, (A, B)>;

/// Two hooks, pipelines or registries, where the first runs before the second: see [`Hook::then`].
///
/// If the first one decides, the second does not see the event. Observers of both run concurrently. Around hooks of
/// the first wrap those of the second.
///
/// ```
/// use hooks_core::agent::BeforeToolCall;
/// use hooks_core::{Then, hook, hooks};
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// let both = Then::new(hooks![trim], lower);
/// assert_eq!(format!("{both:?}"), "[trim, lower]");
/// let (first, _second) = both.into_inner();
/// assert_eq!(format!("{first:?}"), "[trim]");
/// ```
#[derive(Clone, Copy)]
pub struct Then<A, B> {
    both: Both<A, B>,
}

impl<A, B> Then<A, B> {
    /// Runs `first`, and then `second`.
    pub const fn new(first: A, second: B) -> Self {
        Then {
            both: Group::of((first, second)),
        }
    }

    /// The two hooks.
    pub fn into_inner(self) -> (A, B) {
        self.both.into_members()
    }
}

impl<A: Hook, B: Hook> fmt::Debug for Then<A, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan().names().fmt(f)
    }
}

/// The vocabulary is that of the first. It is checked per event: an agent must be able to raise the event on both hooks.
#[diagnostic::do_not_recommend]
impl<A: Hook, B: Hook> Hook for Then<A, B> {
    type Vocabulary = A::Vocabulary;
    type Rank = crate::hook::Places;
    // Those of the two are unknown for an `impl AgentHooks`.
    type Answers = Every<Many>;
    type Wraps = Every<One>;
    type Exact = crate::event::Both<A::Exact, B::Exact>;

    sets_held!(this => this.both);

    fn describe(&self, plan: &mut Planner) {
        plan.both(|plan| self.both.describe(plan));
    }
}

#[diagnostic::do_not_recommend]
impl<E: AnyEvent + Event<Kind = K>, K: Carries, A: Hook, B: Hook> Run<E, K> for Then<A, B>
where
    Both<A, B>: Run<E, K>,
{
    type Timing = <Both<A, B> as Run<E, K>>::Timing;
    type Facts = <Both<A, B> as Run<E, K>>::Facts;

    #[inline]
    fn run<'a, W: Watch<E::Vocabulary>>(
        &'a self,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send {
        Run::<E, K>::run::<W>(&self.both, ask)
    }

    #[inline]
    fn run_now<'a, W: Watch<E::Vocabulary>>(&'a self, ask: Ask<'a, E, W>) -> ResultOf<E> {
        Run::<E, K>::run_now::<W>(&self.both, ask)
    }
}

#[diagnostic::do_not_recommend]
impl<E: HasWork, A: Wraps<E>, B: Wraps<E>> Around<E> for Then<A, B> {
    const WRAPS: bool = <Both<A, B> as Around<E>>::WRAPS;

    fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        next: Next<'a, E>,
    ) -> impl Future<Output = E::Work> + Send {
        self.both.around(cx, event, next)
    }
}
