//! Each trial lets a policy judge commands, and runs what is left of them.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use hooks_builtin::{SandboxMode, SecurityPolicy, SecurityPolicyConfig};
use hooks_core::agent::{AgentContext, ApproveToolCall, BeforeToolCall};
use hooks_core::{HookAction, hook, hooks};
use libtest_mimic::Trial;
use serde_json::{Value, json};

pub(crate) fn all() -> Vec<Trial> {
    let trials: [(&str, fn()); 20] = [
        ("what_people_run_passes_in_a_sandbox", harmless),
        ("every_form_of_a_command_runs_as_it_was_judged", forms),
        ("a_confined_command_is_described_as_itself", described),
        ("what_only_looks_confined_is_judged_as_it_stands", forged),
        ("other_hooks_see_the_command_as_it_is_written", plain),
        ("a_link_made_after_the_judgement_leads_nowhere", later_link),
        ("what_was_not_predicted_is_refused_and_said", unpredicted),
        ("code_of_the_workspace_reads_nothing_outside", build_script),
        ("git_works_and_its_hooks_stay", git),
        ("git_works_in_a_work_tree_that_was_added", work_tree),
        ("git_works_in_a_folder_of_the_repository", git_below),
        ("without_git_its_folder_stays", git_stays),
        ("which_file_needs_not_be_known", unknown_files),
        ("which_program_must_be_known", unknown_programs),
        ("forbidden_names_are_hidden_wherever_they_are", hidden),
        ("a_command_reaches_the_hosts_that_it_names", hosts),
        ("a_shell_that_goes_on_stays_as_it_was", persistent),
        ("where_it_is_required_and_not_there_nothing_runs", required),
        ("the_command_of_a_shell_hook_is_limited", shell_hook),
        ("the_default_list_is_longer_in_a_sandbox", default_list),
    ];
    let trials = trials.into_iter();
    let trials = trials.map(|(name, run)| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    });
    let cost = Trial::test("by_hand::what_a_call_costs", || {
        cost();
        Ok(())
    });
    trials.chain([cost.with_ignored_flag(true)]).collect()
}

/// A home with a secret, a workspace in it, and an agent there.
struct Place {
    folder: tempfile::TempDir,
    cx: AgentContext,
}

const SECRET: &str = "canary-52c1";

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        fs::create_dir_all(work.join("src")).unwrap();
        fs::write(folder.path().join("secret"), SECRET).unwrap();
        fs::write(work.join("a.txt"), "alpha\n").unwrap();
        fs::write(work.join("src/b.txt"), "beta\n").unwrap();
        let cx = AgentContext::new("s1").with_cwd(work.to_str().unwrap());
        Place { folder, cx }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// What is left of a call.
    fn left(&self, policy: &SecurityPolicy, tool: &str, args: Value) -> Result<Value, String> {
        let mut call = BeforeToolCall::new("1", tool, args);
        let (policy, sandbox) = policy.clone().with_sandbox();
        let hooks = hooks![policy, sandbox];
        if let Err(cancel) = hooks.intercept_now(&self.cx, &mut call).into_result() {
            return Err(cancel.reason.into_owned());
        }
        let approved = hooks.intercept_now(&self.cx, &mut ApproveToolCall::from(&call));
        assert!(approved.is_continue(), "{} {approved:?}", call.args);
        Ok(call.args)
    }

    /// Runs what is left of a command.
    fn run(&self, policy: &SecurityPolicy, command: &str) -> Output {
        let args = self.left(policy, "shell", json!({ "command": command }));
        let args = args.unwrap_or_else(|reason| panic!("{command}: {reason}"));
        self.shell(args["command"].as_str().unwrap())
    }

    fn shell(&self, script: &str) -> Output {
        self.execute(&["sh", "-c", script])
    }

    fn execute(&self, words: &[&str]) -> Output {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.work());
        command.env("HOME", self.folder.path()).stdin(Stdio::null());
        let author = [
            "GIT_AUTHOR_NAME",
            "GIT_AUTHOR_EMAIL",
            "GIT_COMMITTER_NAME",
            "GIT_COMMITTER_EMAIL",
        ];
        command
            .envs(author.map(|name| (name, "a")))
            .output()
            .unwrap()
    }

    fn git(&self, arguments: &str) {
        let mut words = vec!["git"];
        words.extend(arguments.split(' '));
        let output = self.execute(&words);
        assert!(
            output.status.success(),
            "git {arguments}: {}",
            said(&output)
        );
    }
}

