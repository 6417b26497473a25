use hooks_core::agent::AgentEvent;
use hooks_core::hook;

#[hook]
fn trace(event: &AgentEvent<'_>) {
    println!("{}", event.name());
}

fn main() {}
