use hooks_core::agent::{BeforeToolCall, MessageReceived};
use hooks_core::hook;

fn from_cli(message: &MessageReceived) -> bool {
    message.channel == "cli"
}

#[hook(when = from_cli)]
fn look(_: &BeforeToolCall) {}

fn main() {}
