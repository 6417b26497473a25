use hooks_core::agent::AgentEvent;
use hooks_core::hook;

#[hook(every, on_panic = block)]
fn trace(_: AgentEvent<'_>) {}

fn main() {}
