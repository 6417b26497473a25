use hooks_core::agent::BeforeToolCall;
use hooks_core::{HookAction, hook};

#[hook]
fn look(call: &BeforeToolCall) -> HookAction<BeforeToolCall> {
    if call.nme == "shell" {
        return HookAction::block("no shell here");
    }
    HookAction::Continue
}

fn main() {}
