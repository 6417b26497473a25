//! Files in which events have groups of hooks, as Claude Code has it: its own, Codex's, Gemini CLI's, goose's, and the flat
//! form of mini-claw-code.
//!
//! There is one reader. What the systems do differently is in [`table`](crate::dialect::table).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hooks_builtin::Glob;
use hooks_builtin::config::{
    CommandEntry, ConfigError, Document, EnvEntry, ImportEntry, Mode, OnFault, PromptEntry, Segment,
};
use regex::Regex;
use serde_json::{Map, Value, json};

use super::{Loader, SourceStatus};
use crate::Dialect;
use crate::definition::{Body, Definition, Origin, State};
use crate::dialect::names;
use crate::dialect::table::{Event, Refusal, Rules, Subject, Twins, Whose};
use crate::dialect::tools::{self, Aliases};
use crate::events::EventInfo;
use crate::filter::{Filter, Subjects, input};
use crate::handler::{Handler, Wrong, command, http, prompt};
use crate::secrets::Replaced;

/// One file, and whose it is.
pub(super) struct File {
    pub(super) document: Document,
    pub(super) whose: Whose,
}

/// What goes for all hooks of a set of files.
struct Policy<'a> {
    dialect: Dialect,
    rules: &'static Rules,
    entry: &'a ImportEntry,
    aliases: Aliases,
    /// The URLs that may be called; all, if nothing is said.
    urls: Option<Vec<String>>,
    /// The variables that headers may name; all that the hook itself allows, if nothing is said.
    variables: Option<BTreeSet<String>>,
}

