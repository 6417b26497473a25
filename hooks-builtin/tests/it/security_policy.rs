//! What gets past the policy, and what does not.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::common::corpus;
use hooks_builtin::{Autonomy, Globs, SecurityPolicy, SecurityPolicyConfig};
use hooks_core::agent::{AgentContext, Approval, ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook, hooks};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A workspace with some files, a repository, links that lead out of it, and an agent in it.
struct Workspace {
    _folder: tempfile::TempDir,
    cx: AgentContext,
}

impl Workspace {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("workspace");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/main.rs"), "fn main() {}").unwrap();
        fs::write(root.join("Cargo.toml"), "").unwrap();
        symlink("/etc/passwd", root.join("link-etc")).unwrap();
        symlink("..", root.join("link-up")).unwrap();
        for folder in ["dir", "plain", "a/b/c", ".git"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["a.txt", "b.txt", "plain/c.txt", ".git/config", ".git/HEAD"] {
            fs::write(root.join(file), "").unwrap();
        }
        fs::write(folder.path().join("secret"), "").unwrap();
        symlink("../../secret", root.join("dir/a.txt")).unwrap();
        symlink("../..", root.join("dir/up")).unwrap();
        let cx = AgentContext::new("s1").with_cwd(root.to_str().unwrap());
        Workspace {
            _folder: folder,
            cx,
        }
    }

    fn judge(&self, policy: &SecurityPolicy, tool: &str, args: Value) -> Result<(), String> {
        let mut call = BeforeToolCall {
            name: tool.into(),
            args,
            ..BeforeToolCall::default()
        };
        match hooks![policy]
            .intercept_now(&self.cx, &mut call)
            .into_result()
        {
            Ok(_) => Ok(()),
            Err(cancel) => Err(cancel.reason.into_owned()),
        }
    }

    fn command(&self, policy: &SecurityPolicy, command: &str) -> Result<(), String> {
        self.judge(policy, "shell", json!({ "command": command }))
    }
}

/// The escapes of a corpus: `\n`, `\t`, `\r`, `\\` and `\u{…}`; any other backslash is one.
fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = [("\\n", "\n"), ("\\t", "\t"), ("\\\\", "\\")];
        if let Some((escape, plain)) = known.iter().find(|(escape, _)| rest.starts_with(escape)) {
            text.push_str(plain);
            rest = &rest[escape.len()..];
        } else if rest.starts_with("\\rr") {
            text.push('\r');
            rest = &rest[2..];
        } else if let Some(code) = rest.strip_prefix("\\u{") {
            let (code, after) = code.split_once('}').unwrap();
            text.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
            rest = after;
        } else {
            text.push('\\');
            rest = &rest[1..];
        }
    }
    text + rest
}

fn policy() -> SecurityPolicy {
    let mut config = SecurityPolicyConfig::default();
    let more = "awk cargo cp fd gh go jest jq mv npm pytest rustc rustfmt split tar tee tsc unzip xxd yarn zip";
    config
        .allowed_commands
        .extend(more.split(' ').map(String::from));
    SecurityPolicy::from_config(&config).unwrap()
}

/// Each line of the table of programs: its names, which are programs, or a program and its subcommands; and what it says.
fn table() -> impl Iterator<Item = (Vec<&'static str>, &'static str)> {
    let text = include_str!("../../../hooks-shell/src/table/programs.txt");
    let lines = text.lines().filter(|line| !line.starts_with(['#', ' ']));
    let lines = lines.filter_map(|line| line.split_once(" :"));
    lines.map(|(names, entry)| (names.split(' ').collect(), entry))
}

/// A policy that allows every program of the table, and some that the judge does not know.
fn wide_policy() -> SecurityPolicy {
    let programs = table()
        .flat_map(|(names, _)| names)
        .filter(|name| !name.contains('['));
    SecurityPolicy::from_config(&SecurityPolicyConfig {
        allowed_commands: programs
            .chain(["dd", "install", "less", "man", "rsync", "vim"])
            .map(String::from)
            .collect(),
        ..SecurityPolicyConfig::default()
    })
    .unwrap()
}

#[test]
fn a_corpus_uses_every_line_of_the_table_of_programs() {
    let files = [
        "shell_harmless.txt",
        "shell_hostile.txt",
        "programs_harmless.txt",
        "programs_hostile.txt",
    ];
    let is_of_name = |c: char| c.is_alphanumeric() || ".[:_-".contains(c);
    let commands: Vec<Vec<String>> = files
        .into_iter()
        .flat_map(corpus)
        .map(|line| line.split(|c| !is_of_name(c)).map(String::from).collect())
        .collect();
    let parents = table().filter(|(_, entry)| entry.starts_with(" sub"));
    let parents: Vec<_> = parents.flat_map(|(names, _)| names).collect();
    let unused: Vec<_> = table()
        .map(|(names, _)| names)
        .filter(|names| {
            let is_of_parent =
                names.len() > 1 && parents.contains(&names[0]) && !parents.contains(&names[1]);
            let is_used = |command: &Vec<String>| {
                let uses = |name: &&str| command.iter().any(|word| word == name);
                let names = names.split_at(usize::from(is_of_parent));
                names.0.iter().all(uses) && names.1.iter().any(uses)
            };
            !commands.iter().any(is_used)
        })
        .collect();
    assert!(unused.is_empty(), "no corpus has these: {unused:?}");
}

#[test]
fn every_hostile_command_of_the_corpus_is_blocked() {
    let workspace = Workspace::new();
    let mut passed = Vec::new();
    let mut count = 0;
    let (policy, wide) = (policy(), wide_policy());
    let programs = corpus("programs_hostile.txt").map(|line| (&wide, line));
    let lines = corpus("shell_hostile.txt").map(|line| (&policy, line));
    for (policy, line) in lines.chain(programs) {
        count += 1;
        match workspace.command(policy, &unescaped(&line)) {
            Ok(()) => passed.push(line),
            // Each reason says what to write instead, or names what may never be touched or run.
            Err(reason) => assert!(
                [
                    ": ",
                    "is forbidden",
                    "outside of the workspace",
                    "is not allowed"
                ]
                .iter()
                .any(|part| reason.contains(part)),
                "{line}: {reason}"
            ),
        }
    }
    assert!(count >= 500);
    assert!(passed.is_empty(), "these pass:\n{}", passed.join("\n"));
}

