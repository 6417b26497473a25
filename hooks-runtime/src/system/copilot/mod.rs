//! GitHub Copilot: its CLI, its coding agent, and editors that read its files. The spelling of an event in a file selects
//! the keys: one answer serves both.

use std::time::Duration;

use hooks_builtin::Profile;
use serde_json::{Value as Json, json};

use crate::entry::OnFault;
use crate::system::input::{of_output, of_tool};
use crate::system::reads::{self, Row};
use crate::system::says::Put::{Is, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Order, Refusal, Subject, System, When, Whose, event,
};
use crate::system::tools::Aliases;
use crate::system::{Ask, Dialect, claude};

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

/// A row of an event that is spelled in `camelCase`.
macro_rules! camel {
    ($get:expr) => {
        |ask, named| is_camel(named).then(|| $get(ask, named))?
    };
}

/// A row of an event that is spelled in `PascalCase`.
macro_rules! pascal {
    ($get:expr) => {
        |ask, named| (!is_camel(named)).then(|| $get(ask, named))?
    };
}

const CALL: &[Row] = &[
    ("toolName", camel!(reads::tool)),
    ("toolArgs", camel!(reads::args)),
    ("tool_name", claudes_tool),
    ("tool_input", pascal!(reads::args)),
];
const REQUEST: &[Row] = &[
    ("toolName", reads::tool),
    ("toolInput", reads::args),
    ("permissionSuggestions", reads::none),
];
const RESULT: &[Row] = &[
    ("toolName", camel!(reads::tool)),
    ("toolArgs", camel!(reads::args)),
    ("toolResult", camel!(result)),
    ("tool_name", claudes_tool),
    ("tool_input", pascal!(reads::args)),
    ("tool_result", pascal!(plain_result)),
];
const FAILURE: &[Row] = &[
    ("toolName", camel!(reads::tool)),
    ("toolArgs", camel!(reads::args)),
    ("tool_name", claudes_tool),
    ("tool_input", pascal!(reads::args)),
    ("error", reads::output),
];
const END: &[Row] = &[
    ("transcriptPath", camel!(reads::transcript)),
    ("transcript_path", pascal!(reads::transcript)),
    ("stopReason", camel!(|_: &Ask<'_>, _| Some(json!("end_turn")))),
    ("stop_hook_active", reads::again),
];
const NAME: &[Row] = &[("agentName", reads::agent_type)];
const COMPACT: &[Row] = &[("trigger", reads::why), ("customInstructions", reads::instructions)];
const ERROR: &[Row] = &[("error", |ask, named| Some(json!({ "message": reads::text(ask, named)? })))];

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
        event("sessionStart", "SessionStart").refusal(Refusal::Shows).reads(reads::SOURCE).says(&[CONTEXT]),
        event("userPromptSubmitted", "MessageReceived").reads(reads::PROMPT).says(PROMPT),
        event("preToolUse", "BeforeToolCall").of(Subject::Tool).closed(OnFault::Skip).reads(CALL).says(TOOL),
        event("permissionRequest", "ApproveToolCall")
            .when(When::Requested)
            .of(Subject::Tool)
            .closed(OnFault::Skip)
            .reads(REQUEST)
            .says(PERMISSION),
        event("postToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Replaces)
            .reads(RESULT)
            .says(DONE),
        event("postToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(FAILURE)
            .says(&[CONTEXT]),
        event("agentStop", "BeforeStop").when(When::Top).reads(END).says(&[claude::BLOCK]),
        event("subagentStart", "SubagentStart").of(Subject::Kind).refusal(Refusal::Shows).reads(NAME).says(&[CONTEXT]),
        event("subagentStop", "BeforeStop").when(When::Nested).of(Subject::Kind).reads(NAME).says(&[claude::BLOCK]),
        event("preCompact", "BeforeCompact").of(Subject::Reason).refusal(Refusal::Shows).reads(COMPACT).says(&[]),
        event("errorOccurred", "AgentError").refusal(Refusal::Shows).reads(ERROR).says(&[]),
        event("notification", "Notification").of(Subject::Kind).refusal(Refusal::Shows).reads(reads::NOTE).says(&[]),
        event("sessionEnd", "SessionEnd").refusal(Refusal::Shows).reads(reads::REASON).says(&[]),
        // The other spelling of each, for files.
        event("SessionStart", "SessionStart").refusal(Refusal::Shows).reads(reads::SOURCE),
        event("UserPromptSubmit", "MessageReceived").reads(reads::PROMPT).says(PROMPT),
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).closed(OnFault::Skip).reads(CALL),
        event("PermissionRequest", "ApproveToolCall")
            .when(When::Requested)
            .of(Subject::Tool)
            .closed(OnFault::Skip)
            .reads(REQUEST),
        event("PostToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Replaces)
            .reads(RESULT),
        event("PostToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(FAILURE),
        event("Stop", "BeforeStop").when(When::Top).reads(END).says(&[claude::BLOCK]),
        event("SubagentStart", "SubagentStart").of(Subject::Kind).refusal(Refusal::Shows),
        event("SubagentStop", "BeforeStop").when(When::Nested).of(Subject::Kind),
        event("PreCompact", "BeforeCompact").of(Subject::Reason).refusal(Refusal::Shows),
        event("Notification", "Notification").of(Subject::Kind).refusal(Refusal::Shows),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows).reads(reads::REASON),
    ],
    never: &[
        "userPromptTransformed",
        "preMcpToolCall",
        "postResult",
        "prePRDescription",
    ],
    reads: &[
        ("hookName", |_, named| {
            let is_request = named.eq_ignore_ascii_case("permissionRequest");
            is_request.then(|| json!("permissionRequest"))
        }),
        ("hook_event_name", pascal!(reads::named)),
        ("sessionId", camel!(reads::session)),
        ("session_id", pascal!(reads::session)),
        ("timestamp", camel!(reads::millis)),
        ("timestamp", pascal!(reads::time)),
        ("cwd", reads::cwd),
    ],
    exits: Exits::Placed,
    is_flat: true,
    commands: &["exec", "bash", "command"],
    windows: &["powershell"],
    timeouts: &["timeoutSec", "timeout"],
    timeout: Duration::from_secs(30),
    kinds: &["command", "http"],
    of_names: |_| false,
    is_whole: true,
    order: Order::InTurn,
    takes_args: true,
    tools: Some(Profile::Copilot),
    renamed: &[("Read", "view")],
    takes_claudes_tools: true,
    files: &[
        (Whose::User, ".copilot/hooks"),
        (Whose::User, ".copilot/settings.json"),
        (Whose::Project, ".github/hooks"),
        (Whose::Project, ".github/copilot/settings.json"),
        (Whose::Project, ".github/copilot/settings.local.json"),
    ],
    ..claude::CALLER
};

/// Whether the event's keys are `toolName` and the like. A request for permission has them in both spellings.
fn is_camel(named: &str) -> bool {
    named.starts_with(char::is_lowercase) || named == "PermissionRequest"
}

/// Claude Code's name of the tool. The arguments keep their own names.
fn claudes_tool(ask: &Ask<'_>, named: &'static str) -> Option<Json> {
    let (tool, _) = of_tool(ask)?;
    let aliases = Aliases::of(Dialect::Claude);
    (!is_camel(named)).then(|| json!(aliases.theirs(tool, None::<fn(&str) -> bool>)))
}

fn result(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    let (output, _) = of_output(&ask.event)?;
    Some(json!({ "resultType": "success", "textResultForLlm": output.content }))
}

fn plain_result(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    let (output, _) = of_output(&ask.event)?;
    Some(json!({ "result_type": "success", "text_result_for_llm": output.content }))
}
