//! `hooks init --write` changes settings that belong to somebody else.

use std::path::Path;

use crate::common::{Said, hooks, json};
use serde_json::{Value, json as value};

fn init(folder: &Path, args: &[&str]) -> Said {
    let said = hooks(folder, &[&["init"], args].concat(), "");
    assert_eq!(said.code, 0, "{}", said.errors);
    said
}

const LAYOUTS: [&str; 11] = [
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    r#"{"model":"opus"}"#,
    r#"{"model":"opus","hooks":{}}"#,
    "{\n  \"model\": \"opus\"\n  // the end\n}\n",
    "{\r\n\t\"model\": \"opus\"\r\n}\r\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [{\"hooks\": []}]\n  }\n}",
    "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  },\n  \"b\": 2,\n}",
    "// mine\n{\n  \"hooks\": {\n    \"PreToolUse\": [\n      { \"matcher\": \"Bash\", \"hooks\": [] } // here\n    ]\n  }\n}\n",
];

#[test]
fn settings_are_merged_once_and_come_back_byte_for_byte() {
    for agent in [
        "claude",
        "cursor",
        "picoclaw",
        "copilot",
        "antigravity",
        "devin",
    ] {
        for layout in LAYOUTS.map(Some).into_iter().chain([None]) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("deep/settings.json");
            let read = || std::fs::read_to_string(&file).ok();
            if let Some(layout) = layout {
                std::fs::create_dir(file.parent().unwrap()).unwrap();
                std::fs::write(&file, layout).unwrap();
            }
            let args = ["--agent", agent, "--settings", "deep/settings.json"];
            let with = |option: &[&str]| init(folder.path(), &[&args, option].concat());
            let shown = with(&["--dry-run"]);
            assert!(shown.out.contains('+'), "{}", shown.out);
            assert_eq!(read().as_deref(), layout);
            assert!(!folder.path().join("hooks.toml").exists());

            with(&["--write"]);
            let written = read().unwrap();
            let mark = |c: char| c.is_whitespace() || "{}[],:".contains(c);
            for part in layout.unwrap_or_default().split(mark) {
                assert!(written.contains(part), "{part}: {written}");
            }
            let program = env!("CARGO_BIN_EXE_hooks");
            assert!(written.contains(program), "{written}");
            let again = with(&["--write"]);
            assert!(again.out.contains("nothing to change"), "{}", again.out);
            assert_eq!(read().unwrap(), written);

            let shown = with(&["--remove", "--dry-run"]);
            assert!(shown.out.contains('-'), "{}", shown.out);
            assert_eq!(read().unwrap(), written);
            with(&["--remove"]);
            assert_eq!(read().as_deref(), layout, "{agent} {layout:?}: {written}");
        }
    }
}

#[test]
fn what_somebody_adds_stays_and_an_older_program_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".claude/settings.json");
    let args = ["--agent", "claude", "--write"];
    init(folder.path(), &args);
    let text = std::fs::read_to_string(&file).unwrap();
    let older = text.replace(env!("CARGO_BIN_EXE_hooks"), "/old/hooks");
    let older = older.replacen("{\n", "{\n  \"model\": \"opus\",\n", 1);
    std::fs::write(&file, &older).unwrap();
    init(folder.path(), &args);
    let newer = std::fs::read_to_string(&file).unwrap();
    assert!(
        !newer.contains("/old/hooks") && newer.contains("opus"),
        "{newer}"
    );
    let value = json(&newer);
    let lists = value["hooks"].as_object().unwrap().values();
    assert!(
        lists
            .map(Value::as_array)
            .all(|list| list.unwrap().len() == 1),
        "{newer}"
    );
    init(folder.path(), &["--agent", "claude", "--remove"]);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "{\n  \"model\": \"opus\"\n}\n"
    );
}

