use hooks_core::agent::{BeforeToolCall, ToolCall};
use hooks_core::{HookAction, hook};

#[hook]
fn deny(_: &BeforeToolCall) -> HookAction<ToolCall> {
    HookAction::Continue
}

fn main() {}
