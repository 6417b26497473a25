//! The members of a pipeline, up to eight side by side.
//!
//! [`hooks![…]`](crate::hooks) passes its sorted hooks as nested groups. Flat groups matter at run time: eight hooks that
//! each await share one `async` block, where a binary tree would nest seven. Nesting matters to rustc: a type that is one
//! level deeper per hook soon overflows its recursion limit, while 128 hooks in groups of eight are three levels deep.

use core::fmt;
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::mem::forget;
use core::pin::pin;
use core::task::Poll;

use super::At;
use crate::decision::{
    Decides, Decision, Dispatched, HookResult, Outcome, Return, Told, WitnessesOf, go_on,
};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{
    Access, Agreed, Answers, AnyVocabulary, Context, Event, EventSet, Intercept, Observe,
};
#[cfg(feature = "std")]
use crate::hook::{Around, Next, WrapModeOf, WrapStep};
use crate::hook::{
    Describe, Handle, HandleAsync, Hook, Listening, ModeOf, Never, Number, Planner, Step, StepNow,
    priority_of, told_as,
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
        Group {
            members,
            vocabulary: PhantomData,
        }
    }
}

/// Replaces a hook in a list that `cfg` removes.
pub const ABSENT: Group<AnyVocabulary, ()> = Group {
    members: (),
    vocabulary: PhantomData,
};

impl<V, T: Clone> Clone for Group<V, T> {
    fn clone(&self) -> Self {
        Group {
            members: self.members.clone(),
            vocabulary: PhantomData,
        }
    }
}

impl<V, T: Copy> Copy for Group<V, T> {}

impl<V, T: fmt::Debug> fmt::Debug for Group<V, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.members.fmt(f)
    }
}

/// Runs the members of a group on the synchronous events of one kind.
///
/// From here to the hook's own function, everything is always inlined. If a list remained a function of its own, it
/// would return its result through memory, and the agent would take the result apart again. For eight hooks, that is
/// a quarter more instructions than the same checks by hand.
pub trait AllNow<E: Event<Kind = K>, K: Decides> {
    fn all<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E>;
    /// Tells the members from position `FROM` on what an earlier one has decided.
    fn decided<'a, const FROM: usize>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    );
    /// Asks for the witnesses that the members want.
    fn listen(&self, witnesses: &mut WitnessesOf<E>);
    /// Runs the members with witnesses.
    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E>;
}

/// Runs the members of a group on the events of one kind.
pub trait All<E: Event<Kind = K>, K: Decides> {
    fn all<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Like [`AllNow::decided`].
    fn decided<'a, const FROM: usize>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    );

    /// Like [`AllNow::listen`].
    fn listen(&self, witnesses: &mut WitnessesOf<E>);

    /// Like [`AllNow::witnessed`].
    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> impl Future<Output = Outcome<E>> + Send;
}

#[diagnostic::do_not_recommend]
impl<V, Ev: Dispatched, T: Send + Sync> Handle<Ev> for Group<V, T>
where
    Self: Hook + AllNow<Ev, Ev::Kind>,
{
    #[inline(always)]
    fn handle<'a>(&'a self, cx: &'a Context<Ev>, event: Access<'a, Ev>) -> Outcome<Ev> {
        self.all(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(&'a self, cx: &'a Context<Ev>, event: &'a Ev, told: Told<'a, Ev::Vocabulary>) {
        AllNow::<Ev, Ev::Kind>::decided::<0>(self, cx, event, told);
    }

    #[inline(always)]
    fn listen(&self, witnesses: &mut WitnessesOf<Ev>) {
        AllNow::<Ev, Ev::Kind>::listen(self, witnesses);
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<Ev>,
        event: Access<'a, Ev>,
        witnesses: &'a mut WitnessesOf<Ev>,
    ) -> Outcome<Ev> {
        AllNow::<Ev, Ev::Kind>::witnessed(self, cx, event, witnesses)
    }
}

#[diagnostic::do_not_recommend]
impl<V, Ev: Dispatched, T: Send + Sync> HandleAsync<Ev> for Group<V, T>
where
    Self: Hook + All<Ev, Ev::Kind>,
{
    type Said = Outcome<Ev>;

    #[inline]
    fn handle<'a>(
        &'a self,
        cx: &'a Context<Ev>,
        event: Access<'a, Ev>,
    ) -> impl Future<Output = Self::Said> + Send {
        self.all(cx, event)
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<Ev>,
        event: Access<'a, Ev>,
    ) -> impl Future<Output = Outcome<Ev>> + Send {
        self.all(cx, event)
    }

    #[inline(always)]
    fn decided<'a>(&'a self, cx: &'a Context<Ev>, event: &'a Ev, told: Told<'a, Ev::Vocabulary>) {
        All::<Ev, Ev::Kind>::decided::<0>(self, cx, event, told);
    }

    #[inline(always)]
    fn listen(&self, witnesses: &mut WitnessesOf<Ev>) {
        All::<Ev, Ev::Kind>::listen(self, witnesses);
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<Ev>,
        event: Access<'a, Ev>,
        witnesses: &'a mut WitnessesOf<Ev>,
    ) -> impl Future<Output = Outcome<Ev>> + Send {
        All::<Ev, Ev::Kind>::witnessed(self, cx, event, witnesses)
    }
}

