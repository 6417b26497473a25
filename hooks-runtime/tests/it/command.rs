//! Commands: what they are given, what their answers mean, and that nothing is left of them.
#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use hooks_core::agent::{AfterToolCall, AgentContext, BeforeToolCall, MessageReceived, ToolOutput};
use hooks_core::{HookResult, hooks};
use hooks_runtime::{Dialect, RecordOutcome, Records, Runtime};
use serde_json::{Value, json};

/// Long enough for a slow machine. What takes that long has failed.
const LONG: Duration = Duration::from_mins(5);

fn cx() -> AgentContext {
    AgentContext::new("s1").with_agent_id("coder")
}

fn call() -> BeforeToolCall {
    BeforeToolCall::new("call 1", "shell", json!({ "command": "ls" }))
}

/// A file with one hook on `BeforeToolCall`, with these lines.
fn file(lines: &str) -> String {
    format!(
        "[[hooks.on]]\nname = 'check'\nevent = 'BeforeToolCall'\ntimeout = '50s'\n{lines}\n[hooks.limits]\nchain = '60s'\n"
    )
}

/// A command as a line of a file.
fn run(script: &str) -> String {
    format!("command = {}", json!(script))
}

struct Trial {
    runtime: Runtime,
    records: Records,
}

impl Trial {
    async fn of(text: &str) -> Self {
        let records = Records::latest(10);
        let built = Runtime::builder()
            .text(text)
            .recorder(records.clone())
            .build();
        let runtime = built.await.unwrap_or_else(|error| panic!("{error}"));
        Trial { runtime, records }
    }

    async fn decide(&self, call: &mut BeforeToolCall) -> HookResult<BeforeToolCall> {
        let hooks = hooks![..self.runtime.clone()];
        let cx = cx();
        let asked = tokio::time::timeout(LONG, hooks.intercept(&cx, call));
        asked.await.expect("the agent hangs")
    }

    /// The reason of a block.
    async fn blocked(&self) -> String {
        let result = self.decide(&mut call()).await;
        result
            .as_cancel()
            .expect("it is not blocked")
            .reason
            .to_string()
    }

    /// The fault of the last record.
    fn fault(&self) -> String {
        let record = self.records.steps().pop().unwrap();
        assert_eq!(record.outcome, RecordOutcome::Fault, "{record:?}");
        record.reason.unwrap()
    }
}

/// What a script says when it is asked about a call of a tool.
async fn trial(script: &str) -> Trial {
    Trial::of(&file(&run(script))).await
}

/// Has a command end by its time, a longer one each time, until it has done what the files show: a busy machine takes its
/// time to start a program.
async fn out_of_time(command: &str, files: &[&Path]) -> Trial {
    for time in ["1s", "5s", "25s", "50s"] {
        let trial = Trial::of(&file(command).replace("50s", time)).await;
        trial.blocked().await;
        assert!(trial.fault().contains("longer than"));
        if files.iter().all(|file| file.exists()) {
            return trial;
        }
    }
    panic!("there is not each of {files:?}");
}

