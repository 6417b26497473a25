//! `hooks sandbox` runs a program that may do only what its options list.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hooks_builtin::SandboxConfig;
use hooks_sandbox::{Confinement, SandboxError};

use crate::paint::{self, say};
use crate::{Done, Failure};

#[derive(Debug, clap::Args)]
pub(crate) struct SandboxArgs {
    /// A folder or file that the program may change. What runs or decides later, such as `.git/hooks`, stays as it is.
    #[arg(long, value_name = "PATH")]
    write: Vec<PathBuf>,
    /// A folder or file that the program may read, and run programs from.
    #[arg(long, value_name = "PATH")]
    read: Vec<PathBuf>,
    /// What stays hidden in a folder that the program may read.
    #[arg(long, value_name = "PATH")]
    hide: Vec<PathBuf>,
    /// What stays as it is in a folder that the program may change, also if it is not there yet.
    #[arg(long, value_name = "PATH")]
    protect: Vec<PathBuf>,
    /// A protected path that the program may change all the same, such as `.vscode`.
    #[arg(long, value_name = "PATH")]
    allow_writing: Vec<PathBuf>,
    /// A Unix socket that the program may connect to.
    #[arg(long, value_name = "PATH")]
    unix: Vec<PathBuf>,
    /// A host that the program reaches through a proxy: `example.com`, `*.example.org`, `example.com:8443`.
    #[arg(long, value_name = "HOST", conflicts_with = "network")]
    domain: Vec<String>,
    /// A TCP port that the program may connect to, on any host.
    #[arg(long, value_name = "PORT", conflicts_with = "network")]
    connect: Vec<u16>,
    /// Let the program reach every address, and listen.
    #[arg(long)]
    network: bool,
    /// A variable that the program sees besides the usual ones. A star ends a prefix.
    #[arg(long, value_name = "NAME")]
    env: Vec<String>,
    /// The programs whose own files come along, such as `git` and `cargo`. The default is all that are known.
    #[arg(long, value_name = "NAME")]
    preset: Vec<String>,
    /// The most processes and threads of the user. The kernel does not count those of root.
    #[arg(long, value_name = "NUMBER")]
    processes: Option<u64>,
    /// The most memory of a process, in bytes.
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// The most processor time of a process, in seconds.
    #[arg(long, value_name = "SECONDS")]
    cpu_seconds: Option<u64>,
    /// The largest file that the program may write, in bytes.
    #[arg(long, value_name = "BYTES")]
    file_size: Option<u64>,
    /// Append what was refused to this file, as a line of JSON. The default is standard error.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Run the program even if the kernel cannot enforce all of this.
    #[arg(long)]
    best_effort: bool,
    /// Print the rules, where each comes from, and what this machine does not enforce. Nothing runs.
    #[arg(long)]
    explain: bool,
    /// The program, and its arguments.
    #[arg(last = true, required_unless_present = "explain")]
    program: Vec<OsString>,
}

pub(crate) fn run(args: &SandboxArgs, json: bool) -> Done {
    let confinement = confinement(args).map_err(Failure::usage)?;
    if args.explain {
        let explanation = confinement.explain().map_err(Failure::found)?;
        if json {
            paint::json(&serde_json::json!(explanation));
        } else {
            say!("{}", explanation.to_string().trim_end());
        }
        return Ok(std::process::ExitCode::SUCCESS);
    }
    let [program, rest @ ..] = args.program.as_slice() else {
        return Err(Failure::usage("name a program after `--`"));
    };
    become_program(&mut confinement.command(program, rest))
}

fn confinement(args: &SandboxArgs) -> Result<Confinement, SandboxError> {
    let config = SandboxConfig {
        write: args.write.clone(),
        read: args.read.clone(),
        hide: args.hide.clone(),
        protect: args.protect.clone(),
        allow_writing: args.allow_writing.clone(),
        unix: args.unix.clone(),
        domain: args.domain.clone(),
        connect: args.connect.clone(),
        network: args.network,
        env: args.env.clone(),
        processes: args.processes,
        memory: args.memory,
        cpu_seconds: args.cpu_seconds,
        file_size: args.file_size,
        best_effort: args.best_effort,
    };
    let mut sandbox = config.sandbox(Path::new(""));
    if !args.preset.is_empty() {
        sandbox = sandbox.presets(&args.preset);
    }
    if let Some(report) = &args.report {
        sandbox = sandbox.report(report);
    }
    sandbox.prepare()
}

#[cfg(unix)]
fn become_program(command: &mut std::process::Command) -> Done {
    let error = std::os::unix::process::CommandExt::exec(command);
    Err(Failure::found(error))
}

#[cfg(not(unix))]
fn become_program(command: &mut std::process::Command) -> Done {
    let status = command.status().map_err(Failure::found)?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.unwrap_or(1).into())
}
