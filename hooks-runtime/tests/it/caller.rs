//! A daemon decides for other processes: their environment and their folder count, and not its own.

use std::ffi::OsString;
use std::path::Path;

use hooks_core::agent::AgentContext;
use hooks_runtime::{Caller, Outcome, OwnedEvent, Runtime};
use serde_json::{Value, json};

/// A process of the same user in another folder.
fn caller(folder: &Path, more: &[(&str, &str)]) -> Caller {
    let path = std::env::var_os("PATH").unwrap();
    let more = more
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    let env: Vec<(OsString, OsString)> = [("PATH".into(), path)].into_iter().chain(more).collect();
    Caller::new(env, folder)
}

/// Loads the hooks of a text for a process, and fires a call of a tool.
async fn fired(caller: &Caller, text: &str, tool: &str, args: Value) -> Outcome {
    let work = async {
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        let fields = json!({ "id": "1", "name": tool, "args": args });
        let mut event = OwnedEvent::from_json("BeforeToolCall", fields).unwrap();
        runtime.fire(&AgentContext::new("s1"), &mut event).await
    };
    caller.scope(work).await
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_runs_in_the_callers_folder_with_its_environment() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let caller = caller(
        &folder,
        &[("WHOSE", "theirs"), ("HOOKS_SECRET_KEY", "hidden")],
    );
    let says = "echo \"$WHOSE $HOOKS_SECRET_KEY $CARGO_PKG_NAME $PWD\" >&2; exit 2";
    // A command of ours inherits only what every program needs, and one of Claude Code's inherits all but our secrets.
    for (dialect, whose) in [("hooks", ""), ("claude", "theirs")] {
        let text = format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\ndialect = '{dialect}'\n\
             command = {{ run = '{says}' }}\n"
        );
        let outcome = fired(&caller, &text, "shell", json!({})).await;
        let said = format!("{whose}   {}", folder.display());
        assert_eq!(outcome.reason.as_deref(), Some(said.trim()), "{dialect}");
    }
}

#[tokio::test]
async fn a_condition_and_a_policy_read_the_callers_folder() {
    let folder = tempfile::tempdir().unwrap();
    let caller = caller(&folder.path().canonicalize().unwrap(), &[]);
    let rule = "[[hooks.on]]\nevent = 'BeforeToolCall'\nif = 'Read(./secret/**)'\nblock = 'no'\n";
    let read = json!({ "file_path": "secret/key" });
    let outcome = fired(&caller, rule, "Read", read).await;
    assert_eq!(outcome.reason.as_deref(), Some("no"));

    let policy = "[hooks.builtin]\nsecurity_policy = { autonomy = 'full', workspace = '.' }\n";
    let inside = json!({ "path": folder.path().canonicalize().unwrap().join("a.txt") });
    let outcome = fired(&caller, policy, "file_read", inside).await;
    assert_eq!(outcome.reason, None);
    let outside = json!({ "path": std::env::current_dir().unwrap().join("Cargo.toml") });
    let outcome = fired(&caller, policy, "file_read", outside).await;
    assert!(outcome.reason.is_some());
}

#[cfg(unix)]
#[tokio::test]
async fn what_runs_in_the_background_is_the_callers_too() {
    let folder = tempfile::tempdir().unwrap();
    let caller = caller(folder.path(), &[]);
    let text = "[[hooks.on]]\nevent = 'ToolCallEnd'\ncommand = 'touch here'\n";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let cx = AgentContext::new("s1");
    let mut end = OwnedEvent::from_json("ToolCallEnd", json!({ "name": "ls" })).unwrap();
    caller.scope(runtime.fire(&cx, &mut end)).await;
    runtime.shutdown().await;
    assert!(folder.path().join("here").exists());
}

#[tokio::test]
async fn a_log_is_written_in_the_callers_folder() {
    let folder = tempfile::tempdir().unwrap();
    let caller = caller(folder.path(), &[]);
    let text = "[hooks.builtin.jsonl_log]\npath = 'log.jsonl'\n";
    fired(&caller, text, "Read", json!({})).await;
    assert!(folder.path().join("log.jsonl").exists());
}
