//! Any pipeline of hooks-core as a hook of the agent framework [rig](https://docs.rs/rig-agent).
//!
//! rig runs the agent: it calls the model and the tools, and keeps the conversation. [`RigHooks`] raises the events
//! of [`hooks_core::agent`] from rig's callbacks, and returns the hooks' decisions to rig. rig sees the pipeline as
//! one hook, so each further hook in it costs a static call and no box.
//!
//! ```
//! use hooks_core::agent::{AfterToolCall, AgentContext, BeforeToolCall};
//! use hooks_core::{HookAction, hook, hooks, priority};
//! use hooks_rig::RigHooks;
//! use rig_agent::agent::{Agent, AgentBuilder};
//! use rig_agent::core::{DynModel, operation::Completion};
//!
//! #[hook(priority = priority::SECURITY, only("shell"))]
//! fn no_sudo(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
//!     if call.args["command"].as_str().is_some_and(|command| command.contains("sudo")) {
//!         return HookAction::block("no sudo");
//!     }
//!     HookAction::Continue
//! }
//!
//! #[hook]
//! fn redact(done: &mut AfterToolCall) {
//!     done.output.content = done.output.content.replace("hunter2", "[redacted]");
//! }
//!
//! fn agent(model: DynModel<Completion>) -> Agent {
//!     let hooks = RigHooks::new(hooks![no_sudo, redact], AgentContext::new("session 1"));
//!     AgentBuilder::new(model).add_hook(hooks).build()
//! }
//! ```
//!
//! # Events by callback
//!
//! A run of rig is one turn. Events come in the order described in [`hooks_core::agent`].
//!
//! | rig | events | what hooks may do |
//! | --- | --- | --- |
//! | `on_run_start` | `MessageReceived`, `AgentStart` | rewrite the prompt, add context to it, stop the run |
//! | `on_model_select` | `BeforeModelResolve` | name another model: the label of a `model_route` |
//! | `on_dispatch` of a completion | `BeforePromptBuild`, `BeforeLlmCall`, `LlmInput` | change the system prompt, the conversation, the tools, the options and the model of the request; stop the run |
//! | `on_text_delta`, `on_reasoning_delta`, `on_tool_call_delta` | `LlmDelta` | |
//! | `on_outcome` of a completion | `LlmOutput`, `AfterLlmCall`, and `BeforeStop` if the answer calls no tool | change the text of an answer that calls no tool; stop the run |
//! | `on_model_turn_finished` | none: rig takes the hooks' decision about the answer here | retry the model, or make the agent continue |
//! | `on_invalid_tool_call` | `InvalidToolCall`; if a hook answers it, `AfterToolCall` and `ToolCallEnd`; if one blocks it, `ToolCallSkipped` | repair the name and the arguments, answer, block, stop the run |
//! | `on_dispatch` of a tool call | `BeforeToolCall`, `ApproveToolCall`, `ToolCallStart`; `ToolCallSkipped` if the call is blocked | rewrite the arguments, answer instead of the tool, block, stop the run |
//! | `on_outcome` of a tool call | `AfterToolCall` and `ToolCallEnd`; `ToolCallSkipped` if another hook of rig or a layer has denied the call | change what the model reads, add context to it, stop the run |
//! | `on_outcome` of memory, retrieval, embedding, reranking and custom effects | `Custom`, of the kind `rig.memory` and so on | |
//! | `on_run_settled` | `AgentError` if an error ended the run, `AgentEnd` | |
//!
//! The adapter builds no event that no hook handles, and does not subscribe to its callback.
//!
//! [`RAISED`] and [`NOT_RAISED`] together list all events of the vocabulary. The adapter does not raise these events,
//! because rig has no callback for them:
//!
//! | events | why |
//! | --- | --- |
//! | `GatewayStart`, `GatewayStop`, `HeartbeatTick`, `SessionStart`, `SessionEnd` | rig has no gateway and no sessions: an agent is a value |
//! | `LlmFailed` | rig notifies no hook of a failed model call; the run ends, with `AgentError` |
//! | `SubagentStart`, `SubagentStop` | rig treats an agent within an agent as a tool: `BeforeToolCall` and `ToolCallEnd` |
//! | `MessageSending`, `MessageSent`, `MessageFailed` | rig returns its answer to the caller, who may send it |
//! | `BeforeCompact`, `AfterCompact` | rig does not compact a conversation |
//! | `Interrupt`, `Notification` | rig has neither |
//!
//! # Decisions that rig does not support
//!
//! The adapter carries out a hook's decision, or ends the run. It never drops a decision silently:
//!
//! - `abort_turn` and `abort_run` both end the run of rig, with an error that names the hook. So does `block` on
//!   `BeforeModelResolve`, `BeforePromptBuild` and `BeforeLlmCall`.
//! - rig takes answers only from models. A hook that responds to `BeforeLlmCall` ends the run.
//! - If the model's answer calls tools, rig neither retries nor takes another answer. A hook on `AfterLlmCall` that
//!   asks for either ends the run; a hook on `BeforeToolCall` can change the calls.
//! - rig calls the tool that the model named. If a hook on `BeforeToolCall` names another tool, the call is skipped.
//! - If the model's arguments were not valid JSON and a hook repairs them, rig cannot call the tool with the new
//!   arguments. The adapter asks the model to repeat the call with the hook's arguments.
//! - rig selects a model without waiting. A hook on `BeforeModelResolve` may be asynchronous, but if it has to wait,
//!   the run ends.
//! - If a hook requires an approval and no hook handles `ApproveToolCall`, the call is skipped: rig has no one to
//!   ask.
//! - `BeforeStop` is not raised if rig's structured output comes as a tool call.
//! - Each retry that hooks ask for counts as one of rig's `max_turns`.
//!
//! # Conversations
//!
//! Hooks see a message as a `ChatMessage`. A message that they do not change stays rig's own, with everything that
//! only rig and the provider know about it. A message that they change or add is rebuilt: texts, images, files, tool
//! calls with their ids, tool outputs, reasoning. What `ChatMessage` has no field for is in `Part::Other`. The
//! documents of rig's retrieval are the option `documents` of `BeforeLlmCall`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod convert;
mod hooks;
mod llm;
mod run;
mod tool;

