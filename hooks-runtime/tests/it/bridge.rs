//! What other agents send to their hooks, and what they are told.

use hooks_runtime::bridge::{self, Call, LeftToAgent, Reply, Stops};
use hooks_runtime::{Decided, Dialect, Runtime};
use serde_json::{Value, json};

async fn run(system: Dialect, file: &str, input: &Value) -> Reply {
    let runtime = Runtime::builder()
        .text(file)
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let input = input.to_string();
    let call = Call {
        project_dir: Some("/work"),
        ..Call::new(system, input.as_bytes())
    };
    bridge::run(&runtime, call).await.reply
}

/// The JSON of an answer, and the exit code.
async fn told(system: Dialect, file: &str, input: Value) -> (u8, Value) {
    let reply = run(system, file, &input).await;
    let json = match reply.stdout.as_str() {
        "" => Value::Null,
        text => serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}")),
    };
    (reply.exit_code, json)
}

fn rule(event: &str, handler: &str) -> String {
    format!("[[hooks.on]]\nname = 'rule'\nevent = '{event}'\n{handler}\n")
}

/// Claude Code and Codex call `Bash`.
fn bash(command: &str) -> Value {
    json!({
        "session_id": "s1", "transcript_path": null, "cwd": "/work", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": command },
        "tool_use_id": "toolu_1",
    })
}

fn of(event: &str, fields: Value) -> Value {
    let mut input = json!({ "session_id": "s1", "cwd": "/work", "hook_event_name": event });
    input
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    input
}

fn gemini(command: &str) -> Value {
    of(
        "BeforeTool",
        json!({ "tool_name": "run_shell_command", "tool_input": { "command": command, "description": "d" } }),
    )
}

fn goose(command: &str) -> Value {
    json!({ "session_id": "s1", "event": "PreToolUse", "tool_name": "developer__shell",
            "tool_input": { "command": command }, "tool_call_id": "1", "working_dir": "/work" })
}

fn cursor(event: &str, fields: Value) -> Value {
    let mut input = json!({ "conversation_id": "c1", "generation_id": "g", "hook_event_name": event,
                            "workspace_roots": ["/work"] });
    input
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    input
}

#[tokio::test]
async fn nothing_is_said_where_nothing_matches() {
    let file = rule("BeforeToolCall", "tools = ['other']\nblock = 'no'");
    let nothing = Reply::default();
    assert_eq!(run(Dialect::Claude, &file, &bash("ls")).await, nothing);
    assert_eq!(run(Dialect::Codex, &file, &bash("ls")).await, nothing);
    assert_eq!(run(Dialect::Gemini, &file, &gemini("ls")).await, nothing);
    assert_eq!(run(Dialect::Goose, &file, &goose("ls")).await, nothing);
    let call = cursor(
        "preToolUse",
        json!({ "tool_name": "Shell", "tool_input": {} }),
    );
    assert_eq!(told(Dialect::Cursor, &file, call).await, (0, json!({})));
}

#[tokio::test]
async fn a_block_is_said_in_each_agents_words() {
    let file = rule(
        "BeforeToolCall",
        "if = 'args.command.contains(\"rm\")'\nblock = 'not this'",
    );
    assert_eq!(
        told(Dialect::Claude, &file, bash("rm x")).await,
        (
            0,
            json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "deny",
                "permissionDecisionReason": "not this (hook: rule)",
            } })
        )
    );
    assert_eq!(
        run(Dialect::Codex, &file, &bash("rm x")).await,
        Reply::refused("not this (hook: rule)")
    );
    assert_eq!(
        told(Dialect::Gemini, &file, gemini("rm x")).await,
        (
            0,
            json!({ "decision": "deny", "reason": "not this (hook: rule)" })
        )
    );
    let reply = run(Dialect::Goose, &file, &goose("rm x")).await;
    assert_eq!(
        (reply.exit_code, &*reply.stderr),
        (2, "not this (hook: rule)\n")
    );
    assert_eq!(
        serde_json::from_str::<Value>(&reply.stdout).unwrap(),
        json!({ "decision": "block", "reason": "not this (hook: rule)" })
    );
    let denied = json!({ "permission": "deny", "user_message": "not this (hook: rule)",
                         "agent_message": "not this (hook: rule)" });
    let shell = cursor(
        "beforeShellExecution",
        json!({ "command": "rm x", "cwd": "" }),
    );
    assert_eq!(
        told(Dialect::Cursor, &file, shell).await,
        (0, denied.clone())
    );
    let mcp = cursor(
        "beforeMCPExecution",
        json!({ "tool_name": "t", "tool_input": "{\"command\": \"rm\"}" }),
    );
    assert_eq!(told(Dialect::Cursor, &file, mcp).await, (0, denied));
}

