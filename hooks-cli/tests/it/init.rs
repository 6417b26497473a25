//! `hooks init --write` changes settings that belong to somebody else.

use std::path::Path;

use crate::common::{Said, hooks, json};
use serde_json::Value;

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
    assert_eq!(said[0], "ls");
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
