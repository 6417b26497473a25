//! One place in the pipeline: a definition of our own, or all definitions of another system's file.
//!
//! A unit asks its definitions whose filters match, each under its safeguards, merges their answers into one, and
//! applies it. A unit in which nothing matches allocates nothing and never waits.
//!
//! | file | |
//! | --- | --- |
//! | `ask` | asks one definition |
//! | `guard` | waits for its handler |
//! | `conclude` | merges what definitions said, and applies it |
//! | `recording` | puts what all hooks of a dispatch said together, as a record |

mod ask;
mod conclude;
mod guard;
pub(crate) mod late;
mod recording;

use std::future::{Future, poll_fn};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::task::{Context as Task, Poll};
use std::time::Duration;

use hooks_builtin::__clock as clock;
use hooks_core::agent::{AgentContext, AgentEvent, AgentEventMut, AgentHandler, AgentSaid};
use hooks_core::{EventSet, spend_time, time_spent};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::Instant;

use self::guard::join_all;
pub use self::recording::EventRecords;
pub(crate) use self::recording::{RevisionHooks, brief};
use crate::answer::HandlerAnswer;
use crate::definition::{Body, Definition};
use crate::dry_run::DryRun;
use crate::entry::LimitsConfig;
use crate::events::{self, EventInfo};
use crate::fault::{HandlerFault, caught};
use crate::filter::Unmet;
use crate::handler::rule::decide;
use crate::record::{self, Record, RecordPart, RecordStep, Recorder};
use crate::system::Dialect;
use crate::system::table::UnitOrder;
use crate::unit::late::Late;

/// A boxed future, as `#[async_trait]` boxes it.
type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What all units of a runtime share.
pub(crate) struct UnitServices {
    pub(crate) recorder: Option<Arc<dyn Recorder>>,
    /// Handlers that run in the background.
    pub(crate) background: std::sync::Mutex<JoinSet<()>>,
    pub(crate) dropped: AtomicU64,
    pub(crate) late: Late,
    pub(crate) dry_run: Option<DryRun>,
}

impl UnitServices {
    pub(crate) fn new(recorder: Option<Arc<dyn Recorder>>, dry_run: Option<DryRun>) -> Self {
        UnitServices {
            recorder,
            background: std::sync::Mutex::default(),
            dropped: AtomicU64::new(0),
            late: Late::default(),
            dry_run,
        }
    }
}

/// The limits of a revision.
pub(crate) struct RevisionLimits {
    pub(crate) config: LimitsConfig,
    /// Permits for handlers that run on events that hooks decide about.
    deciding: Arc<Semaphore>,
    /// Permits for handlers that only observe, or run in the background. Deciding handlers never wait for them.
    watching: Arc<Semaphore>,
}

impl RevisionLimits {
    /// The limits of a revision after another. The same number of handlers shares the same permits, so that those of the
    /// revision before count.
    pub(crate) fn new(config: LimitsConfig, before: Option<&RevisionLimits>) -> Self {
        let before = before.filter(|before| before.config.concurrency == config.concurrency);
        let permits = |of: fn(&RevisionLimits) -> &Arc<Semaphore>| match before {
            Some(before) => Arc::clone(of(before)),
            None => Arc::new(Semaphore::new(config.concurrency.get() as usize)),
        };
        RevisionLimits {
            deciding: permits(|limits| &limits.deciding),
            watching: permits(|limits| &limits.watching),
            config,
        }
    }
}

/// One place in the pipeline.
pub(crate) struct Unit {
    pub(crate) name: Arc<str>,
    pub(crate) priority: i32,
    pub(crate) events: EventSet,
    pub(crate) order: UnitOrder,
    /// Whether it is another system's file.
    pub(crate) is_foreign: bool,
    pub(crate) definitions: Vec<Arc<Definition>>,
    pub(crate) revision: u64,
    pub(crate) limits: Arc<RevisionLimits>,
    pub(crate) shared: Arc<UnitServices>,
}

/// A future that lets the event continue. It has the size 0, so boxing it allocates nothing.
struct Nothing;

