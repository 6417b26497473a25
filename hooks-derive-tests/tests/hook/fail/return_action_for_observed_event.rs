use hooks_core::agent::{BeforeToolCall, ToolCallEnd};
use hooks_core::{HookAction, hook};

#[hook]
fn report(_: &ToolCallEnd<'_>) -> HookAction<BeforeToolCall> {
    HookAction::Continue
}

fn main() {}
