//! What a handler says about an event, for all kinds of handlers and all dialects, and how it is applied to the event.
//!
//! Every handler's output becomes one [`HandlerAnswer`]. One function applies it, so a command, an endpoint and a rule with
//! the same answer have the same effect.

use hooks_compiled::effect::{self, Effect};
pub(crate) use hooks_compiled::effect::{Change, Verdict, kind_of};
use hooks_core::agent::{AgentEventMut, AgentSaid};

use crate::cut::{cut, cut_all};
use crate::fault::HandlerFault;

/// The whole answer of a handler.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HandlerAnswer {
    pub(crate) verdict: Verdict,
    pub(crate) change: Option<Change>,
    /// Text for the model.
    pub(crate) context: Vec<String>,
    /// Text for the user. It is logged.
    pub(crate) messages: Vec<String>,
    /// Warnings about the answer. They are logged once, and are in the record.
    pub(crate) warnings: Vec<String>,
    /// If the event can no longer be blocked, the model reads this instead of the tool's output, or after it.
    pub(crate) feedback: Option<String>,
    /// What was ignored, although it may have been meant as a refusal. If the event goes on, the hook failed open.
    pub(crate) ignored: Option<String>,
}

impl HandlerAnswer {
    pub(crate) fn of(verdict: Verdict) -> Self {
        HandlerAnswer {
            verdict,
            ..HandlerAnswer::default()
        }
    }

    pub(crate) fn block(reason: impl Into<String>) -> Self {
        HandlerAnswer::of(Verdict::Block {
            reason: reason.into(),
        })
    }

    /// The answer of a hook that is not even asked, because of this.
    pub(crate) fn ignoring(why: &str) -> Self {
        HandlerAnswer {
            ignored: Some(why.to_owned()),
            ..HandlerAnswer::default()
        }
    }

    /// Notes what is ignored, although it may have been meant as a refusal, and what comes of it.
    pub(crate) fn ignore(&mut self, what: &str, then: &str) {
        self.warnings.push(format!("{what}{then}"));
        self.ignored.get_or_insert_with(|| what.to_owned());
    }

    /// Cuts its texts that are too long.
    pub(crate) fn cut(mut self) -> Self {
        match &mut self.verdict {
            Verdict::Ask { reason: text }
            | Verdict::Defer { reason: text }
            | Verdict::Block { reason: text }
            | Verdict::AbortTurn { reason: text }
            | Verdict::AbortRun { reason: text }
            | Verdict::Approve { by: Some(text) } => *text = cut(std::mem::take(text)),
            Verdict::Continue | Verdict::Approve { by: None } | Verdict::Respond(_) => {}
        }
        cut_all(&mut self.context);
        cut_all(&mut self.messages);
        cut_all(&mut self.warnings);
        self.feedback = self.feedback.map(cut);
        self.ignored = self.ignored.map(cut);
        self
    }

    /// Whether the answer has no effect.
    pub(crate) fn is_nothing(&self) -> bool {
        self.verdict == Verdict::Continue
            && self.change.is_none()
            && self.context.is_empty()
            && self.feedback.is_none()
    }
}

/// Applies an answer to an event, and returns the decision for the pipeline.
///
/// # Errors
///
/// If the answer does not fit the event: an unknown key, a value of the wrong type, or an answer to an event that
/// cannot be answered. The event is then unchanged.
pub(crate) fn apply(
    event: AgentEventMut<'_>,
    answer: HandlerAnswer,
) -> Result<AgentSaid, HandlerFault> {
    let effect = Effect {
        verdict: answer.verdict,
        change: answer.change,
        context: answer.context,
        feedback: answer.feedback,
    };
    effect::apply(event, effect).map_err(HandlerFault::nonsense)
}
