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
//! - `--strict`: ends with an error if a bar is missed, which on a busy machine means little;
//! - `--svg FILE`: also draws the times as a chart;
//! - `--rig`: also measures a pipeline as a hook of rig, which builds rig.

mod bars;
mod chart;
mod figures;
mod instructions;
mod programs;
mod timing;

use std::process::ExitCode;

use crate::figures::Figures;

/// What the command line asks for.
#[derive(Default)]
struct Options {
    quick: bool,
    strict: bool,
    rig: bool,
    svg: Option<String>,
}

impl Options {
    fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--quick" => options.quick = true,
                "--strict" => options.strict = true,
                "--rig" => options.rig = true,
                "--svg" => options.svg = Some(args.next().ok_or("`--svg` needs a file")?),
                _ => return Err(format!("no such option: `{arg}`")),
            }
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).peekable();
    let done = if args.peek().is_some_and(|arg| arg == instructions::COMMAND) {
        benches::run_counted(args.skip(1)).map(|()| true)
    } else {
        Options::parse(args).and_then(|options| report(&options))
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("report: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures and prints everything; whether that is a success.
fn report(options: &Options) -> Result<bool, String> {
    let mut figures = Figures::default();
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

    if let Some(file) = &options.svg {
        std::fs::write(file, chart::draw(&figures)).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(bars::compare(&figures) || !options.strict)
}
