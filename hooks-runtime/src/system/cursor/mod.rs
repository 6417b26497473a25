//! Cursor.

use hooks_builtin::Profile;
use serde_json::{Value as Json, json};

use crate::system::input::of_tool;
use crate::system::reads::{self, Row};
use crate::system::says::Put::{Bool, Is, Shaped, Text, Value};
use crate::system::says::{Says, What, says};
use crate::system::table::{
    CALLS, Calls, Exits, Refusal, Shape, Subject, System, When, Whose, event,
};
use crate::system::tools::{Class, Renamed};
use crate::system::{Ask, claude};

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

const SUBMITTED: &[Row] = &[("prompt", reads::text), ("attachments", reads::none)];
const MCP: &[Row] = &[("tool_name", reads::tool), ("tool_input", reads::args_text)];
const FILE_READ: &[Row] = &[("file_path", reads::path), ("attachments", reads::none)];

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
        event("sessionStart", "SessionStart")
            .refusal(Refusal::Shows)
            .reads(&[("session_id", reads::session), ("is_background_agent", reads::no)])
            .says(&[CONTEXT]),
        event("sessionEnd", "SessionEnd").refusal(Refusal::Shows).says(&[]),
        event("beforeSubmitPrompt", "MessageReceived").reads(SUBMITTED).says(PROMPT),
        event("preToolUse", "BeforeToolCall")
            .of(Subject::Tool)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_use_id", reads::call_id),
                ("cwd", reads::cwd),
            ])
            .says(TOOL),
        event("beforeShellExecution", "BeforeToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command)
            .shape(Shape::Command("Shell"))
            .reads(&[
                ("command", reads::command),
                ("cwd", reads::cwd),
                ("sandbox", reads::no),
            ])
            .says(ASKS),
        event("beforeMCPExecution", "BeforeToolCall")
            .when(When::Mcp)
            .of(Subject::Tool)
            .shape(Shape::Mcp)
            .reads(MCP)
            .says(ASKS),
        event("beforeReadFile", "BeforeToolCall")
            .when(When::Tool(Class::Read))
            .of(Subject::Path)
            .shape(Shape::Path("Read"))
            .reads(FILE_READ)
            .says(FILE),
        event("beforeTabFileRead", "BeforeToolCall").of(Subject::Path).shape(Shape::Path("Read")).says(FILE),
        event("postToolUse", "AfterToolCall")
            .when(When::Succeeded)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_output", reads::output_text),
                ("tool_use_id", reads::call_id),
                ("cwd", reads::cwd),
                ("duration", reads::duration),
            ])
            .says(DONE),
        event("postToolUseFailure", "AfterToolCall")
            .when(When::Failed)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args),
                ("tool_use_id", reads::call_id),
                ("cwd", reads::cwd),
                ("error_message", reads::output),
                ("failure_type", error),
                ("is_interrupt", reads::no),
                ("duration", reads::duration),
            ])
            .says(&[]),
        event("afterShellExecution", "AfterToolCall")
            .when(When::Tool(Class::Shell))
            .of(Subject::Command)
            .refusal(Refusal::Shows)
            .shape(Shape::Command("Shell"))
            .reads(&[
                ("command", reads::command),
                ("output", reads::output),
                ("duration", reads::duration),
            ])
            .says(&[]),
        event("afterMCPExecution", "AfterToolCall")
            .when(When::Mcp)
            .of(Subject::Tool)
            .refusal(Refusal::Shows)
            .shape(Shape::Mcp)
            .reads(&[
                ("tool_name", reads::tool),
                ("tool_input", reads::args_text),
                ("result_json", reads::output_text),
                ("duration", reads::duration),
            ])
            .says(&[]),
        event("afterFileEdit", "AfterToolCall")
            .when(When::Tool(Class::Edit))
            .of(Subject::Path)
            .refusal(Refusal::Shows)
            .shape(Shape::Edit("Write"))
            .reads(&[("file_path", reads::path), ("edits", edits)])
            .says(&[]),
        event("afterTabFileEdit", "AfterToolCall").of(Subject::Path).refusal(Refusal::Shows).shape(Shape::Edit("Write")).says(&[]),
        event("subagentStart", "SubagentStart")
            .of(Subject::Kind)
            .reads(&[
                ("subagent_id", reads::agent_id),
                ("subagent_type", reads::agent_type),
                ("task", reads::task),
            ])
            .says(BEGIN),
        event("subagentStop", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Kind)
            .reads(&[
                ("subagent_id", reads::agent_id),
                ("subagent_type", reads::agent_type),
                ("status", completed),
                ("loop_count", reads::attempt),
            ])
            .says(END),
        event("preCompact", "BeforeCompact")
            .refusal(Refusal::Shows)
            .reads(&[("trigger", reads::why)])
            .says(&[]),
        event("stop", "BeforeStop")
            .when(When::Top)
            .reads(&[("status", completed), ("loop_count", reads::attempt)])
            .says(END),
        event("afterAgentResponse", "MessageSending")
            .refusal(Refusal::Shows)
            .reads(&[("text", reads::text)])
            .says(&[]),
    ],
    // The two of Cursor Tab are no call of a tool here.
    never: &[
        "afterAgentThought",
        "workspaceOpen",
        "beforeTabFileRead",
        "afterTabFileEdit",
    ],
    reads: &[
        ("conversation_id", reads::session),
        ("generation_id", reads::turn),
        ("model", reads::model),
        ("hook_event_name", reads::named),
        ("cursor_version", version),
        ("workspace_roots", reads::roots),
        ("user_email", reads::null),
        ("transcript_path", reads::transcript),
    ],
    exits: Exits::Placed,
    is_flat: true,
    kinds: &["command"],
    ignored: &["loop_limit"],
    of_names: |_| false,
    on_failure: Some("failClosed"),
    tools: Some(Profile::Cursor),
    renamed: &[("Edit", "Write")],
    files: &[
        (Whose::User, ".cursor/hooks.json"),
        (Whose::Project, ".cursor/hooks.json"),
    ],
    ..claude::CALLER
};

/// Scripts look whether it is there.
#[expect(clippy::unnecessary_wraps, reason = "all rows have one type")]
fn version(_: &Ask<'_>, _: &'static str) -> Option<Json> {
    Some(json!("hooks"))
}

#[expect(clippy::unnecessary_wraps, reason = "all rows have one type")]
fn completed(_: &Ask<'_>, _: &'static str) -> Option<Json> {
    Some(json!("completed"))
}

#[expect(clippy::unnecessary_wraps, reason = "all rows have one type")]
fn error(_: &Ask<'_>, _: &'static str) -> Option<Json> {
    Some(json!("error"))
}

/// What the tool has changed. A tool that writes a whole file has no text before.
fn edits(ask: &Ask<'_>, _: &'static str) -> Option<Json> {
    let (_, args) = of_tool(ask)?;
    let args = Renamed::of("Edit", args, None).map_or_else(|| args.clone(), |renamed| renamed.args().clone());
    let text = |key: &str| args[key].as_str().unwrap_or_default();
    let new = args["new_string"].as_str().unwrap_or(text("content"));
    Some(json!([{ "old_string": text("old_string"), "new_string": new }]))
}
