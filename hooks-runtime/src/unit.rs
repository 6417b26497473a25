//! One place in the pipeline: a definition of our own, or all definitions of another system's file.
//!
//! A unit asks the definitions whose filters match, each under its safeguards. It merges their answers into one, and
//! applies it. If nothing matches, a unit allocates nothing and never waits.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context as Task, Poll};
use std::time::Duration;

use hooks_builtin::config::{LimitsConfig, Mode};
use hooks_core::EventSet;
use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentSaid};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument as _;

use crate::answer::{self, Answer, Verdict};
use crate::definition::{Body, Definition};
use crate::events::{self, EventInfo};
use crate::fault::{Fault, FaultKind};
use crate::filter::Unmet;
use crate::handler::{Ask, Asked};
use crate::late::Late;
use crate::record::{Record, RecordOutcome, Recorder};
use crate::safeguard::Chains;

/// A boxed future, as `#[async_trait]` creates it.
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The order in which the definitions of a unit run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Order {
    /// All at the same time, and to the end. Then the strictest answer counts.
    #[default]
    AtOnce,
    /// One after the other, until one stops the event. Each sees the event as the definitions before left it.
    InTurn,
}

/// The state that all units of a runtime share.
pub(crate) struct Shared {
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    pub(crate) chains: Chains,
    /// The handlers that run in the background.
    pub(crate) background: std::sync::Mutex<JoinSet<()>>,
    pub(crate) dropped: AtomicU64,
    pub(crate) late: Late,
}

impl Shared {
    pub(crate) fn new(recorder: Option<Arc<dyn Recorder>>) -> Self {
        Shared {
            recorder,
            chains: Chains::default(),
            background: std::sync::Mutex::default(),
            dropped: AtomicU64::new(0),
            late: Late::default(),
        }
    }
}

/// The limits of a revision.
pub(crate) struct Limits {
    pub(crate) config: LimitsConfig,
    pub(crate) running: Arc<Semaphore>,
}

/// One place in the pipeline.
pub(crate) struct Unit {
    pub(crate) name: Arc<str>,
    pub(crate) priority: i32,
    /// Its position among the units of the revision.
    pub(crate) place: usize,
    pub(crate) events: EventSet,
    pub(crate) order: Order,
    /// Whether it is another system's file. Its hooks have no common budget, other than that of their system.
    pub(crate) is_foreign: bool,
    pub(crate) definitions: Vec<Arc<Definition>>,
    pub(crate) revision: u64,
    pub(crate) limits: Arc<Limits>,
    pub(crate) shared: Arc<Shared>,
}

/// A zero-sized future that lets the event continue. Boxing it allocates nothing.
struct Nothing;

impl Future for Nothing {
    type Output = AgentSaid;

    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<AgentSaid> {
        Poll::Ready(AgentSaid::Continue)
    }
}

/// The result of a filter: it matches, or not, for this reason.
pub(crate) type Checked = Result<Result<(), Unmet>, Fault>;

/// A definition whose filter matched, or could not be evaluated.
struct Matched<'a> {
    definition: &'a Arc<Definition>,
    filter: Result<(), Fault>,
}

/// The result of one definition.
struct Done<'a> {
    definition: &'a Arc<Definition>,
    said: Result<Answer, Fault>,
    /// Why it was skipped, if it was.
    skipped: Option<&'static str>,
    duration: Duration,
}

impl AgentHandler for Unit {
    fn name(&self) -> &str {
        &self.name
    }

    fn priority(&self) -> i32 {
        self.priority
    }

    fn events(&self) -> EventSet {
        self.events
    }

    fn handle_any<'life0, 'life1, 'life2, 'async_trait>(
        &'life0 self,
        cx: &'life1 AgentContext,
        event: AgentEventMut<'life2>,
    ) -> BoxFuture<'async_trait, AgentSaid>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        'life2: 'async_trait,
        Self: 'async_trait,
    {
        let info = events::info(&event.view());
        // A single rule decides at once.
        if let [definition] = self.definitions.as_slice()
            && let Body::Rule(_) = definition.body
        {
            return match definition.check(cx, &event.view(), info) {
                Ok(Err(_)) => Box::pin(Nothing),
                Ok(Ok(())) => self.by_rule(definition, Ok(()), cx, event, info),
                Err(fault) => self.by_rule(definition, Err(fault), cx, event, info),
            };
        }
        let matched = self.matched(cx, &event.view(), info);
        if matched.is_empty() {
            return Box::pin(Nothing);
        }
        Box::pin(self.run(cx, event, info, matched))
    }
}

