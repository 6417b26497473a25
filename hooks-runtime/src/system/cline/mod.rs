//! Cline: its extension, and its SDK and CLI, which have other names for the same events.

use crate::system::claude;
use crate::system::says::Put::{Bool, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, event};


const DENY: Says = says(What::Deny, &[("cancel", Bool(true)), ("errorMessage", Text)]);
const CONTEXT: Says = says(What::Context, &[("contextModification", Text)]);
const QUIET: Says = says(What::Quiet, &[("cancel", Bool(false))]);
const TOOL: &[Says] = &[DENY, CONTEXT, QUIET];
const CALL: &[Says] = &[
    DENY,
    says(What::Input, &[("overrideInput", Value)]),
    CONTEXT,
    QUIET,
];
const SEEN: &[Says] = &[CONTEXT, QUIET];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "cline",
    title: "Cline",
    calls: Some(Calls {
        named: &["hookName"],
        inside: &[
            "/preToolUse",
            "/postToolUse",
            "/userPromptSubmit",
            "/tool_call",
            "/tool_result",
            "/sessionContext",
        ],
        project: &[],
        refusal: &[("cancel", Bool(true)), ("errorMessage", Text)],
        is_caller: |input, _| {
            input["clineVersion"].is_string()
                || input["hookName"].is_string() && input["agent_id"].is_string()
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("tool_call", "BeforeToolCall").says(CALL),
        event("PostToolUse", "AfterToolCall").says(SEEN),
        event("tool_result", "AfterToolCall").says(SEEN),
        event("UserPromptSubmit", "MessageReceived").says(TOOL),
        event("prompt_submit", "MessageReceived").says(SEEN),
        event("TaskStart", "AgentStart").says(&[]),
        event("agent_start", "AgentStart").says(&[]),
        event("TaskResume", "SessionStart").says(SEEN),
        event("TaskComplete", "AgentEnd").says(&[]),
        event("agent_end", "AgentEnd").says(&[]),
        event("TaskCancel", "Interrupt").says(&[]),
        event("agent_abort", "Interrupt").says(&[]),
        event("agent_error", "AgentError").says(&[]),
        event("session_shutdown", "SessionEnd").says(&[]),
        event("PreCompact", "BeforeCompact").says(&[QUIET]),
        event("Notification", "Notification").says(&[]),
    ],
    never: &[
        "agent_resume",
    ],
    ..claude::CALLER
};
