//! Converts the model's answer.

use hooks_core::agent::{LlmResponse, StopReason, Usage};
use rig_agent::core::completion::{
    AssistantContent, CompletionResponse, FinishReason, Usage as RigUsage,
};

use super::message::{assistant_text, lines, tool_call};

/// The answer, as hooks see it.
pub(crate) fn response(response: &CompletionResponse) -> LlmResponse {
    let is_thought = |block: &AssistantContent| matches!(block, AssistantContent::Reasoning(_));
    LlmResponse {
        tool_calls: response
            .choice
            .iter()
            .filter_map(|block| match block {
                AssistantContent::ToolCall(call) => Some(tool_call(call)),
                _ => None,
            })
            .collect(),
        reasoning: response.choice.iter().any(is_thought).then(|| {
            lines(response.choice.iter().filter_map(|block| match block {
                AssistantContent::Reasoning(thought) => Some(thought.text.as_str()),
                _ => None,
            }))
        }),
        stop_reason: response.finish_reason().map(stop_reason),
        usage: usage(&response.usage),
        ..LlmResponse::new(assistant_text(&response.choice))
    }
}

fn stop_reason(reason: FinishReason) -> StopReason {
    match reason {
        FinishReason::Stop => StopReason::EndTurn,
        FinishReason::Length => StopReason::MaxTokens,
        FinishReason::ToolCalls => StopReason::ToolUse,
        FinishReason::ContentFilter => StopReason::ContentFilter,
        FinishReason::Other(word) => StopReason::from(word.as_str()),
        other => StopReason::Other(format!("{other:?}")),
    }
}

/// The usage. In both types, input includes cached tokens, and output includes reasoning.
pub(crate) fn usage(usage: &RigUsage) -> Usage {
    Usage {
        cache_read_tokens: usage.cached_input_tokens.unwrap_or_default(),
        cache_write_tokens: usage.cache_creation_input_tokens.unwrap_or_default(),
        reasoning_tokens: usage.reasoning_tokens.unwrap_or_default(),
        cost_usd: usage.cost.map(|cost| cost.total),
        ..Usage::new(
            usage.input_tokens.unwrap_or_default(),
            usage.output_tokens.unwrap_or_default(),
        )
    }
}

/// The answer, if hooks have changed it.
pub(crate) fn changed_response(
    new: &LlmResponse,
    old: &CompletionResponse,
) -> Result<Option<CompletionResponse>, String> {
    let seen = response(old);
    if seen.content == new.content && seen.tool_calls == new.tool_calls {
        return Ok(None);
    }
    if !seen.tool_calls.is_empty() || !new.tool_calls.is_empty() {
        return Err(
            "a hook changed a response with tool calls, but rig accepts only a new text: change the calls in a hook on BeforeToolCall"
                .into(),
        );
    }
    let mut changed = old.clone();
    changed
        .choice
        .retain(|block| !matches!(block, AssistantContent::Text(_)));
    if !new.content.is_empty() {
        changed
            .choice
            .push(AssistantContent::text(new.content.as_str()));
    }
    Ok(Some(changed))
}
