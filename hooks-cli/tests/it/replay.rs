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

#[test]
fn a_past_without_events_is_no_success() {
    let claude = fixture("claude.jsonl");
    for more in [
        &["--since", "2099-01-01"][..],
        &["--since", "2099-01-01", "--json"],
    ] {
        let said = replayed(&[&claude], DRAFT, more);
        assert_eq!((said.code, &*said.out), (2, ""), "{said:?}");
        assert!(
            said.errors.contains("since that time: name a file"),
            "{said:?}"
        );
    }
    let empty = tempfile::tempdir().unwrap();
    let said = replayed(&[empty.path().to_str().unwrap()], DRAFT, &[]);
    assert!(
        said.code == 2 && said.errors.contains("hooks run --records"),
        "{said:?}"
    );
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
        (same.code, same.out.trim().lines().last()),
        (0, Some("0 of 5 decisions would change")),
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

/// A session of Claude Code in a folder: each call, and what its result says, or `None` if it ran well.
fn session(folder: &Path, id: &str, calls: &[(&str, Value, Option<&str>)]) -> String {
    let line = |kind: &str, content: Value| {
        value!({ "parentUuid": "u", "isSidechain": false, "userType": "external", "cwd": folder, "sessionId": id,
                 "version": "2.1.0", "type": kind, "message": { "role": kind, "content": content },
                 "timestamp": "2026-03-22T10:00:00.000Z" })
        .to_string()
    };
    let prompt = line("user", value!("tidy up"));
    let calls = calls
        .iter()
        .enumerate()
        .flat_map(|(nth, (tool, input, error))| {
            let id = format!("toolu_{nth}");
            [
                line(
                    "assistant",
                    value!([{ "type": "tool_use", "id": id, "name": tool, "input": input }]),
                ),
                line(
                    "user",
                    value!([{ "type": "tool_result", "tool_use_id": id, "is_error": error.is_some(),
                                   "content": error.unwrap_or("done") }]),
                ),
            ]
        });
    std::iter::once(prompt)
        .chain(calls)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}

fn bash(command: &str, error: Option<&'static str>) -> (&'static str, Value, Option<&'static str>) {
    (
        "Bash",
        value!({ "command": command, "description": "As asked" }),
        error,
    )
}

const REJECTED: &str =
    "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const POLICY: &str = "[hooks.builtin.security_policy]\nautonomy = 'full'\nsandbox = 'off'\n";

#[test]
fn what_is_suggested_lets_the_harmless_calls_pass() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let (api, web) = (folder.join("shop/api"), folder.join("shop/web"));
    for made in [&api, &web] {
        std::fs::create_dir_all(made).unwrap();
        std::fs::write(made.join("package.json"), "{}").unwrap();
    }
    let read = value!({ "file_path": web.join("package.json") });
    let first = [
        bash("git status", None),
        bash("jq .name package.json", None),
        bash("jq -r '.scripts | keys[]' package.json | sort", None),
        bash("cp package.json backup.json", None),
        bash("cat ../web/package.json", None),
        ("Read", read, None),
        // What runs anything, or touches what is forbidden.
        bash("sudo jq . package.json", None),
        bash("bash deploy.sh", None),
        bash("python3 tidy.py", None),
        bash("cat ~/.ssh/id_rsa", None),
        bash("jq . /etc/passwd", None),
        // What failed, or was refused.
        bash(
            "sha256sum package.json",
            Some("Exit code 127\nsha256sum: command not found"),
        ),
        bash("rev package.json", Some(REJECTED)),
        bash(
            "rm -r build",
            Some("PreToolUse:Bash hook error: [./gate.sh]: no"),
        ),
    ];
    let second = [
        bash("jq .version package.json", None),
        bash("cp package.json old.json", None),
    ];
    let past = folder.join("projects");
    std::fs::create_dir(&past).unwrap();
    std::fs::write(past.join("1.jsonl"), session(&api, "c-1", &first)).unwrap();
    std::fs::write(past.join("2.jsonl"), session(&web, "c-2", &second)).unwrap();
    let past = past.to_str().unwrap();

    let blocked = |draft: &str| {
        let said = replayed(&[past], draft, &["--json"]);
        changes(&said).iter().map(|one| one.3).sum::<u64>()
    };
    let said = replayed(&[past], POLICY, &["--json", "--suggest"]);
    let found = json(&said.out)["suggestion"].clone();
    let line =
        |key: &str, text: &str, count: u64| value!({ "key": key, "value": text, "count": count });
    let shop = folder.join("shop");
    let expected = [
        line("allowed_commands", "jq", 3),
        line("allowed_commands", "cp", 2),
        line("workspace", shop.to_str().unwrap(), 2),
    ];
    assert_eq!(found["lines"], value!(expected), "{}", said.errors);
    assert_eq!(
        (&found["passing"], &found["blocked"]),
        (&value!(7), &value!(12))
    );

    let shown = replayed(&[past], POLICY, &["--suggest"]);
    assert!(
        shown.out.contains("#     3  allowed_commands  jq\n"),
        "{}",
        shown.out
    );
    let head = "[hooks.builtin.security_policy]\n";
    let suggested = shown.out.replace(head, &format!("{head}sandbox = 'off'\n"));
    std::fs::write(folder.join("hooks.toml"), &suggested).unwrap();
    let checked = hooks(&folder, &["check"], "");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.errors);
    assert_eq!((blocked(POLICY), blocked(&suggested)), (14, 7));
    let again = replayed(&[past], &suggested, &["--json", "--suggest"]);
    let again = &json(&again.out)["suggestion"];
    assert_eq!(
        (&again["passing"], &again["toml"]),
        (&value!(0), &value!(""))
    );
}

