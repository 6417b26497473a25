//! Limits the time of a hook.

use core::time::Duration;

use super::{Inner, No, ResultOf, Wrapped, Wrapper, deadline};
use crate::event::{Event, Kind, Vocabulary};
use crate::hook::AnyEvent;

/// How long a hook may run on each kind of event; `None`, the default, means no limit.
///
/// A hook that runs longer is dropped. An event that can be blocked is blocked, so a guard that hangs fails closed.
/// Other events continue in the state that they had before the hook.
///
/// PicoClaw's `hooks.defaults`: `observer_timeout_ms`, `interceptor_timeout_ms`, `approval_timeout_ms`.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{AgentContext, AgentEvent, BeforeToolCall};
/// use hooks_core::{HookRegistry, Timeouts, hook};
///
/// #[hook]
/// async fn hangs(_: &BeforeToolCall) { std::future::pending().await }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let timeouts = Timeouts { intercept: Some(Duration::from_secs(5)), ..Timeouts::default() };
/// let registry = HookRegistry::<AgentEvent>::new().timeouts(timeouts).with(hangs);
/// let result = registry.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default()).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "the hook took longer than its timeout of 5s");
/// # }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timeouts {
    /// On observed events.
    pub observe: Option<Duration>,
    /// On intercepted events, except those that ask for an approval.
    pub intercept: Option<Duration>,
    /// On events that ask for an approval (`#[intercept(approval)]`, such as `ApproveToolCall`), which may have to
    /// wait for a person.
    pub approve: Option<Duration>,
}

impl Timeouts {
    const fn limit<E: Event>(&self) -> Option<Duration> {
        if E::INFO.is_approval {
            self.approve
        } else if E::Kind::CHANGES {
            self.intercept
        } else {
            self.observe
        }
    }
}

/// What a [`Timeout`] does.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    timeouts: Timeouts,
    skips: bool,
}

/// Limits the time of a hook, on every event: what [`Hook::timeout`](crate::Hook::timeout) returns.
///
/// When the time is up, the hook is dropped, and an event that it held is restored. An event that can be blocked is
/// blocked; with [`or_skip`](Timeout::or_skip) it continues instead. The failure has the name of the hook that ran. A
/// plain `fn` cannot be interrupted. Needs the feature `tokio`, and a tokio runtime around the dispatch.
///
/// A hook with `#[hook(around)]` runs for as long as the work in it, so the limit is one of the tool call or the model
/// call, too. When the time is up, the hook is dropped together with its work, and the output of the work says so. With
/// `or_skip`, the output is that of the work if it is done, and the work runs without the hook if it has not begun.
///
/// PicoClaw and GoClaw have such timeouts.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::*;
/// use hooks_core::{Hook, hook, hooks};
///
/// #[hook]
/// async fn slow(_: &BeforeToolCall) { std::future::pending().await }
///
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let hooks = hooks![slow.timeout(Duration::from_secs(2))];
/// let result = hooks.intercept(&AgentContext::new("s1"), &mut BeforeToolCall::default()).await;
/// assert_eq!(result.as_cancel().unwrap().reason, "the hook took longer than its timeout of 2s");
/// # }
/// ```
pub type Timeout<H> = Wrapped<H, Limit>;

impl<H> Timeout<H> {
    /// Limits how long `hook` may run on one event.
    pub const fn new(hook: H, limit: Duration) -> Self {
        let limit = Some(limit);
        Self::each(
            hook,
            Timeouts {
                observe: limit,
                intercept: limit,
                approve: limit,
            },
        )
    }

    /// Limits how long `hook` may run on one event, by the event's kind.
    pub const fn each(hook: H, timeouts: Timeouts) -> Self {
        let skips = false;
        Wrapped::of(hook, Limit { timeouts, skips })
    }

    /// Lets the event continue in its earlier state when the time is up.
    #[must_use]
    pub const fn or_skip(mut self) -> Self {
        self.wrapper.skips = true;
        self
    }
}

impl<V: Vocabulary> Wrapper<V> for Limit {
    type Waits = No;

    async fn run<E: AnyEvent<Vocabulary = V>>(&self, mut hooks: impl Inner<E>) -> ResultOf<E> {
        let limit = self.timeouts.limit::<E>().filter(|_| !hooks.is_now());
        let Some(limit) = limit else {
            return hooks.run().await;
        };
        let before = hooks.saved();
        let result = deadline(limit, hooks.run()).await;
        result.unwrap_or_else(|late| hooks.fail(before, !self.skips, late))
    }
}
