//! Files that a system finds by itself, and whose files may run code.

#![cfg(unix)]

use std::path::Path;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Dialect, Runtime, RuntimeBuilder, Trust};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Folders of a user, a project and an organisation.
struct Machine {
    user: TempDir,
    project: TempDir,
    managed: TempDir,
}

fn blocks(reason: &str) -> Value {
    json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": format!("echo {reason} >> ran; exit 0") }
    ] }] } })
}

impl Machine {
    fn new() -> Self {
        let folder = || tempfile::tempdir().unwrap();
        Machine {
            user: folder(),
            project: folder(),
            managed: folder(),
        }
    }

    fn write(folder: &TempDir, name: &str, value: &Value) {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    }

    fn builder(&self) -> RuntimeBuilder {
        Runtime::builder()
            .project_dir(self.project.path())
            .user_dir(self.user.path())
            .managed_dir(self.managed.path())
            .discover([Dialect::Claude])
    }

    /// Which hooks run.
    async fn ran(&self, builder: RuntimeBuilder) -> Vec<String> {
        let runtime = builder
            .build()
            .await
            .unwrap_or_else(|error| panic!("{error}"));
        let cx = AgentContext::new("s").with_cwd(self.project.path().to_string_lossy());
        let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "ls" }));
        let _ = std::fs::remove_file(self.project.path().join("ran"));
        let result = hooks![..runtime].intercept(&cx, &mut call).await;
        assert!(result.is_continue());
        let text = std::fs::read_to_string(self.project.path().join("ran")).unwrap_or_default();
        let mut ran: Vec<_> = text.lines().map(str::to_owned).collect();
        ran.sort();
        ran
    }
}

const PROJECT: &str = ".claude/settings.json";
const LOCAL: &str = ".claude/settings.local.json";

#[tokio::test]
async fn all_levels_add_up_and_the_project_has_to_be_trusted() {
    let machine = Machine::new();
    Machine::write(&machine.user, PROJECT, &blocks("user"));
    Machine::write(&machine.project, PROJECT, &blocks("project"));
    Machine::write(&machine.project, LOCAL, &blocks("local"));
    Machine::write(
        &machine.managed,
        "managed-settings.json",
        &blocks("managed"),
    );
    Machine::write(
        &machine.managed,
        "managed-settings.d/10-more.json",
        &blocks("more"),
    );

    assert_eq!(
        machine.ran(machine.builder()).await,
        ["managed", "more", "user"]
    );
    let all = machine.builder().trust(Trust::all());
    assert_eq!(
        machine.ran(all).await,
        ["local", "managed", "more", "project", "user"]
    );
    let text = blocks("project").to_string();
    let file = machine.project.path().join(PROJECT);
    let one = Trust::none().with_text(&file, &Trust::fingerprint(&text));
    assert_eq!(
        machine.ran(machine.builder().trust(one.clone())).await,
        ["managed", "more", "project", "user"]
    );
    // Another text is another file.
    Machine::write(&machine.project, PROJECT, &blocks("changed"));
    assert_eq!(
        machine.ran(machine.builder().trust(one)).await,
        ["managed", "more", "user"]
    );
}

#[tokio::test]
async fn what_is_not_trusted_is_listed_with_its_fingerprint() {
    let machine = Machine::new();
    Machine::write(&machine.project, PROJECT, &blocks("project"));
    let runtime = machine.builder().build().await.unwrap();
    let status = runtime.status();
    assert!(status.hooks.is_empty());
    let source = &status.sources[0];
    assert_eq!((source.trusted, source.definitions), (false, 0));
    let fingerprint = Trust::fingerprint(&blocks("project").to_string());
    let notice = &status.notices[0];
    assert!(
        notice.contains(&fingerprint) && notice.contains("`echo project >> ran; exit 0`"),
        "{notice}"
    );
}

#[tokio::test]
async fn hooks_are_switched_off_by_whom_it_may_concern() {
    let off = json!({ "disableAllHooks": true });
    let machine = Machine::new();
    Machine::write(&machine.user, PROJECT, &blocks("user"));
    Machine::write(
        &machine.managed,
        "managed-settings.json",
        &blocks("managed"),
    );
    // A project that nobody trusts switches nothing off.
    Machine::write(&machine.project, PROJECT, &off);
    assert_eq!(machine.ran(machine.builder()).await, ["managed", "user"]);
    // One that is trusted does not reach the organisation's.
    assert_eq!(
        machine.ran(machine.builder().trust(Trust::all())).await,
        ["managed"]
    );

    let machine = Machine::new();
    Machine::write(&machine.user, PROJECT, &blocks("user"));
    let mut managed = blocks("managed");
    managed["allowManagedHooksOnly"] = json!(true);
    Machine::write(&machine.managed, "managed-settings.json", &managed);
    assert_eq!(machine.ran(machine.builder()).await, ["managed"]);
}

#[tokio::test]
async fn the_same_hook_of_two_levels_runs_once() {
    let machine = Machine::new();
    Machine::write(&machine.user, PROJECT, &blocks("same"));
    Machine::write(&machine.project, PROJECT, &blocks("same"));
    assert_eq!(
        machine.ran(machine.builder().trust(Trust::all())).await,
        ["same"]
    );
}

#[tokio::test]
async fn an_import_is_trusted_as_its_file_is_unless_it_is_the_projects() {
    let machine = Machine::new();
    Machine::write(&machine.project, PROJECT, &blocks("project"));
    let file = machine.project.path().join(PROJECT);
    let import = format!(
        "[[hooks.import]]\nclaude = {:?}",
        file.display().to_string()
    );
    let write = |folder: &Path| {
        let ours = folder.join("hooks.toml");
        std::fs::write(&ours, &import).unwrap();
        ours
    };
    let of = |ours| {
        Runtime::builder()
            .project_dir(machine.project.path())
            .file(ours)
    };
    assert_eq!(
        machine.ran(of(write(machine.project.path()))).await,
        ["project"]
    );
    let outside = write(machine.user.path());
    assert!(machine.ran(of(outside.clone())).await.is_empty());
    assert_eq!(
        machine
            .ran(of(outside).trust(Trust::none().with_file(&file)))
            .await,
        ["project"]
    );
}

#[tokio::test]
async fn endpoints_are_limited_by_all_settings() {
    let machine = Machine::new();
    Machine::write(
        &machine.user,
        PROJECT,
        &json!({ "hooks": { "PreToolUse": [{ "hooks": [
            { "type": "http", "url": "http://localhost:1/a" },
            { "type": "http", "url": "https://hooks.example.com/a" },
        ] }] } }),
    );
    Machine::write(
        &machine.managed,
        "managed-settings.json",
        &json!({ "allowedHttpHookUrls": ["https://*.example.com/*"] }),
    );
    let runtime = machine.builder().build().await.unwrap();
    let status = runtime.status();
    assert_eq!(status.hooks.len(), 1);
    assert!(
        status.notices[0].contains("none of those that may be called"),
        "{}",
        status.notices[0]
    );
}
