//! How tests run the program.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// What the program has said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) errors: String,
}

pub(crate) fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks"));
    command.args(args).current_dir(folder);
    command.env("XDG_STATE_HOME", folder.join(".state"));
    // The daemon of whoever runs the tests is none of theirs.
    command.env("HOOKS_SOCKET", "off");
    for name in [
        "CLAUDE_PROJECT_DIR",
        "CURSOR_PROJECT_DIR",
        "GEMINI_PROJECT_DIR",
    ] {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(mut command: Command, input: &str) -> Said {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that does not read its input may be gone already.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        errors: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the program in a folder, with this on its standard input.
pub(crate) fn hooks(folder: &Path, args: &[&str], input: &str) -> Said {
    run(command(folder, args), input)
}

pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
