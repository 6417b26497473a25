//! `hooks agents`: the tables that say how each agent calls its hooks, and what they may answer.

use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::Style;
use hooks_runtime::{Dialect, Meaning};
use serde_json::json;

use crate::paint::{self, BAD, GOOD, lines, painted, say};
use crate::{Done, Failure};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Agents {
    /// List the agents that are known.
    List,
    /// Print the table of an agent: where its hooks are, its events, what its hooks read and may answer.
    Show {
        /// The agent.
        name: Dialect,
    },
    /// Check the table of an agent of your own. The exit code is 1 if it is wrong.
    Check {
        /// The file of the table.
        file: PathBuf,
    },
}

pub(crate) fn run(command: Agents, json: bool) -> Done {
    match command {
        Agents::List => {
            list(json);
            Ok(ExitCode::SUCCESS)
        }
        Agents::Show { name } => {
            say!("{}", name.table().unwrap_or_default().trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Agents::Check { file } => {
            let text = hooks_runtime::__read_text(&file)
                .map_err(|error| Failure::found(format!("{}: {error}", file.display())))?;
            let agent = match Dialect::own(&file, text) {
                Ok(agent) => agent,
                Err(error) if json => {
                    let mistakes: Vec<_> = error.mistakes().map(super::check::mistake).collect();
                    paint::json(&json!({ "file": file, "ok": false, "mistakes": mistakes }));
                    return Ok(ExitCode::FAILURE);
                }
                Err(error) => {
                    say!("{}", lines(&error.to_string()));
                    say!("{}: {}", file.display(), painted(BAD, "the table is wrong"));
                    return Ok(ExitCode::FAILURE);
                }
            };
            let events: Vec<_> = agent
                .calls()
                .filter_map(|event| Some((event, Meaning::of(agent, event).ok()?)))
                .collect();
            if json {
                let events: serde_json::Map<_, _> = events
                    .iter()
                    .map(|(event, meaning)| ((*event).to_owned(), meaning.event.into()))
                    .collect();
                paint::json(&json!({ "file": file, "ok": true, "agent": agent, "events": events }));
                return Ok(ExitCode::SUCCESS);
            }
            let rows: Vec<_> = events
                .iter()
                .map(|(event, meaning)| {
                    (
                        Style::new(),
                        vec![(*event).to_owned(), meaning.event.to_owned()],
                    )
                })
                .collect();
            paint::table(&["agent's event", "ours"], &rows);
            let fine = format_args!("`hooks run FILE --as {agent}` serves {}", agent.title());
            say!("{}: {}", file.display(), painted(GOOD, fine));
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list(json: bool) {
    let all: Vec<_> = Dialect::callers().collect();
    if json {
        let all = all.iter().map(|agent| {
            json!({ "name": agent, "title": agent.title(), "events": agent.calls().collect::<Vec<_>>() })
        });
        paint::json(&all.collect());
        return;
    }
    let rows: Vec<_> = all
        .iter()
        .map(|agent| {
            (
                Style::new(),
                vec![
                    agent.to_string(),
                    agent.title().to_owned(),
                    agent.calls().count().to_string(),
                ],
            )
        })
        .collect();
    paint::table(&["name", "agent", "events"], &rows);
}
