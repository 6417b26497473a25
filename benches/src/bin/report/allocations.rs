//! Allocations, counted by a program of its own: an allocator that counts takes its time over it, and
//! would slow the ways that allocate.

use std::env;
use std::process::Command;

use crate::figures::Figures;

/// Runs the program `allocations` through cargo, and takes the figures that it prints.
pub(crate) fn count(figures: &mut Figures) {
    match run() {
        Ok(printed) => {
            for line in printed.lines() {
                if let Some((name, value)) = line.rsplit_once(' ')
                    && let Ok(value) = value.parse()
                {
                    figures.count(name.to_owned(), value);
                }
            }
        }
        Err(error) => eprintln!("report: allocations are not counted: {error}"),
    }
}

fn run() -> Result<String, String> {
    let cargo = env::var_os("CARGO").ok_or("not run by `cargo run`")?;
    let run = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--bin", "allocations"])
        .args([
            "--manifest-path",
            concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
        ])
        .output()
        .map_err(|error| error.to_string())?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    String::from_utf8(run.stdout).map_err(|error| error.to_string())
}
