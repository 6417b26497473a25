//! Figures of programs of their own: an allocator that counts takes its time over it, and would slow the ways that
//! allocate; and the built-in hooks have threads.

use std::env;
use std::process::{Command, Stdio};

use crate::figures::Figures;

/// Runs a program of this crate through cargo, and takes the figures that it prints.
pub(crate) fn take(figures: &mut Figures, program: &str, quick: bool) -> Result<(), String> {
    let printed = run(program, quick).map_err(|error| format!("`{program}`: {error}"))?;
    for line in printed.lines() {
        if let Some((name, value)) = line.rsplit_once(' ')
            && let Ok(value) = value.parse()
        {
            figures.measure(name.to_owned(), value);
        }
    }
    Ok(())
}

fn run(program: &str, quick: bool) -> Result<String, String> {
    let cargo = env::var_os("CARGO").ok_or("not run by `cargo run`")?;
    let run = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--bin", program])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .args(
            quick
                .then_some("--")
                .into_iter()
                .chain(quick.then_some("--quick")),
        )
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !run.status.success() {
        return Err(run.status.to_string());
    }
    String::from_utf8(run.stdout).map_err(|error| error.to_string())
}
