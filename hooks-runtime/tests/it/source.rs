//! The runtime as a source of a pipeline: places, revisions, reload.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use hooks_builtin::{ApprovalRequest, Approver, Verdict};
use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeStop, BeforeToolCall};
use hooks_core::{hook, hooks};
use hooks_runtime::Runtime;
use hooks_runtime::entry::Mode;
use serde_json::json;

#[hook(priority = 5)]
fn append_static(call: &mut BeforeToolCall) {
    call.name.push_str(" static");
}

#[tokio::test]
async fn each_definition_has_its_own_place_between_static_hooks() {
    let runtime = Runtime::builder()
        .text(
            r#"
            [[hooks.on]]
            name = "after"
            event = "BeforeToolCall"
            priority = 1
            block = "{name}"

            [[hooks.on]]
            name = "before"
            event = "BeforeToolCall"
            priority = 10
            context = "{name}"
            "#,
        )
        .build()
        .await
        .unwrap();
    let hooks = hooks![append_static, ..runtime.clone()];
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(result.as_cancel().unwrap().reason, "shell static");
    assert_eq!(call.context, ["shell"]);
    let plan = hooks.plan().to_string();
    let place = |name: &str| plan.find(name).unwrap_or_else(|| panic!("{name}: {plan}"));
    assert!(place("before") < place("append_static") && place("append_static") < place("after"));
}

#[tokio::test]
async fn built_in_hooks_and_the_chain_of_the_file_run_too() {
    let runtime = Runtime::builder()
        .text(
            r#"
            [hooks.builtin]
            block_tools = { tools = ["deploy"] }

            [[hooks.chain]]
            type = "block_tools"
            config = { tools = ["release"] }
            "#,
        )
        .build()
        .await
        .unwrap();
    let hooks = hooks![..runtime];
    for (tool, goes_on) in [("deploy", false), ("release", false), ("list", true)] {
        let mut call = BeforeToolCall::new("1", tool, json!({}));
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        assert_eq!(result.is_continue(), goes_on, "{tool}");
    }
}

#[tokio::test]
async fn an_approval_of_the_file_asks() {
    let runtime = Runtime::builder()
        .text("[hooks.builtin]\nsecurity_policy = { autonomy = 'full' }\napproval = { approver = 'deny' }")
        .build()
        .await
        .unwrap();
    let call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
    let mut approve = ApproveToolCall::from(&call);
    let result = hooks![..runtime]
        .intercept(&AgentContext::new("s1"), &mut approve)
        .await;
    assert!(result.as_cancel().is_some(), "{result:?}");
}

/// Whoever the agent has to be asked.
struct Says(bool);

#[async_trait]
impl Approver for Says {
    async fn ask(&self, _: &ApprovalRequest) -> Verdict {
        if self.0 {
            Verdict::Yes
        } else {
            Verdict::No("not that".into())
        }
    }
}

#[tokio::test]
async fn a_supervised_agent_is_approved_of_or_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let policy = format!(
        "[hooks.builtin.security_policy]\nautonomy = 'supervised'\nworkspace = '{}'\n",
        folder.path().display()
    );
    let approved = async |text: &str, approver: Option<bool>| {
        let mut builder = Runtime::builder().text(text);
        if let Some(says_yes) = approver {
            builder = builder.approver(Says(says_yes));
        }
        let hooks = hooks![..builder.build().await.unwrap()];
        let call = BeforeToolCall::new(
            "1",
            "file_write",
            json!({ "path": "a.txt", "content": "x" }),
        );
        let mut approve = ApproveToolCall::from(&call);
        let result = hooks
            .intercept(&AgentContext::new("s1"), &mut approve)
            .await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    };
    let reason = approved(&policy, None).await.unwrap();
    assert!(
        reason.contains("no approver is configured: turn on `approval`"),
        "{reason}"
    );
    // Whoever the agent has for it is asked, whatever the file says.
    assert!(approved(&policy, Some(true)).await.is_none());
    assert!(approved(&policy, Some(false)).await.is_some());
    let full = policy.replace("supervised", "full");
    assert!(approved(&full, None).await.is_none());
}