impl Unit {
    /// Returns the definitions that run on an event. It allocates nothing if there are none.
    fn matched(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
    ) -> Vec<Matched<'_>> {
        let mut matched: Vec<Matched<'_>> = Vec::new();
        for definition in &self.definitions {
            let is_twin = |one: &Matched<'_>| one.definition.twin == definition.twin;
            if definition.twin.is_some() && matched.iter().any(is_twin) {
                continue;
            }
            match definition.check(cx, event, info) {
                Ok(Ok(())) => matched.push(Matched {
                    definition,
                    filter: Ok(()),
                }),
                Err(fault) => matched.push(Matched {
                    definition,
                    filter: Err(fault),
                }),
                Ok(Err(_)) => {}
            }
        }
        matched
    }

    /// Returns for each definition whether it would run on an event, and why.
    pub(crate) fn explain(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Vec<(&Arc<Definition>, Checked)> {
        let info = events::info(event);
        let definitions = self.definitions.iter();
        definitions
            .map(|definition| (definition, definition.check(cx, event, info)))
            .collect()
    }

    /// Applies a rule, which decides without waiting.
    fn by_rule<'f>(
        &'f self,
        definition: &'f Arc<Definition>,
        filter: Result<(), Fault>,
        cx: &AgentContext,
        event: AgentEventMut<'_>,
        info: &'static EventInfo,
    ) -> BoxFuture<'f, AgentSaid> {
        let Body::Rule(rule) = &definition.body else {
            return Box::pin(Nothing);
        };
        let started = Instant::now();
        let skipped = self.skipped(cx, &event.view(), info);
        let said = match skipped {
            Some(_) => Ok(Answer::default()),
            None => filter.and_then(|()| rule.decide(cx, &event.view())),
        };
        let done = Done {
            definition,
            said,
            skipped,
            duration: started.elapsed(),
        };
        match self.conclude(cx, event, info, vec![done]) {
            AgentSaid::Continue => Box::pin(Nothing),
            said => Box::pin(std::future::ready(said)),
        }
    }

    /// Returns why no definition runs on this event, whatever the filters say.
    fn skipped(
        &self,
        _: &AgentContext,
        event: &AgentEvent<'_>,
        _: &'static EventInfo,
    ) -> Option<&'static str> {
        match event {
            AgentEvent::BeforeStop(stop) if stop.attempt >= self.limits.config.stops => {
                Some("hooks have sent the agent on as often as they may in a turn")
            }
            _ => None,
        }
    }

    async fn run(
        &self,
        cx: &AgentContext,
        mut event: AgentEventMut<'_>,
        info: &'static EventInfo,
        matched: Vec<Matched<'_>>,
    ) -> AgentSaid {
        if !info.is_intercepted {
            return self.observe(cx, event, info, matched).await;
        }
        if let Some(skipped) = self.skipped(cx, &event.view(), info) {
            let left_out = matched.into_iter().map(|one| Done {
                definition: one.definition,
                said: Ok(Answer::default()),
                skipped: Some(skipped),
                duration: Duration::ZERO,
            });
            let left_out = left_out.collect();
            return self.conclude(cx, event, info, left_out);
        }
        let is_in_turn = |one: &Matched<'_>| one.definition.is_in_turn;
        if self.order == Order::InTurn || matched.iter().any(is_in_turn) {
            for one in matched {
                let done = self.ask(cx, &event.view(), info, one).await;
                let said = self.conclude(cx, event.reborrow(), info, vec![done]);
                if !said.is_continue() {
                    return said;
                }
            }
            return AgentSaid::Continue;
        }
        let done = {
            let view = event.view();
            let asked = matched
                .into_iter()
                .map(|one| self.ask(cx, &view, info, one));
            join_all(asked.collect()).await
        };
        self.conclude(cx, event, info, done)
    }

    /// Asks definitions about an event that they only observe. They run in the background, unless they say otherwise.
    async fn observe(
        &self,
        cx: &AgentContext,
        event: AgentEventMut<'_>,
        info: &'static EventInfo,
        matched: Vec<Matched<'_>>,
    ) -> AgentSaid {
        let view = event.view();
        let asked = matched
            .into_iter()
            .map(|one| self.ask(cx, &view, info, one));
        let done = join_all(asked.collect()).await;
        for one in done {
            self.record(cx, &view, info, one, None);
        }
        AgentSaid::Continue
    }

    /// Asks one definition under its safeguards.
    async fn ask<'d>(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
        matched: Matched<'d>,
    ) -> Done<'d> {
        let Matched { definition, filter } = matched;
        let started = Instant::now();
        let mut skipped = None;
        let said = match (filter, &definition.body) {
            (Err(fault), _) => Err(fault),
            (Ok(()), Body::Rule(rule)) => rule.decide(cx, event),
            (Ok(()), Body::Handler(_)) if cx.depth > self.limits.config.depth => {
                tracing::warn!(
                    key = "security.hook.loop_depth_exceeded",
                    hook = &*definition.name,
                    depth = cx.depth,
                    "subagents are nested too deep for hooks"
                );
                Err(Fault::not_asked(format_args!(
                    "subagents are nested {} deep, and hooks run {} deep at most",
                    cx.depth, self.limits.config.depth
                )))
            }
            (Ok(()), Body::Handler(handler)) => {
                let ask = Ask {
                    cx,
                    event: *event,
                    info,
                    hook: &definition.name,
                    named: definition.named(info).unwrap_or(info.name),
                    tool: definition.filter.tool(event),
                };
                let is_background =
                    definition.is_background && tokio::runtime::Handle::try_current().is_ok();
                if is_background {
                    let asked = handler.ask(&ask);
                    skipped = Some("it runs in the background");
                    self.in_background(definition, asked, cx, event, info);
                    Ok(Answer::default())
                } else if self.is_foreign && definition.dialect != crate::Dialect::Goclaw {
                    guarded(
                        definition,
                        &self.limits,
                        self.span(definition, info),
                        || handler.ask(&ask),
                        Duration::MAX,
                    )
                    .await
                } else {
                    let key = Chains::key(cx, event);
                    let budget = self.limits.config.chain;
                    let left = self.shared.chains.left(key, self.place, budget);
                    let said = if left.is_zero() {
                        Err(Fault::not_asked(format_args!(
                            "the hooks before it have taken the {} that all hooks of an event have",
                            humantime::format_duration(budget)
                        )))
                    } else {
                        guarded(
                            definition,
                            &self.limits,
                            self.span(definition, info),
                            || handler.ask(&ask),
                            left,
                        )
                        .await
                    };
                    self.shared.chains.spend(key, self.place, started.elapsed());
                    said
                }
            }
        };
        Done {
            definition,
            said,
            skipped,
            duration: started.elapsed(),
        }
    }

    /// Returns the span of one handler on one event.
    fn span(&self, definition: &Definition, info: &EventInfo) -> tracing::Span {
        let kind = definition.body.kind();
        tracing::info_span!(
            "hook",
            otel.name = format!("hook.{kind}.{}", info.name),
            hook = &*definition.name,
            handler = kind,
            event = info.name,
            revision = self.revision,
            outcome = tracing::field::Empty,
            duration_ms = tracing::field::Empty,
            why = tracing::field::Empty,
        )
    }

    /// Runs a handler while the agent continues.
    fn in_background(
        &self,
        definition: &Arc<Definition>,
        asked: Asked,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
    ) {
        let mut tasks = self
            .shared
            .background
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        if tasks.len() >= self.limits.config.background.get() as usize {
            drop(tasks);
            self.shared.dropped.fetch_add(1, Ordering::Relaxed);
            tracing::warn!(
                hook = &*definition.name,
                event = info.name,
                "too many hooks run in the background: this one was left out"
            );
            return;
        }
        let (definition, limits) = (Arc::clone(definition), Arc::clone(&self.limits));
        let shared = Arc::clone(&self.shared);
        let mut record = self.blank(cx, event, info, &definition);
        let (cx, span) = (cx.clone(), self.span(&definition, info));
        tasks.spawn(async move {
            let started = Instant::now();
            let said = guarded(&definition, &limits, span, move || asked, Duration::MAX).await;
            record.duration = started.elapsed();
            record.why = "in the background".into();
            match said {
                Ok(mut answer) => {
                    if definition.wakes {
                        let refusal = answer.verdict.reason().map(str::to_owned);
                        answer
                            .context
                            .extend(refusal.or_else(|| answer.feedback.take()));
                    }
                    if definition.answers_late {
                        shared.late.keep(&cx, &answer);
                    }
                    record.messages = answer.messages;
                    record.warnings = answer.warnings;
                }
                Err(fault) => fail(&mut record, &fault),
            }
            finish(&shared, &definition, record);
        });
    }

    /// Merges the answers of the definitions, applies the result, and records it.
    fn conclude(
        &self,
        cx: &AgentContext,
        mut event: AgentEventMut<'_>,
        info: &'static EventInfo,
        done: Vec<Done<'_>>,
    ) -> AgentSaid {
        let mut merged = Answer::default();
        let mut decided = None;
        let mut records = Vec::with_capacity(done.len());
        let mut changed_by: Option<usize> = None;
        for (index, one) in done.into_iter().enumerate() {
            let definition = Arc::clone(one.definition);
            let mut record = self.blank(cx, &event.view(), info, &definition);
            record.duration = one.duration;
            let counts = definition.mode == Mode::Enforce;
            record.shadow = !counts;
            if let Some(skipped) = one.skipped {
                record.outcome = RecordOutcome::Skipped;
                record.why = skipped.into();
            }
            let said = one
                .said
                .unwrap_or_else(|fault| failed(&definition, &fault, info, &mut record));
            if record.outcome == RecordOutcome::Continue {
                record.outcome = outcome_of(&said);
                record.reason = said.verdict.reason().map(str::to_owned);
            }
            record.messages.clone_from(&said.messages);
            record.warnings.clone_from(&said.warnings);
            if counts {
                if said.verdict.rank() > merged.verdict.rank() {
                    merged.verdict = said.verdict;
                    decided = Some(Arc::clone(&definition.name));
                }
                if said.change.is_some() {
                    if let Some(first) = changed_by {
                        let (other, first): &mut (Arc<Definition>, Record) = &mut records[first];
                        first.warnings.push(format!(
                            "`{}` changes the same as `{}`, and the later one counts: `{}`",
                            other.name, definition.name, definition.name
                        ));
                    }
                    changed_by = Some(index);
                    merged.change = said.change;
                }
                merged.context.extend(said.context);
                merged.feedback = match (merged.feedback.take(), said.feedback) {
                    (Some(one), Some(other)) => Some(format!("{one}\n\n{other}")),
                    (one, other) => one.or(other),
                };
            }
            records.push((definition, record));
        }
        let drops_change = merged.verdict.rank() > 2;
        if drops_change && !matches!(merged.verdict, Verdict::Respond(_)) {
            merged.change = None;
            changed_by = None;
        }
        let before = (merged.change.is_some() || !merged.context.is_empty())
            .then(|| serde_json::to_value(event.view()).unwrap_or_default());
        let said = if merged.is_nothing() {
            AgentSaid::Continue
        } else {
            let by = decided.as_deref();
            let decided_by = records
                .iter()
                .position(|(definition, _)| by.is_some_and(|name| *definition.name == *name));
            apply(
                event.reborrow(),
                info,
                merged,
                changed_by,
                decided_by,
                &mut records,
            )
        };
        if let Some(before) = before {
            let after = serde_json::to_value(event.view()).unwrap_or_default();
            if before != after {
                let patch =
                    serde_json::to_value(json_patch::diff(&before, &after)).unwrap_or(Value::Null);
                let at = changed_by.unwrap_or(0).min(records.len().saturating_sub(1));
                if let Some((_, record)) = records.get_mut(at) {
                    record.change = Some(patch);
                    if record.outcome == RecordOutcome::Continue {
                        record.outcome = RecordOutcome::Modify;
                    }
                }
            }
        }
        for (definition, record) in records {
            finish(&self.shared, &definition, record);
        }
        self.named(said, decided)
    }

    /// Returns the decision, with the name of the definition if the unit has several.
    fn named(&self, said: AgentSaid, decided: Option<Arc<str>>) -> AgentSaid {
        match (said, decided) {
            (AgentSaid::Cancel { scope, reason, .. }, Some(hook)) if *hook != *self.name => {
                hooks_core::Cancel {
                    scope,
                    hook: hook.to_string().into(),
                    reason,
                }
                .into()
            }
            (said, _) => said,
        }
    }

    fn record(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
        done: Done<'_>,
        change: Option<Value>,
    ) {
        // A definition in the background is recorded when it has finished.
        if done.skipped.is_some() {
            return;
        }
        let mut record = self.blank(cx, event, info, done.definition);
        record.duration = done.duration;
        record.change = change;
        match done.said {
            Ok(answer) => {
                record.messages = answer.messages;
                record.warnings = answer.warnings;
            }
            Err(fault) => {
                tracing::warn!(hook = &*done.definition.name, event = info.name, %fault, "a hook failed, and the event goes on");
                fail(&mut record, &fault);
            }
        }
        finish(&self.shared, done.definition, record);
    }

    /// Returns the record of a definition that has not answered yet.
    fn blank(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
        definition: &Definition,
    ) -> Record {
        Record {
            revision: self.revision,
            source: definition.origin.to_string(),
            handler: definition.body.kind().into(),
            subject: events::subject(event).map(str::to_owned),
            session_id: cx.session_id.clone(),
            agent_id: cx.agent_id.clone(),
            tenant_id: cx.tenant_id.clone(),
            tool_call_id: events::call_id(event)
                .filter(|id| !id.is_empty())
                .map(str::to_owned),
            trace_id: cx.trace_id.clone(),
            ..Record::new(&*definition.name, info.name)
        }
    }
}

