//! Checks an entry against its events, and compiles its conditions and its rule.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

use hooks_glob::Glob;

use crate::action::Action;
use crate::cel::{Cel, Known, Literal, Mistake, Type};
use crate::events::{EVENTS, EventInfo};
use crate::input::Rule;
use crate::pattern;
use crate::subjects::Subjects;
use crate::template::{Data, Pattern, Template};
use crate::tools::Aliases;

/// What is wrong with an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The keys in the entry, from the outermost.
    pub keys: Vec<String>,
    /// The message.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
    /// The part of the text at the keys that is wrong, in bytes, if not all of it is.
    pub at: Option<Range<usize>>,
}

/// An entry that is checked. Without mistakes, it is complete.
#[derive(Debug, Default)]
pub struct Checked {
    /// The tools for which the hook runs.
    pub subjects: Subjects,
    /// Its rule for the input of a tool.
    pub rule: Option<Rule>,
    /// Its condition.
    pub condition: Option<Cel>,
    /// The key of its handler, unless that can never run.
    pub handler: Option<&'static str>,
    /// What it does, if its handler is a rule.
    pub action: Option<Action>,
    /// Whether it is a guard.
    pub is_guard: bool,
    /// All mistakes.
    pub wrong: Vec<Wrong>,
}

/// The keys of all handlers of an entry, in the order of the documentation.
pub const HANDLERS: [&str; 13] = [
    "block",
    "abort_turn",
    "abort_run",
    "ask",
    "defer",
    "approve",
    "context",
    "respond",
    "modify",
    "command",
    "http",
    "prompt",
    "process",
];

/// What an entry of a file says, as far as it is checked here.
#[derive(Clone, Debug, Default)]
pub struct Written<'a> {
    /// Whether it is for every event: `event = "*"`.
    pub is_every: bool,
    /// `tools`.
    pub tools: Option<&'a [String]>,
    /// `matcher`.
    pub matcher: Option<&'a str>,
    /// `if`.
    pub condition: Option<&'a str>,
    /// The tenants and the agents of `scope`.
    pub scope: [&'a [String]; 2],
    /// Its handlers, in the order of [`HANDLERS`]. Those outside of the file have no value here.
    pub handlers: Vec<(&'static str, Option<Data>)>,
    /// `timeout`.
    pub timeout: Option<Duration>,
    /// `guard`.
    pub guard: Option<bool>,
    /// `background`.
    pub background: Option<bool>,
}

/// What the checks are given besides the entry.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The events of the entry.
    pub events: &'a [&'static EventInfo],
    /// The fields of `cx`, with their types.
    pub context: &'a [(&'a str, Type)],
    /// Claude Code's names of tools.
    pub claudes: &'a Aliases,
}

/// Checks an entry.
///
/// ```
/// use hooks_rules::check::{Given, Written, check};
/// use hooks_rules::events::EventInfo;
/// use hooks_rules::template::Data;
/// use hooks_rules::tools::Aliases;
///
/// let entry = Written {
///     condition: Some("name == 'shell'"),
///     handlers: vec![("block", Some(Data::Text("no".into())))],
///     ..Written::default()
/// };
/// let events = [EventInfo::named("AfterToolCall").unwrap()];
/// let given = Given { events: &events, context: &[], claudes: &Aliases::default() };
/// let checked = check(&entry, &given);
/// assert!(checked.condition.is_some());
/// assert_eq!(checked.wrong[0].message, "`AfterToolCall` cannot be blocked");
/// ```
#[must_use]
pub fn check(entry: &Written<'_>, given: &Given<'_>) -> Checked {
    let mut checking = Checking {
        entry,
        context: given.context,
        wrong: Vec::new(),
    };
    let events = given.events;
    let subjects = checking.subjects(events);
    let text = entry.condition;
    let rule = text.and_then(|text| Rule::of_tool(text, given.claudes.clone()));
    let mut condition = None;
    match (text, &rule) {
        (Some(_), Some(rule)) => checking.check_tool_rule(rule, events),
        (Some(text), None) => {
            match checking.known(&fields(events), |known| Cel::compile(text, known)) {
                Ok(cel) => condition = Some(cel),
                Err(mistake) => checking.mistake("if", mistake, in_cel(text)),
            }
        }
        (None, _) => {}
    }
    let handler = checking.handler();
    let mut is_made = handler;
    let action = match handler {
        Some("prompt") if !checking.may_prompt(events) => {
            is_made = None;
            None
        }
        None | Some("command" | "http" | "prompt" | "process") => None,
        Some(key) => checking.action(key, events),
    };
    checking.check_policy(events);
    checking.check_scope();
    Checked {
        is_guard: checking.is_guard(handler, events),
        subjects,
        rule,
        condition,
        handler: is_made,
        action,
        wrong: checking.wrong,
    }
}

