//! Agent hooks of VS Code, which reads the files of GitHub Copilot and of Claude Code.

use crate::system::claude;
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, When, event};


const TOOL: &[Says] = &[
    claude::DENY,
    claude::ASK,
    claude::ALLOW,
    claude::INPUT,
    claude::CONTEXT,
];
const DONE: &[Says] = &[claude::BLOCK, claude::CONTEXT];
const END: &[Says] = &[says(
    What::Deny,
    &[
        ("decision", Is("block")),
        ("reason", Text),
        claude::NAMED,
        ("hookSpecificOutput.decision", Is("block")),
        ("hookSpecificOutput.reason", Text),
    ],
)];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "vscode",
    title: "VS Code",
    calls: Some(Calls {
        message: Some("systemMessage"),
        is_caller: |input, _| {
            let named = input["hookEventName"].as_str().unwrap_or_default();
            named.starts_with(char::is_uppercase)
                && input["sessionId"].is_string()
                && input["workspaceRoot"].is_null()
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PostToolUse", "AfterToolCall").when(When::Succeeded).says(DONE),
        event("UserPromptSubmit", "MessageReceived").says(&[claude::BLOCK, claude::CONTEXT]),
        event("Stop", "BeforeStop").when(When::Top).says(END),
        event("SubagentStop", "BeforeStop").when(When::Nested).says(END),
        event("SubagentStart", "SubagentStart").says(&[claude::CONTEXT]),
        event("SessionStart", "SessionStart").says(&[claude::CONTEXT]),
        event("PreCompact", "BeforeCompact").says(&[]),
    ],
    never: &[],
    ..claude::CALLER
};
