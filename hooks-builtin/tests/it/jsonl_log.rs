//! What `JsonlLog` writes, and what it does when it cannot.

use std::fs;
use std::path::Path;
use std::time::Duration;

use hooks_builtin::{BlockTools, EventName, JsonlLog, JsonlLogConfig};
use hooks_core::agent::{AgentContext, AgentEnd, BeforeToolCall, HeartbeatTick, LlmDelta};
use hooks_core::hooks;
use serde_json::{Value, json};

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

#[test]
fn a_line_tells_what_happened_to_whom_and_what_was_decided() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/down/audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    let hooks = hooks![BlockTools::new(["shell"], "no\nshell").unwrap()].with_probe(&log);
    let cx = AgentContext::new("s1")
        .with_agent_id("coder")
        .with_tenant_id("acme")
        .with_cwd("/w")
        .with_turn(3);
    for name in ["read", "shell"] {
        let mut call = BeforeToolCall {
            id: "7".into(),
            name: name.into(),
            args: json!({ "path": "a" }),
            ..BeforeToolCall::default()
        };
        let _ = hooks.intercept_now(&cx, &mut call);
    }
    log.flush().unwrap();
    let mut lines = lines(&path);
    for line in &mut lines {
        let time = line["time"].take();
        let time: jiff::Timestamp = time.as_str().unwrap().parse().unwrap();
        assert!(time.duration_until(jiff::Timestamp::now()).abs().as_secs() < 60);
    }
    let line = |name: &str, decided: Value| {
        let mut line = json!({
            "time": null, "event": "BeforeToolCall", "session_id": "s1", "agent_id": "coder", "tenant_id": "acme",
            "cwd": "/w", "turn": 3, "depth": 0,
            "payload": { "event": "BeforeToolCall", "id": "7", "name": name, "args": { "path": "a" } },
        });
        line.as_object_mut()
            .unwrap()
            .extend(decided.as_object().unwrap().clone());
        line
    };
    assert_eq!(
        lines,
        [
            line("read", json!({ "decision": "continue" })),
            line(
                "shell",
                json!({ "decision": "block", "hook": "BlockTools", "reason": "no\nshell" })
            ),
        ]
    );
}

#[test]
fn nothing_is_lost_or_torn_when_the_last_handle_is_dropped() {
    const THREADS: usize = 4;
    const EVENTS: usize = 25_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let hooks = hooks![].with_probe(&log);
            scope.spawn(move || {
                let cx = AgentContext::new(thread.to_string());
                for turn in 0..EVENTS {
                    let response = turn.to_string();
                    hooks.observe_now(
                        &cx,
                        &AgentEnd {
                            response: &response,
                            ..AgentEnd::default()
                        },
                    );
                }
            });
        }
    });
    assert_eq!(log.dropped(), 0);
    drop(log);
    let mut next = [0; THREADS];
    for line in lines(&path) {
        let thread: usize = line["session_id"].as_str().unwrap().parse().unwrap();
        assert_eq!(line["payload"]["response"], next[thread].to_string());
        next[thread] += 1;
    }
    assert_eq!(next, [EVENTS; THREADS]);
}

#[test]
fn two_logs_on_one_file_tear_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let logs = [
        JsonlLog::open(&path).unwrap(),
        JsonlLog::open(&path).unwrap(),
    ];
    std::thread::scope(|scope| {
        for log in &logs {
            scope.spawn(move || {
                for _ in 0..5_000 {
                    hooks![]
                        .with_probe(log)
                        .observe_now(&AgentContext::new("s"), &HeartbeatTick);
                }
            });
        }
    });
    drop(logs);
    assert_eq!(lines(&path).len(), 10_000);
}

