//! Requests to the model, and its answers.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ChatMessage, StopReason, ToolCall, ToolDefinition, Usage};

/// The model's answer.
///
/// ```
/// use hooks_core::agent::{LlmResponse, StopReason, Usage};
///
/// let response = LlmResponse {
///     stop_reason: Some(StopReason::EndTurn),
///     usage: Usage::new(900, 12),
///     ..LlmResponse::new("Done.")
/// };
/// assert!(response.tool_calls.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmResponse {
    /// Its text.
    pub content: String,
    /// The tools that it calls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The model's reasoning, if the provider returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why the model stopped, if the provider returns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<StopReason>,
    /// What the call used.
    #[serde(skip_serializing_if = "is_default")]
    pub usage: Usage,
}

fn is_default(usage: &Usage) -> bool {
    *usage == Usage::default()
}

impl LlmResponse {
    /// An answer that is only text.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        LlmResponse {
            content: content.into(),
            ..LlmResponse::default()
        }
    }
}

/// The answer as a message of the conversation: see [`ChatMessage::assistant`].
impl From<LlmResponse> for ChatMessage {
    fn from(response: LlmResponse) -> Self {
        ChatMessage::assistant(response)
    }
}

impl From<&str> for LlmResponse {
    fn from(content: &str) -> Self {
        LlmResponse::new(content)
    }
}

impl From<String> for LlmResponse {
    fn from(content: String) -> Self {
        LlmResponse::new(content)
    }
}

impl From<&String> for LlmResponse {
    fn from(content: &String) -> Self {
        LlmResponse::new(content)
    }
}

impl From<&LlmResponse> for LlmResponse {
    fn from(response: &LlmResponse) -> Self {
        response.clone()
    }
}

/// Before the model is looked up. ZeroClaw's `before_model_resolve`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeModelResolve};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn small_for_subagents(cx: &AgentContext, resolve: &mut BeforeModelResolve) {
///     if cx.depth > 0 {
///         resolve.model = "small".into();
///     }
/// }
///
/// let mut resolve = BeforeModelResolve { provider: "openai".into(), model: "large".into() };
/// let cx = AgentContext::new("s1").with_depth(1);
/// assert!(hooks![small_for_subagents].intercept_now(&cx, &mut resolve).is_continue());
/// assert_eq!(resolve.model, "small");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeModelResolve {
    /// The provider of the model.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// Before the system prompt is used. ZeroClaw's `before_prompt_build`.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforePromptBuild};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn be_brief(build: &mut BeforePromptBuild) {
///     build.prompt.push_str(" Be brief.");
/// }
///
/// let mut build = BeforePromptBuild { prompt: "You are a coder.".into() };
/// assert!(hooks![be_brief].intercept_now(&AgentContext::new("s1"), &mut build).is_continue());
/// assert_eq!(build.prompt, "You are a coder. Be brief.");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforePromptBuild {
    /// The system prompt.
    pub prompt: String,
}

/// Before each model call. ZeroClaw's `before_llm_call`, PicoClaw's `before_llm`.
///
/// A hook that responds answers instead of the model.
///
/// ```
/// use hooks_core::agent::{AgentContext, BeforeLlmCall, ChatMessage};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn steady(call: &mut BeforeLlmCall) {
///     call.options["temperature"] = 0.into();
/// }
///
/// let mut call = BeforeLlmCall::new("openai", "gpt", vec![ChatMessage::user("Hello!")]);
/// assert!(hooks![steady].intercept_now(&AgentContext::new("s1"), &mut call).is_continue());
/// assert_eq!(call.options["temperature"], 0);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeforeLlmCall {
    /// The provider of the model.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools that the model may call.
    pub tools: Vec<ToolDefinition>,
    /// Further options for the provider, as a JSON object: `temperature` and the like. `{}` by default.
    pub options: Value,
}

impl Default for BeforeLlmCall {
    fn default() -> Self {
        BeforeLlmCall {
            provider: String::new(),
            model: String::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            options: Value::Object(Map::new()),
        }
    }
}

impl BeforeLlmCall {
    /// A call without tools or options.
    #[must_use]
    pub fn new(
        provider: impl Into<String>,
        model: impl Into<String>,
        messages: Vec<ChatMessage>,
    ) -> Self {
        BeforeLlmCall {
            provider: provider.into(),
            model: model.into(),
            messages,
            ..BeforeLlmCall::default()
        }
    }
}

/// The request that is about to go to the model. ZeroClaw's `on_llm_input`.
///
/// ```
/// use hooks_core::agent::{BeforeLlmCall, ChatMessage, LlmInput};
///
/// let call = BeforeLlmCall::new("openai", "gpt", vec![ChatMessage::user("Hello!")]);
/// assert_eq!(LlmInput::from(&call).messages.len(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LlmInput<'a> {
    /// The provider of the model.
    pub provider: &'a str,
    /// The model's name.
    pub model: &'a str,
    /// The conversation.
    pub messages: &'a [ChatMessage],
}

/// The request, in the state in which earlier hooks left it.
impl<'a> From<&'a BeforeLlmCall> for LlmInput<'a> {
    fn from(call: &'a BeforeLlmCall) -> Self {
        LlmInput {
            provider: &call.provider,
            model: &call.model,
            messages: &call.messages,
        }
    }
}

/// The model's answer. ZeroClaw's `on_llm_output`.
///
/// ```
/// use std::time::Duration;
/// use hooks_core::agent::{BeforeLlmCall, LlmOutput, LlmResponse};
///
/// let (call, response) = (BeforeLlmCall::new("openai", "gpt", vec![]), LlmResponse::new("Hi!"));
/// let output = LlmOutput::of(&call, &response, Duration::from_millis(800));
/// assert_eq!((output.model, output.response.content.as_str()), ("gpt", "Hi!"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LlmOutput<'a> {
    /// The provider of the model.
    pub provider: &'a str,
    /// The model's name.
    pub model: &'a str,
    /// The answer, with what the call used.
    pub response: &'a LlmResponse,
    /// How long the model took, from the request to the end of the answer.
    pub duration: Duration,
}

