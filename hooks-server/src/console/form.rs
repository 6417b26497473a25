//! The form of a hook: a view of its document. A field writes the key that it shows; all other keys stay as they are.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use hooks_core::agent::AgentEvent;
use hooks_runtime::entry::{ImportEntry, OnEntry, json_schema_of_file};
use serde_json::{Map, Value, json};

use self::Control::{Events, Flag, Json, Line, Lines, Number, One, Rows, Table, Text, Words};
use super::sent::FormFields;
use crate::api::capabilities::Capabilities;
use crate::api::convert::{self, TextError};

/// How a value is written in a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Control {
    /// A line.
    Line,
    /// A line with a number.
    Number,
    /// Several lines.
    Text,
    /// A list of names, between commas or on lines.
    Lines,
    /// A program and its arguments, as a shell splits them.
    Words,
    /// A table of texts, as `Name: value` on each line.
    Rows,
    /// A table in TOML or JSON, or an expression.
    Table,
    /// A text, or anything else as JSON.
    Json,
    /// `true`, `false`, or the default.
    Flag,
    /// One of these words, after what the default is called.
    One(&'static str, &'static [&'static str]),
    /// Some of the events.
    Events,
}

/// Splits a list at lines, and at the commas outside of braces, which a glob may have.
fn names(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == '\n' || (c == ',' && depth <= 0)
    });
    let parts = parts.map(str::trim);
    parts.filter(|part| !part.is_empty()).collect()
}

/// The table that lines like `key = "value"`, or a table in braces, write. Nothing if they are none.
fn table(text: &str) -> Option<Value> {
    let json = serde_json::from_str(text).ok();
    let toml = |text: &str| toml::from_str::<Value>(text).ok();
    let inline = || toml(&format!("table = {text}")).map(|whole| whole["table"].clone());
    let table: Option<Value> = json.or_else(inline).or_else(|| toml(text));
    table.filter(|table| table.as_object().is_some_and(|table| !table.is_empty()))
}

impl Control {
    /// How it is written, for people.
    fn how(self) -> &'static str {
        match self {
            Number => "Write a whole number.",
            Lines => "Separate several by commas or lines.",
            Words => "Write them as in a shell: quotes keep together what has a space in it.",
            Rows => "Write one on each line, as `Name: value`.",
            Table => "Write one on each line, as `key = \"value\"`, or an expression.",
            _ => "",
        }
    }

    /// Shows a value.
    fn show(self, value: &Value) -> String {
        let lines = |lines: Vec<String>| lines.join("\n");
        match (self, value) {
            (_, Value::Null) => String::new(),
            (Words, Value::Array(words)) => {
                shlex::try_join(words.iter().filter_map(Value::as_str)).unwrap_or_default()
            }
            (Lines | Events, Value::Array(values)) => {
                lines(values.iter().map(|value| Line.show(value)).collect())
            }
            (Rows, Value::Object(rows)) if rows.values().all(Value::is_string) => {
                let row = |(name, value)| format!("{name}: {}", Line.show(value));
                lines(rows.iter().map(row).collect())
            }
            (Table, Value::Object(_)) if let Ok(text) = convert::write(value) => {
                text.trim_end().to_owned()
            }
            // A text that reads as JSON would become something else.
            (Json, Value::String(text)) if serde_json::from_str::<Value>(text).is_ok() => {
                value.to_string()
            }
            (_, Value::String(text)) => text.clone(),
            (_, value) => super::diff::pretty(value),
        }
    }

    /// Reads a text; nothing if the field is empty. What is not a value of this kind stays a text, in which the check
    /// finds the mistake.
    fn read(self, text: &str) -> Option<Value> {
        let line = text.trim();
        let rows = || {
            let rows = line.lines().filter(|row| !row.trim().is_empty());
            let row = |row: &str| {
                let (name, value) = row.split_once(':')?;
                Some((name.trim().to_owned(), value.trim().into()))
            };
            rows.map(row)
                .collect::<Option<Map<_, _>>>()
                .map(Value::Object)
        };
        let value = match self {
            Text => text.into(),
            Line | One(..) => line.into(),
            Events if !line.contains('\n') => line.into(),
            Lines | Events => names(text).into(),
            Words => shlex::split(text).map_or_else(|| text.into(), Value::from),
            Rows if !line.starts_with('{') => rows().unwrap_or_else(|| text.into()),
            Rows | Table => table(line).unwrap_or_else(|| text.into()),
            Json | Number | Flag => serde_json::from_str(line).unwrap_or_else(|_| text.into()),
        };
        (!line.is_empty()).then_some(value)
    }

    /// Whether a text says what a value says already.
    fn is_same(self, text: &str, value: &Value) -> bool {
        let shown = self.show(value);
        let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
        text == shown || (self == Events && sorted(text) == sorted(&shown))
    }
}

