//! `/replay`: hooks are asked about stored events, and the decisions that change are counted. Nothing with effects runs.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;
use hooks_config::ConfigError;
use hooks_runtime::{Recorder as _, Replay, Replayed, Runtime};
use hooks_store::{By, PastRecords, Role};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use utoipa::ToSchema;

use super::Api;
use super::aside::aside;
use super::caller::Caller;
use super::extract::Json;
use super::problem::Problem;
use super::simulate::{Given, hooks};
use super::wire::Changes;

/// How many events are asked about at most.
const MOST: u32 = 10_000;

/// How long a replay asks. What is left then is in `late`.
const TIME: Duration = Duration::from_secs(20);

/// How many parts of records wait for a thread.
const WAITING: usize = 4;

/// One replay at a time has all cores. The others wait.
static ONE: Semaphore = Semaphore::const_new(1);

/// Hooks, and the events of the past that they are asked about.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Asked {
    /// The hooks: a bundle, `true` for the draft of the tenant; by default, what is in force.
    #[serde(default)]
    pub(crate) draft: Value,
    /// Events from this time on.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) since: Option<jiff::Timestamp>,
    /// How many of the newest events, at most 10,000; 1,000 by default.
    #[schema(maximum = 10_000, minimum = 1)]
    pub(crate) limit: Option<u32>,
}

/// Asks which decisions of the past would be others.
#[utoipa::path(post, path = "/replay", request_body = Asked, responses((status = 200, body = Changes)))]
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    caller: Caller,
    asked: Json<Asked>,
) -> Result<axum::Json<Changes>, Problem> {
    may_replay(&caller)?;
    let replayed = api.replay(&caller, &asked.read().await?).await?;
    Ok(axum::Json(replayed.into()))
}

impl Api {
    /// Asks hooks about the past of the caller's tenant.
    pub(crate) async fn replay(&self, caller: &Caller, asked: &Asked) -> Result<Replayed, Problem> {
        let by = may_replay(caller)?;
        if !self.tenants.recorder.keeps_events() {
            let why = "the store keeps no events, because it has no key to encrypt them with";
            return Err(Problem::at("", why));
        }
        let tenant = &caller.tenant;
        let complete = Arc::clone(&self.complete);
        let made = {
            let (tenant, draft) = (tenant.clone(), asked.draft.clone());
            aside(async move {
                let of = async |named: &Value| {
                    let builder =
                        complete(Runtime::builder()).source(Given(hooks(&tenant, named).await?));
                    Ok::<_, Problem>(builder.secrets(tenant.secret_values_now().await?))
                };
                let wrong = |error: ConfigError| Problem::at("/draft", error.to_string());
                let replay = Replay::new(of(&draft).await?).await.map_err(wrong)?;
                if matches!(draft, Value::Null | Value::Bool(false)) {
                    return Ok(replay);
                }
                // What differs from the past for other reasons is not the draft's doing.
                replay.against(of(&Value::Null).await?).await.map_err(wrong)
            })
        };
        let replay = made.await?;
        let runtime = replay.runtime().clone();
        let limit = asked.limit.unwrap_or(1000).clamp(1, MOST);
        // The semaphore is never closed.
        let _one = ONE.acquire().await;
        let past = tenant.past(asked.since, limit, &by).await?;
        let replayed = ask(replay.within(TIME), past).await;
        runtime.shutdown().await;
        replayed
    }
}

fn may_replay(caller: &Caller) -> Result<By, Problem> {
    let by = caller.at_least(Role::Operator)?;
    if caller.agent.is_some() {
        let why = "a replay reads what all agents did, and the token is for one of them";
        return Err(Problem::new(StatusCode::FORBIDDEN, why));
    }
    Ok(by)
}

/// Reads the records while threads of their own are asking about them.
async fn ask(replay: Replay, mut past: PastRecords) -> Result<Replayed, Problem> {
    let (sender, mut parts) = mpsc::channel(WAITING);
    let asking = tokio::task::spawn_blocking(move || {
        let records = std::iter::from_fn(|| parts.blocking_recv());
        replay.ask_records(records.flatten())
    });
    loop {
        let records = past.next().await?;
        if records.is_empty() || sender.send(records).await.is_err() {
            break;
        }
    }
    drop(sender);
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "a replay failed");
        Problem::failed("the replay failed: the daemon's log says why")
    };
    let asked = asking.await.map_err(|error| failed(&error))?;
    asked.map_err(|error| failed(&error))
}
