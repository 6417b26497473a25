//! `/simulate`: one event through all hooks, step by step. Nothing with effects runs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use async_trait::async_trait;
use axum::extract::State;
use hooks_core::agent::AgentContext;
use hooks_runtime::{
    Bundle, DryRun, Explanation, Outcome, OwnedEvent, Record, Records, Runtime, RuntimeBuilder,
    Source, SourceError,
};
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use utoipa::ToSchema;

use super::Api;
use super::aside::aside;
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
    /// The hooks in force whose handlers run whatever they do. Only a publisher may name some; of the others, those run
    /// whose entries say that they are harmless.
    #[serde(default)]
    run: Vec<String>,
    /// One hook alone, instead of them: as somebody writes it, whatever its mode.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    hook: Option<Value>,
}

/// What the hooks would do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Simulated {
    /// `continue`, `respond`, `block`, `abort_turn` or `abort_run`.
    pub(crate) decision: String,
    /// The hook that blocked the event, if one did.
    pub(crate) hook: Option<String>,
    /// Its reason.
    pub(crate) reason: Option<String>,
    /// What hooks changed, as a JSON Patch.
    pub(crate) change: Value,
    /// What a hook answered, if one did.
    pub(crate) output: Option<Value>,
    /// Each hook, in its order.
    pub(crate) steps: Vec<Step>,
}

/// One hook.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Step {
    /// Its name.
    pub(crate) hook: String,
    /// Whether it judges again, because a later hook has changed the event.
    pub(crate) again: bool,
    /// Whether everything matches.
    pub(crate) would_run: bool,
    /// Why, or why not.
    pub(crate) why: String,
    /// What it did; none if it did not run.
    pub(crate) outcome: Option<String>,
    /// What it changed, as a JSON Patch.
    pub(crate) change: Option<Value>,
    /// How long it took.
    pub(crate) duration_us: u64,
}

/// Asks what hooks would decide about an event.
#[utoipa::path(post, path = "/simulate", request_body = Simulate, responses((status = 200, body = Simulated)))]
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    caller: Caller,
    asked: Json<Simulate>,
) -> Result<axum::Json<Simulated>, Problem> {
    caller.at_least(Role::Operator)?;
    let asked = asked.read().await?;
    let event = event(asked.event)?;
    let cx = serde_json::from_value(asked.cx.unwrap_or_default().into())
        .map_err(|error| Problem::at("/cx", error.to_string()))?;
    let simulated = match &asked.hook {
        Some(hook) => api.try_alone(&caller, hook, cx, event).await?,
        None => {
            api.simulate(&caller, &asked.draft, &asked.run, cx, event)
                .await?
        }
    };
    Ok(axum::Json(simulated))
}

impl Api {
    /// Asks the hooks that a caller names.
    pub(crate) async fn simulate(
        &self,
        caller: &Caller,
        draft: &Value,
        run: &[String],
        cx: AgentContext,
        event: OwnedEvent,
    ) -> Result<Simulated, Problem> {
        caller.at_least(Role::Operator)?;
        let is_in_force = matches!(draft, Value::Null | Value::Bool(false));
        let mut dry_run = DryRun::new();
        // A draft says of itself what is harmless. What is in force, somebody has published.
        if is_in_force {
            dry_run = dry_run.running_harmless();
        }
        if !run.is_empty() {
            caller.at_least(Role::Publisher)?;
            if !is_in_force {
                return Err(Problem::at(
                    "/run",
                    "nothing of a draft runs: publish it first",
                ));
            }
            dry_run = run.iter().fold(dry_run, DryRun::running);
        }
        let compile = async || {
            let (tenant, draft) = (caller.tenant.clone(), draft.clone());
            let hooks = aside(async move { hooks(&tenant, &draft).await }).await?;
            let compiled = Compiled::of(self, &caller.tenant, hooks, Some(dry_run.clone()));
            compiled.await.map(Arc::new)
        };
        // What is in force, and the draft, are asked again and again.
        if run.is_empty() && (is_in_force || *draft == true) {
            let key = format!("{is_in_force} {}", caller.tenant.id());
            let kept = self.compiled.get(&key, compile()).await?;
            if kept.is_the_same_again {
                return Ok(Simulated::of(kept.ask(cx, event).await));
            }
        }
        Ok(Simulated::of(compile().await?.ask(cx, event).await))
    }

    /// Asks one hook, as somebody has written it. Nothing with effects runs.
    pub(crate) async fn try_alone(
        &self,
        caller: &Caller,
        hook: &Value,
        cx: AgentContext,
        event: OwnedEvent,
    ) -> Result<Simulated, Problem> {
        caller.at_least(Role::Operator)?;
        let (tenant, hook) = (caller.tenant.clone(), hook.clone());
        let set = aside(async move { alone(&tenant, &hook).await }).await?;
        let compiled = Compiled::of(self, &caller.tenant, set, Some(DryRun::new()));
        Ok(Simulated::of(compiled.await?.ask(cx, event).await))
    }
}

impl Simulated {
    fn of((outcome, steps): (Outcome, Vec<Step>)) -> Self {
        Simulated {
            decision: outcome.decision.as_str().to_owned(),
            hook: outcome.hook,
            reason: outcome.reason,
            change: outcome.change,
            output: outcome.output,
            steps,
        }
    }
}

/// The hooks that a request names: what is in force, or what would be if a bundle or the draft were published.
pub(super) async fn hooks(tenant: &Tenant, named: &Value) -> Result<Bundle, Problem> {
    match named {
        Value::Null | Value::Bool(false) => Ok(tenant.bundle().await?),
        Value::Bool(true) => Ok(tenant.preview(&tenant.draft().await?).await?),
        named => Ok(tenant.preview(&bundle(named)?).await?),
    }
}

