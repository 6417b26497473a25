//! `/capabilities`: which hooks this deployment runs.

use std::sync::Arc;

use axum::extract::State;
use hooks_runtime::entry::LimitsConfig;
use hooks_store::{HookScope, Role};
use serde::Serialize;
use utoipa::ToSchema;

use super::Api;
use super::caller::Caller;
use super::problem::Problem;

/// A word of a hook, and whether hooks with it run here.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Capability {
    /// The kind of handler, by its key in `[[hooks.on]]`, or the scope.
    pub(crate) name: &'static str,
    /// Whether hooks with it run. One that does not is refused when it is saved.
    pub(crate) runs: bool,
}

/// What this deployment runs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Capabilities {
    /// The kinds of handlers.
    pub(crate) handlers: Vec<Capability>,
    /// The scopes.
    pub(crate) scopes: Vec<Capability>,
}

/// Says which kinds of handlers and which scopes run here.
#[utoipa::path(get, path = "/capabilities", responses((status = 200, body = Capabilities)))]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    caller: Caller,
) -> Result<axum::Json<Capabilities>, Problem> {
    caller.at_least(Role::Viewer)?;
    Ok(axum::Json(api.capabilities()))
}

impl Api {
    /// What this deployment runs.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let known = self.store.capabilities();
        let handlers = LimitsConfig::kinds().into_iter().map(|name| Capability {
            name,
            runs: known.allows_handler(name),
        });
        let scopes =
            [HookScope::Global, HookScope::Tenant, HookScope::Agent].map(|scope| Capability {
                name: scope.as_str(),
                runs: known.allows_scope(scope),
            });
        Capabilities {
            handlers: handlers.collect(),
            scopes: scopes.into(),
        }
    }
}
