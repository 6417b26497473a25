//! GoClaw. It runs hooks of its own, and calls no program of ours.

use std::time::Duration;

use crate::entry::OnFault;
use crate::system::claude;
use crate::system::table::{Exits, Refusal, Subject, System, Twins, When, Words, event};
use crate::system::table::Order;

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "goclaw",
    title: "GoClaw",
    calls: None,
    events: &[
        event("session_start", "SessionStart")
            .of(Subject::Empty)
            .refusal(Refusal::Shows),
        event("user_prompt_submit", "MessageReceived").of(Subject::Empty),
        event("pre_tool_use", "BeforeToolCall").of(Subject::Tool),
        event("post_tool_use", "ToolCallEnd").of(Subject::Tool),
        event("stop", "AgentEnd").of(Subject::Empty),
        event("subagent_start", "SubagentStart").of(Subject::Empty),
        event("subagent_stop", "SubagentStop").of(Subject::Empty),
        // The successor of the quality gates: see `load::goclaw`.
        event("delegation.completed", "BeforeStop")
            .when(When::Nested)
            .of(Subject::Empty),
    ],
    never: &[],
    words: Words::Goclaw,
    exits: Exits::Goclaw,
    unit: |_| Duration::from_millis(1),
    odd_timeouts: |_| false,
    timeout: Duration::from_secs(5),
    prompt_timeout: Duration::from_secs(5),
    kinds: &["command", "http", "prompt"],
    of_names: |_| false,
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    names_event: false,
    files: &[],
    takes_args: false,
    ..claude::SYSTEM
};
