//! `/simulate`: one event through all hooks, step by step. Nothing with effects runs.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use hooks_core::agent::AgentContext;
use hooks_runtime::entry::Mode;
use hooks_runtime::{
    Bundle, Decided, DryRun, Explanation, Ordered, Outcome, OwnedEvent, Record, RecordOutcome,
    RecordStep, Records, Runtime, RuntimeBuilder, Warning,
};
use hooks_store::{Role, Tenant};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use utoipa::ToSchema;

use super::aside::aside;
use super::caller::{ApiCaller, Operator};
use super::draft::bundle;
use super::extract::JsonBody;
use super::problem::Problem;
use super::{Api, ApiAnswer};

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
    /// The node whose own hooks are listed, too; by default those of all nodes. They are in an agent's code, and not asked.
    #[serde(default)]
    node: Option<String>,
    /// One hook alone, instead of them, whatever its mode: an editor sends it while it is being written.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    hook: Option<Value>,
}

/// What the hooks would do.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Simulated {
    /// `continue`, `respond`, `block`, `abort_turn` or `abort_run`; `undecided` if the event would go on, and hooks were not
    /// asked because they may have side effects.
    pub(crate) decision: String,
    /// What a record of it would say: also `modify`, `ask`, `approve` and `defer`.
    pub(crate) outcome: String,
    /// The hook that blocked the event, if one did.
    pub(crate) hook: Option<String>,
    /// Its reason.
    pub(crate) reason: Option<String>,
    /// What hooks changed, as a JSON Patch.
    pub(crate) change: Value,
    /// What a hook answered, if one did.
    pub(crate) output: Option<Value>,
    /// Each hook for the event, in its order.
    pub(crate) steps: Vec<SimulationStep>,
}

/// One hook.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SimulationStep {
    /// Its name.
    pub(crate) hook: String,
    /// The kind of its handler: `builtin` for a hook of the runtime, `compiled` for one of an agent's own code; empty if it did
    /// not run.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) handler: String,
    /// Whether it judges again, because a later hook has changed the event.
    pub(crate) again: bool,
    /// Whether everything matches.
    pub(crate) would_run: bool,
    /// Whether its answer has no effect.
    pub(crate) shadow: bool,
    /// What became of it.
    pub(crate) state: StepState,
    /// Why, or why not.
    pub(crate) why: String,
    /// What it did; none if it did not run.
    pub(crate) outcome: Option<String>,
    /// What it changed, as a JSON Patch.
    pub(crate) change: Option<Value>,
    /// How long it took.
    pub(crate) duration_us: u64,
    /// What else it said: how it failed, its messages, and warnings about its answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
    #[serde(skip)]
    priority: i32,
}

/// What became of a hook.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum StepState {
    /// It ran.
    #[default]
    Ran,
    /// It matched, and was not asked, because it may have side effects.
    LeftOut,
    /// It was not asked, because another hook had decided.
    NotAsked,
    /// Its conditions are not met.
    Unmet,
    /// It is for other tools.
    OtherTools,
    /// It is off.
    Off,
    /// It is in an agent's own code, which is not asked here.
    Compiled,
}

/// Asks what hooks would decide about an event.
#[utoipa::path(post, path = "/simulate", request_body = Simulate, responses((status = 200, body = Simulated)))]
pub(super) async fn post(
    State(api): State<Arc<Api>>,
    Operator(caller, _): Operator,
    JsonBody(asked): JsonBody<Simulate>,
) -> ApiAnswer<Simulated> {
    let event = event(asked.event)?;
    let cx = serde_json::from_value(asked.cx.unwrap_or_default().into())
        .map_err(|error| Problem::at("/cx", error.to_string()))?;
    let simulated = if let Some(hook) = &asked.hook {
        api.try_alone(&caller, hook, cx, event).await?
    } else {
        let (hooks, node) = ((&asked.draft, &*asked.run), asked.node.as_deref());
        api.simulate(&caller, hooks, node, cx, event).await?
    };
    Ok(axum::Json(simulated))
}

