//! `hooks run` with and without a daemon: the same answer.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use hooks_runtime::Dialect;
use serde_json::{Value, json};

use crate::common::{Said, command, run};

/// A daemon that runs. It is killed in the end.
pub(crate) struct Daemon {
    pub(crate) child: Child,
    socket: PathBuf,
    pub(crate) address: Option<String>,
    /// The line that says so.
    pub(crate) ready: Value,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn daemon(folder: &Path, args: &[&str]) -> Daemon {
    let socket = folder.join("run/hooks.sock");
    let mut command = command(folder, &["serve", "--json"]);
    command.args(args).arg("--socket").arg(&socket);
    let daemon = started(command);
    assert_eq!(daemon.socket, socket);
    daemon
}

/// Makes the store `sqlite:hooks.db`.
pub(crate) fn store(folder: &Path) {
    let address = format!("sqlite:{}", folder.join("hooks.db").display());
    let executor = tokio::runtime::Runtime::new().unwrap();
    executor.block_on(async {
        let store = hooks_store::Store::open(&address).await.unwrap();
        store.close().await;
    });
}

/// Starts a daemon, and waits until it says where it is.
pub(crate) fn started(mut command: Command) -> Daemon {
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut line)
        .unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    Daemon {
        child,
        socket: ready["socket"].as_str().unwrap_or_default().into(),
        address: ready["listen"].as_str().map(str::to_owned),
        ready,
    }
}

impl Daemon {
    /// Runs the program so that it may ask the daemon, and returns what it says, and whether the daemon answered.
    fn ask(&self, mut command: Command, input: &str) -> (Said, bool) {
        command
            .env("HOOKS_SOCKET", &self.socket)
            .env("HOOKS_TRACE", "1");
        let mut said = run(command, input);
        let is_trace = |line: &&str| line.starts_with("hooks: ");
        let is_by_daemon = said
            .errors
            .lines()
            .filter(is_trace)
            .any(|line| line.ends_with("the daemon answered"));
        let rest = said
            .errors
            .split_inclusive('\n')
            .filter(|line| !is_trace(line));
        said.errors = rest.collect();
        (said, is_by_daemon)
    }