pub use self::hooks::RigHooks;

/// The events that [`RigHooks`] raises, in the order of the vocabulary.
///
/// ```
/// use hooks_core::agent::LlmFailed;
/// use hooks_core::{Event, hook, hooks};
///
/// #[hook]
/// fn fall_back(_: &mut LlmFailed) {}
///
/// let hooks = hooks![fall_back];
/// let dead: Vec<&str> = hooks
///     .plan()
///     .filter_map(|row| row.event)
///     .filter(|event| !hooks_rig::RAISED.contains(event))
///     .collect();
/// assert_eq!(dead, [LlmFailed::NAME]);
/// ```
pub const RAISED: &[&str] = &[
    "MessageReceived",
    "AgentStart",
    "BeforeModelResolve",
    "BeforePromptBuild",
    "BeforeLlmCall",
    "LlmInput",
    "LlmDelta",
    "LlmOutput",
    "AfterLlmCall",
    "InvalidToolCall",
    "BeforeToolCall",
    "ApproveToolCall",
    "ToolCallStart",
    "AfterToolCall",
    "ToolCallEnd",
    "ToolCallSkipped",
    "BeforeStop",
    "AgentEnd",
    "AgentError",
    "Custom",
];

/// The events that rig has no callback for: see [the table](crate#events-by-callback).
pub const NOT_RAISED: &[&str] = &[
    "GatewayStart",
    "GatewayStop",
    "HeartbeatTick",
    "SessionStart",
    "SessionEnd",
    "LlmFailed",
    "SubagentStart",
    "SubagentStop",
    "MessageSending",
    "MessageSent",
    "MessageFailed",
    "BeforeCompact",
    "AfterCompact",
    "Interrupt",
    "Notification",
];