/// The built-in hooks of a file never take the agent along.
#[tokio::test]
async fn a_built_in_hook_that_panics_blocks() {
    struct Panics;
    #[async_trait]
    impl Approver for Panics {
        async fn ask(&self, _: &ApprovalRequest) -> Verdict {
            panic!("nobody is there")
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "[hooks.builtin]\napproval = true\n";
    std::fs::write(folder.path().join("second.toml"), text).unwrap();
    let first = folder.path().join("hooks.toml");
    // The hooks of a second file have one place together.
    let second = "[hooks.builtin]\napproval = { tools = ['none'] }\n[[hooks.import]]\nhooks = 'second.toml'\n";
    for text in [text, second] {
        std::fs::write(&first, text).unwrap();
        let builder = Runtime::builder().file(&first).approver(Panics);
        let hooks = hooks![..builder.build().await.unwrap()];
        let call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
        let mut approve = ApproveToolCall::from(&call);
        let cx = AgentContext::new("s1");
        let result = hooks.intercept(&cx, &mut approve).await;
        let cancel = result.as_cancel().expect("it fails closed");
        assert_eq!(cancel.hook, "Approval");
        assert!(cancel.reason.contains("nobody is there"), "{cancel:?}");
    }
}

#[tokio::test]
async fn the_limits_of_the_importing_file_hold() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let text = "[hooks.limits]\nstops = 0\n[[hooks.import]]\nhooks = 'more.toml'\n";
    std::fs::write(&path, text).unwrap();
    let more = "[[hooks.on]]\nevent = 'BeforeStop'\nblock = 'go on'";
    std::fs::write(folder.path().join("more.toml"), more).unwrap();
    let runtime = Runtime::load(&path).await.unwrap();
    let mut stop = BeforeStop::new("done", 0);
    let result = hooks![..runtime]
        .intercept(&AgentContext::new("s1"), &mut stop)
        .await;
    assert!(result.is_continue());
}

#[tokio::test]
async fn a_wrong_file_leaves_the_last_good_revision_in_force() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let write = |text: &str| std::fs::write(&path, text).unwrap();
    write("[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'a'");
    let runtime = Runtime::load(&path).await.unwrap();
    let hooks = hooks![..runtime.clone()];
    let reason = async || {
        let mut call = BeforeToolCall::new("1", "x", json!({}));
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        result.as_cancel().unwrap().reason.to_string()
    };
    assert_eq!(reason().await, "a");
    let first = runtime.revision();
    assert_eq!(first.number, 1);

    write("[[hooks.on]]\nname = 'b'\nevent = 'BeforeTool");
    assert!(runtime.reload().await.is_err());
    assert_eq!(reason().await, "a");
    assert_eq!(runtime.revision(), first);
    let refused = runtime.status().refused.unwrap();
    assert_eq!(refused.error.line(), Some(3), "{}", refused.error);

    write("[[hooks.on]]\nname = 'b'\nevent = 'BeforeToolCall'\nblock = 'b'");
    let second = runtime.reload().await.unwrap();
    assert_eq!(reason().await, "b");
    assert_eq!(second.number, 2);
    assert_ne!(second.hash, first.hash);
    assert!(runtime.status().refused.is_none());

    write("# the same\n[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'a'");
    assert_eq!(
        runtime.reload().await.unwrap().hash,
        first.hash,
        "the same definitions"
    );
}

