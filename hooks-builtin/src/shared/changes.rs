//! Finds what hooks have changed in an event, for logs.
//!
//! A log sees an event only at its own place in the list, and the event does not say what it was before. So the
//! dispatch shows the event to a witness, [`Seen`], before and after each hook that can change it. The witness
//! serializes the event each time. If the bytes are equal, the hook changed nothing. Only a change is converted to
//! JSON.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use hooks_core::Witness;
use hooks_core::agent::AgentEvent;
use serde_json::Value;

use crate::shared::packed::{self, pack};

/// The maximum number of witnesses that a thread keeps for reuse. Nested dispatches need one each.
const MOST: usize = 8;
/// The maximum capacity, in bytes, of the buffer of a witness that is kept for reuse.
const LARGEST: usize = 64 << 10;

/// What hooks have changed in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changes {
    /// A JSON Patch (RFC 6902) from the event that was raised to the event that the log received. It contains the new
    /// values, and not the old ones, which [`Redact`](crate::Redact) may have removed.
    pub patch: Value,
    /// The hooks that changed the event, in the order in which they ran.
    pub by: Arc<[ChangedBy]>,
}

/// What one hook has changed in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedBy {
    /// The name of the hook, as a plan shows it.
    pub hook: String,
    /// A JSON Patch from the event before this hook to the event after it. Be careful: it may contain values that a
    /// later hook has removed, such as a secret that [`Redact`](crate::Redact) found.
    pub patch: Value,
}

impl ChangedBy {
    /// Returns the paths of the values that the hook changed: those of its [`patch`](Self::patch).
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let changes = self.patch.as_array().into_iter().flatten();
        let mut paths: Vec<_> = changes
            .filter_map(|change| change["path"].as_str())
            .collect();
        // The order of the keys of JSON depends on features of `serde_json`.
        paths.sort_unstable();
        paths.into_iter()
    }
}

/// The witness of both logs. It keeps the event, serialized, as it was raised and after each hook that changed it.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    bytes: Vec<u8>,
    /// The end of each state of the event in the bytes.
    ends: Vec<usize>,
    /// The hook that produced each state, except the first.
    hooks: Vec<String>,
    /// Whether the event could not be serialized.
    is_lost: bool,
    changes: OnceLock<Option<Changes>>,
}

impl Seen {
    /// Returns the newest state of the event, serialized.
    pub(crate) fn packed(&self) -> Option<&[u8]> {
        let newest = self.ends.len().checked_sub(1)?;
        (!self.is_lost).then(|| self.state(newest))
    }

    /// Returns what hooks have changed so far.
    pub(crate) fn changes(&self) -> Option<&Changes> {
        self.changes.get_or_init(|| self.compared()).as_ref()
    }

    fn state(&self, nth: usize) -> &[u8] {
        let start = nth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[nth]]
    }

    fn compared(&self) -> Option<Changes> {
        if self.is_lost || self.hooks.is_empty() {
            return None;
        }
        let states = (0..self.ends.len()).map(|nth| packed::value(self.state(nth)));
        let states: Vec<_> = states.collect();
        let steps = states.windows(2).zip(&self.hooks);
        let by = steps.map(|(step, hook)| ChangedBy {
            hook: hook.clone(),
            patch: patch(&step[0], &step[1]),
        });
        // Another order of keys is not a change.
        let by: Arc<[_]> = by.filter(|by| by.paths().next().is_some()).collect();
        (!by.is_empty()).then(|| Changes {
            patch: patch(&states[0], &states[states.len() - 1]),
            by,
        })
    }
}

/// Returns the JSON Patch from one value to the other.
fn patch(before: &Value, after: &Value) -> Value {
    serde_json::to_value(json_patch::diff(before, after)).unwrap_or_default()
}

thread_local! {
    /// Witnesses whose dispatch has ended, kept for their buffers.
    #[expect(clippy::vec_box, reason = "a dispatch takes the box")]
    static SPARE: RefCell<Vec<Box<Seen>>> = const { RefCell::new(Vec::new()) };
}