/// A group of hooks: an event, and whom its matcher names.
struct Group<'a> {
    policy: &'a Policy<'a>,
    document: &'a Document,
    name: &'a str,
    event: Option<&'static Event>,
    info: &'static EventInfo,
    subjects: Subjects,
    is_sequential: bool,
    path: Vec<Segment>,
    /// The dialect of its answers, which is another one for the flat form.
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
    /// Reads files of one system, whose hooks are one place in the pipeline.
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
        // What an organisation says about hooks of others.
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
        // Gemini CLI's switches.
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

    /// All groups of an event.
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

    /// Whom a matcher names.
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
        // Gemini compares what is no tool as it is.
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
                let said = error.to_string();
                let last = said
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim_start_matches("error: ")
                    .to_owned();
                Err(group.mistake(
                    &["matcher"],
                    format!("the matcher is a regular expression that cannot be used: {last}"),
                    Some("look-around and back-references are not supported, so that matching always takes linear time: write the names with `|` between them"),
                ))
            }
        }
    }

    /// One hook of a group.
    #[expect(
        clippy::too_many_lines,
        reason = "each key of a hook may be wrong in its own way"
    )]
    fn hook(
        &mut self,
        group: &Group<'_>,
        hook: &Map<String, Value>,
        disabled: &[&str],
        definitions: &mut Vec<Definition>,
    ) {
        let rules = group.policy.rules;
        let entry = group.policy.entry;
        let is_known =
            |kind: &str| matches!(kind, "command" | "http" | "prompt" | "agent" | "mcp_tool");
        let kind = match hook.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            None if hook.contains_key("command") => "command",
            _ => {
                let wrong = group.mistake(
                    &["type"],
                    "the hook does not say of which `type` it is",
                    Some("write `\"type\": \"command\"`"),
                );
                return self.left_out(wrong, entry);
            }
        };
        if !rules.kinds.contains(&kind) {
            let (what, wrong) = if is_known(kind) {
                (
                    format!("hooks of the type `{kind}` are known, and not run here"),
                    false,
                )
            } else {
                (format!("`{kind}` is no type of hook"), true)
            };
            let help = format!("the types that run are `{}`", rules.kinds.join("`, `"));
            let error = group.mistake(&["type"], what, Some(&help));
            if wrong {
                self.left_out(error, entry);
            } else {
                self.notices.push(error.to_string());
            }
            return;
        }
        if kind == "prompt" && !takes_prompt(group) {
            let wrong = group.mistake(
                &["type"],
                format!("a model is not asked on `{}`", group.name),
                None,
            );
            return self.left_out(wrong, entry);
        }
        let given = hook
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.trim().is_empty());
        let text = hook
            .get("command")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if disabled
            .iter()
            .any(|off| Some(*off) == given || *off == text)
        {
            let notice = group.mistake(
                &[],
                format!(
                    "the hook `{}` is turned off in `disabled`",
                    given.unwrap_or(text)
                ),
                None,
            );
            self.notices.push(notice.to_string());
            return;
        }
        let line = group.document.mistake(&group.path, "", None).line();
        let origin = Origin::of(group.document.file(), line);
        let number = definitions.len() + 1;
        let name = given.map_or_else(|| format!("{}-{number}", group.name), str::to_owned);
        let name = self.free_name(&name, &origin.to_string());
        let made = self.made(group, hook, kind, &name);
        let (body, state, mut twin) = match made {
            Ok(made) => made,
            Err(wrong) => {
                let keys: Vec<&str> = wrong.keys.iter().map(String::as_str).collect();
                let error = group.mistake(&keys, wrong.message, wrong.help.as_deref());
                return self.left_out(error, entry);
            }
        };
        let timeout = match self.timeout(group, hook, kind) {
            Ok(timeout) => timeout,
            Err(wrong) => return self.left_out(wrong, entry),
        };
        let Ok(rule) = self.rule(group, hook) else {
            return;
        };
        if let Some(rule) = &rule {
            twin = twin.map(|twin| format!("{twin} if {}", rule.text()));
        }
        let wakes = kind == "command" && hook.get("asyncRewake") == Some(&Value::Bool(true));
        let is_async =
            wakes || (kind == "command" && hook.get("async") == Some(&Value::Bool(true)));
        let on_failure = self.on_failure(group, hook, is_async);
        if hook.contains_key("once") {
            let notice = group.mistake(
                &["once"],
                "`once` counts in skills only: the hook runs each time",
                None,
            );
            self.notices.push(notice.to_string());
        }
        let subject = group.event.map(|event| event.subject);
        definitions.push(Definition {
            name: name.into(),
            origin,
            dialect: group.dialect,
            events: vec![(group.info, group.name.to_owned())],
            filter: Filter {
                whens: group.event.map(Event::whens).unwrap_or_default(),
                subjects: group.subjects.clone(),
                compared: subject.filter(|subject| *subject != Subject::Tool),
                aliases: Arc::clone(&group.policy.aliases),
                rule,
                ..Filter::default()
            },
            body,
            mode: entry.mode,
            timeout,
            on_timeout: None,
            on_failure: Some(on_failure),
            is_background: is_async || !group.info.is_intercepted,
            answers_late: is_async,
            wakes,
            is_in_turn: group.is_sequential,
            twin: twin.map(Into::into),
            state,
        });
        if entry.mode == Mode::Off {
            definitions.pop();
        }
    }

    /// The handler, and what makes it the same as another.
    fn made(
        &mut self,
        group: &Group<'_>,
        hook: &Map<String, Value>,
        kind: &str,
        name: &str,
    ) -> Result<(Body, Arc<State>, Option<String>), Wrong> {
        let dialect = group.dialect;
        let mut making = self.making(group.document.file());
        if making.project_dir.is_none() {
            making.project_dir = project_of(group.document.file());
        }
        let key = json!([
            dialect.as_str(),
            kind,
            hook,
            name,
            &making.folder,
            &making.project_dir,
            &group.policy.urls,
            &group.policy.variables
        ]);
        let rules = group.policy.rules;
        let mut notices = Vec::new();
        let twin = |what: String| match rules.twins {
            Twins::No => None,
            Twins::Whole => Some(format!("{kind} {what}")),
            Twins::NameAndCommand => Some(format!("{name} {what}")),
        };
        let (made, twin) = match kind {
            "command" => {
                let (entry, filled) = command_of(group, hook, making.project_dir.as_deref())?;
                let made = self.handler(&key, || command::make(&entry, dialect, &making));
                (made, twin(filled))
            }
            "http" => {
                let settings = http_of(group, hook)?;
                let twin = twin(format!("{} {:?}", settings.url, settings.headers.keys()));
                let made = self.handler(&key, || {
                    let (handler, said) = http::with(&settings, dialect, &making)?;
                    notices = said;
                    Ok(handler)
                });
                (made, twin)
            }
            _ => {
                let entry = prompt_of(hook)?;
                let twin = twin(format!("{:?} {}", entry.model, entry.template));
                let made: Result<(Body, Arc<State>), Wrong> =
                    self.handler(&key, || -> Result<Arc<dyn Handler>, Wrong> {
                        prompt::make(&entry, dialect, &making)
                    });
                (made, twin)
            }
        };
        for notice in notices {
            let notice = group.mistake(&["headers"], notice, None);
            self.notices.push(notice.to_string());
        }
        let (body, state) = made?;
        Ok((body, state, twin))
    }

    /// How long a hook may take.
    fn timeout(
        &mut self,
        group: &Group<'_>,
        hook: &Map<String, Value>,
        kind: &str,
    ) -> Result<Duration, ConfigError> {
        let rules = group.policy.rules;
        let default = if kind == "prompt" {
            rules.prompt_timeout
        } else {
            group
                .event
                .and_then(|event| event.timeout)
                .unwrap_or(rules.timeout)
        };
        let number = match hook.get("timeout") {
            None | Some(Value::Null) => return Ok(default),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        let Some(number) = number.filter(|number: &f64| number.is_finite() && *number >= 0.0)
        else {
            return Err(group.mistake(
                &["timeout"],
                "the timeout is no number",
                Some("write `\"timeout\": 30`, say"),
            ));
        };
        if number == 0.0 {
            return Ok(default);
        }
        if (rules.odd_timeouts)(number) {
            let (unit, other) = if rules.unit == Duration::from_secs(1) {
                ("seconds", "milliseconds")
            } else {
                ("milliseconds", "seconds")
            };
            let notice = group.mistake(
                &["timeout"],
                format!("the timeout of {number} is in {unit}: it looks as if {other} were meant"),
                None,
            );
            self.notices.push(notice.to_string());
        }
        let longest = Duration::from_hours(24);
        let timeout = Duration::try_from_secs_f64(rules.unit.as_secs_f64() * number)
            .unwrap_or(longest)
            .min(longest);
        // Codex cuts these two.
        let most = group
            .event
            .and_then(|event| event.timeout)
            .filter(|_| group.policy.dialect == Dialect::Codex);
        Ok(timeout.min(most.unwrap_or(longest)))
    }

    /// The rule for the tool's input. On an event without a tool, it never matches.
    fn rule(
        &mut self,
        group: &Group<'_>,
        hook: &Map<String, Value>,
    ) -> Result<Option<input::Rule>, NeverRuns> {
        let text = match hook.get("if") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => {
                let notice = group.mistake(
                    &["if"],
                    "the rule is no text, and is ignored: the hook runs on every call",
                    None,
                );
                self.notices.push(notice.to_string());
                return Ok(None);
            }
        };
        if !group.info.has_subject {
            let notice = group.mistake(
                &["if"],
                format!(
                    "`if` is for tools, and `{}` is about none: the hook never runs",
                    group.name
                ),
                Some("leave `if` out"),
            );
            self.notices.push(notice.to_string());
            return Err(NeverRuns);
        }
        let rule = input::Rule::parse(text, Arc::clone(&group.policy.aliases));
        if !rule.is_known() {
            let notice = group.mistake(
                &["if"],
                format!("the rule `{text}` is not understood, so the hook runs on every call"),
                Some("rules are `Bash(git *)`, `Edit(src/**)`, `WebFetch(domain:example.com)`"),
            );
            self.notices.push(notice.to_string());
        }
        Ok(Some(rule))
    }

    /// What happens when the hook fails.
    fn on_failure(
        &mut self,
        group: &Group<'_>,
        hook: &Map<String, Value>,
        is_async: bool,
    ) -> OnFault {
        let rules = group.dialect.rules();
        if self.is_strict(group.policy.entry) {
            return OnFault::Block;
        }
        let Some((key, value)) = rules.on_failure.and_then(|key| Some((key, hook.get(key)?)))
        else {
            return rules.fault;
        };
        let on_failure = match value.as_str() {
            Some("block" | "deny") => OnFault::Block,
            Some("continue" | "allow" | "skip") => OnFault::Skip,
            _ => {
                let notice = group.mistake(
                    &[key],
                    format!("`{key}` is `continue` or `block`: this one is ignored"),
                    None,
                );
                self.notices.push(notice.to_string());
                return rules.fault;
            }
        };
        let goes_on = group.info.name == "BeforeStop"
            || (group.policy.dialect == Dialect::Goose && group.name != "PreToolUse");
        if on_failure == OnFault::Block && (goes_on || is_async) {
            let notice = group.mistake(&[key], format!("`{key}` has no effect here"), None);
            self.notices.push(notice.to_string());
            return OnFault::Skip;
        }
        on_failure
    }
}

