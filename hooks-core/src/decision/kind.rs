//! What one hook says, and what a dispatch ends with, for each kind of event.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::fmt::Display;

use super::{AnyAction, Cancel, HookAction, HookResult, Name, Scope};
use crate::event::{Blockable, Event, Intercept, Kind, Observe};

/// The action of one hook: nothing, or a [`HookAction`].
pub type ActionOn<E> = <<E as Event>::Kind as Decides>::Action<E>;

/// The result of a dispatch: nothing, or a [`HookResult`].
pub type ResultOf<E> = <<E as Event>::Kind as Decides>::Result<E>;

/// What hooks on an event of this kind can say.
pub trait Decides: Kind {
    /// The result of a dispatch: `()` or `HookResult<E>`.
    type Result<E: Event<Kind = Self>>: Send;
    /// The action of one hook: `()` or `HookAction<E>`.
    type Action<E: Event<Kind = Self>>: Return<E, Self> + Send;

    /// The action of a hook that returns nothing.
    fn nothing<E: Event<Kind = Self>>() -> Self::Action<E>;

    /// The action of a hook on any event that returns an error: it blocks the event, if it can be blocked.
    fn refused<E: Event<Kind = Self>>(reason: impl Display) -> Self::Action<E>;

    /// Carries out the action of a guard, which only judges: anything else blocks the event.
    fn settle_guard<E: Event<Kind = Self>>(
        action: Self::Action<E>,
        hook: Name<'_>,
    ) -> Self::Result<E>;

    /// The result if no hook decides.
    fn go_on<E: Event<Kind = Self>>() -> Self::Result<E>;

    /// Whether the next hook runs.
    fn goes_on<E: Event<Kind = Self>>(result: &Self::Result<E>) -> bool;

    /// Whether the action changes the event.
    fn modifies<E: Event<Kind = Self>>(action: &Self::Action<E>) -> bool;

    /// Carries out a hook's action on the event.
    fn settle<E: Event<Kind = Self>>(
        event: Self::Access<'_, E>,
        action: Self::Action<E>,
        hook: Name<'_>,
    ) -> Self::Result<E>;

    /// The result as the action of the hook that returns it.
    fn action_of<E: Event<Kind = Self>>(result: Self::Result<E>) -> Self::Action<E>;

    /// The result under another name, if `rename` knows one for the hook that decided.
    fn renamed<E: Event<Kind = Self>>(
        result: Self::Result<E>,
        rename: impl FnOnce(&str) -> Option<Cow<'static, str>>,
    ) -> Self::Result<E>;

    /// The result, for code that does not know the event.
    fn any<E: Event<Kind = Self>>(result: &Self::Result<E>) -> AnyAction<'_>;

    /// The result as wrappers see it, which are for events of both kinds.
    fn seen<E: Event<Kind = Self>>(result: Self::Result<E>) -> HookResult<E>;

    /// The result that a wrapper returns. What cannot be blocked continues.
    fn returned<E: Event<Kind = Self>>(result: HookResult<E>) -> Self::Result<E>;
}

impl Decides for Observe {
    type Result<E: Event<Kind = Self>> = ();
    type Action<E: Event<Kind = Self>> = ();

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() {}

    fn refused<E: Event<Kind = Self>>(reason: impl Display) {
        crate::trace::skipped("every", E::NAME, reason);
    }

