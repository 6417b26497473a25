//! The program as a person and an agent run it.

use std::path::Path;

use crate::common::{Said, hooks, json};
use serde_json::{Value, json as value};

const FILE: &str = r#"
[[hooks.on]]
name = "no-force-push"
event = "BeforeToolCall"
tools = ["shell", "Bash"]
if = 'args.command.contains("--force")'
block = "force pushes are not allowed"
priority = 200

[[hooks.on]]
name = "dry"
event = "PreToolUse"
tools = "deploy"
modify = { dry_run = true }

[[hooks.on]]
name = "tried"
event = "BeforeToolCall"
mode = "shadow"
block = "only tried"
"#;

/// A folder with a file, which is trusted unless it has a mistake.
fn folder(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
    hooks(folder.path(), &["trust", "--yes"], "");
    folder
}

fn fire(folder: &Path, args: &[&str]) -> Value {
    let all = [&["fire", "--json"], args].concat();
    let said = hooks(folder, &all, "");
    assert_eq!(said.code, 0, "{}", said.errors);
    json(&said.out)
}

#[test]
fn a_decision_is_one_object() {
    let folder = folder(FILE);
    let fired = fire(
        folder.path(),
        &[
            "--event",
            "BeforeToolCall",
            "--tool",
            "shell",
            "--args",
            r#"{"command": "git push --force"}"#,
        ],
    );
    let mut keys: Vec<_> = fired
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            "change",
            "decision",
            "duration_us",
            "event",
            "hook",
            "output",
            "reason",
            "records"
        ]
    );
    assert_eq!(fired["event"], "BeforeToolCall");
    assert_eq!(fired["decision"], "block");
    assert_eq!(fired["hook"], "no-force-push");
    assert_eq!(fired["reason"], "force pushes are not allowed");
    assert_eq!(fired["change"], value!([]));
    assert_eq!(fired["records"][0]["outcome"], "block");
    assert!(fired["duration_us"].is_u64());
}

#[test]
fn a_change_is_a_patch_and_a_difference() {
    let folder = folder(FILE);
    let args = [
        "--event",
        "pre_tool_use",
        "--tool",
        "deploy",
        "--args",
        r#"{"to": "production"}"#,
    ];
    let fired = fire(folder.path(), &args);
    assert_eq!(fired["decision"], "continue");
    assert_eq!(
        fired["change"],
        value!([{ "op": "add", "path": "/args/dry_run", "value": true }])
    );
    let said = hooks(folder.path(), &[&["fire"], &args[..]].concat(), "");
    assert!(said.out.contains("+ args.dry_run = true"), "{}", said.out);
    assert!(
        said.out.contains("shadow mode, so it has no effect"),
        "{}",
        said.out
    );
    // No colours where there is no terminal.
    assert!(!said.out.contains('\u{1b}'), "{:?}", said.out);
}

#[test]
fn an_event_is_built_from_a_file_or_another_agents_words() {
    let folder = folder(FILE);
    let ours = value!({ "event": "BeforeToolCall", "name": "deploy", "args": {} });
    std::fs::write(folder.path().join("event.json"), ours.to_string()).unwrap();
    assert_eq!(
        fire(folder.path(), &["--event-json", "event.json"])["change"][0]["path"],
        "/args/dry_run"
    );
    let theirs = value!({ "session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Bash",
                          "tool_input": { "command": "git push --force" } });
    let said = hooks(
        folder.path(),
        &["fire", "--json", "--event-json", "-"],
        &theirs.to_string(),
    );
    assert_eq!(json(&said.out)["hook"], "no-force-push", "{}", said.errors);
    let said = hooks(
        folder.path(),
        &[
            "fire",
            "--json",
            "--event",
            "MessageReceived",
            "--args",
            r#"{"content": "hello"}"#,
        ],
        "",
    );
    assert_eq!(
        json(&said.out)["event"],
        "MessageReceived",
        "{}",
        said.errors
    );
}

