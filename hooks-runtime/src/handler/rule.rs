//! The handler of rules: decisions in the file itself.

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::action::Action;
use hooks_rules::template::{Pattern, Template};
use serde_json::Value;

use crate::answer::{Answer, Change, Verdict, kind_of};
use crate::cut::cut;
use crate::fault::Fault;
use crate::filter::variables::Variables;
use crate::system::tools::Renamed;

/// Returns the answer of the rule to an event, whose arguments may have other names in the file.
pub(crate) fn decide(
    action: &Action,
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
    Ok(match action {
        Action::Block(reason) => Answer::of(Verdict::Block {
            reason: text(reason)?,
        }),
        Action::AbortTurn(reason) => Answer::of(Verdict::AbortTurn {
            reason: text(reason)?,
        }),
        Action::AbortRun(reason) => Answer::of(Verdict::AbortRun {
            reason: text(reason)?,
        }),
        Action::Ask(reason) => Answer::of(Verdict::Ask {
            reason: text(reason)?,
        }),
        Action::Defer(reason) => Answer::of(Verdict::Defer {
            reason: text(reason)?,
        }),
        Action::Approve(by) => Answer::of(Verdict::Approve {
            by: Some(text(by)?),
        }),
        Action::Context(context) => Answer {
            context: vec![text(context)?],
            ..Answer::default()
        },
        Action::Respond(pattern) => Answer::of(Verdict::Respond(value(pattern)?)),
        Action::Modify(pattern) => Answer {
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
