//! `hooks run --as` runs the hooks of a file as another agent's command hook.
//!
//! A process for each event must be quick: it loads only what the event needs, and does everything on one thread. Every
//! failure here blocks, because a broken guard must not let anything pass.

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::bridge::{self, Client, LeftToAgent, Reply};

use crate::file;

pub(crate) fn run(named: Option<PathBuf>, client: Client, records: Option<&Path>) -> ExitCode {
    // An agent treats most exit codes of a panic as a harmless error.
    let reply = catch_unwind(AssertUnwindSafe(|| reply(named, client, records)))
        .unwrap_or_else(|_| Reply::refused("the program `hooks` failed"));
    // The reader may be gone.
    let _ = std::io::stdout().write_all(reply.stdout.as_bytes());
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    ExitCode::from(reply.exit_code)
}

fn reply(named: Option<PathBuf>, client: Client, records: Option<&Path>) -> Reply {
    // The variables with which the agent names the project's folder. The current folder follows the agent, which may
    // write a file there.
    let variables: &[&str] = match client {
        Client::Claude => &["CLAUDE_PROJECT_DIR"],
        Client::Gemini => &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        Client::Cursor => &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        _ => &[],
    };
    let project = variables
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .filter(|folder| !folder.is_empty());
    let found = match (named, &project) {
        (Some(file), _) => Ok(file),
        (None, Some(folder)) => {
            let folder = PathBuf::from(folder);
            file::above(&folder).ok_or_else(|| file::nothing_above(&folder))
        }
        (None, None) => file::find(None),
    };
    let file = match found {
        Ok(file) => file,
        Err(failure) => return Reply::refused(failure),
    };
    let mut input = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut input) {
        return Reply::refused(format_args!("the event cannot be read: {error}"));
    }
    let asked = LeftToAgent::new();
    let mut builder =
        file::recorded(file::builder_as(&file, None), records).approver(asked.clone());
    if let Some(folder) = &project {
        builder = builder.project_dir(folder);
    }
    let done = file::block_on(async {
        let runtime = match builder.build().await {
            Ok(runtime) => runtime,
            Err(error) => return Reply::refused(error),
        };
        let reply = bridge::run(client, &runtime, &asked, project.as_deref(), &input).await;
        // Otherwise standard error is the reason of a refusal, or what Gemini CLI shows to its user.
        let is_shown = client == Client::Gemini && reply.stdout.is_empty();
        if reply.exit_code == 0 && !is_shown {
            file::print_notices(&runtime);
        }
        runtime.shutdown().await;
        reply
    });
    done.unwrap_or_else(Reply::refused)
}
