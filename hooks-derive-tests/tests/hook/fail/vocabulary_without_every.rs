use hooks_core::agent::BeforeToolCall;
use hooks_core::hook;

#[hook(vocabulary = hooks_core::agent::AgentEvent)]
fn look(_: &BeforeToolCall) {}

fn main() {}
