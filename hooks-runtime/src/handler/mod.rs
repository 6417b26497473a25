//! What runs when a definition's filter matches: a rule in the file itself, or something outside of the agent.
//!
//! | file | handler |
//! | --- | --- |
//! | `rule` | a decision that the file itself makes: no process, no I/O |
//! | `command` | a process for each event |
//! | `http` | a POST to an endpoint |
//! | `prompt` | a model that decides |
//! | `process` | a process that stays, asked by JSON-RPC |

pub(crate) mod rule;

use std::future::Future;
use std::pin::Pin;

use hooks_core::agent::{AgentContext, AgentEvent};

use crate::answer::Answer;
use crate::events::EventInfo;
use crate::fault::Fault;

/// One event, and whom a handler is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) cx: &'a AgentContext,
    pub(crate) event: AgentEvent<'a>,
    pub(crate) info: &'static EventInfo,
    /// The definition's name.
    pub(crate) hook: &'a str,
    /// The event's name in the definition's dialect, if it was asked for by that.
    pub(crate) named: &'a str,
}

/// The answer to come. It holds all it needs, so the agent need not wait for it.
pub(crate) type Asked = Pin<Box<dyn Future<Output = Result<Answer, Fault>> + Send>>;

/// Something outside of the agent that decides.
pub(crate) trait Handler: Send + Sync {
    /// The kind, as records name it: `command`, `http`, `prompt` or `process`.
    fn kind(&self) -> &'static str;

    /// What it runs, in one line, for people: never a secret.
    fn target(&self) -> String;

    /// Asks about an event. What of the event is wanted is read here, before the future is polled.
    fn ask(&self, ask: &Ask<'_>) -> Asked;

    /// Ends what runs on its own.
    fn shut_down(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(std::future::ready(()))
    }
}
