//! Factory Droid. Its names of tools are its own: a matcher `Bash` never fires.

use crate::system::claude;
use crate::system::says::Says;
use crate::system::table::{CALLS, Calls, System, When, event};


const TOOL: &[Says] = &[
    claude::DENY.exits(),
    claude::ASK,
    claude::ALLOW,
    claude::INPUT,
];
const PROMPT: &[Says] = &[claude::BLOCK, claude::CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "droid",
    title: "Factory Droid",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &["FACTORY_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        is_caller: |_, is_set| is_set("FACTORY_PROJECT_DIR"),
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PostToolUse", "AfterToolCall").when(When::Succeeded).says(PROMPT),
        event("UserPromptSubmit", "MessageReceived").says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).says(&[claude::BLOCK]),
        event("SubagentStop", "BeforeStop").when(When::Nested).says(&[claude::BLOCK]),
        event("SessionStart", "SessionStart").says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").says(&[]),
        event("PreCompact", "BeforeCompact").says(&[]),
        event("Notification", "Notification").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