/// Returns the verdict for a definition that has failed: a block if its policy says so, otherwise nothing.
fn failed(
    definition: &Definition,
    fault: &Fault,
    info: &'static EventInfo,
    record: &mut Record,
) -> Answer {
    fail(record, fault);
    if definition.blocks_on(fault, info) {
        return Answer::block(format!("the hook `{}` failed: {fault}", definition.name));
    }
    tracing::warn!(hook = &*definition.name, event = info.name, %fault, "a hook failed, and the event goes on");
    Answer::default()
}

/// Applies the answers of the definitions together.
///
/// If a change does not fit the event, the definition with that change fails. The decisions of the others still hold.
fn apply(
    mut event: AgentEventMut<'_>,
    info: &'static EventInfo,
    merged: Answer,
    changed_by: Option<usize>,
    decided_by: Option<usize>,
    records: &mut [(Arc<Definition>, Record)],
) -> AgentSaid {
    let unchanged = changed_by.map(|_| Answer {
        change: None,
        ..merged.clone()
    });
    let fault = match answer::apply(event.reborrow(), merged) {
        Ok(said) => return said,
        Err(fault) => fault,
    };
    let at = changed_by.or(decided_by).unwrap_or(0);
    let Some((definition, record)) = records.get_mut(at) else {
        return AgentSaid::block(fault.message);
    };
    if let Verdict::Block { reason } = failed(definition, &fault, info, record).verdict {
        return AgentSaid::block(reason);
    }
    match unchanged {
        Some(unchanged) => apply(event, info, unchanged, None, decided_by, records),
        None => AgentSaid::Continue,
    }
}

