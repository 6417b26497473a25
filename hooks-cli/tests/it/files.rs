//! Converting files, showing records, restricting programs, serving PicoClaw.

use crate::common::{hooks, json};
use serde_json::{Value, json as value};

#[test]
fn run_and_serve_record_what_hooks_do() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[hooks.builtin]\nblock_tools = { tools = ['WebFetch'] }\n\
                [[hooks.on]]\nname = 'no-sudo'\nevent = 'BeforeToolCall'\nif = 'Bash(sudo *)'\nblock = 'no'\n";
    std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
    let call = |tool: &str, command: &str| {
        value!({ "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": tool, "tool_input": { "command": command } })
            .to_string()
    };
    for (tool, command) in [("Bash", "sudo ls"), ("Bash", "ls"), ("WebFetch", "")] {
        let args = [
            "run",
            "hooks.toml",
            "--as",
            "claude",
            "--records",
            "records.jsonl",
        ];
        assert_eq!(hooks(folder.path(), &args, &call(tool, command)).code, 0);
    }
    let request = value!({ "jsonrpc": "2.0", "id": 1, "method": "hook.before_tool",
                           "params": { "tool": "exec", "arguments": { "command": "sudo ls" } } });
    let args = [
        "serve",
        "--stdio",
        "hooks.toml",
        "--records",
        "records.jsonl",
    ];
    hooks(folder.path(), &args, &format!("{request}\n"));
    let shown = hooks(
        folder.path(),
        &["log", "records.jsonl", "--where", "outcome == 'block'"],
        "",
    );
    assert_eq!(
        shown.out.matches("no-sudo").count(),
        2,
        "{}{}",
        shown.out,
        shown.errors
    );
    assert_eq!(shown.out.matches("BlockTools").count(), 1, "{}", shown.out);
    let shown = hooks(
        folder.path(),
        &["log", "records.jsonl", "--where", "has(input.event)"],
        "",
    );
    let lines: Vec<_> = shown.out.lines().collect();
    assert_eq!(lines.len(), 5, "{}{}", shown.out, shown.errors);
    assert!(
        lines[0].contains(r#"no-sudo  BeforeToolCall Bash  {"command":"sudo ls"}  no"#),
        "{}",
        shown.out
    );
    assert!(lines[1].contains("continue"), "{}", shown.out);
    // A file that cannot be written loses the records, and nothing else.
    let args = [
        "run",
        "hooks.toml",
        "--as",
        "claude",
        "--records",
        "no/such/folder",
    ];
    let said = hooks(folder.path(), &args, &call("Bash", "sudo ls"));
    assert!(
        said.out.contains("\"deny\"") && said.errors.contains("no/such/folder: "),
        "{}",
        said.errors
    );
}

#[test]
fn log_says_whose_lines_are_no_records() {
    let folder = tempfile::tempdir().unwrap();
    let line = r#"{"time":"2026-03-22T10:00:00Z","event":"AgentEnd","payload":{}}"#;
    std::fs::write(folder.path().join("audit.jsonl"), line).unwrap();
    let said = hooks(folder.path(), &["log", "audit.jsonl"], "");
    assert!(
        said.errors.contains("an event of `jsonl_log`"),
        "{}",
        said.errors
    );
}

/// What a file becomes, which has to be fine but for handlers.
fn converted(from: &str, file: &Value) -> (String, toml::Table) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file.json"), file.to_string()).unwrap();
    let said = hooks(folder.path(), &["convert", "file.json", "--from", from], "");
    assert_eq!(said.code, 0, "{}", said.errors);
    let table = said
        .out
        .parse()
        .unwrap_or_else(|error| panic!("{error}: {}", said.out));
    (said.out, table)
}

#[test]
fn claude_codes_settings_become_definitions() {
    let (text, table) = converted(
        "claude",
        &value!({ "hooks": {
            "PreToolUse": [{ "matcher": "Edit|Write", "hooks": [
                { "type": "command", "command": "./guard.py", "timeout": 10, "onFailure": "block" },
                { "type": "command", "command": "x", "if": "Bash(git *)", "async": true },
                { "type": "command", "command": "w", "if": "mcp__x(y)" },
            ] }],
            "PostToolUse": [{ "matcher": "Edit.*", "hooks": [{ "type": "http", "url": "http://localhost:1/" }] }],
            "Setup": [{ "hooks": [{ "type": "command", "command": "y" }] }],
            "Stop": [{ "hooks": [{ "type": "agent", "prompt": "z" }] }],
        } }),
    );
    let on = table["hooks"]["on"].as_array().unwrap();
    assert_eq!(on.len(), 4, "{text}");
    let guard = on
        .iter()
        .find(|entry| entry.get("command").and_then(toml::Value::as_str) == Some("./guard.py"))
        .unwrap();
    assert_eq!(guard["event"].as_str(), Some("PreToolUse"));
    assert_eq!(guard["tools"].as_array().unwrap().len(), 2);
    assert_eq!(guard["timeout"].as_str(), Some("10s"));
    assert_eq!(guard["on_failure"].as_str(), Some("block"));
    assert_eq!(guard["dialect"].as_str(), Some("claude"));
    let http = on.iter().find(|entry| entry.get("http").is_some()).unwrap();
    assert_eq!(http["matcher"].as_str(), Some("Edit.*"));
    for lost in [
        "if = \"Bash(git *)\"",
        "lost: `if`: \"mcp__x(y)\" cannot be converted",
        "lost: `async`: the agent waits",
        "lost: all hooks on `Setup`: `hooks` never raises this event",
        "`hooks` does not run handlers of the type `agent`",
    ] {
        assert!(text.contains(lost), "{lost}: {text}");
    }
}