#[tokio::test]
async fn a_change_of_the_arguments_reaches_the_agent_or_denies_the_call() {
    let file = rule("BeforeToolCall", "modify = { command = 'ls -l' }");
    let (_, claude) = told(Dialect::Claude, &file, bash("ls")).await;
    assert_eq!(
        claude,
        json!({ "hookSpecificOutput": { "hookEventName": "PreToolUse", "updatedInput": { "command": "ls -l" } } })
    );
    let (code, codex) = told(Dialect::Codex, &file, bash("ls")).await;
    assert_eq!(code, 0);
    assert_eq!(
        codex,
        json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": { "command": "ls -l" },
        } })
    );
    let (_, told_gemini) = told(Dialect::Gemini, &file, gemini("ls")).await;
    assert_eq!(
        told_gemini,
        json!({ "hookSpecificOutput": {
            "hookEventName": "BeforeTool", "tool_input": { "command": "ls -l", "description": "d" },
        } })
    );
    let reply = run(Dialect::Goose, &file, &goose("ls")).await;
    assert_eq!(reply.exit_code, 2);
    assert_eq!(
        reply.stderr,
        "a hook changed the arguments, which goose does not support here: call it with {\"command\":\"ls -l\"}\n"
    );
    let call = cursor(
        "preToolUse",
        json!({ "tool_name": "Shell", "tool_input": { "command": "ls" } }),
    );
    assert_eq!(
        told(Dialect::Cursor, &file, call).await.1,
        json!({ "permission": "allow", "updated_input": { "command": "ls -l" } })
    );
    let shell = cursor("beforeShellExecution", json!({ "command": "ls" }));
    assert_eq!(
        told(Dialect::Cursor, &file, shell).await.1["permission"],
        "deny"
    );
}

#[tokio::test]
async fn a_question_is_asked_or_is_a_no() {
    for file in [
        rule("BeforeToolCall", "ask = 'sure?'"),
        format!(
            "[hooks.builtin.approval]\n{}",
            rule("BeforeToolCall", "ask = 'sure?'")
        ),
    ] {
        let (_, claude) = told(Dialect::Claude, &file, bash("ls")).await;
        let specific = &claude["hookSpecificOutput"];
        assert_eq!(specific["permissionDecision"], "ask");
        assert_eq!(specific["permissionDecisionReason"], "sure?");
        for (client, input) in [(Dialect::Codex, bash("ls")), (Dialect::Goose, goose("ls"))] {
            let reply = run(client, &file, &input).await;
            assert_eq!(reply.exit_code, 2, "{client}");
            assert!(
                reply.stderr.contains("the call needs approval"),
                "{}",
                reply.stderr
            );
        }
        assert_eq!(
            told(Dialect::Gemini, &file, gemini("ls")).await.1["decision"],
            "deny"
        );
        let shell = cursor("beforeShellExecution", json!({ "command": "ls" }));
        assert_eq!(
            told(Dialect::Cursor, &file, shell).await.1,
            json!({ "permission": "ask", "user_message": "sure?" })
        );
        let call = cursor(
            "preToolUse",
            json!({ "tool_name": "Shell", "tool_input": {} }),
        );
        assert_eq!(
            told(Dialect::Cursor, &file, call).await.1["permission"],
            "deny"
        );
    }
}

