//! The members of a pipeline, up to eight side by side.
//!
//! [`hooks![…]`](crate::hooks) passes its sorted hooks as nested groups. Flat groups matter at run time: eight hooks that
//! each await share one `async` block, where a binary tree would nest seven. Nesting matters to rustc: a type that is one
//! level deeper per hook soon overflows its recursion limit, while 128 hooks in groups of eight are three levels deep.
//!
//! From here to the hook's own function, everything is always inlined. If a list remained a function of its own, it
//! would return its result through memory, and the agent would take the result apart again. For eight hooks, that is
//! a quarter more instructions than the same checks by hand.

use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::mem::forget;
use core::pin::pin;
use core::task::Poll;

use crate::decision::HookResult;
use crate::event::{
    Agreed, AnyVocabulary, Both, Context, Event, EventSet, Intercept, Observe, Within,
};
use crate::hook::{
    AnyEvent, Around, Ask, Dispatch, Facts, FactsOf, HasWork, Hook, Next, Planner, Run, Start,
    Steps, StepsOf, Synchronous, Timing, TimingOf, Watch, WrapStep, Wraps, drive, enter, room_of,
};

/// A tuple of hooks, or of groups, that share the vocabulary `V` and run one after another.
pub struct Group<V, T> {
    members: T,
    vocabulary: PhantomData<fn() -> V>,
}

impl<V, T> Group<V, T> {
    /// Groups hooks that have agreed on a vocabulary.
    #[inline(always)]
    pub const fn new(_: &Agreed<V>, members: T) -> Self {
        Group::of(members)
    }

    pub(crate) const fn of(members: T) -> Self {
        Group {
            members,
            vocabulary: PhantomData,
        }
    }

    pub(crate) const fn members(&self) -> &T {
        &self.members
    }

    pub(crate) fn into_members(self) -> T {
        self.members
    }
}

/// A list without hooks.
#[cfg(feature = "std")]
pub(crate) type NoHooks = Group<AnyVocabulary, ()>;

/// Replaces a hook in a list that `cfg` removes.
pub const ABSENT: Group<AnyVocabulary, ()> = Group::of(());

impl<V, T: Clone> Clone for Group<V, T> {
    fn clone(&self) -> Self {
        Group::of(self.members.clone())
    }
}

impl<V, T: Copy> Copy for Group<V, T> {}

impl<V, T: fmt::Debug> fmt::Debug for Group<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

/// No hook. It handles nothing, so it never runs.
#[diagnostic::do_not_recommend]
impl<V> Hook for Group<V, ()> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = ();
    type Exact = ();
    type Wraps = ();

    fn describe(&self, _: &mut Planner) {}
}

/// The vocabulary of several hooks.
macro_rules! first {
    ($first:ident $($rest:ident)*) => {
        $first::Vocabulary
    };
}

/// The events that several hooks handle together.
macro_rules! answers {
    ($what:ident; $last:ident) => { $last::$what };
    ($what:ident; $first:ident $($rest:ident)+) => {
        Both<$first::$what, answers!($what; $($rest)+)>
    };
}

/// The facts of several members, in their order.
macro_rules! facts {
    ($E:ident; $last:ident) => { FactsOf<$last, $E> };
    ($E:ident; $first:ident $($rest:ident)+) => {
        <FactsOf<$first, $E> as Facts>::Then<facts!($E; $($rest)+)>
    };
}

/// Whether all members are synchronous.
macro_rules! timing {
    ($E:ident;) => { Synchronous };
    ($E:ident; $first:ident $($rest:ident)*) => {
        <TimingOf<$first, $E> as Timing>::And<timing!($E; $($rest)*)>
    };
}

/// What the members of a group are, taken together.
macro_rules! types {
    ($E:ident; $($H:ident)*) => {
        type Timing = timing!($E; $($H)*);
        type Facts = facts!($E; $($H)*);
    };
}

/// What a member says, awaited or not.
macro_rules! said {
    (run $asked:expr) => {
        $asked.await
    };
    (run_now $asked:expr) => {
        $asked
    };
}

/// Runs each member, until one decides. `Continue` holds nothing, so it is not dropped: in a long list, the optimiser
/// does not always see that there is nothing to drop.
macro_rules! each {
    ($E:ident $W:ident ($this:ident $ask:ident) $run:ident; $($H:ident $i:tt),*) => {
        $(
            // A token can be copied. The future would keep the `Start` itself, because it has to be dropped.
            let token = match <StepsOf<$H, $E> as Steps<$H, $E>>::start::<$W>(&$this.members.$i, &mut $ask) {
                Start::Skips => None,
                Start::Judged(result) => {
                    if !result.is_continue() {
                        return result;
                    }
                    None
                }
                Start::Runs(token) => Some(token),
            };
            if let Some(token) = token {
                let said = said!($run <StepsOf<$H, $E> as Steps<$H, $E>>::$run::<$W>(
                    &$this.members.$i, $ask.lend(),
                ));
                let result = <StepsOf<$H, $E> as Steps<$H, $E>>::conclude::<$W>(
                    &$this.members.$i, $ask.lend(), said, token,
                );
                if !result.is_continue() {
                    return result;
                }
                forget(result);
            }
        )*
    };
}

/// Wraps work in the members, the first outermost. Each has a room of its own.
macro_rules! layers {
    ($group:ident $cx:ident $event:ident $next:ident $Ev:ident;) => {
        $next.again().run().await
    };
    ($group:ident $cx:ident $event:ident $next:ident $Ev:ident; $H:ident $i:tt $($rest:tt)*) => {{
        let member = &$group.members.$i;
        let room = room_of::<$Ev, $H>(member);
        let around = enter(member, $cx, $event, &room, $next.told());
        drive!(&room, around, async { layers!($group $cx $event $next $Ev; $($rest)*) })
    }};
}