#[test]
fn headers_and_prompts_are_carried_over() {
    let (text, table) = converted(
        "claude",
        &value!({ "hooks": { "Stop": [{ "hooks": [
            {
                "type": "http", "url": "https://example.com/", "headers": { "Authorization": "Bearer $TOKEN" },
                "allowedEnvVars": ["TOKEN"],
            },
            { "type": "prompt", "prompt": "Is all done? $ARGUMENTS" },
        ] }] } }),
    );
    let on = table["hooks"]["on"].as_array().unwrap();
    assert_eq!(
        on[0]["http"]["headers"]["Authorization"].as_str(),
        Some("Bearer $TOKEN")
    );
    assert!(
        text.contains("lost: `allowedEnvVars` = [\"TOKEN\"]"),
        "{text}"
    );
    assert_eq!(on[1]["prompt"].as_str(), Some("Is all done? $ARGUMENTS"));
}

const SETTINGS: &str = r#"{ "model": "opus", "hooks": {
    "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "echo no >&2; exit 2" }] }],
    "PostToolUse": [{ "hooks": [{ "type": "command", "command": "true" }] }]
} }"#;

#[test]
fn a_file_of_another_system_is_known_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let claude = folder.path().join(".claude");
    std::fs::create_dir(&claude).unwrap();
    std::fs::write(claude.join("settings.json"), SETTINGS).unwrap();
    for (folder, file) in [
        (folder.path(), ".claude/settings.json"),
        (&*claude, "settings.json"),
    ] {
        assert_eq!(hooks(folder, &["check", file], "").code, 0);
        let plan = json(&hooks(folder, &["plan", file, "--json"], "").out);
        let names: Vec<_> = plan["hooks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| &row["hook"])
            .collect();
        assert_eq!(names, ["PreToolUse-1", "PostToolUse-2"]);
        let event = [
            "--event",
            "PreToolUse",
            "--tool",
            "Bash",
            "--args",
            r#"{"command":"ls"}"#,
            "--json",
        ];
        let fired = json(&hooks(folder, &[&["fire", file], &event[..]].concat(), "").out);
        assert_eq!(
            (&fired["decision"], &fired["reason"]),
            (&value!("block"), &value!("no"))
        );
        assert!(
            hooks(folder, &["convert", file], "")
                .out
                .contains("dialect = \"claude\"")
        );
    }
}

#[test]
fn a_file_of_another_system_is_one_mistake_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("other.json"), SETTINGS).unwrap();
    let said = hooks(folder.path(), &["check", "other.json"], "");
    assert_eq!(said.code, 1);
    for part in [
        "other.json:1:20: these are hooks in the format `claude`",
        "`--from claude`",
        "1 mistake",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert_eq!(
        hooks(
            folder.path(),
            &["check", "other.json", "--from", "claude"],
            ""
        )
        .code,
        0
    );
    let said = hooks(folder.path(), &["convert", "other.json"], "");
    assert!(
        said.code == 2 && said.errors.contains("write `--from claude`"),
        "{}",
        said.errors
    );
}

