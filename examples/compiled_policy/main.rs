//! An agent whose rules are a file that the compiler reads.
//!
//! `include!("hooks.toml")` takes the rules of the file into the list: each is a row of the plan, and runs at its own
//! priority between the hooks that are written in Rust. There is no file, no parser and no table of rules at run time. A
//! mistake in the file stops `cargo build`, with its line.
//!
//! ```sh
//! cargo run --example compiled_policy
//! ```

use hooks_core::agent::prelude::*;
use hooks_core::agent::run_tool_call;
use serde_json::json;

/// A hook in Rust, among the rules.
#[hook(priority = 100)]
fn trimmed(call: &mut BeforeToolCall) {
    if let Some(command) = call.args["command"].as_str() {
        call.args["command"] = command.trim().into();
    }
}

/// The agent's tools, which only say what they would do.
async fn run(call: &BeforeToolCall) -> ToolOutput {
    ToolOutput::new(format!("{} ran", call.name))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), hooks_core::Cancel> {
    let hooks = hooks![trimmed, include!("hooks.toml")];
    println!("{}", hooks.plan());

    let cx = AgentContext::new("session 1");
    for (tool, args) in [
        ("shell", json!({ "command": "git push origin main" })),
        (
            "shell",
            json!({ "command": "git push --force origin main" }),
        ),
        // The same tool, as another agent names it.
        ("Bash", json!({ "command": "git push -f" })),
        ("file_read", json!({ "path": "/etc/shadow" })),
        ("deploy", json!({ "to": "production" })),
    ] {
        let call = BeforeToolCall::new("1", tool, args);
        let done = run_tool_call(&hooks, &cx, call, run).await?;
        println!("{tool}: {}", done.output.content);
    }
    Ok(())
}
