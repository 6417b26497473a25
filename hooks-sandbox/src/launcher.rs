//! The second life of an executable: it confines itself, and then becomes another program.
//!
//! The caller's own executable is started once more with a first argument that no program has by accident, and everything
//! that it must know is in its arguments. It has no other thread, so it may fork.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::ErrorContext as _;
use crate::{SandboxError, supervisor};

/// The first argument of the process that supervises the confined one.
pub(crate) const OUTER: &str = "--hooks-sandbox";
/// The first argument of the process that finds out what this machine has.
pub(crate) const PROBE: &str = "--hooks-sandbox-probe";
/// The exit code if the program could not be confined.
pub(crate) const FAILED: i32 = 125;

/// What precedes the reason why it could not.
pub(crate) const FAILURE: &str = "hooks-sandbox: ";

/// Whether this executable can confine programs.
static IS_LAUNCHER: AtomicBool = AtomicBool::new(false);

/// Confines a program, if this process was started for that, and then never returns. Otherwise it returns at once.
///
/// Make it the first line of `main`, before anything opens files or starts threads.
///
/// ```no_run
/// // In `main`:
/// hooks_sandbox::enter_if_asked();
/// println!("this is the agent");
/// ```
pub fn enter_if_asked() {
    let mut words = std::env::args_os().skip(1);
    let enter = match words.next().as_deref().and_then(|word| word.to_str()) {
        Some(OUTER) => supervisor::run,
        #[cfg(target_os = "linux")]
        Some(PROBE) => crate::linux::probe,
        _ => return IS_LAUNCHER.store(true, Ordering::Relaxed),
    };
    let rules = words.next().unwrap_or_default();
    let command: Vec<_> = words.skip(1).collect();
    end_with(|| enter(&rules.to_string_lossy(), &command));
}

/// Ends this process with an exit code. What the process that it was forked from must clean up is left to that one, also if
/// this one panics.
pub(crate) fn end_with(run: impl FnOnce() -> Result<i32, SandboxError>) -> ! {
    let ended = catch_unwind(AssertUnwindSafe(run));
    let code = ended.unwrap_or(Ok(FAILED)).unwrap_or_else(|error| {
        eprintln!("{FAILURE}{error}");
        FAILED
    });
    std::process::exit(code);
}

/// Whether it is sure, without starting anything, that this executable is the launcher and the kernel does what it needs:
/// Landlock as of its third version, which also limits how files are shortened.
pub(crate) fn is_sure(launcher: &Path) -> bool {
    #[cfg(target_os = "linux")]
    let is_able = crate::linux::limits_files();
    #[cfg(not(target_os = "linux"))]
    let is_able = false;
    let is_own = || std::env::current_exe().is_ok_and(|own| own == launcher);
    is_able && IS_LAUNCHER.load(Ordering::Relaxed) && is_own()
}

/// The program that confines others, where it is installed.
const INSTALLED: &str = "hooks";

/// The executable that confines programs: the one that is named, or this one, or the program `hooks` in `PATH`.
pub(crate) fn found(named: Option<PathBuf>) -> Result<PathBuf, SandboxError> {
    if let Some(path) = named {
        return Ok(path);
    }
    let path = std::env::current_exe().at("/proc/self/exe".as_ref())?;
    if IS_LAUNCHER.load(Ordering::Relaxed) {
        return Ok(path);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // A relative folder is another one for each program.
    let mut installed = std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(INSTALLED));
    installed
        .find(|path| path.is_file())
        .ok_or(SandboxError::Launcher { path })
}
