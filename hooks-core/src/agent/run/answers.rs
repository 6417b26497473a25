//! What a conversation needs so that a model can be asked with it: an output for each call.

use alloc::vec::Vec;

use super::super::{ChatMessage, Part, ToolOutput};

/// Gives each call of the last message that calls something, and that has no output yet, `why` as its output.
///
/// Providers refuse a conversation in which a call has no output right after it.
pub(super) fn answer_calls(messages: &mut Vec<ChatMessage>, why: &str) {
    let calling = |message: &ChatMessage| !message.tool_calls.is_empty();
    let Some(last) = messages.iter().rposition(calling) else {
        return;
    };
    let after = &messages[last + 1..];
    let outputs = after.iter().take_while(|one| is_output(one)).count();
    let mut answered: Vec<&str> = after[..outputs].iter().flat_map(answered_by).collect();
    let mut missing = Vec::new();
    for call in &messages[last].tool_calls {
        // Where ids are not unique, as with models that give none, each output is that of one call.
        match answered.iter().position(|id| *id == call.id) {
            Some(place) => {
                answered.swap_remove(place);
            }
            None => missing.push(ChatMessage::tool_result(
                call.id.as_str(),
                &ToolOutput::error(why),
            )),
        }
    }
    let place = last + 1 + outputs;
    messages.splice(place..place, missing);
}

fn is_output(message: &ChatMessage) -> bool {
    answered_by(message).next().is_some()
}

/// The calls whose outputs the message holds: of one, as with OpenAI, or in parts of several, as with Anthropic.
fn answered_by(message: &ChatMessage) -> impl Iterator<Item = &str> {
    let parts = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => result.tool_call_id.as_deref(),
        _ => None,
    });
    message.tool_call_id.as_deref().into_iter().chain(parts)
}
