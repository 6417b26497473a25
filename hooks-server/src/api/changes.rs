//! `/draft/changes`: what the draft changes, by the names of hooks.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use hooks_runtime::Bundle;
use hooks_store::Tenant;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::Api;
use super::caller::ApiCaller;
use super::extract::{Tagged, etag};
use super::problem::Problem;
use super::wire::List;

/// A hook that would be another, or a table of settings.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Change {
    /// The name of the hook; of a table of settings, its key behind a slash.
    pub(crate) hook: String,
    /// What is in force; none if it is new.
    pub(crate) before: Option<Value>,
    /// What would be; none if it is removed.
    pub(crate) after: Option<Value>,
}

/// What a change makes of a hook.
pub(crate) const WHAT: [&str; 3] = ["new", "changed", "deleted"];

impl Change {
    /// Which of [`WHAT`] it is.
    pub(crate) fn what(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, _) => WHAT[0],
            (_, None) => WHAT[2],
            _ => WHAT[1],
        }
    }
}

/// What a draft changes.
pub(crate) struct DraftChanges {
    /// The hash of the draft: its `ETag`.
    pub(crate) draft: String,
    pub(crate) items: Vec<Change>,
}

/// Lists what publishing the draft would change, with the `ETag` of the draft.
#[utoipa::path(get, path = "/draft/changes", responses((status = 200, body = List<Change>)))]
pub(super) async fn get(State(api): State<Arc<Api>>, caller: ApiCaller) -> Tagged<List<Change>> {
    let changes = api.changes(&caller.tenant).await?;
    let list = List::whole(changes.items.iter().cloned());
    Ok((etag(&changes.draft), axum::Json(list)))
}

impl Api {
    /// What the draft changes. It is read once after each change.
    pub(crate) async fn changes(&self, tenant: &Tenant) -> Result<Arc<DraftChanges>, Problem> {
        let news = tenant.news().of_hooks();
        self.changes.get(tenant.id(), news, read(tenant)).await
    }
}

async fn read(tenant: &Tenant) -> Result<Arc<DraftChanges>, Problem> {
    let (newest, draft) = (tenant.newest_set().await?, tenant.draft().await?);
    let before = newest.as_ref().map(parts).unwrap_or_default();
    Ok(Arc::new(DraftChanges {
        draft: draft.sha256(),
        items: between(before, parts(&draft)),
    }))
}

/// The parts of a bundle, by their names. A hook with another number is still the same hook.
pub(crate) fn parts(bundle: &Bundle) -> BTreeMap<String, Value> {
    let tables = bundle
        .tables()
        .iter()
        .map(|(key, table)| (format!("/{key}"), table.clone()));
    let hooks = bundle.hooks.iter().map(|hook| {
        let name = hook["name"].as_str().unwrap_or_default();
        let mut hook = hook.clone();
        // The same text in another version does not count as a change.
        hook.as_object_mut().map(|keys| keys.remove("version"));
        (name.to_owned(), hook)
    });
    tables.chain(hooks).collect()
}

/// What differs between two sets.
pub(crate) fn between(
    mut before: BTreeMap<String, Value>,
    after: BTreeMap<String, Value>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (hook, after) in after {
        let before = before.remove(&hook);
        if before.as_ref() != Some(&after) {
            changes.push(Change {
                hook,
                before,
                after: Some(after),
            });
        }
    }
    let removed = before.into_iter().map(|(hook, before)| Change {
        hook,
        before: Some(before),
        after: None,
    });
    changes.extend(removed);
    changes
}
