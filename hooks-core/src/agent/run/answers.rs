//! Gives every tool call an output, which providers require.

use alloc::vec::Vec;

use super::super::{ChatMessage, Part, ToolOutput};

/// Sets `why` as the output of each call that has none yet, in the last message with calls.
///
/// Providers reject a conversation in which a call is not followed by its output.
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
        // Models without call ids repeat the empty id, so each output counts for one call.
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

/// The ids of the calls whose outputs the message holds: one for OpenAI, several in parts for Anthropic.
fn answered_by(message: &ChatMessage) -> impl Iterator<Item = &str> {
    let parts = message.parts.iter().filter_map(|part| match part {
        Part::ToolResult(result) => result.tool_call_id.as_deref(),
        _ => None,
    });
    message.tool_call_id.as_deref().into_iter().chain(parts)
}
