//! Claude Code's settings, as they are.

#![cfg(unix)]

use std::path::PathBuf;

use hooks_core::agent::{
    AfterToolCall, AgentContext, Approval, ApproveToolCall, BeforeStop, BeforeToolCall,
    MessageReceived, SessionStart, SubagentStart, ToolAnnotations, ToolOutput,
};
use hooks_core::{HookResult, Scope, hooks};
use hooks_runtime::{Dialect, RecordOutcome, Records, Runtime};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project with settings.
struct Project {
    folder: TempDir,
    records: Records,
    runtime: Runtime,
}

impl Project {
    async fn new(settings: Value) -> Self {
        Self::of(settings, Dialect::Claude).await
    }

    async fn of(settings: Value, dialect: Dialect) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        std::fs::write(&file, settings.to_string()).unwrap();
        let records = Records::latest(100);
        let runtime = Runtime::builder()
            .file_as(dialect, file)
            .project_dir(folder.path())
            .recorder(records.clone())
            .build()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Project {
            folder,
            records,
            runtime,
        }
    }

    /// One hook on an event.
    async fn with(event: &str, matcher: &str, command: &str) -> Self {
        Self::new(json!({ "hooks": { event: [
            { "matcher": matcher, "hooks": [{ "type": "command", "command": command }] }
        ] } }))
        .await
    }

    fn cx(&self) -> AgentContext {
        let folder = self.folder.path().to_string_lossy();
        AgentContext::new("s1")
            .with_cwd(folder.clone())
            .with_project_dir(folder)
    }

    async fn call(&self, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
        hooks![..self.runtime.clone()]
            .intercept(&self.cx(), call)
            .await
    }

    fn notices(&self) -> String {
        self.runtime.status().notices.join("\n")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn shell(command: &str) -> BeforeToolCall {
    BeforeToolCall::new("call-1", "shell", json!({ "command": command }))
}

fn reason(result: &HookResult<BeforeToolCall>) -> String {
    result
        .as_cancel()
        .map(|cancel| cancel.reason.to_string())
        .unwrap_or_default()
}

/// Prints JSON and ends with a code.
fn says(answer: &Value, code: i32) -> String {
    format!("cat > /dev/null; echo '{answer}'; exit {code}")
}

fn decides(decision: &str, more: Value) -> Value {
    let mut inner = json!({
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": format!("because of {decision}"),
    });
    inner
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    json!({ "hookSpecificOutput": inner })
}

#[tokio::test]
async fn exit_codes_mean_what_they_mean_there() {
    for (command, expected) in [
        ("exit 0", None),
        ("echo no >&2; exit 2", Some("no")),
        ("exit 2", Some("the hook `PreToolUse-1` blocked it")),
        ("echo hm >&2; exit 1", None),
        ("exit 127", None),
        ("echo '{' ; exit 0", None),
        ("echo '{'; echo broken >&2; exit 2", Some("broken")),
        // JSON cannot turn 2 into a yes, and counts with other codes.
        (
            &says(&decides("allow", json!({})), 2),
            Some("the hook `PreToolUse-1` blocked it"),
        ),
        (
            &says(&decides("deny", json!({})), 2),
            Some("because of deny"),
        ),
        (
            &says(&decides("deny", json!({})), 1),
            Some("because of deny"),
        ),
        (
            &says(&decides("deny", json!({})), 0),
            Some("because of deny"),
        ),
        (
            &says(&json!({ "decision": "block", "reason": "old" }), 0),
            Some("old"),
        ),
        (&says(&json!({ "decision": "approve" }), 0), None),
        (
            &says(
                &json!({ "permissionDecision": "deny", "reason": "misplaced" }),
                0,
            ),
            Some("misplaced"),
        ),
        (
            &says(
                &json!({ "hookSpecificOutput": { "permissionDecision": "deny" } }),
                0,
            ),
            Some("the hook `PreToolUse-1` blocked it"),
        ),
        (
            &says(
                &json!({ "hookSpecificOutput": { "hookEventName": "Stop", "permissionDecision": "deny" } }),
                0,
            ),
            Some("the hook `PreToolUse-1` blocked it"),
        ),
        (
            &says(&json!({ "decision": "rejected", "reason": "odd word" }), 0),
            Some("odd word"),
        ),
        (&says(&json!({ "decision": "approved" }), 0), None),
    ] {
        let project = Project::with("PreToolUse", "", command).await;
        let result = project.call(&mut shell("ls")).await;
        let said = result.as_cancel().map(|cancel| cancel.reason.to_string());
        assert_eq!(said.as_deref(), expected, "{command}");
    }
}

#[tokio::test]
async fn the_strictest_of_all_answers_counts() {
    let hook = |answer: Value| json!({ "type": "command", "command": says(&answer, 0) });
    let deny = decides("deny", json!({ "updatedInput": { "command": "changed" } }));
    let ask = decides("ask", json!({ "updatedInput": { "command": "asked" } }));
    let allow = decides("allow", json!({ "additionalContext": "be careful" }));
    let project = |hooks: Vec<&Value>| {
        let hooks: Vec<_> = hooks.into_iter().cloned().map(hook).collect();
        Project::new(json!({ "hooks": { "PreToolUse": [{ "hooks": hooks }] } }))
    };

    let mut call = shell("ls");
    let all = project(vec![&allow, &ask, &deny]).await;
    assert_eq!(reason(&all.call(&mut call).await), "because of deny");
    assert_eq!(call.args["command"], "ls", "what is denied is not changed");
    assert_eq!(
        all.records.steps().len(),
        3,
        "all run, also after a refusal"
    );

    let mut call = shell("ls");
    let defer = decides("defer", json!({}));
    let later = project(vec![&defer, &ask, &allow]).await;
    assert!(later.call(&mut call).await.is_continue());
    assert_eq!(call.approval, Approval::defer("because of defer"));

    let mut call = shell("ls");
    let asked = project(vec![&allow, &ask]).await;
    assert!(asked.call(&mut call).await.is_continue());
    assert_eq!(call.approval, Approval::ask("because of ask"));
    assert_eq!(
        call.args["command"], "asked",
        "who is asked sees what will run"
    );
    assert_eq!(call.context, ["be careful"]);

    let mut call = shell("ls");
    let granted = project(vec![&allow]).await;
    assert!(granted.call(&mut call).await.is_continue());
    let Approval::Granted { by } = &call.approval else {
        panic!("{call:?}")
    };
    assert!(by.starts_with("because of allow (hook: "), "{by}");

    let stop = json!({ "continue": false, "stopReason": "enough" });
    let stopped = project(vec![&deny, &stop]).await;
    let result = stopped.call(&mut shell("ls")).await;
    let cancel = result.as_cancel().unwrap();
    assert_eq!((cancel.scope, &*cancel.reason), (Scope::Turn, "enough"));
}

#[tokio::test]
async fn the_last_change_counts_and_both_are_named() {
    let hook = |text: &str| {
        let answer = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": { "command": text } } });
        json!({ "type": "command", "command": says(&answer, 0) })
    };
    let project = Project::new(
        json!({ "hooks": { "PreToolUse": [{ "hooks": [hook("one"), hook("two")] }] } }),
    )
    .await;
    let mut call = shell("ls");
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(call.args, json!({ "command": "two" }));
    let warnings: Vec<_> = project
        .records
        .steps()
        .into_iter()
        .flat_map(|record| record.warnings)
        .collect();
    assert_eq!(
        warnings,
        [
            "`PreToolUse-1` changes the same value as `PreToolUse-2`: the change of `PreToolUse-2` counts"
        ]
    );
}

#[tokio::test]
async fn what_is_added_is_recorded_with_the_hook_that_added_it() {
    let context = json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": "it is slow" } });
    let hook = |command: &str| json!({ "type": "command", "command": command });
    let project = Project::new(json!({ "hooks": { "PostToolUse": [{ "hooks": [
        hook("true"), hook(&says(&context, 0))
    ] }] } }))
    .await;
    let mut done = AfterToolCall::of(shell("ls"), ToolOutput::new(""), std::time::Duration::ZERO);
    let hooks = hooks![..project.runtime.clone()];
    assert!(
        hooks
            .intercept(&project.cx(), &mut done)
            .await
            .is_continue()
    );
    let records = project.records.steps().into_iter();
    let recorded = records.map(|record| (record.outcome, record.change.is_some()));
    assert_eq!(
        recorded.collect::<Vec<_>>(),
        [
            (RecordOutcome::Continue, false),
            (RecordOutcome::Modify, true)
        ]
    );
}

#[tokio::test]
async fn matchers_are_names_or_regular_expressions() {
    for (matcher, tool, runs) in [
        ("", "shell", true),
        ("*", "shell", true),
        ("Bash", "shell", true),
        ("Bash", "Bash", true),
        ("shell", "shell", true),
        ("bash", "shell", false),
        ("Bas", "shell", false),
        ("Edit|Write", "file_write", true),
        ("Edit, Write", "file_edit", true),
        ("Edit|Write", "shell", false),
        ("Edit.*", "NotebookEdit", true),
        ("^Edit$", "NotebookEdit", false),
        ("mcp__memory", "mcp__memory__read", false),
        ("mcp__memory__.*", "mcp__memory__read", true),
        (".*", "anything", true),
    ] {
        let project = Project::with("PreToolUse", matcher, "exit 2").await;
        let mut call = BeforeToolCall::new("1", tool, json!({}));
        let blocked = !project.call(&mut call).await.is_continue();
        assert_eq!(blocked, runs, "{matcher} on {tool}");
    }
}

#[tokio::test]
async fn rules_for_the_input_save_a_process() {
    let project = Project::new(
        json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
        { "type": "command", "if": "Bash(git push *)", "command": "exit 2" }
    ] }] } }),
    )
    .await;
    assert!(project.call(&mut shell("ls -l")).await.is_continue());
    assert!(
        !project
            .call(&mut shell("cd x && git push origin"))
            .await
            .is_continue()
    );
    let explained = project.runtime.explain(&project.cx(), &shell("ls")).await;
    assert_eq!(
        explained[0].why,
        "the rule does not match: Bash(git push *)"
    );
}