/// A policy that confines commands, with these programs besides.
fn policy(more: &str) -> SecurityPolicy {
    let mut config = SecurityPolicyConfig::default();
    if !more.is_empty() {
        config
            .allowed_commands
            .extend(more.split(' ').map(String::from));
    }
    built(config)
}

fn built(config: SecurityPolicyConfig) -> SecurityPolicy {
    SecurityPolicy::from_config(&config).unwrap()
}

/// All that a command has printed.
fn said(output: &Output) -> String {
    let both = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    String::from_utf8_lossy(&both).into_owned()
}

fn prints(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn texts(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect()
}

fn forms() {
    let (place, policy) = (Place::new(), policy("mv"));
    let (confined, sandbox) = policy.clone().with_sandbox();
    assert_eq!(confined.is_confined(), Ok(()));
    drop(sandbox);
    assert!(confined.is_confined().unwrap_err().ends_with("is gone"));
    for (command, printed) in [
        ("cat a.txt", "alpha\n"),
        ("X=src; cat \"$X\"/{b,b}.txt", "beta\nbeta\n"),
        ("cd src && cat < b.txt | tr a-z A-Z", "BETA\n"),
        ("grep -c \"it's\" a.txt || echo 'n''one'", "0\nnone\n"),
        (
            "echo new > src/c.txt; mv src/c.txt d.txt; cat d.txt",
            "new\n",
        ),
    ] {
        assert_eq!(prints(&place.run(&policy, command)), printed, "{command}");
    }
    // A list of words runs as a list of words, with a shell and without.
    for words in [json!(["bash", "-lc", "cat a.txt"]), json!(["cat", "a.txt"])] {
        let args = place
            .left(&policy, "shell", json!({ "command": words }))
            .unwrap();
        let words = texts(&args["command"]);
        assert!(words.len() > 4, "{words:?}");
        assert_eq!(prints(&place.execute(&words)), "alpha\n");
    }
    // And so does a program whose arguments stand beside it.
    let args = json!({ "command": "cat", "args": ["a.txt"] });
    let args = place.left(&policy, "run_command", args).unwrap();
    let words = [
        vec![args["command"].as_str().unwrap()],
        texts(&args["args"]),
    ]
    .concat();
    assert_eq!(prints(&place.execute(&words)), "alpha\n");
    // A patch is none of a program.
    let args = json!({ "command": ["apply_patch", "*** Begin Patch\n*** Add File: x\n+x\n*** End Patch"] });
    assert_eq!(place.left(&policy, "shell", args.clone()), Ok(args));
}

fn described() {
    let (place, policy) = (Place::new(), policy(""));
    for args in [
        json!({ "command": "cat a.txt > b.txt" }),
        json!({ "command": ["cat", "a.txt"] }),
        json!({ "command": ["sh", "-c", "cat a.txt"] }),
    ] {
        let confined = place.left(&policy, "shell", args.clone()).unwrap();
        assert_ne!(confined, args);
        let described = policy.describe(&place.cx, "shell", &confined);
        assert_eq!(described, policy.describe(&place.cx, "shell", &args));
        assert!(described.unwrap().starts_with("runs cat; reads a.txt"));
        // What others have written so is judged as any text.
        assert!(
            place
                .left(&built(policy.config().clone()), "shell", confined)
                .is_err()
        );
    }
}

fn forged() {
    let (place, policy) = (Place::new(), policy(""));
    let args = json!({ "command": "cat a.txt" });
    let confined = place.left(&policy, "shell", args).unwrap();
    let confined = confined["command"].as_str().unwrap();
    let wider = confined.replacen(&*place.work().to_string_lossy(), "/", 1);
    for command in [
        format!("{confined}; cat ../secret"),
        confined.replace("a.txt", "../secret"),
        format!("{confined} x"),
        wider,
    ] {
        assert_ne!(command, confined);
        let left = place.left(&policy, "shell", json!({ "command": command }));
        assert!(left.is_err(), "{left:?}");
    }
}

/// Remembers the commands that it sees.
#[derive(Clone, Default)]
struct Rule(Arc<Mutex<Vec<String>>>);

#[hook]
impl Rule {
    fn see(&self, call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
        let command = call.args["command"].as_str().unwrap().to_owned();
        self.0.lock().unwrap().push(command);
        HookAction::Continue
    }
}

fn plain() {
    let (place, policy, rule) = (Place::new(), policy(""), Rule::default());
    let (policy, sandbox) = policy.with_sandbox();
    let hooks = hooks![sandbox, policy, rule.clone()];
    let args = json!({ "command": "git checkout main" });
    let mut call = BeforeToolCall::new("1", "shell", args);
    assert!(hooks.intercept_now(&place.cx, &mut call).is_continue());
    assert_eq!(*rule.0.lock().unwrap(), ["git checkout main"]);
    assert_ne!(call.args["command"], "git checkout main");
}

fn later_link() {
    let (place, policy) = (Place::new(), policy(""));
    let args = place
        .left(&policy, "shell", json!({ "command": "cat src/b.txt" }))
        .unwrap();
    fs::remove_file(place.work().join("src/b.txt")).unwrap();
    symlink("../../secret", place.work().join("src/b.txt")).unwrap();
    let output = place.shell(args["command"].as_str().unwrap());
    let said = said(&output);
    assert!(!output.status.success() && !said.contains(SECRET), "{said}");
    let report = hooks_sandbox::Report::parse(&said);
    assert!(!report.refused.is_empty(), "{said}");
    assert!(
        report.refused[0].target.ends_with("/work/src/b.txt"),
        "{said}"
    );
    assert_eq!(report.note.as_deref(), Some("runs cat; reads src/b.txt"));
    // A folder that becomes a link is none that was judged.
    let args = place
        .left(&policy, "shell", json!({ "command": "touch src/new" }))
        .unwrap();
    fs::rename(place.work().join("src"), place.work().join("old")).unwrap();
    fs::create_dir(place.folder.path().join("outside")).unwrap();
    symlink("../outside", place.work().join("src")).unwrap();
    let output = place.shell(args["command"].as_str().unwrap());
    assert!(!output.status.success());
    assert!(!place.folder.path().join("outside/new").exists());
}

fn unpredicted() {
    let (place, policy) = (Place::new(), policy(""));
    let args = place
        .left(
            &policy,
            "shell",
            json!({ "command": "cat a.txt > src/out" }),
        )
        .unwrap();
    // The judged command may write to `src`, and nowhere else. Another one under its rules does not, either.
    let other = args["command"]
        .as_str()
        .unwrap()
        .replace(">src/out", ">out");
    let output = place.shell(&other);
    let said = said(&output);
    assert!(
        !output.status.success() && !place.work().join("out").exists(),
        "{said}"
    );
    assert!(
        said.contains("sandbox: tried to write ") && said.contains("/work/out: not allowed"),
        "{said}"
    );
    assert!(
        said.contains("sandbox: expected: runs cat; reads a.txt; writes src/out"),
        "{said}"
    );
    // What only reads may write nothing.
    let args = place
        .left(&policy, "shell", json!({ "command": "cat a.txt" }))
        .unwrap();
    let other = args["command"]
        .as_str()
        .unwrap()
        .replace("cat a.txt", "tee a.txt </dev/null");
    assert!(!place.shell(&other).status.success());
    assert_eq!(
        fs::read_to_string(place.work().join("a.txt")).unwrap(),
        "alpha\n"
    );
}

fn build_script() {
    let (place, policy) = (Place::new(), policy("make"));
    let makefile = "all:\n\t@echo built > out.txt\n\t-@cat ../secret\n\t-@echo x >> .git/hooks/pre-commit\n\t-@echo x > ../planted\n";
    place.git("init -q");
    fs::write(place.work().join("Makefile"), makefile).unwrap();
    let said = said(&place.run(&policy, "make"));
    assert!(!said.contains(SECRET), "{said}");
    assert!(
        said.contains("sandbox: tried to read ") && said.contains("/secret: not allowed"),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(place.work().join("out.txt")).unwrap(),
        "built\n"
    );
    assert!(!place.work().join(".git/hooks/pre-commit").exists());
    assert!(!place.folder.path().join("planted").exists());
}

fn git() {
    let (place, policy) = (Place::new(), policy(""));
    place.git("init -q");
    assert_eq!(
        prints(&place.run(&policy, "git status --short")),
        "?? a.txt\n?? src/\n"
    );
    prints(&place.run(&policy, "git add a.txt && git commit -qm one"));
    assert_eq!(
        prints(&place.run(&policy, "git log --format=%s | head -1")),
        "one\n"
    );
    let config = fs::read(place.work().join(".git/config")).unwrap();
    let args = place
        .left(&policy, "shell", json!({ "command": "git status" }))
        .unwrap();
    let other = args["command"]
        .as_str()
        .unwrap()
        .replace("git status", "echo x > .git/config");
    assert!(!place.shell(&other).status.success());
    assert_eq!(fs::read(place.work().join(".git/config")).unwrap(), config);
}

fn work_tree() {
    let (mut place, policy) = (Place::new(), policy(""));
    place.git("init -q");
    place.git("add .");
    place.git("commit -qm one");
    place.git("worktree add -q ../other");
    let other = place.folder.path().join("other");
    place.cx = AgentContext::new("s1").with_cwd(other.to_str().unwrap());
    fs::write(other.join("new"), "").unwrap();
    let args = json!({ "command": "git add new && git commit -qm two && git log --format=%s" });
    let args = place.left(&policy, "shell", args).unwrap();
    let mut command = Command::new("sh");
    command
        .args(["-c", args["command"].as_str().unwrap()])
        .current_dir(&other);
    let author = [
        "GIT_AUTHOR_NAME",
        "GIT_AUTHOR_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_COMMITTER_EMAIL",
    ];
    command
        .env("HOME", place.folder.path())
        .envs(author.map(|name| (name, "a")));
    assert_eq!(prints(&command.output().unwrap()), "two\none\n");
    // A file that only says so does not make a folder the repository's.
    let secrets = place.folder.path().join("secrets");
    fs::create_dir(&secrets).unwrap();
    for folder in ["claimed", "claimed/in"] {
        fs::create_dir(other.join(folder)).unwrap();
        fs::write(
            other.join(folder).join(".git"),
            format!("gitdir: {}\n", secrets.display()),
        )
        .unwrap();
        place.cx = AgentContext::new("s1").with_cwd(other.join(folder).to_str().unwrap());
        let args = place
            .left(&policy, "shell", json!({ "command": "git status" }))
            .unwrap();
        assert!(
            !args["command"].as_str().unwrap().contains("secrets"),
            "{args}"
        );
    }
}

fn git_below() {
    let (mut place, policy) = (Place::new(), policy(""));
    place.git("init -q");
    place.git("add .");
    place.git("commit -qm one");
    let src = place.work().join("src");
    place.cx = AgentContext::new("s1").with_cwd(src.to_str().unwrap());
    fs::write(src.join("b.txt"), "gamma\n").unwrap();
    let args = json!({ "command": "git status --short && git add . && git commit -qm two" });
    let args = place.left(&policy, "shell", args).unwrap();
    let script = format!("cd src; {}", args["command"].as_str().unwrap());
    assert_eq!(prints(&place.shell(&script)), " M b.txt\n");
    assert_eq!(
        prints(&place.execute(&["git", "show", "--format=", "--name-only"])),
        "src/b.txt\n"
    );
}

fn git_stays() {
    let (place, policy) = (Place::new(), policy("make rm"));
    place.git("init -q");
    fs::write(place.work().join("Makefile"), "all:\n\t@rm -rf .git\n").unwrap();
    assert!(!place.run(&policy, "make").status.success());
    assert!(place.work().join(".git/HEAD").exists());
    let left = place.left(&policy, "shell", json!({ "command": "rm -rf ." }));
    assert!(left.unwrap_err().contains(".git` is forbidden"));
}

/// Commands whose files are only known when they run.
const UNKNOWN_FILES: [(&str, &str); 6] = [
    ("cat \"src/$(ls src | head -1)\"", "beta\n"),
    ("f=$(find . -name 'b.*'); cat \"$f\"", "beta\n"),
    ("d=$(dirname src/b.txt); cd \"$d\" && cat b.txt", "beta\n"),
    (
        "out=$(date +%s).log; echo x > \"$out\"; cat \"$out\"",
        "x\n",
    ),
    ("while read -r f; do cat \"$f\"; done < names", "alpha\n"),
    ("cat $(cat names)", "alpha\n"),
];

fn unknown_files() {
    let (place, policy) = (Place::new(), policy(""));
    fs::write(place.work().join("names"), "a.txt\n").unwrap();
    let mut wrong = Vec::new();
    for (command, printed) in UNKNOWN_FILES {
        match place.left(&policy, "shell", json!({ "command": command })) {
            Ok(args) => {
                let output = place.shell(args["command"].as_str().unwrap());
                if prints(&output) != printed {
                    wrong.push(format!("{command}: {}", said(&output)));
                }
            }
            Err(reason) => wrong.push(format!("{command}: {reason}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The kernel limits which file that is.
    fs::write(place.work().join("names"), "../secret\n").unwrap();
    let said = said(&place.run(&policy, "cat \"$(cat names)\""));
    assert!(!said.contains(SECRET), "{said}");
    assert!(said.contains("/secret: not allowed"), "{said}");
}

fn unknown_programs() {
    let (place, policy) = (Place::new(), policy(""));
    for command in [
        "$(cat a.txt)",
        "X=$(cat a.txt); $X",
        "eval \"$(cat a.txt)\"",
        "ls | xargs sh -c",
    ] {
        let left = place.left(&policy, "shell", json!({ "command": command }));
        assert!(left.is_err(), "{command}: {left:?}");
    }
}

fn hidden() {
    let mut config = SecurityPolicyConfig::default();
    config.allowed_commands.push("make".into());
    config
        .forbidden_paths
        .extend([".env".into(), "src/keys".into()]);
    let (place, policy) = (Place::new(), built(config));
    fs::create_dir_all(place.work().join("deep/er")).unwrap();
    fs::create_dir_all(place.work().join("src/keys")).unwrap();
    for file in [".env", "deep/er/.env", "src/keys/k"] {
        fs::write(place.work().join(file), SECRET).unwrap();
    }
    let makefile = "all:\n\t-@cat .env deep/er/.env src/keys/k\n\t@cat a.txt\n";
    fs::write(place.work().join("Makefile"), makefile).unwrap();
    let said = said(&place.run(&policy, "make"));
    assert!(!said.contains(SECRET) && said.contains("alpha"), "{said}");
}

/// Answers every request with a word.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.read(&mut [0; 1024]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\npong",
            );
        }
    });
    port
}