/// An entry that is being checked.
struct Checking<'a> {
    entry: &'a Written<'a>,
    context: &'a [(&'a str, Type)],
    wrong: Vec<Wrong>,
}

impl Checking<'_> {
    fn wrong(&mut self, keys: &[&str], message: impl Into<String>, help: Option<&str>) {
        self.wrong.push(Wrong {
            keys: keys.iter().map(|key| (*key).to_owned()).collect(),
            message: message.into(),
            help: help.map(str::to_owned),
            at: None,
        });
    }

    /// Tells a mistake of an expression in the text at a key.
    fn mistake(&mut self, key: &str, mistake: Mistake, help: Option<&str>) {
        self.wrong(&[key], mistake.message, help);
        // A text in a table has no key here.
        if let Some(wrong) = self.wrong.last_mut() {
            wrong.at = Some(mistake.at);
        }
    }

    /// Calls a function with what an expression may name: these fields of the event, and those of `cx`.
    fn known<T>(&self, names: &[&str], then: impl FnOnce(&Known<'_>) -> T) -> T {
        let variables: Vec<_> = names.iter().map(|name| (*name, type_of(name))).collect();
        then(&Known {
            variables: &variables,
            context: self.context,
        })
    }

    fn subjects(&mut self, events: &[&'static EventInfo]) -> Subjects {
        let (key, subjects) = match (self.entry.tools, self.entry.matcher) {
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
                if tools.is_empty() {
                    self.wrong(
                        &["tools"],
                        "the list of tools is empty",
                        Some("write `tools = [\"shell\"]`, for example, or leave `tools` out"),
                    );
                }
                let mut globs = Vec::new();
                for tool in tools {
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
                        format!("the matcher is not a regular expression: {last}"),
                        Some(help),
                    );
                    return Subjects::Any;
                }
            },
        };
        if let Some(event) = events.iter().find(|event| !event.has_subject)
            && !self.entry.is_every
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
    fn check_tool_rule(&mut self, rule: &Rule, events: &[&'static EventInfo]) {
        let text = rule.text();
        if !rule.is_known() {
            self.wrong(
                &["if"],
                format!("`{text}` is not a known rule"),
                Some("write `Bash(git push *)`, `Edit(src/**)`, `Read(*.pem)` or `WebFetch(domain:example.com)`, or a condition in CEL"),
            );
        }
        if let Some(event) = events.iter().find(|event| !event.has_subject) {
            self.wrong(
                &["if"],
                format!("`{text}` is about a tool, and `{}` is not", event.name),
                Some("write a condition in CEL, or leave the event out"),
            );
        }
    }

    /// The key of its only handler.
    fn handler(&mut self) -> Option<&'static str> {
        let mut keys = self.entry.handlers.iter().map(|(key, _)| *key);
        match (keys.next(), keys.next()) {
            (Some(handler), None) => Some(handler),
            (None, _) => {
                let help = format!("write one of `{}`", HANDLERS.join("`, `"));
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
        let [tenants, agents] = self.entry.scope;
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
    fn is_guard(&mut self, handler: Option<&'static str>, events: &[&'static EventInfo]) -> bool {
        let unblockable = events.iter().find(|event| !event.is_blockable);
        let cancels = matches!(handler, Some("block" | "abort_turn" | "abort_run"));
        let Some(is_guard) = self.entry.guard else {
            return cancels && unblockable.is_none();
        };
        if let (true, Some(event)) = (is_guard, unblockable) {
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
    fn check_policy(&mut self, events: &[&'static EventInfo]) {
        let decided = events.iter().find(|event| event.is_intercepted);
        if let Some(decided) = decided
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

    /// Returns the rule, if the handler is one.
    fn action(&mut self, key: &'static str, events: &[&'static EventInfo]) -> Option<Action> {
        let entry = self.entry;
        let found = entry.handlers.iter().find(|(known, _)| *known == key);
        let value = found.and_then(|(_, value)| value.as_ref());
        if key == "modify" && !matches!(value, Some(Data::Text(_) | Data::Table(_))) {
            let message = "`modify` must be a table of the keys to set, such as `{ dry_run = true }`, or an expression in CEL \
                           that gives one";
            self.wrong(&[key], message, None);
            return None;
        }
        let names = fields(events);
        let made: fn(Template) -> Action = match key {
            "block" => Action::Block,
            "abort_turn" => Action::AbortTurn,
            "abort_run" => Action::AbortRun,
            "ask" => Action::Ask,
            "defer" => Action::Defer,
            "approve" => Action::Approve,
            _ => Action::Context,
        };
        let null = Data::Other(Literal::Null);
        let action = self.known(&names, |known| match (key, value) {
            ("respond", Some(Data::Text(text))) if is_expression(text, &names, known) => {
                Template::expression(text, known).map(|made| Action::Respond(Pattern::Text(made)))
            }
            ("respond", value) => {
                Pattern::compile(value.unwrap_or(&null), known).map(Action::Respond)
            }
            ("modify", Some(Data::Text(text))) => {
                Template::expression(text, known).map(|made| Action::Modify(Pattern::Text(made)))
            }
            ("modify", value) => {
                Pattern::compile(value.unwrap_or(&null), known).map(Action::Modify)
            }
            (_, Some(Data::Text(text))) => Template::compile(text, known).map(made),
            _ => Template::compile("", known).map(made),
        });
        match action {
            Ok(action) => {
                self.check_action(&action, events);
                Some(action)
            }
            Err(error) => {
                let help = match value {
                    Some(Data::Text(text)) if key == "modify" => in_cel(text)
                        .map(|_| "write a table, as `modify = { path = \"x\" }`, or a map in CEL: `{\"path\": \"x\"}`"),
                    _ => None,
                };
                self.mistake(key, error, help);
                None
            }
        }
    }

    /// Checks that a prompt is used for the input of a tool, because it costs money and time.
    fn may_prompt(&mut self, events: &[&'static EventInfo]) -> bool {
        let before = self.wrong.len();
        let entry = self.entry;
        if entry.tools.is_none() && entry.matcher.is_none() && entry.condition.is_none() {
            self.wrong(
                &["prompt"],
                "a model would be asked about every event",
                Some("say which ones it is for, with `tools`, `matcher` or `if`"),
            );
        }
        let other = events.iter().find(|event| !event.fields.contains(&"args"));
        if let Some(event) = other {
            self.wrong(
                &["event"],
                format!(
                    "a prompt judges the arguments of a tool, and `{}` is not about a tool",
                    event.name
                ),
                Some("choose `BeforeToolCall`, for example"),
            );
        }
        self.wrong.len() == before
    }

    /// Checks a rule against its events: if an event does not allow it, it would fail every time.
    fn check_action(&mut self, action: &Action, events: &[&'static EventInfo]) {
        let key = action.key();
        // One mistake covers all its events, because `event = "*"` has many.
        let mut found: Vec<(String, &str)> = Vec::new();
        for event in events {
            let name = event.name;
            let is_call = matches!(name, "BeforeToolCall" | "ApproveToolCall");
            let wrong: Option<(String, &str)> = match action {
                Action::Block(_) if !event.is_blockable => Some((
                    format!("`{name}` cannot be blocked"),
                    match name {
                        _ if event.is_intercepted => "`abort_turn` ends the turn",
                        "ToolCallStart" | "ToolCallEnd" | "ToolCallSkipped" => {
                            "the event is only observed: write `event = \"BeforeToolCall\"`"
                        }
                        "LlmInput" | "LlmOutput" | "LlmDelta" => {
                            "the event is only observed: write `event = \"BeforeLlmCall\"`"
                        }
                        "AgentStart" => {
                            "the event is only observed: write `event = \"MessageReceived\"`"
                        }
                        "AgentEnd" | "SubagentStop" => {
                            "the event is only observed: write `event = \"BeforeStop\"`"
                        }
                        "MessageSent" => {
                            "the event is only observed: write `event = \"MessageSending\"`"
                        }
                        "AfterCompact" => {
                            "the event is only observed: write `event = \"BeforeCompact\"`"
                        }
                        _ => {
                            "the event is only observed: use a `command`, for example, or another event"
                        }
                    },
                )),
                Action::AbortTurn(_) | Action::AbortRun(_) if !event.is_intercepted => Some((
                    format!("`{name}` is only observed, so nothing can be ended there"),
                    "choose an event that hooks decide",
                )),
                Action::Ask(_) | Action::Defer(_) if name != "BeforeToolCall" => Some((
                    format!("`{name}` cannot ask a person for approval"),
                    "write `event = \"BeforeToolCall\"`",
                )),
                Action::Approve(_) if !is_call => Some((
                    format!("there is nothing to approve on `{name}`"),
                    "write `event = \"ApproveToolCall\"`",
                )),
                Action::Context(_)
                    if !event.takes_context
                        && !matches!(name, "BeforePromptBuild" | "BeforeStop") =>
                {
                    Some((
                        format!("`{name}` takes no text for the model"),
                        "events that do are `SessionStart`, `MessageReceived`, `BeforePromptBuild`, `BeforeToolCall`, \
                     `AfterToolCall`, `SubagentStart` and `BeforeStop`",
                    ))
                }
                Action::Respond(_) if !event.is_answerable => Some((
                    format!("`{name}` cannot be answered"),
                    "events that can are `BeforeLlmCall`, `LlmFailed`, `AfterLlmCall`, `BeforeToolCall`, `InvalidToolCall` and \
                     `ApproveToolCall`",
                )),
                Action::Modify(_) if event.keys.is_empty() && !event.takes_args => Some((
                    format!("`{name}` cannot be changed"),
                    "choose an event that hooks may change",
                )),
                Action::Modify(Pattern::Table(fields)) if !event.takes_args => {
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

/// Returns the type of a variable, as far as it is the same on all events.
#[must_use]
pub fn type_of(name: &str) -> Type {
    match name {
        "cx" => Type::Map,
        "id" | "name" => Type::Text,
        _ => Type::Any,
    }
}

/// Returns the names that an expression may use: the fields that all its events have, and `cx`.
fn fields(events: &[&'static EventInfo]) -> Vec<&'static str> {
    let mut known: Vec<&str> = match events {
        [] => EVENTS
            .iter()
            .flat_map(|event| event.fields)
            .copied()
            .collect(),
        [first, others @ ..] => {
            let in_all = |field: &&&str| others.iter().all(|event| event.fields.contains(field));
            first.fields.iter().filter(in_all).copied().collect()
        }
    };
    known.extend(["cx", "raw"]);
    known
}

/// Returns how CEL writes what other languages write differently, if a text that is not an expression has that.
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
    let mut depth = 0_usize;
    let mut outside = text.to_owned();
    outside.retain(|c| {
        let is_outside = depth == 0 && c != '{' && c != '}';
        depth = depth.saturating_sub(usize::from(c == '}')) + usize::from(c == '{');
        is_outside
    });
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