#[tokio::test]
async fn a_wrong_entry_blocks_what_it_is_for_and_the_others_stay() {
    let settings = json!({ "permissions": {}, "hooks": {
        "PreToolUse": [
            { "matcher": ["Bash"], "hooks": [{ "type": "command", "command": "exit 2" }] },
            { "matcher": "(?!x)y", "hooks": [{ "type": "command", "command": "exit 2" }] },
            { "matcher": "deploy", "hooks": [
                { "type": "command" }, 7, { "type": "magic" }, { "type": "agent", "prompt": "x" },
                { "type": "command", "command": "exit 2", "timeout": 60000, "unknown": true },
            ] },
        ],
        "PreTolUse": [],
        "FileChanged": [{ "hooks": [] }],
        "Stop": { "hooks": [] },
    } });
    let project = Project::new(settings.clone()).await;
    let mut call = BeforeToolCall::new("1", "deploy", json!({}));
    assert!(!project.call(&mut call).await.is_continue());
    let status = project.runtime.status();
    assert_eq!((status.hooks.len(), status.left_out), (7, 8));
    let notices = project.notices();
    for expected in [
        "the matcher must be a string",
        "look-around",
        "the command is missing",
        "a hook must be a table",
        "`magic` is not a type of hook",
        "hooks of the type `agent` are not supported here",
        "this looks like a number of milliseconds",
        "did you mean `PreToolUse`?",
        "hooks on `FileChanged` decide nothing here",
        "`Stop` must be a list of groups of hooks",
        "settings.json:1:",
    ] {
        assert!(notices.contains(expected), "{expected}\n---\n{notices}");
    }
    let file = project.path("settings.json");
    let strict = Runtime::builder()
        .file_as(Dialect::Claude, file)
        .strict(true)
        .build()
        .await;
    let error = strict.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("the matcher must be a string") && error.contains("`magic` is not a type"),
        "{error}"
    );
}

