//! What does not run: kinds of handlers that a file refuses, and hooks that a store has refused.

use std::path::Path;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::entry::Mode;
use hooks_runtime::{Bundle, Records, Runtime};
use serde_json::{Map, Value, json};

/// Loads a bundle, in a folder in which each command would leave a file.
async fn load(folder: &Path, hooks: Value, tables: Value) -> (Runtime, Records) {
    let (Value::Array(hooks), Value::Object(tables)) = (hooks, tables) else {
        panic!("a list and a table");
    };
    let bundle = Bundle::new(hooks, tables).unwrap();
    let file = folder.join("bundle.json");
    std::fs::write(&file, bundle.to_json()).unwrap();
    let records = Records::latest(100);
    let builder = Runtime::builder().file(file).recorder(records.clone());
    (builder.build().await.unwrap(), records)
}

/// Why a call of a tool is blocked; empty if it is not.
async fn blocked(runtime: &Runtime, tool: &str) -> String {
    let mut call = BeforeToolCall::new("1", tool, json!({}));
    let hooks = hooks![..runtime.clone()];
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    result
        .as_cancel()
        .map_or_else(String::new, |cancel| cancel.reason.to_string())
}

fn refused(runtime: &Runtime) -> Vec<(String, String)> {
    let refused = runtime.status().not_allowed.into_iter();
    refused.map(|one| (one.hook, one.kind)).collect()
}

fn touch(folder: &Path) -> String {
    format!("touch {}", folder.join("ran").display())
}

#[tokio::test]
async fn no_form_of_a_command_runs_where_commands_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let command = touch(folder);
    let imported = "[[hooks.on]]\nname = 'imported'\nevent = 'BeforeToolCall'\ntools = ['t-import']\ncommand = ";
    std::fs::write(folder.join("other.toml"), format!("{imported}'{command}'")).unwrap();
    let claude = json!({ "hooks": { "PreToolUse": [
        { "matcher": "t-claude", "hooks": [{ "type": "command", "command": command }] },
    ] } });
    let hooks = json!([
        { "name": "own", "event": ["BeforeToolCall", "ToolCallEnd"], "tools": ["t-own"], "command": command },
        { "name": "watch", "event": "ToolCallEnd", "command": command },
        { "name": "off", "event": "BeforeToolCall", "mode": "off", "command": command },
        { "name": "rule", "event": "BeforeToolCall", "tools": ["t-rule"], "block": "no ships" },
        { "name": "row", "version": 7, "goclaw": {
            "name": "row", "event": "pre_tool_use", "handler_type": "command", "scope": "global",
            "matcher": "^t-goclaw$", "config": { "command": command },
        } },
        { "name": "settings", "version": 8, "claude": claude },
    ]);
    let tables = json!({
        "limits": { "refuse": ["command", "process"] },
        "import": [{ "hooks": folder.join("other.toml") }],
        "processes": { "server": { "command": ["sh", "-c", command], "intercept": ["approve_tool"] } },
    });
    let (runtime, records) = load(folder, hooks, tables).await;
    for tool in ["t-own", "t-import", "t-goclaw", "t-claude"] {
        let why = blocked(&runtime, tool).await;
        assert!(why.contains("do not run here"), "{tool}: {why}");
    }
    let mut refused = refused(&runtime);
    refused.sort();
    let names: Vec<_> = refused.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    let expected = ["own", "watch", "imported", "row", "server:approve"];
    assert!(
        expected.iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    assert_eq!(
        refused.iter().filter(|(_, kind)| kind == "process").count(),
        1
    );
    let status = runtime.status().hooks;
    let watch = status.iter().find(|hook| hook.name == "watch").unwrap();
    assert_eq!(watch.mode, Mode::Off);
    runtime.shutdown().await;
    assert!(!folder.join("ran").exists());
    let versions: Vec<_> = records
        .steps()
        .iter()
        .map(|step| step.hook_version)
        .collect();
    assert!(
        versions.contains(&Some(7)) && versions.contains(&Some(8)),
        "{versions:?}"
    );
}

#[tokio::test]
async fn a_built_in_hook_that_reaches_out_is_refused_by_its_kind() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let log = folder.join("log.jsonl");
    let shell = json!({ "command": touch(folder) });
    let logs = json!({
        "webhook_audit": { "url": "https://audit.example.com/" },
        "jsonl_log": { "path": log },
    });
    let refuse = json!({ "refuse": ["command", "file", "http"] });
    let tables = json!({ "limits": refuse, "builtin": logs });
    let (runtime, _) = load(folder, json!([]), tables).await;
    assert_eq!(blocked(&runtime, "ls").await, "");
    let expected = [("webhook_audit", "http"), ("jsonl_log", "file")];
    assert_eq!(
        refused(&runtime),
        expected.map(|(hook, kind)| (hook.into(), kind.into()))
    );
    for tables in [
        json!({ "limits": refuse, "builtin": { "shell_hook": shell } }),
        json!({ "limits": refuse, "builtins": { "shell_hook": { "config": shell } } }),
        json!({ "limits": refuse, "chain": [{ "type": "shell_hook", "config": shell }] }),
        json!({ "limits": refuse, "import": [{ "hooks": "/nowhere/hooks.toml" }] }),
    ] {
        let (runtime, _) = load(folder, json!([]), tables).await;
        assert!(blocked(&runtime, "ls").await.contains("do not run here"));
        assert_eq!(refused(&runtime).len(), 1);
    }
    assert!(!folder.join("ran").exists() && !log.exists());
}

#[tokio::test]
async fn a_hook_that_a_store_has_refused_blocks_what_it_is_for() {
    let folder = tempfile::tempdir().unwrap();
    let why = "the scope `global` is not allowed";
    let hooks = json!([
        { "name": "own", "event": "BeforeToolCall", "tools": ["ship"], "approve": "me", "refused": why },
        { "name": "row", "refused": why, "goclaw": {
            "name": "row", "event": "pre_tool_use", "handler_type": "command", "scope": "global",
            "matcher": "^exec$", "config": { "command": "true" },
        } },
    ]);
    let (runtime, _) = load(folder.path(), hooks, json!({})).await;
    for tool in ["ship", "exec"] {
        assert!(blocked(&runtime, tool).await.contains(why));
    }
    assert_eq!(blocked(&runtime, "ls").await, "");
    assert_eq!(runtime.status().not_allowed[1].why, why);
}

#[test]
fn a_kind_that_is_not_there_cannot_be_refused() {
    let limits = Map::from_iter([("limits".to_owned(), json!({ "refuse": ["comand"] }))]);
    let bundle = Bundle::new(Vec::new(), limits).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bundle.json");
    std::fs::write(&file, bundle.to_json()).unwrap();
    let error = Runtime::builder().file(file).texts().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("`comand` is not a kind of handler"),
        "{error}"
    );
}
