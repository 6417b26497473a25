//! `hooks why` shows which hooks would run on an event, and why the others would not.

use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use super::plan;
use crate::event::EventArgs;
use crate::paint::{self, BOLD, DIM, GOOD, Visible, painted, say};
use crate::{Done, Failure, file};

/// Whether one hook would run, and why.
#[derive(Serialize)]
struct WhyLine {
    hook: String,
    priority: i32,
    runs: bool,
    why: String,
    handler: String,
    source: String,
}

pub(crate) fn run(args: &EventArgs, json: bool) -> Done {
    let (cx, event) = args.build()?;
    let (file, builder) = args.file.look()?;
    let explained = file::block_on(async {
        let runtime = builder.build().await?;
        let explanations = runtime.explain(&cx, event.view()).await;
        Ok((runtime, explanations))
    })?;
    let (runtime, explanations) =
        explained.map_err(|error: hooks_runtime::ConfigError| Failure::found(error))?;
    let name = event.name();
    let mut lines: Vec<WhyLine> = explanations
        .into_iter()
        .map(|one| WhyLine {
            hook: one.hook,
            priority: one.priority,
            runs: one.runs,
            why: one.why,
            handler: one.handler,
            source: one.source,
        })
        .collect();
    // Built-in hooks have no filters: they handle all their events.
    for row in plan::rows(&runtime, &file) {
        if row.handler == "built-in" {
            let runs = row.events.iter().any(|event| event == name);
            lines.push(WhyLine {
                why: if runs {
                    "the hook sees every event of this kind, and decides by its settings".into()
                } else {
                    format!("the hook does not handle {name}")
                },
                hook: row.hook,
                priority: row.priority,
                runs,
                handler: row.handler,
                source: row.source,
            });
        }
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.priority));
    let status = runtime.status();
    if json {
        paint::json(&json!({ "event": name, "hooks": lines, "notices": status.notices }));
        return Ok(ExitCode::SUCCESS);
    }
    let subject = event.subject().unwrap_or_default();
    say!("{} {}", painted(BOLD, name), Visible(subject));
    let rows = lines.into_iter().map(|line| {
        let style = if line.runs { GOOD } else { DIM };
        let runs = if line.runs { "runs" } else { "does not run" };
        let cells = vec![
            runs.to_owned(),
            line.hook,
            line.priority.to_string(),
            line.why,
            line.handler,
            line.source,
        ];
        (style, cells)
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        say!("there is no hook in {}", file.display());
    } else {
        paint::table(&["", "hook", "priority", "why", "handler", "source"], &rows);
    }
    paint::notices(&status.notices);
    Ok(ExitCode::SUCCESS)
}
