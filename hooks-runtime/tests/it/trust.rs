//! Files that a system finds by itself, and whose files may run code.

#![cfg(unix)]

use std::path::Path;
use std::time::Duration;

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
async fn a_file_that_comes_to_a_folder_of_the_organisation_is_seen() {
    let hooks = |runtime: &Runtime| runtime.status().hooks.len();
    let until = async |runtime: &Runtime, count: usize| {
        for _ in 0..15_000 {
            if hooks(runtime) == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{} hooks instead of {count}", hooks(runtime));
    };
    // The folder may be there, or come later as well.
    for is_there in [true, false] {
        let machine = Machine::new();
        let folder = machine.managed.path().join("managed-settings.d");
        if is_there {
            std::fs::create_dir(&folder).unwrap();
        }
        let runtime = machine.builder().build().await.unwrap();
        runtime.watch().unwrap();
        assert_eq!(hooks(&runtime), 0);
        let more = |name: &str| Machine::write(&machine.managed, name, &blocks(name));
        more("managed-settings.d/10-more.json");
        until(&runtime, 1).await;
        more("managed-settings.d/20-more.json");
        until(&runtime, 2).await;
        std::fs::remove_file(folder.join("10-more.json")).unwrap();
        until(&runtime, 1).await;
    }
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
        notice.contains(&fingerprint) && notice.contains("echo project >> ran; exit 0"),
        "{notice}"
    );
}