/// Waits until a process is gone.
fn is_gone(pid: &str) -> bool {
    let started = Instant::now();
    while started.elapsed() < LONG {
        let status = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        match status {
            Err(_) => return true,
            // A zombie does nothing any more; in a container, nobody may reap it.
            Ok(status) if status.rsplit(')').next().unwrap().trim().starts_with('Z') => {
                return true;
            }
            Ok(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    false
}

/// The number that a script has written into a file.
async fn pid_in(file: &Path) -> String {
    let started = Instant::now();
    while started.elapsed() < LONG {
        if let Ok(text) = std::fs::read_to_string(file)
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no number in {}", file.display());
}

#[tokio::test]
async fn exit_codes_and_answers_decide() {
    assert!(
        trial("exit 0")
            .await
            .decide(&mut call())
            .await
            .is_continue()
    );
    assert_eq!(
        trial("echo not this >&2; exit 2").await.blocked().await,
        "not this"
    );
    let answer = json!({ "decision": "block", "reason": "as JSON" }).to_string();
    assert_eq!(
        trial(&format!("echo '{answer}'")).await.blocked().await,
        "as JSON"
    );
    let answer = json!({ "hookSpecificOutput": { "updatedInput": { "command": "ls -l" } } });
    let mut changed = call();
    let trial = trial(&format!("cat >/dev/null; echo '{answer}'")).await;
    assert!(trial.decide(&mut changed).await.is_continue());
    assert_eq!(changed.args, json!({ "command": "ls -l" }));
}

#[tokio::test]
async fn it_reads_the_event_and_its_variables() {
    let dir = tempfile::tempdir().unwrap();
    let (event, variables) = (dir.path().join("event"), dir.path().join("variables"));
    let text = file(&format!(
        "command = {{ run = {}, env = {{ EXTRA = 'set' }} }}",
        json!(format!(
            "cat >{}; env >{}",
            event.display(),
            variables.display()
        ))
    ));
    let runtime = Runtime::builder()
        .text(text)
        .project_dir("/usr")
        .build()
        .await
        .unwrap();
    let cx = cx().with_cwd("/tmp").with_project_dir("/elsewhere");
    let result = hooks![..runtime].intercept(&cx, &mut call()).await;
    assert!(result.is_continue());

    let event = std::fs::read_to_string(event).unwrap();
    assert!(event.ends_with("}\n"));
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(event["tool_input"], json!({ "command": "ls" }));
    assert_eq!(event["hook_event_name"], "BeforeToolCall");

    let variables = std::fs::read_to_string(variables).unwrap();
    for line in [
        "HOOK_EVENT=BeforeToolCall",
        "HOOK_NAME=check",
        "TOOL_NAME=shell",
        "CLAUDE_PROJECT_DIR=/usr",
        "EXTRA=set",
        "PWD=/tmp",
    ] {
        assert!(
            variables.lines().any(|known| known == line),
            "{line} in {variables}"
        );
    }
    // Cargo sets it, and it is on no list.
    assert!(!variables.contains("CARGO_PKG_NAME"), "{variables}");
}

#[tokio::test]
async fn what_is_inherited_depends_on_the_dialect() {
    let say = "test \"$CARGO_PKG_NAME\" = hooks-runtime && exit 2; exit 0";
    for (lines, is_inherited) in [
        (run(say), false),
        (
            format!(
                "command = {{ run = {}, env = ['CARGO_PKG_NAME'] }}",
                json!(say)
            ),
            true,
        ),
        (format!("{}\ndialect = 'claude'", run(say)), true),
        (format!("{}\ndialect = 'goclaw'", run(say)), false),
    ] {
        let trial = Trial::of(&file(&lines)).await;
        let result = trial.decide(&mut call()).await;
        assert_eq!(result.as_cancel().is_some(), is_inherited, "{lines}");
    }
}

#[tokio::test]
async fn it_runs_in_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let project = dir.join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::create_dir(dir.join("own")).unwrap();
    let say = json!("pwd >&2; exit 2");
    let path = dir.join("hooks.toml");
    for (entry, cwd, expected) in [
        (
            format!("{{ run = {say} }}"),
            "/usr",
            Path::new("/usr").to_owned(),
        ),
        (
            format!("{{ run = {say} }}"),
            "/is/not/there",
            project.clone(),
        ),
        (
            format!("{{ run = {say}, cwd = 'own' }}"),
            "/usr",
            dir.join("own"),
        ),
    ] {
        std::fs::write(&path, file(&format!("command = {entry}"))).unwrap();
        let built = Runtime::builder().file(&path).project_dir(&project).build();
        let hooks = hooks![..built.await.unwrap()];
        let result = hooks.intercept(&cx().with_cwd(cwd), &mut call()).await;
        assert_eq!(Path::new(&*result.as_cancel().unwrap().reason), expected);
    }
    std::fs::write(
        &path,
        file(&format!("command = {{ run = {say}, cwd = 'lost' }}")),
    )
    .unwrap();
    let hooks = hooks![..Runtime::load(&path).await.unwrap()];
    let result = hooks.intercept(&cx(), &mut call()).await;
    assert!(
        result.as_cancel().unwrap().reason.contains("lost"),
        "{result:?}"
    );
}

#[tokio::test]
async fn a_program_beside_the_file_runs_without_a_shell() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("check");
    std::fs::write(&program, "#!/bin/sh\necho \"$1;$#\" >&2\nexit 2\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = dir.path().join("hooks.toml");
    std::fs::write(&path, file("command = { argv = ['./check', '$HOME; ls'] }")).unwrap();
    let hooks = hooks![..Runtime::load(&path).await.unwrap()];
    let result = hooks.intercept(&cx().with_cwd("/"), &mut call()).await;
    assert_eq!(result.as_cancel().unwrap().reason, "$HOME; ls;1");
}

#[tokio::test]
async fn what_cannot_run_is_a_failure() {
    let trial = Trial::of(&file("command = { argv = ['no-such-program-here'] }")).await;
    assert!(trial.blocked().await.contains("no-such-program-here"));
    let trial = Trial::of(&file("command = { run = 'true', shell = 'no-such-shell' }")).await;
    assert!(trial.blocked().await.contains("no-such-shell"));
    let trial = self::trial("no-such-command-here").await;
    trial.blocked().await;
    assert!(trial.fault().contains("127"), "{}", trial.fault());
    let trial = Trial::of(&file(&format!("{}\non_failure = 'skip'", run("exit 1")))).await;
    assert!(trial.decide(&mut call()).await.is_continue());
    assert!(trial.fault().contains("exit code 1"));
}

#[tokio::test]
async fn settings_that_make_no_sense_are_refused() {
    for (entry, message) in [
        ("{}", "the command is missing"),
        ("{ run = 'a', argv = ['b'] }", "both choose what runs"),
        ("{ run = ' ' }", "the command is empty"),
        ("{ argv = [''] }", "the program's name is empty"),
        ("{ argv = ['a'], shell = 'bash' }", "runs without a shell"),
        (
            "{ run = 'a', env = ['A=B'] }",
            "not a valid name of a variable",
        ),
    ] {
        let built = Runtime::builder()
            .text(file(&format!("command = {entry}")))
            .build()
            .await;
        let error = built.expect_err(entry).to_string();
        assert!(error.contains(message), "{entry}: {error}");
    }
}

#[tokio::test]
async fn a_command_that_does_not_read_its_input_is_none_the_worse() {
    let big = "x".repeat(4 * 1024 * 1024);
    for script in ["exit 0", "exec <&-; sleep 0.1; exit 0"] {
        let mut call = BeforeToolCall::new("1", "shell", json!({ "command": big }));
        assert!(
            trial(script).await.decide(&mut call).await.is_continue(),
            "{script}"
        );
    }
}

#[tokio::test]
async fn a_command_that_writes_before_it_reads_does_not_hang() {
    let big = "x".repeat(1024 * 1024);
    let script = "head -c 500000 /dev/zero | tr '\\0' ' '; wc -c >&2; exit 2";
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": big }));
    let result = trial(script).await.decide(&mut call).await;
    let read: usize = result.as_cancel().unwrap().reason.trim().parse().unwrap();
    assert!(read > big.len());
}

#[tokio::test]
async fn odd_output_is_a_failure_and_no_harm() {
    // Text, then an object: no decision may be found in the middle of something that was printed.
    let forged = r#"echo 'read {"decision":"approve"}'; exit 1"#;
    let trial = self::trial(forged).await;
    trial.blocked().await;
    assert!(trial.fault().contains("exit code 1"));
    let trial = self::trial(r#"echo 'read {"decision":"approve"}'"#).await;
    trial.blocked().await;
    assert!(trial.fault().contains("text before the JSON"));
    let text = self::trial("echo 'fn main() {}, [x], {y: 1}'").await;
    assert!(text.decide(&mut call()).await.is_continue());
    // An object, then text.
    let trial = self::trial(r#"echo '{"decision":"approve"} and more'"#).await;
    trial.blocked().await;
    assert!(trial.fault().contains("not JSON"));
    // Bytes that are no text.
    let trial = self::trial(r"printf '\377\376 no' >&2; exit 2").await;
    assert!(trial.blocked().await.ends_with("no"));
    let trial = self::trial(r#"printf '{"decision":"\377'"#).await;
    trial.blocked().await;
    assert!(trial.fault().contains("not JSON"));
    // More than is kept.
    let trial = self::trial(
        "printf '{\"reason\":\"'; head -c 10485760 /dev/zero | tr '\\0' x; printf '\"}'",
    )
    .await;
    trial.blocked().await;
    assert!(
        trial.fault().contains("longer than the limit"),
        "{}",
        trial.fault()
    );
    let cut = "printf '{}'; head -c 100 /dev/zero | tr '\\0' ' '";
    let trial = Trial::of(&file(&format!(
        "command = {{ run = {}, output_limit = 2 }}",
        json!(cut)
    )))
    .await;
    // What was cut may have been a refusal.
    trial.blocked().await;
}

#[tokio::test]
async fn a_command_that_prints_without_end_is_ended() {
    let text = file("command = 'yes'").replace("50s", "300ms");
    let trial = Trial::of(&text).await;
    trial.blocked().await;
    assert!(trial.fault().contains("longer than"));
}

#[tokio::test]
async fn one_that_ignores_term_is_killed_with_all_it_has_started() {
    let dir = tempfile::tempdir().unwrap();
    let (own, child) = (dir.path().join("own"), dir.path().join("child"));
    let script = format!(
        "trap '' TERM; echo $$ >{}; (trap '' TERM; sleep 1000) & echo $! >{}; while :; do sleep 0.1; done",
        own.display(),
        child.display(),
    );
    let _trial = out_of_time(&run(&script), &[&own, &child]).await;
    for file in [own, child] {
        assert!(is_gone(&pid_in(&file).await), "{}", file.display());
    }
}

/// It has left the group.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_descendant_outside_of_the_group_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let script = format!(
        "setsid sh -c 'exec >/dev/null 2>&1; echo $$ >{}; sleep 1000'",
        file.display()
    );
    let _trial = out_of_time(&run(&script), &[&file]).await;
    assert!(is_gone(&pid_in(&file).await));
}

#[tokio::test]
async fn term_comes_before_kill() {
    let dir = tempfile::tempdir().unwrap();
    let said = dir.path().join("said");
    let script = format!(
        "trap 'echo 1 >{}; exit' TERM; while :; do sleep 0.05; done",
        said.display()
    );
    let _trial = out_of_time(&run(&script), &[&said]).await;
    assert_eq!(pid_in(&said).await, "1");
}

#[tokio::test]
async fn it_ends_when_the_agent_waits_no_more() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let trial = trial(&format!("echo $$ >{}; sleep 1000", file.display())).await;
    let hooks = hooks![..trial.runtime.clone()];
    let pid = {
        let (cx, mut call) = (cx(), call());
        let asked = hooks.intercept(&cx, &mut call);
        tokio::select! {
            _ = asked => panic!("it ended"),
            pid = pid_in(&file) => pid,
        }
    };
    assert!(is_gone(&pid));
}

#[tokio::test]
async fn what_is_left_running_is_ended_and_holds_nothing_up() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let trial = trial(&format!("sleep 1000 & echo $! >{}; exit 2", file.display())).await;
    trial.blocked().await;
    assert!(is_gone(&pid_in(&file).await));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_new_session_that_holds_the_output_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("pid");
    let session = "import os, sys, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    open(sys.argv[1], 'w').write('%d\\n' % os.getpid())\n    time.sleep(1000)\n  os._exit(0)\n";
    if !has_python() {
        return;
    }
    let argv = json!(["python3", "-c", session, file]);
    // Its parent is done at once.
    let trial = Trial::of(&self::file(&format!("command = {{ argv = {argv} }}"))).await;
    assert!(trial.decide(&mut call()).await.is_continue());
    assert!(is_gone(&pid_in(&file).await));
    // Its parent takes too long.
    std::fs::remove_file(&file).unwrap();
    let argv = json!(["python3", "-c", format!("{session}time.sleep(1000)"), file]);
    let command = format!("command = {{ argv = {argv} }}");
    let _trial = out_of_time(&command, &[&file]).await;
    assert!(is_gone(&pid_in(&file).await));
}

#[tokio::test]
async fn other_systems_commands_may_leave_something_running() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("done");
    let script = format!("(sleep 0.5; echo 7 >{}) >/dev/null 2>&1 &", file.display());
    let trial = Trial::of(&self::file(&format!(
        "{}\ndialect = 'claude'",
        run(&script)
    )))
    .await;
    assert!(trial.decide(&mut call()).await.is_continue());
    assert_eq!(pid_in(&file).await, "7");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_at_once_get_their_own_answers() {
    // It says the call's own id, which only the event has.
    let script = r#"id=$(sed 's/.*"tool_use_id":"\([^"]*\)".*/\1/'); echo "$id" >&2; exit 2"#;
    let trial = trial(script).await;
    let mut agents = tokio::task::JoinSet::new();
    for number in 0..64 {
        let runtime = trial.runtime.clone();
        agents.spawn(async move {
            let id = format!("call-{number}");
            let mut call = BeforeToolCall::new(&id, "shell", json!({}));
            let hooks = hooks![..runtime];
            let result = hooks.intercept(&cx(), &mut call).await;
            assert_eq!(result.as_cancel().unwrap().reason, id);
        });
    }
    while let Some(done) = agents.join_next().await {
        done.unwrap();
    }
}

#[tokio::test]
async fn text_on_standard_output_is_for_the_model_where_there_is_a_place() {
    let text =
        "[[hooks.on]]\nevent = 'MessageReceived'\ntimeout = '50s'\ncommand = 'echo from a command'";
    let runtime = Runtime::builder().text(text).build().await.unwrap();
    let mut message = MessageReceived::new("cli", "me", "hi");
    assert!(
        hooks![..runtime]
            .intercept(&cx(), &mut message)
            .await
            .is_continue()
    );
    assert_eq!(message.context, ["from a command"]);
}

/// Set where this very test program plays an agent that is killed.
const PLAYS: &str = "HOOKS_TEST_AGENT";

/// Not a test: the agent of the next one.
#[tokio::test]
async fn an_agent_to_be_killed() {
    let Ok(folder) = std::env::var(PLAYS) else {
        return;
    };
    let script = format!(
        "trap '' TERM; echo $$ >{folder}/own; sleep 1000 & echo $! >{folder}/child; \
         setsid sleep 1000 >/dev/null 2>&1 & echo $! >{folder}/session; wait; sleep 1000"
    );
    let result = trial(&script).await.decide(&mut call()).await;
    panic!("it ended: {result:?}");
}

/// Whether a shell waits for the end of the agent.
fn is_watched(agent: u32) -> bool {
    let script = if cfg!(target_os = "linux") {
        "for child in $(cat /proc/$0/task/*/children); do cat /proc/$child/cmdline; done"
    } else {
        "ps -A -o ppid= -o args= | grep \"^ *$0 \""
    };
    let output = std::process::Command::new("sh")
        .args(["-c", script, &agent.to_string()])
        .output();
    String::from_utf8_lossy(&output.unwrap().stdout).contains("hooks-watch")
}

#[tokio::test]
async fn nothing_is_left_when_the_agent_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let mut agent = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "command::an_agent_to_be_killed"])
        .env(PLAYS, dir.path())
        .spawn()
        .unwrap();
    let mut pids = Vec::new();
    for file in ["own", "child", "session"] {
        pids.push((file, pid_in(&dir.path().join(file)).await));
    }
    // In its first moments, a command is not watched yet.
    let started = Instant::now();
    while !is_watched(agent.id()) {
        assert!(started.elapsed() < LONG, "nothing watches it");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    agent.kill().unwrap();
    agent.wait().unwrap();
    for (file, pid) in pids {
        // Elsewhere, a process that has left its group is not found.
        if file != "session" || cfg!(target_os = "linux") {
            assert!(is_gone(&pid), "{file}");
        }
    }
}

