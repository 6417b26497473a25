//! Windsurf, now Devin Desktop. Its events name no tool: they are what the tool does.

use crate::system::claude;
use crate::system::says::{Says, What, says};
use crate::system::table::{CALLS, Calls, Shape, System, event};


const DENY: &[Says] = &[says(What::Deny, &[]).exits()];

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "windsurf",
    title: "Windsurf",
    calls: Some(Calls {
        named: &["agent_action_name"],
        inside: &["/tool_info"],
        project: &[],
        is_caller: |input, _| input["agent_action_name"].is_string(),
        ..CALLS
    }),
    events: &[
        event("pre_run_command", "BeforeToolCall").shape(Shape::Command("run_command")).says(DENY),
        event("pre_read_code", "BeforeToolCall").shape(Shape::Path("read_code")).says(DENY),
        event("pre_write_code", "BeforeToolCall").shape(Shape::Edit("write_code")).says(DENY),
        event("pre_mcp_tool_use", "BeforeToolCall").shape(Shape::Mcp).says(DENY),
        event("post_run_command", "ToolCallEnd").shape(Shape::Command("run_command")).says(&[]),
        event("post_read_code", "ToolCallEnd").shape(Shape::Path("read_code")).says(&[]),
        event("post_write_code", "ToolCallEnd").shape(Shape::Edit("write_code")).says(&[]),
        event("post_mcp_tool_use", "ToolCallEnd").shape(Shape::Mcp).says(&[]),
        event("pre_user_prompt", "MessageReceived").says(DENY),
        event("post_cascade_response", "AgentEnd").says(&[]),
    ],
    never: &[
        "post_cascade_response_with_transcript",
        "post_setup_worktree",
    ],
    ..claude::CALLER
};
