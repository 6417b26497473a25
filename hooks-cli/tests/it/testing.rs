//! Running the tests of a file.

use std::path::Path;

use tempfile::TempDir;

use crate::common::{Said, hooks, json};

const RULES: &str = r#"[[hooks.on]]
name = "no-rm"
event = "BeforeToolCall"
tools = "shell"
if = "has(args.command) && (args.command.startsWith('rm') || args.command.contains('sudo rm'))"
block = "do not remove {args.command}"

[[hooks.on]]
name = "careful"
event = "BeforeToolCall"
tools = "deploy"
modify = { dry_run = true }

[[hooks.on]]
name = "gate"
event = "BeforeToolCall"
tools = "mail"
command = "touch it-has-run"
"#;

fn written(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn tested(folder: &Path, args: &[&str]) -> Said {
    hooks(folder, &[&["test"], args].concat(), "")
}

/// A test of a call of the shell.
fn of(name: &str, command: &str, expect: &str) -> String {
    format!(
        "\n[[hooks.test]]\nname = '{name}'\nevent = 'BeforeToolCall'\ntool = 'shell'\nargs = {{ command = '{command}' }}\nexpect = {expect}\n"
    )
}

#[test]
fn tests_that_pass_are_printed_as_cargo_prints_them() {
    let rules = [RULES, &of("files stay", "rm -r .", "'block'")].concat();
    let beside = of("lists are harmless", "ls", "'continue'");
    let table = "{ decision = 'block', hook = 'no-rm', reason = 'do not remove *rf*' }";
    let more = of("the reason names it", "rm -rf /tmp/x", table);
    let folder = written(&[
        ("hooks.toml", &rules),
        ("more.test.toml", &[beside, more].concat()),
        ("other.toml", RULES),
        ("other.test.toml", &of("of the other file", "ls", "'block'")),
    ]);
    let said = tested(folder.path(), &[]);
    let expected = "test files stay ... ok\ntest lists are harmless ... ok\ntest the reason names it ... ok\n\ntest result: ok. 3 passed; 0 failed\n";
    assert!(said.out.starts_with("running 3 tests of "), "{}", said.out);
    assert!(said.out.contains(expected), "{}", said.out);
    assert_eq!((said.code, &*said.errors), (0, ""));
    // Each file has its own.
    let said = tested(folder.path(), &["hooks.toml", "other.toml", "--json"]);
    let all = json(&said.out);
    assert_eq!(said.code, 1);
    assert_eq!(
        (&all[0]["passed"], &all[0]["ok"]),
        (&3.into(), &true.into())
    );
    assert_eq!(
        (&all[1]["failed"], &all[1]["ok"]),
        (&1.into(), &false.into())
    );
    assert_eq!(all[1]["tests"][0]["decision"], "continue");
}

#[test]
fn a_failure_says_what_each_hook_said_and_which_parts_were_false() {
    let rules = [RULES, &of("lists", "ls", "'block'")].concat();
    let folder = written(&[("hooks.toml", &rules)]);
    let said = tested(folder.path(), &[]);
    assert_eq!(said.code, 1);
    let expected = "test lists ... FAILED\n\nfailures:\n\n---- lists (";
    assert!(said.out.contains(expected), "{}", said.out);
    let expected = "hooks.toml:20) ----\nexpected block, and the hooks say continue\n  no-rm: the condition is false: \
                    `args.command.startsWith('rm')` → `'ls'` → false; `args.command.contains('sudo rm')` → `'ls'` → false\n  \
                    careful: only for the tools deploy; this call is shell\n";
    assert!(said.out.contains(expected), "{}", said.out);
    let expected = "\nfailures:\n    lists\n\ntest result: FAILED. 0 passed; 1 failed\n";
    assert!(said.out.contains(expected), "{}", said.out);
}

#[test]
fn a_change_is_all_that_hooks_change() {
    let test = |change: &str| {
        format!(
            "[[hooks.test]]\nname = 'dry'\nevent = 'BeforeToolCall'\ntool = 'deploy'\nargs = {{ to = 'production' }}\nexpect = {{ change = {change} }}\n"
        )
    };
    for (change, code) in [
        ("{ args = { dry_run = true } }", 0),
        ("{ args = { dry_run = false } }", 1),
        ("{ args = { dry_run = true, to = 'staging' } }", 1),
        ("{}", 1),
    ] {
        let folder = written(&[("hooks.toml", RULES), ("a.test.toml", &test(change))]);
        let said = tested(folder.path(), &["hooks.toml"]);
        assert_eq!(said.code, code, "{change}: {}", said.out);
    }
}

#[test]
fn nothing_with_effects_runs() {
    let test = "[[hooks.test]]\nname = 'mail'\nevent = 'PreToolUse'\ntool = 'mail'\nexpect = 'undecided'\n";
    let folder = written(&[("hooks.toml", RULES), ("a.test.toml", test)]);
    let said = tested(folder.path(), &[]);
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(!folder.path().join("it-has-run").exists());
}

#[test]
fn where_an_event_happens_and_its_fields_are_part_of_a_test() {
    let rules = "[[hooks.on]]\nname = 'scoped'\nevent = ['BeforeToolCall', 'BeforeStop']\nif = \"cx.depth > 0\"\nscope = { tenants = ['acme'] }\nblock = 'no'\n\
                 [[hooks.test]]\nname = 'deep'\nevent = 'BeforeStop'\nargs = { response = 'Done.' }\ncx = { depth = 1, tenant_id = 'acme' }\nexpect = 'block'\n\
                 [[hooks.test]]\nname = 'other'\nevent = 'BeforeToolCall'\nbody = { name = 'x', args = {} }\ncx = { depth = 1 }\nexpect = 'continue'\n";
    let folder = written(&[("hooks.toml", rules)]);
    let said = tested(folder.path(), &[]);
    assert_eq!(said.code, 0, "{}", said.out);
}

#[test]
fn a_wrong_test_is_a_mistake_with_its_place_for_every_command() {
    for (test, place, expected) in [
        (
            "name = 'x'\nevent = 'BeforeTolCall'\nexpect = 'block'",
            "3:",
            "did you mean `BeforeToolCall`?",
        ),
        (
            "name = 'x'\nevent = 'BeforeToolCall'\nexpect = 'block'",
            "1:",
            "write `tool = \"shell\"`",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\ntool = 'y'\nexpect = 'block'",
            "4:",
            "`BeforeStop` is not about a tool",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\nexpect = 'blok'",
            "4:",
            "`blok` is not a decision",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\nexpect = { decison = 'block' }",
            "4:",
            "unknown key `decison`",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'",
            "1:",
            "the test expects nothing",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\nexpect = { reason = '[' }",
            "4:",
            "[",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\ncx = { dept = 1 }\nexpect = 'block'",
            "4:",
            "there is no `dept`",
        ),
        (
            "name = 'x'\nevent = 'BeforeStop'\nexpects = 'block'",
            "4:",
            "unknown key `expects`",
        ),
    ] {
        let text = format!("[[hooks.test]]\n{test}\n");
        let folder = written(&[("hooks.toml", &text)]);
        for args in [&["check"][..], &["test"], &["plan", "hooks.toml"]] {
            let said = hooks(folder.path(), args, "");
            assert_eq!(said.code, 1, "{args:?} {test}: {}", said.out);
            let told = [said.out, said.errors].concat();
            assert!(told.contains(expected), "{args:?} {test}: {told}");
            assert!(
                told.contains(&format!("hooks.toml:{place}")),
                "{args:?} {test}: {told}"
            );
        }
    }
    let folder = written(&[("hooks.toml", RULES), ("a.test.toml", RULES)]);
    let said = tested(folder.path(), &["--json"]);
    let mistake = &json(&said.out)[0]["mistakes"][0];
    assert_eq!(
        mistake["message"],
        "a file of tests has nothing but `[[hooks.test]]`"
    );
    assert_eq!((said.code, &mistake["line"]), (1, &1.into()));
}

#[test]
fn tests_are_no_part_of_what_runs() {
    let plain = written(&[("hooks.toml", RULES)]);
    let test = of("files stay", "rm -r .", "'block'");
    let with = written(&[("hooks.toml", &[RULES, &test].concat())]);
    for args in [
        &["bundle", "build", "hooks.toml"][..],
        &["plan", "hooks.toml", "--json"],
        &["fire", "hooks.toml", "--event", "BeforeStop"],
    ] {
        let [one, other] = [&plain, &with].map(|folder| hooks(folder.path(), args, ""));
        assert_eq!((one.code, other.code), (0, 0), "{args:?}: {}", other.errors);
        if args[0] != "fire" {
            assert_eq!(one.out, other.out, "{args:?}");
        }
    }
}

#[test]
fn coverage_names_rules_and_parts_with_their_places() {
    let tests = [
        of("lists", "ls", "'continue'"),
        of("removes", "rm x", "'block'"),
    ];
    let folder = written(&[("hooks.toml", RULES), ("a.test.toml", &tests.concat())]);
    let said = tested(folder.path(), &["--coverage"]);
    assert_eq!(said.code, 0, "{}", said.out);
    for (place, expected) in [
        ("5:7", "`has(args.command)` was never false"),
        ("5:62", "`args.command.contains('sudo rm')` was never true"),
        ("8", "the rule careful was never true"),
        ("14", "the rule gate was never true"),
    ] {
        let expected = format!("hooks.toml:{place}: {expected}\n");
        assert!(said.out.contains(&expected), "{expected}{}", said.out);
    }
    let counts =
        "coverage: 1 of 3 rules were true, 3 of 5 parts of conditions were both true and false\n";
    assert!(said.out.contains(counts), "{}", said.out);
    assert_eq!(said.out.matches(" was never ").count(), 4, "{}", said.out);
    let said = tested(
        folder.path(),
        &["--coverage", "--json", "--html", "page.html"],
    );
    let rules = &json(&said.out)[0]["coverage"];
    assert_eq!(rules[0]["parts"][2]["was_true"], true);
    assert_eq!(rules[0]["parts"][4]["was_true"], false);
    let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    let row = "<code>has(args.command)</code><td class=\"bad\">was never false";
    assert!(page.contains(row), "{page}");
    assert!(page.contains("(args.command) &amp;&amp; (args"), "{page}");
    assert!(!page.contains("http"), "it needs nothing else: {page}");
    assert_eq!(tested(folder.path(), &["--html", "x.html"]).code, 2);
}

#[test]
fn a_part_that_another_one_decides_before_is_not_covered() {
    let rules = "[[hooks.on]]\nevent = 'BeforeStop'\nif = 'attempt > 0u || !(response == \"\")'\nblock = 'no'\n\
                 [[hooks.test]]\nname = 'again'\nevent = 'BeforeStop'\nargs = { attempt = 1, response = 'x' }\nexpect = 'block'\n"
        .replace("0u", "0");
    let folder = written(&[("hooks.toml", &rules)]);
    let said = tested(folder.path(), &["--coverage"]);
    assert_eq!(said.code, 0, "{}", said.out);
    let expected = "hooks.toml:3:22: `!(response == \"\")` was never asked";
    assert!(said.out.contains(expected), "{}", said.out);
}

#[test]
fn check_says_which_rules_have_no_test_if_there_are_tests() {
    let plain = written(&[("hooks.toml", RULES)]);
    let said = hooks(plain.path(), &["check", "--json"], "");
    assert_eq!(json(&said.out)[0]["notices"], serde_json::json!([]));
    let test = of("removes", "rm x", "'block'");
    let tested = written(&[("hooks.toml", RULES), ("hooks.test.toml", &test)]);
    let said = hooks(tested.path(), &["check", "--json"], "");
    let notice =
        "no test makes these rules true: `careful`, `gate`; `hooks test --coverage` says more";
    assert_eq!(
        (said.code, &json(&said.out)[0]["notices"]),
        (0, &serde_json::json!([notice]))
    );
}

#[test]
fn the_past_becomes_tests_that_pass() {
    for past in ["claude.jsonl", "codex.jsonl", "gemini.json"] {
        let past = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(past);
        let folder = written(&[("hooks.toml", RULES)]);
        let said = tested(folder.path(), &["--from", &past.display().to_string()]);
        assert_eq!(said.code, 0, "{}", said.errors);
        assert!(said.out.contains("[[hooks.test]]"), "{}", said.out);
        std::fs::write(folder.path().join("past.test.toml"), &said.out).unwrap();
        let again = tested(folder.path(), &["--json"]);
        let all = json(&again.out);
        assert_eq!(
            (again.code, &all[0]["failed"]),
            (0, &0.into()),
            "{}",
            said.out
        );
        let count = said.out.matches("[[hooks.test]]").count();
        assert_eq!(all[0]["passed"], count);
        assert!(count > 1, "{}", said.out);
        // Another policy decides otherwise.
        let other = "[[hooks.on]]\nevent = 'BeforeToolCall'\nblock = 'no'\n";
        std::fs::write(folder.path().join("hooks.toml"), other).unwrap();
        assert_eq!(tested(folder.path(), &[]).code, 1);
    }
}

#[test]
fn tests_run_again_when_a_file_changes() {
    use std::io::{BufRead as _, BufReader};
    let test = of("removes", "rm x", "'block'");
    let folder = written(&[("hooks.toml", RULES), ("a.test.toml", &test)]);
    let mut command = crate::common::command(folder.path(), &["test", "--watch"]);
    let mut child = command
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut results = lines
        .map_while(Result::ok)
        .filter(|line| line.starts_with("test result"));
    let first = results.next();
    std::fs::write(
        folder.path().join("a.test.toml"),
        test.replace("'block'", "'ask'"),
    )
    .unwrap();
    let second = results.next();
    std::fs::write(folder.path().join("b.test.toml"), test).unwrap();
    let third = results.next();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        first.as_deref(),
        Some("test result: ok. 1 passed; 0 failed")
    );
    assert_eq!(
        second.as_deref(),
        Some("test result: FAILED. 0 passed; 1 failed")
    );
    assert_eq!(
        third.as_deref(),
        Some("test result: FAILED. 1 passed; 1 failed")
    );
}
