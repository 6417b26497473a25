//! What logs tell of the changes that hooks make.

use std::fs;
use std::future::pending;
use std::path::Path;

use hooks_builtin::{EventLog, JsonlLog};
use hooks_core::agent::{AgentContext, BeforeToolCall, MessageSending};
use hooks_core::{HookAction, hook, hooks};
use serde_json::{Value, json};

#[hook(priority = 20)]
fn rename(call: &mut BeforeToolCall) {
    if call.name == "sh" {
        call.name = "shell".into();
    }
}

#[hook(priority = 10)]
fn rewrite(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.args["command"] == "ls" {
        return HookAction::modify(json!({ "command": "curl evil" }));
    }
    HookAction::Continue
}

#[hook]
fn no_deploy(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.args["command"] == "deploy" {
        return HookAction::block("not today");
    }
    HookAction::Continue
}

#[hook]
fn other(_: &mut MessageSending) {}

#[hook(priority = -2_000)]
fn after_the_log(call: &mut BeforeToolCall) {
    call.id = "9".into();
}

fn call(name: &str, command: &str) -> BeforeToolCall {
    BeforeToolCall {
        name: name.into(),
        args: json!({ "command": command }),
        ..BeforeToolCall::default()
    }
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_line_tells_what_was_changed_and_who_can_have_done_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    let before = log.before();
    let hooks = hooks![
        rename,
        rewrite,
        no_deploy,
        other,
        after_the_log,
        log.clone(),
        &before
    ];
    before.learn(hooks.plan());
    let cx = AgentContext::new("s1");
    for (name, command) in [
        ("shell", "pwd"),
        ("shell", "ls"),
        ("sh", "ls"),
        ("sh", "deploy"),
    ] {
        let _ = hooks.intercept_now(&cx, &mut call(name, command));
    }
    log.flush().unwrap();
    let found: Vec<_> = lines(&path)
        .iter()
        .map(|line| {
            (
                line["changes"].clone(),
                line["payload"]["args"]["command"].clone(),
            )
        })
        .collect();
    let renamed = json!({ "op": "replace", "path": "/name", "value": "shell" });
    let rewritten = json!({ "op": "replace", "path": "/args/command", "value": "curl evil" });
    assert_eq!(found[0], (Value::Null, json!("pwd")));
    assert_eq!(found[1], (json!([rewritten]), json!("curl evil")));
    let both = found[2].0.as_array().unwrap();
    assert!(both.len() == 2 && both.contains(&renamed) && both.contains(&rewritten));
    // Also of what is blocked.
    assert_eq!(found[3], (json!([renamed]), json!("deploy")));
    assert_eq!(lines(&path)[3]["decision"], "block");
    assert_eq!(
        lines(&path)[1]["changed_by"],
        json!(["rename", "rewrite", "no_deploy"])
    );
    assert!(lines(&path)[0].get("changed_by").is_none());
}

#[test]
fn a_hook_on_every_event_is_named_as_well() {
    #[hook(every)]
    fn touch(event: hooks_core::agent::AgentEventMut<'_>) -> hooks_core::agent::AgentSaid {
        if let hooks_core::agent::AgentEventMut::MessageSending(message) = event {
            message.content.push('!');
        }
        hooks_core::agent::AgentSaid::Continue
    }
    let log = EventLog::new();
    let before = log.before();
    let hooks = hooks![&before, rename, touch, log.clone()];
    before.learn(hooks.plan());
    let cx = AgentContext::new("s1");
    let _ = hooks.intercept_now(&cx, &mut MessageSending::default());
    let _ = hooks.intercept_now(&cx, &mut call("sh", "pwd"));
    assert_eq!(
        log.messages(),
        [
            "MessageSending, changed /content by touch",
            "BeforeToolCall shell, changed /name by rename or touch",
        ]
    );
}