impl Api {
    /// Begins a runtime of hooks that are not, or not only, what is in force.
    pub(super) async fn builder_of(
        &self,
        tenant: &Tenant,
        hooks: Bundle,
    ) -> Result<RuntimeBuilder, Problem> {
        let builder = self.complete(Runtime::builder()).source(Given(hooks));
        let secrets = tenant.secret_values_now().await?;
        Ok(builder.shared(true).secrets(secrets))
    }
}

/// Compiles hooks aside.
pub(super) async fn built(builder: RuntimeBuilder) -> Result<Runtime, Problem> {
    let built = async move {
        let built = builder.build().await;
        built.map_err(|error| Problem::at("/draft", error.to_string()))
    };
    // What loads hooks is large, and is not part of each future that waits for it.
    Box::pin(aside(built)).await
}

/// A hook alone, so that its answer takes effect.
async fn alone(tenant: &Tenant, hook: &Value) -> Result<Bundle, Problem> {
    let mut set = tenant.alone(hook).await?;
    for mode in set.hooks.iter_mut().filter_map(|hook| hook.get_mut("mode")) {
        *mode = "enforce".into();
    }
    Ok(set)
}

/// Reads an event: its name as `event`, and its fields.
pub(crate) fn event(mut fields: Map<String, Value>) -> Result<OwnedEvent, Problem> {
    let named = fields.remove("event");
    let named = named.as_ref().and_then(Value::as_str);
    let named =
        named.ok_or_else(|| Problem::at("/event/event", "the name of the event is missing"))?;
    OwnedEvent::from_json(named, Value::Object(fields))
        .map_err(|error| Problem::at("/event", error.to_string()))
}

/// Hooks that are compiled, to be asked about one event after another.
pub(crate) struct Compiled {
    tenant: String,
    runtime: Runtime,
    /// Whether an answer does not depend on those before it: no handler runs, and what else runs dry counts nothing.
    is_the_same_again: bool,
    /// The places of the hooks, and whether they are guards.
    order: HashMap<String, (usize, bool)>,
    records: Records,
    /// One event at a time, because they share the records.
    one: Mutex<()>,
}

impl Compiled {
    /// Compiles hooks. In a dry run, they change nothing outside themselves.
    pub(crate) async fn of(
        api: &Api,
        tenant: &Tenant,
        hooks: Bundle,
        dry_run: Option<DryRun>,
    ) -> Result<Self, Problem> {
        let records = Records::latest(10_000);
        let builder = api.builder_of(tenant, hooks).await?;
        let mut builder = builder.budget(api.store.budget()).recorder(records.clone());
        if let Some(dry_run) = dry_run {
            builder = builder.dry_run(dry_run);
        }
        let runtime = built(builder).await?;
        let mut order = HashMap::new();
        for (place, hook) in runtime.order().into_iter().enumerate() {
            order.entry(hook.hook).or_insert((place, false)).1 |= hook.guard;
        }
        Ok(Compiled {
            tenant: tenant.id().to_owned(),
            is_the_same_again: !runtime.status().hooks.iter().any(|hook| hook.harmless),
            runtime,
            order,
            records,
            one: Mutex::default(),
        })
    }

    /// Raises an event to them, and records nothing in the store.
    pub(crate) async fn ask(
        &self,
        mut cx: AgentContext,
        mut event: OwnedEvent,
    ) -> (Outcome, Vec<Step>) {
        let _one = self.one.lock().await;
        // Somebody may have gone away before the end.
        drop(self.records.take());
        cx.tenant_id = Some(self.tenant.clone());
        let explained = self.runtime.explain(&cx, event.view()).await;
        let outcome = self.runtime.fire(&cx, &mut event).await;
        self.runtime.shutdown().await;
        let mut records = self.records.take();
        records.retain(|record| !record.is_event());
        (outcome, self.steps(explained, &records))
    }

    fn steps(&self, explained: Vec<Explanation>, records: &[Record]) -> Vec<Step> {
        let placed = |hook: &str| self.order.get(hook).copied();
        let is_guard = |hook: &str| placed(hook).is_some_and(|(_, is_guard)| is_guard);
        let mut steps: Vec<Step> = Vec::new();
        let mut told = HashSet::new();
        for hook in explained {
            let index = records.iter().position(|record| record.hook == hook.hook);
            // What did not match at first, and is a guard, matched when it judged again.
            let first = index.filter(|_| hook.runs || !is_guard(&hook.hook));
            told.extend(first);
            steps.push(Step::new(
                hook.hook,
                hook.runs,
                hook.why,
                first.map(|index| &records[index]),
            ));
        }
        // Built-in hooks have no condition to explain: what they did is all there is.
        for (index, record) in records.iter().enumerate() {
            if told.insert(index) {
                let again = steps.iter().any(|known| known.hook == record.hook);
                let (hook, why) = (record.hook.clone(), record.why.clone());
                steps.push(Step {
                    again,
                    ..Step::new(hook, true, why, Some(record))
                });
            }
        }
        steps.sort_by_key(|step| (step.again, placed(&step.hook).map(|(place, _)| place)));
        steps
    }
}

impl Step {
    fn new(hook: String, would_run: bool, why: String, record: Option<&Record>) -> Self {
        let duration = record.map(|record| record.duration.as_micros());
        // What a record says about why is more than that everything matched.
        let told = record
            .map(|record| record.why.clone())
            .filter(|why| !why.is_empty());
        Step {
            hook,
            again: false,
            // A hook before it may have changed the event.
            would_run: would_run || record.is_some(),
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
