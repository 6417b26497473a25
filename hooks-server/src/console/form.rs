//! The form of a hook: a view of its document. A field writes the key that it shows; all other keys stay as they are.

use std::sync::LazyLock;

use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::{ImportEntry, OnEntry, json_schema_of_file};
use serde_json::{Map, Value, json};

use crate::api::capabilities::Capabilities;
use crate::api::convert::TextError;

/// What a form sends, in its order.
pub(super) struct Sent(pub(super) Vec<(String, String)>);

impl Sent {
    /// The text of a field. What was chosen several times has a line each.
    pub(super) fn get(&self, name: &str) -> Option<String> {
        let named = self.0.iter().filter(|(known, _)| known == name);
        let texts: Vec<_> = named.map(|(_, text)| text.replace("\r\n", "\n")).collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }

    /// The text of a field; empty if it was not sent.
    pub(super) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default()
    }
}

/// How a value is written in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    /// A line.
    Line,
    /// A whole number.
    Number,
    /// A text of several lines.
    Text,
    /// A list, with a line for each value.
    Lines,
    /// A table, with a line `key: value` for each value.
    Pairs,
    /// A text, or anything else as JSON.
    Json,
    /// One of these words.
    One(&'static [&'static str]),
    /// Some of these words.
    Some(&'static [&'static str]),
    /// On or off.
    Check,
}

impl Control {
    /// Shows a value.
    fn show(self, value: &Value) -> String {
        match (self, value) {
            (_, Value::Null) | (Control::Check, Value::Bool(false)) => String::new(),
            // A text that reads as JSON would become something else.
            (Control::Json, Value::String(text)) if serde_json::from_str::<Value>(text).is_ok() => {
                value.to_string()
            }
            (_, Value::String(text)) => text.clone(),
            (Control::Lines | Control::Some(_), Value::Array(values)) => {
                let lines: Vec<_> = values
                    .iter()
                    .map(|value| Control::Line.show(value))
                    .collect();
                lines.join("\n")
            }
            (Control::Pairs, Value::Object(pairs)) => {
                let lines = pairs.iter();
                let lines =
                    lines.map(|(key, value)| format!("{key}: {}", Control::Line.show(value)));
                lines.collect::<Vec<_>>().join("\n")
            }
            (Control::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
            (_, value) => value.to_string(),
        }
    }

    /// Reads a text; nothing if the field is empty. What is no value of this kind stays a text, which is a mistake that the
    /// check finds.
    fn read(self, text: &str) -> Option<Value> {
        let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
        if text.trim().is_empty() {
            return None;
        }
        Some(match self {
            Control::Line | Control::One(_) => text.trim().into(),
            Control::Text => text.into(),
            Control::Number => match text.trim().parse::<i64>() {
                Ok(number) => number.into(),
                Err(_) => text.trim().into(),
            },
            Control::Some(_) if lines().count() == 1 => text.trim().into(),
            Control::Lines | Control::Some(_) => lines().collect(),
            Control::Pairs => {
                let pairs = lines().map(|line| line.split_once(':').unwrap_or((line, "")));
                let pairs = pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().into()));
                Value::Object(pairs.collect())
            }
            Control::Json => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
            Control::Check => true.into(),
        })
    }

    /// Whether two texts say the same. The order in which words are chosen says nothing.
    fn is_same(self, one: &str, other: &str) -> bool {
        let sorted = |text: &str| {
            let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        one == other || matches!(self, Control::Some(_)) && sorted(one) == sorted(other)
    }
}

/// A key that has a field.
struct Key {
    path: &'static str,
    label: &'static str,
    control: Control,
    /// The part of the form that it is in.
    part: &'static str,
}

const fn key(part: &'static str, path: &'static str, label: &'static str, control: Control) -> Key {
    Key {
        path,
        label,
        control,
        part,
    }
}

/// The name of the field with the text of a rule, whose key is the kind of the rule.
const RULE: &str = "rule";

const FAULTS: Control = Control::One(&["", "block", "skip"]);