#[tokio::test]
async fn failures_go_on_unless_the_hook_says_otherwise() {
    let settings = |on_failure: &str, command: &str| {
        json!({ "hooks": { "PreToolUse": [{ "hooks": [
            { "type": "command", "command": command, "onFailure": on_failure, "timeout": 0.3 }
        ] }] } })
    };
    for command in ["exit 1", "/does/not/exist", "sleep 30"] {
        let open = Project::new(settings("continue", command)).await;
        assert!(open.call(&mut shell("ls")).await.is_continue(), "{command}");
        assert_eq!(
            open.records.steps()[0].outcome,
            RecordOutcome::Fault,
            "{command}"
        );
        let closed = Project::new(settings("block", command)).await;
        let result = closed.call(&mut shell("ls")).await;
        assert!(
            reason(&result).contains("the hook `PreToolUse-1` failed"),
            "{command}: {}",
            reason(&result)
        );
    }
}

#[tokio::test]
async fn a_linter_that_fails_by_habit_still_refuses() {
    let project = Project::with("PreToolUse", "", "grep -q push && exit 2; exit 1").await;
    for _ in 0..8 {
        assert!(project.call(&mut shell("ls")).await.is_continue());
    }
    assert!(!project.call(&mut shell("git push")).await.is_continue());
}

