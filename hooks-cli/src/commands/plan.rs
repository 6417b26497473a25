//! `hooks plan` shows what runs when.

use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

use anstyle::Style;
use hooks_core::agent::AgentEvent;
use hooks_core::hooks;
use hooks_runtime::entry::Mode;
use hooks_runtime::{HookStatus, Meaning, Runtime};
use serde::Serialize;
use serde_json::json;

use crate::file::{self, FileArgs};
use crate::paint::{self, DIM, say};
use crate::{Done, Failure};

/// One hook, in the order in which hooks run.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) order: usize,
    pub(crate) hook: String,
    pub(crate) priority: i32,
    pub(crate) events: Vec<&'static str>,
    pub(crate) handler: String,
    pub(crate) filter: String,
    pub(crate) mode: &'static str,
    /// Whether it judges the final form of an event as well.
    pub(crate) guard: bool,
    /// The later hook because of which it judges again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) judges_again_after: Option<String>,
    pub(crate) source: String,
}

impl Row {
    /// The mode, and what a guard does.
    fn role(&self) -> String {
        match (&self.judges_again_after, self.guard) {
            (Some(changer), _) => format!("{}, guard, again after {changer}", self.mode),
            (None, true) => format!("{}, guard", self.mode),
            (None, false) => self.mode.to_owned(),
        }
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
        rows.retain(|row| row.events.contains(&only));
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
            let style = if row.mode == "enforce" {
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
                row.role(),
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

/// Returns all hooks of a runtime: built-in ones and definitions.
pub(crate) fn rows(runtime: &Runtime, file: &Path) -> Vec<Row> {
    let status = runtime.status();
    let pipeline = hooks![..runtime.clone()];
    let mut rows: Vec<Row> = Vec::new();
    let mut shown = HashSet::new();
    let mut before = None;
    for row in pipeline.plan() {
        if shown.contains(&*row.hook) {
            continue;
        }
        let events: &[&'static str] = match &row.event {
            Some(event) => std::slice::from_ref(event),
            None => AgentEvent::NAMES,
        };
        if before == Some((row.order, row.depth)) {
            if let Some(last) = rows.last_mut() {
                last.events.extend(events);
            }
            continue;
        }
        before = Some((row.order, row.depth));
        let mut definitions = status.hooks.iter().filter(|hook| hook.place == row.hook);
        let mut push = |hook: &str, definition: Option<&HookStatus>| {
            rows.push(Row {
                order: row.order,
                hook: hook.to_owned(),
                priority: definition.map_or(row.priority, |definition| definition.priority),
                events: definition.map_or_else(|| events.to_vec(), |one| one.events.clone()),
                handler: definition.map_or_else(|| "built-in".into(), |one| one.handler.clone()),
                filter: definition.map_or_else(String::new, |one| one.filter.clone()),
                mode: definition.map_or("enforce", |one| match one.mode {
                    Mode::Enforce => "enforce",
                    Mode::Shadow => "shadow",
                    Mode::Off => "off",
                }),
                guard: row.is_guard,
                judges_again_after: row.judges_again_after.as_deref().map(str::to_owned),
                source: definition
                    .map_or_else(|| file.display().to_string(), |one| one.source.clone()),
            });
        };
        match definitions.next() {
            None => push(&row.hook, None),
            // A file of another system is one place with several hooks.
            Some(first) => {
                push(&first.name, Some(first));
                for other in definitions {
                    push(&other.name, Some(other));
                }
                // They know their events: the place's rows for other events say nothing new.
                shown.insert(row.hook.to_string());
            }
        }
    }
    rows
}
