//! `hooks serve --demo`: a store that is thrown away, some hooks, and an agent that lets them judge a tool call a second.

use std::net::SocketAddr;
use std::time::Duration;

use hooks_builtin::DenyAll;
use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforeToolCall, ToolCall, ToolOutput, run_tool_call,
};
use hooks_core::{HookAction, hook, hooks, priority};
use hooks_runtime::Runtime;
use hooks_store::{By, NodeReport, Role, Store};
use serde_json::{Value, json};

use super::allowed::Allowed;
use crate::Failure;
use crate::paint::say;

/// The tenant of the demo.
pub(super) const TENANT: &str = "demo";

/// A store with hooks in force, and the token of its owner.
pub(super) struct Demo {
    pub(super) store: Store,
    pub(super) token: String,
    _folder: tempfile::TempDir,
}

impl Demo {
    pub(super) async fn new() -> Result<Self, Failure> {
        let folder = tempfile::tempdir().map_err(Failure::found)?;
        let url = format!("sqlite:{}", folder.path().join("hooks.db").display());
        let store = super::open(Store::builder(url), Allowed::by_default()).await?;
        let (tenant, by) = (
            store.tenant(TENANT),
            By::new("demo").comment("what the demo shows"),
        );
        let settings = tenant.put_settings(0, &settings(), &by).await;
        settings.map_err(Failure::found)?;
        for hook in published() {
            tenant.create(&hook, &by).await.map_err(Failure::found)?;
        }
        tenant.publish(&by).await.map_err(Failure::found)?;
        let token = tenant.token_new("demo", Role::Owner, None, &by).await;
        Ok(Demo {
            token: token.map_err(Failure::found)?.to_string(),
            store,
            _folder: folder,
        })
    }

    /// Starts the agent.
    pub(super) async fn start(&self) -> Result<(), Failure> {
        let tenant = self.store.tenant(TENANT);
        let secrets = tenant.secret_values().await.map_err(Failure::found)?;
        let builder = super::complete(Runtime::builder()).source(tenant.source());
        let builder = builder
            .shared(true)
            .secrets(secrets)
            .budget(self.store.budget());
        // No person is there who could approve.
        let builder = builder.recorder(self.store.recorder()).approver(DenyAll);
        let runtime = builder.build().await.map_err(Failure::found)?;
        runtime.watch().map_err(Failure::found)?;
        tokio::spawn(work(self.store.clone(), runtime));
        Ok(())
    }

    /// Says how to look.
    pub(super) fn say(&self, address: SocketAddr) {
        let token = &self.token;
        let repository = Some(env!("CARGO_PKG_REPOSITORY")).filter(|url| !url.is_empty());
        let repository = repository.unwrap_or("the repository");
        say!("\nWhat each page is for: docs/console.md in {repository}.");
        say!("\nAn agent lets the hooks judge a tool call a second. To look:\n");
        say!("  export TOKEN={token}");
        for path in [
            "executions?limit=3",
            "executions/stream",
            "order?node=demo+agent",
        ] {
            say!("  curl -NH \"Authorization: Bearer $TOKEN\" 'http://{address}/api/v1/{path}'");
        }
    }
}

/// The built-in hooks that are on.
fn settings() -> Value {
    json!({ "builtin": { "redact": true,
        "block_tools": { "tools": ["mcp__*"], "reason": "no tools of servers here" } } })
}

/// Hooks of which each does something else.
fn published() -> [Value; 3] {
    [
        json!({ "name": "no-force-push", "event": "BeforeToolCall", "tools": ["Bash"],
            "if": "args.command.contains('--force')", "block": "force pushes are not allowed" }),
        json!({ "name": "dry-run", "event": "BeforeToolCall", "tools": ["deploy"], "modify": { "dry_run": true } }),
        json!({ "name": "look", "event": "BeforeToolCall", "tools": ["Bash"], "mode": "shadow",
            "if": "args.command.startsWith('rm')", "block": "this would have been blocked" }),
    ]
}

/// The agent's own hook: the model reads no spaces at the end of an output.
#[hook(priority = 10)]
fn trim(done: &mut AfterToolCall) {
    let output = &mut done.output.content;
    output.truncate(output.trim_end().len());
}

/// The agent's own guard, which a publication cannot remove.
#[hook(guard, priority = priority::SECURITY, only("Bash"))]
fn no_sudo(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    match call.args["command"].as_str() {
        Some(command) if command.contains("sudo") => HookAction::block("not as root"),
        _ => HookAction::Continue,
    }
}

/// Makes tool calls, again and again, under its own hooks, the built-in ones and those of the store, and reports as a node.
async fn work(store: Store, runtime: Runtime) {
    let tenant = store.tenant(TENANT);
    let hooks = hooks![trim, no_sudo, ..runtime.clone()];
    let cx = AgentContext::new("demo").with_tenant_id(TENANT);
    let calls = [
        ("Bash", json!({ "command": "ls" })),
        ("Bash", json!({ "command": "git push --force" })),
        ("deploy", json!({ "to": "production" })),
        ("Bash", json!({ "command": "rm -r build" })),
    ];
    for (number, (tool, args)) in calls.iter().cycle().enumerate() {
        if number % 5 == 0 {
            let mut report = NodeReport::from(&runtime.status());
            report.order = Some(runtime.order_in(hooks.plan()));
            // If the store fails, its log says so, and the next report is five seconds later.
            if let Ok(told) = tenant.report("demo agent", &report).await {
                told.reset.iter().for_each(|hook| {
                    runtime.reset_breaker(hook);
                });
            }
        }
        let call = ToolCall::new(number.to_string(), *tool, args.clone());
        let run = async |_: &BeforeToolCall| ToolOutput::new("done\n");
        // The next one is a second later, whatever became of this.
        let _ = run_tool_call(&hooks, &cx, call, run).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}
