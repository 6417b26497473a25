//! The standard vocabulary: an agent's life, from the start of its gateway to the last message of a turn.
//!
//! `use hooks_core::agent::prelude::*;` imports it, with what hooks are written with: see [`prelude`].
//!
//! # The twelve events to start with
//!
//! | your hook is to | it takes |
//! | --- | --- |
//! | judge, change or answer a tool call before it runs | [`BeforeToolCall`] |
//! | approve or deny a tool call in a person's place | [`ApproveToolCall`] |
//! | change what a tool has returned | [`AfterToolCall`] |
//! | log a tool call that ran · one that did not | [`ToolCallEnd`] · [`ToolCallSkipped`] |
//! | change a request to the model, or answer it | [`BeforeLlmCall`] |
//! | show the model's answer while it streams | [`LlmDelta`] |
//! | change the model's answer, or ask it again | [`AfterLlmCall`] |
//! | judge or change a message that comes in · that goes out | [`MessageReceived`] · [`MessageSending`] |
//! | keep the agent from stopping too early | [`BeforeStop`] |
//! | count what a turn has used | [`AgentEnd`] |
//!
//! # All events
//!
//! [`AgentEvent`] covers the events of five agent systems: ZeroClaw, ClawSeed, mini-claw-code, GoClaw and PicoClaw.
//!
//! | event | kind | a hook may | raised when | from |
//! | --- | --- | --- | --- | --- |
//! | [`GatewayStart`] | observe | look | the gateway listens | ZeroClaw `on_gateway_start`; PicoClaw `gateway.start` |
//! | [`GatewayStop`] | observe | look | the gateway has stopped | ZeroClaw `on_gateway_stop`; PicoClaw `gateway.shutdown` |
//! | [`HeartbeatTick`] | observe | look | the heartbeat worker ticks | ZeroClaw `on_heartbeat_tick` |
//! | [`SessionStart`] | intercept | add context | a session starts or resumes | ZeroClaw `on_session_start`; GoClaw `session_start` |
//! | [`SessionEnd`] | observe | look | a session is over | ZeroClaw `on_session_end` |
//! | [`MessageReceived`] | intercept | modify, add context, block | a message has arrived; a block drops it | ZeroClaw `on_message_received`; GoClaw `user_prompt_submit` |
//! | [`AgentStart`] | observe | look | a turn begins | mini-claw-code `AgentStart`; PicoClaw `agent.turn.start` |
//! | [`BeforeModelResolve`] | intercept | modify, block | before the model is looked up | ZeroClaw `before_model_resolve` |
//! | [`BeforePromptBuild`] | intercept | modify, block | before the system prompt is used | ZeroClaw `before_prompt_build` |
//! | [`BeforeLlmCall`] | intercept | modify, respond [`LlmResponse`], block | before each model call | ZeroClaw `before_llm_call`; PicoClaw `before_llm` |
//! | [`LlmInput`] | observe | look | the request is about to go to the model | ZeroClaw `on_llm_input`; PicoClaw `agent.llm.request` |
//! | [`LlmDelta`] | observe | look | a piece of the answer streams in, about once per token | PicoClaw `agent.llm.delta`; mini-claw-code `TextDelta`; ClawSeed `TurnEvent::Chunk` |
//! | [`LlmFailed`] | intercept | modify (another model), respond [`Retry`] | a model call has failed | PicoClaw `agent.llm.retry` |
//! | [`LlmOutput`] | observe | look | the model has answered | ZeroClaw `on_llm_output`; PicoClaw `agent.llm.response` |
//! | [`AfterLlmCall`] | intercept | modify, respond [`Retry`] | before the model's answer is used | PicoClaw `after_llm` |
//! | [`InvalidToolCall`] | intercept | modify (repair it), respond [`ToolOutput`], block | the model calls a tool that does not exist, or passes invalid arguments | – |
//! | [`BeforeToolCall`] | intercept | modify, set `approval`, add context, respond [`ToolOutput`], block | before each tool call | ZeroClaw and ClawSeed `before_tool_call`; mini-claw-code `PreToolCall`; GoClaw `pre_tool_use`; PicoClaw `before_tool` |
//! | [`ApproveToolCall`] | intercept | respond [`Approved`] (no one else is asked), block (deny) | no hook has blocked or answered the call | PicoClaw `approve_tool` |
//! | [`ToolCallStart`] | observe | look | the call is approved and about to run | PicoClaw `agent.tool.exec_start` |
//! | [`AfterToolCall`] | intercept | modify the output, add context | the tool has run or a hook has answered, before the output is used | PicoClaw `after_tool` |
//! | [`ToolCallEnd`] | observe | look | the tool has run or a hook has answered, and the output is final | ZeroClaw `on_after_tool_call`; ClawSeed `after_tool_call`; mini-claw-code `PostToolCall`; GoClaw `post_tool_use`; PicoClaw `agent.tool.exec_end` |
//! | [`ToolCallSkipped`] | observe | look | instead of `ToolCallEnd`, if the call was blocked, denied or interrupted | PicoClaw `agent.tool.exec_skipped` |
//! | [`SubagentStart`] | intercept | modify, add context, block | before a subagent starts | GoClaw `subagent_start`; PicoClaw `agent.subturn.spawn` |
//! | [`SubagentStop`] | observe | look | a subagent has finished | GoClaw `subagent_stop`; PicoClaw `agent.subturn.end` |
//! | [`BeforeStop`] | intercept | modify, block (the agent continues, with the reason as feedback) | the agent is about to end its turn | – |
//! | [`AgentEnd`] | observe | look | a turn has ended, with any outcome | mini-claw-code `AgentEnd`; GoClaw `stop`; PicoClaw `agent.turn.end` |
//! | [`AgentError`] | observe | look | an error has stopped the agent or part of its work | PicoClaw `agent.error` |
//! | [`MessageSending`] | intercept | modify, block | before a message is sent; a block holds it back | ZeroClaw `on_message_sending` |
//! | [`MessageSent`] | observe | look | a message has been sent | ZeroClaw `on_message_sent`; PicoClaw `channel.message.outbound_sent` |
//! | [`MessageFailed`] | observe | look | instead of `MessageSent`, if a message could not be sent | PicoClaw `channel.message.outbound_failed` |
//! | [`BeforeCompact`] | intercept | modify, block | before the conversation is compacted | – |
//! | [`AfterCompact`] | observe | look | the conversation has been compacted | PicoClaw `agent.context.compress` |
//! | [`Interrupt`] | observe | look | someone interrupts the agent | PicoClaw `agent.interrupt.received` |
//! | [`Notification`] | observe | look | the agent needs attention, for an approval for example | – |
//! | [`Custom`] | observe | look | your agent raises an event of its own | – |
//!
//! On every intercepted event, a hook may also abort the turn or the run. *Add context* means to push to the event's
//! `context`: text that the agent adds to what the model reads next. *From* names the same event in the five systems.
//!
//! # The order of a turn
//!
//! [`MessageReceived`], [`AgentStart`], [`BeforeModelResolve`], [`BeforePromptBuild`],
//! [`BeforeLlmCall`], [`LlmInput`], \[the model: [`LlmDelta`] …, or [`LlmFailed`]\], [`LlmOutput`],
//! [`AfterLlmCall`], for each tool call { [`InvalidToolCall`] if the call is invalid, [`BeforeToolCall`],
//! [`ApproveToolCall`], [`ToolCallStart`], \[the tool\], [`AfterToolCall`], [`ToolCallEnd`]; or
//! [`ToolCallSkipped`] }, [`BeforeStop`], [`AgentEnd`], [`MessageSending`], \[sending\], [`MessageSent`].
//!
//! If a hook on `BeforeToolCall` answers the call, `AfterToolCall` comes next. If a hook blocks or denies the call,
//! it ends with `ToolCallSkipped`.
//!
//! # Payloads
//!
//! Events that hooks may change own their data. Events that hooks only look at borrow it from the agent, so raising
//! one clones nothing. Build a payload with its constructor, or as
//! `BeforeToolCall { name: "shell".into(), ..Default::default() }`.
//!
//! All payloads serialize. Empty optional fields are left out. Payloads that own their data deserialize, and a
//! missing key takes the default. Payloads that borrow only text deserialize too, from text that can be borrowed: a
//! JSON string with an escape in it, such as `\n`, is an error.
//!
//! # Agents
//!
//! Make your agent generic over its hooks with the one bound [`AgentHooks`], and call the drivers. They raise the
//! events above in order and carry out what the hooks decide. Each driver's page tells [what it does](run_tool_call):
//! [`run_tool_call`], [`run_invalid_tool_call`], [`run_llm_call`], [`run_turn`], [`run_turn_concurrent`], [`run_message`],
//! [`send_message`].
//!
//! ```
//! use hooks_core::agent::prelude::*;
//!
//! struct Agent<H> { hooks: H, cx: AgentContext }
//!
//! impl<H: AgentHooks> Agent<H> {
//!     /// What the model reads next.
//!     async fn tool_call(&self, call: ToolCall) -> Result<ChatMessage, Cancel> {
//!         let done = run_tool_call(&self.hooks, &self.cx, call, async |call: &BeforeToolCall| {
//!             ToolOutput::new(format!("{} ran", call.name))
//!         });
//!         Ok(ChatMessage::tool(&done.await?))
//!     }
//! }
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # let agent = Agent { hooks: hooks![], cx: AgentContext::new("s1") };
//! # let call = ToolCall::new("1", "list", serde_json::json!({}));
//! # assert_eq!(agent.tool_call(call).await.unwrap().content, "list ran");
//! # }
//! ```
//!
//! Your agent may also raise an event directly, with the methods of its hooks:
//!
//! ```
//! use hooks_core::agent::prelude::*;
//!
//! /// Compacts a conversation, unless a hook blocks it.
//! async fn compact(hooks: &impl AgentHooks, cx: &AgentContext) {
//!     let mut before = BeforeCompact { trigger: "auto".into(), ..Default::default() };
//!     if let HookResult::Cancel(_) = hooks.intercept(cx, &mut before).await {
//!         return;
//!     }
//!     // …
//!     hooks.observe(cx, &AfterCompact { trigger: &before.trigger, summary: "…" }).await;
//! }
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # compact(&hooks![], &AgentContext::new("s1")).await;
//! # }
//! ```
//!
//! On hooks that you know only as `impl AgentHooks`, these are methods of traits: the prelude imports them.