#[test]
fn every_harmless_command_of_the_corpus_passes() {
    let workspace = Workspace::new();
    let mut blocked = Vec::new();
    let mut count = 0;
    let (policy, wide) = (policy(), wide_policy());
    let programs = corpus("programs_harmless.txt").map(|line| (&wide, line));
    let lines = corpus("shell_harmless.txt").map(|line| (&policy, line));
    for (policy, line) in lines.chain(programs) {
        count += 1;
        if let Err(reason) = workspace.command(policy, &unescaped(&line)) {
            blocked.push(format!("{line}\n    {reason}"));
        }
    }
    assert!(count >= 500);
    assert!(
        blocked.is_empty(),
        "these are blocked:\n{}",
        blocked.join("\n")
    );
}

#[test]
fn every_tool_call_of_the_corpus_is_judged_right() {
    let (workspace, policy) = (Workspace::new(), policy());
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in corpus("tool_calls.txt") {
        count += 1;
        let mut parts = line.splitn(3, ' ');
        let [expected, tool, args] = [(); 3].map(|()| parts.next().unwrap());
        let judged = workspace.judge(&policy, tool, serde_json::from_str(args).unwrap());
        if judged.is_ok() != (expected == "pass") {
            wrong.push(format!("{line}\n    {}", judged.err().unwrap_or_default()));
        }
    }
    assert!(count > 100);
    assert!(
        wrong.is_empty(),
        "these are judged wrong:\n{}",
        wrong.join("\n")
    );
}

/// The arguments that a call is left with.
fn left(workspace: &Workspace, policy: &SecurityPolicy, tool: &str, args: Value) -> Value {
    let mut call = BeforeToolCall::new("1", tool, args);
    let result = hooks![policy].intercept_now(&workspace.cx, &mut call);
    assert!(result.is_continue(), "{result:?}");
    // It is judged again, in its new form, when it is approved.
    let approved = hooks![policy].intercept_now(&workspace.cx, &mut ApproveToolCall::from(&call));
    assert!(approved.is_continue(), "{} {approved:?}", call.args);
    call.args
}

#[test]
fn a_command_becomes_what_was_judged_and_is_judged_alike_when_it_is_approved() {
    let (workspace, policy) = (Workspace::new(), wide_policy());
    for line in corpus("shell_harmless.txt").chain(corpus("programs_harmless.txt")) {
        left(
            &workspace,
            &policy,
            "shell",
            json!({ "command": unescaped(&line) }),
        );
    }
    let args = left(
        &workspace,
        &policy,
        "shell",
        json!({ "command": "X=src; ls $X/{a,b}" }),
    );
    let command = args["command"].as_str().unwrap();
    let prelude = command.strip_suffix("X=src\nls src/a src/b").unwrap();
    assert_only_what_is_set_is_unset(prelude);
    let args = left(
        &workspace,
        &policy,
        "shell",
        json!({ "command": ["bash", "-lc", "ls {a,b}"] }),
    );
    assert!(
        args["command"][2].as_str().unwrap().ends_with("ls a b"),
        "{args}"
    );
    let words = json!({ "command": ["ls", "{a,b}"] });
    assert_eq!(left(&workspace, &policy, "shell", words.clone()), words);
}

/// A prelude is empty, or a line that unsets variables of this process.
fn assert_only_what_is_set_is_unset(prelude: &str) {
    if prelude.is_empty() {
        return;
    }
    let names = prelude.strip_prefix("unset -v ").unwrap();
    let names = names.strip_suffix('\n').unwrap();
    for name in names.split(' ') {
        assert!(std::env::var_os(name).is_some(), "{name}");
    }
}

#[test]
fn a_plain_command_stays_as_it_is_for_the_hooks_behind() {
    let (workspace, policy) = (Workspace::new(), policy());
    for command in [
        "git status",
        "git log -3 | head -5",
        "ls src && cargo test",
        "git checkout main",
        "git restore src/main.rs",
        "git apply a.patch",
        "git rm a.txt",
        "git clone https://example.org/a/b.git",
        "git add . && git commit -m done",
    ] {
        let args = left(&workspace, &policy, "shell", json!({ "command": command }));
        let left = args["command"].as_str().unwrap();
        assert_only_what_is_set_is_unset(left.strip_suffix(command).unwrap());
    }
    // Between the two, a repository whose settings run programs might be made.
    for command in [
        "mkdir -p src/objects && git -C src status",
        "echo 'ref: x' > src/HEAD; git -C src status",
        "echo 'ref: x' | tee src/HEAD | git -C src status",
        "mv a src && git -C src status",
        "git switch evil && git -C src status",
        "for i in a b; do git -C src status; mkdir src/refs; done",
    ] {
        let args = left(&workspace, &policy, "shell", json!({ "command": command }));
        let prelude = args["command"].as_str().unwrap().lines().next();
        assert!(prelude.unwrap().contains("safe.bareRepository"), "{args}");
    }
}

#[test]
fn without_rewriting_what_shells_read_in_different_ways_is_blocked() {
    let workspace = Workspace::new();
    let config = SecurityPolicyConfig {
        rewrite: false,
        ..SecurityPolicyConfig::default()
    };
    let policy = SecurityPolicy::from_config(&config).unwrap();
    for command in [
        "ls {a,b}",
        "cat $'a'",
        "ls &> x",
        "cd src; cat ../Cargo.toml",
        "git ls-files | xargs wc -l",
        "X='a b'; ls $X",
    ] {
        assert!(workspace.command(&policy, command).is_err(), "{command}");
    }
    let plain = json!({ "command": "cd src && git status 2>&1 | tail -20" });
    assert_eq!(left(&workspace, &policy, "shell", plain.clone()), plain);
}

