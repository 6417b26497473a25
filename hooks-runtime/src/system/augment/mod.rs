//! Augment: auggie and its editors.

use crate::system::claude;
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, event};


const TOOL: &[Says] = &[claude::DENY.exits(), claude::INPUT];
const END: &[Says] = &[says(
    What::Deny,
    &[
        claude::NAMED,
        ("hookSpecificOutput.decision", Is("block")),
        ("hookSpecificOutput.reason", Text),
    ],
)];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "augment",
    title: "Augment",
    calls: Some(Calls {
        project: &["AUGMENT_PROJECT_DIR"],
        is_caller: |input, is_set| {
            is_set("AUGMENT_PROJECT_DIR")
                || input["conversation_id"].is_string()
                    && input["workspace_roots"].is_array()
                    && input["cursor_version"].is_null()
                    && input["is_mcp_tool"].is_boolean()
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PostToolUse", "AfterToolCall").says(&[claude::CONTEXT]),
        event("PromptSubmit", "MessageReceived").says(&[]),
        event("Stop", "BeforeStop").says(END),
        event("SessionStart", "SessionStart").says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").says(&[]),
        event("Notification", "Notification").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
