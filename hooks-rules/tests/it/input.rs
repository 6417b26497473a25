//! Rules for the input of a tool.

use hooks_rules::input::{Call, Rule};
use hooks_rules::tools::Aliases;
use serde_json::{Value, json};

fn matches(rule: &str, tool: &str, args: Value) -> bool {
    let cwd = "/work/shop";
    Rule::parse(rule, Aliases::claudes()).matches(&Call {
        tool,
        args: &args,
        cwd,
        project: cwd,
        here: || None,
        home: || Some("/home/me".into()),
    })
}

#[test]
fn a_rule_that_is_not_understood_matches_every_call() {
    for rule in ["(domain:example.com)", "(x)", "Bash(git"] {
        for args in [json!({ "url": "https://other.org" }), json!({})] {
            assert!(matches(rule, "fetch", args), "{rule}");
        }
    }
}

#[test]
fn commands_are_found_wherever_they_stand() {
    for (rule, command, expected) in [
        ("Bash(git *)", "git push", true),
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(git:*)", "cd x && git status", true),
        ("Bash(git push *)", "echo a; X=1 git push origin", true),
        ("Bash(git push *)", "git status", false),
        ("Bash(rm *)", "ls | xargs rm -f", true),
        ("Bash(git push *)", "echo $(date)", true),
        ("Bash(git *)", "ls -l", false),
        ("Bash(npm run *)", "npm install", false),
        ("Bash(*--force*)", "git push --force origin", true),
        ("Bash(git *)", "if (", true),
        ("Bash", "ls", true),
        ("Bash(*)", "ls", true),
        ("Read(src/**)", "ls", false),
        ("Bash(git", "ls", true),
    ] {
        assert_eq!(
            matches(rule, "shell", json!({ "command": command })),
            expected,
            "{rule}: {command}"
        );
    }
}

#[test]
fn what_is_not_known_of_a_command_counts_only_where_it_may_be_the_one_of_the_rule() {
    let forced = "Bash(git push* --force*)";
    for (command, expected) in [
        ("git push --force", true),
        ("git -C sub push --force", true),
        ("git --git-dir=sub/.git push -q --force-with-lease", true),
        ("git -c a=b push --force", true),
        ("git push origin $X", true),
        ("git -C $D push --force", true),
        ("git $X", true),
        ("git pu$X --force", true),
        ("$X push --force", true),
        ("echo --force | xargs git push", true),
        ("xargs $X", true),
        ("git log $X", false),
        ("git -C $D log", false),
        ("git push origin main", false),
        ("ls $X", false),
        ("cd $D && ls", false),
        ("for f in *; do ls $f; done", false),
        ("cat a | xargs ls", false),
        ("find . -exec ls {} +", false),
        ("npm publish", false),
        ("cargo publish", false),
    ] {
        let found = matches(forced, "shell", json!({ "command": command }));
        assert_eq!(found, expected, "{command}");
    }
}

#[test]
fn paths_are_seen_from_their_folders() {
    for (rule, path, expected) in [
        ("Edit(src/**)", "src/a/b.rs", true),
        ("Edit(src/**)", "/work/shop/src/a.rs", true),
        ("Edit(src/**)", "/work/other/src/a.rs", false),
        ("Edit(src/**)", "src/../docs/a.md", false),
        ("Edit(*.rs)", "src/deep/a.rs", true),
        ("Edit(*.rs)", "src/deep/a.rsx", false),
        ("Edit(/docs/**)", "docs/a.md", true),
        ("Edit(//etc/**)", "/etc/passwd", true),
        ("Edit(//etc/**)", "etc/passwd", false),
        ("Edit(src/*.rs)", "src/deep/a.rs", false),
        ("Edit(~/.ssh/**)", "/home/me/.ssh/config", true),
        ("Edit(~/.ssh/**)", "/home/you/.ssh/config", false),
    ] {
        assert_eq!(
            matches(rule, "file_write", json!({ "path": path })),
            expected,
            "{rule}: {path}"
        );
    }
}

#[test]
fn hosts_are_whole() {
    let fetch = |rule: &str, url: &str| matches(rule, "WebFetch", json!({ "url": url }));
    assert!(fetch(
        "WebFetch(domain:example.com)",
        "https://example.com/a"
    ));
    assert!(!fetch(
        "WebFetch(domain:example.com)",
        "https://badexample.com/a"
    ));
    assert!(fetch(
        "WebFetch(domain:*.example.com)",
        "https://a.example.com"
    ));
    assert!(!fetch(
        "WebFetch(domain:*.example.com)",
        "https://badexample.com"
    ));
}

#[test]
fn a_folder_that_is_not_known_may_be_any() {
    let args = json!({ "path": "src/a.rs" });
    let call = |here| Call {
        tool: "file_write",
        args: &args,
        cwd: "",
        project: "",
        here,
        home: || None,
    };
    let rule = Rule::parse("Edit(docs/**)", Aliases::claudes());
    assert!(rule.matches(&call(|| None)));
    assert!(!rule.matches(&call(|| Some("/work".into()))));
    assert!(!Rule::parse("Edit(~/src/**)", Aliases::claudes()).matches(&call(|| Some("/".into()))));
}