#[tokio::test]
async fn a_deferred_call_is_deferred_or_is_a_no() {
    let file = rule("BeforeToolCall", "defer = 'the owner decides'");
    let (_, claude) = told(Dialect::Claude, &file, bash("ls")).await;
    let specific = &claude["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], "defer");
    assert_eq!(specific["permissionDecisionReason"], "the owner decides");
    let (_, gemini) = told(Dialect::Gemini, &file, gemini("ls")).await;
    assert_eq!(gemini["decision"], "deny");
}

#[tokio::test]
async fn the_built_in_approval_leaves_the_question_to_the_agent() {
    let file = "[hooks.builtin.approval]\ntools = ['Bash']";
    let (_, claude) = told(Dialect::Claude, file, bash("ls")).await;
    assert_eq!(claude["hookSpecificOutput"]["permissionDecision"], "ask");
    let mut request = bash("ls");
    request["hook_event_name"] = "PermissionRequest".into();
    assert_eq!(run(Dialect::Claude, file, &request).await, Reply::default());
}

#[tokio::test]
async fn an_approval_is_said() {
    let file = rule("BeforeToolCall", "approve = 'policy'");
    let (_, claude) = told(Dialect::Claude, &file, bash("ls")).await;
    assert_eq!(claude["hookSpecificOutput"]["permissionDecision"], "allow");
    // Codex takes `allow` alone for a mistake.
    assert_eq!(
        run(Dialect::Codex, &file, &bash("ls")).await,
        Reply::default()
    );
    let mut request = bash("ls");
    request["hook_event_name"] = "PermissionRequest".into();
    let file = rule("ApproveToolCall", "approve = 'policy'");
    for client in [Dialect::Claude, Dialect::Codex] {
        assert_eq!(
            told(client, &file, request.clone()).await,
            (
                0,
                json!({ "hookSpecificOutput": {
                    "hookEventName": "PermissionRequest", "decision": { "behavior": "allow" },
                } })
            )
        );
    }
    let file = rule("ApproveToolCall", "block = 'no'");
    let (_, denied) = told(Dialect::Claude, &file, request).await;
    assert_eq!(
        denied["hookSpecificOutput"]["decision"],
        json!({ "behavior": "deny", "message": "no (hook: rule)" })
    );
    // The same hooks are asked before a tool runs.
    let (_, denied) = told(Dialect::Claude, &file, bash("ls")).await;
    assert_eq!(denied["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[tokio::test]
async fn prompts_are_blocked_and_get_context() {
    let block = rule(
        "MessageReceived",
        "if = 'content.contains(\"bad\")'\nblock = 'not that'",
    );
    let prompt = of("UserPromptSubmit", json!({ "prompt": "a bad one" }));
    assert_eq!(
        told(Dialect::Claude, &block, prompt.clone()).await,
        (
            0,
            json!({ "decision": "block", "reason": "not that (hook: rule)" })
        )
    );
    assert_eq!(run(Dialect::Codex, &block, &prompt).await.exit_code, 2);
    let before = of("BeforeAgent", json!({ "prompt": "a bad one" }));
    assert_eq!(
        told(Dialect::Gemini, &block, before).await.1["decision"],
        "deny"
    );
    let submit = cursor(
        "beforeSubmitPrompt",
        json!({ "prompt": "a bad one", "attachments": [] }),
    );
    assert_eq!(
        told(Dialect::Cursor, &block, submit).await.1,
        json!({ "continue": false, "user_message": "not that (hook: rule)" })
    );
    let context = rule("MessageReceived", "context = 'It is Monday.'");
    let (_, claude) = told(Dialect::Claude, &context, prompt).await;
    assert_eq!(
        claude,
        json!({ "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "additionalContext": "It is Monday." } })
    );
    let change = rule("MessageReceived", "modify = { content = 'x' }");
    let (_, claude) = told(
        Dialect::Claude,
        &change,
        of("UserPromptSubmit", json!({ "prompt": "p" })),
    )
    .await;
    assert_eq!(
        claude["systemMessage"],
        "a hook wanted to change the text, which Claude Code does not support here"
    );
}

#[tokio::test]
async fn a_tools_output_is_replaced_in_its_own_shape() {
    let file = rule("AfterToolCall", "modify = { content = 'short' }");
    let mut done = bash("ls");
    done["hook_event_name"] = "PostToolUse".into();
    done["tool_response"] = json!({ "stdout": "long", "stderr": "oh", "interrupted": false });
    let (_, claude) = told(Dialect::Claude, &file, done.clone()).await;
    assert_eq!(
        claude["hookSpecificOutput"]["updatedToolOutput"],
        json!({ "stdout": "short", "stderr": "", "interrupted": false })
    );
    let (_, codex) = told(Dialect::Codex, &file, done.clone()).await;
    assert_eq!(codex, json!({ "decision": "block", "reason": "short" }));
    let after = of(
        "AfterTool",
        json!({ "tool_name": "t", "tool_input": {}, "tool_response": { "llmContent": "long", "returnDisplay": "l" } }),
    );
    let (_, told_gemini) = told(Dialect::Gemini, &file, after).await;
    assert_eq!(
        told_gemini,
        json!({ "decision": "deny", "reason": "short" })
    );

    // What rewrites texts does so in the tool's own answer too.
    let secret = format!("sk-ant-{}-{}", "api03", "A".repeat(93) + "AA");
    done["tool_response"] =
        json!({ "stdout": format!("mail ada@example.org {secret}"), "stderr": "", "exit": 0 });
    let (_, claude) = told(Dialect::Claude, "[hooks.builtin]\nredact = true", done).await;
    let output = &claude["hookSpecificOutput"]["updatedToolOutput"];
    assert_eq!(output["exit"], 0);
    assert!(
        !output["stdout"].as_str().unwrap().contains("AAAA"),
        "{claude}"
    );
}

#[tokio::test]
async fn an_agent_that_wants_to_stop_goes_on() {
    let file = rule("BeforeStop", "if = 'attempt == 0'\nblock = 'run the tests'");
    let stop = |active: bool| {
        of(
            "Stop",
            json!({ "stop_hook_active": active, "last_assistant_message": "Done." }),
        )
    };
    assert_eq!(
        told(Dialect::Claude, &file, stop(false)).await,
        (
            0,
            json!({ "decision": "block", "reason": "run the tests (hook: rule)" })
        )
    );
    assert_eq!(
        run(Dialect::Claude, &file, &stop(true)).await,
        Reply::default()
    );
    assert_eq!(run(Dialect::Codex, &file, &stop(false)).await.exit_code, 2);
    let after = of(
        "AfterAgent",
        json!({ "prompt": "p", "prompt_response": "r", "stop_hook_active": false }),
    );
    assert_eq!(
        told(Dialect::Gemini, &file, after).await.1["decision"],
        "deny"
    );
    let stop = cursor("stop", json!({ "status": "completed", "loop_count": 0 }));
    assert_eq!(
        told(Dialect::Cursor, &file, stop).await.1,
        json!({ "followup_message": "run the tests (hook: rule)" })
    );
}

#[tokio::test]
async fn the_end_of_a_turn_is_said() {
    let file = rule("BeforeToolCall", "abort_turn = 'enough'");
    let (_, claude) = told(Dialect::Claude, &file, bash("ls")).await;
    assert_eq!(
        (&claude["continue"], &claude["stopReason"]),
        (&json!(false), &json!("enough (hook: rule)"))
    );
    assert_eq!(claude["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(run(Dialect::Codex, &file, &bash("ls")).await.exit_code, 2);
    assert_eq!(
        told(Dialect::Gemini, &file, gemini("ls")).await.1["continue"],
        false
    );
    assert_eq!(run(Dialect::Goose, &file, &goose("ls")).await.exit_code, 2);
}

#[tokio::test]
async fn the_model_of_gemini_is_answered_for() {
    let request = of(
        "BeforeModel",
        json!({ "llm_request": { "model": "pro", "messages": [{ "role": "user", "content": "hi" }], "config": {} } }),
    );
    let file = rule("BeforeLlmCall", "respond = 'hello'");
    let (_, told_gemini) = told(Dialect::Gemini, &file, request.clone()).await;
    let response = &told_gemini["hookSpecificOutput"]["llm_response"];
    assert_eq!(
        response["candidates"][0]["content"]["parts"],
        json!(["hello"])
    );
    let file = rule("BeforeLlmCall", "modify = { model = 'flash' }");
    let (_, told_gemini) = told(Dialect::Gemini, &file, request).await;
    let changed = &told_gemini["hookSpecificOutput"]["llm_request"];
    assert_eq!(changed["model"], "flash");
    assert_eq!(
        changed["messages"],
        json!([{ "role": "user", "content": "hi" }])
    );
}

#[tokio::test]
async fn where_the_event_happens_is_known() {
    let all = "cx.session_id + ' ' + cx.cwd + ' ' + cx.project_dir + ' ' + cx.agent_id + ' ' + cx.agent_type";
    let file = rule(
        "BeforeToolCall",
        &format!("block = \"{{{all} + ' ' + string(cx.depth)}}\""),
    );
    let mut input = bash("ls");
    input["agent_id"] = "sub".into();
    input["agent_type"] = "Explore".into();
    let reply = run(Dialect::Codex, &file, &input).await;
    assert_eq!(
        reply.stderr, "s1 /work /work sub Explore 1 (hook: rule)\n",
        "{reply:?}"
    );
    let call = cursor("beforeShellExecution", json!({ "command": "ls" }));
    let (_, told) = told(Dialect::Cursor, &file, call).await;
    assert_eq!(told["user_message"], "c1 /work /work   0 (hook: rule)");
}

#[tokio::test]
async fn what_the_agent_says_of_itself_reaches_the_hooks() {
    let file = rule(
        "BeforeToolCall",
        "if = 'cx.extra.permission_mode == \"plan\"'\nblock = 'only plans'",
    );
    let mut input = bash("ls");
    assert_eq!(run(Dialect::Codex, &file, &input).await.exit_code, 0);
    input["permission_mode"] = "plan".into();
    assert_eq!(run(Dialect::Codex, &file, &input).await.exit_code, 2);
}

#[tokio::test]
async fn what_cannot_be_read_is_blocked() {
    let runtime = Runtime::builder().build().await.unwrap();
    for (input, expected) in [
        ("", "the event is not JSON: "),
        (
            "{\"hook_event_name\": \"PreToolUse\"",
            "the event is not JSON: ",
        ),
        ("[]", "the event is not a JSON object"),
        ("{}", "the event has no name: `hook_event_name` is missing"),
        (
            "{\"hook_event_name\": \"Lunch\", \"tool_name\": \"t\"}",
            "`Lunch` is not an event of `claude`",
        ),
        (
            "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"a\", \"tool_name\": \"b\"}",
            "the event is not JSON: ",
        ),
        (
            "{\"hook_event_name\": \"PreToolUse\"}",
            "`tool_name` is missing, or not a string",
        ),
        (
            "{\"hook_event_name\": \"PreToolUse\", \"tool_name\": \"t\", \"tool_input\": 3}",
            "`tool_input` is not an object",
        ),
        (
            "{\"hook_event_name\": \"UserPromptSubmit\"}",
            "`prompt` is missing, or not a string",
        ),
    ] {
        let reply = bridge::run(&runtime, Call::new(Dialect::Claude, input.as_bytes()))
            .await
            .reply;
        assert_eq!(reply.exit_code, 2, "{input}");
        assert!(
            reply.stderr.starts_with(expected),
            "{input}: {}",
            reply.stderr
        );
        assert_eq!(reply.stdout, "");
    }
}

#[tokio::test]
async fn every_event_of_every_agent_is_read() {
    let runtime = Runtime::builder().build().await.unwrap();
    for system in Dialect::callers() {
        for event in system.calls() {
            let mut input = json!({
                "hook_event_name": event, "event": event, "hookName": event,
                "session_id": "s1", "tool_name": "t", "tool_input": {}, "prompt": "p", "message": "m",
                "command": "ls", "file_path": "/a", "mcp_tool_name": "t",
                "llm_request": { "model": "m", "messages": [] },
            });
            let call = json!({ "name": "t", "args": {}, "toolName": "t", "parameters": {}, "input": {}, "prompt": "p" });
            let more = match system {
                Dialect::Windsurf => json!({ "agent_action_name": event, "tool_info": {
                    "command_line": "ls", "file_path": "/a", "mcp_tool_name": "t", "user_prompt": "p" } }),
                Dialect::Opencode => json!({ "tool": "t" }),
                Dialect::Antigravity => json!({ "toolCall": call }),
                Dialect::Cline => {
                    json!({ "preToolUse": call, "postToolUse": call, "tool_call": call,
                                          "tool_result": call, "userPromptSubmit": call })
                }
                _ => json!({}),
            };
            let more = more.as_object().unwrap().clone();
            input.as_object_mut().unwrap().extend(more);
            let input = input.to_string();
            let call = Call {
                event: Some(event),
                ..Call::new(system, input.as_bytes())
            };
            let reply = bridge::run(&runtime, call).await.reply;
            assert_eq!(reply.exit_code, 0, "{system}: {event}: {}", reply.stderr);
            assert_eq!(reply.stderr, "", "{system}: {event}");
        }
    }
}

#[tokio::test]
async fn an_event_that_is_not_ours_is_a_custom_event() {
    let setup = of("Setup", json!({ "trigger": "init" }));
    let file = rule(
        "Custom",
        "matcher = 'Setup'\nif = 'payload.trigger == \"init\"'\ncommand = 'true'",
    );
    let reply = run(Dialect::Claude, &file, &setup).await;
    assert_eq!(reply, Reply::default());
    // A new event does not stop the agent.
    let new = of("SessionDelete", json!({}));
    let (code, told) = told(Dialect::Claude, &file, new).await;
    assert_eq!(code, 0);
    let message = told["systemMessage"].as_str().unwrap();
    assert!(
        message.contains("`SessionDelete` is not a known event of Claude Code"),
        "{message}"
    );
}

#[tokio::test]
async fn an_imported_hook_hears_of_an_event_that_is_not_ours() {
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let heard = folder.path().join("heard");
    let hook = |name: &str| {
        let command = format!("cat >> {}; echo {name} >> {0}", heard.display());
        json!([{ "hooks": [{ "type": "command", "command": command }] }])
    };
    let hooks = json!({ "hooks": { "Setup": hook("setup"), "TaskCreated": hook("task") } });
    std::fs::write(&settings, hooks.to_string()).unwrap();
    let runtime = Runtime::builder()
        .file_as(Dialect::Claude, settings)
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap();
    let setup = of("Setup", json!({ "trigger": "init" })).to_string();
    let call = Call::new(Dialect::Claude, setup.as_bytes());
    let reply = bridge::run(&runtime, call).await.reply;
    runtime.shutdown().await;
    assert_eq!(reply.exit_code, 0, "{reply:?}");
    let heard = std::fs::read_to_string(heard).unwrap();
    let (input, name) = heard.rsplit_once('}').unwrap();
    assert_eq!(name.trim(), "setup");
    let input: Value = serde_json::from_str(&format!("{input}}}")).unwrap();
    assert_eq!(
        (&input["hook_event_name"], &input["trigger"]),
        (&json!("Setup"), &json!("init"))
    );
}

#[tokio::test]
async fn one_file_guards_every_agent() {
    // The tool and its argument have another name in each agent, and the file uses one of them.
    let guard = "[[hooks.on]]\nname = 'guard'\nevent = 'BeforeToolCall'\ntools = ['file_read']\ncommand = \"grep -q '\\\"path\\\":\\\".env\\\"' && exit 2 || exit 0\"\n";
    for (tool, args) in [
        ("Read", json!({ "file_path": ".env" })),
        ("read_file", json!({ "absolute_path": ".env" })),
        ("view", json!({ "path": ".env" })),
        ("view_file", json!({ "AbsolutePath": ".env" })),
        ("read", json!({ "filePath": ".env" })),
    ] {
        let input = of(
            "PreToolUse",
            json!({ "tool_name": tool, "tool_input": args }),
        );
        let reply = run(Dialect::Codex, guard, &input).await;
        assert_eq!(reply.exit_code, 2, "{tool}: {reply:?}");
    }
    let file = rule(
        "BeforeToolCall",
        "tools = ['file_read']\nif = 'args.path == \".env\"'\nmodify = { path = '{args.path}.example' }",
    );
    let input = of(
        "PreToolUse",
        json!({ "tool_name": "Read", "tool_input": { "file_path": ".env", "limit": 1 } }),
    );
    let (_, told) = told(Dialect::Claude, &file, input).await;
    assert_eq!(
        told["hookSpecificOutput"]["updatedInput"],
        json!({ "file_path": ".env.example", "limit": 1 })
    );
    let file = rule(
        "BeforeToolCall",
        "tools = ['shell']\nif = 'Bash(git push *--force*)'\nblock = 'no'",
    );
    for tool in [
        "Bash",
        "shell",
        "exec",
        "run_shell_command",
        "run_in_terminal",
        "execute_bash",
    ] {
        let input = of(
            "PreToolUse",
            json!({ "tool_name": tool, "tool_input": { "command": "git push origin --force" } }),
        );
        assert_eq!(
            run(Dialect::Codex, &file, &input).await.exit_code,
            2,
            "{tool}"
        );
    }
}

#[tokio::test]
async fn an_argument_that_stands_twice_in_a_text_is_refused() {
    let twice = r#"{"command": "git push --force", "command": "ls"}"#;
    let input = of(
        "PreToolUse",
        json!({ "tool_name": "Bash", "tool_input": twice }),
    );
    let file = rule("BeforeToolCall", "if = 'Bash(git push *)'\nblock = 'no'");
    assert_eq!(run(Dialect::Claude, &file, &input).await.exit_code, 2);
}

/// A model could write the name that a rule reads, and the one that the tool reads.
#[tokio::test]
async fn two_names_of_one_argument_do_not_hide_each_other() {
    let file = [
        "tools = ['file_read']\nif = 'args.path.startsWith(\"/etc\")'\nblock = 'no etc'",
        "if = 'Read(*.pem)'\nblock = 'no pem'",
        "if = 'Bash(git push *)'\nblock = 'no push'",
    ];
    let named = |(nth, lines): (usize, &&str)| {
        rule("BeforeToolCall", lines).replace("'rule'", &format!("'rule {nth}'"))
    };
    let file: String = file.iter().enumerate().map(named).collect();
    for (tool, args) in [
        ("Read", json!({ "file_path": "/etc/shadow", "path": "/ok" })),
        ("Read", json!({ "file_path": "/ok", "path": "a.pem" })),
        (
            "Bash",
            json!({ "cmd": "git push --force", "command": "ls" }),
        ),
        ("local_shell", json!({ "command": "git push --force" })),
        ("Monitor", json!({ "command": "git push --force" })),
    ] {
        let input = of(
            "PreToolUse",
            json!({ "tool_name": tool, "tool_input": args }),
        );
        let reply = run(Dialect::Claude, &file, &input).await;
        let is_denied = reply.exit_code == 2 || reply.stdout.contains("deny");
        assert!(is_denied, "{tool} {args}: {reply:?}");
    }
    let same = json!({ "tool_name": "Read", "tool_input": { "file_path": "/ok", "path": "/ok" } });
    let reply = run(Dialect::Claude, &file, &of("PreToolUse", same)).await;
    assert_eq!((reply.exit_code, &*reply.stdout), (0, ""));
}

#[tokio::test]
async fn two_rules_in_one_are_a_mistake() {
    for rules in [
        "Bash(rm *) || Bash(git *)",
        "Bash(rm *), Bash(git *)",
        "Bash(a) && Bash(b)",
    ] {
        let text = rule("BeforeToolCall", &format!("if = '{rules}'\nblock = 'no'"));
        assert!(
            Runtime::builder().text(text).build().await.is_err(),
            "{rules}"
        );
    }
}

#[tokio::test]
async fn calls_that_one_runtime_judges_at_once_hear_only_their_own() {
    let runtime = Runtime::builder()
        .text(
            r#"
            [hooks.builtin.approval]
            [[hooks.on]]
            name = "ask"
            event = "PreToolUse"
            if = 'args.command.startsWith("cp")'
            tools = ["Bash"]
            ask = "sure?"
            [[hooks.on]]
            name = "slow"
            event = "PreToolUse"
            tools = ["Bash"]
            command = "sleep 0.2; echo '{\"systemMessage\": \"slow\"}'"
            on_failure = "continue"
            "#,
        )
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap();
    let call = |tool: &str, command: &str| {
        let input = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": { "command": command }, "tool_use_id": "1" });
        let (runtime, input) = (runtime.clone(), input.to_string());
        async move { bridge::run(&runtime, Call::new(Dialect::Claude, input.as_bytes())).await }
    };
    let (asked, plain, other) = tokio::join!(
        call("Bash", "cp a b"),
        call("Bash", "ls"),
        call("Read", "x")
    );
    assert!(asked.reply.stdout.contains("sure?"), "{asked:?}");
    assert!(plain.reply.stdout.contains("`Bash` needs"), "{plain:?}");
    assert!(plain.reply.stdout.contains("slow"), "{plain:?}");
    assert!(other.reply.stdout.contains("`Read` needs"), "{other:?}");
    assert!(!other.reply.stdout.contains("slow"), "{other:?}");
    let again = call("Read", "x").await;
    assert_eq!(again, other, "what is old is not told again");
}

#[tokio::test]
async fn an_agent_that_asks_over_http_is_refused_in_its_words() {
    for system in Dialect::callers() {
        for event in system.calls() {
            let input = json!({ "hook_event_name": event, "event": event, "hookEventName": event });
            let text = input.to_string();
            let call = Call {
                event: Some(event),
                ..Call::new(system, text.as_bytes())
            };
            let said = call.refusal("no").to_string();
            assert!(said.contains("\"no"), "{system} {event}: {said}");
        }
    }
}

/// What a hook in a file of the agent itself reads of an input, and the reply; `first` runs before it.
async fn heard(dialect: Dialect, event: &str, first: &str, input: &str) -> (String, Reply) {
    let folder = tempfile::tempdir().unwrap();
    let said = folder.path().join("said");
    let command = json!({ "type": "command", "command": format!("cat > '{}'", said.display()) });
    let hooks = match dialect {
        Dialect::Cursor => json!([command]),
        _ => json!([{ "hooks": [command] }]),
    };
    let file = folder.path().join("settings.json");
    std::fs::write(&file, json!({ "hooks": { event: hooks } }).to_string()).unwrap();
    let runtime = Runtime::builder();
    let runtime = if first.is_empty() {
        runtime
    } else {
        runtime.text(first)
    };
    let runtime = runtime
        .file_as(dialect, file)
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let reply = bridge::run(&runtime, Call::new(dialect, input.as_bytes()))
        .await
        .reply;
    let said = std::fs::read_to_string(said).unwrap_or_default();
    (said.trim_end().to_owned(), reply)
}

#[tokio::test]
async fn a_hook_of_the_agents_own_reads_what_the_agent_said_byte_for_byte() {
    for (dialect, event, input) in [
        (
            Dialect::Claude,
            "Stop",
            r#"{"session_id":"s1", "hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[{"id":"b1"}],"last_assistant_message":"a\/b"}"#,
        ),
        (
            Dialect::Claude,
            "PreToolUse",
            r#"{"hook_event_name":"PreToolUse","tool_name":"mcp__a__b","tool_input":{"n":1e3,"m":12345678901234567890123},"mcp_server":{"source":"local"}}"#,
        ),
        (
            Dialect::Claude,
            "PermissionRequest",
            r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"ls"},"permission_suggestions":[{"type":"addRules"}]}"#,
        ),
        (
            Dialect::Cursor,
            "stop",
            r#"{"conversation_id":"c","cursor_version":"2","hook_event_name":"stop","status":"aborted","loop_count":0}"#,
        ),
        (
            Dialect::Cursor,
            "beforeSubmitPrompt",
            r#"{"conversation_id":"c","cursor_version":"2","hook_event_name":"beforeSubmitPrompt","prompt":"p","attachments":[{"file_path":".env"}]}"#,
        ),
        (
            Dialect::Gemini,
            "BeforeTool",
            r#"{"session_id":"s1","hook_event_name":"BeforeTool","tool_name":"x","tool_input":{},"mcp_context":{"server_name":"a"}}"#,
        ),
        (
            Dialect::Gemini,
            "AfterAgent",
            r#"{"session_id":"s1","hook_event_name":"AfterAgent","prompt":"the question","prompt_response":"the answer"}"#,
        ),
    ] {
        let (said, _) = heard(dialect, event, "", input).await;
        assert_eq!(said, input);
    }
}

#[tokio::test]
async fn what_other_hooks_have_changed_is_laid_over_it() {
    let input = r#"{"hook_event_name":"PreToolUse", "tool_name":"Bash","tool_input":{"command":"ls","n":1e3},"more":{"x":"\/"}}"#;
    let first = rule(
        "BeforeToolCall",
        "priority = 100\nmodify = { command = 'ls -l' }",
    );
    let (said, _) = heard(Dialect::Claude, "PreToolUse", &first, input).await;
    assert_eq!(
        said,
        r#"{"hook_event_name":"PreToolUse", "tool_name":"Bash","tool_input":{"command":"ls -l","n":1e3},"more":{"x":"\/"}}"#
    );
    // A tool's own answer keeps its shape.
    let input = r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"a secret","stderr":"","interrupted":false}}"#;
    let first = rule(
        "AfterToolCall",
        "priority = 100\nmodify = { content = 'hidden' }",
    );
    let (said, _) = heard(Dialect::Claude, "PostToolUse", &first, input).await;
    assert_eq!(
        said,
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"hidden","stderr":"","interrupted":false}}"#
    );
}

#[tokio::test]
async fn a_rule_reads_what_the_agent_said() {
    let file = rule(
        "BeforeStop",
        "if = 'size(raw.background_tasks) > 0'\nblock = 'wait for the tasks'",
    );
    let stop = |tasks: Value| of("Stop", json!({ "background_tasks": tasks }));
    let (_, json) = told(Dialect::Claude, &file, stop(json!(["b1"]))).await;
    assert_eq!(json["decision"], "block");
    let (_, json) = told(Dialect::Claude, &file, stop(json!([]))).await;
    assert_eq!(json, Value::Null);
    // An agent in Rust says nothing beside the event.
    let file = rule("BeforeToolCall", "if = 'has(raw.mcp_server)'\nblock = 'no'");
    let runtime = Runtime::builder().text(file).build().await.unwrap();
    let mut call = hooks_core::agent::BeforeToolCall::new("1", "t", json!({}));
    let cx = hooks_core::agent::AgentContext::new("s1");
    let hooks = hooks_core::hooks![..runtime];
    assert!(hooks.intercept(&cx, &mut call).await.is_continue());
}

/// A workspace with a policy, and Claude Code's settings in it.
fn workspace(permissions: &Value) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join(".claude")).unwrap();
    let settings = json!({ "permissions": permissions });
    std::fs::write(
        folder.path().join(".claude/settings.json"),
        settings.to_string(),
    )
    .unwrap();
    folder
}

