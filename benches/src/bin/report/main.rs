//! Every figure in one pass: what hooks cost in time, instructions, bytes and allocations.
//!
//! ```sh
//! RUSTFLAGS="-C llvm-args=-align-all-functions=6" cargo run --release -p benches --bin report
//! ```
//!
//! It prints a line a figure, as `sync_8 static/hand 1.02`, and then those that have a bar to meet. The
//! ways to run the hooks take turns, so that what disturbs the machine disturbs them all, and a figure is
//! a ratio of medians. The flag puts every function at the start of a cache line: without it, where the loops
//! happen to lie is worth up to a quarter of the time of the shortest. Options:
//!
//! - `--quick`: fewer and shorter rounds;
//! - `--write`: also writes what was found into `docs/performance.toml`, and the pages that show it;
//! - `--rig`: also measures a pipeline as a hook of rig, which builds rig.

mod figures;
mod instructions;
mod programs;
mod timing;

use std::process::ExitCode;

use benches::figures::Figures;

use crate::figures::Found;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    quick: bool,
    rig: bool,
    write: bool,
}

impl Options {
    fn parse(args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        for arg in args {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--rig" => options.rig = true,
                "--write" => options.write = true,
                _ => return Err(format!("no such option: `{arg}`")),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).peekable();
    let done = if args.peek().is_some_and(|arg| arg == instructions::COMMAND) {
        benches::run_counted(args.skip(1))
    } else {
        Options::parse(args).and_then(|options| report(&options))
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints everything.
fn report(options: &Options) -> Result<(), String> {
    let mut figures = Found::default();
    timing::measure(&mut figures, options.quick);
    for (case, bytes) in benches::future_bytes() {
        figures.count(format!("future bytes {case}"), bytes as u64);
    }
    programs::take(&mut figures, "allocations", false)?;
    instructions::count(&mut figures, options.quick)?;
    for program in ["builtin", "driver", "runtime", "memory"] {
        programs::take(&mut figures, program, options.quick)?;
    }
    if options.rig {
        programs::take_rig(&mut figures, options.quick)?;
    }

    compare(&figures, options.write)
}

/// Prints the missed bars, and writes what was found if that is wanted.
fn compare(found: &Found, write: bool) -> Result<(), String> {
    let mut figures = Figures::read();
    println!("\nmissed:");
    for figure in &mut figures.all {
        let Some(value) = found.get(&figure.name) else {
            continue;
        };
        figure.here = Some(value);
        if !figure.is_met() {
            println!("{} {}", figure.name, figure.shown());
        }
    }
    if write {
        for (path, text) in figures.files() {
            let written = std::fs::write(&path, text);
            written.map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}
