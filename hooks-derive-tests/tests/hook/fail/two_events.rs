use hooks_core::agent::{BeforeToolCall, MessageReceived};
use hooks_core::hook;

#[hook]
fn look(_: &MessageReceived, _: &BeforeToolCall) {}

fn main() {}
