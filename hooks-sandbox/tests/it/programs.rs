//! What people run works out of the box, with all presets and nothing but a writable folder.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use hooks_sandbox::Report;
use libtest_mimic::Trial;

use crate::agent::{Mode, is_full};
use crate::place::Place;
use crate::{Tested, check, test};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        runs("git", "git", GIT),
        runs(
            "a_new_repository_below",
            "git",
            "git init -q new && cd new && git commit -q --allow-empty -m x && git log --oneline | wc -l",
        ),
        runs("make_with_a_linker", "cc", MAKE),
        runs("npm_test", "npm", NPM),
        runs("python_unittest", "python3", PYTHON),
        runs(
            "temporary_files",
            "mktemp",
            "test -w \"$(mktemp)\" && test -w \"$(mktemp -p /dev/shm)\" && echo fine",
        ),
        runs(
            "a_terminal",
            "script",
            "script -qc tty /dev/null | grep -q /dev/pts/ && echo fine",
        ),
        runs(
            "descriptors_as_files",
            "bash",
            "bash -c 'cat <(echo fine) /dev/null'",
        ),
        runs("a_server_of_its_own", "python3", SERVER),
        runs(
            "threads_and_shared_memory",
            "python3",
            "python3 -c 'import multiprocessing as m, threading; m.Lock(); t = threading.Thread(target=print, args=[\"fine\"]); t.start(); t.join()'",
        ),
        test("programs::cargo_test", cargo_test),
        test("programs::python_pytest", pytest),
    ]
}

const GIT: &str = "git status --short > /dev/null && git add src && git commit -qm x && git log --oneline | wc -l \
    && git stash list && git checkout -q -b other && git diff HEAD > /dev/null && git gc -q && git status | grep -q other && echo fine";
const MAKE: &str = "printf 'int main(void) { return 0; }' > m.c; printf 'all: m\\n\\t./m\\nm: m.c\\n\\tcc -O2 m.c -o m\\n' > Makefile; make && echo fine";
const NPM: &str = r#"echo '{"name": "x", "version": "1.0.0", "scripts": {"test": "node --test a.test.js"}}' > package.json
    echo 'require("node:test")("listens", (_, done) => { const s = require("http").createServer().listen(0, "127.0.0.1", () => s.close(done)) })' > a.test.js
    npm test && echo fine"#;
const PYTHON: &str = r"printf 'import unittest, tempfile\nclass T(unittest.TestCase):\n    def test(self):\n        with tempfile.TemporaryDirectory(): pass\n' > test_a.py
    python3 -m unittest && echo fine";
const SERVER: &str = r#"python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(("localhost", s.getsockname()[1]))
print("fine")'"#;

/// A script that works in the sandbox as root and as an ordinary user. Without namespaces, some of them do not.
fn runs(name: &'static str, needs: &'static str, script: &'static str) -> Trial {
    test(format!("programs::{name}"), move || {
        let there = Command::new("which")
            .arg(needs)
            .stdout(Stdio::null())
            .status()?
            .success();
        if !there {
            return check(!is_full(), format!("{needs} is not here"));
        }
        for mode in Mode::all().into_iter().filter(|mode| mode.has_namespaces) {
            let place = Place::new(mode);
            let before = place.state();
            let output = mode.run(place.path(), "", &["sh", "-c", script]);
            let text =
                String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            check(output.status.success(), format!("{mode:?}: {text}"))?;
            check(
                place.state() == before,
                format!("{mode:?}: it has changed what is protected"),
            )?;
        }
        Ok(())
    })
}

/// The toolchain is where rustup has put it, in the home of who runs the tests.
fn cargo_test() -> Tested {
    let home = std::env::home_dir().ok_or("no home")?;
    let place = tempfile::tempdir()?;
    for (name, text) in [
        (
            "work/Cargo.toml",
            "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n",
        ),
        (
            "work/src/lib.rs",
            "#[test]\nfn temporary() { std::fs::write(std::env::temp_dir().join(\"x\"), \"x\").unwrap(); }\n",
        ),
        (
            "work/build.rs",
            "fn main() { assert!(std::fs::read(\"../secret\").is_err()); println!(\"cargo::rerun-if-changed=build.rs\"); }\n",
        ),
        ("secret", "x"),
        ("plain/x", ""),
        ("work/.env", ""),
        ("outside/secret", ""),
        ("outside/file", ""),
    ] {
        fs::create_dir_all(place.path().join(name).parent().ok_or("no folder")?)?;
        fs::write(place.path().join(name), text)?;
    }
    let output = Command::new(crate::agent::executable())
        .arg("--agent")
        .args([place.path(), Path::new(""), Path::new("cargo")])
        .args(["test", "--offline"])
        .env("HOME", home)
        .env_remove("CARGO_TARGET_DIR")
        .current_dir(place.path().join("work"))
        .output()?;
    let text = String::from_utf8_lossy(&output.stderr);
    check(output.status.success(), text.clone())?;
    // What cargo does without is not told.
    let refused = Report::parse(&text).refused;
    check(
        refused.len() == 1 && refused[0].target.ends_with("/secret"),
        text.clone(),
    )?;
    check(
        String::from_utf8_lossy(&output.stdout).contains("1 passed"),
        text,
    )
}

fn pytest() -> Tested {
    let mode = Mode {
        is_root: crate::agent::is_root(),
        has_namespaces: true,
    };
    let has = Command::new("/usr/bin/python3")
        .args(["-c", "import pytest"])
        .stderr(Stdio::null())
        .status();
    if !has.is_ok_and(|status| status.success()) {
        // It is the same interpreter as for `unittest`, which every machine has.
        return Ok(());
    }
    let place = Place::new(mode);
    let output = mode.run(
        place.path(),
        "",
        &[
            "sh",
            "-c",
            "echo 'def test_a(tmp_path): pass' > test_a.py; python3 -m pytest -q",
        ],
    );
    check(
        output.status.success(),
        String::from_utf8_lossy(&output.stdout),
    )
}
