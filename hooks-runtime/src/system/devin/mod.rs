//! Devin CLI. It sends no working folder.

use crate::system::claude;
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, event};


const TOOL: &[Says] = &[says(
    What::Deny,
    &[
        ("decision", Is("block")),
        ("reason", Text),
        claude::NAMED,
        claude::DENIED,
        claude::REASON,
    ],
)
.exits()];
const PROMPT: &[Says] = &[claude::BLOCK, claude::CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "devin",
    title: "Devin CLI",
    calls: Some(Calls {
        project: &["DEVIN_PROJECT_DIR", "DEVIN_DIR", "CLAUDE_PROJECT_DIR"],
        is_caller: |input, is_set| is_set("DEVIN_PROJECT_DIR") && input["cwd"].is_null(),
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PermissionRequest", "ApproveToolCall").says(TOOL),
        event("PostToolUse", "AfterToolCall").says(&[claude::CONTEXT]),
        event("UserPromptSubmit", "MessageReceived").says(PROMPT),
        event("Stop", "BeforeStop").says(&[claude::BLOCK]),
        event("SessionStart", "SessionStart").says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").says(&[]),
        event("PostCompaction", "AfterCompact").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
