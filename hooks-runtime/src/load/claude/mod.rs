//! Reads files in which events have groups of hooks, as in Claude Code: its own files, Codex's, Gemini CLI's, goose's,
//! and the flat form of mini-claw-code.
//!
//! There is one reader. The differences between the systems are in [`table`](crate::dialect::table).

mod hook;
mod make;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hooks_builtin::Glob;
use hooks_builtin::config::{ConfigError, Document, ImportEntry, Segment};
use regex::Regex;
use serde_json::{Value, json};

use super::{Loader, SourceStatus};
use crate::Dialect;
use crate::definition::Definition;
use crate::dialect::names;
use crate::dialect::table::{Event, Refusal, Rules, Subject, Whose};
use crate::dialect::tools::{self, Aliases};
use crate::events::EventInfo;
use crate::filter::{Subjects, no_regex};

/// One file, and its owner.
pub(super) struct File {
    pub(super) document: Document,
    pub(super) whose: Whose,
}

/// The settings for all hooks of a set of files.
struct Policy<'a> {
    dialect: Dialect,
    rules: &'static Rules,
    entry: &'a ImportEntry,
    aliases: Aliases,
    /// The URLs that may be called; all, if there is no such setting.
    urls: Option<Vec<String>>,
    /// The variables that headers may name; all that the hook itself allows, if there is no such setting.
    variables: Option<BTreeSet<String>>,
}

/// A group of hooks: an event, and the subjects that its matcher names.
struct Group<'a> {
    policy: &'a Policy<'a>,
    document: &'a Document,
    name: &'a str,
    event: Option<&'static Event>,
    info: &'static EventInfo,
    subjects: Subjects,
    is_sequential: bool,
    path: Vec<Segment>,
    /// The dialect of its answers, which differs for the flat form.
    dialect: Dialect,
}

/// A hook that can never run.
struct NeverRuns;

