//! Augment: auggie and its editors.

use std::time::Duration;

use hooks_builtin::Profile;
use serde_json::{Value, json};

use crate::system::input::{of_output, of_tool};
use crate::system::reads::{self, Row};
use crate::system::{Ask, claude};
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, Refusal, Subject, System, Whose, event};

const TOOL: &[Says] = &[claude::DENY.exits(), claude::INPUT];
const CALL: &[Row] = &[
    ("tool_name", reads::tool),
    ("tool_input", reads::args),
    ("is_mcp_tool", is_mcp),
];
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
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).reads(CALL).says(TOOL),
        event("PostToolUse", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Tells)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("is_mcp_tool", is_mcp),
                ("tool_output", reads::output),
                ("tool_error", error),
            ])
            .says(&[claude::CONTEXT]),
        event("PromptSubmit", "MessageReceived").refusal(Refusal::Shows).says(&[]),
        event("Stop", "BeforeStop").says(END),
        event("SessionStart", "SessionStart")
            .refusal(Refusal::Shows)
            .with_text()
            .says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows).says(&[]),
        event("Notification", "Notification").refusal(Refusal::Shows).says(&[]),
    ],
    never: &[],
    reads: &[
        ("hook_event_name", reads::named),
        ("conversation_id", reads::session),
        ("workspace_roots", reads::roots),
    ],
    unit: |_| Duration::from_millis(1),
    odd_timeouts: |timeout| timeout < 1000.0,
    kinds: &["command"],
    ignored: &["metadata"],
    takes_args: true,
    of_names: |_| false,
    tools: Some(Profile::Augment),
    files: &[
        (Whose::User, ".augment/settings.json"),
        (Whose::Project, ".augment/settings.json"),
        (Whose::Project, ".augment/settings.local.json"),
    ],
    ..claude::CALLER
};

fn is_mcp(ask: &Ask<'_>, _: &'static str) -> Option<Value> {
    let (tool, _) = of_tool(ask)?;
    Some(json!(tool.starts_with("mcp")))
}

fn error(ask: &Ask<'_>, _: &'static str) -> Option<Value> {
    let (output, _) = of_output(&ask.event)?;
    Some(json!(output.is_error.then_some(&output.content)))
}
