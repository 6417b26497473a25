//! Changes an agent's settings, which belong to somebody else: every other byte stays.

use std::path::{Path, PathBuf};

use hooks_runtime::Trust;
use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use super::agents::Content;
use crate::Failure;
use crate::paint::{BAD, DIM, GOOD, Visible, painted, say};

/// A file before and after. None is no file.
pub(crate) struct Change {
    path: PathBuf,
    before: Option<String>,
    after: Option<String>,
}

impl Change {
    /// Puts the content into the file, once.
    pub(crate) fn add(path: PathBuf, content: &Content, mark: &str) -> Result<Self, Failure> {
        let before = read(&path)?;
        let after = match content {
            Content::Merged(wanted) => {
                edited(&path, before.as_deref(), |all| add(all, wanted, mark))?
            }
            Content::Whole(text) => {
                refuse_others(&path, before.as_deref(), mark)?;
                text.clone()
            }
        };
        let after = Some(after);
        Ok(Change {
            path,
            before,
            after,
        })
    }

    /// Takes the content out again.
    pub(crate) fn remove(path: PathBuf, content: &Content, mark: &str) -> Result<Self, Failure> {
        let before = read(&path)?;
        let after = match (content, before.as_deref()) {
            (_, None) => None,
            (Content::Whole(_), text) => {
                refuse_others(&path, text, mark)?;
                None
            }
            (Content::Merged(wanted), Some(text)) => match kept(&path, text) {
                Some(original) => original.as_str().map(str::to_owned),
                None => Some(edited(&path, Some(text), |all| remove(all, wanted, mark))?),
            },
        };
        Ok(Change {
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
        let difference =
            TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
        for group in difference.grouped_ops(3) {
            for line in group
                .iter()
                .flat_map(|operation| difference.iter_changes(operation))
            {
                let style = match line.tag() {
                    ChangeTag::Delete => BAD,
                    ChangeTag::Insert => GOOD,
                    ChangeTag::Equal => DIM,
                };
                let text = Visible(line.value().trim_end_matches(['\r', '\n'])).to_string();
                say!("{}", painted(style, format_args!("{}{text}", line.tag())));
            }
        }
    }

    /// Writes the file.
    pub(crate) fn write(&self, content: &Content, mark: &str) -> Result<(), Failure> {
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
        if let Content::Merged(wanted) = content {
            let back = edited(&self.path, Some(after), |all| remove(all, wanted, mark))?;
            let original = match self.before.as_deref() {
                Some(text) if has(text, mark) => kept(&self.path, text),
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

/// Where a layout is kept: beside what the user trusts.
fn record(path: &Path) -> Option<PathBuf> {
    let name = Trust::fingerprint(&path.to_string_lossy());
    Some(Trust::user_file()?.with_file_name("settings").join(name))
}

/// The text before ours, or null for no file, if nothing else has changed since.
fn kept(path: &Path, text: &str) -> Option<Value> {
    let record: Value = serde_json::from_slice(&std::fs::read(record(path)?).ok()?).ok()?;
    (record["after"] == text).then(|| record["before"].clone())
}

fn refuse_others(path: &Path, text: Option<&str>, mark: &str) -> Result<(), Failure> {
    let path = path.display();
    match text {
        Some(text) if !has(text, mark) => Err(Failure::found(format!(
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
        return Err(failed("it is not a JSON object".into()));
    }
    change(&root.object_value_or_set()).map_err(failed)?;
    Ok(root.to_string())
}

fn add(to: &CstObject, wanted: &Value, mark: &str) -> Result<(), String> {
    for (key, wanted) in wanted.as_object().into_iter().flatten() {
        let Some(there) = to.get(key) else {
            to.append(key, input(wanted));
            continue;
        };
        let value = there.value().and_then(|value| value.to_serde_value());
        match (wanted, value.unwrap_or_default()) {
            (_, value) if value == *wanted => {}
            (Value::Object(_), value @ Value::Object(_)) if is_own(&value, mark) => {
                there.set_value(input(wanted));
            }
            (Value::Object(_), Value::Object(_)) => {
                add(&there.object_value_or_set(), wanted, mark)?;
            }
            (Value::Array(wanted), Value::Array(_)) => {
                let list = there.array_value_or_set();
                for wanted in wanted {
                    let of = |node: &CstNode| node.to_serde_value().unwrap_or_default();
                    let known = list.elements();
                    if known.iter().any(|node| of(node) == *wanted) {
                        continue;
                    }
                    match known.iter().position(|node| mentions(&of(node), mark)) {
                        Some(at) => {
                            list.insert(at, input(wanted));
                            known[at].clone().remove();
                        }
                        None => drop(list.append(input(wanted))),
                    }
                }
            }
            (Value::Object(_) | Value::Array(_), _) => {
                return Err(format!("`{key}` has another form: change it by hand"));
            }
            // A switch or a version that somebody has set otherwise.
            _ => {}
        }
    }
    Ok(())
}

fn remove(from: &CstObject, wanted: &Value, mark: &str) -> Result<(), String> {
    for (key, wanted) in wanted.as_object().into_iter().flatten() {
        let Some(there) = from.get(key) else { continue };
        let value = there.value().and_then(|value| value.to_serde_value());
        let value = value.unwrap_or_default();
        if let (Value::Object(_), Some(object)) = (wanted, there.object_value()) {
            if is_own(&value, mark) {
                there.remove();
                continue;
            }
            remove(&object, wanted, mark)?;
            if object.properties().is_empty() {
                there.remove();
            }
        } else if let (Value::Array(_), Some(list)) = (wanted, there.array_value()) {
            let is_ours = |node: &CstNode| {
                let value = node.to_serde_value().unwrap_or_default();
                mentions(&value, mark)
            };
            for node in list.elements().into_iter().filter(is_ours) {
                node.remove();
            }
            if list.elements().is_empty() {
                there.remove();
            }
        }
    }
    Ok(())
}

/// Whether a text has our call, as it is in JSON.
fn has(text: &str, mark: &str) -> bool {
    let written = json!(mark).to_string();
    text.contains(written.trim_matches('"'))
}

/// Whether a value names our call anywhere.
fn mentions(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => text.ends_with(mark),
        Value::Array(values) => values.iter().any(|value| mentions(value, mark)),
        Value::Object(fields) => fields.values().any(|value| mentions(value, mark)),
        _ => false,
    }
}

/// Whether an object is itself an entry of ours, not one that contains such.
fn is_own(value: &Value, mark: &str) -> bool {
    let is_flat = |value: &&Value| match value {
        Value::Array(values) => values.iter().all(Value::is_string),
        value => value.is_string(),
    };
    let mut fields = value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.values());
    fields.any(|value| is_flat(&value) && mentions(value, mark))
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
