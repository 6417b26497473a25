//! What a command is given, what its exit means, and that nothing of it is left.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use hooks_builtin::{Globs, ShellHook, ShellHookConfig, When};
use hooks_core::agent::{AfterToolCall, AgentContext, BeforeToolCall, ToolOutput};
use hooks_core::hooks;
use serde_json::{Value, json};

/// Longer than anything here takes, on whatever machine.
const LONG: Duration = Duration::from_mins(5);

fn cx() -> AgentContext {
    AgentContext::new("s1")
}

async fn before(hook: &ShellHook, cx: &AgentContext, name: &str) -> Result<(), String> {
    let mut call = BeforeToolCall {
        id: "7".into(),
        name: name.into(),
        args: json!({ "command": "ls" }),
        ..BeforeToolCall::default()
    };
    match hooks![hook].intercept(cx, &mut call).await.into_result() {
        Ok(_) => Ok(()),
        Err(cancel) => Err(cancel.reason.into_owned()),
    }
}

async fn shell(command: &str) -> Result<(), String> {
    before(&ShellHook::new(command), &cx(), "shell").await
}

#[tokio::test]
async fn exit_0_goes_on_and_any_other_blocks_with_what_was_said() {
    assert_eq!(shell("exit 0").await, Ok(()));
    assert_eq!(shell("echo fine; exit 0").await, Ok(()));
    for (command, reason) in [
        ("echo no >&2; exit 1", "no"),
        ("echo out; echo no >&2; exit 2", "no"),
        ("echo only out; exit 2", "only out"),
        ("printf '\\n two\\nlines \\n' >&2; exit 2", "two\nlines"),
        ("exit 3", "the hook `exit 3` failed: exit status: 3"),
        (
            "kill -9 $$",
            "the hook `kill -9 $$` failed: signal: 9 (SIGKILL)",
        ),
    ] {
        assert_eq!(shell(command).await.unwrap_err(), reason, "{command}");
    }
    let missing = shell("no-such-program-at-all").await.unwrap_err();
    assert!(missing.contains("not found"), "{missing}");
}

#[tokio::test]
async fn it_is_given_the_event_as_json_and_as_variables() {
    let folder = tempfile::tempdir().unwrap();
    let cx = AgentContext::new("s1")
        .with_agent_id("coder")
        .with_tenant_id("acme")
        .with_turn(3)
        .with_cwd(folder.path().to_str().unwrap());
    let hook = ShellHook::new("cat > input.json; env | grep ^HOOK_ | sort > variables");
    before(&hook, &cx, "shell").await.unwrap();
    let read = |name| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(&read("input.json")).unwrap(),
        json!({
            "event": "BeforeToolCall", "id": "7", "name": "shell", "args": { "command": "ls" }, "cx": cx,
        })
    );
    assert_eq!(
        read("variables"),
        format!(
            "HOOK_AGENT_ID=coder\nHOOK_CALL_ID=7\nHOOK_CWD={}\nHOOK_EVENT=BeforeToolCall\nHOOK_SESSION_ID=s1\n\
             HOOK_TENANT_ID=acme\nHOOK_TOOL=shell\nHOOK_TURN=3\n",
            cx.cwd
        )
    );
}

#[tokio::test]
async fn of_the_environment_it_gets_what_is_allowed() {
    // Cargo gives it to tests.
    assert!(std::env::var("CARGO_MANIFEST_DIR").is_ok());
    let command = "echo \"${CARGO_MANIFEST_DIR-none} ${PATH:+path}\" >&2; exit 1";
    assert_eq!(shell(command).await.unwrap_err(), "none path");
    let hook = configured(ShellHookConfig {
        env: vec!["CARGO_MANIFEST_DIR".into()],
        ..ShellHookConfig::new(command)
    });
    let reason = before(&hook, &cx(), "shell").await.unwrap_err();
    assert!(reason.starts_with(env!("CARGO_MANIFEST_DIR")), "{reason}");
}

