//! `hooks run --as` runs the hooks of a file as another agent's command hook.
//!
//! A process for each event must be quick: it asks the daemon of `hooks serve`, which has the file loaded. If there is
//! none, it loads only what the event needs, and does everything on one thread. Both ways run the code of [`asked`], so
//! the answer is the same. Every failure here blocks, because a broken guard must not let anything pass.

mod asked;
#[cfg(unix)]
mod socket;
#[cfg(all(feature = "server", unix))]
mod warm;

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::Dialect;

use self::asked::{Loads, RunAnswer, RunQuestion};
#[cfg(all(feature = "server", unix))]
pub(crate) use self::socket::VARIABLE as SOCKET;
#[cfg(unix)]
pub(crate) use self::socket::{VERSION, path as socket_path, version as daemon_version};
#[cfg(all(feature = "server", unix))]
pub(crate) use self::warm::Warm;
use crate::file::{self, FormatArgs};

pub(crate) fn run(
    named: Option<PathBuf>,
    system: &str,
    format: FormatArgs,
    event: Option<String>,
    records: Option<PathBuf>,
) -> ExitCode {
    // An agent treats most exit codes of a panic as a harmless error.
    let said = catch_unwind(AssertUnwindSafe(|| {
        answer(named, system, format, event, records)
    }))
    .unwrap_or_else(|_| RunAnswer::refused(system, "the program `hooks` failed"));
    file::warn_all(&said.warnings);
    for notice in &said.notices {
        file::note(notice);
    }
    // The reader may be gone.
    let _ = std::io::stdout().write_all(said.stdout.as_bytes());
    let _ = std::io::stderr().write_all(said.stderr.as_bytes());
    ExitCode::from(said.exit_code)
}

fn answer(
    named: Option<PathBuf>,
    system: &str,
    format: FormatArgs,
    event: Option<String>,
    records: Option<PathBuf>,
) -> RunAnswer {
    // The current folder follows the agent, which may write a file there.
    let known: Option<Dialect> = system.parse().ok();
    let project = known.and_then(|system| system.project_dir(|name| std::env::var(name).ok()));
    let found = match (named, &project) {
        (None, Some(folder)) => file::above(folder.as_ref()),
        (named, _) => file::find(named),
    };
    let file = match found {
        Ok(file) => file,
        Err(failure) => return RunAnswer::refused(system, failure),
    };
    let mut input = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut input) {
        let why = format!("the event cannot be read: {error}");
        return RunAnswer::refused(system, why);
    }
    let here = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let asked = RunQuestion {
        loads: Loads {
            file: file.map(here),
            format,
            project,
            records: records.as_deref().map(here),
        },
        system: system.to_owned(),
        event,
        folder: std::env::current_dir().ok(),
        variables: asked::variables(),
    };
    #[cfg(unix)]
    match socket::ask(&asked, &input) {
        Ok(said) => return said,
        Err(why) => trace(&format!("the work was done here: {why}")),
    }
    asked.answer(&input)
}

/// Says which way an answer came, to a user who sets `HOOKS_TRACE`.
#[cfg(unix)]
fn trace(way: &str) {
    if std::env::var_os("HOOKS_TRACE").is_some_and(|set| !set.is_empty()) {
        anstream::eprintln!("hooks: {way}");
    }
}
