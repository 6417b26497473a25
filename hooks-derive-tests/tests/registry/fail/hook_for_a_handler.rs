use hooks_core::agent::{AgentEvent, BeforeToolCall};
use hooks_core::{HookRegistry, hook};

#[hook]
fn lower(call: &mut BeforeToolCall) {
    call.name.make_ascii_lowercase();
}

fn main() {
    let _ = HookRegistry::<AgentEvent>::new().with(lower);
}
