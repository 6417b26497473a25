use hooks_core::agent::AgentEvent;
use hooks_core::hook;

#[hook(every, only("shell"))]
fn trace(_: AgentEvent<'_>) {}

fn main() {}
