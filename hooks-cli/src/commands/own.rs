//! `hooks self check` says what this program is, which agents here run it, and what works on this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hooks_runtime::{HooksCall, Trust};
use hooks_sandbox::Sandbox;
use serde::Serialize;

use super::doctor::{in_path, is_name};
use super::init::LIMIT;
use super::init::agents::{self, Agent};
use super::init::settings;
use crate::paint::{self, BAD, BOLD, lines, painted, say};
use crate::{Done, Failure, file};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Own {
    /// Check the program, and what it needs of this machine. The exit code is 1 if something does not work.
    ///
    /// For the program: its version, and the one that a shell finds. For each agent: which program its settings name. And
    /// whether the daemon answers, which trusted files have changed, and whether the kernel can confine programs.
    Check,
}

/// What was found about one thing.
#[derive(Debug, Serialize)]
struct Finding {
    about: &'static str,
    ok: bool,
    says: String,
}

pub(crate) fn run(command: &Own, json: bool) -> Done {
    let Own::Check = command;
    let own = std::env::current_exe().map_err(Failure::found)?;
    let version = format!("{}, {}", env!("CARGO_PKG_VERSION"), own.display());
    let mut all = vec![fine("version", version), path(&own)];
    all.extend(agents(&own)?);
    #[cfg(unix)]
    all.push(daemon());
    all.extend(trust());
    all.push(sandbox());
    if json {
        paint::json(&serde_json::to_value(&all).map_err(Failure::found)?);
    } else {
        for Finding { about, ok, says } in &all {
            let says = lines(says);
            let about = painted(BOLD, about);
            if *ok {
                say!("{about}: {says}");
            } else {
                say!("{about}: {} {says}", painted(BAD, "fault:"));
            }
        }
    }
    let works = all.iter().all(|finding| finding.ok);
    Ok(ExitCode::from(u8::from(!works)))
}

fn fine(about: &'static str, says: impl Into<String>) -> Finding {
    Finding {
        about,
        ok: true,
        says: says.into(),
    }
}

fn bad(about: &'static str, says: impl Into<String>) -> Finding {
    Finding {
        ok: false,
        ..fine(about, says)
    }
}

/// Whether your shell finds this program.
fn path(own: &Path) -> Finding {
    let about = "PATH";
    match in_path("hooks".as_ref()) {
        None => fine(about, "no folder of it has a program `hooks`"),
        Some(found) if is_same(&found, own) => fine(about, format!("{}", found.display())),
        Some(found) => bad(
            about,
            format!("{} is another program than this one", found.display()),
        ),
    }
}

/// Which program the settings of each agent name.
fn agents(own: &Path) -> Result<Vec<Finding>, Failure> {
    let here = std::env::current_dir().map_err(Failure::found)?;
    let file = file::above(&here).ok().map(|file| file.path);
    let project = file.as_deref().and_then(Path::parent).unwrap_or(&here);
    let mut all = Vec::new();
    for agent in agents::all() {
        let about = agent.title();
        for settings in agent.system.settings_files(project) {
            for program in programs(agent, project, &settings) {
                let says = format!("{} runs {}", settings.display(), program.display());
                all.push(if is_name(&program) {
                    bad(about, format!("{says}, which no folder of `PATH` has"))
                } else if !program.is_file() {
                    bad(about, format!("{says}, which is not there"))
                } else if is_same(&program, own) {
                    fine(about, says)
                } else {
                    bad(about, format!("{says}, another program than this one"))
                });
            }
        }
    }
    if all.is_empty() {
        let says = "none has this program in its settings: `hooks init --agent NAME --write`";
        all.push(fine("agents", says));
    }
    Ok(all)
}

/// The programs that an agent's settings call as ours, each once.
fn programs(agent: Agent, project: &Path, file: &Path) -> BTreeSet<PathBuf> {
    let text = hooks_runtime::__read_text(file).unwrap_or_default();
    let calls: Vec<HooksCall> = if agent.init.is_script() {
        // A script has the command in its first comment.
        text.split('`').filter_map(HooksCall::parse).collect()
    } else {
        let settings = settings::parsed(&text).unwrap_or_default();
        let all = agent.system.registered(&settings).into_iter();
        all.filter_map(|one| {
            let filled = agent.system.filled(&one.command, project);
            filled
                .and_then(|filled| HooksCall::parse(&filled))
                .or(one.call)
        })
        .collect()
    };
    let ours = calls
        .into_iter()
        .filter(|call| call.agent == agent.system.as_str());
    ours.map(|HooksCall { program, .. }| {
        if is_name(&program) {
            in_path(&program).unwrap_or(program)
        } else {
            agent.system.runs_in(file, project).join(program)
        }
    })
    .collect()
}

fn is_same(program: &Path, own: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(program).is_some_and(|program| real(own) == Some(program))
}

/// Whether there is a daemon for `hooks run`.
#[cfg(unix)]
fn daemon() -> Finding {
    use super::run::{VERSION, daemon_version, socket_path};

    let about = "daemon";
    let Some(path) = socket_path() else {
        return fine(about, "none, and none is needed");
    };
    let at = path.display();
    match daemon_version(&path) {
        Ok(version) if version == VERSION => fine(about, format!("answers at {at}")),
        Ok(version) => {
            let says = format!(
                "{at}: the daemon has version {version}, so each `hooks run` does the work itself: start it again"
            );
            bad(about, says)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => fine(
            about,
            format!("none at {at}, so each `hooks run` does the work itself"),
        ),
        Err(error) => bad(about, format!("{at}: {error}")),
    }
}

/// Whether the files that you trust are as you have read them.
fn trust() -> Vec<Finding> {
    let about = "trust";
    let trust = match Trust::user_file().map(|kept| Trust::read(&kept)) {
        None => return vec![fine(about, "you have no home folder")],
        Some(Err(error)) => return vec![bad(about, error.to_string())],
        Some(Ok(trust)) => trust,
    };
    let mut all = Vec::new();
    for file in trust.files() {
        let at = file.display();
        all.push(match hooks_runtime::__read_text(file) {
            Ok(text) if trust.covers(file, &text) => fine(about, format!("{at}")),
            Ok(_) => bad(
                about,
                format!("{at} has changed: `hooks trust {at}` shows it"),
            ),
            Err(error) => fine(about, format!("{at}: {error}")),
        });
    }
    if all.is_empty() {
        all.push(fine(about, "you trust no file yet, and none is needed"));
    }
    all
}

/// Whether programs can be confined here.
fn sandbox() -> Finding {
    let about = "sandbox";
    let explained = Sandbox::new().prepare().and_then(|confinement| {
        confinement.check()?;
        confinement.explain()
    });
    match explained {
        Ok(explained) if explained.gaps.is_empty() => fine(about, "works"),
        Ok(explained) => fine(
            about,
            format!("works; {LIMIT}: {}", explained.gaps.join("; ")),
        ),
        Err(error) => bad(about, error.to_string()),
    }
}