/// Implements a group of each width.
macro_rules! groups {
    ($(($($H:ident $i:tt $future:ident $token:ident),*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<V, $($H: Hook),*> Hook for Group<V, ($($H,)*)> {
            // Not `V`: hooks with a priority of the list have not agreed on it.
            type Vocabulary = first!($($H)*);
            type Rank = $crate::hook::Places;
            type Answers = Within<answers!(Answers; $($H)*)>;
            type Wraps = answers!(Wraps; $($H)*);
            type Exact = answers!(Exact; $($H)*);

            #[inline]
            fn wanted(&self) -> EventSet {
                EventSet::NONE $(.union(self.members.$i.wanted()))*
            }

            #[inline]
            fn is_live(&self) -> bool {
                false $(|| self.members.$i.is_live())*
            }

            #[inline]
            fn wrapped(&self) -> EventSet {
                EventSet::NONE $(.union(self.members.$i.wrapped()))*
            }

            fn describe(&self, plan: &mut Planner) {
                $(self.members.$i.describe(plan);)*
            }
        }

        #[diagnostic::do_not_recommend]
        impl<V, Ev, $($H: Hook),*> Run<Ev, Intercept> for Group<V, ($($H,)*)>
        where
            Ev: AnyEvent + Event<Kind = Intercept>,
            $($H: Dispatch<Ev>,)*
        {
            types!(Ev; $($H)*);

            #[inline]
            fn run<'a, W: Watch<Ev::Vocabulary>>(
                &'a self,
                mut ask: Ask<'a, Ev, W>,
            ) -> impl Future<Output = HookResult<Ev>> + Send {
                async move {
                    each!(Ev W (self ask) run; $($H $i),*);
                    HookResult::Continue
                }
            }

            #[inline(always)]
            fn run_now<'a, W: Watch<Ev::Vocabulary>>(
                &'a self,
                mut ask: Ask<'a, Ev, W>,
            ) -> HookResult<Ev> {
                each!(Ev W (self ask) run_now; $($H $i),*);
                HookResult::Continue
            }
        }

        #[diagnostic::do_not_recommend]
        impl<V, Ev, $($H: Hook),*> Run<Ev, Observe> for Group<V, ($($H,)*)>
        where
            Ev: AnyEvent + Event<Kind = Observe>,
            $($H: Dispatch<Ev>,)*
        {
            types!(Ev; $($H)*);

            #[inline]
            fn run<'a, W: Watch<Ev::Vocabulary>>(
                &'a self,
                ask: Ask<'a, Ev, W>,
            ) -> impl Future<Output = ()> + Send {
                async move {
                    let Ask { cx, event, held } = ask;
                    $(
                        // Two variables and not a pair: a pair that is pinned cannot be taken apart.
                        let (mut $token, $future) =
                            match <StepsOf<$H, Ev> as Steps<$H, Ev>>::start::<W>(&self.members.$i, &mut Ask { cx, event, held }) {
                                Start::Runs(token) => {
                                    let ask = Ask { cx, event, held };
                                    let future = <StepsOf<$H, Ev> as Steps<$H, Ev>>::run::<W>(&self.members.$i, ask);
                                    (Some(token), Some(future))
                                }
                                Start::Skips | Start::Judged(()) => (None, None),
                            };
                        let mut $future = pin!($future);
                    )*
                    poll_fn(|task| {
                        let mut is_pending = false;
                        $(if let Some(future) = $future.as_mut().as_pin_mut() {
                            match future.poll(task) {
                                Poll::Pending => is_pending = true,
                                Poll::Ready(said) => {
                                    $future.set(None);
                                    if let Some(token) = $token.take() {
                                        <StepsOf<$H, Ev> as Steps<$H, Ev>>::conclude::<W>(
                                            &self.members.$i, Ask { cx, event, held }, said, token,
                                        );
                                    }
                                }
                            }
                        })*
                        if is_pending { Poll::Pending } else { Poll::Ready(()) }
                    })
                    .await;
                }
            }

            #[inline(always)]
            fn run_now<'a, W: Watch<Ev::Vocabulary>>(&'a self, ask: Ask<'a, Ev, W>) {
                $(<StepsOf<$H, Ev> as Steps<$H, Ev>>::whole_now::<W>(&self.members.$i, ask);)*
            }
        }

        #[diagnostic::do_not_recommend]
        impl<V, Ev: HasWork, $($H: Hook),*> Around<Ev> for Group<V, ($($H,)*)>
        where
            $($H: Wraps<Ev>,)*
        {
            const WRAPS: bool = false $(|| <$H::Step as WrapStep<$H, Ev>>::WRAPS)*;

            async fn around<'a>(
                &'a self,
                cx: &'a Context<Ev>,
                event: &'a Ev,
                next: Next<'a, Ev>,
            ) -> Ev::Work {
                layers!(self cx event next Ev; $($H $i)*)
            }
        }
    )* };
}
groups! {
    (A 0 a ta)
    (A 0 a ta, B 1 b tb)
    (A 0 a ta, B 1 b tb, C 2 c tc)
    (A 0 a ta, B 1 b tb, C 2 c tc, D 3 d td)
    (A 0 a ta, B 1 b tb, C 2 c tc, D 3 d td, E 4 e te)
    (A 0 a ta, B 1 b tb, C 2 c tc, D 3 d td, E 4 e te, F 5 f tf)
    (A 0 a ta, B 1 b tb, C 2 c tc, D 3 d td, E 4 e te, F 5 f tf, G 6 g tg)
    (A 0 a ta, B 1 b tb, C 2 c tc, D 3 d td, E 4 e te, F 5 f tf, G 6 g tg, H 7 h th)
}
