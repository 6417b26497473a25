//! Reads PicoClaw's `hooks`: its own hooks by their names, and long-running processes. Our own files have the same
//! tables.

use std::path::Path;
use std::time::Duration;

use hooks_builtin::config::DefaultsConfig;
use hooks_config::{ConfigError, Document, Segment};
use serde_json::{Value, json};

use super::{Loader, SourceStatus};
use crate::definition::{Definition, DefinitionPlace};
use crate::entry::{EnvEntry, FileConfig, ImportEntry, Mode, OnFault};
use crate::events::EventInfo;
use crate::handler::command::CommandEnvironment;
use crate::handler::{SHARED_HELP, process};
use crate::system::Dialect;
use crate::system::names;
use crate::system::table::UnitOrder;

/// The ways in which a process decides, with its methods: each way turns on all of its methods.
const INTERCEPT: &[(&[&str], &[&str])] = &[
    (&["before_llm", "after_llm"], &["before_llm", "after_llm"]),
    // A process may stand for a tool that the agent does not have.
    (
        &["before_tool", "after_tool"],
        &["before_tool", "InvalidToolCall", "after_tool"],
    ),
    (&["approve_tool"], &["approve_tool"]),
];

/// Makes a mistake at a path of the file.
type MistakeAt<'a> = dyn Fn(&[Segment], String, Option<&str>) -> ConfigError + 'a;

