//! An agent whose hooks stand in a file: one with a handler of every kind, and the file changes while the agent runs. Run
//! it with
//!
//! ```sh
//! cargo run --example configured_agent
//! ```
//!
//! It calls the tools of the example `agent` in a temporary folder, under `hooks.toml` beside this file. The endpoint, the
//! model and the process that the file names are started by the example itself, on loopback. It ends with the records of
//! what each hook said, as a table.

mod process;
mod server;
#[path = "../agent/tools/mod.rs"]
#[expect(dead_code, reason = "no model sees the tools here")]
mod tools;

use std::error::Error;
use std::path::Path;

use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeToolCall, ToolCall, ToolCallEnd, ToolOutput, run_tool_call,
};
use hooks_core::{hook, hooks, priority};
use hooks_runtime::{HttpEvaluator, Record, Records, Runtime};
use serde_json::{Value, json};

use self::server::Server;
use self::tools::{Tool, Workspace};

/// A hook in Rust takes its place among those of the file.
#[hook(priority = priority::AUDIT)]
fn count(done: &ToolCallEnd<'_>) {
    println!(
        "    {} {}",
        done.name,
        if done.output.is_error {
            "failed"
        } else {
            "is done"
        }
    );
}

struct Agent<H> {
    hooks: H,
    cx: AgentContext,
    workspace: Workspace,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The process that the file names is this program.
    if std::env::args().nth(1).as_deref() == Some("--process") {
        return process::answer();
    }
    let folder = tempfile::tempdir()?;
    let (endpoint, model) = (Server::endpoint().await?, Server::model().await?);
    let file = folder.path().join("hooks.toml");
    write(&file, &endpoint, "pushing is for people")?;

    let records = Records::latest(1000);
    let runtime = Runtime::builder()
        .file(&file)
        .evaluator(
            HttpEvaluator::openai("judge")
                .base_url(model.url())
                .allow_loopback(model.address())
                .no_key()
                .build()?,
        )
        .recorder(records.clone())
        .build()
        .await?;
    let agent = Agent {
        hooks: hooks![count, ..runtime.clone()],
        cx: AgentContext::new("session-1")
            .with_agent_id("coder")
            .with_cwd(folder.path().to_string_lossy()),
        workspace: Workspace::open(folder.path())?,
    };
    println!(
        "The hooks, revision {}:\n\n{}",
        runtime.revision(),
        agent.hooks.plan()
    );

    println!("The calls:\n");
    agent
        .call("write", json!({ "path": "notes.txt", "content": "one\n" }))
        .await?;
    agent
        .call("shell", json!({ "command": "wc -l notes.txt" }))
        .await?;
    agent
        .call("shell", json!({ "command": "git push" }))
        .await?;
    agent
        .call("shell", json!({ "command": "rm notes.txt" }))
        .await?;
    agent.call("read", json!({ "path": "secret.txt" })).await?;

    write(&file, &endpoint, "pushing waits until Monday")?;
    println!(
        "\nThe file has changed: revision {}\n",
        runtime.reload().await?
    );
    agent
        .call("shell", json!({ "command": "git push" }))
        .await?;

    // A mistake changes nothing.
    std::fs::write(
        &file,
        "[[hooks.on]]\nevent = 'BeforeToolcal'\nblock = 'no'\n",
    )?;
    if let Err(mistake) = runtime.reload().await {
        println!(
            "\nThe file is wrong, and revision {} stays:\n{}\n",
            runtime.revision(),
            mistake.message()
        );
    }
    agent
        .call("shell", json!({ "command": "git push" }))
        .await?;

    runtime.shutdown().await;
    println!(
        "\nThe endpoint has heard of {} calls, the model was asked {} times.",
        endpoint.requests(),
        model.requests()
    );
    table(&records.all());
    Ok(())
}

/// Writes the file: the endpoint's address, this program's path, and why pushing is blocked.
fn write(file: &Path, endpoint: &Server, reason: &str) -> Result<(), Box<dyn Error>> {
    let text = include_str!("hooks.toml")
        .replace("http://127.0.0.1:8080", &endpoint.url())
        .replace("127.0.0.1:8080", &endpoint.address())
        .replace("pushing is for people", reason)
        .replace(
            "configured_agent",
            &std::env::current_exe()?.to_string_lossy(),
        );
    Ok(std::fs::write(file, text)?)
}

impl<H: AgentHooks> Agent<H> {
    /// Calls a tool, as the hooks let it.
    async fn call(&self, name: &str, args: Value) -> Result<(), Box<dyn Error>> {
        println!("{name} {args}");
        let call = ToolCall::new("call", name, args);
        let done = run_tool_call(
            &self.hooks,
            &self.cx,
            call,
            async |call: &BeforeToolCall| match Tool::parse(&call.name, &call.args) {
                Ok(tool) => self.workspace.run(tool).await,
                Err(error) => ToolOutput::error(error),
            },
        )
        .await?;
        println!("    {}", done.output.content.trim());
        for text in done.context {
            println!("    and the model reads: {text}");
        }
        Ok(())
    }
}

/// What each hook said.
fn table(records: &[Record]) {
    println!(
        "\n{:<9} {:<15} {:<8} {:<8} says",
        "revision", "event", "handler", "outcome"
    );
    for record in records {
        for step in &record.steps {
            let says = step.reason.as_deref();
            let says = says.or(step.messages.first().map(String::as_str));
            println!(
                "{:<9} {:<15} {:<8} {:<8} {}",
                record.revision,
                record.event,
                step.handler,
                step.outcome,
                says.unwrap_or_default()
            );
        }
    }
}
