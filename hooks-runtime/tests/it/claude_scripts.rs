//! Hook scripts in Python and shell, as people write them for Claude Code, under one `settings.json`, unchanged.
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use hooks_core::agent::{
    AfterToolCall, AgentContext, Approval, ApproveToolCall, BeforeCompact, BeforeStop,
    BeforeToolCall, MessageReceived, Notification, SessionStart, SubagentStart, ToolAnnotations,
    ToolOutput,
};
use hooks_core::{HookResult, Scope, hooks};
use hooks_runtime::{Dialect, RecordOutcome, Records, Runtime};
use serde_json::{Value, json};
use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/claude");

/// A project with the scripts.
struct Project {
    folder: TempDir,
    records: Records,
    runtime: Runtime,
}

fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        eprintln!("{program} is not there: this test shows nothing");
    }
    there
}

impl Project {
    /// The project with the settings of the fixtures. None, where the scripts cannot run.
    async fn new() -> Option<Self> {
        let settings = std::fs::read_to_string(Path::new(FIXTURES).join("settings.json")).unwrap();
        let programs = ["bash", "python3", "jq"];
        if programs.iter().all(|program| has(program)) {
            return Some(Project::with(&settings).await);
        }
        None
    }

    async fn with(settings: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let hooks = folder.path().join(".claude/hooks");
        std::fs::create_dir_all(&hooks).unwrap();
        for script in std::fs::read_dir(Path::new(FIXTURES).join("hooks")).unwrap() {
            let script = script.unwrap();
            std::fs::copy(script.path(), hooks.join(script.file_name())).unwrap();
        }
        let file = folder.path().join(".claude/settings.json");
        std::fs::write(&file, settings).unwrap();
        std::fs::write(folder.path().join("branch"), "feature\n").unwrap();
        let records = Records::latest(100);
        let runtime = Runtime::builder()
            .file_as(Dialect::Claude, file)
            .project_dir(folder.path())
            .recorder(records.clone())
            .build();
        let runtime = runtime.await.unwrap_or_else(|error| panic!("{error}"));
        Project {
            folder,
            records,
            runtime,
        }
    }

    /// One hook of Bash.
    async fn of(command: &str, more: Value) -> Self {
        let mut hook = json!({ "type": "command", "command": command, "timeout": 50 });
        let fields = hook.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let matched = json!({ "matcher": "Bash", "hooks": [hook] });
        Project::with(&json!({ "hooks": { "PreToolUse": [matched] } }).to_string()).await
    }

