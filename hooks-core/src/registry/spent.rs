//! The time that the hooks of a dispatch have spent together, which each hands on to the next.
//!
//! Hooks behind a box do not know each other, and nothing but the event goes from one to the next. What tells two
//! dispatches of equal events apart is the dispatch itself. So it holds the time, and lends it to the thread while it
//! polls a hook.

use core::cell::Cell;
use core::time::Duration;

std::thread_local! {
    static SPENT: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Returns the time that hooks of this dispatch have [spent](spend_time).
///
/// It is for hooks of a [`HookRegistry`](crate::HookRegistry) on an intercepted event, which run one after the other.
/// Each registry has a time of its own. It is zero when a dispatch begins, and outside of one.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HookAction, HookRegistry, hook, spend_time, time_spent};
///
/// #[hook(priority = 2)]
/// async fn slow(_: &BeforeToolCall) { spend_time(Duration::from_secs(3)); }
///
/// #[hook(priority = 1)]
/// async fn last(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     HookAction::block(format!("{:?} are gone", time_spent()))
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let registry = HookRegistry::<AgentEvent>::new().with(slow).with(last);
/// for _ in 0..2 {
///     let mut call = BeforeToolCall::default();
///     let result = registry.intercept(&AgentContext::new("s1"), &mut call).await;
///     assert_eq!(result.as_cancel().unwrap().reason, "3s are gone");
/// }
/// # }
/// ```
#[must_use]
pub fn time_spent() -> Duration {
    SPENT.get()
}

/// Adds to the time that hooks of this dispatch have [spent](time_spent).
pub fn spend_time(time: Duration) {
    SPENT.set(SPENT.get().saturating_add(time));
}

/// Runs a part of a hook, in a dispatch that holds this time.
pub(super) fn spending<T>(spent: &mut Duration, part: impl FnOnce() -> T) -> T {
    /// What a hook may raise itself, or a panic of it, does not mix the times.
    struct Lent<'a> {
        spent: &'a mut Duration,
        outer: Duration,
    }
    impl Drop for Lent<'_> {
        fn drop(&mut self) {
            *self.spent = SPENT.replace(self.outer);
        }
    }
    let outer = SPENT.replace(*spent);
    let _lent = Lent { spent, outer };
    part()
}
