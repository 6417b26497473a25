use hooks_core::agent::AgentEvent;
use hooks_core::{Decision, hook};

#[hook(every)]
fn log(decision: Decision<'_>, event: AgentEvent<'_>) {
    println!("{}: {decision:?}", event.name());
}

fn main() {}
