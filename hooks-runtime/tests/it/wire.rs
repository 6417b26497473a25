//! The exact bytes that hooks read, for every event and in every dialect.
//!
//! `UPDATE_EXPECT=1 cargo test -p hooks-runtime --test it wire` writes them anew.
#![cfg(unix)]

use expect_test::expect_file;
use hooks_core::agent::{AgentContext, AgentEvent, AgentSaid};
use hooks_runtime::{OwnedEvent, Runtime};
use regex::Regex;
use serde_json::{Value, json};

/// An agent that fills in all it can.
fn cx() -> AgentContext {
    let mut cx = AgentContext::new("session-1")
        .with_agent_id("coder")
        .with_cwd("/")
        .with_project_dir("/")
        .with_turn(3);
    cx.agent_type = "worker".into();
    cx.tenant_id = Some("acme".into());
    cx.run_id = "run-1".into();
    cx.channel = "telegram".into();
    cx.chat_id = "chat-7".into();
    cx.sender = Some("ada".into());
    cx.trace_id = Some("4bf92f35".into());
    let transcript = json!("/home/ada/transcript.jsonl");
    cx.extra.insert("transcript_path".into(), transcript);
    cx
}

/// An event with something in all of its fields. The keys of arguments are in no order but their own.
fn sample(name: &str) -> Value {
    let args = || json!({ "command": "echo \"naïve 🦀\\\"\n", "timeout": 60, "cwd": "/work", "env": { "Z": "1", "A": "2" } });
    let output = || json!({ "content": "naïve 🦀\n", "for_user": "done", "data": { "stdout": "naïve 🦀\n", "exit_code": 0 } });
    let messages = || {
        json!([
            { "role": "system", "content": "You are a coder." },
            { "role": "user", "content": "hi" },
            { "role": "assistant", "content": "", "tool_calls": [{ "id": "call-1", "name": "shell", "args": args() }] },
            { "role": "tool", "content": "done", "tool_call_id": "call-1" },
        ])
    };
    let response = || {
        json!({
            "content": "hello", "tool_calls": [{ "id": "call-2", "name": "shell", "args": args() }],
            "reasoning": "they said hi", "stop_reason": "tool_use", "usage": { "input_tokens": 12, "output_tokens": 5 },
        })
    };
    let duration = json!({ "secs": 1, "nanos": 500_000_000 });
    let call = || json!({ "id": "call-1", "name": "shell", "args": args() });
    let with = |mut event: Value, more: Value| {
        let fields = event.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        event
    };
    let message = json!({ "channel": "telegram", "recipient": "ada", "content": "hello" });
    match name {
        "GatewayStart" => json!({ "host": "localhost", "port": 8080 }),
        "SessionStart" => {
            json!({ "session_id": "session-1", "channel": "telegram", "source": "resume", "model": "m-1" })
        }
        "SessionEnd" => {
            json!({ "session_id": "session-1", "channel": "telegram", "reason": "logout" })
        }
        "AgentStart" => json!({ "prompt": "hi" }),
        "AgentEnd" => json!({ "response": "bye", "status": "completed", "duration": duration }),
        "AgentError" => json!({ "stage": "llm", "message": "overloaded" }),
        "SubagentStart" => json!({ "id": "sub-1", "agent": "reviewer", "prompt": "review this" }),
        "SubagentStop" => {
            json!({ "id": "sub-1", "agent": "reviewer", "response": "fine", "status": "completed" })
        }
        "BeforeStop" => json!({ "response": "done", "attempt": 1 }),
        "BeforeModelResolve" => json!({ "provider": "p", "model": "m-1" }),
        "BeforePromptBuild" => json!({ "prompt": "You are a coder." }),
        "BeforeLlmCall" => json!({
            "provider": "p", "model": "m-1", "messages": messages(), "options": { "temperature": 0.5 },
            "tools": [{ "name": "shell", "description": "Runs.", "parameters": { "type": "object" } }],
        }),
        "LlmInput" => json!({ "provider": "p", "model": "m-1", "messages": messages() }),
        "LlmOutput" => {
            json!({ "provider": "p", "model": "m-1", "response": response(), "duration": duration })
        }
        "LlmDelta" => json!({ "text": "hel" }),
        "LlmFailed" => {
            json!({ "provider": "p", "model": "m-1", "error": "overloaded", "attempt": 1 })
        }
        "AfterLlmCall" => json!({ "model": "m-1", "response": response(), "attempt": 0 }),
        "InvalidToolCall" => with(call(), json!({ "error": "there is no such tool" })),
        "BeforeToolCall" | "ToolCallStart" => call(),
        "ApproveToolCall" => with(
            call(),
            json!({ "approval": { "ask": { "reason": "it is dear" } } }),
        ),
        "AfterToolCall" | "ToolCallEnd" => {
            with(call(), json!({ "output": output(), "duration": duration }))
        }
        "ToolCallSkipped" => with(call(), json!({ "by": "policy", "reason": "not here" })),
        "MessageReceived" => {
            json!({ "id": "m1", "channel": "telegram", "sender": "ada", "content": "naïve 🦀" })
        }
        "MessageSending" | "MessageSent" => message,
        "MessageFailed" => with(message, json!({ "error": "no route" })),
        "Interrupt" => json!({ "kind": "user", "message": "stop it" }),
        "Notification" => {
            json!({ "kind": "idle_prompt", "title": "Waiting", "message": "say something" })
        }
        "BeforeCompact" => json!({ "trigger": "manual", "instructions": "keep the plan" }),
        "AfterCompact" => json!({ "trigger": "manual", "summary": "there was a plan" }),
        "Custom" => json!({ "kind": "deploy.done", "payload": { "z": 1, "a": [true, null] } }),
        "GatewayStop" | "HeartbeatTick" => json!({}),
        other => panic!("there is no sample of `{other}`: write one"),
    }
}