#[test]
fn the_context_is_given_and_checked() {
    let folder = folder(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nscope = { tenants = ['acme'] }\nblock = 'no'",
    );
    let call = ["--event", "BeforeToolCall", "--tool", "t"];
    assert_eq!(fire(folder.path(), &call)["decision"], "continue");
    let cx = ["--cx", r#"{"tenant_id": "acme"}"#];
    assert_eq!(
        fire(folder.path(), &[&call[..], &cx].concat())["decision"],
        "block"
    );
    let said = hooks(
        folder.path(),
        &[&["fire"], &call[..], &["--cx", r#"{"tenant": 1}"#]].concat(),
        "",
    );
    assert_eq!(said.code, 2);
    assert!(
        said.errors.contains("there is no `tenant`"),
        "{}",
        said.errors
    );
}

#[test]
fn wrong_arguments_are_usage() {
    let folder = folder(FILE);
    for (args, expected) in [
        (vec!["fire"], "--event"),
        (
            vec!["fire", "--event", "BeforeTolCall"],
            "did you mean `BeforeToolCall`?",
        ),
        (
            vec!["fire", "--event", "BeforeStop", "--tool", "x"],
            "is not about a tool",
        ),
        (
            vec!["fire", "--event", "BeforeToolCall", "--args", "{"],
            "`--args` is not JSON",
        ),
        (
            vec!["fire", "--event", "BeforeStop", "--args", r#"{"x": 1}"#],
            "`x` is not a field of `BeforeStop`",
        ),
        (
            vec!["fire", "--event", "BeforeToolCall"],
            "write `--tool NAME`",
        ),
        (
            vec!["fire", "--event", "BeforeStop", "--output", "x"],
            "`output` is not a field of `BeforeStop`",
        ),
        (
            vec!["plan", "--event", "Lunch"],
            "there is no event `Lunch`",
        ),
        (
            vec!["run", "--as", "nobody"],
            "unknown system `nobody`: write one of `hooks`, `claude`",
        ),
        (vec!["dance"], "dance"),
    ] {
        let said = hooks(folder.path(), &args, "");
        assert_eq!(said.code, 2, "{args:?}: {}", said.errors);
        assert!(said.errors.contains(expected), "{args:?}: {}", said.errors);
    }
}

#[test]
fn the_file_is_found_in_a_folder_above() {
    let folder = folder(FILE);
    let inner = folder.path().join("a/b");
    std::fs::create_dir_all(&inner).unwrap();
    let said = hooks(&inner, &["plan", "--json"], "");
    assert_eq!(json(&said.out)["hooks"][0]["hook"], "no-force-push");
}

#[test]
fn every_mistake_is_found_with_its_place() {
    let folder = folder("[[hooks.on]]\nevent = 'BeforeTolCall'\nblock = 'no'\n\n[hooks.buildin]\n");
    let said = hooks(folder.path(), &["check", "hooks.toml"], "");
    assert_eq!(said.code, 1);
    assert!(
        said.out.contains("hooks.toml:5:8: unknown key `buildin`"),
        "{}",
        said.out
    );
    let right = self::folder(FILE);
    let path = right.path().join("hooks.toml");
    assert_eq!(hooks(right.path(), &["check"], "").code, 0);
    let both = ["check", "--json", path.to_str().unwrap(), "wrong.toml"];
    std::fs::write(
        right.path().join("wrong.toml"),
        "[[hooks.on]]\nevent = 'BeforeToolCall'\n",
    )
    .unwrap();
    let said = hooks(right.path(), &both, "");
    assert_eq!(said.code, 1);
    let checked = json(&said.out);
    assert_eq!(
        (&checked[0]["ok"], &checked[1]["ok"]),
        (&value!(true), &value!(false))
    );
    let mistake = &checked[1]["mistakes"][0];
    assert_eq!(
        mistake["message"],
        "the hook does nothing: it has no handler"
    );
    assert!(mistake["line"].is_u64() && mistake["column"].is_u64() && mistake["help"].is_string());
}

#[test]
fn the_plan_has_everything_in_its_order() {
    let folder = folder(&format!(
        "[hooks.builtin]\nredact = true\nblock_tools = {{ tools = ['x'] }}\n{FILE}"
    ));
    let said = hooks(folder.path(), &["plan", "--json"], "");
    let plan = json(&said.out);
    let names: Vec<_> = plan["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["hook"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["BlockTools", "no-force-push", "dry", "tried", "Redact"],
        "{}",
        said.out
    );
    let row = &plan["hooks"][1];
    assert_eq!(
        (&row["priority"], &row["mode"]),
        (&value!(200), &value!("enforce"))
    );
    assert_eq!(row["handler"], "rule: block");
    assert!(
        row["filter"]
            .as_str()
            .unwrap()
            .starts_with("tools shell, Bash; if ")
    );
    assert!(
        row["source"].as_str().unwrap().ends_with("hooks.toml:5"),
        "{row}"
    );
    let said = hooks(folder.path(), &["plan", "--event", "AfterToolCall"], "");
    assert!(
        said.out.contains("Redact") && !said.out.contains("dry"),
        "{}",
        said.out
    );
}

#[test]
fn why_names_the_condition_that_says_no() {
    let folder = folder(FILE);
    let event = [
        "--event",
        "BeforeToolCall",
        "--tool",
        "shell",
        "--args",
        r#"{"command": "ls"}"#,
    ];
    let said = hooks(
        folder.path(),
        &[&["why", "--json"], &event[..]].concat(),
        "",
    );
    let why = json(&said.out);
    let of = |name: &str| {
        let hooks = why["hooks"].as_array().unwrap();
        hooks
            .iter()
            .find(|hook| hook["hook"] == name)
            .unwrap()
            .clone()
    };
    assert_eq!(of("no-force-push")["runs"], false);
    assert_eq!(
        of("no-force-push")["why"],
        "the condition is false: `args.command.contains(\"--force\")` → `'ls'` → false"
    );
    assert_eq!(
        of("dry")["why"],
        "only for the tools deploy; this call is shell"
    );
    assert_eq!(of("tried")["runs"], true);
    let said = hooks(folder.path(), &[&["why"], &event[..]].concat(), "");
    assert!(
        said.out.contains("does not run  no-force-push"),
        "{}",
        said.out
    );
}

fn claude(command: &str) -> String {
    value!({
        "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": command }, "tool_use_id": "1",
    })
    .to_string()
}

#[test]
fn agents_are_told_in_their_own_words() {
    let folder = folder(FILE);
    let said = hooks(
        folder.path(),
        &["run", "--as", "claude"],
        &claude("git push --force"),
    );
    assert_eq!((said.code, &*said.errors), (0, ""));
    assert_eq!(
        json(&said.out)["hookSpecificOutput"],
        value!({ "hookEventName": "PreToolUse", "permissionDecision": "deny",
                 "permissionDecisionReason": "force pushes are not allowed (hook: no-force-push)" })
    );
    let said = hooks(
        folder.path(),
        &["run", "--as", "codex"],
        &claude("git push --force"),
    );
    assert_eq!(
        said,
        Said {
            code: 2,
            out: String::new(),
            errors: "force pushes are not allowed (hook: no-force-push)\n".into()
        }
    );
    let said = hooks(
        folder.path(),
        &["run", "hooks.toml", "--as", "claude"],
        &claude("ls"),
    );
    assert_eq!(
        said,
        Said {
            code: 0,
            out: String::new(),
            errors: String::new()
        }
    );
}

#[test]
fn what_goes_wrong_blocks_the_agent() {
    let folder = folder(FILE);
    let said = hooks(folder.path(), &["run", "--as", "claude"], "{");
    assert_eq!(said.code, 2);
    assert!(
        said.errors.starts_with("the event is not JSON"),
        "{}",
        said.errors
    );
    std::fs::write(
        folder.path().join("hooks.toml"),
        "[hooks.builtin]\nredcat = true",
    )
    .unwrap();
    let named = ["run", "hooks.toml", "--as", "claude"];
    let said = hooks(folder.path(), &named, &claude("ls"));
    assert_eq!(said.code, 2);
    assert!(
        said.errors.contains("unknown key `redcat`"),
        "{}",
        said.errors
    );
    let said = hooks(
        folder.path(),
        &["run", "gone.toml", "--as", "claude"],
        &claude("ls"),
    );
    assert_eq!(said.code, 2);
    assert!(said.errors.contains("gone.toml"), "{}", said.errors);
}

#[test]
fn a_project_is_guarded_wherever_the_agent_goes() {
    let project = folder(FILE);
    // A file that the agent has written where it is now.
    let inner = project.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("hooks.toml"), "[hooks]\nenabled = false").unwrap();
    let mut command = crate::common::command(&inner, &["run", "--as", "claude"]);
    command.env("CLAUDE_PROJECT_DIR", project.path());
    command.env("XDG_STATE_HOME", project.path().join(".state"));
    let said = crate::common::run(command, &claude("git push --force"));
    assert!(said.out.contains("no-force-push"), "{}", said.out);
}

#[test]
fn init_writes_a_file_that_is_fine_and_works_for_each_agent() {
    for agent in [
        "claude",
        "codex",
        "gemini",
        "goose",
        "cursor",
        "picoclaw",
        "copilot",
        "qwen",
        "opencode",
        "antigravity",
        "grok",
        "devin",
        "kiro",
        "windsurf",
        "droid",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let said = hooks(folder.path(), &["init", "--agent", agent, "--json"], "");
        assert_eq!(said.code, 0, "{agent}: {}", said.errors);
        let written = json(&said.out);
        assert!(!written["entry"].is_null(), "{agent}");
        let checked = hooks(folder.path(), &["check"], "");
        assert_eq!(checked.code, 0, "{agent}: {}", checked.out);
        // It is not replaced by accident.
        assert_eq!(hooks(folder.path(), &["init"], "").code, 2);
        assert_eq!(hooks(folder.path(), &["init", "--force"], "").code, 0);
    }
}

#[test]
fn the_file_that_init_writes_guards_each_agent() {
    let named = |event: &str, tool: &str| {
        value!({ "hook_event_name": event, "session_id": "s", "tool_name": tool,
                 "tool_input": { "command": "COMMAND" } })
    };
    for (agent, input) in [
        ("claude", named("PreToolUse", "Bash")),
        ("codex", named("PreToolUse", "Bash")),
        ("gemini", named("BeforeTool", "run_shell_command")),
        (
            "goose",
            value!({ "event": "PreToolUse", "tool_name": "developer__shell", "tool_input": { "command": "COMMAND" } }),
        ),
        (
            "cursor",
            value!({ "hook_event_name": "beforeShellExecution", "command": "COMMAND" }),
        ),
        ("copilot", named("PreToolUse", "bash")),
        ("qwen", named("PreToolUse", "run_shell_command")),
        (
            "grok",
            value!({ "hookEventName": "pre_tool_use", "sessionId": "s", "toolName": "run_terminal_command",
                     "toolInput": { "command": "COMMAND" } }),
        ),
        ("devin", named("PreToolUse", "exec")),
        ("kiro", named("PreToolUse", "execute_bash")),
        (
            "windsurf",
            value!({ "agent_action_name": "pre_run_command", "tool_info": { "command_line": "COMMAND" } }),
        ),
        ("droid", named("PreToolUse", "Execute")),
    ] {
        let folder = tempfile::tempdir().unwrap();
        hooks(folder.path(), &["init", "--agent", agent], "");
        // Where it works is its workspace.
        let mut input = input;
        input["cwd"] = folder.path().to_str().into();
        let of = |command: &str| input.to_string().replace("COMMAND", command);
        let (harmless, harmful) = (of("ls"), of("rm -rf /"));
        let said = hooks(folder.path(), &["run", "--as", agent], &harmless);
        let all = format!("{}{}", said.out, said.errors);
        assert_eq!(said.code, 0, "{agent}: {all}");
        assert!(
            !all.contains("deny") && !all.contains("block"),
            "{agent}: {all}"
        );
        let said = hooks(folder.path(), &["run", "--as", agent], &harmful);
        let all = format!("{}{}", said.out, said.errors);
        assert!(all.contains("`rm` is not allowed"), "{agent}: {all}");
        assert!(said.code == 2 || all.contains("deny"), "{agent}: {all}");
    }
}

#[test]
fn the_rule_that_init_writes_finds_force_pushes_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    hooks(folder.path(), &["init"], "");
    for (command, is_blocked) in [
        ("git push --force", true),
        ("git push -f", true),
        ("git -C src push -uf origin main", true),
        ("git push origin my-fix", false),
        ("git push --follow-tags", false),
        ("echo --force", false),
    ] {
        let args = value!({ "command": command }).to_string();
        let said = hooks(
            folder.path(),
            &[
                "why",
                "--json",
                "--event",
                "BeforeToolCall",
                "--tool",
                "shell",
                "--args",
                &args,
            ],
            "",
        );
        let said = json(&said.out);
        let all = said["hooks"].as_array().unwrap();
        let rule = all.iter().find(|hook| hook["hook"] == "no-force-push");
        assert_eq!(rule.unwrap()["runs"], is_blocked, "{command}");
    }
}

#[test]
fn the_readmes_show_what_the_program_prints() {
    // Times differ, and so does the width of their column.
    let words = |text: &str| -> Vec<String> {
        let is_time = |word: &&str| *word != "µs" && *word != "ms" && word.parse::<f64>().is_err();
        text.split_whitespace()
            .filter(is_time)
            .map(str::to_owned)
            .collect()
    };
    for readme in [
        include_str!("../../README.md"),
        include_str!("../../../README.md"),
    ] {
        let block = |kind: &str, first: &str| {
            let (_, after) = readme.split_once(&format!("```{kind}\n{first}")).unwrap();
            format!("{first}{}", after.split("```").next().unwrap())
        };
        let file = readme
            .split("```toml\n")
            .find(|text| text.contains("[[hooks.on]]\nname "));
        let folder = folder(file.unwrap().split("```").next().unwrap());
        let console = block("console", "$ ");
        let (command, shown) = console.split_once('\n').unwrap();
        let (_, command) = command.split_once(" fire ").unwrap();
        let (options, args) = command.split_once(" --args ").unwrap();
        let mut arguments = vec!["fire"];
        arguments.extend(options.split(' '));
        arguments.extend(["--args", args.trim_matches('\'')]);
        let said = hooks(folder.path(), &arguments, "");
        assert_eq!(words(shown), words(&said.out), "{}", said.out);
    }
}

#[test]
fn init_keeps_a_file_and_prints_the_settings_for_it() {
    let folder = folder("[hooks.builtin]\nredact = true\n");
    let said = hooks(folder.path(), &["init"], "");
    assert!(
        said.code == 2 && said.errors.contains("already exists"),
        "{}",
        said.errors
    );
    let said = hooks(folder.path(), &["init", "--agent", "claude"], "");
    assert_eq!(said.code, 0, "{}", said.errors);
    assert!(said.out.contains("hooks.toml --as claude") && said.errors.contains("was not changed"));
    let text = std::fs::read_to_string(folder.path().join("hooks.toml")).unwrap();
    assert_eq!(text, "[hooks.builtin]\nredact = true\n");
}

#[test]
fn init_says_what_limits_commands() {
    for (agent, is_confined) in [("claude", true), ("codex", false)] {
        let folder = tempfile::tempdir().unwrap();
        let said = hooks(folder.path(), &["init", "--agent", agent], "");
        assert_eq!(said.code, 0, "{agent}: {}", said.errors);
        let text = std::fs::read_to_string(folder.path().join("hooks.toml")).unwrap();
        assert_eq!(text.contains("sandbox = \"auto\""), is_confined, "{text}");
        let says = said.errors.contains("commands run without a sandbox: ");
        let can = hooks(folder.path(), &["sandbox", "--", "true"], "").code == 0;
        assert_eq!(says, !(can && is_confined), "{agent}: {}", said.errors);
    }
}

#[test]
fn a_built_in_hook_that_decides_is_shown() {
    let folder = folder("[hooks.builtin]\nblock_tools = { tools = ['deploy'] }\n");
    for (tool, row) in [
        ("deploy", "block    BlockTools  builtin"),
        ("ls", "no other hook has done anything"),
    ] {
        let args = ["fire", "--event", "BeforeToolCall", "--tool", tool];
        let said = hooks(folder.path(), &args, "");
        assert!(said.out.contains(row), "{}", said.out);
    }
}

#[test]
fn that_nothing_limits_commands_is_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    let said = |policy: &str| {
        let text = format!("[hooks.builtin.security_policy]\nautonomy = 'full'\n{policy}");
        std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
        let said = hooks(folder.path(), &["check"], "");
        assert_eq!(said.code, 0, "{}{}", said.out, said.errors);
        said.out + &said.errors
    };
    let open = said("sandbox = 'off'");
    assert!(
        open.contains("no sandbox limits them: `sandbox` is `off`"),
        "{open}"
    );
    let written = said("rewrite = false");
    assert!(written.contains("commands stay as they are"), "{written}");
}

