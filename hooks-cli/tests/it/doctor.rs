//! `hooks doctor` says what is true about the agents' settings.

use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{Said, hooks, json};

const FILE: &str = "[[hooks.on]]\nevent = 'BeforeStop'\ncommand = 'true'\ntimeout = '120s'\n";

/// A project in which an agent is registered.
fn project(agent: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), FILE).unwrap();
    let said = hooks(folder.path(), &["init", "--agent", agent, "--write"], "");
    assert_eq!(said.code, 0, "{}", said.errors);
    folder
}

fn doctor(folder: &Path, agent: &str) -> Said {
    hooks(folder, &["doctor", "--for", agent], "")
}

fn edit(folder: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let file = folder.join(file);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(file, change(text)).unwrap();
}

#[track_caller]
fn finds(folder: &Path, agent: &str, wanted: &str) {
    let said = doctor(folder, agent);
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.contains(wanted), "{}", said.out);
}

#[test]
fn what_init_has_written_is_fine_for_every_agent() {
    let said = hooks(Path::new("."), &["init", "--agent", "none"], "");
    let agents = said.errors.split("[possible values: ").nth(1).unwrap();
    let agents = agents.split(']').next().unwrap().split(", ");
    let mut count = 0;
    for agent in agents.filter(|agent| *agent != "picoclaw") {
        let said = doctor(project(agent).path(), agent);
        assert_eq!((said.code, &*said.errors), (0, ""), "{agent}: {}", said.out);
        assert!(said.out.contains("fine"), "{}", said.out);
        count += 1;
    }
    assert!(count >= 14, "{count}");
}

#[test]
fn an_event_that_the_file_has_come_to_need_is_missing() {
    for (agent, event) in [
        ("claude", "PostCompact"),
        ("copilot", "notification"),
        ("gemini", "Notification"),
    ] {
        let folder = project(agent);
        let more = if event == "PostCompact" {
            "AfterCompact"
        } else {
            "Notification"
        };
        edit(folder.path(), "hooks.toml", |text| {
            format!("{text}\n[[hooks.on]]\nevent = '{more}'\ncommand = 'true'\n")
        });
        finds(
            folder.path(),
            agent,
            &format!("`{event}` is not registered"),
        );
        hooks(folder.path(), &["init", "--agent", agent, "--write"], "");
        assert_eq!(doctor(folder.path(), agent).code, 0);
    }
    let folder = project("claude");
    edit(folder.path(), "hooks.toml", |text| {
        format!("[hooks.builtin]\nredact = true\n{text}")
    });
    edit(folder.path(), ".claude/settings.json", |text| {
        text.replace("PostToolUse\"", "PostToolBatch\"")
    });
    finds(folder.path(), "claude", "`PostToolUse` is not registered");
}

#[test]
fn too_little_time_is_told() {
    let folder = project("claude");
    assert_eq!(doctor(folder.path(), "claude").code, 0);
    edit(folder.path(), "hooks.toml", |text| {
        text.replace("120s", "300s")
    });
    finds(
        folder.path(),
        "claude",
        "the agent waits for `Stop` 125 s, and the hooks may take 300 s",
    );
    let folder = project("gemini");
    edit(folder.path(), ".gemini/settings.json", |text| {
        text.replace("125000", "5000")
    });
    finds(
        folder.path(),
        "gemini",
        "`AfterAgent` 5 s, and the hooks may take 120 s",
    );
    // An agent that is not told waits as long as it usually does.
    let folder = project("codex");
    edit(folder.path(), "hooks.toml", |text| {
        text.replace("120s", "700s")
    });
    edit(folder.path(), ".codex/hooks.json", |text| {
        text.replace("\"timeout\"", "\"other\"")
    });
    finds(folder.path(), "codex", "`Stop` 600 s");
}

