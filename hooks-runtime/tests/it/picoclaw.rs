//! PicoClaw's configuration, and the same tables in a file of ours.

#![cfg(unix)]

use hooks_core::agent::{
    AgentContext, AgentStart, Approval, ApproveToolCall, BeforeToolCall, InvalidToolCall,
    ToolAnnotations,
};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{Dialect, Records, Runtime};
use serde_json::{Value, json};

/// A process that logs its input, and answers what its argument says.
const PROGRAM: &str = r#"
import json, sys
name, decision = sys.argv[1], json.loads(sys.argv[2])
for line in sys.stdin:
    message = json.loads(line)
    with open("log", "a") as log:
        log.write(name + " " + message["method"] + "\n")
    if not message.get("id"):
        continue
    result = {"ok": True} if message["method"] == "hook.hello" else decision
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

fn process(name: &str, decision: &Value, more: &Value) -> Value {
    let mut entry = json!({ "enabled": true, "command": ["python3", "-c", PROGRAM, name, decision.to_string()] });
    entry
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    entry
}

struct Claw {
    folder: tempfile::TempDir,
    records: Records,
    runtime: Runtime,
}

impl Claw {
    async fn new(mut hooks: Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (_, entry) in hooks["processes"].as_object_mut().into_iter().flatten() {
            entry["dir"] = json!(folder.path());
        }
        let file = folder.path().join("config.json");
        std::fs::write(&file, json!({ "agents": {}, "hooks": hooks }).to_string()).unwrap();
        let records = Records::latest(100);
        let builder = Runtime::builder()
            .file_as(Dialect::Picoclaw, file)
            .recorder(records.clone());
        let runtime = builder
            .build()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        Claw {
            folder,
            records,
            runtime,
        }
    }

    fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        text.lines()
            .filter(|line| !line.ends_with("hook.hello"))
            .map(str::to_owned)
            .collect()
    }
}

#[tokio::test]
async fn lower_priorities_run_first_and_then_names() {
    let goes_on = json!({ "action": "continue" });
    let mode = |priority: i32| json!({ "priority": priority, "intercept": ["before_tool"] });
    let claw = Claw::new(json!({ "processes": {
        "c": process("c", &goes_on, &mode(-5)),
        "b": process("b", &goes_on, &mode(0)),
        "a": process("a", &json!({ "action": "deny_tool", "reason": "no" }), &mode(0)),
        "off": { "command": ["/does/not/exist"], "intercept": ["before_tool"] },
    } }))
    .await;
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks![..claw.runtime.clone()]
        .intercept(&AgentContext::new("s"), &mut call)
        .await;
    let cancel = result
        .as_cancel()
        .unwrap_or_else(|| panic!("{:?}", claw.records.steps()));
    assert_eq!(cancel.hook, "a");
    assert_eq!(claw.log(), ["c hook.before_tool", "a hook.before_tool"]);
    claw.runtime.shutdown().await;
}

#[tokio::test]
async fn approvals_fail_closed_and_others_open() {
    let claw = Claw::new(json!({ "processes": {
        "dead": { "enabled": true, "command": ["false"], "intercept": ["before_tool", "approve_tool"] }
    } }))
    .await;
    let hooks = hooks![..claw.runtime.clone()];
    let cx = AgentContext::new("s");
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    assert!(hooks.intercept(&cx, &mut call).await.is_continue());
    let (args, approval) = (json!({}), Approval::ask("may it?"));
    let mut approve = ApproveToolCall {
        id: "1",
        name: "shell",
        args: &args,
        annotations: ToolAnnotations::default(),
        approval: &approval,
    };
    let result = hooks.intercept(&cx, &mut approve).await;
    assert_eq!(result.as_cancel().unwrap().hook, "dead:approve");
}

