//! A hook behind a pointer, or switched on and off by an `Option`.

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::any::Any;
use core::future::Future;

#[cfg(feature = "std")]
use super::{Around, Next};
use super::{Describe, Handle, HandleAsync, Hook, Planner};
use crate::decision::{Dispatched, Outcome, Return, Told, WitnessesOf, go_on};
#[cfg(feature = "std")]
use crate::event::Wrapped;
use crate::event::{Access, Context, EventSet};

/// Delegates to the hook that a type holds.
macro_rules! answer_as {
    ($([$($generics:tt)*] $holder:ty, $this:ident => $hook:expr;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::decision::Dispatched> $crate::hook::Handle<E> for $holder
        where
            H: $crate::hook::Handle<E> + $crate::hook::Hook,
        {
            #[inline]
            fn handle<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: $crate::event::Access<'a, E>,
            ) -> $crate::decision::Outcome<E> {
                let $this = self;
                $hook.handle(cx, event)
            }

            #[inline]
            fn decided<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: &'a E,
                told: $crate::decision::Told<'a, E::Vocabulary>,
            ) {
                let $this = self;
                $hook.decided(cx, event, told);
            }

            #[inline]
            fn listen(&self, witnesses: &mut $crate::decision::WitnessesOf<E>) {
                let $this = self;
                $hook.listen(witnesses);
            }

            fn witnessed<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: $crate::event::Access<'a, E>,
                witnesses: &'a mut $crate::decision::WitnessesOf<E>,
            ) -> $crate::decision::Outcome<E> {
                let $this = self;
                $hook.witnessed(cx, event, witnesses)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::decision::Dispatched> $crate::hook::HandleAsync<E> for $holder
        where
            H: $crate::hook::HandleAsync<E, Said: $crate::decision::Return<E>> + $crate::hook::Hook,
        {
            type Said = H::Said;

            #[inline]
            fn handle<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: $crate::event::Access<'a, E>,
            ) -> impl ::core::future::Future<Output = Self::Said> + Send {
                let $this = self;
                $hook.handle(cx, event)
            }

            #[inline]
            fn decide<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: $crate::event::Access<'a, E>,
            ) -> impl ::core::future::Future<Output = $crate::decision::Outcome<E>> + Send {
                let $this = self;
                $hook.decide(cx, event)
            }

            #[inline]
            fn decided<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: &'a E,
                told: $crate::decision::Told<'a, E::Vocabulary>,
            ) {
                let $this = self;
                $hook.decided(cx, event, told);
            }

            #[inline]
            fn listen(&self, witnesses: &mut $crate::decision::WitnessesOf<E>) {
                let $this = self;
                $hook.listen(witnesses);
            }

            fn witnessed<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: $crate::event::Access<'a, E>,
                witnesses: &'a mut $crate::decision::WitnessesOf<E>,
            ) -> impl ::core::future::Future<Output = $crate::decision::Outcome<E>> + Send {
                let $this = self;
                $hook.witnessed(cx, event, witnesses)
            }
        }

        #[cfg(feature = "std")]
        #[diagnostic::do_not_recommend]
        impl<$($generics)* E: $crate::event::Wrapped> $crate::hook::Around<E> for $holder
        where
            H: $crate::hook::Around<E>,
        {
            #[inline]
            fn around<'a>(
                &'a self,
                cx: &'a $crate::event::Context<E>,
                event: &'a E,
                next: $crate::hook::Next<'a, E>,
            ) -> impl ::core::future::Future<Output = E::Work> + Send {
                let $this = self;
                $hook.around(cx, event, next)
            }
        }
    )* };
}
pub(crate) use answer_as;

