//! Interprets a model's answer. Anything other than a clear decision is a failure.

use serde_json::Value;

use crate::answer::{Change, HandlerAnswer, Verdict};
use crate::evaluator::Evaluated;
use crate::events::EventInfo;
use crate::fault::HandlerFault;
use crate::system::Dialect;
use crate::system::QuestionEvent;

/// The maximum length of a reason, in characters.
const MOST_REASON: usize = 1000;

/// Whether a person can be asked about an event.
pub(super) fn may_ask(info: &EventInfo) -> bool {
    info.name == "BeforeToolCall"
}

/// Returns the decision, if there is one.
pub(super) fn answer_of(
    evaluated: &Evaluated,
    dialect: Dialect,
    on: &QuestionEvent,
) -> Result<HandlerAnswer, HandlerFault> {
    let call = match evaluated.calls.as_slice() {
        [call] if call.name == "decide" => call,
        [] => {
            return Err(HandlerFault::nonsense(
                "the model answered in free text, and did not call `decide`",
            ));
        }
        [_] => {
            return Err(HandlerFault::nonsense(
                "the model called a tool that is not `decide`",
            ));
        }
        _ => {
            return Err(HandlerFault::nonsense(
                "the model called several tools, and not `decide` alone",
            ));
        }
    };
    let Value::Object(args) = &call.args else {
        return Err(HandlerFault::nonsense(
            "the model called `decide` with something that is not an object",
        ));
    };
    let said = match args.get("reason") {
        Some(Value::String(reason)) if !reason.trim().is_empty() => {
            reason.trim().chars().take(MOST_REASON).collect()
        }
        _ => format!("the hook `{}` gave no reason", on.hook),
    };
    let is_injected = !matches!(
        args.get("injection_detected"),
        None | Some(Value::Null | Value::Bool(false))
    );
    if is_injected {
        tracing::warn!(
            key = "security.hook.prompt_injection",
            hook = on.hook,
            "a model found an instruction in what it judges"
        );
        let reason = format!(
            "the input contains text that tries to instruct the model that judges it: {said}"
        );
        return Ok(HandlerAnswer::block(reason));
    }
    let verdict = match args.get("decision").and_then(Value::as_str) {
        Some("allow") => Verdict::Continue,
        Some("ask") if may_ask(on.info) => Verdict::Ask { reason: said },
        // If no person can be asked, the call is blocked.
        Some("ask" | "block") => Verdict::Block { reason: said },
        _ => {
            return Err(HandlerFault::nonsense(
                "the model called `decide` without `allow`, `block` or `ask`",
            ));
        }
    };
    let mut answer = HandlerAnswer::of(verdict);
    match args.get("updated_input") {
        None | Some(Value::Null) => {}
        Some(input @ Value::Object(_)) if on.info.takes_args && dialect != Dialect::Goclaw => {
            answer.change = Some(Change::Replace(input.clone()));
        }
        Some(Value::Object(_)) => answer
            .warnings
            .push("the model changed the input, which cannot be changed here".into()),
        Some(_) => {
            return Err(HandlerFault::nonsense(
                "the model called `decide` with an `updated_input` that is not an object",
            ));
        }
    }
    Ok(answer)
}
