//! Changes an agent's settings, which belong to the user: every other byte stays.

use std::path::{Path, PathBuf};

use diffy::{Hunk, Line};
use hooks_runtime::{HooksCall, Settings, Trust};
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode};
use serde_json::{Value, json};

use super::agents::Agent;
use crate::Failure;
use crate::paint::{BAD, DIM, GOOD, Visible, painted, say};

/// A file before and after. None if there is no file.
pub(crate) struct FileChange {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
}

impl FileChange {
    /// Puts the content into the file, once.
    pub(crate) fn add(path: PathBuf, content: &Settings, of: Ours<'_>) -> Result<Self, Failure> {
        let before = read(&path)?;
        let after = match content {
            Settings::Merged(wanted) => {
                edited(&path, before.as_deref(), |all| add(all, wanted, of))?
            }
            Settings::Whole(text) => {
                refuse_others(&path, before.as_deref(), of)?;
                text.clone()
            }
        };
        let after = Some(after);
        Ok(FileChange {
            path,
            before,
            after,
        })
    }

    /// Takes the content out again.
    pub(crate) fn remove(path: PathBuf, content: &Settings, of: Ours<'_>) -> Result<Self, Failure> {
        let before = read(&path)?;
        let after = match (content, before.as_deref()) {
            (_, None) => None,
            (Settings::Whole(_), text) => {
                refuse_others(&path, text, of)?;
                None
            }
            (Settings::Merged(wanted), Some(text)) => {
                if let Some(original) = kept(&path, text, of) {
                    original.as_str().map(str::to_owned)
                } else {
                    let left = edited(&path, Some(text), |all| remove(all, wanted, of))?;
                    let is_new = recorded(&path).is_some_and(|record| record["before"].is_null());
                    (!(is_new && is_bare(&left, wanted))).then_some(left)
                }
            }
        };
        Ok(FileChange {
            path,
            before,
            after,
        })
    }

    /// Shows the difference.
    pub(crate) fn show(&self) {
        let shown = self.path.display();
        if self.before == self.after {
            say!("{shown}: nothing to change");
            return;
        }
        say!("{shown}");
        let (before, after) = (self.before.as_deref(), self.after.as_deref());
        let patch = diffy::create_patch(before.unwrap_or_default(), after.unwrap_or_default());
        for line in patch.hunks().iter().flat_map(Hunk::lines) {
            let (style, sign, text) = match line {
                Line::Delete(text) => (BAD, '-', text),
                Line::Insert(text) => (GOOD, '+', text),
                Line::Context(text) => (DIM, ' ', text),
            };
            let text = Visible(text.trim_end_matches(['\r', '\n'])).to_string();
            say!("{}", painted(style, format_args!("{sign}{text}")));
        }
    }

    /// Writes the file.
    pub(crate) fn write(&self, content: &Settings, of: Ours<'_>) -> Result<(), Failure> {
        let failed = |error| Failure::found(format!("{}: {error}", self.path.display()));
        let Some(after) = &self.after else {
            return match &self.before {
                Some(_) => std::fs::remove_file(&self.path).map_err(failed),
                None => Ok(()),
            };
        };
        if self.before == self.after {
            return Ok(());
        }
        // A layout that cannot be told from the text is kept: `{}` and no file become the same.
        if let Settings::Merged(wanted) = content {
            let back = edited(&self.path, Some(after), |all| remove(all, wanted, of))?;
            let original = match self.before.as_deref() {
                Some(text) if of.is_in(text) => kept(&self.path, text, of),
                _ => Some(json!(self.before)),
            };
            if let (Some(original), Some(record)) = (original, record(&self.path))
                && original != back
            {
                let text = json!({ "before": original, "after": after }).to_string();
                // Without it, the settings come back in another layout.
                let _ = hooks_runtime::__write_private(&record, text.as_bytes());
            }
        }
        if let Some(folder) = self.path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(&self.path, after).map_err(failed)
    }
}

fn read(path: &Path) -> Result<Option<String>, Failure> {
    match hooks_runtime::__read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::found(format!("{}: {error}", path.display()))),
    }
}

/// The values of a file in JSON, which may have comments.
pub(crate) fn parsed(text: &str) -> Result<Value, String> {
    let root = CstRootNode::parse(text, &ParseOptions::default());
    let root = root.map_err(|error| error.to_string())?;
    Ok(root.to_serde_value().unwrap_or_default())
}

/// Where a layout is kept: beside what the user trusts.
fn record(path: &Path) -> Option<PathBuf> {
    let name = Trust::fingerprint(&path.to_string_lossy());
    Some(Trust::user_file()?.with_file_name("settings").join(name))
}

/// What is kept of a file from before it had something of ours.
fn recorded(path: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(record(path)?).ok()?).ok()
}

/// Whether settings have nothing but what each file with our hooks needs, such as a version.
fn is_bare(text: &str, wanted: &Value) -> bool {
    let has_comment = text.contains('/');
    let value = parsed(text).unwrap_or_default();
    let mut keys = value.as_object().into_iter().flatten();
    !has_comment && keys.all(|(key, value)| wanted.get(key) == Some(value))
}

