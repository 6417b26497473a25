//! The form of a hook: a view of its document. A field writes the key that it shows; all other keys stay as they are.

use std::sync::LazyLock;

use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::{ImportEntry, OnEntry, json_schema_of_file};
use serde_json::{Value, json};

use self::Control::{Any, Flag, Json, Line, Lines, Number, One, Text};
use super::sent::Sent;
use crate::api::capabilities::Capabilities;

/// How a value is written in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    /// A line.
    Line,
    /// A line with a number.
    Number,
    /// Several lines.
    Text,
    /// A list, with a line for each value.
    Lines,
    /// A text, or anything else as JSON.
    Json,
    /// `true`, or the default.
    Flag,
    /// One of these words.
    One(&'static [&'static str]),
    /// Some of these words.
    Any(&'static [&'static str]),
}

impl Control {
    /// Shows a value.
    fn show(self, value: &Value) -> String {
        match (self, value) {
            (_, Value::Null) => String::new(),
            (Lines | Any(_), Value::Array(values)) => {
                let lines: Vec<_> = values.iter().map(|value| Line.show(value)).collect();
                lines.join("\n")
            }
            // A text that reads as JSON would become something else.
            (Json, Value::String(text)) if serde_json::from_str::<Value>(text).is_ok() => {
                value.to_string()
            }
            (_, Value::String(text)) => text.clone(),
            (_, value) => super::diff::pretty(value),
        }
    }

    /// Reads a text; nothing if the field is empty. What is no value of this kind stays a text, in which the check finds the
    /// mistake.
    fn read(self, text: &str) -> Option<Value> {
        let line = text.trim();
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let value = match self {
            Text => text.into(),
            Line | One(_) => line.into(),
            Any(_) if !line.contains('\n') => line.into(),
            Lines | Any(_) => lines.collect(),
            Json | Number | Flag => serde_json::from_str(line).unwrap_or_else(|_| text.into()),
        };
        (!line.is_empty()).then_some(value)
    }
}

/// The field with the kind of handler.
const KIND: &str = "kind";

/// The field with the text of a rule, whose key is its kind.
const RULE: &str = "rule";

const MODES: Control = One(&["", "enforce", "shadow", "off"]);
const FAULTS: Control = One(&["", "block", "skip"]);

/// A field: its key, its label, and how it is written.
type Row = (&'static str, &'static str, Control);

/// The parts of the form, with their fields.
const PARTS: &[(&str, &[Row])] = &[
    (
        "what",
        &[
            ("name", "Name", Line),
            ("event", "Events", Any(AgentEvent::NAMES)),
            ("tools", "Tools", Lines),
            ("scope/agents", "Agents", Lines),
            ("if", "If", Text),
            (KIND, "Handler", One(&OnEntry::HANDLERS)),
        ],
    ),
    (RULE, &[(RULE, "Text", Text)]),
    ("respond", &[("respond", "Answer", Json)]),
    ("modify", &[("modify", "Change", Json)]),
    (
        "command",
        &[
            ("command/run", "Command line", Text),
            ("command/argv", "Program and arguments", Lines),
            ("command/cwd", "Folder", Line),
        ],
    ),
    (
        "http",
        &[
            ("http/url", "URL", Line),
            ("http/headers", "Headers", Json),
            ("http/secret", "Signing key", Line),
            ("http/retries", "Retries", Number),
        ],
    ),
    (
        "prompt",
        &[
            ("prompt/template", "Instructions", Text),
            ("prompt/model", "Model", Line),
            ("prompt/max_per_turn", "Most a turn", Number),
            ("prompt/cache", "Cache", Line),
            ("prompt/tokens_per_month", "Tokens a month", Number),
        ],
    ),
    (
        "process",
        &[
            ("process/argv", "Program and arguments", Lines),
            ("process/dir", "Folder", Line),
        ],
    ),
    (
        "how",
        &[
            ("mode", "Mode", MODES),
            ("priority", "Priority", Number),
            ("timeout", "Timeout", Line),
            ("on_timeout", "On timeout", FAULTS),
            ("on_failure", "On failure", FAULTS),
        ],
    ),
];