impl Group<'_> {
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
    pub(super) fn grouped(&mut self, files: &[File], dialect: Dialect, entry: &ImportEntry) {
        let rules = dialect.rules();
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
        let of_managed = files.iter().filter(|file| file.whose == Whose::Managed);
        let only_managed = of_managed
            .map(|file| &file.document.value()["allowManagedHooksOnly"])
            .any(is_true);
        let are_off = setting("disableAllHooks").as_ref().is_some_and(is_true);
        let policy = Policy {
            dialect,
            rules,
            entry,
            aliases: aliases(dialect, entry),
            urls: lists(files, "allowedHttpHookUrls"),
            variables: lists(files, "httpHookAllowedEnvVars")
                .map(|names| names.into_iter().collect()),
        };
        let mut definitions = Vec::new();
        for file in files {
            let shown = shown(&file.document);
            let before = definitions.len();
            let off = match file.whose {
                Whose::Managed => None,
                _ if only_managed => Some("`allowManagedHooksOnly` is set"),
                _ if are_off => Some("`disableAllHooks` is set"),
                _ => None,
            };
            match off {
                Some(why) => self
                    .notices
                    .push(format!("{shown}: no hook of it runs: {why}")),
                None => self.file(file, &policy, &mut definitions),
            }
            self.sources.push(SourceStatus {
                file: file.document.file().map(Path::to_owned),
                dialect,
                definitions: definitions.len() - before,
                trusted: true,
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
        self.add(&name, rules.order, entry, definitions);
    }

    fn file(&mut self, file: &File, policy: &Policy<'_>, definitions: &mut Vec<Definition>) {
        let document = &file.document;
        let value = document.value();
        let hooks = match value.get("hooks") {
            Some(Value::Object(hooks)) => hooks,
            Some(_) => {
                let wrong = document.mistake(
                    &["hooks".into()],
                    "`hooks` is a table with an event's name for each key",
                    Some("write `\"hooks\": { \"PreToolUse\": [ … ] }`"),
                );
                return self.left_out(wrong, policy.entry);
            }
            None => {
                self.notices
                    .push(format!("{}: there are no hooks in it", shown(document)));
                return;
            }
        };
        // The switches of Gemini CLI.
        let config = &value["hooksConfig"];
        if config["enabled"] == Value::Bool(false) {
            let shown = shown(document);
            self.notices.push(format!(
                "{shown}: no hook of it runs: `hooksConfig.enabled` is false"
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
            self.event(document, policy, name, groups, &disabled, definitions);
        }
    }

    /// Reads all groups of an event.
    #[expect(
        clippy::too_many_lines,
        reason = "each part of a group may be wrong in its own way"
    )]
    fn event(
        &mut self,
        document: &Document,
        policy: &Policy<'_>,
        name: &str,
        groups: &Value,
        disabled: &[&str],
        definitions: &mut Vec<Definition>,
    ) {
        let path: Vec<Segment> = vec!["hooks".into(), name.into()];
        let event = policy.rules.named(name);
        let Some(info) = event
            .and_then(Event::info)
            .or_else(|| EventInfo::named(name))
        else {
            let (what, help) = if policy.rules.never.contains(&name) {
                (format!("`{name}` is known, and never raised here"), None)
            } else {
                (
                    format!("`{name}` is no event"),
                    Some(names::suggestion(name)),
                )
            };
            let notice = document.mistake(&path, what, help.as_deref());
            self.notices.push(notice.to_string());
            return;
        };
        let Value::Array(groups) = groups else {
            let wrong = document.mistake(
                &path,
                format!("`{name}` needs a list of groups of hooks"),
                Some("write `[{ \"matcher\": \"…\", \"hooks\": [ … ] }]`"),
            );
            return self.left_out(wrong, policy.entry);
        };
        for (index, group) in groups.iter().enumerate() {
            let mut path = path.clone();
            path.push(index.into());
            let is_flat = group.get("hooks").is_none() && group["command"].is_string();
            let dialect = if is_flat {
                Dialect::Flat
            } else {
                policy.dialect
            };
            let event = if is_flat {
                Dialect::Flat.rules().named(name).or(event)
            } else {
                event
            };
            let mut of = Group {
                policy,
                document,
                name,
                event,
                info: event.and_then(Event::info).unwrap_or(info),
                subjects: Subjects::Any,
                is_sequential: group["sequential"] == Value::Bool(true),
                path,
                dialect,
            };
            let Some(fields) = group.as_object() else {
                let wrong = of.mistake(
                    &[],
                    "a group of hooks is a table",
                    Some("write `{ \"matcher\": \"…\", \"hooks\": [ … ] }`"),
                );
                self.left_out(wrong, policy.entry);
                continue;
            };
            match self.subjects(&of, fields.get("matcher")) {
                Ok(subjects) => of.subjects = subjects,
                Err(wrong) => {
                    self.left_out(wrong, policy.entry);
                    continue;
                }
            }
            if fields.contains_key("onFailure") && policy.rules.on_failure == Some("onFailure") {
                let notice = of.mistake(
                    &["onFailure"],
                    "`onFailure` has no effect on a group",
                    Some("write it in each hook"),
                );
                self.notices.push(notice.to_string());
            }
            if is_flat {
                if policy.dialect != Dialect::Flat {
                    let notice = of.mistake(
                        &[],
                        "this entry has the form of mini-claw-code: its matcher is a glob, and any exit code but 0 blocks",
                        Some("write `{ \"matcher\": \"…\", \"hooks\": [{ \"type\": \"command\", \"command\": \"…\" }] }` for Claude Code's"),
                    );
                    self.notices.push(notice.to_string());
                }
                self.hook(&of, fields, disabled, definitions);
                continue;
            }
            let Some(Value::Array(hooks)) = fields.get("hooks") else {
                let wrong = of.mistake(
                    &["hooks"],
                    "a group has a list of hooks",
                    Some("write `\"hooks\": [{ \"type\": \"command\", \"command\": \"…\" }]`"),
                );
                self.left_out(wrong, policy.entry);
                continue;
            };
            for (nth, hook) in hooks.iter().enumerate() {
                let group_path = of.path.clone();
                of.path.extend(["hooks".into(), nth.into()]);
                if let Some(hook) = hook.as_object() {
                    self.hook(&of, hook, disabled, definitions);
                } else {
                    let wrong = of.mistake(
                        &[],
                        "a hook is a table",
                        Some("write `{ \"type\": \"command\", \"command\": \"…\" }`"),
                    );
                    self.left_out(wrong, policy.entry);
                }

                of.path = group_path;
            }
        }
    }

    /// Returns the subjects that a matcher names.
    fn subjects(
        &mut self,
        group: &Group<'_>,
        matcher: Option<&Value>,
    ) -> Result<Subjects, ConfigError> {
        let rules = group.policy.rules;
        let text = match matcher {
            None | Some(Value::Null) => return Ok(Subjects::Any),
            Some(Value::String(text)) => text.as_str(),
            Some(_) => {
                return Err(group.mistake(
                    &["matcher"],
                    "the matcher is a text",
                    Some("write the names with `|` between them: `\"Edit|Write\"`"),
                ));
            }
        };
        if matches!(text, "" | "*") {
            return Ok(Subjects::Any);
        }
        let compared = group.event.map_or(Subject::Tool, |event| event.subject);
        if compared == Subject::None || (group.event.is_none() && !group.info.has_subject) {
            let notice = group.mistake(
                &["matcher"],
                format!(
                    "`{}` has nothing to compare a matcher with, so this one is ignored",
                    group.name
                ),
                None,
            );
            self.notices.push(notice.to_string());
            return Ok(Subjects::Any);
        }
        if group.dialect == Dialect::Flat {
            let glob = Glob::new(text)
                .map_err(|error| group.mistake(&["matcher"], error.to_string(), None))?;
            return Ok(Subjects::Globs(vec![glob]));
        }
        if text.chars().all(rules.of_names) {
            let names = text
                .split(['|', ','])
                .map(str::trim)
                .filter(|name| !name.is_empty());
            return Ok(Subjects::Names(names.map(str::to_owned).collect()));
        }
        // Gemini compares anything other than tools exactly.
        if rules.is_lenient && compared != Subject::Tool {
            return Ok(Subjects::Names(vec![text.to_owned()]));
        }
        match Regex::new(text) {
            Ok(regex) => Ok(Subjects::Regex(regex)),
            Err(_) if rules.is_lenient && !has_look_around(text) => {
                let notice = group.mistake(
                    &["matcher"],
                    format!("`{text}` is no regular expression, and is compared as it is"),
                    None,
                );
                self.notices.push(notice.to_string());
                Ok(Subjects::Names(vec![text.to_owned()]))
            }
            Err(error) => {
                let last = no_regex(&error);
                Err(group.mistake(
                    &["matcher"],
                    format!("the matcher is a regular expression that cannot be used: {last}"),
                    Some("look-around and back-references are not supported, so that matching always takes linear time: write the names with `|` between them"),
                ))
            }
        }
    }
}

/// Returns the names of tools for an import: its own, and the well-known ones that it does not set.
fn aliases(dialect: Dialect, entry: &ImportEntry) -> Aliases {
    let known = tools::aliases(dialect);
    if entry.tools.is_empty() {
        return known;
    }
    let own = entry
        .tools
        .iter()
        .map(|(theirs, ours)| (theirs.clone(), ours.clone()));
    let is_own = |ours: &str| entry.tools.values().any(|own| own == ours);
    let others = known.iter().filter(|(_, ours)| !is_own(ours)).cloned();
    own.chain(others).collect()
}

/// Returns a list that several files may set: all their items together.
fn lists(files: &[File], key: &str) -> Option<Vec<String>> {
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
fn takes_prompt(group: &Group<'_>) -> bool {
    group.event.is_some_and(|event| {
        event.refusal != Refusal::Shows && event.info().is_some_and(|info| info.is_intercepted)
    })
}

fn has_look_around(text: &str) -> bool {
    ["(?=", "(?!", "(?<=", "(?<!"]
        .iter()
        .any(|start| text.contains(start))
}

pub(super) fn shown(document: &Document) -> String {
    document
        .file()
        .map_or_else(|| "a text".to_owned(), |file| file.display().to_string())
}
