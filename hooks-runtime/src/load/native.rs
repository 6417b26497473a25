//! Reads `[[hooks.on]]`: the definitions in our own files.

use std::ops::Range;
use std::sync::Arc;

use hooks_config::{At, ConfigError, Mistake, Segment};
use hooks_rules::cel::Cel;
use hooks_rules::check::{Checked, Given, check};
use hooks_rules::tools::Aliases;

use super::{Draft, Loader};
use crate::definition::{Body, Definition, DefinitionPlace, DefinitionState, Marks, TIMEOUT};
use crate::entry::{FileConfig, LimitsConfig, OnEntry};
use crate::events::{CONTEXT, EVENTS, EventInfo};
use crate::filter::Filter;
use crate::handler::{Making, SettingsMistake, command, http, process, prompt};
use crate::system::Dialect;
use crate::system::names;
use crate::system::table::UnitOrder;
use crate::system::tools::{self, aliases_of};

/// The most mistakes of entries that are shown: each has to be found in its text.
const MOST: usize = 100;

/// An entry that is being checked.
struct Checking<'a> {
    config: &'a FileConfig,
    entry: &'a OnEntry,
    index: usize,
    mistakes: Vec<ConfigError>,
}

impl Checking<'_> {
    fn path(&self, keys: &[&str]) -> Vec<Segment> {
        let mut path = vec!["hooks".into(), "on".into(), self.index.into()];
        path.extend(keys.iter().map(|key| Segment::from(*key)));
        path
    }

    fn wrong(&mut self, keys: &[&str], message: impl Into<String>, help: Option<&str>) {
        if self.mistakes.len() < MOST {
            let path = self.path(keys);
            self.mistakes
                .push(self.config.mistake(&path, message, help));
        }
    }

    /// Checks what does not depend on the file, and compiles its rule and its conditions.
    fn rules(&mut self, events: &[(&'static EventInfo, String)]) -> Checked {
        let events: Vec<_> = events.iter().map(|(event, _)| *event).collect();
        let given = Given {
            events: &events,
            context: &CONTEXT,
            claudes: &Aliases::claudes(),
        };
        let mut checked = check(&self.entry.written(), &given);
        for wrong in checked.wrong.drain(..) {
            if self.mistakes.len() >= MOST {
                break;
            }
            let keys: Vec<_> = wrong.keys.iter().map(String::as_str).collect();
            let mut mistake = Mistake::new(self.path(&keys), wrong.message);
            mistake.help = wrong.help;
            if let Some(Range { start, end }) = wrong.at {
                mistake.at = At::Part { start, end };
            }
            self.mistakes.push(self.config.hooks.show(mistake));
        }
        checked
    }

    /// Returns the events, each with the name that was written.
    fn events(&mut self, dialect: Dialect) -> Vec<(&'static EventInfo, String)> {
        let mut events: Vec<(&'static EventInfo, String)> = Vec::new();
        for (nth, name) in self.entry.event.0.iter().enumerate() {
            let found = match name.as_str() {
                "*" => EVENTS
                    .iter()
                    .map(|event| (event, event.name.to_owned()))
                    .collect(),
                name => names::ours(dialect, name),
            };
            if found.is_empty() {
                let is_list = self.entry.event.0.len() > 1;
                let mut path = self.path(&["event"]);
                if is_list {
                    path.push(nth.into());
                }
                let help = names::suggestion(name);
                self.mistakes.push(self.config.mistake(
                    &path,
                    format!("`{name}` is not an event"),
                    Some(&help),
                ));
                if self.mistakes.len() >= MOST {
                    break;
                }
            }
            for one in found {
                if !events.iter().any(|(known, _)| std::ptr::eq(*known, one.0)) {
                    events.push(one);
                }
            }
        }
        if self.entry.event.0.is_empty() {
            self.wrong(
                &["event"],
                "the hook has no event",
                Some("write `event = \"BeforeToolCall\"`, for example"),
            );
        }
        events
    }
}

impl Loader<'_> {
    /// Reads the definitions of a file of ours.
    pub(super) fn entries(&mut self, config: &FileConfig) {
        for (index, entry) in config.entries.on.iter().enumerate() {
            if self.mistakes.len() >= MOST {
                break;
            }
            let mut checked = Checking {
                config,
                entry,
                index,
                mistakes: Vec::new(),
            };
            let definition = self.entry(&mut checked);
            self.mistakes.append(&mut checked.mistakes);
            if let Some(mut definition) = definition {
                self.warn(entry, &definition);
                if self.plan.tests {
                    let place = (config.hooks.origin().clone(), index);
                    self.written.insert(definition.name.to_string(), place);
                }
                if let Some(why) = &entry.refused {
                    self.refuse_for(&mut definition, why);
                }
                self.drafts.push(Draft {
                    name: definition.name.to_string(),
                    priority: entry.priority,
                    order: UnitOrder::AtOnce,
                    is_foreign: false,
                    definitions: vec![definition],
                });
            }
        }
    }

    fn entry(&mut self, checked: &mut Checking<'_>) -> Option<Definition> {
        let Checking {
            config,
            entry,
            index,
            ..
        } = *checked;
        let before = checked.mistakes.len();
        let dialect = match &entry.dialect {
            None => Dialect::Hooks,
            Some(name) => Dialect::named(name, &self.own)
                .and_then(Dialect::with_hooks)
                .unwrap_or_else(|error| {
                    checked.wrong(&["dialect"], error, None);
                    Dialect::Hooks
                }),
        };
        let events = checked.events(dialect);
        let rules = checked.rules(&events);
        let (body, state) = match (rules.handler, rules.action) {
            (Some(_), Some(action)) => {
                (Some(Body::Rule(action)), Arc::<DefinitionState>::default())
            }
            (Some(key @ ("command" | "http" | "prompt" | "process")), None) => {
                self.outside(checked, key, dialect, &events).map_or_else(
                    || (None, Arc::default()),
                    |(body, state)| (Some(body), state),
                )
            }
            _ => (None, Arc::default()),
        };
        for never in rules.condition.iter().flat_map(Cel::never_equal) {
            let mut notice = Mistake::new(checked.path(&["if"]), &*never.message);
            notice.at = At::Part {
                start: never.at.start,
                end: never.at.end,
            };
            self.notices.push(config.hooks.show(notice).to_string());
        }
        let is_observed = events.iter().all(|(event, _)| !event.is_intercepted);
        let place = checked.path(&[]);
        let line = config.line(&place);
        let origin = DefinitionPlace::of(config.file(), line);
        let name = self.name_of(checked, index, &origin)?;
        let body = body?;
        if checked.mistakes.len() > before {
            return None;
        }
        let is_background =
            entry.background.unwrap_or(is_observed) && matches!(body, Body::Handler(_));
        let all = self.limits.chain.unwrap_or(LimitsConfig::CHAIN);
        if let Some(own) = entry.timeout.filter(|own| *own > all && !is_background) {
            let (own, all) = (
                humantime::format_duration(own),
                humantime::format_duration(all),
            );
            let notice = config.mistake(
                &checked.path(&["timeout"]),
                format!("the hook never gets its {own}, because all hooks of one event have {all} together"),
                Some("write `chain` in `[hooks.limits]` for more"),
            );
            self.notices.push(notice.to_string());
        }
        Some(Definition {
            filter: Filter {
                whens: names::whens(dialect, &entry.event.0),
                subjects: rules.subjects,
                tenants: entry.scope.tenants.clone(),
                agents: entry.scope.agents.clone(),
                agent: dialect.system().files.profile,
                aliases: aliases_of(dialect).with(tools::of_own(&self.own)),
                rule: rules.rule,
                condition: rules.condition,
                ..Filter::default()
            },
            is_background,
            is_guard: rules.is_guard,
            marks: Marks {
                version: entry.version,
                is_harmless: entry.harmless,
                must_audit: entry.must_audit,
            },
            events,
            mode: entry.mode,
            timeout: entry.timeout.unwrap_or(TIMEOUT),
            on_timeout: entry.on_timeout,
            on_failure: entry.on_failure,
            state,
            ..Definition::new(name, origin, dialect, body)
        })
    }

    /// Returns the name of a definition: its own, or the event and a number.
    fn name_of(
        &mut self,
        checked: &mut Checking<'_>,
        index: usize,
        origin: &DefinitionPlace,
    ) -> Option<String> {
        let entry = checked.entry;
        match &entry.name {
            Some(name) if name.trim().is_empty() => {
                checked.wrong(
                    &["name"],
                    "the name is empty",
                    Some("leave `name` out for a name made of the event and a number"),
                );
                None
            }
            Some(name) => {
                if let Err(error) = self.take_name(name, &origin.to_string()) {
                    checked.wrong(&["name"], error, Some("give each hook a name of its own"));
                }
                Some(name.clone())
            }
            None => {
                let event = entry.event.0.first().map_or("hook", String::as_str);
                Some(self.free_name(&format!("{event}-{}", index + 1), &origin.to_string()))
            }
        }
    }

    /// Creates a handler outside of the agent.
    fn outside(
        &mut self,
        checked: &mut Checking<'_>,
        key: &'static str,
        dialect: Dialect,
        events: &[(&'static EventInfo, String)],
    ) -> Option<(Body, Arc<DefinitionState>)> {
        let Checking { config, entry, .. } = *checked;
        let making = Making {
            name: entry.name.clone(),
            events: events.iter().map(|(event, _)| *event).collect(),
            ..self.making(config.file())
        };
        // Everything that determines the handler: if it is unchanged, the handler is kept.
        let settings = serde_json::to_value(entry).unwrap_or_default();
        let made_of = serde_json::json!([
            key,
            &settings[key],
            dialect.as_str(),
            &making.folder,
            entry.name,
            // A process learns what it is used for.
            events
                .iter()
                .map(|(event, _)| event.name)
                .collect::<Vec<_>>(),
        ]);
        let made = self.handler(&made_of, || {
            match key {
                "command" => entry
                    .command
                    .as_ref()
                    .map(|entry| command::make(entry, dialect, &making)),
                "http" => entry
                    .http
                    .as_ref()
                    .map(|entry| http::make(entry, dialect, &making)),
                "prompt" => entry
                    .prompt
                    .as_ref()
                    .map(|entry| prompt::make(entry, dialect, &making)),
                _ => entry
                    .process
                    .as_ref()
                    .map(|entry| process::make(entry, dialect, &making)),
            }
            .unwrap_or_else(|| Err(SettingsMistake::new("the handler has no settings")))
        });
        made.map_err(|mut wrong| {
            let more = std::mem::take(&mut wrong.more);
            for wrong in std::iter::once(wrong).chain(more) {
                let mut keys = vec![key];
                keys.extend(wrong.keys.iter().map(String::as_str));
                checked.wrong(&keys, wrong.message, wrong.help.as_deref());
            }
        })
        .ok()
    }
}
