use hooks_core::agent::AgentEvent;
use hooks_core::hook;

#[hook(every, when = |_| true)]
fn trace(_: AgentEvent<'_>) {}

fn main() {}
