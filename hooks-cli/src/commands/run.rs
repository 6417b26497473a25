//! `hooks run --as` runs the hooks of a file as another agent's command hook.
//!
//! A process for each event must be quick: it loads only what the event needs, and does everything on one thread. Every
//! failure here blocks, because a broken guard must not let anything pass.

use std::io::{Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::Dialect;
use hooks_runtime::bridge::{self, Call, LeftToAgent, Reply};

use crate::file::{self, Format};

pub(crate) fn run(
    named: Option<PathBuf>,
    system: Dialect,
    format: Format,
    event: Option<&str>,
    records: Option<&Path>,
) -> ExitCode {
    // An agent treats most exit codes of a panic as a harmless error.
    let reply = catch_unwind(AssertUnwindSafe(|| {
        reply(named, system, format, event, records)
    }))
    .unwrap_or_else(|_| system.refuse("the program `hooks` failed"));
    // The reader may be gone.
    let _ = std::io::stdout().write_all(reply.stdout.as_bytes());
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    ExitCode::from(reply.exit_code)
}

fn reply(
    named: Option<PathBuf>,
    system: Dialect,
    format: Format,
    event: Option<&str>,
    records: Option<&Path>,
) -> Reply {
    // The current folder follows the agent, which may write a file there.
    let project = system.project_dir(|name| std::env::var(name).ok());
    let found = match (named, &project) {
        (None, Some(folder)) => file::above(folder.as_ref()),
        (named, _) => file::find(named),
    };
    let file = match found {
        Ok(file) => file,
        Err(failure) => return system.refuse(failure),
    };
    let mut input = Vec::new();
    if let Err(error) = std::io::stdin().read_to_end(&mut input) {
        return system.refuse(format_args!("the event cannot be read: {error}"));
    }
    let mut builder =
        file::recorded(file::builder_as(&file, format), records).approver(LeftToAgent);
    if let Some(folder) = &project {
        builder = builder.project_dir(folder);
    }
    let done = file::block_on(async {
        let runtime = match builder.build().await {
            Ok(runtime) => runtime,
            Err(error) => return system.refuse(error),
        };
        let call = Call {
            event,
            project_dir: project.as_deref(),
            is_set: &|name| std::env::var_os(name).is_some(),
            ..Call::new(system, &input)
        };
        let judged = bridge::run(&runtime, call).await;
        let (reply, named) = (judged.reply, judged.named);
        // Otherwise standard error is the reason of a refusal, or what Gemini CLI shows to its user.
        let is_shown = system == Dialect::Gemini && reply.stdout.is_empty();
        if reply.exit_code == 0 && !is_shown {
            // Each event is a run of its own: what is about the whole file is said once, if the agent has a place for that.
            let plain = named.replace('_', "");
            let is_first = plain.eq_ignore_ascii_case("SessionStart")
                || !system.raises().contains("SessionStart");
            file::print_notices(&runtime, |notice| is_first || notice.contains(&named));
        }
        runtime.shutdown().await;
        reply
    });
    done.unwrap_or_else(|failure| system.refuse(failure))
}
