//! What a hook's function may return.

use alloc::string::ToString;
use core::fmt::Display;

use super::{Decides, HookAction, HookResult};
use crate::event::{Blockable, Event, Intercept};

/// What a hook on the event `E`, of kind `K`, may return.
///
/// | event | a hook returns |
/// | --- | --- |
/// | observed | nothing |
/// | intercepted | nothing, [`HookAction<E>`], or the [`HookResult<E>`] of a pipeline that it ran |
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
    /// Whether the decision is already recorded, under the name of the hook that made it.
    #[doc(hidden)]
    const IS_TOLD: bool = false;

    /// Converts the value to the hook's decision.
    #[doc(hidden)]
    fn said(self) -> K::Said<E>;
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = K>, K: Decides> Return<E, K> for () {
    #[inline(always)]
    fn said(self) -> K::Said<E> {
        K::nothing::<E>()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept>> Return<E, Intercept> for HookAction<E> {
    #[inline(always)]
    fn said(self) -> HookAction<E> {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = Intercept>> Return<E, Intercept> for HookResult<E> {
    const IS_TOLD: bool = true;

    #[inline(always)]
    fn said(self) -> HookAction<E> {
        self.into()
    }
}

#[diagnostic::do_not_recommend]
impl<E, R, X> Return<E, Intercept> for Result<R, X>
where
    E: Event<Kind = Intercept> + Blockable,
    R: Return<E, Intercept>,
    X: Display,
{
    #[inline(always)]
    fn said(self) -> HookAction<E> {
        match self {
            Ok(said) => said.said(),
            Err(error) => HookAction::block(error.to_string()),
        }
    }
}
