//! The first program of `docs/tutorial.md`: an agent with one compiled hook.

// ANCHOR: program
mod agent;

use agent::Agent;
use hooks_core::agent::prelude::*;

// ANCHOR: hook
/// Judges each command that the agent is about to run.
#[hook(guard, priority = priority::SECURITY, only("shell"))]
fn no_delete(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.args["command"].as_str() {
        Some(command) if !command.contains("rm -r") => HookAction::Continue,
        _ => HookAction::block("nothing is deleted here"),
    }
}
// ANCHOR_END: hook

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Cancel> {
    let hooks = hooks![no_delete];
    println!("{}", hooks.plan());
    Agent::new(hooks).work(&["echo hello", "rm -r build"]).await
}
// ANCHOR_END: program
