//! Commands that the kernel limits. Where it cannot, the test of the refusal is all there is.
#![cfg(target_os = "linux")]

use std::path::Path;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::{Runtime, Sandbox, SandboxError};
use serde_json::json;

/// Whether the kernel can do it.
fn has_landlock() -> bool {
    match Sandbox::new().check() {
        Ok(()) => true,
        Err(error) => {
            eprintln!("this test shows nothing: {error}");
            false
        }
    }
}

/// Whether the kernel is of this version, or a later one.
fn is_linux(major: u32, minor: u32) -> bool {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let mut numbers = kernel.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next(), numbers.next()) >= (Some(major), Some(minor))
}

/// What a script says on standard error, in a sandbox, from a file in this folder.
async fn said(folder: &Path, script: &str, sandbox: &str) -> String {
    let path = folder.join("hooks.toml");
    let script = json!(format!("{{ {script}; }} 2>&1 | head -c 4000 >&2; exit 2"));
    let text = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\ntimeout = '50s'\ncommand = {{ run = {script}, sandbox = {{ {sandbox} }} }}\n[hooks.limits]\nchain = '60s'\n"
    );
    std::fs::write(&path, text).unwrap();
    let runtime = Runtime::load(&path)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let cx = AgentContext::new("s1");
    let result = hooks![..runtime].intercept(&cx, &mut call).await;
    result.as_cancel().unwrap().reason.to_string()
}

/// Why a file is refused.
async fn refused(sandbox: &str) -> String {
    let text = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = {{ run = 'true', sandbox = {{ {sandbox} }} }}"
    );
    let built = Runtime::builder().text(text).build().await;
    built.expect_err("it is accepted").to_string()
}

#[tokio::test]
async fn it_writes_and_reads_only_what_is_named_and_so_does_what_it_starts() {
    if !has_landlock() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for name in ["in", "out", "seen"] {
        std::fs::create_dir(dir.join(name)).unwrap();
        std::fs::write(dir.join(name).join("old"), format!("old {name}")).unwrap();
    }
    let at = |name: &str| dir.join(name).display().to_string();
    let (inside, out, seen) = (at("in"), at("out"), at("seen"));
    let script = format!(
        "sh -c 'echo new >{inside}/new'; cat {inside}/old {seen}/old; \
         sh -c 'echo new >{out}/new'; echo new >{seen}/new; rm {seen}/old; cat {out}/old"
    );
    let said = said(dir, &script, "write = ['in'], read = ['seen']").await;
    assert!(
        said.contains("old in") && said.contains("old seen"),
        "{said}"
    );
    assert!(!said.contains("old out"), "{said}");
    assert!(dir.join("in/new").exists(), "{said}");
    assert!(
        !dir.join("out/new").exists() && !dir.join("seen/new").exists(),
        "{said}"
    );
    assert!(dir.join("seen/old").exists(), "{said}");
    // The agent itself is free.
    std::fs::write(dir.join("out/new"), "by the agent").unwrap();
}

#[tokio::test]
async fn it_cannot_look_into_the_agents_process() {
    if !has_landlock() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let look = |pid: &str| format!("readlink /proc/{pid}/exe && echo seen");
    let own = said(dir.path(), &look("self"), "").await;
    assert!(own.contains("seen"), "{own}");
    let agents = said(dir.path(), &look(&std::process::id().to_string()), "").await;
    assert!(!agents.contains("seen"), "{agents}");
}

#[tokio::test]
async fn it_connects_only_where_it_may() {
    if !has_landlock() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected'");
    for (sandbox, connects) in [
        (String::new(), false),
        (format!("connect = [{}]", port ^ 1), false),
        (format!("connect = [{port}]"), true),
        ("network = true".into(), true),
    ] {
        let said = said(dir.path(), &script, &sandbox).await;
        assert_eq!(said.contains("connected"), connects, "{sandbox}: {said}");
        assert_eq!(
            said.contains("ermission denied"),
            !connects,
            "{sandbox}: {said}"
        );
    }
}