fn hosts() {
    let place = Place::new();
    let (port, other) = (server(), server());
    let policy = policy("curl make");
    let get = format!("curl -s http://localhost:{port}/");
    assert_eq!(prints(&place.run(&policy, &get)), "pong");
    // Another host under the same rules is out of reach.
    let args = place
        .left(&policy, "shell", json!({ "command": get }))
        .unwrap();
    let command = args["command"].as_str().unwrap();
    let there = command.replace(
        &format!("/localhost:{port}/"),
        &format!("/localhost:{other}/"),
    );
    assert_ne!(command, there);
    let output = place.shell(&there);
    assert!(!said(&output).contains("pong"), "{}", said(&output));
    // Code that names no host reaches none.
    fs::write(place.work().join("Makefile"), format!("all:\n\t@{get}\n")).unwrap();
    assert!(!said(&place.run(&policy, "make")).contains("pong"));
    // The metadata of a cloud has no name, and is not reached.
    let left = place
        .left(
            &policy,
            "shell",
            json!({ "command": "curl -s http://169.254.169.254/" }),
        )
        .unwrap();
    assert!(
        !left["command"]
            .as_str()
            .unwrap()
            .contains("169.254.169.254:80")
    );
    // With a list of hosts, only these.
    let mut config = SecurityPolicyConfig::default();
    config
        .allowed_commands
        .extend(["curl".into(), "make".into()]);
    config.allowed_hosts = Some(vec![format!("localhost:{port}")]);
    let policy = built(config);
    assert_eq!(prints(&place.run(&policy, &get)), "pong");
    assert_eq!(prints(&place.run(&policy, "make")), "pong");
    let reason = place.left(
        &policy,
        "shell",
        json!({ "command": "git clone https://evil.example/x" }),
    );
    let reason = reason.unwrap_err();
    assert!(
        reason.starts_with(
            "the host `evil.example`, on the port 443, is not allowed: use one of these: localhost:"
        ),
        "{reason}"
    );
}