/// Waits for a handler, within its timeout, if its breaker allows it and not too many run at the same time.
async fn guarded(
    definition: &Arc<Definition>,
    limits: &Limits,
    span: tracing::Span,
    asked: impl FnOnce() -> Asked,
    left: Duration,
) -> Result<Answer, Fault> {
    let state = &definition.state;
    if !state.breaker.lets() {
        return Err(Fault::not_asked(
            "its breaker is open, because it has failed too often",
        ));
    }
    let mut trial = Trial(Some(&state.breaker));
    let limit = definition.timeout.min(left);
    let started = Instant::now();
    let work = async {
        // The semaphore is never closed.
        let _permit = limits.running.acquire().await;
        Caught(asked()).await
    };
    let said = match tokio::time::timeout(limit, work.instrument(span.clone())).await {
        Ok(said) => said,
        Err(_) => Err(Fault::timed_out(limit)),
    };
    span.record("duration_ms", started.elapsed().as_secs_f64() * 1e3);
    match &said {
        Ok(answer) => span.record("outcome", answer.verdict.word()),
        Err(fault) => span
            .record("outcome", "fault")
            .record("why", fault.to_string()),
    };
    // A hook that was not asked may work for others, for example if only one tenant has spent its budget.
    if matches!(&said, Err(fault) if fault.kind == FaultKind::NotAsked) {
        return said;
    }
    trial.0 = None;
    let failed = said.as_ref().is_err_and(|fault| counts(definition, fault));
    if state.breaker.note(failed, &limits.config.breaker) {
        tracing::warn!(
            key = "security.hook.circuit_breaker",
            hook = &*definition.name,
            retry_after = %humantime::format_duration(limits.config.breaker.retry_after),
            "the breaker of a hook has opened: it is left alone for a while"
        );
    }
    said
}

