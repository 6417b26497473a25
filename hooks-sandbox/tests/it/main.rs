//! All tests of the crate in one program. It starts itself again: as an agent that confines programs, as what confines
//! them, and as a program that tries to get out.
//!
//! `HOOKS_SANDBOX_FULL=1` makes it a failure if this kernel, or this machine, cannot run a test.

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod cost;
#[cfg(target_os = "linux")]
mod escapes;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod programs;
#[cfg(target_os = "linux")]
mod reports;
#[cfg(target_os = "linux")]
mod running;
mod writing;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    hooks_sandbox::enter_if_asked();
    #[cfg(target_os = "linux")]
    agent::enter_if_asked();
    #[cfg(target_os = "linux")]
    escapes::enter_if_asked();
    let mut trials = writing::trials();
    #[cfg(target_os = "linux")]
    for more in [
        escapes::trials(),
        programs::trials(),
        reports::trials(),
        running::trials(),
        cost::trials(),
    ] {
        trials.extend(more);
    }
    let mut arguments = Arguments::from_args();
    // A sandbox waits for the kernel most of its time.
    arguments.test_threads.get_or_insert(8);
    libtest_mimic::run(&arguments, trials).exit();
}

/// A test: what it returns or panics with is its failure.
fn test(name: impl Into<String>, run: impl FnOnce() -> Tested + Send + 'static) -> Trial {
    Trial::test(name.into(), run)
}

type Tested = Result<(), Failed>;

/// Fails with a text unless something holds.
fn check(holds: bool, what: impl Into<String>) -> Tested {
    if holds {
        Ok(())
    } else {
        Err(what.into().into())
    }
}