    /// Sends a request with a token. `headers` end with a new line each.
    pub(crate) fn send(
        &self,
        token: &str,
        method: &str,
        path: &str,
        headers: &str,
        body: &Value,
    ) -> TcpStream {
        let mut stream = TcpStream::connect(self.address.as_deref().unwrap()).unwrap();
        let form = body.as_str().map(str::to_owned);
        let body = form.unwrap_or_else(|| body.to_string());
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
             {headers}content-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Publishes the draft as it is.
    fn publish(&self, token: &str) -> TcpStream {
        let draft = answer(self.send(token, "GET", "/api/v1/draft", "", &Value::Null));
        let etag = draft.lines().find_map(|line| line.strip_prefix("etag: "));
        let seen = format!("if-match: {}\r\n", etag.unwrap());
        self.send(token, "POST", "/api/v1/revisions", &seen, &json!({}))
    }
}

/// Reads an answer to its end.
pub(crate) fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

fn alone(mut command: Command, input: &str) -> Said {
    command.env("HOOKS_SOCKET", "off");
    run(command, input)
}

const FILE: &str = r#"
[hooks.builtin]
redact = true
[[hooks.on]]
name = "no-force-push"
event = "BeforeToolCall"
if = 'has(args.command) && args.command.contains("--force")'
block = "force pushes are not allowed"
[[hooks.on]]
name = "sure"
event = "BeforeToolCall"
if = 'has(args.command) && args.command.contains("rm")'
ask = "really?"
[[hooks.on]]
name = "dry"
event = "BeforeToolCall"
tools = ["deploy"]
modify = { dry_run = true }
[[hooks.on]]
name = "told"
event = "MessageReceived"
context = "be careful"
[[hooks.on]]
name = "prompts"
event = "MessageReceived"
if = 'content.contains("secret")'
block = "no secrets"
[[hooks.on]]
name = "here"
event = "BeforeToolCall"
tools = ["Here"]
command = "pwd >&2; exit 2"
[[hooks.on]]
name = "broken"
event = "BeforeToolCall"
tools = ["Broken"]
command = "exit 7"
[[hooks.on]]
name = "never"
event = "BeforeToolCall"
tools = ["[a-"]
block = "x"
mode = "shadow"
"#;

/// Inputs of each agent: with its own names of events, and with what is wrong.
fn inputs(system: Dialect) -> Vec<(Option<String>, String)> {
    let mut inputs = Vec::new();
    for event in system.calls() {
        for (tool, args) in [
            ("Bash", json!({ "command": "git push --force" })),
            ("Bash", json!({ "command": "rm x" })),
            ("deploy", json!({ "to": "prod" })),
            ("Here", json!({})),
            ("Broken", json!({})),
        ] {
            let input = json!({
                "session_id": "s1", "cwd": "/", "hook_event_name": event, "event": event, "hookEventName": event,
                "eventName": event, "hookName": event, "agent_action_name": event,
                "tool_name": tool, "toolName": tool, "tool_input": args, "tool_use_id": "1", "prompt": "a secret",
                "command": args["command"], "tool_response": { "stdout": "x" }, "source": "startup", "reason": "x",
            });
            inputs.push((Some(event.to_owned()), input.to_string()));
        }
    }
    for wrong in [
        "",
        "{",
        "[]",
        "{}",
        "{\"hook_event_name\": 3}",
        "\u{feff}{}",
    ] {
        inputs.push((None, wrong.to_owned()));
    }
    inputs
}

#[test]
fn the_daemon_says_what_the_process_says() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hooks.toml"),
        FILE.replace("[\"[a-\"]", "[\"a\"]"),
    )
    .unwrap();
    std::fs::write(folder.path().join("wrong.toml"), FILE).unwrap();
    let claude = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [
        { "type": "command", "command": "echo '{\"systemMessage\": \"hello\"}'" }] }] } });
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    std::fs::write(
        folder.path().join(".claude/settings.json"),
        claude.to_string(),
    )
    .unwrap();
    let daemon = daemon(folder.path(), &[]);
    let mut answered = 0;
    for (at, system) in Dialect::callers().enumerate() {
        for (index, (event, input)) in inputs(system).into_iter().enumerate() {
            // All files for some agents, and one for each of the others.
            let files = [
                "hooks.toml",
                "wrong.toml",
                ".claude/settings.json",
                "gone.toml",
            ];
            let file = files[if index % 3 == 0 {
                (at + index) % files.len()
            } else {
                0
            }];
            // A table of some hundred processes is enough.
            if (index + at) % 4 != 0 {
                continue;
            }
            let mut args = vec!["run", file, "--as", system.as_str()];
            if let Some(event) = &event {
                args.extend(["--event", event]);
            }
            let here = alone(command(folder.path(), &args), &input);
            let (there, is_by_daemon) = daemon.ask(command(folder.path(), &args), &input);
            assert!(is_by_daemon, "{args:?} {input}: {there:?}");
            assert_eq!(there, here, "{args:?} {input}");
            answered += 1;
        }
    }
    assert!(answered > 100, "{answered}");
}

#[test]
fn a_change_of_the_file_counts_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    let daemon = daemon(folder.path(), &[]);
    let input = json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/",
        "tool_input": { "command": "ls" }, "tool_use_id": "1" })
    .to_string();
    let rule = |reason: &str| format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = '{reason}'");
    for text in [
        rule("one"),
        rule("two"),
        "[[hooks.on]]".into(),
        rule("ten"),
        String::new(),
        rule("six"),
    ] {
        std::fs::write(&file, text).unwrap();
        // Whoever may write a file may also say when that was.
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let written = std::fs::File::options().append(true).open(&file).unwrap();
        written.set_modified(long_ago).unwrap();
        let args = ["run", "hooks.toml", "--as", "claude"];
        let here = alone(command(folder.path(), &args), &input);
        let (there, is_by_daemon) = daemon.ask(command(folder.path(), &args), &input);
        assert!(is_by_daemon);
        assert_eq!(there, here);
    }
}

#[test]
fn another_environment_is_answered_as_the_process_would() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hooks.toml"),
        FILE.replace("[\"[a-\"]", "[\"a\"]"),
    )
    .unwrap();
    let daemon = daemon(folder.path(), &[]);
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let input = json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Here",
        "tool_input": {}, "tool_use_id": "1" })
    .to_string();
    let args = ["run", "../hooks.toml", "--as", "claude"];
    let inside = || {
        let mut command = command(&inner, &args);
        command
            .env("XDG_STATE_HOME", folder.path().join(".state"))
            .env("NEW_IN_THE_CALLER", "1");
        command
    };
    let here = alone(inside(), &input);
    assert!(here.out.contains("/inner"), "{here:?}");
    let (there, is_by_daemon) = daemon.ask(inside(), &input);
    assert!(is_by_daemon, "{there:?}");
    assert_eq!(there, here);
}

