//! The adapter: maps rig's callbacks to events.

use std::fmt;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use hooks_core::HookResult;
use hooks_core::agent::{
    AfterLlmCall, AfterToolCall, AgentContext, AgentEnd, AgentError, AgentHooks, AgentStart,
    AgentStatus, ApproveToolCall, BeforeLlmCall, BeforeModelResolve, BeforePromptBuild, BeforeStop,
    BeforeToolCall, Custom, DeltaKind, InvalidToolCall, LlmDelta, LlmInput, LlmOutput, Media,
    MessageReceived, Part, ToolCallEnd, ToolCallSkipped, ToolCallStart,
};
use hooks_core::plan::Plan;
use rig_agent::agent::hook::{
    AgentHook, DispatchAction, DispatchEvent, HookContext, InvalidToolCallAction,
    InvalidToolCallContext, ModelSelection, ModelSelectionAction, ModelTurnAction,
    ModelTurnFinished, ObservationAction, OutcomeAction, OutcomeEvent, ReasoningDelta, RunSettled,
    RunStart, RunStartAction, SettledOutcome, StepEventKind, TextDelta, ToolCallDelta,
};
use rig_agent::core::effect::{EffectKind, Outcome};
use rig_agent::core::error::ErrorReport;
use rig_agent::core::message::Message;
use serde_json::json;

use crate::convert;
use crate::run::{self, RigRun};

/// Makes a pipeline of hooks-core one hook of rig.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeToolCall};
/// use hooks_core::{HookAction, hook, hooks};
/// use hooks_rig::RigHooks;
/// use rig_agent::agent::AgentBuilder;
/// use rig_agent::core::{DynModel, operation::Completion};
///
/// #[hook(only("shell"))]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
///     HookAction::block("no shell here")
/// }
///
/// fn agent(model: DynModel<Completion>) -> rig_agent::Agent {
///     AgentBuilder::new(model)
///         .add_hook(RigHooks::new(hooks![no_shell], AgentContext::new("session 1")))
///         .build()
/// }
/// ```
///
/// One adapter serves any number of runs, even concurrently. It keeps its notes on a run in that run, so a dropped
/// run leaves nothing behind.
pub struct RigHooks<H> {
    pub(crate) hooks: H,
    cx: AgentContext,
    /// Distinguishes the adapters of one agent.
    adapter: u64,
    /// The number of runs so far.
    runs: AtomicU32,
}

impl<H: AgentHooks + 'static> RigHooks<H> {
    /// Wraps the pipeline as a hook of rig. The hooks of each run receive the context; its `turn` also counts the
    /// turns that this adapter has seen.
    pub fn new(hooks: H, cx: AgentContext) -> Self {
        static ADAPTERS: AtomicU64 = AtomicU64::new(0);
        RigHooks {
            hooks,
            cx,
            adapter: ADAPTERS.fetch_add(1, Ordering::Relaxed),
            runs: AtomicU32::new(0),
        }
    }

    /// The hooks.
    pub fn get_ref(&self) -> &H {
        &self.hooks
    }

    /// Removes the adapter, and returns the hooks.
    pub fn into_inner(self) -> H {
        self.hooks
    }

    /// Who runs when.
    pub fn plan(&self) -> Plan {
        self.hooks.plan()
    }

    /// The adapter's notes on the run.
    pub(crate) fn run(&self, ctx: &HookContext) -> Arc<RigRun> {
        run::of(ctx, self.adapter, || {
            let before = self.runs.fetch_add(1, Ordering::Relaxed);
            self.cx
                .clone()
                .with_turn(self.cx.turn.saturating_add(before))
        })
    }

    async fn delta(&self, ctx: &HookContext, kind: DeltaKind, text: &str) -> ObservationAction {
        if self.hooks.handles::<LlmDelta<'_>>() {
            let run = self.run(ctx);
            let delta = LlmDelta { kind, text };
            self.hooks.observe(&run.cx, &delta).await;
        }
        ObservationAction::Continue
    }

    /// Raises MessageReceived. Returns the prompt, if hooks have changed it.
    async fn receive(&self, run: &RigRun, prompt: &Message) -> Result<Option<Message>, String> {
        let mut chat = convert::prompt(prompt);
        let attachments = || {
            let parts = chat.iter().flat_map(|chat| &chat.parts);
            parts.filter_map(|part| match part {
                Part::Media(media) => Some(media),
                _ => None,
            })
        };
        let text = convert::text_of(prompt);
        let mut message = MessageReceived {
            attachments: attachments().cloned().collect(),
            ..MessageReceived::new(
                run.cx.channel.as_str(),
                run.cx.sender.as_deref().unwrap_or_default(),
                text.as_str(),
            )
        };
        if let HookResult::Cancel(cancel) = self.hooks.intercept(&run.cx, &mut message).await {
            return Err(cancel.to_string());
        }
        let same_attachments = attachments().eq(&message.attachments);
        if message.content == text && same_attachments && message.context.is_empty() {
            return Ok(None);
        }
        let chat = chat.as_mut().ok_or(
            "a hook changed a prompt that contains tool outputs, which rig does not support",
        )?;
        chat.content = message.content;
        if !same_attachments {
            chat.parts.retain(|part| !matches!(part, Part::Media(_)));
            let attachments: Vec<Media> = message.attachments;
            chat.parts.extend(attachments.into_iter().map(Part::Media));
        }
        convert::to_prompt(chat, message.context).map(Some)
    }

    /// Raises Custom for the requests to rig's memory, its retrieval and its other services, and their answers.
    async fn tell_effect(
        &self,
        ctx: &HookContext,
        kind: &EffectKind,
        outcome: &Result<Outcome, ErrorReport>,
    ) {
        let run = self.run(ctx);
        let payload = json!({ "effect": kind, "outcome": outcome });
        let custom = Custom {
            kind: &format!("rig.{}", kind.name()),
            payload: &payload,
        };
        self.hooks.observe(&run.cx, &custom).await;
    }

    /// Whether any hook handles an event about the end of a run.
    fn handles_ends(&self) -> bool {
        self.hooks.handles::<AgentEnd<'_>>() || self.hooks.handles::<AgentError<'_>>()
    }

    /// Whether any hook handles an event about model calls.
    fn handles_llm_calls(&self) -> bool {
        self.hooks.handles::<BeforePromptBuild>()
            || self.hooks.handles::<BeforeLlmCall>()
            || self.hooks.handles::<LlmInput<'_>>()
            || self.hooks.handles::<LlmOutput<'_>>()
            || self.hooks.handles::<AfterLlmCall>()
            || self.hooks.handles::<BeforeStop>()
            // It reports what all answers of the model have used.
            || self.hooks.handles::<AgentEnd<'_>>()
    }

    /// Whether any hook handles an event about tool calls.
    fn handles_tool_calls(&self) -> bool {
        self.hooks.handles::<BeforeToolCall>()
            || self.hooks.handles::<ApproveToolCall<'_>>()
            || self.hooks.handles::<ToolCallStart<'_>>()
            || self.hooks.handles::<AfterToolCall>()
            || self.hooks.handles::<ToolCallEnd<'_>>()
            || self.hooks.handles::<ToolCallSkipped<'_>>()
            || self.hooks.handles::<InvalidToolCall>()
    }
}

