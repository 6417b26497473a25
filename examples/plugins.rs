//! Plugins: hooks that exist only at run time, registered and unregistered while the agent runs. Run it with
//!
//! ```sh
//! cargo run --example plugins
//! ```
//!
//! Hooks that must not change are compiled in. `..plugins` puts each plugin at its own priority between those hooks.
//! To keep plugins below a hook whatever their priority, write `plugins @ priority::LOW` instead.

use hooks_core::agent::{
    AfterToolCall, AgentContext, AgentHooks, AgentRegistry, BeforeToolCall, ToolOutput,
    run_tool_call,
};
use hooks_core::{Hook, HookAction, hook, hooks, priority};
use serde::Deserialize;

/// The plugins that a user configures.
const CONFIGURATION: &str = r#"[
    { "name": "offline", "tool": "browser", "because": "this machine is offline", "priority": 20 },
    { "name": "mine", "tool": "vault", "because": "that is mine" }
]"#;

/// Blocks one tool, with a reason in the user's words.
#[derive(Deserialize)]
struct Forbid {
    name: String,
    tool: String,
    because: String,
    #[serde(default)]
    priority: i32,
}

/// Appends a text to every output.
struct Stamp;

#[hook]
impl Forbid {
    fn check(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        if call.name == self.tool {
            HookAction::block(self.because.clone())
        } else {
            HookAction::Continue
        }
    }
}

#[hook(name = "stamp")]
impl Stamp {
    fn stamp(&self, done: &mut AfterToolCall) {
        done.output.content.push_str(" (checked)");
    }
}

/// Compiled in, above the plugins: no plugin sees these calls.
#[hook(priority = priority::SECURITY, only("vault"))]
fn vault_is_closed(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("the vault is closed to every agent")
}

/// Compiled in, below the plugins.
#[hook(priority = priority::AUDIT)]
fn measure(done: &mut AfterToolCall) {
    done.output.content = format!(
        "{} [{} letters]",
        done.output.content,
        done.output.content.len()
    );
}

/// You may also register a static hook: a program may build its list from both.
#[hook]
fn trimmed(call: &mut BeforeToolCall) {
    call.name = call.name.trim().into();
}

/// A tool call of an agent that does not know its hooks. Two of its tools change the plugins, in the middle of a
/// call.
async fn call(hooks: &impl AgentHooks, plugins: &AgentRegistry, name: &str) -> String {
    let call = BeforeToolCall {
        name: name.into(),
        ..BeforeToolCall::default()
    };
    let tool = async |call: &BeforeToolCall| match call.name.as_str() {
        "install" => match plugins.register(Stamp) {
            Ok(()) => ToolOutput::new("installed"),
            Err(error) => ToolOutput::error(error.to_string()),
        },
        "uninstall" if plugins.unregister("stamp") => ToolOutput::new("uninstalled"),
        name => ToolOutput::new(format!("{name} ran")),
    };
    match run_tool_call(hooks, &AgentContext::new("session 1"), call, tool).await {
        Ok(done) => done.output.content,
        Err(cancel) => cancel.to_string(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let plugins = AgentRegistry::new().with(trimmed);
    for forbid in serde_json::from_str::<Vec<Forbid>>(CONFIGURATION)? {
        let (name, priority) = (forbid.name.clone(), forbid.priority);
        plugins.register_at(priority, forbid.named(name))?;
    }
    // A clone is a handle to the same plugins.
    let hooks = hooks![measure, vault_is_closed, ..plugins.clone()];
    println!("{}", hooks.plan());
    for name in [
        " list ",
        "browser",
        "vault",
        "install",
        "list",
        "uninstall",
        "list",
    ] {
        println!("{name:?}: {}", call(&hooks, &plugins, name).await);
    }
    Ok(())
}
