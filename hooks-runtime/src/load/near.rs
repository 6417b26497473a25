//! Keys of other systems' files that are almost known.
//!
//! Other keys are the business of other programs. But without its matcher, for example, a hook runs on every tool, and
//! without its `hooks`, a file has none.

use hooks_config::{ConfigError, Document, Segment};
use serde_json::Value;

use super::Loader;
use super::claude::shown;
use crate::entry::ImportEntry;

/// Returns what is wrong with a key of the table at the path that is almost one of these.
pub(super) fn misspelled(
    document: &Document,
    path: &[Segment],
    table: &Value,
    known: &[&str],
) -> Option<ConfigError> {
    let table = table.as_object()?;
    let mut unknown = table.keys().filter(|key| !known.contains(&key.as_str()));
    unknown.find_map(|key| {
        // Who has written the key knows how it is spelled, and means something else.
        let missing = |known: &&&str| !table.contains_key(**known) && is_near(key, known);
        let meant = known.iter().find(missing)?;
        let at: Vec<_> = path.iter().cloned().chain([key.as_str().into()]).collect();
        let message = format!("`{key}` is not a key here");
        Some(document.mistake(&at, message, Some(&format!("did you mean `{meant}`?"))))
    })
}

/// Keys of people, or of other programs.
const OTHERS: &[&str] = &["comment", "mode"];

/// Whether a key is probably meant as a known one: short words have many neighbours.
pub(super) fn is_near(key: &str, known: &str) -> bool {
    if OTHERS.contains(&key) {
        return false;
    }
    let key = key.to_ascii_lowercase();
    let known = known.to_ascii_lowercase();
    match strsim::osa_distance(&key, &known) {
        0 => true,
        1 => known.len() > 2 || key.len() > known.len(),
        2 => known.len() > 4 && key.chars().next() == known.chars().next(),
        _ => false,
    }
}

/// Returns what is wrong with a file in which `hooks` is missing, unless it is one of other settings.
pub(super) fn without_hooks(document: &Document) -> Option<ConfigError> {
    let value = document.value();
    if !value.is_object() {
        let help = "write `{ \"hooks\": { … } }`";
        return Some(document.mistake(&[], "the file must be a table", Some(help)));
    }
    // A list of texts, such as `hosts`, is not a list of hooks.
    let is_hooks = |value: &Value| match value {
        Value::Array(values) => values.iter().all(Value::is_object),
        other => other.is_object(),
    };
    let fields = value.as_object().into_iter().flatten();
    let mut near = fields.filter(|(key, value)| is_near(key, "hooks") && is_hooks(value));
    near.next()
        .and_then(|_| misspelled(document, &[], value, &["hooks"]))
}

impl Loader<'_> {
    /// Tells of a file without hooks.
    pub(super) fn no_hooks(&mut self, document: &Document, entry: &ImportEntry) {
        match without_hooks(document) {
            Some(wrong) => self.left_out(wrong, entry),
            None => self
                .notices
                .push(format!("{}: the file has no hooks", shown(document))),
        }
    }
}