fn persistent() {
    let mut config: SecurityPolicyConfig = SecurityPolicyConfig::default();
    let tool = json!({ "command": "command", "persistent": true });
    config.tools.insert(
        "terminal_of_mine".into(),
        serde_json::from_value(tool).unwrap(),
    );
    config.allowed_commands.push("cd".into());
    for mode in [SandboxMode::Auto, SandboxMode::Off] {
        config.sandbox = mode;
        let (place, policy) = (Place::new(), built(config.clone()));
        symlink("../..", place.work().join("src/up")).unwrap();
        let left = |command: &str| {
            let args = place.left(&policy, "terminal_of_mine", json!({ "command": command }));
            args.map(|args| args["command"].as_str().unwrap().to_owned())
        };
        assert!(left("cat src/up/secret").is_err() || mode == SandboxMode::Auto);
        // Each of them is judged in the workspace, so each runs there: one shell, three calls.
        let calls = [
            "cd src; set -e; false || cat b.txt",
            "cat a.txt",
            "cat up/secret",
        ];
        let calls: Vec<_> = calls.iter().map(|call| left(call).unwrap()).collect();
        let script = format!("{}\necho *.txt \"$PWD\"", calls.join("\n"));
        let output = place.shell(&script);
        let said = said(&output);
        assert!(!said.contains(SECRET), "{said}");
        let work = place.work();
        assert!(said.starts_with("beta\nalpha\n"), "{said}");
        assert!(
            said.contains(&format!("a.txt {}", work.display())),
            "{said}"
        );
    }
}