#[test]
fn whoever_does_not_answer_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hooks.toml"),
        FILE.replace("[\"[a-\"]", "[\"a\"]"),
    )
    .unwrap();
    let input = json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/",
        "tool_input": { "command": "git push --force" }, "tool_use_id": "1" })
    .to_string();
    let args = ["run", "hooks.toml", "--as", "claude"];
    let here = alone(command(folder.path(), &args), &input);
    assert!(here.out.contains("deny"), "{here:?}");
    // What accepts a question, says this, and closes.
    for answers in [
        &[][..],
        &["HTTP/1.1 409 Conflict\r\n\r\n"],
        &["hello\r\n\r\n"],
        &["HTTP/1.1 100 Continue\r\n\r\n"],
        &[
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n{\"exit_code\": 0",
        ],
        &["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 500 Oh\r\n\r\n{}"],
        // An answer that is cut off after what would be a whole one.
        &[
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n\
             {\"exit_code\":0,\"stdout\":\"\",\"stderr\":\"\",\"notices\":[],\"warnings\":[]}",
        ],
    ] {
        let socket = folder.path().join("fake.sock");
        let _ = std::fs::remove_file(&socket);
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for answer in answers {
                let mut part = [0; 4096];
                let _ = stream.read(&mut part);
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        let mut asking = command(folder.path(), &args);
        asking.env("HOOKS_SOCKET", &socket);
        assert_eq!(run(asking, &input), here, "{answers:?}");
        server.join().unwrap();
    }
    // What accepts nothing: its queue is there, and nobody looks at it.
    let socket = folder.path().join("deaf.sock");
    let deaf = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    let mut asking = command(folder.path(), &args);
    asking.env("HOOKS_SOCKET", &socket);
    assert_eq!(run(asking, &input), here);
    drop(deaf);
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_is_done_without() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[hooks.on]]\nname = 'slow'\nevent = 'BeforeToolCall'\ncommand = 'touch begun; sleep 1; echo no >&2; exit 2'";
    std::fs::write(folder.path().join("hooks.toml"), text).unwrap();
    let mut daemon = daemon(folder.path(), &[]);
    let input = json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {}, "tool_use_id": "1" })
    .to_string();
    let mut asking = command(folder.path(), &["run", "hooks.toml", "--as", "claude"]);
    asking.env("HOOKS_SOCKET", &daemon.socket);
    let asked = std::thread::spawn(move || run(asking, &input));
    let begun = folder.path().join("begun");
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    daemon.child.kill().unwrap();
    let said = asked.join().unwrap();
    assert!(
        said.out.contains("deny") && said.out.contains("no"),
        "{said:?}"
    );
}

#[test]
fn agents_ask_the_file_of_the_daemon_over_http() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("hooks.toml"),
        FILE.replace("[\"[a-\"]", "[\"a\"]"),
    )
    .unwrap();
    let daemon = daemon(folder.path(), &["hooks.toml", "--listen", "127.0.0.1:0"]);
    let input = json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/",
        "tool_input": { "command": "git push --force" }, "tool_use_id": "1" })
    .to_string();
    let mut stream = TcpStream::connect(daemon.address.as_deref().unwrap()).unwrap();
    let request = format!(
        "POST /hooks/claude HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{input}",
        input.len()
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.contains("force pushes are not allowed"), "{said}");
}

#[test]
fn nobody_else_is_let_in() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), "[hooks.builtin]").unwrap();
    let mut serving = command(
        folder.path(),
        &["serve", "hooks.toml", "--listen", "0.0.0.0:0"],
    );
    serving.env("HOOKS_SOCKET", "off");
    let said = run(serving, "");
    assert_eq!(said.code, 1);
    assert!(said.errors.contains("Listen on 127.0.0.1"), "{said:?}");
}

#[test]
fn a_store_is_served_to_whoever_has_a_token_and_verified_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    store(folder.path());
    let token = |role: &str| {
        let args = [
            "token", "new", "--store", url, "--role", role, "--tenant", "acme",
        ];
        let said = run(command(folder.path(), &args), "");
        assert_eq!(said.code, 0, "{said:?}");
        said.out.trim().to_owned()
    };
    let owner = token("owner");
    let wrong = run(
        command(
            folder.path(),
            &["token", "new", "--store", url, "--role", "king"],
        ),
        "",
    );
    assert_eq!(wrong.code, 2, "{wrong:?}");
    let made = run(
        command(folder.path(), &["bundle", "key", "new", "-o", "key.pem"]),
        "",
    );
    assert_eq!(made.code, 0, "{made:?}");
    let args = [
        "--store",
        url,
        "--listen",
        "127.0.0.1:0",
        "--key",
        "key.pem",
    ];
    let daemon = daemon(folder.path(), &args);
    let ask = |method: &str, path: &str, body: &Value| {
        answer(daemon.send(&owner, method, &format!("/api/v1{path}"), "", body))
    };
    let hook = json!({ "name": "no", "event": "BeforeToolCall", "block": "nothing runs here" });
    assert!(ask("POST", "/hooks", &hook).starts_with("HTTP/1.1 201"));
    assert!(answer(daemon.publish(&owner)).starts_with("HTTP/1.1 201"));
    let bundle = ask("GET", "/bundle", &Value::Null);
    let (_, bundle) = bundle.split_once("\r\n\r\n").unwrap();
    std::fs::write(folder.path().join("bundle.json"), bundle).unwrap();
    let args = ["bundle", "verify", "bundle.json", "--key", made.out.trim()];
    let said = run(command(folder.path(), &args), "");
    assert_eq!(said.code, 0, "the bundle is signed: {said:?}");
    drop(daemon);
    let said = run(command(folder.path(), &["verify", url]), "");
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.out.contains("changes of acme: "), "{said:?}");
}

