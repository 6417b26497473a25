//! Devin CLI. It sends no working folder.

use hooks_builtin::Profile;
use serde_json::{Value, json};

use crate::system::input::of_output;
use crate::system::{Ask, claude, reads};
use crate::system::says::Put::{Is, Text};
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, Refusal, Root, Subject, System, When, Whose, event};

const TOOL: &[Says] = &[says(
    What::Deny,
    &[
        ("decision", Is("block")),
        ("reason", Text),
        claude::NAMED,
        claude::DENIED,
        claude::REASON,
    ],
)
.exits()];
const PROMPT: &[Says] = &[claude::BLOCK, claude::CONTEXT];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "devin",
    title: "Devin CLI",
    calls: Some(Calls {
        project: &["DEVIN_PROJECT_DIR", "DEVIN_DIR", "CLAUDE_PROJECT_DIR"],
        is_caller: |input, is_set| is_set("DEVIN_PROJECT_DIR") && input["cwd"].is_null(),
        ..CALLS
    }),
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool).reads(reads::TOOL).says(TOOL),
        event("PermissionRequest", "ApproveToolCall")
            .when(When::Requested)
            .of(Subject::Tool)
            .reads(reads::TOOL)
            .says(TOOL),
        event("PostToolUse", "AfterToolCall")
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_use_id", reads::call_id),
                ("tool_response", done),
            ])
            .says(&[claude::CONTEXT]),
        event("UserPromptSubmit", "MessageReceived").reads(reads::PROMPT).says(PROMPT),
        event("Stop", "BeforeStop").reads(reads::STOP).says(&[claude::BLOCK]),
        event("SessionStart", "SessionStart").refusal(Refusal::Shows).says(&[claude::CONTEXT]),
        event("SessionEnd", "SessionEnd").refusal(Refusal::Shows).says(&[]),
        event("PostCompaction", "AfterCompact").refusal(Refusal::Shows).says(&[]),
    ],
    never: &[],
    reads: &[
        ("hook_event_name", reads::named),
        ("session_id", reads::session),
        ("prompt_id", reads::turn),
    ],
    root: Root::Top,
    kinds: &["command"],
    // Every matcher is a regular expression.
    of_names: |_| false,
    tools: Some(Profile::Devin),
    files: &[
        (Whose::User, ".config/devin/config.json"),
        (Whose::Project, ".devin/hooks.v1.json"),
        (Whose::Project, ".devin/config.json"),
    ],
    ..claude::CALLER
};

fn done(ask: &Ask<'_>, _: &'static str) -> Option<Value> {
    let output = of_output(&ask.event)?.0;
    let error = output.is_error.then_some(&output.content);
    Some(json!({ "success": !output.is_error, "output": output.content, "error": error }))
}
