//! `hooks sandbox` runs a program that may do only what its options list, with Landlock.
//!
//! This process restricts itself, and then executes the program. The restriction also applies to everything that the
//! program starts, and cannot be removed.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use hooks_runtime::{Sandbox, SandboxError};

use crate::{Done, Failure};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder or file that the program may change.
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// A folder or file that the program may read, and run programs from.
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// A TCP port that the program may connect to. It may not listen on any.
    #[arg(long, value_name = "PORT", conflicts_with = "network")]
    connect: Vec<u16>,
    /// Let the program connect to every TCP port, and listen.
    #[arg(long)]
    network: bool,
    /// Run the program even if the kernel cannot enforce all of this.
    #[arg(long)]
    best_effort: bool,
    /// The program, and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

pub(crate) fn run(args: &Args) -> Done {
    let [program, rest @ ..] = args.program.as_slice() else {
        return Err(Failure::usage("name a program after `--`"));
    };
    let sandbox = args.write.iter().fold(Sandbox::new(), Sandbox::write);
    let sandbox = args.read.iter().fold(sandbox, Sandbox::read);
    let mut sandbox = args.connect.iter().copied().fold(sandbox, Sandbox::connect);
    if args.network {
        sandbox = sandbox.network();
    }
    if args.best_effort {
        sandbox = sandbox.best_effort();
    }
    match sandbox.restrict_thread() {
        Ok(true) => {}
        Ok(false) => anstream::eprintln!(
            "warning: this kernel has no Landlock, so the program is not restricted"
        ),
        Err(error @ SandboxError::Path { .. }) => return Err(Failure::usage(error)),
        Err(error) => {
            return Err(Failure::found(format!(
                "{error}, so the program was not started: `--best-effort` starts it with the restrictions that the kernel supports"
            )));
        }
    }
    become_program(Command::new(program).args(rest))
}

#[cfg(unix)]
fn become_program(command: &mut Command) -> Done {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(Failure {
        message: format!("{}: {error}", command.get_program().to_string_lossy()),
        // As shells say that a program is not there, or cannot be run.
        code: if error.kind() == std::io::ErrorKind::NotFound {
            127
        } else {
            126
        },
    })
}

/// Here, nothing is restricted: only `--best-effort` comes so far.
#[cfg(not(unix))]
fn become_program(command: &mut Command) -> Done {
    let status = command.status().map_err(Failure::usage)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(1).into())
}