impl Api {
    /// The hooks that agents have in their own code: those for an event, or all; of one node, or of all.
    pub(crate) async fn compiled(
        &self,
        tenant: &Tenant,
        node: Option<&str>,
        event: Option<&str>,
    ) -> Result<Vec<(String, Ordered)>, Problem> {
        let mut compiled: Vec<(String, Ordered)> = Vec::new();
        for known in tenant.nodes().await? {
            if !known.has_order || node.is_some_and(|node| node != known.name) {
                continue;
            }
            let order = tenant.node_order(&known.name).await?.unwrap_or_default();
            for hook in order {
                let is_new = |(_, one): &(String, Ordered)| one.hook != hook.hook;
                let is_of_event = |event| hook.events.iter().any(|one| one == event);
                let is_meant = hook.handler == "compiled" && event.is_none_or(is_of_event);
                if is_meant && compiled.iter().all(is_new) {
                    compiled.push((known.name.clone(), hook));
                }
            }
        }
        Ok(compiled)
    }

    /// Asks the hooks that a caller names, and those that run although they have effects. With them are those of a node's code,
    /// or of all nodes'.
    pub(crate) async fn simulate(
        &self,
        caller: &ApiCaller,
        (draft, run): (&Value, &[String]),
        node: Option<&str>,
        cx: AgentContext,
        event: OwnedEvent,
    ) -> Result<Simulated, Problem> {
        caller.at_least(Role::Operator)?;
        let code = self
            .compiled(&caller.tenant, node, Some(event.name()))
            .await?;
        let is_in_force = is_in_force(draft);
        let mut dry_run = DryRun::new();
        // A draft says of itself what is harmless. What is in force has been published.
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
            let hooks = Box::pin(aside(async move { hooks(&tenant, &draft).await })).await?;
            let compiled = Simulator::of(self, &caller.tenant, hooks, Some(dry_run.clone()));
            compiled.await.map(Arc::new)
        };
        // What is in force, and the draft, are asked again and again.
        if run.is_empty() && (is_in_force || *draft == true) {
            let key = format!("{is_in_force} {}", caller.tenant.id());
            let news = caller.tenant.news().of_hooks();
            let kept = self.compiled.get(&key, news, compile()).await?;
            if kept.is_the_same_again {
                return Ok(Simulated::of(kept.ask(cx, event).await).with(code));
            }
        }
        Ok(Simulated::of(compile().await?.ask(cx, event).await).with(code))
    }

    /// Asks one hook as its author has written it. Nothing with effects runs.
    pub(crate) async fn try_alone(
        &self,
        caller: &ApiCaller,
        hook: &Value,
        cx: AgentContext,
        event: OwnedEvent,
    ) -> Result<Simulated, Problem> {
        caller.at_least(Role::Operator)?;
        let (tenant, hook) = (caller.tenant.clone(), hook.clone());
        let set = aside(async move { alone(&tenant, &hook).await }).await?;
        let compiled = Simulator::of(self, &caller.tenant, set, Some(DryRun::new()));
        Ok(Simulated::of(compiled.await?.ask(cx, event).await))
    }
}

impl Simulated {
    pub(super) fn of((outcome, said, steps): SimulationOutcome) -> Self {
        let is_open = |step: &SimulationStep| step.state == StepState::LeftOut && !step.shadow;
        let is_undecided = outcome.decision == Decided::Continue && steps.iter().any(is_open);
        let word = |word| if is_undecided { "undecided" } else { word }.to_owned();
        Simulated {
            decision: word(outcome.decision.as_str()),
            outcome: word(said.as_str()),
            hook: outcome.hook,
            reason: outcome.reason,
            change: outcome.change,
            output: outcome.output,
            steps,
        }
    }

    /// What became of a recorded event. The conditions of hooks that did not match are those of the revision.
    pub(crate) fn recorded(record: &Record, set: Option<&Bundle>) -> Self {
        let condition = |name: &str| {
            let mut hooks = set?.hooks.iter();
            let hook = hooks.find(|hook| hook.get("name").is_some_and(|known| known == name))?;
            hook.get("if")?.as_str().map(|text| format!(": {text}"))
        };
        let unmet = |hook| {
            let condition = condition(hook).unwrap_or_default();
            let why = format!("the condition was not met{condition}");
            SimulationStep::idle(hook, StepState::Unmet, why)
        };
        let ran = record.steps.iter().cloned();
        let ran = ran.map(|step| SimulationStep::of(step, String::new()));
        let unmet = record.unmet.iter().map(|hook| unmet(hook));
        let late = record
            .unasked
            .iter()
            .map(|hook| SimulationStep::late(hook, &record.hook));
        let steps = ran.chain(unmet).chain(late).collect();
        let no_change = || Value::Array(Vec::new());
        Simulated {
            decision: record.outcome.as_str().to_owned(),
            outcome: record.outcome.as_str().to_owned(),
            hook: Some(record.hook.clone()).filter(|hook| !hook.is_empty()),
            reason: record.reason.clone(),
            change: record.change.clone().unwrap_or_else(no_change),
            output: None,
            steps,
        }
    }

