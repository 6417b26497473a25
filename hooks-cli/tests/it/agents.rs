//! `hooks agents`, and an agent whose table a file names.

use crate::common::{hooks, json};
use serde_json::json as value;

const TABLE: &str = "name = 'robot'\ntitle = 'Robot'\n[call]\nevent = ['kind']\n[says]\ndeny = { why = '$reason' }\n\
    [event.tool_wanted]\nis = 'BeforeToolCall'\nmatches = 'tool'\nfields = { tool = 'name!', input = 'args' }\nsays = ['deny']\n\
    [init]\nfile = '.robot/hooks.json'\nentry = { run = '$command' }\nprofiles = ['common']\n";

#[test]
fn every_agent_has_a_table_that_another_can_begin_with() {
    let folder = tempfile::tempdir().unwrap();
    let listed = hooks(folder.path(), &["agents", "list", "--json"], "");
    let listed = json(&listed.out);
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.len() >= 17 && names.contains(&"claude"), "{names:?}");
    for name in names {
        let shown = hooks(folder.path(), &["agents", "show", name], "").out;
        let file = folder.path().join("mine.toml");
        let check = |text: &str| {
            std::fs::write(&file, text).unwrap();
            hooks(folder.path(), &["agents", "check", "mine.toml"], "")
        };
        let known = check(&shown);
        assert!(
            known.code == 1 && known.out.contains("known already"),
            "{name}: {}",
            known.out
        );
        // A script of another agent is of no use.
        if name == "opencode" {
            continue;
        }
        let (own, other) = (format!("name  = \"{name}\""), "name = \"mine\"");
        let mine = shown.replacen(&own, other, 1);
        let mine = check(&mine);
        assert!(
            mine.code == 0 && mine.out.contains("--as mine"),
            "{name}: {}{}",
            mine.out,
            mine.errors
        );
    }
}

#[test]
fn an_agent_of_ones_own_is_connected_as_others_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let table = path.join("robot.toml");
    std::fs::write(&table, TABLE).unwrap();
    let table = table.to_str().unwrap();
    let written = hooks(path, &["init", "--agent", table, "--write"], "");
    assert_eq!(written.code, 0, "{}", written.errors);
    let file = std::fs::read_to_string(path.join("hooks.toml")).unwrap();
    assert!(file.contains("[[agents]]\nfile = \"robot.toml\""), "{file}");
    let settings = json(&std::fs::read_to_string(path.join(".robot/hooks.json")).unwrap());
    let command = settings["hooks"]["tool_wanted"][0]["run"].as_str().unwrap();
    assert!(command.ends_with("hooks.toml --as robot"), "{command}");

    let call = r#"{"kind":"tool_wanted","tool":"shell","input":{"command":"git push --force"}}"#;
    let said = hooks(path, &["run", "hooks.toml", "--as", "robot"], call);
    assert_eq!(said.code, 0, "{}", said.errors);
    assert!(
        json(&said.out)["why"]
            .as_str()
            .unwrap()
            .contains("force pushes"),
        "{}",
        said.out
    );
    let said = hooks(path, &["run", "hooks.toml", "--as", "robo"], call);
    assert!(
        said.code == 2 && said.errors.contains("unknown system `robo`"),
        "{}",
        said.errors
    );

    let said = hooks(path, &["doctor"], "");
    assert!(
        said.code == 0 && said.out.contains("Robot: fine"),
        "{}",
        said.out
    );
    let said = hooks(path, &["check", "--for", table], "");
    assert_eq!(said.code, 0, "{}", said.out);
    // A hook of the user's own beside ours stays.
    let settings = path.join(".robot/hooks.json");
    let before = std::fs::read_to_string(&settings).unwrap();
    let mut own = json(&before);
    let hooks_of_tool = own["hooks"]["tool_wanted"].as_array_mut().unwrap();
    hooks_of_tool.push(serde_json::json!({ "run": "./mine.sh" }));
    std::fs::write(&settings, own.to_string()).unwrap();
    hooks(path, &["init", "--agent", table, "--write"], "");
    let after = std::fs::read_to_string(&settings).unwrap();
    assert!(after.contains("./mine.sh"), "{after}");
    std::fs::write(&settings, before).unwrap();
    // A file that does not know the agent cannot answer it.
    std::fs::write(path.join("hooks.toml"), "[hooks.builtin]\nredact = true\n").unwrap();
    let written = hooks(path, &["init", "--agent", table, "--write"], "");
    assert!(
        written.errors.contains("does not know Robot"),
        "{}",
        written.errors
    );
    let said = hooks(path, &["run", "hooks.toml", "--as", "robot"], call);
    assert_eq!(said.code, 2, "{}", said.errors);
    let said = hooks(path, &["doctor", "--for", table], "");
    assert!(
        said.code == 1 && said.out.contains("does not name the table of Robot"),
        "{}",
        said.out
    );
    let removed = hooks(path, &["init", "--agent", table, "--remove"], "");
    assert!(
        removed.code == 0 && !path.join(".robot/hooks.json").exists(),
        "{}",
        removed.errors
    );
}

