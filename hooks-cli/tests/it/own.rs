//! `hooks self check` says what is true of this machine.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{command, hooks, json, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_hooks");

/// A project in which these agents run this program. The user has nothing else.
fn project(agents: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), "[hooks]\n").unwrap();
    for agent in agents {
        let init = command(folder.path(), &["init", "--agent", agent, "--write"]);
        let said = run(at_home(folder.path(), init), "");
        assert_eq!(said.code, 0, "{agent}: {}", said.errors);
    }
    folder
}

fn at_home(folder: &Path, mut command: Command) -> Command {
    command.env("HOME", folder).env("PATH", folder);
    command
}

fn check(folder: &Path) -> Command {
    at_home(folder, command(folder, &["self", "check", "--json"]))
}

/// What is said about a thing, and whether that works.
#[track_caller]
fn about(check: Command, thing: &str) -> Vec<(bool, String)> {
    let said = run(check, "");
    let all = json(&said.out);
    let all = all.as_array().unwrap();
    let works = all.iter().all(|finding| finding["ok"] == true);
    assert_eq!(said.code, i32::from(!works), "{}", said.out);
    let found = all.iter().filter(|finding| finding["about"] == thing);
    let text = |finding: &Value| finding["says"].as_str().unwrap().to_owned();
    found
        .map(|finding| (finding["ok"] == true, text(finding)))
        .collect()
}

#[test]
fn a_version_is_that_of_the_program_and_paths_are_whole() {
    let folder = project(&[]);
    let here = folder.path();
    let version = format!("{}, {PROGRAM}", env!("CARGO_PKG_VERSION"));
    assert_eq!(about(check(here), "version"), [(true, version)]);
    let none = "no folder of it has a program `hooks`".to_owned();
    assert_eq!(about(check(here), "PATH"), [(true, none)]);
    std::os::unix::fs::symlink(PROGRAM, here.join("hooks")).unwrap();
    let found = here.join("hooks").display().to_string();
    assert_eq!(about(check(here), "PATH"), [(true, found.clone())]);
    std::fs::remove_file(here.join("hooks")).unwrap();
    std::fs::write(here.join("hooks"), "another").unwrap();
    let other = format!("{found} is another program than this one");
    assert_eq!(about(check(here), "PATH"), [(false, other)]);
}

#[test]
fn it_says_which_program_each_agent_runs() {
    let folder = project(&["claude", "codex", "opencode", "picoclaw"]);
    let here = folder.path();
    for title in ["Claude Code", "Codex", "OpenCode", "PicoClaw"] {
        let said = about(check(here), title);
        let [(true, says)] = said.as_slice() else {
            panic!("{title}: {said:?}");
        };
        assert!(says.ends_with(&format!(" runs {PROGRAM}")), "{says}");
    }
    let settings = here.join(".claude/settings.json");
    let text = std::fs::read_to_string(&settings).unwrap();
    std::fs::write(here.join("hooks"), "another").unwrap();
    let other = here.join("hooks").display().to_string();
    for (program, told) in [
        (
            "/gone/hooks",
            "runs /gone/hooks, which is not there".to_owned(),
        ),
        (
            "hooks",
            format!("runs {other}, another program than this one"),
        ),
        (
            "$CLAUDE_PROJECT_DIR/hooks",
            format!("runs {other}, another program than this one"),
        ),
    ] {
        std::fs::write(&settings, text.replace(PROGRAM, program)).unwrap();
        let told = format!("{} {told}", settings.display());
        assert_eq!(about(check(here), "Claude Code"), [(false, told)]);
    }
    // A name alone is looked for in `PATH`, and not beside the settings.
    std::fs::write(&settings, text.replace(PROGRAM, "hooks")).unwrap();
    let with_path = |json: &[&str]| {
        let mut check = command(here, &[&["self", "check"], json].concat());
        check.env("HOME", here).env("PATH", here.join(".state"));
        check
    };
    let told = format!(
        "{} runs hooks, which no folder of `PATH` has",
        settings.display()
    );
    assert_eq!(
        about(with_path(&["--json"]), "Claude Code"),
        [(false, told.clone())]
    );
    let said = run(with_path(&[]), "");
    let line = format!("Claude Code: fault: {told}\n");
    assert!(said.code == 1 && said.out.contains(&line), "{}", said.out);
    assert_eq!(said.out.matches("fault: ").count(), 1, "{}", said.out);
    let none = project(&[]);
    assert!(
        about(check(none.path()), "agents")[0]
            .1
            .contains("hooks init")
    );
}

#[test]
fn it_says_whether_the_daemon_answers_and_which_it_is() {
    let folder = project(&[]);
    let here = folder.path();
    let socket = here.join("hooks.sock");
    let asked = || {
        let mut check = check(here);
        check.env("HOOKS_SOCKET", &socket);
        about(check, "daemon").remove(0)
    };
    let (works, says) = asked();
    assert!(works && says.starts_with("none at "), "{says}");
    #[cfg(feature = "server")]
    {
        let mut serve = command(here, &["serve", "--json", "--socket"]);
        serve.arg(&socket);
        let _daemon = crate::daemon::started(serve);
        assert_eq!(asked(), (true, format!("answers at {}", socket.display())));
    }
    let _ = std::fs::remove_file(&socket);
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (answer, told) in [
        (
            "HTTP/1.1 409 Conflict\r\nhooks-version: 9.9.9\r\n\r\n",
            "has version 9.9.9",
        ),
        ("HTTP/1.1 404 Not Found\r\n\r\n", "is not a hooks daemon"),
    ] {
        let listener = listener.try_clone().unwrap();
        let other = std::thread::spawn(move || {
            use std::io::{Read as _, Write as _};
            let (mut stream, _) = listener.accept().unwrap();
            let mut part = [0; 512];
            assert!(stream.read(&mut part).unwrap() > 0);
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let (works, says) = asked();
        other.join().unwrap();
        assert!(!works && says.contains(told), "{says}");
    }
}

#[test]
fn it_says_which_trusted_files_have_changed() {
    let folder = project(&[]);
    let here = folder.path();
    let file = here.join("hooks.toml");
    let said = || about(check(here), "trust").remove(0);
    assert_eq!(
        said(),
        (true, "you trust no file yet, and none is needed".to_owned())
    );
    assert_eq!(hooks(here, &["trust", "--yes"], "").code, 0);
    let named = file.canonicalize().unwrap().display().to_string();
    assert_eq!(said(), (true, named.clone()));
    std::fs::write(&file, "# other\n").unwrap();
    let (works, says) = said();
    assert!(
        !works && says.starts_with(&format!("{named} has changed")),
        "{says}"
    );
}

#[test]
fn it_says_that_the_sandbox_works_where_it_does() {
    let folder = project(&[]);
    let [(works, says)] = &*about(check(folder.path()), "sandbox") else {
        panic!("one line");
    };
    let mut confined = command(folder.path(), &["sandbox", "--", "true"]);
    confined.env("HOME", folder.path());
    let said = run(confined, "");
    assert_eq!(*works, said.code == 0, "{says}: {}", said.errors);
    assert_eq!(*works, says.starts_with("works"), "{says}");
}
