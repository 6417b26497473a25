use hooks_core::agent::AgentEvent;
use hooks_core::hook;

struct Trace;

#[hook(every)]
impl Trace {
    fn first(&self, _: AgentEvent<'_>) {}

    fn second(&self, _: AgentEvent<'_>) {}
}

fn main() {}
