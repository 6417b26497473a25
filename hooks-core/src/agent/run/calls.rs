//! The tool calls of one answer: one after the other, or several at the same time.
//!
//! Which of the two is a type and not a value. Room for several calls makes the future of a turn several times as large,
//! and a turn that runs one call at a time must not have that room.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::future::poll_fn;
use core::pin::pin;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::Poll;

use super::super::{
    AgentContext, AgentHooks, BeforeToolCall, ChatMessage, InvalidToolCall, ToolAnnotations,
    ToolCall, ToolCallSkipped, ToolDefinition, ToolOutput,
};
use super::Conversation;
use super::answers::answer_calls;
use super::tool::{repair, tool_call};
use crate::Cancel;

/// What a turn knows about its tools.
#[derive(Clone, Copy)]
struct TurnTools<'a> {
    tools: &'a [ToolDefinition],
    annotations: &'a BTreeMap<String, ToolAnnotations>,
}

impl Conversation {
    /// What is known about the tools, and the messages.
    fn parts(&mut self) -> (TurnTools<'_>, &mut Vec<ChatMessage>) {
        let (tools, annotations) = (&self.request.tools, &self.annotations);
        (TurnTools { tools, annotations }, &mut self.request.messages)
    }
}

impl TurnTools<'_> {
    /// Checks a call: the tool must be one that the model knows, and the arguments an object. Returns what is known
    /// about the tool.
    fn check(self, name: &str, args: &serde_json::Value) -> Result<ToolAnnotations, String> {
        if !self.tools.iter().any(|tool| tool.name == name) {
            return Err(format!("there is no tool `{name}`"));
        }
        if !args.is_object() {
            return Err(format!("the arguments of `{name}` are not a JSON object"));
        }
        Ok(self.annotations.get(name).copied().unwrap_or_default())
    }
}

/// What the model reads of a call whose turn was dropped.
pub(super) const INTERRUPTED: &str = "the call was interrupted";

/// How the calls of one answer run.
pub(super) trait Calls {
    /// Runs the calls, whose answer is the last message. Returns whether the user has the answer of all of them already.
    ///
    /// Providers require all outputs right after the calls, with nothing in between.
    async fn run(
        hooks: &impl AgentHooks,
        cx: &AgentContext,
        conversation: &mut Conversation,
        calls: Vec<ToolCall>,
        tool: &(impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone),
    ) -> Result<bool, Cancel>;
}

// A macro, because moving a call into another future would cost more than a hook.

/// Runs one call, valid or not.
macro_rules! run {
    ($hooks:ident, $cx:ident, $known:expr, $call:ident, $tool:ident, $ends:expr) => {
        match $known.check(&$call.name, &$call.args) {
            Ok(annotations) => {
                let call = BeforeToolCall::from($call).with_annotations(annotations);
                tool_call($hooks, $cx, call, $tool.clone(), $ends).await
            }
            Err(error) => {
                let invalid = InvalidToolCall::new($call.id, $call.name, $call.args, error);
                let check = |call: &mut BeforeToolCall| {
                    call.annotations = $known.check(&call.name, &call.args)?;
                    Ok(())
                };
                repair($hooks, $cx, invalid, check, $tool.clone(), $ends).await
            }
        }
    };
}

/// Tells the hooks that a call does not run to its end, because a hook has ended the turn.
async fn skip(
    hooks: &impl AgentHooks,
    cx: &AgentContext,
    known: TurnTools<'_>,
    call: ToolCall,
    cancel: &Cancel,
) {
    let annotations = known.check(&call.name, &call.args).unwrap_or_default();
    let call = BeforeToolCall::from(call).with_annotations(annotations);
    hooks.observe(cx, &ToolCallSkipped::of(&call, cancel)).await;
}

/// One after the other.
pub(super) struct OneByOne;