    fn cx(&self) -> AgentContext {
        let folder = self.folder.path().to_string_lossy();
        AgentContext::new("session-1")
            .with_cwd(folder.clone())
            .with_project_dir(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    async fn call(&self, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
        hooks![..self.runtime.clone()]
            .intercept(&self.cx(), call)
            .await
    }

    /// The reason, if the call is refused.
    async fn refused(&self, tool: &str, args: Value) -> Option<String> {
        let result = self
            .call(&mut BeforeToolCall::new("call-1", tool, args))
            .await;
        result.as_cancel().map(|cancel| cancel.reason.to_string())
    }

    async fn bash(&self, command: &str) -> Option<String> {
        self.refused("Bash", json!({ "command": command })).await
    }

    /// What the hooks make of a tool's output.
    async fn done(&self, tool: &str, args: Value, output: &str) -> AfterToolCall {
        let call = BeforeToolCall::new("call-1", tool, args);
        let mut done = AfterToolCall::of(call, ToolOutput::new(output), Duration::ZERO);
        let result = hooks![..self.runtime.clone()]
            .intercept(&self.cx(), &mut done)
            .await;
        assert!(result.is_continue(), "{result:?}");
        done
    }

    async fn prompt(&self, content: &str) -> Result<Vec<String>, String> {
        let mut message = MessageReceived::new("cli", "ada", content);
        let result = hooks![..self.runtime.clone()]
            .intercept(&self.cx(), &mut message)
            .await;
        if let Some(cancel) = result.as_cancel() {
            return Err(cancel.reason.to_string());
        }
        message.context.sort();
        Ok(message.context)
    }

    /// Hooks that failed, as their records say.
    fn faults(&self) -> Vec<String> {
        let records = self.records.steps().into_iter();
        records
            .filter(|record| record.outcome == RecordOutcome::Fault)
            .map(|record| record.reason.unwrap_or_default())
            .collect()
    }
}

#[tokio::test]
async fn every_entry_of_the_settings_is_run() {
    let Some(project) = Project::new().await else {
        return;
    };
    let status = project.runtime.status();
    assert_eq!(status.notices, [] as [String; 0]);
    assert_eq!(status.hooks.len(), 22);
}

#[tokio::test]
async fn commands_are_refused_rewritten_and_asked_about() {
    let Some(project) = Project::new().await else {
        return;
    };
    assert_eq!(project.bash("ls -l").await, None);
    let reason = project.bash("rm -rf build && chmod 777 x").await.unwrap();
    assert!(
        reason.contains("• do not remove folders by force"),
        "{reason}"
    );
    assert!(reason.contains("• do not open files"), "{reason}");

    // A change keeps all other keys.
    let args = json!({ "command": "git log", "timeout": 1000, "description": "Shows" });
    let mut call = BeforeToolCall::new("call-1", "Bash", args);
    assert!(project.call(&mut call).await.is_continue());
    assert_eq!(
        call.args,
        json!({ "command": "git --no-pager log", "timeout": 1000, "description": "Shows" })
    );

    // One wants to ask, and another one allows: a person is asked.
    let mut call = BeforeToolCall::new("call-1", "Bash", json!({ "command": "git push origin x" }));
    assert!(project.call(&mut call).await.is_continue());
    let Approval::Ask { reason, .. } = &call.approval else {
        panic!("nobody is asked: {:?}", call.approval);
    };
    assert!(reason.contains("this leaves the machine"), "{reason}");
    // And one refuses.
    let reason = project.bash("git push origin HEAD:main").await.unwrap();
    assert!(reason.contains("open a pull request"), "{reason}");
    let reason = project.bash("curl https://example.com").await.unwrap();
    assert_eq!(reason, "no downloads (jq)");
    assert_eq!(project.faults(), [] as [String; 0]);
}

#[tokio::test]
async fn a_script_with_a_way_around_jq_says_the_same_without_it() {
    if !has("bash") {
        return;
    }
    let project = Project::of(
        "PATH=\"$CLAUDE_PROJECT_DIR/bin\" bash .claude/hooks/portable.sh",
        json!({}),
    )
    .await;
    without_jq(&project);
    let reason = project.bash("curl https://example.com").await;
    assert_eq!(reason.as_deref(), Some("no downloads (sed)"));
    assert_eq!(project.bash("ls").await, None);
}

#[tokio::test]
async fn a_script_that_needs_jq_fails_without_it_as_it_says() {
    if !has("bash") {
        return;
    }
    let command = "PATH=\"$CLAUDE_PROJECT_DIR/bin\" bash .claude/hooks/protect_main.sh";
    let project = Project::of(command, json!({})).await;
    without_jq(&project);
    // There, a failure lets the call go on, and somebody has to hear of it.
    assert_eq!(project.bash("git push origin main").await, None);
    let faults = project.faults();
    assert!(faults[0].contains("127"), "{faults:?}");
    let project = Project::of(command, json!({ "onFailure": "block" })).await;
    without_jq(&project);
    assert!(project.bash("git push origin main").await.is_some());
}

/// A folder of programs in which there is no jq.
fn without_jq(project: &Project) {
    let bin = project.path("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["bash", "cat", "sed"] {
        let folders = std::env::var("PATH").unwrap();
        let mut found = std::env::split_paths(&folders).map(|folder| folder.join(program));
        let found = found.find(|file| file.is_file()).unwrap();
        std::os::unix::fs::symlink(found, bin.join(program)).unwrap();
    }
}

#[tokio::test]
async fn files_are_protected_reviewed_and_formatted() {
    let Some(project) = Project::new().await else {
        return;
    };
    let path = |name: &str| project.path(name).display().to_string();
    let write = |path: &str| json!({ "file_path": path, "content": "x" });
    let reason = project.refused("Write", write(&path(".env.local"))).await;
    assert_eq!(reason.as_deref(), Some(".env.local has secrets in it"));
    let reason = project.refused("Edit", write("../other/file")).await;
    assert_eq!(
        reason.as_deref(),
        Some("the file is outside of the project")
    );
    assert_eq!(project.refused("Write", write("src/main.rs")).await, None);

    std::fs::write(path("a.py"), "x = 1\n# TODO\n").unwrap();
    let done = project.done("Write", write(&path("a.py")), "written").await;
    assert_eq!(done.context, ["TODO in lines [2]"]);
    assert_eq!(done.output.content, "written");
    std::fs::write(path("b.py"), "x = 1   \n").unwrap();
    let notebook = json!({ "notebook_path": path("b.py"), "file_path": path("b.py") });
    let done = project.done("NotebookEdit", notebook, "written").await;
    assert_eq!(project.text("b.py"), "x = 1\n");
    // What a formatter prints is for people.
    assert!(done.context.is_empty(), "{:?}", done.context);
    assert_eq!(project.faults(), [] as [String; 0]);
}

#[tokio::test]
async fn the_model_does_not_see_a_token() {
    let Some(project) = Project::new().await else {
        return;
    };
    let env = json!({ "command": "env" });
    let done = project
        .done("Bash", env.clone(), "A=1\nGH=ghp_abcdef123\n")
        .await;
    assert_eq!(done.output.content, "A=1\nGH=ghp_***\n");
    let done = project.done("Bash", env, "A=1\n").await;
    assert_eq!(done.output.content, "A=1\n");
}

#[tokio::test]
async fn prompts_get_context_and_keys_are_kept_out() {
    let Some(project) = Project::new().await else {
        return;
    };
    assert_eq!(
        project.prompt("deploy it").await.unwrap(),
        [
            "Deployments are described in docs/deploy.md.",
            "The branch is feature."
        ]
    );
    assert_eq!(
        project
            .prompt("use AKIAABCDEFGHIJKLMNOP")
            .await
            .unwrap_err(),
        "the prompt has a key in it"
    );
    let logged = project.text("events.jsonl");
    let first: Value = serde_json::from_str(logged.lines().next().unwrap()).unwrap();
    assert_eq!(first["hook_event_name"], "UserPromptSubmit");
    assert_eq!(first["prompt"], "deploy it");
}

#[tokio::test]
async fn sessions_and_subagents_begin_with_context() {
    let Some(project) = Project::new().await else {
        return;
    };
    let hooks = hooks![..project.runtime.clone()];
    let mut start = SessionStart::default();
    assert!(
        hooks
            .intercept(&project.cx(), &mut start)
            .await
            .is_continue()
    );
    let name = project.folder.path().file_name().unwrap().to_string_lossy();
    assert_eq!(start.context, [format!("source: startup\nproject: {name}")]);
    let mut start = SubagentStart {
        agent: "reviewer".into(),
        ..SubagentStart::default()
    };
    assert!(
        hooks
            .intercept(&project.cx(), &mut start)
            .await
            .is_continue()
    );
    assert_eq!(start.context, ["write no files"]);
}

#[tokio::test]
async fn permissions_are_given_and_refused_in_the_users_place() {
    let Some(project) = Project::new().await else {
        return;
    };
    let hooks = hooks![..project.runtime.clone()];
    let approval = Approval::ask("may it?");
    let answer = async |name: &str, args: Value| {
        let mut call = ApproveToolCall {
            id: "call-1",
            name,
            args: &args,
            annotations: ToolAnnotations::default(),
            approval: &approval,
        };
        let result = hooks.intercept(&project.cx(), &mut call).await;
        match result {
            HookResult::Respond(_) => "allowed".to_owned(),
            HookResult::Continue => "left to the user".to_owned(),
            HookResult::Cancel(cancel) => cancel.reason.to_string(),
        }
    };
    let read = json!({ "file_path": "/etc/hosts" });
    assert_eq!(answer("Read", read).await, "allowed");
    let sudo = json!({ "command": "sudo id" });
    assert_eq!(answer("Bash", sudo).await, "nobody is root here");
    let id = json!({ "command": "id" });
    assert_eq!(answer("Bash", id).await, "left to the user");
}

#[tokio::test]
async fn the_turn_ends_when_a_script_says_so() {
    let Some(project) = Project::new().await else {
        return;
    };
    std::fs::write(project.path("spent"), "").unwrap();
    let mut call = BeforeToolCall::new("call-1", "Read", json!({ "file_path": "a" }));
    let result = project.call(&mut call).await;
    let cancel = result.as_cancel().unwrap();
    assert_eq!(cancel.scope, Scope::Turn);
    assert_eq!(cancel.reason, "the budget is spent");
    let records = project.records.steps();
    let said = records.iter().flat_map(|record| &record.messages);
    assert_eq!(said.collect::<Vec<_>>(), ["no more today"]);
}

#[tokio::test]
async fn an_agent_goes_on_once_until_the_tests_have_run() {
    let Some(project) = Project::new().await else {
        return;
    };
    let hooks = hooks![..project.runtime.clone()];
    let mut stop = BeforeStop::default();
    let result = hooks.intercept(&project.cx(), &mut stop).await;
    assert_eq!(result.as_cancel().unwrap().reason, "run the tests first");
    stop.attempt = 1;
    let result = hooks.intercept(&project.cx(), &mut stop).await;
    assert!(result.is_continue(), "{result:?}");
    std::fs::write(project.path("tested"), "").unwrap();
    stop.attempt = 0;
    let result = hooks.intercept(&project.cx(), &mut stop).await;
    assert!(result.is_continue(), "{result:?}");
}

#[tokio::test]
async fn only_what_matches_is_compacted_under_a_rule() {
    let Some(project) = Project::new().await else {
        return;
    };
    std::fs::write(project.path("notes"), "").unwrap();
    let hooks = hooks![..project.runtime.clone()];
    let mut compact = BeforeCompact {
        trigger: "manual".into(),
        ..BeforeCompact::default()
    };
    let result = hooks.intercept(&project.cx(), &mut compact).await;
    assert_eq!(result.as_cancel().unwrap().reason, "save the notes first");
    compact.trigger = "auto".into();
    let result = hooks.intercept(&project.cx(), &mut compact).await;
    assert!(result.is_continue(), "{result:?}");
}

#[tokio::test]
async fn a_notification_is_shown_beside_the_agent() {
    let Some(project) = Project::new().await else {
        return;
    };
    let notification = Notification {
        kind: "idle_prompt",
        title: "Waiting",
        message: "say something",
    };
    hooks![..project.runtime.clone()]
        .observe(&project.cx(), &notification)
        .await;
    project.runtime.shutdown().await;
    assert_eq!(project.text("notified"), "say something\n");
}

#[tokio::test]
async fn a_script_that_takes_too_long_is_ended_and_the_call_goes_on() {
    let Some(project) = Project::new().await else {
        return;
    };
    let fetch = json!({ "url": "https://example.com" });
    assert_eq!(project.refused("WebFetch", fetch).await, None);
    let faults = project.faults();
    assert!(faults[0].contains("longer than 1s"), "{faults:?}");
}