const POLICY: &str = "[hooks.builtin.security_policy]\nautonomy = 'full'\nsandbox = 'off'";

/// The answer to Claude Code about a command, in a workspace with these rules of its own.
async fn permitted(permissions: Value, command: &str) -> Value {
    permitted_in(&workspace(&permissions), command).await
}

async fn permitted_in(folder: &tempfile::TempDir, command: &str) -> Value {
    let place = folder.path().to_str().unwrap();
    let runtime = Runtime::builder()
        .text(POLICY)
        .approver(LeftToAgent)
        .user_dir(folder.path().join("home"))
        .managed_dir(folder.path().join("managed"))
        .build()
        .await
        .unwrap();
    let mut input = bash(command);
    input["cwd"] = place.into();
    let input = input.to_string();
    let call = Call {
        project_dir: Some(place),
        ..Call::new(Dialect::Claude, input.as_bytes())
    };
    let reply = bridge::run(&runtime, call).await.reply;
    serde_json::from_str(&reply.stdout).unwrap_or(Value::Null)
}

#[tokio::test]
async fn the_agents_own_rules_are_applied_to_a_command_as_it_is_written() {
    // The policy makes `cat a.txt b.txt` of it, to which the agent would apply its rules.
    let command = "cat {a,b}.txt | head -3";
    for (permissions, decision) in [
        (json!({ "deny": ["Bash(cat:*)"] }), json!("deny")),
        (json!({ "deny": ["Read(./b.txt)"] }), json!("deny")),
        (
            json!({ "ask": ["Bash(head *)"], "allow": ["Bash"] }),
            json!("ask"),
        ),
        (
            json!({ "allow": ["Bash(cat *)", "Bash(head:*)"] }),
            json!("allow"),
        ),
        // Each command of it needs a rule.
        (json!({ "allow": ["Bash(cat *)"] }), Value::Null),
        (json!({ "deny": ["Bash(rm *)"] }), Value::Null),
    ] {
        let told = permitted(permissions.clone(), command).await;
        let told = &told["hookSpecificOutput"];
        assert_eq!(
            told["permissionDecision"], decision,
            "{permissions}: {told}"
        );
        if decision != "deny" {
            assert_eq!(told["updatedInput"]["command"], "cat a.txt b.txt | head -3");
        }
    }
    // A rule is about the words of a command, whatever is in them, and `echo` is a command like others.
    let quoted = "grep 'a(b; ls' {a,b}.txt";
    for (permissions, command, decision) in [
        (json!({ "deny": ["Bash(cat:*)"] }), quoted, Value::Null),
        (json!({ "allow": ["Bash(ls:*)"] }), quoted, Value::Null),
        (json!({ "allow": ["Bash(grep:*)"] }), quoted, json!("allow")),
        (
            json!({ "deny": ["Bash(echo:*)"] }),
            "echo {a,b}; ls {a,b}.txt",
            json!("deny"),
        ),
        // A file that the command changes needs a rule as well.
        (
            json!({ "allow": ["Bash(cat *)"] }),
            "cat {a,b}.txt > c.txt",
            Value::Null,
        ),
        (
            json!({ "allow": ["Bash(cat *)", "Edit(./c.txt)"] }),
            "cat {a,b}.txt > c.txt",
            json!("allow"),
        ),
    ] {
        let told = permitted(permissions.clone(), command).await;
        assert_eq!(
            told["hookSpecificOutput"]["permissionDecision"], decision,
            "{permissions} {command}: {told}"
        );
    }
    // What stays as it is written is the agent's to judge.
    let told = permitted(json!({ "deny": ["Bash(cat:*)"] }), "cat a.txt").await;
    assert_eq!(told, Value::Null);
    // Of a command that is not understood, a rule may be about any part: the policy blocks it first.
    let told = permitted(json!({ "deny": ["Bash(cat:*)"] }), "cat \"$X\"").await;
    assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "deny");
}

