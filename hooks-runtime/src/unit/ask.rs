//! Asks one definition under its safeguards, while the agent waits or continues.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hooks_builtin::__caller as caller;
use hooks_core::agent::{AgentContext, AgentEvent};
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::conclude::{fail, keep};
use super::guard::{asked, guarded, told};
use super::{Done, Matched, Unit};
use crate::answer::HandlerAnswer;
use crate::definition::{Body, Definition};
use crate::dry_run::DryRun;
use crate::entry::Mode;
use crate::events::EventInfo;
use crate::fault::{FaultKind, HandlerFault, caught};
use crate::handler::PendingAnswer;
use crate::handler::rule::decide;
use crate::record::{self, Record, RecordPart};
use crate::system::HandlerQuestion;
use crate::system::tools::Renamed;

/// Why a handler has not answered: it is recorded when it has ended.
pub(super) const IN_BACKGROUND: &str = "the handler runs in the background";

impl Unit {
    /// Asks one definition under its safeguards, in the time that is left for all hooks of the event.
    pub(super) async fn ask<'d>(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        info: &'static EventInfo,
        matched: Matched<'d>,
        left: Option<Duration>,
    ) -> Done<'d> {
        let Matched { definition, filter } = matched;
        let started = Instant::now();
        let mut skipped = None;
        let renamed = definition.filter.renamed(event);
        let said = match (filter, &definition.body) {
            (Err(fault), _) => Err(fault),
            (Ok(()), Body::Rule(rule)) => caught(|| decide(rule, cx, event, renamed.as_ref())),
            (Ok(()), Body::Handler(_)) if let Some(dry_run) = self.left_out(definition) => {
                match dry_run.ask(&definition.name, cx, event) {
                    Ok(said) => said,
                    Err(why) => {
                        skipped = Some(why);
                        Ok(HandlerAnswer::default())
                    }
                }
            }
            (Ok(()), Body::Handler(_)) if cx.depth > self.limits.config.depth => {
                tracing::warn!(
                    key = "security.hook.loop_depth_exceeded",
                    hook = &*definition.name,
                    depth = cx.depth,
                    "subagents are nested too deep for hooks"
                );
                Err(HandlerFault::not_asked(format_args!(
                    "subagents are nested {} deep, and hooks run {} deep at most",
                    cx.depth, self.limits.config.depth
                )))
            }
            (Ok(()), Body::Handler(handler)) => {
                let ask = HandlerQuestion {
                    cx,
                    event: *event,
                    info,
                    hook: &definition.name,
                    named: definition.named(info).unwrap_or(info.name),
                    tool: definition.filter.tool(event),
                    args: renamed.as_ref().map(Renamed::args),
                    is_closed: definition.blocks_on(&HandlerFault::nonsense(""), info),
                };
                let is_background =
                    definition.is_background && tokio::runtime::Handle::try_current().is_ok();
                if is_background && let Some(listener) = handler.listener() {
                    let _span = self.span(definition, info).entered();
                    told(definition, &self.limits, || {
                        listener.tell(&ask).inspect_err(|fault| {
                            if fault.kind == FaultKind::NotAsked {
                                self.shared.dropped.fetch_add(1, Ordering::Relaxed);
                            }
                        })
                    })
                } else if is_background {
                    let asked = asked(|| handler.ask(&ask));
                    skipped = Some(IN_BACKGROUND);
                    self.in_background(definition, asked, cx, event, info);
                    Ok(HandlerAnswer::default())
                } else if left.is_some_and(|left| left.is_zero()) {
                    Err(HandlerFault::not_asked(
                        "the hooks before it used up the time that all hooks of an event share",
                    ))
                } else {
                    let room = self.room(info);
                    let span = self.span(definition, info);
                    let ask = || handler.ask(&ask);
                    let left = left.unwrap_or(Duration::MAX);
                    guarded(definition, &self.limits, room, span, ask, left).await
                }
            }
        };
        let said = said.map(|answer| answer.renamed(renamed.as_ref(), info));
        Done {
            definition,
            said,
            skipped,
            duration: started.elapsed(),
        }
    }

    /// Returns the dry run, if it must not run the handler.
    fn left_out(&self, definition: &Definition) -> Option<&DryRun> {
        let dry_run = self.shared.dry_run.as_ref();
        dry_run.filter(|dry_run| match &definition.body {
            Body::Rule(_) => false,
            Body::Handler(handler) => {
                let runs = dry_run.runs(&definition.name, definition.marks.is_harmless);
                !(runs || handler.is_inert())
            }
        })
    }

    /// Returns the semaphore for a handler that the agent waits for.
    fn room(&self, info: &EventInfo) -> &Semaphore {
        if info.is_intercepted {
            &self.limits.deciding
        } else {
            &self.limits.watching
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
        asked: PendingAnswer,
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
                "too many hooks run in the background: skipped this one"
            );
            return;
        }
        let (definition, limits) = (Arc::clone(definition), Arc::clone(&self.limits));
        let shared = Arc::clone(&self.shared);
        let mut step = Unit::blank(&definition);
        let record = Record::of(cx, event, self.revision);
        let (cx, span) = (cx.clone(), self.span(&definition, info));
        tasks.spawn(caller::inherited(async move {
            let started = Instant::now();
            let room = &limits.watching;
            let asked = move || asked;
            let said = guarded(&definition, &limits, room, span, asked, Duration::MAX).await;
            step.duration = started.elapsed();
            step.why = "in the background".into();
            match said {
                Ok(mut answer) => {
                    if definition.wakes {
                        let refusal = answer.verdict.reason().map(str::to_owned);
                        answer
                            .context
                            .extend(refusal.or_else(|| answer.feedback.take()));
                    }
                    if definition.answers_late && definition.mode == Mode::Enforce {
                        shared.late.keep(&cx, &answer);
                    }
                    step.messages = answer.messages;
                    step.warnings = answer.warnings;
                }
                Err(fault) => fail(&mut step, &fault),
            }
            if let Some(recorder) = &shared.recorder {
                let record = record.part(RecordPart::Background, step.clone());
                record::pass(&record, &**recorder);
            }
            keep(&definition, step);
        }));
    }
}
