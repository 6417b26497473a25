//! Rules: decisions in the file itself.

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::template::{Pattern, Template};
use serde_json::Value;

use crate::answer::{Answer, Change, Verdict, kind_of};
use crate::cut::cut;
use crate::fault::Fault;
use crate::filter::variables::Variables;
use crate::system::tools::Renamed;

/// The action of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    Block(Template),
    AbortTurn(Template),
    AbortRun(Template),
    Ask(Template),
    Defer(Template),
    Approve(Template),
    Context(Template),
    Respond(Pattern),
    Modify(Pattern),
}

impl Rule {
    /// Returns the answer of the rule to an event, whose arguments may have other names in the file.
    pub(crate) fn decide(
        &self,
        cx: &AgentContext,
        event: &AgentEvent<'_>,
        renamed: Option<&Renamed>,
    ) -> Result<Answer, Fault> {
        let variables = || Variables::with(cx, *event, Renamed::variables(renamed));
        let text = |template: &Template| {
            let text = match template.as_plain() {
                Some(plain) => plain.to_owned(),
                None => template.fill(&variables())?,
            };
            Ok::<_, Fault>(cut(text))
        };
        let value = |pattern: &Pattern| pattern.fill(&variables()).map_err(Fault::from);
        Ok(match self {
            Rule::Block(reason) => Answer::of(Verdict::Block {
                reason: text(reason)?,
            }),
            Rule::AbortTurn(reason) => Answer::of(Verdict::AbortTurn {
                reason: text(reason)?,
            }),
            Rule::AbortRun(reason) => Answer::of(Verdict::AbortRun {
                reason: text(reason)?,
            }),
            Rule::Ask(reason) => Answer::of(Verdict::Ask {
                reason: text(reason)?,
            }),
            Rule::Defer(reason) => Answer::of(Verdict::Defer {
                reason: text(reason)?,
            }),
            Rule::Approve(by) => Answer::of(Verdict::Approve {
                by: Some(text(by)?),
            }),
            Rule::Context(context) => Answer {
                context: vec![text(context)?],
                ..Answer::default()
            },
            Rule::Respond(pattern) => Answer::of(Verdict::Respond(value(pattern)?)),
            Rule::Modify(pattern) => Answer {
                change: Some(match value(pattern)? {
                    Value::Object(keys) => Change::Merge(keys),
                    other => {
                        return Err(Fault::nonsense(format!(
                            "`modify` gives {}, but must give a table of the keys to set",
                            kind_of(&other)
                        )));
                    }
                }),
                ..Answer::default()
            },
        })
    }

    /// Returns the key of the rule in the file.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Rule::Block(_) => "block",
            Rule::AbortTurn(_) => "abort_turn",
            Rule::AbortRun(_) => "abort_run",
            Rule::Ask(_) => "ask",
            Rule::Defer(_) => "defer",
            Rule::Approve(_) => "approve",
            Rule::Context(_) => "context",
            Rule::Respond(_) => "respond",
            Rule::Modify(_) => "modify",
        }
    }
}
