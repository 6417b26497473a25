use hooks_core::agent::{AgentContext, HeartbeatTick};
use hooks_core::{hook, hooks};

#[hook]
fn tick(_: &HeartbeatTick) {}

fn main() {
    let cx = AgentContext::new("s1");
    hooks![tick].observe_now(&HeartbeatTick, &cx);
}