#[tokio::test]
async fn the_same_hook_runs_once() {
    let hook = json!({ "type": "command", "command": "echo run >> ran" });
    let project = Project::new(json!({ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [hook, hook] },
        { "matcher": "*", "hooks": [hook] },
    ] } }))
    .await;
    assert!(project.call(&mut shell("ls")).await.is_continue());
    assert_eq!(
        std::fs::read_to_string(project.path("ran")).unwrap(),
        "run\n"
    );
}

#[tokio::test]
async fn tools_that_succeed_and_tools_that_fail_are_two_events() {
    let log = |event: &str| json!([{ "hooks": [{ "type": "command", "command": format!("cat > {event}.json; echo told >&2; exit 2") }] }]);
    let project = Project::new(json!({ "hooks": {
        "PostToolUse": log("PostToolUse"),
        "PostToolUseFailure": log("PostToolUseFailure"),
    } }))
    .await;
    let read = |name: &str| -> Option<Value> {
        let text = std::fs::read_to_string(project.path(name)).ok()?;
        serde_json::from_str(&text).ok()
    };
    let mut done = AfterToolCall::of(
        shell("ls"),
        ToolOutput::new("a.txt"),
        std::time::Duration::ZERO,
    );
    let result = hooks![..project.runtime.clone()]
        .intercept(&project.cx(), &mut done)
        .await;
    assert!(result.is_continue());
    assert_eq!(done.context, ["told"]);
    let input = read("PostToolUse.json").unwrap();
    assert_eq!(input["tool_response"]["stdout"], "a.txt");
    assert_eq!(input["tool_response"]["is_error"], false);
    assert!(read("PostToolUseFailure.json").is_none());

    let mut failed = AfterToolCall::of(
        shell("ls"),
        ToolOutput::error("no such file"),
        std::time::Duration::ZERO,
    );
    let result = hooks![..project.runtime.clone()]
        .intercept(&project.cx(), &mut failed)
        .await;
    assert!(result.is_continue());
    assert_eq!(
        read("PostToolUseFailure.json").unwrap()["error"],
        "no such file"
    );
}

#[tokio::test]
async fn a_new_output_takes_the_place_of_the_old_one() {
    let answer = json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "updatedToolOutput": { "stdout": "hidden" } } });
    let project = Project::with("PostToolUse", "Bash", &says(&answer, 0)).await;
    let mut done = AfterToolCall::of(
        shell("env"),
        ToolOutput::new("KEY=1"),
        std::time::Duration::ZERO,
    );
    let result = hooks![..project.runtime.clone()]
        .intercept(&project.cx(), &mut done)
        .await;
    assert!(result.is_continue());
    assert_eq!(done.output.content, "hidden");
}

#[tokio::test]
async fn stop_is_the_agents_and_subagent_stop_the_subagents() {
    let project = Project::new(json!({ "hooks": {
        "Stop": [{ "hooks": [{ "type": "command", "command": "echo top >&2; exit 2" }] }],
        "SubagentStop": [{ "hooks": [{ "type": "command", "command": "echo nested >&2; exit 2" }] }],
    } }))
    .await;
    let hooks = hooks![..project.runtime.clone()];
    for (depth, expected) in [(0, "top"), (1, "nested")] {
        let mut cx = project.cx();
        cx.depth = depth;
        let result = hooks.intercept(&cx, &mut BeforeStop::default()).await;
        assert_eq!(result.as_cancel().unwrap().reason, expected);
    }
}

