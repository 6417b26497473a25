//! What changes from one bundle to the next.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::{Bundle, foreign_secrets};

/// What changes from one bundle to another. It shows no [secret of another system's hook](foreign_secrets), only that it is
/// another.
///
/// ```
/// use hooks_runtime::{Bundle, Change};
///
/// let hook = |reason| format!("[[hooks.on]]\nname = 'a'\nevent = 'BeforeToolCall'\nblock = '{reason}'");
/// let (old, new) = (Bundle::of_toml(&hook("no"))?, Bundle::of_toml(&hook("never"))?);
/// let diff = old.diff(&new);
/// assert_eq!((diff.changes[0].hook(), diff.is_empty()), ("a", false));
/// assert!(matches!(diff.changes[0], Change::Changed { .. }));
/// # Ok::<(), hooks_runtime::BundleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BundleDiff {
    /// The changes, by the names of the hooks and of the other tables.
    pub changes: Vec<Change>,
}

/// A change of one hook, or of one other table, such as `limits`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added {
        /// Its name.
        hook: String,
        /// What it is.
        new: Value,
    },
    /// It is gone.
    Removed {
        /// Its name.
        hook: String,
        /// What it was.
        old: Value,
    },
    /// It is another.
    Changed {
        /// Its name.
        hook: String,
        /// What it was.
        old: Value,
        /// What it is.
        new: Value,
        /// The keys that differ.
        keys: Vec<String>,
    },
}

impl Change {
    /// Returns the name of the hook or the table.
    #[must_use]
    pub fn hook(&self) -> &str {
        let (Change::Added { hook, .. }
        | Change::Removed { hook, .. }
        | Change::Changed { hook, .. }) = self;
        hook
    }

    fn hide(&mut self) {
        let (old, new) = match self {
            Change::Added { new, .. } => (None, Some(new)),
            Change::Removed { old, .. } => (Some(old), None),
            Change::Changed { old, new, .. } => (Some(old), Some(new)),
        };
        for hook in old.into_iter().chain(new) {
            foreign_secrets(hook, &mut |_, text| {
                if !text.starts_with("secret:") {
                    "***".clone_into(text);
                }
            });
        }
    }
}

impl BundleDiff {
    pub(super) fn of(old: &Bundle, new: &Bundle) -> Self {
        let moved = moved(old, new);
        let (old, mut new) = (parts(old), parts(new));
        let mut changes = Vec::new();
        for (hook, old) in old {
            match new.remove(&hook) {
                None => changes.push(Change::Removed { hook, old }),
                Some(new) if new == old && !moved.contains(&hook) => {}
                Some(new) => {
                    let mut keys = keys(&old, &new);
                    if moved.contains(&hook) {
                        keys.push("the place".to_owned());
                    }
                    changes.push(Change::Changed {
                        hook,
                        old,
                        new,
                        keys,
                    });
                }
            }
        }
        let added = new.into_iter();
        changes.extend(added.map(|(hook, new)| Change::Added { hook, new }));
        changes.sort_by(|one, other| one.hook().cmp(other.hook()));
        changes.iter_mut().for_each(Change::hide);
        BundleDiff { changes }
    }

    /// Whether the two have the same hooks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// The hooks of both that have another place among those of both: at an equal priority, the earlier one runs first.
fn moved(old: &Bundle, new: &Bundle) -> BTreeSet<String> {
    let (old, new) = (named(old), named(new));
    let in_both = |names: &[(String, Value)], other: &[(String, Value)]| -> Vec<String> {
        let names = names.iter().map(|(name, _)| name);
        let both = names.filter(|name| other.iter().any(|(other, _)| other == *name));
        both.cloned().collect()
    };
    let places = in_both(&old, &new).into_iter().zip(in_both(&new, &old));
    let moved = places.filter(|(old, new)| old != new);
    moved.flat_map(|(old, new)| [old, new]).collect()
}

/// The hooks in their order, each with its name. One without a name has that of its event, and a number.
fn named(bundle: &Bundle) -> Vec<(String, Value)> {
    let mut named: Vec<(String, Value)> = Vec::new();
    for hook in &bundle.hooks {
        let event = hook["event"].as_str().unwrap_or("hook");
        let name = hook["name"].as_str().unwrap_or(event);
        let mut candidates =
            std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}#{n}")));
        let free = candidates.find(|name| named.iter().all(|(taken, _)| taken != name));
        named.push((free.unwrap_or_default(), hook.clone()));
    }
    named
}

/// The hooks by their names, and the other tables.
fn parts(bundle: &Bundle) -> BTreeMap<String, Value> {
    let tables = bundle.tables.iter();
    let tables = tables.map(|(table, value)| (format!("[{table}]"), value.clone()));
    named(bundle).into_iter().chain(tables).collect()
}

/// The keys of two tables whose values differ.
fn keys(old: &Value, new: &Value) -> Vec<String> {
    let (Value::Object(old), Value::Object(new)) = (old, new) else {
        return Vec::new();
    };
    let mut keys: Vec<_> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    keys.retain(|key| old.get(*key) != new.get(*key));
    keys.into_iter().cloned().collect()
}
