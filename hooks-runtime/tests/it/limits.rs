//! Limits of the whole set: the time that all hooks of an event have together.
#![cfg(unix)]

use hooks_core::agent::{AgentContext, BeforeToolCall, MessageReceived};
use hooks_core::hooks;
use hooks_runtime::{Records, Runtime, RuntimeBuilder};
use serde_json::json;

fn sleeps(name: &str, priority: i32, seconds: f32) -> String {
    format!(
        "[[hooks.on]]\nname = '{name}'\nevent = ['BeforeToolCall', 'MessageReceived']\npriority = {priority}\n\
         command = 'sleep {seconds}'\n"
    )
}

/// Why a call is blocked, if it is.
async fn blocked(builder: RuntimeBuilder) -> Option<String> {
    let hooks = hooks![..builder.build().await.unwrap()];
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
    let cx = AgentContext::new("s1");
    let result = hooks.intercept(&cx, &mut call).await;
    result.as_cancel().map(|cancel| cancel.reason.to_string())
}

#[tokio::test]
async fn events_that_overlap_have_each_a_time_of_their_own() {
    let text = sleeps("one", 3, 0.3)
        + &sleeps("two", 2, 0.3)
        + &sleeps("three", 1, 0.3)
        + "[hooks.limits]\nchain = '700ms'\nbreaker = { faults = 1000 }\n";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let mut events = tokio::task::JoinSet::new();
    for nth in 0..8 {
        let hooks = hooks![..runtime.clone()];
        events.spawn(async move {
            let mut message = MessageReceived::new("cli", "ada", format!("message {nth}"));
            let result = hooks
                .intercept(&AgentContext::new("s1"), &mut message)
                .await;
            result.as_cancel().map(|cancel| cancel.reason.to_string())
        });
    }
    for reason in events.join_all().await {
        let reason = reason.expect("the third hook has no time left");
        assert!(reason.contains("all hooks of"), "{reason}");
    }
}

#[tokio::test]
async fn the_hooks_of_an_import_share_the_time_that_the_file_names() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "sleep 5", "timeout": 60 },
    ] }] } });
    std::fs::write(&path, settings.to_string()).unwrap();
    let file = folder.path().join("hooks.toml");
    let text = "[[hooks.import]]\nclaude = 'settings.json'\npriority = 5\n".to_owned()
        + &sleeps("after the import", 1, 0.0)
        + "[hooks.limits]\nchain = '300ms'\n";
    std::fs::write(&file, text).unwrap();
    let records = Records::latest(9);
    let builder = Runtime::builder().file(file).recorder(records.clone());
    let reason = blocked(builder).await.unwrap();
    assert!(reason.contains("`after the import` failed"), "{reason}");
    assert!(reason.contains("the hooks before it used up"), "{reason}");
    let why = records.steps().remove(0).why;
    let expected = "all hooks of the event took too long together, and the event goes on";
    assert_eq!(why, expected);
}

#[tokio::test]
async fn a_time_that_is_used_up_in_the_last_hook_blocks() {
    let limits = "on_timeout = 'skip'\n[hooks.limits]\nchain = '200ms'\n";
    let text = sleeps("last", 1, 5.0) + limits;
    let reason = blocked(Runtime::builder().text(text)).await.unwrap();
    assert!(reason.contains("while this hook was running"), "{reason}");
}

#[tokio::test]
async fn a_time_of_zero_is_a_mistake() {
    for key in ["chain", "timeout"] {
        let text = format!("[hooks.limits]\n{key} = '0s'");
        let error = Runtime::builder().text(text).build().await.unwrap_err();
        assert_eq!(
            (error.line(), error.column()),
            (Some(2), Some(key.len() + 4))
        );
        assert_eq!(error.message(), format!("`{key}` must be longer than zero"));
    }
}

#[tokio::test]
async fn a_timeout_that_is_never_reached_is_told() {
    for (more, is_told) in [
        ("", true),
        ("[hooks.limits]\nchain = '60s'\n", false),
        ("[hooks.limits]\nchain = '59s'\n", true),
    ] {
        let text = format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = 'true'\ntimeout = '60s'\n{more}"
        );
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        let notices = runtime.status().notices.join("\n");
        assert_eq!(
            notices.contains("the hook never gets its 1m"),
            is_told,
            "{more}: {notices}"
        );
    }
    // The agent waits for no hook in the background.
    let text = "[[hooks.on]]\nevent = 'ToolCallEnd'\ncommand = 'true'\ntimeout = '60s'\n";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    assert_eq!(runtime.status().notices, [""; 0]);
}
