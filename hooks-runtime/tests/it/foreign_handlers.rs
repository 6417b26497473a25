//! Endpoints of other systems' files.

#![cfg(unix)]

use crate::common::{Reply, Server};
use hooks_core::agent::{AgentContext, BeforeStop, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Dialect, HttpEvaluator, Runtime};
use serde_json::{Value, json};

/// Why a hook blocks, and how often it failed open.
async fn asked(dialect: Dialect, file: &Value) -> (Option<String>, usize) {
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
    let result = hooks![..runtime.clone()]
        .intercept(&AgentContext::new("s"), &mut call)
        .await;
    let reason = result.as_cancel().map(|cancel| cancel.reason.to_string());
    (reason, runtime.status().failed_open.len())
}

async fn blocked(dialect: Dialect, file: &Value) -> Option<String> {
    asked(dialect, file).await.0
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
async fn a_header_of_claudes_hook_may_be_a_secret_in_a_bundle() {
    struct Known;
    impl hooks_runtime::Secrets for Known {
        fn secret(&self, name: &str) -> Option<String> {
            (name == "hook.1").then(|| "s3cret".to_owned())
        }
    }
    let server = Server::always(Reply::Status(200, String::new())).await;
    let hook =
        json!({ "type": "http", "url": server.url(), "headers": { "X-Key": "secret:hook.1" } });
    let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    let bundle = json!({ "format": "hooks-bundle/1", "hooks": [{ "name": "a", "claude": file }] });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.json");
    for (text, dialect, sent) in [
        (bundle, Dialect::Hooks, "s3cret"),
        (file, Dialect::Claude, "secret:hook.1"),
    ] {
        std::fs::write(&path, text.to_string()).unwrap();
        let builder = Runtime::builder().file_as(dialect, &path);
        let runtime = builder.secrets(Known).build().await.unwrap();
        let mut call = BeforeToolCall::new("1", "Bash", json!({}));
        let result = hooks![..runtime]
            .intercept(&AgentContext::new("s1"), &mut call)
            .await;
        assert!(result.is_continue());
        let requests = server.requests();
        assert_eq!(requests.last().unwrap().header("x-key"), Some(sent));
    }
}

#[tokio::test]
async fn goclaws_endpoints_are_closed() {
    for (reply, blocks, failed) in [
        (Reply::json(&json!({ "decision": "block" })), true, 0),
        (Reply::json(&json!({ "decision": "deny" })), true, 0),
        (Reply::json(&json!({ "decision": "allow" })), false, 0),
        (Reply::json(&json!({ "continue": false })), true, 0),
        (Reply::Status(200, "text".into()), false, 0),
        (
            Reply::Status(200, "{\"decision\": \"block\"".into()),
            false,
            1,
        ),
        (Reply::Status(404, String::new()), true, 0),
    ] {
        let server = Server::always(reply.clone()).await;
        let file = json!({ "event": "pre_tool_use", "handler_type": "http", "scope": "global", "config": { "url": server.url() } });
        let (reason, failed_open) = asked(Dialect::Goclaw, &file).await;
        assert_eq!(
            (reason.is_some(), failed_open),
            (blocks, failed),
            "{reply:?}"
        );
        assert_eq!(server.requests()[0].json()["HookEvent"], "pre_tool_use");
    }
}

/// A model's endpoint, as OpenAI's is.
async fn model(decision: Value) -> Server {
    let function = json!({ "name": "decide", "arguments": decision.to_string() });
    let message =
        json!({ "tool_calls": [{ "id": "1", "type": "function", "function": function }] });
    let answer = json!({ "choices": [{ "message": message }],
                         "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
    Server::always(Reply::json(&answer)).await
}

#[tokio::test]
async fn prompts_of_claude_and_goclaw_ask_a_model() {
    let claude = |event: &str, more: &Value| {
        let mut hook =
            json!({ "type": "prompt", "prompt": "Judge this: $ARGUMENTS", "model": "haiku" });
        hook.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "hooks": { event: [{ "hooks": [hook] }] } })
    };
    let goclaw = json!({
        "event": "pre_tool_use", "handler_type": "prompt", "scope": "global", "matcher": "^shell$",
        "config": { "prompt_template": "Judge this.", "model": "haiku", "max_invocations_per_turn": 1 },
    });
    let own_model = claude("PreToolUse", &json!({ "model": "gpt-x" }));
    for (dialect, file, asks) in [
        (Dialect::Claude, claude("PreToolUse", &json!({})), "small"),
        (Dialect::Claude, own_model, "gpt-x"),
        (Dialect::Goclaw, goclaw, "small"),
    ] {
        for (decision, blocks) in [("block", true), ("allow", false)] {
            let server = model(json!({ "decision": decision, "reason": "it deletes" })).await;
            let evaluator = HttpEvaluator::openai("small")
                .base_url(format!("http://127.0.0.1:{}", server.port))
                .allow_loopback("127.0.0.1")
                .no_key()
                .build()
                .unwrap();
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("hooks.json");
            std::fs::write(&path, file.to_string()).unwrap();
            let builder = Runtime::builder()
                .file_as(dialect, path)
                .evaluator(evaluator);
            let runtime = builder.build().await.unwrap();
            let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "rm x" }));
            let hooks = hooks![..runtime];
            let result = hooks.intercept(&AgentContext::new("s"), &mut call).await;
            let reason = result.as_cancel().map(|cancel| cancel.reason.to_string());
            assert_eq!(
                reason.as_deref(),
                blocks.then_some("it deletes"),
                "{dialect}"
            );
            let asked = server.requests()[0].json();
            assert_eq!(asked["model"], asks);
            let said = asked["messages"].to_string();
            assert!(
                said.contains("Judge this") && said.contains("rm x"),
                "{said}"
            );
            assert!(!said.contains("$ARGUMENTS"), "{said}");
            assert_eq!(asked["tool_choice"]["function"]["name"], "decide");
        }
    }
}

#[tokio::test]
async fn a_prompt_at_the_end_of_a_turn_sends_the_agent_on() {
    let server = model(json!({ "decision": "block", "reason": "run the tests" })).await;
    let evaluator = HttpEvaluator::openai("small")
        .base_url(format!("http://127.0.0.1:{}", server.port))
        .allow_loopback("127.0.0.1")
        .no_key()
        .build()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let hook = json!({ "type": "prompt", "prompt": "Is all done? $ARGUMENTS" });
    let file = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
    std::fs::write(&path, file.to_string()).unwrap();
    let builder = Runtime::builder()
        .file_as(Dialect::Claude, path)
        .evaluator(evaluator);
    let runtime = builder.build().await.unwrap();
    let mut stop = BeforeStop::new("All done.", 0);
    let hooks = hooks![..runtime];
    let result = hooks.intercept(&AgentContext::new("s"), &mut stop).await;
    assert_eq!(result.as_cancel().unwrap().reason, "run the tests");
    let asked = server.requests()[0].json()["messages"].to_string();
    assert!(asked.contains("stop_hook_active"), "{asked}");
}
