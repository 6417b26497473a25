//! Scopes: for whom a hook runs.

use serde::Serialize;
use serde_json::Value;

/// For whom a hook runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookScope {
    /// For all tenants.
    Global,
    /// For all agents of a tenant.
    #[default]
    Tenant,
    /// For some agents.
    Agent,
}

impl HookScope {
    /// The scope of a hook of the global tenant, or of another one.
    pub(crate) fn of(is_global: bool, body: &Value) -> Self {
        let agents = body["scope"]["agents"].as_array();
        // A row of GoClaw says it in its own words.
        if agents.is_some_and(|agents| !agents.is_empty()) || body["goclaw"]["scope"] == "agent" {
            HookScope::Agent
        } else if is_global {
            HookScope::Global
        } else {
            HookScope::Tenant
        }
    }

    /// Returns the word for it, as in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            HookScope::Global => "global",
            HookScope::Tenant => "tenant",
            HookScope::Agent => "agent",
        }
    }
}
