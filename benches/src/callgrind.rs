//! Instructions, counted by callgrind: what a busy machine cannot blur.
//!
//! A program runs itself under `valgrind`, twice: once with few and once with many times what is counted. The
//! difference leaves out the start of the program.

use std::env;
use std::fs;
use std::process::{self, Command, Stdio};

/// Whether there is a `valgrind` to count with. If there is none, it says so.
#[must_use]
pub fn is_installed() -> bool {
    let version = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let is_installed = version.is_ok_and(|status| status.success());
    if !is_installed {
        eprintln!("no `valgrind` here, so instructions are not counted");
    }
    is_installed
}

/// The path of this program, as the first word of what is counted.
///
/// # Errors
///
/// The path is not known.
pub fn this_program() -> Result<String, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    Ok(program.to_string_lossy().into_owned())
}

/// How many instructions a program takes, with these arguments, for doing once what is counted. Its last argument is
/// how often it does it.
///
/// # Errors
///
/// What went wrong with `valgrind` or with the program.
#[expect(clippy::cast_precision_loss, reason = "no count here is that large")]
pub fn instructions(command: &[&str], few: u64, many: u64) -> Result<f64, String> {
    let counted = |times: u64| {
        whole_run(
            Command::new(command[0])
                .args(&command[1..])
                .arg(times.to_string()),
        )
    };
    let least = counted(few)?;
    let most = counted(many)?;
    Ok(most.saturating_sub(least) as f64 / (many - few) as f64)
}

/// How many instructions a whole run takes, from the start of the program to its end.
///
/// # Errors
///
/// What went wrong with `valgrind` or with the program.
pub fn whole_run(command: &Command) -> Result<u64, String> {
    let file = env::temp_dir().join(format!("hooks-benches-{}.callgrind", process::id()));
    let run = Command::new("valgrind")
        .arg("--tool=callgrind")
        .arg(format!("--callgrind-out-file={}", file.display()))
        .arg(command.get_program())
        .args(command.get_args())
        .envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
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
