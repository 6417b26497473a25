//! Plugins: hooks that only exist at run time, in one place of a static pipeline. Run it with
//!
//! ```sh
//! cargo run --example plugins
//! ```
//!
//! What must not change is compiled in; the registry stands where the list says, and no plugin comes
//! before what stands above it, whatever priority it gives itself.

use hooks_core::agent::{
    AfterToolCall, AgentContext, AgentEvent, AgentHandler, AgentHooks, BeforeToolCall, ToolOutput,
};
use hooks_core::{HookAction, HookRegistry, HookResult, async_trait, hook, hooks, priority};
use serde::Deserialize;
use serde_json::json;

/// What a user's configuration says of plugins.
const CONFIGURATION: &str = r#"[
    { "plugin": "forbid", "tool": "browser", "because": "this machine is offline" },
    { "plugin": "stamp", "text": "(checked)" },
    { "plugin": "forbid", "tool": "vault", "because": "it is mine", "priority": 2000000000 }
]"#;

#[derive(Deserialize)]
#[serde(tag = "plugin", rename_all = "lowercase")]
enum Plugin {
    Forbid(Forbid),
    Stamp(Stamp),
}

/// Blocks one tool, with the user's words.
#[derive(Deserialize)]
struct Forbid {
    tool: String,
    because: String,
    #[serde(default)]
    priority: i32,
}

/// Puts a text under every output.
#[derive(Deserialize)]
struct Stamp {
    text: String,
}

#[async_trait]
impl AgentHandler for Forbid {
    fn name(&self) -> &'static str {
        "forbid"
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    async fn before_tool_call(
        &self,
        _: &AgentContext,
        call: &mut BeforeToolCall,
    ) -> HookAction<BeforeToolCall> {
        if call.name == self.tool {
            HookAction::block(self.because.clone())
        } else {
            HookAction::Continue
        }
    }
}

#[async_trait]
impl AgentHandler for Stamp {
    fn name(&self) -> &'static str {
        "stamp"
    }

    async fn after_tool_call(
        &self,
        _: &AgentContext,
        done: &mut AfterToolCall,
    ) -> HookAction<AfterToolCall> {
        done.output.content.push(' ');
        done.output.content.push_str(&self.text);
        HookAction::Continue
    }
}

/// Compiled in, above the plugins: no plugin sees these calls.
#[hook(priority = priority::SECURITY, only("vault"))]
fn vault_is_closed(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block("the vault is closed to every agent")
}

/// Compiled in, below them.
#[hook(priority = priority::AUDIT)]
fn measure(done: &mut AfterToolCall) {
    done.output.content = format!(
        "{} [{} letters]",
        done.output.content,
        done.output.content.len()
    );
}

/// A static hook may also be registered: a program may build its list from both.
#[hook]
fn trimmed(call: &mut BeforeToolCall) {
    call.name = call.name.trim().into();
}

/// A tool call, by an agent that does not know what its hooks are.
async fn call(hooks: &impl AgentHooks, name: &str) -> String {
    let cx = AgentContext::new("session 1");
    let mut call = BeforeToolCall {
        name: name.into(),
        args: json!({}),
        ..BeforeToolCall::default()
    };
    match hooks.intercept(&cx, &mut call).await {
        HookResult::Continue => {}
        HookResult::Respond(output) => return output.content,
        HookResult::Cancel(cancel) => return cancel.to_string(),
    }
    let mut done = AfterToolCall {
        output: ToolOutput::new(format!("{} ran", call.name)),
        name: call.name,
        ..AfterToolCall::default()
    };
    match hooks.intercept(&cx, &mut done).await {
        HookResult::Cancel(cancel) => cancel.to_string(),
        _ => done.output.content,
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> serde_json::Result<()> {
    let mut plugins = HookRegistry::<AgentEvent>::new().with(hooks![trimmed]);
    for plugin in serde_json::from_str::<Vec<Plugin>>(CONFIGURATION)? {
        match plugin {
            Plugin::Forbid(forbid) => plugins.register(forbid),
            Plugin::Stamp(stamp) => plugins.register(stamp),
        }
    }
    println!("{} handlers in the registry: {plugins:?}\n", plugins.len());

    let hooks = hooks![measure, vault_is_closed, plugins @ priority::LOW];
    println!("{}", hooks.plan());
    for name in [" list ", "browser", "vault"] {
        println!("{name:?}: {}", call(&hooks, name).await);
    }
    Ok(())
}