mod approval;
mod chat;
mod compact;
mod context;
mod custom;
mod llm;
mod message;
pub mod prelude;
mod run;
mod session;
mod tool;
mod usage;

pub use self::approval::{Approval, ApproveToolCall, Approved};
pub use self::chat::{ChatMessage, Media, MediaKind, Part, Role, Span};
pub use self::compact::{AfterCompact, BeforeCompact};
pub use self::context::AgentContext;
pub use self::custom::Custom;
pub use self::llm::{
    AfterLlmCall, BeforeLlmCall, BeforeModelResolve, BeforePromptBuild, DeltaKind, LlmDelta,
    LlmFailed, LlmInput, LlmOutput, LlmResponse, Retry,
};
pub use self::message::{
    Interrupt, MessageFailed, MessageReceived, MessageSending, MessageSent, Notification,
};
#[doc(hidden)]
pub use self::run::{AreHooks, IsAnswer, IsEvent, IsModel, IsSender, IsTool};
pub use self::run::{
    Conversation, Deltas, LlmCallResult, MAX_RETRIES, MessageError, MessageOutcome, RunError,
    ToolCallResult, TurnResult, raised, run_invalid_tool_call, run_llm_call, run_message,
    run_tool_call, run_turn, run_turn_concurrent, send_message,
};
pub use self::session::{
    AgentEnd, AgentError, AgentStart, AgentStatus, BeforeStop, GatewayStart, GatewayStop,
    HeartbeatTick, SessionEnd, SessionStart, SubagentStart, SubagentStop,
};
pub use self::tool::{
    AfterToolCall, BeforeToolCall, InvalidToolCall, ToolAnnotations, ToolCall, ToolCallEnd,
    ToolCallPatch, ToolCallSkipped, ToolCallStart, ToolDefinition, ToolOutcome, ToolOutput,
};
pub use self::usage::{StopReason, Usage};

