//! Reads `[[hooks.on]]`: the definitions in our own files.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hooks_builtin::Glob;
use hooks_config::{ConfigError, Segment};
use hooks_rules::cel::Known;
use hooks_rules::pattern;
use hooks_rules::template::{Pattern, Template};
use serde_json::Value;

use super::{Draft, Loader};
use crate::definition::{Body, Definition, Marks, Origin, State, TIMEOUT};
use crate::entry::{FileConfig, LimitsConfig, OnEntry, Scopes};
use crate::events::{EVENTS, EventInfo};
use crate::filter::{Filter, Subjects, input, variables};
use crate::handler::rule::Rule;
use crate::handler::{Making, Wrong, command, http, process, prompt};
use crate::system::Dialect;
use crate::system::names;
use crate::system::table::Order;
use crate::system::tools::{self, Aliases};

/// How many mistakes of entries are told: each has to be found in its text.
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

    fn subjects(&mut self, events: &[(&'static EventInfo, String)]) -> Subjects {
        let (key, subjects) = match (&self.entry.tools, &self.entry.matcher) {
            (None, None) => return Subjects::Any,
            (Some(_), Some(_)) => {
                self.wrong(
                    &["matcher"],
                    "`tools` and `matcher` both choose the tools",
                    Some("write one of them"),
                );
                return Subjects::Any;
            }
            (Some(tools), None) => {
                if tools.0.is_empty() {
                    self.wrong(
                        &["tools"],
                        "the list of tools is empty",
                        Some("write `tools = [\"shell\"]`, for example, or leave `tools` out"),
                    );
                }
                let mut globs = Vec::new();
                for tool in &tools.0 {
                    match Glob::new(tool) {
                        Ok(glob) => globs.push(glob),
                        Err(error) => self.wrong(&["tools"], error.to_string(), None),
                    }
                }
                let is_plain =
                    |glob: &Glob| !glob.as_str().contains(['*', '?', '[', '{', '\\', '!']);
                let subjects = if globs.iter().all(is_plain) {
                    Subjects::Names(globs.iter().map(|glob| glob.as_str().to_owned()).collect())
                } else {
                    Subjects::Globs(globs)
                };
                ("tools", subjects)
            }
            (None, Some(matcher)) => match pattern::compiled(matcher) {
                Ok(regex) => ("matcher", Subjects::Regex(regex)),
                Err(last) => {
                    let help = "look-around and back-references are not supported, so that matching always takes linear time";
                    self.wrong(
                        &["matcher"],
                        format!("it is not a regular expression: {last}"),
                        Some(help),
                    );
                    return Subjects::Any;
                }
            },
        };
        if let Some((event, _)) = events.iter().find(|(event, _)| !event.has_subject)
            && self.entry.event.0.iter().all(|name| name != "*")
        {
            let message = format!(
                "`{}` is not about a tool, so `{key}` never matches it",
                event.name
            );
            self.wrong(
                &[key],
                message,
                Some("use `if` for a condition on other events, or leave the event out"),
            );
        }
        subjects
    }

    /// Returns the rule for the input of a tool, instead of a condition in CEL.
    fn check_tool_rule(&mut self, rule: &input::Rule, events: &[(&'static EventInfo, String)]) {
        let text = rule.text();
        if !rule.is_known() {
            self.wrong(
                &["if"],
                format!("`{text}` is not a known rule"),
                Some("write `Bash(git push *)`, `Edit(src/**)`, `Read(*.pem)` or `WebFetch(domain:example.com)`, or a condition in CEL"),
            );
        }
        if let Some((event, _)) = events.iter().find(|(event, _)| !event.has_subject) {
            self.wrong(
                &["if"],
                format!("`{text}` is about a tool, and `{}` is not", event.name),
                Some("write a condition in CEL, or leave the event out"),
            );
        }
    }

    /// The key of its only handler.
    fn handler(&mut self) -> Option<&'static str> {
        let settings = serde_json::to_value(self.entry).unwrap_or_default();
        let keys = OnEntry::HANDLERS.into_iter();
        let mut keys = keys.filter(|key| settings.get(key).is_some());
        match (keys.next(), keys.next()) {
            (Some(handler), None) => Some(handler),
            (None, _) => {
                let help = format!("write one of `{}`", OnEntry::HANDLERS.join("`, `"));
                self.wrong(&[], "the hook does nothing: it has no handler", Some(&help));
                None
            }
            (Some(first), Some(second)) => {
                let message = format!("the hook has two handlers: `{first}` and `{second}`");
                self.wrong(&[second], message, Some("write a hook for each"));
                None
            }
        }
    }

    /// Checks the ids of tenants and agents, which are compared as they are.
    fn check_scope(&mut self) {
        let Scopes { tenants, agents } = &self.entry.scope;
        for (key, ids) in [("tenants", tenants), ("agents", agents)] {
            if let Some(id) = ids.iter().find(|id| id.is_empty() || id.contains('*')) {
                self.wrong(
                    &["scope", key],
                    format!("no id is `{id}`: ids are compared as they are"),
                    Some("leave the key out, and the hook is for all of them"),
                );
            }
        }
    }

    /// Whether it is a guard: if the entry does not say, a rule that can only cancel is one.
    fn is_guard(
        &mut self,
        handler: Option<&'static str>,
        events: &[(&'static EventInfo, String)],
    ) -> bool {
        let unblockable = events.iter().find(|(event, _)| !event.is_blockable);
        let cancels = matches!(handler, Some("block" | "abort_turn" | "abort_run"));
        let Some(is_guard) = self.entry.guard else {
            return cancels && unblockable.is_none();
        };
        if let (true, Some((event, _))) = (is_guard, unblockable) {
            let message = format!("a guard cannot cancel `{}`", event.name);
            let help = "leave the event out, or leave `guard` out";
            self.wrong(&["guard"], message, Some(help));
        }
        let decides = matches!(
            handler,
            Some("ask" | "defer" | "approve" | "context" | "respond" | "modify")
        );
        if let (true, Some(key), true) = (is_guard, handler, decides) {
            let message = format!("a guard only allows or cancels, so it cannot `{key}`");
            let help = "leave `guard` out: a hook of its own can do that";
            self.wrong(&["guard"], message, Some(help));
        }
        is_guard
    }

    /// Checks whether the agent may continue without it, and how long it may take.
    fn check_policy(&mut self, events: &[(&'static EventInfo, String)]) {
        let decided = events.iter().find(|(event, _)| event.is_intercepted);
        if let Some((decided, _)) = decided
            && self.entry.background == Some(true)
        {
            self.wrong(
                &["background"],
                format!(
                    "the agent waits for hooks on `{}`, because they decide about it",
                    decided.name
                ),
                Some("only hooks on observed events run in the background"),
            );
        }
        if self.entry.timeout == Some(Duration::ZERO) {
            self.wrong(
                &["timeout"],
                "the timeout must be longer than zero",
                Some("write `timeout = \"5s\"`, or leave it out for the default"),
            );
        }
    }

    /// Returns the names that an expression may use: the fields that all its events have, and `cx`.
    fn known(events: &[(&'static EventInfo, String)]) -> Vec<&'static str> {
        let mut known: Vec<&str> = match events {
            [] => EVENTS
                .iter()
                .flat_map(|event| event.fields)
                .copied()
                .collect(),
            [(first, _), others @ ..] => {
                let in_all =
                    |field: &&&str| others.iter().all(|(event, _)| event.fields.contains(field));
                first.fields.iter().filter(in_all).copied().collect()
            }
        };
        known.extend(["cx", "raw"]);
        known
    }

    /// Returns the rule, if the handler is one.
    fn rule(&mut self, key: &'static str, events: &[(&'static EventInfo, String)]) -> Option<Rule> {
        let is_modify = |value: &Value| value.is_string() || value.is_object();
        if key == "modify" && !self.entry.modify.as_ref().is_some_and(is_modify) {
            let message = "`modify` must be a table of the keys to set, such as `{ dry_run = true }`, or an expression in CEL \
                           that gives one";
            self.wrong(&[key], message, None);
            return None;
        }
        let names = Self::known(events);
        let texts = [
            ("block", &self.entry.block),
            ("abort_turn", &self.entry.abort_turn),
            ("abort_run", &self.entry.abort_run),
            ("ask", &self.entry.ask),
            ("defer", &self.entry.defer),
            ("approve", &self.entry.approve),
            ("context", &self.entry.context),
        ];
        let text = texts
            .into_iter()
            .find(|(name, _)| *name == key)
            .and_then(|(_, text)| text.as_deref());
        let rule = variables::known(&names, |known| match (key, text) {
            (_, Some(text)) => Template::compile(text, known).map(|template| match key {
                "block" => Rule::Block(template),
                "abort_turn" => Rule::AbortTurn(template),
                "abort_run" => Rule::AbortRun(template),
                "ask" => Rule::Ask(template),
                "defer" => Rule::Defer(template),
                "approve" => Rule::Approve(template),
                _ => Rule::Context(template),
            }),
            ("respond", None) => match &self.entry.respond {
                Some(Value::String(text)) if is_expression(text, &names, known) => {
                    Template::expression(text, known).map(Pattern::Text)
                }
                respond => Pattern::compile(respond.as_ref().unwrap_or(&Value::Null), known),
            }
            .map(Rule::Respond),
            _ => match &self.entry.modify {
                Some(Value::String(text)) => Template::expression(text, known).map(Pattern::Text),
                other => Pattern::compile(other.as_ref().unwrap_or(&Value::Null), known),
            }
            .map(Rule::Modify),
        });
        match rule {
            Ok(rule) => {
                self.check_rule(&rule, events);
                Some(rule)
            }
            Err(error) => {
                let help = match &self.entry.modify {
                    Some(Value::String(text)) if key == "modify" => in_cel(text)
                        .map(|_| "write a table, as `modify = { path = \"x\" }`, or a map in CEL: `{\"path\": \"x\"}`"),
                    _ => None,
                };
                self.wrong(&[key], error.message, help);
                None
            }
        }
    }

    /// Checks that a prompt is used for the input of a tool, because it costs money and time.
    fn may_prompt(&mut self, events: &[(&'static EventInfo, String)]) -> bool {
        let before = self.mistakes.len();
        let entry = self.entry;
        if entry.tools.is_none() && entry.matcher.is_none() && entry.condition.is_none() {
            self.wrong(
                &["prompt"],
                "a model would be asked about every event",
                Some("say which ones it is for, with `tools`, `matcher` or `if`"),
            );
        }
        let other = events
            .iter()
            .find(|(event, _)| !event.fields.contains(&"args"));
        if let Some((event, _)) = other {
            self.wrong(
                &["event"],
                format!(
                    "a prompt judges the arguments of a tool, and `{}` is not about a tool",
                    event.name
                ),
                Some("choose `BeforeToolCall`, for example"),
            );
        }
        self.mistakes.len() == before
    }

    /// Checks a rule against its events: if an event does not allow it, it would fail every time.
    fn check_rule(&mut self, rule: &Rule, events: &[(&'static EventInfo, String)]) {
        let key = rule.key();
        // One mistake covers all its events, because `event = "*"` has many.
        let mut found: Vec<(String, &str)> = Vec::new();
        for (event, _) in events {
            let name = event.name;
            let is_call = matches!(name, "BeforeToolCall" | "ApproveToolCall");
            let wrong: Option<(String, &str)> = match rule {
                Rule::Block(_) if !event.is_blockable => Some((
                    format!("`{name}` cannot be blocked"),
                    match name {
                        _ if event.is_intercepted => "`abort_turn` ends the turn",
                        "ToolCallStart" | "ToolCallEnd" | "ToolCallSkipped" => {
                            "it is only observed: write `event = \"BeforeToolCall\"`"
                        }
                        "LlmInput" | "LlmOutput" | "LlmDelta" => {
                            "it is only observed: write `event = \"BeforeLlmCall\"`"
                        }
                        "AgentStart" => "it is only observed: write `event = \"MessageReceived\"`",
                        "AgentEnd" | "SubagentStop" => {
                            "it is only observed: write `event = \"BeforeStop\"`"
                        }
                        "MessageSent" => "it is only observed: write `event = \"MessageSending\"`",
                        "AfterCompact" => "it is only observed: write `event = \"BeforeCompact\"`",
                        _ => "it is only observed: use a `command`, for example, or another event",
                    },
                )),
                Rule::AbortTurn(_) | Rule::AbortRun(_) if !event.is_intercepted => Some((
                    format!("`{name}` is only observed, so nothing can be ended there"),
                    "choose an event that hooks decide",
                )),
                Rule::Ask(_) | Rule::Defer(_) if name != "BeforeToolCall" => Some((
                    format!("nobody can be asked on `{name}`"),
                    "write `event = \"BeforeToolCall\"`",
                )),
                Rule::Approve(_) if !is_call => Some((
                    format!("there is nothing to approve on `{name}`"),
                    "write `event = \"ApproveToolCall\"`",
                )),
                Rule::Context(_)
                    if !event.takes_context
                        && !matches!(name, "BeforePromptBuild" | "BeforeStop") =>
                {
                    Some((
                        format!("`{name}` takes no text for the model"),
                        "events that do are `SessionStart`, `MessageReceived`, `BeforePromptBuild`, `BeforeToolCall`, \
                     `AfterToolCall`, `SubagentStart` and `BeforeStop`",
                    ))
                }
                Rule::Respond(_) if !event.is_answerable => Some((
                    format!("`{name}` cannot be answered"),
                    "events that can are `BeforeLlmCall`, `LlmFailed`, `AfterLlmCall`, `BeforeToolCall`, `InvalidToolCall` and \
                     `ApproveToolCall`",
                )),
                Rule::Modify(_) if event.keys.is_empty() && !event.takes_args => Some((
                    format!("`{name}` cannot be changed"),
                    "choose an event that hooks may change",
                )),
                Rule::Modify(Pattern::Table(fields)) if !event.takes_args => {
                    let unknown = fields
                        .iter()
                        .find(|(field, _)| !event.keys.contains(&field.as_str()));
                    if let Some((field, _)) = unknown {
                        let help =
                            format!("the keys that can be set are `{}`", event.keys.join("`, `"));
                        let message = format!("`{field}` of `{name}` cannot be set");
                        let field = field.clone();
                        self.wrong(&[key, &field], message, Some(&help));
                    }
                    None
                }
                _ => None,
            };
            found.extend(wrong);
        }
        let others = found.len().saturating_sub(1);
        if let Some((mut message, help)) = found.into_iter().next() {
            if others > 0 {
                let _ = write!(message, "; the same holds for {others} more of its events");
            }
            self.wrong(&[key], message, Some(help));
        }
    }
}

/// Returns how CEL writes what other languages write differently, if a text that is no expression has that.
fn in_cel(text: &str) -> Option<&'static str> {
    // What is quoted is not read.
    let text: String = text.split(['"', '\'']).step_by(2).collect();
    let assigns = |(at, _): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        !before.ends_with(['=', '!', '<', '>']) && !after.starts_with('=')
    };
    let has_word = |word: &str| text.split_whitespace().any(|one| one == word);
    if text.trim_start().starts_with("Bash(") && !text.trim_end().ends_with(')') {
        Some("a rule for a tool's input ends with `)`: `Bash(git push *)`")
    } else if text.match_indices('=').any(assigns) {
        Some("write `==` to compare")
    } else if ["and", "or", "not"].into_iter().any(has_word) {
        Some("write `&&` for and, `||` for or, and `!` for not")
    } else {
        None
    }
}

/// Whether a text is a single expression instead of a text with expressions: it names a field of the event outside of
/// braces, or is a map.
fn is_expression(text: &str, names: &[&str], known: &Known<'_>) -> bool {
    if text.trim_start().starts_with('{') {
        // `{args.path}` is a text with an expression; `{"path": args.path}` is an expression.
        return Template::compile(text, known).is_err();
    }
    let outside: String = {
        let mut depth = 0_usize;
        let kept = text.chars().filter(|c| match c {
            '{' => {
                depth += 1;
                false
            }
            '}' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        });
        kept.collect()
    };
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    names.iter().any(|name| {
        outside.match_indices(name).any(|(at, _)| {
            let before = outside[..at].chars().next_back();
            let after = outside[at + name.len()..].chars().next();
            !before.is_some_and(is_word)
                && matches!(after, Some('.' | '['))
                && outside[at + name.len() + 1..]
                    .starts_with(|c: char| c.is_ascii_alphabetic() || c == '"' || c == '\'')
        })
    })
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
                if let Some(why) = &entry.refused {
                    self.refuse_for(&mut definition, why);
                }
                self.drafts.push(Draft {
                    name: definition.name.to_string(),
                    priority: entry.priority,
                    order: Order::AtOnce,
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
        let subjects = checked.subjects(&events);
        let rule = entry.condition.as_deref().and_then(input::Rule::of_tool);
        let condition = match (&entry.condition, &rule) {
            (Some(_), Some(rule)) => {
                checked.check_tool_rule(rule, &events);
                None
            }
            (Some(text), None) => variables::compile(text, &Checking::known(&events))
                .map_err(|error| checked.wrong(&["if"], error.message, in_cel(text)))
                .ok(),
            (None, _) => None,
        };
        let handler = checked.handler();
        let is_rule =
            handler.is_some_and(|key| !matches!(key, "command" | "http" | "prompt" | "process"));
        let (body, state) = match handler {
            Some(key) if is_rule => (
                checked.rule(key, &events).map(Body::Rule),
                Arc::<State>::default(),
            ),
            Some("prompt") if !checked.may_prompt(&events) => (None, Arc::default()),
            Some(key) => self.outside(checked, key, dialect, &events).map_or_else(
                || (None, Arc::default()),
                |(body, state)| (Some(body), state),
            ),
            None => (None, Arc::default()),
        };
        let is_observed = events.iter().all(|(event, _)| !event.is_intercepted);
        checked.check_policy(&events);
        checked.check_scope();
        let is_guard = checked.is_guard(handler, &events);
        let place = checked.path(&[]);
        let line = config.line(&place);
        let origin = Origin::of(config.file(), line);
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
                subjects,
                tenants: entry.scope.tenants.clone(),
                agents: entry.scope.agents.clone(),
                aliases: Aliases::of(dialect).with(tools::of_own(&self.own)),
                rule,
                condition,
                ..Filter::default()
            },
            is_background,
            is_guard,
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
        origin: &Origin,
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
    ) -> Option<(Body, Arc<State>)> {
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
            // A process is told what it is used for.
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
            .unwrap_or_else(|| Err(Wrong::new("the handler has no settings")))
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