#[tokio::test]
async fn the_rules_of_the_user_count_and_a_file_that_cannot_be_read_asks() {
    let folder = workspace(&json!({ "allow": ["Bash"] }));
    let user = folder.path().join("home/.claude");
    std::fs::create_dir_all(&user).unwrap();
    let command = "cat {a,b}.txt";
    let mut decisions = Vec::new();
    for text in [r#"{"permissions":{"deny":["Bash(cat:*)"]}}"#, "{,}", "{}"] {
        std::fs::write(user.join("settings.json"), text).unwrap();
        let told = permitted_in(&folder, command).await;
        decisions.push(told["hookSpecificOutput"]["permissionDecision"].clone());
    }
    assert_eq!(decisions, ["deny", "ask", "allow"]);
}

#[tokio::test]
async fn an_agent_whose_rules_are_not_read_gets_commands_as_they_are_written() {
    for system in [
        Dialect::Gemini,
        Dialect::Copilot,
        Dialect::Opencode,
        Dialect::Qwen,
    ] {
        let input = match system {
            Dialect::Gemini => gemini("cd src && cat a.txt"),
            Dialect::Opencode => json!({ "event": "tool.execute.before", "sessionID": "s1",
                "directory": "/work", "tool": "bash", "callID": "1", "args": { "command": "cd src && cat a.txt" } }),
            _ => bash("cd src && cat a.txt"),
        };
        let file = format!(
            "{POLICY}\nallowed_commands = ['cd', 'cat']\nworkspace = '{}'",
            env!("CARGO_MANIFEST_DIR")
        );
        let mut input = input;
        for key in ["cwd", "directory"] {
            if input.get(key).is_some() {
                input[key] = env!("CARGO_MANIFEST_DIR").into();
            }
        }
        let reply = run(system, &file, &input).await;
        assert!(!reply.stdout.contains("cd -P"), "{system}: {reply:?}");
    }
}

