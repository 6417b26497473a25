//! Finds what hooks have changed in an event, for logs.
//!
//! A probe sees the event before the first hook that may change it, and after each such hook. [`EventHistory`] is what it
//! remembers: the event as JSON, each time. If the bytes are equal, the hook changed nothing. Only a change is parsed.

use std::cell::Cell;
use std::sync::Arc;
use std::{iter, mem};

use hooks_core::agent::AgentEvent;
use hooks_core::probe::Ran;
use serde_json::Value;

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

thread_local! {
    /// The memory of an event before, so that most events need none of their own.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A larger memory is not kept.
const MOST_KEPT: usize = 64 * 1024;

/// The event of one dispatch, as it was raised and after each hook that changed it. Nothing is remembered of an
/// event that no hook may change.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct EventHistory {
    bytes: Vec<u8>,
    /// The start of each state of the event in the bytes, except the first, and the hook that produced it.
    steps: Vec<(usize, String)>,
    /// Whether the event could not be serialized.
    is_lost: bool,
    /// Whether anybody looks.
    is_wanted: bool,
}

impl EventHistory {
    /// Nothing yet. Nothing will be remembered unless it is wanted.
    pub(crate) const fn new(is_wanted: bool) -> Self {
        EventHistory {
            bytes: Vec::new(),
            steps: Vec::new(),
            is_lost: false,
            is_wanted,
        }
    }

    /// Remembers the event as it was raised: a hook may change it from here on.
    pub(crate) fn changing(&mut self, event: AgentEvent<'_>) {
        if self.is_wanted && self.bytes.is_empty() {
            self.bytes = SPARE.try_with(Cell::take).unwrap_or_default();
            self.add(event);
        }
    }

    /// Remembers the event after a hook. Returns whether the hook changed it.
    pub(crate) fn ran(&mut self, hook: Ran<'_>, event: AgentEvent<'_>) -> bool {
        if !hook.changed || self.bytes.is_empty() {
            return false;
        }
        let newest = self.steps.last().map_or(0, |(start, _)| *start);
        let start = self.add(event);
        let changed = self.bytes[newest..start] != self.bytes[start..];
        if changed {
            self.steps.push((start, hook.name.to_owned()));
        } else {
            self.bytes.truncate(start);
        }
        changed
    }

    /// Forgets what a hook changed that failed: the event is as it was before it.
    pub(crate) fn failed(&mut self, event: AgentEvent<'_>) {
        if self.bytes.is_empty() {
            return;
        }
        let start = self.add(event);
        let restored = self.bytes.split_off(start);
        let same = self.states().position(|state| state == restored);
        if let Some(nth) = same
            && let Some((start, _)) = self.steps.get(nth)
        {
            self.bytes.truncate(*start);
            self.steps.truncate(nth);
        }
    }

