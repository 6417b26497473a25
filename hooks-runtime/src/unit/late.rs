//! Answers of hooks that the agent did not wait for.
//!
//! The text of such a hook for the model is delivered with the next message of its session, or with the next prompt. If
//! none comes, it is lost: the store is bounded, and sessions expire.

use std::fmt;
use std::sync::Arc;

use hooks_builtin::PerSession;
use hooks_core::agent::{AgentContext, BeforePromptBuild, MessageReceived};
use hooks_core::hook;

use crate::answer::HandlerAnswer;
use crate::unit::UnitServices;

/// The maximum number of late answers that wait in a session. Older ones are dropped first.
const MOST: usize = 32;

/// The texts to deliver, for each session.
#[derive(Default)]
pub(crate) struct Late(PerSession<Vec<String>>);

impl Late {
    /// Keeps the text of an answer for the model.
    pub(crate) fn keep(&self, cx: &AgentContext, answer: &HandlerAnswer) {
        if answer.context.is_empty() {
            return;
        }
        self.0.with(cx, |waiting| {
            waiting.extend(answer.context.iter().cloned());
            let too_many = waiting.len().saturating_sub(MOST);
            waiting.drain(..too_many);
        });
    }

    fn take(&self, cx: &AgentContext) -> Vec<String> {
        self.0.with(cx, std::mem::take)
    }
}

/// Delivers late answers.
pub(crate) struct Delivery(pub(crate) Arc<UnitServices>);

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Delivery")
    }
}

#[hook(name = "late answers")]
impl Delivery {
    fn with_message(&self, cx: &AgentContext, message: &mut MessageReceived) {
        message.context.extend(self.0.late.take(cx));
    }

    fn with_prompt(&self, cx: &AgentContext, build: &mut BeforePromptBuild) {
        for text in self.0.late.take(cx) {
            build.prompt.push_str("\n\n");
            build.prompt.push_str(&text);
        }
    }
}
