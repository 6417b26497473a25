//! Reads a whole file, checks it, and compiles its rules.

use std::ops::Range;

use hooks_rules::cel::Cel;
use hooks_rules::check::{Checked, Given, check};
use hooks_rules::events::{CONTEXT, EVENTS, EventInfo};
use hooks_rules::tools::Aliases;

use super::entry::{Reader, RuleEntry};
use super::file::{self, FileMistake, Node};
use super::rules::{self, CompiledRules, IncludedRule};
use crate::driver::nearest;

/// What to do about what is not a rule.
const LOAD: &str =
    "load the file with `Runtime::load`, or write `include!(\"…\", rules)` to take its rules only";

/// The most mistakes of a file that are shown.
const MOST: usize = 100;

/// Compiles the text of a file, all of it or its rules only.
pub(super) fn compiled(
    name: &str,
    text: &str,
    takes_rules_only: bool,
    prefix: &str,
) -> Result<CompiledRules, Vec<FileMistake>> {
    let root = file::parse(text).map_err(|mistake| vec![mistake])?;
    let mut loader = Loader {
        name,
        text,
        takes_rules_only,
        reader: Reader::default(),
        rules: Vec::new(),
        stops: 8,
    };
    loader.all(&root);
    let Loader {
        reader: Reader { mut wrong },
        rules,
        stops,
        ..
    } = loader;
    if wrong.is_empty() {
        return Ok(rules::compile(&rules, prefix, stops));
    }
    wrong.sort_by_key(|mistake| mistake.at.start);
    wrong.truncate(MOST);
    Err(wrong)
}

struct Loader<'f> {
    name: &'f str,
    text: &'f str,
    takes_rules_only: bool,
    reader: Reader,
    rules: Vec<IncludedRule>,
    /// How often hooks may prevent an agent from stopping.
    stops: u32,
}