#[test]
fn tools_of_ones_own_are_declared() {
    let workspace = Workspace::new();
    let config: SecurityPolicyConfig = serde_json::from_value(json!({
        "profiles": [],
        "tools": {
            "run_it": { "command": "script", "directory": "folder", "harmless": ["note"] },
            "save": { "write": ["to_where"], "read": ["template"] },
            "change": { "patch": "diff" },
            "mcp__github__*": { "harmless": ["*"] },
        },
    }))
    .unwrap();
    let policy = SecurityPolicy::from_config(&config).unwrap();
    let judge = |tool, args| workspace.judge(&policy, tool, args).is_ok();
    assert!(judge(
        "RunIt",
        json!({ "Script": "ls", "folder": "src", "note": "x" })
    ));
    assert!(
        !judge("run_it", json!({ "script": "rm x" }))
            && !judge("run_it", json!({ "script": "ls", "folder": "/etc" }))
    );
    assert!(!judge("run_it", json!({ "script": "ls", "other": 1 })));
    assert!(
        judge("save", json!({ "to_where": "x" })) && !judge("save", json!({ "toWhere": "../x" }))
    );
    assert!(!judge(
        "save",
        json!({ "to_where": "x", "template": "/etc/passwd" })
    ));
    assert!(!judge("change", json!({ "diff": "--- a/x\n+++ ../y\n" })));
    assert!(
        judge("mcp__github__get", json!({ "path": "/etc" }))
            && !judge("mcp__gitlab__get", json!({}))
    );
    // Without its profile even a well-known tool is not known.
    assert!(!judge("Bash", json!({ "command": "ls" })));
}

#[test]
fn the_profile_of_claude_code_knows_the_tools_that_it_offers() {
    let workspace = Workspace::new();
    let config: SecurityPolicyConfig =
        serde_json::from_value(json!({ "profiles": ["claude_code"] })).unwrap();
    let policy = SecurityPolicy::from_config(&config).unwrap();
    let judge = |tool, args| workspace.judge(&policy, tool, args).is_ok();
    for (tool, args) in [
        ("ListAgents", json!({})),
        ("ReportFindings", json!({ "findings": [] })),
        (
            "ScheduleWakeup",
            json!({ "prompt": "go on", "delaySeconds": 60, "reason": "a build" }),
        ),
        ("Workflow", json!({ "name": "review" })),
        (
            "CronCreate",
            json!({ "cron": "7 * * * *", "prompt": "look" }),
        ),
        ("CronDelete", json!({ "id": "1" })),
        ("CronList", json!({})),
        ("EnterWorktree", json!({ "name": "feature" })),
        ("ExitWorktree", json!({ "action": "keep" })),
        (
            "Monitor",
            json!({ "command": "ls", "description": "files" }),
        ),
        (
            "SendMessage",
            json!({ "to": "reviewer", "message": "done" }),
        ),
        ("SlashCommand", json!({ "command": "/review" })),
        (
            "LSP",
            json!({ "operation": "hover", "filePath": "src/a.rs", "line": 1 }),
        ),
        (
            "ReadMcpResourceTool",
            json!({ "server": "docs", "uri": "docs://start" }),
        ),
    ] {
        assert!(judge(tool, args), "{tool}");
    }
    // What they do is judged as well.
    assert!(!judge("Monitor", json!({ "command": "rm -rf /" })));
    assert!(!judge("LSP", json!({ "filePath": "/etc/passwd" })));
}

#[test]
fn clawseeds_keys_say_who_is_asked() {
    let workspace = Workspace::new();
    let config: SecurityPolicyConfig = serde_json::from_value(json!({
        "level": "full", "auto_approve": ["read", "list"], "always_ask": ["list"],
    }))
    .unwrap();
    assert_eq!(config.autonomy, Autonomy::Full);
    let policy = SecurityPolicy::from_config(&config).unwrap();
    let approval_after = |tool: &str, before: Approval| {
        let mut call = BeforeToolCall::new("1", tool, json!({ "path": "src" }));
        call.approval = before;
        assert!(
            hooks![&policy]
                .intercept_now(&workspace.cx, &mut call)
                .is_continue()
        );
        call.approval
    };
    let approval = |tool: &str| approval_after(tool, Approval::Usual);
    // What somebody decides later, nobody is asked now.
    let later = Approval::defer("later");
    assert_eq!(approval_after("list", later.clone()), later);
    assert!(matches!(approval("read"), Approval::Granted { .. }));
    assert!(matches!(approval("list"), Approval::Ask { .. }));
    assert_eq!(approval("write"), Approval::Usual);
}

#[cfg(unix)]
#[test]
fn git_does_not_enter_a_repository_among_the_files() {
    let (workspace, policy) = (Workspace::new(), policy());
    let inner = Path::new(&workspace.cx.cwd).join("src/bare");
    fs::create_dir_all(inner.join("objects")).unwrap();
    fs::create_dir_all(inner.join("refs")).unwrap();
    assert!(workspace.command(&policy, "git -C src/bare status").is_ok());
    fs::write(inner.join("HEAD"), "ref: refs/heads/main").unwrap();
    for command in [
        "git -C src/bare status",
        "cd src/bare && git log",
        "cd src/bare/objects && git status",
    ] {
        let reason = workspace.command(&policy, command).unwrap_err();
        assert!(
            reason.contains("is a repository without a work tree"),
            "{command}: {reason}"
        );
    }
}