fn required() {
    let config = SecurityPolicyConfig {
        sandbox: SandboxMode::Require,
        ..SecurityPolicyConfig::default()
    };
    let (place, policy) = (Place::new(), SecurityPolicy::from_config(&config).unwrap());
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "cat a.txt" }));
    let said = hooks![&policy].intercept_now(&place.cx, &mut call);
    assert!(
        said.as_cancel().unwrap().reason.contains("list both hooks"),
        "{said:?}"
    );
    // `cat` confines nothing.
    let config = SecurityPolicyConfig {
        sandbox_program: Some("/bin/cat".into()),
        ..config
    };
    let policy = built(config.clone());
    let left = place.left(&policy, "shell", json!({ "command": "cat a.txt" }));
    assert!(
        left.unwrap_err()
            .contains("/bin/cat cannot confine programs")
    );
    // Where it is not required, the policy is as strict as without one.
    let policy = built(SecurityPolicyConfig {
        sandbox: SandboxMode::Auto,
        ..config
    });
    let args = json!({ "command": "cat a.txt" });
    assert_eq!(place.left(&policy, "shell", args.clone()), Ok(args));
    let left = place.left(&policy, "shell", json!({ "command": "cat \"$X\"" }));
    assert!(left.unwrap_err().contains("only known"));
    assert!(
        policy
            .with_sandbox()
            .0
            .is_confined()
            .unwrap_err()
            .contains("/bin/cat")
    );
}

