//! An agent of your own is a table in a file.

use std::path::Path;

use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hooks;
use hooks_runtime::bridge::{Call, Reply, run};
use hooks_runtime::{ConfigError, Dialect, Runtime, Trust};
use serde_json::json;

/// The table that the documentation shows.
fn table() -> String {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/agents.md")).unwrap();
    let (_, rest) = page
        .split_once("```toml\nname  = \"robot\"")
        .expect("the table of the robot");
    let (table, _) = rest.split_once("```").unwrap();
    format!("name  = \"robot\"{table}")
}

const HOOKS: &str = "[[agents]]\nfile = 'robot.toml'\n\
    [[hooks.on]]\nevent = 'BeforeToolCall'\ntools = ['rm']\nblock = 'not here: {args.path}'\n\
    [[hooks.on]]\nevent = 'MessageReceived'\ncontext = 'be kind'\n\
    [[hooks.on]]\nevent = 'prompt'\nif = 'content == \"bye\"'\nblock = 'stay'\n";

fn folder(hooks: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), hooks).unwrap();
    std::fs::write(folder.path().join("robot.toml"), table()).unwrap();
    folder
}

async fn load(folder: &Path) -> Result<Runtime, ConfigError> {
    Runtime::builder()
        .file(folder.join("hooks.toml"))
        .project_dir(folder)
        .build()
        .await
}

async fn said(runtime: &Runtime, input: &str) -> Reply {
    let robot = runtime.dialect("robot").unwrap();
    run(runtime, Call::new(robot, input.as_bytes())).await.reply
}