#[test]
fn neither_a_file_nor_a_model_writes_to_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let text = r#"
        [[hooks.on]]
        event = "AgentEnd"
        command = "\u001b[2Jtrue\n#"
        [[hooks.on]]
        event = "BeforeToolCall"
        block = "\u001b[2J{name}"
    "#;
    std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
    std::fs::write(
        folder.path().join("wrong.toml"),
        "[hooks]\n\"\\u001b[2J\" = 1",
    )
    .unwrap();
    let record = value!({
        "at": "2026-03-22T10:00:00Z", "revision": 1, "source": "hooks.toml:1", "hook": "a", "handler": "block",
        "event": "BeforeToolCall", "subject": "\u{1b}[2Jshell", "session_id": "s", "agent_id": "a", "outcome": "block",
        "duration_us": 1, "reason": "\u{1b}[2J\u{202e}no",
    });
    std::fs::write(folder.path().join("records.jsonl"), record.to_string()).unwrap();
    let tool = "\u{1b}[2Jshell";
    for (args, shown) in [
        (&["plan"][..], r"\u{1b}[2Jtrue\n#"),
        (&["check", "wrong.toml"], r"\u{1b}[2J"),
        (&["plan", "wrong.toml"], r"\u{1b}[2J"),
        (
            &[
                "fire",
                "hooks.toml",
                "--event",
                "BeforeToolCall",
                "--tool",
                tool,
            ],
            r"reason    \u{1b}[2J\u{1b}[2Jshell",
        ),
        (
            &["why", "--event", "BeforeToolCall", "--tool", tool],
            r"BeforeToolCall \u{1b}[2Jshell",
        ),
        (
            &["log", "records.jsonl"],
            r"\u{1b}[2Jshell  \u{1b}[2J\u{202e}no",
        ),
    ] {
        let said = hooks(folder.path(), args, "");
        let all = said.out + &said.errors;
        assert!(all.contains(shown), "{args:?}: {all}");
        assert!(!all.contains(['\u{1b}', '\u{202e}']), "{args:?}: {all:?}");
    }
}

#[test]
fn geminis_times_are_milliseconds() {
    let (_, table) = converted(
        "gemini",
        &value!({ "hooks": { "BeforeTool": [{ "matcher": "write_.*", "hooks": [
            { "type": "command", "command": "x", "timeout": 1500 },
        ] }] } }),
    );
    let entry = &table["hooks"]["on"][0];
    assert_eq!(entry["timeout"].as_str(), Some("1500ms"));
    assert_eq!(entry["matcher"].as_str(), Some("write_.*"));
}

#[test]
fn picoclaws_processes_and_goclaws_hooks_become_definitions() {
    let (text, table) = converted(
        "picoclaw",
        &value!({ "hooks": { "processes": {
            "gate": { "enabled": true, "priority": 5, "command": ["python3", "gate.py"], "dir": "d",
                      "env": { "A": "b" }, "intercept": ["before_tool", "approve_tool"], "observe": ["mcp.tool.discovered"] },
            "off": { "command": ["x"] },
        } } }),
    );
    let entry = &table["hooks"]["on"][0];
    assert_eq!(entry["priority"].as_integer(), Some(-5));
    assert_eq!(entry["process"]["argv"].as_array().unwrap().len(), 2);
    assert_eq!(entry["process"]["env"]["A"].as_str(), Some("b"));
    assert!(
        text.contains("lost: `mcp.tool.discovered`: `hooks` never raises this event"),
        "{text}"
    );
    assert!(
        text.contains("lost: the process `off`: not enabled"),
        "{text}"
    );

    let (text, table) = converted(
        "goclaw",
        &value!([{ "name": "h", "event": "pre_tool_use", "handler_type": "http", "config": { "url": "https://example.org/" },
                   "matcher": "^exec$", "if_expr": "tool_input.n > 1", "timeout_ms": 700, "on_timeout": "allow",
                   "priority": 3, "scope": "tenant", "tenant_id": "acme", "agent_ids": ["a"] }]),
    );
    let entry = &table["hooks"]["on"][0];
    assert_eq!(entry["if"].as_str(), Some("args.n > 1"), "{text}");
    assert_eq!(entry["timeout"].as_str(), Some("700ms"));
    assert_eq!(entry["on_timeout"].as_str(), Some("skip"));
    assert_eq!(entry["scope"]["tenants"][0].as_str(), Some("acme"));
    assert_eq!(entry["scope"]["agents"][0].as_str(), Some("a"));
}

