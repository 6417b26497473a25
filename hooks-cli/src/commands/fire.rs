//! `hooks fire` shows what the hooks do with an event.

use std::process::ExitCode;

use anstyle::Style;
use async_trait::async_trait;
use hooks_builtin::{ApprovalRequest, Approver, Verdict};
use hooks_core::agent::{AgentContext, Approval};
use hooks_runtime::{
    Decided, Explanation, Outcome, OwnedEvent, Record, RecordOutcome, RecordStep, Records, Runtime,
};
use serde_json::{Value, json};

use crate::event::EventArgs;
use crate::paint::{self, BAD, BOLD, DIM, GOOD, Visible, WARN, lines, painted, say};
use crate::{Done, Failure, file};

/// How many records are kept: more than any file has hooks.
const RECORDS: usize = 10_000;

pub(crate) fn run(args: &EventArgs, json: bool) -> Done {
    let (cx, mut event) = args.build()?;
    let (_, builder) = args.file.open()?;
    let before = event.to_json();
    let records = Records::latest(RECORDS);
    let recorder = records.clone();
    let fired = file::block_on(async {
        let runtime = builder.recorder(recorder).approver(Refuses).build().await?;
        file::print_notices(&runtime);
        let explained = runtime.explain(&cx, event.view()).await;
        let outcome = decide(&runtime, &cx, &mut event).await;
        // A hook in the background is recorded when it has finished.
        runtime.shutdown().await;
        Ok((outcome, explained))
    })?;
    let (mut outcome, explained): (Outcome, Vec<Explanation>) =
        fired.map_err(|error: hooks_runtime::ConfigError| Failure::found(error))?;
    let records = records.take();
    if outcome.hook.is_none() && outcome.decision == Decided::Respond {
        let answered = records.iter().find(|record| {
            let answers = [RecordOutcome::Respond, RecordOutcome::Approve];
            record.is_event() && answers.contains(&record.outcome)
        });
        outcome.hook = answered.map(|record| record.hook.clone());
    }
    if json {
        paint::json(&object(&outcome, &records));
    } else {
        show(&event, &before, &outcome, &records);
        let unmet = explained.iter().filter(|one| one.is_meant && !one.runs);
        for Explanation { hook, why, .. } in unmet {
            let line = format!("{hook} does not run: {why}");
            say!("{}", painted(DIM, Visible(&line)));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Raises an event, and after a tool call that continues, the event that approves it.
pub(crate) async fn decide(
    runtime: &Runtime,
    cx: &AgentContext,
    event: &mut OwnedEvent,
) -> Outcome {
    let mut outcome = runtime.fire(cx, event).await;
    if event.name() == "BeforeToolCall" && outcome.decision == Decided::Continue {
        approve(runtime, cx, event, &mut outcome).await;
    }
    outcome
}

/// Says that a person would be asked.
pub(crate) struct Refuses;

pub(crate) const NEEDS: &str = "needs approval";

#[async_trait]
impl Approver for Refuses {
    async fn ask(&self, request: &ApprovalRequest) -> Verdict {
        let why = request.reason.as_ref().or(request.effects.as_ref());
        Verdict::No(match why {
            Some(why) => format!("{NEEDS}: {why}"),
            None => NEEDS.to_owned(),
        })
    }
}

/// Runs the hooks that approve a call, after the others let it continue, as an agent does.
async fn approve(runtime: &Runtime, cx: &AgentContext, call: &OwnedEvent, outcome: &mut Outcome) {
    let (approval, mut event) = match call.approval() {
        None => return,
        Some(Ok(asked)) => asked,
        Some(Err(error)) => {
            outcome.decision = Decided::Block;
            outcome.reason = Some(error.to_string());
            return;
        }
    };
    let said = runtime.fire(cx, &mut event).await;
    outcome.duration += said.duration;
    match (said.decision, approval) {
        (Decided::Continue, Approval::Ask { reason } | Approval::Defer { reason }) => {
            outcome.decision = Decided::Block;
            outcome.reason = Some(format!("{NEEDS}: {reason}"));
        }
        (Decided::Continue | Decided::Respond, _) => {}
        (decision, _) => {
            (outcome.decision, outcome.hook, outcome.reason) = (decision, said.hook, said.reason);
        }
    }
}

/// What each definition did, and each other hook that did anything.
fn told(records: &[Record]) -> impl Iterator<Item = &RecordStep> {
    let steps = records.iter().flat_map(|record| &record.steps);
    steps.filter(|step| step.handler != "builtin" || step.outcome != RecordOutcome::Continue)
}

/// Returns the object for `--json`.
fn object(outcome: &Outcome, records: &[Record]) -> Value {
    json!({
        "event": outcome.event,
        "decision": outcome.decision,
        "hook": outcome.hook,
        "reason": outcome.reason,
        "change": outcome.change,
        "output": outcome.output,
        "records": told(records).collect::<Vec<_>>(),
        "duration_us": u64::try_from(outcome.duration.as_micros()).unwrap_or(u64::MAX),
    })
}

fn show(event: &OwnedEvent, before: &Value, outcome: &Outcome, records: &[Record]) {
    let subject = event.subject().unwrap_or_default();
    say!("{} {}", painted(BOLD, outcome.event), Visible(subject));
    let style = match outcome.decision {
        Decided::Continue => GOOD,
        Decided::Respond => WARN,
        _ => BAD,
    };
    let decision = painted(style, outcome.decision.as_str());
    let time = paint::time(outcome.duration);
    say!("decision  {decision}, in {time}");
    if let Some(hook) = &outcome.hook {
        say!("hook      {}", Visible(hook));
    }
    if let Some(reason) = &outcome.reason {
        say!("reason    {}", lines(reason));
    }
    if let Some(output) = &outcome.output {
        say!("output    {}", Visible(&output.to_string()));
    }
    if outcome
        .change
        .as_array()
        .is_some_and(|change| !change.is_empty())
    {
        say!("\nchange");
        paint::difference(before, &outcome.change);
    }
    let mut steps = told(records).peekable();
    if steps.peek().is_none() {
        let why =
            "no definition has run, and no other hook has done anything: `hooks why` says why";
        say!("\n{}", painted(DIM, why));
        return;
    }
    say!("");
    let rows = steps.map(|step| {
        let mut what = step.reason.clone().unwrap_or_default();
        for text in step.messages.iter().chain(&step.warnings) {
            if !what.is_empty() {
                what.push_str("; ");
            }
            what.push_str(text);
        }
        let mut why = step.why.clone();
        if step.shadow {
            why = format!(
                "shadow mode, so it has no effect{}{why}",
                if why.is_empty() { "" } else { "; " }
            );
        }
        let cells = vec![
            step.outcome.to_string(),
            step.hook.clone(),
            step.handler.clone(),
            paint::time(step.duration),
            what,
            why,
        ];
        (style_of_step(step), cells)
    });
    let titles = ["outcome", "hook", "handler", "time", "says", "why"];
    paint::table(&titles, &rows.collect::<Vec<_>>());
}

/// Returns the colour of what one hook did.
pub(crate) fn style_of_step(step: &RecordStep) -> Style {
    if step.shadow {
        DIM
    } else {
        style_of(step.outcome)
    }
}

/// Returns the colour of an outcome.
pub(crate) fn style_of(outcome: RecordOutcome) -> Style {
    match outcome {
        RecordOutcome::Continue => Style::new(),
        RecordOutcome::Modify | RecordOutcome::Approve | RecordOutcome::Respond => GOOD,
        RecordOutcome::Ask | RecordOutcome::Fault => WARN,
        RecordOutcome::Block | RecordOutcome::AbortTurn | RecordOutcome::AbortRun => BAD,
        _ => DIM,
    }
}