    /// Adds the hooks of agents' own code where their priorities put them.
    fn with(mut self, compiled: Vec<(String, Ordered)>) -> Self {
        for (node, hook) in compiled {
            let is_before = |step: &&SimulationStep| step.priority > hook.priority && !step.again;
            let place = self.steps.iter().take_while(is_before).count();
            let why = format!("compiled into the agent {node}: not asked here");
            let step = SimulationStep::idle(&hook.hook, StepState::Compiled, why);
            let priority = hook.priority;
            self.steps
                .insert(place, SimulationStep { priority, ..step });
        }
        self
    }
}

/// Whether a request names what is in force.
pub(super) fn is_in_force(named: &Value) -> bool {
    matches!(named, Value::Null | Value::Bool(false))
}

/// The hooks that a request names: what is in force, or what would be if a bundle or the draft were published.
pub(super) async fn hooks(tenant: &Tenant, named: &Value) -> Result<Bundle, Problem> {
    match named {
        named if is_in_force(named) => Ok(tenant.bundle().await?),
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
        let builder = (self.complete)(Runtime::builder()).source(hooks);
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

impl Api {
    /// What is probably not intended in a hook as its author has written it. Nothing runs.
    pub(crate) async fn warnings(
        &self,
        tenant: &Tenant,
        hook: &Value,
    ) -> Result<Vec<Warning>, Problem> {
        let (owned, hook) = (tenant.clone(), hook.clone());
        let set = aside(async move { owned.alone(&hook).await }).await?;
        let builder = self.builder_of(tenant, set).await?;
        let runtime = built(builder.dry_run(DryRun::new())).await?;
        let warnings = runtime.warnings();
        runtime.shutdown().await;
        Ok(warnings)
    }
}

/// A hook alone, so that its answer takes effect.
pub(super) async fn alone(tenant: &Tenant, hook: &Value) -> Result<Bundle, Problem> {
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

/// What hooks said about an event: the decision, what a record of it would say, and each hook.
pub(crate) type SimulationOutcome = (Outcome, RecordOutcome, Vec<SimulationStep>);

/// Hooks that are compiled, to be asked about one event after another.
pub(crate) struct Simulator {
    tenant: String,
    runtime: Runtime,
    /// Whether an answer does not depend on those before it: no handler runs, and what else runs dry counts nothing.
    is_the_same_again: bool,
    /// The hooks, in the order in which they run.
    order: Vec<Ordered>,
    records: Records,
    /// One event at a time, because they share the records.
    one: Mutex<()>,
}

impl Simulator {
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
        Ok(Simulator {
            tenant: tenant.id().to_owned(),
            is_the_same_again: !runtime.status().hooks.iter().any(|hook| hook.harmless),
            order: runtime.order(),
            runtime,
            records,
            one: Mutex::default(),
        })
    }

    /// Raises an event to them, and records nothing in the store.
    pub(crate) async fn ask(
        &self,
        mut cx: AgentContext,
        mut event: OwnedEvent,
    ) -> SimulationOutcome {
        let _one = self.one.lock().await;
        // An earlier caller may have gone away before the end.
        drop(self.records.take());
        cx.tenant_id = Some(self.tenant.clone());
        let explained = self.runtime.explain(&cx, event.view()).await;
        let outcome = Box::pin(self.runtime.fire(&cx, &mut event)).await;
        self.runtime.shutdown().await;
        let records = self.records.take().into_iter();
        let (events, parts): (Vec<_>, Vec<_>) = records.partition(Record::is_event);
        let steps = |records: Vec<Record>| records.into_iter().flat_map(|record| record.steps);
        let said = events
            .last()
            .map_or(RecordOutcome::Continue, |record| record.outcome);
        let mut ran: Vec<RecordStep> = steps(events).collect();
        // What ran in the background has said by now what it did.
        for later in steps(parts) {
            match ran.iter_mut().find(|step| step.hook == later.hook) {
                Some(step) => *step = later,
                None => ran.push(later),
            }
        }
        let steps = self.steps(event.name(), explained, ran, &outcome);
        (outcome, said, steps)
    }

    /// What became of each hook for an event.
    fn steps(
        &self,
        event: &str,
        explained: Vec<Explanation>,
        mut ran: Vec<RecordStep>,
        outcome: &Outcome,
    ) -> Vec<SimulationStep> {
        let explained = explained.into_iter();
        let mut explained: HashMap<String, Explanation> =
            explained.map(|one| (one.hook.clone(), one)).collect();
        let by = outcome.hook.as_deref().or_else(|| Some(&*ran.last()?.hook));
        let decided = by.filter(|_| outcome.decision != Decided::Continue);
        let decided = decided.map(str::to_owned);
        let mut steps = Vec::new();
        let mut is_over = false;
        let is_asked = |hook: &&Ordered| hook.events.iter().any(|one| one == event);
        for hook in self.order.iter().filter(is_asked) {
            let idle = |state, why: String| SimulationStep::idle(&hook.hook, state, why);
            let known = explained.remove(&hook.hook);
            let is_first = |step: &RecordStep| step.hook == hook.hook && !step.again;
            let step = match (ran.iter().position(is_first), known) {
                (Some(at), known) => {
                    let known = known.filter(|known| known.runs);
                    let why = known.map(|known| known.why).unwrap_or_default();
                    SimulationStep::of(ran.remove(at), why)
                }
                _ if hook.mode == Mode::Off => idle(StepState::Off, "off".to_owned()),
                (_, Some(known)) if !known.is_meant => idle(StepState::OtherTools, known.why),
                (_, Some(known)) if !known.runs => idle(StepState::Unmet, known.why),
                _ if is_over => {
                    SimulationStep::late(&hook.hook, decided.as_deref().unwrap_or_default())
                }
                (_, Some(known)) => idle(StepState::Unmet, known.why),
                (_, None) => idle(StepState::Unmet, "not for this call".to_owned()),
            };
            is_over |= decided.as_ref() == Some(&hook.hook) && step.state == StepState::Ran;
            let priority = hook.priority;
            steps.push(SimulationStep { priority, ..step });
        }
        steps.extend(
            ran.into_iter()
                .map(|step| SimulationStep::of(step, String::new())),
        );
        steps
    }
}

impl SimulationStep {
    /// What a hook did. What it says about why is more than that everything matched.
    fn of(step: RecordStep, matched: String) -> Self {
        let is_left_out = step.is_left_out();
        let mut said = [step.why, step.reason.unwrap_or_default()].into_iter();
        let mut said = said.by_ref().filter(|text| !text.is_empty());
        let why = said.next();
        let notes = said.chain(step.messages).chain(step.warnings).collect();
        SimulationStep {
            again: step.again,
            would_run: true,
            shadow: step.shadow,
            state: if is_left_out {
                StepState::LeftOut
            } else {
                StepState::Ran
            },
            why: why.unwrap_or(matched),
            outcome: Some(step.outcome.as_str().to_owned()),
            change: step.change,
            duration_us: u64::try_from(step.duration.as_micros()).unwrap_or(0),
            notes,
            priority: 0,
            handler: step.handler,
            hook: step.hook,
        }
    }

    /// A hook that did nothing.
    fn idle(hook: &str, state: StepState, why: impl Into<String>) -> Self {
        SimulationStep {
            hook: hook.to_owned(),
            would_run: matches!(state, StepState::NotAsked | StepState::Compiled),
            state,
            why: why.into(),
            ..SimulationStep::default()
        }
    }

    /// A hook that another one came before.
    fn late(hook: &str, by: &str) -> Self {
        let why = format!("not asked: {by} had decided already");
        SimulationStep::idle(hook, StepState::NotAsked, why)
    }
}
