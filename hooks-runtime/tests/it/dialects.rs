//! Codex, Gemini CLI and goose: the same files with other rules.

#![cfg(unix)]

use hooks_core::agent::{
    AfterToolCall, AgentContext, Approval, BeforeLlmCall, BeforeStop, BeforeToolCall,
    MessageReceived, ToolOutput,
};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{Dialect, Records, Runtime};
use serde_json::{Value, json};
use tempfile::TempDir;

struct Project {
    folder: TempDir,
    records: Records,
    runtime: Runtime,
}

impl Project {
    async fn new(dialect: Dialect, hooks: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("hooks.json");
        std::fs::write(&file, json!({ "hooks": hooks }).to_string()).unwrap();
        let records = Records::latest(100);
        let builder = Runtime::builder()
            .file_as(dialect, file)
            .recorder(records.clone());
        let runtime = builder
            .build()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Project {
            folder,
            records,
            runtime,
        }
    }

    async fn with(dialect: Dialect, event: &str, command: &str) -> Self {
        let hook = json!({ "type": "command", "command": command });
        Self::new(dialect, json!({ event: [{ "hooks": [hook] }] })).await
    }

    fn cx(&self) -> AgentContext {
        AgentContext::new("s1").with_cwd(self.folder.path().to_string_lossy())
    }

    async fn call(&self, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
        hooks![..self.runtime.clone()]
            .intercept(&self.cx(), call)
            .await
    }
}

fn shell(command: &str) -> BeforeToolCall {
    BeforeToolCall::new("1", "shell", json!({ "command": command }))
}

fn says(answer: &Value) -> String {
    format!("cat > /dev/null; echo '{answer}'")
}

async fn check(dialect: Dialect, event: &str, cases: &[(String, Option<&str>)]) {
    for (command, expected) in cases {
        let project = Project::with(dialect, event, command).await;
        let result = project.call(&mut shell("ls")).await;
        let said = result.as_cancel().map(|cancel| cancel.reason.to_string());
        assert_eq!(said.as_deref(), *expected, "{dialect}: {command}");
    }
}

