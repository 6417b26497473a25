//! Kiro, its IDE and its CLI. It reads no JSON: a denial is the exit code 2 with its reason on standard error.

use crate::system::claude;
use crate::system::says::Put::{Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, event};


const DENY: &[Says] = &[says(What::Deny, &[]).exits()];
/// Plain text.
const CONTEXT: &[Says] = &[says(What::Context, &[("", Text)])];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "kiro",
    title: "Kiro",
    calls: Some(Calls {
        project: &[],
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(DENY),
        event("PostToolUse", "ToolCallEnd").says(&[]),
        event("UserPromptSubmit", "MessageReceived").says(CONTEXT),
        event("SessionStart", "SessionStart").says(CONTEXT),
        event("agentSpawn", "SessionStart").says(CONTEXT),
        event("Stop", "AgentEnd").says(&[]),
    ],
    never: &[
        "PostFileCreate",
        "PostFileSave",
        "PostFileDelete",
        "PreTaskExec",
        "PostTaskExec",
    ],
    ..claude::CALLER
};