/// Our events, each with PicoClaw's name.
type Events = Vec<(&'static EventInfo, String)>;

impl Loader<'_> {
    /// Reads a configuration of PicoClaw.
    pub(super) fn picoclaw(&mut self, document: &Document, entry: &ImportEntry) {
        let before = self.definitions();
        self.texts
            .push(json!(["picoclaw", document.value(), entry]));
        if let Some(mut hooks) = document.value().get("hooks").cloned() {
            // Its defaults differ from ours: a hook that is not turned on is off.
            for table in ["builtins", "processes"] {
                let entries = hooks.get_mut(table).and_then(Value::as_object_mut);
                for (_, entry) in entries.into_iter().flatten() {
                    if let Value::Object(entry) = entry {
                        entry.entry("enabled").or_insert(Value::Bool(false));
                        if entry.get("transport") == Some(&json!("")) {
                            entry.remove("transport");
                        }
                    }
                }
            }
            match FileConfig::part(document, &hooks) {
                Ok(config) if config.hooks.enabled && entry.mode != Mode::Off => {
                    self.builtin(&config);
                    self.processes_of(document, &config, entry);
                }
                Ok(_) => self.notices.push(format!(
                    "{}: skipped all hooks of this file: `enabled` is false",
                    super::claude::shown(document)
                )),
                Err(error) => self.mistakes.push(error),
            }
        } else {
            self.no_hooks(document, entry);
        }
        let definitions = self.definitions() - before;
        self.sources.push(SourceStatus {
            file: document.file().map(Path::to_owned),
            dialect: Dialect::Picoclaw,
            definitions,
            trusted: true,
            bundle: None,
        });
    }

    fn definitions(&self) -> usize {
        self.drafts
            .iter()
            .map(|draft| draft.definitions.len())
            .sum()
    }

    fn processes_of(&mut self, document: &Document, config: &FileConfig, entry: &ImportEntry) {
        let mistake =
            |path: &[_], message: String, help: Option<&str>| document.mistake(path, message, help);
        self.all_processes(config, document.file(), entry, &mistake);
    }

    /// Reads the processes of a file of ours.
    pub(super) fn processes(
        &mut self,
        config: &FileConfig,
        file: Option<&Path>,
        entry: &ImportEntry,
    ) {
        let mistake =
            |path: &[_], message: String, help: Option<&str>| config.mistake(path, message, help);
        self.all_processes(config, file, entry, &mistake);
    }

    #[expect(
        clippy::too_many_lines,
        reason = "each key of a process may be wrong in its own way"
    )]
    fn all_processes(
        &mut self,
        config: &FileConfig,
        file: Option<&Path>,
        import: &ImportEntry,
        mistake: &MistakeAt<'_>,
    ) {
        // Lower priorities run first, then the order of the names: the map is sorted.
        let mut processes: Vec<_> = config.entries.processes.iter().collect();
        processes.sort_by_key(|(_, entry)| entry.priority);
        let mut definitions = Vec::new();
        for (name, entry) in processes {
            let path = |key: &str| {
                [
                    "hooks".into(),
                    "processes".into(),
                    name.as_str().into(),
                    key.into(),
                ]
            };
            let mut wrong = Vec::new();
            let intercepted = intercepted(&entry.intercept).unwrap_or_else(|unknown| {
                wrong.push(mistake(
                    &path("intercept"),
                    format!("a process does not decide about `{unknown}`"),
                    Some("write `before_llm`, `after_llm`, `before_tool`, `after_tool` or `approve_tool`"),
                ));
                Events::new()
            });
            let (observed, never) = observed(&entry.observe);
            for never in never {
                let notice = mistake(
                    &path("observe"),
                    format!("`{never}` is a known event that is never raised here"),
                    None,
                );
                self.notices.push(notice.to_string());
            }
            if entry
                .command
                .first()
                .is_none_or(|program| program.trim().is_empty())
            {
                wrong.push(mistake(
                    &path("command"),
                    format!("the process `{name}` has no command"),
                    Some("write `command = [\"python3\", \"gate.py\"]`"),
                ));
            }
            if entry.observe.is_empty() && entry.intercept.is_empty() {
                wrong.push(mistake(
                    &path("intercept"),
                    format!("the process `{name}` neither observes nor decides about any event"),
                    Some("write `intercept = [\"before_tool\"]`, for example"),
                ));
            }
            if self.is_shared() && entry.enabled {
                let message =
                    format!("the process `{name}` runs a program, so it does not run here");
                wrong.push(mistake(&path("command")[..3], message, Some(SHARED_HELP)));
            }
            if !wrong.is_empty() && !entry.enabled {
                let origin = DefinitionPlace::of(file, wrong[0].line());
                let notice = format!("{origin}: the process `{name}` is off");
                self.notices.push(notice);
                continue;
            }
            if !wrong.is_empty() {
                self.mistakes.append(&mut wrong);
                continue;
            }
            let folder = self.making(file).folder;
            let decided = intercepted.iter().map(|(event, _)| process::mode_of(event));
            let mut modes: Vec<_> = decided
                .chain((!observed.is_empty()).then_some("observe"))
                .collect();
            modes.sort_unstable();
            modes.dedup();
            let key = json!(["picoclaw", name, entry, &folder]);
            let made = self.handler(&key, || {
                let env = EnvEntry {
                    set: entry.env.clone(),
                    ..EnvEntry::default()
                };
                Ok(process::start(process::ProcessSettings {
                    name: name.clone(),
                    argv: entry.command.clone(),
                    // PicoClaw starts a program where it runs.
                    folder: entry.dir.clone().unwrap_or(folder),
                    dir: entry.dir.clone(),
                    environment: CommandEnvironment::check(&env, Dialect::Picoclaw)?,
                    restart: true,
                    sandbox: None,
                    modes,
                    dialect: Dialect::Picoclaw,
                }))
            });
            let (body, _) = match made {
                Ok(made) => made,
                Err(fault) => {
                    let key = fault.keys.first().map_or("command", String::as_str);
                    self.mistakes
                        .push(mistake(&path(key), fault.message, fault.help.as_deref()));
                    continue;
                }
            };
            let line = mistake(&path("command")[..3], String::new(), None).line();
            let timeouts = ProcessTimeouts::of(config.hooks.defaults);
            let (approved, decided): (Events, Events) = intercepted
                .into_iter()
                .partition(|(event, _)| event.name == "ApproveToolCall");
            let parts = [
                (decided, "", timeouts.intercept, OnFault::Skip, false),
                (
                    approved,
                    ":approve",
                    timeouts.approve,
                    OnFault::Block,
                    false,
                ),
                (observed, ":observe", timeouts.observe, OnFault::Skip, true),
            ];
            for (events, suffix, timeout, on_failure, is_background) in parts {
                if events.is_empty() {
                    continue;
                }
                let origin = DefinitionPlace::of(file, line);
                let name = self.free_name(&format!("{name}{suffix}"), &origin.to_string());
                definitions.push(Definition {
                    events,
                    mode: if entry.enabled {
                        import.mode
                    } else {
                        Mode::Off
                    },
                    timeout,
                    on_failure: Some(if self.is_strict(import) {
                        OnFault::Block
                    } else {
                        on_failure
                    }),
                    is_background,
                    ..Definition::new(name, origin, Dialect::Picoclaw, body.clone())
                });
            }
        }
        self.add("processes", UnitOrder::InTurn, import, definitions);
    }
}