#[test]
fn what_is_wrong_with_a_table_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let check = |text: String, args: &[&str]| {
        std::fs::write(folder.path().join("robot.toml"), text).unwrap();
        hooks(folder.path(), &[args, &["robot.toml"]].concat(), "")
    };
    let wrong = check(
        TABLE.replace("BeforeToolCall", "BeforeTool"),
        &["agents", "check"],
    );
    assert!(
        wrong.code == 1 && wrong.out.contains("robot.toml:8"),
        "{}",
        wrong.out
    );
    let wrong = check(
        TABLE.replace("BeforeToolCall", "BeforeTool"),
        &["agents", "check", "--json"],
    );
    assert_eq!(json(&wrong.out)["mistakes"][0]["line"], 8, "{}", wrong.out);
    for (from, to, told) in [
        (
            "deny = { why = '$reason' }",
            "deny = {}",
            "the row says nothing",
        ),
        (
            "deny = { why = '$reason' }",
            "deny = 'no'",
            "write the keys of an answer",
        ),
        (
            "deny = { why = '$reason' }",
            "deny = { '$exit' = 3 }",
            "`$exit` cannot be 3",
        ),
        ("says = ['deny']", "says = []", "no row refuses the tool"),
        ("'name!'", "'name'", "no field says which tool it is"),
        (
            "event = ['kind']",
            "event = ['kind']\nskip = { tool_wanted = { again = 'true' } }",
            "a test is one of",
        ),
        (
            "says = ['deny']",
            "says = ['deny']\ntimeout = -1.0",
            "a time is a number of seconds",
        ),
        (
            "{ run = '$command' }",
            "{ run = 'hooks' }",
            "a key with the value `$command`",
        ),
        (
            "name = 'robot'",
            "name = '--json'",
            "a name begins with a letter",
        ),
    ] {
        assert!(TABLE.contains(from), "{from}");
        let wrong = check(TABLE.replace(from, to), &["agents", "check"]);
        assert!(
            wrong.code == 1 && wrong.out.contains(told),
            "{to}: {}",
            wrong.out
        );
    }
    let without = TABLE.split("[init]").next().unwrap().to_owned();
    let wrong = check(without, &["doctor", "--for"]);
    assert!(
        wrong.code == 2 && wrong.errors.contains("has no `[init]`"),
        "{}",
        wrong.errors
    );
}