/// Raises every event, also a failed tool call, one in a subagent and one of an agent that tells little, and returns what
/// hooks have read.
async fn read(handler: impl Fn(&str) -> String, options: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let handler = handler(log.to_str().unwrap());
    let text = format!(
        "[[hooks.on]]\nname = 'reader'\nevent = '*'\nbackground = false\ntimeout = '50s'\n{options}\n{handler}\n[hooks.limits]\nchain = '60s'\n"
    );
    let built = Runtime::builder().text(text).build().await;
    let runtime = built.unwrap_or_else(|error| panic!("{error}"));
    let raise = async |cx: &AgentContext, name: &str, payload: Value| {
        let mut event =
            OwnedEvent::from_json(name, payload).unwrap_or_else(|error| panic!("{name}: {error}"));
        let said = runtime.dispatch(cx, event.as_mut()).await;
        assert!(
            !matches!(said, AgentSaid::Cancel { .. }),
            "{name}: {said:?}"
        );
    };
    for name in AgentEvent::NAMES {
        raise(&cx(), name, sample(name)).await;
    }
    let mut failed = sample("AfterToolCall");
    failed["output"]["is_error"] = true.into();
    raise(&cx(), "AfterToolCall", failed).await;
    let mut inside = cx();
    inside.depth = 1;
    for name in ["BeforeToolCall", "BeforeStop"] {
        raise(&inside, name, sample(name)).await;
    }
    let bare = AgentContext::new("s1").with_cwd("/");
    raise(&bare, "BeforeToolCall", sample("BeforeToolCall")).await;
    runtime.shutdown().await;
    let read = std::fs::read_to_string(log).unwrap();
    let time = Regex::new(r"\d{4}-\d\d-\d\dT[0-9:.]+Z").unwrap();
    let number = Regex::new(r"evt-\d+").unwrap();
    let read = time.replace_all(&read, "TIME");
    number.replace_all(&read, "evt-N").into_owned()
}

async fn by_command(dialect: &str) -> String {
    let handler = |log: &str| format!("command = {}", json!(format!("cat >> '{log}'")));
    read(handler, &format!("dialect = '{dialect}'")).await
}

#[tokio::test]
async fn our_own() {
    expect_file!["../fixtures/wire/hooks.jsonl"].assert_eq(&by_command("hooks").await);
}

#[tokio::test]
async fn claude_code() {
    expect_file!["../fixtures/wire/claude.jsonl"].assert_eq(&by_command("claude").await);
}

#[tokio::test]
async fn codex() {
    expect_file!["../fixtures/wire/codex.jsonl"].assert_eq(&by_command("codex").await);
}

#[tokio::test]
async fn gemini_cli() {
    expect_file!["../fixtures/wire/gemini.jsonl"].assert_eq(&by_command("gemini").await);
}

#[tokio::test]
async fn goose() {
    expect_file!["../fixtures/wire/goose.jsonl"].assert_eq(&by_command("goose").await);
}

#[tokio::test]
async fn the_systems_with_rows() {
    // Some write the time as a number.
    let millis = Regex::new(r#""timestamp":\d+"#).unwrap();
    for system in [
        "cursor",
        "copilot",
        "qwen",
        "antigravity",
        "grok",
        "devin",
        "droid",
        "augment",
    ] {
        let handler = |log: &str| {
            // Without a decision, a call is denied.
            let decides = "grep -q stepIdx && echo '{\"decision\": \"allow\"}'; true";
            let command = match system {
                "antigravity" => format!("tee -a '{log}' | {decides}"),
                _ => format!("cat >> '{log}'"),
            };
            format!("command = {}", json!(command))
        };
        let read = read(handler, &format!("dialect = '{system}'")).await;
        let read = millis.replace_all(&read, r#""timestamp":MILLIS"#);
        expect_file![format!("../fixtures/wire/{system}.jsonl")].assert_eq(&read);
    }
}

#[tokio::test]
async fn goclaw() {
    expect_file!["../fixtures/wire/goclaw.jsonl"].assert_eq(&by_command("goclaw").await);
}

#[tokio::test]
async fn picoclaw() {
    let python = std::process::Command::new("python3")
        .arg("--version")
        .output();
    if python.is_err() {
        eprintln!("python3 is not there: this test shows nothing");
        return;
    }
    let gate = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/gate.py");
    let argv = json!(["python3", gate]);
    let handler = |log: &str| {
        format!(
            "process = {{ argv = {argv}, env = {{ GATE_LOG = {} }} }}",
            json!(log)
        )
    };
    expect_file!["../fixtures/wire/picoclaw.jsonl"].assert_eq(&read(handler, "").await);
}
