use hooks_core::agent::AgentEvent;
use hooks_core::hook;

#[hook(every)]
fn trace(event: AgentEvent) {
    println!("{}", event.name());
}

fn main() {}
