use hooks_core::agent::ToolCall;
use hooks_core::{HookAction, hook};

#[hook]
async fn deny(_: &ToolCall) -> HookAction<ToolCall> {
    HookAction::Continue
}

fn main() {}
