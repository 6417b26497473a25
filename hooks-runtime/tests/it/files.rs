//! Files of other systems, in their places in a project: what is written for an agent guards this one as well.
#![cfg(unix)]

use std::path::Path;

use hooks_core::agent::{
    AfterToolCall, AgentContext, BeforeStop, BeforeToolCall, MessageReceived, ToolOutput,
};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{Dialect, Runtime, Trust};
use serde_json::{Value, json};

/// Each system, the place of its file, and what its hook reads about a call of `shell`.
const FILES: &[(&str, &str, &str)] = &[
    (
        "qwen",
        ".qwen/settings.json",
        r#"{"session_id":"s1","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","permission_mode":"default","timestamp":TIME,"tool_name":"run_shell_command","tool_input":{"command":"rm -rf build"},"tool_use_id":"1","tool_call_id":"1"}"#,
    ),
    (
        "droid",
        ".factory/hooks.json",
        r#"{"session_id":"s1","transcript_path":null,"cwd":"/","hook_event_name":"PreToolUse","permission_mode":"default","tool_name":"Execute","tool_input":{"command":"rm -rf build"}}"#,
    ),
    (
        "devin",
        ".devin/hooks.v1.json",
        r#"{"session_id":"s1","hook_event_name":"PreToolUse","prompt_id":"s1:0","tool_name":"exec","tool_input":{"command":"rm -rf build"},"tool_use_id":"1"}"#,
    ),
    (
        "augment",
        ".augment/settings.json",
        r#"{"hook_event_name":"PreToolUse","conversation_id":"s1","workspace_roots":["/"],"tool_name":"launch-process","tool_input":{"command":"rm -rf build"},"is_mcp_tool":false}"#,
    ),
    (
        "grok",
        ".grok/hooks/all.json",
        r#"{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","sessionId":"s1","session_id":"s1","cwd":"/","workspaceRoot":"/","timestamp":TIME,"permissionMode":"default","promptId":"s1:0","toolName":"run_terminal_command","tool_name":"run_terminal_command","toolUseId":"1","toolInput":{"command":"rm -rf build"},"toolInputTruncated":false}"#,
    ),
    (
        "cursor",
        ".cursor/hooks.json",
        r#"{"conversation_id":"s1","generation_id":"s1:0","model":null,"hook_event_name":"beforeShellExecution","cursor_version":"hooks","workspace_roots":["/"],"user_email":null,"transcript_path":null,"command":"rm -rf build","cwd":"/","sandbox":false}"#,
    ),
    (
        "copilot",
        ".github/hooks/all.json",
        r#"{"sessionId":"s1","timestamp":TIME,"cwd":"/","toolName":"bash","toolArgs":{"command":"rm -rf build"}}"#,
    ),
    (
        "antigravity",
        ".agents/hooks.json",
        r#"{"conversationId":"s1","workspacePaths":["/"],"transcriptPath":null,"artifactDirectoryPath":null,"modelName":null,"toolCall":{"name":"run_command","args":{"CommandLine":"rm -rf build"}},"stepIdx":0}"#,
    ),
];

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

/// A file of ours that imports this one.
async fn imported(folder: &Path, system: &str, name: &str, text: &str) -> Runtime {
    write(folder, name, text);
    write(
        folder,
        "hooks.toml",
        &format!("[[hooks.import]]\n{system} = '{name}'\n"),
    );
    let built = Runtime::load(folder.join("hooks.toml")).await;
    built.unwrap_or_else(|error| panic!("{error}"))
}

async fn call(runtime: &Runtime, tool: &str, command: &str) -> (Option<String>, BeforeToolCall) {
    let mut call = BeforeToolCall::new("1", tool, json!({ "command": command }));
    let cx = AgentContext::new("s1").with_cwd("/");
    let result = hooks![..runtime.clone()].intercept(&cx, &mut call).await;
    let reason = result.as_cancel().map(|cancel| cancel.reason.to_string());
    (reason, call)
}

fn with(system: &str, event: &str, hook: &Value) -> (&'static str, String) {
    let (_, name, _) = FILES.iter().find(|(known, ..)| *known == system).unwrap();
    let text = match system {
        "droid" | "devin" => json!({ event: [{ "hooks": [hook] }] }),
        "cursor" | "copilot" => json!({ "version": 1, "hooks": { event: [hook] } }),
        "antigravity" => json!({ "mine": { event: [hook] } }),
        _ => json!({ "hooks": { event: [{ "hooks": [hook] }] } }),
    };
    (name, text.to_string())
}

/// A runtime with one hook of a system, that runs this command.
async fn hook(folder: &Path, system: &str, event: &str, command: &str) -> Runtime {
    let hook = json!({ "type": "command", "command": command });
    let (name, text) = with(system, event, &hook);
    imported(folder, system, name, &text).await
}

