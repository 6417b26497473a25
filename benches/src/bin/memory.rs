//! Whether memory grows with the number of events, by the kind of handler: a line for each. `report` runs it.
//!
//! An allocator counts the bytes in use, on all threads. The first 10,000 events, or half of them, fill what is filled once:
//! caches, buffers, connections. Sessions, turns and calls change all the time, as they do in a gateway that runs for weeks.
//! Handlers that start a process see fewer events.

use std::error::Error;

use benches::builtin::Receiver;
use benches::python;
use benches::turns::rounds;
use hooks_core::agent::{
    AgentContext, BeforeToolCall, ToolAnnotations, ToolCall, ToolCallEnd, ToolOutcome, ToolOutput,
    Usage,
};
use hooks_core::hooks;
use hooks_runtime::{Evaluated, Evaluation, Evaluator, EvaluatorError, Runtime};
use peak_alloc::PeakAlloc;
use serde_json::json;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// A model that allows everything.
struct Allows;

#[hooks_core::async_trait]
impl Evaluator for Allows {
    async fn evaluate(&self, _: &Evaluation) -> Result<Evaluated, EvaluatorError> {
        let decided = ToolCall::new(
            "1",
            "decide",
            json!({ "decision": "allow", "reason": "why not", "injection_detected": false }),
        );
        Ok(Evaluated::call(decided).with_usage(Usage::new(1, 1)))
    }
}

/// After so many events, what is filled once is full.
const WARM: u32 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (url, posted) = Receiver::Answers.start()?;
    drop(posted);
    let gate = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/runtime/gate.py");
    let kinds = [
        ("filter", 1_000_000, 100_000, "if = 'args.query == \"nothing\"'\nblock = 'no'".to_owned()),
        ("rule", 1_000_000, 100_000, "context = 'for the model'".into()),
        ("prompt", 1_000_000, 400_000, "tools = '*'\nprompt = { template = 'Judge.', max_per_turn = 1000, tokens_per_month = 100_000_000_000 }".into()),
        ("http", 100_000, 20_000, format!("http = {{ url = '{url}', allow_loopback = ['127.0.0.1'] }}")),
        ("process", 100_000, 20_000, format!("process = {{ argv = {} }}", json!(["python3", gate]))),
        ("command", 9_000, 9_000, "command = { argv = ['true'] }".into()),
        ("background", 3_000, 1_000, "event = 'ToolCallEnd'\ncommand = { argv = ['true'] }".into()),
    ];
    tokio.block_on(async {
        for (kind, events, few, handler) in kinds {
            if kind == "process" && python().is_none() {
                eprintln!("memory: there is no Python");
                continue;
            }
            let grown = grown(&handler, rounds(few, events)).await?;
            println!("memory {kind} bytes/event {grown}");
        }
        Ok(())
    })
}

/// How many bytes more are in use after all the events than after the first ones, by the event.
///
/// What is bounded may still grow once: the table of a cache doubles when much was removed from it.
async fn grown(handler: &str, events: u32) -> Result<f64, Box<dyn Error>> {
    let event = if handler.starts_with("event") {
        ""
    } else {
        "event = 'BeforeToolCall'"
    };
    let text = format!(
        "[[hooks.on]]\nname = 'it'\ntimeout = '60s'\n{event}\n{handler}\n[hooks.limits]\nchain = '60s'\n"
    );
    let runtime = Runtime::builder()
        .text(text)
        .evaluator(Allows)
        .build()
        .await?;
    let hooks = hooks![..runtime.clone()];
    let is_observed = event.is_empty();
    let warm = WARM.min(events / 2);
    let mut first = 0;
    for nth in 0..events {
        if nth == warm {
            first = in_use(&runtime, is_observed).await;
        }
        // Each call is in a turn of its own.
        let session = format!("session-{:08}", nth / 10);
        let cx = AgentContext::new(session)
            .with_agent_id("coder")
            .with_cwd("/")
            .with_turn(nth % 10);
        let id = format!("call-{nth:08}");
        let args = json!({ "query": format!("number {nth:08}"), "limit": 10 });
        if is_observed {
            let output = ToolOutput::new("done");
            let end = ToolCallEnd {
                id: &id,
                name: "search",
                args: &args,
                annotations: ToolAnnotations::default(),
                output: &output,
                duration: std::time::Duration::ZERO,
                outcome: ToolOutcome::Ran,
            };
            hooks.observe(&cx, &end).await;
            // No more than may run at once.
            if nth % 16 == 15 {
                runtime.shutdown().await;
            }
        } else {
            let mut call = BeforeToolCall::new(id, "search", args);
            let said = hooks.intercept(&cx, &mut call).await;
            if !said.is_continue() {
                return Err(format!("event {nth}: {said:?}").into());
            }
        }
    }
    let last = in_use(&runtime, is_observed).await;
    runtime.shutdown().await;
    #[expect(clippy::cast_precision_loss, reason = "there are less than 2^52 bytes")]
    Ok((last - first) as f64 / f64::from(events - warm))
}

/// How many bytes are in use, while nothing runs in the background.
async fn in_use(runtime: &Runtime, is_observed: bool) -> i64 {
    // Commands go on afterwards.
    if is_observed {
        runtime.shutdown().await;
    }
    i64::try_from(ALLOCATOR.current_usage()).unwrap_or(i64::MAX)
}
