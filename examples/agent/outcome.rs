//! What came of a call.

use std::time::Duration;

use hooks_core::agent::ToolOutput;
use hooks_core::{Cancel, Scope};
use serde::Serialize;
use serde_json::Value;

use super::journal::{Did, Entry};

/// What the hooks decided about a call.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    Continue,
    Respond,
    Cancelled(Cancel),
}

impl Verdict {
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Verdict::Continue => "continue",
            Verdict::Respond => "respond",
            Verdict::Cancelled(cancel) => match cancel.scope {
                Scope::Event => "block",
                Scope::Turn | Scope::Run => "abort",
            },
        }
    }
}

/// All that is shown of one call.
pub(crate) struct CallReport<'a> {
    /// The tool and its arguments, as the model gave them.
    pub(crate) wish: (&'a str, &'a Value),
    /// The same after the hooks.
    pub(crate) ran: (&'a str, &'a Value),
    pub(crate) verdict: &'a Verdict,
    /// What the model reads.
    pub(crate) output: &'a ToolOutput,
    pub(crate) journal: &'a [Entry],
    pub(crate) in_hooks: Duration,
}

/// A call, as a JSON line.
#[derive(Serialize)]
pub(crate) struct JsonCall<'a> {
    /// As the model named it.
    tool: &'a str,
    verdict: &'a str,
    hook: Option<&'a str>,
    reason: Option<&'a str>,
    output: Option<&'a str>,
}

impl<'a> JsonCall<'a> {
    pub(crate) fn of(call: &CallReport<'a>) -> Self {
        let (hook, reason, output) = match call.verdict {
            Verdict::Continue => (None, None, Some(call.output)),
            // The result of a pipeline tells who cancelled, and not who responded.
            Verdict::Respond => {
                let responded = call.journal.iter().find(|entry| entry.did == Did::Respond);
                (responded.map(|entry| entry.hook), None, Some(call.output))
            }
            Verdict::Cancelled(cancel) => (Some(&*cancel.hook), Some(&*cancel.reason), None),
        };
        JsonCall {
            tool: call.wish.0,
            verdict: call.verdict.word(),
            hook,
            reason,
            output: output.map(|output| output.content.as_str()),
        }
    }
}
