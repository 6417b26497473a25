use hooks_core::agent::{BeforeToolCall, ToolCall};
use hooks_core::{HookAction, hook};

#[hook]
async fn deny(_: &BeforeToolCall) -> HookAction<ToolCall> {
    HookAction::Continue
}

fn main() {}
