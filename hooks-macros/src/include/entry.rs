//! Reads the tables of a file: what is a rule, and what is wrong before its meaning is looked at.

use std::ops::Range;
use std::time::Duration;

use hooks_rules::cel::Literal;
use hooks_rules::check::{HANDLERS, Written};
use hooks_rules::template::Data;

use super::file::{FileMistake, Node, NodeValue};
use crate::driver::nearest;

/// What a key takes.
#[derive(Clone, Copy)]
enum Takes {
    Text,
    /// One text, or several.
    Texts,
    List,
    /// A whole number from one to another.
    Whole(i64, i64),
    Bool,
    Duration,
    Word(&'static [&'static str]),
    Table(&'static [(&'static str, Takes)]),
    /// What is checked with the meaning.
    Any,
}
use Takes::{Any, Bool, Text, Texts, Whole, Word};

const FAULT: Takes = Word(&["block", "skip", "deny", "allow", "continue"]);

/// The keys of an entry, in the order of the documentation.
const KEYS: [(&str, Takes); 32] = [
    ("name", Text),
    ("event", Texts),
    ("tools", Texts),
    ("matcher", Text),
    ("if", Text),
    (
        "scope",
        Takes::Table(&[("tenants", Takes::List), ("agents", Takes::List)]),
    ),
    ("priority", Whole(i32::MIN as i64, i32::MAX as i64)),
    ("block", Text),
    ("abort_turn", Text),
    ("abort_run", Text),
    ("ask", Text),
    ("defer", Text),
    ("approve", Text),
    ("context", Text),
    ("respond", Any),
    ("modify", Any),
    ("command", Any),
    ("http", Any),
    ("prompt", Any),
    ("process", Any),
    ("timeout", Takes::Duration),
    ("on_timeout", FAULT),
    ("on_failure", FAULT),
    ("guard", Bool),
    ("mode", Word(&["enforce", "shadow", "off"])),
    ("background", Bool),
    ("dialect", Text),
    ("mandatory", Bool),
    ("version", Whole(0, i64::MAX)),
    ("refused", Text),
    ("harmless", Bool),
    ("must_audit", Bool),
];

/// What an entry says.
#[derive(Debug)]
pub(super) struct RuleEntry {
    pub(super) name: Option<String>,
    pub(super) events: Vec<String>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) matcher: Option<String>,
    condition: Option<String>,
    pub(super) tenants: Vec<String>,
    pub(super) agents: Vec<String>,
    pub(super) priority: i32,
    handlers: Vec<(&'static str, Option<Data>)>,
    timeout: Option<Duration>,
    guard: Option<bool>,
    background: Option<bool>,
    /// Whether the event goes on if the rule fails.
    pub(super) skips: bool,
    /// Whether it has no effect.
    pub(super) is_off: bool,
}

impl RuleEntry {
    /// Reads an entry whose keys have been checked.
    fn of(node: &Node) -> Self {
        let text = |key: &str| Some(node.get(key)?.text()?.to_owned());
        let texts = |node: &Node| match node.text() {
            Some(text) => vec![text.to_owned()],
            None => node
                .items()
                .iter()
                .filter_map(|item| Some(item.text()?.to_owned()))
                .collect(),
        };
        let bool = |key: &str| match node.get(key)?.inner {
            NodeValue::Other(Literal::Bool(value)) => Some(value),
            _ => None,
        };
        let scope = |key: &str| {
            node.get("scope")
                .and_then(|scope| scope.get(key))
                .map(texts)
        };
        let handlers = HANDLERS.into_iter().filter_map(|key| {
            let node = node.get(key)?;
            let is_outside = matches!(key, "command" | "http" | "prompt" | "process");
            Some((key, (!is_outside).then(|| node.data())))
        });
        let priority = node.get("priority").and_then(Node::whole);
        RuleEntry {
            name: text("name"),
            events: node.get("event").map(texts).unwrap_or_default(),
            tools: node.get("tools").map(texts),
            matcher: text("matcher"),
            condition: text("if"),
            tenants: scope("tenants").unwrap_or_default(),
            agents: scope("agents").unwrap_or_default(),
            priority: priority
                .and_then(|number| number.try_into().ok())
                .unwrap_or_default(),
            handlers: handlers.collect(),
            timeout: text("timeout").and_then(|text| humantime::parse_duration(&text).ok()),
            guard: bool("guard"),
            background: bool("background"),
            skips: matches!(
                text("on_failure").as_deref(),
                Some("skip" | "allow" | "continue")
            ),
            is_off: matches!(text("mode").as_deref(), Some("shadow" | "off")),
        }
    }

    /// What the checks of all rules read.
    pub(super) fn written(&self) -> Written<'_> {
        Written {
            is_every: self.events.iter().any(|name| name == "*"),
            tools: self.tools.as_deref(),
            matcher: self.matcher.as_deref(),
            condition: self.condition.as_deref(),
            scope: [&self.tenants, &self.agents],
            handlers: self.handlers.clone(),
            timeout: self.timeout,
            guard: self.guard,
            background: self.background,
        }
    }
}

/// Reads tables, and collects what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) wrong: Vec<FileMistake>,
}

impl Reader {
    pub(super) fn wrong(&mut self, at: Range<usize>, message: String, help: Option<&str>) {
        self.wrong.push(FileMistake::new(at, message, help));
    }