#[test]
fn what_cannot_run_is_told() {
    let folder = project("claude");
    let settings = ".claude/settings.json";
    let program = env!("CARGO_BIN_EXE_hooks");
    edit(folder.path(), settings, |text| {
        text.replace(program, "/gone/hooks")
    });
    finds(
        folder.path(),
        "claude",
        "the program /gone/hooks is not there: written for another machine: run `hooks init --agent claude --write` here (",
    );

    let folder = project("claude");
    let named = folder.path().join("hooks.toml").display().to_string();
    edit(folder.path(), settings, |text| {
        text.replace(&named, "/gone/hooks.toml")
    });
    finds(
        folder.path(),
        "claude",
        "the file /gone/hooks.toml is not there: written for another machine",
    );
    let said = doctor(folder.path(), "claude");
    assert_eq!(said.out.matches("is not there").count(), 1, "{}", said.out);
    // What may have been split at a blank.
    for split in [
        "/my shop/hooks.toml",
        "$CLAUDE_PROJECT_DIR/my shop/hooks.toml",
    ] {
        let folder = project("claude");
        let named = folder.path().join("hooks.toml").display().to_string();
        edit(folder.path(), settings, |text| text.replace(&named, split));
        finds(folder.path(), "claude", "a path with blanks needs quotes");
    }
}

#[cfg(unix)]
#[test]
fn a_script_of_the_users_own_is_looked_at_too() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = project("claude");
    let scripts = folder.path().join("my hooks");
    std::fs::create_dir(&scripts).unwrap();
    let script = scripts.join("check.sh");
    std::fs::write(&script, "#!/bin/sh\n").unwrap();
    let with = |command: &str| {
        let own = serde_json::json!({ "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": command }] }] } });
        std::fs::write(
            folder.path().join(".claude/settings.local.json"),
            own.to_string(),
        )
        .unwrap();
    };
    with("\"$CLAUDE_PROJECT_DIR/my hooks/check.sh\"");
    finds(
        folder.path(),
        "claude",
        "my hooks/check.sh may not be run: `chmod +x` it",
    );
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(doctor(folder.path(), "claude").code, 0);
    with("$CLAUDE_PROJECT_DIR/my hooks/check.sh --all");
    finds(folder.path(), "claude", "a path with blanks needs quotes");
    with("./gone.sh");
    finds(
        folder.path(),
        "claude",
        "the program ./gone.sh is not there",
    );
    let said = hooks(folder.path(), &["check", ".claude/settings.local.json"], "");
    assert!(
        said.out
            .contains("`./gone.sh`: the program ./gone.sh is not there"),
        "{}",
        said.out
    );
    // What a shell would make of it is not known here.
    for command in ["$TOOLS/check.sh", "cd src && make", "echo done"] {
        with(command);
        assert_eq!(doctor(folder.path(), "claude").code, 0, "{command}");
    }
}

#[test]
fn what_is_registered_twice_is_told() {
    let folder = project("claude");
    std::fs::copy(
        folder.path().join(".claude/settings.json"),
        folder.path().join(".claude/settings.local.json"),
    )
    .unwrap();
    finds(
        folder.path(),
        "claude",
        "`Stop` is registered twice (.claude/settings.json and .claude/settings.local.json)",
    );
    // Two groups for different tools are not twice.
    let folder = project("claude");
    edit(folder.path(), ".claude/settings.json", |text| {
        let mut settings = json(&text);
        let group = settings["hooks"]["PreToolUse"][0].clone();
        let groups = ["Bash", "Write"].map(|matcher| {
            let mut group = group.clone();
            group["matcher"] = matcher.into();
            group
        });
        settings["hooks"]["PreToolUse"] = groups.into();
        settings["statusLine"] = serde_json::json!({ "type": "command", "command": "./gone.sh" });
        settings.to_string()
    });
    let said = doctor(folder.path(), "claude");
    assert_eq!(said.code, 0, "{}", said.out);
    let folder = project("copilot");
    hooks(folder.path(), &["init", "--agent", "claude", "--write"], "");
    finds(
        folder.path(),
        "copilot",
        "GitHub Copilot reads .claude/settings.json, too",
    );
}

#[test]
fn only_agents_that_are_here_are_told_of() {
    let folder = project("codex");
    let said = hooks(folder.path(), &["doctor", "--json"], "");
    let reports = json(&said.out);
    let agents: Vec<_> = reports
        .as_array()
        .unwrap()
        .iter()
        .map(|report| &report["agent"])
        .collect();
    assert_eq!(agents, ["codex"], "{reports}");
    assert!(
        reports[0]["settings"][0]
            .as_str()
            .unwrap()
            .ends_with(".codex/hooks.json")
    );
    assert_eq!(reports[0]["findings"], Value::Array(Vec::new()));
    finds(folder.path(), "claude", "hooks init --agent claude --write");
    // Settings without a call of ours are nothing wrong.
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    std::fs::write(
        folder.path().join(".claude/settings.json"),
        "{ \"model\": \"opus\" } // mine\n",
    )
    .unwrap();
    let said = hooks(folder.path(), &["doctor"], "");
    assert!(
        said.code == 0 && said.out.contains("Claude Code: not registered"),
        "{}",
        said.out
    );
    std::fs::write(folder.path().join(".claude/settings.json"), "{ \"model\" ").unwrap();
    finds(
        folder.path(),
        "claude",
        ".claude/settings.json: the agent cannot read this file",
    );
}