#[tokio::test]
async fn it_runs_where_it_is_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let hook = configured(ShellHookConfig {
        cwd: Some(path.clone()),
        ..ShellHookConfig::new("pwd >&2; exit 1")
    });
    let elsewhere = cx().with_cwd("/");
    assert_eq!(
        before(&hook, &elsewhere, "x").await.unwrap_err(),
        path.to_str().unwrap()
    );
    let hook = ShellHook::new("pwd >&2; exit 1");
    assert_eq!(before(&hook, &elsewhere, "x").await.unwrap_err(), "/");
    let gone = cx().with_cwd("/no/such/folder");
    assert!(
        before(&hook, &gone, "x")
            .await
            .unwrap_err()
            .contains("cannot be started")
    );
}

#[tokio::test]
async fn it_runs_for_the_tools_that_it_is_for() {
    let hook = ShellHook::new("exit 1").for_tool("write*").unwrap();
    assert!(
        before(&hook, &cx(), "read").await.is_ok()
            && before(&hook, &cx(), "write_file").await.is_err()
    );
    assert!(ShellHook::new("exit 1").for_tool("[").is_err());
    let after = ShellHook::new("exit 1").after();
    assert!(before(&after, &cx(), "write").await.is_ok());
}

#[tokio::test]
async fn after_a_call_the_model_is_told() {
    let after = async |command: &str, content: &str| {
        let mut call = AfterToolCall {
            name: "write".into(),
            output: ToolOutput::new(content),
            ..AfterToolCall::default()
        };
        let hooks = hooks![ShellHook::new(command).after()];
        assert!(hooks.intercept(&cx(), &mut call).await.is_continue());
        (call.output.content, call.output.is_error)
    };
    assert_eq!(after("exit 0", "ok").await, ("ok".into(), false));
    let command = "grep -q '\"event\":\"AfterToolCall\"' && echo line 1 is too long >&2; exit 1";
    let told = format!("ok\n`{command}`: line 1 is too long");
    assert_eq!(after(command, "ok").await, (told, true));
    assert_eq!(
        after("exit 1", "").await.0,
        "`exit 1`: the hook `exit 1` failed: exit status: 1"
    );
}

#[tokio::test]
async fn output_is_capped_and_marked_and_stops_no_command() {
    let config = ShellHookConfig {
        max_output_bytes: 5,
        ..ShellHookConfig::new("yes é | head -c 1000000 >&2; yes | head -c 1000000; exit 1")
    };
    let hook = ShellHook::from_config(&config).unwrap();
    assert_eq!(before(&hook, &cx(), "x").await.unwrap_err(), "é\né … (cut)");
    let whole = ShellHookConfig {
        max_output_bytes: 4,
        ..ShellHookConfig::new("printf abcd >&2; exit 1")
    };
    let hook = ShellHook::from_config(&whole).unwrap();
    assert_eq!(before(&hook, &cx(), "x").await.unwrap_err(), "abcd");
}

#[tokio::test]
async fn a_command_that_does_not_read_is_none_the_worse() {
    let hook = ShellHook::new("exec <&-; exit 0");
    let mut call = BeforeToolCall {
        args: json!({ "content": "x".repeat(1 << 20) }),
        ..BeforeToolCall::default()
    };
    assert!(hooks![hook].intercept(&cx(), &mut call).await.is_continue());
}

/// tokio would panic, and take the agent along.
#[test]
fn without_a_runtime_it_blocks() {
    let mut none = tokio::runtime::Builder::new_current_thread();
    let mut timed = tokio::runtime::Builder::new_current_thread();
    for runtime in [none.enable_io(), timed.enable_time()] {
        let reason = runtime.build().unwrap().block_on(shell("exit 0"));
        let reason = reason.unwrap_err();
        assert!(reason.contains("`enable_all()`"), "{reason}");
    }
    let hook = ShellHook::new("exit 0");
    let (hooks, mut call) = (hooks![hook], BeforeToolCall::default());
    let cx = cx();
    let mut asked = std::pin::pin!(hooks.intercept(&cx, &mut call));
    let waker = std::task::Waker::noop();
    match asked
        .as_mut()
        .poll(&mut std::task::Context::from_waker(waker))
    {
        std::task::Poll::Ready(result) => assert!(result.as_cancel().is_some()),
        std::task::Poll::Pending => panic!("it waits"),
    }
}

fn configured(config: ShellHookConfig) -> ShellHook {
    ShellHook::from_config(&config).unwrap()
}