/// A hook of the user's, in the form of each agent.
fn own_hook(agent: &str) -> Value {
    match agent {
        "cursor" => value!({ "command": "./mine.sh" }),
        "copilot" => value!({ "type": "command", "bash": "./mine.sh" }),
        _ => value!({ "type": "command", "command": "./mine.sh" }),
    }
}

/// Every list of hooks in settings.
fn lists(settings: &mut Value) -> Vec<&mut Vec<Value>> {
    let events = settings["hooks"]
        .as_object_mut()
        .into_iter()
        .flat_map(|events| events.values_mut());
    let lists = events.filter_map(Value::as_array_mut).flat_map(|groups| {
        if groups
            .first()
            .is_some_and(|group| group["hooks"].is_array())
        {
            let groups = groups.iter_mut();
            groups
                .filter_map(|group| group["hooks"].as_array_mut())
                .collect()
        } else {
            vec![groups]
        }
    });
    lists.collect()
}

#[test]
fn what_is_the_users_stays_whatever_the_order() {
    for agent in ["claude", "codex", "gemini", "qwen", "cursor", "copilot"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        let init = |option: &str| {
            init(
                folder.path(),
                &["--agent", agent, "--settings", "settings.json", option],
            )
        };
        let read = || json(&std::fs::read_to_string(&file).unwrap());
        let write = |settings: &Value| std::fs::write(&file, format!("{settings:#}\n")).unwrap();
        let count = |what: &str| {
            std::fs::read_to_string(&file)
                .unwrap()
                .matches(what)
                .count()
        };
        write(&value!({ "model": "opus" }));
        init("--write");
        let calls = count("run ");
        // The user's own hook in each of our groups, and an option in each of our commands.
        let mut settings = read();
        let mut groups = 0;
        for hooks in lists(&mut settings) {
            hooks.insert(0, own_hook(agent));
            groups += 1;
        }
        let text = settings.to_string().replace(
            &format!(" --as {agent}"),
            &format!(" --as {agent} --records r.jsonl"),
        );
        write(&json(&text));
        init("--write");
        assert_eq!(count("run "), calls, "{agent}: {}", read());
        assert_eq!(count("./mine.sh"), groups, "{agent}: {}", read());
        init("--write");
        assert_eq!(count("run "), calls, "{agent}: {}", read());
        init("--remove");
        assert_eq!(
            (count("run "), count("./mine.sh")),
            (0, groups),
            "{agent}: {}",
            read()
        );
        assert_eq!(read()["model"], "opus");
    }
}

#[test]
fn a_second_agent_is_told_what_the_policy_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let first = init(folder.path(), &["--agent", "claude", "--write"]);
    assert!(!first.errors.contains("does not know"), "{}", first.errors);
    let second = init(folder.path(), &["--agent", "copilot", "--write"]);
    assert!(
        second.errors.contains("`view`") && second.errors.contains("profiles = "),
        "{}",
        second.errors
    );
}

#[test]
fn only_tools_that_the_policy_denies_are_told() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &[]);
    let said = init(folder.path(), &["--agent", "claude", "--dry-run"]);
    assert!(!said.errors.contains("denies"), "{}", said.errors);
    let said = init(folder.path(), &["--agent", "claude", "--write"]);
    assert!(
        said.errors
            .contains("write `profiles = [\"common\",\"claude_code\"]`"),
        "{}",
        said.errors
    );
    for (tool, is_denied) in [("Read", false), ("Edit", false), ("WebFetch", true)] {
        let args = ["fire", "--event", "BeforeToolCall", "--tool", tool];
        let fired = hooks(folder.path(), &args, "");
        assert_eq!(
            fired.out.contains("is not declared"),
            is_denied,
            "{}",
            fired.out
        );
        let is_told = said.errors.contains(&format!("`{tool}`"));
        assert_eq!(is_told, is_denied, "{tool}: {}", said.errors);
    }
    // What is proposed does for both agents.
    let said = init(folder.path(), &["--agent", "gemini", "--write"]);
    let all = "`profiles = [\"common\",\"claude_code\",\"gemini_cli\"]`";
    assert!(said.errors.contains(all), "{}", said.errors);
}