/// No hook. It handles nothing, so it never runs.
#[diagnostic::do_not_recommend]
impl<V> Hook for Group<V, ()> {
    type Vocabulary = V;
    type Rank = crate::__rank!(0);
    type Answers = ();
    type Wraps = ();
    type Listens = Never;
}

impl<V> Describe for Group<V, ()> {
    fn describe<'d>(&'d self, _: &mut Planner<'d, '_>) {}
}

/// The events that several hooks handle together.
macro_rules! answers {
    ($what:ident; $last:ident) => { $last::$what };
    ($what:ident; $first:ident $($rest:ident)+) => {
        <$first::$what as Answers>::And<answers!($what; $($rest)+)>
    };
}

/// Whether any of several hooks asks for witnesses.
macro_rules! listens {
    ($last:ident) => { $last::Listens };
    ($first:ident $($rest:ident)+) => {
        <$first::Listens as Listening>::Or<listens!($($rest)+)>
    };
}

/// Continues with the next hook, or stops with what this one decided. `Continue` holds nothing, so it is not dropped:
/// in a long list, the optimiser does not always see that there is nothing to drop.
macro_rules! unless_decided {
    ($result:expr, $decided:expr) => {{
        let result = $result;
        if !result.is_continue() {
            $decided(Decision::from(&result));
            return result;
        }
        forget(result);
    }};
}

/// Hooks decide nothing about an observed event, and change nothing in it.
macro_rules! never_decided {
    ($E:ty) => {
        #[inline(always)]
        fn decided<'a, const FROM: usize>(
            &'a self,
            _: &'a Context<$E>,
            _: &'a $E,
            _: Told<'a, <$E as Event>::Vocabulary>,
        ) {
        }

        #[inline(always)]
        fn listen(&self, _: &mut WitnessesOf<$E>) {}
    };
}

/// Passes the decision to the members after the one that decided, and asks all members for the witnesses that they
/// want.
macro_rules! tell_the_rest {
    ($E:ty, $step:ident, $($H:ident $i:tt),*) => {
        #[inline(always)]
        fn decided<'a, const FROM: usize>(
            &'a self,
            cx: &'a Context<$E>,
            event: &'a $E,
            told: Told<'a, <$E as Event>::Vocabulary>,
        ) {
            $(if FROM <= $i {
                <ModeOf<$H, $E> as $step<_, _>>::decided(&self.members.$i, cx, event, told);
            })*
        }

        #[inline(always)]
        fn listen(&self, witnesses: &mut WitnessesOf<$E>) {
            $(<ModeOf<$H, $E> as $step<_, _>>::listen(&self.members.$i, witnesses);)*
        }
    };
}

