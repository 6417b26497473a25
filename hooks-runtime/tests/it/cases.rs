//! Cases that users of agents have reported, on files in the agents' own formats.

use std::path::Path;

use hooks_runtime::bridge::{self, Call, LeftToAgent, Reply};
use hooks_runtime::{Dialect, Runtime};
use serde_json::{Value, json};

/// A file with one hook that blocks, on the tools that a matcher names.
fn blocking(event: &str, matcher: &str) -> String {
    let hook = json!({ "type": "command", "command": "echo no >&2; exit 2" });
    json!({ "hooks": { event: [{ "matcher": matcher, "hooks": [hook] }] } }).to_string()
}

/// The hooks of a file in this folder.
async fn runtime_in(folder: &Path, dialect: Dialect, name: &str, text: &str) -> Runtime {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let runtime = Runtime::builder()
        .file_as(dialect, file)
        .approver(LeftToAgent);
    runtime
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"))
}

async fn runtime(dialect: Dialect, name: &str, text: &str) -> Runtime {
    let folder = tempfile::tempdir().unwrap();
    runtime_in(folder.path(), dialect, name, text).await
}

async fn reply(runtime: &Runtime, dialect: Dialect, event: &str, fields: Value) -> Reply {
    let mut input = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": event });
    input
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    bridge::run(runtime, Call::new(dialect, input.to_string().as_bytes()))
        .await
        .reply
}

fn blocks(reply: &Reply) -> bool {
    reply.exit_code == 2 || reply.stdout.contains("deny")
}

#[tokio::test]
async fn a_matcher_means_a_tool_by_all_its_names() {
    for (dialect, event, matcher, tool, is_meant) in [
        (Dialect::Claude, "PreToolUse", "Task", "Agent", true),
        (Dialect::Claude, "PreToolUse", "^Task$", "Agent", true),
        (Dialect::Claude, "PreToolUse", "Task|Bash", "Agent", true),
        (Dialect::Claude, "PreToolUse", "Agent", "Task", true),
        (Dialect::Claude, "PreToolUse", "Write", "Edit", false),
        (Dialect::Claude, "PreToolUse", "Monitor", "Bash", false),
        (Dialect::Codex, "PreToolUse", "Write", "apply_patch", true),
        (Dialect::Codex, "PreToolUse", "Edit", "apply_patch", true),
        (
            Dialect::Codex,
            "PreToolUse",
            "^apply_patch$",
            "apply_patch",
            true,
        ),
        (Dialect::Codex, "PreToolUse", "Agent", "spawn_agent", true),
        (Dialect::Codex, "PreToolUse", "Bash", "apply_patch", false),
        (
            Dialect::Gemini,
            "BeforeTool",
            "WriteFile",
            "write_file",
            true,
        ),
        (Dialect::Qwen, "PreToolUse", "WriteFile", "write_file", true),
        (Dialect::Gemini, "BeforeTool", "WriteFile", "replace", false),
    ] {
        let runtime = runtime(dialect, "settings.json", &blocking(event, matcher)).await;
        let call = json!({ "tool_name": tool, "tool_input": {} });
        let reply = reply(&runtime, dialect, event, call).await;
        assert_eq!(
            blocks(&reply),
            is_meant,
            "{dialect}: {matcher} on {tool}: {reply:?}"
        );
    }
}

#[tokio::test]
async fn rules_for_writing_cover_a_patch() {
    for filter in [
        "tools = ['file_write', 'file_edit']",
        "matcher = '^(Write|Edit)$'",
        "if = 'Edit(.env)'",
    ] {
        let file = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\n{filter}\nblock = 'no'\n");
        let runtime = Runtime::builder().text(file).build().await.unwrap();
        let patch = "*** Begin Patch\n*** Update File: .env\n@@\n-a\n+b\n*** End Patch";
        let call = json!({ "tool_name": "apply_patch", "tool_input": { "command": patch } });
        let reply = reply(&runtime, Dialect::Codex, "PreToolUse", call).await;
        assert!(blocks(&reply), "{filter}: {reply:?}");
    }
}