#[test]
fn the_file_of_a_home_folder_has_no_workspace() {
    let folder = tempfile::tempdir().unwrap();
    for (home, has_workspace) in [(".", false), ("other", true)] {
        let args = ["init", "--force", "--agent", "claude"];
        let mut init = crate::common::command(folder.path(), &args);
        init.env("HOME", folder.path().join(home));
        let said = crate::common::run(init, "");
        assert_eq!(said.code, 0, "{}", said.errors);
        let text = std::fs::read_to_string(folder.path().join("hooks.toml")).unwrap();
        assert_eq!(text.contains("\nworkspace = "), has_workspace, "{text}");
        assert_eq!(text.contains("No `workspace` is set"), !has_workspace);
    }
}

#[test]
fn a_file_that_was_made_for_ours_goes_although_it_was_edited() {
    for (agent, settings) in [
        ("claude", ".claude/settings.json"),
        ("cursor", ".cursor/hooks.json"),
    ] {
        for (more, goes) in [("\n", true), ("// mine\n", false)] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(settings);
            init(folder.path(), &["--agent", agent, "--write"]);
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text + more).unwrap();
            init(folder.path(), &["--agent", agent, "--remove"]);
            assert_eq!(!file.exists(), goes, "{agent} {more:?}");
        }
    }
}

#[test]
fn what_the_file_has_hooks_for_is_registered_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let hook = |seconds: u32| value!([{ "hooks": [{ "type": "command", "command": "true", "timeout": seconds }] }]);
    let shared = value!({ "hooks": { "Notification": hook(5), "TaskCompleted": hook(5), "Stop": hook(300) } });
    std::fs::write(at("shared.json"), shared.to_string()).unwrap();
    let file = "[[hooks.import]]\nclaude = 'shared.json'\n[[hooks.on]]\nevent = 'AfterCompact'\ncommand = 'true'\n\
                [[hooks.on]]\nevent = 'BeforeStop'\ncommand = 'true'\ntimeout = '120s'\n\
                [[hooks.on]]\nevent = 'AfterToolCall'\ncommand = 'true'\n";
    std::fs::write(at("hooks.toml"), file).unwrap();
    let registered = |agent: &str, settings: &str| {
        init(folder.path(), &["--agent", agent, "--write"]);
        json(&std::fs::read_to_string(at(settings)).unwrap())["hooks"].clone()
    };
    let claude = registered("claude", ".claude/settings.json");
    for event in ["PreToolUse", "Notification", "PostCompact", "TaskCompleted"] {
        assert_eq!(
            claude[event].as_array().map(Vec::len),
            Some(1),
            "{event}: {claude}"
        );
    }
    assert!(claude.get("MessageDisplay").is_none());
    assert_eq!(claude["Stop"][0]["hooks"][0]["timeout"], 425);
    assert_eq!(claude["PreToolUse"][0]["hooks"][0]["timeout"], 30);
    // Cursor raises several events after one call, and one of them is enough.
    let cursor = registered("cursor", ".cursor/hooks.json");
    assert!(
        cursor["postToolUse"].is_array() && cursor.get("afterFileEdit").is_none(),
        "{cursor}"
    );
    let gemini = registered("gemini", ".gemini/settings.json");
    assert_eq!(gemini["AfterAgent"][0]["hooks"][0]["timeout"], 425_000);
}