/// The part that only the global tenant has.
const GLOBAL: &[Row] = &[
    ("scope/tenants", "Tenants", Lines),
    ("mandatory", "Mandatory", Flag),
];

/// The part of the form for a kind of handler.
fn part_of(kind: &str) -> &str {
    match PARTS.iter().find(|(part, _)| *part == kind) {
        Some((part, _)) => part,
        None if OnEntry::HANDLERS.contains(&kind) => RULE,
        None => "",
    }
}

/// The key of a field in a hook with this kind of handler.
fn key_of<'a>(path: &'a str, kind: &'a str) -> &'a str {
    if path == KIND || path == RULE && part_of(kind) == RULE {
        kind
    } else {
        path
    }
}

/// What the documentation of files says about a key.
fn hint(path: &str) -> &'static str {
    static SCHEMA: LazyLock<Value> = LazyLock::new(|| json_schema_of_file().to_value());
    let (table, key) = path.split_once('/').unwrap_or(("", path));
    let table = match table {
        "" => "OnEntry",
        "command" => "CommandEntry",
        "http" => "HttpEntry",
        "prompt" => "PromptEntry",
        "process" => "ServerEntry",
        _ => "Scopes",
    };
    let hint = &SCHEMA["$defs"][table]["properties"][key]["description"];
    hint.as_str().unwrap_or_default()
}

/// The kind of handler of a hook: its key, or that of the system that the hook is from. Empty if there is none.
fn kind_of(hook: &Value) -> &'static str {
    let systems = ImportEntry::KEYS.iter().copied();
    let mut kinds = OnEntry::HANDLERS.into_iter().chain(systems);
    let kind = kinds.find(|kind| hook.get(kind).is_some());
    kind.unwrap_or_default()
}

/// The handlers that may be a text, and its key in their table.
const SHORT: [(&str, &str); 3] = [("command", "run"), ("http", "url"), ("prompt", "template")];

/// Writes what may be a text as the table that it stands for.
fn expanded(hook: &Value) -> Value {
    let mut hook = hook.clone();
    for (key, main) in SHORT {
        if hook[key].is_string() {
            hook[key] = json!({ (main): hook[key] });
        }
    }
    hook
}

fn get<'a>(hook: &'a Value, path: &str) -> &'a Value {
    path.split('/').fold(hook, |value, key| &value[key])
}

fn set(hook: &mut Value, path: &str, value: Option<Value>) {
    let (table, key) = path.split_once('/').unwrap_or(("", path));
    let part = if table.is_empty() {
        &mut *hook
    } else {
        &mut hook[table]
    };
    if !part.is_object() {
        *part = json!({});
    }
    match (value, part.as_object_mut()) {
        (Some(value), _) => part[key] = value,
        (None, Some(fields)) => {
            fields.remove(key);
            if fields.is_empty() && !table.is_empty() {
                set(hook, table, None);
            }
        }
        (None, None) => {}
    }
}

/// Lays the fields of a form over a hook. Nothing if they say what the hook says.
pub(super) fn laid(hook: &Value, sent: &Sent) -> Option<Value> {
    let old = expanded(hook);
    let mut new = old.clone();
    let before = kind_of(&old);
    let kind = sent.get(KIND).unwrap_or_else(|| before.to_owned());
    if kind != before
        && let Some(fields) = new.as_object_mut()
    {
        fields.retain(|key, _| key != before && !OnEntry::HANDLERS.contains(&&**key));
    }
    let is_shown = |part: &str| matches!(part, "what" | "how") || part == part_of(&kind);
    let parts = PARTS.iter().filter(|(part, _)| is_shown(part));
    let rows = parts.flat_map(|(_, rows)| *rows).chain(GLOBAL);
    for (path, _, control) in rows.filter(|(path, ..)| *path != KIND) {
        let key = key_of(path, &kind);
        if let Some(text) = sent.get(path)
            && text != control.show(get(&old, key))
        {
            set(&mut new, key, control.read(&text));
        }
    }
    if !kind.is_empty() && new.get(&kind).is_none() {
        new[&kind] = "".into();
    }
    if new == old {
        return None;
    }
    for (key, _) in SHORT {
        if hook[key].is_string() && new.get(key) == old.get(key) {
            new[key] = hook[key].clone();
        }
    }
    Some(new)
}

