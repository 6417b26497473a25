//! One question to the model, and its answer.

use std::time::Instant;

use hooks_core::HookResult;
use hooks_core::agent::{
    AfterLlmCall, AgentHooks, DeltaKind, LlmDelta, LlmInput, LlmOutput, LlmResponse, Retry,
    ToolCall,
};

use super::super::script::{Answer, Line};
use super::{Agent, Stop};

impl<H: AgentHooks> Agent<H> {
    /// Asks the model once: the line that it answers with, the answer, and whether a hook wants another.
    pub(super) async fn ask_model(
        &mut self,
        attempt: u32,
    ) -> Result<(Option<usize>, LlmResponse, Option<Retry>), Stop> {
        let decision = self.hooks.ask(&mut self.request).await;
        let (line, response) = match decision {
            HookResult::Continue => self.stream_answer().await?,
            HookResult::Respond(response) => (None, response),
            HookResult::Cancel(cancel) => return Err(cancel.into()),
        };
        let model = self.request.model.as_str();
        let mut after = AfterLlmCall::new(model, response, attempt);
        match self.hooks.ask(&mut after).await {
            HookResult::Continue => Ok((line, after.response, None)),
            HookResult::Respond(retry) => Ok((line, after.response, Some(retry))),
            HookResult::Cancel(cancel) => Err(cancel.into()),
        }
    }

    /// The model: its answer is the script's next line. It has done its work when the script has nothing
    /// more for it in this turn.
    async fn stream_answer(&mut self) -> Result<(Option<usize>, LlmResponse), Stop> {
        let input = LlmInput::from(&self.request);
        self.hooks.tell(&input).await;

        let started = Instant::now();
        let (line, answer) = match self.next_line().await? {
            Some((number, Line::Answer(answer))) => (Some(number), answer),
            next => {
                self.ahead = next;
                let say = "The script has nothing more to do.".into();
                (None, Answer { say, call: None })
            }
        };
        // Once a token or so: where no hook wants it, not even the cutting into pieces is paid for.
        if self.hooks.inner.handles::<LlmDelta<'_>>() {
            for text in answer.say.split_inclusive(' ') {
                self.delta(DeltaKind::Text, text).await;
            }
            if let Some((_, args)) = &answer.call {
                self.delta(DeltaKind::ToolCall, &args.to_string()).await;
            }
        }
        let tool_calls = answer.call.into_iter().map(|(name, args)| {
            self.calls += 1;
            ToolCall::new(format!("call-{}", self.calls), name, args)
        });
        let response = LlmResponse {
            content: answer.say,
            tool_calls: tool_calls.collect(),
            ..LlmResponse::default()
        };
        let output = LlmOutput::of(&self.request, &response, started.elapsed());
        self.hooks.tell(&output).await;
        Ok((line, response))
    }

    async fn delta(&mut self, kind: DeltaKind, text: &str) {
        let delta = LlmDelta { kind, text };
        self.hooks.tell(&delta).await;
    }
}
