#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

//! Mistakes in a file: each is shown where it is, with what to write instead, and all at once.

use expect_test::{Expect, expect};
use hooks_runtime::Runtime;

async fn check(text: &str, expected: Expect) {
    let error = Runtime::builder()
        .text(text)
        .build()
        .await
        .map(|_| ())
        .unwrap_err();
    expected.assert_eq(&error.to_string());
}

#[tokio::test]
async fn an_event_that_nobody_knows() {
    check(
        "[[hooks.on]]\nevent = 'BeforeToolcal'\nblock = 'no'",
        expect![[r#"
            2:9: `BeforeToolcal` is not an event
              |
            2 | event = 'BeforeToolcal'
              |         ^^^^^^^^^^^^^^^
              = help: did you mean `BeforeToolCall`?"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = ['BeforeToolCall', 'PreToolUs']\nblock = 'no'",
        expect![[r#"
            2:28: `PreToolUs` is not an event
              |
            2 | event = ['BeforeToolCall', 'PreToolUs']
              |                            ^^^^^^^^^^^
              = help: did you mean `PreToolUse`? here, that is `BeforeToolCall`"#]],
    )
    .await;
}

#[tokio::test]
async fn no_handler_and_two() {
    check("[[hooks.on]]\nevent = 'BeforeToolCall'", expect![[r#"
        1:1: the hook does nothing: it has no handler
          |
        1 | [[hooks.on]]
          | ^^^^^^^^^^^^
          = help: write one of `block`, `abort_turn`, `abort_run`, `ask`, `defer`, `approve`, `context`, `respond`, `modify`, `command`, `http`, `prompt`, `process`"#]]).await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nask = 'may it?'",
        expect![[r#"
            4:7: the hook has two handlers: `block` and `ask`
              |
            4 | ask = 'may it?'
              |       ^^^^^^^^^
              = help: write a hook for each"#]],
    )
    .await;
}

#[tokio::test]
async fn a_rule_that_the_event_does_not_allow() {
    check(
        "[[hooks.on]]\nevent = 'AfterToolCall'\nblock = 'no'",
        expect![[r#"
            3:9: `AfterToolCall` cannot be blocked
              |
            3 | block = 'no'
              |         ^^^^
              = help: `abort_turn` ends the turn"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'ToolCallEnd'\nmodify = { name = 'x' }",
        expect![[r#"
            3:1: `ToolCallEnd` cannot be changed
              |
            3 | modify = { name = 'x' }
              | ^^^^^^
              = help: choose an event that hooks may change"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'MessageReceived'\nmodify = { contnet = 'x' }",
        expect![[r#"
            3:22: `contnet` of `MessageReceived` cannot be set
              |
            3 | modify = { contnet = 'x' }
              |                      ^^^
              = help: the keys that can be set are `channel`, `sender`, `content`"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'MessageReceived'\nask = 'x'",
        expect![[r#"
            3:7: `MessageReceived` cannot ask a person for approval
              |
            3 | ask = 'x'
              |       ^^^
              = help: write `event = "BeforeToolCall"`"#]],
    )
    .await;
}

#[tokio::test]
async fn a_field_of_the_context_that_does_not_exist() {
    let known = "`session_id`, `agent_id`, `agent_type`, `tenant_id`, `run_id`, `parent_run_id`, `cwd`, `project_dir`, \
                 `turn`, `depth`, `channel`, `chat_id`, `sender`, `trace_id`, `extra`";
    for (expression, column, field, near) in [
        (
            "cx.tenant == \"acme\"",
            7,
            "tenant",
            "did you mean `tenant_id`? ",
        ),
        ("has(cx.zzz)", 7, "zzz", ""),
        ("args.x == 1 && cx[\"user\"] == \"a\"", 22, "user", ""),
        (
            "args.list.exists(x, x == cx.dep)",
            32,
            "dep",
            "did you mean `depth`? ",
        ),
    ] {
        let error = Runtime::builder()
            .text(format!(
                "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = '{expression}'"
            ))
            .build()
            .await
            .unwrap_err()
            .to_string();
        let expected =
            format!("4:{column}: `cx` has no field `{field}`: {near}the known names are {known}\n");
        assert!(error.starts_with(&expected), "{error}");
    }
    for expression in [
        "cx.extra.user == \"a\"",
        "cx[\"cwd\"] == \"/\"",
        "args.list.exists(cx, cx.any == 1)",
    ] {
        let text =
            format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = '{expression}'");
        let built = Runtime::builder().text(text).build().await;
        assert!(built.is_ok(), "{expression}");
    }
}

#[tokio::test]
async fn a_filter_that_is_wrong() {
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'arg.x == 1'",
        expect![[r#"
            4:7: `arg` is not known here: did you mean `args`? the known names are `id`, `name`, `args`, `annotations`, `approval`, `context`, `cx`, `raw`
              |
            4 | if = 'arg.x == 1'
              |       ^^^"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = ['BeforeToolCall', 'MessageReceived']\nblock = 'no'\nif = 'WebFetch(x)'",
        expect![[r#"
            4:6: `WebFetch(x)` is not a known rule
              |
            4 | if = 'WebFetch(x)'
              |      ^^^^^^^^^^^^^
              = help: write `Bash(git push *)`, `Edit(src/**)`, `Read(*.pem)` or `WebFetch(domain:example.com)`, or a condition in CEL

            4:6: `WebFetch(x)` is about a tool, and `MessageReceived` is not
              |
            4 | if = 'WebFetch(x)'
              |      ^^^^^^^^^^^^^
              = help: write a condition in CEL, or leave the event out"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'args.x =='",
        expect![[r#"
            4:16: the expression ends too early: something is missing after `==`
              |
            4 | if = 'args.x =='
              |                ^"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'lower(args.x)'",
        expect![[r#"
            4:7: the function `lower` is not known: did you mean `lowerAscii`? the known names are `bool`, `bytes`, `charAt`, `contains`, `double`, `dyn`, `endsWith`, `indexOf`, `int`, `join`, `lastIndexOf`, `lowerAscii`, `matches`, `max`, `min`, `replace`, `reverse`, `size`, `split`, `startsWith`, `string`, `substring`, `trim`, `type`, `uint`, `upperAscii`
              |
            4 | if = 'lower(args.x)'
              |       ^^^^^^^^^^^^^"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'args.x.matches(\"(\")'",
        expect![[r#"
            4:22: `(` in `matches`: unclosed group
              |
            4 | if = 'args.x.matches("(")'
              |                      ^^^"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nmatcher = '\\pL{220}'",
        expect![[r#"
            4:11: the matcher is not a regular expression: the expression takes more than 256 KiB of memory: repeat less, or write classes of ASCII, such as `[a-z]` for `\pL`
              |
            4 | matcher = '\pL{220}'
              |           ^^^^^^^^^^
              = help: look-around and back-references are not supported, so that matching always takes linear time"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = 'args.x.all(a, args.y.all(b, a == b))'",
        expect![[r#"
            4:7: a loop (`all`, `exists`, `map`, `filter`) in a loop may take too long
              |
            4 | if = 'args.x.all(a, args.y.all(b, a == b))'
              |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nmatcher = '(?!x)'",
        expect![[r#"
            4:11: the matcher is not a regular expression: look-around, including look-ahead and look-behind, is not supported
              |
            4 | matcher = '(?!x)'
              |           ^^^^^^^
              = help: look-around and back-references are not supported, so that matching always takes linear time"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nmatcher = 'x'\ntools = 'x'",
        expect![[r#"
            4:11: `tools` and `matcher` both choose the tools
              |
            4 | matcher = 'x'
              |           ^^^
              = help: write one of them"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'MessageReceived'\nblock = 'no'\ntools = 'x'",
        expect![[r#"
            4:9: `MessageReceived` is not about a tool, so `tools` never matches it
              |
            4 | tools = 'x'
              |         ^^^
              = help: use `if` for a condition on other events, or leave the event out"#]],
    )
    .await;
    check(
        "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no {args.x'",
        expect![[r#"
            3:13: a `{` has no `}`: write `{{` for a literal brace
              |
            3 | block = 'no {args.x'
              |             ^^^^^^^"#]],
    )
    .await;
}

#[tokio::test]
async fn all_mistakes_of_a_file_are_told_at_once() {
    check(
        "[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'no'\n\n\
         [[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = 'no'\n\n\
         [[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\ntimeout = '0s'\nbackground = true",
        expect![[r#"
            7:8: the name `a` is taken already, at line 1
              |
            7 | name = 'a'
              |        ^^^
              = help: give each hook a name of its own

            14:11: the timeout must be longer than zero
               |
            14 | timeout = '0s'
               |           ^^^^
               = help: write `timeout = "5s"`, or leave it out for the default

            15:14: the agent waits for hooks on `BeforeToolCall`, because they decide about it
               |
            15 | background = true
               |              ^^^^
               = help: only hooks on observed events run in the background"#]],
    )
    .await;
}

#[tokio::test]
async fn long_and_deep_expressions_are_refused() {
    for expression in [
        "1 + ".repeat(600) + "1 == 1",
        "(".repeat(50) + "true" + &")".repeat(50),
        "[".repeat(30) + &"[{(".repeat(100),
        "!".repeat(100) + "true",
    ] {
        let text =
            format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\nif = '{expression}'");
        let error = Runtime::builder()
            .text(text)
            .build()
            .await
            .map(|_| ())
            .unwrap_err();
        assert_eq!(error.line(), Some(4), "{error}");
    }
}

#[tokio::test]
async fn a_hook_behind_a_sure_block_is_a_warning() {
    let text = |first: &str, second: &str| {
        format!(
            "[[hooks.on]]\nname = 'wall'\nevent = 'BeforeToolCall'\npriority = 2\nblock = 'no'\n{first}\n\n\
             [[hooks.on]]\nname = 'behind'\nevent = 'BeforeToolCall'\ncontext = 'x'\n{second}"
        )
    };
    for (first, second, warns) in [
        ("", "", true),
        ("", "tools = ['shell']", true),
        ("tools = 'sh*'", "tools = ['shell', 'sh']", true),
        ("tools = 'sh*'", "tools = ['shell', 'bash']", false),
        ("tools = 'shell'", "", false),
        ("if = 'args.x'", "", false),
        ("mode = 'shadow'", "", false),
        ("scope = { tenants = ['a'] }", "", false),
        (
            "scope = { tenants = ['a'] }",
            "scope = { tenants = ['a'] }",
            true,
        ),
    ] {
        let runtime = Runtime::builder()
            .text(text(first, second))
            .build()
            .await
            .unwrap();
        let notices = runtime.status().notices;
        let expected = "line 8: the hook `behind` never runs, because `wall` (line 1) runs before it and always ends the event";
        assert_eq!(
            notices,
            if warns { vec![expected] } else { vec![] },
            "{first} {second}"
        );
    }
}

#[tokio::test]
async fn a_file_that_imports_itself_is_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, imported: &str| {
        let text = format!("[[hooks.import]]\nhooks = '{imported}'\n");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    write("itself.toml", "itself.toml");
    write("a.toml", "b.toml");
    write("b.toml", "./a.toml");
    for file in ["itself.toml", "a.toml"] {
        let error = Runtime::load(folder.path().join(file))
            .await
            .map(|_| ())
            .unwrap_err();
        assert!(error.to_string().contains("imports itself"), "{error}");
    }
}

#[tokio::test]
async fn imports_have_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let write = |nth: usize, imports: usize| {
        let next = nth + 1;
        let import = format!("[[hooks.import]]\nhooks = '{next}.toml'\n");
        let text = format!("[hooks]\n{}", import.repeat(imports));
        std::fs::write(folder.path().join(format!("{nth}.toml")), text).unwrap();
    };
    let load = async |first: usize| {
        let loaded = Runtime::load(folder.path().join(format!("{first}.toml"))).await;
        loaded.map(|_| ()).map_err(|error| error.to_string())
    };
    for nth in 0..16 {
        write(nth, 1);
    }
    write(16, 0);
    assert_eq!(load(1).await, Ok(()));
    let error = load(0).await.unwrap_err();
    assert!(error.contains("16 files"), "{error}");
    // Files that import the next one twice: 2,047 to read.
    for nth in 6..16 {
        write(nth, 2);
    }
    let error = load(6).await.unwrap_err();
    assert!(error.contains("more than 1000 files are read"), "{error}");
}

#[tokio::test]
async fn a_missing_import_is_shown_where_it_is_imported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.toml");
    std::fs::write(&file, "[[hooks.import]]\nclaude = 'nowhere.json'\n").unwrap();
    let error = Runtime::load(&file).await.map(|_| ()).unwrap_err();
    assert_eq!((error.file(), error.line()), (Some(&*file), Some(2)));
    assert!(
        error
            .message()
            .contains("nowhere.json: the file cannot be read"),
        "{error}"
    );
}

#[tokio::test]
async fn a_mistake_about_many_events_is_told_once() {
    check(
        "[[hooks.on]]\nevent = '*'\nblock = 'no'",
        expect![[r#"
        3:9: `GatewayStart` cannot be blocked; the same holds for 23 more of its events
          |
        3 | block = 'no'
          |         ^^^^
          = help: the event is only observed: use a `command`, for example, or another event"#]],
    )
    .await;
}

#[tokio::test]
async fn what_sets_nothing_is_no_change() {
    for value in ["5", "'dry'", "['a']", "true"] {
        let text = format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nmodify = {value}");
        let error = Runtime::builder().text(text).build().await.unwrap_err();
        assert_eq!(error.line(), Some(3), "{error}");
    }
}

#[tokio::test]
async fn no_mistake_shows_a_secret() {
    let http = "[[hooks.on]]\nevent = 'BeforeToolCall'\n";
    for wrong in [
        "http = { url = 'https://ada:s3cret@gate.example.com/', retrys = 1 }",
        "http = { url = 'http://gate.example.com/?key=s3cret' }",
        "http = { url = 'https://gate.example.com/', headers = { A = 's3cret' }, retrys = 1 }",
        "[hooks.on.http]\nurl = 'https://gate.example.com/'\nheaders = { X-Team = 's3cret\u{7f}' }",
        "[hooks.on.http]\nurl = 'https://gate.example.com/'\nsecret = 's3cret'",
        "[hooks.on.http.headers]\nAuthorization = Bearer s3cret",
        "command = { run = 'true', env = { A = 's3cret', A = 'x' } }",
        "command = { argv = ['gh', '--token', 's3cret'], cwdd = 'x' }",
    ] {
        let text = format!("{http}{wrong}");
        let error = Runtime::builder().text(text).build().await.unwrap_err();
        assert!(error.line().is_some(), "{error}");
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

#[tokio::test]
async fn what_other_languages_write_differently_is_explained() {
    let rule = |line: &str| format!("[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n{line}");
    for (text, line, help) in [
        (
            "[[hooks.on]]\nblock = 'no'".to_owned(),
            1,
            "write `event = \"BeforeToolCall\"`",
        ),
        (
            "[[hook]]\nevent = 'BeforeStop'".to_owned(),
            1,
            "write `[[hooks.on]]`",
        ),
        (
            "[[hooks.on]]\nevent = 'ToolCallEnd'\nblock = 'no'".to_owned(),
            3,
            "write `event = \"BeforeToolCall\"`",
        ),
        (
            "[hooks.builtin.rate_limit]\nper_minute = 2".to_owned(),
            2,
            "did you mean `max_per_minute`?",
        ),
        (
            "[[hooks.on]]\nevent = 'Setup'\ncommand = 'true'".to_owned(),
            2,
            "write `event = \"Custom\"`",
        ),
        (
            "[hooks.on]\nevent = 'BeforeStop'".to_owned(),
            1,
            "write `[[hooks.on]]`",
        ),
        (
            rule("if = 'args.command = \"x\"'"),
            4,
            "write `==` to compare",
        ),
        (
            rule("if = 'args.a == \"and\" and args.b'"),
            4,
            "write `&&` for and",
        ),
        (rule("if = 'Bash(git push'"), 4, "ends with `)`"),
        (rule("if = \"args.a.contains(\"x\")\""), 4, "single quotes"),
        (
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nmodify = 'path = x'".to_owned(),
            3,
            "write a table, as `modify = { path",
        ),
        (
            "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = true".to_owned(),
            3,
            "write the reason",
        ),
        (
            "[hooks.processes.a]\ncommand = 'python3 gate.py'".to_owned(),
            2,
            "`[\"python3\", \"gate.py\"]`",
        ),
    ] {
        let error = Runtime::builder().text(text).build().await.unwrap_err();
        assert_eq!(error.line(), Some(line), "{error}");
        assert!(
            error.help().is_some_and(|said| said.contains(help)),
            "{error}"
        );
    }
}