#[test]
fn notices_are_counted() {
    let text = "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n\
                [[hooks.on]]\nevent = 'BeforeToolCall'\nask = 'really?'\n";
    let said = hooks(folder(text).path(), &["check"], "");
    assert!(
        said.code == 0 && said.out.contains("fine, with 1 notice"),
        "{}",
        said.out
    );
}

#[test]
fn completions_know_every_command() {
    let said = hooks(Path::new("/"), &["completions", "bash"], "");
    for command in [
        "init", "demo", "trust", "check", "plan", "fire", "why", "run", "serve", "convert", "log",
        "sandbox",
    ] {
        assert!(said.out.contains(command), "{command}");
        let help = hooks(Path::new("/"), &[command, "--help"], "");
        assert!(help.out.contains("Examples:"), "{command}: {}", help.out);
    }
}

#[test]
fn an_event_is_fired_as_its_name_means_it() {
    let folder = tempfile::tempdir().unwrap();
    let hook = || value!([{ "hooks": [{ "type": "command", "command": "true" }] }]);
    let settings = value!({ "hooks": {
        "PostToolUse": hook(), "PostToolUseFailure": hook(), "Stop": hook(), "SubagentStop": hook(),
    } });
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    let file = ".claude/settings.json";
    std::fs::write(folder.path().join(file), settings.to_string()).unwrap();
    for (event, more) in [
        ("PostToolUse", &["--tool", "Bash"][..]),
        ("PostToolUseFailure", &["--tool", "Bash"]),
        ("Stop", &[]),
        ("SubagentStop", &[]),
    ] {
        let fired = fire(folder.path(), &[&[file, "--event", event], more].concat());
        let records = fired["records"].as_array().unwrap();
        let hooks: Vec<_> = records.iter().map(|one| one["hook"].as_str()).collect();
        let is_it = |hook: Option<&str>| hook.unwrap().starts_with(&format!("{event}-"));
        assert!(
            hooks.len() == 1 && hooks.iter().copied().all(is_it),
            "{event}: {hooks:?}"
        );
    }
}

