use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hook;

#[hook]
fn look(_: &BeforeToolCall, _: &AgentContext) {}

fn main() {}
