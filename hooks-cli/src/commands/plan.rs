//! `hooks plan` shows what runs when.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::Mode;
use hooks_runtime::{Meaning, Ordered, Runtime};
use serde_json::json;

use crate::file::{self, FileArgs};
use crate::paint::{self, DIM, say};
use crate::{Done, Failure};

/// The mode of a hook, and what a guard does.
fn role(row: &Ordered) -> String {
    let mode = word(row.mode);
    match (&row.judges_again_after, row.guard) {
        (Some(changer), _) => format!("{mode}, guard, again after {changer}"),
        (None, true) => format!("{mode}, guard"),
        (None, false) => mode.to_owned(),
    }
}

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Enforce => "enforce",
        Mode::Shadow => "shadow",
        Mode::Off => "off",
    }
}

pub(crate) fn run(file: &FileArgs, event: Option<&str>, json: bool) -> Done {
    let meaning = event.map(|event| Meaning::of(file.dialect(), event));
    let only = meaning
        .transpose()
        .map_err(Failure::usage)?
        .map(|one| one.event);
    let (file, builder) = file.look()?;
    let runtime = file::block_on(builder.build())?.map_err(Failure::found)?;
    let mut rows = rows(&runtime, &file);
    if let Some(only) = only {
        rows.retain(|row| row.events.iter().any(|event| event == only));
    }
    let status = runtime.status();
    if json {
        paint::json(&json!({
            "revision": status.revision, "hooks": rows, "notices": status.notices,
        }));
        return Ok(ExitCode::SUCCESS);
    }
    if rows.is_empty() {
        say!("no hook runs");
    } else {
        let cells = rows.iter().map(|row| {
            let events = match (only, row.events.len()) {
                (Some(only), _) => only.to_owned(),
                (None, count) if count == AgentEvent::NAMES.len() => "*".to_owned(),
                (None, 0..=3) => row.events.join(", "),
                (None, count) => format!("{}, … ({count})", row.events[..2].join(", ")),
            };
            let style = if row.mode == Mode::Enforce {
                Style::new()
            } else {
                DIM
            };
            let cells = vec![
                row.order.to_string(),
                row.hook.clone(),
                row.priority.to_string(),
                events,
                paint::short(&row.handler),
                row.filter.clone(),
                role(row),
                row.source.clone(),
            ];
            (style, cells)
        });
        let titles = [
            "order", "hook", "priority", "event", "handler", "filter", "mode", "source",
        ];
        paint::table(&titles, &cells.collect::<Vec<_>>());
    }
    paint::notices(&status.notices);
    Ok(ExitCode::SUCCESS)
}

/// Returns all hooks of a runtime. Built-in hooks have the file as their source.
pub(crate) fn rows(runtime: &Runtime, file: &Path) -> Vec<Ordered> {
    let mut rows = runtime.order();
    for row in rows.iter_mut().filter(|row| row.source.is_empty()) {
        row.source = file.display().to_string();
    }
    for row in &mut rows {
        // A hook that decides about an event and also wraps it has two places.
        let mut known = HashSet::new();
        row.events.retain(|event| known.insert(event.clone()));
    }
    rows
}
