//! Combines the answers of definitions: one decision, one change, and a record of each.
//!
//! # Why it is so
//!
//! The definitions of a unit are asked at once, about the same event, so their answers meet only here, in the order of the
//! file and not in that of their arrival. Of the verdicts, the one with the highest
//! [rank](crate::answer::Verdict::rank) counts, and of equal ones the first. A change is whole or nothing: of two, the last
//! one counts, and the record of the first warns. Above `Ask`, the call does not run, so there is nothing to change, unless
//! an answer takes its place.
//!
//! Whether a change fits the event is known only when the event takes it, after the merge. If it does not, that is a
//! failure of the definition that made it: the policy of this definition decides, and the answers of the others are applied
//! without it. So records are finished last, when no outcome can change any more. A definition in shadow mode goes the same
//! way and is left out of the merge alone, so its record says what it would have done.
//!
//! All this happens on every event that a definition handles. So a step takes over the memory of the last one of its
//! definition, and an event is compared as a whole only if a recorder asks.

use std::sync::{Arc, PoisonError};

use hooks_core::agent::{AgentEvent, AgentEventMut, AgentSaid};
use serde_json::{Value, json};

use super::ask::IN_BACKGROUND;
use super::{Done, Unit, UnitServices};
use crate::answer::{self, HandlerAnswer, Verdict};
use crate::definition::Definition;
use crate::entry::Mode;
use crate::events::{self, EventInfo};
use crate::fault::{FaultKind, HandlerFault};
use crate::record::{self, RecordOutcome, RecordStep};