/// A word to choose.
pub(super) struct Choice {
    pub(super) word: String,
    pub(super) is_chosen: bool,
    /// The part of the form that it opens.
    pub(super) part: String,
    /// Whether this deployment runs no such hooks.
    pub(super) is_refused: bool,
}

/// A field, as the page shows it.
pub(super) struct Field {
    pub(super) part: &'static str,
    pub(super) path: &'static str,
    pub(super) label: &'static str,
    pub(super) hint: &'static str,
    pub(super) text: String,
    pub(super) choices: Vec<Choice>,
    /// Its key in this hook.
    key: String,
    control: Control,
}

/// The fields for a hook.
pub(super) fn fields(hook: &Value, runs: &Capabilities, is_global: bool) -> Vec<Field> {
    let hook = expanded(hook);
    let kind = kind_of(&hook);
    let global = is_global.then_some(("above", GLOBAL));
    let parts = PARTS.iter().copied().chain(global);
    let rows = parts.flat_map(|(part, rows)| rows.iter().map(move |row| (part, *row)));
    let fields = rows.map(|(part, (path, label, control))| {
        let key = key_of(path, kind);
        let text = if path == KIND {
            kind.to_owned()
        } else {
            control.show(get(&hook, key))
        };
        Field {
            part,
            path,
            label,
            hint: hint(path),
            choices: choices(control, &text, runs),
            text,
            key: key.to_owned(),
            control,
        }
    });
    fields.collect()
}

/// The words that a field offers. What the hook says is one of them, and what it says of several stands first, in its order.
fn choices(control: Control, text: &str, runs: &Capabilities) -> Vec<Choice> {
    let known: &[_] = match control {
        One(known) | Any(known) => known,
        Flag => &["", "true"],
        _ => return Vec::new(),
    };
    let choice = |word: &str, is_chosen| Choice {
        word: word.to_owned(),
        is_chosen,
        part: part_of(word).to_owned(),
        is_refused: runs.handlers.get(word) == Some(&false),
    };
    if matches!(control, Any(_)) {
        let chosen: Vec<_> = text.split('\n').filter(|word| !word.is_empty()).collect();
        let others = known.iter().filter(|word| !chosen.contains(word));
        let others = others.map(|word| choice(word, false));
        let chosen = chosen.iter().map(|word| choice(word, true));
        return chosen.chain(others).collect();
    }
    let other = (!known.contains(&text)).then_some(&text);
    let words = known.iter().chain(other);
    words.map(|word| choice(word, *word == text)).collect()
}

impl Field {
    pub(super) fn id(&self) -> String {
        self.path.replace('/', "-")
    }

    pub(super) fn is_number(&self) -> bool {
        self.control == Number
    }

    pub(super) fn is_multiple(&self) -> bool {
        matches!(self.control, Any(_))
    }

    /// How many lines it shows; 0 if it is a single one.
    pub(super) fn rows(&self) -> usize {
        match self.control {
            Text | Lines | Json => self.text.lines().count().clamp(2, 12),
            _ => 0,
        }
    }

    /// Whether a mistake at a JSON Pointer is one of this field.
    pub(super) fn has(&self, pointer: &str) -> bool {
        let path = pointer.trim_start_matches('/');
        let rest = path.strip_prefix(&self.key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
