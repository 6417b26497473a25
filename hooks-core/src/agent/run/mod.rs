//! Drivers: they raise the events of a call, a message or a turn in their order, and honour what hooks decide.
//!
//! An agent that raises events by hand has to get the same forty lines right as every other agent: which event
//! follows an answer, what a block skips, that an abort on the last event still counts. The drivers are those
//! lines, once. Each is one `async fn` that is generic over the hooks and over the work: it takes no box, no
//! executor and no allocation of its own, and an event that no hook handles is not even built.
//!
//! | driver | raises | around |
//! | --- | --- | --- |
//! | [`run_tool_call`] | `BeforeToolCall`, `ApproveToolCall`, `ToolCallStart`, `AfterToolCall`, `ToolCallEnd` or `ToolCallSkipped` | the tool |
//! | [`run_invalid_tool_call`] | `InvalidToolCall`, and then as `run_tool_call` | the tool |
//! | [`run_llm_call`] | `BeforeLlmCall`, `LlmInput`, `LlmDelta`, `LlmFailed` or `LlmOutput`, `AfterLlmCall` | the model |
//! | [`run_turn`] | `AgentStart`, `BeforeModelResolve`, `BeforePromptBuild`, all of the above, `BeforeStop`, `AgentError`, `AgentEnd` | |
//! | [`send_message`] | `MessageSending`, `MessageSent` or `MessageFailed` | |
//! | [`run_message`] | `MessageReceived`, and then as `send_message` | |
//!
//! # What follows what
//!
//! | a hook says | on | the driver |
//! | --- | --- | --- |
//! | block | `BeforeToolCall`, `ApproveToolCall`, `InvalidToolCall` | raises `ToolCallSkipped`; the model reads the reason |
//! | respond | `BeforeToolCall`, `InvalidToolCall` | goes on with `AfterToolCall` and `ToolCallEnd`, without `ApproveToolCall` and `ToolCallStart` |
//! | `Approval::Ask`, and nobody responds `Approved` | `BeforeToolCall` | raises `ToolCallSkipped`: nobody has said yes |
//! | abort the turn, or the run | any event of a call | raises how the call ended, and returns the cancellation |
//! | respond | `BeforeLlmCall` | goes on with `AfterLlmCall`, without `LlmInput` and `LlmOutput` |
//! | retry | `LlmFailed`, `AfterLlmCall` | asks the model again, at most [`MAX_RETRIES`] times |
//! | block | `BeforeStop` | goes on with the reason as feedback, at most [`MAX_RETRIES`] times a turn |
//! | block | `MessageReceived`, `MessageSending` | drops the message, holds it back |
//!
//! # Dropping a driver
//!
//! A driver's future may be dropped at any await. What it awaits is dropped with it: the hook or the work
//! that runs, and what hooks with `#[hook(around)]` hold. No event is raised after that, and none twice. An agent
//! that stops work in this way raises [`Interrupt`](super::Interrupt) itself. A [`Conversation`] keeps what was said
//! until then, and the next [`run_turn`] tells the model which of its calls were interrupted.
//!
//! # Threads
//!
//! A driver's future is `Send` where the future of the work is, also in code that is generic over its hooks, so it
//! can be spawned. Work that is not `Send`, or that borrows and changes what is local, runs where it is awaited.
//!
//! # The closures that do the work
//!
//! A driver may have to do work again, so a closure for it is `AsyncFnOnce + Clone`, and is cloned for each time. The
//! bound `AsyncFnMut` would say the same, but rustc cannot yet prove `Send` for a future that holds such a closure
//! together with a reference that it captures, and an agent could not be spawned.
//!
//! # Durations
//!
//! They are measured with the feature `std`. Without it there is no clock, and every duration is zero.

mod answers;
mod clock;
mod llm;
mod message;
mod tool;
mod turn;

pub use self::llm::{Deltas, LlmCallResult, run_llm_call};
pub use self::message::{MessageError, MessageOutcome, run_message, send_message};
pub use self::tool::{ToolCallResult, run_invalid_tool_call, run_tool_call};
pub use self::turn::{Conversation, TurnResult, run_turn};

use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::Cancel;

/// How often hooks may have the same work done again: a model asked for another answer, an agent sent on.
///
/// A hook that is never content must not keep an agent, and its bill, going for ever. Claude Code ends its
/// stop hooks after as many.
pub const MAX_RETRIES: u32 = 8;

/// The names of the events that each driver raises, for [`Plan::raising`](crate::Plan::raising).
///
/// ```
/// use hooks_core::agent::{LlmDelta, raised};
/// use hooks_core::{hook, hooks};
///
/// #[hook]
/// fn print(delta: &LlmDelta<'_>) { print!("{}", delta.text); }
///
/// assert_eq!(hooks![print].plan().raising(raised::TURN).never_raised().count(), 0);
/// assert_eq!(hooks![print].plan().raising(raised::TOOL_CALL).never_raised().count(), 1);
/// ```
pub mod raised {
    /// What [`run_tool_call`](super::run_tool_call) raises.
    pub const TOOL_CALL: &[&str] = &[
        "BeforeToolCall",
        "ApproveToolCall",
        "ToolCallStart",
        "AfterToolCall",
        "ToolCallEnd",
        "ToolCallSkipped",
    ];

    /// What [`run_llm_call`](super::run_llm_call) raises.
    pub const LLM_CALL: &[&str] = &[
        "BeforeLlmCall",
        "LlmInput",
        "LlmDelta",
        "LlmFailed",
        "LlmOutput",
        "AfterLlmCall",
    ];

    /// What [`run_turn`](super::run_turn) raises, with all its calls.
    pub const TURN: &[&str] = &[
        "AgentStart",
        "BeforeModelResolve",
        "BeforePromptBuild",
        "BeforeLlmCall",
        "LlmInput",
        "LlmDelta",
        "LlmFailed",
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
        "AgentError",
        "AgentEnd",
    ];

    /// What [`run_message`](super::run_message) raises.
    pub const MESSAGE: &[&str] = &[
        "MessageReceived",
        "MessageSending",
        "MessageSent",
        "MessageFailed",
    ];
}

/// Why a call of the model, or a turn, came to nothing.
///
/// ```
/// use hooks_core::agent::RunError;
/// use hooks_core::{Cancel, Scope};
///
/// let cancel = Cancel { hook: "budget".into(), reason: "it is spent".into(), scope: Scope::Turn };
/// assert_eq!(RunError::from(cancel).to_string(), "hook `budget` aborted the turn: it is spent");
/// assert_eq!(RunError::Failed("overloaded".into()).to_string(), "overloaded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A hook blocked it, or ended the turn or the run.
    Cancelled(Cancel),
    /// The model failed, and no hook had it asked again.
    Failed(String),
}

impl From<Cancel> for RunError {
    fn from(cancel: Cancel) -> Self {
        RunError::Cancelled(cancel)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Cancelled(cancel) => cancel.fmt(f),
            RunError::Failed(error) => f.write_str(error),
        }
    }
}

impl Error for RunError {}