#[test]
fn what_the_file_has_no_hooks_for_any_more_goes_when_it_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let write = |hooks: &str| {
        std::fs::write(at("hooks.toml"), hooks).unwrap();
        init(folder.path(), &["--agent", "claude", "--write"]);
        json(&std::fs::read_to_string(at(".claude/settings.json")).unwrap())
    };
    let other = "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n";
    let before = write(other);
    let with = write(&format!(
        "{other}[[hooks.on]]\nevent = 'AfterCompact'\ncommand = 'true'\n"
    ));
    assert!(with["hooks"]["PostCompact"].is_array(), "{with}");
    // A hook of the user's own on the same event stays.
    let own = value!({ "hooks": [{ "type": "command", "command": "./mine.sh" }] });
    let mut mixed = with.clone();
    mixed["hooks"]["PostCompact"]
        .as_array_mut()
        .unwrap()
        .push(own.clone());
    std::fs::write(at(".claude/settings.json"), mixed.to_string()).unwrap();
    let after = write(other);
    assert_eq!(after["hooks"]["PostCompact"], value!([own]), "{after}");
    std::fs::write(at(".claude/settings.json"), with.to_string()).unwrap();
    assert_eq!(write(other), before);
}

#[test]
fn what_the_file_has_no_hooks_for_any_more_is_removed_too() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(
        at("hooks.toml"),
        "[[hooks.on]]\nevent = 'AfterCompact'\ncommand = 'true'\n",
    )
    .unwrap();
    let theirs = value!([{ "hooks": [{ "type": "command", "command": "theirs.sh" }] }]);
    let settings = value!({ "allow": [], "hooks": { "PostCompact": theirs } });
    std::fs::create_dir(at(".claude")).unwrap();
    let file = at(".claude/settings.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    init(folder.path(), &["--agent", "claude", "--write"]);
    let written = std::fs::read_to_string(&file).unwrap();
    let registered = json(&written)["hooks"]["PostCompact"].clone();
    assert_eq!(registered.as_array().map(Vec::len), Some(2));
    // With our own text changed by hand, the text before it is not known.
    let changed = written.replace("--as claude", "--as claude --json");
    std::fs::write(&file, changed).unwrap();
    std::fs::write(at("hooks.toml"), "").unwrap();
    init(folder.path(), &["--agent", "claude", "--remove"]);
    assert_eq!(json(&std::fs::read_to_string(&file).unwrap()), settings);
}

/// A change by hand, to text that is not ours, and every other byte.
#[test]
fn the_file_of_another_project_stays_in_the_settings_of_the_user() {
    let home = tempfile::tempdir().unwrap();
    let settings = home.path().join("settings.json");
    let settings = settings.to_str().unwrap();
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let registers = |folder: &Path| {
        let text = std::fs::read_to_string(settings).unwrap_or_default();
        text.contains(&folder.join("hooks.toml").display().to_string())
    };
    for folder in &folders {
        let args = ["--agent", "claude", "--write", "--settings", settings];
        init(folder.path(), &args);
        init(folder.path(), &args);
    }
    assert!(folders.iter().all(|folder| registers(folder.path())));
    let args = ["--agent", "claude", "--remove", "--settings", settings];
    init(folders[1].path(), &args);
    assert!(registers(folders[0].path()) && !registers(folders[1].path()));
    // What has registered a file that is gone is old.
    let moved = folders[0].path().join("moved.toml");
    std::fs::rename(folders[0].path().join("hooks.toml"), &moved).unwrap();
    let args = [
        "--agent",
        "claude",
        "--write",
        "--settings",
        settings,
        "--file",
        "moved.toml",
    ];
    init(folders[0].path(), &args);
    assert!(!registers(folders[0].path()));
    let text = std::fs::read_to_string(settings).unwrap();
    assert!(text.contains("moved.toml"), "{text}");
}

#[test]
fn after_a_change_by_hand_every_other_byte_stays() {
    for agent in ["claude", "codex", "gemini", "qwen", "copilot"] {
        for layout in LAYOUTS.into_iter().filter(|layout| layout.contains("opus")) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("settings.json");
            std::fs::write(&file, layout).unwrap();
            let args = ["--agent", agent, "--settings", "settings.json"];
            let edit = |text: String| text.replacen("opus", "haiku", 1);
            init(folder.path(), &[&args[..], &["--write"]].concat());
            std::fs::write(&file, edit(std::fs::read_to_string(&file).unwrap())).unwrap();
            init(folder.path(), &[&args[..], &["--remove"]].concat());
            let now = std::fs::read_to_string(&file).unwrap();
            assert_eq!(now, edit(layout.to_owned()), "{agent}");
        }
    }
}

