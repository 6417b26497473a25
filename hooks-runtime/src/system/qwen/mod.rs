//! Qwen Code. It speaks Claude Code's format, and ignores new arguments and new outputs.

use std::time::Duration;

use hooks_builtin::Profile;

use crate::system::claude;
use crate::system::reads::{self, Row};
use crate::system::says::Put::{Bool, Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, Refusal, Subject, System, When, Whose, event};

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
const CALL: &[Row] = &[
    ("tool_name", reads::tool),
    ("tool_input", reads::args),
    ("tool_use_id", reads::call_id),
    ("tool_call_id", reads::call_id),
];
const END: &[Row] = &[
    ("stop_hook_active", reads::again),
    ("last_assistant_message", reads::text),
    ("background_tasks", reads::none),
    ("crons", reads::none),
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
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).reads(CALL).says(TOOL),
        event("PermissionRequest", "ApproveToolCall")
            .when(When::Requested)
            .of(Subject::Tool)
            .reads(&[("tool_name", reads::tool), ("tool_input", reads::args)])
            .says(claude::PERMISSION),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_response", reads::shown),
                ("tool_use_id", reads::call_id),
                ("tool_call_id", reads::call_id),
                ("duration_ms", reads::duration),
            ])
            .says(&[claude::CONTEXT]),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("error", reads::output),
                ("is_interrupt", reads::no),
                ("duration_ms", reads::duration),
            ])
            .says(&[claude::CONTEXT]),
        event("UserPromptSubmit", "MessageReceived")
            .with_text()
            .reads(&[("prompt", reads::text), ("submitted_prompt", reads::text)])
            .says(PROMPT),
        event("Stop", "BeforeStop").when(When::Top).reads(END).says(&[claude::BLOCK]),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind)
            .reads(reads::SUBAGENT)
            .says(&[claude::BLOCK]),
        event("SubagentStart", "SubagentStart")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .reads(reads::SUBAGENT)
            .says(&[claude::CONTEXT]),
        event("SessionStart", "SessionStart")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .with_text()
            .reads(reads::SOURCE)
            .says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .reads(reads::REASON)
            .says(&[]),
        event("PreCompact", "BeforeCompact")
            .of(Subject::Reason)
            .refusal(Refusal::Shows)
            .reads(reads::COMPACT)
            .says(&[]),
        event("PostCompact", "AfterCompact").refusal(Refusal::Shows).says(&[]),
        event("Notification", "Notification")
            .of(Subject::Kind)
            .refusal(Refusal::Shows)
            .reads(reads::NOTE)
            .says(&[]),
        event("StopFailure", "AgentError").refusal(Refusal::Shows).says(&[]),
        event("PermissionDenied", "ToolCallSkipped").of(Subject::Tool).refusal(Refusal::Shows).says(&[]),
        event("MessageDisplay", "MessageSending")
            .refusal(Refusal::Shows)
            .reads(&[("displayed_text", reads::text)])
            .says(&[]),
    ],
    never: &[
        "PostToolBatch",
        "UserPromptExpansion",
        "InstructionsLoaded",
        "SessionDelete",
        "TodoCreated",
        "TodoCompleted",
    ],
    reads: &[
        ("session_id", reads::session),
        ("transcript_path", reads::transcript),
        ("cwd", reads::cwd),
        ("hook_event_name", reads::named),
        ("timestamp", reads::time),
        ("permission_mode", reads::mode),
    ],
    // Files from before count in milliseconds.
    unit: |number| if number < 1000.0 { Duration::from_secs(1) } else { Duration::from_millis(1) },
    odd_timeouts: |_| false,
    kinds: &["command", "http", "prompt"],
    tools: Some(Profile::Qwen),
    takes_claudes_tools: true,
    files: &[
        (Whose::User, ".qwen/settings.json"),
        (Whose::Project, ".qwen/settings.json"),
    ],
    ..claude::CALLER
};
