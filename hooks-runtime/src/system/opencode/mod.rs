//! OpenCode and Kilo, whose plugins run in process: the plugin that `hooks init` writes calls our program, and this is what it
//! sends and reads.

use crate::system::claude;
use crate::system::says::Put::{Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, When, event};


const DENY: Says = says(What::Deny, &[("deny", Text)]);
const CONTEXT: Says = says(What::Context, &[("context", Text)]);
const TOOL: &[Says] = &[DENY, says(What::Input, &[("args", Value)])];
const DONE: &[Says] = &[DENY, says(What::Output, &[("output", Text)])];
const PROMPT: &[Says] = &[DENY, says(What::Text, &[("text", Text)]), CONTEXT];
const SHOWN: &[Says] = &[says(What::Text, &[("text", Text)])];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "opencode",
    title: "OpenCode",
    calls: Some(Calls {
        named: &["event"],
        project: &[],
        always_answers: true,
        refusal: &[("deny", Text)],
        ..CALLS
    }),
    events: &[
        event("chat.message", "MessageReceived").says(PROMPT),
        event("tool.execute.before", "BeforeToolCall").says(TOOL),
        event("tool.execute.after", "AfterToolCall").when(When::Succeeded).says(DONE),
        event("experimental.text.complete", "MessageSending").says(SHOWN),
        event("session.created", "SessionStart").says(&[]),
        event("session.idle", "AgentEnd").says(&[]),
        event("session.error", "AgentError").says(&[]),
        event("session.compacted", "AfterCompact").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