#[test]
fn a_workspace_is_suggested_only_if_all_sessions_are_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let suggested = |places: &[&str], policy: &str| {
        let past = tempfile::tempdir().unwrap();
        for (nth, place) in places.iter().enumerate() {
            let cwd = folder.join(place);
            std::fs::create_dir_all(&cwd).unwrap();
            let calls = [bash("ls ..", None), bash("ls", None)];
            let file = past.path().join(format!("{nth}.jsonl"));
            std::fs::write(file, session(&cwd, "c", &calls)).unwrap();
        }
        let said = replayed(
            &[past.path().to_str().unwrap()],
            policy,
            &["--json", "--suggest"],
        );
        json(&said.out)["suggestion"]["lines"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(suggested(&["shop/api", "shop/web"], POLICY), 1);
    assert_eq!(suggested(&["shop/api", "other/web"], POLICY), 0);
    let relative = format!("{POLICY}forbidden_paths = ['config/keys']\n");
    assert_eq!(suggested(&["shop/api"], &relative), 0);
}

#[test]
fn without_a_policy_nothing_is_suggested() {
    let said = replayed(&[&fixture("claude.jsonl")], DRAFT, &["--suggest"]);
    assert!(
        said.errors
            .contains("has no `[hooks.builtin.security_policy]`"),
        "{}",
        said.errors
    );
    assert!(said.out.contains("no-sudo"), "{}", said.out);
}

#[test]
fn a_call_of_codex_or_gemini_that_failed_or_was_refused_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let suggested = |name: &str, text: String| {
        std::fs::write(folder.path().join(name), text).unwrap();
        let path = folder.path().join(name);
        let said = replayed(&[path.to_str().unwrap()], POLICY, &["--json", "--suggest"]);
        json(&said.out)["suggestion"]["lines"].clone()
    };
    let only_jq = value!([{ "key": "allowed_commands", "value": "jq", "count": 1 }]);

    let mut lines =
        vec![value!({ "type": "session_meta", "payload": { "id": "x", "cwd": folder.path() } })];
    for (nth, (command, output)) in [
        (
            "jq . a.json",
            "{\"output\":\"{}\",\"metadata\":{\"exit_code\":0}}",
        ),
        (
            "cp a b",
            "{\"output\":\"no\",\"metadata\":{\"exit_code\":1}}",
        ),
        ("rev a", "Exit code: 1\nWall time: 0 seconds\nOutput:\nno"),
        (
            "comm a b",
            "Wall time: 0 seconds\nProcess exited with code 2\nOutput:\nno",
        ),
        ("mv a b", "exec command rejected by user"),
    ]
    .into_iter()
    .enumerate()
    {
        let args = value!({ "cmd": command }).to_string();
        let call = value!({ "type": "function_call", "name": "exec_command", "arguments": args });
        let result = value!({ "type": "function_call_output", "output": output });
        for mut payload in [call, result] {
            payload["call_id"] = nth.to_string().into();
            lines.push(value!({ "type": "response_item", "payload": payload }));
        }
    }
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    assert_eq!(suggested("codex.jsonl", lines.join("\n")), only_jq);

    let calls = [
        ("jq . a.json", "success"),
        ("cp a b", "error"),
        ("mv a b", "cancelled"),
    ];
    let calls = calls.map(|(command, status)| {
        value!({ "id": command, "name": "run_shell_command", "args": { "command": command }, "status": status,
                 "result": [] })
    });
    let messages = value!([{ "type": "gemini", "content": "", "toolCalls": calls }]);
    let session = value!({ "sessionId": "g", "projectHash": "1", "messages": messages });
    assert_eq!(suggested("gemini.json", session.to_string()), only_jq);
}

/// Replays a file of lines, and returns what was found.
fn found(name: &str, lines: &[Value], draft: &str) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let lines: Vec<_> = lines.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    json(&replayed(&[path.to_str().unwrap()], draft, &["--json"]).out)
}

