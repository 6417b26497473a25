//! What each agent sends, as its documentation or a capture has it, and what it is told. One file of hooks serves all.

use hooks_runtime::bridge::{self, Call, LeftToAgent, Reply};
use hooks_runtime::{Dialect, Runtime};
use serde_json::{Value, json};

const POLICY: &str = r#"
[[hooks.on]]
name = "no-force"
event = "BeforeToolCall"
if = 'args.command.contains("--force")'
block = "no force"

[[hooks.on]]
name = "asks"
event = "BeforeToolCall"
if = 'args.command.contains("push")'
ask = "may it push?"

[[hooks.on]]
name = "slowly"
event = "BeforeToolCall"
if = 'args.command == "ls"'
modify = { command = "ls -l" }

[[hooks.on]]
name = "secret"
event = "AfterToolCall"
if = 'output.content.contains("key")'
modify = { content = "[gone]" }

[[hooks.on]]
name = "note"
event = ["MessageReceived", "SessionStart"]
context = "be kind"

[[hooks.on]]
name = "goes-on"
event = "BeforeStop"
if = "attempt == 0"
block = "run the tests"
"#;

async fn reply(call: Call<'_>) -> Reply {
    let runtime = Runtime::builder()
        .text(POLICY)
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    bridge::run(&runtime, call).await.reply
}

/// The exit code, standard output as JSON and standard error.
async fn told(system: Dialect, event: &str, input: Value) -> (u8, Value, String) {
    let input = input.to_string();
    let call = Call {
        event: Some(event),
        ..Call::new(system, input.as_bytes())
    };
    let reply = reply(call).await;
    let json = serde_json::from_str(&reply.stdout).unwrap_or(Value::String(reply.stdout));
    (reply.exit_code, json, reply.stderr)
}

fn nothing() -> Value {
    Value::String(String::new())
}

const FORCE: &str = "no force (hook: no-force)";

#[tokio::test]
async fn copilot_with_events_in_camel_case() {
    let of = |tool: &str, args: Value| json!({ "sessionId": "s", "timestamp": 1_795_401_895_573_u64, "cwd": "/w", "toolName": tool, "toolArgs": args });
    let call = |command: &str| {
        told_call(of(
            "bash",
            json!({ "command": command, "description": "d" }),
        ))
    };
    async fn told_call(input: Value) -> (u8, Value, String) {
        told(Dialect::Copilot, "preToolUse", input).await
    }
    let (code, json, stderr) = call("git push --force").await;
    assert_eq!((code, stderr), (2, format!("{FORCE}\n")));
    assert_eq!(
        (
            &json["permissionDecision"],
            &json["permissionDecisionReason"]
        ),
        (&json!("deny"), &json!(FORCE))
    );
    let (code, json, _) = call("git push").await;
    assert_eq!((code, &json["permissionDecision"]), (0, &json!("ask")));
    let (_, json, _) = call("ls").await;
    assert_eq!(
        json["modifiedArgs"],
        json!({ "command": "ls -l", "description": "d" })
    );
    // Older versions send the arguments as text.
    let (code, ..) = told_call(of("bash", json!("{\"command\":\"git push --force\"}"))).await;
    assert_eq!(code, 2);

    let mut done = of("bash", json!({ "command": "cat k" }));
    done["toolResult"] = json!({ "resultType": "success", "textResultForLlm": "the key" });
    let (_, json, _) = told(Dialect::Copilot, "postToolUse", done).await;
    assert_eq!(
        json,
        json!({ "modifiedResult": { "resultType": "success", "textResultForLlm": "[gone]" } })
    );
    let prompt = json!({ "sessionId": "s", "timestamp": 1, "cwd": "/w", "prompt": "go" });
    let (_, json, _) = told(Dialect::Copilot, "userPromptSubmitted", prompt).await;
    assert_eq!(json, json!({ "additionalContext": "be kind" }));
    let stop = json!({ "sessionId": "s", "timestamp": 1, "cwd": "/w", "stopReason": "end_turn", "stop_hook_active": false });
    let (_, json, _) = told(Dialect::Copilot, "agentStop", stop).await;
    assert_eq!(
        json,
        json!({ "decision": "block", "reason": "run the tests (hook: goes-on)" })
    );
}

