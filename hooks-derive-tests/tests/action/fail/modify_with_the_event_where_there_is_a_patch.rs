use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn rename(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::modify(call.clone())
}

fn main() {}