/// The field with the kind of handler.
const KIND: &str = "kind";

/// The field with the text of a rule, whose key is its kind.
const RULE: &str = "rule";

const MODES: Control = One("enforce (default)", &["shadow", "off"]);
const FAULTS: Control = One("block (default)", &["block", "skip"]);

/// A field: its key, its label, and how it is written.
type FieldRow = (&'static str, &'static str, Control);

/// The parts of the form, with their fields.
const PARTS: &[(&str, &[FieldRow])] = &[
    (
        "what",
        &[
            ("name", "Name", Line),
            ("event", "Events", Events),
            ("tools", "Tools", Lines),
            ("matcher", "Tools, as a regular expression", Line),
            ("scope/agents", "Agents", Lines),
            ("if", "If (condition)", Text),
            (KIND, "Handler", One("choose one", &OnEntry::HANDLERS)),
        ],
    ),
    (RULE, &[(RULE, "Reason shown to the agent", Text)]),
    ("respond", &[("respond", "Answer", Json)]),
    ("modify", &[("modify", "Set fields", Table)]),
    (
        "command",
        &[
            ("command/run", "Command line", Text),
            ("command/argv", "Program and arguments", Words),
            ("command/cwd", "Folder", Line),
        ],
    ),
    (
        "http",
        &[
            ("http/url", "URL", Line),
            ("http/headers", "Headers", Rows),
            ("http/secret", "Signing key", Line),
            ("http/retries", "Retries", Number),
        ],
    ),
    (
        "prompt",
        &[
            ("prompt/template", "Instructions", Text),
            ("prompt/model", "Model", Line),
            ("prompt/max_per_turn", "Calls per turn", Number),
            ("prompt/cache", "Cache", Line),
            ("prompt/tokens_per_month", "Token limit per month", Number),
        ],
    ),
    (
        "process",
        &[
            ("process/argv", "Program and arguments", Words),
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
            ("guard", "Guard", Flag),
            ("background", "Background", Flag),
        ],
    ),
];

/// The part that only the global tenant has.
const GLOBAL: &[FieldRow] = &[
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
pub(super) fn laid(hook: &Value, sent: &FormFields) -> Option<Value> {
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
            && !control.is_same(&text, get(&old, key))
        {
            set(&mut new, key, control.read(&text));
        }
    }
    if !kind.is_empty() && new.get(&kind).is_none() {
        let is_table = !matches!(part_of(&kind), RULE | "respond" | "modify");
        new[&kind] = if is_table { json!({}) } else { "".into() };
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
pub(super) struct FormChoice {
    pub(super) word: String,
    pub(super) is_chosen: bool,
    /// The part of the form that it opens.
    pub(super) part: String,
    /// What it is called, if not by its word.
    pub(super) label: &'static str,
    /// Whether this deployment runs no such hooks.
    pub(super) is_refused: bool,
}

/// A field, as the page shows it.
pub(super) struct FormField {
    pub(super) part: &'static str,
    pub(super) path: &'static str,
    pub(super) label: &'static str,
    pub(super) hint: &'static str,
    pub(super) text: String,
    pub(super) choices: Vec<FormChoice>,
    /// Its key in this hook.
    key: String,
    control: Control,
}

/// The fields for a hook.
pub(super) fn fields(hook: &Value, runs: &Capabilities, is_global: bool) -> Vec<FormField> {
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
        FormField {
            part,
            path,
            label,
            hint: if path == KIND { "" } else { hint(key) },
            choices: choices(control, &text, runs),
            text,
            key: key.to_owned(),
            control,
        }
    });
    fields.collect()
}