#[test]
fn a_call_of_another_file_is_not_ours() {
    let folder = project("claude");
    std::fs::write(folder.path().join("other.toml"), FILE).unwrap();
    let said = hooks(folder.path(), &["doctor", "other.toml"], "");
    assert!(
        said.code == 0 && said.out.contains("not registered"),
        "{}",
        said.out
    );
    assert_eq!(
        said.out
            .matches(".claude/settings.json calls the hooks of")
            .count(),
        1,
        "{}",
        said.out
    );
}

#[test]
fn what_is_registered_and_never_asked_is_told() {
    let settings = ".claude/settings.json";
    for (from, to, told) in [
        (
            "{\n  \"hooks\"",
            "{\n  \"disableAllHooks\": true,\n  \"hooks\"",
            "`disableAllHooks` turns all hooks of the agent off",
        ),
        ("\"hooks\": {", "\"hooksOff\": {", "not registered"),
        (
            "\"type\": \"command\"",
            "\"type\": \"http\"",
            "not registered",
        ),
        (
            " --as claude\"",
            " --as claude || true\"",
            "hides its exit code",
        ),
    ] {
        let folder = project("claude");
        edit(folder.path(), settings, |text| {
            assert!(text.contains(from), "{text}");
            text.replace(from, to)
        });
        finds(folder.path(), "claude", told);
    }
}

#[test]
fn a_command_may_end_with_the_exit_code_that_refuses() {
    for (then, code) in [("exit 2", 0), ("exit 1", 1), ("exit 2 || true", 1)] {
        let folder = project("claude");
        edit(folder.path(), ".claude/settings.json", |text| {
            text.replace(" --as claude\"", &format!(" --as claude || {then}\""))
        });
        let said = doctor(folder.path(), "claude");
        assert_eq!(said.code, code, "{then}: {}", said.out);
    }
}

#[test]
fn a_call_is_known_however_it_is_written() {
    let file = |folder: &Path| folder.join("hooks.toml").display().to_string();
    let folder = project("claude");
    let named = file(folder.path());
    let settings = ".claude/settings.json";
    edit(folder.path(), settings, |text| {
        text.replace(&named, "$CLAUDE_PROJECT_DIR/hooks.toml")
    });
    assert_eq!(doctor(folder.path(), "claude").code, 0);
    edit(folder.path(), settings, |text| {
        text.replace(" run ", " --json run ")
    });
    assert_eq!(doctor(folder.path(), "claude").code, 0);
    // A program with its arguments, without a shell.
    let folder = project("claude");
    let program = env!("CARGO_BIN_EXE_hooks");
    let whole = format!(
        "\"command\": \"{program} run {} --as claude\"",
        file(folder.path())
    );
    let apart = format!(
        "\"command\": \"{program}\", \"args\": [\"run\", \"{}\", \"--as\", \"claude\"]",
        file(folder.path())
    );
    edit(folder.path(), settings, |text| {
        assert!(text.contains(&whole), "{text}");
        text.replace(&whole, &apart)
    });
    let said = doctor(folder.path(), "claude");
    assert_eq!(said.code, 0, "{}", said.out);
}

#[test]
fn check_says_the_same_of_one_agent() {
    let folder = project("claude");
    edit(folder.path(), "hooks.toml", |text| {
        text.replace("120s", "300s")
    });
    let said = hooks(folder.path(), &["check", "--for", "claude"], "");
    assert!(
        said.errors.contains("waits for `Stop` 125 s")
            || said.out.contains("waits for `Stop` 125 s"),
        "{}{}",
        said.out,
        said.errors
    );
}

#[test]
fn a_file_with_a_mistake_is_told_first() {
    let folder = project("claude");
    std::fs::write(folder.path().join("hooks.toml"), "[hooks]\non = 1\n").unwrap();
    let said = doctor(folder.path(), "claude");
    assert_eq!(said.code, 1);
    assert!(
        said.errors.contains("every event is blocked"),
        "{}",
        said.errors
    );
}