/// The names of tools of an import: its own, and the well-known ones that it does not name.
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

/// A list that several files may have: all of them together.
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

/// All hooks at the end of a session have 1.5 seconds, or as long as the longest of them asks for, up to a minute.
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

/// Whether a model may be asked on the event of a group.
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

/// The root of the project that a file belongs to.
fn project_of(file: Option<&Path>) -> Option<PathBuf> {
    let folder = file?.parent()?;
    let name = folder.file_name()?.to_str()?;
    let root = folder.parent()?;
    (name.starts_with('.') && std::env::home_dir().as_deref() != Some(root))
        .then(|| root.to_owned())
}

/// A command, and all that it runs with its placeholders filled in.
fn command_of(
    group: &Group<'_>,
    hook: &Map<String, Value>,
    project: Option<&Path>,
) -> Result<(CommandEntry, String), Wrong> {
    let text = match hook.get("command") {
        Some(Value::String(text)) if !text.trim().is_empty() => text,
        _ => {
            return Err(
                Wrong::new("the command is missing").help("write `\"command\": \"./check.sh\"`")
            );
        }
    };
    let mut entry = CommandEntry::default();
    if let Some(Value::Object(set)) = hook.get("env") {
        let set = set
            .iter()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        entry.env = EnvEntry {
            set: set.collect(),
            ..EnvEntry::default()
        };
    }
    // Files of plugins name things beside them.
    let file = group.document.file();
    let plugin = file
        .filter(|file| file.ends_with("hooks/hooks.json"))
        .and_then(Path::parent)
        .and_then(Path::parent);
    let plugin = plugin.map(|root| root.display().to_string());
    if let Some(root) = &plugin {
        for name in ["CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT"] {
            entry.env.set.insert(name.to_owned(), root.clone());
        }
    }
    let project = project.map(|project| project.display().to_string());
    let placed = |text: &str| {
        let mut text = text.to_owned();
        if let Some(project) = &project {
            text = text.replace("${CLAUDE_PROJECT_DIR}", project);
        }
        if let Some(root) = &plugin {
            text = text
                .replace("${CLAUDE_PLUGIN_ROOT}", root)
                .replace("${PLUGIN_ROOT}", root);
        }
        text
    };
    let mut filled = placed(text);
    match hook.get("args") {
        Some(Value::Array(args)) if group.dialect == Dialect::Claude => {
            entry.argv.push(filled.clone());
            for arg in args {
                let Value::String(arg) = arg else {
                    return Err(Wrong::new("the arguments of a command are texts").at("args"));
                };
                entry.argv.push(placed(arg));
            }
            filled = format!("{:?}", entry.argv);
        }
        None | Some(Value::Array(_)) => {
            // The shell fills in what stands in its own text.
            entry.run = Some(text.clone());
            match hook.get("shell").and_then(Value::as_str) {
                Some(shell @ ("bash" | "powershell")) => {
                    entry.shell = Some(shell.to_owned());
                    filled.push_str(shell);
                }
                None => {}
                Some(_) => {
                    return Err(Wrong::new("the shell is `bash` or `powershell`").at("shell"));
                }
            }
        }
        Some(_) => return Err(Wrong::new("`args` is a list of texts").at("args")),
    }
    Ok((entry, filled))
}