    #[inline(always)]
    fn settle_guard<E: Event<Kind = Self>>((): (), _: Name<'_>) {}

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() {}

    #[inline(always)]
    fn goes_on<E: Event<Kind = Self>>((): &()) -> bool {
        true
    }

    #[inline(always)]
    fn modifies<E: Event<Kind = Self>>((): &()) -> bool {
        false
    }

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(_: &E, (): (), _: Name<'_>) {}

    #[inline(always)]
    fn action_of<E: Event<Kind = Self>>((): ()) {}

    fn renamed<E: Event<Kind = Self>>((): (), _: impl FnOnce(&str) -> Option<Cow<'static, str>>) {}

    #[inline(always)]
    fn any<E: Event<Kind = Self>>((): &()) -> AnyAction<'_> {
        AnyAction::Continue
    }

    #[inline(always)]
    fn seen<E: Event<Kind = Self>>((): ()) -> HookResult<E> {
        HookResult::Continue
    }

    #[inline(always)]
    fn returned<E: Event<Kind = Self>>(_: HookResult<E>) {}
}

/// A guard has changed or answered the event.
#[cold]
fn did_more<E: Event<Kind = Intercept>>(hook: Cow<'static, str>) -> HookResult<E> {
    HookResult::Cancel(Cancel {
        hook,
        reason: "a guard may only allow or deny, and this one did more".into(),
        scope: Scope::Event,
    })
}

impl Decides for Intercept {
    type Result<E: Event<Kind = Self>> = HookResult<E>;
    type Action<E: Event<Kind = Self>> = HookAction<E>;

    #[inline(always)]
    fn nothing<E: Event<Kind = Self>>() -> HookAction<E> {
        HookAction::Continue
    }

    fn refused<E: Event<Kind = Self>>(reason: impl Display) -> HookAction<E> {
        cancelled::<E>(Scope::Event, reason.to_string().into(), None)
    }

    #[inline(always)]
    fn settle_guard<E: Event<Kind = Self>>(action: HookAction<E>, hook: Name<'_>) -> HookResult<E> {
        let result = match action {
            HookAction::Continue => HookResult::Continue,
            HookAction::Modify(patch) => {
                drop(patch);
                return did_more(hook.owned());
            }
            HookAction::Respond(response) => HookResult::Respond(response),
            HookAction::Cancel {
                scope,
                reason,
                hook: decided_by,
            } => HookResult::Cancel(Cancel {
                hook: decided_by.unwrap_or_else(|| hook.owned()),
                reason,
                scope,
            }),
        };
        // Not in the arm above: an arm that maps an answer to an answer leaves rustc nothing to do for a guard that goes on.
        match result {
            HookResult::Respond(response) => {
                drop(response);
                did_more(hook.owned())
            }
            result => result,
        }
    }

    #[inline(always)]
    fn go_on<E: Event<Kind = Self>>() -> HookResult<E> {
        HookResult::Continue
    }

    #[inline(always)]
    fn goes_on<E: Event<Kind = Self>>(result: &HookResult<E>) -> bool {
        result.is_continue()
    }

    #[inline(always)]
    fn modifies<E: Event<Kind = Self>>(action: &HookAction<E>) -> bool {
        matches!(action, HookAction::Modify(_))
    }

    #[inline(always)]
    fn settle<E: Event<Kind = Self>>(
        event: &mut E,
        action: HookAction<E>,
        hook: Name<'_>,
    ) -> HookResult<E> {
        match action {
            HookAction::Continue => HookResult::Continue,
            HookAction::Modify(patch) => {
                crate::event::Patch::apply(patch, event);
                HookResult::Continue
            }
            HookAction::Respond(response) => HookResult::Respond(response),
            HookAction::Cancel {
                scope,
                reason,
                hook: decided_by,
            } => HookResult::Cancel(Cancel {
                hook: decided_by.unwrap_or_else(|| hook.owned()),
                reason,
                scope,
            }),
        }
    }

    #[inline(always)]
    fn action_of<E: Event<Kind = Self>>(result: HookResult<E>) -> HookAction<E> {
        result.into()
    }

    fn renamed<E: Event<Kind = Self>>(
        mut result: HookResult<E>,
        rename: impl FnOnce(&str) -> Option<Cow<'static, str>>,
    ) -> HookResult<E> {
        if let HookResult::Cancel(cancel) = &mut result
            && let Some(name) = rename(&cancel.hook)
        {
            cancel.hook = name;
        }
        result
    }

    #[inline(always)]
    fn any<E: Event<Kind = Self>>(result: &HookResult<E>) -> AnyAction<'_> {
        result.any()
    }

    #[inline(always)]
    fn seen<E: Event<Kind = Self>>(result: HookResult<E>) -> HookResult<E> {
        result
    }

    #[inline(always)]
    fn returned<E: Event<Kind = Self>>(result: HookResult<E>) -> HookResult<E> {
        match result {
            HookResult::Cancel(cancel) if cancel.scope == Scope::Event && !E::INFO.can_block => {
                crate::trace::skipped(&cancel.hook, E::NAME, cancel.reason);
                HookResult::Continue
            }
            result => result,
        }
    }
}

/// What a hook on the event `E`, of kind `K`, may return.
///
/// | event | a hook returns |
/// | --- | --- |
/// | observed | nothing |
/// | intercepted | nothing, or [`HookAction<E>`], which the result of hooks that it ran becomes by `.into()` |
/// | intercepted and not `no_block` | also `Result<either, X>` with `X: Display`; `Err(x)` blocks with that reason |
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn only_numbers(call: &BeforeToolCall) -> Result<(), std::num::ParseIntError> {
///     let _: u32 = call.name.parse()?;
///     Ok(())
/// }
///
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// let result = hooks![only_numbers].intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(result.as_cancel().unwrap().reason, "invalid digit found in string");
/// ```
#[diagnostic::on_unimplemented(
    message = "a hook on `{E}` cannot return `{Self}`",
    label = "not something that this hook can return",
    note = "on an observed event a hook returns nothing; on an intercepted event `E` it returns nothing, \
            `HookAction<E>` of that same event, or, where the event can be blocked, a `Result` of either, \
            whose error is `Display`"
)]
pub trait Return<E: Event<Kind = K>, K: Decides = <E as Event>::Kind> {
    /// Whether it is an action, which may modify the event.
    #[doc(hidden)]
    const MODIFIES: bool = false;

    /// Converts the value to the hook's action.
    #[doc(hidden)]
    fn action(self) -> K::Action<E>;
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = K>, K: Decides> Return<E, K> for () {
    #[inline(always)]
    fn action(self) -> K::Action<E> {
        K::nothing::<E>()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept>> Return<E, Intercept> for HookAction<E> {
    const MODIFIES: bool = true;

    #[inline(always)]
    fn action(self) -> HookAction<E> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E, R, X> Return<E, Intercept> for Result<R, X>
where
    E: Event<Kind = Intercept> + Blockable,
    R: Return<E, Intercept>,
    X: Display,
{
    const MODIFIES: bool = R::MODIFIES;

    #[inline(always)]
    fn action(self) -> HookAction<E> {
        match self {
            Ok(said) => said.action(),
            Err(error) => HookAction::block(error.to_string()),
        }
    }
}

/// The result if no hook decides.
#[inline(always)]
#[must_use]
pub fn go_on<E: Event<Kind: Decides>>() -> ResultOf<E> {
    E::Kind::go_on::<E>()
}

/// The action that cancels, for a hook on any event. An event that cannot be blocked continues.
#[doc(hidden)]
pub fn cancelled<E: Event>(
    scope: Scope,
    reason: Cow<'static, str>,
    hook: Option<Cow<'static, str>>,
) -> HookAction<E> {
    if scope == Scope::Event && !E::INFO.can_block {
        let hook = hook.as_deref().unwrap_or("every");
        crate::trace::skipped(
            hook,
            E::NAME,
            format_args!("the event cannot be blocked: {reason}"),
        );
        return HookAction::Continue;
    }
    HookAction::cancelled(scope, reason, hook)
}
