use hooks_core::agent::MessageReceived;
use hooks_core::{HookAction, hook};

#[hook]
fn answer(_: &MessageReceived) -> HookAction<MessageReceived> {
    HookAction::respond("hello")
}

fn main() {}