fn has_python() -> bool {
    let found = std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_ok();
    if !found {
        eprintln!("python3 is not there: this test shows nothing");
    }
    found
}

#[tokio::test]
async fn an_answer_of_ours_never_agrees_by_mistake() {
    for output in [
        r#"{"block":true}"#,
        r#"{"abort_turn":true}"#,
        r#"{"ask":{}}"#,
        r#"{"decision":false}"#,
        r#"{"decision":"perhaps"}"#,
        r#"{"decision":"block","approve":"me"}"#,
        r#"{"decision":"block","respond":"x"}"#,
        r#"{"decision":"block","hookSpecificOutput":{"permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"permissionDecision":"no"}}"#,
        r#"{"hookSpecificOutput":{"decision":{"behavior":"no"}}}"#,
        r#"{"hookSpecificOutput":{"additionalContext":{"deny":1}}}"#,
        r#"{"hookSpecificOutput":"deny"}"#,
        r#"{"continue":"false"}"#,
        r#"{"blok":"x"}"#,
        r#"[{"decision":"block"}]"#,
        r#"{"decision":"block","decision":"approve"}"#,
        r#"{"x":{"decision":"block","decision":"approve"}}"#,
        r#"{"hookSpecificOutput":{"permisionDecision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"decision":"deny"}}"#,
        r#"{"hookSpecificOutput":{"decision":{"behavior":"allow","deny":true}}}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"allow"}}"#,
        r#"{"hookSpecificOutput":{"permissionDecisionReason":"no"}}"#,
        r#"{"permissionDecision":{"deny":1}}"#,
        r#"{"systemMessage":["deny"]}"#,
        r#"{"reason":"no"}"#,
        r#"{"stopReason":"no"}"#,
        r#"{"async":true}"#,
        r#"{"terminalSequence":"x"}"#,
        r#"warning: old {"decision":"block"}"#,
        r#"{"decision":"block"} done"#,
        r#""deny""#,
        "false",
        "0",
    ] {
        let trial = self::trial(&format!("echo '{output}'")).await;
        trial.blocked().await;
    }
    let trial = self::trial(r#"echo '{"approve":"me"}'; exit 1"#).await;
    trial.blocked().await;
    assert!(trial.fault().contains("exit code 1"), "{}", trial.fault());
    for output in [
        r#"{"continue":true,"suppressOutput":true,"systemMessage":"hm","reason":null}"#,
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"x"}}"#,
        r#"{"reason":"it is short","hookSpecificOutput":{"updatedInput":{"command":"ls"}}}"#,
        "{}",
        "fine",
    ] {
        let trial = self::trial(&format!("echo '{output}'")).await;
        assert!(trial.decide(&mut call()).await.is_continue(), "{output}");
    }
}