#[tokio::test]
async fn a_program_beside_the_file_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
    if !has_landlock() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("check");
    std::fs::write(
        &program,
        "#!/bin/sh\necho beside >&2\ncat other >&2\nexit 2\n",
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(dir.path().join("other"), "not for it").unwrap();
    let path = dir.path().join("hooks.toml");
    let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = { argv = ['./check'], cwd = '.', sandbox = {} }";
    std::fs::write(&path, text).unwrap();
    let hooks = hooks![..Runtime::load(&path).await.unwrap()];
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    let reason = &*result.as_cancel().unwrap().reason;
    assert!(
        reason.contains("beside") && !reason.contains("not for it"),
        "{reason}"
    );
}

#[tokio::test]
async fn a_mistake_is_found_when_the_file_is_loaded() {
    let both = refused("network = true, connect = [443]").await;
    assert!(both.contains("`connect`"), "{both}");
    let missing = refused("write = ['is/not/there'], best_effort = true").await;
    assert!(missing.contains("is/not/there"), "{missing}");
    assert!(missing.starts_with("3:27:"), "{missing}");
}

#[tokio::test]
async fn where_the_kernel_cannot_the_file_is_refused_unless_it_says_otherwise() {
    if let Err(SandboxError::Kernel { .. }) = Sandbox::new().check() {
        let error = refused("").await;
        assert!(error.contains("best_effort = true"), "{error}");
    }
    let dir = tempfile::tempdir().unwrap();
    let said = said(dir.path(), "echo runs", "best_effort = true").await;
    assert_eq!(said.trim(), "runs");
}

#[tokio::test]
async fn a_process_is_restricted_as_well() {
    if !has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (allowed, other) = (folder.path().join("allowed"), folder.path().join("other"));
    std::fs::create_dir(&allowed).unwrap();
    let program = format!(
        "read -r hello; echo '{{\"id\":1,\"result\":{{}}}}'; read -r call; echo 1 >{}/file; echo 1 >{}; \
         echo '{{\"id\":2,\"result\":{{\"action\":\"deny_tool\",\"reason\":\"done\"}}}}'; read -r rest",
        allowed.display(),
        other.display()
    );
    let argv = json!(["sh", "-c", program]);
    let text = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\n\
         process = {{ argv = {argv}, sandbox = {{ write = [{}] }} }}",
        json!(allowed)
    );
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let hooks = hooks![..runtime.clone()];
    let mut call = BeforeToolCall::new("1", "shell", json!({}));
    let result = hooks.intercept(&AgentContext::new("s1"), &mut call).await;
    assert_eq!(result.as_cancel().unwrap().reason, "done");
    assert!(allowed.join("file").exists() && !other.exists());
    runtime.shutdown().await;
}

/// Who writes to a terminal or controls it can type into it.
#[tokio::test]
async fn it_neither_writes_to_the_agents_terminal_nor_controls_devices() {
    if !has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = "(echo typed >/dev/tty) 2>&1; echo said >/dev/null && echo null";
    let said_of = async |script: &str| said(folder.path(), script, "read = ['/']").await;
    let said = said_of(script).await;
    assert!(
        said.contains("ermission denied") && said.ends_with("null"),
        "{said}"
    );

    if !is_linux(6, 10) {
        return;
    }
    let control =
        "python3 -c \"import fcntl; fcntl.ioctl(open('/dev/urandom', 'rb'), 0x80045200, b'0000')\"";
    let said = said_of(control).await;
    assert!(said.contains("ermission denied"), "{said}");
}

/// The user of the tests may be root, whom nothing else stops.
#[tokio::test]
async fn it_makes_no_device_in_a_folder_that_it_may_write() {
    if !has_landlock() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (out, write) = (folder.path().join("out"), "write = ['out']");
    std::fs::create_dir(&out).unwrap();
    let make = |what: &str| format!("mknod {}/{what} && echo made", out.display());
    for device in ["null c 1 3", "disk b 7 0"] {
        let said = said(folder.path(), &make(device), write).await;
        assert!(said.contains("ermission denied"), "{device}: {said}");
    }
    assert_eq!(said(folder.path(), &make("pipe p"), write).await, "made");
}

#[tokio::test]
async fn it_sends_no_signal_to_the_agent() {
    if !has_landlock() || !is_linux(6, 12) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let signal = |pid: &str| format!("kill -0 {pid} && echo sent");
    assert_eq!(said(folder.path(), &signal("$$"), "").await, "sent");
    let agents = said(folder.path(), &signal(&std::process::id().to_string()), "").await;
    assert!(agents.contains("not permitted"), "{agents}");
}