    /// Reads an entry of `[[hooks.on]]`.
    pub(super) fn entry(&mut self, node: &Node, path: &str) -> RuleEntry {
        let before = self.wrong.len();
        self.table(node, &KEYS, path);
        // What is missing beside another mistake may be that.
        if self.wrong.len() == before && node.get("event").is_none() {
            let message = format!("the key `event` is missing in `{path}`");
            let help = "write `event = \"BeforeToolCall\"`, for example";
            self.wrong(node.shown_at(), message, Some(help));
        }
        RuleEntry::of(node)
    }

    /// Checks the keys of a table, and what they have.
    fn table(&mut self, node: &Node, keys: &[(&str, Takes)], path: &str) {
        if !matches!(node.inner, NodeValue::Table(_)) {
            return self.expected(node, "a table", path, None);
        }
        for (key, node) in node.entries() {
            if let Some((key, takes)) = keys.iter().find(|(known, _)| known == key) {
                self.value(node, key, *takes, &format!("{path}.{key}"));
            } else {
                let known: Vec<_> = keys.iter().map(|(known, _)| *known).collect();
                self.unknown(key, node, &known, path);
            }
        }
    }

    /// Checks what a key has.
    fn value(&mut self, node: &Node, key: &str, takes: Takes, path: &str) {
        let text = node.text();
        let unquoted = |text: &str| format!("write `{key} = {}`, without quotes", text.trim());
        let literal = match &node.inner {
            NodeValue::Other(literal) => Some(literal),
            _ => None,
        };
        match (takes, literal) {
            (Any, _) | (Takes::Bool, Some(Literal::Bool(_))) => {}
            (Whole(least, most), Some(Literal::Int(number))) if (least..=most).contains(number) => {
            }
            (Text | Texts, _) if text.is_some() => {}
            (Texts | Takes::List, None) if matches!(node.inner, NodeValue::List(_)) => {
                for (nth, item) in node.items().iter().enumerate() {
                    self.value(item, "", Text, &format!("{path}[{nth}]"));
                }
            }
            (Text, _) => {
                let is_reason = matches!(key, "block" | "abort_turn" | "abort_run" | "ask")
                    && matches!(literal, Some(Literal::Bool(_)));
                let help = format!("write the reason, as `{key} = \"not in this project\"`");
                self.expected(node, "a string", path, is_reason.then_some(help));
            }
            (Texts, _) => self.expected(node, "text, or a list of texts", path, None),
            (Takes::List, _) => {
                let help = text.map(|text| format!("write `{key} = [{text:?}]`"));
                self.expected(node, "a list", path, help);
            }
            (Bool, _) => {
                let word = text.filter(|text| matches!(*text, "true" | "false"));
                self.expected(node, "`true` or `false`", path, word.map(unquoted));
            }
            (Whole(least, most), _) => {
                let what = match least {
                    0 => "a whole number that is not negative".to_owned(),
                    _ => format!("a whole number from {least} to {most}"),
                };
                let quoted =
                    text.filter(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite));
                self.expected(node, &what, path, quoted.map(unquoted));
            }
            (Takes::Duration, _) => match text.map(humantime::parse_duration) {
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    let text = text.unwrap_or_default();
                    let message = format!(
                        "`{path}`: `{text}` is not a duration such as \"30s\", \"1m 30s\" or \"2h\": {error}"
                    );
                    self.wrong(node.at.clone(), message, None);
                }
                None => {
                    let seconds = match literal {
                        Some(Literal::Int(seconds)) => Some(*seconds),
                        _ => matches!(literal, Some(Literal::Double(_))).then_some(30),
                    };
                    let help = seconds.map(|seconds| {
                        format!(
                            "write `{key} = \"{seconds}s\"`, with a unit: `ms`, `s`, `m` or `h`"
                        )
                    });
                    self.expected(node, "a string", path, help);
                }
            },
            (Word(words), _) => match text {
                Some(text) if words.contains(&text) => {}
                Some(text) => {
                    let message = format!("`{text}` is not known in `{path}`");
                    let help = suggestion(text, words, "value");
                    self.wrong(node.at.clone(), message, Some(&help));
                }
                None => self.expected(node, "a string", path, None),
            },
            (Takes::Table(keys), _) => self.table(node, keys, path),
        }
    }

    fn expected(&mut self, node: &Node, what: &str, path: &str, help: Option<String>) {
        let is_never = matches!(node.inner, NodeValue::Never(_));
        let what = if is_never { "a setting" } else { what };
        let message = format!("expected {what}, found {} in `{path}`", node.found());
        self.wrong(node.shown_at(), message, help.as_deref());
    }

    /// Says that a table has a key that no setting has.
    pub(super) fn unknown(&mut self, key: &str, node: &Node, known: &[&str], path: &str) {
        let within = match path {
            "" => String::new(),
            path => format!(" in `{path}`"),
        };
        let message = format!("unknown key `{key}`{within}");
        self.wrong(node.key_at(), message, Some(&suggestion(key, known, "key")));
    }
}

/// Suggests the nearest known name, and lists all of them.
fn suggestion(unknown: &str, known: &[&str], what: &str) -> String {
    let all: Vec<_> = known.iter().map(|name| format!("`{name}`")).collect();
    let near = nearest(unknown, known.iter().copied());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}the {what}s here are {}", all.join(", "))
}