#[test]
fn records_are_shown_and_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let record = |hook: &str, outcome: &str| {
        value!({ "at": "2026-11-22T10:00:00Z", "revision": 1, "hook": hook, "handler": "rule", "event": "BeforeToolCall",
                 "subject": "shell", "outcome": outcome, "reason": "because", "duration_us": 12 })
        .to_string()
    };
    let text = format!(
        "{}\n{}\nno record\n",
        record("one", "block"),
        record("two", "continue")
    );
    std::fs::write(folder.path().join("records.jsonl"), text).unwrap();
    let said = hooks(folder.path(), &["log", "records.jsonl"], "");
    assert_eq!(said.code, 0);
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    assert!(
        said.out
            .contains("2026-11-22 10:00:00  block       one  BeforeToolCall shell  because  12 µs"),
        "{}",
        said.out
    );
    assert!(
        said.errors.contains("records.jsonl:3: not a record"),
        "{}",
        said.errors
    );
    let said = hooks(
        folder.path(),
        &[
            "log",
            "records.jsonl",
            "--json",
            "--where",
            "outcome == 'block' && duration_us > 10",
        ],
        "",
    );
    assert_eq!(json(&said.out)["hook"], "one", "{}", said.errors);
    let said = hooks(
        folder.path(),
        &["log", "records.jsonl", "--where", "outcom == 'block'"],
        "",
    );
    assert_eq!(said.code, 2);
    assert!(said.errors.contains("outcom"), "{}", said.errors);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_in_the_sandbox_writes_only_where_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::create_dir(&inside).unwrap();
    std::fs::create_dir(&outside).unwrap();
    let script = "echo a > in/file && ! echo b > out/file && exit 7";
    let said = hooks(
        folder.path(),
        &["sandbox", "--write", "in", "--", "sh", "-c", script],
        "",
    );
    assert_eq!(said.code, 7, "{}", said.errors);
    assert!(inside.join("file").exists() && !outside.join("file").exists());
    assert!(
        said.errors.contains("sandbox: tried to write ")
            && said.errors.contains("/out/file: not allowed")
    );
    let said = hooks(
        folder.path(),
        &["sandbox", "--write", "in", "--explain"],
        "",
    );
    assert_eq!(said.code, 0, "{}", said.errors);
    assert!(
        said.out.contains("writes ") && said.out.contains("(your rule)"),
        "{}",
        said.out
    );
    let said = hooks(
        folder.path(),
        &["sandbox", "--write", "missing", "--", "true"],
        "",
    );
    assert_eq!(said.code, 2, "{}", said.errors);
}

/// What is answered to these requests, by their ids.
fn served(file: &str, requests: &[Value]) -> Vec<Value> {
    let lines: Vec<_> = requests.iter().map(Value::to_string).collect();
    served_lines(file, &lines)
}

fn served_lines(file: &str, lines: &[String]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), file).unwrap();
    let said = hooks(
        folder.path(),
        &["serve", "--stdio", "hooks.toml"],
        &(lines.join("\n") + "\n"),
    );
    assert_eq!(said.code, 0, "{}", said.errors);
    let mut answers: Vec<Value> = said.out.lines().map(json).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