#[test]
fn reasons_say_what_is_wrong_and_what_to_write() {
    let (workspace, policy) = (
        Workspace::new(),
        SecurityPolicy::from_config(&SecurityPolicyConfig {
            allowed_commands: vec!["git".into(), "cat".into()],
            ..SecurityPolicyConfig::default()
        })
        .unwrap(),
    );
    let reason = |command| workspace.command(&policy, command).unwrap_err();
    assert_eq!(
        reason("curl x"),
        "the program `curl` is not allowed: use one of these, or ask the user to write it and all of these into `allowed_commands`: cat, git"
    );
    assert_eq!(
        reason("./git x"),
        "`./git` is not the allowed program, but another file of the same name: call `git` by its name"
    );
    assert_eq!(
        reason("cat /etc/passwd"),
        "the path `/etc/passwd` is forbidden: go on without it, or ask the user"
    );
    assert!(reason("cat /opt/x").starts_with("the path `/opt/x` is outside of the workspace `"));
    assert_eq!(
        reason("$x y"),
        "the program `$x` is only known at run time: write its name out"
    );
    assert_eq!(
        reason("cat $x"),
        "an argument of `cat` is only known at run time: write it out"
    );
    assert!(reason("cat '").starts_with("the command cannot be parsed: "));
    let call = |args| workspace.judge(&policy, "shell", args).unwrap_err();
    let needed = "`shell` needs its command as a string or a list of strings, in the argument `cmd` or `command`";
    assert_eq!(call(json!({ "command": 5 })), needed);
    assert_eq!(call(json!({})), needed);
    assert_eq!(
        call(json!({ "command": ["ls"] })),
        "the program `ls` is not allowed: use one of these, or ask the user to write it and all of these into `allowed_commands`: cat, git"
    );
    assert_eq!(
        call(json!({ "command": "cat x", "env": { "X": "y" } })),
        "the argument `env` of `shell` could change what runs, and the policy cannot check it: leave it out, or declare it under \
         `[hooks.builtin.security_policy.tools]`"
    );
    assert_eq!(
        workspace
            .judge(&policy, "make_it_so", json!({ "cmd": "x" }))
            .unwrap_err(),
        "the tool `make_it_so` is not declared, so the policy does not know what it does: write `\"make_it_so\" = { command = \"cmd\" }` \
         under `[hooks.builtin.security_policy.tools]`"
    );
}

#[test]
fn a_program_that_the_judge_does_not_know_has_to_be_trusted() {
    let workspace = Workspace::new();
    let mut config = SecurityPolicyConfig {
        allowed_commands: vec!["less".into(), "ls".into()],
        ..SecurityPolicyConfig::default()
    };
    let policy = SecurityPolicy::from_config(&config).unwrap();
    assert_eq!(workspace.command(&policy, "ls"), Ok(()));
    assert_eq!(
        workspace.command(&policy, "less a.txt").unwrap_err(),
        "the policy does not know what `less` does with its arguments: use another program; a person may list it in \
         `trusted_commands`"
    );
    config.trusted_commands = vec!["less".into(), "./run.sh".into()];
    let policy = SecurityPolicy::from_config(&config).unwrap();
    for command in ["ls", "less a.txt", "./run.sh -v src", "less 'two\nlines'"] {
        assert_eq!(workspace.command(&policy, command), Ok(()), "{command}");
    }
    assert!(workspace.command(&policy, "less /etc/passwd").is_err());
    assert!(workspace.command(&policy, "cat a.txt").is_err());
}

#[test]
fn who_may_only_look_calls_no_tool_that_is_not_declared_to() {
    let workspace = Workspace::new();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        autonomy: Autonomy::ReadOnly,
        read_only_tools: Globs::new(["read", "list_*"]).unwrap(),
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let judge = |tool, path: &str| workspace.judge(&policy, tool, json!({ "path": path }));
    assert!(judge("read", "src").is_ok() && judge("list_files", "src").is_ok());
    assert!(judge("read", "/etc/passwd").is_err());
    assert_eq!(
        judge("write", "src").unwrap_err(),
        "autonomy is `read_only`, and `write` is not declared read-only"
    );
    assert!(policy.is_read_only("read") && !policy.is_read_only("write"));
    assert_eq!(policy.autonomy(), Autonomy::ReadOnly);
}

#[test]
fn actions_are_counted_and_what_is_blocked_or_only_looks_is_none() {
    let workspace = Workspace::new();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        autonomy: Autonomy::Full,
        read_only_tools: Globs::new(["read"]).unwrap(),
        max_actions_per_hour: Some(2),
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let judge = |tool, path: &str| workspace.judge(&policy, tool, json!({ "path": path }));
    for _ in 0..5 {
        assert!(judge("read", "src").is_ok() && judge("write", "/etc/x").is_err());
    }
    assert!(judge("write", "src").is_ok() && judge("write", "src").is_ok());
    assert_eq!(policy.actions(), 2);
    assert!(
        judge("write", "src")
            .unwrap_err()
            .starts_with("limit of 2 actions per hour reached")
    );
    assert!(judge("read", "src").is_ok());
}

#[test]
fn a_call_is_judged_again_when_a_later_hook_changes_it() {
    #[hook(priority = -5)]
    fn rewrites(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        match call.args["command"].as_str() {
            Some("ls") => HookAction::modify(json!({ "command": "rm x" })),
            _ => HookAction::Continue,
        }
    }
    let (workspace, policy) = (Workspace::new(), policy());
    let hooks = hooks![rewrites, &policy];
    for (command, passes) in [("cat x", true), ("ls", false)] {
        let mut call = BeforeToolCall {
            name: "shell".into(),
            args: json!({ "command": command }),
            ..BeforeToolCall::default()
        };
        let result = hooks.intercept_now(&workspace.cx, &mut call);
        assert_eq!(result.is_continue(), passes, "{command}: {result:?}");
    }
}

#[test]
fn file_tools_do_not_leave_the_workspace_or_touch_what_is_forbidden() {
    let (workspace, policy) = (Workspace::new(), policy());
    let root = &workspace.cx.cwd;
    let inside = format!("{root}/src/main.rs");
    for path in [
        "src/main.rs",
        ".",
        "",
        "src/../src",
        "new/file",
        &inside,
        "a b",
        "/dev/null",
    ] {
        assert!(
            workspace
                .judge(&policy, "read", json!({ "path": path }))
                .is_ok(),
            "{path}"
        );
    }
    let sibling = format!("{root}-2/x");
    for path in [
        "..",
        "../x",
        "src/../../x",
        "/etc/passwd",
        "/etc",
        "/",
        "//etc/passwd",
        "/etc/./passwd",
        "~/.ssh/id_rsa",
        "~",
        "~root/x",
        "link-etc",
        "link-up/x",
        "src/../link-etc",
        "/proc/self/environ",
        "/dev/sda",
        &sibling,
        "file:///etc/passwd",
        "/tmp/../etc/passwd",
        "a\0b",
        "link-up/workspace/../../x",
    ] {
        for args in [
            json!({ "path": path }),
            json!({ "file_path": path }),
            json!({ "paths": ["src", path] }),
            json!({ "source": "src", "destination": path }),
            json!({ "path": { "from": "src", "to": path } }),
        ] {
            assert!(
                workspace.judge(&policy, "read", args.clone()).is_err(),
                "{args}"
            );
        }
    }
}