/// Two definitions of one revision: the first notes the revision in the arguments, the second blocks if it finds another
/// revision's note.
fn revision(number: usize) -> String {
    format!(
        "[[hooks.on]]\nname = 'note'\nevent = 'BeforeToolCall'\npriority = 2\nmodify = {{ revision = {number} }}\n\
         [[hooks.on]]\nname = 'check'\nevent = 'BeforeToolCall'\npriority = 1\nif = 'args.revision != {number}'\n\
         block = 'a mix of two revisions'\n\
         [[hooks.on]]\nname = 'count'\nevent = 'BeforeToolCall'\npriority = 0\nrespond = '{{string(args.revision)}}'"
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dispatch_runs_under_one_revision_while_others_swap() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    std::fs::write(&path, revision(0)).unwrap();
    let runtime = Runtime::load(&path).await.unwrap();
    let (stop, answered) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let agents: Vec<_> = (0..4)
        .map(|_| {
            let hooks = hooks![..runtime.clone()];
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            tokio::spawn(async move {
                let cx = AgentContext::new("s1");
                let mut asked = 0;
                while !stop.load(Ordering::Relaxed) {
                    let mut call = BeforeToolCall::new("1", "x", json!({}));
                    let result = hooks.intercept(&cx, &mut call).await;
                    assert!(result.as_cancel().is_none(), "{result:?}");
                    assert!(!result.is_continue(), "the event was lost");
                    answered.fetch_add(1, Ordering::Relaxed);
                    asked += 1;
                    if asked % 64 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
                asked
            })
        })
        .collect();
    for number in 1..=30 {
        std::fs::write(&path, revision(number)).unwrap();
        runtime.reload().await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut asked = 0;
    for agent in agents {
        asked += agent.await.unwrap();
    }
    assert_eq!(asked, answered.load(Ordering::Relaxed));
    assert_eq!(runtime.revision().number, 31);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_revision_that_somebody_sees_is_the_one_that_decides() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let write = |number: u64| {
        let text = format!("[[hooks.on]]\nevent = 'BeforeStop'\nblock = '{number}'\n");
        std::fs::write(&path, text).unwrap();
    };
    write(1);
    let runtime = Runtime::load(&path).await.unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let looks = tokio::spawn({
        let (runtime, stop) = (runtime.clone(), Arc::clone(&stop));
        async move {
            let hooks = hooks![..runtime.clone()];
            let (cx, mut event) = (AgentContext::new("s1"), BeforeStop::new("done", 0));
            while !stop.load(Ordering::Relaxed) {
                let seen = runtime.revision().number;
                let result = hooks.intercept(&cx, &mut event).await;
                let decided: u64 = result.as_cancel().unwrap().reason.parse().unwrap();
                assert!(decided >= seen, "{seen} is shown, and {decided} decides");
            }
        }
    });
    // The moment of the exchange is short.
    for number in 2..=1000 {
        write(number);
        runtime.reload().await.unwrap();
    }
    stop.store(true, Ordering::Relaxed);
    looks.await.unwrap();
}

#[tokio::test]
async fn an_import_says_how_the_hooks_of_a_file_of_ours_run() {
    let folder = tempfile::tempdir().unwrap();
    let more = r#"
        [[hooks.on]]
        name = "more"
        event = "BeforeToolCall"
        priority = 5
        command = "exit 1"
        on_failure = "skip"
    "#;
    std::fs::write(folder.path().join("more.toml"), more).unwrap();
    let load = async |import: &str| {
        let path = folder.path().join("hooks.toml");
        let text = format!("[[hooks.import]]\nhooks = 'more.toml'\n{import}");
        std::fs::write(&path, text).unwrap();
        Runtime::load(&path).await
    };
    let blocks = async |runtime: &Runtime| {
        let mut call = BeforeToolCall::new("1", "shell", json!({}));
        let hooks = hooks![..runtime.clone()];
        !hooks
            .intercept(&AgentContext::new("s1"), &mut call)
            .await
            .is_continue()
    };
    let plain = load("").await.unwrap();
    assert_eq!(plain.status().hooks[0].priority, 5);
    assert!(!blocks(&plain).await);

    let strict = load("priority = 100\nstrict = true").await.unwrap();
    assert_eq!(strict.status().hooks[0].priority, 105);
    assert!(blocks(&strict).await);

    let shadow = load("mode = 'shadow'\nstrict = true").await.unwrap();
    assert_eq!(shadow.status().hooks[0].mode, Mode::Shadow);
    assert!(!blocks(&shadow).await);

    let off = load("mode = 'off'").await.unwrap().status();
    assert!(off.hooks.is_empty());
    assert!(
        off.notices[0].contains("skipped all hooks of this file"),
        "{:?}",
        off.notices
    );

    let error = load("tools = { Bash = 'shell' }").await.unwrap_err();
    assert!(error.to_string().contains("leave `tools` out"), "{error}");
    let builtin = format!("{more}\n[hooks.builtin]\nredact = true");
    std::fs::write(folder.path().join("more.toml"), builtin).unwrap();
    let error = load("mode = 'shadow'").await.unwrap_err();
    assert!(error.to_string().contains("cannot be tried out"), "{error}");
    assert!(load("mode = 'off'").await.is_ok());
}

#[tokio::test]
async fn a_hook_that_is_off_does_not_run_and_everybody_sees_that() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "claw.json",
        r#"{ "hooks": { "enabled": true, "processes": {
            "gate": { "enabled": false, "command": ["gate"], "intercept": ["before_tool"] },
            "sample": { "enabled": false, "command": [] }
        } } }"#,
    );
    write(
        "goclaw.json",
        r#"{ "hooks": [
            { "name": "low", "event": "pre_tool_use", "handler_type": "command", "scope": "global",
              "enabled": false, "config": { "command": "exit 2" } },
            { "name": "high", "event": "pre_tool_use", "handler_type": "command", "scope": "global",
              "priority": 5, "matcher": "^exec$", "config": { "command": "exit 2" } }
        ] }"#,
    );
    write(
        "hooks.toml",
        "[[hooks.on]]\nname = 'rule'\nevent = 'BeforeToolCall'\nmode = 'off'\nblock = 'no'\n\
         [[hooks.import]]\npicoclaw = 'claw.json'\n[[hooks.import]]\ngoclaw = 'goclaw.json'\n",
    );
    let runtime = Runtime::load(folder.path().join("hooks.toml"))
        .await
        .unwrap();
    assert_eq!(blocks(&runtime, "shell").await, None);

    let status = runtime.status();
    let hooks = status.hooks.iter();
    let hooks: Vec<_> = hooks
        .map(|hook| (&*hook.name, hook.mode, hook.priority))
        .collect();
    assert_eq!(
        hooks,
        [
            ("rule", Mode::Off, 0),
            ("gate", Mode::Off, 0),
            ("high", Mode::Enforce, 5),
            ("low", Mode::Off, 0),
        ]
    );
    let notices = status.notices.join("\n");
    for name in [
        "hook `rule`",
        "hook `gate`",
        "process `sample`",
        "hook `low`",
    ] {
        assert!(notices.contains(&format!("{name} is off")), "{notices}");
    }
    let call = BeforeToolCall::new("1", "shell", json!({}));
    let explained = runtime.explain(&AgentContext::new("s1"), &call).await;
    let off = explained.iter().filter(|one| one.why == "the hook is off");
    let off: Vec<_> = off.map(|one| (&*one.hook, one.runs)).collect();
    assert_eq!(off, [("rule", false), ("gate", false), ("low", false)]);
}