#[test]
fn a_line_that_a_crash_left_unfinished_spoils_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    fs::write(&path, "{\"event\":\"Heart").unwrap();
    let log = JsonlLog::open(&path).unwrap();
    hooks![]
        .with_probe(&log)
        .observe_now(&AgentContext::new("s"), &HeartbeatTick);
    drop(log);
    let text = fs::read_to_string(&path).unwrap();
    let last = text.lines().last().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(last).unwrap()["event"],
        "HeartbeatTick"
    );
    assert_eq!(text.lines().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_moved_away_or_removed_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("logs/audit.jsonl");
    let moved = folder.path().join("audit.1.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    let hooks = hooks![].with_probe(&log);
    let tick = || hooks.observe_now(&AgentContext::new("s"), &HeartbeatTick);
    tick();
    log.flush().unwrap();
    fs::rename(&path, &moved).unwrap();
    tick();
    tick();
    log.flush().unwrap();
    assert_eq!((lines(&moved).len(), lines(&path).len()), (1, 2));

    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    tick();
    log.flush().unwrap();
    assert_eq!(lines(&path).len(), 1);

    // Where there can be none, it says so, and keeps the lines.
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path.parent().unwrap(), "in the way").unwrap();
    tick();
    assert!(log.flush().is_err() && log.last_error().is_some());
    fs::remove_file(path.parent().unwrap()).unwrap();
    log.flush().unwrap();
    assert!(log.last_error().is_none());
    assert_eq!((lines(&path).len(), log.dropped()), (1, 0));
}

#[test]
fn lines_come_without_being_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let log = JsonlLog::open(&path).unwrap();
    for expected in 1..=2 {
        hooks![]
            .with_probe(&log)
            .observe_now(&AgentContext::new("s"), &HeartbeatTick);
        while lines(&path).len() < expected {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn only_the_events_that_are_asked_for_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, config: fn(&mut JsonlLogConfig)| {
        let path = folder.path().join(name);
        let mut settings = JsonlLogConfig::new(&path);
        config(&mut settings);
        let log = JsonlLog::from_config(&settings).unwrap();
        let (hooks, cx) = (hooks![].with_probe(&log), AgentContext::new("s"));
        hooks.observe_now(&cx, &HeartbeatTick);
        hooks.observe_now(&cx, &LlmDelta::default());
        hooks.observe_now(
            &cx,
            &AgentEnd {
                response: "",
                ..AgentEnd::default()
            },
        );
        log.flush().unwrap();
        let names = lines(&path)
            .iter()
            .map(|line| line["event"].to_string())
            .collect::<Vec<_>>();
        names.join(" ").replace('"', "")
    };
    assert_eq!(write("default", |_| {}), "HeartbeatTick AgentEnd");
    assert_eq!(
        write("deltas", |config| config.deltas = true),
        "HeartbeatTick LlmDelta AgentEnd"
    );
    assert_eq!(
        write("some", |config| config.events =
            EventName::new("LlmDelta").map(|name| vec![name])),
        "LlmDelta"
    );
    let error =
        serde_json::from_value::<JsonlLogConfig>(json!({ "path": "x", "events": ["ToolEnd"] }));
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("unknown variant `ToolEnd`")
    );
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.jsonl");
    let _log = JsonlLog::open(&path).unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_file_that_cannot_be_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("a\0b")] {
        let error = JsonlLog::open(path).unwrap_err();
        assert_eq!((error.hook(), error.key()), ("jsonl_log", "path"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_stops_no_agent_and_what_is_dropped_is_counted() {
    let log = JsonlLog::from_config(&JsonlLogConfig {
        max_buffer_bytes: 10_000,
        ..JsonlLogConfig::new("/dev/full")
    })
    .unwrap();
    let (hooks, cx) = (hooks![].with_probe(&log), AgentContext::new("s"));
    hooks.observe_now(&cx, &HeartbeatTick);
    assert!(log.flush().is_err());
    for _ in 0..10_000 {
        hooks.observe_now(&cx, &HeartbeatTick);
    }
    assert!(log.dropped() > 9_000, "{}", log.dropped());
}