#[test]
fn one_list_may_have_the_entries_of_all_events() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let more = "\n[event.prompt]\nis = 'MessageReceived'\nfields = { text = 'content!' }\nsays = ['deny']\n[init]";
    let table = TABLE.replace("\n[init]", more);
    let table = table.replace(
        "entry = { run",
        "at = 'rules'\nentry = { on = '$event', run",
    );
    std::fs::write(path.join("robot.toml"), table).unwrap();
    std::fs::create_dir(path.join(".robot")).unwrap();
    let settings = path.join(".robot/hooks.json");
    std::fs::write(&settings, "{\"rules\": [\"mine\"]}").unwrap();
    let table = path.join("robot.toml");
    let table = table.to_str().unwrap();
    for _ in 0..2 {
        let written = hooks(path, &["init", "--agent", table, "--write"], "");
        assert_eq!(written.code, 0, "{}", written.errors);
        let rules = json(&std::fs::read_to_string(&settings).unwrap());
        let rules = rules["rules"].as_array().unwrap();
        let events: Vec<_> = rules.iter().map(|rule| rule["on"].as_str()).collect();
        assert_eq!(
            events,
            [None, Some("tool_wanted"), Some("prompt")],
            "{rules:?}"
        );
        let said = hooks(path, &["doctor"], "");
        assert!(
            said.code == 0 && said.out.contains("Robot: fine"),
            "{}",
            said.out
        );
    }
    hooks(path, &["init", "--agent", table, "--remove"], "");
    assert_eq!(
        std::fs::read_to_string(&settings).unwrap(),
        "{\"rules\": [\"mine\"]}"
    );
}

#[cfg(unix)]
#[test]
fn an_agent_does_not_change_the_program_that_judges_it_or_what_is_logged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let file = "[hooks.builtin]\nsecurity_policy = { allowed_commands = ['cp', 'rm'] }\njsonl_log = { path = 'audit.jsonl' }\n";
    std::fs::write(path.join("hooks.toml"), file).unwrap();
    let program = path.join("hooks");
    let built = env!("CARGO_BIN_EXE_hooks");
    if std::fs::hard_link(built, &program).is_err() {
        std::fs::copy(built, &program).unwrap();
    }
    let decision = |args: &str| {
        let event = [
            "--event",
            "BeforeToolCall",
            "--tool",
            "shell",
            "--args",
            args,
        ];
        let mut asked = std::process::Command::new(&program);
        asked.args(["fire", "hooks.toml", "--json"]).args(event);
        let asked = asked.current_dir(path).env("HOOKS_SOCKET", "off");
        let said = asked.output().unwrap();
        json(&String::from_utf8(said.stdout).unwrap())
    };
    for command in ["rm ./hooks", "rm audit.jsonl", "cp other hooks"] {
        let said = decision(&value!({ "command": command }).to_string());
        let reason = said["reason"].as_str().unwrap_or_default();
        assert_eq!(said["decision"], "block", "{said}");
        assert!(reason.contains("is protected"), "{command}: {reason}");
    }
    let said = decision(&value!({ "command": "rm other" }).to_string());
    let reason = said["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("needs approval"), "{said}");
}

#[test]
fn why_says_what_of_a_command_cannot_be_told() {
    let folder = tempfile::tempdir().unwrap();
    let rule = "[[hooks.on]]\nevent = 'BeforeToolCall'\nif = 'Bash(git push*)'\nblock = 'no'\n";
    std::fs::write(folder.path().join("hooks.toml"), rule).unwrap();
    for (command, told) in [
        (
            "git $X",
            "matched, since what the command runs cannot be told: `git …` may run another program, or change what `git` does: use another of its commands",
        ),
        (
            "git push $X",
            "matched, since what the command runs cannot be told: an argument of `git push` that is only known at run time may be an option, which may run a program: write it out, or `--` before it",
        ),
        ("git push", "matched"),
        ("ls $X", "the rule does not match: Bash(git push*)"),
    ] {
        let args = value!({ "command": command }).to_string();
        let event = [
            "why",
            "--json",
            "--event",
            "BeforeToolCall",
            "--tool",
            "shell",
            "--args",
        ];
        let said = hooks(folder.path(), &[&event[..], &[&args]].concat(), "");
        let said = json(&said.out);
        let why = said["hooks"][0]["why"].clone();
        assert_eq!(why, told, "{command}");
    }
}
