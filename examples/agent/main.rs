//! A small coding agent: real tools, real hooks, and a script for a model. Run it with
//!
//! ```sh
//! cargo run --example agent                         # a script that shows every power of a hook
//! cargo run --example agent -- script.jsonl         # your own
//! cargo run --example agent -- --workspace . --json script.jsonl
//! echo '{"tool": "shell", "args": {"command": "ls"}}' | cargo run --example agent -- --stdin
//! ```
//!
//! The shell is real, and no sandbox: run no script here that you would not run yourself.
//!
//! It prints which hook runs when, then for every call what each hook decided and what came of it, then
//! what the hooks cost. It fails if the script has lines and none of them can be read.
//!
//! Begin to read in `run/`, where the drivers of `hooks_core::agent` run a turn; or in `hooks/`, which
//! answers the events; or in `watched.rs`, a probe of all hooks.

mod hooks;
mod journal;
mod options;
mod outcome;
mod report;
mod run;
mod script;
mod tools;
mod watched;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use hooks_core::Hook;

use self::hooks::Tracer;
use self::options::Options;
use self::report::Report;
use self::run::Agent;
use self::script::Script;
use self::tools::Workspace;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let options = match Options::read() {
        Ok(Some(options)) => options,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}; `--help` lists the options");
            return ExitCode::from(2);
        }
    };
    match work(options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn work(options: Options) -> io::Result<()> {
    let script = match &options.script {
        Some(path) => Script::open(path)
            .await
            .map_err(|error| named(path, &error))?,
        None if options.stdin => Script::stdin(),
        None => Script::built_in(),
    };
    // A temporary folder is removed when this is dropped.
    let (_temporary, workspace) = if let Some(path) = &options.workspace {
        let workspace = Workspace::open(path).map_err(|error| named(path, &error))?;
        (None, workspace)
    } else {
        let folder = tempfile::tempdir()?;
        let workspace = Workspace::open(folder.path())?;
        (Some(folder), workspace)
    };

    let tracer = Tracer::default();
    let hooks = hooks::pipeline(&tracer);
    let mut report = Report::new(options.json);
    report.plan(&hooks.plan())?;
    if options.stdin && io::stdin().is_terminal() {
        eprintln!(
            r#"Type the script, such as {{"tool": "shell", "args": {{"command": "ls"}}}}, and end it with Ctrl-D."#
        );
    }
    let agent = Agent::new(hooks, script, workspace, report);
    // A turn's future holds those of its hooks, its model and its tools: it is large.
    let report = Box::pin(journal::kept(agent.run())).await?;
    report.summary(&tracer.counts())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
