use hooks_core::agent::AgentEvent;
use hooks_core::{Decision, hook};

#[hook(every)]
async fn log(event: AgentEvent<'_>, decision: Decision<'_>) {
    println!("{}: {decision:?}", event.name());
}

fn main() {}