impl Loader<'_> {
    fn wrong(&mut self, at: Range<usize>, message: impl Into<String>, help: Option<&str>) {
        self.reader.wrong(at, message.into(), help);
    }

    /// Says that a part of the file is not a rule, unless only the rules are taken.
    fn other(&mut self, at: Range<usize>, what: &str) {
        if !self.takes_rules_only {
            let message = format!("`{what}` is not a rule, and is not compiled");
            self.wrong(at, message, Some(LOAD));
        }
    }

    fn all(&mut self, root: &Node) {
        let hooks = root.get("hooks").map_or(&[][..], Node::entries);
        let on = root.get("hooks").and_then(|hooks| hooks.get("on"));
        let on = on.map_or(&[][..], Node::items);
        for (key, node) in root.entries() {
            if key != "hooks" && key != "agents" {
                self.reader.unknown(key, node, &["hooks", "agents"], "");
            }
        }
        let entries = on.iter().enumerate();
        let entries = entries.map(|(index, node)| {
            let path = format!("hooks.on[{index}]");
            self.reader.entry(node, &path)
        });
        let entries: Vec<_> = entries.collect();
        // What cannot be read comes first, as when a file is loaded.
        if !self.reader.wrong.is_empty() {
            return;
        }
        if let Some(agents) = root.get("agents") {
            self.other(agents.key_at(), "[[agents]]");
        }
        for (key, node) in hooks {
            match &**key {
                "on" | "test" => {}
                "limits" => {
                    let stops = node.get("stops").and_then(Node::whole);
                    let stops = stops.and_then(|stops| stops.try_into().ok());
                    self.stops = stops.unwrap_or(self.stops);
                    if let Some(refuse) = node.get("refuse") {
                        self.other(refuse.key_at(), "refuse");
                    }
                }
                "import" | "chain" => self.other(node.key_at(), &format!("[[hooks.{key}]]")),
                _ => self.other(node.key_at(), &format!("[hooks.{key}]")),
            }
        }
        for ((index, node), entry) in on.iter().enumerate().zip(entries) {
            self.entry(index, node, entry);
        }
        self.rules.retain(|rule| !rule.entry.is_off);
    }

    /// Checks an entry, and takes its rule.
    fn entry(&mut self, index: usize, node: &Node, entry: RuleEntry) {
        for key in ["command", "http", "prompt", "process"] {
            if let Some(outside) = node.get(key) {
                return self.other(outside.key_at(), key);
            }
        }
        for key in ["dialect", "refused", "must_audit"] {
            if let Some(node) = node.get(key).filter(|node| !node.is_false()) {
                let message = format!("`{key}` is for files that are loaded, and is not compiled");
                let help = "load the file with `Runtime::load`, or leave the key out";
                self.wrong(node.key_at(), message, Some(help));
            }
        }
        let events = self.events(node, &entry.events);
        let given = Given {
            events: &events,
            context: &CONTEXT,
            claudes: &Aliases::claudes(),
        };
        let checked = check(&entry.written(), &given);
        self.checked(node, &checked);
        let line = file::line(self.text, node.at.start);
        let source = format!("{}:{line}", self.name);
        let name = self.name_of(index, node, &entry);
        self.rules.push(IncludedRule {
            name,
            source,
            entry,
            events,
            checked,
        });
    }

    /// Tells what is wrong with an entry.
    fn checked(&mut self, node: &Node, checked: &Checked) {
        for wrong in &checked.wrong {
            let found = wrong.keys.iter().try_fold(node, |node, key| node.get(key));
            let at = match (found, &wrong.at) {
                (Some(found), Some(part)) => found.part(self.text, part),
                (Some(found), None) => found.shown_at(),
                (None, _) => node.shown_at(),
            };
            self.wrong(at, wrong.message.clone(), wrong.help.as_deref());
        }
        let Some(condition) = node.get("if") else {
            return;
        };
        let never = checked.condition.iter().flat_map(Cel::never_equal);
        for never in never {
            let at = condition.part(self.text, &never.at);
            self.wrong(at, never.message.clone(), None);
        }
    }

    /// The name of a rule: its own, or the event and a number.
    fn name_of(&mut self, index: usize, node: &Node, entry: &RuleEntry) -> String {
        let taken = |name: &str| self.rules.iter().find(|rule| rule.name == name);
        let at = node.get("name").unwrap_or(node).shown_at();
        match &entry.name {
            Some(name) if name.trim().is_empty() => {
                let help = "leave `name` out for a name made of the event and a number";
                self.wrong(at, "the name is empty", Some(help));
                name.clone()
            }
            Some(name) => {
                if let Some(taken) = taken(name) {
                    let source = &taken.source;
                    let message = format!("the name `{name}` is taken already, at {source}");
                    self.wrong(at, message, Some("give each hook a name of its own"));
                }
                name.clone()
            }
            None => {
                let event = entry.events.first().map_or("hook", String::as_str);
                let first = format!("{event}-{}", index + 1);
                let numbered = (2..).map(|number| format!("{first}#{number}"));
                let mut names = std::iter::once(first.clone()).chain(numbered);
                names.find(|name| taken(name).is_none()).unwrap_or_default()
            }
        }
    }

    /// The events of an entry.
    fn events(&mut self, node: &Node, names: &[String]) -> Vec<&'static EventInfo> {
        let mut events: Vec<&EventInfo> = Vec::new();
        let written = node.get("event").unwrap_or(node);
        for (nth, name) in names.iter().enumerate() {
            let found: Vec<&EventInfo> = match name.as_str() {
                "*" => EVENTS.iter().collect(),
                name => EventInfo::named(name).into_iter().collect(),
            };
            if found.is_empty() {
                let near = nearest(name, EVENTS.iter().map(|event| event.name));
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "a rule that is compiled names the events of `hooks_core::agent`, such as `BeforeToolCall`".into(),
                };
                let at = written.items().get(nth).unwrap_or(written).shown_at();
                self.wrong(at, format!("`{name}` is not an event"), Some(&help));
            }
            for event in found {
                if !events.contains(&event) {
                    events.push(event);
                }
            }
        }
        if names.is_empty() {
            let help = "write `event = \"BeforeToolCall\"`, for example";
            self.wrong(written.shown_at(), "the hook has no event", Some(help));
        }
        events
    }
}