#[test]
fn forbidden_paths_can_lie_in_the_workspace_and_the_workspace_need_not_be_the_limit() {
    let workspace = Workspace::new();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        forbidden_paths: vec!["secrets".into(), "/etc".into()],
        workspace_only: false,
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let command = |command| workspace.command(&policy, command);
    assert!(command("cat /usr/include/stdio.h").is_ok() && command("ls ..").is_ok());
    assert!(command("cat secrets/key").is_err() && command("cat ./secrets").is_err());
    assert!(command("cat /etc/passwd").is_err() && command("grep -r x /").is_err());
    assert!(command("cat link-etc").is_err());
}

#[test]
fn a_command_is_judged_where_it_runs() {
    let workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).to_owned();
    symlink("/etc", root.join("src/out")).unwrap();
    let judge = |cwd: &str| {
        workspace.judge(
            &policy(),
            "shell",
            json!({ "command": "ls out", "cwd": cwd }),
        )
    };
    assert!(judge(".").is_ok());
    assert!(judge("src").is_err() && judge("/etc").is_err() && judge("..").is_err());

    let elsewhere = SecurityPolicy::from_config(&SecurityPolicyConfig {
        workspace: Some(root.join("src")),
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    // The agent is in the folder above.
    assert!(workspace.command(&elsewhere, "ls").is_err());
}

#[test]
fn a_relative_path_of_a_file_tool_is_judged_where_the_agent_is() {
    let mut workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).to_owned();
    symlink("/etc", root.join("src/out")).unwrap();
    let policy = |folder: &Path| {
        SecurityPolicy::from_config(&SecurityPolicyConfig {
            workspace: Some(folder.to_owned()),
            ..SecurityPolicyConfig::default()
        })
        .unwrap()
    };
    let (whole, part) = (policy(&root), policy(&root.join("src")));
    let write = |workspace: &Workspace, policy: &SecurityPolicy, path: &str| {
        workspace
            .judge(policy, "file_write", json!({ "path": path, "content": "" }))
            .is_ok()
    };
    let inside = root.join("src/a").display().to_string();
    // The agent is in the folder above.
    assert!(!write(&workspace, &part, "a") && write(&workspace, &part, &inside));
    let find = |workspace: &Workspace| {
        let args = json!({ "pattern": "*.rs" });
        workspace.judge(&part, "Glob", args).is_ok()
    };
    assert!(!find(&workspace));
    let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
    let apply = |workspace: &Workspace| {
        let args = json!({ "patch": patch });
        workspace.judge(&part, "apply_patch", args).is_ok()
    };
    assert!(!apply(&workspace));
    workspace.cx = AgentContext::new("s1").with_cwd(root.join("src").to_str().unwrap());
    assert!(write(&workspace, &part, "a") && find(&workspace) && apply(&workspace));
    assert!(write(&workspace, &whole, "a") && !write(&workspace, &whole, "out/x"));
}

#[test]
fn what_the_hooks_are_made_of_is_protected_and_so_is_a_link_to_it() {
    let workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).to_owned();
    fs::write(root.join("plain/hooks"), "").unwrap();
    symlink("../plain/hooks", root.join("dir/hooks")).unwrap();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        loaded_from: vec![root.join("dir/hooks"), root.join("audit.jsonl")],
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let write = |path: &str| {
        workspace.judge(
            &policy,
            "file_write",
            json!({ "path": path, "content": "" }),
        )
    };
    for path in ["plain/hooks", "dir/hooks", "audit.jsonl"] {
        let reason = write(path).unwrap_err();
        assert!(reason.contains("is protected"), "{reason}");
        let remove = format!("rm {path}");
        assert!(workspace.command(&policy, &remove).is_err(), "{path}");
    }
    assert!(write("plain/other").is_ok());
    assert!(workspace.command(&policy, "rm -r plain").is_err());
}

#[test]
fn links_are_followed_to_folders_of_links() {
    let workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).to_owned();
    for folder in ["d", "e", "f"] {
        std::fs::create_dir(root.join(folder)).unwrap();
    }
    symlink("../e", root.join("d/a")).unwrap();
    symlink("/etc", root.join("e/b")).unwrap();
    symlink("../src", root.join("f/a")).unwrap();
    symlink(".", root.join("f/here")).unwrap();
    let policy = policy();
    let command = |command| workspace.command(&policy, command);
    for hostile in ["grep -R x d", "diff -r d src", "cp -rL d y"] {
        assert!(command(hostile).is_err(), "{hostile}");
    }
    for harmless in ["grep -R x f", "diff -r f src", "grep -r x d"] {
        assert_eq!(command(harmless).err(), None, "{harmless}");
    }

    symlink("/etc/hosts", root.join("xaa")).unwrap();
    assert!(command("split -l1 src/main.rs").is_err());
    assert_eq!(command("split -l1 src/main.rs part-").err(), None);
}

#[test]
fn paths_are_found_in_whatever_shape_they_are_given() {
    let workspace = Workspace::new();
    for args in [
        json!({ "path": "FILE:///etc/passwd" }),
        json!({ "uri": "file:/etc/passwd" }),
        json!({ "path": "file://localhost/etc/passwd" }),
        json!({ "uri": " file:///etc/passwd" }),
        json!({ "uri": "file:///%2e%2e/etc/passwd" }),
        json!({ "uri": "file:%2fetc%2fpasswd" }),
        json!({ "edits": [{ "path": "/etc/passwd" }] }),
        json!({ "options": { "target": "/etc/passwd" } }),
        json!({ "filePath": "/etc/passwd" }),
        json!({ "paths": [["/etc/passwd"]] }),
    ] {
        assert!(
            workspace.judge(&policy(), "edit", args.clone()).is_err(),
            "{args}"
        );
    }
    for tool in ["Bash", "run_command", "terminal", "shell_exec"] {
        assert!(
            workspace
                .judge(&policy(), tool, json!({ "command": "rm -rf ." }))
                .is_err(),
            "{tool}"
        );
        assert!(
            workspace
                .judge(&policy(), tool, json!({ "cmd": "ls" }))
                .is_err(),
            "{tool}"
        );
    }
}

