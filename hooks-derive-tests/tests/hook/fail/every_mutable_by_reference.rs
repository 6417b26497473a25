use hooks_core::agent::{AgentEventMut, AgentSaid};
use hooks_core::hook;

#[hook(every)]
fn gate(_: &mut AgentEventMut<'_>) -> AgentSaid {
    AgentSaid::Continue
}

fn main() {}