/// An endpoint.
fn http_of(group: &Group<'_>, hook: &Map<String, Value>) -> Result<http::Settings, Wrong> {
    let Some(Value::String(url)) = hook.get("url") else {
        return Err(Wrong::new("the URL is missing")
            .at("url")
            .help("write `\"url\": \"https://…\"`"));
    };
    let mut settings = http::Settings {
        url: url.clone(),
        retries: Some(0),
        urls: group.policy.urls.clone(),
        ..http::Settings::default()
    };
    // The file names it, and may run commands: a server on this machine is no more than that.
    if let Ok(url) = reqwest::Url::parse(url)
        && let Some(host) = url.host_str()
        && (host == "localhost" || host == "[::1]" || host.starts_with("127."))
    {
        let port = url.port_or_known_default().map(|port| format!(":{port}"));
        settings
            .allow_loopback
            .push(format!("{host}{}", port.unwrap_or_default()));
    }
    match hook.get("headers") {
        None | Some(Value::Null) => {}
        Some(Value::Object(headers)) => {
            for (name, value) in headers {
                let Value::String(value) = value else {
                    return Err(Wrong::new("the value of a header is a text")
                        .at("headers")
                        .at(name));
                };
                settings.headers.insert(name.clone(), value.clone());
            }
        }
        Some(_) => return Err(Wrong::new("`headers` is a table").at("headers")),
    }
    let named = hook.get("allowedEnvVars").and_then(Value::as_array);
    let named = named
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned);
    let may = |name: &String| {
        group
            .policy
            .variables
            .as_ref()
            .is_none_or(|known| known.contains(name))
    };
    settings.replaced = Replaced::Only(named.filter(may).collect());
    Ok(settings)
}

/// A prompt. What it judges is data, and not part of the text.
fn prompt_of(hook: &Map<String, Value>) -> Result<PromptEntry, Wrong> {
    let Some(Value::String(text)) = hook.get("prompt") else {
        return Err(Wrong::new("the prompt is missing")
            .at("prompt")
            .help("write `\"prompt\": \"…\"`"));
    };
    let template = text
        .replace("\\$", "\u{0}")
        .replace("$ARGUMENTS", "the input that follows")
        .replace('\u{0}', "$");
    Ok(PromptEntry {
        template,
        model: hook.get("model").and_then(Value::as_str).map(str::to_owned),
        ..PromptEntry::default()
    })
}
