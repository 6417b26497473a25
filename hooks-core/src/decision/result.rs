//! What a whole pipeline decides about an event.

use alloc::borrow::Cow;
use alloc::string::ToString;
use core::error::Error;
use core::fmt;

use super::AnyAction;
use crate::event::Event;

/// What a cancellation stops.
///
/// PicoClaw's `deny_tool`, `abort_turn` and `hard_abort`.
///
/// ```
/// use hooks_core::Scope;
/// assert!(Scope::Event < Scope::Turn && Scope::Turn < Scope::Run);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Only the current event, such as one tool call.
    Event,
    /// The turn: the agent replies to the user without further work.
    Turn,
    /// The run: the agent stops.
    Run,
}

/// Why an event does not continue: the hook that stopped it, the reason, and the scope.
///
/// It displays as a sentence that you can hand to the model, and it is an [`Error`].
///
/// ```
/// use hooks_core::{Cancel, Scope};
///
/// let cancel = Cancel {
///     hook: "deny_rm".into(),
///     reason: "recursive delete is not allowed".into(),
///     scope: Scope::Event,
/// };
/// assert_eq!(
///     cancel.to_string(),
///     "hook `deny_rm` blocked the event: recursive delete is not allowed",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Cancel {
    /// The name of the hook that decided.
    pub hook: Cow<'static, str>,
    /// The hook's reason.
    pub reason: Cow<'static, str>,
    /// What it stops.
    pub scope: Scope,
}

impl Cancel {
    /// A failed hook blocks the event.
    pub(crate) fn of(hook: Cow<'static, str>, failure: &impl fmt::Display) -> Self {
        Cancel {
            hook,
            reason: failure.to_string().into(),
            scope: Scope::Event,
        }
    }
}

impl fmt::Display for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cancel {
            hook,
            reason,
            scope,
        } = self;
        let did = match scope {
            Scope::Event => "blocked the event",
            Scope::Turn => "aborted the turn",
            Scope::Run => "aborted the run",
        };
        write!(f, "hook `{hook}` {did}")?;
        if reason.is_empty() {
            return Ok(());
        }
        write!(f, ": {reason}")
    }
}

impl Error for Cancel {}

/// What the whole pipeline decides about the intercepted event `E`.
///
/// Hooks change the event in place, so `Continue` carries no value. For an event that no hook can answer, `Respond`
/// holds a type without values, and a `match` may leave it out.
///
/// In ZeroClaw and ClawSeed, `HookResult` also carried the changed value, and had no `Respond`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall, ToolOutput};
/// use hooks_core::{HookAction, HookResult, hook, hooks};
///
/// #[hook]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// fn run(call: &BeforeToolCall) -> ToolOutput {
///     ToolOutput::new(format!("ran {}", call.name))
/// }
///
/// let hooks = hooks![no_shell];
/// let mut call = BeforeToolCall { name: "shell".into(), ..Default::default() };
/// let output = match hooks.intercept_now(&AgentContext::new("s1"), &mut call) {
///     HookResult::Continue => run(&call),
///     HookResult::Respond(output) => output,
///     HookResult::Cancel(cancel) => ToolOutput::error(cancel.to_string()),
/// };
/// assert_eq!(output.content, "hook `no_shell` blocked the event: no shell here");
/// ```
#[must_use = "the hooks' decision is lost: `match` on it and honour `Respond` and `Cancel`"]
pub enum HookResult<E: Event> {
    /// Continue with the event in its current state.
    Continue,
    /// Stop: a hook has answered instead of the agent.
    Respond(E::Response),
    /// Stop: a hook has blocked the event, or aborted the turn or the run.
    Cancel(Cancel),
}

impl<E: Event> HookResult<E> {
    /// Whether the agent continues.
    pub const fn is_continue(&self) -> bool {
        matches!(self, HookResult::Continue)
    }

    /// Converts the result for use with `?`: `None` to continue, or an answer to use instead of the work.
    ///
    /// ```
    /// use hooks_core::agent::{AgentContext, AgentHooks, BeforeToolCall, ToolOutput};
    /// use hooks_core::Cancel;
    ///
    /// async fn call(hooks: &impl AgentHooks, mut call: BeforeToolCall) -> Result<ToolOutput, Cancel> {
    ///     if let Some(output) = hooks.intercept(&AgentContext::new("s1"), &mut call).await.into_result()? {
    ///         return Ok(output);
    ///     }
    ///     Ok(ToolOutput::new(format!("ran {}", call.name)))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If a hook cancelled the event: the cancellation.
    pub fn into_result(self) -> Result<Option<E::Response>, Cancel> {
        match self {
            HookResult::Continue => Ok(None),
            HookResult::Respond(response) => Ok(Some(response)),
            HookResult::Cancel(cancel) => Err(cancel),
        }
    }

    /// The result, for code that does not know the event.
    #[inline(always)]
    pub(crate) const fn any(&self) -> AnyAction<'_> {
        match self {
            HookResult::Continue => AnyAction::Continue,
            HookResult::Respond(_) => AnyAction::Respond,
            HookResult::Cancel(cancel) => AnyAction::Cancel(cancel),
        }
    }

    /// The result of a failed hook. It blocks if `block` is set and the event can be blocked; otherwise the event
    /// continues.
    pub(crate) fn failed(block: bool, hook: Cow<'static, str>, failure: impl fmt::Display) -> Self {
        if block && E::INFO.can_block {
            return HookResult::Cancel(Cancel::of(hook, &failure));
        }
        crate::trace::skipped(&hook, E::NAME, failure);
        HookResult::Continue
    }

    /// The cancellation, if there is one.
    pub const fn as_cancel(&self) -> Option<&Cancel> {
        match self {
            HookResult::Cancel(cancel) => Some(cancel),
            HookResult::Continue | HookResult::Respond(_) => None,
        }
    }
}

impl<E: Event<Response: fmt::Debug>> fmt::Debug for HookResult<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookResult::Continue => f.write_str("Continue"),
            HookResult::Respond(response) => f.debug_tuple("Respond").field(response).finish(),
            HookResult::Cancel(cancel) => f.debug_tuple("Cancel").field(cancel).finish(),
        }
    }
}

impl<E: Event<Response: Clone>> Clone for HookResult<E> {
    fn clone(&self) -> Self {
        match self {
            HookResult::Continue => HookResult::Continue,
            HookResult::Respond(response) => HookResult::Respond(response.clone()),
            HookResult::Cancel(cancel) => HookResult::Cancel(cancel.clone()),
        }
    }
}

impl<E: Event<Response: PartialEq>> PartialEq for HookResult<E> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (HookResult::Continue, HookResult::Continue) => true,
            (HookResult::Respond(a), HookResult::Respond(b)) => a == b,
            (HookResult::Cancel(a), HookResult::Cancel(b)) => a == b,
            _ => false,
        }
    }
}
