//! Drivers: they raise the events of a call, a message or a turn in order, and carry out what hooks decide.
//!
//! Every agent that raises events itself needs the same forty lines: which event follows an answer, what a block
//! skips, that an abort on the last event still counts. The drivers are those lines, written once. Each driver is
//! asynchronous, and generic over the hooks and the work. It needs no box, no executor and no allocation of its own, and
//! does not even build an event that no hook handles.
//!
//! | driver | raises | runs |
//! | --- | --- | --- |
//! | [`run_tool_call`] | `BeforeToolCall`, `ApproveToolCall`, `ToolCallStart`, `AfterToolCall`, `ToolCallEnd` or `ToolCallSkipped` | the tool |
//! | [`run_invalid_tool_call`] | `InvalidToolCall`, then the same as `run_tool_call` | the tool |
//! | [`run_llm_call`] | `BeforeLlmCall`, `LlmInput`, `LlmDelta`, `LlmFailed` or `LlmOutput`, `AfterLlmCall` | the model |
//! | [`run_turn`] | `AgentStart`, `BeforeModelResolve`, `BeforePromptBuild`, all of the above, `BeforeStop`, `AgentError`, `AgentEnd` | the model and the tools, one after the other |
//! | [`run_turn_concurrent`] | the same | the model, and up to eight tools at the same time |
//! | [`send_message`] | `MessageSending`, `MessageSent` or `MessageFailed` | the sending |
//! | [`run_message`] | `MessageReceived`, then the same as `send_message` | the answer and the sending |
//!
//! # What a driver does
//!
//! | a hook decides | on | the driver |
//! | --- | --- | --- |
//! | block | `BeforeToolCall`, `ApproveToolCall`, `InvalidToolCall` | raises `ToolCallSkipped`; the model reads the reason |
//! | respond | `BeforeToolCall`, `InvalidToolCall` | continues with `AfterToolCall` and `ToolCallEnd`, without `ApproveToolCall` and `ToolCallStart` |
//! | `Approval::Ask`, and no hook responds `Approved` | `BeforeToolCall` | raises `ToolCallSkipped`, since no one has approved |
//! | `Approval::Defer`, and no hook responds `Approved` | `BeforeToolCall` | raises `ToolCallSkipped`; the outcome is `Deferred` |
//! | abort the turn or the run | any event of a call | raises the end of the call, and returns the cancellation |
//! | abort the turn or the run | any event of one call of several | raises `ToolCallSkipped` for each other call that has not ended, too |
//! | respond | `BeforeLlmCall` | continues with `AfterLlmCall`, without `LlmInput` and `LlmOutput` |
//! | retry | `LlmFailed`, `AfterLlmCall` | calls the model again, at most [`MAX_RETRIES`] times |
//! | block | `BeforeStop` | continues with the reason as feedback, at most [`MAX_RETRIES`] times per turn |
//! | block | `MessageReceived`, `MessageSending` | drops the message, or holds it back |
//!
//! # Dropping a driver
//!
//! You may drop a driver's future at any await. This also drops what it awaits: the running hook or work, and
//! whatever hooks with `#[hook(around)]` hold. It raises no further event, and no event twice. If your agent stops
//! work in this way, it raises [`Interrupt`](super::Interrupt) itself. A [`Conversation`] keeps everything up to that
//! point, and the next [`run_turn`] tells the model which of its calls were interrupted.
//!
//! # Threads
//!
//! A driver's future is `Send` if the future of the work is, even in code that is generic over its hooks, so you can
//! spawn it. Work that is not `Send`, or that mutably borrows local data, runs where you await it.
//!
//! # The closures that do the work
//!
//! A driver may have to repeat work, so it takes the closure as `AsyncFnOnce + Clone` and clones it for each run. The
//! bound `AsyncFnMut` would express the same. But rustc cannot yet prove `Send` for a future that holds such a
//! closure together with a reference that it captures, so you could not spawn an agent.
//!
//! The bounds of the drivers are traits of their own, such as `IsTool`, each for one bound: see `takes`.
//!
//! # Durations
//!
//! Drivers measure durations with the feature `std`. Without it, and on `wasm32-unknown-unknown`, there is no clock, and
//! every duration is zero.

mod answers;
mod calls;
mod clock;
mod llm;
mod message;
mod takes;
mod tool;
mod turn;

pub use self::llm::{Deltas, LlmCallResult, run_llm_call};
pub use self::message::{MessageError, MessageOutcome, run_message, send_message};
pub use self::takes::{AreHooks, IsAnswer, IsEvent, IsModel, IsSender, IsTool};
pub use self::tool::{ToolCallResult, run_invalid_tool_call, run_tool_call};
pub use self::turn::{Conversation, TurnResult, run_turn, run_turn_concurrent};

use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::Cancel;

/// How many times hooks may repeat the same work: retry a model call, or make an agent continue.
///
/// A hook that is never satisfied must not keep an agent running, and spending, forever. Claude Code stops its stop
/// hooks after the same number.
pub const MAX_RETRIES: u32 = 8;

/// The names of the events that each driver raises, for [`Plan::raising`](crate::plan::Plan::raising).
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
    /// The events of [`run_tool_call`](super::run_tool_call).
    pub const TOOL_CALL: &[&str] = &[
        "BeforeToolCall",
        "ApproveToolCall",
        "ToolCallStart",
        "AfterToolCall",
        "ToolCallEnd",
        "ToolCallSkipped",
    ];

    /// The events of [`run_llm_call`](super::run_llm_call).
    pub const LLM_CALL: &[&str] = &[
        "BeforeLlmCall",
        "LlmInput",
        "LlmDelta",
        "LlmFailed",
        "LlmOutput",
        "AfterLlmCall",
    ];

    /// The events of [`run_turn`](super::run_turn) and [`run_turn_concurrent`](super::run_turn_concurrent), with all
    /// their calls.
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

    /// The events of [`run_message`](super::run_message).
    pub const MESSAGE: &[&str] = &[
        "MessageReceived",
        "MessageSending",
        "MessageSent",
        "MessageFailed",
    ];
}

/// Why a model call or a turn failed.
///
/// ```
/// use hooks_core::agent::RunError;
/// use hooks_core::{Cancel, Scope};
///
/// let cancel = Cancel { hook: "budget".into(), reason: "all is spent".into(), scope: Scope::Turn };
/// assert_eq!(RunError::from(cancel).to_string(), "hook `budget` aborted the turn: all is spent");
/// assert_eq!(RunError::Failed("overloaded".into()).to_string(), "overloaded");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunError {
    /// A hook blocked it, or aborted the turn or the run.
    Cancelled(Cancel),
    /// The model failed, and no hook retried.
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