impl<H: AgentHooks + 'static> fmt::Debug for RigHooks<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigHooks")
            .field("hooks", &self.name())
            .field("cx", &self.cx)
            .finish_non_exhaustive()
    }
}

impl<H: AgentHooks + 'static> AgentHook for RigHooks<H> {
    /// The hooks in order, so that a recorded run shows which hooks it ran with.
    fn name(&self) -> Option<String> {
        let mut name = String::from("hooks![");
        let mut last = 0;
        for row in self.plan() {
            if row.order != last {
                name.push_str(if last == 0 { "" } else { ", " });
                name.push_str(&row.hook);
                last = row.order;
            }
        }
        name.push(']');
        Some(name)
    }

    fn observes(&self, kind: StepEventKind) -> bool {
        match kind {
            StepEventKind::RunStart => {
                self.hooks.handles::<MessageReceived>()
                    || self.hooks.handles::<AgentStart<'_>>()
                    || self.handles_ends()
            }
            StepEventKind::RunSettled => self.handles_ends(),
            StepEventKind::CompletionDispatch => self.handles_llm_calls(),
            StepEventKind::ToolDispatch => self.handles_tool_calls(),
            StepEventKind::TextDelta
            | StepEventKind::ReasoningDelta
            | StepEventKind::ToolCallDelta => self.hooks.handles::<LlmDelta<'_>>(),
            StepEventKind::InvalidToolCall => self.hooks.handles::<InvalidToolCall>(),
            StepEventKind::ModelTurnFinished => {
                self.hooks.handles::<AfterLlmCall>() || self.hooks.handles::<BeforeStop>()
            }
            StepEventKind::MemoryDispatch
            | StepEventKind::RetrieveDispatch
            | StepEventKind::EmbedDispatch
            | StepEventKind::RerankDispatch
            | StepEventKind::CustomDispatch => self.hooks.handles::<Custom<'_>>(),
            StepEventKind::CompletionCall => false,
        }
    }

    async fn on_run_start(&self, ctx: &HookContext, event: RunStart<'_>) -> RunStartAction {
        let run = self.run(ctx);
        let mut action = RunStartAction::Continue;
        if self.hooks.handles::<MessageReceived>() {
            match self.receive(&run, event.prompt).await {
                Ok(None) => {}
                Ok(Some(prompt)) => action = RunStartAction::Rewrite(prompt),
                Err(reason) => {
                    run.stop();
                    return RunStartAction::Stop(reason);
                }
            }
        }
        run.work();
        if self.hooks.handles::<AgentStart<'_>>() {
            let prompt = match &action {
                RunStartAction::Rewrite(prompt) => prompt,
                _ => event.prompt,
            };
            let prompt = convert::text_of(prompt);
            let start = AgentStart { prompt: &prompt };
            self.hooks.observe(&run.cx, &start).await;
        }
        action
    }

    async fn on_run_settled(&self, ctx: &HookContext, event: RunSettled<'_>) {
        let run = self.run(ctx);
        if !run.is_working() || !self.handles_ends() {
            return;
        }
        let (mut response, mut usage) = (String::new(), run.notes().usage);
        let status = match event.outcome {
            SettledOutcome::Response(done) => {
                response = done.output();
                usage = convert::usage(&done.usage);
                AgentStatus::Completed
            }
            // rig reports its errors only as text.
            SettledOutcome::Error(error)
                if run.is_stopped() || error.starts_with("the run was cancelled") =>
            {
                AgentStatus::Aborted
            }
            SettledOutcome::Error(message) => {
                if self.hooks.handles::<AgentError<'_>>() {
                    let stage = "run";
                    let error = AgentError { stage, message };
                    self.hooks.observe(&run.cx, &error).await;
                }
                AgentStatus::Failed
            }
        };
        if self.hooks.handles::<AgentEnd<'_>>() {
            let end = AgentEnd {
                response: &response,
                status,
                usage,
                duration: run.began.elapsed(),
            };
            self.hooks.observe(&run.cx, &end).await;
        }
    }

    fn on_model_select(
        &self,
        ctx: &HookContext,
        event: ModelSelection<'_>,
    ) -> ModelSelectionAction {
        if !self.hooks.handles::<BeforeModelResolve>() && !self.handles_llm_calls() {
            return ModelSelectionAction::Continue;
        }
        let run = self.run(ctx);
        let mut action = ModelSelectionAction::Continue;
        let mut resolve = BeforeModelResolve {
            model: event.selected_model.to_string(),
            ..BeforeModelResolve::default()
        };
        if self.hooks.handles::<BeforeModelResolve>() {
            match at_once(self.hooks.intercept(&run.cx, &mut resolve)) {
                Some(HookResult::Continue) => {}
                Some(HookResult::Cancel(cancel)) => {
                    run.stop();
                    return ModelSelectionAction::stop(cancel.to_string());
                }
                None => {
                    run.stop();
                    return ModelSelectionAction::stop(
                        "a hook on BeforeModelResolve is asynchronous, but rig selects a model synchronously",
                    );
                }
            }
            if resolve.model != event.selected_model.as_str() {
                action = ModelSelectionAction::select(resolve.model.as_str());
            }
        }
        run.notes().model = resolve.model;
        action
    }

    async fn on_dispatch(&self, ctx: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::ToolCall { name, args } if self.handles_tool_calls() => {
                self.before_tool(ctx, event, name, args).await
            }
            EffectKind::Completion { request, stream } if self.handles_llm_calls() => {
                self.before_llm(ctx, request, *stream).await
            }
            _ => DispatchAction::Proceed,
        }
    }

    async fn on_outcome(&self, ctx: &HookContext, event: OutcomeEvent<'_>) -> OutcomeAction {
        match event.kind {
            EffectKind::ToolCall { name, args } if self.handles_tool_calls() => {
                self.after_tool(ctx, event, name, args).await
            }
            EffectKind::Completion { .. } if self.handles_llm_calls() => match event.completion() {
                Some(response) => self.after_llm(ctx, response).await,
                None => OutcomeAction::Proceed,
            },
            EffectKind::ToolCall { .. } | EffectKind::Completion { .. } => OutcomeAction::Proceed,
            kind => {
                if self.hooks.handles::<Custom<'_>>() {
                    self.tell_effect(ctx, kind, event.outcome).await;
                }
                OutcomeAction::Proceed
            }
        }
    }

    async fn on_model_turn_finished(
        &self,
        ctx: &HookContext,
        _: ModelTurnFinished<'_>,
    ) -> ModelTurnAction {
        if !self.hooks.handles::<AfterLlmCall>() && !self.hooks.handles::<BeforeStop>() {
            return ModelTurnAction::Continue;
        }
        // Hooks decided when they saw the answer; rig takes the decision here.
        let again = self.run(ctx).notes().again.take();
        again.map_or(ModelTurnAction::Continue, ModelTurnAction::Retry)
    }

    async fn on_invalid_tool_call(
        &self,
        ctx: &HookContext,
        event: &InvalidToolCallContext,
    ) -> Option<InvalidToolCallAction> {
        if !self.hooks.handles::<InvalidToolCall>() {
            return None;
        }
        self.invalid_tool(ctx, event).await
    }

    async fn on_text_delta(&self, ctx: &HookContext, event: TextDelta<'_>) -> ObservationAction {
        self.delta(ctx, DeltaKind::Text, event.delta).await
    }

    async fn on_reasoning_delta(
        &self,
        ctx: &HookContext,
        event: ReasoningDelta<'_>,
    ) -> ObservationAction {
        self.delta(ctx, DeltaKind::Reasoning, event.delta).await
    }

    async fn on_tool_call_delta(
        &self,
        ctx: &HookContext,
        event: ToolCallDelta<'_>,
    ) -> ObservationAction {
        self.delta(ctx, DeltaKind::ToolCall, event.delta).await
    }
}

/// The output of a future that does not wait: rig selects a model in a function that is not asynchronous.
fn at_once<F: Future>(future: F) -> Option<F::Output> {
    let mut cx = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut cx) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