/// `apply_patch` has many names, and all but one are not `Edit`.
#[tokio::test]
async fn a_matcher_that_excludes_is_compared_with_one_name() {
    for (matcher, tool, is_meant) in [
        ("^(?!mcp__voice__).*", "mcp__voice__say", false),
        ("^(?!mcp__voice__).*", "mcp__git__push", true),
        ("^(?!Edit$)", "Edit", false),
        ("^(?!Edit$)", "Write", true),
        ("^(?!(Read|Edit)$).+$", "Read", false),
        ("^[^B]", "Bash", false),
    ] {
        let runtime = runtime(
            Dialect::Claude,
            "settings.json",
            &blocking("PreToolUse", matcher),
        )
        .await;
        let call = json!({ "tool_name": tool, "tool_input": {} });
        let reply = reply(&runtime, Dialect::Claude, "PreToolUse", call).await;
        assert_eq!(blocks(&reply), is_meant, "{matcher} on {tool}: {reply:?}");
    }
    // What cannot be told apart is not taken for something else.
    let runtime = runtime(
        Dialect::Codex,
        "hooks.json",
        &blocking("PreToolUse", "^(?!Edit$)"),
    )
    .await;
    let call = json!({ "tool_name": "Bash", "tool_input": {} });
    assert!(blocks(
        &reply(&runtime, Dialect::Codex, "PreToolUse", call).await
    ));
    assert!(runtime.status().notices.concat().contains("look-around"));
}

#[tokio::test]
async fn a_rule_of_claude_code_is_for_what_it_says() {
    for (rule, tool, input, is_meant) in [
        ("mcp__github", "mcp__github__list", json!({}), true),
        ("mcp__github", "mcp__gitlab__list", json!({}), false),
        ("mcp__git", "mcp__github__list", json!({}), false),
        (
            "Agent(Explore)",
            "Agent",
            json!({ "subagent_type": "Explore" }),
            true,
        ),
        (
            "Task(Explore)",
            "Agent",
            json!({ "subagent_type": "Explore" }),
            true,
        ),
        (
            "Agent(Explore)",
            "Agent",
            json!({ "subagent_type": "Plan" }),
            false,
        ),
        ("Agent(Explore)", "Bash", json!({ "command": "ls" }), false),
        ("Skill(deploy)", "Skill", json!({ "skill": "deploy" }), true),
        ("Skill(deploy)", "Skill", json!({ "skill": "test" }), false),
        // This is not a rule, so the hook runs.
        ("Edit|Write", "Bash", json!({ "command": "ls" }), true),
    ] {
        let hook = json!({ "type": "command", "command": "exit 2", "if": rule });
        let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } }).to_string();
        let claude = runtime(Dialect::Claude, "settings.json", &file).await;
        let call = json!({ "tool_name": tool, "tool_input": input });
        let reply = reply(&claude, Dialect::Claude, "PreToolUse", call).await;
        assert_eq!(blocks(&reply), is_meant, "{rule} on {tool}: {reply:?}");
    }
}

#[tokio::test]
async fn comments_are_read_where_the_agent_reads_them() {
    let text = "{\n  // guards\n  \"hooks\": { /* all */ \"BeforeTool\": [{ \"hooks\": [\n    { \"type\": \"command\", \
                \"command\": \"echo 'a // b' >&2; exit 2\" }\n  ] }] }\n}\n";
    let gemini = runtime(Dialect::Gemini, "settings.json", text).await;
    let call = json!({ "tool_name": "x", "tool_input": {} });
    let reply = reply(&gemini, Dialect::Gemini, "BeforeTool", call).await;
    assert!(reply.stdout.contains("a // b"), "{reply:?}");
}

#[tokio::test]
async fn another_agents_name_of_an_event_is_told_in_this_agents_words() {
    for (dialect, name, here) in [
        (Dialect::Gemini, "PreToolUse", "here it is `BeforeTool`"),
        (Dialect::Cursor, "PreToolUse", "here it is `preToolUse`"),
        (Dialect::Claude, "pre_tool_use", "here it is `PreToolUse`"),
        (
            Dialect::Gemini,
            "PermissionDenied",
            "Gemini CLI has no such event",
        ),
    ] {
        let runtime = runtime(dialect, "settings.json", &blocking(name, "*")).await;
        let notices = runtime.status().notices.concat();
        assert!(notices.contains(here), "{dialect}: {notices}");
    }
}

#[tokio::test]
async fn an_approval_that_loses_a_part_is_not_an_approval() {
    let approving = |answer: Value| {
        let hook = json!({ "type": "command", "command": format!("echo '{answer}'") });
        json!({ "hooks": { "PermissionRequest": [{ "hooks": [hook] }], "PreToolUse": [{ "hooks": [hook] }] } }).to_string()
    };
    let call = || json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } });
    let decision = json!({ "behavior": "allow", "updatedInput": { "command": "ls -l" } });
    let answer = json!({ "hookSpecificOutput": { "hookEventName": "PermissionRequest", "decision": decision } });
    let claude = runtime(Dialect::Claude, "settings.json", &approving(answer)).await;
    let said = reply(&claude, Dialect::Claude, "PermissionRequest", call()).await;
    assert!(
        said.stdout.contains("updatedInput") && !said.stdout.contains("\"allow\""),
        "{said:?}"
    );
    // Codex does not know the word.
    let codex = runtime(
        Dialect::Codex,
        "hooks.json",
        &approving(json!({ "decision": "approve" })),
    )
    .await;
    let said = reply(&codex, Dialect::Codex, "PreToolUse", call()).await;
    assert!(!said.stdout.contains("allow"), "{said:?}");
}

