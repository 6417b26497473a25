//! `/executions`, `/sessions`, `/activity`: what hooks did.

use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::IntoResponse;
use hooks_runtime::{Record, RecordOutcome};
use hooks_store::{ExecutionFilter, Role};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::ApiAnswer;
use super::caller::{ApiCaller, Operator, other_tenant};
use super::extract::{Path, Query, TextBody};
use super::problem::Problem;
use super::wire::{Activity, Execution, List};

/// Which executions.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExecutionsQuery {
    /// On which this hook ran.
    hook: Option<String>,
    /// With this text in their names and reasons.
    text: Option<String>,
    /// With this outcome: `continue`, `modify`, `block`, `fault`, ….
    #[param(value_type = Option<String>)]
    decision: Option<RecordOutcome>,
    /// About this tool.
    tool: Option<String>,
    /// Of this session.
    session: Option<String>,
    /// Of this agent.
    agent: Option<String>,
    /// Of this event.
    event: Option<String>,
    /// From this time on.
    #[param(value_type = Option<String>, format = DateTime)]
    since: Option<Timestamp>,
    /// Before this time.
    #[param(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
    /// After the one with this number.
    after: Option<u64>,
    /// Where the page begins: `next` of the page before.
    cursor: Option<u64>,
    /// How many items, at most 1000; 50 by default.
    #[param(maximum = 1000, minimum = 1)]
    limit: Option<u32>,
}

/// Lists executions, newest first. Only hooks and sessions have an index: a search for anything else looks at 20,000 executions, and
/// goes on at `next`, also if it has found none.
#[utoipa::path(get, path = "/executions", params(ExecutionsQuery), responses((status = 200, body = List<Execution>)))]
pub(super) async fn list(
    caller: ApiCaller,
    Query(query): Query<ExecutionsQuery>,
) -> ApiAnswer<List<Execution>> {
    let filter = ExecutionFilter {
        hook: query.hook,
        text: query.text,
        outcome: query.decision,
        tool: query.tool,
        session: query.session,
        agent: caller.reads_of(query.agent)?,
        event: query.event,
        since: query.since,
        until: query.until,
        after: query.after,
    };
    let limit = query.limit.unwrap_or(50).clamp(1, 1000);
    let found = caller
        .tenant
        .executions(&filter, query.cursor, limit)
        .await?;
    Ok(axum::Json(List::page(found)))
}

/// How many records were written.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RecordCount {
    /// How many.
    written: u64,
}

/// How old a record of another machine is at most: a later one was away for too long to be believed.
const OLDEST: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Takes records of agents on other machines, a line of JSON each, of the last 30 days. They are on disk when this answers, and say
/// which token has reported them. With an `Idempotency-Key`, they are written once, however often they come within a day.
#[utoipa::path(post, path = "/executions", params(("idempotency-key" = Option<String>, Header, description = "What the client calls these records: at most 200 bytes")), request_body(content = String, content_type = "application/x-ndjson"), responses((status = 201, body = RecordCount)))]
pub(super) async fn insert(
    Operator(caller, _): Operator,
    headers: HeaderMap,
    TextBody(lines): TextBody,
) -> Result<impl IntoResponse, Problem> {
    let key = headers.get("idempotency-key").map(HeaderValue::to_str);
    let key = key.transpose();
    let key =
        key.map_err(|_| Problem::bad("`Idempotency-Key` has letters that are not of ASCII"))?;
    let oldest = Timestamp::now() - OLDEST;
    let mut records = Vec::new();
    for (index, line) in lines
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let wrong = |error: serde_json::Error| Problem::at(&format!("/{index}"), error.to_string());
        let value: Value = serde_json::from_str(line).map_err(wrong)?;
        other_tenant(&value, caller.tenant.id())?;
        let mut record: Record = serde_json::from_value(value).map_err(wrong)?;
        if record.at < oldest {
            let why = "the record is older than 30 days";
            return Err(Problem::at(&format!("/{index}/at"), why));
        }
        record.reported_by = Some(caller.source());
        // A caller with the token of an agent speaks for that agent.
        if let Some(agent) = &caller.agent {
            record.agent_id.clone_from(agent);
        }
        records.push(record);
    }
    let written = match key {
        Some(key) => caller.tenant.insert_once(key, records).await?,
        None => caller.tenant.insert(records).await?,
    };
    Ok((StatusCode::CREATED, axum::Json(RecordCount { written })))
}

/// An execution, with all of it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ExecutionDetail {
    #[serde(flatten)]
    execution: Execution,
    /// The whole record, as far as it was kept apart. Only an operator reads it, and the admin log says so.
    detail: Option<Value>,
}

/// Returns an execution.
#[utoipa::path(get, path = "/executions/{id}", params(("id" = u64, Path, description = "The number of the execution")), responses((status = 200, body = ExecutionDetail)))]
pub(super) async fn get(caller: ApiCaller, Path(seq): Path<u64>) -> ApiAnswer<ExecutionDetail> {
    let execution = caller.tenant.execution(seq).await?;
    let execution = execution
        .filter(|execution| caller.may_read(&execution.record))
        .ok_or_else(|| Problem::no("execution", seq))?;
    let detail = match caller.at_least(Role::Operator) {
        Ok(by) if execution.has_detail => caller.tenant.detail(seq, &by).await?,
        _ => None,
    };
    let execution = execution.into();
    Ok(axum::Json(ExecutionDetail { execution, detail }))
}

/// How many executions of a session are read at most.
const SESSION: u32 = 10_000;

/// Returns what happened in a session, oldest first.
#[utoipa::path(get, path = "/sessions/{id}", params(("id" = String, Path, description = "The session")), responses((status = 200, body = List<Execution>)))]
pub(super) async fn session(
    caller: ApiCaller,
    Path(id): Path<String>,
) -> ApiAnswer<List<Execution>> {
    let mut found = caller.tenant.session(&id, 0, SESSION).await?;
    found.retain(|execution| caller.may_read(&execution.record));
    if found.is_empty() {
        return Err(Problem::no("session", &id));
    }
    Ok(axum::Json(List::whole(found)))
}

/// Which counts.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CountsQuery {
    /// Of this hook, hour by hour; of each hook if it is empty; by default of all hooks together, minute by minute.
    hook: Option<String>,
    /// Since how many hours, at most 168; 1 by default.
    #[param(maximum = 168, minimum = 1)]
    hours: Option<u32>,
}

/// Returns how often hooks decided what, for all agents together.
#[utoipa::path(get, path = "/activity", params(CountsQuery), responses((status = 200, body = List<Activity>)))]
pub(super) async fn activity(
    caller: ApiCaller,
    Query(asked): Query<CountsQuery>,
) -> ApiAnswer<List<Activity>> {
    caller.of_all("these are the counts of all agents")?;
    let hours = i64::from(asked.hours.unwrap_or(1).clamp(1, 168));
    let since = Timestamp::now() - SignedDuration::from_hours(hours);
    let tenant = &caller.tenant;
    let counted = match &asked.hook {
        None => tenant.activity(since).await?,
        Some(hook) => {
            let hook = Some(hook.as_str()).filter(|hook| !hook.is_empty());
            tenant.activity_of(hook, since).await?
        }
    };
    Ok(axum::Json(List::whole(counted)))
}