#[test]
fn a_file_of_another_form_or_of_somebody_else_stays() {
    let folder = tempfile::tempdir().unwrap();
    for (agent, text) in [
        ("claude", "[1]"),
        ("claude", "{"),
        ("claude", r#"{"hooks": []}"#),
        ("claude", r#"{"hooks": {"PreToolUse": {}}}"#),
        ("goose", "{}"),
    ] {
        std::fs::write(folder.path().join("s.json"), text).unwrap();
        let args = ["init", "--agent", agent, "--write", "--settings", "s.json"];
        let said = hooks(folder.path(), &args, "");
        assert_eq!(said.code, 1, "{text}");
        assert!(said.errors.contains("s.json: ") || said.errors.contains("not of this program"));
        assert_eq!(
            std::fs::read_to_string(folder.path().join("s.json")).unwrap(),
            text
        );
    }
}

#[test]
fn a_file_of_ours_is_written_whole_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".agents/plugins/hooks/hooks/hooks.json");
    init(folder.path(), &["--agent", "goose", "--write"]);
    assert!(json(&std::fs::read_to_string(&file).unwrap())["hooks"].is_object());
    init(folder.path(), &["--agent", "goose", "--remove"]);
    assert!(!file.exists());
}

#[cfg(unix)]
#[test]
fn the_command_in_the_settings_works_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("it's here");
    std::fs::create_dir(&inner).unwrap();
    init(&inner, &["--agent", "claude", "--write"]);
    let settings = json(&std::fs::read_to_string(inner.join(".claude/settings.json")).unwrap());
    let line = settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"]
        .as_str()
        .unwrap();
    let input = r#"{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"},"tool_use_id":"1"}"#;
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", line]);
    let said = crate::common::run(shell, input);
    assert!(said.out.contains("\"deny\""), "{}{}", said.out, said.errors);
}

/// Runs the plugin as OpenCode does: it prints what each call comes to.
const DRIVER: &str = r#"
import plugin from "./.opencode/plugin/hooks.js"
const hooks = await plugin.server({ directory: process.cwd() })
const said = async (work) => { try { return await work() } catch (error) { return `refused: ${error.message}` } }
const before = (command) => said(async () => {
  const output = { args: { command } }
  await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output)
  return output.args.command
})
const output = { title: "t", metadata: { output: "k" }, output: "mail ada@example.org" }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", callID: "c", args: { command: "ls" } }, output)
const prompt = { parts: [{ type: "text", text: "go", id: "prt_1" }] }
const asked = await said(() => hooks["chat.message"]({ sessionID: "s" }, prompt))
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s" } } })
console.log(JSON.stringify([await before("ls"), await before("rm -rf /"), output.output, asked ?? prompt.parts.length]))
"#;