#[test]
fn verifying_says_what_it_could_not_check() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    let verify = |args: &[&str]| run(command(folder.path(), &[&["verify"], args].concat()), "");
    for (what, told) in [
        (url, "no store in hooks.db"),
        ("sqlite://hooks.db?mode=rwc", "no store in hooks.db"),
        ("gone.jsonl", "gone.jsonl"),
    ] {
        let said = verify(&[what]);
        assert_eq!(said.code, 2, "{said:?}");
        assert!(said.errors.contains(told), "{said:?}");
    }
    assert!(!folder.path().join("hooks.db").exists());
    let executor = tokio::runtime::Runtime::new().unwrap();
    executor.block_on(async {
        let file = folder.path().join("hooks.db").display().to_string();
        let store = hooks_store::Store::open(&format!("sqlite:{file}"))
            .await
            .unwrap();
        let mut record = hooks_runtime::Record::new("a", "BeforeToolCall");
        record.input = Some(json!({ "args": { "command": "ls" } }));
        let other = hooks_runtime::Record::new("b", "BeforeToolCall");
        let tenant = store.tenant("a\u{1b}[31m");
        tenant.insert(vec![record, other]).await.unwrap();
        store.close().await;
    });
    let said = verify(&[url]);
    assert_eq!(
        (said.code, said.out.contains('\u{1b}')),
        (0, false),
        "{said:?}"
    );
    assert!(
        said.out.contains("2 rows are as they were written"),
        "{said:?}"
    );
    assert!(!said.out.contains("not read"), "{said:?}");

    let lines = verify(&[url, "--lines", "a\u{1b}[31m"]);
    assert_eq!((lines.code, lines.out.lines().count()), (0, 2), "{lines:?}");
    let file = folder.path().join("lines.jsonl");
    std::fs::write(&file, &lines.out).unwrap();
    let said = verify(&["lines.jsonl"]);
    assert!(said.code == 0 && said.out.contains("2 rows"), "{said:?}");
    std::fs::write(&file, lines.out.replace("\"b\"", "\"c\"")).unwrap();
    let said = verify(&["lines.jsonl"]);
    assert!(said.code == 1 && said.out.contains("row 2"), "{said:?}");
    assert_eq!(verify(&["lines.jsonl", "--lines", "a"]).code, 2);

    let mut without = command(folder.path(), &["verify", url]);
    without.env(
        "HOOKS_STORE_KEY",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    );
    let said = run(without, "");
    assert_eq!(said.code, 3, "{said:?}");
    for told in [
        "the details of 1 rows were not read",
        "signed its end is not there",
    ] {
        assert!(said.out.contains(told), "{said:?}");
    }
}

#[test]
fn the_exit_code_says_that_the_daemon_has_the_wrong_key() {
    let folder = tempfile::tempdir().unwrap();
    store(folder.path());
    let url = "sqlite:hooks.db";
    let token = ["token", "new", "--store", url, "--role", "owner"];
    assert_eq!(run(command(folder.path(), &token), "").code, 0);
    let args = ["serve", "--store", url, "--listen", "127.0.0.1:0"];
    let mut serve = command(folder.path(), &args);
    serve.env(
        "HOOKS_STORE_KEY",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
    );
    let said = run(serve, "");
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.errors.contains("another key"), "{said:?}");
}

