//! What the compiler knows about hooks on one event, as one of five types.
//!
//! Hooks may change the event, and there may be guards among them. If a guard comes before a hook that can change the
//! event, the guards may have to judge it again: a dispatch then has two rounds. Where nothing can change the event after
//! a guard, there is no second round, and not one instruction of it.
//!
//! The facts of a list are those of its hooks in their order, by [`Facts::Then`]. This is one type and not a flag for each
//! fact, because rustc normalises every projection of every hook anew: a list of eight hooks has seven of them here.

use core::future::Future;

use super::guard::{GuardWatch, Round};
use super::steps::{Steps, StepsOf};
use super::watch::Watch;
use super::{AnyEvent, Ask, Dispatch, Leaf};
use crate::decision::{ActionOn, Decides, Name, ResultOf, go_on};
use crate::event::{Access, Context};
use crate::hook::Hook;

/// What holds of hooks on an event.
pub trait Facts {
    /// Whether they can change the event.
    const CHANGES: bool;
    /// Whether there is a guard among them.
    const GUARDS: bool;
    /// The facts of these hooks and of others after them.
    type Then<F: Facts>: Facts;
    /// The facts of these hooks after one that can change the event.
    type AfterChanges: Facts;
    /// The facts of these hooks after a guard.
    type AfterGuards: Facts;
    /// The facts of these hooks after a guard that comes after a hook that can change the event.
    type AfterBoth: Facts;
    /// The facts of these hooks, if their second round is theirs alone.
    type Settled: Facts;

    /// Carries out what one hook said. rustc makes the code for guards only where there can be one.
    #[inline(always)]
    fn settle<E: AnyEvent>(
        _is_guard: bool,
        event: Access<'_, E>,
        action: ActionOn<E>,
        hook: Name<'_>,
    ) -> ResultOf<E> {
        <E::Kind as Decides>::settle::<E>(event, action, hook)
    }

    /// What the guard says that shares its type with a hook that changes the event: see [`Leaf::judge`].
    #[inline(always)]
    #[must_use]
    fn judge<H: Leaf<E> + Hook + ?Sized, E: AnyEvent>(_: &H, _: &Context<E>, _: &E) -> ResultOf<E> {
        go_on::<E>()
    }

    /// Runs the hooks, and judges the event again if that is needed.
    #[inline(always)]
    fn rounds<'a, H, E, W>(
        hooks: &'a H,
        ask: Ask<'a, E, W>,
    ) -> impl Future<Output = ResultOf<E>> + Send
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        <StepsOf<H, E> as Steps<H, E>>::whole::<W>(hooks, ask)
    }

    /// Like [`rounds`](Self::rounds), without an executor.
    #[inline(always)]
    fn rounds_now<'a, H, E, W>(hooks: &'a H, ask: Ask<'a, E, W>) -> ResultOf<E>
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        <StepsOf<H, E> as Steps<H, E>>::whole_now::<W>(hooks, ask)
    }
}

/// Nothing changes the event, and nothing judges it.
#[derive(Debug)]
pub enum Looks {}
/// Hooks can change the event.
#[derive(Debug)]
pub enum Changes {}
/// Guards judge the event.
#[derive(Debug)]
pub enum Guards {}
/// Hooks can change the event, and then guards judge it.
#[derive(Debug)]
pub enum ChangesAndGuards {}
/// A guard judges the event before a hook that can change it.
#[derive(Debug)]
pub enum Rejudges {}

impl Facts for Looks {
    const CHANGES: bool = false;
    const GUARDS: bool = false;
    type Then<F: Facts> = F;
    type AfterChanges = Changes;
    type AfterGuards = Guards;
    type AfterBoth = ChangesAndGuards;
    type Settled = Looks;
}

impl Facts for Changes {
    const CHANGES: bool = true;
    const GUARDS: bool = false;
    type Then<F: Facts> = F::AfterChanges;
    type AfterChanges = Changes;
    type AfterGuards = Rejudges;
    type AfterBoth = Rejudges;
    type Settled = Changes;
}

impl Facts for Guards {
    const CHANGES: bool = false;
    const GUARDS: bool = true;
    type Then<F: Facts> = F::AfterGuards;
    type AfterChanges = ChangesAndGuards;
    type AfterGuards = Guards;
    type AfterBoth = ChangesAndGuards;
    type Settled = Guards;

    #[inline(always)]
    fn settle<E: AnyEvent>(
        _: bool,
        _: Access<'_, E>,
        action: ActionOn<E>,
        hook: Name<'_>,
    ) -> ResultOf<E> {
        E::Kind::settle_guard::<E>(action, hook)
    }
}

impl Facts for ChangesAndGuards {
    const CHANGES: bool = true;
    const GUARDS: bool = true;
    type Then<F: Facts> = F::AfterBoth;
    type AfterChanges = ChangesAndGuards;
    type AfterGuards = Rejudges;
    type AfterBoth = Rejudges;
    type Settled = ChangesAndGuards;

    #[inline(always)]
    fn settle<E: AnyEvent>(
        is_guard: bool,
        event: Access<'_, E>,
        action: ActionOn<E>,
        hook: Name<'_>,
    ) -> ResultOf<E> {
        if is_guard {
            E::Kind::settle_guard::<E>(action, hook)
        } else {
            <E::Kind as Decides>::settle::<E>(event, action, hook)
        }
    }

    fn judge<H: Leaf<E> + Hook + ?Sized, E: AnyEvent>(
        hook: &H,
        cx: &Context<E>,
        event: &E,
    ) -> ResultOf<E> {
        E::Kind::settle_guard::<E>(hook.judge(cx, event), hook.name())
    }
}

impl Facts for Rejudges {
    const CHANGES: bool = true;
    const GUARDS: bool = true;
    type Then<F: Facts> = Rejudges;
    type AfterChanges = Rejudges;
    type AfterGuards = Rejudges;
    type AfterBoth = Rejudges;
    type Settled = ChangesAndGuards;

    async fn rounds<'a, H, E, W>(hooks: &'a H, mut ask: Ask<'a, E, W>) -> ResultOf<E>
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        let mut round = Round::default();
        loop {
            let mut own = &mut round;
            let ask = ask.with::<GuardWatch>(&mut own);
            let result = <StepsOf<H, E> as Steps<H, E>>::whole(hooks, ask).await;
            if !E::Kind::goes_on::<E>(&result) || round.is_last() {
                return result;
            }
        }
    }

    #[inline]
    fn rounds_now<'a, H, E, W>(hooks: &'a H, mut ask: Ask<'a, E, W>) -> ResultOf<E>
    where
        H: Dispatch<E> + ?Sized,
        E: AnyEvent,
        W: Watch<E::Vocabulary>,
    {
        let mut round = Round::default();
        loop {
            let mut own = &mut round;
            let ask = ask.with::<GuardWatch>(&mut own);
            let result = <StepsOf<H, E> as Steps<H, E>>::whole_now(hooks, ask);
            if !E::Kind::goes_on::<E>(&result) || round.is_last() {
                return result;
            }
        }
    }
}
