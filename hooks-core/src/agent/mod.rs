//! The standard vocabulary: an agent's life, from its gateway's start to the last word of a turn.
//!
//! [`AgentEvent`] unites what the five systems have. In the order of a turn:
//!
//! [`MessageReceived`], [`AgentStart`], [`BeforeModelResolve`], [`BeforePromptBuild`],
//! [`BeforeLlmCall`], [`LlmInput`], \[the model: [`LlmDelta`] …\], [`LlmOutput`], [`AfterLlmCall`], for
//! each tool call { [`InvalidToolCall`] where it is one, [`BeforeToolCall`], [`ApproveToolCall`],
//! \[the tool\], [`AfterToolCall`], [`ToolCallEnd`] }, [`BeforeStop`], [`AgentEnd`],
//! [`MessageSending`], \[sending\], [`MessageSent`].
//!
//! Events that hooks may change own their data; events that they only look at borrow it from the agent,
//! so that nothing is cloned to raise one. All payloads serialize, and the owning ones deserialize. So do
//! those that borrow nothing but text, as far as it can be borrowed: JSON text with an escape in it, such as
//! the end of a line, is an error.
//!
//! An agent is generic over its hooks, by the one bound [`AgentHooks`]:
//!
//! ```
//! use hooks_core::HookResult;
//! use hooks_core::agent::*;
//!
//! struct Agent<H> { hooks: H, cx: AgentContext }
//!
//! impl<H: AgentHooks> Agent<H> {
//!     async fn tool_call(&self, mut call: BeforeToolCall) -> ToolOutput {
//!         match self.hooks.intercept(&self.cx, &mut call).await {
//!             HookResult::Continue => ToolOutput::new(format!("{} ran", call.name)),
//!             HookResult::Respond(output) => output,
//!             HookResult::Cancel(cancel) => ToolOutput::error(cancel.to_string()),
//!         }
//!     }
//! }
//! ```

mod context;
mod llm;
mod message;
mod session;
mod tool;

pub use self::context::AgentContext;
pub use self::llm::{
    AfterLlmCall, BeforeLlmCall, BeforeModelResolve, BeforePromptBuild, ChatMessage, DeltaKind,
    LlmDelta, LlmInput, LlmOutput, LlmResponse, Retry, Role, ToolDefinition,
};
pub use self::message::{MessageReceived, MessageSending, MessageSent, Notification};
pub use self::session::{
    AgentEnd, AgentStart, BeforeCompact, BeforeStop, GatewayStart, GatewayStop, HeartbeatTick,
    SessionEnd, SessionStart, SubagentStart, SubagentStop,
};
pub use self::tool::{
    AfterToolCall, ApproveToolCall, BeforeToolCall, InvalidToolCall, ToolCall, ToolCallEnd,
    ToolCallPatch, ToolOutput,
};

use serde::Serialize;

use crate::HookEvent;

