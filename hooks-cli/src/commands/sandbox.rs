//! `hooks sandbox` runs a program that may only do what is listed, with Landlock.
//!
//! This process restricts itself, and then executes the program. The restriction also applies to everything that the
//! program starts, and cannot be removed.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::{Done, Failure};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A folder or file that it may change.
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// A folder or file that it may read, and run programs from.
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// A TCP port that it may connect to. It may not listen on any.
    #[arg(long, value_name = "PORT")]
    connect: Vec<u16>,
    /// Run it even where the kernel cannot restrict all of this.
    #[arg(long)]
    best_effort: bool,
    /// The program, and its arguments.
    #[arg(last = true, required = true)]
    program: Vec<OsString>,
}

#[cfg(target_os = "linux")]
pub(crate) fn run(args: &Args) -> Done {
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    let [program, rest @ ..] = args.program.as_slice() else {
        return Err(Failure::usage("there is no program"));
    };
    linux::restrict(args)?;
    let error = Command::new(program).args(rest).exec();
    Err(Failure {
        message: format!("{}: {error}", program.to_string_lossy()),
        // As shells say that a program is not there, or cannot be run.
        code: if error.kind() == std::io::ErrorKind::NotFound {
            127
        } else {
            126
        },
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &Args) -> Done {
    Err(Failure::found(
        "Landlock is a part of Linux: there is no sandbox on this system",
    ))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::path::{Path, PathBuf};

    use landlock::{
        ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort,
        PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        RulesetError, RulesetStatus, Scope,
    };

    use super::Args;
    use crate::Failure;

    /// What every program needs to read, as far as it is there.
    const SYSTEM: [&str; 8] = [
        "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/dev",
    ];
    /// What every program may write to: it keeps nothing.
    const DEVICES: [&str; 5] = [
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/dev/tty",
        "/dev/ptmx",
    ];
    /// The version whose rights are meant: files with truncation, and TCP.
    const VERSION: ABI = ABI::V4;

    pub(super) fn restrict(args: &Args) -> Result<(), Failure> {
        let opened = opened(args)?;
        let status = ruleset(args, opened).map_err(|error| {
            Failure::found(format!(
                "this kernel cannot restrict the program ({error}), so it is not run: \
                 write `--best-effort` to run it with what the kernel can do"
            ))
        })?;
        if status.ruleset == RulesetStatus::NotEnforced {
            anstream::eprintln!(
                "warning: this kernel has no Landlock, so the program is not restricted"
            );
        }
        Ok(())
    }

    /// All paths with the rights on them, opened before anything is restricted. One that is misspelled is an error.
    fn opened(args: &Args) -> Result<Vec<PathBeneath<PathFd>>, Failure> {
        let (read, all) = (AccessFs::from_read(VERSION), AccessFs::from_all(VERSION));
        let there = |paths: &'static [&'static str]| {
            let paths = paths.iter().map(Path::new);
            paths.filter(|path| path.exists())
        };
        let given = |paths: &'static [&'static str], more: &[PathBuf]| {
            let more = more.iter().cloned();
            there(paths)
                .map(Path::to_owned)
                .chain(more)
                .collect::<Vec<_>>()
        };
        let read = given(&SYSTEM, &args.read)
            .into_iter()
            .map(|path| (path, read));
        let write = given(&DEVICES, &args.write)
            .into_iter()
            .map(|path| (path, all));
        read.chain(write)
            .map(|(path, access)| beneath(&path, access))
            .collect()
    }

    fn ruleset(
        args: &Args,
        opened: Vec<PathBeneath<PathFd>>,
    ) -> Result<RestrictionStatus, RulesetError> {
        let level = if args.best_effort {
            CompatLevel::BestEffort
        } else {
            CompatLevel::HardRequirement
        };
        let mut rules = Ruleset::default()
            .set_compatibility(level)
            .handle_access(AccessFs::from_all(VERSION))?
            .handle_access(AccessNet::from_all(VERSION))?
            // What newer kernels can do beside: signals, sockets without a path.
            .set_compatibility(CompatLevel::BestEffort)
            .scope(Scope::from_all(ABI::V6))?
            .set_compatibility(level)
            .create()?;
        for path in opened {
            rules = rules.add_rule(path)?;
        }
        for port in &args.connect {
            rules = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp))?;
        }
        rules.restrict_self()
    }

    /// Rights on a path; on a file only those that a file can have.
    fn beneath(path: &Path, access: BitFlags<AccessFs>) -> Result<PathBeneath<PathFd>, Failure> {
        let access = if path.is_dir() {
            access
        } else {
            access & AccessFs::from_file(VERSION)
        };
        let opened = PathFd::new(path).map_err(Failure::usage)?;
        Ok(PathBeneath::new(opened, access))
    }
}