use serde::Serialize;

use crate::HookEvent;

// Brings the methods of hooks into scope together with the vocabulary.
pub use crate::Hook as _;

/// A registry of an agent's hooks: the type for a field, a `static`, or a map with one for each tenant.
///
/// It is a handle: a clone is the same registry. See [`HookRegistry`](crate::HookRegistry).
///
/// ```
/// use hooks_core::agent::prelude::*;
/// use std::collections::BTreeMap;
///
/// #[hook]
/// fn no_shell(_: &BeforeToolCall) -> HookAction<BeforeToolCall> { HookAction::block("no shell here") }
///
/// #[derive(Default)]
/// struct Tenants { hooks: BTreeMap<String, AgentRegistry> }
///
/// let mut tenants = Tenants::default();
/// tenants.hooks.entry("acme".into()).or_default().register(no_shell).unwrap();
/// assert_eq!(tenants.hooks["acme"].names(), ["no_shell"]);
/// ```
#[cfg(feature = "std")]
pub type AgentRegistry = crate::HookRegistry<AgentEvent<'static>>;

/// Any hooks of an agent, in a box: what a function returns that chooses among hooks. See [`BoxHook`](crate::BoxHook).
///
/// ```
/// use hooks_core::agent::prelude::*;
///
/// #[hook]
/// fn lower(call: &mut BeforeToolCall) { call.name.make_ascii_lowercase(); }
///
/// #[hook]
/// fn trim(call: &mut BeforeToolCall) { call.name = call.name.trim().into(); }
///
/// fn by_name(name: &str) -> Option<AgentBox> {
///     Some(match name {
///         "lower" => AgentBox::new(lower),
///         "both" => AgentBox::new(hooks![trim, lower]),
///         _ => return None,
///     })
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let mut call = BeforeToolCall { name: " Shell".into(), ..Default::default() };
/// assert!(by_name("both").unwrap().intercept(&AgentContext::new("s1"), &mut call).await.is_continue());
/// assert_eq!(call.name, "shell");
/// # }
/// ```
#[cfg(feature = "std")]
pub type AgentBox = crate::BoxHook<AgentEvent<'static>>;