fn request(id: u64, method: &str, params: Value) -> Value {
    value!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Hooks of every action that PicoClaw knows.
const PICOCLAW: &str = r#"
    [[hooks.on]]
    name = "no-rm"
    event = "before_tool"
    tools = "exec"
    if = "args.command.startsWith('rm')"
    block = "no"

    [[hooks.on]]
    event = "before_tool"
    tools = "deploy"
    modify = { dry_run = true }

    [[hooks.on]]
    event = "before_tool"
    tools = "mock"
    respond = "mocked"

    [[hooks.on]]
    event = "after_tool"
    modify = { content = "short" }

    [[hooks.on]]
    event = "before_llm"
    modify = { model = "small" }

    [[hooks.on]]
    event = "approve_tool"
    tools = "deploy"
    block = "nobody deploys"
"#;

/// The parameters of PicoClaw's requests about a tool call.
fn picoclaw_call(tool: &str, args: Value) -> Value {
    let meta = value!({ "AgentID": "main", "TurnID": "t1", "SessionKey": "s1", "Iteration": 0 });
    value!({ "meta": meta, "tool": tool, "arguments": args, "channel": "cli" })
}

#[test]
fn picoclaw_is_answered() {
    let continues = value!({ "action": "continue" });
    let denied = value!({ "action": "deny_tool", "reason": "no (hook: no-rm)" });
    let mut after = picoclaw_call("exec", value!({}));
    after["duration"] = value!(5);
    after["result"] =
        value!({ "for_llm": "long", "silent": false, "is_error": false, "async": false });
    let message = value!({ "role": "user", "content": "hi", "media": ["a"] });
    let function = value!({ "name": "f", "description": "d", "parameters": {} });
    let llm = value!({
        "meta": after["meta"], "model": "big", "options": {}, "messages": [message],
        "tools": [{ "type": "function", "function": function }],
    });
    // The method, its parameters, and what the places of the result hold.
    let table: [(_, _, &[_]); 8] = [
        (
            "before_tool",
            picoclaw_call("exec", value!({ "command": "rm x" })),
            &[("", denied)],
        ),
        (
            "before_tool",
            picoclaw_call("exec", value!({ "command": "ls" })),
            &[("", continues)],
        ),
        (
            "before_tool",
            picoclaw_call("deploy", value!({ "to": "here" })),
            &[
                ("/action", value!("modify")),
                ("/call/arguments", value!({ "to": "here", "dry_run": true })),
            ],
        ),
        (
            "before_tool",
            picoclaw_call("mock", value!({})),
            &[
                ("/action", value!("respond")),
                ("/result/for_llm", value!("mocked")),
            ],
        ),
        (
            "approve_tool",
            picoclaw_call("deploy", value!({})),
            &[("/approved", value!(false))],
        ),
        (
            "approve_tool",
            picoclaw_call("exec", value!({})),
            &[("/approved", value!(true))],
        ),
        (
            "after_tool",
            after,
            &[
                ("/result/result/for_llm", value!("short")),
                ("/result/result/async", value!(false)),
            ],
        ),
        (
            "before_llm",
            llm,
            &[
                ("/request/model", value!("small")),
                ("/request/messages", value!([message])),
                ("/request/tools/0/type", value!("function")),
            ],
        ),
    ];
    let requests: Vec<_> = (0..)
        .zip(&table)
        .map(|(id, (method, params, _))| request(id, &format!("hook.{method}"), params.clone()))
        .collect();
    let answers = served(PICOCLAW, &requests);
    assert_eq!(answers.len(), table.len());
    for (id, (answer, (method, params, places))) in answers.iter().zip(&table).enumerate() {
        assert_eq!(answer["id"], id);
        for (place, expected) in *places {
            let found = answer["result"].pointer(place);
            assert_eq!(found, Some(expected), "{method} {params}: {place}");
        }
    }
}

#[test]
fn picoclaw_is_greeted_and_only_requests_are_answered() {
    let modes = value!({ "name": "x", "version": 1, "modes": ["tool", "llm", "approve"] });
    let told = value!({ "kind": "agent.turn.start", "payload": {} });
    let answers = served(
        PICOCLAW,
        &[
            request(1, "hook.hello", modes),
            request(2, "hook.lunch", value!({})),
            value!({ "jsonrpc": "2.0", "method": "hook.runtime_event", "params": told }),
        ],
    );
    assert_eq!(answers.len(), 2);
    assert_eq!(answers[0]["result"]["ok"], true);
    assert_eq!(answers[1]["error"]["code"], -32000);
}

#[test]
fn a_question_is_a_no_where_picoclaw_asks_nobody() {
    let file = "[[hooks.on]]\nevent = 'before_tool'\nask = 'sure?'\n";
    let call = value!({ "meta": {}, "tool": "exec", "arguments": {} });
    let answers = served(
        file,
        &[
            request(1, "hook.hello", value!({ "modes": ["tool"] })),
            request(2, "hook.before_tool", call.clone()),
        ],
    );
    assert_eq!(answers[1]["result"]["action"], "deny_tool");
}

#[test]
fn no_approval_is_forgotten_however_many_calls_there_are() {
    let file = "[[hooks.on]]\nevent = 'before_tool'\nask = 'sure?'\n";
    let call = |n: u64| value!({ "meta": { "SessionKey": "s1", "TurnID": "t1" }, "tool": "exec", "arguments": { "n": n } });
    let mut requests = vec![request(
        1,
        "hook.hello",
        value!({ "modes": ["tool", "approve"] }),
    )];
    // Two of them are equal.
    requests.extend((2..1100).map(|id| request(id, "hook.before_tool", call(id.max(3)))));
    let approve = |id, n| request(id, "hook.approve_tool", call(n));
    requests.extend([approve(1100, 3), approve(1101, 3), approve(1102, 500)]);
    let answers = served(file, &requests);
    for answer in &answers[1099..] {
        assert_eq!(answer["result"]["approved"], false, "{answer}");
    }
    assert_eq!(answers[1023]["result"]["action"], "continue");
    assert_eq!(answers[1098]["result"]["action"], "deny_tool");
}

#[test]
fn what_picoclaw_would_take_for_a_yes_is_a_no() {
    let answers = served(
        "[[hooks.on]]\nevent = 'before_llm'\nmodify = { model = 'small' }\n",
        &[
            request(1, "hook.before_tool", value!({ "meta": {} })),
            request(2, "hook.approve_tool", value!([])),
            request(3, "hook.after_tool", value!({ "result": {} })),
            request(4, "hook.before_llm", value!({ "messages": "none" })),
            request(
                5,
                "hook.before_llm",
                value!({ "messages": [{ "role": "user", "content": "x".repeat(1 << 20) }] }),
            ),
            request(
                6,
                "hook.before_tool",
                value!({ "tool": "exec", "arguments": [1] }),
            ),
            request(
                7,
                "hook.approve_tool",
                value!({ "tool": "exec", "arguments": "x" }),
            ),
        ],
    );
    let said: Vec<_> = answers
        .iter()
        .map(|answer| {
            let result = &answer["result"];
            (result["action"].as_str(), result["approved"].as_bool())
        })
        .collect();
    assert_eq!(
        said,
        [
            (Some("deny_tool"), None),
            (None, Some(false)),
            (Some("abort_turn"), None),
            (Some("abort_turn"), None),
            (Some("abort_turn"), None),
            (Some("deny_tool"), None),
            (None, Some(false)),
        ]
    );
}

#[test]
fn notices_are_printed_where_the_agent_does_not_read_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    let settings = r#"{ "hooks": { "Stop": [{ "hooks": [{ "type": "magic" }] }],
        "PreToolUse": [{ "hooks": [{ "type": "command", "command": "grep -q bad && echo no >&2 && exit 2; exit 0" }] }] } }"#;
    std::fs::write(&file, "[[hooks.import]]\nclaude = 'settings.json'\n").unwrap();
    std::fs::write(folder.path().join("settings.json"), settings).unwrap();
    let event = |name: &str, word: &str| {
        value!({ "session_id": "s", "hook_event_name": name, "tool_name": "Bash",
                 "tool_input": { "command": word } })
        .to_string()
    };
    let notice = "`magic` is not a type of hook";
    let run = ["run", "hooks.toml", "--as", "claude"];
    // Each event is a run of its own, and what is no news is not said again.
    for (name, is_told) in [
        ("SessionStart", true),
        ("PreToolUse", false),
        ("Stop", true),
    ] {
        let good = hooks(folder.path(), &run, &event(name, "good"));
        assert_eq!(good.code, 0, "{good:?}");
        assert_eq!(good.errors.contains(notice), is_told, "{name}: {good:?}");
    }
    let bad = hooks(folder.path(), &run, &event("PreToolUse", "bad"));
    assert!(!bad.errors.contains(notice), "{bad:?}");
    assert!(bad.out.contains("deny"), "{bad:?}");
    let serve = hooks(folder.path(), &["serve", "--stdio", "hooks.toml"], "");
    assert!(serve.errors.contains(notice), "{serve:?}");
}