#[test]
fn a_store_that_was_put_back_is_found_by_the_heads_that_were_kept() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    store(folder.path());
    let args = ["token", "new", "--store", url, "--role", "owner"];
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let verify = |args: &[&str]| {
        run(
            command(folder.path(), &[&["verify", url], args].concat()),
            "",
        )
    };
    let args = [
        "--store",
        url,
        "--listen",
        "127.0.0.1:0",
        "--heads",
        "heads.jsonl",
    ];
    let work = |hook: &str| {
        let mut daemon = daemon(folder.path(), &args);
        let hook = json!({ "name": hook, "event": "BeforeToolCall", "block": "no" });
        let made = answer(daemon.send(&owner, "POST", "/api/v1/hooks", "", &hook));
        assert!(made.starts_with("HTTP/1.1 201"), "{made}");
        let id = daemon.child.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        assert!(daemon.child.wait().unwrap().success());
    };
    work("first");
    let [file, kept] = ["hooks.db", "kept.db"].map(|file| folder.path().join(file));
    std::fs::copy(&file, &kept).unwrap();
    work("second");
    // One at the start, and one at the end with what was new.
    let heads = std::fs::read_to_string(folder.path().join("heads.jsonl")).unwrap();
    assert_eq!(heads.lines().count(), 4, "{heads}");
    let before = std::fs::read(&file).unwrap();
    let expect = ["--expect", "heads.jsonl"];
    let said = verify(&[&expect[..], &["--heads"]].concat());
    assert_eq!(said.code, 0, "{said:?}");
    let now = said.out.lines().last().unwrap();
    std::fs::write(folder.path().join("now.jsonl"), now).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), before, "it only reads");
    std::fs::copy(&kept, &file).unwrap();
    assert_eq!(verify(&[]).code, 0, "all is as it was once");
    for expect in [expect, ["--expect", "now.jsonl"]] {
        let said = verify(&expect);
        assert_eq!(said.code, 1, "{said:?}");
        assert!(said.out.contains("is not there any more"), "{said:?}");
    }
    std::fs::write(
        folder.path().join("now.jsonl"),
        now.replace("\"at\":\"2", "\"at\":\"3"),
    )
    .unwrap();
    let said = verify(&["--expect", "now.jsonl"]);
    assert!(said.code == 1 && said.errors.contains("line 1"), "{said:?}");
}

#[test]
fn hooks_of_a_store_act_as_nobody_unless_somebody_allows_it() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    store(folder.path());
    let args = ["token", "new", "--store", url, "--role", "owner"];
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let kinds = ["command", "process", "file"];
    let hooks = json!({ "hooks": [
        { "name": "a", "event": "BeforeToolCall", "command": "true" },
        { "name": "b", "event": "BeforeToolCall", "http": { "url": "https://hooks.example.com/" } },
    ] });
    // What is said of each hook, alone.
    let refused = |options: &[&str]| {
        let args = [&["--store", url, "--listen", "127.0.0.1:0"], options].concat();
        let daemon = daemon(folder.path(), &args);
        let hooks = hooks["hooks"].as_array().unwrap().iter().map(|hook| {
            let mut stream = TcpStream::connect(daemon.address.as_deref().unwrap()).unwrap();
            let body = hook.to_string();
            let request = format!(
                "POST /api/v1/hooks HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {owner}\r\n\
                 content-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(request.as_bytes()).unwrap();
            let mut said = String::new();
            stream.read_to_string(&mut said).unwrap();
            let is_refused = said.starts_with("HTTP/1.1 422") && said.contains("do not run here");
            // The name is taken the second time, which is another refusal.
            assert!(is_refused || said.starts_with("HTTP/1.1 201") || said.contains("name"), "{said}");
            is_refused
        });
        hooks.collect::<Vec<_>>()
    };
    assert_eq!(refused(&["--forbid", "http"]), [true, true]);
    assert_eq!(refused(&[]), [true, false]);
    assert_eq!(refused(&["--allow", "command"]), [false, false]);

    let said = |options: &[&str]| {
        let args = [&["serve", "--store", "nothing:"], options].concat();
        run(command(folder.path(), &args), "")
    };
    for kind in kinds {
        let told = said(&["--allow", kind]);
        assert!(
            told.errors.contains("as the user of this daemon"),
            "{told:?}"
        );
        let both = said(&["--allow", kind, "--forbid", kind]);
        assert_eq!(both.code, 2, "{both:?}");
    }
    let both = said(&["--allow", "command", "--edition", "standard"]);
    assert!(both.errors.contains("allowed and forbidden"), "{both:?}");
    assert_eq!(
        said(&["--forbid", "comand"]).code,
        2,
        "a typing mistake allows nothing"
    );
}