fn shell_hook() {
    use hooks_builtin::{SandboxConfig, ShellHook, ShellHookConfig};

    let place = Place::new();
    let script = "cat ../secret; echo x > src/made; echo x > made; exit 1";
    let hook = ShellHook::from_config(&ShellHookConfig {
        sandbox: Some(SandboxConfig {
            write: vec!["src".into()],
            read: vec![".".into()],
            ..SandboxConfig::default()
        }),
        ..ShellHookConfig::new(script)
    });
    let hooks = hooks![hook.unwrap()];
    let mut call = BeforeToolCall::new("1", "read", json!({}));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let said = runtime.block_on(hooks.intercept(&place.cx, &mut call));
    let reason = &said.as_cancel().unwrap().reason;
    assert!(!reason.contains(SECRET), "{reason}");
    assert!(
        reason.contains("/secret: not allowed") && reason.contains("/made: not allowed"),
        "{reason}"
    );
    assert!(place.work().join("src/made").exists() && !place.work().join("made").exists());
}

fn default_list() {
    let (place, policy) = (Place::new(), policy(""));
    fs::write(place.work().join("Makefile"), "all:\n\t@cat a.txt\n").unwrap();
    assert_eq!(prints(&place.run(&policy, "make")), "alpha\n");
    let left = place.left(&policy, "shell", json!({ "command": "rm a.txt" }));
    assert!(left.unwrap_err().contains("make, mkdir, node, "));
    let open = SecurityPolicy::new().unwrap();
    let mut call = BeforeToolCall::new("1", "shell", json!({ "command": "make" }));
    let said = hooks![open].intercept_now(&place.cx, &mut call);
    assert!(
        said.as_cancel()
            .unwrap()
            .reason
            .contains("in a sandbox only"),
        "{said:?}"
    );
    // Who writes a list means it.
    let own = SecurityPolicyConfig {
        allowed_commands: vec!["cat".into()],
        ..SecurityPolicyConfig::default()
    };
    assert!(
        place
            .left(&built(own), "shell", json!({ "command": "make" }))
            .is_err()
    );
}

