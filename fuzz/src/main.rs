//! `cargo run --manifest-path fuzz/Cargo.toml --profile fuzz -- shell --seconds 60`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Parser;
use clap::builder::PossibleValuesParser;
use fuzz::Target;
use fuzz::run::{Limit, Plan, replay, run};

/// Fuzzes what reads texts from a model, or from outside.
///
/// Without `--runs` and `--seconds` it goes on for a minute.
#[derive(Parser)]
struct Arguments {
    /// What to fuzz.
    #[arg(value_parser = PossibleValuesParser::new(Target::ALL.map(|target| target.name)))]
    target: String,
    /// How many texts to try; the same ones for the same seed.
    #[arg(long, conflicts_with = "seconds")]
    runs: Option<u64>,
    /// How long to try.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Where the random numbers begin; by default anywhere.
    #[arg(long)]
    seed: Option<u64>,
    /// A folder of texts to begin with, to which new ones are added.
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Goes on after a failure, to find others.
    #[arg(long)]
    keep_going: bool,
    /// Tries this one text only.
    #[arg(long)]
    replay: Option<PathBuf>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let target = Target::ALL
        .into_iter()
        .find(|target| target.name == arguments.target)
        .expect("clap has checked the name");
    if let Some(file) = arguments.replay {
        replay(target, &file);
        return ExitCode::SUCCESS;
    }
    let anywhere = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| u64::from(now.subsec_nanos()))
    };
    let plan = Plan {
        limit: arguments.runs.map_or(
            Limit::Time(Duration::from_secs(arguments.seconds)),
            Limit::Runs,
        ),
        seed: arguments.seed.unwrap_or_else(anywhere),
        corpus: arguments.corpus,
        keep_going: arguments.keep_going,
    };
    match run(target, &plan) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
