use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn answer(_: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    HookAction::respond("Monday")
}

fn main() {}
