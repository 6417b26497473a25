//! Instructions, counted by callgrind: what a busy machine cannot blur.
//!
//! The report runs itself under `valgrind`, which dispatches one case in one way. Two runs of different
//! lengths are subtracted from each other, which leaves the dispatches without the start of the program.

use std::env;
use std::fs;
use std::process::{self, Command, Stdio};

use benches::{Way, cases};

use crate::figures::Figures;

/// The first argument of a run that is counted.
pub(crate) const COMMAND: &str = "__instructions";

const FEW: u64 = 1_000;
const MANY: u64 = 11_000;

/// Dispatches the case, in the way, so many times: what is counted.
pub(crate) fn run_counted(args: impl Iterator<Item = String>) -> Result<(), String> {
    let args: Vec<String> = args.collect();
    let [case, way, times] = args.as_slice() else {
        return Err(format!("`{COMMAND}` needs a case, a way and a number"));
    };
    let times = times
        .parse()
        .map_err(|error| format!("`{times}`: {error}"))?;
    cases()
        .iter_mut()
        .filter(|other| other.name == case)
        .flat_map(|case| &mut case.contestants)
        .find(|contestant| contestant.way.name() == way)
        .ok_or_else(|| format!("no such case or way: `{case} {way}`"))?
        .run(times);
    Ok(())
}

/// Counts the instructions of the static ways and of the way by hand.
pub(crate) fn count(figures: &mut Figures, quick: bool) {
    let installed = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !installed.is_ok_and(|status| status.success()) {
        eprintln!("report: no `valgrind` here, so instructions are not counted");
        return;
    }
    for case in cases() {
        if case.name.starts_with("scaling") || quick && case.name != "sync_8" {
            continue;
        }
        let name = case.name;
        for contestant in &case.contestants {
            let way = contestant.way;
            if matches!(way, Way::Dyn | Way::Boxed) {
                continue;
            }
            match of_one_dispatch(name, way.name()) {
                Ok(count) => figures.measure(format!("{name} instructions {}", way.name()), count),
                Err(error) => {
                    eprintln!("report: instructions are not counted: {error}");
                    return;
                }
            }
        }
        for way in ["static", "static_now"] {
            let count = |way: &str| figures.get(&format!("{name} instructions {way}"));
            if let (Some(hooks), Some(hand)) = (count(way), count("hand")) {
                figures.measure(format!("{name} instructions {way}/hand"), hooks / hand);
            }
        }
    }
}

/// How many instructions a dispatch takes.
#[expect(clippy::cast_precision_loss, reason = "no count here is that large")]
fn of_one_dispatch(case: &str, way: &str) -> Result<f64, String> {
    let few = counted(case, way, FEW)?;
    let many = counted(case, way, MANY)?;
    Ok(many.saturating_sub(few) as f64 / (MANY - FEW) as f64)
}

/// How many instructions a whole run takes.
fn counted(case: &str, way: &str, times: u64) -> Result<u64, String> {
    let file = env::temp_dir().join(format!("hooks-report-{}.callgrind", process::id()));
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(program)
        .args([COMMAND, case, way, &times.to_string()])
        .output()
        .map_err(|error| error.to_string())?;
    let written = fs::read_to_string(&file);
    // What is left behind in a folder of temporary files does no harm.
    let _ = fs::remove_file(&file);
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    written
        .map_err(|error| error.to_string())?
        .lines()
        .find_map(|line| line.strip_prefix("totals: "))
        .and_then(|total| total.trim().parse().ok())
        .ok_or_else(|| "callgrind has told no total".to_owned())
}
