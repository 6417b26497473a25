use hooks_core::agent::AgentContext;
use hooks_core::hook;

#[hook]
fn look(_: &AgentContext) {}

fn main() {}
