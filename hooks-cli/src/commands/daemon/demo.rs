//! `hooks serve --demo`: a store that is thrown away, some hooks, and an agent that lets them judge an event a second.

use std::net::SocketAddr;
use std::time::Duration;

use hooks_store::{By, Role, Store};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

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
        let store = super::open(&url, Allowed::by_default()).await?;
        let (tenant, by) = (
            store.tenant(TENANT),
            By::new("demo").comment("what the demo shows"),
        );
        for hook in hooks() {
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

    /// Says how to look.
    pub(super) fn say(&self, address: SocketAddr) {
        let token = &self.token;
        let repository = Some(env!("CARGO_PKG_REPOSITORY")).filter(|url| !url.is_empty());
        let repository = repository.unwrap_or("the repository");
        say!("\nWhat each page is for: docs/console.md in {repository}.");
        say!("\nAn agent lets the hooks judge an event a second. To look:\n");
        say!("  export TOKEN={token}");
        for path in ["executions?limit=3", "executions/stream", "bundle"] {
            say!("  curl -NH \"Authorization: Bearer $TOKEN\" 'http://{address}/api/v1/{path}'");
        }
    }
}

/// Hooks of which each does something else.
fn hooks() -> [Value; 3] {
    [
        json!({ "name": "no-force-push", "event": "BeforeToolCall", "tools": ["Bash"],
            "if": "args.command.contains('--force')", "block": "force pushes are not allowed" }),
        json!({ "name": "dry-run", "event": "BeforeToolCall", "tools": ["deploy"], "modify": { "dry_run": true } }),
        json!({ "name": "look", "event": "BeforeToolCall", "tools": ["Bash"], "mode": "shadow",
            "if": "args.command.startsWith('rm')", "block": "it would have been blocked" }),
    ]
}

/// Raises events through the door of Claude Code, again and again.
pub(super) async fn agent(address: SocketAddr, token: &str) {
    let calls = [
        ("Bash", json!({ "command": "ls" })),
        ("Bash", json!({ "command": "git push --force" })),
        ("deploy", json!({ "to": "production" })),
        ("Bash", json!({ "command": "rm -r build" })),
    ];
    for (number, (tool, args)) in calls.iter().cycle().enumerate() {
        let event = json!({ "session_id": "demo", "cwd": "/work", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": args, "tool_use_id": number.to_string() });
        // The next one is a second later, whatever became of this.
        let _ = post(address, token, &event.to_string()).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

async fn post(address: SocketAddr, token: &str, event: &str) -> std::io::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "POST /hooks/claude HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{event}",
        event.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(())
}