/// Every event of an agent's life: the standard vocabulary.
///
/// It serializes as the payload plus a field `event` that holds the name. The [module documentation](self#all-events)
/// has a table of all events.
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
/// assert_eq!(AgentEvent::NAMES.len(), 35);
/// ```
#[derive(HookEvent, Clone, Copy, Debug, PartialEq, Serialize)] // `impl AgentHandler` goes under `#[async_trait]`
#[events(context = AgentContext)]
#[serde(tag = "event")]
pub enum AgentEvent<'a> {
    /// The gateway listens. ZeroClaw's `on_gateway_start`.
    #[observe]
    GatewayStart(&'a GatewayStart<'a>),
    /// The gateway has stopped. ZeroClaw's `on_gateway_stop`.
    #[observe]
    GatewayStop(&'a GatewayStop),
    /// The heartbeat worker has ticked. ZeroClaw's `on_heartbeat_tick`.
    #[observe]
    HeartbeatTick(&'a HeartbeatTick),
    /// A session has started. Hooks may add context, but cannot block it. ZeroClaw's `on_session_start`, GoClaw's
    /// `session_start`.
    #[intercept(no_block)]
    SessionStart(&'a SessionStart),
    /// A session has ended. ZeroClaw's `on_session_end`.
    #[observe]
    SessionEnd(&'a SessionEnd<'a>),
    /// A message has arrived, and the agent has not started on it. To block it is to drop it. ZeroClaw's
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
    /// Before each model call. To respond is to answer instead of the model. ZeroClaw's `before_llm_call`, PicoClaw's
    /// `before_llm`.
    #[intercept(respond = LlmResponse, around = Result<LlmResponse, alloc::string::String>)]
    BeforeLlmCall(&'a BeforeLlmCall),
    /// The request that is about to go to the model. ZeroClaw's `on_llm_input`.
    #[observe]
    LlmInput(&'a LlmInput<'a>),
    /// A piece of the model's streamed answer. It comes about once per token, so cost matters most here. PicoClaw's
    /// `agent.llm.delta`, mini-claw-code's `TextDelta`, ClawSeed's `TurnEvent::Chunk`.
    #[observe]
    LlmDelta(&'a LlmDelta<'a>),
    /// A model call has failed. To respond is to retry, with the model that the event then names. PicoClaw's
    /// `agent.llm.retry`.
    #[intercept(respond = Retry, no_block)]
    LlmFailed(&'a LlmFailed),
    /// What the model answered. ZeroClaw's `on_llm_output`.
    #[observe]
    LlmOutput(&'a LlmOutput<'a>),
    /// The model has answered, and the agent has not used the answer yet. To respond is to ask the model again.
    /// PicoClaw's `after_llm`.
    #[intercept(respond = Retry, no_block)]
    AfterLlmCall(&'a AfterLlmCall),
    /// The model has called a tool that does not exist, or passed invalid arguments. A hook may repair the call, or
    /// answer it.
    #[intercept(respond = ToolOutput, patch = ToolCallPatch, subject = name)]
    InvalidToolCall(&'a InvalidToolCall),
    /// Before a tool runs. `before_tool_call` in ZeroClaw and ClawSeed, mini-claw-code's `PreToolCall`,
    /// GoClaw's `pre_tool_use`, PicoClaw's `before_tool`.
    #[intercept(respond = ToolOutput, patch = ToolCallPatch, around = ToolOutput, subject = name)]
    BeforeToolCall(&'a BeforeToolCall),
    /// Whether a tool call is approved. To respond is to approve it before anyone else is asked, to block it is to
    /// deny it. PicoClaw's `approve_tool`.
    #[intercept(respond = Approved, approval, subject = name)]
    ApproveToolCall(&'a ApproveToolCall<'a>),
    /// A tool call is approved, and about to run. PicoClaw's `agent.tool.exec_start`.
    #[observe(subject = name)]
    ToolCallStart(&'a ToolCallStart<'a>),
    /// The tool has run or a hook has answered, and the agent has not used the output yet. PicoClaw's `after_tool`.
    #[intercept(patch = ToolOutput, no_block, subject = name)]
    AfterToolCall(&'a AfterToolCall),
    /// A tool call is over: the tool ran, or a hook answered. `on_after_tool_call` in ZeroClaw, `after_tool_call`
    /// in ClawSeed, mini-claw-code's `PostToolCall`, GoClaw's `post_tool_use`.
    #[observe(subject = name)]
    ToolCallEnd(&'a ToolCallEnd<'a>),
    /// A tool call did not run, because it was blocked, denied or interrupted. It replaces `ToolCallEnd`. PicoClaw's
    /// `agent.tool.exec_skipped`.
    #[observe(subject = name)]
    ToolCallSkipped(&'a ToolCallSkipped<'a>),
    /// Before a subagent starts. GoClaw's `subagent_start`.
    #[intercept]
    SubagentStart(&'a SubagentStart),
    /// A subagent has finished. GoClaw's `subagent_stop`.
    #[observe]
    SubagentStop(&'a SubagentStop<'a>),
    /// Before the agent stops working on a prompt. To block it is to make the agent continue, with the reason as
    /// feedback.
    #[intercept]
    BeforeStop(&'a BeforeStop),
    /// The agent has finished with a prompt. mini-claw-code's `AgentEnd`, GoClaw's `stop`.
    #[observe]
    AgentEnd(&'a AgentEnd<'a>),
    /// An error has stopped the agent, or part of its work. PicoClaw's `agent.error`.
    #[observe]
    AgentError(&'a AgentError<'a>),
    /// Before a message is sent. To block it is to hold it back. ZeroClaw's `on_message_sending`.
    #[intercept]
    MessageSending(&'a MessageSending),
    /// A message has been sent. ZeroClaw's `on_message_sent`.
    #[observe]
    MessageSent(&'a MessageSent<'a>),
    /// A message could not be sent.
    #[observe]
    MessageFailed(&'a MessageFailed<'a>),
    /// Before the conversation is compacted.
    #[intercept]
    BeforeCompact(&'a BeforeCompact),
    /// The conversation has been compacted. PicoClaw's `agent.context.compress`.
    #[observe]
    AfterCompact(&'a AfterCompact<'a>),
    /// The agent was interrupted. PicoClaw's `agent.interrupt.received`.
    #[observe]
    Interrupt(&'a Interrupt<'a>),
    /// The agent needs attention, for an approval for example.
    #[observe]
    Notification(&'a Notification<'a>),
    /// An event of your own agent. Hooks select it by its `kind`.
    #[observe(subject = kind)]
    Custom(&'a Custom<'a>),
}
