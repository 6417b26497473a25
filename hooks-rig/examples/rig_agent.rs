//! An agent of the framework rig with a pipeline as its hooks. Run it with
//!
//! ```sh
//! cargo run --manifest-path hooks-rig/Cargo.toml --example rig_agent
//! ```
//!
//! The model is scripted, so the example needs no network and no key. The loop that calls the model and the tools is
//! rig's.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforeStop, BeforeToolCall, LlmOutput, ToolCallEnd, ToolOutput,
};
use hooks_core::{HookAction, hook, hooks, priority};
use hooks_rig::RigHooks;
use rig_agent::agent::AgentBuilder;
use rig_agent::core::message::ToolName;
use rig_agent::core::test_utils::{MockCompletionModel, MockTurn};
use rig_agent::core::tool::ToolOutput as RigOutput;
use rig_agent::tool::DynamicTool;
use serde_json::{Value, json};

/// Blocks: the model reads the reason, and the tool does not run.
#[hook(priority = priority::SECURITY, only("shell"))]
fn no_sudo(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.args["command"]
        .as_str()
        .is_some_and(|command| command.starts_with("sudo"))
    {
        return HookAction::block("no sudo");
    }
    HookAction::Continue
}

/// Rewrites: the tool runs with the arguments that the hook leaves.
#[hook(only("read"))]
fn in_the_workspace(call: &mut BeforeToolCall) {
    if let Some(path) = call.args["path"].as_str() {
        call.args["path"] = format!("/work/{}", path.trim_start_matches('/')).into();
    }
}

/// Answers instead of the tool.
#[hook(only("weather"))]
fn cached(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::respond(ToolOutput::new("rain, says the cache"))
}

/// Redacts: the model reads the result.
#[hook(priority = priority::LOW)]
fn no_addresses(done: &mut AfterToolCall) {
    let words = done.output.content.split(' ');
    let words: Vec<&str> = words
        .map(|word| if word.contains('@') { "[mail]" } else { word })
        .collect();
    done.output.content = words.join(" ");
}

/// Makes the agent continue, once.
#[hook]
fn say_please(stop: &BeforeStop) -> HookAction<BeforeStop> {
    if stop.response.contains("please") {
        return HookAction::Continue;
    }
    HookAction::block("Say it again, and say please.")
}

/// Counts, and prints what it sees.
#[derive(Default)]
struct Count {
    answers: AtomicUsize,
    tool_calls: AtomicUsize,
}

#[hook(priority = priority::AUDIT)]
impl Count {
    fn answer(&self, output: &LlmOutput<'_>) {
        self.answers.fetch_add(1, Ordering::Relaxed);
        let response = output.response;
        match response.tool_calls.first() {
            Some(call) => println!("model: {} {}", call.name, call.args),
            None => println!("model: {}", response.content),
        }
    }

    fn tool_call(&self, done: &ToolCallEnd<'_>) {
        self.tool_calls.fetch_add(1, Ordering::Relaxed);
        println!(
            "  tool: {} {} -> {}",
            done.name, done.args, done.output.content
        );
    }
}

/// A tool that returns a text with its arguments in it.
fn tool(name: &str, output: impl Fn(&Value) -> String + Send + Sync + 'static) -> DynamicTool {
    let name = ToolName::new(name).expect("the name is not empty");
    DynamicTool::new(name, "A tool.", json!({ "type": "object" }), move |args| {
        let output = RigOutput::text(output(&args));
        Box::pin(async move { Ok(output) })
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("1", "shell", json!({ "command": "sudo reboot" })),
        MockTurn::tool_call("2", "read", json!({ "path": "/notes.txt" })),
        MockTurn::tool_call("3", "weather", json!({ "city": "Oslo" })),
        MockTurn::text("Take an umbrella."),
        MockTurn::text("Take an umbrella, please."),
    ]);
    let count = Arc::new(Count::default());
    let hooks = hooks![
        no_sudo,
        in_the_workspace,
        cached,
        no_addresses,
        say_please,
        count.clone()
    ];
    println!("{}", hooks.plan());

    let agent = AgentBuilder::new(model)
        .preamble("You are a helpful agent.")
        .default_max_turns(8)
        .dynamic_tool(tool("shell", |_| "rebooting".into()))
        .dynamic_tool(tool("read", |args| {
            format!("{} says: write to ada@example.org today", args["path"])
        }))
        .dynamic_tool(tool("weather", |_| "sun".into()))
        .add_hook(RigHooks::new(hooks, AgentContext::new("session 1")))
        .build();
    let response = agent.prompt("What shall I take with me?").await?;
    println!("\nanswer: {}", response.output());
    println!(
        "{} answers of the model, {} tool calls that ran or were answered",
        count.answers.load(Ordering::Relaxed),
        count.tool_calls.load(Ordering::Relaxed),
    );
    Ok(())
}