/// The text before ours, or null for no file, with all that has changed since, if that can be told from what was ours.
fn kept(path: &Path, text: &str, of: Ours<'_>) -> Option<Value> {
    let record = recorded(path)?;
    if record["after"] == text {
        return Some(record["before"].clone());
    }
    let (before, after) = (record["before"].as_str()?, record["after"].as_str()?);
    if [before, after, text].iter().any(|text| text.contains(FEED)) {
        return None;
    }
    let merged = diffy::merge(&parts(after), &parts(before), &parts(text)).ok()?;
    let merged = merged.replace('\n', "").replace(FEED, "\n");
    (!of.is_in(&merged)).then(|| merged.into())
}

/// What stands for a line feed among [`parts`].
const FEED: char = '\u{e000}';

/// A text with a line for each of its parts, so that what differs is a part and not a line.
fn parts(text: &str) -> String {
    let mut parts = String::with_capacity(2 * text.len());
    let mut is_in_word = false;
    for letter in text.chars() {
        let is_word = letter.is_alphanumeric();
        if !(is_word && is_in_word) {
            parts.push('\n');
        }
        is_in_word = is_word;
        parts.push(if letter == '\n' { FEED } else { letter });
    }
    parts
}

fn refuse_others(path: &Path, text: Option<&str>, of: Ours<'_>) -> Result<(), Failure> {
    let path = path.display();
    match text {
        Some(text) if !of.is_in(text) => Err(Failure::found(format!(
            "{path} is not of this program: move it away first"
        ))),
        _ => Ok(()),
    }
}

/// The text of a JSON file after a change of its object.
fn edited(
    path: &Path,
    text: Option<&str>,
    change: impl FnOnce(&CstObject) -> Result<(), String>,
) -> Result<String, Failure> {
    let failed = |error: String| Failure::found(format!("{}: {error}", path.display()));
    let root = CstRootNode::parse(text.unwrap_or_default(), &ParseOptions::default())
        .map_err(|error| failed(error.to_string()))?;
    if root
        .value()
        .is_some_and(|value| value.as_object().is_none())
    {
        return Err(failed("the text is not a JSON object".into()));
    }
    change(&root.object_value_or_set()).map_err(failed)?;
    Ok(root.to_string())
}

/// What is ours in an agent's settings: the calls of this program for the agent, whatever else is written in them.
#[derive(Clone, Copy)]
pub(crate) struct Ours<'a> {
    pub(crate) agent: Agent,
    /// The file of hooks.
    pub(crate) file: &'a Path,
    /// What a file that is ours as a whole has in it.
    pub(crate) mark: &'a str,
}

impl Ours<'_> {
    /// Whether a text of settings has something of ours.
    fn is_in(self, text: &str) -> bool {
        let written = json!(self.mark).to_string();
        text.contains(written.trim_matches('"')) || parsed(text).is_ok_and(|value| self.has(&value))
    }

    /// Whether a value is our call: a command, or the words of one.
    fn is_call(self, value: &Value) -> bool {
        let call = match value {
            Value::String(text) => HooksCall::parse(text),
            Value::Array(words) => HooksCall::of_words(words.iter().filter_map(Value::as_str)),
            _ => None,
        };
        // In settings of the user, several projects may have registered their files. One that is gone was moved.
        let is_anothers = |file: &Path| {
            let real = file.canonicalize();
            file.is_absolute() && real.is_ok() && real.ok() != self.file.canonicalize().ok()
        };
        call.filter(|call| call.agent == self.agent.system.as_str())
            .is_some_and(|call| !call.file.as_deref().is_some_and(is_anothers))
    }

    /// Whether a value has our call anywhere.
    fn has(self, value: &Value) -> bool {
        self.is_call(value)
            || match value {
                Value::Array(values) => values.iter().any(|value| self.has(value)),
                Value::Object(fields) => fields.values().any(|value| self.has(value)),
                _ => false,
            }
    }

    /// Whether an object is itself an entry of ours, not one that contains such.
    fn is_entry(self, value: &Value) -> bool {
        let mut fields = value
            .as_object()
            .into_iter()
            .flat_map(|fields| fields.values());
        fields.any(|value| self.is_call(value))
    }

    /// Whether an item of a list has nothing but ours: an entry, or a group of such.
    fn is_alone(self, value: &Value) -> bool {
        if self.is_entry(value) {
            return true;
        }
        let keys = value.as_object().into_iter().flatten();
        let mut lists = keys.filter_map(|(_, value)| value.as_array());
        match lists.find(|hooks| hooks.iter().any(|hook| self.has(hook))) {
            Some(hooks) => hooks.iter().all(|hook| self.has(hook)),
            None => self.has(value),
        }
    }

    /// Takes what is ours out of a key's list, and the key if nothing is left.
    fn clear(self, key: CstObjectProp) {
        let Some(list) = key.array_value() else {
            return;
        };
        let mut ours = list.elements();
        ours.retain(|node| self.has(&value_of(node)));
        let is_ours = !ours.is_empty();
        for node in ours {
            if self.is_alone(&value_of(&node)) {
                node.remove();
            } else {
                self.leave(&node);
            }
        }
        if is_ours && list.elements().is_empty() {
            key.remove();
        }
    }

    /// Takes our hooks out of a group that has others, too.
    fn leave(self, group: &CstNode) {
        let keys = group.as_object().map(|group| group.properties());
        let lists = keys
            .into_iter()
            .flatten()
            .filter_map(|key| key.array_value());
        for hook in lists.flat_map(|list| list.elements()) {
            if self.has(&value_of(&hook)) {
                hook.remove();
            }
        }
    }
}