#[tokio::test]
async fn a_refusal_where_nothing_can_be_refused_is_for_the_user() {
    let project = Project::new(json!({ "hooks": {
        "SubagentStart": [{ "hooks": [{ "type": "command", "command": "echo no >&2; exit 2" }] }],
        "SessionStart": [{ "matcher": "startup", "hooks": [{ "type": "command", "command": "echo the branch is main" }] }],
        "UserPromptSubmit": [{ "matcher": "ignored", "hooks": [{ "type": "command", "command": "echo it is Monday" }] }],
    } }))
    .await;
    let hooks = hooks![..project.runtime.clone()];
    let cx = project.cx();
    assert!(
        hooks
            .intercept(&cx, &mut SubagentStart::default())
            .await
            .is_continue()
    );
    assert_eq!(project.records.steps()[0].messages, ["no"]);
    let mut start = SessionStart::default();
    assert!(hooks.intercept(&cx, &mut start).await.is_continue());
    assert_eq!(start.context, ["the branch is main"]);
    let mut message = MessageReceived::default();
    assert!(hooks.intercept(&cx, &mut message).await.is_continue());
    assert_eq!(message.context, ["it is Monday"]);
    assert!(
        project
            .notices()
            .contains("`UserPromptSubmit` has nothing to compare a matcher with")
    );
}

#[tokio::test]
async fn a_permission_is_given_or_refused() {
    for (command, expected) in [
        (
            says(
                &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": { "behavior": "allow" } } }),
                0,
            ),
            "responded",
        ),
        (
            says(
                &json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": { "behavior": "deny", "message": "never" } } }),
                0,
            ),
            "never",
        ),
        ("echo closed >&2; exit 2".to_owned(), "closed"),
    ] {
        let project = Project::with("PermissionRequest", "Bash", &command).await;
        let args = json!({ "command": "ls" });
        let approval = Approval::ask("may it?");
        let mut call = ApproveToolCall {
            id: "1",
            name: "shell",
            args: &args,
            annotations: ToolAnnotations::default(),
            approval: &approval,
        };
        let result = hooks![..project.runtime.clone()]
            .intercept(&project.cx(), &mut call)
            .await;
        let said = result
            .as_cancel()
            .map_or("responded", |cancel| &*cancel.reason);
        assert_eq!(said, expected);
        assert!(!result.is_continue());
    }
}

#[tokio::test]
async fn what_nobody_waits_for_is_delivered_with_the_next_message() {
    let context = json!({ "hookSpecificOutput": { "hookEventName": "PostToolUse", "additionalContext": "the tests fail" } });
    let project = Project::new(json!({ "hooks": {
        "PostToolUse": [{ "hooks": [
            { "type": "command", "async": true, "command": says(&context, 0) },
            { "type": "command", "asyncRewake": true, "command": "echo wake up >&2; exit 2" },
        ] }],
    } }))
    .await;
    let hooks = hooks![..project.runtime.clone()];
    let cx = project.cx();
    let mut done = AfterToolCall::of(shell("ls"), ToolOutput::new(""), std::time::Duration::ZERO);
    assert!(hooks.intercept(&cx, &mut done).await.is_continue());
    assert!(done.context.is_empty());
    project.runtime.shutdown().await;
    let mut message = MessageReceived::default();
    assert!(hooks.intercept(&cx, &mut message).await.is_continue());
    message.context.sort();
    assert_eq!(message.context, ["the tests fail", "wake up"]);
}