#[test]
fn the_scripts_of_a_project_are_found_wherever_the_file_is_and_the_agent_works() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir_all(folder.path().join(".claude/hooks")).unwrap();
    std::fs::create_dir(&inner).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let settings = value!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh" }
    ] }] } });
    write(".claude/settings.json", &settings.to_string());
    write(".claude/hooks/guard.sh", "echo guarded >&2; exit 2");
    write("loose.json", &settings.to_string());
    write(
        "dotted.toml",
        "[[hooks.import]]\nclaude = '.claude/settings.json'\n",
    );
    write("loose.toml", "[[hooks.import]]\nclaude = 'loose.json'\n");
    let converted = hooks(folder.path(), &["convert", ".claude/settings.json"], "");
    write("converted.toml", &converted.out);
    for (file, cwd) in [
        ("dotted.toml", folder.path()),
        ("dotted.toml", &inner),
        ("loose.toml", folder.path()),
        ("converted.toml", folder.path()),
    ] {
        for agent in ["claude", "codex", "goose"] {
            let event = value!({
                "session_id": "s", "cwd": cwd, "working_dir": cwd, "hook_event_name": "PreToolUse", "event": "PreToolUse",
                "tool_name": "Bash", "tool_input": { "command": "ls" },
            });
            let run = ["run", file, "--as", agent];
            let said = hooks(folder.path(), &run, &event.to_string());
            let shown = format!("{said:?}");
            assert!(
                shown.contains("guarded"),
                "{file} as {agent} in {cwd:?}: {shown}"
            );
        }
    }
}

/// Settings of Claude Code that a file of ours imports, with one hook on each of these events.
fn importing(hooks: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut events = serde_json::Map::new();
    for (event, command) in hooks {
        let hook = value!({ "type": "command", "name": format!("my {event}"), "command": command });
        events.insert((*event).to_owned(), value!([{ "hooks": [hook] }]));
    }
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("settings.json", &value!({ "hooks": events }).to_string());
    write("hooks.toml", "[[hooks.import]]\nclaude = 'settings.json'\n");
    folder
}

/// What Claude Code is told about a call of its shell.
fn told_claude(folder: &std::path::Path, event: &str) -> crate::common::Said {
    let input = value!({
        "session_id": "s", "cwd": folder, "hook_event_name": event, "tool_name": "Bash", "tool_input": { "command": "ls" },
    });
    let run = ["run", "hooks.toml", "--as", "claude"];
    hooks(folder, &run, &input.to_string())
}

#[test]
fn a_hook_on_permission_requests_runs_when_claude_code_asks_for_one() {
    let folder = importing(&[(
        "PermissionRequest",
        "touch \"$CLAUDE_PROJECT_DIR\"/asked; echo never >&2; exit 2",
    )]);
    let asked = folder.path().join("asked");
    let said = told_claude(folder.path(), "PreToolUse");
    assert_eq!((said.code, &*said.out, &*said.errors), (0, "", ""));
    assert!(!asked.exists());
    let said = told_claude(folder.path(), "PermissionRequest");
    assert!(asked.exists());
    assert_eq!(
        json(&said.out)["hookSpecificOutput"]["decision"]["behavior"],
        "deny",
        "{said:?}"
    );
}