/// Returns the events that a process decides about.
fn intercepted(modes: &[String]) -> Result<Events, String> {
    let known = |mode: &str| INTERCEPT.iter().any(|(modes, _)| modes.contains(&mode));
    if let Some(unknown) = modes.iter().find(|mode| !known(mode)) {
        return Err(unknown.clone());
    }
    let is_on = |names: &&[&str]| modes.iter().any(|mode| names.contains(&mode.as_str()));
    let methods = INTERCEPT
        .iter()
        .filter(|(names, _)| is_on(names))
        .flat_map(|(_, methods)| *methods);
    Ok(methods
        .flat_map(|method| names::ours(Dialect::Picoclaw, method))
        .collect())
}

/// Returns the events that a process receives, and the kinds that are never raised here.
fn observed(kinds: &[String]) -> (Events, Vec<&str>) {
    let (mut events, mut never) = (Events::new(), Vec::new());
    for kind in kinds {
        let found = match kind.as_str() {
            "*" => names::kinds_of_picoclaw(),
            kind => names::ours(Dialect::Picoclaw, kind),
        };
        if found.is_empty() {
            never.push(kind.as_str());
        }
        for (event, name) in found {
            if !events.iter().any(|(known, _)| std::ptr::eq(*known, event)) {
                events.push((event, name));
            }
        }
    }
    (events, never)
}

/// The timeouts for calls of processes.
struct ProcessTimeouts {
    observe: Duration,
    intercept: Duration,
    approve: Duration,
}

impl ProcessTimeouts {
    fn of(defaults: DefaultsConfig) -> Self {
        let or = |ms: Option<std::num::NonZeroU64>, default| {
            ms.map_or(default, |ms| Duration::from_millis(ms.get()))
        };
        ProcessTimeouts {
            observe: or(defaults.observer_timeout_ms, Duration::from_millis(500)),
            intercept: or(defaults.interceptor_timeout_ms, Duration::from_secs(5)),
            approve: or(defaults.approval_timeout_ms, Duration::from_mins(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_way_turns_on_both_methods() {
        let events = intercepted(&["after_llm".to_owned()]).unwrap();
        let names: Vec<_> = events
            .iter()
            .map(|(event, name)| (event.name, name.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                ("BeforeLlmCall", "before_llm"),
                ("AfterLlmCall", "after_llm")
            ]
        );
        assert_eq!(
            intercepted(&["before_lunch".to_owned()]).unwrap_err(),
            "before_lunch"
        );
    }

    #[test]
    fn some_kinds_are_never_raised_here() {
        let kinds = [
            "agent.tool.exec_end".to_owned(),
            "mcp.tool.discovered".to_owned(),
        ];
        let (events, never) = observed(&kinds);
        assert_eq!(events[0].0.name, "ToolCallEnd");
        assert_eq!(events[0].1, "agent.tool.exec_end");
        assert_eq!(never, ["mcp.tool.discovered"]);
        let all = ["*".to_owned(), "agent.tool.exec_end".to_owned()];
        let (all, never) = observed(&all);
        assert_eq!((all.len(), never.len()), (19, 0));
    }
}
