//! What one hook decides, and the outcome of a dispatch, for each kind of event.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::fmt::Display;

use super::{Cancel, HookAction, HookResult, Return, Scope};
use crate::event::{Access, Event, Intercept, Kind, Observe};

/// The decision of one handler: nothing, or an action.
pub type Said<E> = <<E as Event>::Kind as Decides>::Said<E>;

/// The outcome of a dispatch: `()` or `HookResult<E>`.
pub type Outcome<E> = <<E as Event>::Kind as Decides>::Outcome<E>;

/// What hooks on an event of this kind can decide.
pub trait Decides: Kind {
    /// The outcome of a dispatch: `()` or `HookResult<E>`.
    type Outcome<E: Event<Kind = Self>>: Return<E, Self> + Send;
    /// The decision of one hook: `()` or `HookAction<E>`.
    type Said<E: Event>: Send;

    /// Applies a hook's decision to the event, and returns the outcome.
    fn settle<E: Event<Kind = Self>>(
        event: Self::Access<'_, E>,
        said: Self::Said<E>,
        hook: &'static str,
    ) -> Self::Outcome<E>;

    /// Like [`settle`](Self::settle), for a hook whose name is known only at run time.
    fn settle_named<E: Event<Kind = Self>>(
        event: Self::Access<'_, E>,
        said: Self::Said<E>,
        hook: &str,
    ) -> Self::Outcome<E>;

    /// The decision of a hook that returns nothing.
    fn nothing<E: Event<Kind = Self>>() -> Self::Said<E>;

    /// The outcome if no hook has decided.
    fn go_on<E: Event<Kind = Self>>() -> Self::Outcome<E>;

    /// The outcome of a failed hook. It blocks if `block` is set and the event can be blocked; otherwise the event
    /// continues.
    fn failed<E: Event<Kind = Self>>(
        block: bool,
        hook: impl FnOnce() -> Cow<'static, str>,
        failure: impl Display,
    ) -> Self::Outcome<E>;
}

/// Every event: the bound of code that dispatches one of either kind.
pub trait Dispatched: Event<Kind: Decides> {}

impl<E: Event<Kind: Decides>> Dispatched for E {}

/// Applies a hook's decision to the event, and returns the outcome.
#[inline(always)]
pub fn settle<E: Event<Kind: Decides>>(
    access: Access<'_, E>,
    said: Said<E>,
    hook: &'static str,
) -> Outcome<E> {
    E::Kind::settle::<E>(access, said, hook)
}

/// The outcome if no hook has decided.
#[inline(always)]
#[must_use]
pub fn go_on<E: Event<Kind: Decides>>() -> Outcome<E> {
    E::Kind::go_on::<E>()
}

impl Decides for Observe {
    type Outcome<E: Event<Kind = Self>> = ();
    type Said<E: Event> = ();

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(_: &E, (): (), _: &'static str) {}

    #[inline(always)]
    fn settle_named<E: Event<Kind = Self>>(_: &E, (): (), _: &str) {}

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() {}

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() {}

    fn failed<E: Event<Kind = Self>>(
        _: bool,
        hook: impl FnOnce() -> Cow<'static, str>,
        failure: impl Display,
    ) {
        crate::trace::skipped(&hook(), E::NAME, failure);
    }
}

impl Decides for Intercept {
    type Outcome<E: Event<Kind = Self>> = HookResult<E>;
    type Said<E: Event> = HookAction<E>;

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(
        event: &mut E,
        said: HookAction<E>,
        hook: &'static str,
    ) -> HookResult<E> {
        crate::trace::decided(hook, E::NAME, said.word());
        said.settle(event, || Cow::Borrowed(hook))
    }

    fn settle_named<E: Event<Kind = Self>>(
        event: &mut E,
        said: HookAction<E>,
        hook: &str,
    ) -> HookResult<E> {
        crate::trace::decided(hook, E::NAME, said.word());
        said.settle(event, || Cow::Owned(hook.into()))
    }

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() -> HookAction<E> {
        HookAction::Continue
    }

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() -> HookResult<E> {
        HookResult::Continue
    }

    fn failed<E: Event<Kind = Self>>(
        block: bool,
        hook: impl FnOnce() -> Cow<'static, str>,
        failure: impl Display,
    ) -> HookResult<E> {
        if block && E::BLOCKABLE {
            return HookResult::Cancel(Cancel {
                hook: hook(),
                reason: failure.to_string().into(),
                scope: Scope::Event,
            });
        }
        crate::trace::skipped(&hook(), E::NAME, failure);
        HookResult::Continue
    }
}