impl Unit {
    /// Merges the answers of the definitions, applies the result, and records it.
    pub(super) fn conclude<'d>(
        &self,
        mut event: AgentEventMut<'_>,
        info: &'static EventInfo,
        done: impl IntoIterator<Item = Done<'d>, IntoIter: ExactSizeIterator>,
    ) -> AgentSaid {
        let done = done.into_iter();
        let mut merged = HandlerAnswer::default();
        let mut decided = None;
        let mut records = Vec::with_capacity(done.len());
        let mut changed_by: Option<usize> = None;
        let mut added_by = None;
        for (index, one) in done.enumerate() {
            let definition = Arc::clone(one.definition);
            let mut record = Unit::blank(&definition);
            record.duration = one.duration;
            let counts = definition.mode == Mode::Enforce;
            if let Some(skipped) = one.skipped {
                record.outcome = RecordOutcome::Skipped;
                record.why = skipped.into();
            }
            let mut said = one
                .said
                .and_then(|said| definition.judged(said))
                .unwrap_or_else(|fault| failed(&definition, &fault, info, &mut record));
            if record.outcome == RecordOutcome::Continue {
                record.outcome = outcome_of(&said);
                record.reason = said.verdict.reason().map(str::to_owned);
            }
            if let Some(ignored) = said.ignored.take()
                && said.verdict.rank() < 2
                && said.feedback.is_none()
            {
                if record.why.is_empty() {
                    record.why = "a part of its answer was ignored".into();
                }
                goes_on(&definition, &ignored, info, &mut record);
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
                        let (other, first): &mut (Arc<Definition>, RecordStep) =
                            &mut records[first];
                        first.warnings.push(format!(
                            "`{}` changes the same value as `{}`: the change of `{}` counts",
                            other.name, definition.name, definition.name
                        ));
                    }
                    changed_by = Some(index);
                    merged.change = said.change;
                }
                if !said.context.is_empty() {
                    added_by = added_by.or(Some(index));
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
        // Only a recorder asks what has changed in an event.
        let whose = changed_by.or(added_by);
        let whose = whose.filter(|_| self.shared.recorder.is_some());
        let before = whose.map(|at| (at, Before::of(&event.view(), &merged)));
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
        if let Some((at, before)) = before {
            records[at].1.change = before.change(&event.view());
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

    pub(super) fn record(&self, info: &'static EventInfo, done: Done<'_>) {
        // A handler in the background is recorded when it has ended.
        if done.skipped == Some(IN_BACKGROUND) {
            return;
        }
        let mut record = Unit::blank(done.definition);
        record.duration = done.duration;
        if let Some(skipped) = done.skipped {
            record.outcome = RecordOutcome::Skipped;
            record.why = skipped.into();
        }
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

    /// Creates the step of a definition that has not answered yet, in the place of an older one whose texts have their
    /// memory already.
    pub(super) fn blank(definition: &Definition) -> RecordStep {
        let spare = definition.state.spare.try_lock();
        let spare = spare.ok().and_then(|mut spare| spare.take());
        let older = spare.unwrap_or_default();
        let mut step = RecordStep::new("", RecordOutcome::Continue);
        for (text, old, new) in [
            (&mut step.hook, older.hook, &*definition.name),
            (&mut step.source, older.source, definition.origin.shown()),
            (&mut step.handler, older.handler, definition.body.kind()),
        ] {
            *text = old;
            text.clear();
            text.push_str(new);
        }
        step.hook_version = definition.marks.version;
        step.shadow = definition.mode != Mode::Enforce;
        step
    }
}

/// What has to be known of an event to say what an answer has changed in it.
enum Before {
    /// The number of texts for the model, if the answer can only add to them. An event may be long, and is not compared.
    Texts(usize),
    /// The whole event.
    Event(Value),
}

impl Before {
    fn of(event: &AgentEvent<'_>, answer: &HandlerAnswer) -> Self {
        let only_adds = answer.change.is_none() && answer.verdict == Verdict::Continue;
        match events::context(event).filter(|_| only_adds) {
            Some(texts) => Before::Texts(texts.len()),
            None => Before::Event(serde_json::to_value(event).unwrap_or_default()),
        }
    }

    /// Returns the change as a JSON Patch; none if the event is the same.
    fn change(self, event: &AgentEvent<'_>) -> Option<Value> {
        match self {
            Before::Texts(before) => {
                let texts = events::context(event)?;
                let added = |path, value| json!({ "op": "add", "path": path, "value": value });
                let patch: Vec<Value> = match before {
                    // A list without texts is not in the JSON of an event.
                    0 if !texts.is_empty() => vec![added("/context".to_owned(), json!(texts))],
                    _ => (before..texts.len())
                        .map(|at| added(format!("/context/{at}"), json!(texts[at])))
                        .collect(),
                };
                (!patch.is_empty()).then(|| patch.into())
            }
            Before::Event(before) => {
                let after = serde_json::to_value(event).unwrap_or_default();
                let patch = json_patch::diff(&before, &after);
                (!patch.is_empty()).then(|| json!(patch))
            }
        }
    }
}

/// Returns the effect of a failed definition: a block, if its policy says so, or nothing.
fn failed(
    definition: &Definition,
    fault: &HandlerFault,
    info: &'static EventInfo,
    record: &mut RecordStep,
) -> HandlerAnswer {
    fail(record, fault);
    if definition.blocks_on(fault, info) {
        return HandlerAnswer::block(format!("the hook `{}` failed: {fault}", definition.name));
    }
    goes_on(definition, &fault.message, info, record);
    HandlerAnswer::default()
}

/// Counts that an event goes on although a definition has failed.
fn goes_on(
    definition: &Definition,
    fault: &str,
    info: &'static EventInfo,
    record: &mut RecordStep,
) {
    tracing::warn!(hook = &*definition.name, event = info.name, %fault, "a hook failed, and the event goes on");
    if definition.mode == Mode::Enforce {
        record.why.push_str(record::GOES_ON);
        let state = definition.state.failed_open.lock();
        let (count, reason) = &mut *state.unwrap_or_else(PoisonError::into_inner);
        *count += 1;
        fault.clone_into(reason);
    }
}

/// Applies the merged answer of the definitions.
///
/// A change that does not fit the event is a failure of the definition that made it. The decisions of the others still
/// apply.
fn apply(
    mut event: AgentEventMut<'_>,
    info: &'static EventInfo,
    merged: HandlerAnswer,
    changed_by: Option<usize>,
    decided_by: Option<usize>,
    records: &mut [(Arc<Definition>, RecordStep)],
) -> AgentSaid {
    let unchanged = changed_by.map(|_| HandlerAnswer {
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

fn outcome_of(answer: &HandlerAnswer) -> RecordOutcome {
    match &answer.verdict {
        Verdict::Continue if answer.is_nothing() => RecordOutcome::Continue,
        Verdict::Continue => RecordOutcome::Modify,
        Verdict::Approve { .. } => RecordOutcome::Approve,
        Verdict::Ask { .. } => RecordOutcome::Ask,
        Verdict::Defer { .. } => RecordOutcome::Defer,
        Verdict::Respond(_) => RecordOutcome::Respond,
        Verdict::Block { .. } => RecordOutcome::Block,
        Verdict::AbortTurn { .. } => RecordOutcome::AbortTurn,
        Verdict::AbortRun { .. } => RecordOutcome::AbortRun,
    }
}

pub(super) fn fail(record: &mut RecordStep, fault: &HandlerFault) {
    record.outcome = RecordOutcome::Fault;
    record.reason = Some(fault.message.clone());
    record.why = match fault.kind {
        FaultKind::NotStarted => "the handler could not be started",
        FaultKind::TimedOut => "the handler took too long",
        FaultKind::OutOfTime => "all hooks of the event took too long together",
        FaultKind::Failed => "the handler failed",
        FaultKind::Nonsense => "the handler's answer is invalid",
        FaultKind::Filter => "the filter could not be evaluated",
        FaultKind::NotAsked => "the handler was not asked",
    }
    .into();
}

/// Keeps a step, and hands it to the record of the event.
pub(super) fn finish(shared: &UnitServices, definition: &Definition, step: RecordStep) {
    if shared.recorder.is_some() {
        record::note(step.clone());
    }
    keep(definition, step);
}

/// Keeps a step, and tells who listens.
pub(super) fn keep(definition: &Definition, step: RecordStep) {
    for message in &step.messages {
        tracing::info!(hook = &*definition.name, "{message}");
    }
    for warning in &step.warnings {
        tracing::warn!(hook = &*definition.name, "{warning}");
    }
    record::hear(&step);
    let mut last = definition
        .state
        .last
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let old = last.replace(step);
    drop(last);
    if let Ok(mut spare) = definition.state.spare.try_lock() {
        *spare = old;
    }
}
