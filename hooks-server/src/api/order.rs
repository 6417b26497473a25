//! `/order`: which hooks run when, in their order.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use hooks_runtime::Ordered;
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::Api;
use super::caller::Caller;
use super::extract::Query;
use super::problem::Problem;
use super::simulate::built;

/// Whose order, and which part of it.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Of {
    /// Only hooks on this event.
    pub(crate) event: Option<String>,
    /// The order that the draft would have, instead of the one in force.
    #[serde(default)]
    pub(crate) draft: bool,
    /// The order that this node has reported, with the hooks of the agent's own code.
    pub(crate) node: Option<String>,
}

/// Whose order.
pub(crate) enum Whose<'a> {
    /// What is in force.
    InForce,
    /// What the draft would have.
    Draft,
    /// What a node has reported.
    Node(&'a str),
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
    let whose = match (of.draft, &of.node) {
        (false, None) => Whose::InForce,
        (true, None) => Whose::Draft,
        (false, Some(node)) => Whose::Node(node),
        (true, Some(_)) => {
            let why = "no node runs the draft: ask for `draft` or for `node`";
            return Err(Problem::bad(why));
        }
    };
    let mut order = Order::clone(&*api.order(&caller.tenant, whose).await?);
    if let Some(event) = &of.event {
        order.items.retain(|hook| hook.events.contains(event));
    }
    Ok(axum::Json(order))
}

impl Api {
    /// The order of a tenant's hooks. That of the draft is read once after each change.
    pub(crate) async fn order(
        &self,
        tenant: &Tenant,
        whose: Whose<'_>,
    ) -> Result<Arc<Order>, Problem> {
        match whose {
            Whose::InForce => {
                let runtime = self.hooks(tenant).await?;
                let left_out = async { tenant.notices().await.map(Arc::new) };
                let mut notices = Vec::clone(&*self.notices.get(tenant.id(), left_out).await?);
                let not_allowed = runtime.status().not_allowed.into_iter();
                notices.extend(
                    not_allowed
                        .map(|one| format!("the hook `{}` does not run: {}", one.hook, one.why)),
                );
                notices.extend(runtime.notices());
                Ok(Arc::new(Order {
                    items: runtime.order(),
                    notices,
                }))
            }
            Whose::Draft => {
                let order = self.order_of_draft(tenant);
                self.drafted.get(tenant.id(), order).await
            }
            Whose::Node(name) => match tenant.node_order(name).await? {
                Some(items) => Ok(Arc::new(Order {
                    items,
                    notices: Vec::new(),
                })),
                None => Err(unreported(name)),
            },
        }
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

/// Nobody knows the order of this node.
fn unreported(name: &str) -> Problem {
    let why = format!(
        "there is no order of a node `{name}`: it sends one as `order` to `POST /nodes`, and is forgotten when it has not \
         reported for ten minutes. In `GET /nodes`, `has_order` says which nodes have an order"
    );
    Problem::new(StatusCode::NOT_FOUND, why)
}
