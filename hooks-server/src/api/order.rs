//! `/order`: which hooks run when, in their order.

use std::sync::Arc;

use axum::extract::State;
use hooks_runtime::Ordered;
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Api;
use super::aside::aside;
use super::caller::Caller;
use super::extract::Query;
use super::problem::Problem;
use super::simulate::built;

/// Whose order.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Of {
    /// Only hooks on this event.
    pub(crate) event: Option<String>,
    /// The order that the draft would have, instead of the one in force.
    #[serde(default)]
    pub(crate) draft: bool,
}

/// Hooks in their order.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Order {
    /// The hooks: `order`, `hook`, `priority`, `events`, `handler`, `filter`, `mode`, `guard`, and, where there is something
    /// to say, `judges_again_after`, `never` and `version`.
    #[schema(value_type = Vec<Object>)]
    pub(crate) items: Vec<Ordered>,
    /// What else there is to tell, such as hooks that do not run here.
    pub(crate) notices: Vec<String>,
}

/// Lists the hooks in the order in which they run.
#[utoipa::path(get, path = "/order", params(Of), responses((status = 200, body = Order)))]
pub(super) async fn get(
    State(api): State<Arc<Api>>,
    caller: Caller,
    Query(of): Query<Of>,
) -> Result<axum::Json<Order>, Problem> {
    caller.at_least(Role::Viewer)?;
    let mut order = Order::clone(&*api.order(&caller.tenant, of.draft).await?);
    if let Some(event) = &of.event {
        order.items.retain(|hook| hook.events.contains(event));
    }
    Ok(axum::Json(order))
}

impl Api {
    /// The order of a tenant's hooks, which is read once after each change.
    pub(crate) async fn order(&self, tenant: &Tenant, draft: bool) -> Result<Arc<Order>, Problem> {
        if draft {
            return self
                .drafted
                .get(tenant.id(), self.order_of_draft(tenant))
                .await;
        }
        let runtime = self.hooks(tenant).await?;
        let notices = self.notices.get(tenant.id(), notices(tenant)).await?;
        Ok(Arc::new(Order {
            items: runtime.order(),
            notices: notices.iter().cloned().chain(runtime.notices()).collect(),
        }))
    }

    async fn order_of_draft(&self, tenant: &Tenant) -> Result<Arc<Order>, Problem> {
        let set = tenant.preview(&tenant.draft().await?).await?;
        let runtime = built(self.builder_of(tenant, set).await?).await?;
        let order = Order {
            items: runtime.order(),
            notices: runtime.notices(),
        };
        runtime.shutdown().await;
        Ok(Arc::new(order))
    }
}

/// What of a tenant's hooks does not run. To know it, all of them are compiled.
async fn notices(tenant: &Tenant) -> Result<Arc<Vec<String>>, Problem> {
    let tenant = tenant.clone();
    aside(async move { tenant.notices().await.map(Arc::new) }).await
}