    /// Returns what hooks have changed.
    pub(crate) fn changes(&self) -> Option<Changes> {
        if self.is_lost || self.steps.is_empty() {
            return None;
        }
        let states: Vec<_> = self.states().map(value).collect();
        let steps = states.windows(2).zip(&self.steps);
        let by = steps.map(|(step, (_, hook))| ChangedBy {
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

    /// Adds a state. Returns its start.
    fn add(&mut self, event: AgentEvent<'_>) -> usize {
        let start = self.bytes.len();
        self.is_lost |= serde_json::to_writer(&mut self.bytes, &event).is_err();
        start
    }

    fn states(&self) -> impl Iterator<Item = &[u8]> {
        let starts = self.steps.iter().map(|(start, _)| *start);
        let ends = starts.clone().chain([self.bytes.len()]);
        let states = iter::once(0).chain(starts).zip(ends);
        states.map(|(start, end)| &self.bytes[start..end])
    }
}

impl Drop for EventHistory {
    fn drop(&mut self) {
        if (1..=MOST_KEPT).contains(&self.bytes.capacity()) {
            self.bytes.clear();
            // A thread at its end keeps nothing.
            let _ = SPARE.try_with(|spare| spare.set(mem::take(&mut self.bytes)));
        }
    }
}

fn value(state: &[u8]) -> Value {
    serde_json::from_slice(state).unwrap_or_default()
}

/// Returns the JSON Patch from one value to the other.
fn patch(before: &Value, after: &Value) -> Value {
    serde_json::to_value(json_patch::diff(before, after)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use hooks_core::agent::{AgentContext, BeforeToolCall};
    use hooks_core::probe::Probe;
    use hooks_core::{hooks, intercept_fn};
    use serde_json::json;
    use std::sync::Mutex;

    use super::*;

    /// Keeps what it has seen of each dispatch.
    #[derive(Default)]
    struct Keep(Mutex<Vec<EventHistory>>);

    impl Probe<AgentEvent<'static>> for Keep {
        type State = EventHistory;

        fn begin(&self, _: &AgentContext, _: AgentEvent<'_>) -> EventHistory {
            EventHistory::new(true)
        }

        fn changing(&self, seen: &mut EventHistory, event: AgentEvent<'_>) {
            seen.changing(event);
        }

        fn ran(&self, seen: &mut EventHistory, hook: Ran<'_>, event: AgentEvent<'_>) {
            seen.ran(hook, event);
        }

        fn end(
            &self,
            seen: EventHistory,
            _: &AgentContext,
            _: AgentEvent<'_>,
            _: Option<hooks_core::AnyAction<'_>>,
        ) {
            self.0.lock().unwrap().push(seen);
        }
    }

    /// What is seen of hooks that set the name, one after the other.
    fn seen(first: &str, names: [&'static str; 4]) -> EventHistory {
        let keep = Keep::default();
        let to = |nth: usize| {
            intercept_fn::<BeforeToolCall, _>(move |_, call| {
                call.name = names[nth].into();
                hooks_core::HookAction::Continue
            })
        };
        let hooks = hooks![
            to(0).with_name("one"),
            to(1).with_name("two"),
            to(2).with_name("three"),
            to(3).with_name("four"),
        ];
        let mut call = BeforeToolCall {
            name: first.into(),
            ..BeforeToolCall::default()
        };
        let hooks = hooks.with_probe(&keep);
        let _ = hooks_core::agent::AgentHooksNow::intercept_now(
            &hooks,
            &AgentContext::new("s1"),
            &mut call,
        );
        keep.0.into_inner().unwrap().remove(0)
    }

    #[test]
    fn each_hook_is_named_with_its_own_change() {
        let changes = seen("a", ["a", "b", "b", "c"]).changes().unwrap();
        let replace = |name: &str| json!([{ "op": "replace", "path": "/name", "value": name }]);
        assert_eq!(changes.patch, replace("c"));
        let by: Vec<_> = changes
            .by
            .iter()
            .map(|by| (&*by.hook, by.patch.clone()))
            .collect();
        assert_eq!(by, [("two", replace("b")), ("four", replace("c"))]);
    }

    #[test]
    fn a_change_that_is_undone_is_told_of_both() {
        let changes = seen("a", ["b", "a", "a", "a"]).changes().unwrap();
        assert_eq!((&changes.patch, changes.by.len()), (&json!([]), 2));
    }

    #[test]
    fn another_order_of_the_keys_is_no_change() {
        let call = |args| BeforeToolCall {
            args: serde_json::from_str(args).unwrap(),
            ..BeforeToolCall::default()
        };
        let mut seen = EventHistory::new(true);
        seen.changing((&call(r#"{"a":1,"b":2}"#)).into());
        let start = seen.add((&call(r#"{"b":2,"a":1}"#)).into());
        seen.steps.push((start, "reorders".into()));
        assert_eq!(seen.changes(), None);
        let newest = value(seen.states().last().unwrap());
        assert_eq!(newest["args"], json!({ "a": 1, "b": 2 }));
    }

    #[test]
    fn a_change_that_was_undone_for_a_hook_that_failed_is_forgotten() {
        let call = |name: &str| BeforeToolCall {
            name: name.into(),
            ..BeforeToolCall::default()
        };
        let mut seen = EventHistory::new(true);
        seen.changing((&call("a")).into());
        let start = seen.add((&call("b")).into());
        seen.steps.push((start, "first of a pipeline".into()));
        seen.failed((&call("a")).into());
        assert_eq!(seen.changes(), None);
    }
    /// They follow each other, or a hook of the one raises the other.
    #[test]
    fn dispatches_that_share_memory_see_their_own_events() {
        let call = |name: &str| BeforeToolCall {
            name: name.into(),
            ..BeforeToolCall::default()
        };
        let names = |seen: &EventHistory| -> Vec<_> {
            let states = seen.states().map(value);
            states.map(|state| state["name"].clone()).collect()
        };
        for _ in 0..2 {
            let mut outer = EventHistory::new(true);
            outer.changing((&call("outer")).into());
            let mut inner = EventHistory::new(true);
            inner.changing((&call("a name that is longer")).into());
            assert_eq!(names(&inner), ["a name that is longer"]);
            drop(inner);
            let start = outer.add((&call("changed")).into());
            outer.steps.push((start, "hook".into()));
            assert_eq!(names(&outer), ["outer", "changed"]);
        }
    }
}
