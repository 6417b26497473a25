//! Runs an example as a person would, and returns what it printed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The output of an example that succeeded.
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the example with these arguments and this text on standard input.
pub(crate) fn run(example: &str, args: &[&str], stdin: &str) -> Printed {
    let output = output(example, args, stdin);
    let printed = Printed {
        stdout: String::from_utf8(output.stdout).expect("prints text"),
        stderr: String::from_utf8(output.stderr).expect("prints text"),
    };
    assert!(
        output.status.success(),
        "{example} {args:?}: {}",
        printed.stderr
    );
    printed
}

/// Like [`run`], for an example that may fail.
pub(crate) fn output(example: &str, args: &[&str], stdin: &str) -> Output {
    let mut child = command(example)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example runs");
    // An example that ends before it has read everything closes the pipe.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(stdin.as_bytes());
    child.wait_with_output().expect("the example ends")
}

/// A command that runs the example without colours.
pub(crate) fn command(example: &str) -> Command {
    let mut command = Command::new(binary(example));
    command.env_remove("CLICOLOR_FORCE");
    // The folder of the build that runs these tests is outside of the sandbox.
    command.env_remove("CARGO_TARGET_DIR");
    command
}

/// Asserts that the text contains the lines, in this order.
#[track_caller]
pub(crate) fn assert_lines(text: &str, lines: &[&str]) {
    let mut rest = text.lines();
    for line in lines {
        assert!(
            rest.any(|printed| printed.trim() == *line),
            "`{line}` is not printed, or not in its place:\n{text}"
        );
    }
}

/// The path of the example: cargo builds it with its package's tests, next to their folder.
fn binary(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.ancestors().nth(2).expect("a test is in `deps`");
    let binary = profile
        .join("examples")
        .join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        binary.exists(),
        "{} is not built: run `cargo build --workspace --examples`",
        binary.display()
    );
    binary
}