/// The fields, in the order of the form.
const KEYS: &[Key] = &[
    key("what", "name", "Name", Control::Line),
    key("what", "event", "Events", Control::Some(AgentEvent::NAMES)),
    key("what", "tools", "Tools", Control::Lines),
    key("what", "scope/agents", "Agents", Control::Lines),
    key("what", "if", "If", Control::Text),
    key("rule", RULE, "Text", Control::Text),
    key("respond", "respond", "Answer", Control::Json),
    key("modify", "modify", "Change", Control::Json),
    key("command", "command/run", "Command line", Control::Text),
    key(
        "command",
        "command/argv",
        "Program and arguments",
        Control::Lines,
    ),
    key("command", "command/cwd", "Folder", Control::Line),
    key("http", "http/url", "URL", Control::Line),
    key("http", "http/headers", "Headers", Control::Pairs),
    key("http", "http/secret", "Signing key", Control::Line),
    key("http", "http/retries", "Retries", Control::Number),
    key("prompt", "prompt/template", "Instructions", Control::Text),
    key("prompt", "prompt/model", "Model", Control::Line),
    key(
        "prompt",
        "prompt/max_per_turn",
        "Most a turn",
        Control::Number,
    ),
    key("prompt", "prompt/cache", "Cache", Control::Line),
    key(
        "prompt",
        "prompt/tokens_per_month",
        "Tokens a month",
        Control::Number,
    ),
    key(
        "process",
        "process/argv",
        "Program and arguments",
        Control::Lines,
    ),
    key("process", "process/dir", "Folder", Control::Line),
    key(
        "how",
        "mode",
        "Mode",
        Control::One(&["", "enforce", "shadow", "off"]),
    ),
    key("how", "priority", "Priority", Control::Number),
    key("how", "timeout", "Timeout", Control::Line),
    key("how", "on_timeout", "On timeout", FAULTS),
    key("how", "on_failure", "On failure", FAULTS),
    key("above", "scope/tenants", "Tenants", Control::Lines),
    key("above", "mandatory", "Mandatory", Control::Check),
];

/// The handlers that may be a text, which is this key of their table.
const SHORT: &[(&str, &str)] = &[("command", "run"), ("http", "url"), ("prompt", "template")];

/// The part of the form for a kind of handler.
fn part_of(kind: &str) -> &str {
    let mut parts = KEYS.iter().map(|key| key.part);
    match parts.find(|part| *part == kind) {
        Some(part) => part,
        None if OnEntry::HANDLERS.contains(&kind) => RULE,
        None => "",
    }
}

impl Key {
    /// Where it is in a hook with this kind of handler.
    fn path<'a>(&self, kind: &'a str) -> &'a str {
        if self.path == RULE { kind } else { self.path }
    }

    /// What the documentation of files says about it.
    fn hint(&self) -> &'static str {
        static SCHEMA: LazyLock<Value> = LazyLock::new(|| json_schema_of_file().to_value());
        let (table, key) = match self.path.split_once('/') {
            None => ("OnEntry", self.path),
            Some(("command", key)) => ("CommandEntry", key),
            Some(("http", key)) => ("HttpEntry", key),
            Some(("prompt", key)) => ("PromptEntry", key),
            Some(("process", key)) => ("ServerEntry", key),
            Some((_, key)) => ("Scopes", key),
        };
        let hint = SCHEMA["$defs"][table]["properties"][key]["description"].as_str();
        hint.unwrap_or_default()
    }
}

/// The kind of handler of a hook: its key, or that of the system that it is from. Empty if it has none.
fn kind_of(hook: &Value) -> &'static str {
    let systems = ImportEntry::KEYS
        .iter()
        .copied()
        .filter(|key| *key != "hooks");
    let mut kinds = OnEntry::HANDLERS.into_iter().chain(systems);
    kinds
        .find(|kind| hook.get(kind).is_some())
        .unwrap_or_default()
}