#[test]
fn a_pattern_matches_no_file_that_is_forbidden() {
    let workspace = Workspace::new();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        forbidden_paths: vec!["src/key.pem".into()],
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let command = |command| workspace.command(&policy, command);
    assert!(command("cat src/*").is_ok());
    fs::write(Path::new(&workspace.cx.cwd).join("src/key.pem"), "").unwrap();
    for line in [
        "cat src/*",
        "cat */*.pem",
        "cat s*/key.???",
        "cd src && cat *",
    ] {
        assert_eq!(
            command(line).unwrap_err(),
            "the path `key.pem` is forbidden: go on without it, or ask the user",
            "{line}"
        );
    }
    assert!(command("cat src/*.rs").is_ok());
}

/// Each of these would take seconds, or hours, to judge word by word.
#[test]
fn what_takes_long_to_judge_is_blocked_with_a_short_reason() {
    let (workspace, policy) = (Workspace::new(), policy());
    let size = 64 * 1024;
    let fill = |text: &str| text.repeat(size / text.len());
    let words = |word: fn(usize) -> String| (0..size / 8).map(word).collect::<Vec<_>>().join(" ");
    for command in [
        format!("ls {}", words(|nth| format!("{nth}*"))),
        format!("cat {}", fill("a/")),
        format!("cat {}", fill("../a=")),
        format!("cat {}", fill("*")),
        format!("echo {}", "{a,b}".repeat(15)),
        format!(
            "for i in {{1..60}}; do for j in {{1..60}}; do {} done; done",
            "echo 'a' b;".repeat(200)
        ),
        format!("for i in {{1..60}}; do eval '{}'; done", "ls;".repeat(4000)),
        format!("X=a; {} cat $X", fill("X=$X$X;")),
        format!("ls {}", words(|nth| format!("-abcdefgh{nth}"))),
    ] {
        let begin: String = command.chars().take(40).collect();
        let reason = workspace
            .command(&policy, &command)
            .err()
            .unwrap_or_default();
        assert!(
            !reason.is_empty() && reason.len() < 1100,
            "{begin}: {reason}"
        );
    }
    for command in [
        format!("echo '{}'", "a://b ".repeat(10_000)),
        format!(
            "git add {}",
            (0..5000)
                .map(|nth| format!("f{nth}"))
                .collect::<Vec<_>>()
                .join(" ")
        ),
        "ls -la src | head -20; grep -n parse src/main.rs; ".repeat(1000),
    ] {
        let begin: String = command.chars().take(40).collect();
        assert_eq!(workspace.command(&policy, &command), Ok(()), "{begin}");
    }
}

#[test]
fn settings_that_cannot_be_are_errors() {
    let error = |config| SecurityPolicy::from_config(&config).unwrap_err().key();
    assert_eq!(
        error(SecurityPolicyConfig {
            workspace: Some("/no/such/folder".into()),
            ..SecurityPolicyConfig::default()
        }),
        "workspace"
    );
    assert_eq!(
        error(SecurityPolicyConfig {
            allowed_commands: vec!["git status".into()],
            ..SecurityPolicyConfig::default()
        }),
        "allowed_commands"
    );
    assert_eq!(
        error(SecurityPolicyConfig {
            trusted_commands: vec!["npm publish".into()],
            ..SecurityPolicyConfig::default()
        }),
        "trusted_commands"
    );
    assert_eq!(
        error(SecurityPolicyConfig {
            always_ask: Globs::new(["npm publish"]).unwrap(),
            ..SecurityPolicyConfig::default()
        }),
        "always_ask"
    );
}

#[test]
fn a_command_that_is_too_long_or_too_deep_is_blocked_and_not_parsed() {
    let (workspace, policy) = (Workspace::new(), policy());
    let deep = |open: &str, close: &str| format!("{}ls{}", open.repeat(5000), close.repeat(5000));
    for command in [
        "ls ".repeat(100_000),
        deep("(", ")"),
        deep("$(", ")"),
        deep("{ ", ";}"),
        deep("if ", ""),
        deep("`", "`"),
        deep("echo ${x:-", "}"),
        deep("sh -c '", "'"),
        deep("if ls; then ", "; fi"),
        deep("while ls; do ", "; done"),
        format!("[[ {} x ]]", "! ".repeat(5000)),
        format!("echo {}1{}", "$[".repeat(5000), "]".repeat(5000)),
        format!("{} ls", "env ".repeat(10_000)),
        format!("{} ls", "nice ".repeat(20_000)),
        format!("{} ls", "xargs ".repeat(10_000)),
        format!("{}ls", "cd src && ".repeat(5000)),
    ] {
        assert!(
            workspace.command(&policy, &command).is_err(),
            "{}",
            &command[..20]
        );
    }
    assert!(workspace.command(&policy, &"ls src; ".repeat(4000)).is_ok());
    assert!(
        workspace
            .command(&policy, &format!("echo '{}'", "x".repeat(60 * 1024)))
            .is_ok()
    );
}