#[test]
fn the_output_of_a_tool_is_an_option() {
    let folder = folder("[hooks.builtin]\nredact = true\n");
    let args = [
        "--event",
        "AfterToolCall",
        "--tool",
        "x",
        "--output",
        "write to ada@example.com",
    ];
    let fired = fire(folder.path(), &args);
    assert_eq!(fired["change"][0]["value"], "write to [REDACTED:email]");
    assert_eq!(fired["records"][0]["hook"], "Redact");
    assert_eq!(fired["records"][0]["outcome"], "modify");
}

#[test]
fn a_call_that_needs_approval_is_not_said_to_continue() {
    let asks = "[[hooks.on]]\nevent = 'BeforeToolCall'\nask = 'really?'\n";
    let approve = "[[hooks.on]]\nevent = 'ApproveToolCall'\napprove = 'me'\n";
    let supervised = "[hooks.builtin.security_policy]\nautonomy = 'supervised'\n";
    let no = "[[hooks.on]]\nevent = 'ApproveToolCall'\nblock = 'never'\n";
    for (text, decision, reason) in [
        (asks.to_owned(), "block", value!("needs approval: really?")),
        (format!("{asks}{approve}"), "continue", Value::Null),
        (no.to_owned(), "block", value!("never")),
        (String::from("[hooks.builtin]\n"), "continue", Value::Null),
    ] {
        let folder = folder(&text);
        let fired = fire(folder.path(), &["--event", "BeforeToolCall", "--tool", "x"]);
        assert_eq!(
            (&fired["decision"], &fired["reason"]),
            (&value!(decision), &reason),
            "{text}"
        );
    }
    let folder = folder(supervised);
    let args = r#"{"command": "cargo build"}"#;
    let call = [
        "--event",
        "BeforeToolCall",
        "--tool",
        "shell",
        "--args",
        args,
    ];
    let fired = fire(folder.path(), &call);
    let reason = fired["reason"].as_str().unwrap_or_default();
    assert!(
        fired["decision"] == "block" && reason.contains("needs approval"),
        "{fired}"
    );
}

