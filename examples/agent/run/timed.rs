//! The agent's hooks, and what they cost.

use std::time::{Duration, Instant};

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_core::{Event, HookResult, Intercepted, Intercepts, Observed, Observes};

/// Hooks, with the context that they are asked in and a clock that runs while they do.
pub(super) struct Timed<H> {
    pub(super) inner: H,
    pub(super) cx: AgentContext,
    elapsed: Duration,
}

impl<H> Timed<H> {
    pub(super) fn new(inner: H, cx: AgentContext) -> Self {
        Timed {
            inner,
            cx,
            elapsed: Duration::ZERO,
        }
    }

    pub(super) fn restart(&mut self) {
        self.elapsed = Duration::ZERO;
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Raises an event that hooks may change or stop.
    pub(super) async fn ask<E>(&mut self, event: &mut E) -> HookResult<E>
    where
        E: Intercepted + Event<Vocabulary = AgentEvent<'static>>,
        H: Intercepts<E>,
    {
        let started = Instant::now();
        let decision = self.inner.intercept(&self.cx, event).await;
        self.elapsed += started.elapsed();
        decision
    }

    /// Raises an event that hooks look at.
    pub(super) async fn tell<E>(&mut self, event: &E)
    where
        E: Observed + Event<Vocabulary = AgentEvent<'static>>,
        H: Observes<E>,
    {
        let started = Instant::now();
        self.inner.observe(&self.cx, event).await;
        self.elapsed += started.elapsed();
    }
}
