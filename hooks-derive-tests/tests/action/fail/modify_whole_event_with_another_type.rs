use hooks_core::agent::MessageReceived;
use hooks_core::{HookAction, hook};

#[hook]
fn trim(message: &MessageReceived) -> HookAction<MessageReceived> {
    HookAction::modify(message.content.trim())
}

fn main() {}
