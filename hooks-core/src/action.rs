//! What one hook says of an event, and what a hook may return to say it.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::fmt::{self, Display};

use crate::event::{Blockable, Event, Intercept, Kind, Patch, Respondable};
use crate::result::{Cancel, HookResult, Scope};

/// What one hook says of the intercepted event `E`.
///
/// What an event's vocabulary does not allow does not compile: to block one that is `no_block`, to
/// answer one without `respond = …`, to modify it with anything but its patch.
///
/// ZeroClaw's `Cancel`, ClawSeed's `Modify`, mini-claw-code's `Block` and `ModifyArgs`, PicoClaw's
/// `respond`, `abort_turn` and `hard_abort` are all here.
///
/// ```
/// use hooks_core::agent::{BeforeToolCall, ToolOutput};
/// use hooks_core::{HookAction, hook};
/// use serde_json::json;
///
/// #[hook]
/// fn careful(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     match call.name.as_str() {
///         "shell" => HookAction::block("no shell here"),
///         "date" => HookAction::respond(ToolOutput::new("Monday")),
///         "list" => HookAction::modify(json!({ "path": "." })),
///         "format_disk" => HookAction::abort_run("this agent has gone mad"),
///         _ => HookAction::Continue,
///     }
/// }
///
/// let call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// assert_eq!(careful::call(&call), HookAction::block("no shell here"));
/// ```
#[must_use = "an action does nothing until the hook returns it"]
#[derive(Default)]
pub enum HookAction<E: Event> {
    /// Nothing to say: go on. The default.
    #[default]
    Continue,
    /// Change the event, and go on: later hooks see it as changed. See [`HookAction::modify`].
    Modify(E::Patch),
    /// Answer in the agent's place. See [`HookAction::respond`].
    Respond(E::Response),
    /// Do not go on. Made by [`HookAction::block`], [`HookAction::abort_turn`] and
    /// [`HookAction::abort_run`], which check that the event allows it.
    #[non_exhaustive]
    Cancel {
        /// How far it reaches.
        scope: Scope,
        /// Why.
        reason: Cow<'static, str>,
        /// The hook that decided it, where it is not the one that says it: see
        /// `From<HookResult<E>>`.
        hook: Option<Cow<'static, str>>,
    },
}

impl<E: Event> HookAction<E> {
    /// Stops this event, such as one tool call: ZeroClaw's and ClawSeed's `Cancel`, PicoClaw's
    /// `deny_tool`.
    pub fn block(reason: impl Into<Cow<'static, str>>) -> Self
    where
        E: Blockable,
    {
        Self::cancel(Scope::Event, reason.into())
    }

    /// Stops the turn: the agent answers the user without working on. PicoClaw's `abort_turn`.
    pub fn abort_turn(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::cancel(Scope::Turn, reason.into())
    }

    /// Stops the agent. PicoClaw's `hard_abort`.
    pub fn abort_run(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::cancel(Scope::Run, reason.into())
    }

    /// Changes the event and goes on; later hooks see it as changed. It takes what the event's
    /// `patch = …` names, or what turns into it, and without one the whole event.
    ///
    /// A hook that takes the event by `&mut` changes it in place and needs no `modify`.
    pub fn modify(patch: impl IntoPatch<E>) -> Self {
        HookAction::Modify(patch.into_patch())
    }

    /// Answers the event in the agent's place, as from a cache. PicoClaw's `respond`.
    pub fn respond<R>(response: R) -> Self
    where
        E: Respondable<Answer = R>,
    {
        HookAction::Respond(response)
    }

    /// Whether the hook has nothing against going on as things are.
    pub const fn is_continue(&self) -> bool {
        matches!(self, HookAction::Continue)
    }

    const fn cancel(scope: Scope, reason: Cow<'static, str>) -> Self {
        HookAction::Cancel {
            scope,
            reason,
            hook: None,
        }
    }

    /// The same action for another event, as the macro writes it for an event of another lifetime.
    #[doc(hidden)]
    pub fn map<F: Event>(
        self,
        patch: impl FnOnce(E::Patch) -> F::Patch,
        response: impl FnOnce(E::Response) -> F::Response,
    ) -> HookAction<F> {
        match self {
            HookAction::Continue => HookAction::Continue,
            HookAction::Modify(change) => HookAction::Modify(patch(change)),
            HookAction::Respond(answer) => HookAction::Respond(response(answer)),
            HookAction::Cancel {
                scope,
                reason,
                hook,
            } => HookAction::Cancel {
                scope,
                reason,
                hook,
            },
        }
    }

    /// Applies a change to the event, and says what that means for the pipeline.
    #[inline(always)]
    pub(crate) fn settle(
        self,
        event: &mut E,
        hook: impl FnOnce() -> Cow<'static, str>,
    ) -> HookResult<E> {
        match self {
            HookAction::Continue => HookResult::Continue,
            HookAction::Modify(patch) => {
                patch.apply(event);
                HookResult::Continue
            }
            HookAction::Respond(response) => HookResult::Respond(response),
            HookAction::Cancel {
                scope,
                reason,
                hook: decided_by,
            } => HookResult::Cancel(Cancel {
                hook: decided_by.unwrap_or_else(hook),
                reason,
                scope,
            }),
        }
    }
}

/// What a pipeline decided, said by the hook that asked it: `cancel.hook` stays the one that decided.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{HookAction, hook, hooks};
///
/// #[hook]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// #[hook]
/// fn in_subagents(cx: &AgentContext, call: &mut BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if cx.depth == 0 {
///         return HookAction::Continue;
///     }
///     hooks![no_shell].intercept_now(cx, call).into()
/// }
///
/// let cx = AgentContext::new("s1").with_depth(1);
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// let result = hooks![in_subagents].intercept_now(&cx, &mut call);
/// assert_eq!(result.as_cancel().unwrap().hook, "no_shell");
/// ```
impl<E: Event> From<HookResult<E>> for HookAction<E> {
    fn from(result: HookResult<E>) -> Self {
        match result {
            HookResult::Continue => HookAction::Continue,
            HookResult::Respond(response) => HookAction::Respond(response),
            HookResult::Cancel(cancel) => HookAction::Cancel {
                scope: cancel.scope,
                reason: cancel.reason,
                hook: Some(cancel.hook),
            },
        }
    }
}

impl<E> fmt::Debug for HookAction<E>
where
    E: Event<Patch: fmt::Debug, Response: fmt::Debug>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookAction::Continue => f.write_str("Continue"),
            HookAction::Modify(patch) => f.debug_tuple("Modify").field(patch).finish(),
            HookAction::Respond(response) => f.debug_tuple("Respond").field(response).finish(),
            HookAction::Cancel {
                scope,
                reason,
                hook,
            } => f
                .debug_struct("Cancel")
                .field("scope", scope)
                .field("reason", reason)
                .field("hook", hook)
                .finish(),
        }
    }
}

