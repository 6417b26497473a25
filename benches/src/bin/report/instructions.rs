//! The instructions of a dispatch: the report runs itself under `valgrind`, which dispatches one case in one way.

use std::env;
use std::process::Command;

use benches::{Case, Way, callgrind, cases};

use crate::figures::Found;

/// The first argument of a run that is counted.
pub(crate) const COMMAND: &str = "__instructions";

const FEW: u64 = 1_000;
const MANY: u64 = 11_000;

/// Counts the instructions of the static ways and of the way by hand.
pub(crate) fn count(figures: &mut Found, quick: bool) -> Result<(), String> {
    if !callgrind::is_installed() {
        return Ok(());
    }
    let mut programs = vec![(
        "instructions",
        vec![callgrind::this_program()?, COMMAND.to_owned()],
    )];
    if !quick {
        programs.push(("instructions in 16 units", vec![in_units()?]));
    }
    for (figure, program) in programs {
        for case in cases() {
            if !quick || case.name == "sync_8" {
                count_case(figures, figure, &program, &case)?;
            }
        }
    }
    Ok(())
}

/// The cases once more, compiled in as many codegen units as rustc makes by itself. Where it is, it tells.
fn in_units() -> Result<String, String> {
    let cargo = env::var_os("CARGO").ok_or("not run by `cargo run`")?;
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/units/Cargo.toml");
    let run = Command::new(cargo)
        .args(["run", "--quiet", "--release", "--manifest-path", manifest])
        .output()
        .map_err(|error| error.to_string())?;
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&run.stdout).trim().to_owned())
}

/// Counts one case in all its ways but the slow ones, and compares those.
fn count_case(
    figures: &mut Found,
    figure: &str,
    program: &[String],
    case: &Case,
) -> Result<(), String> {
    let name = case.name;
    for contestant in &case.contestants {
        let way = contestant.way;
        if way == Way::Dyn || way == Way::Boxed && name != "sync_8" {
            continue;
        }
        let command: Vec<&str> = program
            .iter()
            .map(String::as_str)
            .chain([name, way.name()])
            .collect();
        let count = callgrind::instructions(&command, FEW, MANY)?;
        figures.measure(format!("{name} {figure} {}", way.name()), count);
    }
    let count = |figures: &Found, way: &str| figures.get(&format!("{name} {figure} {way}"));
    for (way, other) in [
        ("static", "hand"),
        ("static_now", "hand"),
        ("boxed", "static"),
    ] {
        if let (Some(hooks), Some(others)) = (count(figures, way), count(figures, other)) {
            figures.measure(format!("{name} {figure} {way}/{other}"), hooks / others);
        }
    }
    for way in ["spread_empty", "spread_others"] {
        if let (Some(spread), Some(without)) = (count(figures, way), count(figures, "static")) {
            figures.measure(format!("{name} {figure} {way}-static"), spread - without);
        }
    }
    Ok(())
}
