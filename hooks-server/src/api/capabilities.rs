//! `/capabilities`: which hooks this deployment runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use hooks_runtime::entry::LimitsConfig;
use hooks_store::HookScope;
use serde::Serialize;
use utoipa::ToSchema;

use super::caller::ApiCaller;
use super::{Api, ApiAnswer};

/// Which hooks this deployment runs. One that it does not run is refused when it is saved.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Capabilities {
    /// The kinds of handlers, by their keys in `[[hooks.on]]`, and whether they run.
    pub(crate) handlers: BTreeMap<&'static str, bool>,
    /// The scopes, and whether hooks with them run.
    pub(crate) scopes: BTreeMap<&'static str, bool>,
}

/// Says which kinds of handlers and which scopes run here.
#[utoipa::path(get, path = "/capabilities", responses((status = 200, body = Capabilities)))]
pub(super) async fn get(State(api): State<Arc<Api>>, _: ApiCaller) -> ApiAnswer<Capabilities> {
    Ok(axum::Json(api.capabilities()))
}

impl Api {
    /// Which hooks this deployment runs.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let known = self.store.capabilities();
        let scopes = [HookScope::Global, HookScope::Tenant, HookScope::Agent];
        let scopes = scopes.map(|scope| (scope.as_str(), known.allows_scope(scope)));
        let handlers = LimitsConfig::kinds().into_iter();
        Capabilities {
            handlers: handlers
                .map(|kind| (kind, known.allows_handler(kind)))
                .collect(),
            scopes: scopes.into(),
        }
    }
}
