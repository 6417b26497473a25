//! GitHub Copilot: its CLI, its coding agent, and editors that read its files. The spelling of an event in a file selects
//! the keys: one answer serves both.

use crate::system::claude;
use crate::system::says::Put::{Is, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, System, When, event};
use serde_json::Value as Json;


const DENY: Says = says(
    What::Deny,
    &[
        ("permissionDecision", Is("deny")),
        ("permissionDecisionReason", Text),
        claude::NAMED,
        claude::DENIED,
        claude::REASON,
    ],
)
.exits();
const TOOL: &[Says] = &[
    DENY,
    says(
        What::Ask,
        &[
            ("permissionDecision", Is("ask")),
            ("permissionDecisionReason", Text),
        ],
    ),
    says(
        What::Allow,
        &[
            ("permissionDecision", Is("allow")),
            ("permissionDecisionReason", Text),
        ],
    ),
    says(
        What::Input,
        &[
            ("modifiedArgs", Value),
            claude::NAMED,
            ("hookSpecificOutput.updatedInput", Value),
        ],
    ),
    CONTEXT,
];
const CONTEXT: Says = says(What::Context, &[("additionalContext", Text)]);
const PERMISSION: &[Says] = &[
    says(What::Deny, &[("behavior", Is("deny")), ("message", Text)]),
    says(What::Allow, &[("behavior", Is("allow"))]),
];
const DONE: &[Says] = &[
    says(
        What::Output,
        &[
            ("modifiedResult.resultType", Is("success")),
            ("modifiedResult.textResultForLlm", Text),
        ],
    ),
    CONTEXT,
];
const PROMPT: &[Says] = &[
    claude::BLOCK,
    says(What::Text, &[("modifiedPrompt", Text)]),
    CONTEXT,
];

/// Its own keys; or those of Claude Code, without what Claude Code always sends.
fn is_caller(input: &Json, is_set: &dyn Fn(&str) -> bool) -> bool {
    let asks = input["hookName"] == "permissionRequest" && input["toolName"].is_string();
    let has_args = input["toolArgs"] != Json::Null && input["timestamp"].is_number();
    let as_claude = is_set("COPILOT_CLI")
        && input["timestamp"].is_string()
        && input["permission_mode"].is_null();
    asks || has_args || as_claude
}

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "copilot",
    title: "GitHub Copilot",
    calls: Some(Calls {
        named: &["hookName", "hook_event_name", "hookEventName"],
        project: &["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        refusal: &[
            ("permissionDecision", Is("deny")),
            ("permissionDecisionReason", Text),
            ("behavior", Is("deny")),
            ("message", Text),
        ],
        is_caller,
        ..CALLS
    }),
    events: &[
        event("sessionStart", "SessionStart").says(&[CONTEXT]),
        event("userPromptSubmitted", "MessageReceived").says(PROMPT),
        event("userPromptSubmit", "MessageReceived").says(PROMPT),
        event("preToolUse", "BeforeToolCall").says(TOOL),
        event("permissionRequest", "ApproveToolCall").says(PERMISSION),
        event("postToolUse", "AfterToolCall").when(When::Succeeded).says(DONE),
        event("postToolUseFailure", "AfterToolCall").when(When::Failed).says(&[CONTEXT]),
        event("agentStop", "BeforeStop").when(When::Top).says(&[claude::BLOCK]),
        event("stop", "BeforeStop").when(When::Top).says(&[claude::BLOCK]),
        event("subagentStart", "SubagentStart").says(&[CONTEXT]),
        event("subagentStop", "BeforeStop").when(When::Nested).says(&[claude::BLOCK]),
        event("preCompact", "BeforeCompact").says(&[]),
        event("errorOccurred", "AgentError").says(&[]),
        event("notification", "Notification").says(&[]),
        event("sessionEnd", "SessionEnd").says(&[]),
    ],
    never: &[
        "userPromptTransformed",
        "preMcpToolCall",
        "postResult",
        "prePRDescription",
    ],
    ..claude::CALLER
};