#[tokio::test]
async fn a_policy_that_changes_during_a_session_says_so_once() {
    let stops = Stops::in_memory();
    let mut told = Vec::new();
    for autonomy in ["supervised", "supervised", "full", "full"] {
        let file =
            format!("[hooks.builtin.security_policy]\nsandbox = 'off'\nautonomy = '{autonomy}'");
        let runtime = Runtime::builder()
            .text(&file)
            .approver(LeftToAgent)
            .build()
            .await
            .unwrap();
        let input = of("SessionStart", json!({ "source": "startup" })).to_string();
        let call = Call {
            stops: Some(&stops),
            ..Call::new(Dialect::Claude, input.as_bytes())
        };
        let reply = bridge::run(&runtime, call).await.reply;
        told.push(reply.stdout + &reply.stderr);
    }
    let says =
        |text: &String| text.contains("`autonomy` was \\\"supervised\\\", and is \\\"full\\\"");
    assert_eq!(
        told.iter().map(says).collect::<Vec<_>>(),
        [false, false, true, false],
        "{told:?}"
    );
}

#[tokio::test]
async fn the_file_that_a_policy_comes_from_is_protected() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    let file = folder.path().join("rules-of-mine.toml");
    std::fs::write(&file, format!("{POLICY}\nallowed_commands = ['cp', 'mv']")).unwrap();
    let runtime = Runtime::builder()
        .file(&file)
        .approver(LeftToAgent)
        .build()
        .await
        .unwrap();
    for (tool, args, is_refused) in [
        ("Write", json!({ "file_path": file, "content": "" }), true),
        (
            "Write",
            json!({ "file_path": "sub/../rules-of-mine.toml", "content": "" }),
            true,
        ),
        (
            "Edit",
            json!({ "file_path": ".claude/settings.json", "old_string": "a", "new_string": "b" }),
            true,
        ),
        (
            "Bash",
            json!({ "command": "cp a.txt rules-of-mine.toml" }),
            true,
        ),
        (
            "Bash",
            json!({ "command": "mv rules-of-mine.toml a.txt" }),
            true,
        ),
        (
            "Write",
            json!({ "file_path": "rules-of-yours.toml", "content": "" }),
            false,
        ),
        ("Read", json!({ "file_path": file }), false),
    ] {
        let input = json!({ "session_id": "s1", "cwd": place, "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": args, "tool_use_id": "1" });
        let input = input.to_string();
        let call = Call {
            project_dir: Some(place),
            ..Call::new(Dialect::Claude, input.as_bytes())
        };
        let judged = bridge::run(&runtime, call).await;
        assert_eq!(
            judged.decision == Decided::Block,
            is_refused,
            "{input}: {:?}",
            judged.reply
        );
    }
}