#[tokio::test]
async fn what_is_only_tried_out_delivers_nothing_late() {
    let folder = tempfile::tempdir().unwrap();
    let hook = json!({ "type": "command", "async": true, "command": "echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PostToolUse\", \"additionalContext\": \"late\"}}'" });
    let settings = json!({ "hooks": { "PostToolUse": [{ "hooks": [hook] }] } });
    std::fs::write(folder.path().join("settings.json"), settings.to_string()).unwrap();
    for (mode, delivered) in [("enforce", 1), ("shadow", 0)] {
        let file = folder.path().join("hooks.toml");
        let text = format!("[[hooks.import]]\nclaude = 'settings.json'\nmode = '{mode}'");
        std::fs::write(&file, text).unwrap();
        let records = Records::latest(10);
        let builder = Runtime::builder().file(file).recorder(records.clone());
        let runtime = builder.build().await.unwrap();
        let hooks = hooks![..runtime.clone()];
        let cx = AgentContext::new("s1").with_cwd(folder.path().to_string_lossy());
        let mut done =
            AfterToolCall::of(shell("ls"), ToolOutput::new(""), std::time::Duration::ZERO);
        assert!(hooks.intercept(&cx, &mut done).await.is_continue());
        runtime.shutdown().await;
        let mut message = MessageReceived::default();
        assert!(hooks.intercept(&cx, &mut message).await.is_continue());
        assert_eq!(message.context.len(), delivered, "{mode}");
        let steps = records.steps().into_iter();
        let shadows: Vec<_> = steps
            .filter(|step| step.handler == "command")
            .map(|step| step.shadow)
            .collect();
        assert_eq!(shadows, [mode == "shadow"; 2]);
    }
}

#[tokio::test]
async fn arguments_need_no_shell_and_placeholders_are_filled_in() {
    let project = Project::new(json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "sh", "args": ["${CLAUDE_PROJECT_DIR}/check.sh", "$HOME"] }
    ] }] } }))
    .await;
    std::fs::write(project.path("check.sh"), "echo \"$1\" >&2; exit 2").unwrap();
    assert_eq!(reason(&project.call(&mut shell("ls")).await), "$HOME");
}

#[tokio::test]
async fn the_project_is_what_the_agent_names_then_the_files_then_where_the_agent_works() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let [shop, inner, other] = ["shop", "shop/inner", "other"].map(|name| folder.join(name));
    for made in [
        &inner,
        &other,
        &shop.join(".claude"),
        &folder.join(".trees"),
    ] {
        std::fs::create_dir_all(made).unwrap();
    }
    let by_shell =
        json!({ "type": "command", "command": "echo \"$CLAUDE_PROJECT_DIR\" >&2; exit 2" });
    let by_word = json!({
        "type": "command", "command": "sh", "args": ["-c", "echo \"$0\" >&2; exit 2", "${CLAUDE_PROJECT_DIR}"],
    });
    let nobody = std::path::Path::new("");
    let here = std::env::current_dir().unwrap();
    for (place, named, cwd, expected) in [
        ("shop/.claude/settings.json", &other, &*inner, &other),
        ("shop/.claude/settings.json", &other, &other, &other),
        // Whoever knows no project names the folder, also one inside of the project.
        ("shop/.claude/settings.json", &inner, &inner, &shop),
        ("shop/.claude/settings.json", &nobody.into(), &other, &shop),
        ("shop/mastery.json", &other, &inner, &other),
        ("shop/mastery.json", &nobody.into(), &inner, &inner),
        // A whole project in a hidden folder.
        (".trees/mastery.json", &other, &other, &other),
        ("shop/mastery.json", &nobody.into(), nobody, &here),
    ] {
        for hook in [&by_shell, &by_word] {
            let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
            std::fs::write(folder.join(place), settings.to_string()).unwrap();
            let file = folder.join("hooks.toml");
            std::fs::write(&file, format!("[[hooks.import]]\nclaude = '{place}'")).unwrap();
            let runtime = Runtime::load(file).await.unwrap();
            let cx = AgentContext::new("s1")
                .with_cwd(cwd.to_string_lossy())
                .with_project_dir(named.to_string_lossy());
            let result = hooks![..runtime].intercept(&cx, &mut shell("ls")).await;
            let said = reason(&result);
            assert_eq!(
                said,
                expected.to_string_lossy(),
                "{place} {named:?} {cwd:?} {hook}"
            );
        }
    }
}

