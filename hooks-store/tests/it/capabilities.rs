//! Capabilities: what a deployment does not allow does not run, and a guard that does not run blocks.

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use hooks_store::{Capabilities, HookScope};
use serde_json::json;

use crate::common::{Place, ada, mistakes};

#[tokio::test]
async fn what_is_in_force_and_not_allowed_blocks_where_it_could_block() {
    let place = Place::file();
    let everything = place.open().await;
    let acme = everything.tenant("acme");
    let guard = json!({ "name": "guard", "event": ["BeforeToolCall", "ToolCallEnd"], "tools": ["deploy"], "command": "true" });
    let watch = json!({ "name": "watch", "event": "ToolCallEnd", "command": "true" });
    let rule = json!({ "name": "rule", "event": "BeforeToolCall", "tools": ["ship"], "block": "no ships" });
    for hook in [&guard, &watch, &rule] {
        acme.create(hook, &ada()).await.unwrap();
    }
    acme.publish(&ada()).await.unwrap();
    let capabilities = Capabilities::all().without_handlers(["command"]);
    for _ in 0..2 {
        let store = place
            .builder()
            .capabilities(capabilities.clone())
            .open()
            .await
            .unwrap();
        let acme = store.tenant("acme");
        let runtime = Runtime::builder()
            .source(acme.source())
            .build()
            .await
            .unwrap();
        let names: Vec<_> = runtime
            .status()
            .hooks
            .iter()
            .map(|hook| hook.name.clone())
            .collect();
        assert_eq!(names, ["guard", "watch", "rule"]);
        let hooks = hooks![..runtime.clone()];
        for (tool, reason) in [("deploy", "do not run here"), ("ship", "no ships")] {
            let mut call = BeforeToolCall::new("1", tool, json!({}));
            let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
            let cancelled = result.as_cancel().unwrap();
            assert!(cancelled.reason.contains(reason), "{}", cancelled.reason);
        }
        let mut call = BeforeToolCall::new("1", "ls", json!({}));
        assert!(
            hooks
                .intercept(&AgentContext::new("s1"), &mut call)
                .await
                .as_cancel()
                .is_none()
        );
        assert_eq!(runtime.status().not_allowed.len(), 2);
        // However often the store is opened, the log has it once.
        let log = acme.admin_log(None, 100).await.unwrap().items;
        let refused: Vec<_> = log
            .iter()
            .filter(|entry| entry.action == "hook.refused")
            .collect();
        assert_eq!((refused.len(), &*refused[1].entity), (2, "guard"));
        let told = mistakes(
            acme.create(
                &json!({ "name": "b", "event": "BeforeToolCall", "command": "true" }),
                &ada(),
            )
            .await,
        );
        assert_eq!(told[0].path, "/command");
    }
}

#[tokio::test]
async fn a_scope_can_be_forbidden() {
    let place = Place::memory();
    let capabilities = Capabilities::all().without_scopes([HookScope::Global]);
    let store = place
        .builder()
        .capabilities(capabilities)
        .open()
        .await
        .unwrap();
    let hook = crate::common::block("a", "deploy");
    assert_eq!(
        mistakes(store.tenant("").create(&hook, &ada()).await)[0].path,
        "/scope"
    );
    store.tenant("acme").create(&hook, &ada()).await.unwrap();
}