#[test]
fn hooks_that_never_run_in_an_agent_are_findings() {
    let rule =
        |name: &str, on: &str| format!("[[hooks.on]]\nname = '{name}'\n{on}\nblock = 'no'\n");
    let never = "[[hooks.on]]\nname = 'seen'\nevent = 'ToolCallStart'\ncommand = 'true'\n";
    let text = [
        rule("unknown", "event = 'BeforeToolCall'\ntools = 'rocket'"),
        rule(
            "right",
            "event = 'BeforeToolCall'\ntools = ['Bash', 'shell']",
        ),
        rule("mcp", "event = 'BeforeToolCall'\ntools = 'mcp__*'"),
        rule("asks", "event = 'ApproveToolCall'\nif = 'args.x == 1'"),
        never.to_owned(),
    ]
    .concat();
    let folder = folder(&text);
    assert_eq!(hooks(folder.path(), &["check"], "").code, 0);
    let said = hooks(folder.path(), &["check", "--for", "claude", "--json"], "");
    assert_eq!(said.code, 1);
    let idle = &json(&said.out)[0]["idle"];
    let idle: Vec<_> = idle
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect();
    assert!(
        idle.len() == 2
            && idle[0].contains("`unknown` never runs")
            && idle[1].contains("does not raise ToolCallStart"),
        "{idle:?}"
    );
    let said = hooks(folder.path(), &["check", "--for", "claude"], "");
    assert!(
        said.out.contains("2 hooks can never run in Claude Code"),
        "{}",
        said.out
    );
}

