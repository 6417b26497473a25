//! Tests what the small examples print.

use std::fs;

use hooks_core::agent::AgentContext;
use hooks_runtime::{Runtime, Trials};
use serde_json::Value;

use crate::common::{assert_lines, command, run};

#[test]
fn custom_events_shows_all_that_hooks_may_do_to_an_own_event() {
    let printed = run("custom_events", &[], "").stdout;
    assert!(printed.starts_with("order  hook"), "{printed}");
    assert_lines(
        &printed,
        &[
            "event: BeforeRelease",
            "event: AfterRelease",
            "announced: 1.1.0 to 100 % at https://example.com/1.1.0",
            "announced: 1.2.0-beta.1 to 5 % at https://example.com/1.2.0-beta.1",
            "announced: 1.0.0 to 100 % at https://example.com/1.0.0, as always",
            "hook `green` aborted the run: a build with failing tests came this far: something is broken",
            "hook `no_freeze` blocked the event: nothing goes out on a Friday",
        ],
    );
}

#[test]
fn no_executor_decides_every_call_and_observes_every_token() {
    let printed = run("no_executor", &[], "").stdout;
    assert_lines(
        &printed,
        &[
            "Shell \"ls\": `shell` may run",
            "SHELL \"sudo ls\": hook `deny_sudo` blocked the event: no sudo",
            "date \"\": a hook answers: 1970-01-01",
        ],
    );
    assert!(
        printed.contains("1000000 tokens observed, 5000000 letters"),
        "{printed}"
    );
    assert!(!printed.contains("async"), "{printed}");
}

#[test]
fn plugins_come_and_go_while_the_agent_runs() {
    let printed = run("plugins", &[], "").stdout;
    assert_lines(
        &printed,
        &[
            "\" list \": list ran [8 letters]",
            "\"browser\": hook `offline` blocked the event: this machine is offline",
            "\"vault\": hook `vault_is_closed` blocked the event: the vault is closed to every agent",
            "\"install\": installed (checked) [19 letters]",
            "\"list\": list ran (checked) [18 letters]",
            "\"uninstall\": uninstalled [11 letters]",
            "\"list\": list ran [8 letters]",
        ],
    );
}

#[test]
fn testing_shows_what_its_tests_hold() {
    let printed = run("testing", &[], "").stdout;
    assert_lines(
        &printed,
        &[
            "before: shell {\"command\":\"cat notes.txt\"}",
            "result: Continue",
            "after:  read {\"path\":\"notes.txt\"}",
            "after 0 failures: the tool ran",
            "after 2 failures: the tool ran",
        ],
    );
    assert!(
        printed.contains("after 3 failures: hook `Strikes` aborted the turn"),
        "{printed}"
    );
    assert!(
        printed.contains("in another session: the tool ran"),
        "{printed}"
    );
}

#[test]
fn token_budget_ends_each_session_when_its_tokens_are_spent() {
    let printed = run("token_budget", &[], "").stdout;
    let line = |session: u8| {
        format!(
            "session {session}: 3 calls, 60 tokens read, 300 written; hook `TokenBudget` aborted the turn: \
             the session has used 360 tokens of its 300"
        )
    };
    assert_lines(&printed, &[&line(1), &line(2)]);
}

/// What records say, but for times.
fn decisions(records: &str) -> Vec<Value> {
    let lines = records.lines().map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        for field in ["at", "duration_us", "input"] {
            record[field].take();
        }
        for step in record["steps"].as_array_mut().into_iter().flatten() {
            for field in ["duration_us", "source"] {
                step[field].take();
            }
        }
        record
    });
    lines.collect()
}

/// `docs/tutorial.md` shows these files.
#[test]
fn the_programs_of_the_tutorial_print_what_it_shows() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    fs::write(file, include_str!("../../tutorial/hooks.toml")).unwrap();
    for (example, shown) in [
        ("tutorial_first", include_str!("../../tutorial/first.txt")),
        ("tutorial_second", include_str!("../../tutorial/second.txt")),
    ] {
        let output = command(example).current_dir(&folder).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(printed, shown, "{example}: {output:?}");
    }
    let records = fs::read_to_string(folder.path().join("records.jsonl")).unwrap();
    let shown = include_str!("../../tutorial/records.jsonl");
    assert_eq!(decisions(&records), decisions(shown));
}

#[test]
fn compiled_policy_is_held_to_the_rules_of_its_file() {
    let printed = run("compiled_policy", &[], "").stdout;
    assert_lines(
        &printed,
        &[
            "shell: shell ran",
            "shell: hook `no-force-push` blocked the event: pushes by force are stopped: git push --force origin main",
            "Bash: hook `no-force-push` blocked the event: pushes by force are stopped: git push -f",
            "file_read: hook `no-secrets` blocked the event: `/etc/shadow` is not for agents",
        ],
    );
}

#[tokio::test]
async fn the_tests_in_the_file_of_the_compiled_policy_hold() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/compiled_policy/hooks.toml");
    let mut trials = Trials::new(Runtime::builder().file(file)).await.unwrap();
    let tests = trials.runtime().tests();
    assert_eq!(tests.len(), 6);
    for test in tests {
        let tested = trials.ask(&test.entry, AgentContext::default()).await;
        let tested = tested.unwrap();
        assert!(tested.differences.is_empty(), "{tested:?}");
    }
}
