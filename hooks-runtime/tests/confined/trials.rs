//! Commands and processes of files that the kernel limits.

use std::path::Path;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::Runtime;
use libtest_mimic::Trial;
use serde_json::json;

pub(crate) fn all() -> Vec<Trial> {
    macro_rules! trials {
        ($($name:ident)*) => {
            vec![$(Trial::test(stringify!($name), || {
                let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
                runtime.block_on($name());
                Ok(())
            })),*]
        };
    }
    trials! {
        it_writes_and_reads_only_what_is_named_and_so_does_what_it_starts
        it_connects_only_where_it_may
        a_program_beside_the_file_can_be_run
        a_mistake_is_found_when_the_file_is_loaded
        a_process_is_restricted_as_well
        what_was_refused_is_in_the_reason
        everything_ends_with_a_timeout
    }
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

async fn it_writes_and_reads_only_what_is_named_and_so_does_what_it_starts() {
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

async fn it_connects_only_where_it_may() {
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
    }
}

async fn a_program_beside_the_file_can_be_run() {
    use std::os::unix::fs::PermissionsExt;
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

async fn a_mistake_is_found_when_the_file_is_loaded() {
    let both = refused("network = true, connect = [443]").await;
    assert!(both.contains("`connect`"), "{both}");
    let missing = refused("write = ['is/not/there'], best_effort = true").await;
    assert!(missing.contains("is/not/there"), "{missing}");
    assert!(missing.starts_with("3:27:"), "{missing}");
}

async fn a_process_is_restricted_as_well() {
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

async fn what_was_refused_is_in_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let said = said(folder.path(), "echo x > made; true", "read = ['.']").await;
    assert!(!folder.path().join("made").exists(), "{said}");
    assert!(said.contains("/made: not allowed"), "{said}");
}

/// A pipe that the command holds says when all of it has ended.
async fn everything_ends_with_a_timeout() {
    let folder = tempfile::tempdir().unwrap();
    let (path, out) = (folder.path().join("hooks.toml"), folder.path().join("out"));
    std::fs::create_dir(&out).unwrap();
    let pipe = out.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let script = format!(
        "exec 3<>{}; (setsid sh -c 'echo begun >&3; sleep 600; echo late >&3' &); sleep 600",
        pipe.display()
    );
    // A busy machine takes its time to start what then ends.
    for time in ["700ms", "5s", "25s", "50s"] {
        let text = format!(
            "[[hooks.on]]\nevent = 'BeforeToolCall'\ntimeout = '{time}'\ncommand = {{ run = {}, sandbox = {{ write = ['out'] }} }}\n[hooks.limits]\nchain = '60s'\n",
            json!(script)
        );
        std::fs::write(&path, text).unwrap();
        // With an end of our own, no other waits for one.
        let mut options = std::fs::OpenOptions::new();
        let own = options.read(true).write(true).open(&pipe).unwrap();
        let mut end = std::fs::File::open(&pipe).unwrap();
        let runtime = Runtime::load(&path).await.unwrap();
        let mut call = BeforeToolCall::new("1", "shell", json!({}));
        let result = hooks![..runtime]
            .intercept(&AgentContext::new("s1"), &mut call)
            .await;
        assert!(result.as_cancel().is_some(), "{result:?}");
        drop(own);
        let said = std::io::read_to_string(&mut end).unwrap();
        if !said.is_empty() {
            return assert_eq!(said, "begun\n");
        }
    }
    panic!("the command does not begin");
}
