//! One module per command.

pub(crate) mod agents;
pub(crate) mod bundle;
pub(crate) mod check;
pub(crate) mod convert;
#[cfg(all(feature = "server", unix))]
pub(crate) mod daemon;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod fire;
pub(crate) mod init;
pub(crate) mod log;
pub(crate) mod own;
pub(crate) mod plan;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod scan;
pub(crate) mod serve;
#[cfg(feature = "server")]
pub(crate) mod store;
pub(crate) mod testing;
#[cfg(feature = "server")]
pub(crate) mod token;
pub(crate) mod trust;
#[cfg(feature = "server")]
pub(crate) mod verify;
pub(crate) mod why;

use clap::CommandFactory as _;

/// Prints completions for a shell.
pub(crate) fn completions(shell: clap_complete::Shell) {
    clap_complete::generate(
        shell,
        &mut crate::Cli::command(),
        "hooks",
        &mut std::io::stdout(),
    );
}
