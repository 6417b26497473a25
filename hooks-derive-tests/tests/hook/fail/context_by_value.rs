use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hook;

#[hook]
fn look(_: AgentContext, _: &BeforeToolCall) {}

fn main() {}
