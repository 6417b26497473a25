use hooks_core::agent::ToolCall;
use hooks_core::{HookAction, hook, hooks};

#[hook]
fn deny(_: &ToolCall) -> HookAction<ToolCall> {
    HookAction::Continue
}

fn main() {
    let _ = hooks![deny];
}