#[test]
fn the_demo_shows_an_agent_that_is_guarded() {
    let folder = tempfile::tempdir().unwrap();
    let mut serving = command(
        folder.path(),
        &["serve", "--demo", "--listen", "127.0.0.1:0"],
    );
    let mut child = serving.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(lines.any(|line| line.contains("docs/console.md")));
    let token = lines
        .find_map(|line| Some(line.trim().strip_prefix("export TOKEN=")?.to_owned()))
        .unwrap();
    let shown = lines.next().unwrap();
    let address = shown
        .split("http://")
        .nth(1)
        .unwrap()
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request = format!(
            "GET /api/v1/{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut said = String::new();
        stream.read_to_string(&mut said).unwrap();
        said
    };
    let seen = (0..6000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        get("executions?decision=block").contains("no-force-push")
    });
    let order = get("order?node=demo+agent");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(seen);
    for handler in ["compiled", "built-in", "rule: block"] {
        let handler = format!("\"handler\":\"{handler}\"");
        assert!(order.contains(&handler), "{order}");
    }
}

#[test]
fn a_daemon_that_is_killed_while_it_publishes_leaves_a_whole_revision_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    store(folder.path());
    let args = [
        "token", "new", "--store", url, "--role", "owner", "--tenant", "acme",
    ];
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let mut published = 0;
    for round in 0..6_u64 {
        let mut daemon = daemon(folder.path(), &["--store", url, "--listen", "127.0.0.1:0"]);
        let ask = |method: &str, path: &str, body: &Value| {
            answer(daemon.send(&owner, method, path, "", body))
        };
        let bundle = ask("GET", "/api/v1/bundle", &Value::Null);
        let (_, body) = bundle.split_once("\r\n\r\n").unwrap();
        let bundle: Value = serde_json::from_str(body).unwrap();
        let hooks = bundle["hooks"].as_array().unwrap().len() as u64;
        assert!(hooks == published || hooks == round, "{round}: {bundle}");
        published = hooks;
        let hook =
            json!({ "name": format!("hook-{round}"), "event": "BeforeToolCall", "block": "no" });
        let made = ask("POST", "/api/v1/hooks", &hook);
        assert!(made.starts_with("HTTP/1.1 201"), "{made}");
        let unread = daemon.publish(&owner);
        std::thread::sleep(std::time::Duration::from_millis(round * 3));
        daemon.child.kill().unwrap();
        drop((unread, daemon));
    }
    let said = run(command(folder.path(), &["verify", url]), "");
    assert_eq!(said.code, 0, "{said:?}");
}

/// A call of Claude Code's `Read`.
fn read(path: &str) -> String {
    json!({ "session_id": "s1", "hook_event_name": "PreToolUse", "tool_name": "Read", "cwd": "/",
        "tool_input": { "file_path": path }, "tool_use_id": "1" })
    .to_string()
}

#[test]
fn a_limit_counts_whoever_asks_and_from_wherever() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    let text = "[hooks.builtin.rate_limit]\nmax_per_hour = 2\n";
    std::fs::write(&file, text).unwrap();
    let daemon = daemon(folder.path(), &[]);
    let mut blocked = Vec::new();
    for (number, system) in ["claude", "claude", "codex", "claude"].iter().enumerate() {
        let inner = folder.path().join(number.to_string());
        std::fs::create_dir(&inner).unwrap();
        let mut asking = command(&inner, &["run", file.to_str().unwrap(), "--as", system]);
        asking.env("XDG_STATE_HOME", folder.path().join(".state"));
        asking.env("NUMBER", number.to_string());
        let (said, is_by_daemon) = daemon.ask(asking, &read("/x"));
        assert!(is_by_daemon, "{said:?}");
        // Each agent has its own way to be told.
        blocked.push((said.out + &said.errors).contains("RateLimit"));
    }
    assert_eq!(blocked, [false, false, true, true]);
}

#[test]
fn a_folder_counts_if_the_file_is_about_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    std::fs::write(&file, "[hooks.builtin.path_prefix]\nroot = '.'\n").unwrap();
    let daemon = daemon(folder.path(), &[]);
    // The second round has all of it loaded.
    for inner in ["a", "b", "a", "b"] {
        let inner = folder.path().join(inner);
        std::fs::create_dir_all(&inner).unwrap();
        let asking = || {
            let mut asking = command(&inner, &["run", file.to_str().unwrap(), "--as", "claude"]);
            asking.env("XDG_STATE_HOME", folder.path().join(".state"));
            asking
        };
        let here = alone(asking(), &read("x"));
        assert!(here.out.contains(inner.to_str().unwrap()), "{here:?}");
        let (there, is_by_daemon) = daemon.ask(asking(), &read("x"));
        assert!(is_by_daemon, "{there:?}");
        assert_eq!(there, here);
    }
}