#[test]
fn a_failure_of_an_imported_hook_reaches_the_user_with_the_name_of_the_hook() {
    for (command, why) in [
        ("echo broken >&2; exit 1", "broken"),
        ("nobody-has-this-program", "127"),
        ("kill -SEGV $$", "signal"),
        ("echo '{ \"decision\":'", "JSON"),
    ] {
        let folder = importing(&[("PreToolUse", command)]);
        let said = told_claude(folder.path(), "PreToolUse");
        assert_eq!(said.code, 0, "{said:?}");
        let message = json(&said.out)["systemMessage"].to_string();
        assert!(message.contains("my PreToolUse"), "{command}: {said:?}");
        assert!(message.contains(why), "{command}: {said:?}");
    }
}

#[test]
fn a_prompt_asks_the_model_that_the_environment_names() {
    use std::io::{Read as _, Write as _};

    let folder = tempfile::tempdir().unwrap();
    let file =
        "[[hooks.on]]\nevent = 'BeforeToolCall'\ntools = 'shell'\nprompt = 'Block what deletes.'\n";
    std::fs::write(folder.path().join("hooks.toml"), file).unwrap();
    assert_eq!(hooks(folder.path(), &["check"], "").code, 0);

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let model = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        while !String::from_utf8_lossy(&asked).contains("Block what deletes.") {
            let mut part = [0; 4096];
            let read = stream.read(&mut part).unwrap();
            asked.extend_from_slice(&part[..read]);
        }
        let input = value!({ "decision": "block", "reason": "it deletes" });
        let call = value!({ "type": "tool_use", "id": "1", "name": "decide", "input": input });
        let answer = value!({ "content": [call] }).to_string();
        let length = answer.len();
        write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{answer}"
        )
        .unwrap();
        String::from_utf8_lossy(&asked).into_owned()
    });
    let args = [
        "fire",
        "hooks.toml",
        "--event",
        "BeforeToolCall",
        "--tool",
        "shell",
        "--args",
        "{\"command\": \"rm x\"}",
        "--json",
    ];
    let with = |variables: &[(&str, &str)]| {
        let mut command = crate::common::command(folder.path(), &args);
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HOOKS_EVALUATOR"] {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        json(&crate::common::run(command, "").out)
    };
    let said = with(&[
        ("HOOKS_EVALUATOR", "anthropic:tiny"),
        ("HOOKS_EVALUATOR_URL", &url),
        ("HOOKS_EVALUATOR_KEY", "$k"),
    ]);
    assert_eq!(said["reason"], "it deletes");
    let asked = model.join().unwrap();
    assert!(
        asked.contains("x-api-key: $k") && asked.starts_with("POST /v1/messages"),
        "{asked}"
    );
    let said = with(&[]);
    assert_eq!(said["decision"], "block");
    assert!(
        said["reason"].as_str().unwrap().contains("HOOKS_EVALUATOR"),
        "{said}"
    );
}

/// The secrets of hooks and the key of the model that judges for them are for the agent alone.
#[cfg(unix)]
#[test]
fn no_child_inherits_the_keys_of_the_hooks() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let imported = value!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "env > command.env" }
    ] }] } });
    std::fs::write(here.join("settings.json"), imported.to_string()).unwrap();
    let process = here.join("process.env");
    let file = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\non_failure = 'skip'\n\
         process = {{ argv = ['sh', '-c', 'env > {}'], restart = false }}\n\
         [[hooks.import]]\nclaude = 'settings.json'\n",
        process.display()
    );
    std::fs::write(here.join("hooks.toml"), file).unwrap();
    let args = [
        "fire",
        "hooks.toml",
        "--event",
        "BeforeToolCall",
        "--tool",
        "shell",
    ];
    let mut program = crate::common::command(here, &args);
    program
        .env("HOOKS_SECRET_GATE", "s3cret")
        .env("HOOKS_EVALUATOR_KEY", "s3cret")
        .env("OTEL_EXPORTER_OTLP_HEADERS", "s3cret")
        .env("VISIBLE", "shown");
    let said = crate::common::run(program, "");
    assert_eq!(said.code, 0, "{said:?}");
    // A process of ours inherits only what every program needs.
    for (name, is_visible) in [("command.env", true), ("process.env", false)] {
        let variables = std::fs::read_to_string(here.join(name)).unwrap();
        let shown = variables.contains("VISIBLE=shown");
        assert_eq!(shown, is_visible, "{name}: {variables}");
        assert!(variables.contains("PATH="), "{name}: {variables}");
        assert!(!variables.contains("s3cret"), "{name}: {variables}");
    }
}

