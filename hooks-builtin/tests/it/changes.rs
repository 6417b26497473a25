//! What logs tell of the changes that hooks make.

use std::fs;
use std::future::pending;
use std::path::Path;
use std::sync::Arc;

use hooks_builtin::{EventLog, JsonlLog, Redact};
use hooks_core::agent::{
    AgentContext, AgentEvent, AgentEventMut, AgentHooks, AgentSaid, BeforeToolCall, MessageSending,
    ToolCall, ToolOutput, run_tool_call,
};
use hooks_core::{Hook, HookAction, HookRegistry, Next, OnPanic, hook, hooks, intercept_fn};
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

#[hook]
fn changes_id(call: &mut BeforeToolCall) {
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
fn a_line_tells_which_hook_changed_what() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    let hooks = hooks![rename, rewrite, no_deploy, other].with_probe(&log);
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
    let lines = lines(&path);
    let renamed = json!({ "op": "replace", "path": "/name", "value": "shell" });
    let rewritten = json!({ "op": "replace", "path": "/args/command", "value": "curl evil" });

    assert!(lines[0].get("changes").is_none() && lines[0].get("changed_by").is_none());

    assert_eq!(lines[1]["changes"], json!([rewritten]));
    assert_eq!(lines[1]["changed_by"], json!(["rewrite"]));
    assert_eq!(lines[1]["payload"]["args"]["command"], "curl evil");
    assert!(lines[1].get("changes_by_hook").is_none());

    let both = lines[2]["changes"].as_array().unwrap();
    assert!(both.len() == 2 && both.contains(&renamed) && both.contains(&rewritten));
    assert_eq!(lines[2]["changed_by"], json!(["rename", "rewrite"]));
    assert_eq!(
        lines[2]["changes_by_hook"],
        json!([
            { "hook": "rename", "paths": ["/name"] },
            { "hook": "rewrite", "paths": ["/args/command"] },
        ])
    );

    // Also of what is blocked.
    assert_eq!(lines[3]["changes"], json!([renamed]));
    assert_eq!(lines[3]["changed_by"], json!(["rename"]));
    assert_eq!(lines[3]["decision"], "block");
}

#[test]
fn a_hook_on_every_event_is_named() {
    #[hook(every)]
    fn touch(event: AgentEventMut<'_>) -> AgentSaid {
        if let AgentEventMut::MessageSending(message) = event {
            message.content.push('!');
        }
        AgentSaid::Continue
    }
    let log = EventLog::new();
    let hooks = hooks![rename, touch].with_probe(&log);
    let cx = AgentContext::new("s1");
    let _ = hooks.intercept_now(&cx, &mut MessageSending::default());
    let _ = hooks.intercept_now(&cx, &mut call("sh", "pwd"));
    assert_eq!(
        log.messages(),
        [
            "MessageSending, changed /content by touch",
            "BeforeToolCall shell, changed /name by rename",
        ]
    );
}

#[test]
fn several_logs_tell_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let (log, file) = (EventLog::new(), JsonlLog::open(&path).unwrap());
    let hooks = hooks![rename, rewrite].with_probe((&log, &file));
    let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut call("sh", "ls"));
    file.flush().unwrap();
    assert_eq!(
        log.messages(),
        ["BeforeToolCall shell, changed /name by rename, /args/command by rewrite"]
    );
    assert_eq!(lines(&path)[0]["changed_by"], json!(["rename", "rewrite"]));
}

#[tokio::test]
async fn asynchronous_hooks_are_named() {
    #[hook(priority = 30)]
    async fn slowly(call: &mut BeforeToolCall) {
        tokio::task::yield_now().await;
        call.id = "7".into();
    }
    #[hook(priority = 5)]
    async fn answers(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        tokio::task::yield_now().await;
        HookAction::modify(json!({ "command": call.args["command"], "by": "answers" }))
    }
    #[hook(priority = 4)]
    async fn looks(_: &BeforeToolCall) {}
    let log = EventLog::new();
    let hooks = hooks![slowly, rename, answers, looks].with_probe(&log);
    let cx = AgentContext::new("s1");
    assert!(
        hooks
            .intercept(&cx, &mut call("sh", "pwd"))
            .await
            .is_continue()
    );
    assert_eq!(
        log.messages(),
        ["BeforeToolCall shell, changed /id by slowly, /name by rename, /args/by by answers"]
    );
}

