//! Reads files in which events have groups of hooks, as in Claude Code, or a list of hooks: the files of all systems but
//! PicoClaw and GoClaw.
//!
//! There is one reader. The differences between the systems are in [`table`](crate::system::table).

mod group;
mod hook;
mod make;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hooks_config::{ConfigError, Document, Segment};
use hooks_rules::subjects::Subjects;
use hooks_rules::tools::Aliases;
use serde_json::{Map, Value, json};

use super::closed::Meant;
use super::near::is_near;
use super::{Loader, SourceStatus};
use crate::definition::Definition;
use crate::entry::ImportEntry;
use crate::events::EventInfo;
use crate::filter::Filter;
use crate::system::Dialect;
use crate::system::table::{EventSubject, FileOwner, Refusal, Root, System, SystemEvent};
use crate::system::tools::aliases_of;

/// One file, and its owner.
pub(super) struct SettingsFile {
    pub(super) document: Document,
    pub(super) whose: FileOwner,
}

/// The settings for all hooks of a set of files.
struct Policy<'a> {
    dialect: Dialect,
    rules: &'static System,
    entry: &'a ImportEntry,
    aliases: Aliases,
    /// The URLs that may be called; all, if there is no such setting.
    urls: Option<Vec<String>>,
    /// The variables that headers may name; all that the hook itself allows, if there is no such setting.
    variables: Option<BTreeSet<String>>,
}

/// A group of hooks: an event, and the subjects that its matcher names.
struct MatcherGroup<'a> {
    policy: &'a Policy<'a>,
    document: &'a Document,
    name: &'a str,
    event: Option<&'static SystemEvent>,
    info: &'static EventInfo,
    subjects: Subjects,
    is_sequential: bool,
    path: Vec<Segment>,
    /// The dialect of its answers, which differs for the flat form.
    dialect: Dialect,
}

/// A hook that can never run.
struct NeverRuns;

impl MatcherGroup<'_> {
    /// What a wrong entry of the group was meant for.
    fn meant(&self) -> Meant<'_> {
        let subject = self.event.map(|event| event.subject.clone());
        Meant {
            entry: self.policy.entry,
            dialect: self.dialect,
            info: self.info,
            named: self.name,
            filter: Filter {
                whens: self.event.map(SystemEvent::whens).unwrap_or_default(),
                subjects: self.subjects.clone(),
                compared: subject.filter(|subject| *subject != EventSubject::Tool),
                aliases: self.policy.aliases.clone(),
                agent: self.policy.rules.files.profile,
                ..Filter::default()
            },
        }
    }

    fn mistake(
        &self,
        keys: &[&str],
        message: impl Into<String>,
        help: Option<&str>,
    ) -> ConfigError {
        let mut path = self.path.clone();
        path.extend(keys.iter().map(|key| Segment::from(*key)));
        self.document.mistake(&path, message, help)
    }
}

