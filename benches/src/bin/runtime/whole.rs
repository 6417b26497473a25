//! `hooks run --as claude`: a whole process for one event, with all built-in hooks on.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use benches::builtin::{AllOn, Receiver};
use benches::python;
use benches::turns::{median, per_turn};
use serde_json::json;

pub(crate) fn run(rounds: usize) -> Result<(), Box<dyn Error>> {
    let program = program()?;
    let on = AllOn::new(Receiver::Answers)?;
    let folder = on.folder();
    let file = folder.join("hooks.json");
    std::fs::write(&file, on.config.to_string())?;
    let event = json!({
        "session_id": "session-1", "transcript_path": null, "cwd": folder, "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": "call-1",
        "tool_input": { "command": "git status", "description": "Shows what has changed" },
    })
    .to_string();
    let (mut whole, mut pass) = (Vec::new(), Vec::new());
    let python = python();
    for _ in 0..rounds {
        let start = Instant::now();
        once(&program, &file, folder, &event)?;
        whole.push(per_turn(start, 1) / 1e3);
        if let Some(python) = &python {
            let start = Instant::now();
            assert!(
                Command::new(python)
                    .args(["-c", "pass"])
                    .status()?
                    .success()
            );
            pass.push(per_turn(start, 1) / 1e3);
        }
    }
    let whole = median(whole);
    println!("runtime hooks run ms {whole}");
    if !pass.is_empty() {
        println!("runtime hooks run/python {}", whole / median(pass));
    }
    Ok(())
}

/// One event, as Claude Code has it run.
fn once(program: &Path, file: &Path, folder: &Path, event: &str) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(program)
        .arg("run")
        .arg(file)
        .args(["--as", "claude"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().ok_or("a pipe is missing")?;
    input.write_all(event.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// The program `hooks`, which cargo builds beside this one.
fn program() -> Result<PathBuf, Box<dyn Error>> {
    let cargo = std::env::var_os("CARGO").ok_or("not run by `cargo run`")?;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml");
    // With `benches` among the packages, their common dependencies have the features that they were built with.
    let packages = ["-p", "benches", "-p", "hooks-cli", "--bin", "hooks"];
    let built = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--manifest-path", manifest])
        .args(packages)
        .status()?;
    if !built.success() {
        return Err("`hooks` cannot be built".into());
    }
    let name = format!("hooks{}", std::env::consts::EXE_SUFFIX);
    Ok(std::env::current_exe()?.with_file_name(name))
}