#[test]
fn what_can_only_fail_is_a_notice() {
    let policy = "[hooks.builtin.security_policy]\nprofiles = ['codex']\nautonomy = 'supervised'\n";
    let prompt =
        "[[hooks.on]]\nname = 'ask'\nevent = 'BeforeToolCall'\ntools = 'Bash'\nprompt = 'good?'\n";
    let folder = folder(&format!("{policy}{prompt}"));
    let mut command = crate::common::command(folder.path(), &["check", "--for", "claude"]);
    for name in ["HOOKS_EVALUATOR", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        command.env_remove(name);
    }
    let said = crate::common::run(command, "");
    for part in [
        "no person is asked",
        "`ask` fails: no model is named here",
        "does not know them: `",
        "profiles = [\"codex\",\"claude_code\"]",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    for agent in [
        "claude",
        "codex",
        "gemini",
        "goose",
        "cursor",
        "picoclaw",
        "copilot",
        "qwen",
        "opencode",
        "antigravity",
        "grok",
        "devin",
        "kiro",
        "windsurf",
        "droid",
    ] {
        let folder = tempfile::tempdir().unwrap();
        hooks(folder.path(), &["init", "--agent", agent], "");
        let said = hooks(folder.path(), &["check", "--for", agent], "");
        // An agent that takes no other command runs none in a sandbox.
        let is_open = said
            .out
            .contains("no sandbox limits them: `rewrite` is `false`");
        let end = if is_open {
            "fine, with 1 notice\n"
        } else {
            "fine\n"
        };
        assert!(
            said.code == 0 && said.out.ends_with(end),
            "{agent}: {}",
            said.out
        );
    }
}

#[test]
fn the_demo_shows_each_kind_of_decision_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let shown = json(&hooks(folder.path(), &["demo", "--json"], "").out);
    let lines = shown.as_array().unwrap();
    for what in ["continues", "redacted", "rewritten", "blocked", "asked"] {
        let found = lines.iter().find(|line| line["what"] == what);
        let found = found.unwrap_or_else(|| panic!("{what}: {shown:#}"));
        let has_reason = found["reason"].is_string();
        assert_eq!(has_reason, ["blocked", "asked"].contains(&what), "{found}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let said = hooks(folder.path(), &["demo"], "");
    assert!(
        said.code == 0 && said.out.contains("no-force-push: force pushes"),
        "{}",
        said.out
    );
}

/// A step of a CI that checks a file must not pass with no guard left.
#[test]
fn an_entry_that_cannot_be_used_is_a_finding() {
    let folder = folder("");
    let pre = |group: &str| format!(r#"{{"hooks":{{"PreToolUse":[{group}]}}}}"#);
    let goclaw = |keys: &str| {
        format!(
            r#"{{"event":"pre_tool_use","handler_type":"command","config":{{"command":"exit 2"}},{keys}}}"#
        )
    };
    let hook = r#"{"type":"command","command":"exit 2"}"#;
    for (from, text) in [
        ("claude", pre(&format!(r#"{{"matcher":"(","hooks":[{hook}]}}"#))),
        ("claude", r#"{"hooks":{"PreToolUse":"x"}}"#.into()),
        ("claude", r#"{"hooks":{"PreTolUse":[]}}"#.into()),
        ("claude", r#"{"hook":{"PreToolUse":[]}}"#.into()),
        ("claude", r#"{"hoks":{"PreToolUse":[]}}"#.into()),
        ("claude", "[]".into()),
        ("claude", pre(r#"{"hooks":[{"type":"command","command":"x","iff":"Bash(git *)"}]}"#)),
        ("claude", pre(r#"{"hooks":[{"type":"http","url":"https://example.com","header":{}}]}"#)),
        (
            "claude",
            r#"{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"x","if":"Bash(git *)"}]}]}}"#.into(),
        ),
        ("gemini", r#"{"hoks":{"BeforeTool":[]}}"#.into()),
        ("goclaw", goclaw(r#""mather":"^exec$""#)),
        ("goclaw", goclaw(r#""machter":"^exec$""#)),
        ("goclaw", goclaw(r#""enabeld":true"#)),
        ("goclaw", goclaw(r#""on_timout":"block""#)),
        ("goclaw", r#"{"quality_gates":"x"}"#.into()),
        ("goclaw", r#"{"quality_gates":[],"hoks":[]}"#.into()),
        ("goclaw", r#"{"hooks":"x"}"#.into()),
        ("picoclaw", r#"{"hok":{"enabled":true}}"#.into()),
    ] {
        std::fs::write(folder.path().join("x.json"), &text).unwrap();
        let said = hooks(folder.path(), &["check", "x.json", "--from", from], "");
        assert!(
            said.code == 1 && said.out.contains("1 entry cannot be used"),
            "{from} {text}: {said:?}"
        );
    }
    // Whoever only fires an event hears of it, too.
    std::fs::write(folder.path().join("x.json"), goclaw(r#""mather":"^exec$""#)).unwrap();
    let args = [
        "fire",
        "x.json",
        "--from",
        "goclaw",
        "--event",
        "pre_tool_use",
        "--tool",
        "read",
    ];
    let said = hooks(folder.path(), &args, "");
    assert!(said.errors.contains("did you mean `matcher`?"), "{said:?}");
    std::fs::write(folder.path().join("x.json"), goclaw(r#""priority":1"#)).unwrap();
    for (edition, code) in [("lite", 0), ("standard", 1)] {
        let args = ["check", "x.json", "--from", "goclaw", "--edition", edition];
        let said = hooks(folder.path(), &args, "");
        assert_eq!(said.code, code, "{said:?}");
    }
    // Settings of something else are no mistake.
    for text in ["{}", r#"{"tools":{},"model":"x","permissions":{}}"#] {
        std::fs::write(folder.path().join("x.json"), text).unwrap();
        let said = hooks(folder.path(), &["check", "x.json", "--from", "gemini"], "");
        assert_eq!(said.code, 0, "{text}: {said:?}");
    }
}

/// A folder with scripts, and what `scan` says of it.
fn scan(args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write(
        "ci/deploy.sh",
        "#!/bin/bash\ncargo test\ncat /etc/passwd\nterraform apply\n",
    );
    write("tool", "#!/usr/bin/env -S dash -e\ncat ../secret\n");
    write("fine.bash", "cargo build\n");
    write("odd.sh", "ls\nselect x in a; do ls; done\n");
    write("page.py", "#!/usr/bin/env python3\nrm -rf /\n");
    for skipped in [".git/hooks/a.sh", "target/a.sh", "web/node_modules/a.sh"] {
        write(skipped, "terraform apply\n");
    }
    write(
        "own.toml",
        "[hooks.builtin.security_policy]\nallowed_commands = ['cat', 'cargo', 'terraform', 'ls']\ntrusted_commands = ['terraform']",
    );
    write("none.toml", "[hooks.builtin]\nredact = true");
    let said = hooks(folder.path(), &[&["scan"], args].concat(), "");
    (said.code, format!("{}{}", said.out, said.errors))
}

#[test]
fn scan_names_the_line_of_all_that_a_script_may_not_do() {
    let (code, said) = scan(&["."]);
    let lines: Vec<_> = said.lines().collect();
    let [path, program, odd, outside, count] = lines[..] else {
        panic!("{said}")
    };
    assert_eq!(code, 1);
    assert_eq!(
        path,
        "ci/deploy.sh:3: the path `/etc/passwd` is forbidden: go on without it, or ask the user"
    );
    assert!(
        program.starts_with("ci/deploy.sh:4: the program `terraform` is not allowed"),
        "{program}"
    );
    assert!(
        odd.starts_with("odd.sh:2: `select` is not supported"),
        "{odd}"
    );
    assert!(
        outside.starts_with("tool:2: the path `../secret`"),
        "{outside}"
    );
    assert_eq!(count, "scripts: 4, findings: 4");
}

#[test]
fn scan_judges_by_the_file_of_the_folder_or_a_named_one() {
    let (code, said) = scan(&[".", "ci/deploy.sh", "--policy", "own.toml", "--json"]);
    assert_eq!(code, 1);
    assert!(said.contains(r#""scripts": 1"#), "{said}");
    assert!(
        said.contains("forbidden") && !said.contains("terraform"),
        "{said}"
    );
    assert_eq!(scan(&[".", "fine.bash"]).0, 0);
    for (wrong, says) in [
        (&["nowhere"][..], "cannot read the folder"),
        (&[".", "--policy", "nowhere.toml"], "cannot be read"),
        (&[".", "--policy", "none.toml"], "turns no policy on"),
    ] {
        let (code, said) = scan(wrong);
        assert_eq!(code, 2, "{wrong:?}");
        assert!(said.contains(says), "{said}");
    }
}

#[test]
fn what_a_hook_changes_afterwards_a_guard_of_the_file_judges_again() {
    let folder = folder(
        "[[hooks.on]]\nname = 'no-rm'\nevent = 'BeforeToolCall'\npriority = 100\n\
         if = 'args.command.contains(\"rm\")'\nblock = 'no rm'\n\
         [[hooks.on]]\nname = 'changes'\nevent = 'BeforeToolCall'\nmodify = { command = 'rm x' }\n",
    );
    let args = r#"{"command":"ls"}"#;
    let fired = [
        "fire",
        "--event",
        "BeforeToolCall",
        "--tool",
        "shell",
        "--args",
        args,
        "--json",
    ];
    let fired = json(&hooks(folder.path(), &fired, "").out);
    assert_eq!(
        (&fired["decision"], &fired["hook"]),
        (&value!("block"), &value!("no-rm"))
    );
    let plan = json(&hooks(folder.path(), &["plan", "--json"], "").out);
    let row = &plan["hooks"][0];
    assert_eq!(
        (&row["guard"], &row["judges_again_after"]),
        (&value!(true), &value!("changes"))
    );
}

#[test]
fn the_plan_names_each_event_of_a_hook_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hooks.toml"),
        "[hooks.builtin.security_policy]\nautonomy = 'full'\n",
    )
    .unwrap();
    let said = hooks(folder.path(), &["plan", "hooks.toml", "--json"], "");
    let events = json(&said.out)["hooks"][0]["events"].clone();
    let events: Vec<_> = events.as_array().unwrap().iter().collect();
    assert_eq!(events, ["BeforeToolCall", "ApproveToolCall"]);
}

#[test]
fn help_says_where_to_begin_and_serve_which_options_it_needs() {
    let said = hooks(".".as_ref(), &["--help"], "");
    assert!(
        said.out.contains("Where to begin:\n  hooks demo"),
        "{}",
        said.out
    );
    if cfg!(all(feature = "server", unix)) {
        let said = hooks(".".as_ref(), &["serve"], "");
        assert_eq!(said.code, 2, "{}", said.errors);
        assert!(
            said.errors.contains("`--socket FILE`") && said.errors.contains("`--listen "),
            "{}",
            said.errors
        );
    }
}
