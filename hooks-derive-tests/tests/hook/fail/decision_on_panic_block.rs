use hooks_core::agent::AgentEvent;
use hooks_core::{Decision, hook};

#[hook(every, on_panic = block)]
fn trace(_: AgentEvent<'_>, _: Decision<'_>) {}

fn main() {}
