//! Raises the events of model calls.

use std::time::{Duration, Instant};

use hooks_core::agent::{
    AfterLlmCall, AgentHooks, BeforeLlmCall, BeforePromptBuild, BeforeStop, LlmInput, LlmOutput,
};
use hooks_core::{Cancel, HookResult, Scope};
use rig_agent::agent::hook::{DispatchAction, HookContext, OutcomeAction};
use rig_agent::core::completion::{CompletionRequest, CompletionResponse};
use rig_agent::core::effect::{EffectKind, Outcome};
use rig_agent::run::policy::RetryRequest;

use crate::RigHooks;
use crate::convert;
use crate::run::RigRun;

impl<H: AgentHooks + 'static> RigHooks<H> {
    /// Raises BeforePromptBuild, BeforeLlmCall and LlmInput.
    pub(crate) async fn before_llm(
        &self,
        ctx: &HookContext,
        request: &CompletionRequest,
        stream: bool,
    ) -> DispatchAction {
        let run = self.run(ctx);
        match self.ask_before_llm(&run, request).await {
            Ok(None) => DispatchAction::Proceed,
            Ok(Some(request)) => DispatchAction::Patch(EffectKind::Completion { request, stream }),
            Err(reason) => {
                run.stop();
                DispatchAction::stop(reason)
            }
        }
    }

    /// Returns the request, if hooks have changed it.
    async fn ask_before_llm(
        &self,
        run: &RigRun,
        request: &CompletionRequest,
    ) -> Result<Option<CompletionRequest>, String> {
        let mut changed = None;
        if self.hooks.handles::<BeforePromptBuild>()
            && let Some(prompt) = request.system_instructions()
        {
            let mut build = BeforePromptBuild {
                prompt: prompt.to_owned(),
            };
            if let HookResult::Cancel(cancel) = self.hooks.intercept(&run.cx, &mut build).await {
                return Err(cancel.to_string());
            }
            if build.prompt != prompt {
                changed = Some(convert::with_prompt(request, build.prompt));
            }
        }
        if self.hooks.handles::<BeforeLlmCall>() {
            let asked = changed.as_ref().unwrap_or(request);
            let mut call = convert::request(asked, &run.notes().model);
            match self.hooks.intercept(&run.cx, &mut call).await {
                HookResult::Continue => {}
                HookResult::Respond(_) => {
                    return Err(
                        "a hook answered in the model's place, which rig does not support".into(),
                    );
                }
                HookResult::Cancel(cancel) => return Err(cancel.to_string()),
            }
            let new = convert::apply(&call, asked, &run.notes().model)?;
            self.tell_input(run, &call.model, &call.messages).await;
            changed = new.or(changed);
        } else if self.hooks.handles::<LlmInput<'_>>() {
            let asked = changed.as_ref().unwrap_or(request);
            let model = convert::model_of(asked, &run.notes().model);
            self.tell_input(run, &model, &convert::messages(&asked.chat_history))
                .await;
        }
        run.notes().asked = Some(Instant::now());
        Ok(changed)
    }

    async fn tell_input(
        &self,
        run: &RigRun,
        model: &str,
        messages: &[hooks_core::agent::ChatMessage],
    ) {
        if self.hooks.handles::<LlmInput<'_>>() {
            let input = LlmInput {
                model,
                messages,
                ..LlmInput::default()
            };
            self.hooks.observe(&run.cx, &input).await;
        }
    }

    /// Raises LlmOutput, AfterLlmCall and BeforeStop.
    pub(crate) async fn after_llm(
        &self,
        ctx: &HookContext,
        response: &CompletionResponse,
    ) -> OutcomeAction {
        let run = self.run(ctx);
        match self.ask_after_llm(&run, response).await {
            Ok(None) => OutcomeAction::Proceed,
            Ok(Some(response)) => OutcomeAction::Replace(Ok(Outcome::Completion(response))),
            Err(reason) => {
                run.stop();
                OutcomeAction::stop(reason)
            }
        }
    }

    async fn ask_after_llm(
        &self,
        run: &RigRun,
        response: &CompletionResponse,
    ) -> Result<Option<CompletionResponse>, String> {
        let mut answer = convert::response(response);
        let (model, asked) = {
            let mut notes = run.notes();
            notes.usage += answer.usage;
            (notes.model.clone(), notes.asked)
        };
        if self.hooks.handles::<LlmOutput<'_>>() {
            let output = LlmOutput {
                provider: &response.origin.provider,
                model: &model,
                response: &answer,
                duration: asked.map_or(Duration::ZERO, |asked| asked.elapsed()),
            };
            self.hooks.observe(&run.cx, &output).await;
        }
        let calls_tools = !answer.tool_calls.is_empty();
        if self.hooks.handles::<AfterLlmCall>() {
            let attempt = run.notes().retries;
            let mut after = AfterLlmCall::new(model, answer, attempt);
            match self.hooks.intercept(&run.cx, &mut after).await {
                HookResult::Continue => run.notes().retries = 0,
                HookResult::Respond(_) if calls_tools => {
                    return Err(
                        "a hook asked for another model call, which rig does not support if the response has tool calls".into(),
                    );
                }
                HookResult::Respond(retry) => {
                    let mut notes = run.notes();
                    notes.retries += 1;
                    notes.again = Some(
                        retry
                            .feedback
                            .map_or(RetryRequest::Repeat, RetryRequest::Feedback),
                    );
                    return Ok(None);
                }
                HookResult::Cancel(cancel) => return Err(cancel.to_string()),
            }
            answer = after.response;
        }
        if !calls_tools && self.hooks.handles::<BeforeStop>() {
            let mut stop = BeforeStop::new(answer.content, run.notes().stops);
            match self.hooks.intercept(&run.cx, &mut stop).await {
                HookResult::Continue => {}
                HookResult::Cancel(Cancel {
                    scope: Scope::Event,
                    reason,
                    ..
                }) => {
                    let mut notes = run.notes();
                    notes.stops += 1;
                    notes.again = Some(RetryRequest::Feedback(reason.into_owned()));
                }
                HookResult::Cancel(cancel) => return Err(cancel.to_string()),
            }
            answer.content = stop.response;
        }
        convert::changed_response(&answer, response)
    }
}
