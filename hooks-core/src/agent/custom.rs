//! Events of your own agent.

use serde::Serialize;
use serde_json::Value;

/// An event of your own agent that the standard vocabulary does not name.
///
/// Hooks select it by its `kind`, with `only(…)`. If your agent has many events of its own, define your own
/// vocabulary instead: see [`HookEvent`](macro@crate::HookEvent).
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
    /// The event's data.
    pub payload: &'a Value,
}
