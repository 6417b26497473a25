//! Cursor.

use crate::system::claude;
use crate::system::says::Put::{Bool, Is, Shaped, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, Shape, System, When, event};


const MESSAGE: &str = "user_message";
const DENY: Says = says(
    What::Deny,
    &[
        ("permission", Is("deny")),
        (MESSAGE, Text),
        ("agent_message", Text),
    ],
);
const ASK: Says = says(What::Ask, &[("permission", Is("ask")), (MESSAGE, Text)]);
const ALLOW: Says = says(What::Allow, &[("permission", Is("allow"))]);
const CONTEXT: Says = says(What::Context, &[("additional_context", Text)]);
const TOOL: &[Says] = &[
    DENY,
    ALLOW,
    says(
        What::Input,
        &[("permission", Is("allow")), ("updated_input", Value)],
    ),
];
const ASKS: &[Says] = &[DENY, ASK, ALLOW];
const FILE: &[Says] = &[DENY, ALLOW];
const DONE: &[Says] = &[
    CONTEXT,
    says(What::Output, &[("updated_mcp_tool_output", Shaped)]).only_mcp(),
];
const PROMPT: &[Says] = &[says(
    What::Deny,
    &[("continue", Bool(false)), (MESSAGE, Text)],
)];
const BEGIN: &[Says] = &[says(
    What::Deny,
    &[("permission", Is("deny")), (MESSAGE, Text)],
)];
const END: &[Says] = &[says(What::Deny, &[("followup_message", Text)])];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "cursor",
    title: "Cursor",
    calls: Some(Calls {
        project: &["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
        always_answers: true,
        refusal: &[
            ("permission", Is("deny")),
            (MESSAGE, Text),
            ("agent_message", Text),
        ],
        is_caller: |input, _| input["cursor_version"].is_string(),
        ..CALLS
    }),
    events: &[
        event("sessionStart", "SessionStart").says(&[CONTEXT]),
        event("sessionEnd", "SessionEnd").says(&[]),
        event("beforeSubmitPrompt", "MessageReceived").says(PROMPT),
        event("preToolUse", "BeforeToolCall").says(TOOL),
        event("beforeShellExecution", "BeforeToolCall").shape(Shape::Command("Shell")).says(ASKS),
        event("beforeMCPExecution", "BeforeToolCall").shape(Shape::Mcp).says(ASKS),
        event("beforeReadFile", "BeforeToolCall").shape(Shape::Path("Read")).says(FILE),
        event("beforeTabFileRead", "BeforeToolCall").shape(Shape::Path("Read")).says(FILE),
        event("postToolUse", "AfterToolCall").when(When::Succeeded).says(DONE),
        event("postToolUseFailure", "AfterToolCall").when(When::Failed).says(&[]),
        event("afterShellExecution", "AfterToolCall").shape(Shape::Command("Shell")).says(&[]),
        event("afterMCPExecution", "AfterToolCall").shape(Shape::Mcp).says(&[]),
        event("afterFileEdit", "AfterToolCall").shape(Shape::Edit("Write")).says(&[]),
        event("afterTabFileEdit", "AfterToolCall").shape(Shape::Edit("Write")).says(&[]),
        event("subagentStart", "SubagentStart").says(BEGIN),
        event("subagentStop", "BeforeStop").when(When::Nested).says(END),
        event("preCompact", "BeforeCompact").says(&[]),
        event("stop", "BeforeStop").when(When::Top).says(END),
        event("afterAgentResponse", "MessageSending").says(&[]),
    ],
    never: &[
        "afterAgentThought",
        "workspaceOpen",
    ],
    ..claude::CALLER
};