/// Implements `Hook` for a pointer to a hook.
macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<$($generics)* H: Hook + ?Sized> Hook for $pointer {
            type Vocabulary = H::Vocabulary;
            const NAME: &'static str = H::NAME;
            type Rank = H::Rank;
            type Answers = H::Answers;
            type Wraps = H::Wraps;
            type Listens = H::Listens;

            #[inline]
            fn wanted(&self) -> EventSet {
                (**self).wanted()
            }

            #[inline]
            fn wrapped(&self) -> EventSet {
                (**self).wrapped()
            }

            #[inline]
            fn registry(&self) -> Option<[&dyn Any; 2]> {
                (**self).registry()
            }
        }

        impl<$($generics)* H: Describe + ?Sized> Describe for $pointer {
            fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
                (**self).describe(plan);
            }
        }

        answer_as! {
            [$($generics)* H: ?Sized,] $pointer, this => (**this);
        }
    )* };
}
pointers! {
    ['r,] &'r H;
    [] Box<H>;
    [] Arc<H>;
}

/// A dispatch skips a hook that is switched off, at the cost of one branch.
#[diagnostic::do_not_recommend]
impl<H: Hook> Hook for Option<H> {
    type Vocabulary = H::Vocabulary;
    const NAME: &'static str = H::NAME;
    type Rank = H::Rank;
    type Answers = H::Answers;
    type Wraps = H::Wraps;
    type Listens = H::Listens;

    #[inline]
    fn wanted(&self) -> EventSet {
        self.as_ref().map_or(EventSet::NONE, Hook::wanted)
    }

    #[inline]
    fn wrapped(&self) -> EventSet {
        self.as_ref().map_or(EventSet::NONE, Hook::wrapped)
    }
}

impl<H: Describe> Describe for Option<H> {
    fn describe<'d>(&'d self, plan: &mut Planner<'d, '_>) {
        if let Some(hook) = self {
            hook.describe(plan);
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, H: Handle<E> + Hook> Handle<E> for Option<H> {
    #[inline]
    fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        match self {
            Some(hook) => hook.handle(cx, event),
            None => go_on::<E>(),
        }
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        if let Some(hook) = self {
            hook.decided(cx, event, told);
        }
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        if let Some(hook) = self {
            hook.listen(witnesses);
        }
    }

    fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        match self {
            Some(hook) => hook.witnessed(cx, event, witnesses),
            None => go_on::<E>(),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Dispatched, H: HandleAsync<E, Said: Return<E>> + Hook> HandleAsync<E> for Option<H> {
    type Said = Outcome<E>;

    #[inline]
    async fn handle<'a>(&'a self, cx: &'a Context<E>, event: Access<'a, E>) -> Outcome<E> {
        match self {
            Some(hook) => hook.decide(cx, event).await,
            None => go_on::<E>(),
        }
    }

    #[inline]
    fn decide<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
    ) -> impl Future<Output = Outcome<E>> + Send {
        self.handle(cx, event)
    }

    #[inline]
    fn decided<'a>(&'a self, cx: &'a Context<E>, event: &'a E, told: Told<'a, E::Vocabulary>) {
        if let Some(hook) = self {
            hook.decided(cx, event, told);
        }
    }

    #[inline]
    fn listen(&self, witnesses: &mut WitnessesOf<E>) {
        if let Some(hook) = self {
            hook.listen(witnesses);
        }
    }

    async fn witnessed<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: Access<'a, E>,
        witnesses: &'a mut WitnessesOf<E>,
    ) -> Outcome<E> {
        match self {
            Some(hook) => hook.witnessed(cx, event, witnesses).await,
            None => go_on::<E>(),
        }
    }
}

#[cfg(feature = "std")]
#[diagnostic::do_not_recommend]
impl<E: Wrapped, H: Around<E> + Sync> Around<E> for Option<H> {
    async fn around<'a>(
        &'a self,
        cx: &'a Context<E>,
        event: &'a E,
        mut next: Next<'a, E>,
    ) -> E::Work {
        match self {
            Some(hook) => hook.around(cx, event, next).await,
            None => next.run().await,
        }
    }
}