/// Awaits up to eight futures concurrently, in this one.
macro_rules! join {
    ($($i:tt $future:ident = $value:expr),*) => {
        $(let mut $future = pin!($value);)*
        // One bit per member that still runs: a finished future must not be polled again.
        let mut running = !0_u8;
        poll_fn(|task| {
            let mut still = 0;
            $(if running & (1 << $i) != 0 && $future.as_mut().poll(task).is_pending() {
                still |= 1 << $i;
            })*
            running = still;
            if running == 0 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    };
}

/// Wraps work in the members, the first outermost.
#[cfg(feature = "std")]
macro_rules! layers {
    ($group:ident $cx:ident $event:ident $slot:ident $Ev:ident;) => {
        async move { Next::<$Ev>::new($slot).run().await }
    };
    ($group:ident $cx:ident $event:ident $slot:ident $Ev:ident; $H:ident $i:tt $($rest:tt)*) => {
        <WrapModeOf<$H, $Ev> as WrapStep<$H, $Ev>>::layer(&$group.members.$i, $cx, $event, move || {
            layers!($group $cx $event $slot $Ev; $($rest)*)
        })
    };
}

/// Which members of a list run: those whose priorities are in a range.
///
/// A list with a spread runs its static hooks piece by piece, with the source's handlers in between.
#[derive(Debug, Clone, Copy)]
pub struct Between {
    /// Only members below this priority; `None` starts with the first member.
    pub below: Option<i32>,
    /// Only members of at least this priority; `None` ends with the last member.
    pub from: Option<i32>,
}

impl Between {
    /// All members.
    pub(crate) const ALL: Self = Between {
        below: None,
        from: None,
    };

    const fn holds(self, priority: i32) -> bool {
        let is_below = match self.below {
            Some(below) => priority < below,
            None => true,
        };
        let is_above = match self.from {
            Some(from) => priority >= from,
            None => true,
        };
        is_below && is_above
    }
}

/// A part of a list that runs only the members in a range: a group, or a hook with its priority.
pub trait Part<E: Event<Kind = K>, K: Decides>: Hook {
    fn run<'a>(
        &'a self,
        within: Between,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
    ) -> impl Future<Output = Outcome<E>> + Send;

    /// Asks for the witnesses that the members want.
    fn listen(&self, witnesses: &mut WitnessesOf<E>);

    /// Tells the members in the range, from position `FROM` on, what an earlier one has decided.
    fn tell<'a, const FROM: usize>(
        &'a self,
        within: Between,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    );
}

impl<E: Event<Kind = K>, K: Decides, H: Hook, R: Number> Part<E, K> for At<H, R>
where
    ModeOf<H, E>: Step<H, E>,
{
    async fn run<'a>(
        &'a self,
        within: Between,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: Option<&'a mut WitnessesOf<E>>,
    ) -> Outcome<E> {
        if !within.holds(priority_of::<R>()) {
            return go_on::<E>();
        }
        match witnesses {
            None => <ModeOf<H, E> as Step<_, _>>::whole(&self.hook, cx, event).await,
            Some(witnesses) => {
                <ModeOf<H, E> as Step<_, _>>::witnessed(&self.hook, cx, event, witnesses).await
            }
        }
    }

    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        <ModeOf<H, E> as Step<_, _>>::listen(&self.hook, witnesses);
    }

    fn tell<'a, const FROM: usize>(
        &'a self,
        within: Between,
        cx: &'a Context<E>,
        event: &'a E,
        told: Told<'a, E::Vocabulary>,
    ) {
        if within.holds(priority_of::<R>()) {
            <ModeOf<H, E> as Step<_, _>>::decided(&self.hook, cx, event, told);
        }
    }
}

/// A list without hooks.
impl<E: Event<Kind = K>, K: Decides, V> Part<E, K> for Group<V, ()> {
    async fn run<'a>(
        &'a self,
        _: Between,
        _: &'a Context<E>,
        _: Access<'a, E>,
        _: Option<&'a mut WitnessesOf<E>>,
    ) -> Outcome<E> {
        go_on::<E>()
    }

    fn listen(&self, _: &mut WitnessesOf<E>) {}

    fn tell<'a, const FROM: usize>(
        &'a self,
        _: Between,
        _: &'a Context<E>,
        _: &'a E,
        _: Told<'a, E::Vocabulary>,
    ) {
    }
}

