//! A file that nobody has named runs only if the user trusts it.

use std::path::Path;

use crate::common::{Said, command, hooks, json, run};
use serde_json::json as value;

const FILE: &str = "[hooks.builtin]\nredact = true\n\
                    [[hooks.on]]\nevent = 'BeforeToolCall'\ncommand = { run = 'touch ran; echo {}' }\n\
                    [[hooks.on]]\nevent = 'ApproveToolCall'\napprove = 'me \u{202e}'\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hooks.toml"), FILE).unwrap();
    folder
}

fn call(folder: &Path) -> String {
    value!({ "session_id": "s1", "cwd": folder, "hook_event_name": "PreToolUse", "tool_name": "Bash",
             "tool_input": { "command": "ls" }, "tool_use_id": "1" })
    .to_string()
}

fn asked(folder: &Path) -> Said {
    hooks(folder, &["run", "--as", "claude"], &call(folder))
}

#[test]
fn a_found_file_is_refused_until_it_is_trusted_and_after_a_change() {
    let folder = folder();
    let here = folder.path();
    let refused = |said: &Said| {
        assert_eq!((said.code, &*said.out), (2, ""), "{}", said.errors);
        let file = here.join("hooks.toml").display().to_string();
        assert!(
            said.errors.contains(&format!("run `hooks trust {file}`")),
            "{}",
            said.errors
        );
        assert!(!here.join("ran").exists());
    };
    refused(&asked(here));
    let event = ["fire", "--event", "BeforeToolCall", "--tool", "x"];
    assert_eq!(hooks(here, &event, "").code, 1);
    assert!(!here.join("ran").exists());
    // What runs nothing needs no trust, and a name is trust.
    for args in [&["check"][..], &["plan"], &["why", "--event", "BeforeStop"]] {
        assert_eq!(hooks(here, args, "").code, 0, "{args:?}");
    }
    let named = hooks(here, &["run", "hooks.toml", "--as", "claude"], &call(here));
    assert!(
        named.code == 0 && here.join("ran").exists(),
        "{}",
        named.errors
    );
    std::fs::remove_file(here.join("ran")).unwrap();

    assert_eq!(hooks(here, &["trust", "--yes"], "").code, 0);
    assert_eq!(asked(here).code, 0);
    assert!(here.join("ran").exists());
    std::fs::remove_file(here.join("ran")).unwrap();

    let changed = FILE.replace("echo {}", "echo {} ");
    std::fs::write(here.join("hooks.toml"), changed).unwrap();
    refused(&asked(here));
}

#[test]
fn an_import_is_trusted_with_its_file() {
    let folder = folder();
    let here = folder.path();
    std::fs::rename(here.join("hooks.toml"), here.join("more.toml")).unwrap();
    std::fs::write(
        here.join("hooks.toml"),
        "[[hooks.import]]\nhooks = 'more.toml'\n",
    )
    .unwrap();
    let shown = hooks(here, &["trust", "--yes"], "");
    assert!(
        shown.out.contains("touch ran"),
        "{}{}",
        shown.out,
        shown.errors
    );
    assert_eq!(asked(here).code, 0);
    std::fs::write(here.join("more.toml"), format!("{FILE}\n")).unwrap();
    let said = asked(here);
    assert!(
        said.code == 2 && said.errors.contains("more.toml"),
        "{}",
        said.errors
    );
}

#[test]
fn somebody_reads_everything_and_says_yes() {
    let folder = folder();
    let said = hooks(folder.path(), &["trust"], "y\n");
    assert_eq!(said.code, 2);
    assert!(
        said.errors.contains("this needs a terminal"),
        "{}",
        said.errors
    );
    for part in [
        r"touch ran; echo {}",
        r"me \u{202e}",
        "builtin.redact: true",
    ] {
        assert!(said.out.contains(part), "{part}: {}", said.out);
    }
    assert_eq!(asked(folder.path()).code, 2);
}

#[test]
fn trust_is_listed_and_taken_back() {
    let folder = folder();
    let here = folder.path();
    hooks(here, &["trust", "--yes"], "");
    let listed = json(&hooks(here, &["trust", "--list", "--json"], "").out);
    assert_eq!(
        listed,
        value!([here.canonicalize().unwrap().join("hooks.toml")])
    );
    assert_eq!(hooks(here, &["trust", "--remove"], "").code, 0);
    assert_eq!(asked(here).code, 2);
    let again = hooks(here, &["trust", "--remove"], "");
    assert!(
        again.code == 1 && again.errors.contains("is not trusted"),
        "{}",
        again.errors
    );
}

#[test]
fn what_init_writes_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    hooks(folder.path(), &["init", "--agent", "claude"], "");
    let said = asked(folder.path());
    assert!(!said.errors.contains("trust"), "{}", said.errors);
}

#[cfg(unix)]
#[test]
fn what_others_could_have_written_trusts_nothing() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder();
    let here = folder.path();
    hooks(here, &["trust", "--yes"], "");
    let kept = here.join(".state/hooks/trusted");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&kept), mode(kept.parent().unwrap())), (0o600, 0o700));
    for (path, before) in [(&*kept, 0o600), (kept.parent().unwrap(), 0o700)] {
        let set = |mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        set(before | 0o020);
        let said = asked(here);
        assert!(
            said.code == 2 && said.errors.contains("other users have rights"),
            "{}",
            said.errors
        );
        assert_eq!(hooks(here, &["trust", "--yes"], "").code, 1);
        set(before);
        assert_eq!(asked(here).code, 0);
    }
}

/// A project brings along a list of what is trusted, and names the place of it.
#[test]
fn a_relative_place_of_the_state_is_no_place() {
    let folder = folder();
    let here = folder.path();
    hooks(here, &["trust", "--yes"], "");
    let mut program = command(here, &["run", "--as", "claude"]);
    program
        .env("XDG_STATE_HOME", ".state")
        .env("HOME", "/nowhere");
    assert_eq!(run(program, &call(here)).code, 2);
}
