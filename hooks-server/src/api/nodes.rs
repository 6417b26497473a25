//! `/nodes` and `/breakers`: the processes that run hooks, and the hooks that they do not ask.

use hooks_runtime::{BreakerState, Ordered};
use hooks_store::NodeReport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::ApiAnswer;
use super::caller::{ApiCaller, Operator};
use super::extract::{JsonBody, Path};
use super::wire::{Breaker, List, Node, Told};

/// Lists the nodes.
#[utoipa::path(get, path = "/nodes", responses((status = 200, body = List<Node>)))]
pub(super) async fn list(caller: ApiCaller) -> ApiAnswer<List<Node>> {
    Ok(axum::Json(List::whole(caller.tenant.nodes().await?)))
}

/// What a node says about itself.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NodeReportBody {
    /// Its name, which no other has.
    #[schema(min_length = 1, max_length = 200)]
    name: String,
    /// The revision that it runs.
    revision: u64,
    /// The hash of that revision.
    #[serde(default)]
    hash: String,
    /// Why it does not run a newer one.
    #[serde(default)]
    refused: String,
    /// The hooks that it does not ask.
    #[serde(default)]
    breakers: Vec<OpenBreaker>,
    /// All its hooks in their order, with the compiled ones, as `GET /order` has them. Left out, the order is still the one
    /// that it has said last.
    #[schema(value_type = Option<Vec<Object>>)]
    order: Option<Vec<Ordered>>,
}

/// A hook that is not asked.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct OpenBreaker {
    /// The hook.
    hook: String,
    /// `open` or `half_open`.
    #[schema(value_type = String)]
    state: BreakerState,
}

/// Takes the report of a node.
#[utoipa::path(post, path = "/nodes", request_body = NodeReportBody, responses((status = 200, body = Told)))]
pub(super) async fn report(
    Operator(caller, _): Operator,
    JsonBody(said): JsonBody<NodeReportBody>,
) -> ApiAnswer<Told> {
    let breakers = said.breakers.into_iter();
    let breakers = breakers.map(|open| (open.hook, open.state));
    let report = NodeReport {
        revision: said.revision,
        hash: said.hash,
        refused: said.refused,
        breakers: breakers.collect(),
        order: said.order,
    };
    let told = caller.tenant.report(&said.name, &report).await?;
    Ok(axum::Json(told.into()))
}

/// Lists the hooks that nodes do not ask.
#[utoipa::path(get, path = "/breakers", responses((status = 200, body = List<Breaker>)))]
pub(super) async fn breakers(caller: ApiCaller) -> ApiAnswer<List<Breaker>> {
    Ok(axum::Json(List::whole(caller.tenant.breakers().await?)))
}

/// How many nodes will try the hook again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Reset {
    /// How many.
    nodes: u64,
}

/// Has a hook tried again, on each node with its next report.
#[utoipa::path(post, path = "/breakers/{hook}/reset", params(("hook" = String, Path, description = "The hook")), responses((status = 200, body = Reset)))]
pub(super) async fn reset(
    Operator(caller, by): Operator,
    Path(hook): Path<String>,
) -> ApiAnswer<Reset> {
    let nodes = caller.tenant.reset_breaker(&hook, &by).await?;
    Ok(axum::Json(Reset { nodes }))
}
