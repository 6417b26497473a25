//! The form of mini-claw-code, in which each entry is a command with a glob.

use crate::entry::OnFault;
use crate::system::claude;
use crate::system::table::{Exits, Subject, System, Twins, event};
use crate::system::table::Order;

/// The system.
pub(crate) const SYSTEM: System = System {
    name: "flat",
    title: "the flat form",
    calls: None,
    events: &[
        event("PreToolUse", "BeforeToolCall").of(Subject::Tool),
        event("PreToolCall", "BeforeToolCall").of(Subject::Tool),
        event("PostToolUse", "ToolCallEnd").of(Subject::Tool),
        event("PostToolCall", "ToolCallEnd").of(Subject::Tool),
    ],
    never: &["AgentStart", "AgentEnd"],
    exits: Exits::Flat,
    kinds: &["command"],
    order: Order::InTurn,
    twins: Twins::No,
    on_failure: None,
    fault: OnFault::Block,
    files: &[],
    takes_args: false,
    ..claude::SYSTEM
};