/// Whether an item is what is wanted, perhaps with more words in its command.
fn is_as_wanted(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::String(text), Value::String(wanted)) => {
            text == wanted
                || text
                    .strip_prefix(wanted.as_str())
                    .is_some_and(|more| more.starts_with(' '))
        }
        (Value::Array(values), Value::Array(wanted)) => {
            values.len() == wanted.len()
                && values
                    .iter()
                    .zip(wanted)
                    .all(|(value, wanted)| is_as_wanted(value, wanted))
        }
        (Value::Object(fields), Value::Object(wanted)) => {
            fields.len() == wanted.len()
                && wanted.iter().all(|(key, wanted)| {
                    fields
                        .get(key)
                        .is_some_and(|value| is_as_wanted(value, wanted))
                })
        }
        (value, wanted) => value == wanted,
    }
}

fn value_of(node: &CstNode) -> Value {
    node.to_serde_value().unwrap_or_default()
}

fn add(to: &CstObject, wanted: &Value, of: Ours<'_>) -> Result<(), String> {
    for (key, wanted) in wanted.as_object().into_iter().flatten() {
        let Some(there) = to.get(key) else {
            to.append(key, input(wanted));
            continue;
        };
        let value = there.value().and_then(|value| value.to_serde_value());
        match (wanted, value.unwrap_or_default()) {
            (_, value) if value == *wanted => {}
            (Value::Object(_), value @ Value::Object(_)) if of.is_entry(&value) => {
                there.set_value(input(wanted));
            }
            (Value::Object(_), Value::Object(_)) => {
                add(&there.object_value_or_set(), wanted, of)?;
            }
            (Value::Array(wanted), Value::Array(_)) => {
                let list = there.array_value_or_set();
                add_items(&list, wanted, of);
            }
            (Value::Object(_) | Value::Array(_), _) => {
                return Err(format!("`{key}` has another form: change it by hand"));
            }
            // A switch or a version that is set otherwise.
            _ => {}
        }
    }
    // An event that the file has no hooks for any more.
    for there in to.properties() {
        let name = there.name().and_then(|name| name.decoded_value().ok());
        if wanted.get(name.unwrap_or_default()).is_none() {
            of.clear(there);
        }
    }
    Ok(())
}

/// Puts items into a list, in the place of older ones.
fn add_items(list: &CstArray, wanted: &[Value], of: Ours<'_>) {
    let known = list.elements();
    let values: Vec<_> = known.iter().map(value_of).collect();
    // What is there already stays as it is.
    let there = |wanted: &Value| values.iter().find(|value| is_as_wanted(value, wanted));
    if wanted.iter().all(|wanted| there(wanted).is_some()) {
        return;
    }
    let (alone, shared): (Vec<_>, Vec<_>) = known
        .into_iter()
        .enumerate()
        .filter(|(at, _)| of.has(&values[*at]))
        .partition(|(at, _)| of.is_alone(&values[*at]));
    for (_, group) in shared {
        of.leave(&group);
    }
    let first = alone.first().map(|(at, _)| *at);
    for (nth, wanted) in wanted.iter().enumerate() {
        let item = input(there(wanted).unwrap_or(wanted));
        match first {
            Some(at) => drop(list.insert(at + nth, item)),
            None => drop(list.append(item)),
        }
    }
    for (_, older) in alone {
        older.remove();
    }
}

/// Takes out what is ours: also on an event that the file has no hooks for any more, and that is not wanted now.
fn remove(from: &CstObject, wanted: &Value, of: Ours<'_>) -> Result<(), String> {
    for there in from.properties() {
        let name = there.name().and_then(|name| name.decoded_value().ok());
        let wanted = &wanted[name.unwrap_or_default()];
        let value = there.value().map(|value| value_of(&value));
        let value = value.unwrap_or_default();
        if let (Value::Object(_), Some(object)) = (wanted, there.object_value()) {
            if of.is_entry(&value) {
                there.remove();
                continue;
            }
            remove(&object, wanted, of)?;
            if object.properties().is_empty() {
                there.remove();
            }
        } else {
            of.clear(there);
        }
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| (key.clone(), input(value)));
            CstInputValue::Object(fields.collect())
        }
    }
}
