use hooks_core::agent::{BeforeToolCall, MessageReceived};
use hooks_core::{HookAction, hook};

#[hook]
fn look(_: &BeforeToolCall) -> HookAction<MessageReceived> {
    HookAction::Continue
}

fn main() {}
