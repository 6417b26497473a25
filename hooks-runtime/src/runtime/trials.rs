//! Asks hooks about tests. Nothing with effects runs.

use hooks_config::ConfigError;
use hooks_core::agent::AgentContext;
use serde::Serialize;

use super::coverage::{ConditionCoverage, CoveredRule};
use super::{Decided, Runtime, RuntimeBuilder};
use crate::dry_run::DryRun;
use crate::entry::TestEntry;
use crate::owned::OwnedEvent;
use crate::record::{Record, RecordOutcome, RecordStep, Records};
use crate::trial::{Decision, TestError};

/// Hooks that are asked about tests: those of their own files, or others. They [change nothing](DryRun).
///
/// ```
/// use hooks_core::agent::AgentContext;
/// use hooks_runtime::{Runtime, Trials};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let file = r#"
///     [[hooks.on]]
///     name = "no-rm"
///     event = "BeforeToolCall"
///     if = "args.command.startsWith('rm')"
///     block = "no"
///
///     [[hooks.test]]
///     name = "lists are harmless"
///     event = "BeforeToolCall"
///     tool = "shell"
///     args = { command = "ls" }
///     expect = "block"
/// "#;
/// let mut trials = Trials::new(Runtime::builder().text(file)).await?;
/// let test = trials.runtime().tests().remove(0);
/// let tested = trials.ask(&test.entry, AgentContext::default()).await?;
/// assert_eq!(tested.differences, ["expected block, and the hooks say continue"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Trials {
    runtime: Runtime,
    records: Records,
    seen: Option<ConditionCoverage>,
}

/// What hooks have decided about a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tested {
    /// What they have decided.
    #[serde(flatten)]
    pub decision: Decision,
    /// What the test expects otherwise, in sentences. Without any, it has passed.
    pub differences: Vec<String>,
    /// What each hook for the event said, in order, if the test has failed.
    pub hooks: Vec<Told>,
}

/// What a hook said about a test, or why it did not run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Told {
    /// The hook.
    pub hook: String,
    /// What it said.
    pub said: String,
}

impl Trials {
    /// Loads hooks and their tests. A recorder of the builder hears nothing.
    ///
    /// # Errors
    ///
    /// If any of the files contains a mistake.
    pub async fn new(builder: RuntimeBuilder) -> Result<Self, ConfigError> {
        let records = Records::latest(100);
        let builder = builder.dry_run(DryRun::new()).tests(true);
        let runtime = builder.recorder(records.clone()).build().await?;
        Ok(Trials {
            runtime,
            records,
            seen: None,
        })
    }

    /// Returns the hooks.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Notes from now on what each test makes true: the [coverage](Self::coverage).
    pub fn cover(&mut self) {
        self.seen = Some(ConditionCoverage::default());
    }

    /// Returns what the tests have made of each rule in the files, in the order in which the rules run.
    ///
    /// ```
    /// use hooks_core::agent::AgentContext;
    /// use hooks_runtime::{Runtime, Trials};
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = r#"
    ///     [[hooks.on]]
    ///     event = "BeforeStop"
    ///     if = "attempt == 0 && response == ''"
    ///     block = "say something"
    ///
    ///     [[hooks.test]]
    ///     name = "silence"
    ///     event = "BeforeStop"
    ///     expect = "block"
    /// "#;
    /// let mut trials = Trials::new(Runtime::builder().text(file)).await?;
    /// trials.cover();
    /// let test = trials.runtime().tests().remove(0);
    /// trials.ask(&test.entry, AgentContext::default()).await?;
    /// let rule = trials.coverage().remove(0);
    /// assert!(rule.was_true && !rule.parts[2].was_false);
    /// assert_eq!((&*rule.parts[2].text, &*rule.parts[2].source), ("response == ''", "4:27"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn coverage(&self) -> Vec<CoveredRule> {
        let seen = self.seen.as_ref();
        seen.map_or_else(Vec::new, |seen| self.runtime.covered(seen))
    }

    /// Asks the hooks about a test. What it does not say about where its event happens, `cx` says.
    ///
    /// # Errors
    ///
    /// If it is not a test of an event that exists.
    pub async fn ask(&mut self, test: &TestEntry, cx: AgentContext) -> Result<Tested, TestError> {
        let (cx, mut event) = test.raised(cx)?;
        let before = event.to_json();
        drop(self.records.take());
        let outcome = Box::pin(self.runtime.fire(&cx, &mut event)).await;
        let record = self.records.take().into_iter().rfind(Record::is_event);
        let Record {
            outcome: said,
            hook: by,
            reason,
            steps,
            ..
        } = record.unwrap_or_else(|| Record::new("", event.name()));
        let is_open = |step: &RecordStep| step.is_left_out() && !step.shadow;
        let is_undecided = outcome.decision == Decided::Continue && steps.iter().any(is_open);
        let decision = Decision {
            decision: if is_undecided {
                "undecided"
            } else {
                said.as_str()
            }
            .to_owned(),
            hook: outcome.hook.or(Some(by).filter(|by| !by.is_empty())),
            reason: outcome.reason.or(reason),
            change: outcome.change,
        };
        let expect = test.expect.as_ref();
        let differences = expect.map(|expect| expect.differences(&before, &decision));
        let differences = differences.unwrap_or_default();
        let has_failed = !differences.is_empty();
        let mut hooks = Vec::new();
        if has_failed || self.seen.is_some() {
            // Hooks may have changed the event.
            let (_, event) = test.raised(AgentContext::default())?;
            if let Some(seen) = &mut self.seen {
                seen.note(&self.runtime, &cx, &event.view(), &steps);
            }
            if has_failed {
                hooks = self.told(&cx, &event, steps).await;
            }
        }
        Ok(Tested {
            decision,
            differences,
            hooks,
        })
    }

    /// What each hook for an event said: those of the files, and each other that did anything.
    async fn told(
        &self,
        cx: &AgentContext,
        event: &OwnedEvent,
        mut steps: Vec<RecordStep>,
    ) -> Vec<Told> {
        let mut told = Vec::new();
        for one in self.runtime.explain(cx, event.view()).await {
            if !one.is_for_event {
                continue;
            }
            let ran = steps.iter().position(|step| step.hook == one.hook);
            let said = match ran.map(|at| steps.remove(at)) {
                Some(step) => said(step),
                None if one.runs => "not asked: another hook had decided".to_owned(),
                None => one.why,
            };
            told.push(Told {
                hook: one.hook,
                said,
            });
        }
        steps.retain(|step| step.outcome != RecordOutcome::Continue);
        told.extend(steps.into_iter().map(|step| Told {
            hook: step.hook.clone(),
            said: said(step),
        }));
        told
    }
}

fn said(step: RecordStep) -> String {
    let texts = [Some(step.outcome.to_string()), step.reason, Some(step.why)];
    let texts = texts.into_iter().flatten().filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join(": ")
}