/// Every event of an agent's life: the standard vocabulary.
///
/// It serializes as the payload with a field `event`, which holds the name.
///
/// ```
/// use hooks_core::agent::{AgentEvent, AgentStart};
///
/// let event = AgentEvent::from(&AgentStart { prompt: "Tidy up." });
/// assert_eq!(event.name(), "AgentStart");
/// assert_eq!(
///     serde_json::to_string(&event).unwrap(),
///     r#"{"event":"AgentStart","prompt":"Tidy up."}"#,
/// );
/// assert_eq!(AgentEvent::NAMES.len(), 27);
/// ```
#[derive(HookEvent, Clone, Copy, Debug, PartialEq, Serialize)]
#[events(context = AgentContext)]
#[serde(tag = "event")]
pub enum AgentEvent<'a> {
    /// The gateway has started to listen. ZeroClaw's `on_gateway_start`.
    #[observe]
    GatewayStart(&'a GatewayStart<'a>),
    /// The gateway has stopped. ZeroClaw's `on_gateway_stop`.
    #[observe]
    GatewayStop(&'a GatewayStop),
    /// The heartbeat worker has ticked. ZeroClaw's `on_heartbeat_tick`.
    #[observe]
    HeartbeatTick(&'a HeartbeatTick),
    /// A session has started. ZeroClaw's `on_session_start`, GoClaw's `session_start`.
    #[observe]
    SessionStart(&'a SessionStart<'a>),
    /// A session has ended. ZeroClaw's `on_session_end`.
    #[observe]
    SessionEnd(&'a SessionEnd<'a>),
    /// A message has come in, and is not worked on yet; to block it is to drop it. ZeroClaw's
    /// `on_message_received`, GoClaw's `user_prompt_submit`.
    #[intercept]
    MessageReceived(&'a MessageReceived),
    /// The agent starts to work on a prompt. mini-claw-code's `AgentStart`.
    #[observe]
    AgentStart(&'a AgentStart<'a>),
    /// Before the model is looked up. ZeroClaw's `before_model_resolve`.
    #[intercept]
    BeforeModelResolve(&'a BeforeModelResolve),
    /// Before the system prompt is used. ZeroClaw's `before_prompt_build`.
    #[intercept]
    BeforePromptBuild(&'a BeforePromptBuild),
    /// Before the model is asked; to respond is to answer in its place. ZeroClaw's `before_llm_call`,
    /// PicoClaw's `before_llm`.
    #[intercept(respond = LlmResponse)]
    BeforeLlmCall(&'a BeforeLlmCall),
    /// What the model is about to be asked. ZeroClaw's `on_llm_input`.
    #[observe]
    LlmInput(&'a LlmInput<'a>),
    /// A piece of the model's answer, as it streams in: once a token or so, so this is the event for
    /// which cost matters most. None of the five systems has it.
    #[observe]
    LlmDelta(&'a LlmDelta<'a>),
    /// What the model answered. ZeroClaw's `on_llm_output`.
    #[observe]
    LlmOutput(&'a LlmOutput<'a>),
    /// After the model has answered, before the answer is used; to respond is to have it asked again.
    /// PicoClaw's `after_llm`.
    #[intercept(respond = Retry, no_block)]
    AfterLlmCall(&'a AfterLlmCall),
    /// The model has called a tool that does not exist, or with arguments that do not fit; a hook may
    /// repair the call, or answer it.
    #[intercept(respond = ToolOutput, patch = ToolCallPatch, subject = name)]
    InvalidToolCall(&'a InvalidToolCall),
    /// Before a tool runs. `before_tool_call` in ZeroClaw and ClawSeed, mini-claw-code's `PreToolCall`,
    /// GoClaw's `pre_tool_use`, PicoClaw's `before_tool`.
    #[intercept(respond = ToolOutput, patch = ToolCallPatch, subject = name)]
    BeforeToolCall(&'a BeforeToolCall),
    /// Whether a tool may run, asked of those who approve; to block it is to deny. PicoClaw's
    /// `approve_tool`.
    #[intercept(subject = name)]
    ApproveToolCall(&'a ApproveToolCall<'a>),
    /// After a tool has run, before its output is used. PicoClaw's `after_tool`.
    #[intercept(patch = ToolOutput, no_block, subject = name)]
    AfterToolCall(&'a AfterToolCall),
    /// A tool call is over. `on_after_tool_call` in ZeroClaw, `after_tool_call` in ClawSeed,
    /// mini-claw-code's `PostToolCall`, GoClaw's `post_tool_use`.
    #[observe(subject = name)]
    ToolCallEnd(&'a ToolCallEnd<'a>),
    /// Before a subagent starts. GoClaw's `subagent_start`.
    #[intercept]
    SubagentStart(&'a SubagentStart),
    /// A subagent has finished. GoClaw's `subagent_stop`.
    #[observe]
    SubagentStop(&'a SubagentStop<'a>),
    /// Before the agent stops working on a prompt; to block it is to have it go on, with the reason as
    /// feedback.
    #[intercept]
    BeforeStop(&'a BeforeStop),
    /// The agent has finished with a prompt. mini-claw-code's `AgentEnd`, GoClaw's `stop`.
    #[observe]
    AgentEnd(&'a AgentEnd<'a>),
    /// Before a message goes out; to block it is to hold it back. ZeroClaw's `on_message_sending`.
    #[intercept]
    MessageSending(&'a MessageSending),
    /// A message has gone out. ZeroClaw's `on_message_sent`.
    #[observe]
    MessageSent(&'a MessageSent<'a>),
    /// Before the conversation is compacted.
    #[intercept]
    BeforeCompact(&'a BeforeCompact),
    /// The agent wants attention, as for an approval.
    #[observe]
    Notification(&'a Notification<'a>),
}
