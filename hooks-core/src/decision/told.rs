//! What is said of a decision to hooks that only write it down.

use super::{Cancel, HookResult};
use crate::event::Event;

/// What has been decided about an event, for hooks that write it down.
///
/// A hook with `every` that takes a `Decision` after the event is told of every event exactly once: when the
/// event comes to its place in the order, which is `Continue`, or when a hook before it decides. So a log at
/// [`priority::AUDIT`](crate::priority::AUDIT) also holds what was blocked. It is a plain `fn`, and cannot
/// decide itself. What hooks after its place decide, it does not hear of.
///
/// None of the five systems tells its loggers what the other hooks said.
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
    /// Nothing: it goes on. On an observed event there is nothing else.
    Continue,
    /// A hook has answered in the agent's place.
    Respond,
    /// A hook has blocked the event, or aborted more than that.
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
