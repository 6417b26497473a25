//! What changes from one bundle to the next.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::Bundle;

/// What changes from one bundle to another.
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
}

impl BundleDiff {
    pub(super) fn of(old: &Bundle, new: &Bundle) -> Self {
        let (old, mut new) = (parts(old), parts(new));
        let mut changes = Vec::new();
        for (hook, old) in old {
            match new.remove(&hook) {
                None => changes.push(Change::Removed { hook, old }),
                Some(new) if new == old => {}
                Some(new) => {
                    let keys = keys(&old, &new);
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
        BundleDiff { changes }
    }

    /// Whether the two have the same hooks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

/// The hooks by their names, and the other tables. A hook without a name has that of its event, and a number.
fn parts(bundle: &Bundle) -> BTreeMap<String, Value> {
    let mut parts = BTreeMap::new();
    for hook in &bundle.hooks {
        let event = hook["event"].as_str().unwrap_or("hook");
        let name = hook["name"].as_str().unwrap_or(event);
        let names = std::iter::once(name.to_owned()).chain((2..).map(|n| format!("{name}#{n}")));
        let free = names.into_iter().find(|name| !parts.contains_key(name));
        parts.insert(free.unwrap_or_default(), hook.clone());
    }
    for (table, value) in &bundle.tables {
        parts.insert(format!("[{table}]"), value.clone());
    }
    parts
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
