//! Capabilities: which hooks a deployment runs.
//!
//! A set that is loaded, to check it or to run it, says what does not run: the kinds in its table `limits`, and each hook of
//! a forbidden scope by its key `refused`. The loader of files obeys, so it makes no difference what a hook looks like.

use std::collections::BTreeSet;

use hooks_runtime::entry::LimitsConfig;
use serde_json::{Map, Value, json};

use crate::error::{Result, StoreError};
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

    /// Forbids these kinds of handlers, by their keys in `[[hooks.on]]`, and `file`, for imports and logs in files. Another
    /// word is an error when the store is opened. Hooks of your own factories are your program's, and always run.
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

    /// Whether hooks of a kind run, by its key in `[[hooks.on]]`.
    ///
    /// ```
    /// use hooks_store::Capabilities;
    ///
    /// let capabilities = Capabilities::all().without_handlers(["command"]);
    /// assert!(capabilities.allows_handler("http") && !capabilities.allows_handler("command"));
    /// ```
    #[must_use]
    pub fn allows_handler(&self, kind: &str) -> bool {
        !self.handlers.contains(kind)
    }

    /// Whether hooks of a scope run.
    #[must_use]
    pub fn allows_scope(&self, scope: HookScope) -> bool {
        !self.scopes.contains(&scope)
    }

    /// Checks that nothing is forbidden that is not there: a kind with a typing mistake would run.
    pub(crate) fn check(&self) -> Result<()> {
        let kinds = LimitsConfig::kinds();
        let unknown = |kind: &&String| !kinds.contains(&kind.as_str());
        let Some(kind) = self.handlers.iter().find(unknown) else {
            return Ok(());
        };
        let message = format!("`{kind}` is not a kind of handler that a deployment can forbid");
        let help = format!("the kinds are `{}`", kinds.join("`, `"));
        Err(StoreError::invalid("", message, &help))
    }

    /// Writes into the tables of a set which kinds do not run. The loader of the set obeys.
    pub(crate) fn limit(&self, tables: &mut Map<String, Value>) {
        if !self.handlers.is_empty() {
            let limits = tables.entry("limits").or_insert_with(|| json!({}));
            // What is not a table is a mistake, which the loader finds.
            if let Some(limits) = limits.as_object_mut() {
                limits.insert("refuse".to_owned(), json!(self.handlers));
            }
        }
    }

    /// Why nothing of a scope runs; nothing if it does.
    pub(crate) fn forbids(&self, scope: HookScope) -> Option<String> {
        (!self.allows_scope(scope)).then(|| {
            let scope = scope.as_str();
            format!("hooks with the scope `{scope}` do not run here")
        })
    }
}
