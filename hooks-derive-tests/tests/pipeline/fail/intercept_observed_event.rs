use hooks_core::agent::{AgentContext, BeforeToolCall, HeartbeatTick};
use hooks_core::{hook, hooks};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let cx = AgentContext::new("s1");
    let _ = hooks![lower].intercept(&cx, &mut HeartbeatTick);
}
