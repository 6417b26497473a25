//! `/simulate`: one event through all hooks, step by step. Nothing with effects runs.

use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::State;
use hooks_core::agent::AgentContext;
use hooks_runtime::{
    Bundle, DryRun, Outcome, OwnedEvent, Record, Records, Runtime, Source, SourceError,
};
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Api;
use super::caller::Caller;
use super::draft::bundle;
use super::extract::Json;
use super::problem::Problem;

/// An event, and the hooks that it is for.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Simulate {
    /// The event: its name as `event`, and its fields.
    #[schema(value_type = Object, example = json!({ "event": "BeforeToolCall", "name": "shell", "args": { "command": "ls" } }))]
    event: Map<String, Value>,
    /// Where it happens: `session_id`, `agent_id`, `cwd`, ….
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    cx: Option<Map<String, Value>>,
    /// The hooks: a bundle, `true` for the draft of the tenant; by default, what is in force.
    #[serde(default)]
    draft: Value,
}

/// What the hooks would do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Simulated {
    /// `continue`, `respond`, `block`, `abort_turn` or `abort_run`.
    decision: String,
    /// The hook that blocked the event, if one did.
    hook: Option<String>,
    /// Its reason.
    reason: Option<String>,
    /// What hooks changed, as a JSON Patch.
    change: Value,
    /// What a hook answered, if one did.
    output: Option<Value>,
    /// Each hook, in its order.
    steps: Vec<Step>,
}

/// One hook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Step {
    /// Its name.
    hook: String,
    /// Whether everything matches.
    would_run: bool,
    /// Why, or why not.
    why: String,
    /// What it did; none if it did not run.
    outcome: Option<String>,
    /// What it changed, as a JSON Patch.
    change: Option<Value>,
    /// How long it took.
    duration_us: u64,
}

/// Asks what hooks would decide about an event.
#[utoipa::path(post, path = "/simulate", request_body = Simulate, responses((status = 200, body = Simulated)))]
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    caller: Caller,
    Json(mut asked): Json<Simulate>,
) -> Result<axum::Json<Simulated>, Problem> {
    caller.at_least(Role::Operator)?;
    let is_in_force = matches!(asked.draft, Value::Null | Value::Bool(false));
    let hooks = hooks(&caller.tenant, &asked.draft).await?;
    let named = asked.event.remove("event");
    let named = named.as_ref().and_then(Value::as_str);
    let named =
        named.ok_or_else(|| Problem::at("/event/event", "the name of the event is missing"))?;
    let event = OwnedEvent::from_json(named, Value::Object(asked.event))
        .map_err(|error| Problem::at("/event", error.to_string()))?;
    let cx = serde_json::from_value(asked.cx.unwrap_or_default().into())
        .map_err(|error| Problem::at("/cx", error.to_string()))?;
    // A draft says of itself what is harmless. What is in force, somebody has published.
    let dry_run = if is_in_force {
        DryRun::new().running_harmless()
    } else {
        DryRun::new()
    };
    let (outcome, steps) = simulate(&api, &caller.tenant, hooks, dry_run, cx, event).await?;
    Ok(axum::Json(Simulated {
        decision: outcome.decision.as_str().to_owned(),
        hook: outcome.hook,
        reason: outcome.reason,
        change: outcome.change,
        output: outcome.output,
        steps,
    }))
}

/// The hooks that a request names: what is in force, or what would be if a bundle or the draft were published.
pub(super) async fn hooks(tenant: &Tenant, named: &Value) -> Result<Bundle, Problem> {
    match named {
        Value::Null | Value::Bool(false) => Ok(tenant.bundle().await?),
        Value::Bool(true) => Ok(tenant.preview(&tenant.draft().await?).await?),
        named => Ok(tenant.preview(&bundle(named)?).await?),
    }
}

/// Raises an event to hooks that change nothing outside themselves.
pub(crate) async fn simulate(
    api: &Api,
    tenant: &Tenant,
    hooks: Bundle,
    dry_run: DryRun,
    mut cx: AgentContext,
    mut event: OwnedEvent,
) -> Result<(Outcome, Vec<Step>), Problem> {
    cx.tenant_id = Some(tenant.id().to_owned());
    let records = Records::latest(10_000);
    let builder = api.complete(Runtime::builder()).source(Given(hooks));
    let runtime = builder
        .shared(true)
        .secrets(tenant.secret_values_now().await?)
        .recorder(records.clone())
        .dry_run(dry_run)
        .build()
        .await
        .map_err(|error| Problem::at("/draft", error.to_string()))?;
    let explained = runtime.explain(&cx, event.view()).await;
    let outcome = runtime.fire(&cx, &mut event).await;
    runtime.shutdown().await;
    let records = records.take();
    let of = |hook: &str| records.iter().find(|record| record.hook == hook);
    let mut steps: Vec<Step> = Vec::new();
    for hook in explained {
        let record = of(&hook.hook);
        steps.push(Step::new(hook.hook, hook.runs, hook.why, record));
    }
    // Built-in hooks have no condition to explain: what they did is all there is.
    for record in &records {
        if !record.is_event() && !steps.iter().any(|step| step.hook == record.hook) {
            let (hook, why) = (record.hook.clone(), record.why.clone());
            steps.push(Step::new(hook, true, why, Some(record)));
        }
    }
    Ok((outcome, steps))
}

impl Step {
    /// What it did.
    pub(crate) fn outcome(&self) -> Option<&str> {
        self.outcome.as_deref()
    }

    /// Why.
    pub(crate) fn why(&self) -> &str {
        &self.why
    }

    fn new(hook: String, would_run: bool, why: String, record: Option<&Record>) -> Self {
        let duration = record.map(|record| record.duration.as_micros());
        // What a record says about why is more than that everything matched.
        let told = record
            .map(|record| record.why.clone())
            .filter(|why| !why.is_empty());
        Step {
            hook,
            would_run,
            why: told.unwrap_or(why),
            outcome: record.map(|record| record.outcome.as_str().to_owned()),
            change: record.and_then(|record| record.change.clone()),
            duration_us: duration
                .and_then(|took| u64::try_from(took).ok())
                .unwrap_or(0),
        }
    }
}

/// A bundle that stays as it is.
pub(crate) struct Given(pub(crate) Bundle);

#[async_trait]
impl Source for Given {
    fn name(&self) -> String {
        "the request".into()
    }

    async fn fetch(&self, seen: Option<&str>) -> Result<Option<Bundle>, SourceError> {
        Ok((seen != Some(&self.0.sha256())).then(|| self.0.clone()))
    }
}
