//! Decisions, for hooks that only log them.

use super::{Cancel, HookResult};
use crate::event::Event;

/// What the hooks have decided about an event, for hooks that log it.
///
/// A hook with `every` that takes a `Decision` after the event receives every event exactly once: when the event
/// reaches the hook's place in the order, as `Continue`, or when an earlier hook decides. So a log at
/// [`priority::AUDIT`](crate::priority::AUDIT) also records blocked events. The hook is a plain `fn`, and cannot
/// decide anything itself. It does not receive what hooks after it decide.
///
/// None of the five systems tells its loggers what other hooks decided.
///
/// ```
/// use std::sync::Mutex;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{Decision, HookAction, hook, hooks, priority};
///
/// #[hook]
/// fn no_shell(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     if call.name == "shell" { HookAction::block("no shell here") } else { HookAction::Continue }
/// }
///
/// #[derive(Default)]
/// struct Log { lines: Mutex<Vec<String>> }
///
/// #[hook(every, priority = priority::AUDIT)]
/// impl Log {
///     fn write(&self, event: AgentEvent<'_>, decision: Decision<'_>) {
///         self.lines.lock().unwrap().push(match decision {
///             Decision::Cancel(cancel) => format!("{}: {cancel}", event.name()),
///             _ => event.name().into(),
///         });
///     }
/// }
///
/// let log = Log::default();
/// let hooks = hooks![no_shell, &log];
/// for name in ["read", "shell"] {
///     let mut call = BeforeToolCall { name: name.into(), ..Default::default() };
///     let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut call);
/// }
/// assert_eq!(
///     *log.lines.lock().unwrap(),
///     [
///         "BeforeToolCall",
///         "BeforeToolCall: hook `no_shell` blocked the event: no shell here",
///     ],
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision<'a> {
    /// No decision: the event continues. The only value for an observed event.
    Continue,
    /// A hook has answered instead of the agent.
    Respond,
    /// A hook has blocked the event, or aborted the turn or the run.
    Cancel(&'a Cancel),
}

impl<'a, E: Event> From<&'a HookResult<E>> for Decision<'a> {
    fn from(result: &'a HookResult<E>) -> Self {
        match result {
            HookResult::Continue => Decision::Continue,
            HookResult::Respond(_) => Decision::Respond,
            HookResult::Cancel(cancel) => Decision::Cancel(cancel),
        }
    }
}
