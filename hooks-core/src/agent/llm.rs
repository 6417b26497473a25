//! What goes to the model, and what comes back.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolCall;

/// Who says a [`ChatMessage`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The agent's instructions.
    System,
    /// The user. The default.
    #[default]
    User,
    /// The model.
    Assistant,
    /// A tool's output.
    Tool,
}

/// A message of the conversation with the model.
///
/// ```
/// use hooks_core::agent::{ChatMessage, Role};
/// let message = ChatMessage::new(Role::User, "Hello!");
/// assert!(message.tool_calls.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: String,
    /// The tools that the model calls with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

impl ChatMessage {
    /// A message without tool calls.
    #[must_use]
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        ChatMessage {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
        }
    }
}

/// A tool, as the model is told of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What the model answers.
///
/// ```
/// use hooks_core::agent::LlmResponse;
/// assert!(LlmResponse::new("Done.").tool_calls.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LlmResponse {
    /// What it says.
    pub content: String,
    /// The tools that it calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

impl LlmResponse {
    /// An answer without tool calls.
    #[must_use]
    pub fn new(content: impl Into<String>) -> Self {
        LlmResponse {
            content: content.into(),
            tool_calls: Vec::new(),
        }
    }
}

/// Before the model is looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforeModelResolve {
    /// Who serves the model.
    pub provider: String,
    /// The model's name.
    pub model: String,
}

/// Before the system prompt is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BeforePromptBuild {
    /// The system prompt.
    pub prompt: String,
}

/// Before the model is asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BeforeLlmCall {
    /// The model's name.
    pub model: String,
    /// The conversation.
    pub messages: Vec<ChatMessage>,
    /// The tools that it may call.
    pub tools: Vec<ToolDefinition>,
    /// What else the model's service is told, as a JSON object: `temperature` and the like.
    pub options: Value,
}

/// What the model is about to be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LlmInput<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The conversation.
    pub messages: &'a [ChatMessage],
}

/// What the model answered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LlmOutput<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The answer.
    pub response: &'a LlmResponse,
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

/// A piece of the model's answer, as it streams in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmDelta<'a> {
    /// What it is a piece of.
    pub kind: DeltaKind,
    /// The piece.
    pub text: &'a str,
}

/// After the model has answered, before the answer is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AfterLlmCall {
    /// The model's name.
    pub model: String,
    /// The answer.
    pub response: LlmResponse,
}

/// A hook's response to [`AfterLlmCall`]: the model is to be asked again.
///
/// ```
/// use hooks_core::HookAction;
/// use hooks_core::agent::{AfterLlmCall, Retry};
///
/// let action: HookAction<AfterLlmCall> = HookAction::respond(Retry::with_feedback("Be brief."));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// What the model is told was wrong; nothing by default.
    pub feedback: Option<String>,
}

impl Retry {
    /// Has the model asked again, and told what was wrong.
    #[must_use]
    pub fn with_feedback(feedback: impl Into<String>) -> Self {
        Retry {
            feedback: Some(feedback.into()),
        }
    }
}
