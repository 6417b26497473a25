//! Grok Build. Everything but a denial fails open there.

use crate::system::claude;
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, When, event};


const DENY: Says = says(
    What::Deny,
    &[
        ("decision", Is("deny")),
        ("reason", Text),
        claude::NAMED,
        claude::DENIED,
        claude::REASON,
    ],
)
.exits();
const TOOL: &[Says] = &[DENY, claude::INPUT];
const END: &[Says] = &[claude::BLOCK.exits()];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "grok",
    title: "Grok Build",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &["GROK_WORKSPACE_ROOT", "CLAUDE_PROJECT_DIR"],
        refusal: &[("decision", Is("deny")), ("reason", Text)],
        is_caller: |input, is_set| {
            is_set("GROK_HOOK_EVENT")
                || input["hookEventName"].is_string() && input["workspaceRoot"].is_string()
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PostToolUse", "AfterToolCall").when(When::Succeeded).says(&[]),
        event("PostToolUseFailure", "AfterToolCall").when(When::Failed).says(&[]),
        event("UserPromptSubmit", "MessageReceived").says(&[]),
        event("Stop", "BeforeStop").when(When::Top).says(END),
        event("SubagentStop", "BeforeStop").when(When::Nested).says(END),
        event("SubagentStart", "SubagentStart").says(&[]),
        event("SessionStart", "SessionStart").says(&[]),
        event("SessionEnd", "SessionEnd").says(&[]),
        event("PreCompact", "BeforeCompact").says(&[]),
        event("PostCompact", "AfterCompact").says(&[]),
        event("Notification", "Notification").says(&[]),
        event("StopFailure", "AgentError").says(&[]),
        event("PermissionDenied", "ToolCallSkipped").says(&[]),
        event("StopCancelled", "Interrupt").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