/// Writes what may be written shortly as the table that it stands for.
fn expanded(hook: &Value) -> Value {
    let mut hook = hook.clone();
    for (key, main) in SHORT {
        if hook[key].is_string() {
            hook[key] = json!({ (*main): hook[key] });
        }
    }
    if let Some(fields) = hook.as_object_mut()
        && !fields.get("scope").is_some_and(Value::is_object)
        && let Some(agents) = fields.remove("agents")
    {
        fields.insert("scope".to_owned(), json!({ "agents": agents }));
    }
    hook
}

fn get<'a>(hook: &'a Value, path: &str) -> &'a Value {
    path.split('/').fold(hook, |value, key| &value[key])
}

fn set(hook: &mut Value, path: &str, value: Option<Value>) {
    let (table, key) = path.rsplit_once('/').unwrap_or(("", path));
    let mut part = hook;
    for key in table.split('/').filter(|key| !key.is_empty()) {
        part = &mut part[key];
    }
    if !part.is_object() {
        *part = json!({});
    }
    if let Value::Object(fields) = part {
        match value {
            Some(value) => drop(fields.insert(key.to_owned(), value)),
            None => drop(fields.remove(key)),
        }
    }
}

/// Lays the fields of a form over a hook. Nothing if they say what the hook says.
pub(super) fn laid(hook: &Value, sent: &Sent) -> Option<Value> {
    let old = expanded(hook);
    let (before, mut new) = (kind_of(&old), old.clone());
    let chosen = sent.get("kind");
    let is_known = |kind: &&String| kind.is_empty() || OnEntry::HANDLERS.contains(&kind.as_str());
    let kind = chosen
        .as_ref()
        .filter(is_known)
        .map_or(before, String::as_str);
    if kind != before
        && let Value::Object(fields) = &mut new
    {
        fields.retain(|key, _| key != before && !OnEntry::HANDLERS.contains(&key.as_str()));
    }
    for key in KEYS {
        let is_shown = matches!(key.part, "what" | "how" | "above") || key.part == part_of(kind);
        let text = match (sent.get(key.path), key.control) {
            (Some(text), _) => text,
            // What is not chosen is not sent.
            (None, Control::Some(_)) => String::new(),
            (None, Control::Check) if sent.get("is_global").is_some() => String::new(),
            (None, _) => continue,
        };
        let path = key.path(kind);
        if is_shown
            && !key
                .control
                .is_same(&text, &key.control.show(get(&old, path)))
        {
            set(&mut new, path, key.control.read(&text));
        }
    }
    if !kind.is_empty() && new.get(kind).is_none() {
        let is_table =
            SHORT.iter().any(|(short, _)| *short == kind) || matches!(kind, "process" | "modify");
        new[kind] = if is_table { json!({}) } else { "".into() };
    }
    if new == old {
        return None;
    }
    if new["scope"].as_object().is_some_and(Map::is_empty) {
        set(&mut new, "scope", None);
    }
    for (key, main) in SHORT {
        let is_short = new[key].as_object().is_some_and(|table| table.len() == 1);
        if is_short && !hook[key].is_object() && !new[key][main].is_null() {
            new[key] = new[key][main].take();
        }
    }
    Some(new)
}

/// A field, as the page shows it.
pub(super) struct Field {
    pub(super) path: &'static str,
    pub(super) label: &'static str,
    pub(super) hint: &'static str,
    pub(super) text: String,
    pub(super) mistakes: Vec<TextError>,
    part: &'static str,
    control: Control,
}

impl Field {
    pub(super) fn id(&self) -> String {
        self.path.replace('/', "-")
    }

    pub(super) fn is_check(&self) -> bool {
        self.control == Control::Check
    }

    pub(super) fn is_number(&self) -> bool {
        self.control == Control::Number
    }

    pub(super) fn is_multiple(&self) -> bool {
        matches!(self.control, Control::Some(_))
    }

    /// How many lines it shows; 0 if it is a single one.
    pub(super) fn rows(&self) -> usize {
        match self.control {
            Control::Text | Control::Lines | Control::Pairs | Control::Json => {
                self.text.lines().count().clamp(2, 12)
            }
            _ => 0,
        }
    }

