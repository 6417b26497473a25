//! The second program of `docs/tutorial.md`: the same agent, with hooks from a file beside the compiled one, and records.

mod agent;

use std::error::Error;

use agent::Agent;
use hooks_core::agent::prelude::*;
use hooks_runtime::{JsonlRecorder, Runtime};

/// Judges each command that the agent is about to run.
#[hook(guard, priority = priority::SECURITY, only("shell"))]
fn no_delete(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.args["command"].as_str() {
        Some(command) if !command.contains("rm -r") => HookAction::Continue,
        _ => HookAction::block("nothing is deleted here"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let records = JsonlRecorder::append("records.jsonl")?.keeping_events();
    let runtime = Runtime::builder()
        .file("hooks.toml")
        .recorder(records)
        .build()
        .await?;
    let hooks = hooks![no_delete, ..runtime.clone()];
    println!("{}", hooks.plan());

    let commands = ["echo hello", "git push --force", "make clean"];
    Agent::new(hooks).work(&commands).await?;
    runtime.shutdown().await;
    Ok(())
}
