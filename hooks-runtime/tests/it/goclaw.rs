//! GoClaw's hooks, as JSON.

#![cfg(unix)]

use hooks_core::agent::{AgentContext, BeforeStop, BeforeToolCall, MessageReceived};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{Dialect, Edition, Runtime, RuntimeBuilder};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Gate {
    folder: TempDir,
    runtime: Runtime,
}

impl Gate {
    async fn new(hooks: Value) -> Self {
        Self::with(hooks, |builder| builder).await
    }

    async fn with(hooks: Value, more: impl FnOnce(RuntimeBuilder) -> RuntimeBuilder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.json");
        std::fs::write(&file, hooks.to_string()).unwrap();
        let builder = more(Runtime::builder().file_as(Dialect::Goclaw, file));
        let runtime = builder
            .build()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Gate { folder, runtime }
    }

    async fn call(&self, tool: &str, args: Value) -> HookResult<BeforeToolCall> {
        let mut call = BeforeToolCall::new("1", tool, args);
        hooks![..self.runtime.clone()]
            .intercept(&self.cx(), &mut call)
            .await
    }

    fn cx(&self) -> AgentContext {
        AgentContext::new("s1")
            .with_tenant_id("acme")
            .with_agent_id("coder")
            .with_cwd(self.folder.path().to_string_lossy())
    }

    fn notices(&self) -> String {
        self.runtime.status().notices.join("\n")
    }
}

fn command(run: &str, more: Value) -> Value {
    let mut hook = json!({ "event": "pre_tool_use", "handler_type": "command", "scope": "global", "config": { "command": run } });
    hook.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    hook
}

fn reason<E: hooks_core::Event>(result: &HookResult<E>) -> Option<String> {
    result.as_cancel().map(|cancel| cancel.reason.to_string())
}

#[tokio::test]
async fn commands_block_by_code_and_by_answer() {
    const BROKEN: &str = "echo '{\"decision\": \"block\"'";
    for (run, blocks) in [
        ("exit 0", false),
        ("exit 2", true),
        ("exit 1", true),
        ("echo 'some text'", false),
        ("echo '{\"continue\": false}'", true),
        ("echo '{\"decision\": \"block\"}'", true),
        ("echo '{\"decision\": \"deny\"}'", true),
        ("echo '{\"decision\": \"allow\"}'", false),
        ("echo '{\"updatedInput\": {}}'", false),
        (BROKEN, false),
    ] {
        let gate = Gate::new(command(run, json!({}))).await;
        let result = gate.call("exec", json!({})).await;
        assert_eq!(
            !result.is_continue(),
            blocks,
            "{run}: {:?}",
            reason(&result)
        );
        let failed = gate.runtime.status().failed_open.len();
        assert_eq!(failed, usize::from(run == BROKEN), "{run}");
    }
}

#[tokio::test]
async fn the_filter_has_a_pattern_an_expression_and_a_scope() {
    for (filter, runs) in [
        (json!({ "matcher": "^(exec|shell)$" }), true),
        (json!({ "matcher": "xe" }), true),
        (json!({ "matcher": "^read" }), false),
        (
            json!({ "if_expr": "tool_name == \"exec\" && size(tool_input.cmd) > 3" }),
            true,
        ),
        (json!({ "if_expr": "depth > 0" }), false),
        (json!({ "scope": "tenant", "tenant_id": "acme" }), true),
        (json!({ "scope": "tenant", "tenant_id": "other" }), false),
        (json!({ "scope": "agent", "agent_ids": ["coder"] }), true),
        (json!({ "scope": "agent", "agent_ids": ["other"] }), false),
        (json!({ "enabled": false }), false),
        // An expression that fails is no reason to go on.
        (json!({ "if_expr": "tool_input.missing == 1" }), true),
    ] {
        let gate = Gate::new(command("exit 2", filter.clone())).await;
        let result = gate.call("exec", json!({ "cmd": "ls -l" })).await;
        assert_eq!(!result.is_continue(), runs, "{filter}");
    }
}

