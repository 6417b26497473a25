//! Reads one hook of a group: its handler, its filter, and what happens when it fails.

use std::sync::Arc;
use std::time::Duration;

use hooks_config::ConfigError;
use hooks_rules::input;
use serde_json::{Map, Value, json};

use super::super::Loader;
use super::super::near::misspelled;
use super::make::{command_in, command_of, http_of, project_of, prompt_of};
use super::{MatcherGroup, NeverRuns, takes_prompt};
use crate::definition::{Body, Definition, DefinitionPlace, DefinitionState};
use crate::entry::OnFault;
use crate::filter::Filter;
use crate::handler::{Handler, SettingsMistake, command, http, prompt};
use crate::system::table::{EventSubject, SystemEvent, Twins};
use crate::system::{Dialect, HooksCall};

/// The keys of a hook, of all these systems.
const KEYS: &[&str] = &[
    "type",
    "name",
    "description",
    "if",
    "matcher",
    "command",
    "commandWindows",
    "command_windows",
    "args",
    "shell",
    "env",
    "url",
    "headers",
    "allowedEnvVars",
    "prompt",
    "model",
    "timeout",
    "async",
    "asyncRewake",
    "once",
    "statusMessage",
    "onFailure",
    "on_failure",
];

impl Loader<'_> {
    /// Reads one hook of a group.
    #[expect(
        clippy::too_many_lines,
        reason = "each key of a hook may be wrong in its own way"
    )]
    pub(super) fn hook(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Value,
        disabled: &[&str],
        definitions: &mut Vec<Definition>,
    ) {
        let rules = &group.policy.rules.files;
        let entry = group.policy.entry;
        if let Some(wrong) = misspelled(group.document, &group.path, hook, KEYS) {
            return self.closed(wrong, group.meant(), definitions);
        }
        let Value::Object(hook) = hook else { return };
        let is_known =
            |kind: &str| matches!(kind, "command" | "http" | "prompt" | "agent" | "mcp_tool");
        let kind = match hook.get("type") {
            Some(Value::String(kind)) => kind.as_str(),
            None if rules.flat || hook.contains_key("command") => "command",
            _ => {
                let wrong = group.mistake(
                    &["type"],
                    "the hook has no `type`",
                    Some("write `\"type\": \"command\"`"),
                );
                return self.closed(wrong, group.meant(), definitions);
            }
        };
        if !rules.kinds.iter().any(|known| known == kind) {
            let what = if is_known(kind) {
                format!("hooks of the type `{kind}` are not supported here")
            } else {
                format!("`{kind}` is not a type of hook")
            };
            let help = format!("the types that run are `{}`", rules.kinds.join("`, `"));
            let error = group.mistake(&["type"], what, Some(&help));
            return self.closed(error, group.meant(), definitions);
        }
        // Such a command judges the same event by a file, perhaps by the one that has imported this.
        if kind == "command" && command_in(group, hook).and_then(HooksCall::parse).is_some() {
            let notice =
                group.mistake(&["command"], "the call of `hooks` itself is left out", None);
            self.notices.push(notice.to_string());
            return;
        }
        if kind == "command" {
            match self.windows(group, hook) {
                Ok(()) => {}
                Err(Some(wrong)) => {
                    return self.closed(wrong, group.meant(), definitions);
                }
                Err(None) => return,
            }
        }
        if kind == "prompt" && !takes_prompt(group) {
            let wrong = group.mistake(
                &["type"],
                format!("a hook of the type `prompt` cannot run on `{}`", group.name),
                None,
            );
            return self.closed(wrong, group.meant(), definitions);
        }
        let given = hook
            .get("name")
            .and_then(Value::as_str)
            .filter(|name| !name.trim().is_empty());
        let text = command_in(group, hook).unwrap_or_default();
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
        let line = Some(group.document.line(&group.path));
        let origin = DefinitionPlace::of(group.document.file(), line);
        let number = definitions.len() + 1;
        let name = given.map_or_else(|| format!("{}-{number}", group.name), str::to_owned);
        let name = self.free_name(&name, &origin.to_string());
        let made = self.made(group, hook, kind, &name);
        let (body, state, mut twin) = match made {
            Ok(made) => made,
            Err(wrong) => {
                let keys: Vec<&str> = wrong.keys.iter().map(String::as_str).collect();
                let error = group.mistake(&keys, wrong.message, wrong.help.as_deref());
                return self.closed(error, group.meant(), definitions);
            }
        };
        let timeout = match self.timeout(group, hook, kind) {
            Ok(timeout) => timeout,
            Err(wrong) => return self.closed(wrong, group.meant(), definitions),
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
        let on_timeout = group.event.and_then(|event| event.closed);
        let on_timeout = on_timeout.filter(|_| !self.is_strict(entry));
        if hook.contains_key("once") {
            let notice = group.mistake(
                &["once"],
                "`once` counts in skills only: the hook runs each time",
                None,
            );
            self.notices.push(notice.to_string());
        }
        let subject = group.event.map(|event| event.subject.clone());
        definitions.push(Definition {
            events: vec![(group.info, group.name.to_owned())],
            filter: Filter {
                whens: group.event.map(SystemEvent::whens).unwrap_or_default(),
                subjects: group.subjects.clone(),
                compared: subject.filter(|subject| *subject != EventSubject::Tool),
                aliases: group.policy.aliases.clone(),
                agent: group.policy.rules.files.profile,
                rule,
                ..Filter::default()
            },
            mode: entry.mode,
            timeout,
            on_timeout,
            on_failure: Some(on_failure),
            is_background: is_async || !group.info.is_intercepted,
            answers_late: is_async,
            wakes,
            is_in_turn: group.is_sequential,
            twin: twin.map(Into::into),
            state,
            ..Definition::new(name, origin, group.dialect, body)
        });
    }

    /// Handles a command for Windows, which does not run here.
    ///
    /// # Errors
    ///
    /// What is wrong, or nothing if the hook is only for Windows.
    fn windows(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Map<String, Value>,
    ) -> Result<(), Option<ConfigError>> {
        let rules = &group.policy.rules.files;
        let mut keys = rules.windows.iter().filter(|key| hook.contains_key(*key));
        let Some(key) = keys.next() else {
            return Ok(());
        };
        if let Some(other) = keys.next().filter(|_| rules.strict) {
            return Err(Some(group.mistake(
                &[other],
                format!("`{other}` is the same as `{key}`"),
                Some("leave one of them out"),
            )));
        }
        let (what, runs) = match command_in(group, hook) {
            // The others are made to have one for each system.
            Some(_) if !rules.strict => return Ok(()),
            Some(_) => (
                format!("`{key}` is ignored: `command` runs on every system here"),
                Ok(()),
            ),
            None => (
                format!("the hook has only `{key}`, so it does not run here"),
                Err(None),
            ),
        };
        let notice = group.mistake(&[key], what, Some("write `\"command\": \"…\"`"));
        self.notices.push(notice.to_string());
        runs
    }

    /// Returns the handler, and the key that is equal for equal handlers.
    fn made(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Map<String, Value>,
        kind: &str,
        name: &str,
    ) -> Result<(Body, Arc<DefinitionState>, Option<String>), SettingsMistake> {
        let dialect = group.dialect;
        let mut making = self.making(group.document.file());
        making.project_of_file = project_of(group.document.file());
        let key = json!([
            dialect.as_str(),
            kind,
            hook,
            name,
            &making.folder,
            &making.project_dir,
            &making.project_of_file,
            &group.policy.urls,
            &group.policy.variables
        ]);
        let rules = &group.policy.rules.files;
        let mut notices = Vec::new();
        let twin = |what: String| match rules.twins {
            Twins::No => None,
            Twins::Whole => Some(format!("{kind} {what}")),
            Twins::NameAndCommand => Some(format!("{name} {what}")),
        };
        let (made, twin) = match kind {
            "command" => {
                let (entry, filled) = command_of(group, hook, &making)?;
                let made = self.handler(&key, || command::make(&entry, dialect, &making));
                (made, twin(filled))
            }
            "http" => {
                let settings = http::HttpSettings {
                    is_in_bundle: self.is_in_bundle,
                    ..http_of(group, hook)?
                };
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
                let made: Result<(Body, Arc<DefinitionState>), SettingsMistake> =
                    self.handler(&key, || -> Result<Arc<dyn Handler>, SettingsMistake> {
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

    /// Returns how long a hook may take.
    fn timeout(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Map<String, Value>,
        kind: &str,
    ) -> Result<Duration, ConfigError> {
        let rules = &group.policy.rules.files.timeout;
        let own = group.event.and_then(|event| event.timeout);
        let default = match own {
            _ if kind == "prompt" => Duration::from_secs_f64(rules.prompt),
            Some(own) => own,
            None => Duration::from_secs_f64(rules.default),
        };
        let mut keys = rules.keys.iter().map(String::as_str);
        let key = keys
            .find(|key| hook.contains_key(*key))
            .unwrap_or("timeout");
        let number = match hook.get(key) {
            None | Some(Value::Null) => return Ok(default),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(value) => value.as_f64(),
        };
        let Some(number) = number.filter(|number: &f64| number.is_finite() && *number >= 0.0)
        else {
            return Err(group.mistake(
                &[key],
                "the timeout must be a number",
                Some("write `\"timeout\": 30`, for example"),
            ));
        };
        if number == 0.0 {
            return Ok(default);
        }
        let unit = rules.unit(number);
        if rules.is_odd(number) {
            let (unit, other) = if unit == Duration::from_secs(1) {
                ("seconds", "milliseconds")
            } else {
                ("milliseconds", "seconds")
            };
            let notice = group.mistake(
                &[key],
                format!(
                    "the timeout of {number} is in {unit}: this looks like a number of {other}"
                ),
                None,
            );
            self.notices.push(notice.to_string());
        }
        let longest = Duration::from_hours(24);
        let timeout = Duration::try_from_secs_f64(unit.as_secs_f64() * number)
            .unwrap_or(longest)
            .min(longest);
        // Codex limits these two.
        let most = group
            .event
            .and_then(|event| event.timeout)
            .filter(|_| group.policy.dialect == Dialect::Codex);
        Ok(timeout.min(most.unwrap_or(longest)))
    }

    /// Returns the rule for the tool's input. It never matches an event without a tool.
    fn rule(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Map<String, Value>,
    ) -> Result<Option<input::Rule>, NeverRuns> {
        let text = match hook.get("if") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(text)) => text,
            Some(_) => {
                let notice = group.mistake(
                    &["if"],
                    "the rule is not a string, and is ignored: the hook runs on every call",
                    None,
                );
                self.notices.push(notice.to_string());
                return Ok(None);
            }
        };
        if !group.info.has_subject {
            let wrong = group.mistake(
                &["if"],
                format!(
                    "`if` is for tools, and `{}` is not about a tool: the hook never runs",
                    group.name
                ),
                Some("leave `if` out"),
            );
            self.left_out(wrong, group.policy.entry);
            return Err(NeverRuns);
        }
        let rule = input::Rule::parse(text, group.policy.aliases.clone());
        if !rule.is_known() {
            let notice = group.mistake(
                &["if"],
                format!("the rule `{text}` is unknown, so the hook runs on every call"),
                Some("rules are `Bash(git *)`, `Edit(src/**)`, `WebFetch(domain:example.com)`"),
            );
            self.notices.push(notice.to_string());
        }
        Ok(Some(rule))
    }

    /// Returns what happens when the hook fails.
    fn on_failure(
        &mut self,
        group: &MatcherGroup<'_>,
        hook: &Map<String, Value>,
        is_async: bool,
    ) -> OnFault {
        let rules = &group.dialect.system().files;
        if self.is_strict(group.policy.entry) {
            return OnFault::Block;
        }
        let Some((key, value)) = rules
            .closed
            .as_ref()
            .and_then(|key| Some((key, hook.get(key)?)))
        else {
            let closed = group.event.and_then(|event| event.closed);
            return closed.map_or(rules.fault(), |_| OnFault::Block);
        };
        let on_failure = match (value, value.as_str()) {
            (Value::Bool(true), _) | (_, Some("block" | "deny")) => OnFault::Block,
            (Value::Bool(false), _) | (_, Some("continue" | "allow" | "skip")) => OnFault::Skip,
            _ => {
                let notice = group.mistake(
                    &[key],
                    format!("`{key}` must be `continue` or `block`: this one is ignored"),
                    None,
                );
                self.notices.push(notice.to_string());
                return rules.fault();
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