impl Future for Nothing {
    type Output = AgentSaid;

    fn poll(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<AgentSaid> {
        Poll::Ready(AgentSaid::Continue)
    }
}

/// The result of a filter: the definition runs, or it does not for this reason.
pub(crate) type FilterOutcome = Result<Result<(), Unmet>, HandlerFault>;

/// A definition whose filter matched, or could not be evaluated.
struct Matched<'a> {
    definition: &'a Arc<Definition>,
    filter: Result<(), HandlerFault>,
}

/// The result of one definition.
struct Done<'a> {
    definition: &'a Arc<Definition>,
    said: Result<HandlerAnswer, HandlerFault>,
    /// Why the definition was skipped, if it was.
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

    /// What a definition wants of an event without a tool, its filter says.
    fn wants(&self, event: &hooks_core::EventInfo, tool: Option<&str>) -> bool {
        let mut definitions = self.definitions.iter();
        self.events.has(event)
            && tool.is_none_or(|tool| definitions.any(|definition| definition.may_concern(tool)))
    }

    /// A definition of our own is alone in its unit. Another system's file has no guards.
    fn is_guard(&self) -> bool {
        let mut definitions = self.definitions.iter();
        !self.is_foreign && definitions.all(|definition| definition.is_guard)
    }

    fn matches(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> bool {
        let info = events::info(event);
        let mut definitions = self.definitions.iter();
        definitions.any(|definition| definition.may_run(cx, event, info))
    }

    fn handle<'life0, 'life1, 'life2, 'async_trait>(
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
        // A unit with a single rule decides at once.
        if let [definition] = self.definitions.as_slice()
            && let Body::Rule(_) = definition.body
        {
            let filter = match definition.check(cx, &event.view(), info) {
                Ok(Err(_)) => return Box::pin(Nothing),
                Ok(Ok(())) => Ok(()),
                Err(fault) => Err(fault),
            };
            let audited = self.audited(cx, &event.view());
            let said = self.by_rule(definition, filter, cx, event, info);
            return match audited {
                Some(audited) => Box::pin(self.audit(audited, info, said)),
                None => said,
            };
        }
        let matched = self.matched(cx, &event.view(), info);
        if matched.is_empty() {
            return Box::pin(Nothing);
        }
        let audited = self.audited(cx, &event.view());
        let said = self.run(cx, event, info, matched);
        match audited {
            Some(audited) => Box::pin(self.audit(audited, info, said)),
            None => Box::pin(said),
        }
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

    /// Returns the definition whose record the agent waits for, and what is known of the record. Only entries of our own
    /// have that key, and each is alone in its unit.
    fn audited(&self, cx: &AgentContext, event: &AgentEvent<'_>) -> Option<(&Definition, Record)> {
        let first = self.definitions.first()?;
        let waits = first.marks.must_audit && self.shared.dry_run.is_none();
        waits.then(|| (&**first, Record::of(cx, event, self.revision)))
    }

    /// Waits until what a definition said is written where it stays. If that fails, the definition has failed.
    async fn audit(
        &self,
        (definition, record): (&Definition, Record),
        info: &'static EventInfo,
        said: impl Future<Output = AgentSaid>,
    ) -> AgentSaid {
        let said = said.await;
        let steps = record::notes();
        let written = self.written(definition, record, &steps).await;
        steps.into_iter().for_each(record::note);
        let Err(fault) = written else { return said };
        tracing::error!(hook = &*definition.name, event = info.name, %fault, "a hook must be recorded, and is not");
        match said {
            AgentSaid::Cancel { .. } => said,
            _ if definition.blocks_on(&fault, info) => {
                AgentSaid::block(format!("the hook `{}` failed: {fault}", definition.name))
            }
            _ => said,
        }
    }

    /// Records what a definition said, and waits until that is written.
    async fn written(
        &self,
        definition: &Definition,
        record: Record,
        steps: &[RecordStep],
    ) -> Result<(), HandlerFault> {
        if !clock::is_there() {
            return Err(HandlerFault::not_started(clock::MISSING));
        }
        let Some(recorder) = &self.shared.recorder else {
            let why = "the decision must be recorded, and nothing records here";
            return Err(HandlerFault::failed(why));
        };
        let Some(step) = steps.last() else {
            return Ok(());
        };
        let record = record.part(RecordPart::Audited, step.clone());
        // A recorder that panics has not written.
        let mut keeping = recorder.keep(&record);
        let kept = poll_fn(|cx| {
            let polled = catch_unwind(AssertUnwindSafe(|| keeping.as_mut().poll(cx)));
            polled.unwrap_or_else(|_| Poll::Ready(Err(io::Error::other("the recorder panicked"))))
        });
        match tokio::time::timeout(definition.timeout, kept).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => Err(HandlerFault::failed(format!(
                "the record cannot be written: {error}"
            ))),
            Err(_) => Err(HandlerFault::timed_out(definition.timeout)),
        }
    }

    /// Explains for each definition why it would run on an event, or why not.
    pub(crate) fn explain(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
    ) -> Vec<(&Arc<Definition>, FilterOutcome)> {
        let info = events::info(event);
        let definitions = self.definitions.iter();
        definitions
            .map(|definition| (definition, definition.check(cx, event, info)))
            .collect()
    }

    /// Asks a rule, which decides without waiting.
    fn by_rule<'f>(
        &'f self,
        definition: &'f Arc<Definition>,
        filter: Result<(), HandlerFault>,
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
            Some(skipped) => Ok(HandlerAnswer::ignoring(skipped)),
            None => filter.and_then(|()| {
                let renamed = definition.filter.renamed(&event.view());
                let said = caught(|| decide(rule, cx, &event.view(), renamed.as_ref()));
                said.map(|answer| answer.renamed(renamed.as_ref(), info))
            }),
        };
        let done = Done {
            definition,
            said,
            skipped,
            duration: started.elapsed(),
        };
        match self.conclude(event, info, [done]) {
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
                Some("hooks have already made the agent continue as often as a turn allows")
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
                said: Ok(HandlerAnswer::ignoring(skipped)),
                skipped: Some(skipped),
                duration: Duration::ZERO,
            });
            return self.conclude(event, info, left_out);
        }
        let is_in_turn = |one: &Matched<'_>| one.definition.is_in_turn;
        if self.order == UnitOrder::InTurn || matched.iter().any(is_in_turn) {
            for one in matched {
                let done = self.ask_in_time(cx, &event.view(), info, vec![one]).await;
                let said = self.conclude(event.reborrow(), info, done);
                if !said.is_continue() {
                    return said;
                }
            }
            return AgentSaid::Continue;
        }
        let done = self.ask_in_time(cx, &event.view(), info, matched).await;
        self.conclude(event, info, done)
    }

    /// Asks definitions at once, in the time that is left for all hooks of the event.
    async fn ask_in_time<'d>(
        &'d self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
        matched: Vec<Matched<'d>>,
    ) -> Vec<Done<'d>> {
        let budget = self.budget();
        let left = budget.map(|budget| budget.saturating_sub(time_spent()));
        let started = Instant::now();
        let asked = matched
            .into_iter()
            .map(|one| self.ask(cx, event, info, one, left));
        let done = join_all(asked.collect()).await;
        if budget.is_some() {
            spend_time(started.elapsed());
        }
        done
    }

    /// The time that all hooks of an event have together. If the file does not say, the hooks of other systems' files
    /// have only the timeouts that their systems give them.
    fn budget(&self) -> Option<Duration> {
        let has_one = !self.is_foreign
            || self
                .definitions
                .iter()
                .any(|definition| definition.dialect == Dialect::Goclaw);
        let default = has_one.then_some(LimitsConfig::CHAIN);
        self.limits.config.chain.or(default)
    }

    /// Runs definitions on an event that they only observe, in the background unless they say otherwise. All hooks of
    /// the event run at once, so each has the whole time.
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
            .map(|one| self.ask(cx, &view, info, one, self.budget()));
        let done = join_all(asked.collect()).await;
        for one in done {
            self.record(info, one);
        }
        AgentSaid::Continue
    }
}