#[test]
fn the_plugin_for_opencode_blocks_and_rewrites() {
    let folder = tempfile::tempdir().unwrap();
    init(folder.path(), &["--agent", "opencode", "--write"]);
    std::fs::write(folder.path().join("driver.mjs"), DRIVER).unwrap();
    std::fs::write(folder.path().join("package.json"), r#"{"type":"module"}"#).unwrap();
    let driven = std::process::Command::new("node")
        .arg("driver.mjs")
        .current_dir(folder.path())
        .env("XDG_STATE_HOME", folder.path().join(".state"))
        .output();
    let Ok(driven) = driven else {
        println!("skipped: there is no `node` here to run a plugin of OpenCode");
        return;
    };
    let errors = String::from_utf8_lossy(&driven.stderr);
    assert!(driven.status.success(), "{errors}");
    let said = json(&String::from_utf8_lossy(&driven.stdout));
    let ran = said[0].as_str().unwrap();
    assert!(ran == "ls" || ran.ends_with(" -- sh -c ls"), "{ran}");
    let refused = said[1].as_str().unwrap();
    assert!(
        refused.starts_with("refused: ") && refused.contains("`rm` is not allowed"),
        "{refused}"
    );
    assert_eq!(said[2], "mail [REDACTED:email]");
    assert_eq!(said[3], 1);
    // What cannot be asked is denied.
    std::fs::write(folder.path().join("hooks.toml"), "broken =").unwrap();
    let driven = std::process::Command::new("node")
        .arg("driver.mjs")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(!driven.status.success());
    let removed = init(folder.path(), &["--agent", "opencode", "--remove"]);
    assert!(removed.out.contains('-'), "{}", removed.out);
    assert!(!folder.path().join(".opencode/plugin/hooks.js").exists());
}

/// An agent, words of the line about `redact` in its file, `--event`, what the agent sends, and whether a secret in that is
/// replaced.
const REDACTED: &[(&str, &str, &str, &str, bool)] = &[
    (
        "claude",
        OUTPUTS,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"TEXT"}}"#,
        true,
    ),
    (
        "claude",
        OUTPUTS,
        "",
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"TEXT"}"#,
        false,
    ),
    (
        "codex",
        OUTPUTS,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},"tool_response":"TEXT"}"#,
        true,
    ),
    (
        "codex",
        OUTPUTS,
        "",
        r#"{"hook_event_name":"UserPromptSubmit","prompt":"TEXT"}"#,
        false,
    ),
    (
        "gemini",
        "output of tools; a prompt stays",
        "",
        r#"{"hook_event_name":"AfterTool","tool_name":"t","tool_input":{},"tool_response":{"llmContent":"TEXT"}}"#,
        true,
    ),
    (
        "gemini",
        "a prompt stays",
        "",
        r#"{"hook_event_name":"BeforeAgent","prompt":"TEXT"}"#,
        false,
    ),
    (
        "copilot",
        OUTPUTS,
        "postToolUse",
        r#"{"toolName":"bash","toolArgs":{},"toolResult":{"resultType":"success","textResultForLlm":"TEXT"}}"#,
        true,
    ),
    (
        "copilot",
        OUTPUTS,
        "userPromptSubmitted",
        r#"{"prompt":"TEXT"}"#,
        false,
    ),
    (
        "cursor",
        "MCP tools",
        "",
        r#"{"hook_event_name":"postToolUse","tool_name":"MCP:x","tool_input":{},"tool_output":"{\"x\":\"TEXT\"}"}"#,
        true,
    ),
    (
        "cursor",
        "MCP tools",
        "",
        r#"{"hook_event_name":"postToolUse","tool_name":"Shell","tool_input":{},"tool_output":"{\"x\":\"TEXT\"}"}"#,
        false,
    ),
    (
        "opencode",
        "tools and in what the model answers",
        "",
        r#"{"event":"tool.execute.after","tool":"bash","args":{},"output":"TEXT"}"#,
        true,
    ),
    (
        "opencode",
        "what the model answers",
        "",
        r#"{"event":"experimental.text.complete","text":"TEXT"}"#,
        true,
    ),
    (
        "opencode",
        "a prompt stays",
        "",
        r#"{"event":"chat.message","prompt":"TEXT"}"#,
        false,
    ),
    (
        "goose",
        NOTHING,
        "",
        r#"{"event":"PostToolUse","tool_name":"shell","tool_input":{},"tool_output":"TEXT"}"#,
        false,
    ),
    (
        "qwen",
        NOTHING,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"t","tool_input":{},"tool_response":{"llmContent":"TEXT"}}"#,
        false,
    ),
    (
        "antigravity",
        NOTHING,
        "PostToolUse",
        r#"{"toolCall":{"name":"run_command","args":{}},"toolOutput":"TEXT"}"#,
        false,
    ),
    (
        "grok",
        NOTHING,
        "",
        r#"{"hookEventName":"post_tool_use","toolName":"t","toolInput":{},"toolResult":"TEXT"}"#,
        false,
    ),
    (
        "devin",
        NOTHING,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"exec","tool_input":{},"tool_response":{"output":"TEXT"}}"#,
        false,
    ),
    (
        "kiro",
        NOTHING,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"t","tool_input":{},"tool_response":{"result":["TEXT"]}}"#,
        false,
    ),
    (
        "windsurf",
        NOTHING,
        "",
        r#"{"agent_action_name":"post_run_command","tool_info":{"command_line":"ls","stdout":"TEXT"}}"#,
        false,
    ),
    (
        "droid",
        NOTHING,
        "",
        r#"{"hook_event_name":"PostToolUse","tool_name":"Execute","tool_input":{},"tool_response":"TEXT"}"#,
        false,
    ),
];
const OUTPUTS: &str = "output of tools; hooks cannot change a prompt";
const NOTHING: &str = "nothing here";