/// The words that a field offers. What the hook says is one of them.
fn choices(control: Control, text: &str, runs: &Capabilities) -> Vec<FormChoice> {
    let (first, known): (_, &[_]) = match control {
        One(first, known) => (first, known),
        Flag => ("default", &["true", "false"]),
        Events => ("", AgentEvent::NAMES),
        _ => return Vec::new(),
    };
    let chosen: Vec<_> = match control {
        Events => text.split('\n').filter(|word| !word.is_empty()).collect(),
        _ => vec![text],
    };
    let none = (control != Events).then_some("");
    let others = chosen
        .iter()
        .copied()
        .filter(|word| !word.is_empty() && !known.contains(word));
    let words = none.into_iter().chain(known.iter().copied()).chain(others);
    let choice = |word: &str| FormChoice {
        word: word.to_owned(),
        is_chosen: chosen.contains(&word),
        part: part_of(word).to_owned(),
        label: match word {
            "" => first,
            "true" => "yes",
            "false" => "no",
            _ => "",
        },
        is_refused: runs.handlers.get(word) == Some(&false),
    };
    words.map(choice).collect()
}

impl FormField {
    pub(super) fn id(&self) -> String {
        self.path.replace('/', "-")
    }

    pub(super) fn is_number(&self) -> bool {
        self.control == Number
    }

    /// Whether it takes the whole width.
    pub(super) fn is_wide(&self) -> bool {
        matches!(self.control, Events | Text | Rows | Table | Json)
    }

    pub(super) fn is_events(&self) -> bool {
        self.control == Events
    }

    /// The events in groups.
    pub(super) fn groups(&self) -> Vec<(&'static str, Vec<&FormChoice>)> {
        let is_decided = |choice: &FormChoice| {
            let mut known = AgentEvent::INFO.iter();
            let known = known.find(|event| event.name == choice.word);
            known.map(|event| event.is_intercepted)
        };
        let group = |which| {
            self.choices
                .iter()
                .filter(move |one| is_decided(one) == which)
                .collect()
        };
        [
            ("Hooks decide", group(Some(true))),
            ("Hooks only look", group(Some(false))),
            ("Other names", group(None)),
        ]
        .into()
    }

    /// How many lines it shows; 0 if it is a single one.
    pub(super) fn rows(&self) -> usize {
        match self.control {
            Text | Lines | Rows | Table | Json => self.text.lines().count().clamp(2, 12),
            _ => 0,
        }
    }

    /// How it is written.
    pub(super) fn how(&self) -> &'static str {
        self.control.how()
    }

    /// What is wrong with it, in the words of the page.
    pub(super) fn said(&self, error: &TextError) -> (String, Option<String>) {
        let how = self.control.how();
        let is_whole = error.path.trim_start_matches('/') == self.key;
        let is_form = error.message.starts_with("expected ")
            || (self.control == Table && !error.message.contains("cannot be"));
        if is_form && is_whole && !how.is_empty() {
            return (how.to_owned(), None);
        }
        (error.message.clone(), error.help.clone())
    }

    /// Whether a mistake at a JSON Pointer is one of this field.
    pub(super) fn has(&self, pointer: &str) -> bool {
        let path = pointer.trim_start_matches('/');
        let rest = path.strip_prefix(&self.key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}