#[tokio::test]
async fn a_file_of_claude_code_that_another_agent_reads_does_not_stop_it() {
    // Copilot asks with its own keys, whatever the file says.
    let asks = json!({ "hookName": "permissionRequest", "sessionId": "s", "timestamp": 1, "cwd": "/w",
                       "toolName": "bash", "toolInput": { "command": "pwd" }, "permissionSuggestions": [] });
    assert_eq!(
        told(Dialect::Claude, "", asks).await,
        (0, nothing(), String::new())
    );
    // Grok's keys, without variables.
    let grok = json!({ "hookEventName": "pre_tool_use", "sessionId": "s", "cwd": "/w", "workspaceRoot": "/w",
                       "toolName": "run_terminal_command", "toolInput": { "command": "git push --force" } });
    let (code, json, _) = told(Dialect::Claude, "", grok.clone()).await;
    assert_eq!((code, &json["decision"]), (2, &json!("deny")));
    let mut harmless = grok;
    harmless["toolInput"]["command"] = "pwd".into();
    assert_eq!(
        told(Dialect::Claude, "", harmless).await,
        (0, nothing(), String::new())
    );
    // VS Code mixes spellings.
    let vscode = json!({ "timestamp": "2026-02-09T10:30:00.000Z", "cwd": "/w", "sessionId": "s",
                         "hookEventName": "PreToolUse", "tool_name": "run_in_terminal",
                         "tool_input": { "command": "git push --force" }, "tool_use_id": "t" });
    let (code, json, _) = told(Dialect::Claude, "", vscode).await;
    assert_eq!(
        (code, &json["hookSpecificOutput"]["permissionDecision"]),
        (0, &json!("deny"))
    );
    // Cursor.
    let cursor = json!({ "conversation_id": "c", "hook_event_name": "preToolUse", "cursor_version": "2026.10.08",
                         "workspace_roots": ["/w"], "tool_name": "Shell", "tool_input": { "command": "git push --force" } });
    let (_, json, _) = told(Dialect::Claude, "", cursor).await;
    assert_eq!(json["permission"], "deny");
}

#[tokio::test]
async fn copilot_with_claude_codes_events_gets_both_forms() {
    let input = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "timestamp": "2026-11-23T02:01:02.924Z",
                        "cwd": "/w", "tool_name": "Bash", "tool_input": { "command": "ls" } })
    .to_string();
    let call = Call {
        is_set: &|name| name == "COPILOT_CLI",
        ..Call::new(Dialect::Claude, input.as_bytes())
    };
    let json: Value = serde_json::from_str(&reply(call).await.stdout).unwrap();
    assert_eq!(json["modifiedArgs"]["command"], "ls -l");
    assert_eq!(
        json["hookSpecificOutput"]["updatedInput"]["command"],
        "ls -l"
    );
}

#[tokio::test]
async fn qwen_is_denied_what_it_ignores() {
    let of = |event: &str, fields: Value| {
        let mut input = json!({ "session_id": "s", "transcript_path": "/h/.qwen/projects/p/chats/s.jsonl", "cwd": "/w",
                                "hook_event_name": event, "timestamp": "2026", "permission_mode": "default" });
        input
            .as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        input
    };
    let call = of(
        "PreToolUse",
        json!({ "tool_name": "run_shell_command", "tool_input": { "command": "ls" } }),
    );
    // The file is that of Claude Code; the folder of the transcript shows who calls.
    let (_, json, _) = told(Dialect::Claude, "", call).await;
    assert_eq!(json["decision"], "block");
    let reason = json["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("a hook changed the arguments, which Qwen Code does not support"),
        "{reason}"
    );
    let done = of(
        "PostToolUse",
        json!({ "tool_name": "t", "tool_input": {}, "tool_response": { "llmContent": "a key", "returnDisplay": "" } }),
    );
    let (_, json, _) = told(Dialect::Qwen, "", done).await;
    assert_eq!(
        json,
        json!({ "systemMessage": "a hook wanted to change the output, which Qwen Code does not support here" })
    );
    // It raises the event again, with an empty prompt, after each tool.
    let again = of("UserPromptSubmit", json!({ "prompt": "" }));
    assert_eq!(
        told(Dialect::Qwen, "", again).await,
        (0, nothing(), String::new())
    );
}

#[tokio::test]
async fn antigravity_always_gets_a_decision() {
    let call = |command: &str| {
        json!({ "toolCall": { "name": "run_command", "args": { "CommandLine": command, "command": command, "Cwd": "/w" } },
                "stepIdx": 7, "conversationId": "c", "workspacePaths": ["/w"], "transcriptPath": "", "modelName": "m" })
    };
    let of = |event: &'static str, input: Value| told(Dialect::Antigravity, event, input);
    assert_eq!(
        of("PreToolUse", call("pwd")).await.1,
        json!({ "decision": "allow" })
    );
    assert_eq!(
        of("PreToolUse", call("git push --force")).await.1,
        json!({ "decision": "deny", "reason": FORCE })
    );
    assert_eq!(
        of("PreToolUse", call("git push")).await.1,
        json!({ "decision": "force_ask", "reason": "may it push?" })
    );
    assert_eq!(of("PostToolUse", call("pwd")).await.1, json!({}));
    let start = json!({ "conversationId": "c", "workspacePaths": ["/w"] });
    assert_eq!(
        of("SessionStart", start.clone()).await.1,
        json!({ "injectSteps": [{ "ephemeralMessage": "be kind" }] })
    );
    // Without the name of the event, it is denied in its own words.
    let input = start.to_string();
    let reply = reply(Call::new(Dialect::Antigravity, input.as_bytes())).await;
    assert_eq!(reply.exit_code, 2);
    assert!(
        reply.stdout.starts_with("{\"decision\":\"deny\""),
        "{}",
        reply.stdout
    );
}

