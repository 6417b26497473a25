//! What one agent has and no other.

use serde::Serialize;
use serde_json::Value;

/// An event of your own agent, for which the standard vocabulary has no name.
///
/// Hooks choose by its `kind`, with `only(…)`. An agent with many events of its own is better served by a vocabulary
/// of its own: see [`HookEvent`](macro@crate::HookEvent).
///
/// ```
/// use hooks_core::agent::{AgentContext, Custom};
/// use hooks_core::{hook, hooks};
/// use serde_json::json;
///
/// #[hook(only("index.*"))]
/// fn log(event: &Custom<'_>) {
///     println!("{}: {}", event.kind, event.payload);
/// }
///
/// let event = Custom { kind: "index.rebuilt", payload: &json!({ "files": 812 }) };
/// hooks![log].observe_now(&AgentContext::new("s1"), &event);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Custom<'a> {
    /// Which event it is, such as `index.rebuilt`.
    pub kind: &'a str,
    /// What belongs to it.
    pub payload: &'a Value,
}
