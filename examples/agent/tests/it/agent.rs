//! Tests what the agent prints and does.

use std::fs;

use serde_json::Value;

use crate::common::{Printed, command, output, run};

/// Runs the agent with `--json`, and reads its lines.
fn calls(args: &[&str], stdin: &str) -> Vec<Value> {
    run("agent", &[&["--json"], args].concat(), stdin)
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

/// The field of a call, as text.
fn text<'a>(call: &'a Value, field: &str) -> &'a str {
    call[field].as_str().unwrap_or_default()
}

#[test]
fn the_built_in_script_shows_every_power() {
    let expected = [
        ("list", "continue", ""),
        ("write", "continue", ""),
        ("read", "continue", ""),
        ("read", "respond", "Cache"),
        ("edit", "continue", ""),
        ("bash", "continue", ""),
        ("shell", "block", "deny_rm"),
        ("shell", "continue", ""),
        ("teleport", "continue", ""),
        ("shell", "block", "approve"),
        ("read", "continue", ""),
        ("shell", "continue", ""),
        ("shell", "continue", ""),
        ("shell", "continue", ""),
        ("shell", "continue", ""),
        ("shell", "continue", ""),
        ("shell", "block", "RateLimit"),
        ("shell", "block", "RateLimit"),
        ("shell", "abort", "RateLimit"),
        ("shell", "abort", "tripwire"),
    ];
    let calls = calls(&[], "");
    let decided: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                text(call, "tool"),
                text(call, "verdict"),
                text(call, "hook"),
            )
        })
        .collect();
    assert_eq!(decided, expected);

    for call in &calls {
        let mut fields: Vec<_> = call.as_object().expect("an object").keys().collect();
        fields.sort_unstable();
        assert_eq!(fields, ["hook", "output", "reason", "tool", "verdict"]);
        let stopped = matches!(text(call, "verdict"), "block" | "abort");
        assert_eq!(call["output"].is_null(), stopped, "{call}");
        assert_eq!(call["reason"].is_string(), stopped, "{call}");
    }
    assert_eq!(calls[1]["output"], "wrote 19 bytes to ./greet.sh");
    assert_eq!(calls[2]["output"], calls[3]["output"]);
    assert_eq!(calls[5]["output"], "Hello, hooks!\n");
    assert_eq!(calls[6]["reason"], "recursive delete is not allowed");
    assert_eq!(calls[7]["output"], "API_KEY=[redacted]\n");
    assert_eq!(calls[11]["output"], "1\n2\n3\n4\n5\n(995 more lines)");
}

#[test]
fn the_story_begins_with_the_plan_and_ends_with_a_summary() {
    let Printed { stdout, stderr } = run("agent", &[], "");
    assert_eq!(stderr, "");
    assert!(
        !stdout.contains('\x1b'),
        "no colour where there is no terminal"
    );
    let places: Vec<_> = [
        "order  hook             priority  event              runs",
        "turn 1",
        "    BeforeToolCall    local_paths   modify     /workspace/greet.sh becomes ./greet.sh",
        "    BeforeToolCall    Cache         respond    known",
        "    BeforeStop        RunBeforeStop block      files have changed since anything ran",
        "    InvalidToolCall   repair_names  modify     bash becomes shell",
        "    BeforeToolCall    deny_rm       block      recursive delete is not allowed",
        "line 10: EOF while parsing an object at column ",
        "    AfterToolCall     Redact        modify     secrets: 1",
        "    ApproveToolCall   approve       block      what leaves this machine needs approval",
        "    AfterToolCall     Shorten       modify     left out 995 lines",
        "agent: greet.sh greets the hooks; TOKEN=[redacted] stays with me.",
        "turn 2",
        "    BeforeToolCall    RateLimit     abort turn 3 commands over the limit in a row",
        "turn 3",
        "    BeforeToolCall    tripwire      abort run  the call reaches for `id_rsa`",
        "summary",
        "  calls         20  continue 13  respond 1  block 4  abort 2",
        "  script        1 malformed, 1 skipped after an abort",
        "  time in hooks mean ",
    ]
    .into_iter()
    .map(|line| {
        stdout
            .find(line)
            .unwrap_or_else(|| panic!("no `{line}` in:\n{stdout}"))
    })
    .collect();
    assert_eq!(places[0], 0);
    assert!(places.is_sorted(), "{places:?}\n{stdout}");
    assert!(
        !stdout.contains("line 28"),
        "nothing runs after the run was aborted"
    );
}

#[test]
fn with_json_the_story_goes_to_standard_error() {
    let Printed { stdout, stderr } = run("agent", &["--json"], "");
    assert!(stdout.lines().all(|line| line.starts_with('{')), "{stdout}");
    assert!(stderr.starts_with("order  hook"), "{stderr}");
    assert!(stderr.contains("\nline 10: "), "{stderr}");
    assert!(stderr.contains("\nsummary\n"), "{stderr}");
}

