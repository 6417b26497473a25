//! Hooks in holders that change nothing about how they run.
//!
//! | file | holds |
//! | --- | --- |
//! | `pointers` | `&H`, `Box<H>`, `Arc<H>` |
//! | `option` | `Option<H>`, a hook that is switched on or off |
//! | `named` | [`Named`], a hook under another name |
//! | `group` | up to eight hooks side by side: the members of a pipeline |
//! | `then` | [`Then`], two hooks, one after the other |

mod group;
mod named;
mod option;
mod pointers;
mod then;

#[cfg(feature = "std")]
pub(crate) use self::group::NoHooks;
pub use self::group::{ABSENT, Group};
pub use self::named::{Named, is_same};
pub use self::then::Then;

/// What a holder says of itself: what the hook in it says. For an impl of [`Hook`](super::Hook).
macro_rules! as_held {
    ($this:ident => $hook:expr) => {
        #[inline(always)]
        fn name(&self) -> $crate::decision::Name<'_> {
            let $this = self;
            $crate::hook::Hook::name(&$hook)
        }

        $crate::hook::sets_held!($this => $hook);
    };
}
pub(crate) use as_held;

/// The events of a holder: those of the hook in it. For an impl of [`Hook`](super::Hook).
macro_rules! sets_held {
    ($this:ident => $hook:expr) => {
        #[inline]
        fn wanted(&self) -> $crate::event::EventSet {
            let $this = self;
            $crate::hook::Hook::wanted(&$hook)
        }

        #[inline]
        fn is_live(&self) -> bool {
            let $this = self;
            $crate::hook::Hook::is_live(&$hook)
        }

        #[inline]
        fn is_wanted(&self, event: &$crate::event::EventInfo) -> bool {
            let $this = self;
            $crate::hook::Hook::is_wanted(&$hook, event)
        }

        #[inline]
        fn wrapped(&self) -> $crate::event::EventSet {
            let $this = self;
            $crate::hook::Hook::wrapped(&$hook)
        }

        fn may_change(&self, event: &$crate::event::EventInfo) -> bool {
            let $this = self;
            $crate::hook::Hook::may_change(&$hook, event)
        }

        fn is_plain(&self, event: &$crate::event::EventInfo) -> bool {
            let $this = self;
            $crate::hook::Hook::is_plain(&$hook, event)
        }

        fn concerns(&self, event: &$crate::event::EventInfo, subject: &str) -> bool {
            let $this = self;
            $crate::hook::Hook::concerns(&$hook, event, subject)
        }
    };
}
pub(crate) use sets_held;

/// Hands work on to the hooks around it that a type holds.
macro_rules! around_held {
    ([$($generics:tt)*] $holder:ty, $this:ident => $hook:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::hook::HasWork> $crate::hook::Around<E> for $holder
        where
            H: $crate::hook::Wraps<E>,
        {
            const WRAPS: bool = <H::Step as $crate::hook::WrapStep<H, E>>::WRAPS;

            #[inline]
            fn around<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: &'a E,
                next: $crate::hook::Next<'a, E>,
            ) -> impl ::core::future::Future<Output = E::Work> + Send {
                let $this = self;
                $crate::hook::around_all(&$hook, cx, event, next)
            }
        }
    };
}
pub(crate) use around_held;

/// Hands every event on to the hook that a type holds.
macro_rules! run_held {
    ([$($generics:tt)*] $holder:ty, $this:ident => $hook:expr) => {
        #[diagnostic::do_not_recommend]
        impl<$($generics)* E, K> $crate::hook::Run<E, K> for $holder
        where
            E: $crate::hook::AnyEvent + $crate::event::Event<Kind = K>,
            K: $crate::hook::Carries,
            H: $crate::hook::Dispatch<E>,
        {
            $crate::hook::facts_held!();

            #[inline(always)]
            fn wants(&self, cx: &$crate::event::Context<E>, event: &E) -> bool {
                let $this = self;
                <$crate::hook::StepsOf<H, E> as $crate::hook::Steps<H, E>>::wants(&$hook, cx, event)
            }

            #[inline(always)]
            fn run<'a, W: $crate::hook::Watch<E::Vocabulary>>(
                &'a self,
                ask: $crate::hook::Ask<'a, E, W>,
            ) -> impl ::core::future::Future<Output = $crate::decision::ResultOf<E>> + Send {
                let $this = self;
                <$crate::hook::StepsOf<H, E> as $crate::hook::Steps<H, E>>::whole::<W>(&$hook, ask)
            }

            #[inline(always)]
            fn run_now<'a, W: $crate::hook::Watch<E::Vocabulary>>(
                &'a self,
                ask: $crate::hook::Ask<'a, E, W>,
            ) -> $crate::decision::ResultOf<E> {
                let $this = self;
                <$crate::hook::StepsOf<H, E> as $crate::hook::Steps<H, E>>::whole_now::<W>(&$hook, ask)
            }
        }

        $crate::hook::around_held!([$($generics)*] $holder, $this => $hook);
    };
}
pub(crate) use run_held;

/// What the types of a holder say: what those of the hook `H` in it say. For an impl of [`Run`](super::Run).
macro_rules! facts_held {
    () => {
        type Timing = $crate::hook::TimingOf<H, E>;
        type Facts = $crate::hook::FactsOf<H, E>;
    };
}
pub(crate) use facts_held;