#[tokio::test]
async fn a_hook_of_every_system_blocks_a_call_here() {
    let time = regex::Regex::new(r#""timestamp":("[^"]*"|\d+)"#).unwrap();
    for (system, name, read) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let fixture = format!(
            "{}/tests/fixtures/files/{system}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let text = std::fs::read_to_string(fixture).unwrap();
        let runtime = imported(folder.path(), system, name, &text).await;
        let status = runtime.status();
        assert_eq!(status.left_out, 0, "{system}: {:?}", status.notices);
        let (reason, _) = call(&runtime, "shell", "git push").await;
        assert_eq!(reason, None, "{system}");
        let (reason, _) = call(&runtime, "shell", "rm -rf build").await;
        let reason = reason.unwrap_or_else(|| panic!("{system} does not block"));
        assert!(reason.contains("it deletes too much"), "{system}: {reason}");
        let said = std::fs::read_to_string(folder.path().join("read")).unwrap();
        let said = time.replace(said.trim_end(), r#""timestamp":TIME"#);
        assert_eq!(said, *read, "{system}");
        // Its matcher is for the shell. Cursor has an event for it.
        let (reason, _) = call(&runtime, "deploy", "rm -rf build").await;
        assert_eq!(reason, None, "{system}");
    }
}

#[tokio::test]
async fn a_file_in_its_place_is_recognised_and_found() {
    for (system, name, _) in FILES {
        let dialect: Dialect = system.parse().unwrap();
        assert_eq!(
            Dialect::of_path(&Path::new("shop").join(name)),
            Some(dialect)
        );
        let folder = tempfile::tempdir().unwrap();
        let (_, text) = with(
            system,
            event_of(system),
            &json!({ "type": "command", "command": "exit 2" }),
        );
        write(folder.path(), name, &text);
        let built = Runtime::builder()
            .discover([dialect])
            .project_dir(folder.path())
            .user_dir(folder.path().join("nowhere"))
            .trust(Trust::none().with_text(folder.path().join(name), &Trust::fingerprint(&text)))
            .build()
            .await;
        let runtime = built.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            runtime.status().hooks.len(),
            1,
            "{system}: {:?}",
            runtime.status().notices
        );
    }
}

fn event_of(system: &str) -> &'static str {
    match system {
        "cursor" | "copilot" => "preToolUse",
        _ => "PreToolUse",
    }
}