#[tokio::test]
async fn higher_priorities_run_first_and_the_first_refusal_ends_it() {
    let log = |name: &str, code: u8, priority: i64| {
        command(
            &format!("echo {name} >> ran; exit {code}"),
            json!({ "priority": priority }),
        )
    };
    let gate = Gate::new(json!([
        log("low", 0, 1),
        log("no", 2, 5),
        log("high", 0, 9)
    ]))
    .await;
    assert!(!gate.call("exec", json!({})).await.is_continue());
    assert_eq!(
        std::fs::read_to_string(gate.folder.path().join("ran")).unwrap(),
        "high\nno\n"
    );
}

#[tokio::test]
async fn a_timeout_does_what_the_hook_says() {
    for (on_timeout, blocks) in [("block", true), ("allow", false)] {
        let gate = Gate::new(command(
            "sleep 30",
            json!({ "timeout_ms": 200, "on_timeout": on_timeout }),
        ))
        .await;
        assert_eq!(
            !gate.call("exec", json!({})).await.is_continue(),
            blocks,
            "{on_timeout}"
        );
    }
}

#[tokio::test]
async fn commands_are_for_one_edition() {
    let hook = command("exit 2", json!({}));
    let gate = Gate::with(hook, |builder| builder.edition(Edition::Standard)).await;
    assert!(!gate.call("exec", json!({})).await.is_continue());
    assert!(
        gate.notices()
            .contains("commands run on the edition `lite` only")
    );
}

#[tokio::test]
async fn the_input_has_both_spellings() {
    let gate = Gate::new(command("cat > input.json", json!({}))).await;
    assert!(
        gate.call("exec", json!({ "cmd": "ls" }))
            .await
            .is_continue()
    );
    let text = std::fs::read_to_string(gate.folder.path().join("input.json")).unwrap();
    let input: Value = serde_json::from_str(&text).unwrap();
    for (one, other, expected) in [
        ("ToolName", "toolName", json!("exec")),
        ("ToolInput", "toolInput", json!({ "cmd": "ls" })),
        ("TenantID", "tenantId", json!("acme")),
        ("HookEvent", "hookEvent", json!("pre_tool_use")),
    ] {
        assert_eq!((&input[one], &input[other]), (&expected, &expected));
    }
}

#[tokio::test]
async fn two_messages_of_a_turn_are_two_events() {
    let hook = command(
        "cat >> input.json",
        json!({ "event": "user_prompt_submit" }),
    );
    let gate = Gate::new(json!([hook, hook])).await;
    let message = |text: &str| {
        let mut message = MessageReceived::new("cli", "me", text);
        let hooks = hooks![..gate.runtime.clone()];
        let cx = gate.cx();
        async move { assert!(hooks.intercept(&cx, &mut message).await.is_continue()) }
    };
    message("one").await;
    message("two").await;
    let text = std::fs::read_to_string(gate.folder.path().join("input.json")).unwrap();
    let inputs = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    let ids: Vec<_> = inputs
        .map(|input| input.unwrap()["EventID"].clone())
        .collect();
    assert_eq!((ids.len(), &ids[0], &ids[2]), (4, &ids[1], &ids[3]));
    assert_ne!(ids[0], ids[2]);
}

