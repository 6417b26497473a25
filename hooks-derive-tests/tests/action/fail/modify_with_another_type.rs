use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn rename(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::modify("list")
}

fn main() {}
