use hooks_core::agent::AgentEvent;
use hooks_core::{Decision, hook};

struct Seen;

#[hook(every)]
fn log(event: AgentEvent<'_>, _: Decision<'_>, _: Option<&Seen>) {
    println!("{}", event.name());
}

fn main() {}
