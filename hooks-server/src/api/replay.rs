//! `/replay`: hooks are asked about stored events, and the decisions that change are counted. Nothing with effects runs.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use hooks_config::ConfigError;
use hooks_runtime::{Bundle, Record, Recorder as _, Replay, Replayed, Runtime};
use hooks_store::{By, PastRecords, Role, Tenant};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Semaphore, mpsc};
use utoipa::ToSchema;

use super::aside::aside;
use super::caller::{ApiCaller, Operator};
use super::extract::JsonBody;
use super::problem::Problem;
use super::simulate::{alone, hooks, is_in_force};
use super::wire::Changes;
use super::{Api, ApiAnswer};

/// How many events are asked about, and how many at most.
const LIMIT: u32 = 1000;
const MOST: u32 = 10_000;

/// How long the events are kept that an author asks about again and again.
const KEPT: Duration = Duration::from_secs(10);

/// How long a replay asks. What is left then is in `late`.
const TIME: Duration = Duration::from_secs(20);

/// How many parts of records wait for a thread.
const WAITING: usize = 4;

static ONE: Semaphore = Semaphore::const_new(1);

/// Hooks, and the events of the past that they are asked about.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ReplayRequest {
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

/// Asks which decisions of the past would change.
#[utoipa::path(post, path = "/replay", request_body = ReplayRequest, responses((status = 200, body = Changes)))]
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    Operator(caller, _): Operator,
    JsonBody(asked): JsonBody<ReplayRequest>,
) -> ApiAnswer<Changes> {
    let replayed = api.replay(&caller, &asked).await?;
    Ok(axum::Json(replayed.into()))
}

/// What a replay asks, and what it compares that with: hooks of now, or the record.
struct Compared {
    new: Bundle,
    old: Option<Bundle>,
    /// How many examples of each change are kept.
    examples: usize,
}

/// Events that one person is asking about again and again, while they write a hook.
pub(crate) struct Recent {
    tenant: String,
    author: String,
    read: Instant,
    records: Arc<Vec<Record>>,
}

impl Api {
    /// Asks hooks about the past of the caller's tenant.
    pub(crate) async fn replay(
        &self,
        caller: &ApiCaller,
        asked: &ReplayRequest,
    ) -> Result<Replayed, Problem> {
        let by = self.may_replay(caller)?;
        let (tenant, draft) = (caller.tenant.clone(), asked.draft.clone());
        let compared = aside(async move {
            let mut old = None;
            if !is_in_force(&draft) {
                // What differs from the past for other reasons is not the draft's doing.
                old = Some(hooks(&tenant, &Value::Null).await?);
            }
            let new = hooks(&tenant, &draft).await?;
            Ok::<_, Problem>(Compared {
                new,
                old,
                examples: 3,
            })
        });
        let replay = self.compared(&caller.tenant, compared.await?).await?;
        let limit = asked.limit.unwrap_or(LIMIT).clamp(1, MOST);
        let past = caller.tenant.past(asked.since, limit, &by).await?;
        ask(replay, past).await
    }

    /// Asks one hook, while it is being written, about the newest events of the caller's tenant. The events are those
    /// of the last seconds, so that the log does not say with each letter who has read them.
    pub(crate) async fn replay_alone(
        &self,
        caller: &ApiCaller,
        hook: &Value,
    ) -> Result<Replayed, Problem> {
        let by = self.may_replay(caller)?;
        let (tenant, hook) = (caller.tenant.clone(), hook.clone());
        let new = aside(async move { alone(&tenant, &hook).await }).await?;
        let mut old = new.clone();
        old.hooks.clear();
        let compared = Compared {
            new,
            old: Some(old),
            examples: 10,
        };
        let replay = self.compared(&caller.tenant, compared).await?;
        let records = self.recent(&caller.tenant, &by).await?;
        asked_aside(replay, move |replay| {
            replay.ask_records(records.iter().cloned())
        })
        .await
    }

    /// Says who asks about the past, if they may and something of it is kept.
    pub(crate) fn may_replay(&self, caller: &ApiCaller) -> Result<By, Problem> {
        let by = caller.at_least(Role::Operator)?;
        caller.of_all("a replay reads what all agents did")?;
        if !self.tenants.recorder.keeps_events() {
            let why = "the store keeps no events, because it has no key to encrypt them with";
            return Err(Problem::at("", why));
        }
        Ok(by)
    }

    async fn recent(&self, tenant: &Tenant, by: &By) -> Result<Arc<Vec<Record>>, Problem> {
        let mut recent = self.recent.lock().await;
        if let Some(kept) = &*recent
            && (kept.tenant == tenant.id() && kept.author == by.actor)
            && kept.read.elapsed() < KEPT
        {
            return Ok(Arc::clone(&kept.records));
        }
        let mut past = tenant.past(None, LIMIT, by).await?;
        let mut records = Vec::new();
        loop {
            let next = past.next().await?;
            if next.is_empty() {
                break;
            }
            records.extend(next);
        }
        let records = Arc::new(records);
        *recent = Some(Recent {
            tenant: tenant.id().to_owned(),
            author: by.actor.clone(),
            read: Instant::now(),
            records: Arc::clone(&records),
        });
        Ok(records)
    }

    /// Loads hooks for a replay.
    async fn compared(&self, tenant: &Tenant, compared: Compared) -> Result<Replay, Problem> {
        let (tenant, complete) = (tenant.clone(), Arc::clone(&self.complete));
        let made = async move {
            let of = async |set| {
                let builder = complete(Runtime::builder()).source(set);
                Ok::<_, Problem>(builder.secrets(tenant.secret_values_now().await?))
            };
            let wrong = |error: ConfigError| Problem::at("/draft", error.to_string());
            let replay = Replay::new(of(compared.new).await?).await.map_err(wrong)?;
            match compared.old {
                Some(old) => replay.against(of(old).await?).await.map_err(wrong),
                None => Ok(replay),
            }
        };
        let replay = Box::pin(aside(made)).await?;
        Ok(replay.within(TIME).examples(compared.examples))
    }
}

/// Reads the records while threads of their own are asking about them.
async fn ask(replay: Replay, mut past: PastRecords) -> Result<Replayed, Problem> {
    let (sender, mut parts) = mpsc::channel(WAITING);
    let asking = asked_aside(replay, move |replay| {
        let records = std::iter::from_fn(|| parts.blocking_recv());
        replay.ask_records(records.flatten())
    });
    let reading = async move {
        loop {
            let records = past.next().await?;
            if records.is_empty() || sender.send(records).await.is_err() {
                return Ok::<_, Problem>(());
            }
        }
    };
    let (asked, read) = tokio::join!(asking, reading);
    read.and(asked)
}

/// Asks on threads of their own. One replay at a time has all cores, and the others wait.
async fn asked_aside(
    replay: Replay,
    asking: impl FnOnce(&Replay) -> io::Result<Replayed> + Send + 'static,
) -> Result<Replayed, Problem> {
    let runtime = replay.runtime().clone();
    // The semaphore is never closed.
    let one = ONE.acquire().await;
    let asked = tokio::task::spawn_blocking(move || {
        let _one = one;
        asking(&replay)
    });
    let asked = asked.await;
    runtime.shutdown().await;
    asked.map_err(io::Error::from).flatten().map_err(|error| {
        tracing::error!(%error, "a replay failed");
        Problem::failed("the replay failed: the daemon's log says why")
    })
}
