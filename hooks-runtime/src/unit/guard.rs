//! Keeps a handler from harming the agent: limits its time, its failures and its concurrency, and catches its panics.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll};
use std::time::Duration;

use hooks_builtin::__clock as clock;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tracing::Instrument as _;

use super::RevisionLimits;
use crate::answer::HandlerAnswer;
use crate::definition::{Body, Definition};
use crate::fault::{FaultKind, HandlerFault, caught};
use crate::handler::PendingAnswer;
use crate::safeguard::Breaker;

/// Waits for a handler, within its timeout, if its breaker allows it and as soon as the concurrency limit does.
///
/// The timeout of a handler begins when it starts. The time that is `left` for all hooks of the event includes their
/// waiting.
pub(super) async fn guarded(
    definition: &Arc<Definition>,
    limits: &RevisionLimits,
    room: &Semaphore,
    span: tracing::Span,
    ask: impl FnOnce() -> PendingAnswer,
    left: Duration,
) -> Result<HandlerAnswer, HandlerFault> {
    if !clock::is_there() {
        return Err(HandlerFault::not_started(clock::MISSING));
    }
    let trial = Trial::of(definition, limits)?;
    let waiting = Instant::now();
    // The semaphore is never closed.
    let Ok(_permit) = tokio::time::timeout(left, room.acquire()).await else {
        return Err(HandlerFault::not_asked(format_args!(
            "concurrency limit ({}) reached; no slot became free in time",
            limits.config.concurrency
        )));
    };
    let rest = || left.saturating_sub(waiting.elapsed());
    if let Body::Handler(handler) = &definition.body
        && let Some(starting) = handler.starting()
    {
        // If it is still starting after that, it has no time left.
        let _ = tokio::time::timeout(rest(), starting).await;
    }
    let limit = definition.timeout.min(rest());
    let started = Instant::now();
    let work = async { Caught(asked(ask)).await };
    let said = match tokio::time::timeout(limit, work.instrument(span.clone())).await {
        Ok(said) => said,
        Err(_) if limit < definition.timeout => Err(HandlerFault::out_of_time()),
        Err(_) => Err(HandlerFault::timed_out(limit)),
    };
    span.record("duration_ms", started.elapsed().as_secs_f64() * 1e3);
    match &said {
        Ok(answer) => span.record("outcome", answer.verdict.word()),
        Err(fault) => span
            .record("outcome", "fault")
            .record("why", fault.to_string()),
    };
    trial.end(definition, limits, said.as_ref().err());
    said.map(HandlerAnswer::cut)
}

/// Tells a handler about an event, if its breaker allows it.
pub(super) fn told(
    definition: &Definition,
    limits: &RevisionLimits,
    tell: impl FnOnce() -> Result<(), HandlerFault>,
) -> Result<HandlerAnswer, HandlerFault> {
    let trial = Trial::of(definition, limits)?;
    let told = caught(tell);
    trial.end(definition, limits, told.as_ref().err());
    told.map(|()| HandlerAnswer::default())
}

/// Whether a failure counts for the breaker.
///
/// If a failure lets the event continue, a hook may fail regularly, as a linter does that exits with 1. If these
/// failures opened the breaker, the hook could no longer refuse an event.
fn counts(definition: &Definition, fault: &HandlerFault) -> bool {
    use FaultKind::{NotStarted, OutOfTime, TimedOut};
    matches!(fault.kind, TimedOut | OutOfTime | NotStarted)
        || definition.on_failure != Some(crate::entry::OnFault::Skip)
}

/// Asks a handler, which reads the event at once.
pub(super) fn asked(ask: impl FnOnce() -> PendingAnswer) -> PendingAnswer {
    caught(|| Ok(ask())).unwrap_or_else(|fault| Box::pin(std::future::ready(Err(fault))))
}

/// A handler's future. A panic is a failure of its definition, and does not reach the agent.
struct Caught(PendingAnswer);

impl Future for Caught {
    type Output = Result<HandlerAnswer, HandlerFault>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        // It is not polled again after a panic.
        caught(|| Ok(self.0.as_mut().poll(task))).unwrap_or_else(|fault| Poll::Ready(Err(fault)))
    }
}

/// A call that the breaker allows. If it is dropped without a result, the next caller gets its trial.
struct Trial<'a>(Option<&'a Breaker>);

impl<'a> Trial<'a> {
    fn of(definition: &'a Definition, limits: &RevisionLimits) -> Result<Self, HandlerFault> {
        let breaker = &definition.state.breaker;
        if breaker.lets(&limits.config.breaker) {
            return Ok(Trial(Some(breaker)));
        }
        Err(HandlerFault::not_asked(
            "the circuit breaker is open, because the handler failed too often",
        ))
    }

    /// Counts the result.
    fn end(
        mut self,
        definition: &Definition,
        limits: &RevisionLimits,
        fault: Option<&HandlerFault>,
    ) {
        // A hook that was not asked, for example because one tenant has spent its budget, may work for all others.
        if fault.is_some_and(|fault| fault.kind == FaultKind::NotAsked) {
            return;
        }
        let Some(breaker) = self.0.take() else { return };
        let failed = fault.is_some_and(|fault| counts(definition, fault));
        if breaker.note(failed, &limits.config.breaker) {
            tracing::warn!(
                key = "security.hook.circuit_breaker",
                hook = &*definition.name,
                retry_after = %humantime::format_duration(limits.config.breaker.retry_after),
                "the circuit breaker of a hook opened: the hook is not asked for a while"
            );
        }
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if let Some(breaker) = self.0 {
            breaker.give_up();
        }
    }
}

/// Waits for all futures, in one task.
pub(super) async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures
        .into_iter()
        .map(|one| (Box::pin(one), None))
        .collect();
    std::future::poll_fn(|task| {
        let mut is_pending = false;
        for (future, output) in &mut futures {
            if output.is_none() {
                match future.as_mut().poll(task) {
                    Poll::Ready(done) => *output = Some(done),
                    Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
    futures
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_failure() {
        let fault = caught(|| -> Result<(), HandlerFault> { panic!("a bug") }).unwrap_err();
        assert_eq!(
            (fault.kind, &*fault.message),
            (FaultKind::Failed, "the handler panicked")
        );
    }

    #[tokio::test]
    async fn a_handler_may_panic_when_it_reads_the_event_and_when_it_is_polled() {
        let reads = Caught(asked(|| panic!("a bug"))).await;
        let runs = Caught(asked(|| Box::pin(async { panic!("a bug") }))).await;
        for said in [reads, runs] {
            assert_eq!(said.unwrap_err().message, "the handler panicked");
        }
    }
}