impl<E: Event<Patch: Clone, Response: Clone>> Clone for HookAction<E> {
    fn clone(&self) -> Self {
        match self {
            HookAction::Continue => HookAction::Continue,
            HookAction::Modify(patch) => HookAction::Modify(patch.clone()),
            HookAction::Respond(response) => HookAction::Respond(response.clone()),
            HookAction::Cancel {
                scope,
                reason,
                hook,
            } => HookAction::Cancel {
                scope: *scope,
                reason: reason.clone(),
                hook: hook.clone(),
            },
        }
    }
}

impl<E: Event<Patch: PartialEq, Response: PartialEq>> PartialEq for HookAction<E> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (HookAction::Continue, HookAction::Continue) => true,
            (HookAction::Modify(a), HookAction::Modify(b)) => a == b,
            (HookAction::Respond(a), HookAction::Respond(b)) => a == b,
            (
                HookAction::Cancel {
                    scope,
                    reason,
                    hook,
                },
                HookAction::Cancel {
                    scope: other_scope,
                    reason: other_reason,
                    hook: other_hook,
                },
            ) => (scope, reason, hook) == (other_scope, other_reason, other_hook),
            _ => false,
        }
    }
}

/// What [`HookAction::modify`] takes for the event `E`: its patch, and what turns into it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not modify `{E}`",
    label = "not a patch of `{E}`, and nothing that turns into one",
    note = "`modify` takes what the event's `patch = …` names, or what turns into it by `From`, as a JSON \
            value does for a tool call; an event without `patch = …` is replaced as a whole. A hook that \
            takes the event by `&mut` changes it in place"
)]
pub trait IntoPatch<E: Event> {
    #[doc(hidden)]
    fn into_patch(self) -> E::Patch;
}

#[diagnostic::do_not_recommend]
impl<E: Event, T: Into<E::Patch>> IntoPatch<E> for T {
    fn into_patch(self) -> E::Patch {
        self.into()
    }
}

/// What a hook on the event `E`, of kind `K`, may return.
///
/// | event | a hook returns |
/// | --- | --- |
/// | observed | nothing |
/// | intercepted | nothing, [`HookAction<E>`], or the [`HookResult<E>`] of a pipeline that it asked |
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
pub trait Return<E: Event<Kind = K>, K: Kind = <E as Event>::Kind> {
    /// Whether it has been told of, under the name of the hook that said it.
    #[doc(hidden)]
    const IS_TOLD: bool = false;

    /// What the hook says with it.
    #[doc(hidden)]
    fn said(self) -> K::Said<E>;
}

#[diagnostic::do_not_recommend]
impl<E: Event<Kind = K>, K: Kind> Return<E, K> for () {
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