impl<'a> LlmOutput<'a> {
    /// The model's answer to the call.
    #[must_use]
    pub fn of(call: &'a BeforeLlmCall, response: &'a LlmResponse, duration: Duration) -> Self {
        LlmOutput {
            provider: &call.provider,
            model: &call.model,
            response,
            duration,
        }
    }
}

/// What an [`LlmDelta`] is a piece of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeltaKind {
    /// The answer's text. The default.
    #[default]
    Text,
    /// The model's reasoning.
    Reasoning,
    /// A tool call's arguments.
    ToolCall,
}

/// A piece of the model's streamed answer.
///
/// It comes about once per token, so cost matters most here. PicoClaw's `agent.llm.delta`, mini-claw-code's
/// `TextDelta`, ClawSeed's `TurnEvent::Chunk`.
///
/// ```
/// use hooks_core::agent::{AgentContext, DeltaKind, LlmDelta};
/// use hooks_core::{hook, hooks};
///
/// #[hook(when = |delta| delta.kind == DeltaKind::Text)]
/// fn show(delta: &LlmDelta<'_>) {
///     print!("{}", delta.text);
/// }
/// hooks![show].observe_now(&AgentContext::new("s1"), &LlmDelta { text: "He", ..Default::default() });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmDelta<'a> {
    /// What it is a piece of.
    pub kind: DeltaKind,
    /// The piece.
    pub text: &'a str,
}

/// A model call has failed. PicoClaw's `agent.llm.retry`.
///
/// If a hook responds [`Retry`], the agent calls the model again: the one that `provider` and `model` then name, so a
/// hook may change them to fall back to another model. Without a response, the failure remains.
///
/// ```
/// use hooks_core::agent::{AgentContext, LlmFailed, Retry};
/// use hooks_core::{HookAction, HookResult, hook, hooks};
///
/// #[hook]
/// fn fall_back(failed: &mut LlmFailed) -> HookAction<LlmFailed> {
///     if failed.attempt > 0 {
///         return HookAction::Continue;
///     }
///     failed.model = "small".into();
///     HookAction::respond(Retry::new())
/// }
///
/// let mut failed = LlmFailed::new("openai", "large", "overloaded", 0);
/// let result = hooks![fall_back].intercept_now(&AgentContext::new("s1"), &mut failed);
/// assert_eq!((result, failed.model.as_str()), (HookResult::Respond(Retry::new()), "small"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LlmFailed {
    /// The provider of the model.
    pub provider: String,
    /// The model's name.
    pub model: String,
    /// What went wrong.
    pub error: String,
    /// How many times hooks have retried this request: 0 the first time.
    pub attempt: u32,
}

impl LlmFailed {
    /// A model call that has failed.
    #[must_use]
    pub fn new(
        provider: impl Into<String>,
        model: impl Into<String>,
        error: impl Into<String>,
        attempt: u32,
    ) -> Self {
        LlmFailed {
            provider: provider.into(),
            model: model.into(),
            error: error.into(),
            attempt,
        }
    }
}

/// The model has answered, and the agent has not used the answer yet. PicoClaw's `after_llm`.
///
/// A hook may change the answer, or respond [`Retry`] to ask the model again.
///
/// ```
/// use hooks_core::agent::{AfterLlmCall, AgentContext, LlmResponse, Retry};
/// use hooks_core::{HookAction, HookResult, hook, hooks};
///
/// #[hook]
/// fn not_empty(call: &AfterLlmCall) -> HookAction<AfterLlmCall> {
///     let response = &call.response;
///     if response.content.is_empty() && response.tool_calls.is_empty() && call.attempt < 2 {
///         return HookAction::respond(Retry::with_feedback("Your answer was empty."));
///     }
///     HookAction::Continue
/// }
///
/// let mut call = AfterLlmCall::new("gpt", LlmResponse::default(), 0);
/// let result = hooks![not_empty].intercept_now(&AgentContext::new("s1"), &mut call);
/// assert_eq!(result, HookResult::Respond(Retry::with_feedback("Your answer was empty.")));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AfterLlmCall {
    /// The model's name.
    pub model: String,
    /// The answer.
    pub response: LlmResponse,
    /// How many times hooks have retried this request: 0 the first time.
    pub attempt: u32,
}

impl AfterLlmCall {
    /// A model's answer.
    #[must_use]
    pub fn new(model: impl Into<String>, response: LlmResponse, attempt: u32) -> Self {
        AfterLlmCall {
            model: model.into(),
            response,
            attempt,
        }
    }
}

/// A hook's response to [`AfterLlmCall`] and to [`LlmFailed`]: call the model again.
///
/// ```
/// use hooks_core::HookAction;
/// use hooks_core::agent::{AfterLlmCall, Retry};
///
/// let action: HookAction<AfterLlmCall> = HookAction::respond(Retry::with_feedback("Be brief."));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Retry {
    /// What was wrong, for the model to read; nothing by default.
    pub feedback: Option<String>,
}

impl Retry {
    /// Retries without feedback.
    #[must_use]
    pub fn new() -> Self {
        Retry::default()
    }

    /// Retries, and tells the model what was wrong.
    #[must_use]
    pub fn with_feedback(feedback: impl Into<String>) -> Self {
        Retry {
            feedback: Some(feedback.into()),
        }
    }
}