#[tokio::test]
async fn tools_have_the_names_of_the_file() {
    let project = Project::with("PreToolUse", "Bash", "cat > input.json").await;
    assert!(project.call(&mut shell("ls")).await.is_continue());
    let input: Value =
        serde_json::from_str(&std::fs::read_to_string(project.path("input.json")).unwrap())
            .unwrap();
    assert_eq!(input["tool_name"], "Bash");
    assert_eq!(input["hook_event_name"], "PreToolUse");
    assert_eq!(input["tool_use_id"], "call-1");
    assert_eq!(input["session_id"], "s1");

    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("settings.json"),
        json!({ "hooks": { "PreToolUse": [{ "matcher": "Deploy", "hooks": [{ "type": "command", "command": "exit 2" }] }] } }).to_string(),
    )
    .unwrap();
    let ours = folder.path().join("hooks.toml");
    std::fs::write(
        &ours,
        "[[hooks.import]]\nclaude = 'settings.json'\ntools = { Deploy = 'ship_it' }",
    )
    .unwrap();
    let runtime = Runtime::load(&ours).await.unwrap();
    let mut call = BeforeToolCall::new("1", "ship_it", json!({}));
    assert!(
        !hooks![..runtime]
            .intercept(&AgentContext::new("s"), &mut call)
            .await
            .is_continue()
    );
}

#[tokio::test]
async fn the_flat_form_has_its_own_rules() {
    let entry = json!({ "hooks": { "PreToolUse": [
        { "matcher": "ba*", "command": "echo \"$TOOL_NAME is off\" >&2; exit 1" }
    ] } });
    let project = Project::of(entry.clone(), Dialect::Flat).await;
    let mut call = BeforeToolCall::new("1", "bash", json!({}));
    assert_eq!(reason(&project.call(&mut call).await), "bash is off");
    let mut call = BeforeToolCall::new("1", "read", json!({}));
    assert!(project.call(&mut call).await.is_continue());
    // In a file of Claude Code, such an entry is a mistake, and blocks what it may be for.
    let project = Project::of(entry, Dialect::Claude).await;
    assert!(
        project
            .notices()
            .contains("a group must have a list of hooks")
    );
    let mut call = BeforeToolCall::new("1", "bash", json!({}));
    assert!(!project.call(&mut call).await.is_continue());
}

/// Without its matcher, a hook would run on every tool, and without its timeout as long as it likes.
#[tokio::test]
async fn a_key_that_is_almost_known_is_a_mistake() {
    let hook = json!({ "type": "command", "command": "exit 0" });
    let mut slow = hook.clone();
    slow["timeuot"] = json!(1);
    let only = json!({ "type": "command", "command": "exit 0", "iff": "Bash(git *)" });
    let post = json!({ "type": "http", "url": "https://example.com", "header": {} });
    for (group, key) in [
        (json!({ "macher": "Bash", "hooks": [hook] }), "matcher"),
        (json!({ "matcher": "Bash", "hook": [hook] }), "hooks"),
        (json!({ "matcher": "Bash", "hooks": [slow] }), "timeout"),
        (json!({ "matcher": "Bash", "hooks": [only] }), "if"),
        (json!({ "matcher": "Bash", "hooks": [post] }), "headers"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        let settings = json!({ "hooks": { "PreToolUse": [group] } });
        std::fs::write(&path, settings.to_string()).unwrap();
        let builder = Runtime::builder().file_as(Dialect::Claude, path);
        let runtime = builder.build().await.unwrap();
        let status = runtime.status();
        assert_eq!(status.left_out, 1, "{status:?}");
        let meant = format!("did you mean `{key}`?");
        assert!(status.notices[0].contains(&meant), "{status:?}");
        let mut call = BeforeToolCall::new("1", "Bash", json!({ "command": "ls" }));
        let hooks = hooks![..runtime];
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        assert!(!result.is_continue(), "it blocks what it is for");
    }
}

#[tokio::test]
async fn a_key_of_people_beside_all_known_ones_is_no_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let hook = json!({ "type": "command", "command": "exit 0", "comment": "ours", "mode": "x" });
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    std::fs::write(&path, settings.to_string()).unwrap();
    let builder = Runtime::builder().file_as(Dialect::Claude, &path);
    assert_eq!(builder.build().await.unwrap().status().left_out, 0);
    std::fs::write(&path, r#"{"hosts": ["a"]}"#).unwrap();
    let builder = Runtime::builder().file_as(Dialect::Claude, &path);
    assert_eq!(builder.build().await.unwrap().status().left_out, 0);
}