#[tokio::test]
async fn what_a_file_turns_off_is_a_notice() {
    let notices = async |text: &str| {
        let runtime = Runtime::builder().text(text).build().await.unwrap();
        runtime.status().notices.join("\n")
    };
    let all = "[hooks]\nenabled = false\n[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'";
    let said = notices(all).await;
    assert_eq!(
        said,
        "line 2: skipped all hooks of this file: `enabled` is false"
    );
    let some = "[hooks.builtin]\nredact = false\n[hooks.builtin.event_log]\nenabled = false\n\
                [[hooks.chain]]\ntype = 'rate_limit'\nenabled = false\n\
                [hooks.builtins.path_prefix]\nenabled = false";
    let said = notices(some).await;
    for name in ["redact", "event_log", "rate_limit", "path_prefix"] {
        assert!(
            said.contains(&format!("the hook `{name}` is off")),
            "{said}"
        );
    }
}

/// The names of the definitions that block a call of this tool.
async fn blocks(runtime: &Runtime, tool: &str) -> Option<String> {
    let mut call = BeforeToolCall::new("1", tool, json!({ "command": "git push" }));
    let hooks = hooks![..runtime.clone()];
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    result.as_cancel().map(|cancel| cancel.hook.to_string())
}

#[tokio::test]
async fn definitions_are_chosen_by_the_name_that_a_hook_before_gives_a_tool() {
    let entry = |name: &str, tools: &str, priority: i32| {
        format!(
            "[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\ntools = '{tools}'\npriority = {priority}\n"
        )
    };
    let text = [
        entry("before, old", "shell", 10) + "context = 'before, old'",
        entry("before, new", "shell static", 10) + "context = 'before, new'",
        entry("after, old", "shell", 1) + "block = 'no'",
        entry("after, new", "* static", 1) + "context = 'after, new'",
        entry("last, other", "*x*", 0) + "block = 'no'",
    ];
    let runtime = Runtime::builder()
        .text(text.join("\n"))
        .build()
        .await
        .unwrap();
    let hooks = hooks![append_static, ..runtime.clone()];
    for _ in 0..2 {
        let mut call = BeforeToolCall::new("1", "shell", json!({}));
        let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
        assert!(result.is_continue(), "{result:?}");
        assert_eq!(call.context, ["before, old", "after, new"]);
    }
    assert_eq!(blocks(&runtime, "shell").await.unwrap(), "after, old");
}