#[test]
fn two_logs_with_one_hook_before_them_tell_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let (log, file) = (EventLog::new(), JsonlLog::open(&path).unwrap());
    let before = log.before().and(file.before());
    let hooks = hooks![before.clone(), rename, log.clone(), file.clone()];
    before.learn(hooks.plan());
    let cx = AgentContext::new("s1");
    for name in ["sh", "read", "sh"] {
        let _ = hooks.intercept_now(&cx, &mut call(name, "pwd"));
    }
    // In another list, each by itself.
    let alone = hooks![file.before(), rename, file.clone()];
    let _ = alone.intercept_now(&cx, &mut call("sh", "pwd"));
    file.flush().unwrap();
    let changed = "BeforeToolCall shell, changed /name by rename";
    assert_eq!(log.messages(), [changed, "BeforeToolCall read", changed]);
    let is_changed: Vec<_> = lines(&path)
        .iter()
        .map(|line| line.get("changes").is_some())
        .collect();
    assert_eq!(is_changed, [true, false, true, true]);
}

#[tokio::test]
async fn a_dispatch_that_was_dropped_leaves_nothing_to_compare_with() {
    #[hook]
    async fn hangs(call: &mut BeforeToolCall) {
        if call.name == "hangs" {
            pending::<()>().await;
        }
    }
    let log = EventLog::new();
    let hooks = hooks![log.before(), hangs, log.clone()];
    let cx = AgentContext::new("s1");
    let mut event = call("hangs", "pwd");
    let dropped = tokio::time::timeout(
        std::time::Duration::from_millis(1),
        hooks.intercept(&cx, &mut event),
    );
    assert!(dropped.await.is_err());
    // The next event is where that one was.
    event.name = "shell".into();
    assert!(hooks.intercept(&cx, &mut event).await.is_continue());
    assert_eq!(log.messages(), ["BeforeToolCall shell"]);
}

#[test]
fn events_on_several_threads_are_told_apart() {
    let log = EventLog::new();
    let hooks = hooks![log.before(), rename, log.clone()];
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for name in ["sh", "read"].into_iter().cycle().take(2_000) {
                    let mut event = call(name, "pwd");
                    let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut event);
                }
            });
        }
    });
    let messages = log.messages();
    let changed = messages
        .iter()
        .filter(|message| *message == "BeforeToolCall shell, changed /name");
    assert_eq!(changed.count(), 4_000);
    let unchanged = messages
        .iter()
        .filter(|message| *message == "BeforeToolCall read");
    assert_eq!(unchanged.count(), 4_000);
}

#[cfg(feature = "config")]
#[tokio::test]
async fn the_logs_of_a_file_tell_of_changes_and_not_what_was_redacted() {
    use hooks_builtin::config::HooksConfig;
    use hooks_core::agent::{AfterToolCall, ToolOutput};

    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let path = root.join("audit.jsonl");
    let config = json!({ "hooks": { "builtin": {
        "path_prefix": { "root": root }, "redact": true, "jsonl_log": { "path": path },
        "block_tools": { "tools": ["deploy"] },
    } } });
    let hooks = HooksConfig::from_json(&config.to_string())
        .unwrap()
        .build()
        .unwrap();
    let cx = AgentContext::new("s1");
    let mut read = call("read", "");
    read.args = json!({ "path": "a.txt" });
    assert!(hooks.intercept(&cx, &mut read).await.is_continue());
    let mut after = AfterToolCall {
        name: "read".into(),
        output: ToolOutput::new("mail ada@example.org"),
        ..AfterToolCall::default()
    };
    let _ = hooks.intercept(&cx, &mut after).await;
    drop(hooks);
    let lines = lines(&path);
    assert_eq!(
        lines[0]["changes"],
        json!([{ "op": "replace", "path": "/args/path", "value": root.join("a.txt") }])
    );
    assert_eq!(lines[0]["changed_by"], json!(["BlockTools", "PathPrefix"]));
    assert_eq!(
        lines[1]["changes"],
        json!([{ "op": "replace", "path": "/output/content", "value": "mail [REDACTED:email]" }])
    );
    assert_eq!(lines[1]["changed_by"], json!(["Redact"]));
    assert!(!fs::read_to_string(&path).unwrap().contains("ada@"));
}