#[test]
fn a_malformed_line_is_answered_with_its_number_and_does_not_end_the_script() {
    let script = r#"{"tool": "write", "args": {"path": "a", "content": "here"}}
{"tool": "read" "args": {}}

["read"]
{"tool": "read", "arguments": {"path": "a"}}
{"tool": "read", "args": {"path": "a"}}
"#;
    let Printed { stdout, .. } = run("agent", &["--stdin"], script);
    for line in [
        "\nline 2: expected `,` or `}` at column 17\n",
        "\nline 4: not an object, such as {\"tool\"",
        "\nline 5: unknown field `arguments`, expected one of",
        "\n  calls         2  continue 2 ",
        "\n  script        3 malformed, 0 skipped",
    ] {
        assert!(stdout.contains(line), "no {line:?} in:\n{stdout}");
    }
    let calls = calls(&["--stdin"], script);
    let outputs: Vec<_> = calls.iter().map(|call| text(call, "output")).collect();
    assert_eq!(outputs, ["wrote 4 bytes to a", "here"]);
}

#[test]
fn a_script_of_malformed_lines_alone_fails() {
    for arguments in [&["--stdin"][..], &["--stdin", "--json"]] {
        let output = output("agent", arguments, "ls\n\n[\"ls\"]\n");
        assert_eq!(output.status.code(), Some(1));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            stderr.ends_with("error: no line of the script can be read\n"),
            "{stderr}"
        );
    }
    run("agent", &["--stdin"], "\n");
}

/// The master side of a pseudo-terminal is a terminal too, and echoes what is written to it.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_it_says_that_it_waits() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;

    let mut options = fs::File::options();
    let mut terminal = options
        .read(true)
        .write(true)
        .open("/dev/ptmx")
        .expect("Linux has pseudo-terminals");
    let mut agent = command("agent")
        .args(["--stdin", "--json"])
        .stdin(terminal.try_clone().expect("a file can be shared"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example runs");
    terminal.write_all(b"ls\n").expect("a terminal takes lines");
    let stderr = BufReader::new(agent.stderr.take().expect("piped"));
    let lines = stderr.lines().map(|line| line.expect("prints text"));
    let told: Vec<_> = lines
        .take_while(|line| !line.starts_with("line 1: "))
        .collect();
    agent.kill().expect("the agent still waits");
    agent.wait().expect("the agent has ended");
    assert!(
        told.last()
            .is_some_and(|line| line.starts_with("Type the script, such as {")),
        "{told:?}"
    );
}

#[test]
fn an_aborted_turn_ends_at_the_next_message() {
    let shell = r#"{"tool": "shell", "args": {"command": "true"}}
"#;
    let script = format!(
        "{}{}{}",
        shell.repeat(13),
        "{\"user\": \"And now?\"}\n",
        "{\"tool\": \"list\"}\n"
    );
    let calls = calls(&["--stdin"], &script);
    // Eight pass, two are blocked, one aborts; two are skipped.
    assert_eq!(calls.len(), 12);
    assert_eq!(calls[10]["verdict"], "abort");
    assert_eq!(calls[11]["tool"], "list");
}

#[test]
fn a_message_after_an_answer_starts_a_turn() {
    let script = r#"{"say": "Hello."}
{"tool": "list"}
{"user": "Thanks."}
"#;
    let Printed { stdout, .. } = run("agent", &["--stdin"], script);
    for line in [
        "turn 1\n",
        "agent: Hello.\n",
        "turn 2\n",
        "turn 3\nuser: Thanks.\n",
    ] {
        assert!(stdout.contains(line), "no {line:?} in:\n{stdout}");
    }
}

#[test]
fn a_workspace_that_is_given_is_made_used_and_kept() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (workspace, script) = (
        folder.path().join("new/work"),
        folder.path().join("script.jsonl"),
    );
    let line = r#"{"tool": "write", "args": {"path": "/workspace/a/b.txt", "content": "kept"}}"#;
    fs::write(&script, line).expect("writable");
    let path = |path: &std::path::Path| path.to_str().expect("text").to_owned();
    run(
        "agent",
        &["--workspace", &path(&workspace), &path(&script)],
        "",
    );
    let written = fs::read_to_string(workspace.join("a/b.txt")).expect("the workspace is kept");
    assert_eq!(written, "kept");
}

#[test]
fn a_workspace_of_its_own_is_removed() {
    let calls = calls(
        &["--stdin"],
        r#"{"tool": "shell", "args": {"command": "pwd"}}"#,
    );
    let workspace = text(&calls[0], "output").trim();
    assert!(workspace.starts_with('/'), "{workspace}");
    assert!(!fs::exists(workspace).expect("can be looked for"));
}

#[test]
fn rules_in_the_workspace_go_into_the_prompt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("AGENTS.md"), "Be kind.").expect("writable");
    let workspace = folder.path().to_str().expect("text");
    let Printed { stdout, .. } = run(
        "agent",
        &["--stdin", "--workspace", workspace],
        "{\"say\": \"Hi.\"}",
    );
    assert!(
        stdout.contains("house_rules   modify     8 bytes of AGENTS.md"),
        "{stdout}"
    );
}

#[test]
fn what_cannot_be_opened_is_named() {
    for args in [
        &["no-such-script.jsonl"][..],
        &["--stdin", "--workspace", "/dev/null/x"],
    ] {
        let output = output("agent", args, "");
        assert!(!output.status.success());
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let path = args.last().expect("not empty");
        assert!(stderr.starts_with(&format!("error: {path}: ")), "{stderr}");
    }
}