#[tokio::test]
async fn hooks_in_lists_of_any_shape_are_named() {
    #[hook]
    fn nothing_0(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_1(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_2(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_3(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_4(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_5(_: &mut BeforeToolCall) {}
    #[hook]
    fn nothing_6(_: &mut BeforeToolCall) {}
    let cx = AgentContext::new("s1");
    let expected = ["BeforeToolCall shell, changed /name by rename, /args/command by rewrite"];

    // More than eight, which are groups of groups; the log is switched on.
    let log = EventLog::new();
    let some = Some(log.clone());
    let hooks = hooks![
        nothing_0, nothing_1, nothing_2, nothing_3, rename, nothing_4, nothing_5, rewrite,
        nothing_6,
    ]
    .with_probe(&some);
    let _ = hooks.intercept_now(&cx, &mut call("sh", "ls"));
    assert_eq!(log.messages(), expected);
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    assert_eq!(log.messages()[1..], expected);

    // Pipelines in pipelines.
    let log = EventLog::new();
    let inner = hooks![rename, nothing_0];
    let hooks = hooks![&inner @ 9, Some(hooks![hooks![rewrite] @ 5, nothing_2]), nothing_1]
        .with_probe(&log);
    let _ = hooks.intercept_now(&cx, &mut call("sh", "ls"));
    assert_eq!(log.messages(), expected);

    // Hooks of unknown types.
    fn then(first: impl AgentHooks, second: impl AgentHooks) -> impl AgentHooks {
        first.then(second)
    }
    let log = EventLog::new();
    let hooks = then(hooks![rename, nothing_0], hooks![rewrite]);
    let hooks = hooks.with_probe(&log);
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    assert_eq!(log.messages(), expected);
    let log = EventLog::new();
    let hooks = then(
        then(hooks![rename], hooks![rewrite, no_deploy]),
        hooks![nothing_0],
    );
    let hooks = hooks.with_probe(&log);
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    let _ = hooks.intercept(&cx, &mut call("sh", "deploy")).await;
    assert_eq!(log.messages()[..1], expected);
    let blocked = "BeforeToolCall shell, changed /name by rename: hook `no_deploy` blocked the event: not today";
    assert_eq!(log.messages()[1], blocked);
}

#[tokio::test]
async fn hooks_in_wrappers_are_named_and_those_without_effect_are_not() {
    #[hook]
    fn careless(call: &mut BeforeToolCall) {
        call.name.clear();
        panic!("out of luck");
    }
    let log = EventLog::new();
    let hooks = hooks![
        rename.on_panic(OnPanic::Skip),
        rewrite.when(|cx, _| cx.depth == 0),
        careless.on_panic(OnPanic::Skip),
        // Otherwise it would be told.
        changes_id.read_only() @ 3,
        intercept_fn::<BeforeToolCall, _>(|_, call| {
            call.id = "8".into();
            HookAction::Continue
        })
        .with_name("shadowed")
        .shadow() @ 2,
    ]
    .with_probe(&log);
    let cx = AgentContext::new("s1");
    let expected = "BeforeToolCall shell, changed /name by rename, /args/command by rewrite";
    let _ = hooks.intercept_now(&cx, &mut call("sh", "ls"));
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    assert_eq!(log.messages(), [expected; 2]);

    // A list that fails is undone: what its hooks changed is not told.
    let log = EventLog::new();
    let hooks = hooks![
        hooks![rename @ 1, careless].on_panic(OnPanic::Skip) @ 0,
        intercept_fn::<BeforeToolCall, _>(|_, call| {
            call.id = "8".into();
            HookAction::Continue
        })
        .with_name("closure"),
    ]
    .with_probe(&log);
    let mut event = call("sh", "pwd");
    let _ = hooks.intercept_now(&cx, &mut event);
    assert_eq!(event.name, "sh");
    let expected = "BeforeToolCall sh, changed /id by closure";
    assert_eq!(log.messages(), [expected]);
}

#[tokio::test]
async fn handlers_are_named() {
    struct Plugin;
    #[hook(name = "plugin")]
    impl Plugin {
        fn set_id(&self, call: &mut BeforeToolCall) {
            call.id = "7".into();
        }
    }
    let cx = AgentContext::new("s1");
    let registry = || {
        HookRegistry::<AgentEvent>::new()
            .with(Plugin)
            .with(hooks![rename, rewrite])
            .with(no_deploy)
    };
    let changed =
        "BeforeToolCall shell, changed /id by plugin, /name by rename, /args/command by rewrite";

    // In one place of a list, and alone.
    let log = EventLog::new();
    let hooks = hooks![registry()].with_probe(&log);
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    let hooks = registry();
    hooks.attach(Arc::new(log.clone()));
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    assert_eq!(log.messages(), [changed; 2]);

    // Spread, with the log at the list or at the registry.
    #[hook(priority = 50)]
    fn first(call: &mut BeforeToolCall) {
        call.context.push("first".into());
    }
    #[hook(priority = -50)]
    fn last(call: &mut BeforeToolCall) {
        call.context.push("last".into());
    }
    let log = EventLog::new();
    let hooks = hooks![last, first, ..registry()].with_probe(&log);
    let _ = hooks.intercept(&cx, &mut call("sh", "deploy")).await;
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    let both = log.messages();
    assert_eq!(
        both,
        [
            "BeforeToolCall shell, changed /context by first, /id by plugin, /name by rename: \
             hook `no_deploy` blocked the event: not today",
            "BeforeToolCall shell, changed /context by first, /id by plugin, /name by rename, \
             /args/command by rewrite, /context/1 by last",
        ]
    );
    let log = EventLog::new();
    let plugins = registry();
    plugins.attach(Arc::new(log.clone()));
    let hooks = hooks![last, first, ..plugins];
    let _ = hooks.intercept(&cx, &mut call("sh", "deploy")).await;
    let _ = hooks.intercept(&cx, &mut call("sh", "ls")).await;
    assert_eq!(log.messages(), both);
}

#[tokio::test]
async fn hooks_around_the_work_change_nothing_that_is_told() {
    #[hook(around)]
    async fn twice(_: &BeforeToolCall, mut next: Next<'_, BeforeToolCall>) -> ToolOutput {
        next.run().await;
        next.run().await
    }
    let log = EventLog::new();
    let hooks = hooks![twice, rename].with_probe(&log);
    let cx = AgentContext::new("s1");
    let work = async |_: &BeforeToolCall| ToolOutput::new("done");
    let done = run_tool_call(&hooks, &cx, ToolCall::new("1", "sh", json!({})), work).await;
    assert_eq!(done.unwrap().output.content, "done");
    let changed: Vec<_> = log
        .entries()
        .into_iter()
        .filter_map(|entry| entry.changes)
        .collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(changed[0].by[0].hook, "rename");
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
    let hooks = hooks![hangs].with_probe(&log);
    let cx = AgentContext::new("s1");
    let mut event = call("hangs", "pwd");
    let dropped = tokio::time::timeout(
        std::time::Duration::from_millis(1),
        hooks.intercept(&cx, &mut event),
    );
    assert!(dropped.await.is_err());
    event.name = "shell".into();
    assert!(hooks.intercept(&cx, &mut event).await.is_continue());
    assert_eq!(
        log.messages(),
        ["BeforeToolCall hangs: dropped", "BeforeToolCall shell"]
    );
}

#[tokio::test]
async fn dispatches_within_and_beside_one_another_are_told_apart() {
    let log = EventLog::new();
    let hooks = hooks![rename].with_probe(&log);
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
    for expected in [
        "BeforeToolCall shell, changed /name by rename",
        "BeforeToolCall read",
    ] {
        let those = messages.iter().filter(|message| *message == expected);
        assert_eq!(those.count(), 4_000);
    }

    // A hook that raises another event; two events at once on one thread.
    struct Asks(EventLog);
    #[hook(priority = 1)]
    impl Asks {
        async fn ask(&self, cx: &AgentContext, call: &mut BeforeToolCall) {
            tokio::task::yield_now().await;
            let own = hooks![rename].with_probe(&self.0);
            let _ = own.intercept(cx, &mut MessageSending::default()).await;
            call.id = "9".into();
        }
    }
    let log = EventLog::new();
    let hooks = hooks![Asks(log.clone()), rename].with_probe(&log);
    let cx = AgentContext::new("s1");
    let (mut first, mut second) = (call("sh", "pwd"), call("read", "pwd"));
    let _ = tokio::join!(
        hooks.intercept(&cx, &mut first),
        hooks.intercept(&cx, &mut second)
    );
    let mut messages = log.messages();
    messages.sort();
    assert_eq!(
        messages,
        [
            "BeforeToolCall read, changed /id by Asks",
            "BeforeToolCall shell, changed /name by rename, /id by Asks",
            "MessageSending",
            "MessageSending",
        ]
    );
}

#[test]
fn what_redact_takes_out_is_in_no_line() {
    use hooks_core::agent::AfterToolCall;

    #[hook(priority = 100_000)]
    fn leaks(after: &mut AfterToolCall) {
        after.output.content = "mail ada@example.org".into();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    let redact = Redact::new();
    let hooks = hooks![leaks, redact].with_probe(&log);
    let _ = hooks.intercept_now(&AgentContext::new("s1"), &mut AfterToolCall::default());
    log.flush().unwrap();
    assert_eq!(lines(&path)[0]["changed_by"], json!(["leaks", "Redact"]));
    assert!(!fs::read_to_string(&path).unwrap().contains("ada@"));
}

#[tokio::test]
async fn the_logs_of_a_file_tell_of_changes_and_not_what_was_redacted() {
    use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};
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
        .hooks(&HookFactoryRegistry::with_builtins())
        .unwrap()
        .into_pipeline();
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
    assert_eq!(lines[0]["changed_by"], json!(["PathPrefix"]));
    assert_eq!(
        lines[1]["changes"],
        json!([{ "op": "replace", "path": "/output/content", "value": "mail [REDACTED:email]" }])
    );
    assert_eq!(lines[1]["changed_by"], json!(["Redact"]));
    assert!(!fs::read_to_string(&path).unwrap().contains("ada@"));
}

#[tokio::test]
async fn a_log_in_the_chain_of_a_file_tells_which_hook_changed_what() {
    use hooks_builtin::config::{HookFactoryRegistry, HooksConfig};

    #[hook(priority = 100_000)]
    fn first(call: &mut BeforeToolCall) {
        call.id = "7".into();
    }
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let [all, own] = ["all.jsonl", "own.jsonl"].map(|name| root.join(name));
    let text = |path: &Path| {
        json!({ "hooks": {
            "builtin": { "path_prefix": { "root": root } },
            "chain": [
                { "type": "block_tools", "config": { "tools": ["deploy"] } },
                { "type": "path_prefix", "config": { "root": root, "arguments": ["other"] } },
                { "type": "jsonl_log", "config": { "path": path } },
            ],
        } })
        .to_string()
    };
    let cx = AgentContext::new("s1");
    let read = || {
        let mut read = call("read", "");
        read.args = json!({ "path": "a.txt", "other": "b.txt" });
        read
    };
    let hooks = HooksConfig::from_json(&text(&all))
        .unwrap()
        .hooks(&HookFactoryRegistry::with_builtins())
        .unwrap()
        .into_pipeline();
    let _ = hooks.intercept(&cx, &mut read()).await;
    drop(hooks);
    let of_the_file = json!([
        { "hook": "PathPrefix", "paths": ["/args/path"] },
        { "hook": "PathPrefix", "paths": ["/args/other"] },
    ]);
    assert_eq!(lines(&all)[0]["changes_by_hook"], of_the_file);

    // In a registry, between hooks of your own, with the chain as one of them.
    let config = HooksConfig::from_json(&text(&own)).unwrap();
    let hooks = config.hooks(&HookFactoryRegistry::with_builtins()).unwrap();
    let registry = HookRegistry::new();
    hooks.register_in(&registry).unwrap();
    assert_eq!(registry.names(), ["PathPrefix", "chain"]);
    let hooks = hooks![first, ..registry];
    let _ = hooks.intercept(&cx, &mut read()).await;
    drop(hooks);
    let mut expected = json!([{ "hook": "first", "paths": ["/id"] }]);
    for one in of_the_file.as_array().unwrap() {
        expected.as_array_mut().unwrap().push(one.clone());
    }
    assert_eq!(lines(&own)[0]["changes_by_hook"], expected);
}