#[tokio::test]
async fn it_calls_in_its_words_and_is_answered_in_them() {
    let hooks = HOOKS.replace("event = 'prompt'", "event = 'MessageReceived'");
    let folder = folder(&hooks);
    let runtime = load(folder.path()).await.unwrap();
    for (input, answer) in [
        (
            r#"{"kind":"tool_wanted","tool":"rm","input":{"path":"/x"}}"#,
            r#"{"verdict":"no","why":"not here: /x (hook: BeforeToolCall-1)"}"#,
        ),
        (r#"{"kind":"tool_wanted","tool":"ls","input":{}}"#, ""),
        (r#"{"kind":"prompt","text":"hi"}"#, r#"{"hint":"be kind"}"#),
    ] {
        let reply = said(&runtime, input).await;
        assert_eq!(
            (reply.exit_code, reply.stdout.trim()),
            (0, answer),
            "{input}: {}",
            reply.stderr
        );
    }
    // A call that cannot be judged is refused.
    let reply = said(&runtime, r#"{"kind":"tool_wanted"}"#).await;
    assert_eq!(
        (reply.exit_code, &*reply.stderr),
        (2, "`tool` is missing, or not a string\n")
    );
    // So is an event that its table does not have.
    let reply = said(&runtime, r#"{"kind":"sleep"}"#).await;
    let wanted = (2, "`sleep` is not an event of `robot`\n");
    assert_eq!((reply.exit_code, &*reply.stderr), wanted);
    // A terminal of another agent does not make it that agent.
    let robot = runtime.dialect("robot").unwrap();
    let call = Call {
        is_set: &|_| true,
        ..Call::new(
            robot,
            br#"{"kind":"tool_wanted","tool":"rm","input":{"path":"/x"}}"#,
        )
    };
    let reply = run(&runtime, call).await.reply;
    assert!(reply.stdout.contains("verdict"), "{}", reply.stdout);
    assert_eq!(runtime.agents(), [runtime.dialect("robot").unwrap()]);
}

#[cfg(unix)]
#[tokio::test]
async fn its_own_hooks_run_here() {
    let answers =
        "#!/bin/sh\ncat > asked.json\necho '{\"verdict\":\"no\",\"why\":\"asked the robot\"}'\n";
    let of = |more: &str| format!("[[agents]]\nfile = 'robot.toml'\n{more}");
    for more in [
        "[[hooks.on]]\nevent = 'tool_wanted'\ndialect = 'robot'\ncommand = 'sh ./answers.sh'\n",
        "[[hooks.import]]\nfile = 'theirs.json'\ndialect = 'robot'\n",
    ] {
        let folder = folder(&of(more));
        let theirs = json!({ "hooks": { "tool_wanted": [{ "hooks": [{ "type": "command", "command": "sh ./answers.sh" }] }] } });
        std::fs::write(folder.path().join("theirs.json"), theirs.to_string()).unwrap();
        std::fs::write(folder.path().join("answers.sh"), answers).unwrap();
        let files = "\n[files]\nkinds = [\"command\"]\nruns_at_file = true\n";
        std::fs::write(folder.path().join("robot.toml"), table() + files).unwrap();
        let runtime = load(folder.path()).await.unwrap();
        let cx = AgentContext {
            cwd: folder.path().display().to_string(),
            ..AgentContext::new("s1")
        };
        let mut call = BeforeToolCall::new("c1", "rm", json!({ "path": "/x" }));
        let result = hooks![..runtime.clone()].intercept(&cx, &mut call).await;
        let said = format!("{result:?}");
        assert!(said.contains("asked the robot"), "{more}: {said}");
        let asked = std::fs::read_to_string(folder.path().join("asked.json")).unwrap();
        let asked: serde_json::Value = serde_json::from_str(&asked).unwrap();
        assert_eq!(asked["tool"], "rm", "{asked}");
        assert_eq!(asked["input"], json!({ "path": "/x" }));
        assert_eq!(
            (&asked["kind"], &asked["session"]),
            (&json!("tool_wanted"), &json!("s1"))
        );
    }
}

#[tokio::test]
async fn a_tool_of_its_own_is_meant_by_the_names_of_all() {
    let hooks = "[[agents]]\nfile = 'robot.toml'\n\
        [[hooks.on]]\nevent = 'BeforeToolCall'\ntools = ['shell']\nif = 'args.command == \"ls\"'\nblock = 'no'\n\
        [[hooks.on]]\nevent = 'BeforeToolCall'\ntools = ['launch']\nblock = 'not now'\n";
    let folder = folder(hooks);
    let tools = "\n[tools]\nshell  = [\"run_cmd\"]\nlaunch = [\"lift_off\"]\n";
    std::fs::write(folder.path().join("robot.toml"), table() + tools).unwrap();
    let runtime = load(folder.path()).await.unwrap();
    for (tool, is_blocked) in [
        ("run_cmd", true),
        ("lift_off", true),
        ("launch", true),
        ("other", false),
    ] {
        let call = json!({ "kind": "tool_wanted", "tool": tool, "input": { "cmd": "ls" } });
        let reply = said(&runtime, &call.to_string()).await;
        assert_eq!(
            reply.stdout.contains("no"),
            is_blocked,
            "{tool}: {}{}",
            reply.stdout,
            reply.stderr
        );
    }
}

#[tokio::test]
async fn a_changed_table_is_another_agent() {
    let folder = folder("hooks = {}\n[[agents]]\nfile = 'robot.toml'\n");
    let runtime = load(folder.path()).await.unwrap();
    let before = runtime.dialect("robot").unwrap();
    assert_eq!(
        load(folder.path()).await.unwrap().dialect("robot").unwrap(),
        before
    );
    std::fs::write(
        folder.path().join("robot.toml"),
        table().replace("title = \"Robot\"", "title = \"Droid\""),
    )
    .unwrap();
    runtime.reload().await.unwrap();
    let after = runtime.dialect("robot").unwrap();
    assert_eq!((before.title(), after.title()), ("Robot", "Droid"));
    assert_ne!(before, after);
    // A wrong table leaves the last one in force.
    std::fs::write(folder.path().join("robot.toml"), "name = 'robot'\n").unwrap();
    runtime.reload().await.unwrap_err();
    assert_eq!(runtime.dialect("robot").unwrap(), after);
}

#[tokio::test]
async fn an_agent_is_answered_where_all_hooks_are_off() {
    let folder = folder("[hooks]\nenabled = false\n[[agents]]\nfile = 'robot.toml'\n");
    let runtime = load(folder.path()).await.unwrap();
    let reply = said(&runtime, r#"{"kind":"tool_wanted","tool":"rm","input":{}}"#).await;
    assert_eq!((reply.exit_code, &*reply.stdout), (0, ""));
}

#[tokio::test]
async fn what_may_not_read_files_has_no_agents() {
    let text = "hooks = {}\n[[agents]]\nfile = '/any.toml'\n";
    let shared = Runtime::builder().shared(true).text(text).build().await;
    let wrong = shared.unwrap_err().to_string();
    assert!(
        wrong.contains("no file of this machine is read here"),
        "{wrong}"
    );
    let bundle = hooks_runtime::Bundle::of_toml(text)
        .unwrap_err()
        .to_string();
    assert!(bundle.contains("it has no `[[agents]]`"), "{bundle}");
}

#[test]
fn the_order_of_a_table_counts() {
    let swapped = table().replace(
        "session = \"cx.session_id\"\nfolder  = \"cx.cwd\"",
        "folder  = \"cx.cwd\"\nsession = \"cx.session_id\"",
    );
    assert_ne!(swapped, table());
    let of = |text: String| Dialect::own("robot.toml", text).unwrap();
    assert_eq!(of(table()), of(table()));
    assert_ne!(of(table()), of(swapped));
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    let table = table();
    for (from, to, message) in [
        (
            "name  = \"robot\"",
            "name  = \"claude\"",
            "an agent that is known already",
        ),
        (
            "name  = \"robot\"",
            "name  = \"My Robot\"",
            "letters in lower case",
        ),
        (
            "\"BeforeToolCall\"",
            "\"BeforeTool\"",
            "`BeforeTool` is not an event",
        ),
        (
            "matches = \"tool\"",
            "matches = \"tol\"",
            "write `none`, `tool`",
        ),
        ("\"args\"", "\"argz\"", "`BeforeToolCall` has no `argz`"),
        ("\"args\"", "\"args as cube\"", "`cube` is not a shape"),
        ("[\"deny\"]", "[\"denie\"]", "`[says]` has no `denie`"),
        ("matches =", "match =", "unknown key `match`"),
        (
            "[call]",
            "like = \"clod\"\n[call]",
            "there is no table `clod`",
        ),
    ] {
        assert!(table.contains(from), "{from}");
        let wrong = table.replacen(from, to, 1);
        let (before, _) = wrong.split_at(wrong.find(to).unwrap());
        let line = 1 + before.matches('\n').count();
        let error = Dialect::own("robot.toml", wrong).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert_eq!(error.line(), Some(line), "{error}");
    }
    let nothing = Dialect::own("robot.toml", "name = 'robot'").unwrap_err();
    assert!(nothing.to_string().contains("[event.NAME]"), "{nothing}");
    let like = "name = 'cousin'\nlike = 'claude'\n";
    let cousin = Dialect::own("cousin.toml", like).unwrap();
    assert!(cousin.calls().any(|event| event == "PreToolUse"));
    assert_eq!(cousin.to_string(), "cousin");
}

#[tokio::test]
async fn a_table_that_is_missing_or_meant_twice_is_a_mistake() {
    let of = |more: &str| format!("hooks = {{}}\n[[agents]]\nfile = 'robot.toml'\n{more}");
    let twice = folder(&of("[[agents]]\nfile = 'other.toml'\n"));
    std::fs::write(
        twice.path().join("other.toml"),
        table().replace("Robot", "Other"),
    )
    .unwrap();
    let wrong = load(twice.path()).await.unwrap_err().to_string();
    assert!(
        wrong.contains("hooks.toml:5")
            && wrong.contains("another file names an agent `robot`, too"),
        "{wrong}"
    );
    let gone = folder(&of("[[agents]]\nfile = 'gone.toml'\n"));
    let wrong = load(gone.path()).await.unwrap_err().to_string();
    assert!(
        wrong.contains("gone.toml") && wrong.contains("cannot be read"),
        "{wrong}"
    );
    let unknown = folder("[[hooks.import]]\nfile = 'theirs.json'\ndialect = 'robo'\n");
    let wrong = load(unknown.path()).await.unwrap_err().to_string();
    assert!(
        wrong.contains("`robo` is not an agent of `[[agents]]`"),
        "{wrong}"
    );
}

#[tokio::test]
async fn a_table_in_a_project_that_is_not_trusted_is_not_read() {
    let folder = folder("hooks = {}\n[[agents]]\nfile = 'robot.toml'\n");
    let file = folder.path().join("hooks.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let trust = Trust::none().with_text(&file, &Trust::fingerprint(&text));
    let built = Runtime::builder().found(&file).trust(trust).build().await;
    let wrong = built.unwrap_err().to_string();
    assert!(
        wrong.contains("robot.toml") && wrong.contains("is not trusted in its current state"),
        "{wrong}"
    );
}
