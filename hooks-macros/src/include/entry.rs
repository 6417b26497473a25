//! Reads the tables of a file: what is a rule, and what is wrong before its meaning is looked at.

use std::ops::Range;
use std::time::Duration;

use hooks_rules::cel::Literal;
use hooks_rules::check::{HANDLERS, Written};
use hooks_rules::template::Data;

use super::file::{Inner, Mistake, Node};
use crate::driver::nearest;

/// The keys of an entry, in the order of the documentation.
const KEYS: [&str; 32] = [
    "name",
    "event",
    "tools",
    "matcher",
    "if",
    "scope",
    "priority",
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
    "timeout",
    "on_timeout",
    "on_failure",
    "guard",
    "mode",
    "background",
    "dialect",
    "mandatory",
    "version",
    "refused",
    "harmless",
    "must_audit",
];

/// An entry: what it says, besides what the checks of all rules read.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) name: Option<String>,
    pub(super) events: Vec<String>,
    tools: Option<Vec<String>>,
    matcher: Option<String>,
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
    /// Whether it runs, and its answer takes effect.
    pub(super) is_off: bool,
}

impl Entry {
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

    pub(super) fn tools(&self) -> Option<&[String]> {
        self.tools.as_deref()
    }

    pub(super) fn matcher(&self) -> Option<&str> {
        self.matcher.as_deref()
    }
}

/// Reads tables, and collects what is wrong with them.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub(super) wrong: Vec<Mistake>,
}

impl Reader {
    pub(super) fn wrong(&mut self, at: Range<usize>, message: String, help: Option<&str>) {
        self.wrong.push(Mistake::new(at, message, help));
    }

    fn expected(&mut self, node: &Node, what: &str, path: &str, help: Option<String>) {
        let what = if matches!(node.inner, Inner::Never(_)) {
            "a setting"
        } else {
            what
        };
        let message = format!("expected {what}, found {} in `{path}`", node.found());
        self.wrong(node.shown_at(), message, help.as_deref());
    }

    /// Says that a table has a key that no setting has.
    pub(super) fn unknown(&mut self, key: &str, node: &Node, known: &[&str], path: &str) {
        let all = known.iter().map(|name| format!("`{name}`"));
        let all = all.collect::<Vec<_>>().join(", ");
        let near = nearest(key, known.iter().copied());
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let help = if known.len() == 1 {
            format!("{near}the only key here is {all}")
        } else {
            format!("{near}the keys here are {all}")
        };
        let within = if path.is_empty() {
            String::new()
        } else {
            format!(" in `{path}`")
        };
        let message = format!("unknown key `{key}`{within}");
        self.wrong(node.key_at(), message, Some(&help));
    }

    fn text(&mut self, node: &Node, key: &str, path: &str) -> Option<String> {
        let text = node.text().map(str::to_owned);
        if text.is_none() {
            let is_reason = matches!(key, "block" | "abort_turn" | "abort_run" | "ask")
                && matches!(node.inner, Inner::Other(Literal::Bool(_)));
            let help = format!("write the reason, as `{key} = \"not in this project\"`");
            self.expected(node, "a string", path, is_reason.then_some(help));
        }
        text
    }

    /// One text, or several.
    fn texts(&mut self, node: &Node, what: &str, path: &str) -> Option<Vec<String>> {
        if let Some(text) = node.text() {
            return Some(vec![text.to_owned()]);
        }
        let Inner::List(items) = &node.inner else {
            self.expected(node, what, path, None);
            return None;
        };
        let mut texts = Vec::new();
        for (nth, item) in items.iter().enumerate() {
            texts.extend(self.text(item, "", &format!("{path}[{nth}]")));
        }
        Some(texts)
    }

    fn bool(&mut self, node: &Node, key: &str, path: &str) -> Option<bool> {
        if let Inner::Other(Literal::Bool(value)) = node.inner {
            return Some(value);
        }
        let word = node.text().filter(|text| matches!(*text, "true" | "false"));
        let help = word.map(|word| format!("write `{key} = {word}`, without quotes"));
        self.expected(node, "`true` or `false`", path, help);
        None
    }

    fn word(&mut self, node: &Node, words: &[&str], path: &str) -> Option<String> {
        let Some(text) = node.text() else {
            let what = "one of the words that this key takes";
            self.expected(node, what, path, None);
            return None;
        };
        if words.contains(&text) {
            return Some(text.to_owned());
        }
        let all = words.iter().map(|word| format!("`{word}`"));
        let all = all.collect::<Vec<_>>().join(", ");
        let near = nearest(text, words.iter().copied());
        let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
        let message = format!("`{text}` is not known in `{path}`");
        let help = format!("{near}the values here are {all}");
        self.wrong(node.at.clone(), message, Some(&help));
        None
    }

    fn whole(&mut self, node: &Node, key: &str, most: i64, path: &str) -> Option<i64> {
        let least = if most > i64::from(i32::MAX) {
            0
        } else {
            i64::from(i32::MIN)
        };
        let what = match (least, key) {
            (0, _) => "a whole number that is not negative".to_owned(),
            _ => format!("a whole number from {least} to {most}"),
        };
        if let Inner::Other(Literal::Int(number)) = node.inner
            && (least..=most).contains(&number)
        {
            return Some(number);
        }
        let quoted = node
            .text()
            .filter(|text| text.trim().parse::<f64>().is_ok_and(f64::is_finite));
        let help = quoted.map(|text| format!("write `{key} = {}`, without quotes", text.trim()));
        self.expected(node, &what, path, help);
        None
    }