fn harmless() {
    let more = "awk bash cp env jq mktemp mv nproc rm sh tar tee xargs";
    let (place, policy) = (Place::new(), policy(more));
    place.git("init -q");
    let corpus = include_str!("../corpus/confined_harmless.txt").lines();
    let lines = corpus.filter(|line| !line.is_empty() && !line.starts_with("# "));
    let stopped = lines.filter_map(|line| {
        let command = line.replace("\\n", "\n");
        let left = place.left(&policy, "shell", json!({ "command": command }));
        Some(format!("{line}\n    {}", left.err()?))
    });
    let stopped: Vec<_> = stopped.collect();
    assert!(
        stopped.is_empty(),
        "{} are stopped:\n{}",
        stopped.len(),
        stopped.join("\n")
    );
}

/// Prints what a call costs with the policy alone and in a sandbox, in a workspace of 100,000 files.
fn cost() {
    let (place, policy) = (Place::new(), policy(""));
    for folder in 0..100 {
        let folder = place.work().join(format!("node_modules/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..1000 {
            fs::write(folder.join(file.to_string()), "").unwrap();
        }
    }
    let (confined, sandbox) = policy.clone().with_sandbox();
    let (alone, both) = (hooks![policy], hooks![confined, sandbox]);
    for command in [
        "git status",
        "cat a.txt > src/out",
        "git ls-files | xargs wc -l",
        "find . -name '*.rs' -delete",
    ] {
        let median = |run: &dyn Fn() -> bool| {
            let mut times: Vec<_> = (0..101)
                .map(|_| {
                    let start = std::time::Instant::now();
                    run();
                    start.elapsed()
                })
                .collect();
            times.sort();
            times[50]
        };
        let call = || BeforeToolCall::new("1", "shell", json!({ "command": command }));
        let alone = median(&|| alone.intercept_now(&place.cx, &mut call()).is_continue());
        let both = median(&|| both.intercept_now(&place.cx, &mut call()).is_continue());
        println!("{command}: {alone:?} alone, {both:?} with the sandbox");
    }
}
