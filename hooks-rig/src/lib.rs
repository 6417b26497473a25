//! Any pipeline of hooks-core as a hook of the agent framework [rig](https://docs.rs/rig-agent).
//!
//! rig runs the agent: it asks the model, calls the tools, and keeps the conversation. [`RigHooks`] raises the events
//! of [`hooks_core::agent`] from rig's callbacks, and tells rig what the hooks have decided. To rig a pipeline is one
//! hook, however many hooks are in it, so one more of them costs a static call and no box.
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
//! # Which callback raises what
//!
//! A run of rig is one turn. The events of a turn come in the order of [`hooks_core::agent`].
//!
//! | rig | events | what hooks may do there |
//! | --- | --- | --- |
//! | `on_run_start` | `MessageReceived`, `AgentStart` | rewrite the prompt, add context to it, stop the run |
//! | `on_model_select` | `BeforeModelResolve` | name another model: the label of a `model_route` |
//! | `on_dispatch` of a completion | `BeforePromptBuild`, `BeforeLlmCall`, `LlmInput` | change the system prompt, the conversation, the tools, the options and the model of the request; stop the run |
//! | `on_text_delta`, `on_reasoning_delta`, `on_tool_call_delta` | `LlmDelta` | |
//! | `on_outcome` of a completion | `LlmOutput`, `AfterLlmCall`, and `BeforeStop` if the answer calls no tool | change the text of an answer that calls no tool; stop the run |
//! | `on_model_turn_finished` | none: rig takes here what hooks have said of the answer | have the model asked again, or sent on |
//! | `on_invalid_tool_call` | `InvalidToolCall`; if a hook answers it `AfterToolCall` and `ToolCallEnd`, if one blocks it `ToolCallSkipped` | repair the name and the arguments, answer, block, stop the run |
//! | `on_dispatch` of a tool call | `BeforeToolCall`, `ApproveToolCall`, `ToolCallStart`; `ToolCallSkipped` if the call is blocked | rewrite the arguments, answer in the tool's place, block, stop the run |
//! | `on_outcome` of a tool call | `AfterToolCall` and `ToolCallEnd`; `ToolCallSkipped` if another hook of rig or a layer has denied the call | change what the model reads, add context to it, stop the run |
//! | `on_outcome` of memory, retrieval, embedding, reranking and custom effects | `Custom`, of the kind `rig.memory` and so on | |
//! | `on_run_settled` | `AgentError` if an error ended the run, `AgentEnd` | |
//!
//! Nothing is built for an event that no hook handles, and rig is not told that the adapter observes it.
//!
//! [`RAISED`] and [`NOT_RAISED`] list all events of the vocabulary. These are not raised, because rig has no such
//! moment:
//!
//! | events | why |
//! | --- | --- |
//! | `GatewayStart`, `GatewayStop`, `HeartbeatTick`, `SessionStart`, `SessionEnd` | rig has no gateway and no sessions: an agent is a value |
//! | `LlmFailed` | rig tells no hook that a call of the model has failed; the run ends, with `AgentError` |
//! | `SubagentStart`, `SubagentStop` | an agent within an agent is a tool to rig: `BeforeToolCall` and `ToolCallEnd` |
//! | `MessageSending`, `MessageSent`, `MessageFailed` | rig returns its answer to the caller, who may send it |
//! | `BeforeCompact`, `AfterCompact` | rig does not compact a conversation |
//! | `Interrupt`, `Notification` | rig has neither |
//!
//! # Where rig says no
//!
//! What a hook decides is done or it ends the run. It is never dropped silently:
//!
//! - `abort_turn` and `abort_run` both end the run of rig, with an error that says which hook did it. So does
//!   `block` on `BeforeModelResolve`, `BeforePromptBuild` and `BeforeLlmCall`.
//! - rig takes answers of models only. A hook that responds to `BeforeLlmCall` ends the run.
//! - rig does not ask again, and takes no other answer, where the model's answer calls tools. A hook on
//!   `AfterLlmCall` that wants it ends the run; a hook on `BeforeToolCall` can change the calls.
//! - rig calls the tool that the model has called. If a hook on `BeforeToolCall` names another, the call is skipped.
//! - rig cannot call a tool with arguments that a hook has made of text that was no JSON. The model is told to make
//!   the call again, with the hook's arguments.
//! - rig does not wait where it selects a model. A hook on `BeforeModelResolve` may be asynchronous, but if it has to
//!   wait, the run ends.
//! - A hook that asks for approval where no hook handles `ApproveToolCall` has the call skipped: rig has nobody to ask.
//! - `BeforeStop` is not raised where rig's structured output comes as a tool call.
//! - Each time that hooks have the model asked again counts as one of rig's `max_turns`.
//!
//! # Conversations
//!
//! A message goes to hooks as a `ChatMessage` and comes back. One that they leave alone is rig's own, with all that only
//! rig and the provider know of it. One that they change or add is built anew: texts, pictures, files, tool calls and
//! their ids, outputs of tools, reasoning. What rig has and `ChatMessage` has no field for stands in `Part::Other`.
//! The documents of rig's retrieval are the option `documents` of `BeforeLlmCall`.

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

/// The events that rig has no moment for: see [the table](crate#which-callback-raises-what).
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