/// Whether a failure counts for the breaker.
///
/// If a failure lets the event continue, the hook may fail regularly, such as a linter that ends with 1. If the breaker
/// then stopped asking it, it could not refuse anything.
/// that would let through what it refuses the next time.
fn counts(definition: &Definition, fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::TimedOut | FaultKind::NotStarted)
        || definition.on_failure != Some(hooks_builtin::config::OnFault::Skip)
}

/// A handler whose panic counts as its failure, and does not reach the agent.
struct Caught(Asked);

impl Future for Caught {
    type Output = Result<Answer, Fault>;

    fn poll(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        let poll = AssertUnwindSafe(|| self.0.as_mut().poll(task));
        // It is not polled again after a panic.
        catch_unwind(poll).unwrap_or_else(|_| Poll::Ready(Err(Fault::failed("it panicked"))))
    }
}

/// If this is dropped, passes the trial of an open breaker on to the next caller.
struct Trial<'a>(Option<&'a crate::safeguard::Breaker>);

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if let Some(breaker) = self.0 {
            breaker.give_up();
        }
    }
}

fn outcome_of(answer: &Answer) -> RecordOutcome {
    match &answer.verdict {
        Verdict::Continue if answer.is_nothing() => RecordOutcome::Continue,
        Verdict::Continue => RecordOutcome::Modify,
        Verdict::Approve { .. } => RecordOutcome::Approve,
        Verdict::Ask { .. } => RecordOutcome::Ask,
        Verdict::Respond(_) => RecordOutcome::Respond,
        Verdict::Block { .. } => RecordOutcome::Block,
        Verdict::AbortTurn { .. } => RecordOutcome::AbortTurn,
        Verdict::AbortRun { .. } => RecordOutcome::AbortRun,
    }
}

