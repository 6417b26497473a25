use hooks_core::agent::{AgentEventMut, AgentSaid};
use hooks_core::hook;

#[hook]
fn gate(_: AgentEventMut<'_>) -> AgentSaid {
    AgentSaid::Continue
}

fn main() {}
