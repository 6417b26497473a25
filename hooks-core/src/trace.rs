//! A span for every hook that runs, with the feature `tracing`; nothing without it.

use core::fmt::Display;
use core::future::Future;

use crate::action::HookAction;
use crate::event::Event;
#[cfg(feature = "tracing")]
use crate::result::Scope;

/// Is held while a synchronous hook runs.
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

/// Tells of a hook whose failure was skipped.
#[cfg(feature = "tracing")]
pub(crate) fn skipped<E: Event>(hook: &'static str, failure: impl Display) {
    tracing::warn!(name = hook, event = E::NAME, "hook skipped: {failure}");
}

/// Tells of a hook whose failure was skipped.
#[cfg(not(feature = "tracing"))]
pub(crate) fn skipped<E: Event>(_: &'static str, _: impl Display) {}

/// Tells of a hook that said more than to go on.
#[cfg(feature = "tracing")]
pub(crate) fn decided<E: Event>(hook: &str, said: &HookAction<E>) {
    let decision = match said {
        // What a pipeline decided has been told by the hook that made it.
        HookAction::Continue | HookAction::Cancel { hook: Some(_), .. } => return,
        HookAction::Modify(_) => "modify",
        HookAction::Respond(_) => "respond",
        HookAction::Cancel { scope, .. } => match scope {
            Scope::Event => "block",
            Scope::Turn => "abort_turn",
            Scope::Run => "abort_run",
        },
    };
    // Hooks within a hook have no name of their own.
    if !hook.is_empty() {
        tracing::debug!(name = hook, event = E::NAME, decision, "hook decided");
    }
}

/// Tells of a hook that said more than to go on.
#[cfg(not(feature = "tracing"))]
#[inline(always)]
pub(crate) fn decided<E: Event>(_: &str, _: &HookAction<E>) {}