#[tokio::test]
async fn where_a_hook_must_fail_closed_output_that_is_not_an_answer_blocks() {
    let banner = "Welcome\\n{\\\"permission\\\":\\\"deny\\\"}";
    for (output, is_closed, is_blocked) in [
        ("not json", true, true),
        ("[]", true, true),
        ("null", true, true),
        (banner, true, true),
        ("not json", false, false),
    ] {
        let hook = json!({ "command": format!("printf \"{output}\""), "failClosed": is_closed });
        let file = json!({ "version": 1, "hooks": { "beforeShellExecution": [hook] } }).to_string();
        let folder = tempfile::tempdir().unwrap();
        let cursor = runtime_in(folder.path(), Dialect::Cursor, "hooks.json", &file).await;
        let call = json!({ "command": "ls", "conversation_id": "c", "cursor_version": "2" });
        let reply = reply(&cursor, Dialect::Cursor, "beforeShellExecution", call).await;
        assert_eq!(blocks(&reply), is_blocked, "{output}: {reply:?}");
    }
}

#[tokio::test]
async fn cursors_reads_are_matched_by_what_reads() {
    for (matcher, is_meant) in [("Read", true), ("TabRead", true), ("Write", false)] {
        let hook = json!({ "command": "exit 2", "matcher": matcher });
        let file = json!({ "version": 1, "hooks": { "beforeReadFile": [hook] } }).to_string();
        let folder = tempfile::tempdir().unwrap();
        let cursor = runtime_in(folder.path(), Dialect::Cursor, "hooks.json", &file).await;
        let call = json!({ "file_path": "/a/.env", "conversation_id": "c", "cursor_version": "2" });
        let reply = reply(&cursor, Dialect::Cursor, "beforeReadFile", call).await;
        assert_eq!(blocks(&reply), is_meant, "{matcher}: {reply:?}");
    }
}

#[tokio::test]
async fn what_the_agent_would_ignore_is_a_warning() {
    let answer = json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": { "command": "ls -l" } } });
    let hook = json!({ "type": "command", "command": format!("echo '{answer}'") });
    let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } }).to_string();
    let qwen = runtime(Dialect::Qwen, "settings.json", &file).await;
    let call = json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" } });
    let said = reply(&qwen, Dialect::Qwen, "PreToolUse", call).await;
    assert!(!blocks(&said), "{said:?}");
    let last = qwen
        .status()
        .hooks
        .pop()
        .and_then(|hook| hook.last)
        .unwrap();
    let expected = "`hookSpecificOutput.updatedInput` has no effect on `PreToolUse` of Qwen Code";
    assert_eq!(last.warnings, [expected]);
}

#[tokio::test]
async fn a_part_of_a_matcher_that_fits_no_tool_is_told() {
    for (dialect, matcher, told) in [
        (Dialect::Claude, "Bsh", Some("is called `Bsh`\n  |")),
        (Dialect::Claude, "Bsh", Some("did you mean `Bash`?")),
        (Dialect::Claude, "Bash|Writ", Some("is called `Writ`")),
        (Dialect::Claude, "^Bsh$|Edit", Some("is called `^Bsh$`")),
        (
            Dialect::Claude,
            "mcp__github",
            Some("write `mcp__github__.*`"),
        ),
        (Dialect::Claude, "mcp__github__get_issue", None),
        (Dialect::Claude, "mcp__github__.*", None),
        (Dialect::Claude, "Edit|Write|Task|Bash", None),
        (Dialect::Claude, "^(?!Edit$)", None),
        (Dialect::Claude, "Notebook.*", None),
        (Dialect::Codex, "Write|apply_patch|shell", None),
        (
            Dialect::Codex,
            "run_shell_command",
            Some("no tool of Codex"),
        ),
        (Dialect::Gemini, "write_file|WriteFile|replace", None),
        (Dialect::Droid, "Bash", Some("no tool of Factory Droid")),
    ] {
        let text = blocking(
            if dialect == Dialect::Gemini {
                "BeforeTool"
            } else {
                "PreToolUse"
            },
            matcher,
        );
        let notices = runtime(dialect, "hooks.json", &text)
            .await
            .status()
            .notices
            .join("\n");
        match told {
            Some(told) => assert!(notices.contains(told), "{dialect} {matcher}: {notices}"),
            None => assert_eq!(notices, "", "{dialect} {matcher}"),
        }
    }
}
