//! What one hook decides about an event.

use alloc::borrow::Cow;
use core::fmt;

use super::{HookResult, Scope};
use crate::event::{Blockable, Event, Intercepted, Respondable};

/// What one hook decides about the intercepted event `E`.
///
/// Whatever the event's vocabulary does not allow does not compile: to block an event that is `no_block`, to respond
/// to one without `respond = …`, to modify it with anything but its patch.
///
/// It covers ZeroClaw's `Cancel`, ClawSeed's `Modify`, mini-claw-code's `Block` and `ModifyArgs`, and PicoClaw's
/// `respond`, `abort_turn` and `hard_abort`.
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
#[doc(alias("allow", "deny", "veto"))]
#[must_use = "an action does nothing until the hook returns it"]
#[derive(Default)]
pub enum HookAction<E: Event> {
    /// Continue unchanged. The default.
    #[default]
    Continue,
    /// Change the event and continue: later hooks see the change. See [`HookAction::modify`].
    Modify(E::Patch),
    /// Answer instead of the agent. See [`HookAction::respond`].
    Respond(E::Response),
    /// Stop. Created by [`HookAction::block`], [`HookAction::abort_turn`] and [`HookAction::abort_run`], which check
    /// that the event allows it.
    #[non_exhaustive]
    Cancel {
        /// What it stops.
        scope: Scope,
        /// The reason.
        reason: Cow<'static, str>,
        /// The hook that decided, if it differs from the hook that returns the action: see `From<HookResult<E>>`.
        hook: Option<Cow<'static, str>>,
    },
}

impl<E: Event> HookAction<E> {
    /// Stops this event, such as one tool call. ZeroClaw's and ClawSeed's `Cancel`, PicoClaw's `deny_tool`.
    #[doc(alias("deny", "veto", "guardrail"))]
    pub fn block(reason: impl Into<Cow<'static, str>>) -> Self
    where
        E: Blockable,
    {
        Self::cancelled(Scope::Event, reason.into(), None)
    }

    /// Stops the turn: the agent replies to the user without further work. PicoClaw's `abort_turn`.
    pub fn abort_turn(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::cancelled(Scope::Turn, reason.into(), None)
    }

    /// Stops the agent. PicoClaw's `hard_abort`.
    pub fn abort_run(reason: impl Into<Cow<'static, str>>) -> Self {
        Self::cancelled(Scope::Run, reason.into(), None)
    }

    /// Changes the event and continues; later hooks see the change. It takes the type of the event's `patch = …`, or
    /// anything that converts to it. Without `patch = …`, it takes the whole event.
    ///
    /// A hook that takes the event by `&mut` changes it in place and does not need `modify`.
    pub fn modify(patch: impl IntoPatch<E>) -> Self {
        HookAction::Modify(patch.into_patch())
    }

    /// Answers the event instead of the agent, from a cache for example. PicoClaw's `respond`.
    pub fn respond(response: impl IntoResponse<E>) -> Self {
        HookAction::Respond(response.into_response())
    }

    /// For users of other systems, who write `HookAction::Cancel(reason)`: points them to [`block`](Self::block).
    #[doc(hidden)]
    #[deprecated(
        note = "write `HookAction::block(reason)`; to stop more than the event, \
                         `HookAction::abort_turn(reason)` or `HookAction::abort_run(reason)`"
    )]
    #[expect(non_snake_case, reason = "named as the variant is")]
    pub fn Cancel(reason: Cow<'static, str>) -> Self
    where
        E: Blockable,
    {
        Self::block(reason)
    }

    /// Whether the action is [`Continue`](Self::Continue).
    pub const fn is_continue(&self) -> bool {
        matches!(self, HookAction::Continue)
    }

    /// The action of a hook that cannot name the lifetime of its event.
    #[doc(hidden)]
    pub fn shortened(action: HookAction<E::At<'static>>) -> Self
    where
        E: Intercepted,
    {
        match action {
            HookAction::Continue => HookAction::Continue,
            HookAction::Modify(patch) => HookAction::Modify(E::patch_of(patch)),
            HookAction::Respond(response) => HookAction::Respond(E::response_of(response)),
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

    /// A cancellation that is known to be allowed, or that the event need not allow.
    #[doc(hidden)]
    pub const fn cancelled(
        scope: Scope,
        reason: Cow<'static, str>,
        hook: Option<Cow<'static, str>>,
    ) -> Self {
        HookAction::Cancel {
            scope,
            reason,
            hook,
        }
    }
}

/// A pipeline's decision, returned by the hook that ran the pipeline: `cancel.hook` stays the hook that decided.
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

/// What [`HookAction::modify`] takes for the event `E`: its patch, or anything that converts to it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not modify `{E}`",
    label = "not a patch of `{E}`",
    note = "`modify` takes the change, not the changed event: for a tool call, write `ToolCallPatch {{ … }}` or \
            `json!({{ … }})` with the new arguments; for other events, what `patch = …` names, or the whole event \
            where nothing is named",
    note = "to change the event itself, take it by `&mut`"
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

/// What [`HookAction::respond`] takes for the event `E`: its answer.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not answer `{E}`",
    label = "not an answer to `{E}`",
    note = "`respond` takes the answer that the event's `respond = …` names: for a tool call, write \
            `ToolOutput::new(…)`; for a model call, an `LlmResponse`",
    note = "an event without `respond = …` cannot be answered: a hook changes it, or blocks it"
)]
pub trait IntoResponse<E: Event> {
    #[doc(hidden)]
    fn into_response(self) -> E::Response;
}

#[diagnostic::do_not_recommend]
impl<E: Respondable<Answer = T>, T> IntoResponse<E> for T {
    fn into_response(self) -> E::Response {
        self
    }
}
