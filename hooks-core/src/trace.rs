//! With the feature `tracing`, a span for every hook that runs; without it, nothing.

use core::fmt::Display;
use core::future::Future;

/// A guard that is held while a synchronous hook runs.
#[derive(Debug)]
#[must_use]
pub struct Entered {
    #[cfg(feature = "tracing")]
    _span: tracing::span::EnteredSpan,
}

#[cfg(feature = "tracing")]
fn span(hook: &str, event: &'static str) -> tracing::Span {
    tracing::debug_span!("hook", name = hook, event)
}

/// Enters the span of a synchronous hook.
#[cfg(feature = "tracing")]
pub fn enter(hook: &'static str, event: &'static str) -> Entered {
    Entered {
        _span: span(hook, event).entered(),
    }
}

/// Enters the span of a synchronous hook.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub fn enter(_: &'static str, _: &'static str) -> Entered {
    Entered {}
}

/// Awaits an asynchronous hook in its span.
#[cfg(feature = "tracing")]
pub fn traced<F: Future>(
    hook: &str,
    event: &'static str,
    running: F,
) -> impl Future<Output = F::Output> + use<F> {
    tracing::Instrument::instrument(running, span(hook, event))
}

/// Awaits an asynchronous hook in its span.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub fn traced<F: Future>(_: &str, _: &'static str, running: F) -> F {
    running
}

/// Records a failure that was skipped.
#[cfg(feature = "tracing")]
pub(crate) fn skipped(hook: &str, event: &'static str, failure: impl Display) {
    tracing::warn!(name = hook, event, "hook skipped: {failure}");
}

/// Records a failure that was skipped.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub(crate) fn skipped(_: &str, _: &'static str, _: impl Display) {}

/// Records an action other than to continue.
#[cfg(feature = "tracing")]
pub(crate) fn decided(hook: &str, event: &'static str, decision: &'static str) {
    if decision != "continue" {
        tracing::debug!(name = hook, event, decision, "hook decided");
    }
}

/// Records an action other than to continue.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub(crate) fn decided(_: &str, _: &'static str, _: &'static str) {}