fn secret() -> String {
    format!("the key sk-ant-api03-{}", "A".repeat(95))
}

/// The file that is written for an agent, and its line about `redact`.
fn written(folder: &Path, args: &[&str]) -> (String, String) {
    init(folder, &[&["--force"], args].concat());
    let file = std::fs::read_to_string(folder.join("hooks.toml")).unwrap();
    let line = file.lines().find(|line| line.starts_with("redact = true"));
    let line = line.unwrap_or_default().to_owned();
    (file, line)
}

#[test]
fn what_the_file_says_of_redact_is_true_for_the_agent() {
    let folder = tempfile::tempdir().unwrap();
    for (agent, says, event, input, is_replaced) in REDACTED {
        let (_, line) = written(folder.path(), &["--agent", agent]);
        assert!(line.contains(says), "{agent}: {line}");
        let input = input.replace("TEXT", &secret());
        let mut args = vec!["run", "--as", agent];
        if !event.is_empty() {
            args.extend(["--event", event]);
        }
        let said = hooks(folder.path(), &args, &input);
        assert_eq!(said.code, 0, "{agent}: {said:?}");
        let replaced = said.out.contains("[REDACTED:");
        assert_eq!(replaced, *is_replaced, "{agent}: {input} {said:?}");
    }
}

#[test]
fn what_the_file_says_of_redact_is_true_for_picoclaw_and_an_agent_of_ones_own() {
    let folder = tempfile::tempdir().unwrap();
    let (_, line) = written(folder.path(), &[]);
    let in_prompts = "with `{ model_input = true }` in prompts, too";
    assert!(
        line.contains("in outgoing messages") && line.contains(in_prompts),
        "{line}"
    );
    let (file, line) = written(folder.path(), &["--agent", "picoclaw"]);
    assert!(
        line.contains("in the output of tools") && line.contains(in_prompts),
        "{line}"
    );
    let request = |id: u64, method: &str, params: Value| {
        value!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
    };
    let messages = value!([{ "role": "user", "content": secret() }]);
    let requests = [
        request(1, "hook.before_llm", value!({ "messages": messages })),
        request(
            2,
            "hook.after_tool",
            value!({ "tool": "exec", "result": { "for_llm": secret() } }),
        ),
    ];
    for (switch, expected) in [
        ("true", [false, true]),
        ("{ model_input = true }", [true, true]),
    ] {
        let file = file.replace("redact = true", &format!("redact = {switch}"));
        std::fs::write(folder.path().join("hooks.toml"), file).unwrap();
        let serve = ["serve", "--stdio", "hooks.toml"];
        let said = hooks(folder.path(), &serve, &requests.join("\n"));
        let mut answers: Vec<Value> = said.out.lines().map(json).collect();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        let replaced = answers
            .iter()
            .map(|answer| answer.to_string().contains("[REDACTED:"));
        assert_eq!(replaced.collect::<Vec<_>>(), expected, "{said:?}");
    }
}
