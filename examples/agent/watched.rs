//! Hooks, and what the report wants to know of them: of every call what it was, what came of it, and how
//! long the hooks took.
//!
//! It is a probe: it sees each dispatch from outside, whatever the hooks are.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hooks_core::agent::{
    AgentContext, AgentEvent, AgentHooks, BeforeToolCall, InvalidToolCall, ToolOutcome, ToolOutput,
};
use hooks_core::probe::Probe;
use hooks_core::{AnyAction, Cancel, Probed};
use serde_json::Value;

use super::journal;
use super::outcome::{CallReport, Verdict};
use super::report::Report;

/// Hooks that report what they do to each call.
pub(crate) struct Watched<H> {
    hooks: Probed<H, Arc<Watch>>,
    watch: Arc<Watch>,
}

/// What is known of the call that is under way.
struct Watch(Mutex<State>);

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

/// What it remembers of a dispatch is when it began.
impl Probe<AgentEvent<'static>> for Watch {
    type State = Instant;

    fn begin(&self, _: &AgentContext, event: AgentEvent<'_>) -> Instant {
        if let AgentEvent::InvalidToolCall(InvalidToolCall { name, args, .. })
        | AgentEvent::BeforeToolCall(BeforeToolCall { name, args, .. }) = event
        {
            // A call that was repaired goes through both events, and the first has the model's wish.
            let call = &mut self.state().call;
            call.get_or_insert_with(|| Call::new(name, args));
        }
        Instant::now()
    }

    fn end(
        &self,
        started: Instant,
        _: &AgentContext,
        event: AgentEvent<'_>,
        result: Option<AnyAction<'_>>,
    ) {
        let elapsed = started.elapsed();
        let mut state = self.state();
        if let Some(call) = &mut state.call {
            call.in_hooks += elapsed;
            if let Some(AnyAction::Cancel(cancel)) = result {
                call.cancelled = Some(cancel.clone());
            }
        }
        match event {
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
    }
}

impl<H: AgentHooks> Watched<H> {
    /// The hooks, watched.
    pub(crate) fn all(&self) -> &impl AgentHooks {
        &self.hooks
    }
}

impl<H> Watched<H> {
    pub(crate) fn new(hooks: H, report: Report) -> Self {
        let state = State {
            report,
            call: None,
            failed: None,
        };
        let watch = Arc::new(Watch(Mutex::new(state)));
        Watched {
            hooks: Probed::new(hooks, Arc::clone(&watch)),
            watch,
        }
    }

    /// Has something else reported.
    pub(crate) fn report(&self, write: impl FnOnce(&mut Report) -> io::Result<()>) {
        self.watch.state().write(write);
    }

    /// Whether all could be reported so far.
    pub(crate) fn is_reported(&self) -> bool {
        self.watch.state().failed.is_none()
    }

    /// The report, if all could be written.
    pub(crate) fn into_report(self) -> io::Result<Report> {
        drop(self.hooks);
        let watch = Arc::into_inner(self.watch).expect("no dispatch is left");
        let state = watch.0.into_inner();
        let State { report, failed, .. } = state.unwrap_or_else(PoisonError::into_inner);
        failed.map_or(Ok(report), Err)
    }
}

impl Watch {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