#[tokio::test]
async fn grok_devin_droid_and_augment_get_the_exit_code_as_well() {
    let call = json!({ "hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "exec",
                       "tool_input": { "command": "git push --force" }, "tool_use_id": "t" });
    for (system, path, word) in [
        (Dialect::Grok, "/decision", "deny"),
        (Dialect::Devin, "/decision", "block"),
        (
            Dialect::Droid,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
        (
            Dialect::Augment,
            "/hookSpecificOutput/permissionDecision",
            "deny",
        ),
    ] {
        let (code, json, stderr) = told(system, "", call.clone()).await;
        assert_eq!((code, stderr), (2, format!("{FORCE}\n")), "{system}");
        assert_eq!(json.pointer(path), Some(&json!(word)), "{system}: {json}");
    }
    // Grok cuts what is too long, so nobody can judge it.
    let cut = json!({ "hookEventName": "pre_tool_use", "sessionId": "s", "toolName": "run_terminal_command",
                      "toolInput": "{\"command\": \"ls … [truncated]", "toolInputTruncated": true });
    let (code, json, _) = told(Dialect::Grok, "", cut).await;
    assert_eq!((code, &json["decision"]), (2, &json!("deny")));
}

#[tokio::test]
async fn kiro_and_windsurf_read_only_the_exit_code_and_standard_error() {
    let kiro = |command: &str| {
        json!({ "hook_event_name": "preToolUse", "session_id": "sess_1", "cwd": "/w", "tool_name": "execute_bash",
                "tool_input": { "command": command } })
    };
    let denied = (2, nothing(), format!("{FORCE}\n"));
    assert_eq!(
        told(Dialect::Kiro, "", kiro("git push --force")).await,
        denied
    );
    let (code, json, stderr) = told(Dialect::Kiro, "", kiro("git push")).await;
    assert_eq!((code, json), (2, nothing()));
    assert!(stderr.contains("may it push?"), "{stderr}");
    let prompt =
        json!({ "hook_event_name": "UserPromptSubmit", "session_id": "sess_1", "prompt": "go" });
    assert_eq!(
        told(Dialect::Kiro, "", prompt).await,
        (0, Value::String("be kind\n".into()), String::new())
    );
    let windsurf = |command: &str| {
        json!({ "agent_action_name": "pre_run_command", "trajectory_id": "t", "execution_id": "e",
                "tool_info": { "command_line": command, "cwd": "/w" } })
    };
    assert_eq!(
        told(Dialect::Windsurf, "", windsurf("git push --force")).await,
        denied
    );
    assert_eq!(
        told(Dialect::Windsurf, "", windsurf("pwd")).await,
        (0, nothing(), String::new())
    );
}

#[tokio::test]
async fn cline_reads_json_at_any_exit_code() {
    let call = |command: &str| {
        json!({ "clineVersion": "3", "hookName": "PreToolUse", "taskId": "t", "workspaceRoots": ["/w"],
                "preToolUse": { "toolName": "execute_command", "parameters": { "command": command } } })
    };
    let (_, json, _) = told(Dialect::Cline, "", call("git push --force")).await;
    assert_eq!(json, json!({ "cancel": true, "errorMessage": FORCE }));
    assert_eq!(
        told(Dialect::Cline, "", call("pwd")).await.1,
        json!({ "cancel": false })
    );
    // Only its SDK takes other arguments.
    let (_, json, _) = told(Dialect::Cline, "", call("ls")).await;
    assert_eq!(json["cancel"], true);
    let sdk = json!({ "hookName": "tool_call", "agent_id": "a", "tool_call": { "id": "1", "name": "bash", "input": { "command": "ls" } } });
    let (_, json, _) = told(Dialect::Cline, "", sdk).await;
    assert_eq!(json, json!({ "overrideInput": { "command": "ls -l" } }));
}

#[tokio::test]
async fn opencode_gets_what_its_plugin_applies() {
    let call = |command: &str| {
        json!({ "event": "tool.execute.before", "tool": "bash", "sessionID": "ses", "callID": "c", "directory": "/w",
                "args": { "command": command } })
    };
    assert_eq!(
        told(Dialect::Opencode, "", call("git push --force"))
            .await
            .1,
        json!({ "deny": FORCE })
    );
    assert_eq!(
        told(Dialect::Opencode, "", call("ls")).await.1,
        json!({ "args": { "command": "ls -l" } })
    );
    assert_eq!(told(Dialect::Opencode, "", call("pwd")).await.1, json!({}));
    let done = json!({ "event": "tool.execute.after", "tool": "bash", "sessionID": "ses", "callID": "c",
                       "args": {}, "output": "a key" });
    assert_eq!(
        told(Dialect::Opencode, "", done).await.1,
        json!({ "output": "[gone]" })
    );
}
