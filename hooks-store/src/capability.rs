//! Capabilities: which hooks a deployment runs. Checked when a hook is saved, when a set is published, and when a bundle is
//! composed.

use std::collections::BTreeSet;

use hooks_runtime::entry::OnEntry;
use serde_json::Value;

use crate::error::Mistake;
use crate::scope::HookScope;

/// Which hooks a deployment runs: an edition as a policy.
///
/// ```
/// use hooks_store::{Capabilities, HookScope};
///
/// // A shared server: no programs, and no hooks for all tenants.
/// let standard = Capabilities::all()
///     .without_handlers(["command", "process"])
///     .without_scopes([HookScope::Global]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    handlers: BTreeSet<String>,
    scopes: BTreeSet<HookScope>,
}

impl Capabilities {
    /// Allows everything.
    #[must_use]
    pub fn all() -> Self {
        Capabilities::default()
    }

    /// Forbids these kinds of handlers, by their keys in `[[hooks.on]]`.
    #[must_use]
    pub fn without_handlers(mut self, kinds: impl IntoIterator<Item: Into<String>>) -> Self {
        self.handlers.extend(kinds.into_iter().map(Into::into));
        self
    }

    /// Forbids these scopes.
    #[must_use]
    pub fn without_scopes(mut self, scopes: impl IntoIterator<Item = HookScope>) -> Self {
        self.scopes.extend(scopes);
        self
    }
}

impl Capabilities {
    /// What of a hook is not allowed.
    pub(crate) fn mistake(&self, scope: HookScope, hook: &Value) -> Option<Mistake> {
        let row = hook
            .get("goclaw")
            .and_then(|row| row.get("handler_type").or_else(|| row.get("handlerType")));
        let kinds = OnEntry::HANDLERS
            .iter()
            .copied()
            .filter(|kind| hook.get(kind).is_some());
        let kind = kinds
            .chain(row.and_then(Value::as_str))
            .find(|kind| self.handlers.contains(*kind));
        if let Some(kind) = kind {
            let path = if row.is_some() {
                "/goclaw/handler_type".to_owned()
            } else {
                format!("/{kind}")
            };
            let message = format!("this deployment runs no hooks of the kind `{kind}`");
            return Some(Mistake::new(
                path,
                message,
                "choose another kind of handler",
            ));
        }
        self.scopes.contains(&scope).then(|| {
            let message = format!(
                "this deployment runs no hooks with the scope `{}`",
                scope.as_str()
            );
            Mistake::new("/scope", message, "choose another scope")
        })
    }
}
