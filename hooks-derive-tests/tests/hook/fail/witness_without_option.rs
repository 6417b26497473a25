use hooks_core::agent::AgentEvent;
use hooks_core::{Decision, Witness, hook};

struct Seen;

impl Witness<AgentEvent<'static>> for Seen {
    fn begin() -> Box<Self> {
        Box::new(Seen)
    }

    fn before(&mut self, _: AgentEvent<'_>) {}

    fn after(&mut self, _: &str, _: AgentEvent<'_>) {}
}

#[hook(every)]
fn log(event: AgentEvent<'_>, _: Decision<'_>, _: &Seen) {
    println!("{}", event.name());
}

fn main() {}