#[tokio::test]
async fn definitions_are_chosen_by_every_name_that_a_tool_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    let settings = json!({ "hooks": { "PreToolUse": [{
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "exit 2" }],
    }] } });
    std::fs::write(&path, settings.to_string()).unwrap();
    let runtime = Runtime::builder()
        .text("[[hooks.on]]\nname = 'rule'\nevent = 'BeforeToolCall'\nif = 'Edit(*)'\nblock = 'no'")
        .file_as(hooks_runtime::Dialect::Claude, path)
        .trust(hooks_runtime::Trust::all())
        .build()
        .await
        .unwrap();
    for (tool, is_blocked) in [
        ("Bash", true),
        ("shell", true),
        ("Edit", true),
        ("file_write", true),
        ("Read", false),
        ("deploy", false),
    ] {
        for _ in 0..2 {
            assert_eq!(blocks(&runtime, tool).await.is_some(), is_blocked, "{tool}");
        }
    }
}

#[tokio::test]
async fn a_new_revision_chooses_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let write = |tools: &str| {
        let text =
            format!("[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = '{tools}'\nblock = 'no'");
        std::fs::write(&path, text).unwrap();
    };
    write("one");
    let runtime = Runtime::load(&path).await.unwrap();
    assert!(blocks(&runtime, "one").await.is_some());
    assert!(blocks(&runtime, "two").await.is_none());
    write("two");
    runtime.reload().await.unwrap();
    assert!(blocks(&runtime, "one").await.is_none());
    assert!(blocks(&runtime, "two").await.is_some());
}

#[tokio::test]
async fn a_model_that_invents_tools_does_not_change_what_is_chosen() {
    let runtime = Runtime::builder()
        .text(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nmatcher = '^tool_(7|1999)$'\nblock = 'no'\n\
             [[hooks.on]]\nevent = 'BeforeToolCall'\ntools = 'shell'\nblock = 'no'",
        )
        .build()
        .await
        .unwrap();
    for nth in 0..2000 {
        let is_blocked = blocks(&runtime, &format!("tool_{nth}")).await.is_some();
        assert_eq!(is_blocked, matches!(nth, 7 | 1999), "{nth}");
    }
    assert!(blocks(&runtime, "shell").await.is_some());
    assert!(blocks(&runtime, "tool_7").await.is_some());
}

#[tokio::test]
async fn events_without_a_tool_reach_the_definitions_for_them() {
    let runtime = Runtime::builder()
        .text(
            "[[hooks.on]]\nname = 'shell'\nevent = 'BeforeToolCall'\ntools = 'shell'\nblock = 'no'\n\
             [[hooks.on]]\nname = 'stop'\nevent = 'BeforeStop'\nblock = 'go on'",
        )
        .build()
        .await
        .unwrap();
    let hooks = hooks![..runtime.clone()];
    let mut stop = BeforeStop::new("Done.", 0);
    let result = hooks.intercept(&AgentContext::new("s1"), &mut stop).await;
    assert_eq!(result.as_cancel().unwrap().hook, "stop");
}
