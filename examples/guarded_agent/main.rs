//! An agent that is guarded, audited and redacted by the built-in hooks, all of them, as `examples/hooks.toml` says.
//! Run it with
//!
//! ```sh
//! cargo run --example guarded_agent
//! ```
//!
//! It calls the tools of the example `agent` in a temporary folder, posts its audit to a receiver that it starts on
//! loopback, and ends by showing what was blocked, rewritten, approved, answered from the cache, redacted and
//! delivered. One call builds a crate whose build script tries to read a key outside of the workspace: the policy cannot
//! see that, and the kernel refuses it.

mod person;
mod receiver;
#[path = "../agent/tools/mod.rs"]
#[expect(dead_code, reason = "no model sees the tools here")]
mod tools;

use std::cell::RefCell;
use std::error::Error;
use std::fs;
use std::path::Path;

use clap::Parser;
use hooks_builtin::Decided;
use hooks_builtin::config::{BuiltinHooks, HookFactoryRegistry, HooksConfig};
use hooks_core::Hook;
use hooks_core::agent::{
    AgentContext, AgentHooks, BeforeToolCall, MessageOutcome, MessageSending, ToolCall, ToolOutput,
    run_tool_call, send_message,
};
use serde_json::{Value, json};

use self::receiver::Receiver;
use self::tools::{Tool, Workspace};

/// Shows an agent that all built-in hooks guard, audit and redact, as `examples/hooks.toml` says.
#[derive(Parser)]
#[command(name = "guarded_agent")]
struct Options {}

/// An agent is generic over its hooks, by one bound.
struct Agent<H> {
    hooks: H,
    cx: AgentContext,
    workspace: Workspace,
    calls: usize,
    rewritten: RefCell<Vec<String>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    // This executable also confines the commands: it is started once more for each.
    hooks_sandbox::enter_if_asked();
    let Options {} = Options::parse();
    run()
}

#[tokio::main(flavor = "current_thread")]
async fn run() -> Result<(), Box<dyn Error>> {
    // The settings have relative paths, which are under the current folder.
    let folder = tempfile::tempdir()?;
    std::env::set_current_dir(&folder)?;
    let workspace = Workspace::open(folder.path())?;
    let outside = tempfile::tempdir()?;
    add_crate(folder.path(), &outside.path().join("key"))?;
    let receiver = Receiver::start().await?;
    let (approver, person) = person::answering();

    let mut config = HooksConfig::load(concat!(env!("CARGO_MANIFEST_DIR"), "/hooks.toml"))?;
    if let Some(audit) = config.builtin.webhook_audit.as_on_mut() {
        audit.url = Some(receiver.url().parse()?);
    }
    let mut hooks = config.hooks(&HookFactoryRegistry::with_builtins())?;
    let builtin = &mut hooks.builtin;
    // The configuration says `terminal`; here a task answers, as a window of yours might.
    builtin.approval = builtin
        .approval
        .take()
        .map(|approval| approval.with_approver(approver));
    // A clone is a handle: with these it is seen afterwards what the hooks did.
    let kept = builtin.clone();
    let hooks = hooks.into_pipeline();

    println!("The hooks:\n\n{}", hooks.plan());
    let cx = AgentContext::new("session-1")
        .with_agent_id("coder")
        .with_cwd(workspace.root().to_string_lossy());
    let mut agent = Agent {
        hooks,
        cx,
        workspace,
        calls: 0,
        rewritten: RefCell::default(),
    };

    println!("The calls:\n");
    let notes = "Ask ada@example.org about TICKET-42.\nThe card is 4111 1111 1111 1111.\n";
    for (tool, args) in [
        ("write", json!({ "path": "notes.txt", "content": notes })),
        ("read", json!({ "path": "notes.txt" })),
        ("read", json!({ "path": "./notes.txt" })),
        ("shell", json!({ "command": "sort notes.txt | wc -l" })),
        ("shell", json!({ "command": "echo $(r''m -rf .)" })),
        ("shell", json!({ "command": "cat /etc/passwd" })),
        (
            "shell",
            json!({ "command": "echo cm0gLXJmIC4= | base64 -d | sh" }),
        ),
        ("shell", json!({ "command": "cargo build --offline" })),
        ("read", json!({ "path": "../../etc/passwd" })),
        ("deploy", json!({ "to": "production" })),
        (
            "edit",
            json!({ "path": "notes.txt", "old": "Ask", "new": "Never ask" }),
        ),
        (
            "write",
            json!({ "path": "notes.txt", "content": "FIXME\n" }),
        ),
        ("list", json!({ "path": "." })),
    ] {
        agent.call(tool, args).await;
    }
    // A model in a loop.
    for _ in 0..8 {
        agent.call("list", json!({ "path": "." })).await;
    }
    let said = agent.say("It is done; write to ada@example.org.").await;
    println!("\nThe reply: {said}");

    drop(agent.hooks);
    let rewritten = agent.rewritten.into_inner();
    summary(&kept, &rewritten, &person.answers(), &receiver).await?;
    Ok(())
}