#[test]
fn what_hooks_began_is_finished_when_the_daemon_ends() {
    let folder = tempfile::tempdir().unwrap();
    let text = json!({ "hooks": { "PreToolUse": [{ "hooks": [
        { "type": "command", "command": "sleep 1; touch \"$CLAUDE_PROJECT_DIR/done\"", "async": true }] }] } });
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    let file = folder.path().join(".claude/settings.json");
    std::fs::write(&file, text.to_string()).unwrap();
    let mut daemon = daemon(folder.path(), &[]);
    let args = ["run", file.to_str().unwrap(), "--as", "claude"];
    let mut asking = command(folder.path(), &args);
    asking.env("CLAUDE_PROJECT_DIR", folder.path());
    let (said, is_by_daemon) = daemon.ask(asking, &read("/x"));
    assert!(is_by_daemon && said.code == 0, "{said:?}");
    let done = folder.path().join("done");
    assert!(!done.exists());
    let id = daemon.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert!(daemon.child.wait().unwrap().success());
    assert!(done.exists());
}

/// A provider of models that blocks everything, and repeats the key that it is asked with.
fn repeating_model() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                reader.read_line(&mut head).unwrap();
            }
            let header = |name: &str| {
                let mut lines = head.lines();
                lines.find_map(|line| Some(line.to_lowercase().strip_prefix(name)?.to_owned()))
            };
            let length = header("content-length: ").unwrap().parse().unwrap();
            reader.read_exact(&mut vec![0; length]).unwrap();
            let reason = format!("you are {}", header("authorization: ").unwrap());
            let said = json!({ "decision": "block", "reason": reason }).to_string();
            let call = json!({ "id": "1", "function": { "name": "decide", "arguments": said } });
            let body =
                json!({ "choices": [{ "message": { "content": reason, "tool_calls": [call] } }] })
                    .to_string();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    port
}

#[test]
fn a_secret_stands_nowhere_that_somebody_reads() {
    const CANARIES: [&str; 3] = ["canary-put-1", "canary-row-2", "canary-key-3"];
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    store(folder.path());
    let args = ["token", "new", "--store", url, "--role", "owner"];
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let errors = folder.path().join("errors");
    let mut serving = command(folder.path(), &["serve", "--json", "--store", url]);
    serving.args(["--listen", "127.0.0.1:0"]);
    serving
        .env("RUST_LOG", "trace")
        .env("HOOKS_EVALUATOR", "openai:judge")
        .env(
            "HOOKS_EVALUATOR_URL",
            format!("http://127.0.0.1:{}/v1", repeating_model()),
        )
        .env("HOOKS_EVALUATOR_KEY", CANARIES[2])
        .stderr(std::fs::File::create(&errors).unwrap());
    let mut daemon = started(serving);
    let ask = |method: &str, path: &str, body: &Value| {
        let form = "content-type: application/x-www-form-urlencoded\r\n";
        answer(daemon.send(&owner, method, path, form, body))
    };
    let post = json!({ "type": "http", "url": "https://gate.example.com/", "headers": { "X-Key": CANARIES[1] } });
    let hooks = [
        json!({ "name": "own", "event": "BeforeToolCall", "tools": ["nothing"],
            "http": { "url": "https://gate.example.com/", "headers": { "X-Key": "${secret:gate}" } } }),
        json!({ "name": "claude", "claude": { "hooks": { "PreToolUse": [{ "matcher": "Nothing", "hooks": [post] }] } } }),
        json!({ "name": "judge", "event": "BeforeToolCall", "tools": ["Bash"], "prompt": "Block it." }),
    ];
    let mut shown = ask(
        "PUT",
        "/api/v1/secrets/gate",
        &json!({ "value": CANARIES[0] }),
    );
    for hook in &hooks {
        shown += &ask("POST", "/api/v1/hooks", hook);
    }
    shown += &answer(daemon.publish(&owner));
    assert_eq!(shown.matches("HTTP/1.1 201").count(), 4, "{shown}");
    let event = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls" }, "tool_use_id": "1" });
    let said = ask("POST", "/hooks/claude", &event);
    assert!(said.contains("you are bearer ***"), "{said}");
    shown += &said;
    for path in [
        "hooks",
        "draft",
        "bundle",
        "executions",
        "secrets",
        "admin-log",
    ] {
        shown += &ask("GET", &format!("/api/v1/{path}"), &Value::Null);
    }
    shown += &ask("GET", "/metrics", &Value::Null);
    let guess = format!("token={}", CANARIES[0]);
    let said = ask("POST", "/login", &guess.into());
    assert!(said.contains("401"), "{said}");
    let log = std::fs::read_to_string(&errors).unwrap();
    assert!(log.contains("refused a token"), "{log}");
    assert!(shown.contains("hooks_"), "{shown}");
    let id = daemon.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert!(daemon.child.wait().unwrap().success());
    let said = run(command(folder.path(), &["verify", url]), "");
    assert_eq!((said.code, &*said.errors), (0, ""));
    shown += &said.out;
    let mut read = vec![("what is shown".to_owned(), shown.into_bytes())];
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        if path.is_file() {
            read.push((path.display().to_string(), std::fs::read(path).unwrap()));
        }
    }
    assert!(
        read.iter()
            .any(|(name, bytes)| name.ends_with("hooks.db") && !bytes.is_empty())
    );
    for (place, bytes) in read {
        let text = String::from_utf8_lossy(&bytes);
        for canary in CANARIES {
            assert!(!text.contains(canary), "{canary} stands in {place}");
        }
    }
}