fn fail(record: &mut Record, fault: &Fault) {
    record.outcome = RecordOutcome::Fault;
    record.reason = Some(fault.message.clone());
    record.why = match fault.kind {
        FaultKind::NotStarted => "it could not be started",
        FaultKind::TimedOut => "it took too long",
        FaultKind::Failed => "it failed",
        FaultKind::Nonsense => "its answer makes no sense",
        FaultKind::Filter => "its filter could not be evaluated",
        FaultKind::NotAsked => "it was not asked",
    }
    .into();
}

/// Keeps a record, and passes it to the recorder.
fn finish(shared: &Shared, definition: &Definition, record: Record) {
    for message in &record.messages {
        tracing::info!(hook = &*definition.name, "{message}");
    }
    for warning in &record.warnings {
        tracing::warn!(hook = &*definition.name, "{warning}");
    }
    if let Some(recorder) = &shared.recorder {
        recorder.record(&record);
    }
    let mut last = definition
        .state
        .last
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    *last = Some(record);
}

/// Waits for all futures, in one task.
async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures
        .into_iter()
        .map(|one| (Box::pin(one), None))
        .collect();
    std::future::poll_fn(|task| {
        let mut is_pending = false;
        for (future, output) in &mut futures {
            if output.is_none() {
                match future.as_mut().poll(task) {
                    Poll::Ready(done) => *output = Some(done),
                    Poll::Pending => is_pending = true,
                }
            }
        }
        if is_pending {
            Poll::Pending
        } else {
            Poll::Ready(())
        }
    })
    .await;
    futures
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}
