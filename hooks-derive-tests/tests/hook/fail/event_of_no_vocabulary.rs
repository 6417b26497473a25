use hooks_core::agent::ToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn deny(call: &ToolCall) -> HookAction<ToolCall> {
    HookAction::block(call.name.clone())
}

fn main() {}