#[tokio::test]
async fn what_a_failure_means_is_the_rule_of_each_system() {
    for (system, ..) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let runtime = hook(folder.path(), system, event_of(system), "exit 1").await;
        let (reason, _) = call(&runtime, "shell", "ls").await;
        let is_closed = matches!(*system, "copilot" | "antigravity");
        assert_eq!(reason.is_some(), is_closed, "{system}: {reason:?}");
        let runtime = hook(
            folder.path(),
            system,
            event_of(system),
            "echo no >&2; exit 2",
        )
        .await;
        let (reason, _) = call(&runtime, "shell", "ls").await;
        assert!(reason.unwrap().starts_with("no"), "{system}");
    }
    for (system, is_closed) in [("copilot", false), ("antigravity", true)] {
        let folder = tempfile::tempdir().unwrap();
        let late = json!({ "type": "command", "command": "sleep 9", "timeout": 0.2 });
        let (name, text) = with(system, event_of(system), &late);
        let runtime = imported(folder.path(), system, name, &text).await;
        let (reason, _) = call(&runtime, "shell", "ls").await;
        assert_eq!(reason.is_some(), is_closed, "{system}: {reason:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let closed = json!({ "command": "exit 1", "failClosed": true });
    let (name, text) = with("cursor", "preToolUse", &closed);
    let runtime = imported(folder.path(), "cursor", name, &text).await;
    assert!(call(&runtime, "shell", "ls").await.0.is_some());
}

#[tokio::test]
async fn new_arguments_count_where_the_system_takes_them() {
    let input = |key: &str| {
        format!(
            r#"echo '{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "updatedInput": {{"{key}": "ls -l"}}}}}}'"#
        )
    };
    let placed = |key: &str| format!(r#"echo '{{"{key}": {{"command": "ls -l"}}}}'"#);
    for (system, command, expected) in [
        ("droid", input("command"), "ls -l"),
        ("augment", input("command"), "ls -l"),
        ("grok", input("command"), "ls -l"),
        ("qwen", input("command"), "ls"),
        ("devin", input("command"), "ls"),
        ("cursor", placed("updated_input"), "ls -l"),
        ("copilot", placed("modifiedArgs"), "ls -l"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let runtime = hook(folder.path(), system, event_of(system), &command).await;
        let (reason, call) = call(&runtime, "shell", "ls").await;
        assert_eq!(reason, None, "{system}");
        assert_eq!(call.args["command"], expected, "{system}");
    }
}

#[tokio::test]
async fn the_spelling_of_an_event_selects_copilots_keys() {
    let folder = tempfile::tempdir().unwrap();
    let command = r#"cat > "$CLAUDE_PROJECT_DIR/read""#;
    let runtime = hook(folder.path(), "copilot", "PreToolUse", command).await;
    call(&runtime, "shell", "ls").await;
    let read = std::fs::read_to_string(folder.path().join("read")).unwrap();
    let read: Value = serde_json::from_str(&read).unwrap();
    assert_eq!(read["hook_event_name"], "PreToolUse");
    assert_eq!(read["tool_name"], "Bash");
    assert_eq!(read["toolName"], Value::Null);
}

#[tokio::test]
async fn an_answer_that_decides_nothing_denies_for_antigravity() {
    for (answer, is_blocked) in [
        ("{}", true),
        (r#"{"decision": "perhaps"}"#, true),
        (r#"{"decision": "allow"}"#, false),
        ("", true),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let command = format!("echo '{answer}'");
        let runtime = hook(folder.path(), "antigravity", "PreToolUse", &command).await;
        let (reason, _) = call(&runtime, "shell", "ls").await;
        assert_eq!(reason.is_some(), is_blocked, "{answer}: {reason:?}");
    }
}

#[tokio::test]
async fn other_decisions_have_their_own_places() {
    let cx = AgentContext::new("s1").with_cwd("/");
    let folder = tempfile::tempdir().unwrap();
    let command = r#"echo '{"followup_message": "run the tests"}'"#;
    let runtime = hook(folder.path(), "cursor", "stop", command).await;
    let mut stop = BeforeStop::new("done", 0);
    let said = hooks![..runtime].intercept(&cx, &mut stop).await;
    assert!(
        said.as_cancel()
            .unwrap()
            .reason
            .starts_with("run the tests")
    );

    let command = r#"echo '{"continue": false, "user_message": "not this"}'"#;
    let runtime = hook(folder.path(), "cursor", "beforeSubmitPrompt", command).await;
    let mut message = MessageReceived::new("cli", "ada", "hi");
    let said = hooks![..runtime].intercept(&cx, &mut message).await;
    assert!(said.as_cancel().unwrap().reason.starts_with("not this"));

    let command =
        r#"echo '{"modifiedResult": {"resultType": "success", "textResultForLlm": "[gone]"}}'"#;
    let runtime = hook(folder.path(), "copilot", "postToolUse", command).await;
    let output = ToolOutput::new("a key");
    let call = BeforeToolCall::new("1", "shell", json!({}));
    let mut done = AfterToolCall::of(call, output, std::time::Duration::ZERO);
    let said = hooks![..runtime].intercept(&cx, &mut done).await;
    assert!(matches!(said, HookResult::Continue), "{said:?}");
    assert_eq!(done.output.content, "[gone]");
}

#[tokio::test]
async fn a_command_of_grok_without_blanks_is_a_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        ".grok/hooks/guard.sh",
        "#!/bin/sh\necho never >&2\nexit 2\n",
    );
    let guard = folder.path().join(".grok/hooks/guard.sh");
    std::fs::set_permissions(guard, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let runtime = hook(folder.path(), "grok", "PreToolUse", "guard.sh").await;
    let (reason, _) = call(&runtime, "shell", "ls").await;
    assert!(reason.unwrap().starts_with("never"));
}

#[tokio::test]
async fn a_key_that_has_no_effect_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let hook = json!({ "command": "exit 0", "loop_limit": 3 });
    let (name, text) = with("cursor", "stop", &hook);
    let runtime = imported(folder.path(), "cursor", name, &text).await;
    let notices = runtime.status().notices.join("\n");
    assert!(
        notices.contains("`loop_limit` has no effect here"),
        "{notices}"
    );
}

#[tokio::test]
async fn what_an_editor_does_by_itself_is_no_call_of_a_tool() {
    let folder = tempfile::tempdir().unwrap();
    let runtime = hook(folder.path(), "cursor", "beforeTabFileRead", "exit 2").await;
    assert_eq!(call(&runtime, "shell", "ls").await.0, None);
    let notices = runtime.status().notices.join("\n");
    assert!(notices.contains("never raised here"), "{notices}");
}

#[tokio::test]
async fn settings_without_hooks_are_fine_and_a_wrong_event_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let settings = r#"{ "commandAllowlist": ["ls"], "model": "m" }"#;
    let runtime = imported(folder.path(), "droid", ".factory/settings.json", settings).await;
    assert_eq!(runtime.status().left_out, 0);
    let wrong = r#"{ "PreToolUs": [{ "hooks": [{ "type": "command", "command": "exit 2" }] }] }"#;
    let runtime = imported(folder.path(), "droid", ".factory/hooks.json", wrong).await;
    assert_eq!(runtime.status().left_out, 1);
    // Antigravity does not load events without a name above them.
    let bare = r#"{ "PreToolUse": [{ "type": "command", "command": "exit 2" }] }"#;
    write(folder.path(), ".agents/hooks.json", bare);
    let file = folder.path().join(".agents/hooks.json");
    let built = Runtime::builder()
        .file_as(Dialect::Antigravity, file)
        .build();
    let error = built.await.err().unwrap().to_string();
    assert!(error.contains("must be a table of events"), "{error}");
}

#[tokio::test]
async fn a_hook_that_cannot_run_blocks_its_event() {
    for (system, event, hook) in [
        (
            "cursor",
            "preToolUse",
            json!({ "type": "prompt", "prompt": "is it safe?" }),
        ),
        (
            "copilot",
            "preToolUse",
            json!({ "type": "command", "bash": "exit 0", "matcher": "(" }),
        ),
        ("antigravity", "PreToolUse", json!({ "type": "command" })),
        (
            "devin",
            "PreToolUse",
            json!({ "type": "prompt", "prompt": "is it safe?" }),
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (name, text) = with(system, event, &hook);
        let runtime = imported(folder.path(), system, name, &text).await;
        assert_eq!(runtime.status().left_out, 1, "{system}");
        assert!(call(&runtime, "shell", "ls").await.0.is_some(), "{system}");
    }
}

#[tokio::test]
async fn a_hook_for_windows_only_is_named_and_does_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let (name, text) = with(
        "copilot",
        "preToolUse",
        &json!({ "type": "command", "powershell": "exit 1" }),
    );
    let runtime = imported(folder.path(), "copilot", name, &text).await;
    assert_eq!(call(&runtime, "shell", "ls").await.0, None);
    let notices = runtime.status().notices.join("\n");
    assert!(
        notices.contains("the hook has only `powershell`"),
        "{notices}"
    );
}

#[tokio::test]
async fn a_refusal_of_any_system_counts_in_every_file() {
    for (system, event) in [
        ("cursor", "preToolUse"),
        ("cursor", "beforeShellExecution"),
        ("copilot", "preToolUse"),
        ("antigravity", "PreToolUse"),
    ] {
        for answer in [
            r#"{"continue": false}"#,
            r#"{"allow_tool": false}"#,
            r#"{"cancel": true}"#,
        ] {
            let folder = tempfile::tempdir().unwrap();
            let runtime = hook(folder.path(), system, event, &format!("echo '{answer}'")).await;
            let (reason, _) = call(&runtime, "shell", "ls").await;
            assert!(reason.is_some(), "{system} {event}: {answer}");
        }
    }
}

#[tokio::test]
async fn a_file_of_the_wrong_form_or_with_a_misspelt_event_is_told() {
    for (system, name, text) in [
        (
            "antigravity",
            ".agents/hooks.json",
            r#"[{"PreToolUse": [{"command": "exit 2"}]}]"#,
        ),
        (
            "devin",
            ".devin/config.json",
            r#"{"PreTolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let status = imported(folder.path(), system, name, text).await.status();
        assert_eq!(status.left_out, 1, "{system}: {:?}", status.notices);
    }
    // Other settings, which are none of our business.
    let folder = tempfile::tempdir().unwrap();
    let text = r#"{"permissions": ["x"], "PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#;
    let runtime = imported(folder.path(), "devin", ".devin/config.json", text).await;
    assert_eq!(
        runtime.status().left_out,
        0,
        "{:?}",
        runtime.status().notices
    );
    assert!(call(&runtime, "shell", "ls").await.0.is_some());
}

#[tokio::test]
async fn a_refresh_says_what_the_files_say_now() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let rule =
        |name: &str| format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeStop'\nblock = 'no'");
    std::fs::write(&path, rule("one")).unwrap();
    let runtime = Runtime::load(&path).await.unwrap();
    let name = || runtime.status().hooks[0].name.clone();
    // Of the same length, and at once: a file system may give both the same time.
    for new in ["two", "six", "ten"] {
        std::fs::write(&path, rule(new)).unwrap();
        runtime.refresh().await.unwrap();
        assert_eq!(name(), new);
    }
    std::fs::write(&path, "[[hooks.on]]").unwrap();
    assert!(runtime.refresh().await.is_err());
    assert!(runtime.refresh().await.is_err(), "it is still wrong");
    std::fs::remove_file(&path).unwrap();
    assert!(runtime.refresh().await.is_err());
    std::fs::write(&path, rule("one")).unwrap();
    runtime.refresh().await.unwrap();
    assert_eq!(name(), "one");
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    runtime.refresh().await.unwrap();
    let before = runtime.revision();
    runtime.refresh().await.unwrap();
    assert_eq!(
        runtime.revision(),
        before,
        "what has not changed is not loaded"
    );
}
