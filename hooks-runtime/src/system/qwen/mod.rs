//! Qwen Code. It speaks Claude Code's format, and ignores new arguments and new outputs.

use crate::system::claude;
use crate::system::says::Put::{Bool, Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, When, event};


/// A later hook cannot undo `decision`, as it can undo `permissionDecision`.
const TOOL: &[Says] = &[
    says(What::Stop, &[("continue", Bool(false)), ("stopReason", Text)]),
    says(
        What::Deny,
        &[
            ("decision", Is("block")),
            ("reason", Text),
            claude::NAMED,
            claude::DENIED,
            claude::REASON,
        ],
    ),
    claude::ASK,
    claude::ALLOW,
];
const PROMPT: &[Says] = &[claude::BLOCK, claude::CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "qwen",
    title: "Qwen Code",
    calls: Some(Calls {
        message: Some("systemMessage"),
        project: &["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        // It raises the event of a prompt again when it sends back what a tool said.
        skips: |named, input| named == "UserPromptSubmit" && input["prompt"] == "",
        is_caller: |input, is_set| {
            is_set("QWEN_PROJECT_DIR")
                || input["transcript_path"]
                    .as_str()
                    .is_some_and(|path| path.contains("/.qwen/"))
        },
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").says(TOOL),
        event("PermissionRequest", "ApproveToolCall").says(claude::PERMISSION),
        event("PostToolUse", "AfterToolCall").when(When::Succeeded).says(&[claude::CONTEXT]),
        event("PostToolUseFailure", "AfterToolCall").when(When::Failed).says(&[claude::CONTEXT]),
        event("UserPromptSubmit", "MessageReceived").says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).says(&[claude::BLOCK]),
        event("SubagentStop", "BeforeStop").when(When::Nested).says(&[claude::BLOCK]),
        event("SubagentStart", "SubagentStart").says(&[claude::CONTEXT]),
        event("SessionStart", "SessionStart").says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").says(&[]),
        event("PreCompact", "BeforeCompact").says(&[]),
        event("PostCompact", "AfterCompact").says(&[]),
        event("Notification", "Notification").says(&[]),
        event("StopFailure", "AgentError").says(&[]),
        event("PermissionDenied", "ToolCallSkipped").says(&[]),
        event("MessageDisplay", "MessageSending").says(&[]),
    ],
    never: &[
        "PostToolBatch",
        "UserPromptExpansion",
        "InstructionsLoaded",
        "SessionDelete",
        "TodoCreated",
        "TodoCompleted",
    ],
    ..claude::CALLER
};
