use hooks_core::agent::MessageReceived;
use hooks_core::hook;

#[hook(only("cli"))]
fn trim(message: &mut MessageReceived) {
    message.content = message.content.trim().into();
}

fn main() {}
