//! Asking hooks about the past.

use std::path::{Path, PathBuf};

use serde_json::{Value, json as value};

use crate::common::{Said, hooks, json};

const DRAFT: &str = "[[hooks.on]]\nname = 'no-sudo'\nevent = 'BeforeToolCall'\nif = 'Bash(sudo *)'\nblock = 'no sudo'\n";

fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    folder.join(name).display().to_string()
}

fn replayed(past: &[&str], draft: &str, more: &[&str]) -> Said {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("draft.toml"), draft).unwrap();
    let args = [&["replay"], past, &["--with", "draft.toml"], more].concat();
    hooks(folder.path(), &args, "")
}

/// What changes: the hook, the decisions before and now, and how often.
fn changes(said: &Said) -> Vec<(String, String, String, u64)> {
    let said = json(&said.out);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let groups = said["groups"].as_array().unwrap().iter();
    groups
        .map(|one| {
            (
                text(&one["hook"]),
                text(&one["before"]),
                text(&one["now"]),
                one["count"].as_u64().unwrap(),
            )
        })
        .collect()
}

fn change(hook: &str, before: &str, now: &str, count: u64) -> (String, String, String, u64) {
    (hook.into(), before.into(), now.into(), count)
}

#[test]
fn the_sessions_of_other_agents_are_the_past() {
    for (file, asked, sudo) in [
        ("claude.jsonl", 4, 1),
        ("codex.jsonl", 4, 2),
        ("gemini.json", 2, 1),
    ] {
        let said = replayed(&[&fixture(file)], DRAFT, &["--json"]);
        assert_eq!(said.code, 1, "{file}: {}", said.errors);
        assert_eq!(json(&said.out)["asked"], asked, "{file}: {}", said.out);
        assert_eq!(
            changes(&said),
            [change("no-sudo", "continue", "block", sudo)],
            "{file}"
        );
        let example = &json(&said.out)["groups"][0]["examples"][0];
        assert!(
            example["text"].as_str().unwrap().contains("sudo"),
            "{example}"
        );
        assert!(
            example["at"].as_str().unwrap().starts_with("2026-03-22T1"),
            "{example}"
        );
        assert!(
            example["session_id"].as_str().unwrap().ends_with("-1"),
            "{example}"
        );
    }
}

#[test]
fn a_prompt_and_a_call_that_a_hook_refused_are_the_past_too() {
    let claude = fixture("claude.jsonl");
    let prompts = "[[hooks.on]]\nname = 'calm'\nevent = 'MessageReceived'\nblock = 'no'\n";
    let said = replayed(&[&claude], prompts, &["--json"]);
    let expected = [
        change("", "block", "continue", 1),
        change("calm", "continue", "block", 1),
    ];
    assert_eq!(changes(&said), expected);
    let said = replayed(
        &[&claude],
        prompts,
        &["--json", "--since", "2026-03-23T00:00:00Z"],
    );
    assert_eq!(changes(&said), [change("", "block", "continue", 1)]);
    let said = replayed(&[&claude], prompts, &["--json", "--since", "tomorrow"]);
    assert_eq!(said.code, 2);
}

/// Records of some calls of Claude Code, by the hooks of a file.
fn recorded(folder: &Path, text: &str, calls: &[&str]) -> PathBuf {
    std::fs::write(folder.join("hooks.toml"), text).unwrap();
    for command in calls {
        let event = value!({ "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash",
                             "tool_use_id": command, "tool_input": { "command": command } });
        let args = [
            "run",
            "hooks.toml",
            "--as",
            "claude",
            "--records",
            "records.jsonl",
        ];
        assert_eq!(hooks(folder, &args, &event.to_string()).code, 0);
    }
    folder.join("records.jsonl")
}

#[test]
fn records_are_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let records = recorded(folder.path(), DRAFT, &["sudo ls", "ls", "make"]);
    let records = records.to_str().unwrap();
    let same = replayed(&[records], DRAFT, &[]);
    assert_eq!(
        (same.code, same.out.trim()),
        (0, "0 of 5 decisions would change"),
        "{}",
        same.errors
    );

    let other = "[[hooks.on]]\nname = 'no-make'\nevent = 'BeforeToolCall'\nif = 'Bash(make)'\nask = 'sure?'\n";
    let said = replayed(&[records], other, &["--json", "--examples", "1"]);
    let mut found = changes(&said);
    found.sort();
    let expected = [
        change("no-make", "continue", "ask", 1),
        change("no-sudo", "block", "continue", 1),
    ];
    assert_eq!((found.as_slice(), said.code), (expected.as_slice(), 1));
    let shown = replayed(&[records], other, &[]);
    assert!(
        shown.out.contains("block → continue  no-sudo"),
        "{}",
        shown.out
    );
    assert!(shown.out.contains("sure?"), "{}", shown.out);
}

#[test]
fn a_handler_gives_its_recorded_answer_or_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let gate = |name: &str| {
        let run = format!("echo x >> {}; echo no >&2; exit 2", trace.display());
        format!("[[hooks.on]]\nname = '{name}'\nevent = 'BeforeToolCall'\ncommand = '{run}'\n")
    };
    let records = recorded(folder.path(), &gate("gate"), &["make"]);
    let ran = std::fs::read_to_string(&trace).unwrap();
    let records = records.to_str().unwrap();
    let said = replayed(&[records], &gate("gate"), &["--json"]);
    assert_eq!((said.code, changes(&said).len()), (0, 0), "{}", said.out);

    let said = replayed(&[records], &gate("new"), &["--json"]);
    assert_eq!(changes(&said), [change("gate", "block", "continue", 1)]);
    assert_eq!(
        json(&said.out)["left_out"],
        value!([{ "hook": "new", "count": 1 }])
    );
    assert_eq!(
        std::fs::read_to_string(&trace).unwrap(),
        ran,
        "nothing runs"
    );
}

#[test]
fn what_is_no_past_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let of_hooks = r#"{"at":"2026-03-22T10:00:00Z","revision":1,"hook":"a","handler":"rule","event":"BeforeToolCall","outcome":"continue","duration_us":1}"#;
    let said = replayed(&[&write("hooks.jsonl", of_hooks)], DRAFT, &[]);
    assert!(
        said.code == 2 && said.errors.contains("--records"),
        "{}",
        said.errors
    );
    let said = replayed(&[&write("other.jsonl", "{\"a\":1}\n")], DRAFT, &[]);
    assert!(
        said.errors.contains("neither records nor a session"),
        "{}",
        said.errors
    );
    let said = replayed(&["no/such/file"], DRAFT, &[]);
    assert!(
        said.code == 2 && said.errors.contains("no/such/file"),
        "{}",
        said.errors
    );
    let said = replayed(
        &[&folder.path().display().to_string()],
        "[[hooks.on]]\n",
        &[],
    );
    assert_eq!(said.code, 1, "{}", said.errors);
}