#[test]
fn codex_prompts_are_read_once_and_tools_of_servers_have_the_names_that_hooks_see() {
    let item = |payload: Value| value!({ "type": "response_item", "payload": payload });
    let event = |payload: Value| value!({ "type": "event_msg", "payload": payload });
    let message = |text: &str| {
        let content = value!([{ "type": "input_text", "text": text }]);
        item(value!({ "type": "message", "role": "user", "content": content }))
    };
    let call = |id: &str, more: Value| {
        let mut payload =
            value!({ "type": "function_call", "name": "say", "arguments": "{}", "call_id": id });
        payload
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        item(payload)
    };
    let output =
        |id: &str| item(value!({ "type": "function_call_output", "output": "ok", "call_id": id }));
    let of_server = value!({ "server": "local", "tool": "say", "arguments": {} });
    let lines = [
        value!({ "type": "session_meta", "payload": { "id": "x", "cwd": "/" } }),
        message("<environment_context>\n</environment_context>"),
        message("hello"),
        event(value!({ "type": "user_message", "message": "hello" })),
        event(value!({ "type": "user_message", "message": "again" })),
        message("again"),
        message("again"),
        call("1", value!({ "namespace": "mcp__local__" })),
        output("1"),
        call("2", value!({})),
        event(value!({ "type": "mcp_tool_call_end", "call_id": "2", "invocation": of_server })),
        output("2"),
    ];
    let draft = "[[hooks.on]]\nname = 'prompts'\nevent = 'MessageReceived'\nblock = 'no'\n\
                 [[hooks.on]]\nname = 'says'\nevent = 'BeforeToolCall'\ntools = ['mcp__local__say']\nblock = 'no'\n";
    let found = found("codex.jsonl", &lines, draft);
    let counts: Vec<_> = found["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| &hook["events"])
        .collect();
    assert_eq!(counts, [3, 2], "{found}");
}

#[test]
fn gemini_prompts_are_read_once_and_what_hooks_refused_is_known() {
    let call = |id: &str, status: &str, said: &str| {
        let response = value!([{ "functionResponse": { "response": { "error": said } } }]);
        value!({ "id": id, "name": "run_shell_command", "args": { "command": "ls" }, "status": status, "result": response })
    };
    let user = |id: &str, content: Value| value!({ "id": id, "type": "user", "content": content });
    let answer =
        |calls: Value| value!({ "id": "m", "type": "gemini", "content": "", "toolCalls": calls });
    let refused = call("2", "error", "Tool execution blocked: not here");
    let session = value!({ "sessionId": "s", "projectHash": "p", "messages": [
        user("a", value!([{ "text": "hello" }])),
        user("a", value!([{ "text": "hello" }])),
        user("b", value!("0b7c########1")),
        user("c", value!([{ "functionResponse": {} }])),
        answer(value!([call("1", "executing", "")])),
        answer(value!([call("1", "success", ""), refused])),
    ] });
    let draft = "[[hooks.on]]\nname = 'prompts'\nevent = 'MessageReceived'\ncontext = 'no'\n\
                 [[hooks.on]]\nname = 'shell'\nevent = 'BeforeToolCall'\ntools = ['shell']\ncontext = 'no'\n";
    let found = found("gemini.json", &[session], draft);
    let counts: Vec<_> = found["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| &hook["events"])
        .collect();
    assert_eq!(counts, [1, 2], "{found}");
    let groups = found["groups"].as_array().unwrap();
    assert!(
        groups
            .iter()
            .any(|group| group["before"] == "block" && group["count"] == 1),
        "{found}"
    );
}

#[test]
fn a_matcher_that_never_fits_is_told() {
    let draft = "[[hooks.on]]\nname = 'never'\nevent = 'BeforeToolCall'\ntools = ['Bsh']\nblock = 'no'\n\
                 [[hooks.on]]\nname = 'elsewhere'\nevent = 'AfterCompact'\ncommand = 'true'\n\
                 [[hooks.on]]\nname = 'wall'\nevent = 'BeforeToolCall'\npriority = 10\nblock = 'no'\n\
                 [[hooks.on]]\nname = 'behind'\nevent = 'BeforeToolCall'\ncontext = 'yes'\n";
    let claude = fixture("claude.jsonl");
    let said = replayed(&[&claude], draft, &[]);
    assert!(
        said.out
            .contains("never  would have run in 0 of 1 sessions"),
        "{}",
        said.out
    );
    assert!(
        said.out
            .contains("elsewhere  is for events that these 1 sessions do not have"),
        "{}",
        said.out
    );
    // What another hook stops is not the matcher's fault.
    assert!(
        said.out
            .contains("behind  would have run in 1 of 1 sessions"),
        "{}",
        said.out
    );
    let said = json(&replayed(&[&claude], draft, &["--json"]).out);
    assert_eq!(
        (&said["sessions"], &said["hooks"][0]["had_events"]),
        (&value!(1), &value!(true))
    );
}