/// Implements a group of each width.
macro_rules! groups {
    ($(($($H:ident $i:tt $future:ident),*))*) => { $(
        #[diagnostic::do_not_recommend]
        impl<V, $($H: Hook),*> Hook for Group<V, ($($H,)*)> {
            type Vocabulary = V;
            type Rank = $crate::__rank!(0);
            type Answers = answers!(Answers; $($H)*);
            type Wraps = answers!(Wraps; $($H)*);
            type Listens = listens!($($H)*);

            #[inline]
            fn wanted(&self) -> EventSet {
                EventSet::NONE $(.union(self.members.$i.wanted()))*
            }

            #[inline]
            fn wrapped(&self) -> EventSet {
                EventSet::NONE $(.union(self.members.$i.wrapped()))*
            }
        }

        impl<V, $($H: Describe),*> Describe for Group<V, ($($H,)*)> {
            fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
                $(self.members.$i.describe(plan);)*
            }
        }

        impl<V, Ev: Event<Kind = Observe>, $($H: Hook),*> AllNow<Ev, Observe> for Group<V, ($($H,)*)>
        where
            $(ModeOf<$H, Ev>: StepNow<$H, Ev>,)*
        {
            #[inline(always)]
            fn all<'a>(&'a self, cx: &'a Context<Ev>, event: &'a Ev) {
                $(<ModeOf<$H, Ev> as StepNow<_, _>>::step(&self.members.$i, cx, event);)*
            }

            fn witnessed<'a>(&'a self, cx: &'a Context<Ev>, event: &'a Ev, _: &'a mut WitnessesOf<Ev>) {
                AllNow::<Ev, Observe>::all(self, cx, event);
            }

            never_decided!(Ev);
        }

        impl<V, Ev: Event<Kind = Intercept>, $($H: Hook),*> AllNow<Ev, Intercept> for Group<V, ($($H,)*)>
        where
            $(ModeOf<$H, Ev>: StepNow<$H, Ev>,)*
        {
            #[inline(always)]
            fn all<'a>(&'a self, cx: &'a Context<Ev>, event: &'a mut Ev) -> HookResult<Ev> {
                $(unless_decided!(
                    <ModeOf<$H, Ev> as StepNow<_, _>>::step(&self.members.$i, cx, &mut *event),
                    |decision: Decision<'_>| AllNow::<Ev, Intercept>::decided::<{ $i + 1 }>(self, cx, event, decision.into())
                );)*
                HookResult::Continue
            }

            fn witnessed<'a>(
                &'a self,
                cx: &'a Context<Ev>,
                event: &'a mut Ev,
                witnesses: &'a mut WitnessesOf<Ev>,
            ) -> HookResult<Ev> {
                $(unless_decided!(
                    <ModeOf<$H, Ev> as StepNow<_, _>>::witnessed(
                        &self.members.$i, cx, &mut *event, &mut *witnesses,
                    ),
                    |decision| AllNow::<Ev, Intercept>::decided::<{ $i + 1 }>(
                        self, cx, event, witnesses.told(decision),
                    )
                );)*
                HookResult::Continue
            }

            tell_the_rest!(Ev, StepNow, $($H $i),*);
        }

        impl<V, Ev: Event<Kind = Observe>, $($H: Hook),*> All<Ev, Observe> for Group<V, ($($H,)*)>
        where
            $(ModeOf<$H, Ev>: Step<$H, Ev>,)*
        {
            #[inline]
            async fn all<'a>(&'a self, cx: &'a Context<Ev>, event: &'a Ev) {
                join!($($i $future = <ModeOf<$H, Ev> as Step<_, _>>::step(&self.members.$i, cx, event)),*);
            }

            fn witnessed<'a>(
                &'a self,
                cx: &'a Context<Ev>,
                event: &'a Ev,
                _: &'a mut WitnessesOf<Ev>,
            ) -> impl Future<Output = ()> + Send {
                All::<Ev, Observe>::all(self, cx, event)
            }

            never_decided!(Ev);
        }

        impl<V, Ev: Event<Kind = Intercept>, $($H: Hook),*> All<Ev, Intercept> for Group<V, ($($H,)*)>
        where
            $(ModeOf<$H, Ev>: Step<$H, Ev>,)*
        {
            #[inline]
            async fn all<'a>(&'a self, cx: &'a Context<Ev>, event: &'a mut Ev) -> HookResult<Ev> {
                $(
                    let said = <ModeOf<$H, Ev> as Step<_, _>>::step(&self.members.$i, cx, &mut *event)
                        .await
                        .said();
                    let name = const { told_as::<$H, Ev, <ModeOf<$H, Ev> as Step<$H, Ev>>::Said>() };
                    unless_decided!(
                        Intercept::settle(&mut *event, said, name),
                        |decision: Decision<'_>| All::<Ev, Intercept>::decided::<{ $i + 1 }>(self, cx, event, decision.into())
                    );
                )*
                HookResult::Continue
            }

            async fn witnessed<'a>(
                &'a self,
                cx: &'a Context<Ev>,
                event: &'a mut Ev,
                witnesses: &'a mut WitnessesOf<Ev>,
            ) -> HookResult<Ev> {
                $(unless_decided!(
                    <ModeOf<$H, Ev> as Step<_, _>>::witnessed(
                        &self.members.$i, cx, &mut *event, &mut *witnesses,
                    ).await,
                    |decision| All::<Ev, Intercept>::decided::<{ $i + 1 }>(
                        self, cx, event, witnesses.told(decision),
                    )
                );)*
                HookResult::Continue
            }

            tell_the_rest!(Ev, Step, $($H $i),*);
        }

        impl<V, Ev: Event<Kind = Observe>, $($H: Part<Ev, Observe>),*> Part<Ev, Observe>
            for Group<V, ($($H,)*)>
        {
            async fn run<'a>(
                &'a self,
                within: Between,
                cx: &'a Context<Ev>,
                event: &'a Ev,
                _: Option<&'a mut WitnessesOf<Ev>>,
            ) {
                join!($($i $future = self.members.$i.run(within, cx, event, None)),*);
            }

            fn listen(&self, _: &mut WitnessesOf<Ev>) {}

            fn tell<'a, const FROM: usize>(
                &'a self,
                _: Between,
                _: &'a Context<Ev>,
                _: &'a Ev,
                _: Told<'a, Ev::Vocabulary>,
            ) {
            }
        }

        impl<V, Ev: Event<Kind = Intercept>, $($H: Part<Ev, Intercept>),*> Part<Ev, Intercept>
            for Group<V, ($($H,)*)>
        {
            async fn run<'a>(
                &'a self,
                within: Between,
                cx: &'a Context<Ev>,
                event: &'a mut Ev,
                mut witnesses: Option<&'a mut WitnessesOf<Ev>>,
            ) -> HookResult<Ev> {
                $(
                    let result = self.members.$i
                        .run(within, cx, &mut *event, witnesses.as_deref_mut())
                        .await;
                    if !result.is_continue() {
                        // All members after this one have yet to run, in this piece or a later one.
                        let told = Told::new(&result, witnesses.as_deref());
                        self.tell::<{ $i + 1 }>(Between::ALL, cx, event, told);
                        return result;
                    }
                )*
                HookResult::Continue
            }

            fn listen(&self, witnesses: &mut WitnessesOf<Ev>) {
                $(self.members.$i.listen(witnesses);)*
            }

            fn tell<'a, const FROM: usize>(
                &'a self,
                within: Between,
                cx: &'a Context<Ev>,
                event: &'a Ev,
                told: Told<'a, Ev::Vocabulary>,
            ) {
                $(if FROM <= $i {
                    self.members.$i.tell::<0>(within, cx, event, told);
                })*
            }
        }

        #[cfg(feature = "std")]
        #[diagnostic::do_not_recommend]
        impl<V, Ev: Wrapped, $($H: Hook),*> Around<Ev> for Group<V, ($($H,)*)>
        where
            $(WrapModeOf<$H, Ev>: WrapStep<$H, Ev>,)*
        {
            fn around<'a>(
                &'a self,
                cx: &'a Context<Ev>,
                event: &'a Ev,
                next: Next<'a, Ev>,
            ) -> impl Future<Output = Ev::Work> + Send {
                let slot = next.slot();
                layers!(self cx event slot Ev; $($H $i)*)
            }
        }
    )* };
}
groups! {
    (A 0 a)
    (A 0 a, B 1 b)
    (A 0 a, B 1 b, C 2 c)
    (A 0 a, B 1 b, C 2 c, D 3 d)
    (A 0 a, B 1 b, C 2 c, D 3 d, E 4 e)
    (A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f)
    (A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f, G 6 g)
    (A 0 a, B 1 b, C 2 c, D 3 d, E 4 e, F 5 f, G 6 g, H 7 h)
}