/// A plugin for a tool that nobody has registered.
#[tokio::test]
async fn a_process_answers_for_a_tool_that_the_agent_does_not_have() {
    let answer =
        json!({ "action": "respond", "result": { "for_llm": "sunny", "media": ["media://1"] } });
    let claw = Claw::new(json!({
        "processes": { "weather": process("weather", &answer, &json!({ "intercept": ["before_tool"] })) },
    }))
    .await;
    let hooks = hooks![..claw.runtime.clone()];
    let mut call = InvalidToolCall::new("1", "get_weather", json!({ "city": "Berlin" }), "no tool");
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    let HookResult::Respond(output) = result else {
        panic!("{result:?}")
    };
    assert_eq!(output.content, "sunny");
    assert_eq!(output.media[0].url.as_deref(), Some("media://1"));
    assert_eq!(claw.log(), ["weather hook.before_tool"]);
    claw.runtime.shutdown().await;
}

#[tokio::test]
async fn a_program_is_looked_up_in_its_directory() {
    use std::os::unix::fs::PermissionsExt as _;

    let answer = json!({ "action": "deny_tool", "reason": "no" });
    let entry = process("gate", &answer, &json!({ "intercept": ["before_tool"] }));
    let command = entry["command"].as_array().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("plugins");
    std::fs::create_dir(&dir).unwrap();
    let helper = dir.join("helper");
    std::fs::write(&helper, format!("#!/usr/bin/env python3\n{PROGRAM}")).unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let argv = json!(["./helper", command[3], command[4]]);
    let file = folder.path().join("config.json");
    let gate =
        json!({ "enabled": true, "command": argv, "dir": dir, "intercept": ["before_tool"] });
    let text = json!({ "hooks": { "processes": { "gate": gate } } }).to_string();
    std::fs::write(&file, text).unwrap();
    let builder = Runtime::builder().file_as(Dialect::Picoclaw, file);
    let runtime = builder.build().await.unwrap();
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks![..runtime.clone()]
        .intercept(&AgentContext::new("s1"), &mut call)
        .await;
    assert_eq!(result.as_cancel().unwrap().reason, "no");
    runtime.shutdown().await;
}

#[tokio::test]
async fn a_process_is_told_of_what_it_observes() {
    let claw = Claw::new(json!({ "processes": {
        "watch": process("watch", &json!({}), &json!({ "observe": ["turn_start", "mcp.tool.discovered"] }))
    } }))
    .await;
    hooks![..claw.runtime.clone()]
        .observe(&AgentContext::new("s"), &AgentStart { prompt: "hello" })
        .await;
    claw.runtime.shutdown().await;
    assert_eq!(claw.log(), ["watch hook.runtime_event"]);
    assert!(
        claw.runtime.status().notices[0]
            .contains("`mcp.tool.discovered` is a known event that is never raised here")
    );
}

#[tokio::test]
async fn the_same_tables_stand_in_a_file_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    let mut gate = process(
        "gate",
        &json!({ "action": "deny_tool", "reason": "no" }),
        &json!({ "intercept": ["before_tool"] }),
    );
    gate["dir"] = json!(folder.path());
    std::fs::write(
        &file,
        json!({ "hooks": { "processes": { "gate": gate } } }).to_string(),
    )
    .unwrap();
    let runtime = Runtime::load(&file)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks![..runtime.clone()]
        .intercept(&AgentContext::new("s"), &mut call)
        .await;
    assert!(result.as_cancel().is_some());
    runtime.shutdown().await;
}

#[tokio::test]
async fn wrong_processes_are_mistakes() {
    let names = json!({
        "a": { "enabled": true, "command": ["x"], "intercept": ["before_lunch"] },
        "b": { "enabled": true, "command": ["x"], "observe": ["lunch"] },
    });
    let missing = json!({
        "c": { "enabled": true, "command": ["x"] },
        "d": { "enabled": true, "command": [], "intercept": ["before_tool"] },
    });
    for (processes, expected) in [
        (
            names,
            ["`before_lunch` is not known", "`lunch` is not known"],
        ),
        (missing, ["`c` neither observes", "`d` has no command"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.json");
        let hooks = json!({ "hooks": { "processes": processes } });
        std::fs::write(&file, hooks.to_string()).unwrap();
        let built = Runtime::builder()
            .file_as(Dialect::Picoclaw, file)
            .build()
            .await;
        let error = built.map(|_| ()).unwrap_err().to_string();
        for expected in expected {
            assert!(error.contains(expected), "{expected}\n---\n{error}");
        }
    }
}
