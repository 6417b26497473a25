use hooks_core::agent::AgentEventMut;
use hooks_core::hook;

#[hook(every)]
async fn gate(_: AgentEventMut<'_>) -> bool {
    true
}

fn main() {}