/// Ways to write a program's name, and to run a command, that change nothing about it.
fn disguised() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "rm", "'rm'", "\"rm\"", "r\\m", "r''m", "\\rm", "/bin/rm", "r\"m\"", "$'rm'",
    ]);
    let wrap = prop::collection::vec(
        prop::sample::select(vec![
            "ls; {}",
            "ls && {}",
            "ls || {}",
            "{} | cat",
            "cat | {}",
            "({})",
            "{ {}; }",
            "if ls; then {}; fi",
            "for i in a; do {}; done",
            "echo $({})",
            "echo \"$({})\"",
            "cat <({})",
            "env {}",
            "timeout 5 {}",
            "nice {}",
            "! {}",
            "time {}",
            "case x in x) {};; esac",
            "while ls; do {}; done",
            "ls\n{}",
            "cat <<EOF\n$({})\nEOF",
            "echo `{}`",
            "X=1; {}",
            "set -e; {}",
            "{} &",
        ]),
        0..4,
    );
    (name, wrap).prop_map(|(name, wraps)| {
        // Backquotes do not nest without escapes.
        let mut quoted = false;
        wraps.iter().fold(format!("{name} x"), |command, wrap| {
            if wrap.contains('`') && std::mem::replace(&mut quoted, true) {
                return command;
            }
            wrap.replacen("{}", &command, 1)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn a_program_that_is_not_allowed_is_blocked_however_it_is_wrapped(command in disguised()) {
        let workspace = Workspace::new();
        prop_assert!(workspace.command(&policy(), &command).is_err(), "{command}");
    }

    #[test]
    fn nothing_makes_it_panic(command in "\\PC{0,60}") {
        let _ = Workspace::new().command(&policy(), &command);
    }

    #[test]
    fn nor_what_looks_like_a_script(
        parts in prop::collection::vec(prop::sample::select(vec![
            "ls", " ", ";", "|", "&&", "(", ")", "{", "}", "$(", "`", "'", "\"", "<<EOF", "\n", "EOF", "if", "then",
            "fi", "for", "in", "do", "done", "case", "esac", "$x", "${x", "$((", "))", "[[", "]]", ">", "<", "&",
            "\\", "#", "=", "*", "~", "!", "a", "/", "é", "sed", "git", "find", "-exec", "cd", "..", "99999999999999999999", "${",
        ]), 0..30)
    ) {
        let _ = Workspace::new().command(&policy(), &parts.concat());
    }
}

/// Whether bash is there, and finds the command well formed.
fn is_valid_bash(command: &str) -> Option<bool> {
    let checked = std::process::Command::new("bash")
        .args(["-n", "-c", command])
        .output()
        .ok()?;
    Some(checked.status.success())
}

#[test]
fn what_has_to_pass_is_well_formed() {
    for line in corpus("shell_harmless.txt") {
        assert_ne!(is_valid_bash(&unescaped(&line)), Some(false), "{line}");
    }
    assert!(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/corpus")
            .is_dir()
    );
}

#[test]
fn a_workspace_may_be_in_the_home_directory() {
    let home = std::env::home_dir().unwrap();
    let with_workspace = |workspace: &str| {
        SecurityPolicy::from_config(&SecurityPolicyConfig {
            workspace: Some(workspace.into()),
            ..SecurityPolicyConfig::default()
        })
    };
    let policy = with_workspace("~").unwrap();
    let mut call = BeforeToolCall {
        name: "Read".into(),
        args: json!({ "file_path": home.join("notes.txt") }),
        ..BeforeToolCall::default()
    };
    let judged = hooks![policy].intercept_now(&AgentContext::new("s1"), &mut call);
    assert!(judged.is_continue(), "{judged:?}");
    let refused = with_workspace("~nobody/work").unwrap_err().to_string();
    assert!(
        refused.contains("the home directory of another user"),
        "{refused}"
    );
}

#[test]
fn a_policy_with_an_absolute_workspace_needs_no_current_directory() {
    const WORKSPACE: &str = "HOOKS_TEST_WORKSPACE";
    let with_workspace = |workspace: &str| {
        SecurityPolicy::from_config(&SecurityPolicyConfig {
            workspace: Some(workspace.into()),
            ..SecurityPolicyConfig::default()
        })
    };
    // The current directory belongs to the whole process, so this test runs itself in another one.
    let Ok(workspace) = std::env::var(WORKSPACE) else {
        let (gone, workspace) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "security_policy::a_policy_with_an_absolute_workspace_needs_no_current_directory",
            ])
            .current_dir(gone.path())
            .env(WORKSPACE, workspace.path())
            .output()
            .unwrap();
        assert!(
            child.status.success(),
            "{}",
            String::from_utf8_lossy(&child.stdout)
        );
        assert!(!gone.path().exists());
        return;
    };
    fs::remove_dir(std::env::current_dir().unwrap()).unwrap();
    assert!(std::env::current_dir().is_err());
    assert!(with_workspace("src").is_err());
    with_workspace(&workspace).unwrap();
}

#[cfg(unix)]
#[test]
fn git_changes_no_file_outside_of_a_workspace_in_its_repository() {
    let workspace = Workspace::new();
    let app = Path::new(&workspace.cx.cwd).join("plain");
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        workspace: Some(app.clone()),
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    let cx = AgentContext::new("s1").with_cwd(app.to_str().unwrap());
    let inner = Workspace { cx, ..workspace };
    for hostile in [
        "git reset --hard",
        "git stash -u",
        "git checkout main",
        "git switch main",
        "git checkout HEAD -- ':!c.txt'",
        "git restore ':!c.txt'",
        "git pull",
        "git apply < x.patch",
        "git merge -- main",
        "git rebase -- main",
        "git checkout HEAD -- *.txt",
        "git show HEAD:a.txt",
        "git restore :/",
        "git grep x :/",
    ] {
        assert!(inner.command(&policy, hostile).is_err(), "{hostile}");
    }
    for harmless in [
        "git status",
        "git diff",
        "git log --oneline",
        "git restore c.txt",
        "git checkout HEAD -- c.txt",
        "git add . && git commit -m x",
        "git apply x.patch",
        "git stash push -- c.txt",
        "git checkout HEAD -- ./*.txt",
        "git show HEAD:./c.txt",
        "git show HEAD:plain/c.txt",
    ] {
        assert_eq!(inner.command(&policy, harmless).err(), None, "{harmless}");
    }
    let reason = inner.command(&policy, "git reset --hard").unwrap_err();
    assert!(
        reason.contains("its whole repository, which begins at `"),
        "{reason}"
    );
}

mod by_hand {
    use super::*;

    /// Prints how long typical commands take to judge in a workspace of 100,000 files.
    #[test]
    #[ignore = "it measures: run it by hand, in a release build"]
    fn a_large_workspace_costs_little() {
        let workspace = Workspace::new();
        let root = Path::new(&workspace.cx.cwd).to_owned();
        for folder in 0..1000 {
            let folder = root.join(format!("node_modules/p{}/lib{folder}", folder % 100));
            fs::create_dir_all(&folder).unwrap();
            for file in 0..100 {
                fs::write(folder.join(format!("f{file}.js")), "").unwrap();
            }
        }
        let policy = wide_policy();
        for command in [
            "git status",
            "cargo test 2>&1 | tail -20",
            "grep -rn TODO .",
            "rg -n TODO",
            "cat src/*.rs",
            "ls **/*.toml",
            "git ls-files '*.rs' | xargs wc -l",
            "for f in $(git ls-files); do wc -l $f; done",
            "rg -l x | xargs sed -i s/a/b/",
            "find . -name '*.rs' | xargs grep -l x",
            "find . -name '*.rs' -exec grep -l x {} +",
            "find . -name '*.js' -not -path './node_modules/*' -exec wc -l {} +",
            "find . -name '*.rs' -exec sed -i s/a/b/ {} +",
            "find . -name '*.tmp' -delete",
            "rm -rf node_modules",
        ] {
            let mut times: Vec<_> = (0..21)
                .map(|_| {
                    let start = std::time::Instant::now();
                    assert_eq!(workspace.command(&policy, command), Ok(()), "{command}");
                    start.elapsed()
                })
                .collect();
            times.sort();
            println!("{:>12.3?}  {command}", times[10]);
        }
    }
}

#[test]
fn a_workspace_in_a_folder_of_what_is_built_is_protected_like_others() {
    let mut workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).join("target/w");
    fs::create_dir_all(root.join("app/.vscode")).unwrap();
    fs::write(root.join("app/.vscode/tasks.json"), "{}").unwrap();
    workspace.cx.cwd = root.to_str().unwrap().into();
    let policy = SecurityPolicy::from_config(&SecurityPolicyConfig {
        allowed_commands: ["find", "mv", "rm"].map(String::from).into(),
        ..SecurityPolicyConfig::default()
    })
    .unwrap();
    for command in [
        "mv app other",
        "rm -r app",
        "find . -name tasks.json -delete",
    ] {
        assert!(workspace.command(&policy, command).is_err(), "{command}");
    }
}