/// A command that starts two processes which would run for long, writes their ids to a file, and waits. The second is
/// in a group of its own where the system shows whose it is.
fn starts_others(folder: &Path, and_then: &str) -> ShellHookConfig {
    let pids = folder.join("pids");
    let leaves = if cfg!(target_os = "linux") {
        "setsid "
    } else {
        ""
    };
    ShellHookConfig::new(format!(
        "sleep 300 & echo $! > {0}.new; ({leaves}sleep 301 & echo $! >> {0}.new; mv {0}.new {0}; wait) & {and_then}",
        pids.display()
    ))
}

async fn pids(folder: &Path) -> Vec<i32> {
    let path = folder.join("pids");
    let start = Instant::now();
    while !path.exists() {
        assert!(start.elapsed() < LONG, "the command does not start");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| line.parse().unwrap()).collect()
}

/// Whether the process runs. One that has ended and waits for its parent to notice does not.
fn runs(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    if rustix::process::test_kill_process(pid).is_err() {
        return false;
    }
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
    !stat
        .rsplit(") ")
        .next()
        .is_some_and(|rest| rest.starts_with('Z'))
}

async fn all_end(pids: &[i32]) {
    assert_eq!(pids.len(), 2);
    let start = Instant::now();
    while pids.iter().any(|pid| runs(*pid)) {
        assert!(start.elapsed() < LONG, "{pids:?} still run");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn nothing_is_left_after_a_timeout() {
    // A busy machine takes its time to start what then ends.
    for seconds in [1, 5, 25, 50] {
        let folder = tempfile::tempdir().unwrap();
        let hook = configured(ShellHookConfig {
            timeout: Duration::from_secs(seconds),
            ..starts_others(folder.path(), "wait")
        });
        let reason = before(&hook, &cx(), "x").await.unwrap_err();
        let expected = format!("took longer than {seconds}s");
        assert!(reason.ends_with(&expected), "{reason}");
        if folder.path().join("pids").exists() {
            return all_end(&pids(folder.path()).await).await;
        }
    }
    panic!("the command does not start");
}

#[tokio::test]
async fn nothing_is_left_of_a_call_that_was_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let hook = configured(starts_others(folder.path(), "wait"));
    let call = tokio::spawn(async move { before(&hook, &cx(), "x").await });
    let pids = pids(folder.path()).await;
    assert!(pids.iter().all(|pid| runs(*pid)));
    call.abort();
    all_end(&pids).await;
}

#[tokio::test]
async fn what_runs_in_the_background_ends_with_the_command_and_delays_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let wait = format!(
        "while ! [ -e {}/pids ]; do sleep 0.01; done; echo no >&2; exit 1",
        folder.path().display()
    );
    let hook = configured(starts_others(folder.path(), &wait));
    assert_eq!(before(&hook, &cx(), "x").await.unwrap_err(), "no");
    all_end(&pids(folder.path()).await).await;
}

#[test]
fn settings_that_cannot_be_are_errors() {
    let error = |change: fn(&mut ShellHookConfig)| {
        let mut config = ShellHookConfig::new("true");
        change(&mut config);
        ShellHook::from_config(&config).unwrap_err().key()
    };
    assert_eq!(error(|config| config.command = " ".into()), "command");
    assert_eq!(error(|config| config.tools = Globs::default()), "tools");
    assert_eq!(error(|config| config.timeout = Duration::ZERO), "timeout");
    assert_eq!(
        error(|config| config.cwd = Some("/no/such/folder".into())),
        "cwd"
    );
    let config: ShellHookConfig =
        serde_json::from_value(json!({ "command": "true", "when": "after", "timeout": "5s" }))
            .unwrap();
    assert_eq!(
        (config.when, config.timeout),
        (When::After, Duration::from_secs(5))
    );
}

/// A dispatch moves the futures of all its hooks, also for calls of tools that the command does not run for.
#[test]
fn a_dispatch_does_not_hold_the_process() {
    let (hook, cx, mut call) = (ShellHook::new("exit 0"), cx(), BeforeToolCall::default());
    let hooks = hooks![hook];
    let dispatch = hooks.intercept(&cx, &mut call);
    assert!(size_of_val(&dispatch) < 1024);
}
