//! Endpoints of other systems' files.

#![cfg(unix)]

mod common;

use common::{Reply, Server};
use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Dialect, Runtime};
use serde_json::{Value, json};

async fn blocked(dialect: Dialect, file: &Value) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let builder = Runtime::builder().file_as(dialect, path);
    // GoClaw's own guard lets nothing through to this machine.
    let guard = hooks_builtin::ssrf::Guard::new().allow_loopback(["127.0.0.1".parse().unwrap()]);
    let builder = if dialect == Dialect::Goclaw {
        builder.guard(guard)
    } else {
        builder
    };
    let runtime = builder.build().await.unwrap();
    assert_eq!(
        runtime.status().hooks.len(),
        1,
        "{:?}",
        runtime.status().notices
    );
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
    let result = hooks![..runtime]
        .intercept(&AgentContext::new("s"), &mut call)
        .await;
    result.as_cancel().map(|cancel| cancel.reason.to_string())
}

#[tokio::test]
async fn claudes_endpoints_are_open_and_local_ones_may_be_called() {
    let deny = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no" } });
    for (reply, expected) in [
        (Reply::json(&deny), Some("no")),
        (Reply::Status(200, String::new()), None),
        (Reply::Status(200, "text".into()), None),
        (Reply::Status(403, deny.to_string()), None),
        (Reply::Status(500, String::new()), None),
        (Reply::Reset, None),
    ] {
        let server = Server::always(reply.clone()).await;
        let hook = json!({ "type": "http", "url": server.url(), "headers": { "X-Who": "me $SECRET_THING" } });
        let file = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } });
        assert_eq!(
            blocked(Dialect::Claude, &file).await.as_deref(),
            expected,
            "{reply:?}"
        );
        let request = &server.requests()[0];
        assert_eq!(request.json()["tool_name"], "Bash");
        assert_eq!(request.header("x-who").map(str::trim), Some("me"));
    }
}

#[tokio::test]
async fn goclaws_endpoints_are_closed() {
    for (reply, blocks) in [
        (Reply::json(&json!({ "decision": "block" })), true),
        (Reply::json(&json!({ "decision": "deny" })), true),
        (Reply::json(&json!({ "decision": "allow" })), false),
        (Reply::json(&json!({ "continue": false })), true),
        (Reply::Status(200, "text".into()), false),
        (Reply::Status(404, String::new()), true),
    ] {
        let server = Server::always(reply.clone()).await;
        let file = json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "global", "config": { "url": server.url() } });
        assert_eq!(
            blocked(Dialect::Goclaw, &file).await.is_some(),
            blocks,
            "{reply:?}"
        );
        assert_eq!(server.requests()[0].json()["HookEvent"], "pre_tool_use");
    }
}
