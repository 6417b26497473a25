use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn deny(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::block(call.name.as_str())
}

fn main() {}
