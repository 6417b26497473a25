//! Hooks, and what the report wants to know of them: of every call what it was, what came of it, and how
//! long the hooks took.
//!
//! A hook with `every` that hands each event on is a wrapper around all hooks, whatever they are.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentEventMut, AgentHooks, AgentSaid, BeforeToolCall,
    InvalidToolCall, ToolOutcome, ToolOutput,
};
use hooks_core::{Cancel, hook};
use serde_json::Value;

use super::journal;
use super::outcome::{CallReport, Verdict};
use super::report::Report;

/// Hooks that report what they do to each call.
pub(crate) struct Watched<H> {
    hooks: H,
    state: Mutex<State>,
}

struct State {
    report: Report,
    /// The call that is under way.
    call: Option<Call>,
    /// Why nothing more can be reported. A hook cannot return it, so it stays here until the agent asks.
    failed: Option<io::Error>,
}

struct Call {
    /// The tool and its arguments, as the model gave them.
    name: String,
    args: Value,
    cancelled: Option<Cancel>,
    in_hooks: Duration,
}

#[hook(every)]
impl<H: AgentHooks> Watched<H> {
    async fn see(&self, cx: &AgentContext, mut event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEvent::InvalidToolCall(InvalidToolCall { name, args, .. })
        | AgentEvent::BeforeToolCall(BeforeToolCall { name, args, .. }) = event.view()
        {
            // A call that was repaired goes through both events, and the first has the model's wish.
            let call = &mut self.state().call;
            call.get_or_insert_with(|| Call::new(name, args));
        }
        let started = Instant::now();
        let said = event.reborrow().dispatch(&self.hooks, cx).await;
        let elapsed = started.elapsed();

        let mut state = self.state();
        if let Some(call) = &mut state.call {
            call.in_hooks += elapsed;
            if let AgentSaid::Cancel {
                scope,
                reason,
                hook,
                ..
            } = &said
            {
                call.cancelled = Some(Cancel {
                    hook: hook.clone().unwrap_or_default(),
                    reason: reason.clone(),
                    scope: *scope,
                });
            }
        }
        match event.view() {
            AgentEvent::ToolCallEnd(end) => {
                state.end_call((end.name, end.args), end.outcome, end.output);
            }
            AgentEvent::ToolCallSkipped(skipped) => {
                let ran = (skipped.name, skipped.args);
                let why = ToolOutput::error(skipped.reason);
                state.end_call(ran, ToolOutcome::Skipped, &why);
            }
            _ => {}
        }
        said
    }
}

impl<H> Watched<H> {
    pub(crate) fn new(hooks: H, report: Report) -> Self {
        let state = State {
            report,
            call: None,
            failed: None,
        };
        Watched {
            hooks,
            state: Mutex::new(state),
        }
    }

    /// Has something else reported.
    pub(crate) fn report(&self, write: impl FnOnce(&mut Report) -> io::Result<()>) {
        self.state().write(write);
    }

    /// Whether all could be reported so far.
    pub(crate) fn is_reported(&self) -> bool {
        self.state().failed.is_none()
    }

    /// The report, if all could be written.
    pub(crate) fn into_report(self) -> io::Result<Report> {
        let state = self.state.into_inner();
        let State { report, failed, .. } = state.unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(report), Err)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&mut self, write: impl FnOnce(&mut Report) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(&mut self.report).err();
        }
    }

    /// Reports the call that was under way, or one that ended before it began.
    fn end_call(&mut self, ran: (&str, &Value), outcome: ToolOutcome, output: &ToolOutput) {
        let call = self.call.take();
        let call = call.unwrap_or_else(|| Call::new(ran.0, ran.1));
        let verdict = match call.cancelled {
            Some(cancel) => Verdict::Cancelled(cancel),
            None if outcome == ToolOutcome::Answered => Verdict::Respond,
            None => Verdict::Continue,
        };
        self.write(|report| {
            report.call(&CallReport {
                wish: (&call.name, &call.args),
                ran,
                verdict: &verdict,
                output,
                journal: &journal::take(),
                in_hooks: call.in_hooks,
            })
        });
    }
}

impl Call {
    fn new(name: &str, args: &Value) -> Self {
        Call {
            name: name.into(),
            args: args.clone(),
            cancelled: None,
            in_hooks: Duration::ZERO,
        }
    }
}
