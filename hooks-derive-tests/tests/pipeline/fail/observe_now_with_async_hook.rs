use hooks_core::agent::{AgentContext, HeartbeatTick};
use hooks_core::{hook, hooks};

#[hook]
async fn report(_: &HeartbeatTick) {}

fn main() {
    let cx = AgentContext::new("s1");
    hooks![report].observe_now(&cx, &HeartbeatTick);
}