#[test]
fn what_decides_later_is_protected_in_every_folder_and_opened_by_name() {
    let workspace = Workspace::new();
    let root = Path::new(&workspace.cx.cwd).to_owned();
    fs::create_dir_all(root.join("app/.vscode")).unwrap();
    fs::write(root.join("app/.vscode/tasks.json"), "{}").unwrap();
    fs::write(root.join("app/.mcp.json"), "{}").unwrap();
    fs::create_dir_all(root.join("node_modules/x/.vscode")).unwrap();
    let config = SecurityPolicyConfig {
        allowed_commands: "cat cp curl find git ls mv rm sed tee xargs"
            .split(' ')
            .map(String::from)
            .collect(),
        ..SecurityPolicyConfig::default()
    };
    let policy = SecurityPolicy::from_config(&config).unwrap();
    for command in [
        "echo '{}' > .claude/settings.json",
        "cp a.txt new/.cursor/hooks.json",
        "sed -i s/a/b/ app/.vscode/tasks.json",
        "mv app other",
        "rm -r app",
        "cp -r app plain",
        "mv ap* src",
        "mv -t src a?p",
        "cp -r ap* src",
        "cp -r ./ap?/ src",
        "git mv app* src",
        "curl -O https://example.org/hooks.toml",
        "curl --output-dir .codex -O https://example.org/config.toml",
        "find app -name tasks.json | xargs sed -i s/a/b/",
        "find . -name '.mcp.json' -exec mv {} x \\;",
        "cat a.txt | tee HOOKS.toml",
        "git mv a.txt .envrc",
        "git apply <<'E'\n--- a/x\n+++ b/.gitmodules\n@@ -1 +1 @@\n-a\n+b\nE",
    ] {
        let reason = workspace.command(&policy, command).err();
        let reason = reason.unwrap_or_else(|| panic!("{command}"));
        assert!(
            reason.contains("protected") || reason.contains("allow_writing"),
            "{command}: {reason}"
        );
    }
    for command in [
        "cat app/.vscode/tasks.json",
        "cp app/.vscode/tasks.json a.txt",
        "rm -rf node_modules",
        "echo x > app/settings.json",
    ] {
        assert_eq!(workspace.command(&policy, command), Ok(()), "{command}");
    }
    let opened = SecurityPolicy::from_config(&SecurityPolicyConfig {
        allow_writing: vec![".vscode".into(), "app/hooks.toml".into()],
        ..config
    })
    .unwrap();
    for command in [
        "sed -i s/a/b/ app/.vscode/tasks.json",
        "echo x > app/hooks.toml",
    ] {
        assert_eq!(workspace.command(&opened, command), Ok(()), "{command}");
    }
    assert!(workspace.command(&opened, "echo x > hooks.toml").is_err());
}

#[test]
fn a_command_is_judged_once_and_runs_by_its_plan() {
    let workspace = Workspace::new();
    let policy = SecurityPolicy::new().unwrap();
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "cat {a,b}.txt" }));
    assert!(
        hooks![&policy]
            .intercept_now(&workspace.cx, &mut call)
            .is_continue()
    );
    let judged = policy.judged(&workspace.cx, &call).unwrap().unwrap();
    // The same value is read again, also by what describes the call to a person.
    let again = policy.judged(&workspace.cx, &call).unwrap().unwrap();
    assert!(std::sync::Arc::ptr_eq(&judged, &again));
    assert_eq!(judged.effects().to_string(), "runs cat; reads a.txt, b.txt");
    let plan = judged.plan();
    assert_eq!(
        plan.folder(),
        Path::new(&workspace.cx.cwd).canonicalize().unwrap()
    );
    assert!(plan.rules().is_none() && plan.command().output().unwrap().status.success());
    // Other arguments are another command.
    call.args = json!({ "command": "cat ../secret" });
    assert!(policy.judged(&workspace.cx, &call).is_err());
    call.args = json!({ "command": "cat a.txt" });
    let other = policy.judged(&workspace.cx, &call).unwrap().unwrap();
    assert!(!std::sync::Arc::ptr_eq(&judged, &other));
    let read = BeforeToolCall::new("2", "read", json!({ "path": "a.txt" }));
    assert!(policy.judged(&workspace.cx, &read).unwrap().is_none());
}