/// Adds a crate to the workspace, as an agent may have cloned it, and a key beside the workspace.
fn add_crate(workspace: &Path, key: &Path) -> std::io::Result<()> {
    fs::write(key, "the key of the production database")?;
    let manifest = "[package]\nname = \"cloned\"\nedition = \"2024\"\n[workspace]\n";
    let key = key.display().to_string();
    let script = format!(
        "fn main() {{\n    let key = std::fs::read_to_string({key:?});\n    \
         println!(\"cargo::warning=the build script got {{key:?}}\");\n}}\n"
    );
    fs::write(workspace.join("Cargo.toml"), manifest)?;
    fs::write(workspace.join("build.rs"), script)?;
    fs::create_dir(workspace.join("src"))?;
    fs::write(workspace.join("src/main.rs"), "fn main() {}\n")
}

impl<H: AgentHooks> Agent<H> {
    /// Calls a tool, as the hooks let it.
    async fn call(&mut self, name: &str, args: Value) {
        self.calls += 1;
        let call = ToolCall::new(format!("call-{}", self.calls), name, args.clone());
        let done = run_tool_call(
            &self.hooks,
            &self.cx,
            call,
            async |call: &BeforeToolCall| {
                if call.args != args {
                    let key = if name == "shell" { "command" } else { "path" };
                    let (from, to) = (&args[key], &call.args[key]);
                    let rewritten = format!("{name}: the {key} {from} became {to}");
                    let mut all = self.rewritten.borrow_mut();
                    if !all.contains(&rewritten) {
                        all.push(rewritten);
                    }
                }
                match Tool::parse(&call.name, &call.args) {
                    Ok(tool) => self.workspace.run(tool).await,
                    Err(error) => ToolOutput::error(error),
                }
            },
        )
        .await;
        let output = match done {
            Ok(done) => done.output,
            Err(cancel) => ToolOutput::error(cancel.to_string()),
        };
        let outcome = if output.is_error { "error" } else { "ok" };
        println!(
            "  {name} {args}\n    {outcome}: {}",
            output.content.trim_end().replace('\n', "\n    ")
        );
    }

    /// Sends a reply, as the hooks let it: here to who reads this.
    async fn say(&self, content: &str) -> String {
        let message = MessageSending::new("terminal", "user", content);
        let sent = send_message(&self.hooks, &self.cx, message, async |_| {
            Ok::<(), String>(())
        });
        match sent.await {
            Ok(MessageOutcome::Sent(message)) => message.content,
            Ok(MessageOutcome::Blocked(cancel)) | Err(cancel) => format!("(held back: {cancel})"),
            Ok(MessageOutcome::Failed { error, .. }) => format!("(not sent: {error})"),
        }
    }
}

/// What the hooks did.
async fn summary(
    hooks: &BuiltinHooks,
    rewritten: &[String],
    answers: &[String],
    receiver: &Receiver,
) -> Result<(), Box<dyn Error>> {
    let BuiltinHooks {
        event_log: Some(events),
        tool_cache: Some(cache),
        redact: Some(redact),
        command_logger: Some(commands),
        jsonl_log: Some(jsonl),
        webhook_audit: Some(audit),
        ..
    } = hooks
    else {
        return Err("a hook is turned off in `examples/hooks.toml`".into());
    };
    println!("\nBlocked:");
    for entry in events.entries() {
        if let Some(Decided::Cancelled(cancel)) = &entry.decided {
            let tool = entry.subject.as_deref().unwrap_or_default();
            println!("  {tool}, by {}: {}", cancel.hook, cancel.reason);
        }
    }
    println!("\nRewritten:");
    for call in rewritten {
        println!("  {call}");
    }
    println!("\nAsked a person:");
    for answer in answers {
        println!("  {answer}");
    }
    println!("\nAnswered from the cache: {} calls", cache.hits());
    println!("\nRedacted:");
    for (kind, count) in redact.counts() {
        println!("  {kind}: {count}");
    }
    println!("\nLogged, the last three of {}:", commands.lines().len());
    for line in commands.lines().iter().rev().take(3).rev() {
        println!("  {line}");
    }
    jsonl.flush()?;
    let lines = std::fs::read_to_string("audit.jsonl")?.lines().count();
    println!("\nWritten to audit.jsonl: {lines} lines");
    audit.flush().await;
    println!(
        "\nDelivered: {} of {} audit events ({} dropped); the last that the receiver got:",
        audit.delivered(),
        audit.accepted(),
        audit.dropped()
    );
    for body in receiver.bodies().iter().rev().take(3).rev() {
        println!("  {body}");
    }
    Ok(())
}