    fn duration(&mut self, node: &Node, key: &str, path: &str) -> Option<Duration> {
        let Some(text) = node.text() else {
            let seconds = match node.inner {
                Inner::Other(Literal::Int(seconds)) => seconds,
                _ => 30,
            };
            let is_number = matches!(
                node.inner,
                Inner::Other(Literal::Int(_) | Literal::Double(_))
            );
            let help =
                format!("write `{key} = \"{seconds}s\"`, with a unit: `ms`, `s`, `m` or `h`");
            self.expected(node, "a string", path, is_number.then_some(help));
            return None;
        };
        let parsed = humantime::parse_duration(text);
        let wrong = |error| {
            format!(
                "`{path}`: `{text}` is not a duration such as \"30s\", \"1m 30s\" or \"2h\": {error}"
            )
        };
        let parsed = parsed.map_err(wrong);
        let failed = parsed.map_err(|message| self.wrong(node.at.clone(), message, None));
        failed.ok()
    }

    fn scope(&mut self, node: &Node, entry: &mut Entry, path: &str) {
        let Inner::Table(keys) = &node.inner else {
            return self.expected(node, "a table", path, None);
        };
        for (key, node) in keys {
            let path = format!("{path}.{key}");
            let ids = match (&**key, &node.inner) {
                ("tenants" | "agents", Inner::List(_)) => {
                    self.texts(node, "a list", &path).unwrap_or_default()
                }
                ("tenants" | "agents", _) => {
                    let help = node
                        .text()
                        .map(|text| format!("write `{key} = [{text:?}]`"));
                    self.expected(node, "a list", &path, help);
                    continue;
                }
                _ => {
                    let table = path.trim_end_matches(key).trim_end_matches('.');
                    self.unknown(key, node, &["tenants", "agents"], table);
                    continue;
                }
            };
            match &**key {
                "tenants" => entry.tenants = ids,
                _ => entry.agents = ids,
            }
        }
    }

    /// Reads an entry of `[[hooks.on]]`.
    pub(super) fn entry(&mut self, node: &Node, path: &str) -> Entry {
        let mut entry = Entry::default();
        let Inner::Table(keys) = &node.inner else {
            self.expected(node, "a table", path, None);
            return entry;
        };
        for (key, node) in keys {
            let path_of = format!("{path}.{key}");
            let handler = HANDLERS.iter().find(|known| *known == key);
            match (&**key, handler) {
                ("name", _) => entry.name = self.text(node, key, &path_of),
                ("event", _) => {
                    let what = "text, or a list of texts";
                    entry.events = self.texts(node, what, &path_of).unwrap_or_default();
                }
                ("tools", _) => {
                    entry.tools = self.texts(node, "text, or a list of texts", &path_of);
                }
                ("matcher", _) => entry.matcher = self.text(node, key, &path_of),
                ("if", _) => entry.condition = self.text(node, key, &path_of),
                ("scope", _) => self.scope(node, &mut entry, &path_of),
                ("priority", _) => {
                    let number = self.whole(node, key, i32::MAX.into(), &path_of);
                    let number = number.and_then(|number| i32::try_from(number).ok());
                    entry.priority = number.unwrap_or_default();
                }
                ("respond" | "modify", Some(key)) => {
                    entry.handlers.push((key, Some(node.data())));
                }
                ("command" | "http" | "prompt" | "process", Some(key)) => {
                    entry.handlers.push((key, None));
                }
                (_, Some(name)) => {
                    let text = self.text(node, key, &path_of).unwrap_or_default();
                    entry.handlers.push((name, Some(Data::Text(text))));
                }
                ("timeout", _) => entry.timeout = self.duration(node, key, &path_of),
                ("on_timeout", _) => {
                    self.word(node, &["block", "skip"], &path_of);
                }
                ("on_failure", _) => {
                    let words = ["block", "skip", "deny", "allow", "continue"];
                    let word = self.word(node, &words, &path_of);
                    let skips = matches!(word.as_deref(), Some("skip" | "allow" | "continue"));
                    entry.skips = skips;
                }
                ("guard", _) => entry.guard = self.bool(node, key, &path_of),
                ("mode", _) => {
                    let word = self.word(node, &["enforce", "shadow", "off"], &path_of);
                    entry.is_off = matches!(word.as_deref(), Some("shadow" | "off"));
                }
                ("background", _) => entry.background = self.bool(node, key, &path_of),
                ("dialect" | "refused", _) => {
                    self.text(node, key, &path_of);
                }
                ("mandatory" | "harmless" | "must_audit", _) => {
                    self.bool(node, key, &path_of);
                }
                ("version", _) => {
                    self.whole(node, key, i64::MAX, &path_of);
                }
                _ => self.unknown(key, node, &KEYS, path),
            }
        }
        // They are told, and checked, in the order of the documentation.
        let place = |key| HANDLERS.iter().position(|known| *known == key);
        entry.handlers.sort_by_key(|(key, _)| place(*key));
        if node.get("event").is_none() {
            let message = format!("the key `event` is missing in `{path}`");
            let help = "write `event = \"BeforeToolCall\"`, for example";
            self.wrong(node.shown_at(), message, Some(help));
        }
        entry
    }
}
