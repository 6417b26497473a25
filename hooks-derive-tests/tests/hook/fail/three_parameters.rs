use hooks_core::agent::{AgentContext, BeforeToolCall, MessageReceived};
use hooks_core::hook;

#[hook]
fn look(_: &AgentContext, _: &MessageReceived, _: &BeforeToolCall) {}

fn main() {}