impl Loader<'_> {
    /// Reads files of one system. Their hooks are one place in the pipeline.
    pub(super) fn grouped(
        &mut self,
        files: &[SettingsFile],
        dialect: Dialect,
        entry: &ImportEntry,
    ) {
        let rules = dialect.system();
        for file in files {
            self.texts.push(json!([
                dialect.as_str(),
                file.document.value(),
                entry,
                file.document.file()
            ]));
        }
        // The settings of an organisation for hooks of others.
        let setting = |key: &str| {
            let mut files: Vec<_> = files.iter().collect();
            files.sort_by_key(|file| std::cmp::Reverse(file.whose));
            let found = files
                .iter()
                .find(|file| file.document.value().get(key).is_some());
            found.map(|file| file.document.value()[key].clone())
        };
        let is_true = |value: &Value| *value == Value::Bool(true);
        let of_managed = files.iter().filter(|file| file.whose == FileOwner::Managed);
        let only_managed = of_managed
            .map(|file| &file.document.value()["allowManagedHooksOnly"])
            .any(is_true);
        let are_off = setting("disableAllHooks").as_ref().is_some_and(is_true);
        let policy = Policy {
            dialect,
            rules,
            entry,
            aliases: aliases_of(dialect).with(entry.tools.clone()),
            urls: lists(files, "allowedHttpHookUrls"),
            variables: lists(files, "httpHookAllowedEnvVars")
                .map(|names| names.into_iter().collect()),
        };
        let mut definitions = Vec::new();
        for file in files {
            let shown = shown(&file.document);
            let before = definitions.len();
            let off = match file.whose {
                FileOwner::Managed => None,
                _ if only_managed => Some("`allowManagedHooksOnly` is set"),
                _ if are_off => Some("`disableAllHooks` is set"),
                _ => None,
            };
            match off {
                Some(why) => self
                    .notices
                    .push(format!("{shown}: skipped all hooks of this file: {why}")),
                None => self.file(file, &policy, &mut definitions),
            }
            self.sources.push(SourceStatus {
                file: file.document.file().map(Path::to_owned),
                dialect,
                definitions: definitions.len() - before,
                trusted: true,
                bundle: None,
            });
        }
        let last_work = last_work(&definitions);
        for definition in &mut definitions {
            if definition
                .events
                .iter()
                .any(|(event, _)| event.name == "SessionEnd")
                && dialect == Dialect::Claude
            {
                definition.timeout = last_work;
            }
        }
        let name = match files {
            [file] => format!("{dialect}:{}", shown(&file.document)),
            _ => dialect.to_string(),
        };
        self.add(&name, rules.files.order, entry, definitions);
    }

    fn file(
        &mut self,
        file: &SettingsFile,
        policy: &Policy<'_>,
        definitions: &mut Vec<Definition>,
    ) {
        let document = &file.document;
        let value = document.value();
        if policy.rules.files.root == Root::Sets {
            return self.sets(document, policy, definitions);
        }
        let (at, hooks) = match events_of(document, policy.rules) {
            Some((at, Value::Object(hooks))) => (at, hooks),
            Some(_) => {
                let wrong = document.mistake(
                    &["hooks".into()],
                    "`hooks` must be a table with an event's name for each key",
                    Some("write `\"hooks\": { \"PreToolUse\": [ … ] }`"),
                );
                return self.mistakes.push(wrong);
            }
            None => return self.no_hooks(document, policy.entry),
        };
        // The switches of Gemini CLI.
        let config = &value["hooksConfig"];
        if config["enabled"] == Value::Bool(false) {
            let shown = shown(document);
            self.notices.push(format!(
                "{shown}: skipped all hooks of this file: `hooksConfig.enabled` is false"
            ));
            return;
        }
        let disabled: Vec<&str> = [&config["disabled"], &value["hooks"]["disabled"]]
            .into_iter()
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, groups) in hooks {
            let is_switch = matches!(name.as_str(), "disabled" | "enabled" | "notifications");
            if policy.dialect == Dialect::Gemini && is_switch {
                continue;
            }
            // Among other settings, only what is named as an event is one.
            let is_event =
                |event: &SystemEvent| event.named == *name || is_near(name, &event.named);
            if at.is_empty() && !policy.rules.events().iter().any(is_event) {
                continue;
            }
            self.event(document, policy, &at, name, groups, &disabled, definitions);
        }
    }

    /// Reads sets of hooks, each with a name and a switch.
    fn sets(
        &mut self,
        document: &Document,
        policy: &Policy<'_>,
        definitions: &mut Vec<Definition>,
    ) {
        let Some(sets) = document.value().as_object() else {
            return self.no_hooks(document, policy.entry);
        };
        for (set, events) in sets {
            let Value::Object(events) = events else {
                if !events.is_array() {
                    continue;
                }
                let wrong = document.mistake(
                    &[set.as_str().into()],
                    format!(
                        "`{set}` must be a table of events: the hooks have a name of their own here"
                    ),
                    Some("write `{ \"my hooks\": { \"PreToolUse\": [ … ] } }`"),
                );
                self.mistakes.push(wrong);
                continue;
            };
            if events.get("enabled") == Some(&Value::Bool(false)) {
                let shown = shown(document);
                self.notices
                    .push(format!("{shown}: skipped `{set}`: its `enabled` is false"));
                continue;
            }
            for (name, groups) in events.iter().filter(|(name, _)| *name != "enabled") {
                let at = [set.as_str().into()];
                self.event(document, policy, &at, name, groups, &[], definitions);
            }
        }
    }
}

/// Returns the events of a file, and where they stand. Settings without hooks have none.
pub(super) fn events_of<'d>(
    document: &'d Document,
    rules: &System,
) -> Option<(Vec<Segment>, &'d Value)> {
    let value = document.value();
    if let Some(hooks) = value.get("hooks") {
        return Some((vec!["hooks".into()], hooks));
    }
    let name = document.file().and_then(Path::file_name);
    let is_all_hooks = name.is_some_and(|name| name.to_string_lossy().starts_with("hooks"));
    let has_event = || {
        let mut events = rules.events().iter();
        let is_there = |event: &SystemEvent| {
            let mut keys = value.as_object().into_iter().flat_map(Map::keys);
            keys.any(|key| *key == event.named || is_near(key, &event.named))
        };
        events.any(is_there)
    };
    let is_here = match rules.files.root {
        Root::Hooks => false,
        Root::Top => is_all_hooks || has_event(),
        Root::Sets => true,
    };
    (is_here && value.is_object()).then(|| (Vec::new(), value))
}

/// Returns a list that several files may set: all their items together.
fn lists(files: &[SettingsFile], key: &str) -> Option<Vec<String>> {
    let mut lists = files
        .iter()
        .filter_map(|file| file.document.value().get(key)?.as_array())
        .peekable();
    lists.peek()?;
    Some(
        lists
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    )
}

/// Returns the time that all hooks at the end of a session have: 1.5 seconds, or as long as the longest of them asks
/// for, up to a minute.
fn last_work(definitions: &[Definition]) -> Duration {
    let at_the_end = definitions.iter().filter(|definition| {
        definition
            .events
            .iter()
            .any(|(event, _)| event.name == "SessionEnd")
    });
    let longest = at_the_end.map(|definition| definition.timeout).max();
    longest
        .unwrap_or_default()
        .clamp(Duration::from_millis(1500), Duration::from_mins(1))
}

/// Whether a model may be asked about the event of a group.
fn takes_prompt(group: &MatcherGroup<'_>) -> bool {
    group.event.is_some_and(|event| {
        event.refusal != Refusal::Shows && event.info().is_some_and(|info| info.is_intercepted)
    })
}

pub(super) fn shown(document: &Document) -> String {
    document
        .file()
        .map_or_else(|| "a text".to_owned(), |file| file.display().to_string())
}