/// A person trusts what the notice shows.
#[tokio::test]
async fn the_notice_shows_every_entry_and_hides_nothing() {
    let machine = Machine::new();
    let hidden = format!("{}; touch evil", "x".repeat(1000));
    let mut all = blocks("one \u{202e}\u{1b}[2K");
    all["hooks"]["Stop"] = json!([{ "matcher": "m", "hooks": [
        { "type": "command", "argv": ["sh", "-c", "two"] },
        { "type": "process", "process": { "argv": ["three"] } },
        { "approve": "four" },
        { "type": "command", "command": hidden },
    ] }]);
    Machine::write(&machine.project, PROJECT, &all);
    let runtime = machine.builder().build().await.unwrap();
    let notice = &runtime.status().notices[0];
    for part in [
        "6 entries do not run",
        r"one \u{202e}\u001b[2K",
        r#"["sh","-c","two"]"#,
        "three",
        "four",
        r#"Stop.matcher: "m""#,
        "… (",
        " more characters)",
    ] {
        assert!(notice.contains(part), "{part}: {notice}");
    }
    assert!(!notice.contains("touch evil"), "{notice}");
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

/// Nobody is asked about the files of the user and the organisation, so nobody else may write them.
#[tokio::test]
async fn what_others_may_write_is_no_policy() {
    use std::os::unix::fs::PermissionsExt as _;

    let machine = Machine::new();
    Machine::write(&machine.user, PROJECT, &blocks("user"));
    let managed = "managed-settings.json";
    Machine::write(&machine.managed, managed, &blocks("managed"));
    Machine::write(&machine.project, PROJECT, &blocks("project"));
    let trusted = || machine.builder().trust(Trust::all());
    let user = machine.user.path().join(PROJECT);
    let folder = user.parent().unwrap();
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    for (path, before) in [
        (&*user, 0o644),
        (folder, 0o755),
        (&machine.managed.path().join(managed), 0o644),
        (machine.managed.path(), 0o755),
    ] {
        set(path, before | 0o002);
        let error = trusted().build().await.unwrap_err().to_string();
        let why = format!("others may change {}", path.display());
        assert!(error.contains(&why), "{error}");
        set(path, before);
        assert_eq!(machine.ran(trusted()).await.len(), 3);
    }
    // The file behind a link counts, too.
    let elsewhere = machine.project.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::rename(&user, elsewhere.join("settings.json")).unwrap();
    std::os::unix::fs::symlink(elsewhere.join("settings.json"), &user).unwrap();
    set(&elsewhere, 0o777);
    assert!(trusted().build().await.is_err());
    // A project's file is what its text says, whoever writes it.
    set(&elsewhere, 0o755);
    set(&machine.project.path().join(PROJECT), 0o666);
    assert_eq!(machine.ran(trusted()).await.len(), 3);
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
    assert_eq!((status.hooks.len(), status.left_out), (2, 1));
    assert!(
        status.notices[0].contains("not one of the allowed URLs"),
        "{}",
        status.notices[0]
    );
}

#[tokio::test]
async fn a_link_in_the_project_is_the_projects() {
    let machine = Machine::new();
    Machine::write(&machine.managed, "elsewhere.json", &blocks("elsewhere"));
    let elsewhere = machine.managed.path().join("elsewhere.json");
    let project = machine.project.path();
    std::os::unix::fs::symlink(&elsewhere, project.join("link.json")).unwrap();
    std::os::unix::fs::symlink(machine.managed.path(), project.join("folder")).unwrap();
    std::fs::create_dir(project.join("sub")).unwrap();
    let of = |path: &Path| {
        let ours = machine.user.path().join("hooks.toml");
        let import = format!("[[hooks.import]]\nclaude = {:?}", path.to_str().unwrap());
        std::fs::write(&ours, import).unwrap();
        Runtime::builder().project_dir(project).file(ours)
    };
    for path in ["link.json", "folder/elsewhere.json", "sub/../link.json"] {
        let path = project.join(path);
        assert!(machine.ran(of(&path)).await.is_empty(), "{path:?}");
        let trust = Trust::none().with_file(&path);
        assert_eq!(machine.ran(of(&path).trust(trust)).await, ["elsewhere"]);
    }
    let beside = project
        .join("..")
        .join(machine.managed.path().file_name().unwrap());
    assert_eq!(
        machine.ran(of(&beside.join("elsewhere.json"))).await,
        ["elsewhere"]
    );
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_listed() {
    let machine = Machine::new();
    Machine::write(&machine.project, PROJECT, &json!({}));
    // No text.
    std::fs::write(machine.project.path().join(PROJECT), [0xff, 0xfe]).unwrap();
    std::os::unix::fs::symlink("/nowhere", machine.project.path().join(LOCAL)).unwrap();
    Machine::write(&machine.user, PROJECT, &blocks("user"));
    let runtime = machine.builder().trust(Trust::all()).build().await.unwrap();
    let status = runtime.status();
    assert_eq!(status.hooks.len(), 1);
    for name in [PROJECT, LOCAL] {
        let path = machine.project.path().join(name);
        let source = status
            .sources
            .iter()
            .find(|one| one.file.as_ref() == Some(&path));
        assert!(source.is_some_and(|one| !one.trusted), "{name}");
        let is_listed =
            |notice: &String| notice.contains(name) && notice.contains("cannot be read");
        assert!(status.notices.iter().any(is_listed), "{:?}", status.notices);
    }
}

/// A guard that is silently gone is worse than none.
#[tokio::test]
async fn a_file_of_the_user_or_the_organisation_that_cannot_be_read_is_a_mistake() {
    const MANAGED: &str = "managed-settings.json";
    let machine = Machine::new();
    Machine::write(&machine.managed, MANAGED, &blocks("managed"));
    let runtime = machine.builder().build().await.unwrap();
    let file = machine.managed.path().join(MANAGED);
    let good = std::fs::read(&file).unwrap();

    // A write has stopped in the middle of a letter.
    std::fs::write(&file, [&good[..], b"\xc3"].concat()).unwrap();
    let error = runtime.reload().await.unwrap_err();
    assert!(error.to_string().contains("cannot be read"), "{error}");
    assert_eq!(runtime.status().hooks.len(), 1, "the last revision stays");
    assert!(machine.builder().build().await.is_err());

    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let error = runtime.reload().await.unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");

    std::fs::remove_dir(&file).unwrap();
    std::fs::write(&file, good).unwrap();
    assert!(runtime.reload().await.is_ok());
    Machine::write(&machine.user, ".claude/here", &json!(1));
    std::fs::write(machine.user.path().join(PROJECT), b"\xff").unwrap();
    assert!(runtime.reload().await.is_err());
}

#[tokio::test]
async fn what_was_refused_is_displayed_with_its_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    std::fs::write(&file, "[hooks.builtin]").unwrap();
    let runtime = Runtime::load(&file).await.unwrap();
    std::fs::write(&file, "[hooks.buildin]").unwrap();
    let _ = runtime.reload().await;
    let shown = runtime.status().refused.unwrap().to_string();
    assert!(
        shown.starts_with("refused at 20") && shown.contains("unknown key `buildin`"),
        "{shown}"
    );
}

/// The project of a stranger holds up nobody who has not trusted it yet.
#[tokio::test]
async fn a_project_file_that_does_not_end_or_does_not_answer_is_skipped() {
    let machine = Machine::new();
    let file = machine.project.path().join(PROJECT);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let builds = async || {
        let built = tokio::time::timeout(Duration::from_mins(5), machine.builder().build());
        let runtime = built.await.expect("it does not hang").unwrap();
        let notices = runtime.status().notices;
        assert!(
            notices.len() == 1 && notices[0].contains("cannot be read"),
            "{notices:?}"
        );
    };
    std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
    builds().await;
    std::fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(made.unwrap().success());
    builds().await;
    std::fs::remove_file(&file).unwrap();
    std::fs::write(&file, " ".repeat(5 << 20)).unwrap();
    builds().await;
}

#[test]
fn whoever_trusts_a_file_sees_everything_that_it_runs() {
    let bundle = r#"{"format": "hooks-bundle/1", "hooks": [{"event": "BeforeToolCall", "block": "nice"}],
        "processes": {"evil": {"command": ["curl", "evil"]}}, "import": [{"claude": "evil.json"}]}"#;
    let sets = r#"{"hooks": {"PreToolUse": [{"command": "echo nice"}]}, "other": {"PreToolUse": [{"command": "curl evil"}]}}"#;
    for (text, parts) in [
        (bundle, &["nice", "curl", "evil.json"][..]),
        (sets, &["echo nice", "curl evil"]),
    ] {
        let shown = hooks_runtime::entries(text).join("\n");
        for part in parts {
            assert!(shown.contains(part), "{part}: {shown}");
        }
    }
}