impl Calls for OneByOne {
    async fn run(
        hooks: &impl AgentHooks,
        cx: &AgentContext,
        conversation: &mut Conversation,
        calls: Vec<ToolCall>,
        tool: &(impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone),
    ) -> Result<bool, Cancel> {
        let mut context = Vec::new();
        let mut calls = calls.into_iter();
        let mut ended = Ok(true);
        for call in calls.by_ref() {
            match run!(hooks, cx, conversation.parts().0, call, tool, || ()) {
                Ok(mut done) => {
                    context.append(&mut done.context);
                    ended = ended.map(|handled| handled && done.output.response_handled);
                    conversation.request.messages.push(ChatMessage::tool(&done));
                }
                Err(cancel) => {
                    ended = Err(cancel);
                    break;
                }
            }
        }
        if let Err(cancel) = &ended {
            // Every call needs an end event and an output.
            answer_calls(&mut conversation.request.messages, &cancel.to_string());
            for call in calls {
                skip(hooks, cx, conversation.parts().0, call, cancel).await;
            }
        }
        conversation.add_context(context);
        ended
    }
}

/// Up to eight at the same time.
pub(super) struct AtOnce;

impl Calls for AtOnce {
    async fn run(
        hooks: &impl AgentHooks,
        cx: &AgentContext,
        conversation: &mut Conversation,
        calls: Vec<ToolCall>,
        tool: &(impl AsyncFnOnce(&BeforeToolCall) -> ToolOutput + Clone),
    ) -> Result<bool, Cancel> {
        // The conversation is whole from the first call on, because this future may be dropped before the last.
        let (known, messages) = conversation.parts();
        let first = messages.len();
        let interrupted = ToolOutput::error(INTERRUPTED);
        let output = |call: &ToolCall| ChatMessage::tool_result(call.id.as_str(), &interrupted);
        messages.extend(calls.iter().map(output));

        // `None` for a call that has not ended, or was dropped while hooks heard of its end.
        let mut context: Vec<_> = calls.iter().map(|_| None).collect();
        let has_ended: Vec<_> = calls.iter().map(|_| AtomicBool::new(false)).collect();
        let calls = calls.into_iter().zip(&has_ended).enumerate();
        let mut waiting = calls.map(|(at, (call, has_ended))| async move {
            let ends = || has_ended.store(true, Ordering::Relaxed);
            (at, run!(hooks, cx, known, call, tool, ends))
        });
        let mut handled = true;
        let ended = {
            let mut lanes = [
                [pin!(None), pin!(None), pin!(None), pin!(None)],
                [pin!(None), pin!(None), pin!(None), pin!(None)],
            ];
            poll_fn(|task| {
                let mut all = Poll::Ready(Ok(()));
                for lane in lanes.iter_mut().flatten() {
                    if lane.is_none() {
                        lane.set(waiting.next());
                    }
                    while let Some(call) = lane.as_mut().as_pin_mut() {
                        let Poll::Ready((at, done)) = call.poll(task) else {
                            all = Poll::Pending;
                            break;
                        };
                        lane.set(waiting.next());
                        match done {
                            Ok(done) => {
                                messages[first + at] = ChatMessage::tool(&done);
                                handled &= done.output.response_handled;
                                context[at] = Some(done.context);
                            }
                            // The other calls are dropped before hooks hear of it.
                            Err(cancel) => return Poll::Ready(Err(cancel)),
                        }
                    }
                }
                all
            })
            .await
        };
        if let Err(cancel) = &ended {
            let calls = messages[first - 1].tool_calls.clone();
            let why = ToolOutput::error(cancel.to_string());
            for (at, call) in calls.iter().enumerate() {
                if context[at].is_none() {
                    messages[first + at] = ChatMessage::tool_result(call.id.as_str(), &why);
                }
            }
            for (call, has_ended) in calls.into_iter().zip(&has_ended) {
                if !has_ended.load(Ordering::Relaxed) {
                    skip(hooks, cx, known, call, cancel).await;
                }
            }
        }
        conversation.add_context(context.into_iter().flatten().flatten());
        ended.map(|()| handled)
    }
}
