//! The handler of rules: decisions in the file itself.

use hooks_core::agent::{AgentContext, AgentEvent};
use hooks_rules::action::Action;
use hooks_rules::template::{Pattern, Template};
use serde_json::Value;

use crate::answer::{Change, HandlerAnswer, Verdict, kind_of};
use crate::cut::cut;
use crate::fault::HandlerFault;
use crate::filter::variables::EventVariables;
use crate::system::tools::Renamed;

/// Returns the answer of the rule to an event, whose arguments may have other names in the file.
pub(crate) fn decide(
    action: &Action,
    cx: &AgentContext,
    event: &AgentEvent<'_>,
    renamed: Option<&Renamed>,
) -> Result<HandlerAnswer, HandlerFault> {
    let variables = || EventVariables::with(cx, *event, Renamed::variables(renamed));
    let text = |template: &Template| {
        let text = match template.as_plain() {
            Some(plain) => plain.to_owned(),
            None => template.fill(&variables())?,
        };
        Ok::<_, HandlerFault>(cut(text))
    };
    let value = |pattern: &Pattern| pattern.fill(&variables()).map_err(HandlerFault::from);
    Ok(match action {
        Action::Block(reason) => HandlerAnswer::of(Verdict::Block {
            reason: text(reason)?,
        }),
        Action::AbortTurn(reason) => HandlerAnswer::of(Verdict::AbortTurn {
            reason: text(reason)?,
        }),
        Action::AbortRun(reason) => HandlerAnswer::of(Verdict::AbortRun {
            reason: text(reason)?,
        }),
        Action::Ask(reason) => HandlerAnswer::of(Verdict::Ask {
            reason: text(reason)?,
        }),
        Action::Defer(reason) => HandlerAnswer::of(Verdict::Defer {
            reason: text(reason)?,
        }),
        Action::Approve(by) => HandlerAnswer::of(Verdict::Approve {
            by: Some(text(by)?),
        }),
        Action::Context(context) => HandlerAnswer {
            context: vec![text(context)?],
            ..HandlerAnswer::default()
        },
        Action::Respond(pattern) => HandlerAnswer::of(Verdict::Respond(value(pattern)?)),
        Action::Modify(pattern) => HandlerAnswer {
            change: Some(match value(pattern)? {
                Value::Object(keys) => Change::Merge(keys),
                other => {
                    return Err(HandlerFault::nonsense(format!(
                        "`modify` gives {}, but must give a table of the keys to set",
                        kind_of(&other)
                    )));
                }
            }),
            ..HandlerAnswer::default()
        },
    })
}