impl Witness<AgentEvent<'static>> for Seen {
    fn begin() -> Box<Self> {
        let spare = SPARE.try_with(|spare| spare.try_borrow_mut().ok()?.pop());
        spare.ok().flatten().unwrap_or_default()
    }

    fn before(&mut self, event: AgentEvent<'_>) {
        if self.ends.is_empty() {
            self.is_lost |= pack(&mut self.bytes, &event).is_err();
            self.ends.push(self.bytes.len());
        }
    }

    fn after(&mut self, hook: &str, event: AgentEvent<'_>) {
        let end = self.bytes.len();
        self.is_lost |= pack(&mut self.bytes, &event).is_err();
        let is_equal = |newest| self.state(newest) == &self.bytes[end..];
        if self.ends.len().checked_sub(1).is_some_and(is_equal) {
            self.bytes.truncate(end);
        } else {
            self.ends.push(self.bytes.len());
            self.hooks.push(hook.to_owned());
            self.changes.take();
        }
    }

    fn end(mut self: Box<Self>) {
        if self.bytes.capacity() > LARGEST {
            return;
        }
        self.bytes.clear();
        self.ends.clear();
        self.hooks.clear();
        self.is_lost = false;
        self.changes.take();
        let _ = SPARE.try_with(|spare| {
            if let Ok(mut spare) = spare.try_borrow_mut()
                && spare.len() < MOST
            {
                spare.push(self);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::BeforeToolCall;
    use serde_json::json;

    use super::*;

    fn seen(names: &[&str]) -> Box<Seen> {
        let mut seen = Seen::begin();
        for (nth, name) in names.iter().enumerate() {
            let call = BeforeToolCall {
                name: (*name).into(),
                ..BeforeToolCall::default()
            };
            let event = AgentEvent::BeforeToolCall(&call);
            if nth == 0 {
                seen.before(event);
            } else {
                seen.after(&format!("hook {nth}"), event);
            }
        }
        seen
    }

    #[test]
    fn each_hook_is_named_with_its_own_change() {
        let seen = seen(&["a", "a", "b", "b", "c"]);
        let changes = seen.changes().unwrap();
        let replace = |name: &str| json!([{ "op": "replace", "path": "/name", "value": name }]);
        assert_eq!(changes.patch, replace("c"));
        let by: Vec<_> = changes
            .by
            .iter()
            .map(|by| (&*by.hook, by.patch.clone()))
            .collect();
        assert_eq!(by, [("hook 2", replace("b")), ("hook 4", replace("c"))]);
    }

    #[test]
    fn a_change_that_is_undone_is_told_of_both() {
        let seen = seen(&["a", "b", "a"]);
        let changes = seen.changes().unwrap();
        assert_eq!((&changes.patch, changes.by.len()), (&json!([]), 2));
    }

    #[test]
    fn another_order_of_the_keys_is_no_change() {
        let mut seen = Seen::begin();
        for args in [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#] {
            let call = BeforeToolCall {
                args: serde_json::from_str(args).unwrap(),
                ..BeforeToolCall::default()
            };
            seen.before(AgentEvent::BeforeToolCall(&call));
            seen.after("reorders", AgentEvent::BeforeToolCall(&call));
        }
        assert_eq!(seen.changes(), None);
        let newest = packed::value(seen.packed().unwrap());
        assert_eq!(newest["args"], json!({ "a": 1, "b": 2 }));
    }

    #[test]
    fn what_a_log_has_read_does_not_hide_what_comes_after() {
        let mut seen = seen(&["a"]);
        assert_eq!(seen.changes(), None);
        let call = BeforeToolCall::default();
        seen.after("later", AgentEvent::BeforeToolCall(&call));
        assert_eq!(seen.changes().unwrap().by[0].hook, "later");
    }

    #[test]
    fn a_witness_that_is_used_again_remembers_nothing() {
        for _ in 0..3 * MOST {
            let seen = seen(&["a", "b"]);
            assert_eq!(seen.changes().unwrap().by.len(), 1);
            seen.end();
        }
        let kept = SPARE.with_borrow(Vec::len);
        assert_eq!(kept, 1);
        let seen = Seen::begin();
        assert!(seen.changes().is_none() && seen.packed().is_none());
    }
}
