use hooks_core::agent::{AgentContext, BeforeToolCall};
use hooks_core::hook;

#[hook]
fn look(_: &mut AgentContext, _: &BeforeToolCall) {}

fn main() {}