/// Asks a daemon to end.
pub(crate) fn stop(daemon: &Daemon) {
    let id = daemon.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
}

#[test]
fn the_log_says_who_is_refused_and_what_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sqlite:hooks.db";
    let args = [
        "token", "new", "--store", url, "--role", "owner", "--tenant", "acme",
    ];
    let errors = folder.path().join("errors");
    let mut serving = command(folder.path(), &["serve", "--json", "--store", url]);
    serving.args(["--listen", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1"]);
    serving.args(["--log", "warn,hooks_server=info", "--log-format", "json"]);
    serving.stderr(std::fs::File::create(&errors).unwrap());
    let mut daemon = started(serving);
    let owner = run(command(folder.path(), &args), "").out.trim().to_owned();
    let ask = |token: &str, path: &str, headers: &str| {
        let headers = format!("x-request-id: r7\r\n{headers}");
        answer(daemon.send(token, "GET", path, &headers, &Value::Null))
    };
    let strange = "x-forwarded-for: 203.0.113.9\r\n";
    for _ in 0..3 {
        assert!(ask("hks_wrong", "/api/v1/hooks", strange).contains("401"));
    }
    assert!(ask(&owner, "/api/v1/hooks?limit=1", strange).contains("200"));
    stop(&daemon);
    assert!(daemon.child.wait().unwrap().success());
    let log = std::fs::read_to_string(&errors).unwrap();
    let lines: Vec<Value> = log.lines().map(crate::common::json).collect();
    let those = |said: &str| {
        let those = lines.iter().filter(|line| line["message"] == said);
        those.cloned().collect::<Vec<_>>()
    };
    let refused = those("refused a token");
    assert_eq!(refused.len(), 1, "{log}");
    assert_eq!(refused[0]["span"]["request_id"], "r7", "{log}");
    assert_eq!(
        (&refused[0]["address"], &refused[0]["door"]),
        (&json!("203.0.113.9"), &json!("api"))
    );
    let answered = those("answered");
    assert_eq!(answered.len(), 4, "{log}");
    let last = &answered[3];
    assert_eq!(
        (&last["path"], &last["status"]),
        (&json!("/api/v1/hooks"), &json!(200))
    );
    assert_eq!(last["span"]["tenant"], "acme", "{log}");
    assert_eq!(last["span"]["token"].as_str().unwrap().len(), 36, "{log}");
    assert!(!log.contains(&owner) && !log.contains("hks_wrong"), "{log}");
}

#[test]
fn the_exit_code_says_whether_something_was_lost() {
    let folder = tempfile::tempdir().unwrap();
    let begun = folder.path().join("begun");
    let slow = format!(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = 'touch {}; sleep 60'",
        begun.display()
    );
    std::fs::write(folder.path().join("slow.toml"), slow).unwrap();
    let serve = ["slow.toml", "--listen", "127.0.0.1:0", "--drain", "60"];
    let mut daemon = daemon(folder.path(), &serve);
    let event = json!({ "session_id": "s1", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": { "command": "ls" }, "tool_use_id": "1" });
    let asking = daemon.send("", "POST", "/hooks/claude", "", &event);
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    stop(&daemon);
    // The end is announced, and everything goes on.
    let ready = || answer(daemon.send("", "GET", "/readyz", "", &Value::Null));
    while !ready().contains("shutting down") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(daemon.child.try_wait().unwrap().is_none());
    stop(&daemon);
    assert_eq!(daemon.child.wait().unwrap().code(), Some(3));
    assert_eq!(answer(asking), "");
    let none = run(
        command(
            folder.path(),
            &["serve", "slow.toml", "--listen", "192.0.2.1:1"],
        ),
        "",
    );
    assert_eq!(none.code, 1, "{none:?}");
    let wrong = run(command(folder.path(), &["serve", "--log", "a=b=c"]), "");
    assert_eq!(wrong.code, 2, "{wrong:?}");
}