    /// The words that can be chosen, and whether they are. A word of the hook that is not among them is one more.
    pub(super) fn options(&self) -> Vec<(&str, bool)> {
        let (Control::One(known) | Control::Some(known)) = self.control else {
            return Vec::new();
        };
        let others = self.text.lines().filter(|word| !known.contains(word));
        let words = known.iter().copied().chain(others);
        words
            .map(|word| {
                let is_empty = word.is_empty() && self.text.is_empty();
                (word, is_empty || self.text.lines().any(|line| line == word))
            })
            .collect()
    }

    /// Whether a mistake at a path is one of this field.
    fn has(&self, path: &str, kind: &str) -> bool {
        let own = if self.path == RULE { kind } else { self.path };
        let path = path.trim_start_matches('/');
        let is_below = path
            .strip_prefix(own)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        let is_scope = own == "scope/agents" && matches!(path, "scope" | "agents");
        !own.is_empty() && is_below || is_scope
    }
}

/// A kind of handler.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The part of the form for it.
    pub(super) part: &'static str,
    pub(super) runs: bool,
    pub(super) is_chosen: bool,
}

/// A hook, as a form shows it.
pub(super) struct HookForm {
    fields: Vec<Field>,
    pub(super) kinds: Vec<Kind>,
    /// The mistakes of the handler as a whole.
    pub(super) mistakes: Vec<TextError>,
    pub(super) is_global: bool,
}

impl HookForm {
    /// The parts for kinds of handlers.
    pub(super) const KINDS: [&str; 7] = [
        "rule", "respond", "modify", "command", "http", "prompt", "process",
    ];

    pub(super) fn new(
        hook: &Value,
        errors: &[TextError],
        capabilities: &Capabilities,
        is_global: bool,
    ) -> Self {
        let hook = expanded(hook);
        let kind = kind_of(&hook);
        let part = part_of(kind);
        let mut form = HookForm {
            fields: KEYS
                .iter()
                .map(|key| Field {
                    path: key.path,
                    label: key.label,
                    hint: key.hint(),
                    text: key.control.show(get(&hook, key.path(kind))),
                    mistakes: Vec::new(),
                    part: key.part,
                    control: key.control,
                })
                .collect(),
            kinds: Vec::new(),
            mistakes: Vec::new(),
            is_global,
        };
        for error in errors {
            match form.field_of(&error.path, kind, part) {
                Some(index) => form.fields[index].mistakes.push(error.clone()),
                None if error.path.trim_start_matches('/') == kind => {
                    form.mistakes.push(error.clone());
                }
                None => {}
            }
        }
        let systems = Some(kind).filter(|kind| !OnEntry::HANDLERS.contains(kind));
        let kinds = OnEntry::HANDLERS.into_iter().chain(systems);
        let runs = |name: &str| {
            capabilities
                .handlers
                .iter()
                .all(|known| known.name != name || known.runs)
        };
        form.kinds = kinds
            .map(|name| Kind {
                name,
                part: part_of(name),
                runs: runs(name),
                is_chosen: name == kind,
            })
            .collect();
        form
    }

    fn field_of(&self, path: &str, kind: &str, part: &str) -> Option<usize> {
        self.fields.iter().position(|field| {
            let is_shown = match field.part {
                "what" | "how" => true,
                "above" => self.is_global,
                other => other == part,
            };
            is_shown && field.has(path, kind)
        })
    }

    /// The fields of a part.
    pub(super) fn part<'a>(&'a self, part: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |field| field.part == part)
    }

    /// Where a mistake is shown: the label and the id of its field.
    pub(super) fn place(&self, error: &TextError) -> Option<(&'static str, String)> {
        let is_it = |other: &TextError| other.path == error.path && other.message == error.message;
        if self.mistakes.iter().any(is_it) {
            return Some(("Handler", "kind".to_owned()));
        }
        let mut fields = self.fields.iter();
        let field = fields.find(|field| field.mistakes.iter().any(is_it))?;
        Some((field.label, field.id()))
    }
}