#[tokio::test]
async fn codex_is_strict_and_open_but_a_refusal_always_counts() {
    let inner = |more: Value| {
        let mut inner = json!({ "hookEventName": "PreToolUse" });
        inner
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        says(&json!({ "hookSpecificOutput": inner }))
    };
    check(
        Dialect::Codex,
        "PreToolUse",
        &[
            ("echo no >&2; exit 2".into(), Some("no")),
            ("exit 2".into(), Some("the hook `PreToolUse-1` blocked it")),
            (inner(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" })), Some("no")),
            (inner(json!({ "permissionDecision": "deny" })), Some("the hook `PreToolUse-1` blocked it")),
            (inner(json!({ "permissionDecision": "ask" })), None),
            (inner(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no", "odd": 1 })), Some("no")),
            (inner(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no", "updatedInput": {} })), Some("no")),
            (says(&json!({ "decision": "block", "reason": "no", "odd": 1 })), Some("no")),
            (says(&json!({ "decision": "block", "reason": "no", "suppressOutput": true })), Some("no")),
            (says(&json!({ "decision": "block", "reason": "no" })) + "; exit 1", Some("no")),
            (inner(json!({ "permissionDecision": "allow", "odd": 1 })), None),
            (says(&json!({ "continue": false })), Some("the hook `PreToolUse-1` blocked it")),
        ],
    )
    .await;
    let mut call = shell("ls");
    let allowed =
        inner(json!({ "permissionDecision": "allow", "updatedInput": { "command": "pwd" } }));
    let project = Project::with(Dialect::Codex, "PreToolUse", &allowed).await;
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(call.args["command"], "pwd");
    let alone = inner(json!({ "updatedInput": { "command": "pwd" } }));
    let mut call = shell("ls");
    let project = Project::with(Dialect::Codex, "PreToolUse", &alone).await;
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(call.args["command"], "ls");
}

#[tokio::test]
async fn codexs_command_for_windows_is_known_and_does_not_run() {
    let file = |hook: Value| json!({ "PreToolUse": [{ "hooks": [hook] }] });
    let both =
        json!({ "type": "command", "command": "echo no >&2; exit 2", "commandWindows": "exit 0" });
    let project = Project::new(Dialect::Codex, file(both)).await;
    assert!(project.call(&mut shell("ls")).await.as_cancel().is_some());
    let notices = project.runtime.status().notices.concat();
    assert!(notices.contains("`commandWindows` is ignored"), "{notices}");
    let alone = json!({ "type": "command", "command_windows": "exit 2" });
    let project = Project::new(Dialect::Codex, file(alone)).await;
    let status = project.runtime.status();
    assert!(status.hooks.is_empty());
    let notices = status.notices.concat();
    assert!(notices.contains("has only `command_windows`"), "{notices}");
    let twice = json!({ "type": "command", "command": "true", "commandWindows": "", "command_windows": "" });
    let project = Project::new(Dialect::Codex, file(twice)).await;
    let notices = project.runtime.status().notices.concat();
    assert!(notices.contains("this entry cannot be used"), "{notices}");
    assert!(project.call(&mut shell("ls")).await.as_cancel().is_some());
}

#[tokio::test]
async fn codex_runs_the_same_command_twice() {
    let hook = json!({ "type": "command", "command": "echo x >> ran" });
    let project = Project::new(
        Dialect::Codex,
        json!({ "PreToolUse": [{ "hooks": [hook, hook] }] }),
    )
    .await;
    assert!(project.call(&mut shell("ls")).await.is_continue());
    assert_eq!(
        std::fs::read_to_string(project.folder.path().join("ran")).unwrap(),
        "x\nx\n"
    );
}

#[tokio::test]
async fn gemini_has_its_own_codes_and_shapes() {
    check(
        Dialect::Gemini,
        "BeforeTool",
        &[
            ("echo no >&2; exit 2".into(), Some("no")),
            ("echo no >&2; exit 3".into(), Some("no")),
            ("echo hm >&2; exit 1".into(), None),
            (
                says(&json!({ "decision": "deny", "reason": "no" })),
                Some("no"),
            ),
            (
                says(&json!({ "decision": "block", "reason": "no" })),
                Some("no"),
            ),
            (says(&json!({ "decision": "allow" })), None),
            (
                format!(
                    "{} >&2",
                    says(&json!({ "decision": "deny", "reason": "there" }))
                ),
                Some("there"),
            ),
            (
                says(&json!(
                    json!({ "decision": "deny", "reason": "twice" }).to_string()
                )),
                Some("twice"),
            ),
        ],
    )
    .await;
    let ask = Project::with(
        Dialect::Gemini,
        "BeforeTool",
        &says(&json!({ "decision": "ask", "reason": "may it?" })),
    )
    .await;
    let mut call = shell("ls");
    assert!(ask.call(&mut call).await.is_continue());
    assert_eq!(call.approval, Approval::ask("may it?"));

    let merged = says(&json!({ "hookSpecificOutput": { "tool_input": { "dir": "/tmp" } } }));
    let project = Project::with(Dialect::Gemini, "BeforeTool", &merged).await;
    let mut call = shell("ls");
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(call.args, json!({ "command": "ls", "dir": "/tmp" }));

    let replaced = Project::with(
        Dialect::Gemini,
        "AfterTool",
        &says(&json!({ "decision": "deny", "reason": "hidden" })),
    )
    .await;
    let mut done = AfterToolCall::of(
        shell("ls"),
        ToolOutput::new("secret"),
        std::time::Duration::ZERO,
    );
    assert!(
        hooks![..replaced.runtime.clone()]
            .intercept(&replaced.cx(), &mut done)
            .await
            .is_continue()
    );
    assert_eq!(done.output.content, "hidden");

    let answer = json!({ "hookSpecificOutput": { "llm_response": { "candidates": [{ "content": { "role": "model", "parts": ["from", " a hook"] } }] } } });
    let model = Project::with(Dialect::Gemini, "BeforeModel", &says(&answer)).await;
    let result = hooks![..model.runtime.clone()]
        .intercept(&model.cx(), &mut BeforeLlmCall::default())
        .await;
    assert_eq!(
        result.into_result().unwrap().unwrap().content,
        "from a hook"
    );

    let again = Project::with(Dialect::Gemini, "AfterAgent", "echo 'not yet' >&2; exit 2").await;
    let result = hooks![..again.runtime.clone()]
        .intercept(&again.cx(), &mut BeforeStop::default())
        .await;
    assert_eq!(result.as_cancel().unwrap().reason, "not yet");
}

#[tokio::test]
async fn gemini_hooks_in_turn_see_each_others_changes() {
    let append = |text: &str| {
        let program = format!(
            "import json,sys; c=json.load(sys.stdin)['tool_input']['command']; print(json.dumps({{'hookSpecificOutput':{{'tool_input':{{'command':c+'{text}'}}}}}}))"
        );
        json!({ "name": text, "type": "command", "command": format!("python3 -c \"{program}\""), "timeout": 60000 })
    };
    let project = Project::new(
        Dialect::Gemini,
        json!({ "BeforeTool": [
            { "matcher": "run_shell_command", "sequential": true, "hooks": [append("1")] },
            { "hooks": [append("2")] },
        ] }),
    )
    .await;
    let mut call = shell("ls");
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(
        call.args["command"],
        "ls12",
        "{:?}",
        project.records.steps()
    );
}

#[tokio::test]
async fn goose_lets_nothing_odd_through_where_it_is_told_to() {
    check(
        Dialect::Goose,
        "PreToolUse",
        &[
            ("echo no >&2; exit 2".into(), Some("no")),
            (
                says(&json!({ "decision": "block", "reason": "no" })),
                Some("no"),
            ),
            (
                format!(
                    "{}; exit 1",
                    says(&json!({ "decision": "block", "reason": "no" }))
                ),
                Some("no"),
            ),
            (says(&json!({ "decision": "allow" })), None),
            ("exit 0".into(), None),
            ("echo fine".into(), None),
            ("exit 1".into(), None),
        ],
    )
    .await;
    for command in ["echo fine", "exit 1"] {
        let hook = json!({ "type": "command", "command": command, "on_failure": "block" });
        let project = Project::new(
            Dialect::Goose,
            json!({ "PreToolUse": [{ "hooks": [hook] }] }),
        )
        .await;
        assert!(
            !project.call(&mut shell("ls")).await.is_continue(),
            "{command}"
        );
    }
}

#[tokio::test]
async fn goose_stops_at_the_first_refusal_and_matches_command_lines() {
    let run = |command: &str| json!({ "type": "command", "command": command });
    let project = Project::new(
        Dialect::Goose,
        json!({ "BeforeShellExecution": [{ "matcher": "push.*--force", "hooks": [
            run("cat > input.json; echo one >> ran; exit 2"), run("echo two >> ran"),
        ] }] }),
    )
    .await;
    assert!(project.call(&mut shell("git push")).await.is_continue());
    assert!(
        !project
            .call(&mut shell("git push --force"))
            .await
            .is_continue()
    );
    let mut other = BeforeToolCall::new("1", "deploy", json!({ "command": "push --force" }));
    assert!(project.call(&mut other).await.is_continue());
    let read = |name: &str| std::fs::read_to_string(project.folder.path().join(name)).unwrap();
    assert_eq!(read("ran"), "one\n");
    let input: Value = serde_json::from_str(&read("input.json")).unwrap();
    assert_eq!(input["event"], "BeforeShellExecution");
    assert_eq!(input["matcher_context"], "git push --force");
}

#[tokio::test]
async fn text_is_for_the_model_where_the_system_says_so() {
    for (dialect, event, expected) in [
        (Dialect::Claude, "UserPromptSubmit", vec!["hello"]),
        (Dialect::Codex, "UserPromptSubmit", vec!["hello"]),
        (Dialect::Gemini, "BeforeAgent", vec![]),
    ] {
        let project = Project::with(dialect, event, "echo hello").await;
        let mut message = MessageReceived::default();
        let result = hooks![..project.runtime.clone()]
            .intercept(&project.cx(), &mut message)
            .await;
        assert!(result.is_continue());
        assert_eq!(message.context, expected, "{dialect}");
    }
}

#[tokio::test]
async fn what_is_ignored_although_it_may_refuse_is_counted() {
    let inner = |decision: &str| json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "permissionDecision": decision } });
    let both = json!({ "decision": "block", "reason": "no", "continue": "no" });
    let late = || "cat > /dev/null; echo log; echo '{'; echo '}'".to_owned();
    for (dialect, event, command, ignored) in [
        (
            Dialect::Claude,
            "PreToolUse",
            says(&inner("no")),
            Some("unknown decision `no`"),
        ),
        (
            Dialect::Claude,
            "PreToolUse",
            says(&json!({ "continue": "false" })),
            Some("`continue`"),
        ),
        (
            Dialect::Claude,
            "PreToolUse",
            late(),
            Some("text before the JSON"),
        ),
        (
            Dialect::Gemini,
            "BeforeTool",
            says(&json!({ "decision": "never" })),
            Some("`never`"),
        ),
        (Dialect::Claude, "PreToolUse", says(&both), None),
        (Dialect::Claude, "PreToolUse", says(&inner("allow")), None),
        (Dialect::Claude, "PreToolUse", says(&json!({})), None),
    ] {
        let project = Project::with(dialect, event, &command).await;
        let goes_on = project.call(&mut shell("ls")).await.is_continue();
        assert_eq!(goes_on, command != says(&both), "{command}");
        let failed = project.runtime.status().failed_open;
        let reason = failed.first().map(|one| &*one.reason);
        assert_eq!(
            failed.len(),
            usize::from(ignored.is_some()),
            "{command}: {reason:?}"
        );
        assert!(
            reason
                .unwrap_or_default()
                .contains(ignored.unwrap_or_default()),
            "{reason:?}"
        );
        let why = project.records.steps().pop().unwrap().why;
        assert_eq!(
            why.ends_with("and the event goes on"),
            ignored.is_some(),
            "{why}"
        );
    }
}
