//! Which rules, and which parts of their conditions, the tests of a file have made true and false.

use std::collections::HashMap;

use hooks_config::{At, Mistake};
use hooks_core::agent::{AgentContext, AgentEvent};
use serde::Serialize;

use super::Runtime;
use crate::definition::Definition;
use crate::entry::Mode;
use crate::filter::Unmet;
use crate::record::RecordStep;

/// What tests have made of a rule: of a hook that a file of ours has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CoveredRule {
    /// The hook.
    pub hook: String,
    /// The file with the hook, and the line.
    pub source: String,
    /// Whether a test made it run.
    pub was_true: bool,
    /// The parts of its condition that are true or false, from the whole to the smallest.
    pub parts: Vec<CoveredPart>,
}

/// What tests have made of a part of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CoveredPart {
    /// Its text.
    pub text: String,
    /// The file, the line and the column.
    pub source: String,
    /// Whether it was true for a test.
    pub was_true: bool,
    /// Whether it was false for a test.
    pub was_false: bool,
}

impl CoveredPart {
    /// Whether it was both.
    #[must_use]
    pub fn is_covered(&self) -> bool {
        self.was_true && self.was_false
    }
}

/// What was true, and what was false, by the names of hooks.
#[derive(Debug, Default)]
pub(super) struct ConditionCoverage(HashMap<String, (bool, Vec<[bool; 2]>)>);

impl ConditionCoverage {
    /// Notes what an event makes of all rules, and which hooks have run.
    pub(super) fn note(
        &mut self,
        hooks: &Runtime,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        ran: &[RecordStep],
    ) {
        for unit in &hooks.current().units {
            for (definition, checked) in unit.explain(cx, event) {
                let filter = &definition.filter;
                let (is_true, is_asked) = match checked {
                    Ok(Ok(())) => (true, true),
                    Ok(Err(Unmet::Condition | Unmet::Rule)) | Err(_) => (false, true),
                    Ok(Err(_)) => (false, false),
                };
                let (was_true, parts) = self.0.entry(definition.name.to_string()).or_default();
                *was_true |= is_true || ran.iter().any(|step| *step.hook == *definition.name);
                if !is_asked {
                    continue;
                }
                let values = if filter.rule.is_some() {
                    vec![Some(is_true)]
                } else {
                    let parts = filter.parts(cx, event).into_iter();
                    let values = parts.map(|part| part.value.ok().filter(|_| part.is_reached));
                    values.collect()
                };
                parts.resize(values.len(), [false; 2]);
                for (seen, value) in parts.iter_mut().zip(values) {
                    if let Some(value) = value {
                        seen[usize::from(value)] = true;
                    }
                }
            }
        }
    }
}

impl Runtime {
    /// Returns the rules that no test of their files makes true, if there are any tests: by the names of their hooks.
    ///
    /// The tests must be [kept](super::RuntimeBuilder::tests). A hook counts as true if it would run on the event of a test if no
    /// other ended that before.
    #[must_use]
    pub fn untested(&self) -> Vec<String> {
        let (tests, mut seen) = (self.tests(), ConditionCoverage::default());
        for test in &tests {
            if let Ok((cx, event)) = test.entry.raised(AgentContext::new("test")) {
                seen.note(self, &cx, &event.view(), &[]);
            }
        }
        let rules = self.covered(&seen).into_iter();
        let untested = rules.filter(|rule| !rule.was_true && !tests.is_empty());
        untested.map(|rule| rule.hook).collect()
    }

    /// Returns what was seen of each rule, in the order in which they run.
    pub(super) fn covered(&self, seen: &ConditionCoverage) -> Vec<CoveredRule> {
        let loaded = self.current();
        let all = loaded.units.iter().flat_map(|unit| &unit.definitions);
        let on = all.filter(|definition| definition.mode != Mode::Off);
        on.filter_map(|definition| {
            let (origin, index) = loaded.written.get(&*definition.name)?;
            let (was_true, parts) = seen.0.get(&*definition.name).cloned().unwrap_or_default();
            let places = places(definition).into_iter().enumerate();
            let parts = places.map(|(nth, (text, at))| {
                let path = ["hooks".into(), "on".into(), (*index).into(), "if".into()];
                let shown = origin.show(Mistake::new(path, "").at(at));
                let file = shown
                    .file()
                    .map_or(String::new(), |file| format!("{}:", file.display()));
                let (line, column) = (shown.line().unwrap_or(0), shown.column().unwrap_or(0));
                let [was_false, was_true] = parts.get(nth).copied().unwrap_or_default();
                CoveredPart {
                    text,
                    source: format!("{file}{line}:{column}"),
                    was_true,
                    was_false,
                }
            });
            Some(CoveredRule {
                hook: definition.name.to_string(),
                source: definition.origin.to_string(),
                was_true,
                parts: parts.collect(),
            })
        })
        .collect()
    }
}

/// The parts of a condition: their texts, and where they are.
fn places(definition: &Definition) -> Vec<(String, At)> {
    let filter = &definition.filter;
    if let Some(rule) = &filter.rule {
        return vec![(rule.text().to_owned(), At::Value)];
    }
    let places = filter.condition.iter().flat_map(|condition| {
        let text = |at: std::ops::Range<usize>| {
            let (start, end) = (at.start, at.end);
            (condition.text()[at].to_owned(), At::Part { start, end })
        };
        condition.places().into_iter().map(text)
    });
    places.collect()
}