#[tokio::test]
async fn what_is_loaded_is_judged_in_whatever_form_it_is_saved() {
    let place = Place::file();
    let folder = place.folder.as_ref().unwrap().path();
    let ran = folder.join("ran");
    let command = format!("touch {}", ran.display());
    let other = folder.join("other.toml");
    let text = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = '{command}'");
    std::fs::write(&other, text).unwrap();
    let claude = json!({ "hooks": { "PreToolUse": [
        { "hooks": [{ "type": "command", "command": command }] },
    ] } });
    let row = json!({
        "event": "pre_tool_use", "handler_type": "command", "scope": "global", "config": { "command": command },
    });
    let hooks = [
        (
            json!({ "name": "own", "event": "BeforeToolCall", "command": command }),
            "/command",
        ),
        (json!({ "name": "claude", "claude": claude }), "/claude"),
        (json!({ "name": "codex", "codex": claude }), "/codex"),
        (json!({ "name": "row", "goclaw": row }), "/goclaw"),
    ];
    let shell = json!({ "command": command });
    // Nobody may save these, whatever the deployment allows.
    let log = json!({ "path": folder.join("ran") });
    let tables = [
        json!({ "builtin": { "jsonl_log": log } }),
        json!({ "import": [{ "hooks": other }] }),
        json!({ "processes": { "a": { "command": ["sh", "-c", command], "intercept": ["before_tool"] } } }),
        json!({ "builtin": { "shell_hook": shell } }),
        json!({ "builtins": { "shell_hook": { "config": shell } } }),
        json!({ "chain": [{ "type": "shell_hook", "config": shell }] }),
    ];
    let capabilities = Capabilities::all().without_handlers(["command", "process"]);
    let open = async || {
        let builder = place.builder().capabilities(capabilities.clone());
        builder.open().await.unwrap()
    };
    // It cannot be saved.
    let acme = open().await.tenant("acme");
    for (hook, path) in &hooks {
        assert_eq!(mistakes(acme.create(hook, &ada()).await)[0].path, *path);
    }
    let everything = place.open().await;
    for tables in &tables {
        let table = tables.as_object().unwrap().keys().next().unwrap();
        for tenant in [&acme, &everything.tenant("acme")] {
            let told = mistakes(tenant.put_settings(0, tables, &ada()).await);
            assert!(told[0].path.starts_with(&format!("/{table}/")), "{told:?}");
        }
    }
    let allows_itself = json!({ "limits": { "refuse": [] } });
    let told = mistakes(acme.put_settings(0, &allows_itself, &ada()).await);
    assert_eq!(told[0].path, "/limits/refuse");
    // What somebody else has published does not run, and blocks.
    for (number, (hook, _)) in hooks.iter().enumerate() {
        let tenant = everything.tenant(&format!("hook {number}"));
        tenant.create(hook, &ada()).await.unwrap();
        tenant.publish(&ada()).await.unwrap();
    }
    let store = open().await;
    let tenants = everything.tenants().await.unwrap();
    assert_eq!(tenants.len(), hooks.len());
    for tenant in tenants {
        let tenant = store.tenant(&tenant);
        let runtime = Runtime::builder().source(tenant.source());
        let runtime = runtime.build().await.unwrap();
        let why = blocked(&runtime, "ls").await;
        assert!(why.contains("do not run here"), "{tenant:?}: {why}");
        assert_eq!(runtime.status().not_allowed.len(), 1, "{tenant:?}");
        assert!(tenant.publish(&ada()).await.is_err(), "{tenant:?}");
        runtime.shutdown().await;
    }
    assert!(!ran.exists());
}

/// Why a call is blocked; empty if it is not.
async fn blocked(runtime: &Runtime, tool: &str) -> String {
    let mut call = BeforeToolCall::new("1", tool, json!({}));
    let cx = AgentContext::new("s1");
    let hooks = hooks![..runtime.clone()];
    let result = hooks.intercept(&cx, &mut call).await;
    result
        .as_cancel()
        .map_or_else(String::new, |cancel| cancel.reason.to_string())
}

#[tokio::test]
async fn what_is_of_a_forbidden_scope_blocks_in_whatever_form_it_is() {
    let place = Place::file();
    let everything = place.open().await.tenant("");
    let row = json!({
        "event": "pre_tool_use", "handler_type": "command", "scope": "global", "matcher": "^exec$",
        "config": { "command": "true" },
    });
    everything
        .create(&json!({ "name": "row", "goclaw": row }), &ada())
        .await
        .unwrap();
    everything.publish(&ada()).await.unwrap();
    let capabilities = Capabilities::all().without_scopes([HookScope::Global]);
    let builder = place.builder().capabilities(capabilities);
    let store = builder.open().await.unwrap();
    let runtime = Runtime::builder().source(store.tenant("acme").source());
    let runtime = runtime.build().await.unwrap();
    let reasons = [
        blocked(&runtime, "exec").await,
        blocked(&runtime, "ls").await,
    ];
    assert!(
        reasons[0].contains("scope `global`") && reasons[1].is_empty(),
        "{reasons:?}"
    );
    // Nobody knows what a table guards.
    let tables = json!({ "builtin": { "block_tools": { "tools": ["deploy"] } } });
    let told = mistakes(store.tenant("").put_settings(0, &tables, &ada()).await);
    assert_eq!(told[0].path, "/builtin");
    everything.put_settings(0, &tables, &ada()).await.unwrap();
    everything.publish(&ada()).await.unwrap();
    runtime.reload().await.unwrap();
    assert!(blocked(&runtime, "ls").await.contains("scope `global`"));
}

#[tokio::test]
async fn a_kind_that_is_not_there_cannot_be_forbidden() {
    let capabilities = Capabilities::all().without_handlers(["comand"]);
    let opened = Place::memory().builder().capabilities(capabilities).open();
    assert!(mistakes(opened.await)[0].message.contains("`comand`"));
}