/// A link to a device never ends, and a project may bring one along.
#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let claude = folder.path().join(".claude");
    std::fs::create_dir(&claude).unwrap();
    std::os::unix::fs::symlink("/dev/zero", claude.join("settings.json")).unwrap();
    let settings = ".claude/settings.json";
    for args in [
        &["convert", settings][..],
        &["check", settings],
        &[
            "init",
            "--agent",
            "claude",
            "--write",
            "--settings",
            settings,
        ],
    ] {
        let said = hooks(folder.path(), args, "");
        assert!(said.code != 0, "{args:?}: {said:?}");
        let words = said.out + &said.errors;
        assert!(words.contains("not a regular file"), "{args:?}: {words}");
    }
}

/// PicoClaw goes on without an answer, and its encoder writes all of these.
#[test]
fn a_request_that_cannot_be_read_is_refused() {
    let deep = "[".repeat(200) + &"]".repeat(200);
    let arguments = [
        format!(r#"{{"command": "ls", "z": {deep}}}"#),
        r#"{"command": "ls", "n": 1e400}"#.to_owned(),
        r#"{"command": "ls", "u": "\ud800"}"#.to_owned(),
        r#"{"command": "rm x", "command": "ls"}"#.to_owned(),
    ];
    let line = |(id, arguments): (usize, &String)| {
        format!(
            r#"{{"jsonrpc": "2.0", "id": {id}, "method": "hook.before_tool", "params": {{"meta": {{}}, "tool": "exec", "arguments": {arguments}}}}}"#
        )
    };
    let mut lines: Vec<_> = arguments.iter().enumerate().map(line).collect();
    lines.push(format!(
        "\u{feff}{}",
        line((4, &r#"{"command": "ls"}"#.to_owned()))
    ));
    let answers = served_lines("[hooks]\nenabled = true\n", &lines);
    let actions: Vec<_> = answers
        .iter()
        .map(|answer| answer["result"]["action"].as_str())
        .collect();
    let denied = Some("deny_tool");
    assert_eq!(actions, [denied, denied, denied, denied, Some("continue")]);
}

/// A file that calls the program is also read by it. The scripts stop at 40 lines, whatever the program does.
#[test]
fn a_call_within_itself_is_answered_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at(".claude")).unwrap();
    let own = format!("{} run hooks.toml --as claude", env!("CARGO_BIN_EXE_hooks"));
    let wrapped = format!("[ $(wc -l < ran.log) -ge 40 ] || {own}");
    for (call, runs) in [(&own, 1), (&wrapped, 2)] {
        std::fs::write(at("ran.log"), "").unwrap();
        let hooks = value!({ "hooks": { "PreToolUse": [{ "hooks": [
            { "type": "command", "command": "echo ran >> ran.log" },
            { "type": "command", "command": call },
        ] }] } });
        std::fs::write(at(".claude/settings.json"), hooks.to_string()).unwrap();
        std::fs::write(
            at("hooks.toml"),
            "[[hooks.import]]\nclaude = '.claude/settings.json'\n",
        )
        .unwrap();
        let input = value!({ "hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Bash",
                             "tool_input": { "command": "ls" }, "tool_use_id": "t1" });
        let said = hooks_of(folder.path(), &input);
        assert_eq!(said.code, 0, "{said:?}");
        let ran = std::fs::read_to_string(at("ran.log")).unwrap();
        assert!(ran.lines().count() < runs + 1, "{call}: {ran}");
    }
    // What is left out is told, and so is a call that was answered at once.
    std::fs::write(
        at(".claude/settings.json"),
        value!({ "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command", "command": own }] }] } }).to_string(),
    )
    .unwrap();
    let said = hooks(folder.path(), &["check", "hooks.toml"], "");
    assert!(
        said.out.contains("the call of `hooks` itself is left out"),
        "{said:?}"
    );
}

#[test]
fn an_agent_is_sent_on_only_so_often() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[hooks.on]]\nevent = 'Stop'\nblock = 'run the tests'\n[hooks.limits]\nstops = 3\n";
    std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
    let stop = |session: &str| {
        let input =
            value!({ "hook_event_name": "Stop", "session_id": session, "stop_hook_active": true });
        hooks_of(folder.path(), &input)
            .out
            .contains("run the tests")
    };
    assert_eq!([(); 4].map(|()| stop("s1")), [true, true, true, false]);
    // Another session counts for itself, and the next prompt begins anew.
    assert_eq!([(); 2].map(|()| stop("s2")), [true, true]);
    let prompt =
        value!({ "hook_event_name": "UserPromptSubmit", "session_id": "s2", "prompt": "go on" });
    assert_eq!(hooks_of(folder.path(), &prompt).code, 0);
    assert_eq!([(); 4].map(|()| stop("s2")), [true, true, true, false]);
}

/// The hooks of a folder on an event of Claude Code.
fn hooks_of(folder: &std::path::Path, input: &Value) -> crate::common::Said {
    hooks(
        folder,
        &["run", "hooks.toml", "--as", "claude"],
        &input.to_string(),
    )
}