/// What is wrong beside a refusal does not make it a failure, which `on_failure = "skip"` lets pass.
#[tokio::test]
async fn a_refusal_counts_whatever_is_wrong_beside_it() {
    for output in [
        r#"{"block":"no","blok":1}"#,
        r#"{"block":"no","modify":3}"#,
        r#"{"decision":"deny","reason":"no","systemMessage":1}"#,
    ] {
        let lines = format!("on_failure = 'skip'\n{}", run(&format!("echo '{output}'")));
        let trial = Trial::of(&file(&lines)).await;
        assert_eq!(trial.blocked().await, "no", "{output}");
    }
}

#[tokio::test]
async fn no_text_is_longer_than_a_model_can_use() {
    // A reason, a failure, a message for the user, and many warnings.
    let long = "head -c 500000 /dev/zero | tr '\\0' x";
    for script in [
        format!(r#"printf '{{"block":"'; {long}; printf '"}}'"#),
        format!("{long} >&2; exit 1"),
        format!(r#"printf '{{"block":"no","systemMessage":"'; {long}; printf '"}}'"#),
    ] {
        let trial = trial(&script).await;
        let reason = trial.blocked().await;
        let record = trial.records.steps().pop().unwrap();
        let json = serde_json::to_string(&record).unwrap();
        assert!(json.contains("(cut)"), "{script}: {json}");
        assert!(json.len() < 11_000, "{script}: {}", json.len());
        assert!(reason.len() < 11_000, "{script}: {}", reason.len());
    }
    let many = r#"printf '{"decision":"block","reason":"no"'
        for n in $(seq 20000); do printf ',"key %s":1' $n; done; printf '}'"#;
    let hook = json!({ "type": "command", "command": many });
    let file = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("settings.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let records = Records::latest(1);
    let builder = Runtime::builder().file_as(Dialect::Claude, &path);
    let builder = builder.recorder(records.clone());
    let hooks = hooks![..builder.build().await.unwrap()];
    let _ = hooks.intercept(&cx(), &mut call()).await;
    let warnings = records.steps().pop().unwrap().warnings;
    let length = warnings.concat().len();
    assert!((9_000..11_000).contains(&length), "{length}");
    assert_eq!(warnings.last().unwrap(), " … (cut)");
}

/// No tokio, or no timer in it, is a failure of the hook, and no panic of the agent.
#[test]
fn without_a_clock_it_is_not_started() {
    let alone = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let whole = tokio::runtime::Runtime::new().unwrap();
    let runtime = whole.block_on(trial("exit 0")).runtime;
    let hooks = hooks![..runtime];
    let (cx, mut first, mut second) = (cx(), call(), call());
    let by_hand = {
        let mut asked = std::pin::pin!(hooks.intercept(&cx, &mut first));
        let mut task = std::task::Context::from_waker(std::task::Waker::noop());
        match asked.as_mut().poll(&mut task) {
            std::task::Poll::Ready(result) => result,
            std::task::Poll::Pending => panic!("it waits for a timer that is not there"),
        }
    };
    let without_a_timer = alone.block_on(hooks.intercept(&cx, &mut second));
    for result in [by_hand, without_a_timer] {
        let reason = &result.as_cancel().expect("it fails closed").reason;
        assert!(
            reason.contains("no tokio runtime with I/O and a timer"),
            "{reason}"
        );
    }
}

#[tokio::test]
async fn a_recorder_that_panics_harms_nobody() {
    struct Panics;
    impl hooks_runtime::Recorder for Panics {
        fn record(&self, _: &hooks_runtime::Record) {
            panic!("oh no");
        }
    }
    let text = file(&run("exit 2"));
    let runtime = Runtime::builder()
        .text(text)
        .recorder(Panics)
        .build()
        .await
        .unwrap();
    let result = hooks![..runtime].intercept(&cx(), &mut call()).await;
    assert_eq!(result.as_cancel().unwrap().hook, "check");
}

/// The permits of the revision before count in the next one.
#[tokio::test]
async fn the_number_of_handlers_at_once_survives_a_reload() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hooks.toml");
    let (running, most) = (folder.path().join("running"), folder.path().join("most"));
    std::fs::create_dir(&running).unwrap();
    let script = format!(
        "touch {0}/$$; ls {0} | wc -l >> {1}; sleep 0.3; rm {0}/$$",
        running.display(),
        most.display()
    );
    let write = |name: &str| {
        let hook = format!(
            "[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\n{}\n[hooks.limits]\nconcurrency = 2\n",
            run(&script)
        );
        std::fs::write(&path, hook).unwrap();
    };
    write("first");
    let runtime = Runtime::load(&path).await.unwrap();
    let mut agents = tokio::task::JoinSet::new();
    for name in ["a", "b", "c", "d"] {
        for _ in 0..2 {
            let hooks = hooks![..runtime.clone()];
            agents.spawn(async move { hooks.intercept(&cx(), &mut call()).await.is_continue() });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        write(name);
        runtime.reload().await.unwrap();
    }
    assert!(agents.join_all().await.into_iter().all(|goes_on| goes_on));
    let most = std::fs::read_to_string(most).unwrap();
    let most = most
        .lines()
        .map(|line| line.trim().parse::<u32>().unwrap())
        .max();
    assert_eq!(most, Some(2));
}

#[tokio::test]
async fn a_hook_that_fails_while_the_event_goes_on_is_counted() {
    let entry = |name: &str, more: &str| {
        format!(
            "[[hooks.on]]\nname = '{name}'\nevent = ['BeforeToolCall', 'AfterToolCall']\ncommand = 'exit 7'\n{more}\n"
        )
    };
    let text = [
        entry("skips", "on_failure = 'skip'\npriority = 3"),
        entry(
            "tries",
            "on_failure = 'skip'\npriority = 2\nmode = 'shadow'",
        ),
        entry("blocks", "on_failure = 'block'\npriority = 1"),
    ];
    let records = Records::latest(9);
    let builder = Runtime::builder().text(text.concat());
    let runtime = builder.recorder(records.clone()).build().await.unwrap();
    let hooks = hooks![..runtime.clone()];
    let cx = AgentContext::new("s1");
    for _ in 0..2 {
        let mut call = BeforeToolCall::new("1", "shell", json!({}));
        assert!(!hooks.intercept(&cx, &mut call).await.is_continue());
    }
    let failed_open = || {
        let failed = runtime.status().failed_open.into_iter();
        failed.map(|one| (one.hook, one.count)).collect::<Vec<_>>()
    };
    assert_eq!(failed_open(), [("skips".to_owned(), 2)]);
    let reason = &runtime.status().failed_open[0].reason;
    assert!(reason.contains('7'), "{reason}");
    let goes_on: Vec<_> = records
        .steps()
        .into_iter()
        .map(|record| record.why)
        .collect();
    let goes_on: Vec<_> = goes_on
        .iter()
        .map(|why| why.ends_with("the event goes on"))
        .collect();
    assert_eq!(goes_on, [true, false, false, true, false, false]);

    // Nothing blocks the output of a tool that has run.
    let call = BeforeToolCall::new("1", "shell", json!({}));
    let mut after = AfterToolCall::of(call, ToolOutput::new("x"), Duration::ZERO);
    assert!(hooks.intercept(&cx, &mut after).await.is_continue());
    assert_eq!(
        failed_open(),
        [("skips".to_owned(), 3), ("blocks".to_owned(), 1)]
    );
}
