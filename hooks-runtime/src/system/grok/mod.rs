//! Grok Build. Everything but a denial fails open there.

use std::time::Duration;

use hooks_builtin::Profile;
use serde_json::{Value, json};

use crate::system::reads::{self, Row};
use crate::system::{Ask, claude};
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Order, Refusal, Subject, System, Twins, When, Whose, event,
};

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
const LONG: Duration = Duration::from_mins(10);
const CALL: &[Row] = &[
    ("toolName", reads::tool),
    ("tool_name", reads::tool),
    ("toolUseId", reads::call_id),
    ("toolInput", reads::args),
    ("toolInputTruncated", reads::no),
];
const STOPS: &[Row] = &[
    ("stopHookActive", reads::again),
    ("lastAssistantMessage", reads::text),
    ("backgroundTasks", reads::none),
];
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
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).reads(CALL).says(TOOL),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("toolName", reads::tool),
                ("tool_name", reads::tool),
                ("toolUseId", reads::call_id),
                ("toolInput", reads::args),
                ("toolInputTruncated", reads::no),
                ("toolResult", reads::output),
                ("toolResultTruncated", reads::no),
                ("durationMs", reads::duration),
                ("isBackgrounded", reads::no),
            ])
            .says(&[]),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("toolName", reads::tool),
                ("tool_name", reads::tool),
                ("toolUseId", reads::call_id),
                ("toolInput", reads::args),
                ("toolInputTruncated", reads::no),
                ("error", reads::output),
            ])
            .says(&[]),
        event("UserPromptSubmit", "MessageReceived")
            .refusal(Refusal::Shows)
            .reads(reads::PROMPT)
            .says(&[]),
        event("Stop", "BeforeStop").when(When::Top).within(LONG).reads(STOPS).says(END),
        event("SubagentStop", "BeforeStop")
            .when(When::Nested)
            .within(LONG)
            .reads(&[("subagentId", reads::agent_id), ("subagentType", reads::agent_type)])
            .says(END),
        event("SubagentStart", "SubagentStart")
            .refusal(Refusal::Shows)
            .reads(&[("description", reads::task)])
            .says(&[]),
        event("SessionStart", "SessionStart")
            .refusal(Refusal::Shows)
            .reads(&[("source", reads::why), ("modelId", reads::model)])
            .says(&[]),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows).says(&[]),
        event("PreCompact", "BeforeCompact").refusal(Refusal::Shows).says(&[]),
        event("PostCompact", "AfterCompact").refusal(Refusal::Shows).says(&[]),
        event("Notification", "Notification")
            .refusal(Refusal::Shows)
            .reads(&[("notificationType", reads::why)])
            .says(&[]),
        event("StopFailure", "AgentError").refusal(Refusal::Shows).says(&[]),
        event("PermissionDenied", "ToolCallSkipped").of(Subject::Tool).refusal(Refusal::Shows).says(&[]),
        event("StopCancelled", "Interrupt").refusal(Refusal::Shows).says(&[]),
    ],
    never: &[],
    reads: &[
        ("hookEventName", snake),
        ("hook_event_name", reads::named),
        ("sessionId", reads::session),
        ("session_id", reads::session),
        ("cwd", reads::cwd),
        ("workspaceRoot", reads::cwd),
        ("timestamp", reads::time),
        ("permissionMode", reads::mode),
        ("promptId", reads::turn),
    ],
    timeout: Duration::from_secs(5),
    is_path: |command| command.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c)),
    kinds: &["command", "http"],
    order: Order::InTurn,
    twins: Twins::Whole,
    tools: Some(Profile::Grok),
    takes_claudes_tools: true,
    files: &[(Whose::User, ".grok/hooks"), (Whose::Project, ".grok/hooks")],
    ..claude::CALLER
};

/// `pre_tool_use` for `PreToolUse`.
#[expect(clippy::unnecessary_wraps, reason = "all rows have one type")]
fn snake(_: &Ask<'_>, named: &'static str) -> Option<Value> {
    let mut snake = String::new();
    for (at, letter) in named.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    Some(json!(snake))
}