#[tokio::test]
async fn wrong_hooks_are_left_out_one_by_one() {
    let gate = Gate::new(json!([
        command("exit 2", json!({ "event": "pre_tool" })),
        command("exit 2", json!({ "if_expr": "nobody == 1" })),
        command("exit 2", json!({ "matcher": "(" })),
        { "event": "pre_tool_use", "handler_type": "prompt", "scope": "global", "config": { "prompt_template": "safe?" } },
        // GoClaw writes the key into every file.
        { "event": "pre_tool_use", "handler_type": "prompt", "scope": "global", "matcher": "",
          "config": { "prompt_template": "safe?" } },
        { "event": "pre_tool_use", "handler_type": "script", "scope": "global", "config": {} },
        command("exit 2", json!({ "name": "good" })),
    ]))
    .await;
    let names: Vec<_> = gate
        .runtime
        .status()
        .hooks
        .into_iter()
        .map(|hook| hook.name)
        .collect();
    let closed = names.iter().filter(|name| name.contains("(unusable)"));
    assert_eq!((closed.count(), names.len()), (5, 6), "{names:?}");
    assert_eq!(gate.runtime.status().left_out, 6);
    let result = gate.call("exec", json!({})).await;
    let reason = reason(&result).unwrap();
    assert!(reason.contains("cannot be used"), "{reason}");
    let notices = gate.notices();
    for expected in [
        "is not an event of GoClaw",
        "`nobody` is not known here",
        "not a regular expression",
        "type `script`",
    ] {
        assert!(notices.contains(expected), "{expected}\n---\n{notices}");
    }
    let unfiltered = notices.matches("needs `matcher` or `if_expr`");
    assert_eq!(unfiltered.count(), 2, "{notices}");
}

#[tokio::test]
async fn quality_gates_send_a_subagent_on() {
    let gate = Gate::new(json!({ "other_config": { "quality_gates": [
        { "event": "delegation.completed", "type": "command", "command": "echo 'tests are missing' >&2; exit 1", "block_on_failure": true, "max_retries": 2 }
    ] } }))
    .await;
    let hooks = hooks![..gate.runtime.clone()];
    let mut cx = gate.cx();
    assert!(
        hooks
            .intercept(&cx, &mut BeforeStop::default())
            .await
            .is_continue()
    );
    cx.depth = 1;
    let result = hooks.intercept(&cx, &mut BeforeStop::default()).await;
    assert_eq!(reason(&result).as_deref(), Some("tests are missing"));
    assert!(gate.notices().contains("quality gates are hooks now"));
}

#[tokio::test]
async fn all_hooks_of_a_file_share_the_budget_of_an_event() {
    let hooks = json!([
        command("sleep 5", json!({ "on_timeout": "allow", "priority": 2 })),
        command("exit 0", json!({ "priority": 1 })),
    ]);
    let gate = Gate::with(hooks, |builder| {
        builder.text("[hooks.limits]\nchain = '300ms'")
    })
    .await;
    let said = reason(&gate.call("exec", json!({})).await).unwrap_or_default();
    assert!(said.contains("all hooks of"), "{said}");
}

/// A guard that is edited into a mistake must not be gone.
#[tokio::test]
async fn a_wrong_entry_changes_nothing_when_it_is_loaded_again() {
    let gate = Gate::new(json!([command("exit 2", json!({ "matcher": "^exec$" }))])).await;
    let file = gate.folder.path().join("hooks.json");
    let wrong = json!([command("exit 2", json!({ "matcher": "^(exec$" }))]);
    std::fs::write(&file, wrong.to_string()).unwrap();
    let error = gate.runtime.reload().await.unwrap_err();
    assert!(error.to_string().contains("regular expression"), "{error}");
    assert!(!gate.call("exec", json!({})).await.is_continue());
    assert!(gate.call("read", json!({})).await.is_continue());
}

/// GoClaw blocks every call where such a hook cannot run.
#[tokio::test]
async fn a_guard_that_cannot_run_here_blocks() {
    let standard = |builder: RuntimeBuilder| builder.edition(hooks_runtime::Edition::Standard);
    let hook = |kind: &str, config: Value| {
        json!([{ "event": "pre_tool_use", "handler_type": kind, "scope": "global",
            "matcher": "^exec$", "config": config }])
    };
    for file in [
        hook("http", json!({ "url": "http://10.0.0.5/x" })),
        hook("http", json!({})),
        hook("command", json!({ "command": "exit 0" })),
        hook("prompt", json!({ "prompt_template": "safe?" })),
        hook("script", json!({})),
    ] {
        let gate = Gate::with(file.clone(), standard).await;
        assert!(!gate.call("exec", json!({})).await.is_continue(), "{file}");
        assert!(gate.call("read", json!({})).await.is_continue(), "{file}");
        assert_eq!(gate.runtime.status().left_out, 1, "{file}");
    }
}
