//! Figures of programs of their own: an allocator that counts takes its time over it, and would slow the ways that
//! allocate; and the built-in hooks have threads.

use std::env;
use std::process::{Command, Stdio};

use crate::figures::Found;

/// Runs a program of this crate through cargo, and takes the figures that it prints.
pub(crate) fn take(figures: &mut Found, program: &str, quick: bool) -> Result<(), String> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let words = ["run", "--release", "--bin", program, "--manifest-path"];
    run(figures, &words, manifest, quick).map_err(|error| format!("`{program}`: {error}"))
}

/// The same for a turn of an agent of rig, whose crate is a workspace of its own.
pub(crate) fn take_rig(figures: &mut Found, quick: bool) -> Result<(), String> {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-rig/Cargo.toml");
    let words = ["bench", "--bench", "turn", "--manifest-path"];
    run(figures, &words, manifest, quick).map_err(|error| format!("rig: {error}"))
}

fn run(figures: &mut Found, words: &[&str], manifest: &str, quick: bool) -> Result<(), String> {
    let cargo = env::var_os("CARGO").ok_or("not run by `cargo run`")?;
    let options: &[&str] = if quick { &["--", "--quick"] } else { &[] };
    let run = Command::new(cargo)
        .args(words)
        .args([manifest, "--quiet"])
        .args(options)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !run.status.success() {
        return Err(run.status.to_string());
    }
    let printed = String::from_utf8(run.stdout).map_err(|error| error.to_string())?;
    for line in printed.lines() {
        if let Some((name, value)) = line.rsplit_once(' ')
            && let Ok(value) = value.parse()
        {
            figures.measure(name.to_owned(), value);
        }
    }
    Ok(())
}
