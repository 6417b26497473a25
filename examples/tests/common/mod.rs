//! Runs an example as a person would, and gives back what it printed.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What an example printed; it has ended well.
pub(crate) struct Printed {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the example with the arguments and, on its standard input, the text.
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

/// As [`run`], however the example ended.
pub(crate) fn output(example: &str, args: &[&str], stdin: &str) -> Output {
    let mut child = command(example)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the example runs");
    // An example that ends before it has read all closes the pipe.
    let _ = child
        .stdin
        .take()
        .expect("piped")
        .write_all(stdin.as_bytes());
    child.wait_with_output().expect("the example ends")
}

/// The example, to be run without colours.
pub(crate) fn command(example: &str) -> Command {
    let mut command = Command::new(binary(example));
    command.env_remove("CLICOLOR_FORCE");
    command
}

/// Where cargo puts examples: it builds them for `cargo test -p examples`, beside the tests' folder.
fn binary(example: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.ancestors().nth(2).expect("a test is in `deps`");
    let binary = profile
        .join("examples")
        .join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    assert!(
        binary.exists(),
        "{} is not built: run `cargo test -p examples`, or `cargo build -p examples --examples`",
        binary.display()
    );
    binary
}
